"""Runs lanista and its peers in turn and prints one table of environment steps per second."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# What the table calls it, the preset of ours, the case of theirs and its name.
CASES = [
    ("CartPole, 64x64 tanh", "classic/cartpole-small", "ppo", "SB3 PPO"),
    ("CartPole, LSTM 256", "classic/cartpole-lstm-small", "recurrent", "SB3 RecurrentPPO"),
]


def measure(command, directory):
    """Runs a command that prints one JSON object."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", RAYON_NUM_THREADS="1")
    run = subprocess.run(
        command, cwd=directory, env=environment, stdout=subprocess.PIPE, text=True
    )
    if run.returncode != 0:
        sys.exit(f"failed with status {run.returncode}: {' '.join(command)}")
    try:
        result = json.loads(run.stdout)
        float(result["steps_per_second"])
        return result
    except (ValueError, KeyError, TypeError):
        sys.exit(f"no steps_per_second in the output of {' '.join(command)}:\n{run.stdout}")


def ours(preset, seconds):
    command = ["cargo", "run", "--release", "-q", "--", "bench", "train", preset]
    return measure(command + ["--threads", "1", "--seconds", str(seconds), "--json"], HERE.parent)


def theirs(case, seconds):
    return measure([sys.executable, str(HERE / "peers.py"), case, "--seconds", str(seconds)], HERE)


def cpu_model():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def show(values):
    """The median, and all runs behind it."""
    if not values:
        return "-", ""
    runs = " ".join(f"{value:,.0f}" for value in sorted(values))
    return f"{statistics.median(values):,.0f}", runs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5, help="length of each measurement")
    parser.add_argument("--peers-only", action="store_true", help="leave lanista out")
    options = parser.parse_args()

    if not options.peers_only:
        # Building must not fall into the first measurement.
        build = subprocess.run(["cargo", "build", "--release"], cwd=HERE.parent)
        if build.returncode != 0:
            sys.exit("lanista does not build")

    speeds = {(label, side): [] for label, *_ in CASES for side in ("ours", "theirs")}
    versions, starved = {}, []
    for repeat in range(options.repeats):
        # In turn, so that a slow minute of the machine hits both sides.
        for label, preset, case, peer in CASES:
            print(f"repeat {repeat + 1} of {options.repeats}: {label}", file=sys.stderr)
            if not options.peers_only:
                speeds[label, "ours"].append(ours(preset, options.seconds)["steps_per_second"])
            result = theirs(case, options.seconds)
            speeds[label, "theirs"].append(result["steps_per_second"])
            versions = result["versions"]
            share = result["cpu_seconds"] / result["wall_seconds"]
            if share < 0.9:
                starved.append(f"{peer} had {share:.0%} of a core in repeat {repeat + 1}")

    print(f"Environment steps per second, one thread, {cpu_model()}.")
    print(f"Medians of {options.repeats}, {options.seconds} s each.")
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    print()
    print("| training | lanista | peer | peer's speed | ratio | runs of lanista | runs of the peer |")
    print("|---|---|---|---|---|---|---|")
    for label, _, _, peer in CASES:
        mine, peers = speeds[label, "ours"], speeds[label, "theirs"]
        (median, runs), (peer_median, peer_runs) = show(mine), show(peers)
        ratio = f"{statistics.median(mine) / statistics.median(peers):.1f}x" if mine else "-"
        print(f"| {label} | {median} | {peer} | {peer_median} | {ratio} | {runs} | {peer_runs} |")
    for line in starved:
        print(f"\nNot comparable: {line}; other processes were running.")


if __name__ == "__main__":
    main()
