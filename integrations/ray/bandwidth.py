"""Measures what bandwidth.sh prepares: steps a second by workers and by the width of their links.

A worker's engine takes `--engine-secs` for an order, whatever else happens: it stands for a machine that plays so
many samples a second. Every worker has as many matches as the others, so that more of them bring more samples.
"""

from __future__ import annotations

import argparse
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
# Newer versions of Ray ask for a token: one of this cluster's own, which ends with it.
os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}

import ray
from late import late, use

import lanista.ray

LEARNER = "10.213.0.1"
PORT = 6379
#: Iterations that do not count: actors start and matches are built.
WARM = 2


def shape(node: int, mbit: float | None) -> None:
    """Gives the link of a worker this width in both directions."""
    for namespace, device in (("lanista-learner", f"to{node}"), (f"lanista-worker{node}", "eth")):
        tc = ["tc", "-n", namespace, "qdisc"]
        subprocess.run([*tc, "delete", "dev", device, "root"], stderr=subprocess.DEVNULL, check=False)
        if mbit is not None:
            limit = ["root", "tbf", "rate", f"{mbit}mbit", "burst", "256kb", "latency", "200ms"]
            subprocess.run([*tc, "add", "dev", device, *limit], check=True)


def started(nodes: int) -> list[subprocess.Popen[bytes]]:
    """A cluster: the learner's node, which plays nothing, and one in every namespace."""
    start = [str(Path(sys.executable).with_name("ray")), "start", "--block", "--disable-usage-stats"]
    start += ["--object-store-memory", str(200_000_000)]
    head = [*start, "--head", "--node-ip-address", LEARNER, "--port", str(PORT), "--num-cpus", "0"]
    head += ["--include-dashboard", "false"]
    processes = [subprocess.Popen(head, stdout=subprocess.DEVNULL)]
    deadline = time.monotonic() + 120
    while not ray.is_initialized():
        time.sleep(5)
        try:
            ray.init(f"{LEARNER}:{PORT}", _node_ip_address=LEARNER, logging_level="error", log_to_driver=False)
        except ConnectionError:
            if time.monotonic() > deadline:
                raise
    # One after the other: nodes that start at the same time on one machine take the same names for their sockets.
    for node in range(1, nodes + 1):
        inside = ["ip", "netns", "exec", f"lanista-worker{node}", *start, "--address", f"{LEARNER}:{PORT}"]
        inside += ["--node-ip-address", f"10.213.0.{node + 1}", "--num-cpus", "1"]
        processes.append(subprocess.Popen(inside, stdout=subprocess.DEVNULL))
        deadline = time.monotonic() + 120
        while ray.cluster_resources().get("CPU", 0) < node:
            if time.monotonic() > deadline:
                raise TimeoutError(f"node {node} has not come")
            time.sleep(0.5)
    return processes


def measured(args: argparse.Namespace, workers: int, mode: str) -> dict[str, float]:
    """Trains for some iterations."""
    matches = args.matches * workers
    given: dict[str, Any] = {
        "run.seed": 1,
        "rollout.matches": matches,
        "rollout.shard": args.matches,
        "rollout.horizon": args.horizon,
        "stop.steps": matches * args.horizon * (WARM + args.iterations),
        "evaluation.every": None,
        "evaluation.matches": 1,
        "checkpoint.every": 1_000_000_000,
    }
    lines: list[dict[str, Any]] = []

    def callback(line: dict[str, Any]) -> None:
        lines.append({"steps": line["steps"], **line["time"]})

    with tempfile.TemporaryDirectory() as home:
        lanista.ray.train(args.preset, given, callback, Path(home) / "run", workers=workers, mode=mode, progress=False)
    counted = lines[WARM:]
    seconds = sum(line["rollout_seconds"] + line["update_seconds"] for line in counted)
    mean = {
        key: statistics.mean(line[key] for line in counted)
        for key in ("rollout_seconds", "update_seconds", "answer_bytes", "parcel_bytes")
    }
    return {"steps": (lines[-1]["steps"] - lines[WARM - 1]["steps"]) / seconds} | mean


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, required=True, help="namespaces that bandwidth.sh has made")
    parser.add_argument("--preset", default="nh/small")
    parser.add_argument("--engine-secs", type=float, default=1.0, help="what an order takes, without the playing")
    parser.add_argument("--matches", type=int, default=16, help="of each worker")
    parser.add_argument("--horizon", type=int, default=128)
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--mbit", type=float, nargs="*", default=[1000, 100, 10])
    args = parser.parse_args()
    use(late(args.engine_secs, "constant"))
    processes = started(args.nodes)
    try:
        cases: list[tuple[int, float | None]] = []
        count = 1
        while count <= args.nodes:
            cases.append((count, None))
            count *= 2
        cases += [(args.nodes, mbit) for mbit in args.mbit]
        print(f"`{args.preset}`, {args.matches} matches of {args.horizon} steps a worker and iteration, "
              f"{args.engine_secs} s of engine in each\n")  # fmt: skip
        print("| workers | link, Mbit/s | mode | steps/s | playing, sending s | update s | kB a worker | kB weights |")
        print("|--:|--:|---|--:|--:|--:|--:|--:|", flush=True)
        for workers, mbit in cases:
            for node in range(1, args.nodes + 1):
                shape(node, mbit)
            for mode in ("sync", "async"):
                row = measured(args, workers, mode)
                link = "-" if mbit is None else f"{mbit:g}"
                told = f"{row['steps']:,.0f} | {row['rollout_seconds']:.2f} | {row['update_seconds']:.2f}"
                sizes = f"{row['answer_bytes'] / workers / 1000:,.0f} | {row['parcel_bytes'] / 1000:,.0f}"
                print(f"| {workers} | {link} | {mode} | {told} | {sizes} |", flush=True)
    finally:
        ray.shutdown()
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(60)


if __name__ == "__main__":
    main()
