//! Same seed, same bits, whatever the number of threads.

use crate::support::{
    DUEL, FEED_FORWARD, HEADS, LEAGUE, NH, Place, RECURRENT, ROCKET, STACKED, TWO_ROLES,
};

fn threads_do_not_matter(preset: &str) {
    let place = Place::with(&[("preset", preset)]);
    for threads in [1, 2, 5] {
        let line = format!("train preset.yml --seed 7 --threads {threads}");
        place.ok(&format!("{line} --set run.dir=on-{threads}"));
    }
    let one = place.bits("on-1");
    one.assert_same(&place.bits("on-2"), "1 and 2 threads");
    one.assert_same(&place.bits("on-5"), "1 and 5 threads");
}

#[test]
fn feed_forward_networks_repeat_on_any_number_of_threads() {
    threads_do_not_matter(FEED_FORWARD);
}

#[test]
fn recurrent_networks_repeat_on_any_number_of_threads() {
    threads_do_not_matter(RECURRENT);
}

#[test]
fn duels_against_itself_and_a_bot_repeat_on_any_number_of_threads() {
    threads_do_not_matter(DUEL);
}

#[test]
fn rocket_matches_repeat_on_any_number_of_threads() {
    threads_do_not_matter(ROCKET);
}

#[test]
fn leagues_and_curricula_repeat_on_any_number_of_threads() {
    threads_do_not_matter(LEAGUE);
}

#[test]
fn two_roles_repeat_on_any_number_of_threads() {
    threads_do_not_matter(TWO_ROLES);
}

#[test]
fn no_honour_fights_repeat_on_any_number_of_threads() {
    threads_do_not_matter(NH);
}

#[test]
fn dependent_heads_repeat_on_any_number_of_threads() {
    threads_do_not_matter(HEADS);
}

#[test]
fn stacks_noise_and_novelty_repeat_on_any_number_of_threads() {
    threads_do_not_matter(STACKED);
}

#[test]
fn another_seed_gives_other_bits() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    for seed in [1, 2] {
        place.ok(&format!("train preset.yml --steps 800 --seed {seed} --set run.dir=seed-{seed}"));
    }
    assert!(place.bits("seed-1").differs(&place.bits("seed-2")));
}
