"""What the environments share: matches behind arrays, their names and their players."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _lanista
from .game import Game
from .spec import Spec

#: So many matches fit into any memory.
_MANY = 100_000

#: Weights of terms, or by role of terms.
Rewards = Mapping[str, float] | Mapping[str, Mapping[str, float]]


class Matches:
    """Matches of a game, with the seeds of their episodes."""

    def __init__(
        self,
        game: str | type[Game],
        settings: Mapping[str, Any],
        rewards: Rewards | None,
        stack: Sequence[int] | None,
        players: Sequence[str],
        matches: int,
        threads: int | None,
        until_acting: bool,
        illegal: str,
    ) -> None:
        if illegal not in ("replace", "error"):
            raise ValueError(f'illegal is "replace" or "error", not {illegal!r}')
        _refuse_too_many(game, settings, matches)
        self.native = _lanista.Environment(
            game,
            json.dumps(dict(settings)),
            None if rewards is None else json.dumps(_plain(rewards)),
            None if stack is None else list(stack),
            list(players),
            matches,
            (os.cpu_count() or 1) if threads is None else max(1, threads),
            until_acting,
            illegal == "error",
        )
        self.count = matches
        self.spec = Spec.from_json(json.loads(self.native.spec))
        self.arrays: dict[str, Any] = self.native.arrays()
        self.seeds = np.zeros(matches, np.uint64)
        self.episodes = np.zeros(matches, np.uint64)
        self._fresh = np.ones(matches, np.bool_)

    @property
    def begun(self) -> bool:
        """Has every match been started since it was seeded?"""
        return not self._fresh.any()

    def seed(self, seed: int) -> None:
        """Match m's k-th episode follows from (seed, m, k), as in a run."""
        self.seeds.fill(_seed(seed))
        self.episodes.fill(0)
        self._fresh.fill(True)

    def seed_each(self, seeds: Sequence[int | None]) -> None:
        """A seed for every match; None leaves it as it is."""
        if len(seeds) != self.count:
            raise ValueError(f"seed: {len(seeds)} seeds for {self.count} matches")
        checked = [None if seed is None else _seed(seed) for seed in seeds]
        for m, seed in enumerate(checked):
            if seed is not None:
                self.seeds[m] = seed
                self.episodes[m] = 0
                self._fresh[m] = True

    def start(self, which: np.ndarray | None = None) -> None:
        """Starts the next episode of these matches."""
        played = ~self._fresh if which is None else which & ~self._fresh
        self.episodes += played
        if which is None:
            self._fresh.fill(False)
        else:
            self._fresh &= ~which
        self.native.start(self.seeds, self.episodes, which)


def _refuse_too_many(game: str | type[Game], settings: Mapping[str, Any], matches: int) -> None:
    """Matches that cannot fit into memory would end the interpreter, not the call."""
    if matches < 1:
        raise _lanista.PresetError("matches: there must be at least one")
    if matches < _MANY or not hasattr(os, "sysconf"):
        return
    spec = described(game, settings)
    roles = [spec.role_of(i) for i, seat in enumerate(spec.seats) if not seat.empty]
    # At the least: what each seat sees and may do, once in the game's buffers and once in the arrays.
    each = sum(8 * (role.features + len(spec.term_names)) + 2 * sum(role.head_sizes) for role in roles)
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if matches * each > there:
        need, has = matches * each / 1e9, there / 1e9
        raise _lanista.PresetError(f"matches: {matches:,} need {need:,.0f} GB and more, and there are {has:,.0f} GB")


def _plain(rewards: Rewards) -> dict[str, Any]:
    if not isinstance(rewards, Mapping):
        raise _lanista.PresetError(f'rewards: a weight for each term, as {{"goal": 1}}, not {rewards!r}')
    plain: dict[str, Any] = {}
    for name, weight in rewards.items():
        try:
            plain[name] = _plain(weight) if isinstance(weight, Mapping) else float(weight)
        except (TypeError, ValueError) as error:
            raise _lanista.PresetError(f"rewards: {name}: {weight!r} is no number") from error
    return plain


def _seed(seed: int) -> int:
    if not isinstance(seed, (int, np.integer)):
        raise ValueError(f"seed: {seed!r} is no whole number")
    if not 0 <= int(seed) < 2**64:
        raise ValueError(f"seed: {seed} is not between 0 and 2**64 - 1")
    return int(seed)


def described(game: str | type[Game], settings: Mapping[str, Any]) -> Spec:
    """What the game is made of, before a match is built."""
    return Spec.from_json(json.loads(_lanista.spec(game, json.dumps(dict(settings)))))


def scripted(spec: Spec, seat: int, wish: str | Mapping[str, str] | None) -> str:
    """Who plays a seat: what is wished, for its role or for all that know it; else the role's first scripted
    player, else one that draws evenly among what is legal."""
    role = spec.role_of(seat)
    if isinstance(wish, Mapping):
        unknown = [name for name in wish if name not in {r.name for r in spec.roles}]
        if unknown:
            known = ", ".join(r.name for r in spec.roles)
            raise _lanista.PresetError(f"opponent: no role `{unknown[0]}`: there are: {known}")
        wish = wish.get(role.name)
    names = role.bot_names
    if wish is not None and wish != "random":
        # A player of another role only: the first of this one takes its place.
        elsewhere = any(wish.removeprefix("bot:") in r.bot_names for r in spec.roles)
        if wish.removeprefix("bot:") in names or not elsewhere or not names:
            return wish
        wish = None
    if wish is not None:
        return wish
    return f"bot:{names[0]}" if names else "random"
