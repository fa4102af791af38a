//! Every rule of the contract, under every kind of settings, and no step allocates.

#[path = "../../../crates/game/tests/counting/mod.rs"]
mod counting;

use std::sync::Arc;

use lanista_game::check::{Trial, check_with, no_allocation};
use lanista_game::{Buffers, Control, Game, Kind, Spec};
use lanista_survivors::game::Survivors;
use lanista_survivors::settings::{Settings, ViewKind};
use lanista_survivors::sim::director::Mode;
use lanista_survivors::sim::survivor::Pack;
use serde_json::{Value, json};

fn keeps_the_rules(settings: Value) {
    let entry = &lanista_survivors::games()[0];
    if let Err(broken) = check_with(entry, &settings, Trial::default()) {
        panic!("{settings}: {broken}");
    }
}

#[test]
fn four_survivors_with_the_rich_view() {
    keeps_the_rules(Value::Null);
}

#[test]
fn the_legacy_view() {
    keeps_the_rules(json!({"view": "legacy", "map": "corridor", "survivors": 2, "limit_secs": 60}));
    keeps_the_rules(
        json!({"view": "legacy", "map": "corridor", "action_delay": 7, "limit_secs": 60}),
    );
}

#[test]
fn versus_with_a_learnt_director() {
    keeps_the_rules(json!({
        "map": ["corridor", "street"], "infected": 4, "director": "rl", "difficulty": "expert",
        "limit_secs": 60,
    }));
}

#[test]
fn a_hybrid_director_in_a_finale() {
    keeps_the_rules(json!({"map": "finale", "director": "hybrid", "limit_secs": 90}));
}

#[test]
fn no_step_allocates() {
    let entry = &lanista_survivors::games()[0];
    for settings in [
        json!({"difficulty": "expert"}),
        json!({"view": "legacy", "map": "street"}),
        json!({"map": "finale", "infected": 4, "director": "hybrid"}),
    ] {
        if let Err(broken) =
            no_allocation(entry, &settings, Trial::default(), counting::allocations)
        {
            panic!("{settings}: {broken}");
        }
    }
}

#[test]
fn medkits_are_in_the_packs_where_that_is_asked() {
    let settings = Settings { medkits: true, ..Settings::default() };
    let spec = Arc::new(Spec { name: "survivors".into(), ..Survivors::describe(&settings) });
    let mut game = Survivors::matches(settings, spec.clone(), 1).unwrap().remove(0);
    game.reset(1, &vec![Control::Outside; spec.seats.len()]);
    assert!(game.world().survivors.iter().all(|s| s.pack == Some(Pack::Medkit)));
}

#[test]
fn what_is_decided_outside_takes_effect_later() {
    // Straight ahead from the first tick on; where it has come after so many.
    let walked = |action_delay: u32, control: Control, ticks: usize| {
        let settings = Settings {
            view: ViewKind::Legacy,
            survivors: 1,
            director: Mode::None,
            ticks_per_step: 1,
            action_delay,
            ..Settings::default()
        };
        let spec = Arc::new(Spec { name: "survivors".into(), ..Survivors::describe(&settings) });
        let mut game = Survivors::matches(settings, spec.clone(), 1).unwrap().remove(0);
        let mut seats = vec![Control::Nobody; spec.seats.len()];
        seats[0] = control;
        game.reset(1, &seats);
        let mut buffers = Buffers::new(&spec, 1);
        for _ in 0..ticks {
            game.step(&vec![1; spec.seats.len()], &mut buffers.outcome(0));
        }
        game.world().survivors[0].body.at
    };
    let start = walked(0, Control::Outside, 0);
    assert_eq!(walked(4, Control::Outside, 4), start, "nothing has come through yet");
    for ticks in [1, 5, 20] {
        let late = walked(4, Control::Outside, ticks + 4);
        assert_eq!(late, walked(0, Control::Outside, ticks), "{ticks}");
        assert_ne!(late, start);
        // Whoever is driven inside is where the game is.
        assert_eq!(walked(4, Control::Bot(0), ticks), walked(0, Control::Outside, ticks));
    }
}
