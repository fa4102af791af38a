"""The same seed and actions give the same bits through Python as through Rust."""

from __future__ import annotations

import json

import numpy as np

import lanista
from lanista import _lanista


def shown(env: lanista.ParallelEnv) -> bytes:
    """What the agents see and earned, in the order of the native `chain`."""
    arrays = env._matches.arrays
    parts = []
    for i in range(len(env.possible_agents)):
        for name in ("observation", "mask", "forbidden"):
            parts.append(arrays[name][i][0].tobytes())
        parts.append(bytes([int(arrays["acting"][i][0])]))
        parts.append(arrays["terms"][i][0].tobytes())
    return b"".join(parts)


def test_every_game_has_the_bits_that_it_has_in_rust(game: str, short: dict[str, object]) -> None:
    steps = 60 if game == "vgc" else 400
    for seed in (3, 2**63 + 5):
        first, played = _lanista.chain(game, json.dumps(short), seed, steps)
        env = lanista.parallel(game, illegal="error", **short)
        observations, _ = env.reset(seed=seed)
        assert shown(env) == first
        heads = env.game_spec.layout().heads
        assert len(played) > 0
        for actions, after, end in played:
            rows = np.array(actions).reshape(-1, heads)
            chosen = {agent: rows[seat, : len(env.game_spec.role_of(seat).heads)] for agent, seat in env.seats.items()}
            observations, _, terminated, truncated, _ = env.step(chosen)
            assert shown(env) == after
            assert all(terminated.values()) == (end == 1)
            assert all(truncated.values()) == (end == 2)
        assert set(observations) == set(env.possible_agents)


def test_threads_and_neighbours_change_no_bit() -> None:
    def played(matches: int, threads: int, settle: int) -> list[bytes]:
        env = lanista.make_vec("rocket", matches, team_size=1, limit_secs=3, threads=threads, seed=11)
        env.reset()
        out = []
        for step in range(60):
            actions = np.full(env.action_space.shape, 0) + (np.arange(matches) * 7 + step) % 5
            seen, reward, terminated, truncated, _ = env.step(actions)
            out.append(seen[:settle].tobytes() + reward[:settle].tobytes() + terminated[:settle].tobytes())
        return out

    alone = played(4, 1, 4)
    assert alone == played(4, 2, 4)
    assert alone == played(9, 3, 4)


def test_a_vector_has_the_bits_of_single_environments() -> None:
    import gymnasium

    vector = lanista.make_vec("nh", 1, seed=5)
    single = gymnasium.make("lanista/nh-v0")
    a, _ = vector.reset(seed=5)
    b, _ = single.reset(seed=5)
    assert a[0].tobytes() == b.tobytes()
    for step in range(200):
        action = single.action_space.sample()
        seen, reward, over, cut, info = vector.step(np.array([action]))
        one, earned, terminated, truncated, _ = single.step(action)
        assert (reward[0], over[0], cut[0]) == (earned, terminated, truncated)
        if over[0] or cut[0]:
            assert info["final_obs"][0].tobytes() == one.tobytes()
            one, _ = single.reset()
        assert seen[0].tobytes() == one.tobytes(), step
