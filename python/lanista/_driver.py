"""The Python half of a game that is written in Python.

The native half (`src/python_game.rs`) calls a `Driver` once for a step of all its matches and copies what it
wrote into `arrays`. Every seat has the room of the widest role there, and a game is shown its own part.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .game import Game, Outcome, View
from .spec import Spec


class Driver:
    """Matches of one game, by the game's class."""

    def __init__(self, game: type[Game], settings: str, matches: int) -> None:
        chosen = json.loads(settings)
        #: The match that is being played: a fault is its.
        self.at = 0
        first = game(**chosen)
        described = first.spec()
        if not isinstance(described, Spec):
            raise TypeError(f"{game.__name__}.spec() must return a lanista.Spec, not {type(described).__name__}")
        self.spec = json.dumps(described.to_json())
        self.step_secs = game.step_secs
        self.games = [first, *(game(**chosen) for _ in range(matches - 1))][:matches]
        layout = described.layout()
        seats = len(described.seats)
        self.heads = layout.heads
        self.arrays: dict[str, np.ndarray] = {
            "observation": np.zeros((matches, seats, layout.features), np.float32),
            "privileged": np.zeros((matches, seats, layout.privileged), np.float32),
            "mask": np.ones((matches, seats, layout.actions), np.bool_),
            "forbidden": np.zeros((matches, seats, layout.pair_values), np.bool_),
            "acting": np.zeros((matches, seats), np.bool_),
            "terms": np.zeros((matches, seats, len(described.terms)), np.float32),
            "end": np.zeros(matches, np.uint8),
            "score": np.zeros((matches, layout.teams), np.float32),
            "stats": np.zeros((matches, layout.stats), np.float32),
        }
        self.views = [View(described, self.arrays, m) for m in range(matches)]
        self.outcomes = [Outcome(described, self.arrays, m) for m in range(matches)]

    def start(self, m: int, seed: int, seats: list[str | None]) -> None:
        self.at = m
        self.games[m].reset(seed, seats)
        self._observe(m)

    def submit(self, which: list[int], actions: np.ndarray) -> None:
        joint = actions.reshape(len(self.games), -1, self.heads)
        for m in which:
            self.at = m
            outcome = self.outcomes[m]
            outcome._clear()
            self.games[m].step(joint[m], outcome)
            self._observe(m)

    def scripted(self, m: int, bot: str, seat: int) -> list[int]:
        self.at = m
        action = self.games[m].scripted(bot, seat)
        return [int(choice) for choice in np.atleast_1d(action)]

    def frame(self, m: int) -> str:
        shown: Any = self.games[m].frame()
        return "" if shown is None else json.dumps(shown)

    def _observe(self, m: int) -> None:
        view = self.views[m]
        view._clear()
        self.games[m].observe(view)
