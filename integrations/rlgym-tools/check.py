"""Holds what we recover from replays against what rlgym-tools recovers, file by file.

    check.py FILE.replay…      LANISTA=path/to/lanista, PYTHON=python3.11

Makes a virtual environment beside this file (`venv`) if there is none, lets rlgym-tools and
`lanista rocket replay --frames` read every file, and prints a table. Frames are matched by their number in the
replay and players by their name; frames in which a car is demolished are left out.

Ends with 0 if every file was compared and meets all bars, or is of another mode, which we refuse by its name; with 1
if any misses a bar, is refused for another reason, or cannot be read by either; with 2 without files.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LANISTA = os.environ.get("LANISTA", "lanista")
# The most frames, in percent of those of rlgym-tools with a car, that we may not have.
MISSING = 1
NEEDS = ["rlgym-tools==2.6.5", "rlgym-rocket-league==2.0.1", "numpy==1.26.4", "pandas<3", "pyarrow<19", "numba"]


class Unread(Exception):
    """A file that could not be compared."""


def environment():
    python = HERE / "venv/bin/python"
    if not python.exists():
        subprocess.run([os.environ.get("PYTHON", "python3.11"), "-m", "venv", HERE / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *NEEDS], check=True)
    return python


def lines(path):
    with open(path, encoding="utf8") as file:
        return {(line["frame"], line["player"]): line for line in map(json.loads, file)}


def table():
    """The rows as their eight controls, in RLGym's order."""
    rows = []
    for throttle in (-1, 0, 1):
        for steer in (-1, 0, 1):
            for boost in (0, 1):
                for slide in (0, 1):
                    if boost == 0 or throttle == 1:
                        rows.append((throttle or boost, steer, 0, steer, 0, 0, boost, slide))
    for pitch in (-1, 0, 1):
        for yaw in (-1, 0, 1):
            for roll in (-1, 0, 1):
                for jump in (0, 1):
                    for boost in (0, 1):
                        if (jump and yaw) or (pitch == roll == jump == 0):
                            continue
                        slide = int(jump and (pitch or yaw or roll) != 0)
                        rows.append((boost, yaw, pitch, yaw, roll, jump, boost, slide))
    assert len(rows) == 90
    return rows


def alike(one, other):
    """Do two rows do the same to a car on its wheels? Pitch, yaw and roll turn it in the air alone."""
    keep = (0, 1, 5, 6, 7)
    return all(one[at] == other[at] for at in keep)


def compare(theirs, ours, rows):
    driven = [key for key, line in theirs.items() if not line["demolished"]]
    keys = [key for key in driven if key in ours]
    if not keys:
        raise Unread("they have no frame in common")
    share = lambda test, of=keys: 100 * sum(map(test, of)) / max(len(of), 1)
    control = lambda key, at: (theirs[key]["controls"][at], ours[key]["controls"][at])
    button = lambda at: share(lambda key: round(control(key, at)[0]) == round(control(key, at)[1]))
    axis = lambda at: share(lambda key: abs(control(key, at)[0] - control(key, at)[1]) <= 0.05)
    same = lambda key: ours[key]["row"] in theirs[key]["rows"]

    def effect(key):
        mine = rows[ours[key]["row"]]
        stands = theirs[key]["on_ground"] and mine[5] == 0
        return same(key) or stands and any(alike(rows[row], mine) for row in theirs[key]["rows"])

    ground = [key for key in keys if theirs[key]["on_ground"]]
    air = [key for key in keys if not theirs[key]["on_ground"]]
    errors = [line["error_uu"] for line in theirs.values() if line["error_uu"] is not None]
    return {
        "frames": len(keys),
        "missing": 100 * (len(driven) - len(keys)) / len(driven),
        "jump": button(5),
        "boost": button(6),
        "handbrake": button(7),
        "throttle": axis(0),
        "steer": axis(1),
        "row": share(same),
        "row, effect": share(effect),
        "ground": share(same, ground),
        "air": share(same, air),
        "theirs uu": statistics.median(errors) if errors else float("nan"),
        "frame uu": statistics.median(ours[key]["miss_uu"] for key in keys),
    }


def last_line(text):
    return (text.strip().splitlines() or ["it says nothing"])[-1]


def summary_of(path, frames):
    """What we say about a file: with a reason if we refuse it."""
    done = subprocess.run(
        [LANISTA, "rocket", "replay", path, "--json", "--frames", frames], capture_output=True, text=True
    )
    try:
        summary = json.loads(done.stdout.splitlines()[0])
        refused = summary["refused"]
    except (IndexError, KeyError, ValueError):
        raise Unread(f"lanista fails: {last_line(done.stderr)}") from None
    if not refused and done.returncode != 0:
        raise Unread(f"lanista fails: {last_line(done.stderr)}")
    return summary


def missed(found):
    """The bars that a comparison misses."""
    bars = {
        "buttons": min(found["jump"], found["boost"], found["handbrake"]) >= 99,
        "throttle and steer": min(found["throttle"], found["steer"]) >= 99,
        "rows": found["row"] >= 85,
        "error": found["decision uu"] < found["theirs uu"],
        "missing": found["missing"] <= MISSING,
    }
    return [word for word, met in bars.items() if not met]


def check(path, python, rows):
    """Compares one file and says whether it is as it should be."""
    with tempfile.TemporaryDirectory() as scratch:
        mine, other = pathlib.Path(scratch, "ours"), pathlib.Path(scratch, "theirs")
        summary = summary_of(path, mine)
        if summary["refused"]:
            print(f"  refused: {summary['refused']}")
            return summary["reason"] == "mode"
        read = subprocess.run([python, HERE / "oracle.py", path, other], capture_output=True, text=True)
        if read.returncode != 0:
            raise Unread(f"rlgym-tools fails: {last_line(read.stderr)}")
        found = compare(lines(other), lines(mine), rows)
    found["decision uu"] = summary["position_error_p50"]
    print("  " + "  ".join(f"{key} {value:.2f}" if isinstance(value, float) else f"{key} {value}" for key, value in found.items()))
    under = missed(found)
    print("  " + (f"missed: {', '.join(under)}" if under else "all bars met"))
    return not under


def main():
    if not sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    python, rows = environment(), table()
    failed = False
    for path in sys.argv[1:]:
        print(pathlib.Path(path).name)
        try:
            failed |= not check(path, python, rows)
        except Unread as why:
            print(f"  {why}")
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
