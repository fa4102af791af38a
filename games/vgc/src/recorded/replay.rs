//! Runs a recording through the trackers of both sides.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::choice::{self, AIMS, Aim, SlotChoice};
use crate::dex::MoveId;
use crate::format::Gimmick;
use crate::legal::Legal;
use crate::request::Request;
use crate::track::Tracker;

use super::ledger::Ledger;
use super::requests::{self, Bench};
use super::{Recording, channel};

/// What a replay found.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    /// Turns that were begun.
    pub turns: usize,
    /// In what the trackers differ from the log, in words.
    pub disagreements: Vec<String>,
    /// Choices of both sides.
    pub choices: usize,
    /// Those within what is legal.
    pub choices_in_mask: usize,
    /// The others, in words.
    pub outside: Vec<String>,
}

/// `p1` or `p2`.
pub(super) fn side_of(word: &str) -> Option<usize> {
    match word.get(..2)? {
        "p1" => Some(0),
        "p2" => Some(1),
        _ => None,
    }
}

/// Runs a recording through the trackers of both sides.
pub fn replay(recording: &Recording) -> Replayed {
    let mut run = Run::new(recording);
    let seen = [0, 1].map(|me| channel(recording.format, &recording.log, me));
    let told = exact(&recording.log);
    let count = told.len().min(seen[0].len()).min(seen[1].len());
    for at in 0..count {
        // An empty line stands before what follows from choices, and before the end of a turn.
        if told[at] == "|" {
            run.decision(&told[at + 1..count]);
        }
        run.line(&told[at], [&seen[0][at], &seen[1][at]]);
    }
    run.compare();
    run.found
}

/// The log with everything it tells: the secret lines where it has both.
fn exact(log: &[String]) -> Vec<Cow<'_, str>> {
    let mut lines = Vec::with_capacity(log.len());
    let mut from = log.iter().map(String::as_str);
    while let Some(line) = from.next() {
        if line.starts_with("|split|") {
            lines.push(Cow::Borrowed(from.next().unwrap_or("")));
            from.next();
        } else {
            lines.push(Cow::Borrowed(line));
        }
    }
    lines
}

/// What is asked next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Nothing,
    Preview,
    Turn,
}

struct Run<'a> {
    recording: &'a Recording,
    trackers: [Tracker; 2],
    ledger: Ledger,
    benches: [Bench<'a>; 2],
    choices: [VecDeque<&'a str>; 2],
    /// Who comes in at a place, by the choice: the log may show another in its stead.
    coming: [[Option<usize>; 2]; 2],
    asked: Asked,
    /// The turn's end is over: who is missing is replaced.
    ended: bool,
    /// The move that a choice item holds somebody to, by place.
    held: [[MoveId; 2]; 2],
    /// Who moved last.
    mover: Option<(usize, usize)>,
    found: Replayed,
}

impl<'a> Run<'a> {
    fn new(recording: &'a Recording) -> Self {
        let choices = [0, 1].map(|side| {
            let mine = |line: &&'a String| line.starts_with(['>', ' ']) || side_of(line).is_some();
            let of = |line: &'a String| {
                let line = line.trim_start_matches('>');
                (side_of(line) == Some(side)).then(|| line[2..].trim())
            };
            // What is no choice: `>p1 undo` takes back the one before, which the log of choices leaves out.
            let lines = recording.choices.iter().filter(mine).filter_map(of);
            lines.filter(|words| !words.starts_with("undo")).collect()
        });
        let benches = [0, 1].map(|side: usize| {
            let sets = &recording.teams[side];
            Bench { sets, order: (0..sets.len()).collect() }
        });
        Self {
            recording,
            trackers: [0, 1].map(|me| Tracker::new(recording.format, me)),
            ledger: Ledger::default(),
            benches,
            choices,
            coming: Default::default(),
            asked: Asked::Nothing,
            ended: false,
            held: Default::default(),
            mover: None,
            found: Replayed::default(),
        }
    }

    fn line(&mut self, told: &str, seen: [&str; 2]) {
        self.ledger.line(told);
        let word = told.split('|').nth(1).unwrap_or("");
        for (tracker, line) in self.trackers.iter_mut().zip(seen) {
            let unread = tracker.unread();
            tracker.line(line);
            if tracker.unread() > unread {
                self.found.disagreements.push(format!("unread: {line}"));
            }
        }
        match word {
            "teampreview" => self.asked = Asked::Preview,
            "turn" => {
                self.found.turns += 1;
                self.compare();
                self.asked = Asked::Turn;
                self.ended = false;
            }
            "upkeep" => self.ended = true,
            "move" => {
                self.mover = told.split('|').nth(2).and_then(side_and_place);
                self.holds_to(told);
            }
            "switch" | "drag" => self.enters(told, word == "drag"),
            "-item" | "-enditem" | "-transform" => {
                if let Some((side, place)) = told.split('|').nth(2).and_then(side_and_place) {
                    self.held[side][place] = MoveId::UNKNOWN;
                }
            }
            "swap" => {
                if let Some(side) = told.split('|').nth(2).and_then(side_of)
                    && self.benches[side].order.len() > 1
                {
                    self.benches[side].order.swap(0, 1);
                    self.held[side].swap(0, 1);
                }
            }
            _ => {}
        }
    }

    /// The first move that somebody uses with a choice item is the only one until it leaves.
    fn holds_to(&mut self, told: &str) {
        let (Some((side, place)), Some(name)) = (self.mover, told.split('|').nth(3)) else {
            return;
        };
        let battle = self.trackers[side].battle();
        let item = battle.sides[side].at(place).map(|one| one.item);
        let choice = item.and_then(|item| battle.format.dex().item(item)).is_some_and(|i| i.choice);
        let held = &mut self.held[side][place];
        if choice && !held.is_known() && name != "Struggle" {
            *held = crate::dex::a_move(name).unwrap_or_default();
        }
    }

    /// Somebody takes a place in the order of requests.
    fn enters(&mut self, told: &str, dragged: bool) {
        let Some((side, place)) = told.split('|').nth(2).and_then(side_and_place) else { return };
        self.held[side][place] = MoveId::UNKNOWN;
        let chosen = self.coming[side][place].take().filter(|_| !dragged);
        let shown = self.trackers[side].battle().sides[side].active[place];
        if let Some(member) = chosen.or(shown) {
            self.benches[side].enters(place, member);
        }
    }

    fn compare(&mut self) {
        for (me, tracker) in self.trackers.iter().enumerate() {
            let format = self.recording.format;
            for words in self.ledger.differences(format, tracker.battle()) {
                let turn = tracker.battle().turn;
                self.found.disagreements.push(format!("as p{} at turn {turn}: {words}", me + 1));
            }
        }
    }

    /// An empty line: what was asked is answered, or nothing was.
    fn decision(&mut self, next: &[Cow<str>]) {
        match std::mem::replace(&mut self.asked, Asked::Nothing) {
            Asked::Preview => (0..2).for_each(|side| self.preview(side)),
            Asked::Turn => {
                for side in 0..2 {
                    let battle = self.trackers[side].battle();
                    let request =
                        requests::turn(&self.benches[side], battle, side, self.held[side]);
                    self.answer(side, request);
                }
            }
            Asked::Nothing if revives(next) => {
                if let Some((side, place)) = self.mover {
                    let battle = self.trackers[side].battle();
                    let bench = &self.benches[side];
                    let request = requests::revival(bench, battle, side, place);
                    self.answer(side, request);
                    // Whoever comes back stays where it is.
                    self.coming[side] = [None; 2];
                }
            }
            Asked::Nothing => {
                let entering = entering(next);
                for side in 0..2 {
                    let known = self.trackers[side].battle().sides[side].active;
                    let empty = |place: usize| self.ended && known[place].is_none();
                    let places = [0, 1].map(|place| entering[side][place] || empty(place));
                    if entering[side].contains(&true) {
                        let battle = self.trackers[side].battle();
                        let bench = &self.benches[side];
                        let request = requests::switches(bench, battle, side, places);
                        self.answer(side, request);
                    }
                }
            }
        }
    }

    fn preview(&mut self, side: usize) {
        if self.benches[side].sets.is_empty() {
            return;
        }
        let battle = self.trackers[side].battle();
        let request = requests::preview(&self.benches[side], battle, side);
        self.trackers[side].request(&request);
        let legal = Legal::new(&request, self.trackers[side].battle());
        let Some(words) = self.choices[side].pop_front() else { return };
        self.found.choices += 1;
        let Some(members) = words.strip_prefix("team").map(members) else {
            return self.outside(side, words, "it is no preview");
        };
        let brought: Option<[usize; 4]> = members.get(..4).and_then(|four| four.try_into().ok());
        let number = brought.and_then(choice::preview_number);
        if number.is_some_and(|number| legal.preview && legal.previews[number]) {
            self.found.choices_in_mask += 1;
        } else {
            self.outside(side, words, "it is not offered");
        }
        self.benches[side].order = members.into_iter().take(4).collect();
    }

    /// Whether a choice is within what is legal.
    fn answer(&mut self, side: usize, request: Request) {
        if self.benches[side].sets.is_empty() {
            return;
        }
        self.trackers[side].request(&request);
        let Some(words) = self.choices[side].pop_front() else { return };
        self.found.choices += 1;
        let legal = Legal::new(&request, self.trackers[side].battle());
        let parts: Vec<&str> = words.split(',').map(str::trim).collect();
        let mut numbers = [choice::PASS; 2];
        for place in 0..2 {
            let part = parts.get(place).copied().unwrap_or("pass");
            let Some(chosen) = self.slot_choice(part, place, &request) else {
                return self.outside(side, words, &format!("`{part}` cannot be read"));
            };
            if let SlotChoice::Switch(to) = chosen {
                self.coming[side][place] = self.benches[side].order.get(to).copied();
            }
            numbers[place] = chosen.number();
        }
        if legal.allows(numbers[0], numbers[1]) {
            self.found.choices_in_mask += 1;
        } else {
            self.outside(side, words, "it is not offered");
        }
    }

    fn outside(&mut self, side: usize, words: &str, why: &str) {
        let turn = self.trackers[side].battle().turn;
        self.found.outside.push(format!("p{} at turn {turn}: `{words}`: {why}", side + 1));
    }

    /// A choice of one place in Showdown's words.
    fn slot_choice(&self, words: &str, place: usize, request: &Request) -> Option<SlotChoice> {
        let mut parts = words.split_whitespace();
        match parts.next()? {
            "pass" | "skip" => Some(SlotChoice::Pass),
            "switch" => {
                let named: String = parts.collect::<Vec<_>>().join(" ");
                let row = |own: &crate::request::Own| {
                    let name = own.ident.split_once(": ").map_or("", |(_, name)| name);
                    crate::dex::id_of(name) == crate::dex::id_of(&named)
                };
                let number = named.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let to = number.or_else(|| request.side.pokemon.iter().position(row))?;
                (to < 4).then_some(SlotChoice::Switch(to))
            }
            "move" => {
                let moves = &request.active.get(place)?.as_ref()?.moves;
                let (mut gimmick, mut aim, mut name) = (false, Aim::Nobody, String::new());
                let word = match self.recording.format.gimmick {
                    Gimmick::Terastallize => "terastal",
                    Gimmick::MegaEvolve => "mega",
                };
                for part in parts {
                    let at = AIMS.into_iter().find(|aim| {
                        !aim.word().is_empty()
                            && (aim.word() == part || aim.word().strip_prefix('+') == Some(part))
                    });
                    match at {
                        // The first word is a move by name or number.
                        Some(at) if !name.is_empty() => aim = at,
                        _ if part.starts_with(word) => gimmick = true,
                        _ => name.push_str(part),
                    }
                }
                let id = crate::dex::id_of(&name);
                let slot = match name.parse::<usize>() {
                    Ok(number) => number.checked_sub(1)?,
                    Err(_) => moves.iter().position(|option| option.id == id)?,
                };
                // A move that goes on keeps its target, which the log of choices writes.
                let aim = moves.get(slot)?.target.map_or(Aim::Nobody, |_| aim);
                (slot < 4).then_some(SlotChoice::Move { slot, gimmick, aim })
            }
            _ => None,
        }
    }
}

/// `p1a` and the like.
fn side_and_place(ident: &str) -> Option<(usize, usize)> {
    let place = match ident.as_bytes().get(2)? {
        b'a' => 0,
        b'b' => 1,
        _ => return None,
    };
    Some((side_of(ident)?, place))
}

/// The members that a preview names: ` 1, 4, 5, 2` or `1452`.
fn members(words: &str) -> Vec<usize> {
    let digits = words.chars().filter_map(|c| c.to_digit(10));
    digits.filter_map(|digit| (digit as usize).checked_sub(1)).collect()
}

/// Does a choice bring somebody back?
fn revives(next: &[Cow<str>]) -> bool {
    let first = next.iter().find(|line| !line.starts_with("|t:|"));
    first.is_some_and(|line| {
        line.starts_with("|-heal|") && line.contains("[from] move: Revival Blessing")
    })
}

/// Which places are taken by choice before anything else happens: nobody moved in between.
fn entering(next: &[Cow<str>]) -> [[bool; 2]; 2] {
    let mut entering = [[false; 2]; 2];
    for line in next {
        match line.split('|').nth(1).unwrap_or("") {
            "switch" => {
                if let Some((side, place)) = line.split('|').nth(2).and_then(side_and_place) {
                    entering[side][place] = true;
                }
            }
            "" | "move" | "cant" | "turn" | "upkeep" | "drag" | "win" | "tie" => break,
            _ => {}
        }
    }
    entering
}
