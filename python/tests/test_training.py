"""Runs from Python, and the models that they leave behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import lanista

SMALL = {"stop.steps": 6144, "evaluation.matches": 16}
U64 = 2**64 - 1


def mix(seed: int, counter: int) -> int:
    """How a run mixes a counter into its seed (`lanista_game::seed::mix`)."""
    z = seed ^ ((counter + 1) * 0x9E37_79B9_7F4A_7C15 & U64)
    z = (z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9 & U64
    z = (z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB & U64
    return z ^ (z >> 31)


def trained(path: Path, preset: str = "classic/cartpole", **overrides: object) -> lanista.Summary:
    given = {**SMALL, **{key.replace("__", "."): value for key, value in overrides.items()}}
    return lanista.train(preset, given, directory=path, progress=False)


@pytest.mark.parametrize("preset", ["classic/cartpole", "classic/cartpole-lstm-small"])
def test_a_model_plays_as_the_program_plays_it(tmp_path: Path, preset: str) -> None:
    summary = trained(tmp_path / "run", preset)
    assert summary.ending == "steps" and summary.steps >= 6144 and summary.report is not None
    model = lanista.load(summary.directory)
    # The evaluation at the end of a run, once more: its matches follow from mix(seed, 3).
    matches = summary.report["matches"]
    env = lanista.make_vec(preset, matches, stack=model.metadata["stack"], autoreset_mode="Disabled")
    seen, info = env.reset(seed=mix(0, 3))
    state = model.initial_state(matches)
    fresh, over = np.ones(matches, bool), np.zeros(matches, bool)
    earned, lengths = np.zeros(matches), np.zeros(matches)
    while not over.all():
        decision = model.act(seen, info["action_mask"], state=state, reset=fresh)
        state, fresh = decision.state, np.zeros(matches, bool)
        # Step only what is not over: the others keep their last view.
        env._matches.native.step([decision.action], ~over)
        arrays = env._matches.arrays
        earned += np.where(over, 0, arrays["reward"][0])
        lengths += ~over
        over |= arrays["terminated"] | arrays["truncated"]
        seen, info = arrays["observation"][0].copy(), {"action_mask": arrays["mask"][0].copy()}
    assert earned.mean() == summary.report["return_mean"]
    assert lengths.mean() == summary.report["length_mean"]


def test_rows_have_the_bits_that_they_have_alone(tmp_path: Path) -> None:
    model = trained(tmp_path / "run", "classic/cartpole-lstm-small").model()
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(70, model.roles["player"]["features"])).astype(np.float32)
    state = tuple(rng.normal(size=part.shape).astype(np.float32) for part in model.initial_state(70))
    for drawn in ({}, {"deterministic": False, "seed": 9}):
        together = model.act(rows, state=state, **drawn)
        assert np.array_equal(together.action, model.act(rows, state=state, **drawn).action)
        for i in range(0, 70, 7):
            alone = model.act(rows[i : i + 1], state=tuple(part[i : i + 1] for part in state))
            assert alone.probabilities.tobytes() == together.probabilities[i].tobytes()
            assert alone.value.tobytes() == together.value[i].tobytes()
            for a, b in zip(alone.state, together.state, strict=True):
                assert a[0].tobytes() == b[i].tobytes()
    assert np.allclose(together.probabilities.sum(1), 1, atol=1e-5)
    chosen = np.take_along_axis(together.probabilities, together.action, 1)[:, 0]
    assert np.allclose(np.log(chosen), together.log_prob, atol=1e-5)
    known = model.probabilities(rows, actions=together.action, state=state)
    assert np.array_equal(known.log_prob, together.log_prob)
    assert np.array_equal(model.value(rows, state=state), together.value)


def test_masks_forbid(tmp_path: Path) -> None:
    model = trained(tmp_path / "run").model()
    rows, mask = np.zeros((4, 4), np.float32), np.array([[True, False]] * 4)
    for seed in range(20):
        decision = model.act(rows, mask, deterministic=False, seed=seed)
        assert (decision.action == 0).all() and (decision.probabilities[:, 1] == 0).all()


def test_what_a_model_is_given_wrong_is_named(tmp_path: Path) -> None:
    model = trained(tmp_path / "run").model()
    with pytest.raises(ValueError, match="not finite"):
        model.act(np.full((1, 4), np.nan))
    with pytest.raises(ValueError, match="mask"):
        model.act(np.zeros((3, 4)), np.ones((2, 2), bool))
    with pytest.raises(ValueError, match="give one"):
        model.act(np.zeros((1, 4)), deterministic=False)
    with pytest.raises(ValueError, match="does not play"):
        model.act(np.zeros((1, 4)), role="keeper")
    (tmp_path / "model.zip").write_bytes(b"nonsense")
    with pytest.raises(lanista.ModelError, match="model.zip"):
        lanista.load(tmp_path / "model.zip")
    with pytest.raises(lanista.LanistaError):
        lanista.load(tmp_path / "nowhere")


def test_a_callback_hears_every_iteration_and_may_stop(tmp_path: Path) -> None:
    heard: list[dict] = []

    def callback(metrics: dict) -> bool | None:
        heard.append(metrics)
        return len(heard) < 3

    summary = lanista.train("classic/cartpole", SMALL, callback, tmp_path / "run", progress=False)
    assert summary.ending == "interrupted" and [m["iteration"] for m in heard] == [1, 2, 3]
    assert summary.steps == heard[-1]["steps"]
    assert {"policy_loss", "terms", "time"} <= set(heard[0])
    # The same call resumes, and ends where a run that was never stopped ends.
    second = lanista.train("classic/cartpole", SMALL, None, tmp_path / "run", progress=False)
    whole = trained(tmp_path / "whole")
    assert second.resumed_at == summary.steps and second.report == whole.report


def test_what_a_callback_raises_is_raised_once_the_run_is_saved(tmp_path: Path) -> None:
    def callback(metrics: dict) -> None:
        raise LookupError("of mine")

    with pytest.raises(LookupError, match="of mine"):
        lanista.train("classic/cartpole", SMALL, callback, tmp_path / "run", progress=False)
    assert (tmp_path / "run" / "model.zip").is_file()
    assert trained(tmp_path / "run").resumed_at == 1024


def test_ctrl_c_saves_and_returns(tmp_path: Path) -> None:
    # A shell that starts something in the background has it ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timers: list[threading.Timer] = []

    def callback(metrics: dict) -> None:
        if not timers:
            timers.append(threading.Timer(0.0, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()
            timers[0].join()

    steps = {"stop.steps": 50_000_000, "stop.return": None, "evaluation.every": None, "evaluation.matches": 8}
    try:
        summary = lanista.train("classic/cartpole", steps, callback, tmp_path / "run", progress=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert summary.ending == "interrupted" and (tmp_path / "run" / "model.zip").is_file()


TWICE = """
import os, signal, sys, threading, time
import lanista

signal.signal(signal.SIGINT, signal.default_int_handler)
steps = {"stop.steps": 10**9, "stop.return": None, "evaluation.every": 2000, "evaluation.matches": 10**6}
pressed = [threading.Timer(secs, os.kill, (os.getpid(), signal.SIGINT)) for secs in (2.0, 3.0)]
for timer in pressed:
    timer.start()
try:
    lanista.train("classic/cartpole", steps, directory=sys.argv[1])
except KeyboardInterrupt:
    print("left")
"""


def test_a_second_ctrl_c_leaves_at_once(tmp_path: Path) -> None:
    # The evaluation would take minutes. In a process of its own, since it goes on until that ends.
    program = [sys.executable, "-c", TWICE, str(tmp_path / "run")]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "left"
    assert "Ctrl-C once more leaves at once" in done.stdout


def test_progress_is_told_in_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lanista.train("classic/cartpole", SMALL, directory=tmp_path / "run")
    told = capsys.readouterr().out
    assert "training classic-cartpole on" in told and "steps at " in told.splitlines()[-1]


def test_a_preset_may_be_a_mapping(tmp_path: Path) -> None:
    preset = {"import": "classic/cartpole", "stop": {"steps": 2048, "return": None}}
    assert lanista.train({**preset, "game": "cartpole"}, directory=tmp_path / "run", progress=False).steps == 2048


def test_wrong_presets_and_keys_are_named(tmp_path: Path) -> None:
    with pytest.raises(lanista.PresetError, match="clasic/cartpole"):
        lanista.train("clasic/cartpole", directory=tmp_path / "a", progress=False)
    with pytest.raises(lanista.PresetError, match="ppo.epoks"):
        lanista.train("classic/cartpole", {"ppo.epoks": 3}, directory=tmp_path / "b", progress=False)
    assert not (tmp_path / "a").exists() and not (tmp_path / "b").exists()
