//! The phases over 200 matches, beside the published constants.

use lanista_survivors::maps;
use lanista_survivors::sim::director::{
    BUILD_UP_SECS, FIRST_SPECIAL_SECS, MOB_SECS, MOB_SIZE, Order, Phase, RELAX_SECS, SPECIAL_LIMIT,
    SUSTAIN_SECS, Temperament,
};
use serde_json::json;

use crate::drive::Table;
use crate::watch::{Seen, Watch};

/// A tick either way: times are whole ticks.
const TICK: f32 = 0.034;
/// A mob whose time has come in a pause looks again after this.
const LOOKS_AGAIN_SECS: f32 = 5.0;

fn watched(maps: &[&str], temperament: Temperament, matches: u64) -> Seen {
    let mut seen = Seen::default();
    for map in maps {
        let mut table = Table::new(json!({
            "map": map, "director": "rule", "temperament": temperament, "ticks_per_step": 1,
        }))
        .strolling();
        for seed in 0..matches {
            let mut watch = Watch::new(&mut seen);
            table.play(seed, |_| Order::Idle, |world| watch.see(world));
        }
    }
    seen
}

fn least_mean_most(values: &[f32]) -> [f32; 3] {
    let least = values.iter().copied().fold(f32::INFINITY, f32::min);
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    [least, values.iter().sum::<f32>() / values.len() as f32, most]
}

fn row(what: &str, published: &str, values: &[f32]) {
    let [least, mean, most] = least_mean_most(values);
    println!("| {what} | {published} | {least:.1} | {mean:.1} | {most:.1} | {} |", values.len());
}

fn tell(seen: &Seen) {
    println!("| what | published | least | mean | most | times |\n|---|---|---|---|---|---|");
    let [build_up, sustain, fade, relax] = &seen.phase_secs;
    row("build-up, s", "15 or more", build_up);
    row("sustained peak, s", "3 to 5", sustain);
    row("fade, s", "until below 0.9", fade);
    row("relaxation, s", "30 to 45", relax);
    let sizes: Vec<f32> = seen.mob_sizes.iter().map(|&size| size as f32).collect();
    row("commons of a mob", "10 to 30", &sizes);
    row("from mob to mob, s", "90 or more", &seen.mob_gaps);
    row("the same without pauses and tanks", "180 or less", &seen.mob_gaps_free);
    row("first special, s", "30 to 60", &seen.first_special_secs);
    println!("\n| never | times broken |\n|---|---|");
    for (rule, times) in &seen.broken {
        println!("| {rule} | {times} |");
    }
    println!(
        "\n{} relaxations ended by walking on; at most {} specials at once, {} of a class; {} commons, \
         {} specials and {} bosses came, the nearest {:.0} units from anybody; {:.0} minutes",
        seen.walked_on,
        seen.most_specials,
        seen.most_of_a_class,
        seen.commons,
        seen.specials,
        seen.bosses,
        seen.nearest.unwrap_or_default(),
        seen.minutes,
    );
}

fn within(what: &str, values: &[f32], [least, most]: [f32; 2], enough: usize) {
    assert!(values.len() >= enough, "{what}: only {} times", values.len());
    let [low, _, high] = least_mean_most(values);
    assert!(low >= least - TICK && high <= most + TICK, "{what}: {low} to {high}");
}

#[test]
fn two_hundred_matches_are_paced_as_published() {
    let seen = watched(&maps::NAMES, Temperament::Standard, 50);
    tell(&seen);
    for (rule, times) in &seen.broken {
        assert_eq!(*times, 0, "{rule}");
    }
    let secs = |phase: Phase| &seen.phase_secs[phase as usize];
    within("build-up", secs(Phase::BuildUp), [BUILD_UP_SECS, f32::INFINITY], 20);
    within("sustain", secs(Phase::Sustain), SUSTAIN_SECS, 100);
    let relax = secs(Phase::Relax);
    let rested = relax.iter().filter(|&&s| s >= RELAX_SECS[0] - TICK).count();
    assert!(rested + seen.walked_on >= relax.len() && relax.len() >= 50);
    let sizes: Vec<f32> = seen.mob_sizes.iter().map(|&size| size as f32).collect();
    within("mob", &sizes, MOB_SIZE.map(|size| size as f32), 30);
    let [least, most] = MOB_SECS;
    within("mob to mob", &seen.mob_gaps, [least, f32::INFINITY], 30);
    within("mob to mob, free", &seen.mob_gaps_free, [0.0, most + LOOKS_AGAIN_SECS], 30);
    within("first special", &seen.first_special_secs, FIRST_SPECIAL_SECS, 20);
    assert!((2..=SPECIAL_LIMIT).contains(&seen.most_specials) && seen.most_of_a_class == 1);
    assert!(seen.commons > 1000 && seen.specials > 100 && seen.bosses > 50);
}

#[test]
fn temperaments_differ_in_how_often_and_not_in_how() {
    let all =
        [Temperament::Relaxed, Temperament::Standard, Temperament::Intense, Temperament::Nightmare];
    println!(
        "| temperament | first special, s | mob to mob, s | specials a minute | bosses a match |"
    );
    println!("|---|---|---|---|---|");
    let mut specials_before = 0.0;
    for temperament in all {
        let matches = 12;
        let seen = watched(&["apartment", "street"], temperament, matches);
        for (rule, times) in &seen.broken {
            assert_eq!(*times, 0, "{temperament:?}: {rule}");
        }
        let often = temperament.frequency();
        within("first special", &seen.first_special_secs, FIRST_SPECIAL_SECS.map(|s| s / often), 5);
        let [least, most] = MOB_SECS.map(|secs| secs / often);
        within("mob to mob", &seen.mob_gaps, [least, f32::INFINITY], 5);
        within("mob to mob, free", &seen.mob_gaps_free, [0.0, most + LOOKS_AGAIN_SECS], 5);
        // Sizes, pauses and limits are the same for all.
        let sizes: Vec<f32> = seen.mob_sizes.iter().map(|&size| size as f32).collect();
        within("mob", &sizes, MOB_SIZE.map(|size| size as f32), 5);
        within("sustain", &seen.phase_secs[Phase::Sustain as usize], SUSTAIN_SECS, 5);
        assert!(seen.most_specials <= SPECIAL_LIMIT && seen.most_of_a_class == 1);
        let specials = seen.specials as f32 / seen.minutes;
        let bosses = seen.bosses as f32 / (2 * matches) as f32;
        let [first, _, last] = least_mean_most(&seen.first_special_secs);
        let [_, gap, _] = least_mean_most(&seen.mob_gaps);
        println!(
            "| {temperament:?} | {first:.1} to {last:.1} | {gap:.0} | {specials:.2} | {bosses:.2} |"
        );
        assert!(specials > specials_before, "{temperament:?}");
        specials_before = specials;
    }
}
