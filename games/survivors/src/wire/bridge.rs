//! The director's bridge: lines of JSON between a director and the game, as the original speaks them.
//!
//! Names of fields are the original's, some with underscores and some in camel case. What the original leaves
//! out may be absent here too; unknown fields are ignored, unknown types are an error that [`refusal`] turns
//! into a `response`.

use super::state::{LEGACY_ACTIONS, LegacyAction};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

/// Longest line, its end included.
pub const LINE_BYTES: usize = 65_536;
/// What the original says in its handshake.
pub const VERSION: &str = "1.0.0";

/// Why a line is not a message.
#[derive(Debug, Error)]
pub enum BridgeError {
    /// No end of line within the limit: the connection cannot go on.
    #[error(
        "a line of more than {LINE_BYTES} bytes without an end: end each object with a line break"
    )]
    TooLong,
    /// Not JSON, not an object, an unknown type, or a field that is missing or of another kind.
    #[error("not a message of the bridge: {0}")]
    Json(#[from] serde_json::Error),
}

/// What a director sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromDirector {
    /// The first line.
    Handshake {
        /// Of the director's side.
        version: String,
        /// Seconds by its clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp: Option<f64>,
    },
    /// A bot is to do something.
    BotAction {
        /// Which.
        bot_id: u32,
        /// A name of the 14; see [`action_of`].
        action: String,
        /// More on it.
        #[serde(default)]
        parameters: Map<String, Value>,
        /// Seconds by its clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp: Option<f64>,
    },
    /// The game is to change; see [`command_of`].
    DirectorCommand {
        /// What.
        command: String,
        /// How many, of what kind.
        #[serde(default)]
        parameters: Map<String, Value>,
        /// Seconds by its clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp: Option<f64>,
    },
    /// The episode is to start anew.
    ResetEpisode {
        /// Seconds by its clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp: Option<f64>,
    },
}

impl FromDirector {
    /// Its `type`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Handshake { .. } => "handshake",
            Self::BotAction { .. } => "bot_action",
            Self::DirectorCommand { .. } => "director_command",
            Self::ResetEpisode { .. } => "reset_episode",
        }
    }
}

/// A survivor in a `game_state`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BridgeSurvivor {
    /// From 1.
    pub id: u32,
    /// Of the character.
    pub name: String,
    /// Permanent points.
    pub health: f32,
    /// Decaying points.
    pub temp_health: f32,
    /// Units.
    pub position: [f32; 3],
    /// Pitch, yaw, roll in degrees.
    pub angle: [f32; 3],
    /// Name of what is in hand.
    pub weapon: String,
    /// Down.
    pub is_incapped: bool,
    /// Dead.
    pub is_dead: bool,
    /// Names of what is carried.
    pub items: Vec<String>,
}

/// What a director decides on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BridgeState {
    /// Seconds by the game's clock.
    pub game_time: f64,
    /// Seconds since the round began.
    pub round_time: f64,
    /// The team.
    pub survivors: Vec<BridgeSurvivor>,
    /// How many are alive.
    pub common_infected: u32,
    /// Smoker, boomer, hunter, spitter, jockey: how many of each. The original knows no charger.
    pub special_infected: [u32; 5],
    /// How many.
    pub witch_count: u32,
    /// How many.
    pub tank_count: u32,
    /// Within reach of the team.
    pub items_available: u32,
    /// Since the round began.
    pub health_packs_used: u32,
    /// Of survivors, of late.
    pub recent_deaths: u32,
    /// A horde is on.
    pub panic_active: bool,
    /// A tank is on.
    pub tank_active: bool,
}

/// What the game sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromGame {
    /// How things stand.
    GameState(BridgeState),
    /// Something happened.
    Event {
        /// `player_death`, `round_start`, `round_end`, `tank_spawned`, `witch_spawned` and others.
        event_type: String,
        /// Seconds by the game's clock.
        #[serde(default)]
        time: f64,
        /// More on it.
        #[serde(default)]
        data: Map<String, Value>,
    },
    /// An answer. The original reads none, but expects the type.
    Response {
        /// Type of what is answered, empty when it could not be read.
        #[serde(default)]
        to: String,
        /// `ok` or `error`.
        status: String,
        /// Why.
        #[serde(default)]
        message: String,
    },
}

/// A line, its end included.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, BridgeError> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    if line.len() > LINE_BYTES { Err(BridgeError::TooLong) } else { Ok(line) }
}

/// A message of a director: a line, or a datagram with or without an end of line.
pub fn decode(line: &[u8]) -> Result<FromDirector, BridgeError> {
    decode_as(line)
}

/// A message of the game.
pub fn decode_from_game(line: &[u8]) -> Result<FromGame, BridgeError> {
    decode_as(line)
}

fn decode_as<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, BridgeError> {
    if line.len() > LINE_BYTES {
        return Err(BridgeError::TooLong);
    }
    Ok(serde_json::from_slice(line)?)
}

/// The answer to what was carried out.
pub fn accepted(to: &FromDirector) -> FromGame {
    FromGame::Response { to: to.name().into(), status: "ok".into(), message: String::new() }
}

/// The answer to what could not be read or will not be done.
pub fn refusal(to: &str, why: impl std::fmt::Display) -> FromGame {
    FromGame::Response { to: to.into(), status: "error".into(), message: why.to_string() }
}

/// The action of a name; the original writes them small (`move_forward`).
pub fn action_of(name: &str) -> Option<LegacyAction> {
    let found = LEGACY_ACTIONS.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
    found.map(|(action, _)| *action)
}

/// What a director can have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// So many common infected.
    SpawnCommon(u32),
    /// A special infected by the game's number of its class, 1 smoker to 6 charger.
    SpawnSpecial(u8),
    /// A witch.
    SpawnWitch,
    /// A tank.
    SpawnTank,
    /// A horde.
    TriggerPanic,
    /// An item.
    SpawnItem(Item),
}

/// What the original's director drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Heals.
    Medkit,
    /// Heals for a while.
    Pills,
    /// Burns.
    Molotov,
    /// Lures and bursts.
    PipeBomb,
    /// Rounds.
    Ammo,
}

const CLASSES: [&str; 6] = ["smoker", "boomer", "hunter", "spitter", "jockey", "charger"];

/// A command with its parameters, or a sentence that says what is wrong with it. Absent parameters are the
/// original's: 5 commons, a hunter, a medkit.
pub fn command_of(command: &str, parameters: &Map<String, Value>) -> Result<Command, String> {
    let kind = |otherwise: &'static str| match parameters.get("type") {
        None => Ok(otherwise.to_owned()),
        Some(Value::String(kind)) => Ok(kind.to_ascii_lowercase()),
        Some(other) => Err(format!("parameters.type is {other}: a name is expected")),
    };
    match command {
        "spawn_common" => match parameters.get("count") {
            None => Ok(Command::SpawnCommon(5)),
            Some(count) => match count.as_u64() {
                // No more than the game's own largest horde (z_mega_mob_size, facts/survivors.md §5).
                Some(count @ 1..=50) => Ok(Command::SpawnCommon(count as u32)),
                _ => Err(format!("parameters.count is {count}: 1 to 50 is expected")),
            },
        },
        "spawn_special" => {
            let kind = kind("hunter")?;
            match CLASSES.iter().position(|class| *class == kind) {
                Some(at) => Ok(Command::SpawnSpecial(at as u8 + 1)),
                None => {
                    Err(format!("no special infected is called {kind}: {}", CLASSES.join(", ")))
                }
            }
        }
        "spawn_witch" => Ok(Command::SpawnWitch),
        "spawn_tank" => Ok(Command::SpawnTank),
        "trigger_panic" => Ok(Command::TriggerPanic),
        "spawn_item" => match kind("medkit")?.as_str() {
            "medkit" | "first_aid_kit" => Ok(Command::SpawnItem(Item::Medkit)),
            "pills" | "pain_pills" => Ok(Command::SpawnItem(Item::Pills)),
            "molotov" => Ok(Command::SpawnItem(Item::Molotov)),
            "pipe_bomb" => Ok(Command::SpawnItem(Item::PipeBomb)),
            "ammo" => Ok(Command::SpawnItem(Item::Ammo)),
            other => {
                Err(format!("no item is called {other}: medkit, pills, molotov, pipe_bomb, ammo"))
            }
        },
        other => Err(format!(
            "no command is called {other}: spawn_common, spawn_special, spawn_witch, spawn_tank, \
             trigger_panic, spawn_item"
        )),
    }
}

/// Cuts a stream of bytes into lines.
#[derive(Debug, Default)]
pub struct Lines {
    held: Vec<u8>,
}

impl Lines {
    /// The lines that are whole now, without their ends and without empty ones. After an error the stream has no
    /// known place any more and must be closed.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, BridgeError> {
        let mut lines = Vec::new();
        let mut pieces = bytes.split(|&byte| byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            if self.held.len() + piece.len() >= LINE_BYTES {
                return Err(BridgeError::TooLong);
            }
            self.held.extend_from_slice(piece);
            if pieces.peek().is_some() {
                let line = std::mem::take(&mut self.held);
                if !line.iter().all(u8::is_ascii_whitespace) {
                    lines.push(line);
                }
            }
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lines as the original's `json.dumps` writes them.
    #[test]
    fn lines_of_the_original_are_read() {
        let line = br#"{"type": "handshake", "version": "1.0.0", "timestamp": 1736352000.25}"#;
        let handshake =
            FromDirector::Handshake { version: VERSION.into(), timestamp: Some(1736352000.25) };
        assert_eq!(decode(line).unwrap(), handshake);
        let line = br#"{"type": "director_command", "command": "spawn_common",
            "parameters": {"count": 6}, "timestamp": 1.0}"#;
        let Ok(FromDirector::DirectorCommand { command, parameters, .. }) = decode(line) else {
            panic!("not a director_command");
        };
        assert_eq!(command_of(&command, &parameters), Ok(Command::SpawnCommon(6)));
        let line = br#"{"type": "bot_action", "bot_id": 1, "action": "move_forward",
            "parameters": {}, "timestamp": 1.0}"#;
        assert!(matches!(decode(line), Ok(FromDirector::BotAction { bot_id: 1, .. })));
        assert_eq!(action_of("move_forward"), Some(LegacyAction::MoveForward));
        assert_eq!(action_of("MOVE_FORWARD"), Some(LegacyAction::MoveForward));
        assert_eq!(action_of("fly"), None);
        let line = br#"{"type": "reset_episode", "timestamp": 1.0}"#;
        assert_eq!(decode(line).unwrap().name(), "reset_episode");
    }

    /// The keys the original looks for in a state.
    #[test]
    fn a_state_has_the_names_of_the_original() {
        let state = BridgeState {
            survivors: vec![BridgeSurvivor { id: 1, ..BridgeSurvivor::default() }],
            ..BridgeState::default()
        };
        let line = encode(&FromGame::GameState(state.clone())).unwrap();
        assert_eq!(line.last(), Some(&b'\n'));
        let value: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(value["type"], "game_state");
        for key in [
            "gameTime",
            "roundTime",
            "survivors",
            "commonInfected",
            "specialInfected",
            "witchCount",
            "tankCount",
            "itemsAvailable",
            "healthPacksUsed",
            "recentDeaths",
            "panicActive",
            "tankActive",
        ] {
            assert!(value.get(key).is_some(), "{key}");
        }
        for key in ["id", "health", "tempHealth", "position", "angle", "isIncapped", "isDead"] {
            assert!(value["survivors"][0].get(key).is_some(), "{key}");
        }
        assert_eq!(decode_from_game(&line).unwrap(), FromGame::GameState(state));
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        for line in
            [&b"{}"[..], b"[]", b"{\"type\": \"fly\"}", b"\xff", b"{\"type\": \"handshake\"}"]
        {
            let error = decode(line).unwrap_err();
            let FromGame::Response { status, message, .. } = refusal("", error) else {
                panic!("not a response");
            };
            assert_eq!(status, "error");
            assert!(message.starts_with("not a message of the bridge"), "{message}");
        }
        let count = |n: i64| Map::from_iter([("count".to_owned(), Value::from(n))]);
        assert!(command_of("spawn_common", &count(-1)).is_err());
        assert!(command_of("spawn_common", &count(51)).is_err());
        assert!(command_of("quit", &Map::new()).unwrap_err().contains("spawn_common"));
        let charger = Map::from_iter([("type".to_owned(), Value::from("Charger"))]);
        assert_eq!(command_of("spawn_special", &charger), Ok(Command::SpawnSpecial(6)));
    }

    #[test]
    fn lines_have_an_end() {
        let mut lines = Lines::default();
        assert!(lines.push(&vec![b'a'; LINE_BYTES - 1]).unwrap().is_empty());
        assert!(matches!(lines.push(b"a"), Err(BridgeError::TooLong)));
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_they_arrive(
            texts in prop::collection::vec("[a-z{}]{1,20}", 0..10),
            cut in 1usize..30,
        ) {
            let stream: String = texts.iter().map(|text| format!("{text}\n\n")).collect();
            let mut lines = Lines::default();
            let mut got = Vec::new();
            for piece in stream.as_bytes().chunks(cut) {
                got.extend(lines.push(piece).unwrap());
            }
            prop_assert_eq!(got, texts.iter().map(|t| t.as_bytes().to_vec()).collect::<Vec<_>>());
        }

        #[test]
        fn any_line_is_read_or_refused(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&line);
            let _ = decode_from_game(&line);
        }
    }
}
