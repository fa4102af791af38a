"""Games as PettingZoo environments."""

from __future__ import annotations

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

import lanista


def test_the_api_of_pettingzoo(game: str, short: dict[str, object]) -> None:
    parallel_api_test(lanista.parallel(game, **short), num_cycles=30 if game == "vgc" else 200)


def test_seeds_of_pettingzoo(game: str, short: dict[str, object]) -> None:
    parallel_seed_test(lambda: lanista.parallel(game, **short), num_cycles=10 if game == "vgc" else 50)


def test_agents_are_called_after_their_roles() -> None:
    assert lanista.parallel("duel").possible_agents == ["player_0", "player_1"]
    agents = lanista.parallel("hideout").possible_agents
    assert {name.rsplit("_", 1)[0] for name in agents} == {"hider", "seeker"}
    assert lanista.parallel("rocket", team_size=1, orange_size=0).possible_agents == ["player_0"]


def test_a_waiting_seat_is_told_so_and_ignored() -> None:
    env = lanista.parallel("odd-one")
    both = []
    for wrong in (0, 1):
        _, infos = env.reset(seed=5)
        rows = []
        for _ in range(20):
            if not env.agents:
                break
            actions = {}
            for agent in env.agents:
                first = int(np.flatnonzero(infos[agent]["action_mask"])[0])
                actions[agent] = first if infos[agent]["acting"] else wrong
            observations, rewards, *_, infos = env.step(actions)
            rows.append([observations[a].tobytes() for a in observations] + [rewards])
        both.append(rows)
    assert both[0] == both[1]


def test_scripted_seats_are_no_agents() -> None:
    env = lanista.parallel("rocket", team_size=1, bots={"player_1": "random"})
    assert env.possible_agents == ["player_0"]
    with pytest.raises(lanista.PresetError, match="no seat `player_9`"):
        lanista.parallel("rocket", team_size=1, bots={"player_9": "random"})


def test_an_agent_that_must_act_and_does_not_is_named() -> None:
    env = lanista.parallel("duel")
    env.reset(seed=1)
    with pytest.raises(KeyError, match="player_1"):
        env.step({"player_0": 0})
    with pytest.raises(KeyError, match="player_7"):
        env.step({"player_7": 0})


def test_arrays_are_the_same_without_copying_and_fresh_with() -> None:
    for copy in (False, True):
        env = lanista.parallel("duel", copy=copy)
        first, told = env.reset(seed=1)
        agent = env.agents[0]
        before = first[agent].copy()
        second, _, _, _, infos = env.step({a: 0 for a in env.agents})
        assert np.shares_memory(first[agent], second[agent]) != copy
        assert np.shares_memory(told[agent]["action_mask"], infos[agent]["action_mask"]) != copy
        assert np.array_equal(before, first[agent]) == copy
        assert infos[agent]["action_mask"].dtype == np.int8


def test_without_copying_a_match_is_the_same() -> None:
    played = []
    for copy in (False, True):
        env = lanista.parallel("duel", copy=copy)
        env.reset(seed=3)
        rows = []
        while env.agents and len(rows) < 60:
            seen, rewards, *_ = env.step({a: len(rows) % 3 for a in env.agents})
            rows.append(([row.copy() for row in seen.values()], list(rewards.values())))
        played.append(rows)
    for (seen, rewards), (other, others) in zip(*played, strict=True):
        assert all(map(np.array_equal, seen, other)) and rewards == others
