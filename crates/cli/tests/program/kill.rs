//! Power cuts: a run that is killed again and again ends with the bits of one that never was.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{
    Bits, FEED_FORWARD, LEAGUE, Place, RECURRENT, STACKED, TWO_ROLES, checkpoints,
};

/// Saves at every iteration, so that most kills hit a checkpoint in the making.
const OFTEN: &str =
    "--set checkpoint.every=300 --set checkpoint.keep=2 --set evaluation.every=3000";

/// A number between 0 and 1, the same at every run of the test.
fn draw(n: u64) -> f64 {
    let bits = (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((bits ^ (bits >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 / (1u64 << 53) as f64
}

/// Starts the program and kills it after a while. Returns whether it was still running.
fn cut_short(mut command: Command, after: Duration) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.spawn().unwrap();
    std::thread::sleep(after);
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

/// Kills at the beginning of a sitting, which hardly advance the run, and ones later on, which do; the longest
/// are as long as the run, so even a slow start leaves some of them useful. Returns how many met the program
/// running.
fn twenty_kills(place: &Place, line: &str, whole: Duration) -> u32 {
    let mut cut = 0;
    for n in 0..20u32 {
        let share = if n % 2 == 0 { 0.1 } else { f64::from(n) / 18.0 };
        let after = Duration::from_millis(5) + whole.mul_f64(share * draw(n.into()));
        cut += u32::from(cut_short(place.command(&format!("{line} --set run.dir=cut")), after));
    }
    cut
}

fn twenty_kills_change_nothing(preset: &str, steps: u64) {
    let place = Place::with(&[("preset", preset)]);
    let line = format!("train preset.yml --steps {steps} {OFTEN}");
    let began = Instant::now();
    place.ok(&format!("{line} --set run.dir=whole"));
    let whole = began.elapsed();

    // A machine that was busy while the whole run was timed may be through with it sooner now, and too few of
    // the kills meet a running program: then once more, in less time.
    let mut span = whole;
    while twenty_kills(&place, &line, span) < 5 {
        span /= 3;
        assert!(span > Duration::from_millis(10), "hardly any kill met a running program");
        std::fs::remove_dir_all(place.path("cut")).unwrap();
    }
    place.ok(&format!("{line} --set run.dir=cut"));
    place.bits("whole").assert_same(&place.bits("cut"), "never killed, and killed twenty times");
    let kept = |run| checkpoints(&place.path(run));
    assert_eq!(kept("whole"), kept("cut"));

    // Whatever a kill left lying about disturbs nobody.
    let played = |run| place.ok(&format!("eval {run} --matches 5 --json"));
    assert_eq!(played("whole"), played("cut"));
    let further = steps + 2000;
    for run in ["whole", "cut"] {
        place.ok(&format!("train --resume {run} --steps {further}"));
    }
    let bits = |run| -> Bits { place.bits(run) };
    bits("whole").assert_same(&bits("cut"), "both trained further");
}

#[test]
fn killed_feed_forward_runs_end_with_the_same_bits() {
    twenty_kills_change_nothing(FEED_FORWARD, 30_000);
}

#[test]
fn killed_recurrent_runs_end_with_the_same_bits() {
    twenty_kills_change_nothing(RECURRENT, 12_000);
}

#[test]
fn killed_runs_with_stacks_noise_and_novelty_end_with_the_same_bits() {
    twenty_kills_change_nothing(STACKED, 12_000);
}

#[test]
fn killed_leagues_end_with_the_same_bits_and_ratings() {
    twenty_kills_change_nothing(LEAGUE, 12_000);
}

#[test]
fn killed_runs_of_two_roles_with_pool_and_exploiters_end_with_the_same_bits() {
    twenty_kills_change_nothing(TWO_ROLES, 12_000);
}
