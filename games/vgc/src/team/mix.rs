//! More teams out of some: members change places between them.
//!
//! Whoever learns on ten teams learns ten teams. A team in which one to three members are others' is still one
//! that somebody could bring, and there are thousands of them.

use std::collections::BTreeSet;

use lanista_game::seed::{Rng, mix, rng};
use rand::RngExt;

use super::{Member, Team};
use crate::dex::{self, Dex};

/// Most members of a team that are exchanged.
const MOST: usize = 3;
/// How often another is looked for in place of one that does not fit.
const TRIES: usize = 64;

/// `count` teams, each one of `teams` with some of its members exchanged for others'. No species and no item is
/// twice in a team, and whoever is restricted takes the place of somebody restricted, so that what held for
/// the teams holds for these.
pub fn mixed(teams: &[Team], dex: &Dex, count: usize) -> Vec<Team> {
    let all: Vec<&Member> = teams.iter().flat_map(|team| &team.members).collect();
    let mut found = Vec::with_capacity(count);
    if teams.len() < 2 {
        return found;
    }
    for number in 0..count {
        let mut dice = rng(mix(0x6d69_7865, number as u64));
        let mut team = teams[dice.random_range(0..teams.len())].clone();
        for _ in 0..dice.random_range(1..=MOST.min(team.members.len())) {
            exchange(&mut team, &all, dex, &mut dice);
        }
        found.push(team);
    }
    found
}

fn exchange(team: &mut Team, all: &[&Member], dex: &Dex, dice: &mut Rng) {
    let place = dice.random_range(0..team.members.len());
    for _ in 0..TRIES {
        let other = all[dice.random_range(0..all.len())];
        if !suits(other, &team.members[place], dex) {
            continue;
        }
        let rest = team.members.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, m)| m);
        let taken: BTreeSet<String> = rest.clone().map(|member| kind(member, dex)).collect();
        let held: BTreeSet<&str> =
            rest.map(|member| member.item.as_str()).filter(|item| !item.is_empty()).collect();
        if !taken.contains(&kind(other, dex)) && !held.contains(other.item.as_str()) {
            team.members[place] = other.clone();
            return;
        }
    }
}

/// May one stand where the other stood?
fn suits(one: &Member, other: &Member, dex: &Dex) -> bool {
    tags(one, dex) == tags(other, dex)
}

/// What the rules count: restricted and mythical ones.
fn tags(member: &Member, dex: &Dex) -> Vec<String> {
    let species = dex::species(&member.species).and_then(|id| dex.species(id));
    let mut tags = species.map_or_else(Vec::new, |species| species.tags.clone());
    tags.retain(|tag| tag == "Restricted Legendary" || tag == "Mythical");
    tags
}

/// The species that the rules allow once, whatever its form.
fn kind(member: &Member, dex: &Dex) -> String {
    let species = dex::species(&member.species).and_then(|id| dex.species(id));
    let base = species.and_then(|species| species.base.clone());
    base.unwrap_or_else(|| dex::id_of(&member.species))
}
