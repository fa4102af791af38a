//! Recordings of people as decisions: true to the recording, legal, and sound whatever the file says.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lanista_game::{End, Episode, Kind, Spec, UNKNOWN, Verdict};
use lanista_survivors::decisions::{Summary, decisions, episodes};
use lanista_survivors::demo::Demo;
use lanista_survivors::demo::entities::{CommonInfected, Player, Snapshot};
use lanista_survivors::demo::pairs::{Pair, pairs};
use lanista_survivors::demo::timeline::Packet;
use lanista_survivors::demo::usercmd::UserCommand;
use lanista_survivors::demo::view::View;
use lanista_survivors::game::Survivors;
use lanista_survivors::maps::Source;
use lanista_survivors::nav::Terrain;
use lanista_survivors::settings::{Settings, ViewKind};
use lanista_survivors::view::legacy::FEATURES;
use proptest::prelude::*;

fn shared(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/survivors").join(name)
}

/// A recording by name, or a word on what is skipped for want of it.
fn recording(name: &str, test: &str) -> Option<PathBuf> {
    let path = shared(name);
    if !path.exists() {
        println!("skipped: {test}: no {name} in shared/data/survivors");
        return None;
    }
    Some(path)
}

fn settings(view: ViewKind) -> Settings {
    Settings { view, ..Settings::default() }
}

fn spec(view: ViewKind) -> Spec {
    Survivors::describe(&settings(view))
}

fn heard(path: &Path, nav: Option<&Path>, view: ViewKind) -> (Vec<Episode>, Summary) {
    let mut list = Vec::new();
    let summary = episodes(path, nav, &settings(view), &mut |e| list.push(e)).unwrap();
    for episode in &list {
        assert_eq!(episode.fault(&spec(view)), None);
        assert!(!episode.is_empty());
    }
    let decisions: usize = list.iter().map(Episode::len).sum();
    assert_eq!((decisions as u64, list.len() as u64), (summary.decisions, summary.episodes));
    (list, summary)
}

const LONG: &str = "l4d2_2100_v2203.dem";
const SHORT: &str = "l4d2_2100_v2220.dem";

fn feature(spec: &Spec, name: &str) -> usize {
    spec.roles[0].flat_features().iter().position(|f| f.name == name).unwrap()
}

#[test]
fn a_recording_becomes_decisions_of_the_rich_view() {
    let test = "a_recording_becomes_decisions_of_the_rich_view";
    let Some(path) = recording(LONG, test) else { return };
    let nav = shared("c5m4_quarter.nav");
    let (list, summary) = heard(&path, Some(&nav), ViewKind::Rich);
    println!("{summary:#?}");
    // 2,754 ticks, the last 136 of them after everybody was down; three to a decision.
    assert_eq!((summary.ticks, summary.play_ticks, summary.step_ticks), (2754, 2618, 3));
    assert_eq!((summary.decisions, summary.waiting, list.len()), (872, 0, 1));
    assert_eq!((list[0].verdict, list[0].end), (Some(Verdict::Lost), Some(End::Terminated)));
    let known = |head: usize| summary.heads[head].known as f64 / summary.decisions as f64;
    assert!((0..3).all(|head| known(head) == 1.0) && known(3) > 0.95);
    let count = |head: usize, name: &str| {
        summary.heads[head].chosen.iter().find(|(action, _)| action == name).unwrap().1
    };
    assert!(count(2, "forward") > 200 && count(3, "attack") > 50 && count(3, "shove") > 10);
    assert!(count(3, "heal_self") > 0 && count(3, "throw") > 0);
    assert_eq!(summary.cuts.into_iter().collect::<Vec<_>>(), [("lost", 1)]);
    // Without the mesh fewer numbers are known, and what was done is the same.
    let (bare, less) = heard(&path, None, ViewKind::Rich);
    assert!(less.features_told < summary.features_told);
    let of = |list: &[Episode]| list.iter().flat_map(|e| e.actions.clone()).collect::<Vec<_>>();
    assert_eq!(of(&bare), of(&list));
    let spec = spec(ViewKind::Rich);
    let width = spec.roles[0].features();
    for name in ["flow", "way_ahead", "to_goal", "fellow_0_in_sight"] {
        let place = feature(&spec, name);
        let column = |list: &[Episode]| -> Vec<f32> {
            list.iter()
                .flat_map(|e| e.observation.iter().skip(place).step_by(width))
                .copied()
                .collect()
        };
        assert!(column(&bare).iter().all(|x| *x == 0.0), "{name}");
        assert!(column(&list).iter().any(|x| *x != 0.0), "{name}");
    }
}

/// What a decision shows is what the recording says by another way, and turning adds up.
#[test]
fn decisions_are_true_to_the_recording() {
    let test = "decisions_are_true_to_the_recording";
    let Some(path) = recording(LONG, test) else { return };
    let (list, _) = heard(&path, None, ViewKind::Rich);
    let demo = Demo::read(&std::fs::read(&path).unwrap()).unwrap();
    let pairs: Vec<Pair> = pairs(&demo, None);
    let spec = spec(ViewKind::Rich);
    let width = spec.roles[0].features();
    let [health, temporary, pitch, fellow, there] =
        ["health", "temporary_health", "pitch", "fellow_2_present", "infected_0_present"]
            .map(|name| feature(&spec, name));
    let (mut turned, mut meant, mut met) = (0.0f32, 0.0f32, 0);
    let episode = &list[0];
    for (n, row) in episode.observation.chunks(width).enumerate() {
        // The first pair only says where the player looked before.
        let at = 1 + 3 * episode.steps[n] as usize;
        let (before, state) = (&pairs[at - 1], &pairs[at]);
        if state.incapacitated == Some(false) {
            assert!((row[health] - state.health.unwrap() as f32 / 100.0).abs() < 1e-6);
        }
        assert!((row[temporary] - state.temporary_health.unwrap() / 100.0).abs() < 1e-6);
        assert!((row[pitch] - before.pitch / 90.0).abs() < 1e-5);
        assert_eq!(row[fellow], 1.0, "three fellows");
        met += u32::from(row[there] == 1.0);
        let name = &spec.roles[0].heads[1].actions[episode.actions[4 * n + 1] as usize];
        let bin: f32 = match name.split_once('_') {
            Some(("left", degrees)) => degrees.parse().unwrap(),
            Some((_, degrees)) => -degrees.parse::<f32>().unwrap(),
            None => 0.0,
        };
        let turn = (pairs[at + 2].yaw - before.yaw + 180.0).rem_euclid(360.0) - 180.0;
        assert!((turn - bin).abs() <= 0.65 * turn.abs().max(1.0), "{turn} as {bin}");
        turned += turn.abs();
        meant += bin.abs();
    }
    println!("turned {turned:.0} degrees, in bins {meant:.0}; infected in {met} decisions");
    assert!((0.8..1.2).contains(&(meant / turned)), "{meant} of {turned}");
    assert!(met > 300, "{met}");
}

#[test]
fn the_legacy_view_is_the_one_of_the_pairs() {
    let test = "the_legacy_view_is_the_one_of_the_pairs";
    let Some(path) = recording(LONG, test) else { return };
    let nav = shared("c5m4_quarter.nav");
    let (list, summary) = heard(&path, Some(&nav), ViewKind::Legacy);
    assert_eq!(summary.heads.len(), 1);
    let terrain = load(nav.to_str().unwrap());
    let demo = Demo::read(&std::fs::read(&path).unwrap()).unwrap();
    let pairs = pairs(&demo, Some(&terrain));
    let mut compared = 0;
    for episode in &list {
        for (n, row) in episode.observation.chunks(FEATURES.len()).enumerate() {
            let pair = &pairs[1 + 3 * episode.steps[n] as usize];
            for (k, told) in pair.legacy.unwrap().iter().enumerate() {
                // Eyes are those of the tick before; what is not told is the view's own.
                let Some(told) = told.filter(|_| !FEATURES[k].starts_with("angle")) else {
                    continue;
                };
                // The clip of a medkit or of a pipe bomb is none.
                let unarmed = !matches!(pair.weapon, Some("pistol" | "shotgun_spas"));
                if FEATURES[k] == "ammo" && unarmed {
                    continue;
                }
                assert!((row[k] - told).abs() < 1e-5, "{}: {} for {told}", FEATURES[k], row[k]);
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn a_recording_that_is_mostly_no_play_is_cut() {
    let test = "a_recording_that_is_mostly_no_play_is_cut";
    let Some(path) = recording(SHORT, test) else { return };
    let (list, summary) = heard(&path, None, ViewKind::Rich);
    println!("{summary:#?}");
    assert_eq!(summary.play_ticks, 88);
    assert!((20..=29).contains(&summary.decisions), "{}", summary.decisions);
    assert!(summary.cuts.values().sum::<u64>() >= 1, "{:?}", summary.cuts);
    assert!(list.iter().all(|episode| episode.verdict == Some(Verdict::Won)));
    let refused =
        episodes(&path, Some(&shared("c5m4_quarter.nav")), &Settings::default(), &mut |_| {});
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("c2m2_fairgrounds.nav"), "{refused}");
}

#[test]
fn what_is_no_recording_is_refused_by_its_file() {
    let missing = Path::new("no/such.dem");
    let refused = episodes(missing, None, &Settings::default(), &mut |_| {}).unwrap_err();
    assert!(refused.to_string().contains("no/such.dem"), "{refused}");
    let other = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let refused = episodes(&other, None, &Settings::default(), &mut |_| {}).unwrap_err();
    assert!(refused.to_string().contains("no Source recording"), "{refused}");
}

#[test]
fn mutants_of_a_real_recording_give_sound_decisions_or_none() {
    let test = "mutants_of_a_real_recording_give_sound_decisions_or_none";
    let Some(path) = recording(LONG, test) else { return };
    let whole = std::fs::read(path).unwrap();
    let terrain = load("apartment");
    let spec = spec(ViewKind::Rich);
    // The same mutants every time: a small generator of its own.
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let (mut read, mut made) = (0, 0);
    for mutant in 0..16 {
        let mut bytes = whole.clone();
        for _ in 0..1 + mutant % 8 {
            let place = 1072 + next() % (bytes.len() - 1072);
            bytes[place] ^= 1 << (next() % 8);
        }
        let Ok(demo) = Demo::read(&bytes) else { continue };
        read += 1;
        let terrain = (mutant % 2 == 0).then_some(&terrain);
        let settings = settings(ViewKind::Rich);
        let summary = decisions(&demo, "mutant", terrain, &settings, &mut |episode| {
            assert_eq!(episode.fault(&spec), None);
        });
        made += summary.unwrap().decisions;
    }
    println!("{read} of 16 mutants could be read, and gave {made} decisions");
    assert!(read > 0 && made > 0);
}

fn load(map: &str) -> Arc<Terrain> {
    Source::One(map.into()).load().unwrap().remove(0)
}

/// A recording without a frame, to put things into.
fn blank() -> Demo {
    let mut bytes = b"HL2DEMO\0".to_vec();
    bytes.extend(4i32.to_le_bytes());
    bytes.extend(2100i32.to_le_bytes());
    for name in ["localhost", "player", "c1m1_hotel", "left4dead2"] {
        let mut field = name.as_bytes().to_vec();
        field.resize(260, 0);
        bytes.extend(field);
    }
    bytes.extend(1f32.to_le_bytes());
    for number in [30i32, 30, 0] {
        bytes.extend(number.to_le_bytes());
    }
    // A stop frame.
    bytes.push(7);
    bytes.extend(0i32.to_le_bytes());
    bytes.push(0);
    Demo::read(&bytes).unwrap()
}

fn player(entity: u16, team: u8) -> Player {
    Player {
        entity,
        class: 0,
        team,
        zombie_class: if team == 2 { 9 } else { 3 },
        character: 0,
        alive: true,
        ghost: false,
        health: 100,
        max_health: 100,
        temporary_health: 0.0,
        incapacitated: false,
        hanging: false,
        going_to_die: false,
        held_by: None,
        position: [0.0; 3],
        move_type: 2,
        on_ground: true,
        weapon: None,
        clip: None,
        intensity: 0,
    }
}

/// A recording of somebody who does the same in every tick.
fn played(ticks: i32, command: UserCommand, around: impl Fn(i32) -> Snapshot) -> Demo {
    let mut demo = blank();
    for tick in 0..ticks {
        let view = View { origin: [10.0, 0.0, 0.0], ..View::default() };
        let snapshot = Some(demo.snapshots.len());
        demo.snapshots.push(around(tick));
        demo.packets.push(Packet { tick, server_tick: None, view, snapshot });
        demo.commands.push(UserCommand { tick, ..command });
    }
    demo
}

fn all(demo: &Demo, view: ViewKind) -> (Vec<Episode>, Summary) {
    let mut list = Vec::new();
    let summary = decisions(demo, "made", None, &settings(view), &mut |e| list.push(e)).unwrap();
    for episode in &list {
        assert_eq!(episode.fault(&spec(view)), None);
    }
    (list, summary)
}

#[test]
fn what_is_told_is_shown() {
    let around = |tick: i32| Snapshot {
        tick,
        players: vec![
            Player { intensity: 40, health: 70, temporary_health: 12.0, ..player(1, 2) },
            Player { position: [10.0, 500.0, 0.0], incapacitated: true, ..player(2, 2) },
            Player { position: [310.0, 0.0, 0.0], health: 125, ..player(9, 3) },
        ],
        infected: vec![CommonInfected { entity: 40, witch: false, position: [-90.0, 0.0, 0.0] }],
    };
    let command = UserCommand { forward: 450.0, ..UserCommand::default() };
    let (list, summary) = all(&played(31, command, around), ViewKind::Rich);
    assert_eq!((list.len(), summary.decisions), (1, 10));
    let spec = spec(ViewKind::Rich);
    let row = &list[0].observation[..spec.roles[0].features()];
    for (name, wanted) in [
        ("health", 0.7),
        ("temporary_health", 0.12),
        ("intensity", 0.4),
        ("fellow_0_present", 1.0),
        ("fellow_0_left", 1.0),
        ("fellow_0_distance", 0.5),
        ("fellow_0_is_down", 1.0),
        ("fellow_1_present", 0.0),
        ("infected_0_common", 1.0),
        ("infected_0_ahead", -1.0),
        ("infected_1_hunter", 1.0),
        ("infected_1_ahead", 1.0),
        ("infected_1_health", 0.5),
        ("infected_2_present", 0.0),
        ("commons_behind", 0.2),
        ("item_0_present", 0.0),
        ("flow", 0.0),
        ("reserve", 1.0),
    ] {
        let found = row[feature(&spec, name)];
        assert!((found - wanted).abs() < 1e-5, "{name}: {found}, not {wanted}");
    }
    let names = ["free", "none", "forward", "nothing"];
    for (head, name) in names.iter().enumerate() {
        let chosen = list[0].actions[head] as usize;
        assert_eq!(spec.roles[0].heads[head].actions[chosen], *name);
    }
}

#[test]
fn whoever_is_held_is_not_asked_and_the_infected_are_no_survivors() {
    let held = |tick: i32| Snapshot {
        tick,
        players: vec![
            Player { held_by: (10..=20).contains(&tick).then_some(9), ..player(1, 2) },
            player(9, 3),
        ],
        infected: Vec::new(),
    };
    let (list, summary) = all(&played(31, UserCommand::default(), held), ViewKind::Rich);
    assert_eq!((list.len(), summary.waiting, summary.decisions), (1, 4, 6));
    assert_eq!(list[0].steps, [0, 1, 2, 7, 8, 9], "the match goes on meanwhile");
    let infected = |tick: i32| Snapshot { tick, players: vec![player(1, 3)], infected: Vec::new() };
    let (list, summary) = all(&played(31, UserCommand::default(), infected), ViewKind::Rich);
    assert_eq!((list.len(), summary.play_ticks), (0, 0));
}

#[test]
fn what_was_done_was_legal() {
    let down = |tick: i32| Snapshot {
        tick,
        players: vec![Player { incapacitated: true, ..player(1, 2) }],
        infected: Vec::new(),
    };
    // Use and forward, from the floor: feet do not go, and hands prove that there is something to use.
    let command = UserCommand { forward: 450.0, buttons: 1 << 5, ..UserCommand::default() };
    let (list, summary) = all(&played(31, command, down), ViewKind::Rich);
    assert_eq!(summary.heads[3].proved, 10);
    assert!(list[0].actions.chunks(4).all(|a| a[2] == 0 && a[3] == 3));
    let (list, _) = all(&played(31, command, down), ViewKind::Legacy);
    assert!(list[0].actions.iter().all(|a| *a == 6));
}

fn wild() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -20_000.0f32..20_000.0,
        1 => Just(f32::NAN),
        1 => Just(f32::INFINITY),
        1 => any::<f32>(),
    ]
}

prop_compose! {
    fn anybody()(
        entity in 1u16..12,
        team in 0u8..5,
        zombie_class in any::<u8>(),
        flags in any::<[bool; 5]>(),
        health in any::<i32>(),
        temporary_health in wild(),
        held_by in proptest::option::of(0u16..60),
        position in [wild(), wild(), wild()],
        move_type in 0u8..12,
        weapon in proptest::option::of(any::<u16>()),
        clip in proptest::option::of(any::<i32>()),
        intensity in any::<u8>(),
    ) -> Player {
        let [alive, ghost, incapacitated, hanging, going_to_die] = flags;
        Player {
            zombie_class, alive, ghost, health, temporary_health, incapacitated, hanging,
            going_to_die, held_by, position, move_type, weapon, clip, intensity,
            ..player(entity, team)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_a_recording_says_decisions_are_sound(
        ticks in proptest::collection::vec(prop_oneof![9 => 0i32..60, 1 => any::<i32>()], 0..60),
        players in proptest::collection::vec(anybody(), 0..12),
        infected in proptest::collection::vec((any::<bool>(), [wild(), wild(), wild()]), 0..90),
        commands in proptest::collection::vec((any::<u32>(), wild(), wild(), wild(), wild(), any::<u16>()), 1..9),
        origin in [wild(), wild(), wild()],
        sorted in any::<bool>(),
        rich in any::<bool>(),
        ticks_per_step in 1u32..31,
    ) {
        let mut demo = blank();
        let mut ticks = ticks;
        if sorted { ticks.sort_unstable(); }
        for (n, &tick) in ticks.iter().enumerate() {
            let infected = infected.iter().enumerate().map(|(k, &(witch, position))| {
                CommonInfected { entity: 20 + k as u16, witch, position }
            });
            let mut all = players.clone();
            if n % 3 > 0 { all.push(Player { position: origin, ..player(1, 2) }); all.reverse(); }
            let snapshot = Snapshot { tick, players: all, infected: infected.collect() };
            let view = View { origin, ..View::default() };
            demo.packets.push(Packet { tick, server_tick: None, view, snapshot: Some(n) });
            demo.snapshots.push(snapshot);
            let (buttons, pitch, yaw, forward, side, weapon) = commands[n % commands.len()];
            let angles = [pitch, yaw, 0.0];
            let command = UserCommand { tick, buttons, angles, forward, side, weapon, ..UserCommand::default() };
            demo.commands.push(command);
        }
        let view = if rich { ViewKind::Rich } else { ViewKind::Legacy };
        let settings = Settings { ticks_per_step, ..settings(view) };
        let terrain = load("apartment");
        for terrain in [None, Some(&terrain)] {
            decisions(&demo, "made", terrain, &settings, &mut |episode| {
                assert_eq!(episode.fault(&spec(view)), None);
                assert!(episode.actions.iter().all(|a| *a == UNKNOWN || *a < 32));
            }).unwrap();
        }
    }
}
