"""Games that are written in Python."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanista


class Treasure(lanista.Game):
    """A row of cells, one of which hides a treasure: walk there and dig."""

    name = "py-treasure"
    about = "walk to the treasure and dig"
    defaults = {"cells": (9, "how long the row is"), "limit": (40, "steps after which it is over")}

    def spec(self) -> lanista.Spec:
        role = lanista.Role(
            observation=["place", "treasure"],
            heads=[lanista.Head("do", ["left", "right", "dig"])],
            bots=["walker"],
        )
        terms = [
            lanista.Term("found", "1 when it is dug up", "outcome"),
            lanista.Term("step", "1 a step", "shaping"),
        ]
        return lanista.Spec(roles=[role], seats=[lanista.Seat()], terms=terms, stats=["digs"])

    def reset(self, seed: int, seats: list[str | None]) -> None:
        rng = random.Random(seed)
        cells = self.settings["cells"]
        self.place, self.treasure = rng.randrange(cells), rng.randrange(cells)
        self.played, self.digs = 0, 0

    def observe(self, view: lanista.View) -> None:
        cells = self.settings["cells"] - 1
        view.observation[0][:] = self.place / cells, self.treasure / cells
        view.mask[0][0] = self.place > 0
        view.mask[0][1] = self.place < cells

    def step(self, actions: np.ndarray, outcome: lanista.Outcome) -> None:
        choice = int(actions[0, 0])
        self.played += 1
        outcome.earn(0, "step", 1.0)
        if choice == 2:
            self.digs += 1
            if self.place == self.treasure:
                outcome.earn(0, "found", 1.0)
                outcome.score[0] = 1.0
                outcome.end = "terminated"
        else:
            self.place += 1 if choice == 1 else -1
        if outcome.end is None and self.played >= self.settings["limit"]:
            outcome.end = "truncated"
        if outcome.end is not None:
            outcome.report("digs", self.digs)

    def scripted(self, bot: str, seat: int) -> list[int]:
        return [2 if self.place == self.treasure else int(self.place < self.treasure)]

    def frame(self) -> dict[str, Any]:
        return {"place": self.place, "treasure": self.treasure}


class Meeting(lanista.Game):
    """Two roles of different width, in turns."""

    name = "py-meeting"

    def spec(self) -> lanista.Spec:
        asker = lanista.Role(name="asker", observation=["turn"], heads=[lanista.Head("ask", ["a", "b"])])
        teller = lanista.Role(
            name="teller",
            observation=["turn", "asked"],
            heads=[lanista.Head("tell", ["a", "b", "c"]), lanista.Head("how", ["low", "loud"])],
            pairs=[(0, 1)],
        )
        return lanista.Spec(
            roles=[asker, teller],
            seats=[lanista.Seat(0, 0), lanista.Seat(1, 1)],
            terms=[lanista.Term("agreed", "1 if the answer is what was asked", "outcome")],
            stats=[lanista.Stat("turns")],
        )

    def reset(self, seed: int, seats: list[str | None]) -> None:
        self.turn, self.asked, self.agreed = 0, 0, 0

    def observe(self, view: lanista.View) -> None:
        view.observation[0][:] = self.turn
        view.observation[1][:] = self.turn, self.asked
        view.acting[0], view.acting[1] = self.turn % 2 == 0, self.turn % 2 == 1
        view.forbidden[1][1] = True  # "a" is never loud

    def step(self, actions: np.ndarray, outcome: lanista.Outcome) -> None:
        if self.turn % 2 == 0:
            self.asked = int(actions[0, 0])
        elif int(actions[1, 0]) == self.asked:
            self.agreed += 1
            outcome.terms[:, 0] = 1.0
        self.turn += 1
        if self.turn == 4:
            outcome.score[:] = self.agreed
            outcome.report("turns", self.turn)
            outcome.end = "terminated"


class Broken(Treasure):
    name = "py-broken"

    def step(self, actions: np.ndarray, outcome: lanista.Outcome) -> None:
        super().step(actions, outcome)
        if self.played == 3:
            raise LookupError("the shovel broke")


class Forgetful(Treasure):
    name = "py-forgetful"

    def reset(self, seed: int, seats: list[str | None]) -> None:
        super().reset(seed, seats)
        self.place = random.randrange(self.settings["cells"])


PRESET = {
    "game": "py-treasure",
    "rollout": {"matches": 8, "horizon": 64},
    "policy": {"hidden": [32, 32]},
    "ppo": {"learning_rate": 3e-3, "epochs": 6, "minibatch": 128, "gamma": 0.95, "entropy": 0.01},
    "rewards": {"found": 1, "step": -0.02},
    "evaluation": {"matches": 64},
    "stop": {"steps": 30_000},
}


def test_a_game_in_python_keeps_the_contract() -> None:
    assert lanista.check(Treasure, limit=100) == []
    assert lanista.check(Treasure, cells=5, limit=100) == []
    lanista.check(Meeting)


def test_a_rule_that_is_broken_is_named() -> None:
    with pytest.raises(lanista.ContractError, match="determinism"):
        lanista.check(Forgetful, limit=100)
    with pytest.raises(lanista.ContractError, match="the shovel broke"):
        lanista.check(Broken, limit=100)


def test_it_is_trained_by_the_trainer_and_learns(tmp_path: Path) -> None:
    summary = lanista.train(PRESET, directory=tmp_path / "run", games=[Treasure], progress=False)
    # A walk of 80/27 cells on average and one dig, at 0.02 each: 0.921 is the best.
    assert summary.report is not None and summary.report["return_mean"] > 0.85
    model = summary.model()
    env = lanista.make_vec(Treasure, 16, rewards={"found": 1})
    seen, info = env.reset(seed=3)
    found = 0.0
    for _ in range(30):
        seen, reward, _, _, info = env.step(model.act(seen, info["action_mask"]).action)
        found += reward.sum()
    assert found > 16


def test_a_run_of_it_resumes_exactly(tmp_path: Path) -> None:
    short = {"stop.steps": 4096}
    whole = lanista.train(PRESET, short, directory=tmp_path / "whole", games=[Treasure], progress=False)
    lanista.train(PRESET, short, directory=tmp_path / "cut", games=[Treasure], progress=False, pause_at=2000)
    cut = lanista.train(PRESET, short, directory=tmp_path / "cut", games=[Treasure], progress=False)
    assert cut.resumed_at is not None and cut.report == whole.report


def test_an_exception_becomes_a_fault_with_its_traceback(tmp_path: Path) -> None:
    env = lanista.make_vec(Broken, 2)
    env.reset(seed=1)
    with pytest.raises(lanista.MatchError, match="(?s)step 2.*in step.*the shovel broke"):
        for _ in range(4):
            env.step(np.zeros(2, int))
    with pytest.raises(lanista.RunError, match="(?s)in step.*the shovel broke"):
        lanista.train({**PRESET, "game": "py-broken"}, directory=tmp_path / "run", games=[Broken], progress=False)


class Pressed(Treasure):
    name = "py-pressed"

    def step(self, actions: np.ndarray, outcome: lanista.Outcome) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        super().step(actions, outcome)


def test_ctrl_c_in_a_step_is_ctrl_c_for_whoever_called() -> None:
    env = lanista.make_vec(Pressed, 4, threads=1)
    env.reset(seed=1)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            env.step(np.zeros(4, int))
    finally:
        signal.signal(signal.SIGINT, before)


def test_it_has_the_views_of_any_game() -> None:
    import gymnasium.utils.env_checker
    from pettingzoo.test import parallel_api_test

    gymnasium.utils.env_checker.check_env(lanista.make(Treasure), skip_render_check=True)
    parallel_api_test(lanista.parallel(Meeting), num_cycles=50)
    env = lanista.parallel(Meeting)
    _, infos = env.reset(seed=1)
    assert [infos[a]["acting"] for a in env.agents] == [True, False]
    assert infos["teller_0"]["forbidden"].tolist() == [False, True, False, False, False, False]


def test_what_is_wrong_with_a_class_is_said() -> None:
    class Nameless(lanista.Game):
        pass

    class Empty(lanista.Game):
        name = "empty"

    with pytest.raises(TypeError, match="needs a name"):
        lanista.make(Nameless)
    with pytest.raises(lanista.PresetError, match="Empty.spec"):
        lanista.make(Empty)
    with pytest.raises(lanista.PresetError, match="unknown field `sells`"):
        lanista.make(Treasure, sells=3)
    with pytest.raises(lanista.PresetError, match="is no game"):
        lanista.make(dict)  # type: ignore[arg-type]
