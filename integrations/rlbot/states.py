"""The same packets through `rlgym_compat`: the state that we make of them is its state, field by field."""

import json
import math
import os
import random
import tempfile

import numpy as np
import RocketSim as rs
import rlbot_flatbuffers as flat
from rlgym_compat import GameState

from arena import Game, TICK
from core import Core, arguments

PROGRAM, MODEL, MESHES = arguments()
rs.init(MESHES)
PACKETS = int(os.environ.get("PACKETS", "12000"))
dice = random.Random(3)


def some_controls():
    axis = lambda: dice.choice([-1.0, 0.0, 1.0])
    return flat.ControllerState(
        dice.choice([1.0, 1.0, 1.0, -1.0]), axis(), axis(), axis(), axis(),
        dice.random() < 0.25, dice.random() < 0.5, dice.random() < 0.1,
    )


def stage(game):
    """Brings about what chance seldom does: a demolition, and a jump whose dodge comes too late."""
    bumper, victim, flyer = (game.cars[i] for i in (0, 2, 1))
    for car, y, speed in ((bumper, -900.0, 2300.0), (victim, 0.0, 0.0)):
        state = car.get_state()
        state.pos, state.vel = rs.Vec(1500.0, y, 17.0), rs.Vec(0.0, speed, 0.0)
        state.rot_mat, state.ang_vel = rs.Angle(math.pi / 2, 0, 0).as_rot_mat(), rs.Vec(0, 0, 0)
        state.is_supersonic, state.boost = speed > 2200.0, 100.0
        car.set_state(state)
    game.control(0, flat.ControllerState(throttle=1.0, boost=True))
    game.control(2, flat.ControllerState())
    state = flyer.get_state()
    state.pos, state.vel = rs.Vec(-1500.0, 0.0, 1200.0), rs.Vec(0.0, 0.0, 600.0)
    state.has_jumped, state.is_jumping, state.has_flipped, state.has_double_jumped = True, False, False, False
    state.is_on_ground, state.air_time_since_jump = False, 1.0
    flyer.set_state(state)
    game.control(1, flat.ControllerState())


trace = tempfile.mktemp(suffix=".jsonl")
core = Core(PROGRAM, MODEL, ["--trace", trace])
game = Game(2, 2)
theirs = None
counts = {}
worst = {}
exceptions = {"flip too late": 0}
seen = {"demolished": 0, "jumping": 0, "flipping": 0, "supersonic": 0, "pads taken": 0, "in the air": 0}
expected = []
try:
    core.handshake(game.field(), game.teams, [0])
    theirs = GameState.create_compat_game_state(game.field())
    game.kickoff(0)
    for number in range(PACKETS):
        if number % 3000 == 0:
            game.kickoff(number)
        if number % 1000 == 500:
            stage(game)
        # Staged things take their course for a second.
        for index in range(4 if (number - 500) % 1000 >= 120 else 0):
            if dice.random() < 0.12:
                game.control(index, some_controls())
        # Skips and repetitions.
        repeat = 0 if number % 500 else 1
        for _ in range(dice.choice([1, 1, 1, 1, 1, 1, 1, repeat, 2, 3])):
            game.tick()
        packet = flat.CorePacket(game.packet(flat.MatchPhase.Active)).pack()
        core.send_raw(packet)
        core.receive()
        # Theirs reads what was sent, not what it was made from.
        read = flat.CorePacket.unpack(packet).message
        theirs.update(read)
        cars = {}
        for player in read.players:
            car = theirs.cars[player.player_id]
            late = player.has_jumped and not car.is_jumping and player.dodge_timeout <= TICK
            cars[player.player_id] = {
                "pos": car.physics.position.tolist(),
                "vel": car.physics.linear_velocity.tolist(),
                "ang_vel": car.physics.angular_velocity.tolist(),
                "forward": car.physics.forward.tolist(),
                "right": car.physics.right.tolist(),
                "up": car.physics.up.tolist(),
                "boost": car.boost_amount,
                "respawn_secs": car.demo_respawn_timer,
                "team": car.team_num,
                "on_ground": car.on_ground,
                "has_jump": not car.has_jumped,
                "has_flip": car.on_ground or car.has_flip,
                "jumping": car.is_jumping,
                "flipping": car.is_flipping,
                "supersonic": car.is_supersonic,
                "demolished": car.is_demoed,
                "late": late,
            }
        expected.append({
            "frame": theirs.tick_count,
            "ball": [theirs.ball.position.tolist(), theirs.ball.linear_velocity.tolist(),
                     theirs.ball.angular_velocity.tolist()],
            "cars": cars,
            "pads": theirs.boost_pad_timers.tolist(),
            "active": [pad.is_active for pad in read.boost_pads],
            "order": theirs._boost_pad_order_mapping.tolist(),
        })
    report = core.disconnect()
finally:
    core.kill()

BIG = {3, 4, 15, 18, 29, 30}
lines = [json.loads(line) for line in open(trace)]
os.remove(trace)
assert len(lines) == len(expected) == PACKETS, (len(lines), len(expected))


def close(name, ours, reference, tolerance):
    error = float(np.max(np.abs(np.asarray(ours) - np.asarray(reference))))
    worst[name] = max(worst.get(name, 0.0), error)
    counts[name] = counts.get(name, 0) + 1
    assert error <= tolerance, (name, ours, reference)


for number, (ours, reference) in enumerate(zip(lines, expected)):
    assert ours["frame"] == reference["frame"], number
    for name, one in zip(("pos", "vel", "ang_vel"), reference["ball"]):
        close("ball " + name, ours["ball"][name], one, 1e-6)
    for index in range(4):
        a, b = ours["cars"][index], reference["cars"][index + 1]
        for name in ("pos", "vel", "ang_vel"):
            close(name, a["body"][name], b[name], 1e-6)
        for name in ("forward", "right", "up"):
            close(name, a[name], b[name], 1e-6)
        for name in ("boost", "respawn_secs"):
            close(name, a[name], b[name], 1e-6)
        for name in ("team", "on_ground", "has_jump", "jumping", "flipping", "supersonic", "demolished"):
            counts[name] = counts.get(name, 0) + 1
            assert a[name] == b[name], (number, index, name, a, b)
        counts["has_flip"] = counts.get("has_flip", 0) + 1
        if a["has_flip"] != b["has_flip"]:
            # The one difference: after its time is over, theirs still has the flip.
            assert b["late"] and not a["has_flip"], (number, index, a, b)
            exceptions["flip too late"] += 1
        for name in ("demolished", "jumping", "flipping", "supersonic"):
            seen[name] += a[name]
        seen["in the air"] += not a["on_ground"]
    for pad, active in zip(reference["order"], reference["active"]):
        full = 10.0 if pad in BIG else 4.0
        # Theirs counts up since the pad was taken, ours down to its return.
        close("pad_secs", ours["pad_secs"][pad], 0.0 if active else full - reference["pads"][pad], 1e-5)
        seen["pads taken"] += not active

assert all(seen.values()) and exceptions["flip too late"], (seen, exceptions)
print(f"{PACKETS} packets of 2v2, {sum(counts.values())} comparisons of {len(counts)} fields: equal")
print("largest differences: " + ", ".join(f"{name} {error:.1e}" for name, error in worst.items() if error))
print("came up: " + ", ".join(f"{name} {count}" for name, count in seen.items()))
print(f"has_flip differs {exceptions['flip too late']} times, each after a jump whose dodge is too late")
