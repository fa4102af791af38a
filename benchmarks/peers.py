"""Measures Stable-Baselines3 on CartPole-v1 and prints one JSON object.

    python peers.py ppo --seconds 5
    python peers.py recurrent --seconds 5

Counted are environment steps per second of wall time over whole iterations (rollout and update),
after a warm-up. Everything runs on one thread.
"""

import argparse
import json
import os
import time

# Read by the thread pools when they load, so this must come before torch.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import gymnasium
import sb3_contrib
import stable_baselines3
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

ENVS = 8
STEPS = 256
MINIBATCH = 256
EPOCHS = 4


class Meter(BaseCallback):
    """Times whole iterations: from the start of one rollout to the start of a later one."""

    def __init__(self, warmup, seconds):
        super().__init__()
        self.warmup = warmup
        self.seconds = seconds
        self.iterations = -1
        self.start = None
        self.result = None

    def _on_rollout_start(self):
        self.iterations += 1
        now = (time.perf_counter(), time.process_time(), self.num_timesteps)
        if self.iterations < self.warmup:
            return
        if self.start is None:
            self.start = now
            return
        wall, cpu, steps = (b - a for a, b in zip(self.start, now))
        if wall >= self.seconds:
            self.result = {
                "steps_per_second": steps / wall,
                "steps": steps,
                "wall_seconds": wall,
                # Much less than the wall time means that other processes held the core.
                "cpu_seconds": cpu,
            }

    def _on_step(self):
        return self.result is None


def make(case, seed):
    envs = make_vec_env("CartPole-v1", n_envs=ENVS, seed=seed)
    common = dict(
        n_steps=STEPS, batch_size=MINIBATCH, n_epochs=EPOCHS, device="cpu", seed=seed, verbose=0
    )
    if case == "ppo":
        policy = dict(net_arch=dict(pi=[64, 64], vf=[64, 64]), activation_fn=torch.nn.Tanh)
        return PPO("MlpPolicy", envs, policy_kwargs=policy, **common)
    # The defaults of the policy: an LSTM of 256 for the actor and another for the critic.
    return sb3_contrib.RecurrentPPO("MlpLstmPolicy", envs, **common)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", choices=["ppo", "recurrent"])
    parser.add_argument("--seconds", type=float, default=5.0, help="measure at least this long")
    parser.add_argument("--warmup", type=int, default=2, help="iterations before measuring")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    torch.set_num_threads(1)
    model = make(options.case, options.seed)
    meter = Meter(options.warmup, options.seconds)
    model.learn(total_timesteps=10**12, callback=meter)
    meter.result["threads"] = torch.get_num_threads()
    meter.result["parameters"] = sum(p.numel() for p in model.policy.parameters())
    meter.result["versions"] = {
        "stable-baselines3": stable_baselines3.__version__,
        "sb3-contrib": sb3_contrib.__version__,
        "torch": torch.__version__,
        "gymnasium": gymnasium.__version__,
    }
    print(json.dumps(meter.result))


if __name__ == "__main__":
    main()
