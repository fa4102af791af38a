//! What a seat sees: named numbers, and the groups that they form.

use serde::{Deserialize, Serialize};

/// One number of an observation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feature {
    /// What the number is, in snake case: tools show and explain it.
    pub name: String,
    /// Does it stay what it is whatever the players do, such as a rule of the match? Nobody is
    /// rewarded for the novelty of such a number.
    #[serde(default, skip_serializing_if = "is_false")]
    pub constant: bool,
    /// Is it one of a list rather than a quantity, such as a species?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<Vocabulary>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// What the numbers of an id stand for. Ids of one name mean the same wherever they stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// What is listed: `species`, `item`.
    pub name: String,
    /// How many there are; an id is a whole number below it. By custom 0 is nothing or unknown.
    pub size: usize,
}

impl Feature {
    /// A number that no action changes.
    pub fn constant(name: impl Into<String>) -> Self {
        Self { constant: true, ..Self::from(name) }
    }

    /// A whole number below `size`: one of a list that is called `vocabulary`.
    pub fn id(name: impl Into<String>, vocabulary: impl Into<String>, size: usize) -> Self {
        let vocabulary = Some(Vocabulary { name: vocabulary.into(), size });
        Self { vocabulary, ..Self::from(name) }
    }
}

impl<T: Into<String>> From<T> for Feature {
    fn from(name: T) -> Self {
        Self { name: name.into(), constant: false, vocabulary: None }
    }
}

/// Numbers of an observation that belong together. A network may read them as they lie, side by side,
/// or know what they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// A fixed list.
    Features(Vec<Feature>),
    /// Up to so many things of a kind. Each has a place of its own: 1 if somebody is there, else 0,
    /// then its features. In which order they stand means nothing.
    Entities {
        /// What they are, in the singular: `opponent`, `infected`.
        name: String,
        /// How many places there are.
        most: usize,
        /// What is seen of each.
        features: Vec<Feature>,
    },
}

impl Group {
    /// A fixed list of features.
    pub fn features<F: Into<Feature>>(features: impl IntoIterator<Item = F>) -> Self {
        Self::Features(features.into_iter().map(Into::into).collect())
    }

    /// Up to `most` things of a kind.
    pub fn entities<F: Into<Feature>>(
        name: impl Into<String>,
        most: usize,
        features: impl IntoIterator<Item = F>,
    ) -> Self {
        let features = features.into_iter().map(Into::into).collect();
        Self::Entities { name: name.into(), most, features }
    }

    /// How many numbers it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Features(features) => features.len(),
            Self::Entities { most, features, .. } => most * (1 + features.len()),
        }
    }

    /// Is nothing seen of it?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its numbers one by one, as they lie side by side. Those of an entity are called after it and
    /// its place: `opponent_0_present`, `opponent_0_health`.
    pub fn flat(&self) -> Vec<Feature> {
        match self {
            Self::Features(features) => features.clone(),
            Self::Entities { name, most, features } => (0..*most)
                .flat_map(|place| {
                    let of = move |feature: &Feature| Feature {
                        name: format!("{name}_{place}_{}", feature.name),
                        ..feature.clone()
                    };
                    let present = Feature::from(format!("{name}_{place}_present"));
                    std::iter::once(present).chain(features.iter().map(of))
                })
                .collect(),
        }
    }

    /// The same group of numbers that no action changes.
    pub fn constant(mut self) -> Self {
        let (Self::Features(features) | Self::Entities { features, .. }) = &mut self;
        features.iter_mut().for_each(|feature| feature.constant = true);
        self
    }

    /// The same group with every name changed.
    pub fn renamed(&self, rename: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Features(features) => {
                let renamed = |f: &Feature| Feature { name: rename(&f.name), ..f.clone() };
                Self::Features(features.iter().map(renamed).collect())
            }
            Self::Entities { name, most, features } => {
                Self::Entities { name: rename(name), most: *most, features: features.clone() }
            }
        }
    }
}

/// A list of features is the simplest observation there is.
impl<F: Into<Feature>, const N: usize> From<[F; N]> for Group {
    fn from(features: [F; N]) -> Self {
        Self::features(features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_vary_unless_they_say_otherwise() {
        let plain = Feature { name: "a".into(), constant: false, vocabulary: None };
        assert_eq!(Feature::from("a"), plain);
        assert_eq!(Feature::constant("a"), Feature { constant: true, ..plain });
    }

    #[test]
    fn entities_lie_side_by_side_each_with_its_presence() {
        let group =
            Group::entities("foe", 2, [Feature::from("x"), Feature::id("kind", "kinds", 5)]);
        let names: Vec<String> = group.flat().into_iter().map(|f| f.name).collect();
        let expected =
            ["foe_0_present", "foe_0_x", "foe_0_kind", "foe_1_present", "foe_1_x", "foe_1_kind"];
        assert_eq!(names, expected);
        assert_eq!(group.len(), names.len());
        assert_eq!(group.flat()[2].vocabulary.as_ref().map(|v| v.size), Some(5));
    }
}
