//! Decisions gathered by playing: a teacher, scripted or trained, says at every step what it would do, and
//! either it or a pupil does something. With a teacher alone that is a recording of its play; with a pupil
//! that takes over more and more it is DAgger (Ross, Gordon, Bagnell 2011); with a teacher that is a model
//! the labels are its whole distributions.

mod table;

use std::sync::atomic::{AtomicBool, Ordering};

use lanista_game::{Entry, Episode, Spec};
use rayon::prelude::*;
use serde_json::Value;

use crate::error::TrainError;
use crate::player::Roster;
use crate::shard::Patience;
use crate::stack::Stack;

use table::Table;

/// Matches that a place plays before episodes are handed over: enough that no place waits long for others.
const TURNS: usize = 4;
/// Matches of a rehearsal.
const REHEARSED: usize = 16;

/// Who says what is right.
#[derive(Clone, Copy)]
pub enum Teacher<'a> {
    /// A scripted player, by its name.
    Bot(&'a str),
    /// A model, which may see the game in a way of its own.
    Model {
        /// Its policies.
        roster: &'a Roster,
        /// Which frames it sees.
        stack: &'a Stack,
        /// The settings it sees the game under.
        settings: &'a Value,
        /// What it is called.
        name: &'a str,
    },
}

/// Who plays, and under what.
#[derive(Clone, Copy)]
pub struct Gather<'a> {
    /// The game.
    pub entry: &'a Entry,
    /// Its settings, as whoever learns sees it.
    pub settings: &'a Value,
    /// Who says what is right.
    pub teacher: Teacher<'a>,
    /// Who learns, with the frames it sees; `None` to record the teacher alone.
    pub pupil: Option<(&'a Roster, &'a Stack)>,
    /// Share of the decisions that the teacher makes; the pupil makes the others.
    pub control: f64,
    /// Who is met, match after match in turn: `self` or `bot:NAME`.
    pub versus: &'a [String],
    /// Matches to play.
    pub matches: usize,
    /// Matches side by side, and how many of them share a batch.
    pub slots: usize,
    /// Likewise.
    pub shard: usize,
    /// Everything random follows from this.
    pub seed: u64,
    /// How long an engine is waited for, and how many matches it may lose.
    pub patience: Patience,
    /// The threads that play; those of the caller when left out.
    pub pool: Option<&'a rayon::ThreadPool>,
    /// Set from outside to end it.
    pub interrupt: Option<&'a AtomicBool>,
}

/// What was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// Matches that were played to their end.
    pub matches: u64,
    /// Decisions that were handed over.
    pub decisions: u64,
    /// Matches that an engine lost.
    pub lost: u64,
}

/// Plays, and hands over the episodes of every match in the order of the matches, whatever the number of
/// threads. `tell` hears how many matches are over.
pub fn gather(
    wish: &Gather,
    tell: &mut dyn FnMut(usize),
    hear: &mut dyn FnMut(Episode) -> Result<(), TrainError>,
) -> Result<Gathered, TrainError> {
    let slots = wish.slots.min(wish.matches).max(1);
    let size = wish.shard.clamp(1, slots);
    let mut tables = Vec::new();
    for first in (0..slots).step_by(size) {
        tables.push(Table::new(wish, first, size.min(slots - first))?);
    }
    let mut gathered = Gathered::default();
    let mut base = 0;
    while base < wish.matches {
        if wish.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            let (finished, matches) = (base, wish.matches);
            return Err(TrainError::Interrupted { finished, matches });
        }
        // Place s plays the matches base + s, base + s + slots, …
        let turns = TURNS.min((wish.matches - base).div_ceil(slots));
        let mut play = || -> Result<Vec<_>, TrainError> {
            tables.par_iter_mut().map(|table| table.play(wish, base, slots, turns)).collect()
        };
        let played = match wish.pool {
            Some(pool) => pool.install(play),
            None => play(),
        };
        let mut episodes: Vec<(usize, Episode)> = Vec::new();
        for (more, lost) in played? {
            gathered.lost += lost;
            episodes.extend(more);
        }
        // Stable: the seats of a match stay in order.
        episodes.sort_by_key(|(number, _)| *number);
        base = (base + turns * slots).min(wish.matches);
        gathered.matches = base as u64;
        for (_, episode) in episodes {
            gathered.decisions += episode.len() as u64;
            hear(episode)?;
        }
        tell(base);
    }
    Ok(gathered)
}

/// Sees whether a teacher can teach before anything is made for it: one that looks at the game under settings
/// of its own plays a few matches, which must go the same way under both.
pub(crate) fn rehearse(wish: &Gather) -> Result<(), TrainError> {
    let Teacher::Model { settings, .. } = wish.teacher else { return Ok(()) };
    if settings == wish.settings {
        return Table::new(wish, 0, 1).map(drop);
    }
    let short = Gather { matches: REHEARSED, slots: REHEARSED, ..*wish };
    gather(&short, &mut |_| {}, &mut |_| Ok(())).map(drop)
}

/// Why a teacher cannot teach in this game, if it cannot.
pub(crate) fn unfit(teacher: &Teacher, spec: &Spec) -> Option<String> {
    match teacher {
        Teacher::Bot(name) => {
            let own = || spec.roles.iter().filter_map(|role| Some(&role.bots[role.bot(name)?]));
            match (own().next(), own().any(|bot| !bot.inside)) {
                (_, true) => None,
                (Some(_), false) => Some(format!(
                    "bot:{name} is driven inside of {}, which does not tell what it decides",
                    spec.name
                )),
                (None, _) => {
                    let known: Vec<String> =
                        spec.bots().iter().map(|bot| format!("bot:{bot}")).collect();
                    Some(format!("{} has no bot:{name}; it has {}", spec.name, known.join(", ")))
                }
            }
        }
        Teacher::Model { roster, .. } => {
            let fits = spec.roles.iter().enumerate().any(|(role, about)| {
                roster.get(role).is_some_and(|policy| policy.shape().heads == about.head_sizes())
            });
            (!fits).then(|| "its heads are others than those that are learnt".to_owned())
        }
    }
}
