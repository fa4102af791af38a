//! All battles of a conversation, with the player who plays them and what is kept and told of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::event::{Event, Output, Refusal};
use super::keep::{Keep, KeptBattle};
use super::plan::Plan;
use super::room::Outcome;
use super::seat::{Decision, Player, Seat};
use super::session::Session;
use crate::choice::{Choice, joint};
use crate::dex::Dex;
use crate::state::{Battle, Side};

/// Words of rejections that a summary quotes.
const QUOTED: usize = 20;

/// How it went.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Battles that ended.
    pub battles: usize,
    /// Of these won.
    pub won: usize,
    /// Lost.
    pub lost: usize,
    /// Tied.
    pub tied: usize,
    /// Gone from the server.
    pub vanished: usize,
    /// Lost because one's own time ran out.
    pub timed_out: usize,
    /// Choices made.
    pub decisions: usize,
    /// Of these not accepted.
    pub rejected: usize,
    /// Impossible by something that was hidden, such as a foe's ability that traps.
    pub unavailable: usize,
    /// How often the connection had to be made anew.
    pub reconnects: usize,
    /// Words of the first rejections.
    pub rejections: Vec<String>,
}

/// All battles of a conversation.
pub struct Table<'a> {
    session: Session,
    places: BTreeMap<String, Place>,
    player: &'a mut dyn Player,
    keep: Option<Keep>,
    tell: &'a mut dyn FnMut(&str),
    /// How it goes.
    pub summary: Summary,
    /// Why it cannot go on.
    pub refusal: Option<Refusal>,
}

/// A battle.
struct Place {
    seat: Seat,
    kept: Option<KeptBattle>,
    clock: Option<(u32, u32)>,
}

impl<'a> Table<'a> {
    /// Nothing has been said yet.
    pub fn new(
        plan: Plan,
        player: &'a mut dyn Player,
        keep: Option<Keep>,
        tell: &'a mut dyn FnMut(&str),
    ) -> Self {
        let session = Session::new(plan);
        let (places, summary) = (BTreeMap::new(), Summary::default());
        Self { session, places, player, keep, tell, summary, refusal: None }
    }

    /// Whether everything is played.
    pub fn is_over(&self) -> bool {
        self.session.is_over()
    }

    /// Battles that are running.
    pub fn running(&self) -> usize {
        self.session.running()
    }

    /// No further battle is begun.
    pub fn wind_up(&mut self) {
        self.session.wind_up();
    }

    /// Gives up what is running; what is to be sent.
    pub fn forfeit(&mut self) -> Vec<String> {
        self.session.forfeit();
        self.settle()
    }

    /// A message has arrived; what is to be sent.
    pub fn receive(&mut self, message: &str, now: Duration) -> Vec<String> {
        self.session.receive(message, now);
        self.settle()
    }

    /// Time has passed; what is to be sent.
    pub fn tick(&mut self, now: Duration) -> Vec<String> {
        self.session.tick(now);
        self.settle()
    }

    /// The connection is gone.
    pub fn closed(&mut self) {
        self.session.closed();
        self.settle();
    }

    /// Tells whoever watches.
    pub fn say(&mut self, words: &str) {
        (self.tell)(words);
    }

    fn settle(&mut self) -> Vec<String> {
        let mut send = Vec::new();
        while let Some(output) = self.session.next() {
            match output {
                Output::Send(text) => send.push(text),
                Output::Event(event) => self.happened(event),
            }
        }
        send
    }

    fn happened(&mut self, event: Event) {
        match event {
            Event::LoggedIn => {
                let words = format!("logged in as {}", self.session.plan().name);
                self.say(&words);
            }
            Event::Began { room, again } => self.begin(&room, again),
            Event::Line { room, line } => {
                let Some(place) = self.places.get_mut(&room) else { return };
                place.seat.line(&line);
                self.keeping(&room, |kept| kept.line(&line));
            }
            Event::Asked { room, request, answer } => {
                self.keeping(&room, |kept| kept.asked(&request));
                let Some(place) = self.places.get_mut(&room) else { return };
                place.seat.asked(*request, answer);
                if answer {
                    self.decide(&room, false);
                }
            }
            Event::Rejected { room, words, answer } => {
                self.summary.rejected += 1;
                self.rejected(&room, &words);
                if answer {
                    self.decide(&room, true);
                }
            }
            Event::Unavailable { room, words } => {
                self.summary.unavailable += 1;
                self.rejected(&room, &words);
            }
            Event::Clock { room, turn_secs, total_secs } => {
                if let Some(place) = self.places.get_mut(&room) {
                    place.clock = Some((turn_secs, total_secs));
                }
            }
            Event::Ended { room, outcome, timed_out } => self.end(&room, outcome, timed_out),
            Event::Notice(words) => self.say(&words),
            Event::Refused(refusal) => self.refusal = Some(refusal),
        }
    }

    fn begin(&mut self, room: &str, again: bool) {
        let plan = self.session.plan();
        let seat = Seat::new(plan.format, &plan.name);
        let begin = json!({ "room": room, "format": plan.format.id, "name": plan.name });
        if let (true, Some(place)) = (again, self.places.get_mut(room)) {
            place.seat = seat;
            self.keeping(room, KeptBattle::restart);
            self.say(&format!("{}: entered again", short(room)));
            return;
        }
        self.player.forget(room);
        let kept = self.keep.as_ref().map(|keep| keep.battle(room)).transpose();
        let kept = kept.unwrap_or_else(|error| {
            (self.tell)(&format!("{}: cannot be kept: {error}", short(room)));
            None
        });
        self.places.insert(room.to_owned(), Place { seat, kept, clock: None });
        self.keeping(room, |kept| kept.note(&begin));
        self.say(&format!("{}: begins", short(room)));
    }

    fn decide(&mut self, room: &str, again: bool) {
        let Some(place) = self.places.get_mut(room) else { return };
        let decided = place.seat.decide(room, self.player);
        let Some((decision, words)) = decided else {
            // The request speaks of no side that one could be: Showdown may choose.
            self.session.answer(room, "default");
            return;
        };
        self.summary.decisions += 1;
        let turn = place.seat.battle().map_or(0, |battle| battle.turn);
        let rqid = place.seat.request().and_then(|request| request.rqid);
        let live = live(room, place, &decision, &words);
        self.session.answer(room, &words);
        let note = json!({
            "turn": turn, "rqid": rqid, "choice": words, "number": number(decision.choice),
            "value": decision.value, "again": again,
        });
        self.keeping(room, |kept| kept.note(&note));
        self.say(&live);
    }

    fn rejected(&mut self, room: &str, words: &str) {
        if self.summary.rejections.len() < QUOTED {
            self.summary.rejections.push(format!("{room}: {words}"));
        }
        self.keeping(room, |kept| kept.note(&json!({ "rejected": words })));
        self.say(&format!("{}: {words}", short(room)));
    }

    fn end(&mut self, room: &str, outcome: Outcome, timed_out: bool) {
        let summary = &mut self.summary;
        summary.battles += 1;
        summary.timed_out += usize::from(timed_out);
        *match outcome {
            Outcome::Won => &mut summary.won,
            Outcome::Lost => &mut summary.lost,
            Outcome::Tied => &mut summary.tied,
            Outcome::Vanished => &mut summary.vanished,
        } += 1;
        let (won, battles) = (summary.won, summary.battles);
        let battle = self.places.get(room).and_then(|place| place.seat.battle());
        let names = battle.map_or_else(String::new, |battle| {
            format!("{} vs. {}", battle.own().name, battle.foe().name)
        });
        let turns = battle.map(|battle| battle.turn);
        let note = json!({ "end": outcome.word(), "timed_out": timed_out, "turns": turns });
        self.keeping(room, |kept| kept.note(&note).and_then(|()| kept.end(&names)));
        self.places.remove(room);
        self.player.forget(room);
        let late = if timed_out { ", out of time" } else { "" };
        let word = outcome.word();
        self.say(&format!("{}: {word}{late}; {won} of {battles} won", short(room)));
    }

    /// Keeps something of a battle. A disk that fails does not end battles: it is told once.
    fn keeping(&mut self, room: &str, what: impl FnOnce(&mut KeptBattle) -> std::io::Result<()>) {
        let Some(place) = self.places.get_mut(room) else { return };
        let Some(kept) = &mut place.kept else { return };
        if let Err(error) = what(kept) {
            place.kept = None;
            self.say(&format!("{}: is not kept any further: {error}", short(room)));
        }
    }
}

/// A room without what all have in common.
fn short(room: &str) -> &str {
    room.strip_prefix("battle-").unwrap_or(room)
}

/// The number of a choice: of the preview, or of both places together.
fn number(choice: Choice) -> Value {
    match choice {
        Choice::Preview(number) => json!({ "preview": number }),
        Choice::Turn(first, second) => {
            json!({ "joint": joint(first, second), "first": first, "second": second })
        }
    }
}

/// A line for whoever watches: what is seen, what is done about it and how that is thought to stand.
fn live(room: &str, place: &Place, decision: &Decision, words: &str) -> String {
    let mut line = format!("{}:", short(room));
    // Writing to a string cannot fail.
    if let Some(battle) = place.seat.battle() {
        let _ = write!(line, " turn {}, {}", battle.turn, score(battle));
        let dex = battle.format.dex();
        let _ = write!(line, "; {} / {}", those(battle.own(), dex), those(battle.foe(), dex));
    }
    let _ = write!(line, " -> {words}");
    if let Some(value) = decision.value {
        let _ = write!(line, " (value {value:+.2})");
    }
    if let Some((turn, total)) = place.clock {
        let _ = write!(line, " [{turn} s, {total} s left]");
    }
    line
}

/// How many stand on either side, of four.
fn score(battle: &Battle) -> String {
    let standing = |side: &Side| {
        let fainted = side.team.iter().filter(|one| one.fainted).count();
        let brought = if side.brought == 0 { 4 } else { side.brought };
        brought.saturating_sub(fainted)
    };
    format!("{}:{}", standing(battle.own()), standing(battle.foe()))
}

/// Who is in battle, with their health.
fn those(side: &Side, dex: &Dex) -> String {
    let one = |place: usize| {
        let pokemon = side.at(place)?;
        let name = dex.species(pokemon.species).map_or("?", |species| species.name.as_str());
        Some(format!("{name} {:.0} %", 100.0 * pokemon.health()))
    };
    let both: Vec<String> = (0..2).filter_map(one).collect();
    if both.is_empty() { "nobody".to_owned() } else { both.join(", ") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::plan::Seek;
    use super::*;
    use crate::format::Format;
    use crate::legal::Legal;
    use crate::request::Request;

    /// See `session_tests.rs`.
    const RECORDED: &str = include_str!("../../tests/data/server.txt");

    fn plan() -> Plan {
        Plan {
            name: "alpha one".into(),
            format: Format::of("gen9vgc2024regg").unwrap(),
            teams: vec!["team".into()],
            seek: Seek::Challenge("beta two".into()),
            battles: 1,
            at_once: 1,
            open_sheets: false,
        }
    }

    /// Chooses nothing that could be chosen, so that the first that can be is taken.
    fn helpless(_: &Battle, _: &Request, _: &Legal) -> Choice {
        Choice::Turn(1000, 1000)
    }

    /// Plays messages; what was sent and told.
    fn play(messages: &[String]) -> (Vec<String>, Vec<String>, Summary) {
        let (mut sent, mut told) = (Vec::new(), Vec::new());
        let (mut player, mut tell) = (helpless, |line: &str| told.push(line.to_owned()));
        let mut table = Table::new(plan(), &mut player, None, &mut tell);
        for (second, message) in messages.iter().enumerate() {
            sent.extend(table.receive(message, Duration::from_secs(second as u64)));
        }
        let summary = table.summary.clone();
        (sent, told, summary)
    }

    #[test]
    fn a_recorded_battle_is_seen_and_answered() {
        let messages: Vec<String> = RECORDED.split("\n<<<\n").map(str::to_owned).collect();
        let (sent, told, summary) = play(&messages);
        let choices: Vec<&String> = sent.iter().filter(|text| text.contains("/choose")).collect();
        assert_eq!((summary.lost, summary.decisions), (1, choices.len()));
        assert!(choices[0].contains("/choose team 1234|"), "{choices:?}");
        assert!(choices[1..].iter().all(|text| text.contains(", ")), "{choices:?}");
        // The second request is the first turn, with two of each side in battle.
        let turn = told.iter().find(|line| line.contains("turn 1,")).unwrap();
        assert!(turn.contains("4:4") && turn.matches(" %").count() == 4, "{turn}");
        assert!(turn.contains("Raging Bolt") && turn.contains("Flutter Mane"), "{turn}");
        assert_eq!(told.last().unwrap(), "gen9vgc2024regg-2: lost; 0 of 1 won");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// A server that says things twice, in another order or cut short is answered, not believed.
        #[test]
        fn a_muddled_server_does_no_harm(
            muddle in prop::collection::vec((any::<prop::sample::Index>(), 0..400usize), 1..80),
        ) {
            let messages: Vec<&str> = RECORDED.split("\n<<<\n").collect();
            let mut muddled: Vec<String> = messages[..6].iter().map(|&text| text.to_owned()).collect();
            muddled.extend(muddle.iter().map(|(index, cut)| {
                let text = *index.get(&messages);
                let cut = text.char_indices().rev().nth(*cut).filter(|_| cut % 3 == 0);
                text[..cut.map_or(text.len(), |(at, _)| at)].to_owned()
            }));
            let (sent, _, summary) = play(&muddled);
            prop_assert!(sent.iter().all(|text| !text.contains('\n')));
            prop_assert!(summary.battles <= muddled.len());
        }
    }
}
