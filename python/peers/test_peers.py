"""The package under the checkers and trainers of others."""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics
from loop import ppo
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

import lanista


def test_check_env_of_stable_baselines3(game: str, short: dict[str, object]) -> None:
    env = gymnasium.make(f"lanista/{game}-v0", disable_env_checker=True, **short)
    check_env(env.unwrapped, warn=False)


def test_ppo_of_stable_baselines3_learns_cartpole() -> None:
    env = DummyVecEnv([lambda: gymnasium.make("lanista/cartpole-v0") for _ in range(8)])
    agent = PPO(
        "MlpPolicy",
        env,
        n_steps=32,
        batch_size=256,
        n_epochs=20,
        gamma=0.98,
        gae_lambda=0.8,
        ent_coef=0.0,
        learning_rate=1e-3,
        clip_range=0.2,
        seed=1,
        device="cpu",
    )
    agent.learn(60_000)
    mean, _ = evaluate_policy(agent, Monitor(gymnasium.make("lanista/cartpole-v0")), n_eval_episodes=20)
    print(f"SB3's PPO, cartpole: {mean:.1f} after 60,000 steps")
    assert mean > 400, mean


def test_ppo_of_stable_baselines3_learns_rocket() -> None:
    env = DummyVecEnv([lambda: Monitor(lanista.make("rocket/touch")) for _ in range(16)])
    agent = PPO(
        "MlpPolicy", env, n_steps=128, batch_size=512, n_epochs=4, gamma=0.98, learning_rate=1e-3, seed=1, device="cpu"
    )
    judge = Monitor(lanista.make("rocket/touch"))
    before, _ = evaluate_policy(agent, judge, n_eval_episodes=40, deterministic=False)
    agent.learn(100_000)
    after, _ = evaluate_policy(agent, judge, n_eval_episodes=40, deterministic=False)
    print(f"SB3's PPO, rocket/touch: {before:.2f} a match before, {after:.2f} after 100,000 steps")
    assert after > before + 1.0, (before, after)


def test_a_loop_in_one_file_learns_cartpole_from_a_vector() -> None:
    _, lengths = ppo(lanista.make_vec("cartpole", 16, copy=False), 60)
    print(f"the loop, cartpole: {np.mean(lengths[-20:]):.1f} steps a match at the end")
    assert np.mean(lengths[-20:]) > 300, np.mean(lengths[-20:])


def test_a_loop_in_one_file_learns_cartpole_from_gymnasiums_own_vector() -> None:
    one = lambda: RecordEpisodeStatistics(gymnasium.make("lanista/cartpole-v0"))  # noqa: E731
    env = SyncVectorEnv([one] * 16, autoreset_mode=AutoresetMode.SAME_STEP)
    _, lengths = ppo(env, 60)
    print(f"the loop, cartpole in a SyncVectorEnv: {np.mean(lengths[-20:]):.1f} steps a match at the end")
    assert np.mean(lengths[-20:]) > 300, np.mean(lengths[-20:])


def test_a_loop_in_one_file_learns_rocket_from_a_vector() -> None:
    env = lanista.make_vec("rocket/touch", 64, copy=False)
    earned, _ = ppo(env, 50, learning_rate=1e-3, epochs=2, minibatch=1024, entropy=0.005)
    before, after = np.mean(earned[:5]), np.mean(earned[-5:])
    print(f"the loop, rocket/touch: {before:.4f} a step at first, {after:.4f} after {50 * 64 * 64:,} steps")
    assert after > before + 0.005, (before, after)
