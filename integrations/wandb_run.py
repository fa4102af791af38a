#!/usr/bin/env python3
"""Shows a run of Lanista in Weights & Biases: pip install wandb, then

    python integrations/wandb_run.py runs/classic-cartpole            a run as it is
    python integrations/wandb_run.py runs/classic-cartpole --follow   and as it goes on

It reads config.yml and metrics.jsonl of the run, and writes nothing there. A run that is resumed
goes on in the same place: its id follows from the path of its directory.
"""

import argparse
import hashlib
import json
import os
import time

import wandb
import yaml


def flat(record, prefix=""):
    """The numbers of a record under names with slashes; lists of [name, number] are maps."""
    numbers = {}
    if isinstance(record, list) and all(isinstance(e, list) and len(e) == 2 for e in record):
        record = dict(record)
    if not isinstance(record, dict):
        return numbers
    for key, value in record.items():
        name = f"{prefix}{key}"
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, (int, float)):
            numbers[name] = value
        else:
            numbers.update(flat(value, f"{name}/"))
    return numbers


def is_training(directory):
    """Does a process hold the run? Where that cannot be told, yes."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        with open(os.path.join(directory, "lock")) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def lines(path, follow):
    """The whole lines of a file, and those that are added for as long as `follow()` holds."""
    with open(path, encoding="utf-8") as file:
        rest = ""
        while True:
            # Asked first: what was written before the run ended is still read.
            more = follow()
            # A resumed run drops what came after its checkpoint and writes it again.
            if os.path.getsize(path) < file.tell():
                file.seek(0)
                rest = ""
            for line in file:
                rest += line
                if rest.endswith("\n"):
                    yield rest
                    rest = ""
            if not more:
                return
            time.sleep(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", help="the directory of the run")
    parser.add_argument("--project", default="lanista")
    parser.add_argument("--entity")
    parser.add_argument("--follow", action="store_true", help="until the run ends")
    options = parser.parse_args()

    directory = os.path.abspath(options.run)
    with open(os.path.join(directory, "config.yml"), encoding="utf-8") as file:
        config = yaml.safe_load(file)
    shown = wandb.init(
        project=options.project,
        entity=options.entity,
        name=os.path.basename(directory),
        id=hashlib.sha256(directory.encode()).hexdigest()[:16],
        resume="allow",
        config=config,
    )
    shown.define_metric("steps")
    shown.define_metric("*", step_metric="steps")
    follow = (lambda: is_training(directory)) if options.follow else (lambda: False)
    # A record is known by its iteration; what is written again after a resume is the same.
    last = (-1, False)
    for line in lines(os.path.join(directory, "metrics.jsonl"), follow):
        record = json.loads(line)
        place = (record["iteration"], "evaluation" in record)
        if place <= last:
            continue
        last = place
        shown.log(flat(record))
    shown.finish()


if __name__ == "__main__":
    main()
