//! The bodies that cars come in. Every car of the game has one of six hitboxes.

use std::collections::BTreeMap;

use lanista_game::SettingsError;
use lanista_game::seed::Rng;
use rocketsim::{CarBodyConfig, Vec3A};
use serde::{Deserialize, Serialize};

use crate::mix::{check_weights, pick};

/// A hitbox, by the car that it is named after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hitbox {
    /// Of most cars.
    #[default]
    Octane,
    /// Long and flat.
    Dominus,
    /// The flattest.
    Plank,
    /// The longest.
    Breakout,
    /// Between Octane and Dominus.
    Hybrid,
    /// The tallest.
    Merc,
}

impl Hitbox {
    /// Every one.
    pub const ALL: [Self; 6] =
        [Self::Octane, Self::Dominus, Self::Plank, Self::Breakout, Self::Hybrid, Self::Merc];

    /// The one whose size (length, width, height in uu) comes closest.
    pub fn nearest(size: [f32; 3]) -> Self {
        let size = Vec3A::from_array(size);
        let far = |hitbox: &Self| (hitbox.body().hitbox_size - size).length();
        // Numbers that are none compare as larger than all others, and the first one remains.
        Self::ALL.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or_default()
    }

    /// Size, wheels and suspension.
    pub fn body(self) -> CarBodyConfig {
        match self {
            Self::Octane => CarBodyConfig::OCTANE,
            Self::Dominus => CarBodyConfig::DOMINUS,
            Self::Plank => CarBodyConfig::PLANK,
            Self::Breakout => CarBodyConfig::BREAKOUT,
            Self::Hybrid => CarBodyConfig::HYBRID,
            Self::Merc => CarBodyConfig::MERC,
        }
    }
}

/// Which hitboxes the cars of a match have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a hitbox (octane, dominus, plank, breakout, hybrid, merc) or weights of several, \
                 such as {octane: 3, dominus: 1}"
)]
pub enum Hitboxes {
    /// All the same.
    Same(Hitbox),
    /// Each car's is drawn anew for every match, by weight.
    Drawn(BTreeMap<Hitbox, f32>),
}

impl Default for Hitboxes {
    fn default() -> Self {
        Self::Same(Hitbox::Octane)
    }
}

impl Hitboxes {
    /// Refuses weights from which nothing could be drawn.
    pub fn check(&self) -> Result<(), SettingsError> {
        match self {
            Self::Same(_) => Ok(()),
            Self::Drawn(weights) => {
                let named = |(hitbox, weight): (&Hitbox, &f32)| {
                    (format!("{hitbox:?}").to_lowercase(), *weight)
                };
                check_weights("hitbox", weights.iter().map(named))
            }
        }
    }

    /// Do cars differ, so that a policy must see what it drives?
    pub fn differ(&self) -> bool {
        matches!(self, Self::Drawn(_))
    }

    /// The hitbox of the next car. Draws nothing where there is nothing to choose.
    pub fn draw(&self, rng: &mut Rng) -> Hitbox {
        match self {
            Self::Same(hitbox) => *hitbox,
            Self::Drawn(weights) => {
                pick(weights.iter().map(|(hitbox, weight)| (*hitbox, *weight)), rng)
                    .unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::seed;
    use serde_json::json;

    #[test]
    fn sizes_name_their_hitbox() {
        // As the game tells them (rlgym_compat 2.3.6); ours differ by a few hundredths.
        for (hitbox, size) in [
            (Hitbox::Octane, [118.00738, 84.19941, 36.159073]),
            (Hitbox::Dominus, [127.92678, 83.27995, 31.3]),
            (Hitbox::Plank, [128.81978, 84.670364, 29.394402]),
            (Hitbox::Breakout, [131.49236, 80.521, 30.3]),
            (Hitbox::Hybrid, [127.01919, 82.18787, 34.159073]),
            (Hitbox::Merc, [120.72023, 76.71031, 41.659073]),
            (Hitbox::Octane, [f32::NAN; 3]),
        ] {
            assert_eq!(Hitbox::nearest(size), hitbox, "{size:?}");
        }
    }

    #[test]
    fn a_name_or_weights() {
        let read = |value| serde_json::from_value::<Hitboxes>(value);
        assert_eq!(read(json!("plank")).unwrap(), Hitboxes::Same(Hitbox::Plank));
        let mix = read(json!({"octane": 3, "merc": 1})).unwrap();
        assert!(mix.differ() && mix.check().is_ok());
        let error = read(json!("batmobile")).unwrap_err().to_string();
        assert!(error.contains("octane, dominus"), "{error}");
        let none = read(json!({"octane": 0})).unwrap().check().unwrap_err().to_string();
        assert!(none.contains("hitbox"), "{none}");
        let bad = read(json!({"octane": 1, "merc": -1})).unwrap().check().unwrap_err().to_string();
        assert!(bad.contains("hitbox.merc"), "{bad}");
    }

    #[test]
    fn draws_follow_the_weights() {
        let mix = Hitboxes::Drawn([(Hitbox::Octane, 3.0), (Hitbox::Merc, 1.0)].into());
        let mut rng = seed::rng(1);
        let mercs = (0..4000).filter(|_| mix.draw(&mut rng) == Hitbox::Merc).count();
        assert!((900..1100).contains(&mercs), "{mercs}");
    }

    #[test]
    fn a_hitbox_without_a_choice_takes_nothing_from_the_dice() {
        use rand::RngExt;
        let (mut a, mut b) = (seed::rng(4), seed::rng(4));
        Hitboxes::default().draw(&mut a);
        assert_eq!(a.random::<u64>(), b.random::<u64>());
    }
}
