"""C++ RocketSim as the game: packets of its state, as RLBot's schema tells them."""

import math
import random

import RocketSim as rs
import rlbot_flatbuffers as flat

TICK = 1 / 120
DODGE_SECS = 1.25
# Of blue: x, y and yaw.
KICKOFF_SPOTS = [
    (-2048.0, -2560.0, math.pi / 4),
    (2048.0, -2560.0, 3 * math.pi / 4),
    (-256.0, -3840.0, math.pi / 2),
    (256.0, -3840.0, math.pi / 2),
    (0.0, -4608.0, math.pi / 2),
]
HITBOX = flat.BoxShape(118.00738, 84.19941, 36.159073)


def vector(v):
    return flat.Vector3(v.x, v.y, v.z)


def rotator(axes):
    """Pitch, yaw and roll of a rotation matrix; near the vertical, yaw and roll are only known together."""
    forward, right = axes.forward, axes.right
    pitch = math.atan2(forward.z, math.hypot(forward.x, forward.y))
    yaw = math.atan2(forward.y, forward.x)
    sp, cp, sy, cy = math.sin(pitch), math.cos(pitch), math.sin(yaw), math.cos(yaw)
    # What right and up would be without a roll.
    level = -sy * right.x + cy * right.y
    upright = -cy * sp * right.x - sy * sp * right.y + cp * right.z
    return flat.Rotator(pitch, yaw, math.atan2(-upright, level))


def physics(body, rotation=True):
    turned = rotator(body.rot_mat) if rotation else flat.Rotator()
    return flat.Physics(vector(body.pos), turned, vector(body.vel), vector(body.ang_vel))


class Game:
    """An arena with cars of both teams, and its packets."""

    def __init__(self, blue, orange):
        self.arena = rs.Arena(rs.GameMode.SOCCAR)
        self.cars = [self.arena.add_car(rs.Team.BLUE) for _ in range(blue)]
        self.cars += [self.arena.add_car(rs.Team.ORANGE) for _ in range(orange)]
        self.teams = [0] * blue + [1] * orange
        self.goals = [0, 0]
        self.touching = set()
        self.touched = set()
        self.touched_secs = {}
        self.frame = 1000
        self.arena.set_ball_touch_callback(self._touch)
        self.arena.set_goal_score_callback(self._goal)
        self.scored = None
        # RLBot orders pads by y, then by x.
        self.pads = sorted(self.arena.get_boost_pads(), key=lambda p: (p.get_pos().y, p.get_pos().x))

    def _touch(self, arena, car, data):
        self.touched.add(car.id)

    def _goal(self, arena, team, data=None):
        self.scored = int(team)

    def field(self):
        pads = [flat.BoostPad(vector(p.get_pos()), p.is_big) for p in self.pads]
        return flat.FieldInfo(boost_pads=pads)

    def kickoff(self, seed):
        """Cars on drawn spots. The engine's own draw by seed does not come to all of them alike."""
        self.arena.reset_kickoff(seed)
        spots = random.Random(seed).sample(KICKOFF_SPOTS, k=max(self.teams.count(0), self.teams.count(1)))
        taken = [0, 0]
        for car, team in zip(self.cars, self.teams):
            x, y, yaw = spots[taken[team]]
            taken[team] += 1
            side = -1.0 if team else 1.0
            state = car.get_state()
            state.pos = rs.Vec(side * x, side * y, 17.0)
            state.rot_mat = rs.Angle(yaw=yaw + math.pi * team, pitch=0, roll=0).as_rot_mat()
            car.set_state(state)
        self.scored = None
        self.touching = set()

    def control(self, index, state):
        """What the bot said a car is to do, from the next tick on."""
        controls = rs.CarControls()
        for name in ("throttle", "steer", "pitch", "yaw", "roll", "jump", "boost", "handbrake"):
            setattr(controls, name, getattr(state, name))
        self.cars[index].set_controls(controls)

    def tick(self):
        """One tick. Returns the cars whose contact with the ball began in it."""
        self.touched = set()
        self.arena.step(1)
        self.frame += 1
        began = self.touched - self.touching
        self.touching = self.touched
        for car in self.touched:
            self.touched_secs[car] = self.frame * TICK
        return began

    def packet(self, phase):
        return flat.GamePacket(
            players=[self._player(i) for i in range(len(self.cars))],
            boost_pads=[self._pad(pad) for pad in self.pads],
            balls=[
                flat.BallInfo(
                    physics(self.arena.ball.get_state(), rotation=False), flat.SphereShape(182.5)
                )
            ],
            match_info=flat.MatchInfo(
                seconds_elapsed=self.frame * TICK,
                game_time_remaining=300.0,
                match_phase=phase,
                world_gravity_z=-650.0,
                game_speed=1.0,
                frame_num=self.frame,
            ),
            teams=[flat.TeamInfo(t, self.goals[t]) for t in (0, 1)],
        )

    @staticmethod
    def _pad(pad):
        state = pad.get_state()
        full = 10.0 if pad.is_big else 4.0
        active = state.is_active
        return flat.BoostPadState(active, 0.0 if active else full - state.cooldown)

    def _player(self, index):
        car = self.cars[index]
        s = car.get_state()
        if s.is_jumping:
            air = flat.AirState.Jumping
        elif s.is_on_ground:
            air = flat.AirState.OnGround
        elif s.is_flipping:
            air = flat.AirState.Dodging
        else:
            air = flat.AirState.InAir
        timeout = -1.0
        if s.is_jumping:
            timeout = DODGE_SECS
        elif s.has_jumped and not s.is_on_ground and s.air_time_since_jump < DODGE_SECS:
            timeout = DODGE_SECS - s.air_time_since_jump
        controls = car.get_controls()
        touch = self.touched_secs.get(car.id)
        return flat.PlayerInfo(
            physics=physics(s),
            hitbox=HITBOX,
            latest_touch=None if touch is None else flat.Touch(touch),
            air_state=air,
            dodge_timeout=timeout,
            demolished_timeout=s.demo_respawn_timer if s.is_demoed else -1.0,
            is_supersonic=s.is_supersonic,
            is_bot=True,
            name=f"car {index}",
            team=self.teams[index],
            boost=s.boost,
            player_id=index + 1,
            last_input=flat.ControllerState(
                controls.throttle, controls.steer, controls.pitch, controls.yaw, controls.roll,
                controls.jump, controls.boost, controls.handbrake,
            ),
            has_jumped=s.has_jumped,
            has_double_jumped=s.has_double_jumped,
            has_dodged=s.has_flipped,
            dodge_elapsed=s.flip_time if s.has_flipped else 0.0,
        )
