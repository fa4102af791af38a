#!/usr/bin/env python3
"""Plays with the original's own client, unchanged, against `lanista survivors server`.

    python3 check_original_client.py path/to/mnemosyne_env.py path/to/lanista

Needs NumPy and Gymnasium, and scripts/rl_training/mnemosyne_env.py of RazonIn4K/L4D2-AI-Architect. That client
reads a state of 69 bytes (`--v1-legacy-69`) and falls back to a mock of its own when nobody answers: what it is
told is compared with what the mock could never say.
"""

import importlib.util
import logging
import socket
import subprocess
import sys
import time

STEPS = 300
FORWARD, ATTACK = 1, 5


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main(client, program):
    spec = importlib.util.spec_from_file_location("mnemosyne_env", client)
    original = importlib.util.module_from_spec(spec)
    sys.modules["mnemosyne_env"] = original
    spec.loader.exec_module(original)
    logging.disable(logging.INFO)
    port = free_port()
    server = subprocess.Popen(
        [program, "survivors", "server", "--port", str(port), "--v1-legacy-69", "--map", "corridor"]
    )
    try:
        time.sleep(1.0)
        env = original.MnemosyneEnv(host="127.0.0.1", port=port)
        observation, _ = env.reset(seed=7)
        begin, way, rewards, kinds = observation.copy(), 0.0, 0.0, set()
        for step in range(STEPS):
            action = ATTACK if step % 5 == 0 else FORWARD
            observation, reward, terminated, truncated, info = env.step(action)
            rewards += reward
            kinds.add((observation[11], observation[16]))
            way = max(way, abs(observation[3] - begin[3]) + abs(observation[4] - begin[4]))
            if terminated or truncated:
                observation, _ = env.reset()
        env.close()
    finally:
        server.terminate()
        server.wait(10)
    assert observation.shape == (20,), observation.shape
    assert begin[0] == 1.0 and begin[16] == 1.0, f"full health and three fellows: {begin}"
    assert way * 10_000 > 500, f"it went {way * 10_000:.0f} units in {STEPS} steps"
    print(f"{STEPS} steps, {way * 10_000:.0f} units of way, reward {rewards:.1f}, weapons and fellows {kinds}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
