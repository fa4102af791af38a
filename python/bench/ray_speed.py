"""How fast a run on Ray is beside the same run without it, on one machine.

    python/bench/ray.sh ray_speed.py [--preset rocket/1v1] [--steps 250000] [--repeats 5] [--workers 2]

In turns, so that a slow minute of the machine hits both: `lanista.train` with as many threads as workers, and
`lanista.ray.train` with so many workers of one thread each, which play while the learner waits, as the learner uses
all cores while they wait. Steps a second are those of the iterations after the first two, by their own clocks;
medians. Both must end in the same weights. Where the time went stands beside it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}

import ray

import lanista
import lanista.ray

#: Iterations that do not count: actors start, matches are built, the first snapshot is taken.
WARM = 2


def overrides(steps: int, workers: int) -> dict[str, Any]:
    """Nothing but playing and learning: no evaluation, and a checkpoint at the end alone."""
    return {
        "run.seed": 1,
        "run.threads": workers,
        "stop.steps": steps,
        "evaluation.every": None,
        "evaluation.matches": 1,
        "checkpoint.every": steps * 10,
    }


def measured(preset: str, given: dict[str, Any], workers: int | None) -> tuple[dict[str, float], bytes]:
    """Trains once, and says where the time went and what was learnt."""
    lines: list[dict[str, Any]] = []

    def callback(line: dict[str, Any]) -> None:
        lines.append({"steps": line["steps"], **line["time"]})

    with tempfile.TemporaryDirectory() as home:
        run = Path(home) / "run"
        if workers is None:
            lanista.train(preset, given, callback, run, progress=False)
        else:
            lanista.ray.train(preset, given, callback, run, workers=workers, progress=False)
        newest = max((run / "checkpoints").iterdir(), key=lambda path: int(path.name))
        weights = next(newest.glob("policy*.safetensors")).read_bytes()
    counted = lines[WARM:]
    seconds = sum(line["rollout_seconds"] + line["update_seconds"] for line in counted)
    found = {
        "steps a second": (lines[-1]["steps"] - lines[WARM - 1]["steps"]) / seconds,
        "rollout s": statistics.mean(line["rollout_seconds"] for line in counted),
        "update s": statistics.mean(line["update_seconds"] for line in counted),
        "MB in": statistics.mean(line.get("answer_bytes", 0) for line in counted) / 1e6,
        "MB out": statistics.mean(line.get("parcel_bytes", 0) for line in counted) / 1e6,
    }
    return found, weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="rocket/1v1")
    parser.add_argument("--steps", type=int, default=250_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    given = overrides(args.steps, args.workers)
    ray.init("local", num_cpus=args.workers, include_dashboard=False, logging_level="warning")
    ways: dict[str, int | None] = {"without Ray": None, f"with Ray, {args.workers} workers": args.workers}
    found: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    weights = set()
    for _ in range(args.repeats):
        for name, workers in ways.items():
            figures, learnt = measured(args.preset, given, workers)
            found[name].append(figures)
            weights.add(learnt)
    ray.shutdown()
    columns = list(next(iter(found.values()))[0])
    print(f"| `{args.preset}` | " + " | ".join(columns) + " |\n|---|" + "--:|" * len(columns))
    for name, runs in found.items():
        medians = [statistics.median(run[column] for run in runs) for column in columns]
        print(f"| {name} | {medians[0]:,.0f} | " + " | ".join(f"{number:.3f}" for number in medians[1:]) + " |")
    plain, far = ([run["steps a second"] for run in runs] for runs in found.values())
    shares = [b / a for a, b in zip(plain, far, strict=True)]
    told = " ".join(f"{share:.3f}" for share in shares)
    print(f"\nwith Ray / without: {statistics.median(shares):.3f} (median of {told})")
    print("same weights" if len(weights) == 1 else "OTHER WEIGHTS")


if __name__ == "__main__":
    main()
