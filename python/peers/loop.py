"""PPO in one file over a vector of Gymnasium's, ours or its own, with truncated matches bootstrapped from `final_obs`.

It is ours, in the manner of CleanRL: what PyPI has of CleanRL is older than Gymnasium and does not run with it.
"""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from torch import nn


class Agent(nn.Module):
    """An actor and a critic apart, both of two hidden layers."""

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

    def choice(self, seen: torch.Tensor, mask: torch.Tensor) -> torch.distributions.Categorical:
        return torch.distributions.Categorical(logits=self.actor(seen).masked_fill(~mask, -1e9))


def ppo(
    env: gymnasium.vector.VectorEnv,
    iterations: int,
    horizon: int = 64,
    gamma: float = 0.98,
    lam: float = 0.9,
    learning_rate: float = 2.5e-3,
    epochs: int = 8,
    minibatch: int = 256,
    entropy: float = 0.0,
) -> tuple[list[float], list[float]]:
    """Trains. Returns the mean reward a step of each iteration, and the lengths of the matches that ended."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    count = env.num_envs
    seen, info = env.reset(seed=1)
    mask = info["action_mask"]
    agent = Agent(env.single_observation_space.shape[0], int(env.single_action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=learning_rate, eps=1e-5)
    earned: list[float] = []
    lengths: list[float] = []
    running = np.zeros(count)
    for _ in range(iterations):
        rows: dict[str, list[torch.Tensor]] = {
            name: [] for name in ("seen", "mask", "action", "log_prob", "reward", "value", "over")
        }
        earned.append(0.0)
        for _ in range(horizon):
            with torch.no_grad():
                x, legal = torch.tensor(seen), torch.tensor(mask, dtype=torch.bool)
                choice = agent.choice(x, legal)
                action = choice.sample()
                value = agent.critic(x)[:, 0]
            seen, reward, terminated, truncated, info = env.step(action.numpy())
            mask = info["action_mask"]
            reward = reward.copy()
            earned[-1] += reward.mean() / horizon
            running += 1
            over = terminated | truncated
            for m in np.flatnonzero(over):
                lengths.append(running[m])
                running[m] = 0
                if truncated[m]:
                    with torch.no_grad():
                        reward[m] += gamma * agent.critic(torch.tensor(info["final_obs"][m])).item()
            parts = (x, legal, action, choice.log_prob(action), torch.tensor(reward), value, torch.tensor(over.copy()))
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
        for _ in range(epochs):
            for rows_now in torch.randperm(count * horizon).split(minibatch):
                choice = agent.choice(flat["seen"][rows_now], flat["mask"][rows_now])
                ratio = (choice.log_prob(flat["action"][rows_now]) - flat["log_prob"][rows_now]).exp()
                gain = gains[rows_now]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                policy = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
                values = agent.critic(flat["seen"][rows_now])[:, 0]
                loss = policy + 0.25 * ((values - returns[rows_now]) ** 2).mean() - entropy * choice.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
    return earned, lengths
