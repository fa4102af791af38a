#!/usr/bin/env python3
"""Our client of pvp-ml's API, `lanista bench serve --format pvp-ml`, asks pvp-ml's real serve-api and looks at every
answer; then it asks `lanista play nh` the same. The servers take turns in every round, so that what else the machine
does falls on all. serve-api runs twice: as it is, and with one thread of torch, which suits so small a network better
where others want the cores, too.

    check_our_client.py --pvp-ml DIR --lanista BIN --model MODEL --original-model ZIP [--rounds N] [--seconds S]

MODEL is a run or a model.zip of ours, ZIP one of pvp-ml's trainer (check_trainer.py --keep); both see the same
frames. Runs in the environment of serve-api: Python 3.10 with torch 2.1.2 (run.sh makes it).
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

# Under these names the model is served: no model of the checkout is overwritten, and ours answers to the published name.
THEIRS, OURS = "LanistaCheck", "GeneralizedNh"
PLAY = "lanista play nh"
# serve-api's p50 when its answers were first timed, one client at a time: ours should stay below it.
BAR_MS = 4.6


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(process, port, what, log):
    """Until somebody listens."""
    for _ in range(240):
        assert process.poll() is None, f"{what} ended: see {log}"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.5)
    raise SystemExit(f"{what} did not begin within two minutes: see {log}")


def measure(args, name, port, connections):
    command = [args.lanista, "bench", "serve", f"{name}={args.model}", "--format", "pvp-ml", "--json"]
    command += ["--connect", f"127.0.0.1:{port}", "--connections", str(connections), "--seconds", str(args.seconds)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["decisions"] > 0, told
    assert told["faults"] == 0, told["first_fault"]
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pvp-ml", required=True)
    parser.add_argument("--lanista", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--original-model", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 8])
    args = parser.parse_args()
    package = Path(args.pvp_ml).resolve() / "pvp-ml"
    original = package / "models" / f"{THEIRS}.zip"
    original.parent.mkdir(exist_ok=True)
    original.write_bytes(Path(args.original_model).read_bytes())

    api = [sys.executable, "-m", "pvp_ml.api"]
    alone = {"OMP_NUM_THREADS": "1"}
    # What it is called in the table, the name of its model, its command, its environment, where it runs and its log.
    servers = [
        ("pvp-ml serve-api", THEIRS, api, {}, package, "serve-api.log"),
        ("serve-api, 1 thread", THEIRS, api, alone, package, "serve-api-alone.log"),
        (PLAY, OURS, [args.lanista, "play", "nh", args.model], {}, None, "play-nh.log"),
    ]
    running, results = [], {}
    try:
        for server, name, command, changed, directory, log in servers:
            port = free_port()
            env = {**os.environ, "PYTHONPATH": str(package), **changed}
            with open(log, "w") as out:
                command = [*command, "--port", str(port)]
                process = subprocess.Popen(command, cwd=directory, env=env, stdout=out, stderr=out)
            running.append((server, name, port, process))
            wait_for(process, port, server, log)
        for _ in range(args.rounds):
            for connections in args.connections:
                for server, name, port, _ in running:
                    results.setdefault((server, connections), []).append(measure(args, name, port, connections))
    finally:
        for *_, process in running:
            process.terminate()
            process.wait()
        original.unlink(missing_ok=True)

    load = os.getloadavg()[1]
    print(f"medians of {args.rounds} rounds of {args.seconds:g} s, load average {load:.1f} on {os.cpu_count()} cores:")
    print(f"{'server':20} {'clients':>7} {'decisions/s':>12} {'p50 ms':>8} {'p99 ms':>8} {'answers':>9} {'faults':>7}")
    for (server, connections), rounds in results.items():
        middle = {key: statistics.median(told[key] for told in rounds)
                  for key in ["decisions_per_second", "p50_us", "p99_us"]}
        asked, faults = (sum(told[key] for told in rounds) for key in ["decisions", "faults"])
        print(f"{server:20} {connections:7} {middle['decisions_per_second']:12,.0f} {middle['p50_us'] / 1e3:8.3f} "
              f"{middle['p99_us'] / 1e3:8.3f} {asked:9,} {faults:7}")
    for (server, connections), rounds in results.items():
        p50 = ", ".join(f"{told['p50_us'] / 1e3:.3f}" for told in rounds)
        print(f"p50 of every round, {server}, {connections} at once: {p50} ms")
    one = statistics.median(told["p50_us"] for told in results[PLAY, args.connections[0]]) / 1e3
    print(f"a lone client of ours waits {one:.3f} ms; serve-api's p50 was once {BAR_MS} ms: "
          f"{'less' if one < BAR_MS else 'NOT LESS'}")


if __name__ == "__main__":
    main()
