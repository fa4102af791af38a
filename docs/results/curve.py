#!/usr/bin/env python3
"""Draws numbers of a run's metrics.jsonl as an SVG.

    curve.py RUN/metrics.jsonl stats.touches_per_minute "touches per minute" out.svg
    curve.py RUN/metrics.jsonl evaluation.results.won "won against rule" out.svg
    curve.py RUN/metrics.jsonl rock=evaluation.stats.rock,paper=evaluation.stats.paper \\
        "choices" out.svg --dashed 0.222,0.444 --high 1 --raw

Several numbers, with commas between, share the axes; `label=` names each. --dashed draws a level for
each of them, --high ends the axis there, --raw leaves out the smoothing of more than 100 points.
"""
import argparse
import json

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 300, 60, 40, 30, 20
COLOURS = ["#1668a8", "#c4521b", "#3c8c4a", "#7d4aa0", "#666666"]


def value(record, path):
    for key in path.split("."):
        if isinstance(record, list):  # stats of an evaluation: [[name, mean], ...]
            record = dict(record)
        if not isinstance(record, dict) or key not in record:
            return None
        record = record[key]
    return record


def smooth(points, window):
    out = []
    for i in range(len(points)):
        part = [y for _, y in points[max(0, i - window):i + window + 1]]
        out.append((points[i][0], sum(part) / len(part)))
    return out


def read(records, path, raw):
    points = [(r["steps"], value(r, path)) for r in records]
    points = [(x, y) for x, y in points if y is not None]
    if len(points) > 100 and not raw:
        points = smooth(points, len(points) // 100)[:: len(points) // 100]
    return points


def main(source, paths, title, target, dashed=(), high=None, raw=False):
    with open(source) as lines:
        records = [json.loads(line) for line in lines]
    names = [path.rpartition("=") for path in paths.split(",")]
    curves = [read(records, path, raw) for _, _, path in names]
    every = [point for points in curves for point in points]
    right = max(x for x, _ in every)
    low = min(0, min(y for _, y in every))
    high = high or max(y for _, y in every) * 1.05 or 1

    def at(x, y):
        return (LEFT + (WIDTH - LEFT - RIGHT) * x / right,
                HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (y - low) / (high - low))

    marks = []
    for i in range(5):
        y = low + (high - low) * i / 4
        marks.append('<text x="%d" y="%.1f" text-anchor="end">%.3g</text>' % (LEFT - 8, at(0, y)[1] + 4, y))
        marks.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>'
                     % (LEFT, WIDTH - RIGHT, at(0, y)[1], at(0, y)[1]))
        x = right * i / 4
        marks.append('<text x="%.1f" y="%d" text-anchor="middle">%.3gM</text>'
                     % (at(x, low)[0], HEIGHT - BOTTOM + 18, x / 1e6))
    for level, colour in zip(dashed, COLOURS):
        marks.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="%s" stroke-dasharray="5 4"/>'
                     % (LEFT, WIDTH - RIGHT, at(0, level)[1], at(0, level)[1], colour))
    for i, ((label, _, _), colour) in enumerate(zip(names, COLOURS)):
        if label:
            marks.append('<text x="%d" y="18" text-anchor="end" fill="%s">%s</text>'
                         % (WIDTH - RIGHT - 70 * (len(names) - 1 - i), colour, label))
    lines = "".join('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>'
                    % (" ".join("%.1f,%.1f" % at(x, y) for x, y in points), colour)
                    for points, colour in zip(curves, COLOURS))
    svg = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" '
           'font-size="12"><rect width="100%%" height="100%%" fill="white"/>'
           '<text x="%d" y="18" font-size="14">%s</text>%s%s'
           '<text x="%d" y="%d" text-anchor="end">steps</text></svg>\n'
           % (WIDTH, HEIGHT, LEFT, title, "".join(marks), lines, WIDTH - RIGHT, HEIGHT - 6))
    with open(target, "w") as out:
        out.write(svg)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ["source", "paths", "title", "target"]:
        parser.add_argument(name)
    parser.add_argument("--dashed", type=lambda s: [float(y) for y in s.split(",")], default=[])
    parser.add_argument("--high", type=float)
    parser.add_argument("--raw", action="store_true")
    main(**vars(parser.parse_args()))
