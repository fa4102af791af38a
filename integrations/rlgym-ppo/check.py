"""Imports checkpoints that rlgym-ppo's own classes have written, and holds every number against theirs.

    check.py [--source DIR]      LANISTA=path/to/lanista

--source is a checkout of github.com/AechPro/rlgym-ppo; without, the installed package `rlgym_ppo` is used.
Its DiscreteFF, ValueEstimator and WelfordRunningStat make the checkpoint, as its learner saves one; the
imported model plays in our game, and what it decided is compared with what they make of the same
observations.
"""

import argparse
import importlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch
from safetensors.numpy import load_file

BAR = 1e-5
LANISTA = os.environ.get("LANISTA", "lanista")


def module(source, path):
    """A module of rlgym-ppo; of a checkout by its file, because the package asks for wandb and gym."""
    name = path.replace("/", ".")
    if source is None:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, pathlib.Path(source) / f"{path}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def lanista(*arguments, fails=False):
    done = subprocess.run([LANISTA, *map(str, arguments)], capture_output=True, text=True)
    if fails:
        assert done.returncode == 1, done
        return done.stderr.strip()
    assert done.returncode == 0, done.stderr
    return done.stdout


def controls(name):
    """The eight controls of an action of ours, by its name."""
    words = name.split()
    ground = words[0] in ("reverse", "coast", "drive", "boost") and "jump" not in words
    boost = int("boost" in words)
    if ground:
        throttle = {"reverse": -1, "coast": 0, "drive": 1, "boost": 1}[words[0]]
        steer = ("right" in words) - ("left" in words)
        return [throttle, steer, 0, steer, 0, 0, boost, int("slide" in words)]
    pitch = ("pitch-up" in words) - ("pitch-down" in words)
    yaw = ("yaw-right" in words) - ("yaw-left" in words)
    roll = ("roll-right" in words) - ("roll-left" in words)
    jump = int("jump" in words)
    return [boost, yaw, pitch, yaw, roll, jump, boost, int(jump and (pitch or yaw or roll) != 0)]


def check_table():
    """Is our table of actions RLGym's, row by row?"""
    try:
        from rlgym.rocket_league.action_parsers import LookupTableAction
    except ImportError:
        return print("rlgym is not installed: its table of actions was not compared")
    names = json.loads(lanista("games", "rocket", "--json"))["heads"][0]["actions"]
    table = LookupTableAction.make_lookup_table()
    ours = numpy.array([controls(name) for name in names])
    assert ours.shape == table.shape and (ours == table).all(), "another table"
    print(f"all {len(names)} rows of the table of actions are RLGym's")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source")
    source = parser.parse_args().source
    discrete = module(source, "rlgym_ppo/ppo/discrete_policy").DiscreteFF
    estimator = module(source, "rlgym_ppo/ppo/value_estimator").ValueEstimator
    welford = module(source, "rlgym_ppo/util/running_stats").WelfordRunningStat
    check_table()
    torch.manual_seed(3)
    rng = numpy.random.default_rng(3)
    worst = 0.0
    print(f"torch {torch.__version__}; largest absolute differences over 10,000 decisions")

    def save(directory, features, actions, stats):
        policy = discrete(features, actions, [256, 256, 128], "cpu")
        value = estimator(features, [192, 64], "cpu")
        with torch.no_grad():
            for weight in policy.parameters():
                weight *= 2  # fresh networks hardly prefer anything
        directory.mkdir()
        torch.save(policy.state_dict(), directory / "PPO_POLICY.pt")
        torch.save(value.state_dict(), directory / "PPO_VALUE_NET.pt")
        book = {"cumulative_timesteps": 50_003_968, "epoch": 1000, "policy_average_reward": 1.5}
        if stats is not None:
            book["obs_running_stats"] = stats.to_json()
        (directory / "BOOK_KEEPING_VARS.json").write_text(json.dumps(book, indent=4))
        return policy, value

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for team, features in [(1, 107), (2, 169), (3, 231)]:
            for standardised in [False, True]:
                name = f"{team}v{team}{'-standardised' if standardised else ''}"
                stats = welford(features) if standardised else None
                if stats is not None:
                    stats.increment(rng.normal(0.2, 0.4, (500, features)), 500)
                policy, value = save(scratch / name, features, 90, stats)
                out = scratch / f"{name}.zip"
                about = json.loads(lanista("import", "rlgym-ppo", scratch / name, "--out", out, "--json"))
                assert about["steps"] == 50_003_968 and about["hidden"] == [256, 256, 128], about
                decided = scratch / f"{name}.safetensors"
                lanista("export", out, "--decisions", decided, "--count", 10_000)
                seen = load_file(decided)
                x = seen["observation"]
                if stats is not None:
                    # As its manager of agents does: one mean and one deviation for all numbers.
                    x = numpy.clip((x - stats.mean[0]) / stats.std[0], -5, 5).astype(numpy.float32)
                with torch.no_grad():
                    probabilities = policy.get_output(x)
                    logits = policy.model[:-1](torch.from_numpy(x)).numpy()
                    values = value(x).numpy()[:, 0]
                    greedy = [policy.get_action(row, deterministic=True)[0] for row in x[:1000]]
                assert seen["mask"].all(), "no action is hidden"
                off = float(numpy.abs(logits - seen["logits"]).max())
                ours = torch.softmax(torch.from_numpy(seen["logits"]), dim=-1)
                odds = float((ours - probabilities).abs().max())
                off_value = float(numpy.abs(values - seen["value"]).max())
                same = int((numpy.array(greedy) == seen["action"][:1000, 0]).sum())
                worst = max(worst, off)
                clipped = float((numpy.abs(x) == 5).mean()) if standardised else 0.0
                print(
                    f"{name:18} logits {off:.1e} (|logit| <= {numpy.abs(logits).max():.2g})  probabilities "
                    f"{odds:.1e}  values {off_value:.1e}  greedy actions {same} of 1000 equal  "
                    f"cut off {100 * clipped:.1f} %"
                )
                assert same == 1000, "another action"
        # What cannot be imported says so.
        save(scratch / "default-obs", 92, 90, None)
        print(lanista("import", "rlgym-ppo", scratch / "default-obs", "--out", scratch / "a.zip", fails=True))
        save(scratch / "five-actions", 107, 5, None)
        print(lanista("import", "rlgym-ppo", scratch / "five-actions", "--out", scratch / "b.zip", fails=True))
        report = lanista("eval", scratch / "1v1.zip", "--matches", 4, "--set", "settings.limit_secs=10")
        print(report.splitlines()[0])
    print(f"largest difference of a logit: {worst:.2e}; the bar is {BAR:.0e}")
    sys.exit(0 if worst <= BAR else 1)


if __name__ == "__main__":
    main()
