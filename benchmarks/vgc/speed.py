"""Measures decisions per CPU-second of random play: ours, the simulator by itself, and poke-env on a server.

    ./run.sh speed --install DIR --teams FILE [--rounds 3] [--decisions 4000] [--battles 60]

CPU-seconds are those of all processes together: of ours the program and its hosts, observations and masks
included; of poke-env its process and the server's. What is measured takes turns, so that whatever else the
machine does slows all alike. Reads /proc: Linux alone.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys

from server import Server, ServerFailed

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def example(arguments):
    """The program that measures ours and the simulator by itself."""
    if arguments.speed:
        return pathlib.Path(arguments.speed).resolve()
    built = subprocess.run(
        ["cargo", "build", "--release", "-p", "lanista-vgc", "--example", "speed"]
        + ["--message-format", "json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("target", {}).get("name") == "speed" and message.get("executable"):
            return pathlib.Path(message["executable"])
    raise SystemExit("error: cargo built no example `speed`")


def ours(arguments, program):
    told = subprocess.run(
        [program, arguments.teams, arguments.format, str(arguments.decisions)],
        env={**os.environ, "LANISTA_SHOWDOWN": str(pathlib.Path(arguments.install).resolve())},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=600 + arguments.decisions,
    )
    return json.loads(told.stdout.strip().splitlines()[-1])


def theirs(arguments, server, number):
    before = server.cpu_seconds()
    told = subprocess.run(
        [
            sys.executable, HERE / "players.py", "among", "random", "--url", server.url,
            "--name", f"peer {number}", "--format", arguments.format, "--teams", arguments.teams,
            "--battles", str(arguments.battles), "--at-once", "10", "--seed", str(number),
        ],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=3600,
    )  # fmt: skip
    result = json.loads(told.stdout)
    result["server_cpu_seconds"] = server.cpu_seconds() - before
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", required=True, help="a lean install of pokemon-showdown")
    parser.add_argument("--teams", required=True, help="packed teams of the format, a line each")
    parser.add_argument("--format", default="gen9vgc2024regg")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--decisions", type=int, default=4000, help="of ours and of the simulator, a part")
    parser.add_argument("--battles", type=int, default=60, help="of poke-env, a round")
    parser.add_argument("--speed", help="the example `speed` [default: built from this tree]")
    parser.add_argument("--work", default=str(HERE / ".work"))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    arguments.teams = str(pathlib.Path(arguments.teams).resolve())
    pathlib.Path(arguments.work).mkdir(parents=True, exist_ok=True)
    # Being told to end is leaving the `with`.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    program = example(arguments)
    sums = {"ours": [0, 0.0], "simulator": [0, 0.0], "poke-env": [0, 0.0]}

    def add(who, decisions, seconds):
        sums[who][0] += decisions
        sums[who][1] += seconds

    try:
        with Server(arguments.install, arguments.work) as server:
            theirs(arguments, server, 0)  # loads, and lets the server warm up
            for number in range(1, arguments.rounds + 1):
                one = ours(arguments, program)
                add("ours", one["decisions"], one["host_cpu_seconds"] + one["own_cpu_seconds"])
                bare = one["bare_decisions"] / one["bare_decisions_per_cpu_second"]
                add("simulator", one["bare_decisions"], bare)
                peer = theirs(arguments, server, number)
                add("poke-env", peer["decisions"], peer["cpu_seconds"] + peer["server_cpu_seconds"])
    except ServerFailed as problem:
        sys.exit(f"error: {problem}")
    rates = {who: decisions / seconds for who, (decisions, seconds) in sums.items()}
    if arguments.json:
        print(json.dumps({"decisions_per_cpu_second": rates, "sums": sums}))
        return
    for who, rate in rates.items():
        decisions, seconds = sums[who]
        share = rate / rates["simulator"]
        print(f"{who:10} {rate:7.1f} a CPU-second ({decisions:.0f} in {seconds:.1f} s), {share:.0%} of the simulator")


if __name__ == "__main__":
    main()
