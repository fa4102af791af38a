//! How a recorded fight was asked for.

use serde::{Deserialize, Deserializer};

use crate::kinds::FightType;
use crate::loadout::{Build, Loadout, randomize_build};

/// The parameters of a reset. What a request leaves out has the server's default.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
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
    #[serde(deserialize_with = "fight_type")]
    pub fight_type: Option<FightType>,
    /// What randomised gear is drawn from.
    pub episode_id: String,
    /// The fighter that asks.
    pub agent: String,
    /// Its opponent.
    pub target: String,
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
        }
    }
}

impl ResetParams {
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

/// The body of a reset, as far as it decides the fight.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reset {
    pub(super) target: String,
    #[serde(default)]
    pub(super) death_match: bool,
    #[serde(default)]
    pub(super) reset_params: ResetParams,
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
