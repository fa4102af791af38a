//! How survivors move beside how people moved in recordings: speeds, jumps, starts and stops.

use crate::arena;

use std::path::Path;

use arena::{close, forward, hall, jump_heights, put, speeds_of};
use lanista_survivors::demo::pairs::{self, Pair};
use lanista_survivors::demo::{Demo, speeds};
use lanista_survivors::sim::numbers::{Difficulty, TICK_SECS};
use lanista_survivors::sim::world::{Command, button};

/// The pairs of the recordings; none where they are not at hand.
fn recorded(test: &str) -> Vec<Vec<Pair>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/survivors");
    let names = ["l4d2_2100_v2203.dem", "l4d2_2100_v2220.dem"];
    let read = names.iter().filter_map(|name| std::fs::read(folder.join(name)).ok());
    let found: Vec<_> =
        read.map(|bytes| pairs::pairs(&Demo::read(&bytes).unwrap(), None)).collect();
    if found.is_empty() {
        println!("skipped: {test}: no recordings in shared/data/survivors");
    }
    found
}

#[test]
fn jumps_are_the_jumps_of_the_recordings() {
    let recorded = recorded("jumps_are_the_jumps_of_the_recordings");
    if recorded.is_empty() {
        return;
    }
    let curve = speeds::jump_curve(recorded.iter().map(|pairs| &pairs[..])).unwrap();
    let heights = jump_heights();
    let apex = heights.iter().copied().fold(0.0, f32::max);
    close(apex, curve.apex_units, 0.1, "apex");
    assert_eq!(heights.len() - 1, curve.air_ticks);
    assert!(curve.jumps >= 10, "{}", curve.jumps);
    for (tick, (own, theirs)) in heights.iter().zip(&curve.heights).enumerate() {
        close(*own, *theirs, 0.3, &format!("height at tick {tick}"));
    }
}

#[test]
fn speeds_are_the_speeds_of_the_recordings() {
    let recorded = recorded("speeds_are_the_speeds_of_the_recordings");
    if recorded.is_empty() {
        return;
    }
    let theirs = speeds::ground_speed_histogram(recorded.iter().map(|pairs| &pairs[..])).modes(20);
    let theirs: Vec<f32> = theirs.iter().map(|mode| mode.value).filter(|v| *v > 0.0).collect();
    let gaits: [(f32, u16); 3] = [(100.0, 0), (39.0, 0), (100.0, button::CROUCH)];
    for (health, buttons) in gaits {
        let mut world = hall(Difficulty::Normal);
        put(&mut world, 0, 500.0, 500.0, 0.0);
        world.survivors[0].health = health;
        let speeds = speeds_of(&mut world, forward(0.0, buttons), 300);
        let own = speeds::Histogram::of(speeds, 1.0, 400.0).modes(100);
        assert_eq!(own.len(), 1, "one speed is held: {own:?}");
        let near = theirs.iter().any(|mode| (mode - own[0].value).abs() <= 1.0);
        assert!(near, "{} is no mode of the recordings: {theirs:?}", own[0].value);
    }
}

/// Buttons of a recorded command that move: forward, back, left, right, crouch, jump.
const MOVES: u32 = 1 << 3 | 1 << 4 | 1 << 9 | 1 << 10 | 1 << 2 | 1 << 1;
const FORWARD: u32 = 1 << 3;

/// Windows of play on level ground, one pair a tick, with the speed of each tick.
fn on_level_ground(pairs: &[Pair], ticks: usize) -> impl Iterator<Item = (&[Pair], Vec<f32>)> {
    let ground = |p: &Pair| p.not_play.is_none() && p.on_ground == Some(true);
    let follows = |two: &[Pair]| {
        let level = (two[1].position[2] - two[0].position[2]).abs() < 2.0;
        two[1].tick == two[0].tick + 1 && level
    };
    let speed = |two: &[Pair]| {
        let [from, to] = [two[0].position, two[1].position];
        (to[0] - from[0]).hypot(to[1] - from[1]) / TICK_SECS
    };
    let whole = move |run: &&[Pair]| run.iter().all(ground) && run.windows(2).all(follows);
    pairs
        .windows(ticks + 1)
        .filter(whole)
        .map(move |run| (run, run.windows(2).map(speed).collect()))
}

/// By how much two lists of speeds differ at most.
fn furthest(own: &[f32], theirs: &[f32]) -> f32 {
    own.iter().zip(theirs).map(|(own, theirs)| (own - theirs).abs()).fold(0.0, f32::max)
}

#[test]
fn people_start_and_stop_as_in_the_recordings() {
    let recorded = recorded("people_start_and_stop_as_in_the_recordings");
    if recorded.is_empty() {
        return;
    }
    // The command of a pair is the one that led to it.
    let (mut starts, mut all_starts, mut stops, mut all_stops) = (0, 0, 0, 0);
    for (run, theirs) in recorded.iter().flat_map(|pairs| on_level_ground(pairs, 7)) {
        let runs = run[2..].iter().all(|p| p.buttons & MOVES == FORWARD);
        let healthy = run[0].health.is_some_and(|health| health >= 40);
        if theirs[0] < 0.5 && run[1].buttons & MOVES == 0 && runs && healthy {
            let mut world = hall(Difficulty::Normal);
            put(&mut world, 0, 500.0, 500.0, 0.0);
            let own = speeds_of(&mut world, forward(0.0, 0), 6);
            starts += usize::from(furthest(&own, &theirs[1..]) < 0.5);
            all_starts += 1;
        }
    }
    for (run, theirs) in recorded.iter().flat_map(|pairs| on_level_ground(pairs, 5)) {
        let pressed = |p: &Pair| p.buttons & MOVES != 0;
        if theirs[0] > 100.0 && pressed(&run[1]) && !run[2..].iter().any(pressed) {
            let mut world = hall(Difficulty::Normal);
            put(&mut world, 0, 500.0, 500.0, 0.0);
            world.survivors[0].body.velocity = [theirs[0], 0.0, 0.0];
            let own = speeds_of(&mut world, Command::default(), 4);
            stops += usize::from(furthest(&own, &theirs[1..]) < 0.5);
            all_stops += 1;
        }
    }
    // Whoever turns or runs into something is slower; whoever does not is as fast at every tick.
    println!("{starts} of {all_starts} starts, {stops} of {all_stops} stops");
    assert!(starts >= 2 && 2 * starts >= all_starts, "{starts} of {all_starts}");
    assert!(stops >= 3 && 2 * stops > all_stops, "{stops} of {all_stops}");
}
