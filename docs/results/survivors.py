#!/usr/bin/env python3
"""Prints the tables of survivors.md from trained runs.

    survivors.py team RUN [MESH.nav ...]
    survivors.py personalities RUN RUN RUN RUN RUN
    survivors.py director RUN ...
    survivors.py infected RUN ...
    survivors.py versus RUN

`lanista` is taken from the path, or from the variable LANISTA.
"""
import json
import os
import subprocess
import sys

LANISTA = os.environ.get("LANISTA", "lanista")


def play(run, matches, *arguments):
    """The mean of every stat over so many matches."""
    command = [LANISTA, "eval", run, "--matches", str(matches), "--json", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout)["stats"])


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def heads(*names):
    row(*names)
    print("|" + "---|" * len(names))


def percent(value):
    return f"{100 * value:.1f} %"


def team(run, *meshes):
    heads("map", "difficulty", "played by", "reached", "arrived of four", "dead of four", "seconds")
    bots = ("learnt", []), ("`follower`", ["--role", "survivor=bot:follower"])
    for name in ("apartment", "street", *meshes):
        for difficulty in ("normal", "expert"):
            for who, role in bots:
                sets = [f"settings.map={name}", f"settings.difficulty={difficulty}"]
                stats = play(run, 500, *role, *(part for s in sets for part in ("--set", s)))
                name_of = os.path.basename(name).removesuffix(".nav")
                row(f"`{name_of}`", difficulty, who, percent(stats["reached"]),
                    f"{4 * stats['safe']:.2f}", f"{4 * stats['dead']:.2f}", f"{stats['secs']:.0f}")


def personalities(*runs):
    heads("personality", "kills", "damage", "healed", "seconds", "apart", "alive", "reached")
    for run in runs:
        stats = play(run, 300)
        name = os.path.basename(run.rstrip("/")).split("-")[0]
        row(f"`{name}`", f"{stats['kills']:.2f}", f"{stats['damage']:.0f}", f"{stats['healed']:.2f}",
            f"{stats['secs']:.1f}", f"{stats['apart']:.0f}", percent(1 - stats["dead"]), percent(stats["reached"]))


def director(*runs):
    heads("run", "map", "stress error", "of the rules", "beside them", "reached", "by the rules")
    for run in runs:
        for name in ("apartment", "street"):
            where = ["--set", f"settings.map={name}"]
            learnt = play(run, 200, *where)
            rules = play(run, 200, *where, "--role", "director=bot:rule")
            ratio = learnt["stress_error"] / rules["stress_error"]
            row(os.path.basename(run.rstrip("/")), f"`{name}`", f"{learnt['stress_error']:.4f}",
                f"{rules['stress_error']:.4f}", percent(ratio), percent(learnt["reached"]), percent(rules["reached"]))


def infected(*runs):
    heads("run", "infected", "downs of four", "dead of four", "reached")
    for run in runs:
        for who, role in ("learnt", []), ("`hunter_like`", ["--role", "infected=bot:hunter_like"]):
            stats = play(run, 500, *role)
            row(os.path.basename(run.rstrip("/")), who, f"{4 * stats['incapacitated']:.2f}",
                f"{4 * stats['dead']:.2f}", percent(stats["reached"]))


def versus(run):
    heads("survivors", "infected", "incapacitated of four", "dead of four", "reached", "hurt")
    for survivors in ("learnt", "bot:follower"):
        for infected in ("learnt", "bot:hunter_like", "bot:random"):
            roles = [("survivor", survivors), ("infected", infected)]
            arguments = [part for role, who in roles if who != "learnt" for part in ("--role", f"{role}={who}")]
            stats = play(run, 500, "--sampled", *arguments)
            row(f"`{survivors}`", f"`{infected}`", f"{4 * stats['incapacitated']:.2f}", f"{4 * stats['dead']:.2f}",
                percent(stats["reached"]), f"{4 * stats['hurt']:.0f}")


if __name__ == "__main__":
    tables = {"team": team, "personalities": personalities, "director": director, "infected": infected,
              "versus": versus}
    if len(sys.argv) < 3 or sys.argv[1] not in tables:
        sys.exit(__doc__)
    tables[sys.argv[1]](*sys.argv[2:])
