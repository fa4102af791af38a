//! Legality against the simulator: random play from our masks, each choice judged by Showdown itself.
//!
//! `LANISTA_VGC_DECISIONS=200000 cargo test -p lanista-vgc --test showdown random_play -- --nocapture` plays as
//! many decisions over all formats, LANISTA_VGC_SEED others; without it a few battles are played.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use lanista_vgc::choice::{self, PASS, SLOT, SlotChoice};
use lanista_vgc::format::{FORMATS, Format, Gimmick};
use lanista_vgc::install;
use lanista_vgc::legal::Legal;
use lanista_vgc::request::{Active, Request};
use lanista_vgc::team;
use lanista_vgc::track::Tracker;
use serde_json::Value;

/// A child that does not outlive the test.
struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What was asked last, what was offered and what was chosen of it.
type Asked = (Request, Legal, (usize, usize));

/// What was seen.
#[derive(Default)]
struct Tally {
    battles: usize,
    decisions: usize,
    rejected: BTreeMap<String, usize>,
    /// How often what is rare was asked.
    rare: BTreeMap<&'static str, usize>,
}

/// What is rare about a request.
fn rarities(request: &Request) -> Vec<&'static str> {
    let side = &request.side.pokemon;
    let actives = || request.active.iter().flatten();
    let forced = |active: &Active| active.moves.len() == 1 && active.moves[0].target.is_none();
    let bench = side.iter().skip(2).filter(|own| !own.condition.ends_with("fnt")).count();
    let gone = request.force_switch.iter().filter(|&&yes| yes).count();
    let mut found = Vec::new();
    let mut note = |yes: bool, what| {
        if yes {
            found.push(what);
        }
    };
    note(side.iter().any(|own| own.reviving), "revival");
    note(actives().count() > 0 && side.iter().any(|own| own.commanding), "commander");
    note(actives().any(forced), "forced move");
    note(actives().any(|active| active.moves.iter().any(|m| m.id == "struggle")), "struggle");
    note(actives().any(|active| active.trapped), "trapped");
    note(actives().any(|active| active.maybe_trapped), "maybe trapped");
    note(actives().any(|active| active.maybe_disabled), "maybe disabled");
    note(gone == 2, "both replaced");
    note(gone > bench, "too few left");
    found
}

/// Our teams and the given ones, where there are any.
fn teams(format: &Format) -> Vec<String> {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/vgc");
    let given = team::read(&shared.join(format!("teams_{}.packed", format.id))).unwrap_or_default();
    team::ours(format).iter().chain(&given).map(|found| found.team.packed()).collect()
}

fn words_of(first: usize, second: usize, format: &Format) -> String {
    let word = match format.gimmick {
        Gimmick::Terastallize => "terastallize",
        Gimmick::MegaEvolve => "mega",
    };
    choice::turn_words([first, second].map(|number| SlotChoice::of(number).unwrap()), word)
}

/// A legal choice, each place's kinds of choices equally likely, so that switches are tried as well.
fn choose(
    legal: &Legal,
    format: &Format,
    dice: &mut impl FnMut(usize) -> usize,
) -> (usize, usize, String) {
    if legal.preview {
        let open: Vec<usize> = (0..choice::PREVIEWS).filter(|&n| legal.previews[n]).collect();
        let number = open[dice(open.len())];
        return (number, 0, choice::preview_words(choice::preview(number).unwrap()));
    }
    let open = |mask: &[bool; SLOT]| (0..SLOT).filter(|&n| mask[n]).collect::<Vec<_>>();
    let firsts = open(&legal.slots[0]);
    let first = firsts[dice(firsts.len())];
    let seconds = open(&legal.second(first));
    let second = seconds[dice(seconds.len())];
    assert!(legal.allows(first, second));
    (first, second, words_of(first, second, format))
}

/// Plays until `decisions` have been made.
fn play(
    install: &install::Install,
    format: &'static Format,
    teams: &[String],
    decisions: usize,
) -> Tally {
    let seed: u64 = std::env::var("LANISTA_VGC_SEED").map_or(7, |seed| seed.parse().unwrap());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/random_play.js");
    let child = Command::new("node")
        .args([script.as_ref(), install.package.as_os_str()])
        .args([format.id, "1000000", &seed.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut node = Node(child);
    let mut to = node.0.stdin.take().unwrap();
    let from = BufReader::new(node.0.stdout.take().unwrap());
    writeln!(to, "{}", serde_json::to_string(teams).unwrap()).unwrap();

    let mut state = seed.wrapping_mul(11);
    let mut dice = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize * below) >> 31
    };
    let mut tally = Tally::default();
    let mut trackers = [0, 1].map(|me| Tracker::new(format, me));
    let mut last: [Option<Asked>; 2] = [None, None];
    for line in from.lines() {
        let told: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if told.get("over").is_some() {
            tally.battles += 1;
            if tally.decisions >= decisions {
                break;
            }
            trackers = [0, 1].map(|me| Tracker::new(format, me));
            continue;
        }
        let side = told["side"].as_u64().unwrap() as usize;
        for line in told["log"].as_array().unwrap() {
            trackers[side].line(line.as_str().unwrap());
        }
        let request: Request = serde_json::from_value(told["request"].clone()).unwrap();
        trackers[side].request(&request);
        if told.get("silent").is_some() {
            continue;
        }
        let mut legal = Legal::new(&request, trackers[side].battle());
        if let Some(reason) = told["rejected"].as_str() {
            let words = told["words"].as_str().unwrap();
            println!("{} battle {} p{}: `{words}`: {reason}", format.id, told["battle"], side + 1);
            *tally.rejected.entry(cause(reason)).or_default() += 1;
            // Showdown tells by a changed request what was hidden; else the choice itself is taken out.
            let (before, struck, (first, second)) = last[side].take().unwrap();
            if before == request {
                legal = struck;
                assert!(legal.strike(first, second), "stuck: {request:?}");
            }
        } else {
            tally.decisions += 1;
            for what in rarities(&request) {
                *tally.rare.entry(what).or_default() += 1;
            }
        }
        let (first, second, words) = choose(&legal, format, &mut dice);
        assert!(!legal.preview || legal.allows(PASS, PASS));
        writeln!(to, "{words}").unwrap();
        last[side] = Some((request, legal, (first, second)));
    }
    assert!(tally.decisions >= decisions, "the script ended early");
    tally
}

/// A refusal without the names in it.
fn cause(reason: &str) -> String {
    for known in ["is trapped", "is disabled"] {
        if reason.contains(known) {
            return format!("hidden from the request: {known}");
        }
    }
    reason.to_owned()
}

#[test]
fn showdown_takes_what_the_masks_offer() {
    let Ok(install) = install::locate(None) else {
        println!("skipped: there is no simulator here");
        return;
    };
    let wanted = std::env::var("LANISTA_VGC_DECISIONS").ok().map(|count| count.parse().unwrap());
    // One of each set of facts will do for a little; a large count goes through all.
    let formats: Vec<&Format> = match wanted {
        Some(_) => FORMATS.iter().collect(),
        None => [0, 3, 5].map(|index| &FORMATS[index]).to_vec(),
    };
    let each: usize = wanted.unwrap_or(450usize).div_ceil(formats.len());
    let (mut decisions, mut rejected) = (0, 0);
    for format in formats {
        let tally = play(&install, format, &teams(format), each);
        println!(
            "{}: {} battles, {} decisions, rejected {:?}, rare {:?}",
            format.id, tally.battles, tally.decisions, tally.rejected, tally.rare
        );
        decisions += tally.decisions;
        rejected += tally.rejected.values().sum::<usize>();
    }
    println!("{decisions} decisions, {rejected} rejected");
    assert!(rejected <= 1 + decisions / 10_000, "{rejected} of {decisions} were rejected");
}
