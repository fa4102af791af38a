"""A game of one's own, in Python.

It is played, checked and trained as the games of the catalogue are, and is slower: docs/python.md has figures.

    class Coin(lanista.Game):
        name = "coin"
        about = "guess a coin that shows its side"

        def spec(self):
            role = lanista.Role(observation=["side"], heads=[lanista.Head("guess", ["heads", "tails"])])
            return lanista.Spec(roles=[role], seats=[lanista.Seat()], terms=[lanista.Term("right", "1 if right")])

        def reset(self, seed, seats):
            self.side = seed % 2

        def observe(self, view):
            view.observation[0][0] = self.side

        def step(self, actions, outcome):
            outcome.earn(0, "right", float(actions[0, 0] == self.side))
            outcome.score[0] = float(actions[0, 0] == self.side)
            outcome.end = "terminated"
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from .spec import Spec

#: How a match ended.
End = Literal["terminated", "truncated"]
_ENDS = {None: 0, "terminated": 1, "truncated": 2}


class View:
    """What every seat sees now. Before a game writes it, every action is legal and every seat is acting."""

    #: By seat: the numbers of its role.
    observation: list[NDArray[np.float32]]
    #: By seat: what the critic alone is shown.
    privileged: list[NDArray[np.float32]]
    #: By seat: legal actions, heads side by side.
    mask: list[NDArray[np.bool_]]
    #: By seat: forbidden pairs, tables side by side.
    forbidden: list[NDArray[np.bool_]]
    #: By seat: must it choose now?
    acting: NDArray[np.bool_]

    def __init__(self, spec: Spec, arrays: dict[str, np.ndarray], m: int) -> None:
        roles = [spec.role_of(seat) for seat in range(len(spec.seats))]
        self.observation = [arrays["observation"][m, s, : r.features] for s, r in enumerate(roles)]
        self.privileged = [arrays["privileged"][m, s, : len(r.privileged)] for s, r in enumerate(roles)]
        self.mask = [arrays["mask"][m, s, : r.actions] for s, r in enumerate(roles)]
        self.forbidden = [arrays["forbidden"][m, s, : r.pair_values] for s, r in enumerate(roles)]
        self.acting = arrays["acting"][m]
        self._mask = arrays["mask"][m]
        self._forbidden = arrays["forbidden"][m]
        self._empty = np.array([not seat.empty for seat in spec.seats])

    def _clear(self) -> None:
        self._mask.fill(True)
        self._forbidden.fill(False)
        self.acting[:] = self._empty


class Outcome:
    """What one step brought; all zero before the step."""

    #: `[seats, terms]`
    terms: NDArray[np.float32]
    #: `[teams]`: the result of a finished match.
    score: NDArray[np.float32]
    #: What a finished match reports, in the order of `Spec.stat_names`.
    stats: NDArray[np.float32]

    def __init__(self, spec: Spec, arrays: dict[str, np.ndarray], m: int) -> None:
        self.terms = arrays["terms"][m]
        self.score = arrays["score"][m]
        self.stats = arrays["stats"][m]
        self._end = arrays["end"]
        self._m = m
        self._terms = {term.name: i for i, term in enumerate(spec.terms)}
        self._stats = {name: i for i, name in enumerate(spec.stat_names)}

    def earn(self, seat: int, term: str, amount: float) -> None:
        """Adds to a term of a seat."""
        self.terms[seat, self._terms[term]] += amount

    def report(self, stat: str, value: float) -> None:
        """Writes a stat; that of a team is called `goals[0]`."""
        self.stats[self._stats[stat]] = value

    @property
    def end(self) -> End | None:
        """Set when the match is over."""
        number = int(self._end[self._m])
        return {0: None, 1: "terminated", 2: "truncated"}[number]  # type: ignore[return-value]

    @end.setter
    def end(self, end: End | None) -> None:
        if end not in _ENDS:
            raise ValueError(f'end is "terminated", "truncated" or None, not {end!r}')
        self._end[self._m] = _ENDS[end]

    def _clear(self) -> None:
        self.terms.fill(0)
        self.score.fill(0)
        self.stats.fill(0)
        self._end[self._m] = 0


class Game:
    """One match of a game that is written in Python.

    A match is a function of its settings, its seed, who drives its seats, and their actions: draw everything
    from a generator that `reset` makes of the seed. `lanista.check` tries it, and the other rules.
    """

    #: The name in a preset's `game`.
    name: ClassVar[str]
    #: One line for the list of games.
    about: ClassVar[str] = ""
    #: Its settings: `{name: (default, what it does)}`.
    defaults: ClassVar[dict[str, tuple[Any, str]]] = {}
    #: How long a step lasts for whoever watches.
    step_secs: ClassVar[float | None] = None

    def __init__(self, **settings: Any) -> None:
        unknown = [key for key in settings if key not in self.defaults]
        if unknown:
            raise TypeError(f"{type(self).__name__} has no setting `{unknown[0]}`")
        #: The settings of this match.
        self.settings: dict[str, Any] = {key: default for key, (default, _) in self.defaults.items()} | settings

    def spec(self) -> Spec:
        """What the game is made of under its settings."""
        raise NotImplementedError(f"{type(self).__name__}.spec")

    def reset(self, seed: int, seats: list[str | None]) -> None:
        """Starts a new match. `seats` says who drives each: "outside", "bot:NAME", or None for nobody."""
        raise NotImplementedError(f"{type(self).__name__}.reset")

    def observe(self, view: View) -> None:
        """Writes what every seat sees now."""
        raise NotImplementedError(f"{type(self).__name__}.observe")

    def step(self, actions: NDArray[np.uint32], outcome: Outcome) -> None:
        """Plays one step. `actions` are `[seats, heads]`; those of a seat that was not acting mean nothing."""
        raise NotImplementedError(f"{type(self).__name__}.step")

    def scripted(self, bot: str, seat: int) -> Any:
        """What a scripted player chooses for an acting seat, a choice a head. Asking changes nothing."""
        raise NotImplementedError(f"{type(self).__name__}.scripted: it has no `{bot}`")

    def frame(self) -> dict[str, Any] | None:
        """What a viewer is shown now; None without a picture."""
        return None

    @classmethod
    def _described(cls) -> tuple[str, str, str]:
        """Name, about and settings, for the native half."""
        name = getattr(cls, "name", None)
        if not isinstance(name, str) or not name:
            raise TypeError(f'{cls.__name__} needs a name: write name = "{cls.__name__.lower()}"')
        settings = [[key, default, about] for key, (default, about) in cls.defaults.items()]
        return name, cls.about, json.dumps(settings)
