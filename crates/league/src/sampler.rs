//! How a past opponent is picked from the pool.
//!
//! A preset writes a name, which takes the defaults, or a map of one name to its options:
//!
//! ```yaml
//! sampler: elo_weighted
//! sampler: { elo_weighted: { temperature: 1, window: 400 } }
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::iter;

use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rating::{SCALE, expected_score};
use crate::snapshot::Snapshot;

/// Matches from which on the recorded score against a snapshot says more than its rating: by then
/// the score's deviation is below 0.1.
pub const ENOUGH_GAMES: u64 = 30;

/// The largest option of a sampler: sums and quotients of what is larger need not be finite.
const LARGEST: f64 = 1e6;

/// How likely each usable snapshot of a pool is to be met. Weights are divided by their sum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields, remote = "Self")]
pub enum Sampler {
    /// All alike.
    Uniform,
    /// Those of similar rating: `exp(-|Δ| / (400 temperature))`, with `Δ` the difference from the
    /// learner's rating, and nothing for those beyond the window. If all are beyond it, all count
    /// by that formula.
    EloWeighted {
        /// How much a difference matters: less, the higher this is.
        #[serde(default = "temperature")]
        temperature: f64,
        /// The largest difference, in points.
        #[serde(default = "window")]
        window: f64,
    },
    /// The newest: `0.5^(age / half_life)`, with `age` the number of usable snapshots that are
    /// newer.
    RecentWeighted {
        /// The age at which a snapshot counts half, in snapshots.
        #[serde(default = "half_life")]
        half_life: f64,
    },
    /// Those whom the learner beats about as often as wanted: `exp(-((score - target) / width)² /
    /// 2)`. The score is the recorded one after [`ENOUGH_GAMES`] matches, and what the ratings
    /// predict before.
    DifficultyAdjusted {
        /// The wanted score of the learner, a draw counting half.
        #[serde(default = "target_win_rate")]
        target_win_rate: f64,
        /// How far from it a score may lie and still count much: a standard deviation.
        #[serde(default = "width")]
        width: f64,
    },
    /// Those who still win: the softmax of qualities. Whenever a snapshot loses, its quality drops
    /// by `learning_rate / (n p)`, with `n` usable snapshots and `p` the probability with which it
    /// was drawn (OpenAI et al., "Dota 2 with Large Scale Deep Reinforcement Learning", 2019).
    Prioritized {
        /// How fast qualities fall.
        #[serde(default = "learning_rate")]
        learning_rate: f64,
    },
}

/// Every sampler by name, with its defaults.
const NAMES: [(&str, Sampler); 5] = [
    ("uniform", Sampler::Uniform),
    ("elo_weighted", Sampler::EloWeighted { temperature: temperature(), window: window() }),
    ("recent_weighted", Sampler::RecentWeighted { half_life: half_life() }),
    (
        "difficulty_adjusted",
        Sampler::DifficultyAdjusted { target_win_rate: target_win_rate(), width: width() },
    ),
    ("prioritized", Sampler::Prioritized { learning_rate: learning_rate() }),
];

const fn temperature() -> f64 {
    0.5
}

const fn window() -> f64 {
    200.0
}

const fn half_life() -> f64 {
    10.0
}

const fn target_win_rate() -> f64 {
    0.5
}

const fn width() -> f64 {
    0.15
}

const fn learning_rate() -> f64 {
    0.01
}

impl Default for Sampler {
    fn default() -> Self {
        Self::Prioritized { learning_rate: learning_rate() }
    }
}

impl Serialize for Sampler {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A sampler with its defaults is written as a preset would: by its name alone.
        let plain = NAMES.iter().find(|(_, sampler)| sampler == self);
        match plain {
            Some((name, _)) => serializer.serialize_str(name),
            None => Self::serialize(self, serializer), // the derived one, inherent by `remote`
        }
    }
}

// By hand: the derived one would demand a map even where all options have defaults.
impl<'de> Deserialize<'de> for Sampler {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrMap;

        impl<'de> Visitor<'de> for NameOrMap {
            type Value = Sampler;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "a sampler: `uniform`, `elo_weighted`, `recent_weighted`, \
                     `difficulty_adjusted` or `prioritized`, or a map such as \
                     {elo_weighted: {window: 200}}",
                )
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Sampler, E> {
                if name == "uniform" {
                    return Ok(Sampler::Uniform);
                }
                let no_options = BTreeMap::<&str, f64>::new();
                let map = MapDeserializer::new(iter::once((name, no_options)));
                Sampler::deserialize(MapAccessDeserializer::new(map))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sampler, A::Error> {
                let sampler = Sampler::deserialize(MapAccessDeserializer::new(&mut map))?;
                // Presets that are laid over each other may each bring one.
                if let Some(second) = map.next_key::<String>()? {
                    let problem =
                        format!("a second sampler, `{second}`: name one, set the other to null");
                    return Err(A::Error::custom(problem));
                }
                Ok(sampler)
            }
        }
        deserializer.deserialize_any(NameOrMap)
    }
}

impl Sampler {
    /// Says which option is out of range, and what its range is.
    pub fn fault(&self) -> Option<String> {
        let within = |name: &str, value: f64, valid: bool, range: &str| {
            (!valid).then(|| format!("`{name}` is {value}; it is {range}"))
        };
        let positive = |name: &str, value: f64| {
            within(name, value, value > 0.0 && value <= LARGEST, "a number above 0, at most 1e6")
        };
        match *self {
            Self::Uniform => None,
            Self::EloWeighted { temperature, window } => positive("temperature", temperature)
                .or_else(|| within("window", window, (0.0..=1e6).contains(&window), "0 to 1e6")),
            Self::RecentWeighted { half_life } => positive("half_life", half_life),
            Self::DifficultyAdjusted { target_win_rate: target, width } => {
                let valid = (0.0..=1.0).contains(&target);
                within("target_win_rate", target, valid, "between 0 and 1")
                    .or_else(|| positive("width", width))
            }
            Self::Prioritized { learning_rate } => positive("learning_rate", learning_rate),
        }
    }

    /// The probability of each of these snapshots, which stand oldest first. They sum to 1.
    pub(crate) fn probabilities(&self, usable: &[&Snapshot], my_elo: f64) -> Vec<f64> {
        let gap = |s: &Snapshot| (s.elo - my_elo).abs();
        let each = usable.iter();
        softmax(match *self {
            Self::Uniform => vec![0.0; usable.len()],
            Self::EloWeighted { temperature, window } => {
                let beyond = each.clone().all(|s| gap(s) > window);
                let counts = |s: &Snapshot| beyond || gap(s) <= window;
                let weight = |s: &Snapshot| -gap(s) / (SCALE * temperature);
                each.map(|s| if counts(s) { weight(s) } else { f64::NEG_INFINITY }).collect()
            }
            Self::RecentWeighted { half_life } => {
                let weight = |age: usize| -std::f64::consts::LN_2 * age as f64 / half_life;
                (0..usable.len()).rev().map(weight).collect()
            }
            Self::DifficultyAdjusted { target_win_rate, width } => {
                let score = |s: &Snapshot| match s.games {
                    0..ENOUGH_GAMES => expected_score(my_elo, s.elo),
                    _ => s.score,
                };
                each.map(|s| -((score(s) - target_win_rate) / width).powi(2) / 2.0).collect()
            }
            Self::Prioritized { .. } => each.map(|s| s.quality).collect(),
        })
    }
}

/// Probabilities from logarithms of weights. Relative to the largest, so that weights too small or
/// too large for a number still compare; weights that are no numbers count nothing, and if none is
/// one, all are alike.
fn softmax(mut logs: Vec<f64>) -> Vec<f64> {
    let largest = logs.iter().copied().filter(|w| w.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    for w in &mut logs {
        *w = match largest {
            f64::NEG_INFINITY => 1.0,
            _ if w.is_finite() => (*w - largest).exp(),
            _ => 0.0,
        };
    }
    let total: f64 = logs.iter().sum();
    logs.iter_mut().for_each(|w| *w /= total);
    logs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Sampler {
        serde_json::from_str(json).unwrap()
    }

    fn error(json: &str) -> String {
        serde_json::from_str::<Sampler>(json).unwrap_err().to_string()
    }

    #[test]
    fn a_name_takes_the_defaults() {
        assert_eq!(parse(r#""uniform""#), Sampler::Uniform);
        let elo = Sampler::EloWeighted { temperature: 0.5, window: 200.0 };
        assert_eq!(parse(r#""elo_weighted""#), elo);
        assert_eq!(parse(r#""recent_weighted""#), Sampler::RecentWeighted { half_life: 10.0 });
        let difficulty = Sampler::DifficultyAdjusted { target_win_rate: 0.5, width: 0.15 };
        assert_eq!(parse(r#""difficulty_adjusted""#), difficulty);
        assert_eq!(parse(r#""prioritized""#), Sampler::Prioritized { learning_rate: 0.01 });
        assert_eq!(parse(r#""prioritized""#), Sampler::default());
    }

    #[test]
    fn a_map_sets_some_options() {
        let elo = Sampler::EloWeighted { temperature: 2.0, window: 200.0 };
        assert_eq!(parse(r#"{"elo_weighted": {"temperature": 2}}"#), elo);
        let recent = Sampler::RecentWeighted { half_life: 3.0 };
        assert_eq!(parse(r#"{"recent_weighted": {"half_life": 3}}"#), recent);
        assert_eq!(parse(r#"{"prioritized": {}}"#), Sampler::default());
    }

    #[test]
    fn what_is_written_is_read_back() {
        for name in
            ["uniform", "elo_weighted", "recent_weighted", "difficulty_adjusted", "prioritized"]
        {
            let sampler = parse(&format!("{name:?}"));
            let text = serde_json::to_string(&sampler).unwrap();
            assert!(text.contains(name), "{text}");
            assert_eq!(parse(&text), sampler);
            let value = serde_json::to_value(sampler).unwrap();
            assert_eq!(serde_json::from_value::<Sampler>(value).unwrap(), sampler);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let names =
            ["uniform", "elo_weighted", "recent_weighted", "difficulty_adjusted", "prioritized"];
        for json in [r#""elo""#, r#"{"elo": {}}"#, "3"] {
            let text = error(json);
            assert!(names.iter().all(|n| text.contains(n)), "{text}");
        }
        assert!(error(r#"{"elo_weighted": {"windw": 1}}"#).contains("`window`"));
        let two = error(r#"{"elo_weighted": {"window": 1}, "prioritized": {}}"#);
        assert!(two.contains("a second sampler, `prioritized`"), "{two}");
    }

    #[test]
    fn ranges_are_checked() {
        for (json, option) in [
            (r#"{"elo_weighted": {"temperature": 0}}"#, "`temperature` is 0"),
            (r#"{"elo_weighted": {"window": -1}}"#, "`window` is -1"),
            (r#"{"recent_weighted": {"half_life": 0}}"#, "`half_life` is 0"),
            (r#"{"difficulty_adjusted": {"target_win_rate": 1.5}}"#, "`target_win_rate` is 1.5"),
            (r#"{"difficulty_adjusted": {"width": -0.1}}"#, "`width` is -0.1"),
            (r#"{"prioritized": {"learning_rate": 0}}"#, "`learning_rate` is 0"),
        ] {
            let fault = parse(json).fault().unwrap();
            assert!(fault.contains(option), "{fault}");
        }
        let nan = Sampler::EloWeighted { temperature: f64::NAN, window: f64::NAN };
        assert!(nan.fault().is_some());
        assert_eq!(Sampler::default().fault(), None);
        assert_eq!(parse(r#""elo_weighted""#).fault(), None);
    }

    #[test]
    fn extreme_weights_still_sum_to_one() {
        assert_eq!(softmax(vec![-1e6, -1e6]), [0.5, 0.5]);
        assert_eq!(softmax(vec![1e6, -1e6]), [1.0, 0.0]);
        assert_eq!(softmax(vec![f64::NAN, 3.0, f64::NEG_INFINITY]), [0.0, 1.0, 0.0]);
        assert_eq!(softmax(vec![f64::NAN, f64::NAN]), [0.5, 0.5]);
        assert_eq!(softmax(vec![]), [] as [f64; 0]);
    }
}
