"""The package under the checkers and trainers of others."""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from torch import nn

import lanista


def test_check_env_of_stable_baselines3(game: str, short: dict[str, object]) -> None:
    env = gymnasium.make(f"lanista/{game}-v0", disable_env_checker=True, **short)
    check_env(env.unwrapped, warn=False)


def test_ppo_of_stable_baselines3_learns_cartpole() -> None:
    from stable_baselines3.common.vec_env import DummyVecEnv

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
    mean, _ = evaluate_policy(agent, gymnasium.make("lanista/cartpole-v0"), n_eval_episodes=20)
    assert mean > 400, mean


def test_ppo_of_stable_baselines3_steps_rocket() -> None:
    env = lanista.make("rocket/touch")
    agent = PPO("MlpPolicy", env, n_steps=256, batch_size=128, n_epochs=2, seed=1, device="cpu")
    agent.learn(512)
    assert agent.num_timesteps == 512


class Agent(nn.Module):
    def __init__(self, features: int, actions: int) -> None:
        super().__init__()

        def net(out: int, scale: float) -> nn.Sequential:
            layers = [nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, out)]
            for layer in layers[::2]:
                nn.init.orthogonal_(layer.weight, 2**0.5)
                nn.init.zeros_(layer.bias)
            nn.init.orthogonal_(layers[-1].weight, scale)
            return nn.Sequential(*layers)

        self.actor, self.critic = net(actions, 0.01), net(1, 1.0)


def test_a_loop_in_one_file_learns_cartpole_from_a_vector() -> None:
    """PPO over `make_vec`, with truncated matches bootstrapped from `final_obs`."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    count, horizon, gamma, lam = 16, 64, 0.98, 0.9
    env = lanista.make_vec("cartpole", count, copy=False)
    seen, _ = env.reset(seed=1)
    agent = Agent(4, 2)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-3, eps=1e-5)
    lengths, running = [], np.zeros(count)
    for _ in range(60):
        rows = {name: [] for name in ("seen", "action", "log_prob", "reward", "value", "over")}
        for _ in range(horizon):
            with torch.no_grad():
                x = torch.tensor(seen)
                choice = torch.distributions.Categorical(logits=agent.actor(x))
                action = choice.sample()
                value = agent.critic(x)[:, 0]
            seen, reward, terminated, truncated, info = env.step(action.numpy())
            reward = reward.copy()
            running += 1
            over = terminated | truncated
            for m in np.flatnonzero(over):
                lengths.append(running[m])
                running[m] = 0
                if truncated[m]:
                    with torch.no_grad():
                        reward[m] += gamma * agent.critic(torch.tensor(info["final_obs"][m])).item()
            parts = (x, action, choice.log_prob(action), torch.tensor(reward), value, torch.tensor(over.copy()))
            for name, part in zip(rows, parts, strict=True):
                rows[name].append(part)
        data = {name: torch.stack(parts) for name, parts in rows.items()}
        with torch.no_grad():
            after, gain = agent.critic(torch.tensor(seen))[:, 0], torch.zeros(count)
            gains = torch.zeros(horizon, count)
            for t in reversed(range(horizon)):
                going = (~data["over"][t]).float()
                delta = data["reward"][t] + gamma * after * going - data["value"][t]
                gains[t] = gain = (delta + gamma * lam * going * gain).float()
                after = data["value"][t]
        flat = {name: part.reshape(-1, *part.shape[2:]) for name, part in data.items()}
        gains, returns = gains.reshape(-1), (gains + data["value"]).reshape(-1)
        for _ in range(8):
            for rows_now in torch.randperm(count * horizon).split(256):
                choice = torch.distributions.Categorical(logits=agent.actor(flat["seen"][rows_now]))
                ratio = (choice.log_prob(flat["action"][rows_now]) - flat["log_prob"][rows_now]).exp()
                gain = gains[rows_now]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                policy = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
                values = agent.critic(flat["seen"][rows_now])[:, 0]
                loss = policy + 0.25 * ((values - returns[rows_now]) ** 2).mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
    assert np.mean(lengths[-20:]) > 300, np.mean(lengths[-20:])
