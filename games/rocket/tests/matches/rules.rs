//! Rules of a match under its settings: limits of speed, delays, whole games, drawn teams.

use std::sync::Arc;

use lanista_game::{Buffers, Control, End, Game, GameSettings, seed};
use lanista_rocket::arena;
use lanista_rocket::game::{Rocket, describe};
use lanista_rocket::settings::Settings;
use lanista_rocket::start::StartKind;
use lanista_rocket::state::{Car, Team};
use lanista_rocket::table::names;
use rocketsim::Vec3A;
use serde_json::{Value, json};

const ROWS: usize = 90;

/// A match with what it shows.
struct Table {
    game: Rocket,
    buffers: Buffers,
    joint: Vec<u32>,
    seats: Vec<Control>,
}

impl Table {
    fn new(settings: Value, seed: u64) -> Self {
        let settings: Settings = serde_json::from_value(settings).unwrap();
        settings.check().unwrap();
        let spec = Arc::new(describe(&settings));
        let source = arena::prepare(None).unwrap();
        let game = Rocket::new(Arc::new(settings), spec.clone(), source);
        let seats = spec.seats.len();
        let mut table = Self {
            game,
            buffers: Buffers::new(&spec, 1),
            joint: vec![0; seats],
            seats: vec![Control::Outside; seats],
        };
        table.reset(seed);
        table
    }

    fn reset(&mut self, seed: u64) {
        self.game.reset(seed, &self.seats);
        self.game.observe(&mut self.buffers.view(0));
    }

    fn step(&mut self) -> Option<End> {
        self.game.step(&self.joint, &mut self.buffers.outcome(0));
        self.game.observe(&mut self.buffers.view(0));
        self.buffers.end[0]
    }

    /// Everybody does this.
    fn hold(&mut self, action: &str) {
        let row = names().iter().position(|n| n == action).unwrap();
        self.joint.fill(row as u32);
    }

    /// Scripted players drive the seats from the start of the next match on.
    fn hand_over(&mut self, bots: &[&str]) {
        let role = &self.game.spec().roles[0];
        self.seats = bots.iter().map(|name| Control::Bot(role.bot(name).unwrap())).collect();
    }

    fn ask(&mut self) {
        for seat in 0..self.joint.len() {
            if let (Control::Bot(bot), true) = (self.seats[seat], self.buffers.acting[seat]) {
                self.game.scripted(bot, seat, &mut self.joint[seat..=seat]);
            }
        }
    }

    fn random(&mut self, draw: &mut u64) {
        for seat in 0..self.joint.len() {
            *draw = seed::mix(*draw, 1);
            let mask = &self.buffers.mask[seat * ROWS..(seat + 1) * ROWS];
            let legal: Vec<usize> = (0..ROWS).filter(|&row| mask[row]).collect();
            self.joint[seat] = legal[(*draw % legal.len() as u64) as usize] as u32;
        }
    }

    fn term(&self, seat: usize, name: &str) -> f32 {
        let spec = self.game.spec();
        self.buffers.terms[seat * spec.terms.len() + spec.term(name).unwrap()]
    }

    fn seen(&self, seat: usize, name: &str) -> f32 {
        let spec = self.game.spec();
        let feature = spec.roles[0].flat_features().iter().position(|f| f.name == name).unwrap();
        self.buffers.observation[seat * spec.roles[0].features() + feature]
    }

    fn car(&self, car: usize) -> &Car {
        &self.game.state().cars[car]
    }
}

#[test]
fn no_speed_and_no_spin_exceeds_the_games_limits() {
    let start = json!({"kickoff": 1, "random": 2, "turtled": 2, "air_dribble": 1, "goal_line": 1});
    let mut table = Table::new(json!({"team_size": 2, "start": start, "limit_secs": 10}), 0);
    let mut draw = 7;
    for step in 0..6000 {
        table.random(&mut draw);
        if table.step().is_some() {
            table.reset(step);
        }
        let within = |vel: Vec3A, ang_vel: Vec3A, most: f32, spin: f32| {
            assert!(vel.length() <= most + 0.01, "{} of {most}", vel.length());
            assert!(ang_vel.length() <= spin + 1e-4, "{} of {spin}", ang_vel.length());
        };
        let state = table.game.state();
        within(state.ball.vel, state.ball.ang_vel, 6000.0, 6.0);
        state.cars.iter().for_each(|car| within(car.body.vel, car.body.ang_vel, 2300.0, 5.5));
    }
}

/// Figures of C++ RocketSim, along the car's own forward and up.
#[test]
fn actions_take_effect_so_many_ticks_late() {
    let figures: Value =
        serde_json::from_str(include_str!("../../fixtures/cpp_rocketsim.json")).unwrap();
    for case in figures["delays"].as_array().unwrap() {
        let delay = case["ticks"].as_u64().unwrap();
        let settings = json!({"orange_size": 0, "action_delay": delay});
        let mut table = Table::new(settings, 3);
        let from = *table.car(0);
        let decisions = ["jump", "drive", "drive", "reverse", "reverse", "reverse"];
        for (action, figure) in decisions.iter().zip(case["decisions"].as_array().unwrap()) {
            table.hold(action);
            table.step();
            let (now, figure) = (table.car(0).body, figure.as_array().unwrap());
            let want = |i: usize| figure[i].as_f64().unwrap() as f32;
            let moved = (now.pos - from.body.pos).dot(from.forward());
            for (got, want, off) in [
                (moved, want(0), 1.0),
                (now.pos.z, want(2), 1.0),
                (now.vel.dot(from.forward()), want(3), 5.0),
                (now.vel.z, want(5), 12.0),
            ] {
                assert!((got - want).abs() < off, "{delay} late, {action}: {got} but {want}");
            }
            // What is on its way is seen as the previous action.
            let row = names().iter().position(|n| n == action).unwrap();
            assert_eq!(table.car(0).last_action, Some(row));
        }
    }
}

#[test]
fn a_delay_of_a_whole_step_plays_the_action_before() {
    let mut table = Table::new(json!({"orange_size": 0, "action_delay": 8}), 3);
    table.hold("jump");
    table.step();
    assert!(table.car(0).on_ground, "nothing has reached the car yet");
    table.hold("coast");
    table.step();
    assert!(!table.car(0).on_ground, "now it has");
    // A match does not inherit what was on its way.
    table.hold("jump");
    table.reset(3);
    table.hold("coast");
    table.step();
    assert!(table.car(0).on_ground);
}

#[test]
fn a_whole_game_goes_on_after_goals_until_its_time_is_up() {
    let settings = json!({"game": {"minutes": 0.5}, "no_touch_secs": 1, "limit_secs": 1});
    let mut goals = 0;
    for seed in 0..6 {
        let mut table = Table::new(settings.clone(), seed);
        table.hand_over(&["rule", "chase"]);
        table.reset(seed);
        assert_eq!(table.game.restart(), Some(StartKind::Kickoff));
        let mut score = [0.0f32; 2];
        let mut longest = 0;
        let end = loop {
            table.ask();
            let end = table.step();
            score[0] += table.term(0, "goal");
            score[1] += table.term(1, "goal");
            assert_eq!(table.term(0, "goal"), table.term(1, "concede"));
            if let Some(end) = end {
                break end;
            }
            let lead = ((score[0] - score[1]) / 5.0).clamp(-1.0, 1.0);
            assert_eq!((table.seen(0, "lead"), table.seen(1, "lead")), (lead, -lead));
            if table.term(0, "goal") + table.term(1, "goal") > 0.0 {
                assert_eq!(table.game.restart(), Some(StartKind::Kickoff));
                assert_eq!(table.game.state().ball.vel, Vec3A::ZERO);
                assert!(table.game.state().pad_secs.iter().all(|&s| s == 0.0));
                assert_eq!(table.car(0).last_action, None);
            }
            let clock = table.game.clock().unwrap();
            assert_eq!(table.seen(0, "time_left"), clock.share_left());
            assert_eq!(table.seen(1, "overtime"), f32::from(clock.in_overtime()));
            longest += 1;
            assert!(longest < 15 * 60 * 12, "a game ends");
        };
        let secs = table.game.state().tick as f32 / 120.0;
        assert!(secs >= 30.0 || table.game.clock().unwrap().in_overtime(), "{secs}");
        assert_eq!(table.buffers.score, score);
        if end == End::Terminated {
            assert_ne!(score[0], score[1], "with overtime somebody wins");
        }
        goals += (score[0] + score[1]) as u32;
    }
    assert!(goals > 3, "{goals} goals");
}

#[test]
fn a_level_game_without_overtime_is_a_draw() {
    let settings = json!({"game": {"minutes": 0.1, "overtime": false}});
    let mut table = Table::new(settings, 1);
    let mut steps = 1;
    table.hold("coast");
    while table.step().is_none() {
        steps += 1;
    }
    // Six seconds at 15 steps each; the ball lies on the floor all the time.
    assert_eq!((steps, table.buffers.end[0]), (90, Some(End::Terminated)));
    assert_eq!(table.buffers.score, [0.0, 0.0]);
}

#[test]
fn overtime_begins_with_a_kickoff_and_is_cut_off() {
    let settings = json!({"game": {"minutes": 0.1, "overtime_minutes": 0.1}});
    let mut table = Table::new(settings, 1);
    table.hold("drive left");
    for _ in 0..89 {
        assert_eq!(table.step(), None);
        assert_eq!(table.game.restart(), None);
    }
    assert_eq!(table.step(), None);
    assert_eq!(table.game.restart(), Some(StartKind::Kickoff));
    assert_eq!((table.seen(0, "overtime"), table.seen(0, "time_left")), (1.0, 0.0));
    table.hold("coast");
    for _ in 0..89 {
        assert_eq!(table.step(), None);
    }
    assert_eq!(table.step(), Some(End::Truncated));
}

#[test]
fn team_sizes_are_drawn_for_every_match() {
    let mut table = Table::new(json!({"teams": {"1v1": 1, "2v1": 1, "1v3": 2}}), 0);
    assert_eq!(table.joint.len(), 6);
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..200 {
        table.reset(seed);
        let team = |team| table.game.state().cars.iter().filter(|c| c.team == team).count();
        let sizes = (team(Team::Blue), team(Team::Orange));
        let acting: Vec<bool> =
            (0..6).map(|s| if s < 3 { s < sizes.0 } else { s - 3 < sizes.1 }).collect();
        assert_eq!(table.buffers.acting, acting);
        assert_eq!((0..6).map(|s| table.game.car(s).is_some()).collect::<Vec<_>>(), acting);
        *seen.entry(sizes).or_insert(0) += 1;
        table.hold("drive");
        table.step();
        for seat in (0..6).filter(|&s| !acting[s]) {
            assert_eq!(table.term(seat, "face_ball"), 0.0, "an empty seat earns nothing");
        }
        table.reset(seed);
        assert_eq!(table.buffers.acting, acting, "same seed, same teams");
    }
    assert_eq!(seen.keys().copied().collect::<Vec<_>>(), [(1, 1), (1, 3), (2, 1)]);
    assert!((70..130).contains(&seen[&(1, 3)]), "{seen:?}");
}

#[test]
fn cars_that_differ_see_their_own_hitbox() {
    let settings = json!({"hitbox": {"octane": 1, "plank": 1}, "team_size": 2});
    let mut table = Table::new(settings, 0);
    let mut lengths = Vec::new();
    for seed in 0..20 {
        table.reset(seed);
        lengths.extend((0..4).map(|seat| table.seen(seat, "hitbox_length")));
    }
    let close = |a: f32, b: f32| (a - b).abs() < 1e-3;
    let (octanes, planks): (Vec<f32>, Vec<f32>) =
        lengths.into_iter().partition(|&l| close(l, 1.20507));
    assert!(octanes.len() > 20 && planks.len() > 20);
    assert!(planks.iter().all(|&l| close(l, 1.3132)), "{planks:?}");
    let alike = Table::new(json!({"hitbox": "plank"}), 0);
    assert!(
        alike.game.spec().roles[0].flat_features().iter().all(|f| !f.name.starts_with("hitbox"))
    );
}

#[test]
fn shaping_per_second_does_not_depend_on_the_tick_skip() {
    let sum = |tick_skip: u32, shaping: &str| {
        let settings = json!({"tick_skip": tick_skip, "shaping": shaping, "start": {"random": 1}});
        let mut table = Table::new(settings, 5);
        table.hold("drive");
        let steps = 120 / tick_skip;
        (0..steps)
            .map(|_| {
                table.step();
                table.term(0, "liu_distance_player_to_ball")
            })
            .sum::<f32>()
    };
    let (often, seldom) = (sum(4, "per_second"), sum(12, "per_second"));
    assert!(often > 0.1 && (often - seldom).abs() < 0.05 * often, "{often} {seldom}");
    let ratio = sum(4, "per_step") / sum(12, "per_step");
    assert!((ratio - 3.0).abs() < 0.2, "{ratio}");
}

#[test]
fn the_scorer_is_the_last_of_its_team() {
    let mut table = Table::new(json!({"start": {"kickoff": 0, "goal_line": 1}}), 0);
    table.hand_over(&["rule", "rule"]);
    let (mut goals, mut credited) = (0, 0);
    for seed in 0..60 {
        table.reset(seed);
        let mut touched = [false; 2];
        loop {
            table.ask();
            let end = table.step();
            for (seat, touched) in touched.iter_mut().enumerate() {
                *touched |= table.term(seat, "touch") > 0.0;
            }
            for (seat, touched) in touched.iter().enumerate() {
                let (goal, scored) = (table.term(seat, "goal"), table.term(seat, "scored"));
                // Alone in its team, the car is credited if it ever touched the ball.
                assert_eq!(scored, f32::from(goal > 0.0 && *touched));
                assert_eq!(table.term(seat, "goal_speed") > 0.0, goal > 0.0);
                goals += u32::from(goal > 0.0);
                credited += u32::from(scored > 0.0);
            }
            if end.is_some() {
                break;
            }
        }
    }
    assert!(goals > 20 && credited > 10 && credited < goals, "{credited} of {goals}");
}

#[test]
fn wheels_on_the_ball_give_a_flip_back() {
    let mut table = Table::new(json!({"start": {"kickoff": 0, "flip_reset": 1}}), 0);
    let mut resets = 0;
    for seed in 0..40 {
        table.reset(seed);
        table.hold("coast");
        for _ in 0..15 {
            let before: Vec<Car> = table.game.state().cars.clone();
            let end = table.step();
            for (seat, before) in before.iter().enumerate() {
                if table.term(seat, "flip_reset") > 0.0 {
                    assert!(!before.has_flip && table.car(seat).has_flip);
                    assert_eq!(table.term(seat, "touch"), 1.0);
                    resets += 1;
                }
            }
            if end.is_some() {
                break;
            }
        }
    }
    assert!(resets >= 5, "{resets} flip resets in 40 matches that are set up for one");
}
