//! Teams: what six are brought to a battle.
//!
//! A team is read from Showdown's packed line or from the text that people exchange, and written as either; the
//! simulator takes packed lines. Whether it may be played is for Showdown's own validator to say
//! ([`validate()`]). [`ours`] has teams that come with the program, [`mixed`] makes more of some; a [`Pool`] draws
//! from teams by seed.

mod export;
mod file;
mod mix;
mod ours;
mod packed;
mod pool;
mod validate;

use std::path::PathBuf;

pub use file::{Found, read, read_text};
pub use mix::mixed;
pub use ours::ours;
pub use pool::{Part, Pool, is_held_out};
pub use validate::{ValidatorError, check, validate};

use crate::dex;

/// Most members of a team.
pub const MEMBERS: usize = 6;
/// Most moves of a member.
pub const MOVES: usize = 4;
/// Most characters of a name in a team; Showdown cuts nicknames at 18.
const NAME: usize = 60;

/// A team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Team {
    /// Its members, in the order of the preview: 1 to 6.
    pub members: Vec<Member>,
}

/// A member of a team. Names are Showdown's where it knows them, else as they were written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// What its trainer calls it; empty for its species.
    pub nickname: String,
    /// Its species or form.
    pub species: String,
    /// What it holds; empty for nothing.
    pub item: String,
    /// Its ability.
    pub ability: String,
    /// Its moves, at most four.
    pub moves: Vec<String>,
    /// Its nature; empty is a neutral one.
    pub nature: String,
    /// Effort values in the order HP, Atk, Def, SpA, SpD, Spe; in Champions stat points.
    pub evs: [u16; 6],
    /// `M`, `F`, `N`, or left open.
    pub gender: Option<char>,
    /// Individual values, 31 where nothing is said.
    pub ivs: [u8; 6],
    /// Is it shiny?
    pub shiny: bool,
    /// Its level; official formats set it to 50.
    pub level: u8,
    /// 255 where nothing is said.
    pub happiness: u8,
    /// The ball it came in; empty where nothing is said.
    pub pokeball: String,
    /// The type it takes; empty where nothing is said.
    pub tera_type: String,
}

impl Default for Member {
    fn default() -> Self {
        Self {
            nickname: String::new(),
            species: String::new(),
            item: String::new(),
            ability: String::new(),
            moves: Vec::new(),
            nature: String::new(),
            evs: [0; 6],
            gender: None,
            ivs: [31; 6],
            shiny: false,
            level: 100,
            happiness: 255,
            pokeball: String::new(),
            tera_type: String::new(),
        }
    }
}

/// Why a team cannot be read or played.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is larger than any list of teams.
    #[error("{} has {bytes} bytes; a file of teams has {most} at most", .path.display())]
    TooLarge {
        /// Which.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The most.
        most: u64,
    },
    /// More than anybody needs.
    #[error("{} holds more than {most} {what}; leave some out", .path.display())]
    TooMany {
        /// Where.
        path: PathBuf,
        /// Of what.
        what: &'static str,
        /// The most.
        most: usize,
    },
    /// There is no team.
    #[error(
        "{} holds no team: write packed teams, one a line, or the text that Showdown's teambuilder exports",
        .0.display()
    )]
    Empty(PathBuf),
    /// What is written is no team.
    #[error("{place}: {why}")]
    Unreadably {
        /// File and line.
        place: String,
        /// What is wrong there.
        why: String,
    },
    /// The validator refuses it.
    #[error("{place} may not be played in {format}: {}", .problems.join("; "))]
    Refused {
        /// File and line.
        place: String,
        /// The format.
        format: &'static str,
        /// Its words.
        problems: Vec<String>,
    },
    /// Nobody could be asked.
    #[error(transparent)]
    Validator(#[from] ValidatorError),
}

impl Team {
    /// Its members' names: `Calyrex-Ice, Incineroar, …`.
    pub fn summary(&self) -> String {
        let names: Vec<&str> = self.members.iter().map(|member| member.species.as_str()).collect();
        names.join(", ")
    }
}

/// A name within its limits, without what would break a packed line.
fn name(text: &str, what: &str) -> Result<String, String> {
    let text = text.trim();
    if text.chars().count() > NAME {
        return Err(format!("its {what} has more than {NAME} characters"));
    }
    match text.chars().find(|c| c.is_control() || ['|', ']', ',', '[', '~'].contains(c)) {
        Some(bad) => Err(format!("its {what} holds {bad:?}")),
        None => Ok(text.to_owned()),
    }
}

/// A number of a team.
fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, String> {
    let text = text.trim();
    let shown: String = text.chars().take(20).collect();
    text.parse().map_err(|_| format!("its {what} is `{shown}`, which is no such number"))
}

/// Showdown's name of a species, where the table has exactly it: looks have names of their own.
fn species_name(text: &str) -> String {
    known(text, dex::species(text).and_then(|id| dex::Dex::of_mod("gen9").species(id)), |row| {
        (&row.id, &row.name)
    })
}

fn move_name(text: &str) -> String {
    known(text, dex::a_move(text).and_then(|id| dex::Dex::of_mod("gen9").a_move(id)), |row| {
        (&row.id, &row.name)
    })
}

fn item_name(text: &str) -> String {
    known(text, dex::item(text).and_then(|id| dex::Dex::of_mod("gen9").item(id)), |row| {
        (&row.id, &row.name)
    })
}

fn ability_name(text: &str) -> String {
    known(text, dex::ability(text).and_then(|id| dex::Dex::of_mod("gen9").ability(id)), |row| {
        (&row.id, &row.name)
    })
}

fn known<T>(text: &str, row: Option<&T>, of: impl Fn(&T) -> (&String, &String)) -> String {
    match row.map(of) {
        Some((id, name)) if *id == dex::id_of(text) => name.clone(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
