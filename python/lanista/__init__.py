"""Lanista for Python: its games as Gymnasium and PettingZoo environments, its models, its training.

    import lanista

    env = lanista.make_vec("rocket/touch", matches=64, seed=7)     # a Gymnasium VectorEnv
    env = lanista.parallel("rocket", team_size=1)                  # a PettingZoo ParallelEnv
    model = lanista.load("runs/rocket-touch")                      # a trained model
    summary = lanista.train("classic/cartpole")                    # a run, as `lanista train` does it

docs/python.md is the guide.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import _lanista
from ._lanista import ContractError, LanistaError, MatchError, ModelError, PresetError, RunError
from .game import Game, Outcome, View
from .model import Decision, Model, load
from .spec import Bot, Entities, Feature, Head, Requirement, Role, Seat, Spec, Stat, Term
from .training import Summary, train

if TYPE_CHECKING:
    from .gym import Env, VectorEnv, make, make_vec, register, sample_mask
    from .zoo import ParallelEnv, parallel

__all__ = [
    "Bot",
    "ContractError",
    "Decision",
    "Entities",
    "Env",
    "Feature",
    "Game",
    "Head",
    "LanistaError",
    "MatchError",
    "Model",
    "ModelError",
    "Outcome",
    "ParallelEnv",
    "PresetError",
    "Requirement",
    "Role",
    "RunError",
    "Seat",
    "Spec",
    "Stat",
    "Summary",
    "Term",
    "VectorEnv",
    "View",
    "check",
    "games",
    "load",
    "make",
    "make_vec",
    "parallel",
    "presets",
    "register",
    "sample_mask",
    "spec",
    "train",
]

#: What needs a package that not everybody has is imported when it is asked for.
_LATE = {
    "Env": ".gym",
    "VectorEnv": ".gym",
    "make": ".gym",
    "make_vec": ".gym",
    "register": ".gym",
    "sample_mask": ".gym",
    "ParallelEnv": ".zoo",
    "parallel": ".zoo",
}


def __getattr__(name: str) -> Any:
    module = _LATE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(module, __name__), name)


def games() -> dict[str, dict[str, Any]]:
    """Every game by name: what it is, and its settings with their defaults."""
    listed = json.loads(_lanista.games())
    return {
        game["name"]: {
            "about": game["about"],
            "settings": {s["name"]: {"default": s["default"], "about": s["about"]} for s in game["settings"]},
        }
        for game in listed
    }


def presets() -> list[str]:
    """The names of all presets."""
    return _lanista.presets()


def spec(game: str | type[Game], **settings: Any) -> Spec:
    """What a game, or that of a preset, is made of under these settings."""
    return Spec.from_json(json.loads(_lanista.spec(game, json.dumps(settings))))


def check(game: str | type[Game], seeds: int = 2, limit: int = 3000, **settings: Any) -> list[str]:
    """Plays a game and tries every rule of the contract on it.

    Returns remarks: what is no violation, but should be known. A rule that is broken is a `ContractError` that
    names the rule, the seed and the step.
    """
    return _lanista.check(game, json.dumps(settings), seeds, limit)


try:  # so that gymnasium.make("lanista/rocket-v0") works after `import lanista`
    from .gym import register as _register
except ImportError:
    pass
else:
    _register()
