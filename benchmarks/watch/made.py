"""Runs of made-up numbers, as a training writes them: one large one and many small ones."""

import json
import math

TERMS = 77


def wave(run, i, k):
    return math.sin((i * (k + 3) + 31 * run) / 7919.0) + 1.0 / (i + k + 1)


def line(run, i, terms):
    """A line: keys in order, numbers of 16 digits. `terms` is the part in braces, made before."""
    head = (
        f'{{"approx_kl":{wave(run, i, 1)!r},"clip_fraction":{wave(run, i, 2)!r},"dropped_updates":0,'
        f'"elo":{1500 + 40 * wave(run, i, 3)!r},"entropy":{wave(run, i, 4)!r},"episodes":{8 * i},"exploiters":[],'
        f'"explained_variance":{wave(run, i, 5)!r},"iteration":{i + 1},"opponents":{{}},'
        f'"return_mean":{wave(run, i, 6)!r},"stage":null,"stats":{{}},"steps":{4096 * (i + 1)},"terms":'
    )
    tail = (
        f',"time":{{"rollout_seconds":0.25,"seconds":{0.5 * (i + 1)!r},'
        f'"steps_per_second":{8000 + 99 * wave(run, i, 8)!r}}},"transition":null}}\n'
    )
    return head + terms + tail


def terms_of(run, i):
    all_of = {f"term_{k:02}_of_some": wave(run, i, 10 + k) for k in range(TERMS)}
    return json.dumps(all_of, separators=(",", ":"))


def make(root, runs, lines, few=300):
    """`runs` runs, the first of `lines` lines, the others of about `few`. Returns the bytes of all metrics."""
    total = 0
    for run in range(runs):
        directory = root / f"made-{run + 1}"
        directory.mkdir(parents=True)
        steps = 4096 * lines
        (directory / "config.yml").write_text(
            f"game: made\nrun: {{ seed: {run} }}\nppo: {{ epochs: {1 + run % 5} }}\nstop: {{ steps: {steps} }}\n"
        )
        count = lines if run == 0 else few // 2 + run * 7 % few
        # What makes a line long is made a thousand times and used again: a million would take an hour.
        kept = [terms_of(run, i) for i in range(min(count, 1000 if run == 0 else 40))]
        with open(directory / "metrics.jsonl", "w", encoding="ascii", buffering=1 << 20) as file:
            for i in range(count):
                total += file.write(line(run, i, kept[i * 617 % len(kept)]))
    return total
