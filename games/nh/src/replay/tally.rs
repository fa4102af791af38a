//! How many of the compared values are equal.

use super::facts::FACTS;
use crate::contract::{ACTIONS, FIELDS, HEADS};

/// Where a value differed first.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The file.
    pub file: String,
    /// The tick of the server.
    pub tick: u64,
    /// Whose value: `own` or `opponent`.
    pub side: &'static str,
    /// The simulator's value.
    pub ours: f64,
    /// The recorded value.
    pub theirs: f64,
}

/// The count of one field or one action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Count {
    /// Compared values.
    pub compared: u64,
    /// Equal ones.
    pub equal: u64,
    /// The first that was not.
    pub first: Option<Difference>,
}

impl Count {
    /// Share of equal values.
    pub fn share(&self) -> f64 {
        if self.compared == 0 { 1.0 } else { self.equal as f64 / self.compared as f64 }
    }
}

/// The counts of every field and every action.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// By observation field.
    pub fields: Vec<Count>,
    /// By action.
    pub actions: Vec<Count>,
    /// By fact beside the observation.
    pub facts: Vec<Count>,
    /// Ticks played.
    pub ticks: u64,
    /// Fights played.
    pub fights: u64,
    /// Tiles that were put right, because the recording had another.
    pub moved: u64,
    /// Attacks that only one of recording and simulator made.
    pub unmatched: u64,
}

impl Default for Agreement {
    fn default() -> Self {
        Self {
            fields: vec![Count::default(); FIELDS.len()],
            actions: vec![Count::default(); ACTIONS],
            facts: vec![Count::default(); FACTS.len()],
            ticks: 0,
            fights: 0,
            moved: 0,
            unmatched: 0,
        }
    }
}

/// Where a comparison is made.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The file.
    pub file: &'a str,
    /// The tick of the server.
    pub tick: u64,
    /// Whose values.
    pub side: &'static str,
}

impl Agreement {
    /// Compares observations.
    pub fn observation(&mut self, place: Place, ours: &[f64], theirs: &[f64]) {
        for ((count, &ours), &theirs) in self.fields.iter_mut().zip(ours).zip(theirs) {
            compare(count, place, ours, theirs);
        }
    }

    /// Compares masks.
    pub fn mask(&mut self, place: Place, ours: &[bool], theirs: &[bool]) {
        for ((count, &ours), &theirs) in self.actions.iter_mut().zip(ours).zip(theirs) {
            compare(count, place, f64::from(u8::from(ours)), f64::from(u8::from(theirs)));
        }
    }

    /// Compares the facts beside the observation, which the simulator keeps in single precision.
    pub fn facts(&mut self, place: Place, ours: &[f64], theirs: &[f64]) {
        for ((count, &ours), &theirs) in self.facts.iter_mut().zip(ours).zip(theirs) {
            let rounded = if (ours - theirs).abs() < 1e-5 { theirs } else { ours };
            compare(count, place, rounded, theirs);
        }
    }

    /// Every count with its name.
    pub fn named(&self) -> impl Iterator<Item = (String, &Count)> {
        let fields = FIELDS.iter().map(|field| field.name.to_owned());
        let actions = HEADS
            .iter()
            .flat_map(|(head, actions)| actions.iter().map(move |a| format!("mask {head}.{a}")));
        let facts = FACTS.iter().map(|(term, _)| format!("fact {term}"));
        fields.zip(&self.fields).chain(actions.zip(&self.actions)).chain(facts.zip(&self.facts))
    }

    /// Compared and equal values of all fields and actions, without the facts.
    pub fn totals(&self) -> (u64, u64) {
        let all = || self.fields.iter().chain(&self.actions);
        (all().map(|count| count.compared).sum(), all().map(|count| count.equal).sum())
    }
}

fn compare(count: &mut Count, place: Place, ours: f64, theirs: f64) {
    count.compared += 1;
    if (ours - theirs).abs() <= 1e-9 {
        count.equal += 1;
    } else if count.first.is_none() {
        count.first = Some(Difference {
            file: place.file.to_owned(),
            tick: place.tick,
            side: place.side,
            ours,
            theirs,
        });
    }
}
