"""A worker whose engine keeps one waiting, for the measurements beside this file."""

from __future__ import annotations

import os
import random
import time

import lanista.ray


def late(mean_secs: float, shape: str = "exponential") -> type:
    """An actor whose engine stands still in every order: for a time that is drawn anew each time, exponentially
    distributed with this mean, or always for the same time ("constant")."""

    class Late(lanista.ray._Player):
        def __init__(self, threads: int) -> None:
            super().__init__(threads)
            self._draw = random.Random(os.getpid())

        def play(self, order: lanista.ray.Bytes, numbers: list[int], *parcels: lanista.ray.Bytes) -> object:
            time.sleep(self._draw.expovariate(1 / mean_secs) if shape == "exponential" else mean_secs)
            return super().play(order, numbers, *parcels)

    return Late


def use(player: type) -> None:
    """Has the actors of runs from now on be of this class."""
    lanista.ray._Player = player
