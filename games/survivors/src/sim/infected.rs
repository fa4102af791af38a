//! The infected: commons by the dozen, and those with abilities.

use serde::{Deserialize, Serialize};

use crate::sim::motion::Body;
use crate::sim::numbers::Difficulty;

/// A special infected, by the game's own numbers less one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum Class {
    Smoker,
    Boomer,
    Hunter,
    Spitter,
    Jockey,
    Charger,
    Witch,
    Tank,
}

/// What a class is like.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Its name.
    pub name: &'static str,
    /// Health (facts §5); a tank's depends on the difficulty.
    pub health: f32,
    /// Speed (§5; hunter, boomer and jockey: general knowledge).
    pub speed: f32,
    /// How far its ability reaches (§5 for smoker, hunter and spitter; the others have no source).
    pub range: f32,
    /// Between two uses of its ability (§5 for smoker and charger; the others are general knowledge).
    pub interval_secs: f32,
    /// What a claw takes. General knowledge.
    pub claw: f32,
}

const TRAITS: [Traits; 8] = [
    // tongue_range 750, tongue_hit_delay 20 (a miss: 15)
    Traits {
        name: "smoker",
        health: 250.0,
        speed: 210.0,
        range: 750.0,
        interval_secs: 20.0,
        claw: 2.0,
    },
    Traits {
        name: "boomer",
        health: 50.0,
        speed: 175.0,
        range: 300.0,
        interval_secs: 30.0,
        claw: 2.0,
    },
    Traits {
        name: "hunter",
        health: 250.0,
        speed: 300.0,
        range: 750.0,
        interval_secs: 1.0,
        claw: 2.0,
    },
    Traits {
        name: "spitter",
        health: 100.0,
        speed: 210.0,
        range: 850.0,
        interval_secs: 20.0,
        claw: 2.0,
    },
    Traits {
        name: "jockey",
        health: 325.0,
        speed: 250.0,
        range: 200.0,
        interval_secs: 6.0,
        claw: 2.0,
    },
    Traits {
        name: "charger",
        health: 600.0,
        speed: 250.0,
        range: 600.0,
        interval_secs: 12.0,
        claw: 4.0,
    },
    Traits {
        name: "witch",
        health: 1000.0,
        speed: 300.0,
        range: 60.0,
        interval_secs: 1.0,
        claw: 0.0,
    },
    Traits {
        name: "tank",
        health: 4000.0,
        speed: 210.0,
        range: 1500.0,
        interval_secs: 8.0,
        claw: 24.0,
    },
];

impl Class {
    /// All of them.
    pub const ALL: [Class; 8] = [
        Class::Smoker,
        Class::Boomer,
        Class::Hunter,
        Class::Spitter,
        Class::Jockey,
        Class::Charger,
        Class::Witch,
        Class::Tank,
    ];
    /// Those that a director spawns now and then, and that people may play.
    pub const SPECIALS: [Class; 6] = [
        Class::Smoker,
        Class::Boomer,
        Class::Hunter,
        Class::Spitter,
        Class::Jockey,
        Class::Charger,
    ];

    /// What it is like.
    pub fn traits(self) -> &'static Traits {
        &TRAITS[self as usize]
    }

    /// Health under a difficulty.
    pub fn health(self, difficulty: Difficulty) -> f32 {
        match self {
            Class::Tank => difficulty.tank_health(),
            other => other.traits().health,
        }
    }

    /// Can it hold a survivor?
    pub fn holds(self) -> bool {
        matches!(self, Class::Smoker | Class::Hunter | Class::Jockey | Class::Charger)
    }
}

/// What a common is up to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mood {
    /// Stands or wanders, and notices somebody after so many more ticks of seeing them.
    Idle {
        /// How long somebody has been seen, in seconds of the time that noticing takes.
        noticed: f32,
    },
    /// After a survivor.
    Chase(u8),
    /// After something that beeps or smells: a point of interest.
    Lured,
}

/// A common infected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Common {
    /// Where it is.
    pub body: Body,
    /// Where it looks.
    pub yaw: f32,
    /// What is left.
    pub health: f32,
    /// What it is up to.
    pub mood: Mood,
    /// The tick until which it stumbles.
    pub stumbles_until: u32,
    /// The tick from which it strikes again.
    pub strikes_from: u32,
    /// Does it burn?
    pub burning: bool,
    /// The survivor who set it on fire.
    pub burnt_by: Option<u8>,
    /// The tick at which it was last near anybody or on its way.
    pub busy_at: u32,
    /// Ticks without getting anywhere.
    pub stuck: u16,
}

/// What a special is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deed {
    /// Nothing but going about.
    Stalk,
    /// In the air towards somebody.
    Lunge {
        /// The tick at which it began.
        since: u32,
    },
    /// A tongue, on its way.
    Tongue {
        /// Whom it flies at.
        at: u8,
        /// The tick at which it arrives.
        arrives: u32,
    },
    /// A charge.
    Charge {
        /// The tick at which it ends by itself.
        until: u32,
        /// Whom it carries.
        carries: Option<u8>,
    },
    /// Holds a survivor: chokes, mauls, rides or pounds.
    Hold {
        /// Whom.
        whom: u8,
        /// The tick of the next harm.
        hurts_at: u32,
    },
    /// Winds up to throw or to spit, or vomits.
    WindUp {
        /// The tick at which it happens.
        at: u32,
        /// At whom.
        target: u8,
    },
    /// A witch: sits, or rages against whoever startled her.
    Sit {
        /// How angry, 0 to 1.
        rage: f32,
    },
    /// A witch after somebody.
    Rage {
        /// Whom.
        whom: u8,
    },
}

/// A special infected, a witch or a tank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Special {
    /// What it is.
    pub class: Class,
    /// Is it there?
    pub alive: bool,
    /// The seat that plays it, if it is not the game's own.
    pub seat: Option<u8>,
    /// Where it is.
    pub body: Body,
    /// Where it looks.
    pub yaw: f32,
    /// Where it looks, positive downwards.
    pub pitch: f32,
    /// What is left.
    pub health: f32,
    /// What it is doing.
    pub deed: Deed,
    /// The tick from which its ability can be used.
    pub ability_from: u32,
    /// The tick from which it claws again.
    pub claws_from: u32,
    /// The tick until which it stumbles.
    pub stumbles_until: u32,
    /// Does it burn?
    pub burning: bool,
    /// The survivor who set it on fire.
    pub burnt_by: Option<u8>,
    /// Whom it is after.
    pub target: Option<u8>,
    /// The tick at which it appeared.
    pub born_at: u32,
    /// The tick at which it was last of any use.
    pub busy_at: u32,
    /// Ticks without getting anywhere.
    pub stuck: u16,
    /// Damage it has done.
    pub damage: f32,
}

impl Special {
    /// One that has just appeared.
    pub fn new(class: Class, body: Body, yaw: f32, difficulty: Difficulty, now: u32) -> Self {
        Self {
            class,
            alive: true,
            seat: None,
            body,
            yaw,
            pitch: 0.0,
            health: class.health(difficulty),
            deed: if class == Class::Witch { Deed::Sit { rage: 0.0 } } else { Deed::Stalk },
            ability_from: now + crate::sim::numbers::ticks(1.0),
            claws_from: now,
            stumbles_until: now,
            burning: false,
            burnt_by: None,
            target: None,
            born_at: now,
            busy_at: now,
            stuck: 0,
            damage: 0.0,
        }
    }

    /// Whom it holds.
    pub fn held(&self) -> Option<u8> {
        match self.deed {
            Deed::Hold { whom, .. } => Some(whom),
            Deed::Charge { carries, .. } => carries,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_is_as_the_game_has_it() {
        let health: Vec<f32> =
            Class::ALL.iter().map(|class| class.health(Difficulty::Normal)).collect();
        assert_eq!(health, [250.0, 50.0, 250.0, 100.0, 325.0, 600.0, 1000.0, 4000.0]);
        assert_eq!(Class::Tank.health(Difficulty::Expert), 8000.0);
        assert_eq!(Class::Tank.traits().name, "tank");
    }
}
