"""Games as PettingZoo environments: every seat is an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pettingzoo
from gymnasium import spaces
from gymnasium.utils import seeding

from . import _lanista
from ._matches import Matches, Rewards, described
from .game import Game
from .gym import spaces_of

__all__ = ["ParallelEnv", "parallel"]


class ParallelEnv(pettingzoo.ParallelEnv):
    """One match of a game. Agents are its seats, called after their role and their number in it.

    A seat that does not act now, because it waits for its turn, is still there: `infos[agent]["acting"]` is False
    and whatever it is said to do means nothing. `infos[agent]["action_mask"]` has its legal actions, heads side by
    side. With `copy=False` the arrays that `reset` and `step` return are the same every time, and the next call writes
    over them: copy what you keep.
    """

    metadata: dict[str, Any] = {"name": "lanista_v0", "render_modes": ["ansi"], "is_parallelizable": True}

    def __init__(
        self,
        game: str | type[Game],
        *,
        bots: Mapping[str, str] | None = None,
        rewards: Rewards | None = None,
        stack: Sequence[int] | None = None,
        illegal: str = "replace",
        copy: bool = True,
        render_mode: str | None = None,
        settings: Mapping[str, Any] | None = None,
        **more_settings: Any,
    ) -> None:
        chosen = {**(settings or {}), **more_settings}
        names = (spec := described(game, chosen)).seat_names()
        bots = dict(bots or {})
        unknown = [name for name in bots if name not in names]
        if unknown:
            raise _lanista.PresetError(f"bots: no seat `{unknown[0]}`: there are: {', '.join(names)}")
        players = [bots.get(name, "outside") for name in names]
        self._matches = Matches(game, chosen, rewards, stack, players, 1, 1, False, illegal)
        self.game_spec = self._matches.spec
        seats = self._matches.native.outside
        self.possible_agents = [names[seat] for seat in seats]
        self.agents: list[str] = []
        #: The seat of each agent.
        self.seats = dict(zip(self.possible_agents, seats, strict=True))
        self.metadata = {**type(self).metadata, "name": f"lanista_{spec.name}_v0"}
        self.render_mode = render_mode
        self.copy = copy
        self._heads = [len(self.game_spec.role_of(seat).heads) for seat in seats]
        both = [spaces_of(self.game_spec.role_of(seat)) for seat in seats]
        self.observation_spaces = {a: see for a, (see, _) in zip(self.possible_agents, both, strict=True)}
        self.action_spaces = {a: do for a, (_, do) in zip(self.possible_agents, both, strict=True)}
        self._seeded = False
        arrays = self._matches.arrays
        #: By agent: the one row of its arrays, as views that stay what they are while their numbers change.
        self._seen = {a: arrays["observation"][i][0] for i, a in enumerate(self.possible_agents)}
        self._shown = [self._views(i) for i in range(len(seats))]

    def _views(self, i: int) -> dict[str, np.ndarray]:
        arrays = self._matches.arrays
        views = {"action_mask": arrays["mask"][i][0].view(np.int8)}
        return views | {name: arrays[name][i][0] for name in ("forbidden", "privileged") if arrays[name][i].shape[1]}

    def observation_space(self, agent: str) -> spaces.Space:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """What an agent does."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, dict[str, Any]]]:
        """Starts the next match, or the first that follows from a seed."""
        if seed is not None:
            self._matches.seed(seed)
        elif not self._seeded:
            self._matches.seed(int(seeding.np_random()[0].integers(2**63)))
        self._seeded = True
        self.agents = list(self.possible_agents)
        self._matches.start()
        return self._observations(), self._infos(False)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, np.ndarray], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Plays a step. An agent that acts and is left out, or is none, is an error."""
        if not self.agents:
            raise RuntimeError("the match is over: reset() starts the next one")
        unknown = [name for name in actions if name not in self.seats]
        if unknown:
            raise KeyError(f"no agent {unknown[0]!r}: there are: {', '.join(self.possible_agents)}")
        acting = self._matches.arrays["acting"]
        chosen = []
        for i, (agent, heads) in enumerate(zip(self.possible_agents, self._heads, strict=True)):
            action = actions.get(agent)
            if action is None:
                if acting[i][0]:
                    raise KeyError(f"agent {agent!r} must act, and no action was given")
                action = np.zeros(heads, np.int64)
            chosen.append(np.ascontiguousarray(action, np.int64).reshape(1, heads))
        self._matches.native.step(chosen)
        arrays, agents = self._matches.arrays, self.agents
        terminated, truncated = bool(arrays["terminated"][0]), bool(arrays["truncated"][0])
        rewards = {a: float(arrays["reward"][i][0]) for i, a in enumerate(agents)}
        if terminated or truncated:
            self.agents = []
        infos = self._infos(terminated or truncated)
        return (
            self._observations(),
            rewards,
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            infos,
        )

    def _observations(self) -> dict[str, np.ndarray]:
        return {a: seen.copy() if self.copy else seen for a, seen in self._seen.items()}

    def _infos(self, over: bool) -> dict[str, dict[str, Any]]:
        arrays, spec = self._matches.arrays, self.game_spec
        infos: dict[str, dict[str, Any]] = {}
        for i, agent in enumerate(self.possible_agents):
            info: dict[str, Any] = {
                **{name: view.copy() if self.copy else view for name, view in self._shown[i].items()},
                "acting": bool(arrays["acting"][i][0]),
                "terms": dict(zip(spec.term_names, arrays["terms"][i][0].tolist(), strict=True)),
                "replaced": bool(arrays["replaced"][i][0]),
                "seed": int(arrays["seed"][0]),
            }
            if over:
                info["score"] = arrays["score"][0].copy()
                info["stats"] = dict(zip(spec.stat_names, arrays["stats"][0].tolist(), strict=True))
                info["lost"] = bool(arrays["lost"][0])
            infos[agent] = info
        return infos

    def render(self) -> str | None:
        """The picture of the match, as JSON."""
        return self._matches.native.frame(0) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held that Python does not free."""


def parallel(game: str | type[Game], **arguments: Any) -> ParallelEnv:
    """One match of a game, or of a preset's, every seat an agent. What it does not name is a setting."""
    return ParallelEnv(game, **arguments)
