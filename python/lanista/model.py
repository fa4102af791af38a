"""Models: what a run has learnt, asked from Python."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _lanista
from .spec import Role

#: What a policy remembers of its rows: that of the actor, that of the critic.
State = tuple[NDArray[np.float32], NDArray[np.float32]]


@dataclass(frozen=True)
class Decision:
    """What a policy says about rows."""

    #: `[rows, heads]`
    action: NDArray[np.int64]
    #: `[rows]`: of the whole action, over all heads.
    log_prob: NDArray[np.float32]
    #: `[rows]`; None if the critic sees more than was given (`privileged`).
    value: NDArray[np.float32] | None
    #: `[rows, actions]`, heads side by side. Where heads follow on each other, after the choices of those before.
    probabilities: NDArray[np.float32]
    #: What to hand in with the next observations of the same rows.
    state: State


class Model:
    """Policies that a run has trained, by role."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._native = _lanista.Model(os.fspath(path))
        #: What the model says about itself: game, settings, steps, seed, rewards.
        self.metadata: dict[str, Any] = json.loads(self._native.metadata)
        #: What it plays: shapes of what goes in and comes out, by role.
        self.roles: dict[str, dict[str, Any]] = {role["name"]: role for role in json.loads(self._native.roles)}

    @property
    def path(self) -> str:
        """Where it was read."""
        return os.fspath(self._native.path)

    def role_spec(self, role: str | None = None) -> Role:
        """What a role sees and does, by name."""
        return Role.from_json(self._role(role)[1]["spec"])

    def initial_state(self, rows: int, role: str | None = None) -> State:
        """What a policy remembers before it has seen anything."""
        actor, critic = self._role(role)[1]["state"]
        return np.zeros((rows, actor), np.float32), np.zeros((rows, critic), np.float32)

    def act(
        self,
        observation: ArrayLike,
        mask: ArrayLike | None = None,
        *,
        state: State | None = None,
        reset: ArrayLike | None = None,
        forbidden: ArrayLike | None = None,
        privileged: ArrayLike | None = None,
        deterministic: bool = True,
        seed: int | None = None,
        role: str | None = None,
    ) -> Decision:
        """Chooses for rows of observations, `[rows, features]`.

        The most likely action, or with `deterministic=False` one drawn by `seed`: the same seed and rows give the
        same actions. `reset` says of each row whether its episode begins here, so that its state is forgotten.
        """
        if not deterministic and seed is None:
            raise ValueError("deterministic=False draws actions by a seed: give one, another at every step")
        drawn = None if deterministic else seed
        return self._ask(observation, mask, state, reset, forbidden, privileged, drawn, None, role)

    def value(
        self,
        observation: ArrayLike,
        *,
        state: State | None = None,
        reset: ArrayLike | None = None,
        privileged: ArrayLike | None = None,
        role: str | None = None,
    ) -> NDArray[np.float32]:
        """`[rows]`: what the critic expects from here on."""
        found = self._ask(observation, None, state, reset, None, privileged, None, None, role).value
        if found is None:
            wants = self._role(role)[1]["privileged"]
            raise ValueError(f"the critic sees more: give privileged, [rows, {wants}]")
        return found

    def probabilities(
        self,
        observation: ArrayLike,
        mask: ArrayLike | None = None,
        *,
        actions: ArrayLike | None = None,
        state: State | None = None,
        reset: ArrayLike | None = None,
        forbidden: ArrayLike | None = None,
        role: str | None = None,
    ) -> Decision:
        """How likely every action is, and how likely `actions` are; without them, the most likely ones."""
        return self._ask(observation, mask, state, reset, forbidden, None, None, actions, role)

    def _role(self, name: str | None) -> tuple[int, dict[str, Any]]:
        names = list(self.roles)
        if name is None:
            if len(names) > 1:
                raise ValueError(f"the model plays {', '.join(names)}: say which, role=…")
            name = names[0]
        if name not in self.roles:
            raise ValueError(f"the model does not play {name!r}; it plays {', '.join(names)}")
        return names.index(name), self.roles[name]

    def _ask(
        self,
        observation: ArrayLike,
        mask: ArrayLike | None,
        state: State | None,
        reset: ArrayLike | None,
        forbidden: ArrayLike | None,
        privileged: ArrayLike | None,
        seed: int | None,
        actions: ArrayLike | None,
        role: str | None,
    ) -> Decision:
        number, shape = self._role(role)

        def rows(given: ArrayLike | None, kind: Any, width: int) -> Any:
            return None if given is None else np.ascontiguousarray(given, kind).reshape(-1, width)

        found = self._native.act(
            number,
            rows(observation, np.float32, shape["features"]),
            rows(mask, np.bool_, shape["actions"]),
            rows(forbidden, np.bool_, max(shape["pair_values"], 1)) if shape["pair_values"] else None,
            rows(privileged, np.float32, shape["privileged"]) if shape["privileged"] else None,
            None if state is None else tuple(np.ascontiguousarray(part, np.float32) for part in state),
            None if reset is None else np.ascontiguousarray(reset, np.bool_).reshape(-1),
            seed,
            rows(actions, np.int64, len(shape["heads"])),
        )
        return Decision(found["action"], found["log_prob"], found.get("value"), found["probabilities"], found["state"])


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a `model.zip`, or the one of a run's directory."""
    return Model(path)
