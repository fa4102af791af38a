"""Which games are tried, and which cannot be on this machine."""

from __future__ import annotations

import functools
import os
import warnings
from pathlib import Path

import pytest

_CACHED = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lanista-ci" / "showdown-0.11.11"
if "LANISTA_SHOWDOWN" not in os.environ and (_CACHED / "node_modules").is_dir():
    os.environ["LANISTA_SHOWDOWN"] = str(_CACHED)

import lanista  # noqa: E402

#: Settings under which a game's matches are short enough for tests.
SHORT = {
    "rocket": {"team_size": 1, "limit_secs": 5},
    "survivors": {},
    "nh": {},
}
GAMES = sorted(lanista.games())


@functools.cache
def unplayable(game: str) -> str | None:
    """Why a game cannot be played here, if it cannot."""
    if game != "vgc":
        return None
    try:
        lanista._lanista.chain("vgc", "{}", 1, 1)
    except lanista.LanistaError as error:
        return str(error)
    return None


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    """Every game that can be played here; the others are skipped by name."""
    why = unplayable(request.param)
    if why is not None:
        pytest.skip(f"{request.param}: {why}")
    return request.param


@pytest.fixture
def short(game: str) -> dict[str, object]:
    """Settings under which the game's matches are short."""
    return dict(SHORT.get(game, {}))


@pytest.fixture(autouse=True)
def _quiet() -> object:
    with warnings.catch_warnings():
        # What checkers say about taste: unbounded boxes, masks that they do not know.
        warnings.filterwarnings("ignore", message=".*(Box observation space|Box high bound|render_mode).*")
        yield
