use super::*;
use lanista_game::Buffers;

fn game(settings: Settings) -> Hideout {
    let spec = Arc::new(Hideout::describe(&settings));
    Hideout::matches(settings, spec, 1).unwrap().pop().unwrap()
}

/// Who plays a side.
#[derive(Clone, Copy)]
enum Player {
    Bot(usize),
    /// Always this, as far as it is open.
    Pure([u32; 2]),
}

fn play(game: &mut Hideout, seed: u64, players: [Player; 2]) -> Buffers {
    let mut buffers = Buffers::new(game.spec(), 1);
    game.reset(seed, &[Control::Outside; 2]);
    for _ in 0..game.rules.settings.rounds {
        game.observe(&mut buffers.view(0));
        assert_eq!((&buffers.acting[..], buffers.end[0]), (&[true, true][..], None));
        let mut actions = [0; 4];
        for (seat, action) in actions.chunks_mut(2).enumerate() {
            let own = game.spec.role_of(seat).heads.len();
            match players[seat] {
                Player::Bot(bot) => game.scripted(bot, seat, &mut action[..own]),
                Player::Pure(choice) => {
                    let open = if choice[0] as usize == game.locked { [0, 1] } else { choice };
                    action.copy_from_slice(&open);
                    if action[0] as usize == game.locked {
                        action[0] = 1;
                    }
                }
            }
        }
        game.step(&actions, &mut buffers.outcome(0));
    }
    game.observe(&mut buffers.view(0));
    assert_eq!((&buffers.acting[..], buffers.end[0]), (&[false, false][..], Some(End::Terminated)));
    buffers
}

/// What the hider wins a round, on average.
fn mean(players: [Player; 2]) -> f64 {
    let mut game = game(Settings { rounds: 20_000, ..Settings::default() });
    f64::from(play(&mut game, 5, players).score[HIDER]) / 20_000.0
}

#[test]
fn a_round_pays_what_the_table_says() {
    let mut game = game(Settings::default());
    let mut buffers = Buffers::new(game.spec(), 1);
    for (hidden, looked, tool, won) in [
        (0, 0, LANTERN, -5.0),
        (0, 1, LANTERN, 5.0),
        (3, 3, DOG, 1.5 - 2.0),
        (3, 2, DOG, 1.5 - 2.0),
        (4, 3, DOG, 1.5 - 2.0),
        (3, 1, DOG, 1.5 + 6.0),
        (2, 4, LANTERN, 2.0),
    ] {
        game.reset(1, &[Control::Outside; 2]);
        game.step(&[hidden, 9, looked, tool as u32], &mut buffers.outcome(0));
        assert_eq!(buffers.terms, [won, -won], "{hidden} {looked} {tool}");
    }
}

#[test]
fn perfect_players_earn_the_value_and_nobody_earns_more_of_them() {
    let value = Equilibrium::of(&Settings::default()).value();
    let balanced = Player::Bot(BALANCED);
    // A round's standard deviation is below 5, so that of the mean is below 0.036.
    let earned = mean([balanced, balanced]);
    assert!((earned - value).abs() < 0.12, "{earned}");
    for place in 0..PLACES as u32 {
        for tool in 0..2 {
            let earned = mean([balanced, Player::Pure([place, tool])]);
            assert!(earned > value - 0.12, "{place} {tool}: {earned}");
        }
        let earned = mean([Player::Pure([place, 0]), balanced]);
        assert!(earned < value + 0.12, "{place}: {earned}");
    }
}

#[test]
fn the_others_can_be_exploited() {
    let settings = Settings::default();
    let value = Equilibrium::of(&settings).value();
    // The mill is worth most; while it is locked the cellar is, which is the pure player's next choice.
    let earned = mean([Player::Pure([3, 0]), Player::Bot(BIASED)]);
    let expected = value + seeker_exploitability(&settings, &BIASED_SEEKER);
    assert!((earned - expected).abs() < 0.12, "{earned} but {expected}");
    let greedy = mean([Player::Bot(3), Player::Pure([3, 0])]);
    assert!(greedy < value - 3.0, "{greedy}");
    assert!(mean([Player::Bot(3), Player::Bot(3)]) < value - 3.0, "the follower finds the greedy");
    assert!(mean([Player::Bot(BALANCED), Player::Bot(RANDOM)]) > value + 0.3);
}

#[test]
fn each_role_sees_its_own() {
    let mut game = game(Settings::default());
    let mut buffers = Buffers::new(game.spec(), 1);
    game.reset(3, &[Control::Outside; 2]);
    game.step(&[2, 0, 1, 0], &mut buffers.outcome(0));
    game.locked = 4;
    let mut view = buffers.view(0);
    game.observe(&mut view);
    let left = 7.0 / 8.0;
    assert_eq!(*view.seat(HIDER).observation, [0.0, 0.0, 0.0, 0.0, 1.0, left]);
    let last = [0.0, 0.0, 1.0, 0.0, 0.0];
    assert_eq!(
        *view.seat(SEEKER).observation,
        [&[0., 0., 0., 0., 1.][..], &last, &[left]].concat()
    );
    assert_eq!(*view.seat(HIDER).mask, [true, true, true, true, false]);
    assert_eq!(*view.seat(SEEKER).mask, [true, true, true, true, false, true, true]);
    let seeker = &game.spec.roles[SEEKER];
    assert!(!seeker.allows(&[4, 1], &[true; 7], &[]), "no dog climbs the tower");
    assert_eq!(game.spec.sides(), [0, 1]);
}

#[test]
fn stats_are_the_shares_of_choices() {
    let rounds = 20_000;
    let mut game = game(Settings { rounds, ..Settings::default() });
    let buffers = play(&mut game, 5, [Player::Bot(BALANCED); 2]);
    let found = Equilibrium::of(&Settings::default());
    let names = game.spec.stat_names();
    let of = |seat: usize, name: &str| {
        let at = names.iter().position(|n| n == name).unwrap();
        f64::from(game.spec.stats_of(seat, &buffers.stats)[at])
    };
    for (place, name) in NAMES.iter().enumerate() {
        let mean = |share: &dyn Fn(usize) -> f64| (0..PLACES).map(share).sum::<f64>() / 5.0;
        let hidden = mean(&|locked| found.hider[locked][place]);
        let looked = mean(&|locked| found.seeker[locked][place].iter().sum());
        assert!((of(HIDER, name) - hidden).abs() < 0.015, "{name}");
        assert!((of(SEEKER, name) - looked).abs() < 0.015, "{name}");
        assert_eq!(of(HIDER, &format!("opponent_{name}")), of(SEEKER, name));
    }
    assert!(of(HIDER, "dog") > 0.1 && of(HIDER, "found") > 0.1);
}

#[test]
fn impossible_settings_are_refused() {
    let worths = [1.0, 1.0, -1.0, 1.0, 1.0];
    let error = Settings { worths, ..Settings::default() }.check().unwrap_err();
    assert!(error.to_string().starts_with("settings.worths: -1 "), "{error}");
    assert!(Settings { rounds: 0, ..Settings::default() }.check().is_err());
    assert!(Settings { fee: f64::NAN, ..Settings::default() }.check().is_err());
}
