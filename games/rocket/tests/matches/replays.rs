//! Real replays as episodes and as start states, where they are at hand.

use std::path::{Path, PathBuf};

use lanista_game::{Buffers, Control, Game, UNKNOWN};
use lanista_rocket::episodes::{Choice, episodes};
use lanista_rocket::game::describe;
use lanista_rocket::one_match;
use lanista_rocket::replay::open;
use lanista_rocket::settings::Settings;
use lanista_rocket::start::StartKind;
use lanista_rocket::table::{GROUND_ROWS, table};
use serde_json::json;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/rocket")
}

/// All replays at hand, or a word about which test is skipped for want of them.
fn replays(test: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "replay"));
    paths.sort();
    if paths.is_empty() {
        println!("skipped: {test}: no replays in {}", folder().display());
    }
    paths
}

#[test]
fn episodes_fit_the_game_under_every_setting() {
    let paths = replays("episodes_fit_the_game_under_every_setting");
    for value in [
        json!({"max_team": 3}),
        json!({"team_size": 1, "observation": "advanced", "game": {}, "hitbox": {"octane": 1, "merc": 1}}),
        json!({"max_team": 3, "tick_skip": 4, "action_delay": 1}),
    ] {
        let settings: Settings = lanista_game::parse_settings(&value).unwrap();
        let spec = describe(&settings);
        for path in &paths {
            let mut decisions = (0, 0);
            let Ok(summary) = episodes(path, &settings, Choice::default(), &mut |episode| {
                assert_eq!(episode.fault(&spec), None, "{}", episode.source);
                decisions.0 += episode.len();
                decisions.1 += episode.actions.iter().filter(|row| **row != UNKNOWN).count();
                assert!(!episode.is_empty() && episode.verdict.is_some());
            }) else {
                continue;
            };
            assert!(decisions.0 == 0 || decisions == (summary.decisions, summary.kept));
            assert!(summary.position_error_p50.unwrap() < 5.0, "{summary:?}");
        }
    }
}

#[test]
fn matches_begin_where_recorded_ones_were() {
    if replays("matches_begin_where_recorded_ones_were").is_empty() {
        return;
    }
    let settings = |share: f32| json!({"starts": {"replays": folder(), "share": share}});
    let mut game = one_match(&settings(1.0)).unwrap();
    let mut buffers = Buffers::new(game.spec(), 1);
    let mut seen = Vec::new();
    for seed in 0..40 {
        game.reset(seed, &[Control::Outside; 2]);
        assert_eq!(game.restart(), Some(StartKind::Recorded));
        seen.push(game.state().clone());
        for _ in 0..10 {
            game.step(&[8, 8], &mut buffers.outcome(0));
        }
        assert!(game.state().ball.pos.is_finite());
    }
    seen.dedup_by(|a, b| a.ball == b.ball);
    assert!(seen.len() > 30, "{} different starts", seen.len());
    let mut again = one_match(&settings(1.0)).unwrap();
    again.reset(0, &[Control::Outside; 2]);
    assert_eq!(again.state(), &seen[0]);
    let mut mixed = one_match(&settings(0.5)).unwrap();
    let recorded = (0..200).filter(|&seed| {
        mixed.reset(seed, &[Control::Outside; 2]);
        mixed.restart() == Some(StartKind::Recorded)
    });
    let recorded = recorded.count();
    assert!((70..130).contains(&recorded), "{recorded} of 200");
    // Nobody played three against one.
    let value = json!({"team_size": 3, "orange_size": 1, "starts": {"replays": folder()}});
    let error = one_match(&value).err().unwrap().to_string();
    assert!(
        error.contains("settings.starts.replays") && error.contains("3 cars against 1"),
        "{error}"
    );
}

#[test]
fn directories_without_replays_are_refused() {
    for directory in ["no/such/place", "src"] {
        let error = one_match(&json!({"starts": {"replays": directory}})).err().unwrap();
        assert!(error.to_string().starts_with("settings.starts.replays: "), "{error}");
    }
}

#[test]
fn a_mirrored_episode_is_the_other_side_of_a_recorded_one() {
    let paths = replays("a_mirrored_episode_is_the_other_side_of_a_recorded_one");
    let settings: Settings = lanista_game::parse_settings(&json!({"max_team": 3})).unwrap();
    let spec = describe(&settings);
    let Some(path) = paths.iter().find(|path| path.to_string_lossy().contains("duel")) else {
        return;
    };
    let mut heard = Vec::new();
    episodes(path, &settings, Choice { mirrored: true, ..Choice::default() }, &mut |episode| {
        heard.push(episode)
    })
    .unwrap();
    assert!(!heard.is_empty() && heard.len().is_multiple_of(2));
    for pair in heard.chunks(2) {
        let [one, other] = pair else { unreachable!() };
        assert_eq!(other.fault(&spec), None, "{}", other.source);
        assert_eq!(other.source, format!("{} mirrored", one.source));
        assert_eq!((one.len(), &one.steps, one.end), (other.len(), &other.steps, other.end));
        for (row, picture) in one.actions.iter().zip(&other.actions) {
            let same = row == picture && *row == UNKNOWN;
            assert!(same || lanista_rocket::mirror::row(*row as usize) == *picture as usize);
        }
    }
}

/// Cars that are put aside: legal rows, another view of the same step, and a car that was turned to one side is
/// steered to the other more often than not.
#[test]
fn a_car_that_is_put_aside_is_led_back() {
    let paths = replays("a_car_that_is_put_aside_is_led_back");
    let settings: Settings = lanista_game::parse_settings(&json!({"max_team": 3})).unwrap();
    let spec = describe(&settings);
    let Some(path) = paths.iter().find(|path| path.to_string_lossy().contains("duel")) else {
        return;
    };
    let mut replay = open(path, &settings).unwrap();
    let (mut against, mut along, mut straight) = (0, 0, 0);
    replay.decisions_aside(&settings, 2, |decision| {
        assert_eq!(decision.aside.len(), 2);
        let recorded = &decision.state.cars[decision.car];
        for aside in decision.aside.iter().flatten() {
            assert!(recorded.on_ground && aside.row < GROUND_ROWS);
            let (was, is) = (recorded.world_from_car.x_axis, aside.car.world_from_car.x_axis);
            // The axes are left-handed: positive is turned to the right, and left leads back.
            let turned = was.x * is.y - was.y * is.x;
            assert!(turned.abs() < 0.5 && aside.car.body.vel.length() < 2301.0);
            // Only where the car went straight on does the turn alone say where back is.
            if table()[decision.row].steer == 0.0 && turned.abs() > 0.3 {
                match -table()[aside.row].steer * turned.signum() {
                    steer if steer > 0.0 => against += 1,
                    steer if steer < 0.0 => along += 1,
                    _ => straight += 1,
                }
            }
        }
    });
    assert!(
        against > 100 && against > 20 * along && against > 2 * straight,
        "{against} {along} {straight}"
    );
    let choice = Choice { mirrored: true, aside: 1, ..Choice::default() };
    let mut heard = Vec::new();
    episodes(path, &settings, choice, &mut |episode| heard.push(episode)).unwrap();
    assert!(!heard.is_empty() && heard.len().is_multiple_of(4));
    for group in heard.chunks(4) {
        let marks = ["", " mirrored", " aside 1", " aside 1 mirrored"];
        for (episode, mark) in group.iter().zip(marks) {
            assert_eq!(episode.fault(&spec), None, "{}", episode.source);
            assert_eq!(episode.source, format!("{}{mark}", group[0].source));
            assert_eq!(episode.steps, group[0].steps);
        }
        // What nobody knows of the recorded car nobody knows of the one aside.
        let unknown =
            |at: usize| group[0].actions[at] != UNKNOWN || group[2].actions[at] == UNKNOWN;
        assert!((0..group[0].len()).all(unknown));
    }
}

#[test]
fn replays_that_are_of_no_use_are_named() {
    let paths = replays("replays_that_are_of_no_use_are_named");
    // One of the size of team that is played.
    let cars = |path: &&PathBuf| {
        let mut most = 0;
        if let Ok(mut replay) = open(path, &Settings::default()) {
            replay.states(1200, |state| most = most.max(state.cars.len()));
        }
        most == 2
    };
    let Some(path) = paths.iter().find(cars) else { return };
    let directory = std::env::temp_dir().join(format!("starts-cut-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let bytes = std::fs::read(path).unwrap();
    std::fs::write(directory.join("whole.replay"), &bytes).unwrap();
    std::fs::write(directory.join("cut.replay"), &bytes[..bytes.len() / 2]).unwrap();
    let game = one_match(&json!({"starts": {"replays": directory}})).unwrap();
    let notes = game.notes();
    std::fs::remove_dir_all(&directory).unwrap();
    let said = notes.iter().find(|note| note.starts_with("Starts: 1 of 2 replays"));
    assert!(said.is_some_and(|said| said.contains("cut.replay")), "{notes:?}");
}
