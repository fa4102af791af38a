//! What both sides' moves would do as a player reckons it: damage of everybody to everybody, and who goes
//! first. Views show it and scripted players choose by it.

mod deed;
mod fighter;
#[cfg(test)]
pub(crate) mod fixture;
mod matchup;
mod names;

pub use deed::{Deed, Purpose, deeds};
pub use fighter::{Fighter, MOVES, plain_speed};
pub use matchup::{Matchups, TEAM};
pub use names::{Names, names};

use crate::damage;
use crate::dex::{self, Target};
use crate::format::Gimmick;
use crate::request::{Active, Own, Request};
use crate::state::{Battle, Pokemon};

/// Those whom a side brings.
pub const BROUGHT: usize = 4;
/// The place of the ally among the targets of one's own moves, after the two foes.
pub const ALLY: usize = 2;

/// What a move does if it hits: least and most of the target's whole health.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hit {
    /// Least.
    pub min: f32,
    /// Most, without a critical hit.
    pub max: f32,
    /// The chance that it hits.
    pub chance: f32,
    /// The chance of a critical hit, if it hits.
    pub critical: f32,
}

impl Hit {
    /// On average, if it hits.
    pub fn mean(self) -> f32 {
        (self.min + self.max) / 2.0
    }

    /// On average.
    pub fn expected(self) -> f32 {
        self.mean() * self.chance
    }

    /// The chance that it fells somebody of this health, if it hits: rolls are spread evenly.
    pub fn fells(self, hp: f32) -> f32 {
        if self.max <= 0.0 {
            return 0.0;
        }
        let plain = if self.min >= hp {
            1.0
        } else if self.max < hp {
            0.0
        } else {
            // One roll of sixteen at least.
            ((self.max - hp) / (self.max - self.min)).clamp(0.06, 1.0)
        };
        // A critical hit does half as much again.
        let critical = if 1.5 * self.mean() >= hp { self.critical } else { 0.0 };
        plain + (1.0 - plain) * critical
    }

    /// Of a factor.
    pub fn times(self, factor: f32) -> Self {
        Self { min: self.min * factor, max: self.max * factor, ..self }
    }
}

/// What both sides can do this turn.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// One's own in the order of the request: the first two are in battle.
    pub own: [Fighter; BROUGHT],
    /// The foes in battle, by place.
    pub foes: [Fighter; 2],
    /// What one's own do to the foes in battle and to their ally: `[own][move][target]`.
    pub dealt: [[[Hit; 3]; 4]; BROUGHT],
    /// What foes do to one's own: `[foe][move][own]`.
    pub taken: [[[Hit; BROUGHT]; MOVES]; 2],
    /// The slow go first.
    pub reversed: bool,
}

/// What changes for one in battle that terastallises or mega evolves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changed {
    /// It itself as it is then.
    pub fighter: Fighter,
    /// What it does: `[move][target]`.
    pub dealt: [[Hit; 3]; 4],
    /// What it takes: `[foe][move]`.
    pub taken: [[Hit; MOVES]; 2],
}

impl Outlook {
    /// What a request and a battle show.
    pub fn new(battle: &Battle, request: &Request) -> Self {
        let mut look = Self {
            own: Default::default(),
            foes: Default::default(),
            dealt: Default::default(),
            taken: Default::default(),
            reversed: battle.field.trick_room > 0,
        };
        for (at, own) in request.side.pokemon.iter().take(BROUGHT).enumerate() {
            if let Some(index) = team_index(battle, own) {
                look.own[at] = Fighter::of(battle, battle.me, index);
            }
        }
        for place in 0..2 {
            if let Some(active) = request.active.get(place).and_then(Option::as_ref) {
                (look.own[place].moves, look.own[place].chance) = offered(battle, active);
            }
        }
        for place in 0..2 {
            if let Some(index) = battle.foe().active[place] {
                look.foes[place] = Fighter::of(battle, 1 - battle.me, index);
            }
        }
        for at in 0..BROUGHT {
            look.dealt[at] = dealt(battle, &look.own[at], at, &look.own, &look.foes);
            for foe in 0..2 {
                let taken = taken(battle, &look.foes[foe], &look.own[at]);
                for (by, hit) in taken.into_iter().enumerate() {
                    look.taken[foe][by][at] = hit;
                }
            }
        }
        look
    }

    /// What changes if the one at a place does what a side may do once.
    pub fn changed(&self, battle: &Battle, place: usize) -> Option<Changed> {
        let index = self.own[place].index?;
        let mut after = battle.clone();
        change(&mut after, index)?;
        let Fighter { moves, chance, .. } = self.own[place];
        let fighter = Fighter { moves, chance, ..Fighter::of(&after, battle.me, index) };
        let dealt = dealt(&after, &fighter, place, &self.own, &self.foes);
        let taken = [0, 1].map(|foe| taken(&after, &self.foes[foe], &fighter));
        Some(Changed { fighter, dealt, taken })
    }

    /// Does one of one's own go before a foe, as far as is known? Equal speed counts as the foe's.
    pub fn outspeeds(&self, own: usize, foe: usize) -> bool {
        let (own, foe) = (self.own[own].speed, self.foes[foe].speed);
        if self.reversed { own < foe } else { own > foe }
    }

    /// The most that one of one's own is likely to do to a foe.
    pub fn best(&self, own: usize, foe: usize) -> Hit {
        best(self.dealt[own].iter().map(|hits| (1.0, hits[foe])))
    }

    /// The most that a foe is likely to do to one of one's own.
    pub fn worst(&self, foe: usize, own: usize) -> Hit {
        let fighter = &self.foes[foe];
        best((0..MOVES).map(|by| {
            (fighter.moves[by].accuracy * fighter.chance[by].sqrt(), self.taken[foe][by][own])
        }))
    }
}

/// The moves of a request, which are numbered as choices are: one alone where nothing else can be chosen.
fn offered(battle: &Battle, active: &Active) -> ([Deed; MOVES], [f32; MOVES]) {
    let all = deeds(battle.format);
    let (mut moves, mut chance) = ([Deed::default(); MOVES], [0.0; MOVES]);
    for (slot, option) in active.moves.iter().take(4).enumerate() {
        let id = dex::a_move(&option.id).unwrap_or_default();
        moves[slot] = all.get(usize::from(id.0)).copied().unwrap_or_default();
        moves[slot].target = option.target.unwrap_or(moves[slot].target);
        chance[slot] = if option.disabled || option.pp == Some(0) { 0.0 } else { 1.0 };
    }
    (moves, chance)
}

/// The best of hits by what is expected of them.
fn best(hits: impl Iterator<Item = (f32, Hit)>) -> Hit {
    hits.map(|(chance, hit)| Hit { chance: hit.chance * chance, ..hit })
        .fold(Hit::default(), |best, hit| if hit.expected() > best.expected() { hit } else { best })
}

/// What one of one's own does to the foes and, if it is in battle, to its ally.
fn dealt(
    battle: &Battle,
    fighter: &Fighter,
    at: usize,
    own: &[Fighter; BROUGHT],
    foes: &[Fighter; 2],
) -> [[Hit; 3]; 4] {
    let mut hits = [[Hit::default(); 3]; 4];
    let (Some(index), true) = (fighter.index, fighter.alive) else { return hits };
    let ally = (at < 2).then(|| &own[1 - at]);
    for (by, row) in hits.iter_mut().enumerate() {
        let deed = &fighter.moves[by];
        if !deed.attacks() || !deed.id.is_known() {
            continue;
        }
        for (foe, target) in foes.iter().enumerate() {
            if let (Some(to), true) = (target.index, target.alive && !target.sheltered) {
                row[foe] = hit(battle, (battle.me, index), deed, (1 - battle.me, to));
            }
        }
        if let Some(target) = ally
            && let (Some(to), true) = (target.index, target.alive)
            && reaches_ally(deed.target)
            && target.ability != names().telepathy
        {
            row[ALLY] = hit(battle, (battle.me, index), deed, (battle.me, to));
        }
    }
    hits
}

/// What a foe does to one of one's own.
fn taken(battle: &Battle, foe: &Fighter, own: &Fighter) -> [Hit; MOVES] {
    let mut hits = [Hit::default(); MOVES];
    let (Some(from), Some(to)) = (foe.index, own.index) else { return hits };
    if !foe.alive || !own.alive || own.sheltered {
        return hits;
    }
    for (by, row) in hits.iter_mut().enumerate() {
        let deed = &foe.moves[by];
        if deed.attacks() && foe.chance[by] > 0.0 {
            *row = hit(battle, (1 - battle.me, from), deed, (battle.me, to));
        }
    }
    hits
}

/// Is the ally struck whether one wants it or not? Who aims at it does so on purpose, and that is not reckoned.
fn reaches_ally(target: Target) -> bool {
    target == Target::AllAdjacent
}

fn hit(battle: &Battle, from: (usize, usize), deed: &Deed, to: (usize, usize)) -> Hit {
    let estimate = damage::estimate(battle, from, deed.id, to);
    let sound =
        |share: f32, most: f32| if share.is_finite() { share.clamp(0.0, most) } else { 0.0 };
    let min = sound(estimate.min, 10.0);
    Hit {
        min,
        max: sound(estimate.max, 10.0).max(min),
        chance: sound(estimate.hit, 1.0),
        critical: sound(estimate.critical, 1.0),
    }
}

/// Terastallises or mega evolves one of one's own; nothing if it cannot.
fn change(battle: &mut Battle, index: usize) -> Option<()> {
    let format = battle.format;
    let pokemon = battle.sides[battle.me].team.get_mut(index)?;
    match format.gimmick {
        Gimmick::Terastallize => {
            pokemon.tera_type?;
            pokemon.terastallized = true;
        }
        Gimmick::MegaEvolve => {
            let dex = format.dex();
            let form = dex::species(dex.item(pokemon.item)?.mega.as_deref()?)?;
            let (before, after) = (dex.species(pokemon.species)?, dex.species(form)?);
            if let Some(stats) = &mut pokemon.stats {
                // A point of a base stat is two of a hundred levels.
                for (at, stat) in stats.iter_mut().enumerate() {
                    let more = i32::from(after.stats[at + 1]) - i32::from(before.stats[at + 1]);
                    let more = more * i32::from(pokemon.level) / 50;
                    *stat = u16::try_from(i32::from(*stat) + more).unwrap_or(*stat);
                }
            }
            pokemon.ability =
                after.abilities.first().and_then(|name| dex::ability(name)).unwrap_or_default();
            pokemon.species = form;
            pokemon.mega = true;
        }
    }
    Some(())
}

/// Which of the own team a request speaks of.
pub fn team_index(battle: &Battle, own: &Own) -> Option<usize> {
    let team = &battle.own().team;
    let nickname = own.ident.split_once(": ").map_or("", |(_, name)| name);
    let by_name =
        team.iter().position(|known| !known.nickname.is_empty() && known.nickname == nickname);
    by_name.or_else(|| {
        let species = dex::species(own.details.split(',').next().unwrap_or_default())?;
        let is = |known: &Pokemon| known.species == species || known.base_species == species;
        team.iter().position(is)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_reckoned_both_ways() {
        let (battle, request) = fixture::first_turn();
        let look = Outlook::new(&battle, &request);
        assert!(look.own.iter().chain(&look.foes).all(|one| one.alive));
        // Flare Blitz on Rillaboom; Fairy and Ghost against Dark and Ice; Flutter Mane is the faster.
        assert!(look.best(0, 0).mean() > 0.5, "{:?}", look.best(0, 0));
        assert!(look.dealt[1][0][1].mean() > look.dealt[1][1][1].mean());
        assert!(look.outspeeds(1, 0) && !look.outspeeds(0, 1));
        assert!(look.worst(1, 1).mean() > 0.1, "an attack of its type is assumed");
        assert_eq!(look.dealt[0][3][0], Hit::default(), "Protect does no damage");
        let watery = look.changed(&battle, 0).unwrap();
        assert!(watery.fighter.is(dex::Type::Water) && !watery.fighter.is(dex::Type::Fire));
    }

    #[test]
    fn hits_fell_by_their_rolls() {
        let hit = Hit { min: 0.4, max: 0.6, chance: 1.0, critical: 0.0 };
        assert_eq!((hit.fells(0.7), hit.fells(0.4), hit.fells(0.3)), (0.0, 1.0, 1.0));
        assert!((hit.fells(0.5) - 0.5).abs() < 1e-6);
        assert_eq!((Hit::default().fells(0.0), hit.mean()), (0.0, 0.5));
        assert_eq!(Hit { critical: 0.25, ..hit }.fells(0.7), 0.25);
    }
}
