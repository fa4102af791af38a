"""Runs from Python: the trainer of `lanista train`, with a callback."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _lanista
from .game import Game
from .model import Model

#: Hears the metrics of an iteration, as `metrics.jsonl` has them. False ends the run after the iteration.
Callback = Callable[[dict[str, Any]], bool | None]

#: So often a line is printed.
_PAUSE_SECS = 2.0


@dataclass(frozen=True)
class Summary:
    """What a run leaves behind."""

    #: "steps", "seconds", "return", "paused" or "interrupted".
    ending: str
    #: The last evaluation; None if there was none.
    report: dict[str, Any] | None
    #: Where the run is.
    directory: str
    #: Steps trained, over all its sessions.
    steps: int
    #: Seconds trained, likewise.
    seconds: float
    #: Steps it had when this session began; None for a new run.
    resumed_at: int | None
    #: Its `model.zip`.
    model_path: str

    def model(self) -> Model:
        """What was learnt."""
        return Model(self.model_path)


def train(
    preset: str | Mapping[str, Any],
    overrides: Mapping[str, Any] | Sequence[str] | None = None,
    callback: Callback | None = None,
    directory: str | os.PathLike[str] | None = None,
    *,
    games: Sequence[type[Game]] = (),
    pause_at: int | None = None,
    progress: bool = True,
    _workers: Any = None,
    _max_lag: int | None = None,
    _crew: tuple[int, int] = (0, 0),
) -> Summary:
    """Trains a preset to its end, as `lanista train` does: the same run, bit for bit, and the same files.

    `preset` is a name, a YAML file, or the preset itself as a mapping. `overrides` are keys of it,
    `{"run.seed": 3}`. A `directory` that has been trained in before goes on where it was; without one the run gets
    a new one under `runs`. `games` are classes that the preset may name besides those of the catalogue. `callback`
    hears the metrics of every iteration in the calling thread; the run waits for it. Ctrl-C ends the run after the
    iteration and saves it: `ending` is then "interrupted", and the same call resumes. A second one raises
    KeyboardInterrupt at once; what is still under way ends by itself on its own threads, and holds the directory as
    long. What a callback raises is raised here once the run is saved.
    """
    text = None
    if isinstance(preset, Mapping):
        preset, text = str(preset.get("game", "game")), json.dumps(preset)
    lines = _Lines(progress)

    def hear(kind: str, said: str) -> bool:
        if kind in ("remark", "note"):
            lines.say(said)
            return True
        record = json.loads(said)
        if kind == "begun":
            lines.begin(record)
            return True
        lines.tell(kind, record)
        if kind != "iteration" or callback is None:
            return True
        return callback(record) is not False

    done = json.loads(
        _lanista.train(
            preset,
            text,
            list(_overrides(overrides)),
            None if directory is None else os.fspath(directory),
            list(games),
            pause_at,
            hear,
            _workers,
            _max_lag,
            _crew,
        )
    )
    summary = Summary(
        ending=done["ending"],
        report=done["report"],
        directory=done["directory"],
        steps=done["steps"],
        seconds=done["seconds"],
        resumed_at=done["resumed_at"],
        model_path=done["model"],
    )
    lines.end(summary)
    return summary


def _overrides(given: Mapping[str, Any] | Sequence[str] | None) -> list[str]:
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [f"{key}={json.dumps(value)}" for key, value in given.items()]
    return list(given)


class _Lines:
    """A line every few seconds: plain text, which notebooks, terminals and files show alike."""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self.steps = 0
        self.last = time.monotonic()

    def say(self, line: str) -> None:
        if self.wanted:
            print(line, file=sys.stdout, flush=True)

    def begin(self, begun: dict[str, Any]) -> None:
        self.steps = begun["steps"]
        what = "training" if begun["resumed_at"] is None else f"resuming at {begun['resumed_at']} steps"
        how = f"{begun['threads']} threads, seed {begun['seed']}"
        self.say(f"{what} {begun['title']} on {how}, in {begun['directory']}")

    def tell(self, kind: str, record: dict[str, Any]) -> None:
        if kind == "evaluation":
            report = record["evaluation"]
            self.say(f"evaluation at {record['steps']:,} steps: return {report['return_mean']:.3f}")
        elif time.monotonic() - self.last >= _PAUSE_SECS:
            self.last = time.monotonic()
            steps, speed = record.get("steps") or 0, (record.get("time") or {}).get("steps_per_second")
            shown = record.get("return_mean")
            self.say(
                f"{steps:,} of {self.steps:,} steps"
                + ("" if shown is None else f", return {shown:.3f}")
                + ("" if speed is None else f", {speed:,.0f} steps/s")
            )

    def end(self, summary: Summary) -> None:
        found = "" if summary.report is None else f", return {summary.report['return_mean']:.3f}"
        self.say(f"{summary.ending} at {summary.steps:,} steps{found}; {summary.directory}")
