"""The conversation: every order of the handshake, 1,000 packets with skips, repeats and a stall, ping, end."""

import itertools
import json
import os
import random
import signal
import tempfile
import time

import RocketSim as rs
import rlbot_flatbuffers as flat

from arena import Game
from core import Core, HANDSHAKE, arguments, now_us, percentile

PROGRAM, MODEL, MESHES = arguments()
rs.init(MESHES)

for order in itertools.permutations(HANDSHAKE):
    core = Core(PROGRAM, MODEL)
    try:
        game = Game(1, 1)
        core.handshake(game.field(), game.teams, [1], order, team=1)
        game.kickoff(0)
        core.send(game.packet(flat.MatchPhase.Kickoff))
        answer = core.receive()
        assert isinstance(answer, flat.PlayerInput) and answer.player_index == 1, answer
        report = core.disconnect()
        assert report["decisions"] == 1, report
    finally:
        core.kill()
print("handshake: all 6 orders, first input for the right car, clean exit")

trace = tempfile.mktemp(suffix=".jsonl")
core = Core(PROGRAM, MODEL, ["--trace", trace])
try:
    dice = random.Random(7)
    game = Game(2, 1)
    core.handshake(game.field(), game.teams, [0, 1])
    game.kickoff(1)
    sent, latencies, answered = [], [], 0

    def answer():
        controls = [core.receive() for _ in range(2)]
        assert [c.player_index for c in controls] == [0, 1], controls
        return controls

    core.send(flat.PingRequest(0x0123_4567_89AB_CDEF))
    pong = core.receive()
    assert isinstance(pong, flat.PingResponse) and pong.cookie == 0x0123_4567_89AB_CDEF, pong
    for number in range(1000):
        ticks = dice.choice([1, 1, 1, 1, 1, 1, 0, 2, 3, 5])
        for _ in range(ticks):
            game.tick()
        phase = flat.MatchPhase.Countdown if number < 20 else flat.MatchPhase.Active
        sent.append(game.frame)
        if 500 <= number < 560:
            # The bot does not run while 60 packets come.
            if number == 500:
                os.kill(core.bot.pid, signal.SIGSTOP)
                time.sleep(0.05)
            core.send(game.packet(phase))
            if number == 559:
                time.sleep(0.05)
                os.kill(core.bot.pid, signal.SIGCONT)
                controls = answer()
                answered += 1
                # At most what the stopped process had already taken from the system comes before.
                while core.waiting(0.3):
                    answer()
                    answered += 1
            continue
        packet = flat.CorePacket(game.packet(phase)).pack()
        begun = now_us()
        core.send_raw(packet)
        controls = answer()
        latencies.append(now_us() - begun)
        answered += 1
        for index, one in enumerate(controls):
            game.control(index, one.controller_state)
            if phase == flat.MatchPhase.Countdown:
                assert str(one.controller_state) == str(flat.ControllerState()), one
    report = core.disconnect()
finally:
    core.kill()

lines = [json.loads(line) for line in open(trace)]
os.remove(trace)
frames = [line["frame"] for line in lines]
assert frames == sorted(frames), "a packet was answered after a newer one"
assert len(lines) == answered == report["packets"], (len(lines), answered, report)
assert report["packets"] + report["stale"] == 1000, report
assert report["stale"] >= 58, report
assert report["inputs"] == 2 * answered, report
assert report["repeated"] > 50, report
decided = [line["frame"] for line in lines if line["decided"]]
gaps = [b - a for a, b in zip(decided, decided[1:])]
assert min(gaps) >= 8, min(gaps)
assert all(line["decided"] == False for line in lines if line["phase"] == "countdown")
print(f"1,000 packets: {answered} answered, {report['stale']} overtaken in the stall, "
      f"{report['repeated']} repetitions, {report['decisions']} decisions at least {min(gaps)} ticks apart")
# Before the stall, every packet was answered in turn.
thought = [latency for latency, line in zip(latencies[:500], lines) if line["decided"]]
print(f"from packet to input, 2 cars, seen from the core: p50 {percentile(latencies, 0.5):.0f} µs, "
      f"p99 {percentile(latencies, 0.99):.0f} µs; where a decision was due p50 {percentile(thought, 0.5):.0f} µs")
