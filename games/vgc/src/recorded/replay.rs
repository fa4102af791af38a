//! Runs a recording through the trackers of both sides.

use std::borrow::Cow;

use crate::choice::{self, PASS, SWITCH};
use crate::dex::{self, MoveId};
use crate::legal::Legal;
use crate::request::Request;
use crate::state::Battle;
use crate::track::Tracker;

use super::ledger::Ledger;
use super::limits::Foes;
use super::lines::{entering, revives, side_and_place, side_of};
use super::requests::{self, Bench, Copied};
use super::words::{self, Answer};
use super::{Input, Recording, channel, inferred};

/// A choice of a recording, with what its side saw.
pub struct Moment<'a> {
    /// Whose it was: 0 is p1.
    pub side: usize,
    /// How many times somebody was asked before.
    pub step: u32,
    /// The battle as its side knew it.
    pub battle: &'a Battle,
    /// What was asked.
    pub request: &'a Request,
    /// What it might choose.
    pub legal: &'a Legal,
    /// What it chose.
    pub answer: Answer,
    /// Why some of that is not known, or was not offered.
    pub why: Option<String>,
    /// Is the recording wrong here: words that mean nothing, or a choice that was not offered?
    pub wrong: bool,
}

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
    /// Sides whose choices cannot be told, with the reason.
    pub refused: Vec<(usize, String)>,
}

/// Runs a recording through the trackers of both sides, and compares.
pub fn replay(recording: &Recording) -> Replayed {
    let mut choices = (0, 0, Vec::new());
    let mut count = |moment: &Moment| {
        choices.0 += 1;
        if moment.answer.is_known() && moment.answer.is_offered(moment.legal) {
            choices.1 += 1;
        } else {
            let (side, turn) = (moment.side + 1, moment.battle.turn);
            let why = moment.why.as_deref().unwrap_or("it is not offered");
            choices.2.push(format!("p{side} at turn {turn}: {why}"));
        }
    };
    let mut found = run(recording, false, &mut count);
    (found.choices, found.choices_in_mask, found.outside) = choices;
    found
}

/// Hands over the choices of a recording in order, each with what its side saw. Where the recording does not say
/// what was chosen, it is told from what happened, as far as that tells; a side whose team is not known is left
/// out. Returns the sides that are, with the reasons.
pub fn moments(recording: &Recording, hear: &mut dyn FnMut(&Moment)) -> Vec<(usize, String)> {
    run(recording, true, hear).refused
}

fn run<'a>(recording: &'a Recording, infers: bool, hear: &'a mut dyn FnMut(&Moment)) -> Replayed {
    let mut run = Run::new(recording, infers, hear);
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

/// The number of a preview that brings the first four of these.
fn four(members: &[usize]) -> Option<usize> {
    let brought: [usize; 4] = members.get(..4)?.try_into().ok()?;
    choice::preview_number(brought)
}

struct Run<'a> {
    recording: &'a Recording,
    trackers: [Tracker; 2],
    /// The same, told at once who stands where: the log shows one's own in disguise, too, until a request tells.
    truth: [Tracker; 2],
    ledger: Ledger,
    benches: [Bench<'a>; 2],
    input: Input,
    /// Is what was chosen told from what happened?
    infers: bool,
    /// Times somebody was asked.
    step: u32,
    hear: &'a mut dyn FnMut(&Moment),
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
    fn new(recording: &'a Recording, infers: bool, hear: &'a mut dyn FnMut(&Moment)) -> Self {
        let input = Input::of(&recording.choices);
        let infers = infers && input.choices.iter().all(|choices| choices.is_empty());
        let benches = [0, 1].map(|side: usize| {
            let sets = &recording.teams[side];
            Bench {
                sets,
                order: (0..sets.len()).collect(),
                details: vec![None; sets.len()],
                copied: [None, None],
                ate: vec![false; sets.len()],
                rested: vec![None; sets.len()],
            }
        });
        Self {
            recording,
            trackers: [0, 1].map(|me| Tracker::new(recording.format, me)),
            truth: [0, 1].map(|me| Tracker::new(recording.format, me)),
            ledger: Ledger::default(),
            benches,
            input,
            infers,
            step: 0,
            hear,
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
        if matches!(word, "switch" | "drag") {
            self.leaves(told);
        }
        for (tracker, line) in self.truth.iter_mut().zip(seen) {
            tracker.line(line);
        }
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
            "detailschange" | "replace" => self.is_called(told),
            "-item" | "-enditem" | "-transform" => {
                match word {
                    "-transform" => self.copies(told),
                    "-enditem" if told.contains("[eat]") => self.eats(told),
                    _ => {}
                }
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
                    self.benches[side].copied.swap(0, 1);
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
        let battle = self.truth[side].battle();
        let item = battle.sides[side].at(place).map(|one| one.item);
        let choice = item.and_then(|item| battle.format.dex().item(item)).is_some_and(|i| i.choice)
            || battle.sides[side].at(place).map(|one| one.ability)
                == dex::ability("gorillatactics");
        let held = &mut self.held[side][place];
        if choice && !held.is_known() && name != "Struggle" {
            *held = dex::a_move(name).unwrap_or_default();
        }
    }

    /// Somebody takes a place in the order of requests.
    fn enters(&mut self, told: &str, dragged: bool) {
        let Some((side, place)) = told.split('|').nth(2).and_then(side_and_place) else { return };
        self.held[side][place] = MoveId::UNKNOWN;
        let chosen = self.coming[side][place].take().filter(|_| !dragged);
        let shown = self.trackers[side].battle().sides[side].active[place];
        self.benches[side].copied[place] = None;
        if let Some(member) = chosen.or(shown) {
            self.benches[side].enters(place, member);
            if let Some(rested) = self.benches[side].rested.get_mut(member) {
                *rested = None;
            }
            self.is_called(told);
            let standing = self.truth[side].battle().sides[side].active[place];
            if standing.is_some() && standing != Some(member) {
                self.truth[side].came_in(place, member);
            }
        }
    }

    /// What the log calls somebody now.
    fn is_called(&mut self, told: &str) {
        let mut parts = told.split('|').skip(2);
        let (Some(who), Some(details)) = (parts.next(), parts.next()) else { return };
        let Some(side) = side_of(who) else { return };
        let bench = &mut self.benches[side];
        // Who has fainted stands nowhere, and is called by its name alone.
        let name = who.split_once(": ").map_or("", |(_, name)| name);
        let team = &self.trackers[side].battle().sides[side].team;
        let member = match side_and_place(who) {
            Some((_, place)) => bench.order.get(place).copied(),
            None => team.iter().position(|one| one.nickname == name),
        };
        let Some(member) = member else { return };
        // Another name than its own forms have is a disguise.
        let facts = self.recording.format.dex();
        let base = |id| facts.species(id).map(|one| one.base.as_ref().unwrap_or(&one.id));
        let shown = dex::species(details.split(',').next().unwrap_or(""));
        let own = team.get(member).map(|one| one.base_species);
        if let (Some(kept), true) =
            (bench.details.get_mut(member), shown.and_then(base) == own.and_then(base))
        {
            *kept = Some(details.to_owned());
        }
    }

    /// Somebody goes to the bench. Regenerator heals a third, of which the log says nothing until it is back.
    fn leaves(&mut self, told: &str) {
        let Some((side, place)) = told.split('|').nth(2).and_then(side_and_place) else { return };
        let battle = self.truth[side].battle();
        let bench = &mut self.benches[side];
        let Some(&member) = bench.order.get(place) else { return };
        let gone = battle.sides[side].at(place).filter(|one| !one.fainted);
        let heals = |one: &&crate::state::Pokemon| {
            Some(one.ability) == dex::ability("regenerator") && !one.volatiles.gastro_acid
        };
        if let (Some(one), Some(rested)) = (gone.filter(heals), bench.rested.get_mut(member)) {
            *rested = Some((one.hp + one.max_hp / 3).min(one.max_hp));
        }
    }

    fn eats(&mut self, told: &str) {
        let Some((side, place)) = told.split('|').nth(2).and_then(side_and_place) else { return };
        let bench = &mut self.benches[side];
        let member = bench.order.get(place).copied();
        if let Some(ate) = member.and_then(|member| bench.ate.get_mut(member)) {
            *ate = true;
        }
    }

    /// Somebody takes the shape of another, and its moves with it.
    fn copies(&mut self, told: &str) {
        let mut parts = told.split('|').skip(2);
        let (who, model) =
            (parts.next().and_then(side_and_place), parts.next().and_then(side_and_place));
        let (Some((side, place)), Some((other, at))) = (who, model) else { return };
        let bench = &self.benches[other];
        let set = bench.order.get(at).and_then(|member| bench.sets.get(*member));
        let ability = self.truth[other].battle().sides[other].at(at).map(|one| one.ability);
        let moves = match &bench.copied[at] {
            Some(copied) => Some(copied.moves.clone()),
            None => set.map(|set| requests::moves_of(set, false)),
        };
        self.benches[side].copied[place] =
            moves.zip(ability).map(|(moves, ability)| Copied { moves, ability });
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
            Asked::Preview => {
                (0..2).for_each(|side| self.preview(side, next));
                self.step += 1;
            }
            Asked::Turn => {
                for side in 0..2 {
                    let (battle, other) = (self.truth[side].battle(), 1 - side);
                    let copied = self.benches[other].copied.each_ref();
                    let foes = Foes {
                        battle: self.truth[other].battle(),
                        copied: copied.map(|copied| copied.as_ref().map(|copied| copied.ability)),
                    };
                    let (bench, held) = (&self.benches[side], self.held[side]);
                    let request = requests::turn(bench, battle, side, held, &foes);
                    self.answer(side, request, next);
                }
                self.step += 1;
            }
            Asked::Nothing if revives(next) => {
                if let Some((side, place)) = self.mover {
                    let battle = self.truth[side].battle();
                    let bench = &self.benches[side];
                    let request = requests::revival(bench, battle, side, place);
                    self.answer(side, request, next);
                    // Whoever comes back stays where it is.
                    self.coming[side] = [None; 2];
                    self.step += 1;
                }
            }
            Asked::Nothing => {
                let entering = entering(next);
                for side in 0..2 {
                    let known = self.trackers[side].battle().sides[side].active;
                    let empty = |place: usize| self.ended && known[place].is_none();
                    let places = [0, 1].map(|place| entering[side][place] || empty(place));
                    if entering[side].contains(&true) {
                        let battle = self.truth[side].battle();
                        let bench = &self.benches[side];
                        let request = requests::switches(bench, battle, side, places);
                        self.answer(side, request, next);
                    }
                }
                self.step += u32::from(entering != [[false; 2]; 2]);
            }
        }
    }

    fn preview(&mut self, side: usize, next: &[Cow<str>]) {
        if self.benches[side].sets.is_empty() {
            let why = "its team is not known: there is neither a team, nor an open sheet";
            self.found.refused.push((side, why.to_owned()));
            return;
        }
        let battle = self.trackers[side].battle();
        let request = requests::preview(&self.benches[side], battle, side);
        self.trackers[side].request(&request);
        self.truth[side].request(&request);
        let battle = self.trackers[side].battle();
        let legal = Legal::new(&request, battle);
        let mut left = false;
        let (members, mut why) = if self.infers {
            match inferred::brought(&self.trackers[side], next) {
                Ok(members) => (members, None),
                Err(why) => {
                    self.found.refused.push((side, why));
                    self.benches[side].sets = &[];
                    return;
                }
            }
        } else {
            let stated = self.input.choices.iter().any(|choices| !choices.is_empty());
            let Some(words) = self.input.choices[side].pop_front() else {
                if stated {
                    let why = "the recording has choices, and none of this side";
                    self.found.refused.push((side, why.to_owned()));
                }
                return;
            };
            let members = words.strip_prefix("team").map(words::members).unwrap_or_default();
            left = words::left_to_showdown(&words);
            match (left, four(&members)) {
                (true, _) => (members, Some(format!("`{words}` leaves it to Showdown"))),
                (false, None) => (members, Some(format!("`{words}` is no preview"))),
                (false, Some(_)) => (members, None),
            }
        };
        let number = four(&members);
        let answer = Answer::Preview(number);
        if !answer.is_offered(&legal) {
            why = Some("its preview is not offered".to_owned());
        }
        let unread = !self.infers && !left && number.is_none();
        let wrong = unread || !answer.is_offered(&legal);
        (self.hear)(&Moment {
            side,
            step: self.step,
            battle,
            request: &request,
            legal: &legal,
            answer,
            why,
            wrong,
        });
        if !members.is_empty() {
            self.benches[side].order = members.into_iter().take(4).collect();
            // The log may show one of the first two in disguise.
            self.coming[side] = [0, 1].map(|place| self.benches[side].order.get(place).copied());
        }
    }

    /// Finds out what was chosen and hands it over.
    fn answer(&mut self, side: usize, request: Request, next: &[Cow<str>]) {
        if self.benches[side].sets.is_empty() {
            return;
        }
        self.trackers[side].request(&request);
        self.truth[side].request(&request);
        let battle = self.trackers[side].battle();
        let legal = Legal::new(&request, battle);
        let mut left = false;
        let (numbers, mut why) = if self.infers {
            let Some(found) = inferred::choices(battle, side, &request, &legal, next) else {
                return;
            };
            found
        } else {
            let Some(words) = self.input.choices[side].pop_front() else { return };
            let parsed = words::turn(self.recording.format, &words, &request, &legal);
            left = words::left_to_showdown(&words);
            match parsed {
                Err(_) if left => ([None; 2], Some(format!("`{words}` leaves it to Showdown"))),
                Ok([first, second]) => ([Some(first), Some(second)], Some(format!("`{words}`"))),
                Err(part) => ([None; 2], Some(format!("`{words}`: `{part}` cannot be read"))),
            }
        };
        let answer = Answer::Turn(numbers);
        match &mut why {
            Some(why) if !answer.is_offered(&legal) => why.push_str(": it is not offered"),
            why if answer.is_known() => *why = None,
            _ => {}
        }
        let unread = !self.infers && !left && !answer.is_known();
        (self.hear)(&Moment {
            side,
            step: self.step,
            battle,
            request: &request,
            legal: &legal,
            answer,
            why,
            wrong: unread || !answer.is_offered(&legal),
        });
        for (place, number) in numbers.into_iter().enumerate() {
            if let Some(to) = number.filter(|&n| n < PASS).and_then(|n| n.checked_sub(SWITCH)) {
                self.coming[side][place] = self.benches[side].order.get(to).copied();
            }
        }
    }
}
