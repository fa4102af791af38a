"""The bot plays C++ RocketSim through RLBot's protocol: as well as `lanista eval` says?"""

import json
import math
import os
import statistics
import subprocess
import sys
import time

import RocketSim as rs
import rlbot_flatbuffers as flat

from arena import Game, TICK
from core import Core, arguments

PROGRAM, MODEL, MESHES = arguments()
MATCHES = int(os.environ.get("MATCHES", "600"))
BATCHES = 10
# Ticks from a decision to its effect, of which the game itself takes one and the bot waits for the rest.
DELAY = int(os.environ.get("DELAY", "1"))
GAME_DELAY = min(DELAY, 1)
# How the model's matches end; run.sh trains it so.
LIMIT_SECS, NO_TOUCH_SECS = 20.0, 10.0
rs.init(MESHES)


def live():
    """Touches, goals, conceded and seconds of every match."""
    arguments = ["--sampled", "--seed", "11", "--game-delay", str(GAME_DELAY)]
    core = Core(PROGRAM, MODEL, arguments + ["--set", f"settings.action_delay={DELAY}"])
    results = []
    try:
        game = Game(1, 0)
        core.handshake(game.field(), game.teams, [0])
        neutral = flat.ControllerState()
        for match in range(MATCHES):
            game.kickoff(match)
            for _ in range(3):
                game.frame += 1
                core.send(game.packet(flat.MatchPhase.Countdown))
                core.receive()
            on_the_way = [neutral] * GAME_DELAY
            touches, ticks, quiet = 0, 0, 0
            while True:
                core.send(game.packet(flat.MatchPhase.Active))
                on_the_way.append(core.receive().controller_state)
                game.control(0, on_the_way.pop(0))
                began = game.tick()
                ticks += 1
                touches += len(began)
                quiet = 0 if game.touched else quiet + 1
                # A match is looked at where a decision is due, as the simulator does.
                due = ticks % 8 == 0
                if game.scored is not None or due and (
                    quiet * TICK >= NO_TOUCH_SECS or ticks * TICK >= LIMIT_SECS
                ):
                    break
            goals = [0, 0]
            if game.scored is not None:
                goals[game.scored] += 1
                game.goals[game.scored] += 1
            results.append((touches, goals[0], goals[1], ticks * TICK))
        return results, core.disconnect()
    finally:
        core.kill()


def rate(results, column):
    """Events a minute with its standard error, matches being independent (ratio estimator)."""
    minutes = [result[3] / 60 for result in results]
    events = [result[column] for result in results]
    total = sum(minutes)
    mean = sum(events) / total
    spread = sum((e - mean * m) ** 2 for e, m in zip(events, minutes))
    count = len(results)
    return mean, math.sqrt(spread * count / (count - 1)) / total


def simulated():
    """The same of `lanista eval`: rates of BATCHES evaluations, and the standard error of their mean."""
    rates = []
    for batch in range(BATCHES):
        command = [
            PROGRAM, "eval", MODEL, "--sampled", "--matches", str(MATCHES // BATCHES), "--threads", "1",
            "--seed", str(100 + batch), "--json",
            "--set", f"settings.action_delay={DELAY}", "--set", f"settings.collision_meshes={MESHES}",
            "--set", "settings.start.random=0",
        ]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        stats = dict(json.loads(out)["stats"])
        minutes = stats["match_secs"] / 60
        rates.append([stats[name] / minutes for name in ("touches", "goals", "opponent_goals")])
    columns = list(zip(*rates))
    return [(statistics.mean(c), statistics.stdev(c) / math.sqrt(BATCHES)) for c in columns]


ours = simulated()
began = time.time()
results, bot = live()
print(f"{MATCHES} matches each from a kickoff, actions {DELAY} ticks late; live "
      f"{bot['packets']} packets, {bot['decisions']} decisions in {time.time() - began:.0f} s")
print(f"{'a minute':<12}{'eval':>16}{'live':>16}{'apart':>10}")
fine = True
for column, name in enumerate(("touches", "goals", "own goals")):
    (a, a_error), (b, b_error) = ours[column], rate(results, column)
    error = math.hypot(a_error, b_error)
    apart = abs(a - b) / error if error else 0.0
    fine &= apart < 3
    print(f"{name:<12}{a:>9.2f} ± {a_error:<4.2f}{b:>9.2f} ± {b_error:<4.2f}{apart:>7.1f} σ")
sys.exit(0 if fine else "eval and live play differ by more than sampling explains")
