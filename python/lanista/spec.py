"""What a game is made of: roles, seats, reward terms and stats.

The same types describe the games that come with Lanista (`lanista.spec("rocket")`) and those that are written in
Python (`lanista.Game.spec`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

#: How many of the choices that a requirement lists must have been made.
Condition = Literal["all", "any", "none"]
#: What kind of fact a term is.
TermKind = Literal["outcome", "event", "shaping"]


@dataclass(frozen=True)
class Feature:
    """One number of an observation."""

    name: str
    #: Does it stay what it is whatever the players do?
    constant: bool = False
    #: What an id stands for, and how many there are; None for a quantity.
    vocabulary: tuple[str, int] | None = None

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"name": self.name, "constant": self.constant}
        if self.vocabulary is not None:
            out["vocabulary"] = {"name": self.vocabulary[0], "size": self.vocabulary[1]}
        return out


def _feature(given: str | Feature) -> Feature:
    return given if isinstance(given, Feature) else Feature(given)


@dataclass(frozen=True)
class Entities:
    """Up to so many things of a kind: for each 1 if it is there, else 0, then its features."""

    name: str
    most: int
    features: Sequence[str | Feature]

    def to_json(self) -> dict[str, Any]:
        features = [_feature(f).to_json() for f in self.features]
        return {"entities": {"name": self.name, "most": self.most, "features": features}}

    def flat(self) -> list[Feature]:
        out = []
        for place in range(self.most):
            out.append(Feature(f"{self.name}_{place}_present"))
            for f in map(_feature, self.features):
                out.append(Feature(f"{self.name}_{place}_{f.name}", f.constant, f.vocabulary))
        return out


@dataclass(frozen=True)
class Head:
    """One discrete choice, its actions by name."""

    name: str
    actions: Sequence[str]


@dataclass(frozen=True)
class Requirement:
    """`action` of `head` is legal only if `condition` holds of `choices`, (head, action) of earlier heads."""

    head: int
    action: int
    condition: Condition
    choices: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Bot:
    """A scripted player. One that is `inside` is driven by the game and never acts."""

    name: str
    inside: bool = False


@dataclass(frozen=True)
class Role:
    """What a kind of player sees and does."""

    observation: Sequence[str | Feature | Entities]
    heads: Sequence[Head]
    name: str = "player"
    privileged: Sequence[str | Feature] = ()
    requires: Sequence[Requirement] = ()
    #: (first, second): heads of which a view may forbid combinations.
    pairs: Sequence[tuple[int, int]] = ()
    bots: Sequence[str | Bot] = ()

    def flat_features(self) -> list[Feature]:
        """Every number of an observation, in order."""
        out: list[Feature] = []
        for part in self.observation:
            out.extend(part.flat() if isinstance(part, Entities) else [_feature(part)])
        return out

    @property
    def features(self) -> int:
        """Length of an observation."""
        return len(self.flat_features())

    @property
    def head_sizes(self) -> list[int]:
        """Number of actions of each head."""
        return [len(head.actions) for head in self.heads]

    @property
    def actions(self) -> int:
        """Length of a mask."""
        return sum(self.head_sizes)

    @property
    def pair_values(self) -> int:
        """Length of the tables of forbidden pairs."""
        sizes = self.head_sizes
        return sum(sizes[first] * sizes[second] for first, second in self.pairs)

    @property
    def bot_names(self) -> list[str]:
        """The scripted players."""
        return [bot.name if isinstance(bot, Bot) else bot for bot in self.bots]

    def to_json(self) -> dict[str, Any]:
        groups: list[dict[str, Any]] = []
        for part in self.observation:
            if isinstance(part, Entities):
                groups.append(part.to_json())
                continue
            if not groups or "features" not in groups[-1]:
                groups.append({"features": []})
            groups[-1]["features"].append(_feature(part).to_json())
        return {
            "name": self.name,
            "observation": groups,
            "privileged": [_feature(f).to_json() for f in self.privileged],
            "heads": [{"name": h.name, "actions": list(h.actions)} for h in self.heads],
            "requires": [
                {"head": r.head, "action": r.action, "condition": r.condition, "choices": [list(c) for c in r.choices]}
                for r in self.requires
            ],
            "pairs": [{"first": first, "second": second} for first, second in self.pairs],
            "bots": [
                {"name": b.name, "inside": b.inside} if isinstance(b, Bot) else {"name": b, "inside": False}
                for b in self.bots
            ],
        }

    @staticmethod
    def from_json(role: dict[str, Any]) -> Role:
        observation: list[str | Feature | Entities] = []
        for group in role["observation"]:
            if "features" in group:
                observation.extend(_read_feature(f) for f in group["features"])
            else:
                e = group["entities"]
                observation.append(Entities(e["name"], e["most"], [_read_feature(f) for f in e["features"]]))
        return Role(
            observation=observation,
            heads=[Head(h["name"], h["actions"]) for h in role["heads"]],
            name=role["name"],
            privileged=[_read_feature(f) for f in role.get("privileged", [])],
            requires=[
                Requirement(r["head"], r["action"], r["condition"], [tuple(c) for c in r["choices"]])
                for r in role.get("requires", [])
            ],
            pairs=[(p["first"], p["second"]) for p in role.get("pairs", [])],
            bots=[Bot(b["name"], b.get("inside", False)) for b in role.get("bots", [])],
        )


def _read_feature(feature: dict[str, Any]) -> Feature:
    vocabulary = feature.get("vocabulary")
    return Feature(
        feature["name"],
        feature.get("constant", False),
        (vocabulary["name"], vocabulary["size"]) if vocabulary else None,
    )


@dataclass(frozen=True)
class Seat:
    """A place at the table: its team, its role by number, and whether nobody ever takes it."""

    team: int = 0
    role: int = 0
    empty: bool = False


@dataclass(frozen=True)
class Term:
    """A fact about a step that may be rewarded."""

    name: str
    about: str = ""
    kind: TermKind = "event"


@dataclass(frozen=True)
class Stat:
    """A number that a finished match reports; one a team if it is `of_teams`."""

    name: str
    of_teams: bool = False


@dataclass(frozen=True)
class Layout:
    """How many numbers every seat has room for: those of the widest role."""

    features: int
    privileged: int
    actions: int
    pair_values: int
    heads: int
    teams: int
    stats: int


@dataclass(frozen=True)
class Spec:
    """Everything that others may know about a game."""

    roles: Sequence[Role]
    seats: Sequence[Seat]
    terms: Sequence[Term] = ()
    stats: Sequence[Stat | str] = ()
    name: str = field(default="")

    def role_of(self, seat: int) -> Role:
        """The role of a seat."""
        return self.roles[self.seats[seat].role]

    @property
    def teams(self) -> int:
        """Number of teams."""
        return max((seat.team + 1 for seat in self.seats), default=0)

    @property
    def term_names(self) -> list[str]:
        """The terms by name."""
        return [term.name for term in self.terms]

    @property
    def stat_names(self) -> list[str]:
        """The numbers that a match writes: `goals[0]`, `goals[1]` for a stat of two teams."""
        out: list[str] = []
        for stat in map(_stat, self.stats):
            out.extend([f"{stat.name}[{team}]" for team in range(self.teams)] if stat.of_teams else [stat.name])
        return out

    def layout(self) -> Layout:
        """The room of a seat."""

        def widest(sizes: Iterable[int]) -> int:
            return max(sizes, default=0)

        return Layout(
            features=widest(r.features for r in self.roles),
            privileged=widest(len(r.privileged) for r in self.roles),
            actions=widest(r.actions for r in self.roles),
            pair_values=widest(r.pair_values for r in self.roles),
            heads=widest(len(r.heads) for r in self.roles),
            teams=self.teams,
            stats=len(self.stat_names),
        )

    def seat_names(self) -> list[str]:
        """A name for every seat: its role, and its number among those of the role."""
        counts: dict[int, int] = {}
        names = []
        for seat in self.seats:
            number = counts.get(seat.role, 0)
            counts[seat.role] = number + 1
            names.append(f"{self.roles[seat.role].name}_{number}")
        return names

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "roles": [role.to_json() for role in self.roles],
            "seats": [{"team": s.team, "role": s.role, "empty": s.empty} for s in self.seats],
            "terms": [{"name": t.name, "kind": t.kind, "about": t.about} for t in self.terms],
            "stats": [{"name": s.name, "of_teams": s.of_teams} for s in map(_stat, self.stats)],
        }

    @staticmethod
    def from_json(spec: dict[str, Any]) -> Spec:
        return Spec(
            roles=[Role.from_json(role) for role in spec["roles"]],
            seats=[Seat(s["team"], s.get("role", 0), s.get("empty", False)) for s in spec["seats"]],
            terms=[Term(t["name"], t["about"], t["kind"]) for t in spec["terms"]],
            stats=[Stat(s["name"], s.get("of_teams", False)) for s in spec["stats"]],
            name=spec["name"],
        )


def _stat(given: Stat | str) -> Stat:
    return given if isinstance(given, Stat) else Stat(given)
