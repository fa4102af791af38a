"""Games as Gymnasium environments: one seat learns, the others are scripted.

`VectorEnv` steps many matches at once, `Env` one. A step plays on until the learner's seat must act again or the
match is over; what it earns meanwhile adds up. So a seat that waits for its turn is no special case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from . import _lanista
from ._matches import Matches, Rewards, described, scripted
from .game import Game
from .spec import Role, Spec

__all__ = ["Env", "VectorEnv", "make", "make_vec", "register", "sample_mask", "spaces_of"]


def spaces_of(role: Role) -> tuple[spaces.Box, spaces.Discrete | spaces.MultiDiscrete]:
    """What a role sees and does: numbers, and a choice or a choice a head."""
    sizes = role.head_sizes
    action = spaces.Discrete(sizes[0]) if len(sizes) == 1 else spaces.MultiDiscrete(sizes)
    return spaces.Box(-np.inf, np.inf, (role.features,), np.float32), action


def sample_mask(space: spaces.Space, mask: np.ndarray) -> Any:
    """A mask of `info["action_mask"]`, heads side by side, as `space.sample(mask=…)` takes it."""
    if not isinstance(space, spaces.MultiDiscrete):
        return mask
    return tuple(np.split(mask, np.cumsum(space.nvec)[:-1]))


def _learner(spec: Spec, seat: int | str | None) -> int:
    """The seat that learns, by its number, its name or its role."""
    taken = [i for i, s in enumerate(spec.seats) if not s.empty]
    if isinstance(seat, str):
        names = spec.seat_names()
        named = [i for i in taken if names[i] == seat or spec.role_of(i).name == seat]
        if not named:
            known = ", ".join(names[i] for i in taken)
            raise _lanista.PresetError(f"seat: no seat or role `{seat}`: there are: {known}")
        return named[0]
    if seat is None:
        return taken[0]
    if seat not in taken:
        raise _lanista.PresetError(f"seat: {seat} is not among those that are taken: {taken}")
    return seat


def _matches(
    game: str | type[Game],
    settings: Mapping[str, Any],
    rewards: Rewards | None,
    stack: Sequence[int] | None,
    opponent: str | Mapping[str, str] | None,
    teammate: str | Mapping[str, str] | None,
    seat: int | str | None,
    matches: int,
    threads: int | None,
    illegal: str,
) -> tuple[Matches, int]:
    spec = described(game, settings)
    learner = _learner(spec, seat)
    own = spec.seats[learner].team

    def player(i: int) -> str:
        if i == learner:
            return "outside"
        mate = spec.seats[i].team == own and teammate is not None
        return scripted(spec, i, teammate if mate else opponent)

    players = [player(i) for i in range(len(spec.seats))]
    return Matches(game, settings, rewards, stack, players, matches, threads, True, illegal), learner


class VectorEnv(gymnasium.vector.VectorEnv):
    """Many matches of a game behind one Gymnasium environment.

    With `copy=False` the arrays that `reset` and `step` return are the same every time, and the next call writes
    over them: copy what you keep. Nothing else is copied in Python.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: str | type[Game],
        matches: int = 1,
        *,
        opponent: str | Mapping[str, str] | None = None,
        teammate: str | Mapping[str, str] | None = None,
        rewards: Rewards | None = None,
        seat: int | str | None = None,
        stack: Sequence[int] | None = None,
        seed: int | None = None,
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        illegal: str = "replace",
        copy: bool = True,
        render_mode: str | None = None,
        settings: Mapping[str, Any] | None = None,
        **more_settings: Any,
    ) -> None:
        chosen = {**(settings or {}), **more_settings}
        self._matches, self.seat = _matches(
            game, chosen, rewards, stack, opponent, teammate, seat, matches, threads, illegal
        )
        self.game_spec = self._matches.spec
        role = self.game_spec.role_of(self.seat)
        self.num_envs = matches
        self.single_observation_space, self.single_action_space = spaces_of(role)
        self.observation_space = batch_space(self.single_observation_space, matches)
        self.action_space = batch_space(self.single_action_space, matches)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.copy = copy
        self._heads = len(role.heads)
        arrays = self._matches.arrays
        self._observation, self._reward = arrays["observation"][0], arrays["reward"][0]
        self._terminated, self._truncated = arrays["terminated"], arrays["truncated"]
        self._all = np.ones(matches, np.bool_)
        #: Matches that are over and have not started anew.
        self._over = np.zeros(matches, np.bool_)
        self._shown = self._views(arrays)
        self._seeded = False
        #: Has every match been started?
        self._begun = False
        if seed is not None:
            self._seed(seed)

    def _views(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """What every info shows, as views that stay what they are while their numbers change."""
        terms = arrays["terms"][0]
        shown: dict[str, Any] = {
            "action_mask": arrays["mask"][0].view(np.int8),
            "terms": {name: terms[:, i] for i, name in enumerate(self.game_spec.term_names)},
            "replaced": arrays["replaced"][0],
            "seed": arrays["seed"],
        }
        if arrays["forbidden"][0].shape[1]:
            shown["forbidden"] = arrays["forbidden"][0]
        if arrays["privileged"][0].shape[1]:
            shown["privileged"] = arrays["privileged"][0]
        shown["terms"].update({f"_{name}": self._all for name in self.game_spec.term_names})
        return {**shown, **{f"_{name}": self._all for name in shown}}

    def _seed(self, seed: int | Sequence[int | None]) -> None:
        if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
            self._matches.seed_each(seed)
        else:
            self._matches.seed(seed)
            self._np_random, self._np_random_seed = seeding.np_random(int(seed))
        self._seeded = True

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts all matches, or those of `options["reset_mask"]`.

        Match m's k-th episode follows from (seed, m, k). Without a seed every match goes on to its next episode.
        """
        if seed is not None:
            self._seed(seed)
        elif not self._seeded:
            self._seed(int(self.np_random.integers(2**63)))
        which = None
        if options and "reset_mask" in options:
            which = np.ascontiguousarray(options["reset_mask"], np.bool_)
        self._matches.start(which)
        self._over[which if which is not None else slice(None)] = False
        self._begun = self._matches.begun
        return self._out(self._observation), self._info()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays a step of every match."""
        if not self._begun:
            raise ResetNeeded("matches have not begun: call reset() before step()")
        chosen = np.ascontiguousarray(actions, np.int64).reshape(self.num_envs, self._heads)
        native, mode = self._matches.native, self.autoreset_mode
        if mode is AutoresetMode.NEXT_STEP and self._over.any():
            native.step([chosen], ~self._over)
            self._matches.start(self._over)
        elif mode is AutoresetMode.DISABLED and self._over.any():
            over = np.flatnonzero(self._over)
            raise RuntimeError(f"matches {over} are over: reset them, options={{'reset_mask': …}}")
        else:
            native.step([chosen])
        over = self._terminated | self._truncated
        terminated, truncated, reward = self._terminated, self._truncated, self._reward
        told: dict[str, Any] = {}
        if over.any():
            told = self._final(over)
            if mode is AutoresetMode.SAME_STEP:
                # Starting anew writes over these.
                terminated, truncated, reward = terminated.copy(), truncated.copy(), reward.copy()
                last = np.full(self.num_envs, None, object)
                # One copy of all of them, of which each is a row.
                for m, row in zip(np.flatnonzero(over).tolist(), self._observation[over], strict=True):
                    last[m] = row
                final = {"terms": self._terms(over), "_terms": over, **told}
                told = {"final_obs": last, "_final_obs": over, "final_info": final, "_final_info": over}
                self._matches.start(over)
        if mode is not AutoresetMode.SAME_STEP:
            self._over = over
        return (
            self._out(self._observation),
            self._out(reward),
            self._out(terminated),
            self._out(truncated),
            {**self._info(), **told},
        )

    def _terms(self, over: np.ndarray) -> dict[str, Any]:
        """What the last step of matches earned, apart from what their next episodes do."""
        terms = self._matches.arrays["terms"][0].copy()
        out: dict[str, Any] = {name: terms[:, i] for i, name in enumerate(self.game_spec.term_names)}
        return out | {f"_{name}": over for name in self.game_spec.term_names}

    def _final(self, over: np.ndarray) -> dict[str, Any]:
        """What matches that are over report."""
        arrays = self._matches.arrays
        stats = arrays["stats"].copy()
        told: dict[str, Any] = {name: stats[:, i] for i, name in enumerate(self.game_spec.stat_names)}
        told |= {f"_{name}": over for name in list(told)}
        final = {"score": arrays["score"].copy(), "stats": told, "lost": arrays["lost"].copy()}
        return final | {f"_{name}": over for name in list(final)}

    def _out(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self.copy else array

    def _info(self) -> dict[str, Any]:
        if not self.copy:
            return dict(self._shown)
        out: dict[str, Any] = {}
        for name, value in self._shown.items():
            out[name] = {k: v.copy() for k, v in value.items()} if isinstance(value, dict) else value.copy()
        return out

    def render(self) -> tuple[str, ...] | None:
        """The pictures of all matches, as JSON."""
        if self.render_mode != "ansi":
            return None
        return tuple(self._matches.native.frame(m) for m in range(self.num_envs))


class Env(gymnasium.Env):
    """One match of a game, one seat of it for the learner."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: str | type[Game],
        *,
        opponent: str | Mapping[str, str] | None = None,
        teammate: str | Mapping[str, str] | None = None,
        rewards: Rewards | None = None,
        seat: int | str | None = None,
        stack: Sequence[int] | None = None,
        illegal: str = "replace",
        render_mode: str | None = None,
        settings: Mapping[str, Any] | None = None,
        **more_settings: Any,
    ) -> None:
        chosen = {**(settings or {}), **more_settings}
        self._matches, self.seat = _matches(game, chosen, rewards, stack, opponent, teammate, seat, 1, 1, illegal)
        self.game_spec = self._matches.spec
        role = self.game_spec.role_of(self.seat)
        self.observation_space, self.action_space = spaces_of(role)
        self.render_mode = render_mode
        self._heads = len(role.heads)
        self._seeded = False
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts the next match, or the first that follows from a seed."""
        self._running = False
        super().reset(seed=seed)
        if seed is not None:
            self._matches.seed(seed)
        elif not self._seeded:
            self._matches.seed(int(self.np_random.integers(2**63)))
        self._seeded = True
        self._matches.start()
        self._running = True
        return self._matches.arrays["observation"][0][0].copy(), self._info(False)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Plays a step, and on until the seat must act again or the match is over."""
        if not self._running:
            raise ResetNeeded("the match has not begun, or is over: reset() starts the next one")
        self._matches.native.step([np.ascontiguousarray(action, np.int64).reshape(1, self._heads)])
        arrays = self._matches.arrays
        terminated, truncated = bool(arrays["terminated"][0]), bool(arrays["truncated"][0])
        self._running = not (terminated or truncated)
        return (
            arrays["observation"][0][0].copy(),
            float(arrays["reward"][0][0]),
            terminated,
            truncated,
            self._info(terminated or truncated),
        )

    def action_masks(self) -> np.ndarray:
        """Legal actions, heads side by side: where sb3-contrib's MaskablePPO looks for them."""
        return self._matches.arrays["mask"][0][0].copy()

    def _info(self, over: bool) -> dict[str, Any]:
        arrays, spec = self._matches.arrays, self.game_spec
        info: dict[str, Any] = {
            "action_mask": arrays["mask"][0][0].astype(np.int8),
            "terms": dict(zip(spec.term_names, arrays["terms"][0][0].tolist(), strict=True)),
            "replaced": bool(arrays["replaced"][0][0]),
            # As wide as it is: of a plain int Gymnasium's vectors make an array that is too narrow.
            "seed": arrays["seed"][0],
        }
        for name in ("forbidden", "privileged"):
            if arrays[name][0].shape[1]:
                info[name] = arrays[name][0][0].copy()
        if over:
            info["score"] = arrays["score"][0].copy()
            info["stats"] = dict(zip(spec.stat_names, arrays["stats"][0].tolist(), strict=True))
            info["lost"] = bool(arrays["lost"][0])
        return info

    def render(self) -> str | None:
        """The picture of the match, as JSON."""
        return self._matches.native.frame(0) if self.render_mode == "ansi" else None


def make_vec(game: str | type[Game], matches: int = 1, **arguments: Any) -> VectorEnv:
    """Many matches of a game, or of a preset's, behind one `VectorEnv`. What it does not name is a setting."""
    return VectorEnv(game, matches, **arguments)


def make(game: str | type[Game], **arguments: Any) -> Env:
    """One match of a game, or of a preset's. What it does not name is a setting of the game."""
    return Env(game, **arguments)


def _registered_vec(game: str, num_envs: int = 1, **arguments: Any) -> VectorEnv:
    return VectorEnv(game, num_envs, **arguments)


def register() -> None:
    """Registers every game with Gymnasium, as `lanista/NAME-v0`."""
    import json

    for game in json.loads(_lanista.games()):
        name = f"lanista/{game['name']}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="lanista.gym:Env",
                vector_entry_point="lanista.gym:_registered_vec",
                kwargs={"game": game["name"]},
            )
