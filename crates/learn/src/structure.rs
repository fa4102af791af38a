//! The groups of an observation taken apart: the vocabularies and kinds in them, and what each of
//! its numbers is.

use lanista_game::Vocabulary;

use crate::shape::{EntityPart, Group};

/// Does a slot with this flag hold an entity? NaN is no entity.
#[inline]
pub fn present(flag: f32) -> bool {
    flag > 0.5
}

/// The vocabularies of groups by their first ids, each as large as its largest mention.
pub fn vocabularies<'a>(groups: impl Iterator<Item = &'a Group>) -> Vec<Vocabulary> {
    let mut found: Vec<Vocabulary> = Vec::new();
    let mut mention = |v: &Vocabulary| match found.iter_mut().find(|f| f.name == v.name) {
        Some(known) => known.size = known.size.max(v.size),
        None => found.push(v.clone()),
    };
    for group in groups {
        match group {
            Group::Plain { .. } => {}
            Group::Ids { vocabulary, .. } => mention(vocabulary),
            Group::Entities { parts, .. } => parts.iter().for_each(|part| match part {
                EntityPart::Number => {}
                EntityPart::Id(vocabulary) => mention(vocabulary),
            }),
        }
    }
    found
}

/// A kind of entities: what groups of the same name and parts have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind<'a> {
    /// Its name.
    pub name: &'a str,
    /// What a slot holds after its flag.
    pub parts: &'a [EntityPart],
}

impl Group {
    /// The kind of entities in this group, if it has entities.
    pub(crate) fn kind(&self) -> Option<Kind<'_>> {
        match self {
            Self::Entities { name, parts, .. } => Some(Kind { name, parts }),
            _ => None,
        }
    }
}

/// The kinds of groups, by their first entities.
pub fn kinds<'a>(groups: impl Iterator<Item = &'a Group>) -> Vec<Kind<'a>> {
    let mut found = Vec::new();
    for kind in groups.filter_map(Group::kind) {
        if !found.contains(&kind) {
            found.push(kind);
        }
    }
    found
}

/// What each number of an observation is.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Plain numbers.
    pub plain: Vec<usize>,
    /// Ids outside of entities.
    pub ids: Vec<usize>,
    /// The entities of each kind.
    pub kinds: Vec<Slots>,
}

/// The slots of a kind.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// Where each slot starts, with its flag.
    pub starts: Vec<usize>,
    /// How far behind the flag the numbers lie.
    pub numbers: Vec<usize>,
    /// How far behind the flag the ids lie.
    pub ids: Vec<usize>,
}

impl Structure {
    /// Takes groups apart.
    pub fn of(groups: &[Group]) -> Self {
        let kinds = kinds(groups.iter());
        let slots = |kind: &Kind| {
            let is_number = |&i: &usize| matches!(kind.parts[i - 1], EntityPart::Number);
            let (numbers, ids) = (1..=kind.parts.len()).partition(is_number);
            Slots { starts: Vec::new(), numbers, ids }
        };
        let mut structure =
            Self { kinds: kinds.iter().map(slots).collect(), ..Structure::default() };
        let mut at = 0;
        for group in groups {
            let covered = at..at + group.features();
            at = covered.end;
            match group {
                Group::Plain { .. } => structure.plain.extend(covered),
                Group::Ids { .. } => structure.ids.extend(covered),
                Group::Entities { parts, .. } => {
                    let index = kinds.iter().position(|&k| Some(k) == group.kind());
                    let slots = index.map(|k| &mut structure.kinds[k]);
                    slots.into_iter().for_each(|slots| {
                        slots.starts.extend(covered.clone().step_by(1 + parts.len()));
                    });
                }
            }
        }
        structure
    }

    /// Lists the numbers of a row that are there and measure something: neither ids nor flags nor
    /// what an empty slot holds.
    pub fn measured(&self, row: &[f32], into: &mut Vec<usize>) {
        into.clear();
        into.extend_from_slice(&self.plain);
        for Slots { starts, numbers, .. } in &self.kinds {
            for start in starts.iter().filter(|&&start| present(row[start])) {
                into.extend(numbers.iter().map(|n| start + n));
            }
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn vocabulary(name: &str, size: usize) -> Vocabulary {
        Vocabulary { name: name.to_owned(), size }
    }

    /// Two plain numbers, two ids, two kinds of entities of which one comes in two groups, and one
    /// more plain number: 34 numbers.
    pub fn groups() -> Vec<Group> {
        let beasts = |most| Group::Entities {
            name: "beast".to_owned(),
            most,
            parts: vec![
                EntityPart::Number,
                EntityPart::Id(vocabulary("species", 7)),
                EntityPart::Number,
            ],
        };
        let stones = Group::Entities {
            name: "stone".to_owned(),
            most: 2,
            parts: vec![
                EntityPart::Id(vocabulary("weather", 3)),
                EntityPart::Number,
                EntityPart::Id(vocabulary("species", 7)),
            ],
        };
        vec![
            Group::Plain { features: 2 },
            Group::Ids { vocabulary: vocabulary("species", 5), count: 2 },
            beasts(3),
            stones,
            beasts(2),
            Group::Ids { vocabulary: vocabulary("weather", 3), count: 1 },
            Group::Plain { features: 1 },
        ]
    }

    #[test]
    fn every_number_is_something() {
        let groups = groups();
        assert_eq!(groups.iter().map(Group::features).sum::<usize>(), 34);
        let species = vocabularies(groups.iter());
        assert_eq!(species, [vocabulary("species", 7), vocabulary("weather", 3)]);
        let structure = Structure::of(&groups);
        assert_eq!((&structure.plain[..], &structure.ids[..]), (&[0, 1, 33][..], &[2, 3, 32][..]));
        let [beasts, stones] = &structure.kinds[..] else { panic!("{structure:?}") };
        assert_eq!(beasts.starts, [4, 8, 12, 24, 28]);
        assert_eq!((&beasts.numbers[..], &beasts.ids[..]), (&[1, 3][..], &[2][..]));
        assert_eq!((&stones.starts[..], &stones.numbers[..]), (&[16, 20][..], &[2][..]));
        let mut row = vec![0.0; 34];
        (row[8], row[20], row[12]) = (1.0, 1.0, f32::NAN);
        let mut measured = Vec::new();
        structure.measured(&row, &mut measured);
        assert_eq!(measured, [0, 1, 33, 9, 11, 22]);
    }
}
