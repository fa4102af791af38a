"""Asynchronous training on an engine with random delays: what is kept of its speed, and what it learns.

    python/bench/ray.sh ray_delays.py speed [--preset nh/small] [--repeats 3]
    python/bench/ray.sh ray_delays.py learn --preset nh/small --seed 1 --directory RUN

Every order of every worker is held up by a time that is drawn anew, exponentially distributed: most delays are
short and some are several times the mean. The mean is `--delay` times the seconds that an iteration of the same run
takes without delays and with workers that wait for the learner (mode sync), which is the first thing that is
measured; `--delay-secs` says it outright. There are more workers than cores, as one has for an engine that waits.
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
from late import late, use

import lanista.ray

PROMPT = lanista.ray._Player
#: Iterations that do not count: actors start and matches are built.
WARM = 3
#: Matches of a shard, so that every worker has some.
SHARDS = {"classic/cartpole": 1, "nh/small": 16}
#: Steps of a measurement.
STEPS = {"classic/cartpole": 60_000, "nh/small": 500_000}


def overrides(preset: str) -> dict[str, Any]:
    return {"rollout.shard": SHARDS[preset]} if preset in SHARDS else {}


def measured(args: argparse.Namespace, mode: str, player: type) -> dict[str, float]:
    """Trains once and says how fast it was."""
    use(player)
    lines: list[dict[str, Any]] = []
    steps = args.steps or STEPS.get(args.preset, 250_000)
    given = overrides(args.preset) | {
        "run.seed": args.seed,
        "stop.steps": steps,
        "stop.return": None,
        "evaluation.every": None,
        "evaluation.matches": 1,
        "checkpoint.every": steps * 10,
    }

    def callback(line: dict[str, Any]) -> None:
        lines.append({"steps": line["steps"], **line["time"]})

    with tempfile.TemporaryDirectory() as home:
        lanista.ray.train(
            args.preset, given, callback, Path(home) / "run", workers=args.workers, mode=mode,
            max_lag=args.max_lag if mode == "async" else None, progress=False,
        )  # fmt: skip
    counted = lines[WARM:]
    seconds = sum(line["rollout_seconds"] + line["update_seconds"] for line in counted)
    return {
        "steps a second": (lines[-1]["steps"] - lines[WARM - 1]["steps"]) / seconds,
        "iteration s": seconds / len(counted),
        "lag": statistics.mean(line.get("lag_mean", 0.0) for line in counted),
    }


def speed(args: argparse.Namespace) -> None:
    mean = args.delay_secs or args.delay * measured(args, "sync", PROMPT)["iteration s"]
    ways = {
        "sync, no delays": ("sync", PROMPT),
        "sync, delays": ("sync", late(mean)),
        "async, no delays": ("async", PROMPT),
        "async, delays": ("async", late(mean)),
    }
    found: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    for _ in range(args.repeats):
        for name, (mode, player) in ways.items():
            found[name].append(measured(args, mode, player))
    print(f"\n`{args.preset}`, {args.workers} workers, a mean delay of {1000 * mean:.1f} ms in every order, "
          f"max_lag {args.max_lag}\n")  # fmt: skip
    print("| | steps a second | of undelayed | iteration ms | lag |\n|---|--:|--:|--:|--:|")
    medians = {
        name: {key: statistics.median(run[key] for run in runs) for key in runs[0]} for name, runs in found.items()
    }
    for name, row in medians.items():
        share = row["steps a second"] / medians[f"{name.split(',')[0]}, no delays"]["steps a second"]
        told = f"{row['steps a second']:,.0f} | {100 * share:.0f} % | {1000 * row['iteration s']:.1f}"
        print(f"| {name} | {told} | {row['lag']:.2f} |")


def learn(args: argparse.Namespace) -> None:
    use(late(args.delay_secs or 0.1))
    summary = lanista.ray.train(
        args.preset, overrides(args.preset) | {"run.seed": args.seed}, directory=args.directory,
        workers=args.workers, mode="async", max_lag=args.max_lag,
    )  # fmt: skip
    print(summary.ending, summary.steps, summary.report)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "learn"))
    parser.add_argument("--preset", default="nh/small")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--max-lag", type=int, default=2)
    parser.add_argument("--delay", type=float, default=0.25, help="mean, in iterations of the undelayed run")
    parser.add_argument("--delay-secs", type=float, help="the mean in seconds instead")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--steps", type=int, help="steps of a measurement")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--directory", help="where `learn` keeps its run")
    args = parser.parse_args()
    # Workers that wait need no core of their own.
    ray.init("local", num_cpus=args.workers, include_dashboard=False, logging_level="warning")
    {"speed": speed, "learn": learn}[args.what](args)
    ray.shutdown()


if __name__ == "__main__":
    main()
