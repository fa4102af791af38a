"""What rlgym-tools makes of a replay: one JSON line a frame and car, to compare ours with.

    oracle.py FILE.replay OUT.jsonl

A line has the replay's own number of the frame, the player, the eight controls (throttle, steer, pitch, yaw,
roll, jump, boost, handbrake), the rows of the action table that rlgym-tools finds best (more than one when
they tie), whether the car's physics are fresh in this frame, and how far its simulation from the frame before
was off, in uu.
"""

import json
import sys

import numpy as np
from rlgym.rocket_league.action_parsers import LookupTableAction
from rlgym_tools.rocket_league.replays.convert import replay_to_rlgym
from rlgym_tools.rocket_league.replays.parsed_replay import ParsedReplay
from rlgym_tools.rocket_league.replays.pick_action import get_best_action_options

replay = ParsedReplay.load(sys.argv[1])
names = {int(p["unique_id"]): p["name"] for p in replay.metadata["players"]}
# As floats: its choice among dodges divides in place.
table = LookupTableAction.make_lookup_table().astype(np.float32)
# The converter tells ticks, not frames: the times of the frames are unique.
frame_of = {float(time) * 120: int(frame) for frame, time in replay.game_df["time"].astype(float).items()}

with open(sys.argv[2], "w", encoding="utf8") as out:
    for frame, errors in replay_to_rlgym(replay, calculate_error=True):
        state = frame.state
        for uid, action in frame.actions.items():
            car = state.cars[uid]
            rows = np.flatnonzero(get_best_action_options(car, action, table))
            error = errors.get(uid, {}).get("position")
            line = {
                "frame": frame_of.get(float(state.tick_count)),
                "player": names[uid],
                "controls": [round(float(x), 4) for x in action],
                "rows": rows.tolist(),
                "fresh": frame.update_age[uid] == 0,
                "error_uu": None if error is None else round(float(error), 3),
                "demolished": bool(car.is_demoed),
                "on_ground": bool(car.on_ground),
            }
            out.write(json.dumps(line) + "\n")
