#!/usr/bin/env python3
"""Draws one number of a run's metrics.jsonl as an SVG.

    curve.py RUN/metrics.jsonl stats.touches_per_minute "touches per minute" out.svg
    curve.py RUN/metrics.jsonl evaluation.results.won "won against rule" out.svg
"""
import json
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 300, 60, 40, 30, 20


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


def main(source, path, title, target):
    with open(source) as lines:
        records = [json.loads(line) for line in lines]
    points = [(r["steps"], value(r, path)) for r in records]
    points = [(x, y) for x, y in points if y is not None]
    if len(points) > 100:
        points = smooth(points, len(points) // 100)[:: len(points) // 100]
    right = max(x for x, _ in points)
    low = min(0, min(y for _, y in points))
    high = max(y for _, y in points) * 1.05 or 1

    def at(x, y):
        return (LEFT + (WIDTH - LEFT - RIGHT) * x / right,
                HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (y - low) / (high - low))

    line = " ".join("%.1f,%.1f" % at(x, y) for x, y in points)
    marks = []
    for i in range(5):
        y = low + (high - low) * i / 4
        marks.append('<text x="%d" y="%.1f" text-anchor="end">%.3g</text>' % (LEFT - 8, at(0, y)[1] + 4, y))
        marks.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>'
                     % (LEFT, WIDTH - RIGHT, at(0, y)[1], at(0, y)[1]))
        x = right * i / 4
        marks.append('<text x="%.1f" y="%d" text-anchor="middle">%.3gM</text>'
                     % (at(x, low)[0], HEIGHT - BOTTOM + 18, x / 1e6))
    svg = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" '
           'font-size="12"><rect width="100%%" height="100%%" fill="white"/>'
           '<text x="%d" y="18" font-size="14">%s</text>%s'
           '<polyline points="%s" fill="none" stroke="#1668a8" stroke-width="2"/>'
           '<text x="%d" y="%d" text-anchor="end">steps</text></svg>\n'
           % (WIDTH, HEIGHT, LEFT, title, "".join(marks), line, WIDTH - RIGHT, HEIGHT - 6))
    with open(target, "w") as out:
        out.write(svg)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
