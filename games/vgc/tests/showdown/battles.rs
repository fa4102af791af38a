//! Battles as matches of the contract, on the real simulator.

use std::time::Duration;

use lanista_game::check::Trial;
use lanista_game::{Answer, Batch, Buffers, Control, check, seed};
use lanista_vgc::battles::{self, Battles};
use lanista_vgc::install;
use lanista_vgc::settings::{Actions, Settings};
use serde_json::json;

const TEAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/team.packed");
const OUTSIDE: [Control; 2] = [Control::Outside; 2];

/// Is there a simulator? Otherwise the test is skipped by name.
fn skipped() -> bool {
    install::locate(None).inspect_err(|error| println!("skipped: {error}")).is_err()
}

fn settings(limit_turns: u32, processes: usize) -> Settings {
    Settings {
        teams: Some(TEAM.into()),
        limit_turns,
        processes: Some(processes),
        ..Settings::default()
    }
}

/// A batch whose matches have begun.
struct Play {
    batch: Battles,
    buffers: Buffers,
    joint: Vec<u32>,
    dice: seed::Rng,
}

impl Play {
    fn new(settings: Settings, matches: usize) -> Self {
        let batch = Battles::new(settings, matches).unwrap();
        let buffers = Buffers::new(batch.spec(), matches);
        let joint = vec![0; matches * 2 * buffers.layout().heads];
        let mut play = Self { batch, buffers, joint, dice: seed::rng(3) };
        (0..matches).for_each(|m| play.start(m));
        play
    }

    fn start(&mut self, m: usize) {
        self.batch.start(m, m as u64, &OUTSIDE, &mut self.buffers).unwrap();
    }

    /// Waits until everybody has answered; returns who was lost.
    fn collect(&mut self, mut open: usize) -> Vec<(usize, String)> {
        let mut lost = Vec::new();
        while open > 0 {
            let mut answers = Vec::new();
            let patience = Duration::from_secs(60);
            self.batch.collect(patience, &mut self.buffers, &mut answers).unwrap();
            assert!(!answers.is_empty(), "nobody answered");
            open -= answers.len();
            lost.extend(answers.into_iter().filter_map(|answer| match answer {
                Answer::Ready(_) => None,
                Answer::Lost(m, why) => Some((m, why)),
            }));
        }
        lost
    }

    /// Random legal choices for everybody who is asked.
    fn submit(&mut self) {
        let layout = self.buffers.layout();
        let (actions, pairs, heads) = (layout.actions, layout.pair_values, layout.heads);
        for row in 0..self.batch.matches() * 2 {
            let mask = &self.buffers.mask[row * actions..(row + 1) * actions];
            let forbidden = &self.buffers.forbidden[row * pairs..(row + 1) * pairs];
            let action = &mut self.joint[row * heads..(row + 1) * heads];
            self.batch.spec().roles[0].draw(mask, forbidden, &mut self.dice, action);
        }
        let all: Vec<usize> = (0..self.batch.matches()).collect();
        self.batch.submit(&all, &self.joint, &mut self.buffers).unwrap();
    }
}

#[test]
fn what_the_game_is_made_of_needs_no_simulator() {
    let entry = battles::entry();
    for actions in ["heads", "joint"] {
        let settings = json!({"actions": actions, "showdown": "/nowhere", "teams": TEAM});
        let spec = entry.spec(&settings).unwrap();
        spec.validate().unwrap();
        let batch = entry.build(&settings, 1).unwrap();
        assert_eq!(batch.spec(), &spec);
        let heads = spec.roles[0].head_sizes();
        assert_eq!(heads, if actions == "heads" { vec![90, 45, 45] } else { vec![2025] });
    }
    let settings = Settings { showdown: Some("/nowhere".into()), ..settings(9, 1) };
    let mut batch = Battles::new(settings, 1).unwrap();
    let mut buffers = Buffers::new(batch.spec(), 1);
    let fault = batch.start(0, 1, &OUTSIDE, &mut buffers).unwrap_err().to_string();
    let known = fault.contains("nowhere") || fault.contains("nodejs.org");
    assert!(known, "{fault}");
}

/// The processes live as long as somebody plays there, so the check does not start its own for every match.
#[test]
fn battles_keep_the_rules_of_a_game() {
    if skipped() {
        return;
    }
    for (actions, turns) in [(Actions::Heads, 2), (Actions::Joint, 1)] {
        let settings = Settings { actions, ..settings(turns, 1) };
        let _playing = Play::new(settings.clone(), 1);
        let settings = serde_json::to_value(settings).unwrap();
        let remarks =
            check::check_with(&battles::entry(), &settings, Trial { seeds: 1, limit: 40 }).unwrap();
        // Within two turns nobody wins.
        assert!(
            remarks.iter().all(|remark| remark.contains("no match had a score")),
            "{remarks:?}"
        );
    }
}

#[test]
fn a_battle_comes_to_its_end_and_is_told_whole() {
    if skipped() {
        return;
    }
    let mut play = Play::new(settings(100, 1), 1);
    let mut log = String::new();
    play.collect(1);
    for step in 0.. {
        assert!(step < 500, "it does not end");
        let mut frame = String::new();
        play.batch.frame(0, &mut frame);
        let frame: serde_json::Value = serde_json::from_str(&frame).unwrap();
        log.push_str(frame["log"].as_str().unwrap());
        if play.buffers.end[0].is_some() {
            break;
        }
        play.submit();
        play.collect(1);
    }
    assert!(log.starts_with("|gametype|doubles\n") && log.contains("\n|win|Lanista "), "{log}");
    assert_eq!(play.batch.log(0), log);
    let winner = if log.contains("|win|Lanista 1") { 0 } else { 1 };
    assert_eq!(play.buffers.score[winner], 1.0);
    let stats = &play.buffers.stats;
    assert!(stats[0] > 0.0 && stats[1 + winner] > 0.0 && stats[2 - winner] == 0.0, "{stats:?}");
}

#[test]
fn a_battle_is_cut_at_its_limit() {
    if skipped() {
        return;
    }
    let mut play = Play::new(settings(1, 1), 1);
    play.collect(1);
    while play.buffers.end[0].is_none() {
        play.submit();
        play.collect(1);
    }
    assert_eq!(play.buffers.end[0], Some(lanista_game::End::Truncated));
    assert!(play.buffers.observation.iter().any(|&number| number != 0.0), "the critic looks at it");
}

#[cfg(unix)]
#[test]
fn a_process_that_is_killed_costs_its_battles_and_no_other() {
    if skipped() {
        return;
    }
    let mut play = Play::new(settings(100, 2), 8);
    assert_eq!(play.collect(8), []);
    for _ in 0..2 {
        play.submit();
        assert_eq!(play.collect(8), []);
    }
    let pids = play.batch.pids();
    let kill = |signal: &str, pid: u32| {
        let status = std::process::Command::new("kill").args([signal, &pid.to_string()]).status();
        assert!(status.unwrap().success());
    };
    // Between two steps: nobody waits for it then.
    kill("-9", pids[0]);
    std::thread::sleep(Duration::from_millis(300));
    play.submit();
    let lost = play.collect(8);
    assert_eq!(lost.len(), 4, "{lost:?}");
    for (m, why) in &lost {
        assert!(why.contains(&format!("(pid {}) died: signal: 9", pids[0])), "{why}");
        play.start(*m);
    }
    assert_eq!(play.collect(4), [], "they start anew");
    play.submit();
    assert_eq!(play.collect(8), [], "and everybody plays on");
    // In the middle of a step.
    kill("-STOP", pids[1]);
    play.submit();
    kill("-9", pids[1]);
    let lost = play.collect(8);
    assert!(lost.len() == 4 && lost[0].1.contains(&pids[1].to_string()), "{lost:?}");
    let now = play.batch.pids();
    assert!(now[0] != pids[0], "it was replaced");
}
