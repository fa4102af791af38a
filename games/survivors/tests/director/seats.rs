//! The temperaments, a policy in the director's seat, and finales.

use lanista_survivors::sim::director::{FINALE_SECS, Order, WAVE_SECS};
use lanista_survivors::sim::infected::Class;
use lanista_survivors::sim::numbers::{TICK_SECS, ticks};
use lanista_survivors::sim::world::{Ending, World};
use serde_json::json;

use crate::drive::Table;

#[test]
fn a_policy_alone_decides_everything() {
    for map in ["apartment", "finale"] {
        let mut table = Table::new(json!({"map": map, "director": "rl", "limit_secs": 200}));
        for seed in 0..5 {
            let nobody = |world: &World| {
                assert!(world.commons.is_empty() && world.specials.is_empty());
            };
            table.play(seed, |_| Order::Idle, nobody);
        }
        let mut ordered = 0;
        table.play(
            9,
            |world| {
                let now = world.now.is_multiple_of(300) && world.may_order(Order::Hunter);
                ordered += u32::from(now);
                if now { Order::Hunter } else { Order::Idle }
            },
            |_| {},
        );
        let account = table.game.world().director.account;
        assert!(ordered > 0 && account.specials > 0 && account.specials <= ordered);
        assert_eq!((account.commons, account.mobs, account.bosses), (0, 0, 0));
    }
}

#[test]
fn a_hybrid_leaves_spawns_to_the_rules_and_has_the_events() {
    let mut table = Table::new(json!({"map": "street", "director": "hybrid"})).strolling();
    let mut specials = 0;
    for seed in 0..20 {
        table.play(seed, |_| Order::Idle, |_| {});
        let account = table.game.world().director.account;
        assert_eq!(account.bosses, 0, "nobody ordered one");
        assert!(account.commons > 0);
        specials += account.specials;
    }
    assert!(specials > 20, "{specials}");
    for (order, class) in [(Order::Tank, Class::Tank), (Order::Witch, Class::Witch)] {
        let mut came = false;
        table.play(3, |_| order, |world| came |= world.count(class) > 0);
        assert!(came, "{order:?}");
    }
    table.play(3, |_| Order::Panic, |_| {});
    assert!(table.game.world().director.account.mobs >= 2);
    // What is the rules' is not obeyed.
    table.play(3, |_| Order::ManyCommons, |_| {});
    let commons = table.game.world().director.account.commons;
    table.play(3, |_| Order::Idle, |_| {});
    assert_eq!(table.game.world().director.account.commons, commons);
}

/// What came of a finale, in seconds since it began.
#[derive(Default)]
struct Finale {
    waves: Vec<f32>,
    tanks: Vec<f32>,
    saved: Option<f32>,
}

fn finale(table: &mut Table, seed: u64) -> Finale {
    let mut seen = Finale::default();
    let (mut panic_until, mut tanks_before) = (0, 0);
    let watch = |world: &World| {
        let director = &world.director;
        let tanks = world.count(Class::Tank);
        if let Some(since) = director.finale_since {
            let secs = world.now.saturating_sub(1 + since) as f32 * TICK_SECS;
            if director.panic_until > panic_until {
                assert!(tanks == 0 || tanks_before == 0, "a wave came with a tank about");
                seen.waves.push(secs);
            }
            let born = |s: &&_| is_new_tank(s, world.now);
            if world.specials.iter().any(|s| born(&s)) {
                seen.tanks.push(secs);
            }
            let closed = world.now < since + ticks(FINALE_SECS);
            assert_eq!(world.goal_is_closed(), closed, "the rescue comes after {FINALE_SECS} s");
            if world.ending == Some(Ending::Safe) {
                seen.saved = Some(secs);
            }
        } else {
            assert!(world.goal_is_closed() && world.ending != Some(Ending::Safe));
            assert_eq!(director.panic_until, 0, "a wave before the finale");
        }
        (panic_until, tanks_before) = (director.panic_until, tanks);
    };
    table.play(seed, |_| Order::Idle, watch);
    seen
}

fn is_new_tank(special: &lanista_survivors::sim::infected::Special, now: u32) -> bool {
    special.alive && special.class == Class::Tank && special.born_at + 1 == now
}

#[test]
fn a_finale_is_a_wave_a_tank_a_wave_and_the_rescue() {
    for mode in ["rule", "hybrid"] {
        let settings = json!({
            "map": "finale", "director": mode, "ticks_per_step": 1, "difficulty": "easy",
        });
        let mut table = Table::new(settings);
        let mut begun = 0;
        let (mut second_waves, mut tanks, mut saved) = (0, 0, 0);
        for seed in 0..40 {
            let seen = finale(&mut table, seed);
            let Some(&first) = seen.waves.first() else { continue };
            begun += 1;
            assert!(first < WAVE_SECS, "{mode}: the first wave came after {first} s");
            assert!(seen.waves.len() <= 2, "{mode}: {:?}", seen.waves);
            if let Some(second) = seen.waves.get(1) {
                second_waves += 1;
                assert!((2.0 * WAVE_SECS - 0.1..FINALE_SECS).contains(second), "{second}");
            }
            // One may have waited on the way; the finale's own comes after the first wave.
            let own = seen.tanks.iter().filter(|&&secs| secs >= WAVE_SECS - 0.1).count();
            assert!(own <= 1, "{mode}: {:?}", seen.tanks);
            tanks += own;
            if let Some(secs) = seen.saved {
                saved += 1;
                assert!(secs >= FINALE_SECS - 0.1, "{mode}: saved after {secs} s");
            }
        }
        let counts = [begun, tanks, second_waves, saved];
        println!("{mode}: finales, tanks, second waves, rescues: {counts:?}");
        assert!(counts.iter().all(|&n| n >= 20), "{mode}: {counts:?}");
    }
}
