//! What a preset may say about a fight.

use lanista_game::{GameSettings, SettingsError};
use serde::{Deserialize, Serialize};

use crate::delay::MOST_TICKS;
use crate::kinds::{FightType, Levels, Rules, Skill};
use crate::loadout::{Build, Loadout};
use crate::sim::Switches;
use crate::sim::start::Setup;

/// Levels that replace those of the build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LevelOverrides {
    /// Attack.
    pub attack: Option<i16>,
    /// Strength.
    pub strength: Option<i16>,
    /// Defence.
    pub defence: Option<i16>,
    /// Hitpoints.
    pub hitpoints: Option<i16>,
    /// Ranged.
    pub ranged: Option<i16>,
    /// Prayer.
    pub prayer: Option<i16>,
    /// Magic.
    pub magic: Option<i16>,
}

impl LevelOverrides {
    fn named(&self) -> [(&'static str, Skill, Option<i16>); 7] {
        [
            ("attack", Skill::Attack, self.attack),
            ("strength", Skill::Strength, self.strength),
            ("defence", Skill::Defence, self.defence),
            ("hitpoints", Skill::Hitpoints, self.hitpoints),
            ("ranged", Skill::Ranged, self.ranged),
            ("prayer", Skill::Prayer, self.prayer),
            ("magic", Skill::Magic, self.magic),
        ]
    }

    /// The levels of a build with these in their places.
    pub fn apply(&self, mut levels: Levels) -> Levels {
        for (_, skill, level) in self.named() {
            levels[skill as usize] = level.unwrap_or(levels[skill as usize]);
        }
        levels
    }
}

/// Servers that fights are played on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Servers {
    /// One.
    One(String),
    /// Several, which take fights in turn.
    Several(Vec<String>),
}

impl Servers {
    /// HOST:PORT of each.
    pub fn addresses(&self) -> &[String] {
        match self {
            Self::One(address) => std::slice::from_ref(address),
            Self::Several(addresses) => addresses,
        }
    }
}

/// The settings of a fight. Those that the original environment knows have its names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The game.
    pub rules: Rules,
    /// The builds that fights are between; one is drawn for both sides.
    pub builds: Vec<Build>,
    /// Is the gear drawn anew for each fight?
    pub randomize_gear: bool,
    /// The fight type, if it is not that of the build.
    pub fight_type: Option<FightType>,
    /// Is the fight type drawn anew for each fight?
    pub randomize_fight_type: bool,
    /// Levels that replace those of the build.
    pub levels: LevelOverrides,
    /// Are protection prayers offered only when the other may attack?
    pub only_switch_prayer_when_about_to_attack: bool,
    /// Are attacks offered only when one is ready?
    pub only_switch_gear_when_attack_soon: bool,
    /// Is smite offered?
    pub allow_smite: bool,
    /// Is redemption offered?
    pub allow_redemption: bool,
    /// Is movement offered although an attack is ready?
    pub allow_moving_if_can_attack: bool,
    /// Does a fight go on when a side has no food left?
    pub death_match: bool,
    /// Do fighters begin side by side, as the scripted one does on the server?
    pub start_beside: bool,
    /// Ticks after which a fight is cut off.
    pub max_ticks: u32,
    /// Ticks that the actions of policies come late.
    pub action_delay: u32,
    /// Share of ticks in which the action of a policy does not come in time: nothing is done.
    pub missed_ticks: f32,
    /// Servers that fights are played on instead of the simulator.
    pub remote: Option<Servers>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rules: Rules::Server2024,
            builds: vec![Build::Maxed],
            randomize_gear: false,
            fight_type: None,
            randomize_fight_type: false,
            levels: LevelOverrides::default(),
            only_switch_prayer_when_about_to_attack: false,
            only_switch_gear_when_attack_soon: false,
            allow_smite: true,
            allow_redemption: true,
            allow_moving_if_can_attack: false,
            death_match: true,
            start_beside: false,
            max_ticks: 2000,
            action_delay: 0,
            missed_ticks: 0.0,
            remote: None,
        }
    }
}

impl Settings {
    /// The switches of the contract.
    pub fn switches(&self) -> Switches {
        Switches {
            prayer_when_attackable: self.only_switch_prayer_when_about_to_attack,
            attack_when_ready: self.only_switch_gear_when_attack_soon,
            smite: self.allow_smite,
            redemption: self.allow_redemption,
            move_when_ready: self.allow_moving_if_can_attack,
        }
    }

    /// How many ticks actions of policies come late, and which share of them not at all.
    pub fn latency(&self) -> (u32, f32) {
        (self.action_delay, self.missed_ticks)
    }

    /// A fight of these settings between two with this loadout.
    pub fn setup(&self, loadout: Loadout, fight_type: FightType) -> Setup {
        Setup {
            rules: self.rules,
            loadout,
            fight_type,
            switches: self.switches(),
            beside: self.start_beside,
        }
    }

    /// A loadout with the levels of these settings.
    pub fn levelled(&self, mut loadout: Loadout) -> Loadout {
        loadout.levels = self.levels.apply(loadout.levels);
        loadout
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        ("rules", "server2024 (the recorded server, quirks included) or live (today's game)"),
        ("builds", "drawn for each fight: PURE, ZERKER, MED, MAXED, LMS_PURE, LMS_ZERKER, LMS_MED"),
        ("randomize_gear", "draw the gear of both sides anew for each fight"),
        ("fight_type", "NORMAL, LMS or PVP_ARENA; that of the build when null"),
        ("randomize_fight_type", "draw the fight type anew for each fight"),
        ("levels", "levels that replace those of the build, 1 to 99 (hitpoints from 10)"),
        (
            "only_switch_prayer_when_about_to_attack",
            "offer protection only when the other may attack",
        ),
        ("only_switch_gear_when_attack_soon", "offer attacks only when one is ready"),
        ("allow_smite", "offer smite"),
        ("allow_redemption", "offer redemption"),
        ("allow_moving_if_can_attack", "offer movement although an attack is ready"),
        ("death_match", "fight on when a side has no food; otherwise that is a tie"),
        (
            "start_beside",
            "begin side by side, as against the server's script, not up to 5 tiles apart",
        ),
        ("max_ticks", "a fight is cut off after so many ticks (0.6 s each), 1 to 1000000"),
        ("action_delay", "ticks that the actions of policies come late, 0 to 10"),
        (
            "missed_ticks",
            "share of ticks in which a policy's action does not come in time and nothing is done, 0 to 0.9",
        ),
        (
            "remote",
            "HOST:PORT of a server of the original environment's protocol, or a list of them, to fight on",
        ),
    ];
    const MACHINE: &'static [&'static str] = &["remote"];

    fn check(&self) -> Result<(), SettingsError> {
        let refuse = |key: &str, message: String| Err(SettingsError::new(key, message));
        if self.builds.is_empty() {
            let names = Build::ALL.map(Build::name).join(", ");
            return refuse("builds", format!("no build to draw; there are: {names}"));
        }
        for (name, skill, level) in self.levels.named() {
            let least = if skill == Skill::Hitpoints { 10 } else { 1 };
            if let Some(level) = level
                && !(least..=99).contains(&level)
            {
                let message = format!("{level} is no level; it is {least} to 99");
                return refuse(&format!("levels.{name}"), message);
            }
        }
        if self.randomize_fight_type && self.fight_type.is_some() {
            let message = "is given and drawn at once; drop it or set randomize_fight_type=false";
            return refuse("fight_type", message.into());
        }
        if !(1..=1_000_000).contains(&self.max_ticks) {
            let message = format!("{} is out of range; it is 1 to 1000000", self.max_ticks);
            return refuse("max_ticks", message);
        }
        if self.action_delay as usize > MOST_TICKS {
            let message = format!("{} is out of range; it is 0 to {MOST_TICKS}", self.action_delay);
            return refuse("action_delay", message);
        }
        if !(0.0..=0.9).contains(&self.missed_ticks) {
            let message = format!("{} is out of range; it is 0 to 0.9", self.missed_ticks);
            return refuse("missed_ticks", message);
        }
        self.check_remote()
    }
}

impl Settings {
    /// What no request of the protocol can ask for is refused by name.
    fn check_remote(&self) -> Result<(), SettingsError> {
        let Some(servers) = &self.remote else { return Ok(()) };
        let refuse = |key: &str, message: String| Err(SettingsError::new(key, message));
        if servers.addresses().is_empty() {
            let message = "the list is empty; give HOST:PORT, or null for the simulator";
            return refuse("remote", message.into());
        }
        for address in servers.addresses() {
            let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
            if port.is_none_or(|port| port == 0) {
                let message = format!("`{address}` is not HOST:PORT, such as 127.0.0.1:7070");
                return refuse("remote", message);
            }
        }
        let cannot =
            "a server of the original environment cannot be asked for it (settings.remote)";
        if self.rules != Rules::Server2024 {
            return refuse("rules", format!("{cannot}; set server2024"));
        }
        if self.levels != LevelOverrides::default() {
            return refuse("levels", format!("{cannot}; leave it out"));
        }
        if self.fight_type.is_some() {
            return refuse("fight_type", format!("{cannot}; set null, or randomize_fight_type"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::{documented, parse_settings};
    use serde_json::{Value, json};

    fn refused(value: Value) -> String {
        parse_settings::<Settings>(&value).unwrap_err().to_string()
    }

    #[test]
    fn every_key_is_documented() {
        // Panics when a key is left out.
        assert_eq!(documented::<Settings>().len(), Settings::KEYS.len());
    }

    #[test]
    fn impossible_settings_are_refused_with_the_choices() {
        let unknown = refused(json!({"builds": ["MAXD"]}));
        assert!(unknown.contains("builds[0]") && unknown.contains("`LMS_MED`"), "{unknown}");
        assert!(refused(json!({"builds": []})).contains("LMS_ZERKER"));
        assert!(refused(json!({"levels": {"attack": 120}})).contains("1 to 99"));
        assert!(refused(json!({"levels": {"hitpoints": 3}})).contains("levels.hitpoints"));
        assert!(refused(json!({"levels": {"atack": 1}})).contains("`attack`"));
        assert!(refused(json!({"rules": "classic"})).contains("`server2024`"));
        assert!(refused(json!({"fight_type": "DUEL"})).contains("`PVP_ARENA`"));
        assert!(refused(json!({"max_ticks": 0})).contains("1 to 1000000"));
        assert!(refused(json!({"action_delay": 11})).contains("0 to 10"));
        assert!(refused(json!({"missed_ticks": -0.1})).contains("0 to 0.9"));
        let both = json!({"fight_type": "LMS", "randomize_fight_type": true});
        assert!(refused(both).contains("randomize_fight_type"));
        assert_eq!(Settings::default().check(), Ok(()));
    }

    #[test]
    fn what_a_server_cannot_be_asked_for_is_refused_by_name() {
        let at = |more: Value| {
            let mut settings = json!({"remote": "127.0.0.1:7070"});
            settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            settings
        };
        assert!(parse_settings::<Settings>(&at(json!({}))).is_ok());
        let several = parse_settings::<Settings>(&at(json!({"remote": ["a:1", "b:2"]}))).unwrap();
        assert_eq!(several.remote.unwrap().addresses(), ["a:1", "b:2"]);
        assert!(refused(at(json!({"rules": "live"}))).starts_with("settings.rules"));
        assert!(refused(at(json!({"levels": {"attack": 3}}))).starts_with("settings.levels"));
        assert!(refused(at(json!({"fight_type": "LMS"}))).starts_with("settings.fight_type"));
        assert!(refused(at(json!({"remote": []}))).contains("HOST:PORT"));
        assert!(refused(at(json!({"remote": "nowhere"}))).contains("127.0.0.1:7070"));
    }
}
