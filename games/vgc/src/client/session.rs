//! The conversation with a server, as a machine that messages go into and messages come out of.
//!
//! It has no sockets and no clock: whoever drives it says what arrived and what time it is. What it wants
//! sent and what happened stand in one queue ([`Session::next`]), in order. What a battle means is nobody's
//! concern here: lines and requests are handed on, and the answers come back as words.
//!
//! The dialogue was traced on a server 0.11.11; where it depends on words of the server, those stand in its
//! `server/ladders.ts`, `server/users.ts` and `server/room-battle.ts`.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::event::{Event, Output, Refusal};
use super::frame::{Frame, format_of, is_battle, is_logged, kind};
use super::plan::{Plan, Seek};
use super::room::{Asked, Outcome, Room};
use crate::dex::id_of;
use crate::format::Format;
use crate::request::Request;

/// Battles that a server may put one into at once, asked for or not.
const MOST_ROOMS: usize = 64;
/// Challengers that are remembered.
const MOST_CHALLENGERS: usize = 64;
/// Rejected choices of one request after which Showdown chooses.
const MOST_REJECTIONS: u32 = 16;
/// Between two attempts at something that a server refused for now.
const AGAIN: Duration = Duration::from_secs(3);
/// A server without `nothrottle` wants ten seconds between challenges.
const CHALLENGE_PAUSE: Duration = Duration::from_secs(11);
/// How long somebody who is challenged may be away, and a name may be held by a connection that was lost.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a preview waits for team sheets that the other side has not agreed to.
const SHEETS: Duration = Duration::from_secs(15);
/// After a challenge has gone from the server, its battle follows at once or not at all.
const BATTLE_FOLLOWS: Duration = Duration::from_secs(10);

/// A conversation with a server.
#[derive(Debug)]
pub struct Session {
    plan: Plan,
    rooms: BTreeMap<String, Room>,
    out: VecDeque<Output>,
    logged_in: bool,
    /// Was it ever? Then a name that is taken may still be held by the connection before.
    known: bool,
    name_again: Option<Duration>,
    name_refused_since: Option<Duration>,
    seeking: Option<Seeking>,
    seek_again: Option<Duration>,
    refused_since: Option<Duration>,
    challengers: VecDeque<String>,
    begun: usize,
    finished: usize,
    /// Teams handed out.
    drawn: usize,
    now: Duration,
}

/// A battle has been asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Seeking {
    /// The server has dropped the challenge, because it was accepted or declined.
    gone: Option<Duration>,
}

impl Session {
    /// A conversation that has not begun.
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            rooms: BTreeMap::new(),
            out: VecDeque::new(),
            logged_in: false,
            known: false,
            name_again: None,
            name_refused_since: None,
            seeking: None,
            seek_again: None,
            refused_since: None,
            challengers: VecDeque::new(),
            begun: 0,
            finished: 0,
            drawn: 0,
            now: Duration::ZERO,
        }
    }

    /// What is played.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What is next to be done, if anything is.
    #[allow(clippy::should_implement_trait)] // more may come after nothing came
    pub fn next(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// Whether everything is played.
    pub fn is_over(&self) -> bool {
        self.finished >= self.plan.battles && self.rooms.is_empty()
    }

    /// Battles that are running.
    pub fn running(&self) -> usize {
        self.rooms.len()
    }

    /// The connection is gone. Battles go on at the server, and are entered again.
    pub fn closed(&mut self) {
        self.logged_in = false;
        self.name_again = None;
        self.name_refused_since = None;
        self.seeking = None;
        self.challengers.clear();
        // What was to be sent belongs to the connection that is gone.
        self.out.retain(|output| matches!(output, Output::Event(_)));
        for room in self.rooms.values_mut() {
            room.leave();
        }
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration) {
        self.now = now;
        if self.name_again.is_some_and(|at| now >= at) {
            self.name_again = None;
            self.log_in();
        }
        if !self.logged_in {
            return;
        }
        if let Some(Seeking { gone: Some(at) }) = self.seeking
            && now >= at + BATTLE_FOLLOWS
        {
            self.refused_for_now("the challenge was declined".to_owned(), AGAIN);
        }
        let away: Vec<String> = (self.rooms.iter_mut())
            .filter_map(|(name, room)| room.enter_again(now).then(|| name.clone()))
            .collect();
        away.into_iter().for_each(|room| self.send(format!("|/join {room}")));
        let due = |room: &Room| room.held.as_ref().is_some_and(|(_, until)| now >= *until);
        let held: Vec<String> =
            self.rooms.iter().filter(|(_, room)| due(room)).map(|(name, _)| name.clone()).collect();
        held.iter().for_each(|room| self.release(room));
        self.seek();
    }

    /// A message has arrived.
    pub fn receive(&mut self, message: &str, now: Duration) {
        self.now = now;
        let frame = Frame::of(message);
        match frame.room {
            Some(room) => self.room_says(room, frame),
            None => frame.lines().for_each(|line| self.server_says(line)),
        }
        self.seek();
    }

    /// Answers the request that a room has open. Nothing is sent if it has none: then it was too late.
    pub fn answer(&mut self, room: &str, words: &str) {
        let Some(asked) = self.rooms.get_mut(room).and_then(|room| room.asked.as_mut()) else {
            return;
        };
        asked.answered = true;
        let rqid = asked.rqid.map_or(String::new(), |rqid| format!("|{rqid}"));
        self.send(format!("{room}|/choose {words}{rqid}"));
    }

    /// No further battle is begun.
    pub fn wind_up(&mut self) {
        self.plan.battles = self.plan.battles.min(self.begun);
        if self.seeking.take().is_some() {
            match &self.plan.seek {
                Seek::Ladder => self.send("|/cancelsearch".to_owned()),
                Seek::Challenge(user) => self.send(format!("|/cancelchallenge {}", id_of(user))),
                Seek::Accept => {}
            }
        }
    }

    /// Gives up what is running.
    pub fn forfeit(&mut self) {
        let rooms: Vec<String> = self.rooms.keys().cloned().collect();
        rooms.into_iter().for_each(|room| self.send(format!("{room}|/forfeit")));
    }

    fn send(&mut self, text: String) {
        self.out.push_back(Output::Send(text));
    }

    fn tell(&mut self, event: Event) {
        self.out.push_back(Output::Event(event));
    }

    fn log_in(&mut self) {
        self.send(format!("|/trn {},0,", self.plan.name));
    }

    fn server_says(&mut self, line: &str) {
        let Some((kind, rest)) = kind(line) else { return };
        match kind {
            "challstr" => self.log_in(),
            "updateuser" => {
                let mut parts = rest.split('|');
                let name = parts.next().unwrap_or_default();
                let named = parts.next() == Some("1");
                if named && !self.logged_in && id_of(name) == id_of(&self.plan.name) {
                    (self.logged_in, self.known) = (true, true);
                    self.name_refused_since = None;
                    let now = self.now;
                    self.rooms.values_mut().for_each(|room| room.expect(now));
                    self.tell(Event::LoggedIn);
                }
            }
            "nametaken" => self.name_taken(rest),
            "pm" => self.private_message(rest),
            "popup" => self.popup(rest),
            _ => {}
        }
    }

    fn name_taken(&mut self, rest: &str) {
        let reason = rest.split_once('|').map_or(rest, |(_, reason)| reason).to_owned();
        let since = *self.name_refused_since.get_or_insert(self.now);
        // The server may not have noticed yet that the connection before is gone.
        if self.known && reason.contains("already using") && self.now < since + PATIENCE {
            self.name_again = Some(self.now + AGAIN);
            return;
        }
        let name = self.plan.name.clone();
        self.tell(Event::Refused(Refusal::Name(name, reason)));
    }

    /// `|pm|FROM|TO|TEXT`: challenges come this way.
    fn private_message(&mut self, rest: &str) {
        let mut parts = rest.splitn(3, '|');
        let (Some(from), Some(_), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        let (from, me) = (id_of(from), id_of(&self.plan.name));
        let Some(challenge) = text.strip_prefix("/challenge") else {
            return;
        };
        let format = challenge.trim_start().split('|').next().unwrap_or_default();
        let challenger = match &self.plan.seek {
            Seek::Challenge(user) if from == me || from == id_of(user) => {
                if let (true, Some(seeking)) = (format.is_empty(), &mut self.seeking) {
                    seeking.gone = Some(self.now);
                }
                return;
            }
            Seek::Accept if from != me && !from.is_empty() => from,
            _ => return,
        };
        self.challengers.retain(|known| *known != challenger);
        if format.is_empty() {
            return; // taken back, or accepted
        }
        if Format::of(format).is_none_or(|format| format.id != self.plan.format.id) {
            self.tell(Event::Notice(format!("{challenger} asks for {format}: declined")));
            self.send(format!("|/reject {challenger}"));
        } else if self.challengers.len() < MOST_CHALLENGERS {
            self.challengers.push_back(challenger);
        }
    }

    /// What a server says when something cannot be done; its lines stand between double bars.
    fn popup(&mut self, rest: &str) {
        let words = rest.replace("||", " ");
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let says = |part: &str| words.contains(part);
        if says("was rejected for the following reason") {
            self.tell(Event::Refused(Refusal::Team(words)));
        } else if says("selected format is invalid") || says("is not ladderable") {
            self.tell(Event::Refused(Refusal::Format(words)));
        } else if self.seeking.is_some() {
            let pause = if says("less than 10 seconds") { CHALLENGE_PAUSE } else { AGAIN };
            self.refused_for_now(words, pause);
        } else {
            self.tell(Event::Notice(words));
        }
    }

    /// A battle was not to be had: again after a while, for as long as patience lasts.
    fn refused_for_now(&mut self, words: String, pause: Duration) {
        self.seeking = None;
        self.seek_again = Some(self.now + pause);
        let since = *self.refused_since.get_or_insert(self.now);
        match &self.plan.seek {
            Seek::Challenge(user) if self.now >= since + PATIENCE && self.rooms.is_empty() => {
                let user = user.clone();
                self.tell(Event::Refused(Refusal::Absent(user, words)));
            }
            _ => self.tell(Event::Notice(words)),
        }
    }

    /// Asks for a battle if there is room for one.
    fn seek(&mut self) {
        let wanted = self.begun < self.plan.battles && self.rooms.len() < self.plan.at_once.max(1);
        let may = self.seek_again.is_none_or(|at| self.now >= at);
        if !self.logged_in || !wanted || !may || self.seeking.is_some() {
            return;
        }
        let ask = match &self.plan.seek {
            Seek::Challenge(user) => {
                format!("|/challenge {}, {}", id_of(user), self.plan.format.id)
            }
            Seek::Ladder => format!("|/search {}", self.plan.format.id),
            Seek::Accept => match self.challengers.pop_front() {
                Some(user) => format!("|/accept {user}"),
                None => return,
            },
        };
        if let Some(team) = self.plan.teams.get(self.drawn % self.plan.teams.len().max(1)) {
            let team = format!("|/utm {team}");
            self.send(team);
        }
        self.drawn += 1;
        self.send(ask);
        // Whether an acceptance succeeded is seen by its battle.
        let gone = (self.plan.seek == Seek::Accept).then_some(self.now);
        (self.seeking, self.seek_again) = (Some(Seeking { gone }), None);
    }

    fn room_says(&mut self, name: &str, frame: Frame) {
        if !is_battle(name) {
            return;
        }
        for line in frame.lines() {
            let Some((kind, rest)) = kind(line) else {
                if line.ends_with(" rejected open team sheets.") {
                    self.release(name);
                }
                continue;
            };
            if kind == "init" {
                self.enter(name);
            }
            if !self.rooms.contains_key(name) {
                return;
            }
            if is_logged(kind) {
                self.tell(Event::Line { room: name.to_owned(), line: line.to_owned() });
            }
            match kind {
                "request" | "sentchoice" | "inactive" | "-message" | "uhtml" => {
                    self.note(name, kind, rest);
                }
                "error" => self.choice_failed(name, rest),
                "bigerror" => self.tell(Event::Notice(format!("{name}: {rest}"))),
                "win" => {
                    let mine = id_of(rest) == id_of(&self.plan.name);
                    self.end(name, if mine { Outcome::Won } else { Outcome::Lost });
                }
                "tie" => self.end(name, Outcome::Tied),
                // Both sheets come at once, and this one last.
                "showteam" if rest.starts_with("p2|") => self.release(name),
                "noinit" | "deinit" => self.end(name, Outcome::Vanished),
                _ => {}
            }
        }
        self.ask(name);
    }

    /// What concerns the room alone.
    fn note(&mut self, name: &str, kind: &str, rest: &str) {
        let open_sheets = self.plan.open_sheets;
        let Some(room) = self.rooms.get_mut(name) else { return };
        match kind {
            "request" => room.unread = (!rest.is_empty()).then(|| rest.to_owned()),
            "sentchoice" => room.sent = true,
            "uhtml" if rest.starts_with("otsrequest|<") && !room.sheets_answered => {
                room.sheets_answered = true;
                let word = if open_sheets { "accept" } else { "reject" };
                self.send(format!("{name}|/{word}openteamsheets"));
            }
            "-message" => {
                let inactive = rest.strip_suffix(" lost due to inactivity.");
                if inactive.is_some_and(|loser| id_of(loser) == id_of(&self.plan.name)) {
                    room.timed_out = true;
                }
            }
            "inactive" => {
                if let Some((turn_secs, total_secs)) = clock(rest) {
                    self.tell(Event::Clock { room: name.to_owned(), turn_secs, total_secs });
                }
            }
            _ => {}
        }
    }

    /// Hands on a request that a message brought, once the whole message is read: `|sentchoice|` after it
    /// says that it is answered.
    fn ask(&mut self, name: &str) {
        let Some(room) = self.rooms.get_mut(name) else { return };
        let Some(text) = room.unread.take() else { return };
        let sent = std::mem::take(&mut room.sent);
        let request: Request = match serde_json::from_str(&text) {
            Ok(request) => request,
            Err(error) => {
                // Better that Showdown chooses than that the time runs out.
                let any: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
                let rqid = any["rqid"].as_u64();
                room.asked = Some(Asked { rqid, ..Asked::default() });
                self.tell(Event::Notice(format!("{name}: a request cannot be read: {error}")));
                self.answer(name, "default");
                return;
            }
        };
        if request.team_preview && self.plan.open_sheets && !sent {
            room.held = Some((Box::new(request), self.now + SHEETS));
            return;
        }
        let answer = !request.wait && !sent;
        room.asked = (!request.wait).then(|| Asked {
            rqid: request.rqid,
            answered: sent,
            rejections: room.carried(),
        });
        self.tell(Event::Asked { room: name.to_owned(), request: Box::new(request), answer });
    }

    /// Asks for a preview that was held.
    fn release(&mut self, name: &str) {
        let Some(room) = self.rooms.get_mut(name) else { return };
        let Some((request, _)) = room.held.take() else { return };
        room.asked = Some(Asked { rqid: request.rqid, ..Asked::default() });
        self.tell(Event::Asked { room: name.to_owned(), request, answer: true });
    }

    /// `|error|[Invalid choice] …` and `|error|[Unavailable choice] …`.
    fn choice_failed(&mut self, name: &str, words: &str) {
        let Some(room) = self.rooms.get_mut(name) else { return };
        // These say that nothing was asked any more, which a slow answer deserves.
        let late = ["There's nothing to", "Sorry, too late", "Can't do anything", "Can't undo"];
        let open = room.asked.as_mut().filter(|asked| asked.answered);
        let choice = words.starts_with("[Invalid choice]");
        let Some(asked) = open.filter(|_| !late.iter().any(|late| words.contains(late))) else {
            self.tell(Event::Notice(format!("{name}: {words}")));
            return;
        };
        let room = name.to_owned();
        if choice {
            asked.rejections += 1;
            asked.answered = false;
            let answer = asked.rejections < MOST_REJECTIONS;
            self.tell(Event::Rejected { room, words: words.to_owned(), answer });
            if !answer {
                self.answer(name, "default");
            }
        } else if words.starts_with("[Unavailable choice]") {
            asked.rejections += 1;
            asked.answered = false;
            self.tell(Event::Unavailable { room, words: words.to_owned() });
        } else {
            self.tell(Event::Notice(format!("{name}: {words}")));
        }
    }

    /// A battle's room was opened.
    fn enter(&mut self, name: &str) {
        if let Some(room) = self.rooms.get_mut(name) {
            room.entered();
            self.tell(Event::Began { room: name.to_owned(), again: true });
            return;
        }
        let ours = format_of(name).and_then(Format::of);
        if ours.is_none_or(|format| format.id != self.plan.format.id) {
            self.tell(Event::Notice(format!("{name} is not of the format that is played: left")));
            self.send(format!("|/leave {name}"));
            return;
        }
        if self.rooms.len() >= MOST_ROOMS {
            self.tell(Event::Notice(format!("{name}: {MOST_ROOMS} battles are running already")));
            return;
        }
        self.rooms.insert(name.to_owned(), Room::default());
        self.begun += 1;
        (self.seeking, self.seek_again, self.refused_since) = (None, None, None);
        self.tell(Event::Began { room: name.to_owned(), again: false });
        self.send(format!("{name}|/timer on"));
    }

    fn end(&mut self, name: &str, outcome: Outcome) {
        let Some(room) = self.rooms.remove(name) else { return };
        self.finished += 1;
        let timed_out = room.timed_out;
        self.tell(Event::Ended { room: name.to_owned(), outcome, timed_out });
        self.send(format!("|/leave {name}"));
    }
}

/// `Time left: 55 sec this turn | 420 sec total`.
fn clock(text: &str) -> Option<(u32, u32)> {
    let (turn, rest) = text.strip_prefix("Time left: ")?.split_once(" sec this turn | ")?;
    let (total, _) = rest.split_once(" sec total")?;
    Some((turn.parse().ok()?, total.parse().ok()?))
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
