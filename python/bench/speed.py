"""How fast the environments are, beside Gymnasium's own CartPole and beside rlgym, in one run.

    python python/bench/speed.py [--seconds 3] [--repeats 3]

Steps a second of all matches together, medians; the repeats alternate, so that a slow minute of the machine hits all
of them. Actions are drawn beforehand. rlgym is measured where it is installed (`pip install rlgym
rlgym-rocket-league rocketsim`).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from test_game import Treasure  # noqa: E402

import lanista  # noqa: E402

#: Plays a round and says how many steps it made.
Round = Callable[[], int]


def vector(env: gymnasium.vector.VectorEnv, rounds: int = 20) -> Round:
    """A round of a vector environment."""
    env.reset(seed=1)
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(rounds)]

    def play() -> int:
        for action in actions:
            env.step(action)
        return rounds * env.num_envs

    return play


def single(env: gymnasium.Env, rounds: int = 200) -> Round:
    """A round of a single environment."""
    env.reset(seed=1)
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(rounds)]

    def play() -> int:
        for action in actions:
            *_, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return rounds

    return play


def rlgym_match() -> Round | None:
    """A round of one against one in rlgym: the same engine, tick skip 8, its default observation and lookup table."""
    try:
        from rlgym.api import RLGym
        from rlgym.rocket_league.action_parsers import LookupTableAction, RepeatAction
        from rlgym.rocket_league.done_conditions import GoalCondition, TimeoutCondition
        from rlgym.rocket_league.obs_builders import DefaultObs
        from rlgym.rocket_league.reward_functions import CombinedReward, GoalReward, TouchReward
        from rlgym.rocket_league.sim import RocketSimEngine
        from rlgym.rocket_league.state_mutators import FixedTeamSizeMutator, KickoffMutator, MutatorSequence
    except ImportError as error:
        print(f"rlgym is not measured: {error}", file=sys.stderr)
        return None
    env = RLGym(
        state_mutator=MutatorSequence(FixedTeamSizeMutator(1, 1), KickoffMutator()),
        obs_builder=DefaultObs(zero_padding=None),
        action_parser=RepeatAction(LookupTableAction(), repeats=8),
        reward_fn=CombinedReward((GoalReward(), 10.0), (TouchReward(), 1.0)),
        termination_cond=GoalCondition(),
        truncation_cond=TimeoutCondition(300.0),
        transition_engine=RocketSimEngine(),
    )
    env.reset()
    rng = np.random.default_rng(1)
    actions = rng.integers(0, 90, (100, 2, 1))

    def play() -> int:
        for pair in actions:
            _, _, terminated, truncated = env.step(dict(zip(env.agents, pair, strict=True)))
            if any(terminated.values()) or any(truncated.values()):
                env.reset()
        return len(actions)

    return play


def measured(play: Round, seconds: float) -> float:
    """Steps a second."""
    play()
    begun, steps = time.perf_counter(), 0
    while (spent := time.perf_counter() - begun) < seconds:
        steps += play()
    return steps / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    rocket = {"team_size": 1, "opponent": "random"}
    rows: dict[str, Round | None] = {
        "CartPole, Gymnasium, one": single(gymnasium.make("CartPole-v1").unwrapped),
        "CartPole, lanista, one": single(lanista.make("cartpole")),
    }
    for count in (16, 256):
        for mode in ("sync", "vector_entry_point"):
            env = gymnasium.make_vec("CartPole-v1", num_envs=count, vectorization_mode=mode)
            rows[f"CartPole, Gymnasium {mode}, {count}"] = vector(env)
        for copy in (True, False):
            env = lanista.make_vec("cartpole", count, copy=copy)
            rows[f"CartPole, lanista copy={copy}, {count}"] = vector(env)
    rows["Rocket League 1v1, rlgym, one"] = rlgym_match()
    rows["Rocket League 1v1, lanista, one"] = single(lanista.make("rocket", **rocket), 100)
    for threads in (1, 2):
        env = lanista.make_vec("rocket", 64, threads=threads, copy=False, **rocket)
        rows[f"Rocket League 1v1, lanista, 64, threads={threads}"] = vector(env)
    rows["a game in Python, 64"] = vector(lanista.make_vec(Treasure, 64, copy=False))
    found: dict[str, list[float]] = {name: [] for name, play in rows.items() if play}
    for _ in range(args.repeats):
        for name, play in rows.items():
            if play:
                found[name].append(measured(play, args.seconds))
    print("| environment | steps a second |\n|---|--:|")
    for name, speeds in found.items():
        print(f"| {name} | {statistics.median(speeds):,.0f} |")


if __name__ == "__main__":
    main()
