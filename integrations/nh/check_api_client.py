#!/usr/bin/env python3
"""pvp-ml's own ApiClient (its test client, unchanged) asks `lanista play nh` for decisions, in every shape of request
that it knows; and the same requests go to pvp-ml's real serve-api, with a model of its own trainer.

    check_api_client.py --pvp-ml DIR --lanista BIN --model MODEL [--original-model ZIP] [--requests N]

Needs Python 3.10 with torch 2.1.2 (run.sh makes it). MODEL is a run or a model.zip of ours.
"""

import argparse
import asyncio
import importlib.util
import math
import os
import random
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

HEADS = [4, 3, 3, 4, 5, 2, 2, 2, 2, 5, 7, 6]


def requests(api, dice, model, count, frames=1):
    """Requests as clients send them: masks with at least one action of a head that must be chosen, raw numbers."""
    for number in range(count):
        masks = [[dice.random() < 0.6 for _ in range(size)] for size in HEADS]
        for mask in masks:
            mask[dice.randrange(len(mask))] = True
        obs = [[dice.choice([0, 1, dice.random(), 99 * dice.random()]) for _ in range(176)] for _ in range(frames)]
        yield api.Request(
            model=model,
            actionMasks=masks,
            obs=obs,
            deterministic=[dice.random() < 0.5 for _ in HEADS] if number % 3 == 0 else number % 3 == 1,
            returnLogProb=number % 2 == 0,
            returnEntropy=number % 2 == 0,
            returnValue=False,
            returnProbs=number % 4 == 0,
        )


def check(request, response):
    """What any server of the API must hold to."""
    assert len(response.action) == len(HEADS), response
    for head, (action, size) in enumerate(zip(response.action, HEADS)):
        assert 0 <= action < size, (head, action)
        # A head whose legal actions do not fit the choices before it falls back to its first.
        assert request.actionMasks[head][action] or action == 0, (head, action)
    assert (response.logProb is not None) == request.returnLogProb
    assert (response.entropy is not None) == request.returnEntropy
    assert (response.probs is not None) == request.returnProbs
    assert response.values is None and response.extensionResults == []
    if response.logProb is not None:
        assert response.logProb <= 1e-4
    if response.entropy is not None:
        assert len(response.entropy) == 12 and all(entropy >= -1e-5 for entropy in response.entropy)
    if response.probs is not None:
        assert [len(head) for head in response.probs] == HEADS
        for head in response.probs:
            assert abs(sum(head) - 1) < 1e-4, head
        if response.logProb is not None:
            likely = sum(math.log(max(1.2e-7, p[a])) for p, a in zip(response.probs, response.action))
            assert abs(likely - response.logProb) < 1e-2, (likely, response.logProb)


async def ask(api, client_type, port, model, count, name, frames=1):
    times = []
    async with client_type(port=port) as client:
        for request in requests(api, random.Random(7), model, count, frames):
            begun = time.perf_counter()
            response = await client.send_request(request)
            times.append(time.perf_counter() - begun)
            check(request, response)
        # The most likely actions are the same every time.
        request = next(requests(api, random.Random(9), model, 1, frames))
        request = type(request)(**{**request.__dict__, "deterministic": True})
        answers = [(await client.send_request(request)).action for _ in range(5)]
        assert all(answer == answers[0] for answer in answers)
    times.sort()
    print(f"{name}: {count} requests answered as the API says; p50 {1e3 * statistics.median(times):.2f} ms, "
          f"p99 {1e3 * times[int(0.99 * len(times))]:.2f} ms, one at a time, client in Python")


async def refuse(port):
    """Bad requests end the connection, as in the original; the server goes on."""
    for line in [b"nonsense\n", b'{"model": "nobody"}\n', b"[1]\n"]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(line)
        await writer.drain()
        answer = await reader.readline()
        rest = await asyncio.wait_for(reader.read(), 10)
        assert rest == b"", (line, rest)
        assert answer == b"" or b"error" in answer, (line, answer)
        writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pvp-ml", required=True)
    parser.add_argument("--lanista", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--original-model", help="a model of two frames that check_trainer.py left")
    parser.add_argument("--requests", type=int, default=2000)
    args = parser.parse_args()
    package = Path(args.pvp_ml).resolve() / "pvp-ml"
    sys.path[:0] = [str(package)]
    models = package / "models"
    models.mkdir(exist_ok=True)
    if args.original_model:
        (models / "LanistaCheck.zip").write_bytes(Path(args.original_model).read_bytes())
    from pvp_ml import api

    spec = importlib.util.spec_from_file_location("api_client", package / "test" / "integ" / "api_client.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    ours = subprocess.Popen(
        [args.lanista, "play", "nh", args.model, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        ready = ours.stdout.readline()
        port = int(re.search(r"127\.0\.0\.1:(\d+)", ready).group(1))
        asyncio.run(ask(api, module.ApiClient, port, "GeneralizedNh", args.requests, "lanista play nh"))
        asyncio.run(refuse(port))
        taken = subprocess.run(
            [args.lanista, "play", "nh", args.model, "--port", str(port)], capture_output=True, text=True
        )
        assert taken.returncode != 0 and "cannot listen" in taken.stderr, taken
        print(f"a port that is taken: {taken.stderr.strip().splitlines()[0]}")
    finally:
        ours.terminate()
        ours.wait()

    if not args.original_model:
        return
    port = random.randrange(20000, 40000)
    env = {**os.environ, "PYTHONPATH": str(package)}
    with open("serve-api.log", "w") as log:
        theirs = subprocess.Popen(
            [sys.executable, "-m", "pvp_ml.api", "--port", str(port)], cwd=package, env=env, stdout=log, stderr=log
        )
    try:
        for _ in range(240):
            try:
                asyncio.run(ask(api, module.ApiClient, port, "LanistaCheck", 500, "pvp-ml serve-api", 2))
                break
            except ConnectionRefusedError:
                time.sleep(0.5)
        else:
            raise SystemExit("serve-api did not begin within two minutes: see serve-api.log")
    finally:
        theirs.terminate()
        theirs.wait()
        (models / "LanistaCheck.zip").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
