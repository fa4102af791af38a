"""Training on Ray: the bits of a run without it, whatever happens to actors and nodes."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

# Actors that stand back behind whatever else the machine does make tests last.
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")

from ray.cluster_utils import Cluster  # noqa: E402

import lanista  # noqa: E402
import lanista.ray  # noqa: E402

SMALL = {
    "rocket/touch": {
        "rollout.matches": 16,
        "rollout.shard": 4,
        "rollout.horizon": 32,
        "stop.steps": 4000,
        "checkpoint.every": 2000,
        "evaluation.matches": 2,
        "policy.hidden": [32],
        "ppo.minibatch": 512,
    },
    "duel/league": {
        "rollout.matches": 16,
        "rollout.shard": 4,
        "rollout.horizon": 64,
        "league.every": 4000,
        "stop.steps": 30000,
        "checkpoint.every": 10000,
        "evaluation.matches": 16,
    },
}


@pytest.fixture(scope="module")
def cluster():
    """Two nodes on this machine."""
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    nodes.add_node(num_cpus=2)
    nodes.wait_for_nodes()
    ray.init(address=nodes.address, logging_level="error")
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def bits(run: pathlib.Path) -> dict[str, object]:
    """The newest checkpoint and the metrics, without time."""
    newest = max((run / "checkpoints").iterdir(), key=lambda path: int(path.name))
    found: dict[str, object] = {}
    for file in newest.iterdir():
        if file.name in ("SUMS", "seals.json"):
            continue
        if file.suffix == ".json":
            state = json.loads(file.read_text())
            state.get("progress", {}).pop("seconds", None)
            state.pop("time", None)
            found[file.name] = state
        else:
            found[file.name] = file.read_bytes()
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    found["metrics"] = [{key: value for key, value in line.items() if key != "time"} for line in lines]
    return found


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Runs without Ray, made once."""
    made: dict[str, dict[str, object]] = {}

    def of(preset: str) -> dict[str, object]:
        if preset not in made:
            run = tmp_path_factory.mktemp("plain") / "run"
            lanista.train(preset, SMALL[preset], directory=run, progress=False)
            made[preset] = bits(run)
        return made[preset]

    return of


@pytest.mark.parametrize("preset", SMALL)
@pytest.mark.parametrize("workers", [1, 3])
def test_the_same_bits_with_any_number_of_workers(cluster, plain, tmp_path, preset, workers):
    run = tmp_path / "run"
    lanista.ray.train(preset, SMALL[preset], directory=run, workers=workers, progress=False)
    assert bits(run) == plain(preset)


def test_evaluations_on_workers_of_their_own(cluster, plain, tmp_path):
    train = lanista.ray.train
    train("duel/league", SMALL["duel/league"], directory=tmp_path, workers=1, evaluators=2, progress=False)
    assert bits(tmp_path) == plain("duel/league")


def test_actors_that_die_change_nothing_but_time(cluster, plain, tmp_path, monkeypatch):
    preset, run, killed = "duel/league", tmp_path / "run", []
    carriers = []
    make = lanista.ray._Carrier.__init__

    def noted(self, *arguments):
        make(self, *arguments)
        carriers.append(self)

    monkeypatch.setattr(lanista.ray._Carrier, "__init__", noted)

    def kill(line):
        if len(killed) < 10 and line["iteration"] % 2 == 0:
            victim = carriers[0].actors[len(killed) % 2]
            pid = ray.get(victim.pid.remote())
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    lanista.ray.train(preset, SMALL[preset], kill, run, workers=2, progress=False)
    assert len(killed) == 10
    assert bits(run) == plain(preset)


def test_a_node_that_dies_changes_nothing_but_time(cluster, plain, tmp_path):
    preset, run = "rocket/touch", tmp_path / "run"
    extra = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    gone = threading.Event()

    def kill(line):
        if line["iteration"] == 3:
            cluster.remove_node(extra, allow_graceful=False)
            gone.set()

    lanista.ray.train(preset, SMALL[preset], kill, run, workers=4, progress=False)
    assert gone.is_set()
    assert bits(run) == plain(preset)


def test_options_of_actors_take_the_place_of_ours(cluster, plain, tmp_path):
    preset, run = "rocket/touch", tmp_path / "run"
    options = {"num_cpus": 0.5, "runtime_env": {"env_vars": {"WHOSE": "mine"}}}
    lanista.ray.train(preset, SMALL[preset], directory=run, workers=2, actor_options=options, progress=False)
    assert bits(run) == plain(preset)


def test_more_workers_than_cpus_share_them(cluster, plain, tmp_path, capfd):
    preset, run = "rocket/touch", tmp_path / "run"
    lanista.ray.train(preset, SMALL[preset], directory=run, workers=4, threads=2, progress=False)
    assert bits(run) == plain(preset)
    said = capfd.readouterr().err
    # A node that has died a moment ago may still be counted.
    assert "4 workers of 2 threads, and the cluster has" in said
    assert "it shares those of others" in said


def test_all_cpus_are_workers_and_a_node_dies(tmp_path, plain):
    """On a cluster of its own, whose every CPU is taken when a node dies: there is none for another actor."""
    preset, run = "rocket/touch", tmp_path / "run"
    program = [sys.executable, __file__, preset, str(run)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "no CPU of the cluster is free for worker" in done.stderr
    assert bits(run) == plain(preset)


def of_two_nodes(preset: str, run: str) -> None:
    """Trains on two nodes of one CPU, of which one is killed."""
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()

    def kill(line):
        if line["iteration"] == 3:
            nodes.remove_node(second, allow_graceful=False)

    lanista.ray.train(preset, SMALL[preset], kill, run, address=nodes.address, progress=False)
    nodes.shutdown()


def test_a_learner_that_is_killed_resumes(cluster, plain, tmp_path):
    preset, run = "duel/league", tmp_path / "run"
    program = [sys.executable, "-m", "lanista.ray", preset, "--address", cluster.address, "--workers", "2"]
    program += ["--directory", str(run)]
    for key, value in SMALL[preset].items():
        program += ["--set", f"{key}={json.dumps(value)}"]
    learner = subprocess.Popen(program, stdout=subprocess.DEVNULL)
    checkpoints = run / "checkpoints"
    while learner.poll() is None and not (checkpoints.is_dir() and any(checkpoints.iterdir())):
        time.sleep(0.05)
    learner.kill()
    learner.wait()
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    assert bits(run) == plain(preset)


def test_asynchronous_rollouts_are_at_most_so_many_versions_behind(cluster, tmp_path):
    seen = []
    lanista.ray.train(
        "classic/cartpole",
        {"stop.steps": 20000, "stop.return": None},
        lambda line: seen.append(line["time"]["lag_max"]) or True,
        tmp_path / "run",
        workers=2,
        mode="async",
        max_lag=2,
        progress=False,
    )
    assert max(seen) in (1, 2)


def test_the_cluster_of_the_launcher_is_one_that_ray_takes():
    yaml = pytest.importorskip("yaml", reason="PyYAML, which comes with Ray, is not installed")
    util = pytest.importorskip("ray.autoscaler._private.util", reason="this Ray has no launcher")
    file = pathlib.Path(__file__).parents[2] / "integrations" / "ray" / "cluster.yml"
    if not file.is_file():
        pytest.skip(f"there is no {file}")
    read = yaml.safe_load(file.read_text())
    whole = util.prepare_config(read)
    util.validate_config(whole)
    assert [kind["min_workers"] for kind in whole["available_node_types"].values()] == [2]
    # Without this the head starts nobody; and both are the commands that Ray runs, not its own.
    assert any("--autoscaling-config=~/ray_bootstrap_config.yaml" in c for c in whole["head_start_ray_commands"])
    for commands in ("head_start_ray_commands", "worker_start_ray_commands"):
        assert whole[commands] == read[commands]
        assert any("RAY_worker_niceness=0 ray start" in command for command in whole[commands])
    # What the package needs is there before it, since its wheel is installed alone.
    installs = [command for command in whole["setup_commands"] if "pip install" in command]
    assert "numpy" in installs[0] and "--no-deps" in installs[1]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="no mode"):
        lanista.ray.train("classic/cartpole", mode="sometimes")
    with pytest.raises(ValueError, match="max_lag"):
        lanista.ray.train("classic/cartpole", max_lag=3)
    for wrong in ({"workers": 0}, {"threads": 0}, {"evaluators": -1}):
        # Before it begins a cluster that it does not need.
        with pytest.raises(ValueError, match="at least one worker"):
            lanista.ray.train("classic/cartpole", address="ray://nobody.invalid:1", **wrong)


if __name__ == "__main__":
    of_two_nodes(*sys.argv[1:])
