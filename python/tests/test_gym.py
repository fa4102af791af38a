"""Games as Gymnasium environments."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import lanista


def test_gymnasiums_own_checker_passes(game: str, short: dict[str, object]) -> None:
    env = gymnasium.make(f"lanista/{game}-v0", disable_env_checker=True, **short)
    check_env(env.unwrapped, skip_render_check=True)


def test_a_module_prefix_imports_the_package() -> None:
    assert gymnasium.make("lanista:lanista/cartpole-v0").reset(seed=1)[0].shape == (4,)


def test_a_registered_game_makes_a_vector_of_our_own() -> None:
    env = gymnasium.make_vec("lanista/cartpole-v0", num_envs=5, vectorization_mode="vector_entry_point")
    assert isinstance(env.unwrapped, lanista.VectorEnv)
    assert env.reset(seed=1)[0].shape == (5, 4)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasiums_own_vectors_step_every_game(game: str, short: dict[str, object], mode: str) -> None:
    many = gymnasium.make_vec(f"lanista:lanista/{game}-v0", num_envs=2, vectorization_mode=mode, **short)
    try:
        _, info = many.reset(seed=1)
        assert info["seed"].dtype == np.uint64
        assert info["action_mask"].shape[0] == 2
        for _ in range(20):
            mask = [lanista.sample_mask(many.single_action_space, row) for row in info["action_mask"]]
            seen, reward, _, _, info = many.step(np.stack([many.single_action_space.sample(mask=m) for m in mask]))
            assert seen.shape[0] == 2 and np.isfinite(reward).all()
    finally:
        many.close(terminate=True)


def test_heads_are_a_multi_discrete_and_masks_lie_side_by_side() -> None:
    env = lanista.make_vec("nh", 3)
    _, info = env.reset(seed=1)
    assert isinstance(env.single_action_space, gymnasium.spaces.MultiDiscrete)
    assert info["action_mask"].shape == (3, env.single_action_space.nvec.sum())
    assert info["action_mask"].dtype == np.int8
    for row in info["action_mask"]:
        mask = lanista.sample_mask(env.single_action_space, row)
        action = env.single_action_space.sample(mask=mask)
        assert all(part[choice] for part, choice in zip(mask, action, strict=True))


def test_rewards_are_weighted_terms() -> None:
    weights = {"touch": 2.0, "velocity_player_to_ball": 0.5}
    env = lanista.make_vec("rocket", 4, team_size=1, rewards=weights, seed=3)
    env.reset()
    for _ in range(50):
        _, reward, _, _, info = env.step(env.action_space.sample())
        if "final_info" in info:
            continue
        terms = info["terms"]
        expected = sum(terms[name].astype(np.float64) * weight for name, weight in weights.items())
        assert np.allclose(reward, expected, rtol=1e-6, atol=1e-9)


def steps(env: lanista.VectorEnv, most: int) -> list[tuple]:
    env.reset(seed=4)
    rows = []
    for step in range(most):
        action = np.full(env.num_envs, step % 2)
        rows.append(tuple(np.copy(part) if isinstance(part, np.ndarray) else part for part in env.step(action)))
    return rows


def test_same_step_autoreset_shows_the_last_observation() -> None:
    env = lanista.make_vec("cartpole", 3)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    ended = 0
    for seen, _, terminated, truncated, info in steps(env, 200):
        over = terminated | truncated
        assert over.any() == ("final_obs" in info)
        for m in np.flatnonzero(over):
            ended += 1
            assert not np.array_equal(info["final_obs"][m], seen[m])
            assert info["_final_obs"][m] and info["_final_info"][m]
            assert info["final_info"]["terms"]["balance"][m] == 1.0
    assert ended > 3


def test_next_step_autoreset_spends_a_step_on_it() -> None:
    env = lanista.make_vec("cartpole", 3, autoreset_mode="NextStep")
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    same = lanista.make_vec("cartpole", 3)
    before = np.zeros(3, bool)
    begun = None
    for seen, reward, terminated, truncated, info in steps(env, 200):
        assert "final_obs" not in info
        assert not (before & (terminated | truncated)).any()
        assert (reward[before] == 0).all()
        if before[0] and begun is None:
            begun = seen[0]
        before = terminated | truncated
    # The same episodes in the same order.
    follows = next(seen[0] for seen, _, t, u, _ in steps(same, 200) if t[0] or u[0])
    assert np.array_equal(begun, follows)


def test_without_autoreset_matches_wait_for_their_mask() -> None:
    env = lanista.make_vec("cartpole", 2, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=4)
    over = np.zeros(2, bool)
    while not over.any():
        _, _, terminated, truncated, _ = env.step(np.zeros(2, int))
        over = terminated | truncated
    with pytest.raises(RuntimeError, match="are over"):
        env.step(np.zeros(2, int))
    env.reset(options={"reset_mask": over})
    env.step(np.zeros(2, int))


def test_arrays_are_the_same_without_copying_and_fresh_with() -> None:
    for copy in (False, True):
        env = lanista.make_vec("cartpole", 2, copy=copy)
        first, info = env.reset(seed=1)
        second, *_ = env.step(np.zeros(2, int))
        assert np.shares_memory(first, second) != copy
        assert np.shares_memory(info["action_mask"], env._matches.arrays["mask"][0]) != copy


def test_seeds_repeat_and_episodes_differ() -> None:
    env = lanista.make_vec("cartpole", 2)
    first, _ = env.reset(seed=9)
    second, _ = env.reset()
    again, _ = env.reset(seed=9)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)
    assert not np.array_equal(first[0], first[1])
    apart, _ = env.reset(seed=[9, 3])
    assert np.array_equal(apart[0], first[0]) and not np.array_equal(apart[1], first[1])


def test_truncated_is_not_terminated() -> None:
    env = lanista.make("rocket", team_size=1, orange_size=0, limit_secs=1)
    env.reset(seed=1)
    for _ in range(1000):
        *_, terminated, truncated, info = env.step(0)
        if terminated or truncated:
            break
    assert truncated and not terminated and "score" in info


def test_what_is_wrong_is_named() -> None:
    for wrong, words in [
        (lambda: lanista.make_vec("rokket"), "did you mean `rocket`"),
        (lambda: lanista.make_vec("rocket", rewards={"tuch": 1}), "did you mean `touch`"),
        (lambda: lanista.make_vec("rocket", team_sise=1), "team_sise"),
        (lambda: lanista.make_vec("duel", opponent="bot:nobody"), "bot:"),
        (lambda: lanista.make_vec("rocket", seat="goalkeeper"), "goalkeeper"),
        (lambda: lanista.make_vec("cartpole", matches=0), "at least one"),
    ]:
        with pytest.raises(lanista.PresetError, match=words):
            wrong()
    env = lanista.make_vec("cartpole", 1)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="has no action 2"):
        env.step(np.array([2]))


def test_arguments_of_the_wrong_kind_are_named() -> None:
    many = lanista.make_vec("cartpole", 2)
    for wrong, words in [
        (lambda: lanista.make_vec("rocket", rewards=["touch"]), "rewards: .* not \\['touch'\\]"),
        (lambda: lanista.make_vec("rocket", rewards={"touch": "much"}), "rewards: touch: 'much' is no number"),
        (lambda: lanista.make_vec("cartpole", matches=10**10), "matches: 10,000,000,000 .* GB"),
        (lambda: lanista.make_vec("cartpole", matches=10**30), "matches: .* GB"),
        (lambda: lanista.make_vec("cartpole", matches=-1), "matches: there must be at least one"),
        (lambda: many.reset(seed=1.5), "seed: 1.5 is no whole number"),
        (lambda: many.reset(seed=[1, 2.5]), "seed: 2.5 is no whole number"),
        (lambda: many.reset(seed=-1), "seed: -1 is not between"),
    ]:
        with pytest.raises((lanista.PresetError, ValueError), match=words):
            wrong()


def test_a_step_needs_a_match_that_runs() -> None:
    needed = pytest.raises(gymnasium.error.ResetNeeded, match="reset")
    many, one = lanista.make_vec("cartpole", 2), lanista.make("cartpole")
    with needed:
        many.step(np.zeros(2, int))
    with needed:
        one.step(0)
    many.reset(seed=1, options={"reset_mask": np.array([True, False])})
    with needed:
        many.step(np.zeros(2, int))
    many.reset(options={"reset_mask": np.array([False, True])})
    many.step(np.zeros(2, int))
    one.reset(seed=1)
    while not any(one.step(0)[2:4]):
        pass
    with needed:
        one.step(0)
    one.reset()
    one.step(0)


def test_a_seed_is_that_of_the_generator_too() -> None:
    many = lanista.make_vec("cartpole", 2, seed=4)
    assert many.np_random_seed == 4
    many.reset(seed=9)
    assert many.np_random_seed == 9
    drawn = many.np_random.integers(1000)
    many.reset(seed=np.int64(9))
    assert many.np_random.integers(1000) == drawn


def test_illegal_actions_are_replaced_or_refused() -> None:
    def illegal(env: lanista.VectorEnv) -> tuple[np.ndarray, int]:
        _, info = env.reset(seed=2)
        sizes = np.atleast_1d(getattr(env.single_action_space, "nvec", getattr(env.single_action_space, "n", 0)))
        mask = info["action_mask"][0].astype(bool)
        at = 0
        action = []
        for size in sizes:
            part = mask[at : at + size]
            action.append(int(np.flatnonzero(~part)[0]) if not part.all() else 0)
            at += size
        return np.array([action]), int(not mask.all())

    env = lanista.make_vec("legal", 1)
    action, any_illegal = illegal(env)
    assert any_illegal
    *_, info = env.step(action)
    assert info["replaced"].all()
    env = lanista.make_vec("legal", 1, illegal="error")
    action, _ = illegal(env)
    with pytest.raises(ValueError, match="is not legal now"):
        env.step(action)


def test_a_preset_brings_its_settings_and_weights() -> None:
    env = lanista.make_vec("rocket/touch", 2)
    names = env.game_spec.term_names
    weights = dict(zip(names, env._matches.native.weights[0], strict=True))
    assert weights["touch"] == 1.0 and weights["goal"] == 0.0
    assert sum(not seat.empty for seat in env.game_spec.seats) == 1


def test_another_thread_runs_while_matches_are_stepped() -> None:
    import threading

    env = lanista.make_vec("rocket", 256, team_size=1, threads=1)
    env.reset(seed=1)
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1

    other = threading.Thread(target=count)
    other.start()
    actions = env.action_space.sample()
    before = counted[0]
    for _ in range(20):
        env.step(actions)
    done.set()
    other.join()
    assert counted[0] > before
