//! How a fight is asked for.

use serde::{Deserialize, Deserializer, Serialize};

use crate::kinds::FightType;
use crate::loadout::{Build, Loadout, randomize_build};
use crate::sim::Switches;

/// The parameters of a reset. What a request leaves out has the server's default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResetParams {
    /// The build, unless builds are randomised.
    pub account_build: Build,
    /// Are protection prayers offered only when the opponent can attack?
    pub only_switch_prayer_when_about_to_attack: bool,
    /// Are sets offered only when their attack is possible at once?
    pub only_switch_gear_when_attack_soon: bool,
    /// Is smite offered?
    pub allow_smite: bool,
    /// Is redemption offered?
    pub allow_redemption: bool,
    /// May a fighter move who could attack?
    pub allow_moving_if_can_attack: bool,
    /// Is the gear drawn from the episode id?
    pub randomize_gear: bool,
    /// Does the build follow from the names?
    pub randomize_build: bool,
    /// Is the fight type drawn? By numbers that the recording does not hold.
    pub randomize_fight_type: bool,
    /// The builds that names choose from.
    pub random_build_options: Vec<Build>,
    /// Accepted, but without effect on the server.
    #[serde(deserialize_with = "fight_type", skip_serializing)]
    pub fight_type: Option<FightType>,
    /// What randomised gear is drawn from.
    #[serde(deserialize_with = "text")]
    pub episode_id: String,
    /// The fighter that asks.
    #[serde(deserialize_with = "text")]
    pub agent: String,
    /// Its opponent.
    #[serde(deserialize_with = "text")]
    pub target: String,
    /// What a server that can draw a fight from a seed is asked for; others pass it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanista: Option<Seeded>,
}

/// A fight that follows from a seed: our addition to the parameters. With it, a fight on our server is the
/// one that the game plays by itself from the same seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seeded {
    /// What everything that is left to chance follows from.
    pub seed: u64,
    /// The builds that one is drawn from.
    pub builds: Vec<Build>,
    /// Which of the two fighters the agent is: 0 or 1.
    pub side: u8,
    /// Do the two begin side by side?
    pub beside: bool,
}

impl Default for ResetParams {
    fn default() -> Self {
        Self {
            account_build: Build::Pure,
            only_switch_prayer_when_about_to_attack: true,
            only_switch_gear_when_attack_soon: true,
            allow_smite: true,
            allow_redemption: true,
            allow_moving_if_can_attack: false,
            randomize_gear: false,
            randomize_build: false,
            randomize_fight_type: false,
            random_build_options: Build::RANDOM_OPTIONS.to_vec(),
            fight_type: None,
            episode_id: String::new(),
            agent: String::new(),
            target: String::new(),
            lanista: None,
        }
    }
}

impl ResetParams {
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

    /// The build that fights.
    pub fn build(&self) -> Build {
        if self.randomize_build {
            randomize_build(&self.agent, &self.target, &self.random_build_options)
        } else {
            self.account_build
        }
    }

    /// What both fighters bring: the scripted opponent takes over the parameters of the agent.
    pub fn loadout(&self) -> Loadout {
        if self.randomize_gear {
            Loadout::randomized(self.build(), &self.episode_id)
        } else {
            Loadout::of(self.build())
        }
    }
}

/// The body of a reset.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reset {
    /// A scripted opponent, or the name of another agent.
    pub target: String,
    /// Do fights begin on tiles that are drawn? Otherwise always on the same.
    #[serde(default)]
    pub training: bool,
    /// Is what the opponent sees told as well?
    #[serde(default)]
    pub maintain_target_environment: bool,
    /// Does the fight go on when the food is gone?
    #[serde(default)]
    pub death_match: bool,
    /// The parameters.
    #[serde(default)]
    pub reset_params: ResetParams,
}

/// A text; none is an empty one.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(from)?.unwrap_or_default())
}

fn fight_type<'de, D: Deserializer<'de>>(from: D) -> Result<Option<FightType>, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    enum Name {
        Normal,
        Lms,
        PvpArena,
    }
    Ok(Option::<Name>::deserialize(from)?.map(|name| match name {
        Name::Normal => FightType::Normal,
        Name::Lms => FightType::Lms,
        Name::PvpArena => FightType::PvpArena,
    }))
}
