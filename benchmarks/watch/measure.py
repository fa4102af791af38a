"""How `lanista watch` does with many runs: ingest, first screen, memory, ten tabs, and what it costs a training.

    cargo build --release -p lanista-cli
    python3 benchmarks/watch/measure.py --program target/release/lanista

300 runs, one of a million iterations with 3 GB of metrics, are made in a temporary directory and removed
afterwards. Chromium and chromedriver must be there (Debian: apt-get install chromium chromium-driver). Run it on a
quiet machine; it takes some minutes. The status is 1 where a bar is missed.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from driver import Browser
from made import make

TABS = 10
# Seconds after which a page that was opened is at rest.
SETTLE = 5


class Watch:
    """`lanista watch` over a directory, from its start to its end."""

    def __init__(self, program, place):
        self.began = time.monotonic()
        command = [program, "watch", str(place), "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[0]

    def ask(self, path):
        with urllib.request.urlopen(self.address + "api/" + path, timeout=300) as answer:
            return json.load(answer)

    def until_read(self, runs, steps):
        """Waits until all runs are there and the largest is read to its end; seconds since the start."""
        while True:
            all_runs = self.ask("runs")["runs"]
            if len(all_runs) >= runs and max(run["steps"] for run in all_runs) >= steps:
                return time.monotonic() - self.began
            time.sleep(0.05)

    def memory(self):
        """Megabytes now, and the most there ever were."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        of = {line.split(":")[0]: line for line in status.splitlines()}
        return [int(of[key].split()[1]) / 1000 for key in ("VmRSS", "VmHWM")]

    def processor(self):
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def close(self):
        self.process.terminate()
        self.process.wait(30)


class Bars:
    def __init__(self):
        self.missed = []

    def say(self, what, value, unit, bar=None, most=True):
        kept = bar is None or (value <= bar if most else value >= bar)
        against = "" if bar is None else f"   {'at most' if most else 'at least'} {bar:g}: {'kept' if kept else 'MISSED'}"
        print(f"{what:58} {value:10.2f} {unit:5}{against}", flush=True)
        if not kept:
            self.missed.append(what)


ROWS = "document.querySelectorAll('.runs tbody tr').length"
VALUE = "document.querySelector('.readline dd')?.textContent"
# When the expected thing is first there, by the browser's own clock: asking from outside costs time of its own.
WATCHED = """
const done = () => { %s };
const look = () => { if (done()) window.shownAt ??= performance.now(); else requestAnimationFrame(look); };
look();
"""


def first_screen(browser, url, expression):
    """Seconds from the beginning of a fresh load to the frame in which an expression is true."""
    browser.go("about:blank")
    browser.go(url)
    browser.run(WATCHED % f"return Boolean({expression})")
    return browser.until("window.shownAt ?? 0") / 1000


def scale(program, root, runs, lines, bars):
    began = time.monotonic()
    total = make(root, runs, lines)
    print(f"made {runs} runs, {total / 1e6:.0f} MB, in {time.monotonic() - began:.0f} s", flush=True)
    watch = Watch(program, root)
    try:
        seconds = watch.until_read(runs, 4096 * lines)
        bars.say("ingest, by the clock", total / 1e6 / seconds, "MB/s", 200, most=False)
        bars.say("ingest, by processor time", total / 1e6 / watch.processor(), "MB/s")
        bars.say("memory after ingest", watch.memory()[0], "MB", 300)
        browser = Browser()
        try:
            pages(browser, watch, runs, bars)
        finally:
            browser.close()
        now, most = watch.memory()
        bars.say("memory after all of it", now, "MB", 300)
        bars.say("the most memory there ever was", most, "MB", 300)
    finally:
        watch.close()


def pages(browser, watch, runs, bars):
    all_runs = watch.ask("runs")["runs"]
    largest = max(all_runs, key=lambda run: run["steps"])["id"]
    table = first_screen(browser, watch.address + "#/runs", f"{ROWS} >= {runs}")
    bars.say(f"first screen: the table of {runs} runs", table, "s", 1)
    bars.say("the largest run with its curves", first_screen(browser, f"{watch.address}#/run/{largest}", VALUE), "s", 1)
    some = ",".join(run["id"] for run in all_runs[:20])
    drawn = "document.querySelectorAll('.readout tbody tr').length >= 20"
    bars.say("twenty runs compared", first_screen(browser, f"{watch.address}#/compare?runs={some}", drawn), "s", 1)
    # Ten tabs of one browser: more than it opens connections to one server.
    handles = []
    began = time.monotonic()
    for i in range(TABS):
        handles.append(browser.tab())
        place = "#/runs" if i % 2 else f"#/run/{all_runs[i]['id']}"
        browser.go(watch.address + place)
    for i, handle in enumerate(handles):
        browser.turn(handle)
        browser.until(f"{ROWS} >= {runs}" if i % 2 else VALUE)
    bars.say(f"{TABS} tabs, until all have drawn", time.monotonic() - began, "s")
    bars.say("complaints in their consoles", len(browser.complaints()), "", 0)


def trained(program, root, name, seconds):
    """Trains for a while; steps a second by its own metrics, without the first fifth."""
    run = root / name
    command = [program, "train", "classic/cartpole-small", "--plain", "--set", f"run.dir={run}"]
    command += ["--set", f"stop.seconds={seconds}", "--steps", "1000000000", "--set", "evaluation.matches=1"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines = [json.loads(text) for text in open(run / "metrics.jsonl")]
    lines = [line for line in lines if "time" in line]
    first, last = lines[len(lines) // 5], lines[-1]
    return (last["steps"] - first["steps"]) / (last["time"]["seconds"] - first["time"]["seconds"])


def beside_page(program, root, name, seconds, watch):
    """The same with the page open; and the processor time of server and browser, as shares of a core."""
    browser = Browser()
    try:
        browser.go(watch.address + "#/runs")
        time.sleep(SETTLE)  # a browser that starts is no page that is open
        server, window, began = watch.processor(), browser.processor(), time.monotonic()
        speed = trained(program, root, name, seconds)
        passed = time.monotonic() - began
        return speed, (watch.processor() - server) / passed, (browser.processor() - window) / passed
    finally:
        browser.close()


def cost(program, root, rounds, seconds, bars):
    """The speed of a training with and without the page beside it, in turns, each first as often as second."""
    root.mkdir()
    watch = Watch(program, root)
    ratios, served, shown = [], [], []
    try:
        for i in range(rounds):
            alone = trained(program, root.parent, f"alone-{i}", seconds) if i % 2 == 0 else None
            beside, server, window = beside_page(program, root, f"beside-{i}", seconds, watch)
            alone = alone or trained(program, root.parent, f"alone-{i}", seconds)
            ratios.append(beside / alone)
            served.append(server)
            shown.append(window)
    finally:
        watch.close()
    print("rounds: " + ", ".join(f"{100 * ratio:.1f} %" for ratio in ratios))
    bars.say("speed of a training with the page open, of that without", 100 * statistics.median(ratios), "%", 98, most=False)
    bars.say("processor time of the server meanwhile, of a core", 100 * statistics.median(served), "%")
    bars.say("processor time of the browser meanwhile, of a core", 100 * statistics.median(shown), "%")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/lanista")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=6, help="of training with and without the page; 0 leaves it out")
    parser.add_argument("--seconds", type=float, default=20, help="of each training")
    parser.add_argument("--directory", help="where the runs are made; the system's temporary one if not said")
    arguments = parser.parse_args()
    program = shutil.which(arguments.program)
    if program is None or shutil.which("chromedriver") is None:
        sys.exit(f"{arguments.program} and chromedriver must be there")
    program, bars = str(Path(program).resolve()), Bars()
    with tempfile.TemporaryDirectory(dir=arguments.directory) as temporary:
        root = Path(temporary)
        if arguments.runs:
            scale(program, root / "runs", arguments.runs, arguments.lines, bars)
            shutil.rmtree(root / "runs")
        if arguments.rounds:
            cost(program, root / "beside", arguments.rounds, arguments.seconds, bars)
    if bars.missed:
        sys.exit("missed: " + "; ".join(bars.missed))


if __name__ == "__main__":
    main()
