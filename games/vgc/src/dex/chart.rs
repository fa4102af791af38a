//! The types, and how much an attack of one does to another.

use std::sync::LazyLock;

use serde::Deserialize;

use super::FILE;

/// A type; `Stellar` can only be attained by terastallising.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[allow(missing_docs)] // their names say what they are
pub enum Type {
    Bug,
    Dark,
    Dragon,
    Electric,
    Fairy,
    Fighting,
    Fire,
    Flying,
    Ghost,
    Grass,
    Ground,
    Ice,
    Normal,
    Poison,
    Psychic,
    Rock,
    Steel,
    Stellar,
    Water,
}

/// All of them, in the order of their numbers.
pub const TYPES: [Type; 19] = [
    Type::Bug,
    Type::Dark,
    Type::Dragon,
    Type::Electric,
    Type::Fairy,
    Type::Fighting,
    Type::Fire,
    Type::Flying,
    Type::Ghost,
    Type::Grass,
    Type::Ground,
    Type::Ice,
    Type::Normal,
    Type::Poison,
    Type::Psychic,
    Type::Rock,
    Type::Steel,
    Type::Stellar,
    Type::Water,
];

impl Type {
    /// A type by name, in any case.
    pub fn of(name: &str) -> Option<Self> {
        TYPES.into_iter().find(|t| t.name().eq_ignore_ascii_case(name))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        &FILE.types[self as usize]
    }
}

static CHART: LazyLock<[[f32; 19]; 19]> = LazyLock::new(|| {
    let mut chart = [[1.0; 19]; 19];
    for attack in TYPES {
        for (defend, &factor) in FILE.chart[attack.name()].iter().enumerate() {
            chart[attack as usize][defend] = factor;
        }
    }
    chart
});

/// What an attack of a type is multiplied by against one type: 0, ½, 1 or 2. Several types multiply.
pub fn effectiveness(attack: Type, defend: Type) -> f32 {
    CHART[attack as usize][defend as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_is_the_games() {
        assert_eq!(effectiveness(Type::Fire, Type::Grass), 2.0);
        assert_eq!(effectiveness(Type::Fire, Type::Water), 0.5);
        assert_eq!(effectiveness(Type::Ground, Type::Flying), 0.0);
        assert_eq!(effectiveness(Type::Ghost, Type::Normal), 0.0);
        assert_eq!(effectiveness(Type::Fairy, Type::Dragon), 2.0);
        assert_eq!(effectiveness(Type::Normal, Type::Stellar), 1.0);
        assert!(TYPES.into_iter().all(|t| Type::of(t.name()) == Some(t)));
    }
}
