"""Fixtures of all tests."""

from playable import _quiet, game, short  # noqa: F401
