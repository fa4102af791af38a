//! One's seat in one battle: what is known, what is asked, what is chosen.

use crate::choice::{Choice, PREVIEWS, SLOT};
use crate::dex::id_of;
use crate::format::Format;
use crate::legal::Legal;
use crate::request::Request;
use crate::state::Battle;
use crate::track::Tracker;

/// Lines that are held until it is known which side one is; the first of a battle tell.
const MOST_HELD: usize = 10_000;

/// What a player is asked.
pub struct Turn<'a> {
    /// The battle's room; a player that remembers keeps its battles apart by it.
    pub room: &'a str,
    /// The battle as it is known.
    pub battle: &'a Battle,
    /// What is asked.
    pub request: &'a Request,
    /// What may be chosen.
    pub legal: &'a Legal,
    /// The same was asked before, and the choice was not accepted: it is not among the legal ones any more.
    pub again: bool,
}

/// What a player chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The choice.
    pub choice: Choice,
    /// How good it holds its position to be, if it has an opinion.
    pub value: Option<f32>,
}

/// Somebody who plays.
pub trait Player {
    /// Chooses.
    fn choose(&mut self, turn: &Turn) -> Decision;

    /// A battle begins or is over: nothing needs to be remembered of it.
    fn forget(&mut self, _room: &str) {}
}

impl<F: FnMut(&Battle, &Request, &Legal) -> Choice> Player for F {
    fn choose(&mut self, turn: &Turn) -> Decision {
        Decision { choice: self(turn.battle, turn.request, turn.legal), value: None }
    }
}

/// A seat in a battle.
pub struct Seat {
    format: &'static Format,
    name: String,
    tracker: Option<Tracker>,
    held: Vec<String>,
    open: Option<Open>,
}

/// A request that wants an answer.
struct Open {
    request: Request,
    legal: Legal,
    chosen: Option<Choice>,
}

impl Seat {
    /// A seat in a battle that begins.
    pub fn new(format: &'static Format, name: &str) -> Self {
        Self { format, name: id_of(name), tracker: None, held: Vec::new(), open: None }
    }

    /// The battle as it is known; nothing before the side is.
    pub fn battle(&self) -> Option<&Battle> {
        self.tracker.as_ref().map(Tracker::battle)
    }

    /// The request that is open.
    pub fn request(&self) -> Option<&Request> {
        self.open.as_ref().map(|open| &open.request)
    }

    /// A line of the log.
    pub fn line(&mut self, line: &str) {
        if let Some(tracker) = &mut self.tracker {
            tracker.line(line);
            return;
        }
        if self.held.len() < MOST_HELD {
            self.held.push(line.to_owned());
        }
        let mut parts = line.split('|').skip(1);
        if parts.next() == Some("player")
            && let (Some(side), Some(name)) = (parts.next().and_then(side_of), parts.next())
            && id_of(name) == self.name
        {
            self.sit(side);
        }
    }

    /// What is asked; `answer` says whether it is for oneself to choose.
    pub fn asked(&mut self, request: Request, answer: bool) {
        if self.tracker.is_none()
            && let Some(side) = side_of(&request.side.id)
        {
            self.sit(side);
        }
        self.open = None;
        let Some(tracker) = &mut self.tracker else { return };
        tracker.request(&request);
        if answer {
            let legal = Legal::new(&request, tracker.battle());
            self.open = Some(Open { request, legal, chosen: None });
        }
    }

    /// It is known which side one is.
    fn sit(&mut self, side: usize) {
        let mut tracker = Tracker::new(self.format, side);
        self.held.drain(..).for_each(|line| tracker.line(&line));
        self.tracker = Some(tracker);
    }

    /// Lets a player choose, and says it in Showdown's words. What a player may not choose is replaced by the
    /// first that it may. Nothing if nothing is asked.
    pub fn decide(&mut self, room: &str, player: &mut dyn Player) -> Option<(Decision, String)> {
        let (tracker, open) = (self.tracker.as_ref()?, self.open.as_mut()?);
        let others = match open.chosen {
            Some(Choice::Preview(number)) => open.legal.strike_preview(number),
            Some(Choice::Turn(first, second)) => open.legal.strike(first, second),
            None => true,
        };
        if let (false, Some(choice)) = (others, open.chosen) {
            return Some((Decision { choice, value: None }, "default".to_owned()));
        }
        let again = open.chosen.is_some();
        let Open { request, legal, .. } = open;
        let battle = tracker.battle();
        let mut decision = player.choose(&Turn { room, battle, request, legal, again });
        if !allows(legal, decision.choice) {
            decision.choice = first(legal);
        }
        open.chosen = Some(decision.choice);
        Some((decision, decision.choice.words(self.format.gimmick)))
    }
}

/// `p1` is 0.
fn side_of(id: &str) -> Option<usize> {
    ["p1", "p2"].iter().position(|side| *side == id)
}

/// Whether a choice may be made.
pub fn allows(legal: &Legal, choice: Choice) -> bool {
    match choice {
        Choice::Preview(number) => legal.preview && legal.previews.get(number) == Some(&true),
        Choice::Turn(first, second) => !legal.preview && legal.allows(first, second),
    }
}

/// The first choice that may be made.
fn first(legal: &Legal) -> Choice {
    if legal.preview {
        return Choice::Preview((0..PREVIEWS).find(|&n| legal.previews[n]).unwrap_or(0));
    }
    let pairs = (0..SLOT).flat_map(|first| (0..SLOT).map(move |second| (first, second)));
    let found = pairs.into_iter().find(|&(first, second)| legal.allows(first, second));
    found.map_or(Choice::Turn(SLOT, SLOT), |(first, second)| Choice::Turn(first, second))
}
