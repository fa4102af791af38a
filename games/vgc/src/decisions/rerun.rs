//! Battles that the simulator plays again: their seed is written beside the choices.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::host::{Opening, Pool, Post, Reply, Seed, Told};
use crate::legal::Legal;
use crate::recorded::{Input, Recording};
use crate::track::Tracker;

use super::collect::{Collector, Scene};
use super::read_answer;

/// Whoever waits for an answer looks so often whether the process hangs.
const LOOK: Duration = Duration::from_millis(250);
/// More steps than this has no battle: Showdown ends them at turn 1000.
const MOST_STEPS: u32 = 10_000;

/// Plays a recording again and takes its decisions down. Returns the log of what was played. A recording without
/// a log of its own is compared with nothing; then it counts that all its choices were asked for.
///
/// # Errors
/// If something is missing, the simulator refuses something, or it plays another battle than the recorded one,
/// as another version of it may.
pub(super) fn play(
    recording: &Recording,
    pool: &Pool,
    to: &mut Collector,
) -> Result<Vec<String>, String> {
    let mut input = Input::of(&recording.choices);
    let missing = |what: &str| format!("its input names no {what}");
    let seed = input.seed.take().ok_or_else(|| missing("seed"))?;
    let [Some(first), Some(second)] = &input.teams else { return Err(missing("teams")) };
    let names = input.names.each_ref().map(|name| name.as_deref().unwrap_or("?"));
    let opening = Opening {
        format: recording.format.id,
        seed: Seed::Words(&seed),
        teams: [first, second],
        names,
        open_sheets: input.open_sheets,
    };
    let (post, replies) = channel();
    let mut question = 0;
    let battle = pool.start(&opening, 0, question, &post).map_err(|error| error.to_string())?;
    let mut trackers = [0, 1].map(|side| Tracker::new(recording.format, side));
    let mut log: Vec<String> = Vec::new();
    let mut refused = false;
    for step in 0..MOST_STEPS {
        let mut told = hear(pool, &replies, question)?;
        log.extend(told.all.lines().map(str::to_owned));
        let errors = std::mem::take(&mut told.errors);
        if let Some(side) = (0..2).find(|&side| errors[side].is_some()) {
            if refused {
                let why = errors[side].as_deref().unwrap_or("");
                return Err(format!("the simulator refuses a choice of p{}: {why}", side + 1));
            }
            to.take_back(side);
        }
        refused = errors.iter().any(Option::is_some);
        let mut words: [Option<String>; 2] = [None, None];
        let mut waits = false;
        for side in 0..2 {
            told.lines[side].lines().for_each(|line| trackers[side].line(line));
            let Some(request) = told.requests[side].take() else { continue };
            trackers[side].request(&request);
            // Whose choice was taken waits for the one whose was not.
            if request.wait || (refused && errors[side].is_none()) {
                continue;
            }
            let Some(chosen) = input.choices[side].pop_front() else {
                waits = true;
                continue;
            };
            let battle = trackers[side].battle();
            let legal = Legal::new(&request, battle);
            let (answer, fault) = read_answer(recording.format, &chosen, &request, &legal);
            let scene = Scene { side, step, battle, request: &request, legal: &legal };
            to.decision(&scene, answer, fault);
            words[side] = Some(chosen);
        }
        // Somebody gave up, or the recording was cut: what the other chose then came to nothing, and stays.
        if told.end.is_some() || waits || words == [None, None] {
            let left: usize = input.choices.iter().map(|choices| choices.len()).sum();
            match (recording.log.is_empty(), left) {
                (true, 0) => {}
                (true, left) => return Err(format!("nobody asks for the last {left} choices")),
                (false, _) => compare(&log, &recording.log)?,
            }
            return Ok(log);
        }
        question += 1;
        let [first, second] = &words;
        let choices = [first.as_deref(), second.as_deref()];
        battle.choose(question, choices).map_err(|error| error.to_string())?;
    }
    Err("it does not come to an end".to_owned())
}

fn hear(pool: &Pool, replies: &Receiver<Post>, question: u64) -> Result<Told, String> {
    loop {
        match replies.recv_timeout(LOOK) {
            Ok(post) if post.question == question => match post.reply {
                Reply::Told(told) => return Ok(*told),
                Reply::Lost(why) => return Err(why),
            },
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => pool.look(),
            Err(RecvTimeoutError::Disconnected) => return Err("the simulator is gone".to_owned()),
        }
    }
}

/// What of a line tells one battle from another: who did what, without health and the wall clock.
fn essence(line: &str) -> Option<String> {
    let parts: Vec<&str> = line.split('|').skip(1).take(4).collect();
    let of = match *parts.first()? {
        "move" => 4,
        "switch" | "drag" | "cant" => 3,
        "faint" | "turn" => 2,
        _ => return None,
    };
    Some(parts[..parts.len().min(of)].join("|"))
}

/// Is what was played the battle of the log?
fn compare(played: &[String], log: &[String]) -> Result<(), String> {
    let played: Vec<String> = played.iter().filter_map(|line| essence(line)).collect();
    let mut recorded: Vec<String> = Vec::new();
    let mut lines = log.iter();
    while let Some(line) = lines.next() {
        // The secret line and the shared one say the same here.
        if line.starts_with("|split|") {
            recorded.extend(lines.next().and_then(|line| essence(line)));
            lines.next();
        } else {
            recorded.extend(essence(line));
        }
    }
    let differs = played.iter().zip(&recorded).position(|(played, told)| played != told);
    match differs {
        Some(at) => Err(format!(
            "the simulator plays another battle: `{}` where the log has `{}`",
            played[at], recorded[at]
        )),
        None if played.len() < recorded.len() => {
            Err("the log goes on where the choices end".to_owned())
        }
        None => Ok(()),
    }
}
