//! Recorded battles: read, shown to both sides as each would have seen them, and their choices replayed.
//!
//! A recording has a log, and it may have both teams and the choices that were made; or it has no log, but
//! everything that the simulator was told, which plays it again. The log of a finished
//! battle tells everything, exact health of both sides included; [`channel`] makes of it what one side sees.
//! [`replay`] runs the trackers of both sides through it, compares what they know with what the log says, and
//! asks at every choice whether it is within what is legal; [`moments`] hands over every choice with what its side
//! saw.

mod channel;
mod inferred;
mod input;
mod ledger;
mod limits;
mod lines;
mod replay;
mod requests;
mod words;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::format::Format;
use crate::team::{Member, Team};

pub use channel::channel;
pub use input::Input;
pub use replay::{Moment, Replayed, moments, replay};
pub use words::{Answer, answer_of, left_to_showdown};

/// A recorded battle.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Where it was read.
    pub file: PathBuf,
    /// What was played.
    pub format: &'static Format,
    /// Both teams in the order of the preview; empty where they are not known.
    pub teams: [Vec<Set>; 2],
    /// The log; empty where there is only what the simulator was told.
    pub log: Vec<String>,
    /// The choices in order, `>p1 move fakeout +1, switch 3`; empty where they are not known.
    pub choices: Vec<String>,
    /// What all luck followed from, where that is written beside the choices.
    pub seed: Option<String>,
}

/// A member of a team as recordings write it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Set {
    /// What the log calls it; empty for its species.
    pub name: String,
    /// Its species or form.
    pub species: String,
    /// What it holds.
    pub item: String,
    /// Its ability.
    pub ability: String,
    /// Its moves.
    pub moves: Vec<String>,
    /// Its nature.
    pub nature: String,
    /// Its efforts.
    pub evs: Option<Spread>,
    /// Its values; the best where nothing is said.
    pub ivs: Option<Spread>,
    /// Its level, if it says so.
    pub level: Option<u8>,
    /// The type it takes.
    pub tera_type: String,
    /// Is this no more than an open team sheet says? Then nature, efforts and values are nobody's.
    #[serde(skip)]
    pub sheet: bool,
}

impl Set {
    fn of(member: Member, sheet: bool) -> Self {
        let spread = |six: [u8; 6]| {
            let [hp, atk, def, spa, spd, spe] = six;
            Spread { hp, atk, def, spa, spd, spe }
        };
        let evs = member.evs.map(|ev| ev.min(255) as u8);
        Self {
            name: member.nickname,
            species: member.species,
            item: member.item,
            ability: member.ability,
            moves: member.moves,
            nature: member.nature,
            evs: (!sheet).then(|| spread(evs)),
            ivs: (!sheet).then(|| spread(member.ivs)),
            level: Some(member.level),
            tera_type: member.tera_type,
            sheet,
        }
    }
}

/// The sets of a packed line; none where it is no team.
fn packed(line: &str, sheet: bool) -> Vec<Set> {
    let members = Team::from_packed(line).map_or_else(|_| Vec::new(), |team| team.members);
    members.into_iter().map(|member| Set::of(member, sheet)).collect()
}

/// Numbers for the six stats.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // their names say what they are
pub struct Spread {
    pub hp: u8,
    pub atk: u8,
    pub def: u8,
    pub spa: u8,
    pub spd: u8,
    pub spe: u8,
}

impl Spread {
    /// In the order hp, atk, def, spa, spd, spe.
    pub fn all(self) -> [u8; 6] {
        [self.hp, self.atk, self.def, self.spa, self.spd, self.spe]
    }
}

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is neither a recording in JSON nor a log.
    #[error("{} is not a recorded battle: {why}", .path.display())]
    NotABattle {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// What was played is not one of the formats.
    #[error("{} was played in `{format}`, which is none of the formats: {}", .path.display(), formats())]
    Format {
        /// The file.
        path: PathBuf,
        /// What it names.
        format: String,
    },
}

fn formats() -> String {
    let names: Vec<&str> = crate::format::FORMATS.iter().map(|format| format.id).collect();
    names.join(", ")
}

/// A recording in JSON: one's own files, and what Showdown's replays give out.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Json {
    #[serde(default, alias = "formatid")]
    format: String,
    #[serde(default)]
    p1team: Option<Sets>,
    #[serde(default)]
    p2team: Option<Sets>,
    #[serde(default)]
    log: Option<Log>,
    // A server that was told to hide it writes null.
    #[serde(default)]
    input_log: Option<Log>,
}

impl Json {
    /// JSON as it is; a plain log, or plain lines of what the simulator was told, as it would be.
    fn of(text: &str) -> serde_json::Result<Self> {
        let begin = text.trim_start();
        if begin.starts_with('{') {
            return serde_json::from_str(text);
        }
        let lines = match begin.starts_with('[') {
            true => serde_json::from_str(text)?,
            false => text.lines().map(str::to_owned).collect::<Vec<_>>(),
        };
        let lines = Log::Lines(lines);
        Ok(match begin.starts_with('>') || begin.starts_with('[') {
            true => Self { input_log: Some(lines), ..Self::default() },
            false => Self { log: Some(lines), ..Self::default() },
        })
    }
}

/// A team, member by member or in a packed line.
#[derive(Deserialize)]
#[serde(untagged)]
enum Sets {
    Members(Vec<Set>),
    Packed(String),
}

impl Sets {
    fn members(self) -> Vec<Set> {
        match self {
            Self::Members(members) => members,
            Self::Packed(line) => packed(&line, false),
        }
    }
}

/// Lines, apart or in one piece.
#[derive(Deserialize)]
#[serde(untagged)]
enum Log {
    Lines(Vec<String>),
    Text(String),
}

impl Default for Log {
    fn default() -> Self {
        Self::Lines(Vec::new())
    }
}

impl Log {
    fn lines(self) -> Vec<String> {
        match self {
            Self::Lines(lines) => lines,
            Self::Text(text) => text.lines().map(str::to_owned).collect(),
        }
    }
}

impl Recording {
    /// Reads a file: JSON with `format`, `p1team`, `p2team`, `log`, `inputLog`, a plain log, or a plain `inputLog`.
    ///
    /// # Errors
    /// If it cannot be read, is no battle, or was played in a format that is not known.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        let unreadable = |source| RecordingError::Unreadable { path: path.to_owned(), source };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        Self::parse(&text, path)
    }

    /// Reads a recording from text; `path` is named in errors.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, RecordingError> {
        let not_a_battle = |why: String| RecordingError::NotABattle { path: path.to_owned(), why };
        let json = Json::of(text).map_err(|error| not_a_battle(error.to_string()))?;
        let [log, choices] = [json.log, json.input_log].map(|log| log.unwrap_or_default().lines());
        let input = Input::of(&choices);
        let has_log = log.iter().any(|line| line.starts_with("|start"));
        if !(has_log || log.is_empty() && input.seed.is_some()) {
            let why = match choices.is_empty() {
                true => "its log has no line |start",
                false => {
                    "it has choices, but neither a log with a line |start, nor a seed in a line >start"
                }
            };
            return Err(not_a_battle(why.to_owned()));
        }
        if let (false, Some(side)) = (has_log, input.teams.iter().position(Option::is_none)) {
            let side = side + 1;
            let why = format!("it has no log, and its line >player p{side} names no team");
            return Err(not_a_battle(why));
        }
        let tier = log.iter().find_map(|line| line.strip_prefix("|tier|"));
        let names = [Some(json.format.as_str()), tier, input.format.as_deref()];
        let names = names.map(|name| name.unwrap_or(""));
        let Some(format) = names.iter().find_map(|name| Format::of(name)) else {
            let named = names.into_iter().find(|name| !name.is_empty()).unwrap_or("");
            return Err(RecordingError::Format { path: path.to_owned(), format: named.to_owned() });
        };
        let mut teams =
            [json.p1team, json.p2team].map(|team| team.map_or_else(Vec::new, Sets::members));
        for (side, team) in teams.iter_mut().enumerate() {
            team.truncate(crate::team::MEMBERS);
            if let (true, Some(line)) = (team.is_empty(), &input.teams[side]) {
                *team = packed(line, false);
            }
            let shown = format!("|showteam|p{}|", side + 1);
            if let (true, Some(sheet)) =
                (team.is_empty(), log.iter().find_map(|line| line.strip_prefix(&shown)))
            {
                *team = packed(sheet, true);
            }
        }
        Ok(Self { file: path.to_owned(), format, teams, log, choices, seed: input.seed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_battle_is_named() {
        let read =
            |text: &str| Recording::parse(text, Path::new("a.json")).unwrap_err().to_string();
        assert!(read("{\"log\": 3}").contains("a.json is not a recorded battle"));
        assert!(read("|turn|1").contains("no line |start"));
        assert!(read("|tier|[Gen 9] OU\n|start").contains("`[Gen 9] OU`"));
        let plain = "|tier|[Gen 9] VGC 2024 Reg G\n|start";
        let read = Recording::parse(plain, Path::new("a.log")).unwrap();
        assert_eq!((read.format.id, read.log.len()), ("gen9vgc2024regg", 2));
        let told = [
            r#">start {"formatid":"gen9vgc2024regg","seed":[1,2,3,4]}"#,
            r#">player p1 {"name":"A","team":"Incineroar||||fakeout|||||||"}"#,
            r#">player p2 {"name":"B","team":"Rillaboom||||fakeout|||||||"}"#,
            ">p1 team 1234",
        ];
        let json = serde_json::json!({ "inputLog": told }).to_string();
        let array = serde_json::json!(told).to_string();
        for text in [told.join("\n"), json, array] {
            let read = Recording::parse(&text, Path::new("a.txt")).unwrap();
            assert_eq!((read.format.id, read.log.len()), ("gen9vgc2024regg", 0), "{text}");
            assert_eq!((read.choices.len(), read.seed.as_deref()), (4, Some("1,2,3,4")));
            assert_eq!(read.teams[1][0].species, "Rillaboom");
        }
        let refused = |lines: &[&str]| {
            Recording::parse(&lines.join("\n"), Path::new("a.txt")).unwrap_err().to_string()
        };
        assert!(refused(&[told[0], told[1]]).contains("p2 names no team"));
        assert!(refused(&told[1..]).contains("nor a seed"));
        let replay = "{\"formatid\": \"gen9vgc2025regi\", \"log\": \"|a\\n|start\"}";
        assert_eq!(Recording::parse(replay, Path::new("a.json")).unwrap().log.len(), 2);
    }
}
