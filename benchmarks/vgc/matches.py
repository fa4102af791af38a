"""Lets `lanista play vgc` meet poke-env's players on a local server, and prints one table.

    ./run.sh matches --install DIR --teams FILE [--bot heuristic] [--peers simple,max_power,random]
                     [--battles 300] [--format gen9vgc2024regg]

Both sides draw their teams from the same list, a team for each battle. It fails when a choice of ours is
rejected, when our time runs out, or when SimpleHeuristicsPlayer wins more than half of the battles.
"""

import argparse
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import time

from server import Server, ServerFailed

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def lanista(arguments):
    if arguments.lanista:
        return pathlib.Path(arguments.lanista).resolve()
    built = subprocess.run(
        ["cargo", "build", "--release", "-p", "lanista-cli", "--message-format", "json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("target", {}).get("name") == "lanista" and message.get("executable"):
            return pathlib.Path(message["executable"])
    raise SystemExit("error: cargo built no lanista")


def interval(won, battles):
    """The 95 % interval of a share, by Wilson."""
    if battles == 0:
        return 0.0, 1.0
    z, p = 1.96, won / battles
    middle = (p + z * z / (2 * battles)) / (1 + z * z / battles)
    half = z * math.sqrt(p * (1 - p) / battles + z * z / (4 * battles * battles))
    half /= 1 + z * z / battles
    return middle - half, middle + half


def stop(process):
    """Ends a process that this program began."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def await_login(player, log):
    """Waits until our player is on the server: a challenge to somebody who is not there is lost."""
    for _ in range(600):
        if player.poll() is not None:
            raise SystemExit(f"error: our player ended at once; its words are in {log}")
        if "logged in" in log.read_text():
            return
        time.sleep(0.1)
    raise SystemExit(f"error: our player did not log in within a minute; its words are in {log}")


def meet(arguments, program, server, peer, number):
    """Our player accepts, theirs challenges; both reports."""
    keep = pathlib.Path(arguments.work) / "battles" / peer
    command = [
        program, "play", "vgc", arguments.player, "--server", server.address,
        "--name", f"lanista {number}", "--format", arguments.format, "--team", arguments.teams,
        "--accept", "--battles", str(arguments.battles), "--at-once", str(arguments.at_once),
        "--seed", str(arguments.seed), "--keep", keep, "--json",
    ]  # fmt: skip
    log = open(pathlib.Path(arguments.work) / f"lanista-{peer}.log", "w")
    before = os.times()
    ours = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    theirs = None
    try:
        await_login(ours, pathlib.Path(log.name))
        theirs = subprocess.Popen(
            [
                sys.executable, HERE / "players.py", "meet", peer, "--url", server.url,
                "--opponent", f"lanista {number}", "--name", f"poke env {number}",
                "--format", arguments.format, "--teams", arguments.teams,
                "--battles", str(arguments.battles), "--at-once", str(arguments.at_once),
                "--seed", str(arguments.seed + 1), "--seconds", str(arguments.seconds),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        told, _ = theirs.communicate(timeout=arguments.seconds + 60)
        summary, _ = ours.communicate(timeout=60)
    finally:
        stop(ours)
        if theirs is not None:
            stop(theirs)
        log.close()
    if theirs.returncode != 0 or not told.strip():
        raise SystemExit(f"error: poke-env's {peer} ended with {theirs.returncode}")
    if not summary.strip():
        raise SystemExit(f"error: our player said nothing; its words are in {log.name}")
    after = os.times()
    theirs = json.loads(told)
    ours = json.loads(summary.strip().splitlines()[-1])
    total = (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )
    # Both children are in the total, and poke-env says what it used while it played.
    ours["cpu_seconds"] = max(0.0, total - theirs["cpu_seconds"])
    return ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", required=True, help="a lean install of pokemon-showdown")
    parser.add_argument("--teams", required=True, help="packed teams of the format, a line each")
    parser.add_argument("--format", default="gen9vgc2024regg")
    parser.add_argument("--player", default="bot:heuristic", help="bot:NAME, a run or a model.zip")
    parser.add_argument("--peers", default="simple,max_power,random")
    parser.add_argument("--battles", type=int, default=300)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lanista", help="the program [default: built from this tree]")
    parser.add_argument("--work", default=str(HERE / ".work"))
    parser.add_argument("--seconds", type=float, default=3000, help="the longest that a pairing may take")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    arguments.teams = str(pathlib.Path(arguments.teams).resolve())
    pathlib.Path(arguments.work).mkdir(parents=True, exist_ok=True)
    # Being told to end is leaving the `with`.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    program = lanista(arguments)
    results = {}
    try:
        with Server(arguments.install, arguments.work) as server:
            for number, peer in enumerate(arguments.peers.split(",")):
                results[peer] = meet(arguments, program, server, peer, number)
                if not arguments.json:
                    line(peer, *results[peer])
    except ServerFailed as problem:
        sys.exit(f"error: {problem}")
    if arguments.json:
        print(json.dumps({peer: {"ours": a, "theirs": b} for peer, (a, b) in results.items()}))
    sys.exit("\n".join(problems(results)) or 0)


def line(peer, ours, theirs):
    won, battles = ours["won"], ours["battles"]
    low, high = interval(won, battles)
    share = won / battles if battles else 0
    print(
        f"{peer:10} {won:4} of {battles} won, {share:.1%} ({low:.1%} to {high:.1%}); "
        f"{ours['decisions']} decisions, rejected {ours['rejected']}, "
        f"unavailable {ours['unavailable']}, out of time {ours['timed_out']}; "
        f"theirs rejected {theirs['refused']}",
        flush=True,
    )


def problems(results):
    for peer, (ours, _) in results.items():
        if ours["rejected"]:
            yield f"{peer}: {ours['rejected']} choices were rejected: {ours['rejections'][:3]}"
        if ours["timed_out"]:
            yield f"{peer}: {ours['timed_out']} battles were lost to the timer"
        if peer == "simple" and 2 * ours["won"] < ours["battles"]:
            yield f"{peer}: {ours['won']} of {ours['battles']} won, fewer than half"


if __name__ == "__main__":
    main()
