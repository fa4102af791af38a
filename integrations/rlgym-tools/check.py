"""Holds what we recover from replays against what rlgym-tools recovers, file by file.

    check.py FILE.replay…      LANISTA=path/to/lanista, PYTHON=python3.11

Makes a virtual environment beside this file (`venv`) if there is none, lets rlgym-tools and
`lanista rocket replay --frames` read every file, and prints a table. Frames are matched by their number in the
replay and players by their name; frames in which either has no car are left out.
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
NEEDS = ["rlgym-tools==2.6.5", "rlgym-rocket-league==2.0.1", "numpy==1.26.4", "pandas<3", "pyarrow<19", "numba"]


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
    keys = [key for key, line in theirs.items() if key in ours and not line["demolished"]]
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
        "missing": len(theirs) - len(keys),
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


def main():
    python, rows = environment(), table()
    failed = False
    for path in sys.argv[1:]:
        name = pathlib.Path(path).name
        with tempfile.TemporaryDirectory() as scratch:
            mine, other = pathlib.Path(scratch, "ours"), pathlib.Path(scratch, "theirs")
            done = subprocess.run(
                [LANISTA, "rocket", "replay", path, "--json", "--frames", mine], capture_output=True, text=True
            )
            summary = json.loads(done.stdout.splitlines()[0])
            if summary["refused"]:
                print(f"{name}\n  refused: {summary['refused']}")
                continue
            assert done.returncode == 0, done.stderr
            read = subprocess.run([python, HERE / "oracle.py", path, other], capture_output=True, text=True)
            if read.returncode != 0:
                print(f"{name}\n  rlgym-tools fails: {read.stderr.strip().splitlines()[-1]}")
                continue
            found = compare(lines(other), lines(mine), rows)
        found["decision uu"] = summary["position_error_p50"]
        print(name)
        print("  " + "  ".join(f"{key} {value:.2f}" if isinstance(value, float) else f"{key} {value}" for key, value in found.items()))
        bars = [
            min(found["jump"], found["boost"], found["handbrake"]) >= 99,
            min(found["throttle"], found["steer"]) >= 99,
            found["row"] >= 85,
            found["decision uu"] < found["theirs uu"],
        ]
        words = ["buttons", "throttle and steer", "rows", "error"]
        missed = [word for word, bar in zip(words, bars) if not bar]
        print("  " + (f"missed: {', '.join(missed)}" if missed else "all bars met"))
        failed |= bool(missed)
    sys.exit(failed)


if __name__ == "__main__":
    main()
