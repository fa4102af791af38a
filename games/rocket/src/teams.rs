//! How many cars play: the same in every match, or drawn for each.

use std::collections::BTreeMap;

use lanista_game::SettingsError;
use lanista_game::seed::Rng;
use serde::{Deserialize, Serialize};

use crate::mix::{check_weights, pick};
use crate::state::MAX_TEAM;

/// Weights of team sizes by name: blue's cars, `v`, orange's, as in `2v1`. Empty: every match has the
/// same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TeamSizes(BTreeMap<String, f32>);

impl TeamSizes {
    /// Is nothing drawn?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses names that are no sizes, and weights from which nothing could be drawn.
    pub fn check(&self) -> Result<(), SettingsError> {
        for name in self.0.keys() {
            if parse(name).is_none() {
                return Err(SettingsError::new(
                    format!("teams.{name}"),
                    format!(
                        "`{name}` is no pair of team sizes; blue has 1 to {MAX_TEAM} cars and \
                         orange 0 to {MAX_TEAM}: 1v0, 1v1, 2v1, 2v2, 3v3"
                    ),
                ));
            }
        }
        check_weights("teams", self.0.iter().map(|(name, weight)| (name.clone(), *weight)))
    }

    /// The largest team that can come up.
    pub fn largest(&self) -> Option<usize> {
        self.sizes().filter(|(_, weight)| *weight > 0.0).map(|((b, o), _)| b.max(o)).max()
    }

    /// The most cars that blue and that orange can have, if they are drawn.
    pub fn most(&self) -> Option<(usize, usize)> {
        let possible = self.sizes().filter(|(_, weight)| *weight > 0.0).map(|(sizes, _)| sizes);
        possible.reduce(|most, sizes| (most.0.max(sizes.0), most.1.max(sizes.1)))
    }

    /// Cars of blue and of orange in the next match, if they are drawn; otherwise the dice stay as
    /// they are.
    pub fn draw(&self, rng: &mut Rng) -> Option<(usize, usize)> {
        if self.is_empty() { None } else { pick(self.sizes(), rng) }
    }

    fn sizes(&self) -> impl Iterator<Item = ((usize, usize), f32)> + Clone {
        self.0.iter().filter_map(|(name, weight)| Some((parse(name)?, *weight)))
    }
}

fn parse(name: &str) -> Option<(usize, usize)> {
    let (blue, orange) = name.split_once('v')?;
    let digit = |text: &str| match text.as_bytes() {
        [digit] => Some(usize::from(digit.checked_sub(b'0')?)),
        _ => None,
    };
    let (blue, orange) = (digit(blue)?, digit(orange)?);
    ((1..=MAX_TEAM).contains(&blue) && orange <= MAX_TEAM).then_some((blue, orange))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::seed;
    use proptest::prelude::*;

    fn sizes(pairs: &[(&str, f32)]) -> TeamSizes {
        TeamSizes(pairs.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect())
    }

    #[test]
    fn names_are_two_sizes() {
        assert_eq!(parse("2v1"), Some((2, 1)));
        assert_eq!(parse("1v0"), Some((1, 0)));
        for name in ["", "v", "2", "2v", "v2", "0v1", "4v4", "22v1", "2V1", "1v-1", "one"] {
            assert_eq!(parse(name), None, "{name}");
            let error = sizes(&[(name, 1.0)]).check().unwrap_err().to_string();
            assert!(error.contains("2v1"), "{error}");
        }
    }

    #[test]
    fn what_has_no_weight_needs_no_seats() {
        assert_eq!(sizes(&[("1v1", 1.0), ("3v3", 0.0), ("1v2", 2.0)]).largest(), Some(2));
        assert_eq!(sizes(&[]).largest(), None);
        assert_eq!(sizes(&[("1v0", 1.0), ("2v2", 0.0), ("1v2", 2.0)]).most(), Some((1, 2)));
        assert_eq!(sizes(&[("1v0", 1.0)]).most(), Some((1, 0)), "orange stays empty");
        assert_eq!(sizes(&[]).most(), None);
        assert!(sizes(&[("1v1", 0.0)]).check().is_err());
    }

    #[test]
    fn nothing_to_draw_takes_nothing_from_the_dice() {
        use rand::RngExt;
        let (mut a, mut b) = (seed::rng(4), seed::rng(4));
        assert_eq!(TeamSizes::default().draw(&mut a), None);
        assert_eq!(a.random::<u64>(), b.random::<u64>());
    }

    proptest! {
        #[test]
        fn no_name_panics(name in ".{0,6}") {
            let _ = sizes(&[(&name, 1.0)]).check();
        }

        #[test]
        fn draws_are_among_the_named(seed in any::<u64>()) {
            let mix = sizes(&[("1v1", 1.0), ("2v3", 2.0)]);
            let drawn = mix.draw(&mut seed::rng(seed)).unwrap();
            prop_assert!([(1, 1), (2, 3)].contains(&drawn));
        }
    }
}
