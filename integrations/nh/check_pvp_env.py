#!/usr/bin/env python3
"""pvp-ml's own PvpEnv, unchanged, plays episodes to their end on `lanista nh server`, and every observation, mask
and reward is compared with what the simulator says of the same seed and the same actions.

    check_pvp_env.py --pvp-ml DIR --server BIN --fight BIN [--episodes N]

DIR is a checkout of Naton1/osrs-pvp-reinforcement-learning, BIN are our programs: `lanista`, and the example `fight`.
"""

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import time
from pathlib import Path

# What the rewards of PvpEnv are made of, as terms of ours: the published coefficients, where they are constant.
DEALT, RECEIVED, FROZEN, PRAYER, BOOST, SMITE, NO_PRAYER = 0.25, -0.25, 0.004, 0.025, 0.05, 0.1, -0.01
WEIGHTS = {
    "damage_dealt": DEALT,
    "extra_damage_dealt": DEALT,
    "damage_received": RECEIVED,
    "extra_damage_received": RECEIVED,
    "smite_damage_dealt": SMITE * DEALT,
    "smite_damage_received": SMITE * RECEIVED,
    "healed": -RECEIVED,
    "target_healed": -DEALT,
    "wasted_food": 5 * RECEIVED,
    "wasted_brew": 5 * RECEIVED,
    "target_frozen": FROZEN,
    "player_frozen": -FROZEN,
    "protected_correct_prayer": PRAYER,
    "protected_wrong_prayer": -PRAYER,
    "attacked_correct_prayer": PRAYER,
    "attacked_wrong_prayer": -PRAYER,
    "protected_previous_correct_prayer": PRAYER / 2,
    "protected_previous_wrong_prayer": -PRAYER / 2,
    "attacked_previous_correct_prayer": PRAYER / 2,
    "attacked_previous_wrong_prayer": -PRAYER / 2,
    "boosted_hit": BOOST,
    "no_prayer": NO_PRAYER,
}


class Simulator:
    """The simulator by itself, without a server."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def choose(dice, env, masks):
    """A legal action, head by head; what the contract requires of earlier heads is obeyed."""
    flat, at, action = list(masks), 0, []
    for head, size in enumerate(env.action_space.nvec):
        allowed = []
        for choice in range(size):
            needs = env.action_dependencies.get(head, {}).get(choice, {})
            holds = lambda pair: action[pair[0]] == pair[1]
            fits = all(map(holds, needs.get("require_all", [])))
            fits = fits and not any(map(holds, needs.get("require_none", [])))
            wanted = needs.get("require_any", [])
            fits = fits and (not wanted or any(map(holds, wanted)))
            if flat[at + choice] and fits:
                allowed.append(choice)
        action.append(dice.choice(allowed) if allowed else 0)
        at += int(size)
    return action


def environment(pvp_env, schedule, port, name, target, seed, side, build):
    constant = schedule.ConstantSchedule
    return pvp_env.PvpEnv(
        env_name="NhEnv",
        env_id=name,
        target=target,
        training=True,
        remote_environment_port=port,
        damage_dealt_reward_scale=constant(DEALT),
        damage_received_reward_scale=constant(RECEIVED),
        smite_damage_dealt_reward_multiplier=constant(SMITE),
        smite_damage_received_reward_multiplier=constant(SMITE),
        target_frozen_tick_reward=constant(FROZEN),
        player_frozen_tick_reward=constant(-FROZEN),
        protected_correct_prayer_reward=constant(PRAYER),
        protected_wrong_prayer_reward=constant(-PRAYER),
        attacked_correct_prayer_reward=constant(PRAYER),
        attacked_wrong_prayer_reward=constant(-PRAYER),
        protected_previous_correct_prayer_reward=constant(PRAYER / 2),
        protected_previous_wrong_prayer_reward=constant(-PRAYER / 2),
        attacked_previous_correct_prayer_reward=constant(PRAYER / 2),
        attacked_previous_wrong_prayer_reward=constant(-PRAYER / 2),
        reward_on_hit_with_boost_scale=constant(BOOST),
        no_prayer_tick_reward=constant(NO_PRAYER),
        player_wasted_food_multiplier=constant(5.0),
        reset_params={
            "accountBuild": build,
            "onlySwitchPrayerWhenAboutToAttack": False,
            "onlySwitchGearWhenAttackSoon": False,
            "lanista": {"seed": seed, "builds": [build], "side": side, "beside": target == "baseline"},
        },
        include_target_obs_in_critic=True,
        loop=asyncio.get_running_loop(),
    )


async def episode(tools, port, simulator, number, build, against):
    """One fight; how many ticks, numbers and rewards were compared, and how it ended."""
    pvp_env, schedule, np = tools
    seed, dice = 1000 + number, random.Random(number)
    sides = [0] if against == "baseline" else [0, 1]
    names = [f"{2 * number}", f"{2 * number + 1}"]
    targets = [against] if against == "baseline" else [names[1], names[0]]
    envs = [environment(pvp_env, schedule, port, names[s], targets[s], seed, s, build) for s in sides]
    settings = {"builds": [build], "start_beside": against == "baseline"}
    ours = simulator.ask(seed=seed, settings=settings, seats=["outside", against if len(sides) == 1 else "outside"])
    compared = rewards = ticks = 0
    ended = []
    try:
        seen = await asyncio.gather(*(env.reset_async() for env in envs))
        observations = [np.asarray(obs)[0] for obs, _ in seen]
        while True:
            for side in sides:
                want = np.asarray(ours["seats"][side]["observation"], dtype=np.float32)
                if ours["end"] is None:
                    assert np.array_equal(observations[side][:176], want), (number, ticks, "observation")
                    mask = np.concatenate([np.ravel(m) for m in envs[side].get_action_masks()])
                    assert np.array_equal(mask, ours["seats"][side]["mask"]), (number, ticks, "mask")
                    compared += 176 + 45
                else:
                    # The original looks twice when a fighter falls, and sees the last splat the second time.
                    same = observations[side][:176] == want
                    assert same[np.arange(176) != 11].all(), (number, ticks, "last observation")
                    compared += 175
            actions = [[0] * 12, [0] * 12]
            for side in sides:
                flat = np.concatenate([np.ravel(m) for m in envs[side].get_action_masks()])
                actions[side] = choose(dice, envs[side], flat)
            over = ours["end"] is not None
            steps = await asyncio.gather(*(envs[s].step_async(np.asarray(actions[s])) for s in sides))
            ticks += 1
            if over:
                # How it ended is told a tick later.
                for side, (obs, _, terminated, truncated, info) in zip(sides, steps):
                    assert terminated and not truncated, (number, ticks, info)
                    want = np.asarray(ours["seats"][side]["observation"], dtype=np.float32)
                    assert np.array_equal(np.asarray(obs)[0][:176], want), (number, "terminal observation")
                    rewarded = info["rewards"]
                    won, lost = ours["seats"][side]["terms"]["won"], ours["seats"][side]["terms"]["lost"]
                    assert (rewarded.get("win", 0), rewarded.get("lost", 0)) == (won, -lost), (number, rewarded)
                    compared += 176
                    ended.append("won" if won else "lost" if lost else "tied")
                return ticks, compared, rewards, ended
            ours = simulator.ask(actions=actions)
            for side, (obs, reward, terminated, truncated, info) in zip(sides, steps):
                assert not terminated and not truncated, (number, ticks, info)
                observations[side] = np.asarray(obs)[0]
                terms = ours["seats"][side]["terms"]
                # PvpEnv forgets what the reset told: nothing is compared with a tick before the first.
                later = lambda name: ticks > 1 or not ("previous" in name or "frozen" in name)
                want = sum(weight * terms[name] for name, weight in WEIGHTS.items() if later(name))
                assert abs(reward - want) < 1e-6, (number, ticks, reward, want, info["rewards"])
                rewards += 1
    finally:
        await asyncio.gather(*(env.close_async() for env in envs))


async def play(args, port):
    sys.path.insert(0, str(Path(args.pvp_ml) / "pvp-ml"))
    import numpy as np
    from pvp_ml.env import pvp_env
    from pvp_ml.util import schedule

    simulator = Simulator(args.fight)
    builds = ["PURE", "ZERKER", "MED", "MAXED", "LMS_PURE", "LMS_ZERKER", "LMS_MED"]
    total = [0, 0, 0]
    results = {}
    begun = time.monotonic()
    for number in range(args.episodes):
        against = "baseline" if number % 2 == 0 else "agent"
        build = builds[number // 2 % len(builds)]
        *counts, ended = await episode((pvp_env, schedule, np), port, simulator, number, build, against)
        total = [a + b for a, b in zip(total, counts)]
        for end in ended:
            results[f"{against}: {end}"] = results.get(f"{against}: {end}", 0) + 1
    seconds = time.monotonic() - begun
    simulator.close()
    ticks, compared, rewards = total
    print(f"{args.episodes} episodes, {ticks} steps in {seconds:.1f} s: {compared} numbers of observations and masks "
          f"and {rewards} rewards, all equal; {results}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pvp-ml", required=True)
    parser.add_argument("--server", required=True)
    parser.add_argument("--fight", required=True)
    parser.add_argument("--episodes", type=int, default=28)
    args = parser.parse_args()
    server = subprocess.Popen([args.server, "nh", "server", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        ready = server.stdout.readline()
        port = int(re.search(r":(\d+):", ready).group(1))
        asyncio.run(play(args, port))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
