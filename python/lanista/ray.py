"""Training on Ray: workers on many machines play, the learner is where this is called.

    import lanista.ray

    lanista.ray.train("rocket/1v1", address="auto", workers=16)

A worker is an actor that holds whole shards of matches in Rust: it steps, infers and records without Python. The
learner sends orders and takes rollouts as arrays of bytes; weights are put into the object store once a version, and
Ray brings them once to every node. docs/ray.md is the guide.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _lanista
from .training import Callback, Summary
from .training import train as _train

try:
    import ray
except ImportError as missing:
    raise ImportError("lanista.ray needs Ray: pip install ray") from missing

Bytes = NDArray[np.uint8]

#: So often it is seen whether the run has been given up, while workers are waited for.
_GLANCE_SECS = 1.0

#: So long a worker may wait for a CPU before it shares those of others.
_PLACE_SECS = 10.0

#: So long it may, if there is one and its process has yet to begin.
_BEGIN_SECS = 60.0

#: What the program leaves with that was interrupted and did not finish.
_LEFT_AT_ONCE = 130

#: Weights that a rollout may be behind in asynchronous mode, unless it is said.
DEFAULT_MAX_LAG = 2


class _Player:
    """An actor: a native worker."""

    def __init__(self, threads: int) -> None:
        self._worker = _lanista.Worker(threads)

    def play(self, order: Bytes, numbers: list[int], *parcels: Bytes) -> Bytes:
        """Takes parcels and follows an order."""
        for number, parcel in zip(numbers, parcels, strict=True):
            self._worker.take(number, parcel)
        return self._worker.play(order)

    def pid(self) -> int:
        """Its process, for tests that end it."""
        return os.getpid()


@dataclass(frozen=True)
class _Sent:
    """An order on its way: to whom, how often that one had been replaced, and what it takes to send it again."""

    worker: int
    life: int
    order: Bytes
    numbers: list[int]
    parcels: list[Any]


class _Carrier:
    """Carries messages between the learner and its actors, and replaces those that die."""

    def __init__(self, workers: int, threads: int, options: Mapping[str, Any]) -> None:
        self._threads = threads
        self._class = ray.remote(_Player)
        self._options = {
            "num_cpus": threads,
            "scheduling_strategy": "SPREAD",
            "max_restarts": 0,
            "max_task_retries": 0,
            **options,
        }
        self._parcels: dict[int, ray.ObjectRef] = {}
        self._open: dict[ray.ObjectRef, _Sent] = {}
        self._lives = [0] * workers
        #: By worker that has not answered yet: its first answer, and when it was started.
        self._unplaced: dict[int, tuple[ray.ObjectRef, float]] = {}
        self._looked = time.monotonic()
        cpus = ray.cluster_resources().get("CPU", 0)
        if workers * self._options["num_cpus"] > cpus:
            _say(f"{workers} workers of {threads} threads, and the cluster has {cpus:g} CPUs: some will share them")
        #: A run that was left at once goes on for a moment on a thread of its own, and must not begin Ray anew.
        self._use = threading.Lock()
        self.closed = False
        self.actors = [self._start(worker) for worker in range(workers)]

    @contextmanager
    def _ray(self) -> Iterator[None]:
        with self._use:
            if self.closed:
                raise RuntimeError("the run has been given up")
            yield

    def _start(self, worker: int) -> Any:
        actor: Any = self._class.options(**self._options).remote(self._threads)
        self._unplaced[worker] = (actor.pid.remote(), time.monotonic())
        return actor

    def workers(self) -> int:
        return len(self.actors)

    def publish(self, parcel: int, data: Bytes) -> None:
        with self._ray():
            self._parcels[parcel] = ray.put(data)

    def withdraw(self, parcel: int) -> None:
        # Orders on their way hold references of their own.
        self._parcels.pop(parcel, None)

    def send(self, worker: int, order: Bytes, parcels: list[int]) -> None:
        with self._ray():
            self._send(_Sent(worker, self._lives[worker], order, parcels, [self._parcels[p] for p in parcels]))

    def _send(self, sent: _Sent) -> None:
        answer = self.actors[sent.worker].play.remote(sent.order, sent.numbers, *sent.parcels)
        self._open[answer] = sent

    def receive(self, wait: bool) -> tuple[int, Bytes | None, str | None] | None:
        while self._open:
            with self._ray():
                self._look_for_places()
                ready, _ = ray.wait(list(self._open), num_returns=1, timeout=_GLANCE_SECS if wait else 0)
                if not ready:
                    if wait:
                        continue
                    return None
                sent = self._open.pop(ready[0])
                worker = sent.worker
                if sent.life != self._lives[worker]:
                    continue  # of an actor that has been replaced
                try:
                    return worker, ray.get(ready[0]), None
                except ray.exceptions.RayError as error:
                    self._replace(worker)
                    return worker, None, str(error)
        if wait:
            raise RuntimeError("nothing is open that could be answered")
        return None

    def _replace(self, worker: int) -> None:
        lost, self.actors[worker] = self.actors[worker], self._start(worker)
        self._lives[worker] += 1
        ray.kill(lost)

    def _look_for_places(self) -> None:
        """Lets workers for whom no CPU is free share those of others: Ray would wait for one for ever."""
        now = time.monotonic()
        if not self._unplaced or now - self._looked < _GLANCE_SECS:
            return
        self._looked = now
        up, _ = ray.wait([first for first, _ in self._unplaced.values()], num_returns=len(self._unplaced), timeout=0)
        self._unplaced = {worker: found for worker, found in self._unplaced.items() if found[0] not in up}
        waiting = {worker: now - since for worker, (_, since) in self._unplaced.items()}
        late = [worker for worker, secs in waiting.items() if secs > _PLACE_SECS]
        if late and ray.available_resources().get("CPU", 0) >= self._options["num_cpus"]:
            # There is room, and a process takes its time to begin; or the room is in pieces that are too small.
            late = [worker for worker in late if waiting[worker] > _BEGIN_SECS]
        if late:
            names = ", ".join(str(worker) for worker in late)
            _say(f"no CPU of the cluster is free for worker {names}: it shares those of others")
        for worker in late:
            self._share(worker)

    def _share(self, worker: int) -> None:
        actor = self._class.options(**{**self._options, "num_cpus": 0}).remote(self._threads)
        unplaced, self.actors[worker] = self.actors[worker], actor
        del self._unplaced[worker]
        self._lives[worker] += 1
        ray.kill(unplaced)
        for answer, sent in [(a, s) for a, s in self._open.items() if s.worker == worker]:
            del self._open[answer]
            self._send(replace(sent, life=self._lives[worker]))

    def close(self) -> None:
        with self._use:
            self.closed = True
            for actor in self.actors:
                ray.kill(actor)


def _say(line: str) -> None:
    print(f"ray: {line}", file=sys.stderr, flush=True)


def _connect(address: str | None) -> None:
    """Joins a cluster, or begins one on this machine. Neither reports its use to anybody."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address is None:
        # Ray lets its workers stand back by 15 behind whatever else runs; here they are the run itself.
        os.environ.setdefault("RAY_worker_niceness", "0")
        ray.init(address="local", include_dashboard=False, _node_ip_address="127.0.0.1", logging_level="warning")
    else:
        ray.init(address=address, logging_level="warning")


def train(
    preset: str | Mapping[str, Any],
    overrides: Mapping[str, Any] | Sequence[str] | None = None,
    callback: Callback | None = None,
    directory: str | os.PathLike[str] | None = None,
    *,
    address: str | None = None,
    workers: int | None = None,
    threads: int = 1,
    mode: Literal["sync", "async"] = "sync",
    max_lag: int | None = None,
    exploiter_workers: int = 0,
    evaluators: int = 0,
    pause_at: int | None = None,
    progress: bool = True,
    actor_options: Mapping[str, Any] | None = None,
) -> Summary:
    """Trains a preset with matches that are played by actors of Ray. The learner is in this process.

    `address` is a cluster, as `ray.init` takes it: None begins one on this machine, "auto" takes the one that runs
    here, "ray://HOST:10001" one elsewhere. If Ray is initialised already, that is used. `workers` are as many as
    the cluster has cores, unless it is said, with `threads` each; more than the preset has shards do nothing.

    In mode "sync" a run has the same bits as `lanista.train` on one machine of the same type, with any number of
    workers and whatever happens to them. In mode "async" workers play on while the learner learns, with weights at most
    `max_lag` updates old; that is not exact.

    `exploiter_workers` are so many more who play for exploiters alone, `evaluators` so many more who play evaluations
    alone; without them exploiters have the workers of the main agent, and evaluations the threads of the learner. The
    bits are the same. `directory` and the rest are those of `lanista.train`.
    """
    if mode not in ("sync", "async"):
        raise ValueError(f"no mode {mode!r}: it is 'sync' or 'async'")
    if max_lag is not None and (mode == "sync" or max_lag < 1):
        raise ValueError("max_lag is at least 1, and for mode='async' alone")
    if (workers is not None and workers < 1) or threads < 1 or exploiter_workers < 0 or evaluators < 0:
        raise ValueError("there is at least one worker with one thread, and no fewer than none of the others")
    started = not ray.is_initialized()
    if started:
        _connect(address)
    carrier = None
    try:
        others = exploiter_workers + evaluators
        if workers is None:
            workers = max(1, int(ray.cluster_resources().get("CPU", 1)) // threads - others)
        carrier = _Carrier(workers + others, threads, actor_options or {})
        lag = (max_lag or DEFAULT_MAX_LAG) if mode == "async" else None
        return _train(
            preset,
            overrides,
            callback,
            directory,
            pause_at=pause_at,
            progress=progress,
            _workers=carrier,
            _max_lag=lag,
            _crew=(exploiter_workers, evaluators),
        )
    finally:
        if carrier is not None:
            carrier.close()
        if started:
            ray.shutdown()


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m lanista.ray`, which `lanista train --ray` starts."""
    parser = argparse.ArgumentParser(prog="python -m lanista.ray", description="Trains a preset on Ray.")
    parser.add_argument("preset", help="a preset by name, or a YAML file")
    parser.add_argument("--address", help="a cluster: auto, HOST:PORT or ray://HOST:PORT; without it one begins here")
    parser.add_argument("--workers", type=int, help="actors; as many as the cluster has cores unless given")
    parser.add_argument("--threads", type=int, default=1, help="threads of each (default 1)")
    parser.add_argument("--exploiter-workers", type=int, default=0, help="more actors, for exploiters alone")
    parser.add_argument("--evaluators", type=int, default=0, help="more actors, for evaluations alone")
    parser.add_argument("--mode", choices=("sync", "async"), default="sync")
    parser.add_argument("--max-lag", type=int, help="updates that a rollout may be behind in mode async")
    parser.add_argument("--directory", help="the run's; one that has trained before goes on")
    parser.add_argument("--until", type=int, help="pause and save at so many steps")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override a key of the preset")
    given = parser.parse_args(arguments)
    try:
        train(
            given.preset,
            given.set,
            directory=given.directory,
            address=given.address,
            workers=given.workers,
            threads=given.threads,
            mode=given.mode,
            max_lag=given.max_lag,
            exploiter_workers=given.exploiter_workers,
            evaluators=given.evaluators,
            pause_at=given.until,
        )
    except (_lanista.LanistaError, ImportError, ValueError, ConnectionError) as error:
        parser.exit(1, f"{error}\n")
    except KeyboardInterrupt:
        parser.exit(_LEFT_AT_ONCE, "left at once: the run goes on from its newest checkpoint\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
