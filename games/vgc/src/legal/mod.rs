//! What a side may choose: masks over the numbers of [`crate::choice`].
//!
//! They follow from the request, which says what a side can do, and from what it sees of the foes, which says
//! at whom. What is offered is what the simulator's own parser takes (`dist/sim/side.js` of the pinned
//! version): a move wants a target exactly where one can be chosen, a forced single move takes none, and a
//! side that has fewer left than places to fill passes with the others. Two things a request does not tell,
//! because they would give the foes away: whether somebody is trapped and whether a move is disabled
//! (`maybeTrapped`, `maybeDisabled`). They are offered unless a player can tell what holds (`hidden`); when
//! Showdown refuses one, it says so, and the choice is taken out by [`Legal::strike`] or by a new [`Legal`]
//! of the request it sends.

mod hidden;

pub(crate) use hidden::{TRAPS, holds};

use crate::choice::{self, AIMS, Aim, PASS, PREVIEWS, SLOT, SWITCH, SlotChoice};
use crate::dex::Target;
use crate::format::Gimmick;
use crate::request::{Active, Condition, Own, Request};
use crate::state::{Battle, Terrain};

/// What a side may choose now. It is never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Legal {
    /// Is it a team preview? Then `previews` counts, and both places pass.
    pub preview: bool,
    /// Previews by number, at least one; meaningless otherwise.
    pub previews: [bool; PREVIEWS],
    /// Numbers of each place's choices that some choice of the other goes with: at least one each.
    pub slots: [[bool; SLOT]; 2],
    asked: Asked,
    struck: Vec<(usize, usize)>,
}

/// What is asked, and what goes together.
#[derive(Clone, Debug, PartialEq)]
enum Asked {
    /// Nothing that two places answer: both pass.
    Nothing,
    /// A turn.
    Turn,
    /// Others in place of those who are gone.
    Switches {
        /// Places that need somebody.
        places: [bool; 2],
        /// Places at which somebody fainted is brought back.
        reviving: [bool; 2],
        /// How many must come in, and how many places stay empty because nobody is left.
        enter: usize,
        stay_empty: usize,
    },
}

impl Legal {
    /// What `request` leaves to choose in `battle`.
    pub fn new(request: &Request, battle: &Battle) -> Self {
        let mut legal = Self {
            preview: request.team_preview && !request.wait,
            previews: [false; PREVIEWS],
            slots: [[false; SLOT]; 2],
            asked: Asked::Nothing,
            struck: Vec::new(),
        };
        if request.wait {
        } else if request.team_preview {
            legal.previews = previews(request.side.pokemon.len());
        } else if !request.force_switch.is_empty() {
            legal.ask_for_switches(request);
        } else if !request.active.is_empty() {
            legal.asked = Asked::Turn;
            legal.slots = [0, 1].map(|place| turn(place, request, battle));
        }
        legal.narrow();
        legal
    }

    /// May the two be chosen together?
    pub fn allows(&self, first: usize, second: usize) -> bool {
        let offered = |place: usize, number: usize| self.slots[place].get(number) == Some(&true);
        offered(0, first) && offered(1, second) && self.go_together(first, second)
    }

    /// What the second place may choose after the first has.
    pub fn second(&self, first: usize) -> [bool; SLOT] {
        std::array::from_fn(|second| self.allows(first, second))
    }

    /// Pairs of which each is offered by itself, and which do not go together.
    pub fn forbidden(&self) -> impl Iterator<Item = (usize, usize)> {
        let offered =
            move |place: usize| (0..SLOT).filter(move |&number| self.slots[place][number]);
        offered(0)
            .flat_map(move |first| offered(1).map(move |second| (first, second)))
            .filter(|&(first, second)| !self.go_together(first, second))
    }

    /// Takes out a pair that Showdown has refused. `false` if nothing else was left: it stays, and what
    /// Showdown makes of `default` is the way out.
    pub fn strike(&mut self, first: usize, second: usize) -> bool {
        if self.pairs() <= usize::from(self.allows(first, second)) {
            return false;
        }
        self.struck.push((first, second));
        self.narrow();
        true
    }

    /// Takes out a preview that Showdown has refused. `false` if nothing else was left: then it stays.
    pub fn strike_preview(&mut self, number: usize) -> bool {
        if (0..PREVIEWS).all(|other| other == number || !self.previews[other]) {
            return false;
        }
        if let Some(offered) = self.previews.get_mut(number) {
            *offered = false;
        }
        true
    }

    fn pairs(&self) -> usize {
        let both = |first| self.second(first).iter().filter(|&&yes| yes).count();
        (0..SLOT).map(both).sum()
    }

    fn ask_for_switches(&mut self, request: &Request) {
        let side = &request.side.pokemon;
        let places = [0, 1].map(|place| request.force_switch.get(place) == Some(&true));
        let reviving = [0, 1].map(|place| side.get(place).is_some_and(|own| own.reviving));
        let out = places.iter().filter(|&&yes| yes).count();
        let bench = bench(side).count();
        let enter = out.min(bench);
        self.asked = Asked::Switches { places, reviving, enter, stay_empty: out - enter };
        for place in 0..2 {
            let slots = &mut self.slots[place];
            slots[PASS] = !places[place] || (out > enter && !reviving[place]);
            if places[place] && reviving[place] {
                // Whoever fainted beside the one that revives may come back as well.
                let fainted = (0..side.len().min(4)).filter(|&index| fainted(&side[index]));
                fainted.for_each(|index| slots[SWITCH + index] = true);
            } else if places[place] {
                bench_numbers(side).for_each(|number| slots[number] = true);
            }
        }
    }

    /// The rule between the two places, as Showdown's parser goes through them.
    fn go_together(&self, first: usize, second: usize) -> bool {
        if self.struck.contains(&(first, second)) {
            return false;
        }
        let same_switch = first == second && (SWITCH..PASS).contains(&first);
        match &self.asked {
            Asked::Nothing => true,
            Asked::Turn => !(same_switch || gimmick(first) && gimmick(second)),
            Asked::Switches { places, reviving, enter, stay_empty } => {
                let (mut enter, mut stay_empty) = (*enter, *stay_empty);
                for (place, number) in [first, second].into_iter().enumerate() {
                    if !places[place] {
                        continue;
                    }
                    // Bringing somebody back counts as one who enters, if any is still to.
                    let left = match (number == PASS, reviving[place]) {
                        (true, _) => stay_empty.checked_sub(1).map(|left| stay_empty = left),
                        (false, true) => {
                            enter = enter.saturating_sub(1);
                            Some(())
                        }
                        (false, false) => enter.checked_sub(1).map(|left| enter = left),
                    };
                    if left.is_none() {
                        return false;
                    }
                }
                enter == 0 && !same_switch
            }
        }
    }

    /// Keeps what has a partner. Where a request leaves nothing, which Showdown never sends, both pass.
    fn narrow(&mut self) {
        let before = self.slots;
        let goes = |first: usize, second: usize| {
            before[0][first] && before[1][second] && self.go_together(first, second)
        };
        let slots = [
            std::array::from_fn(|first| (0..SLOT).any(|second| goes(first, second))),
            std::array::from_fn(|second| (0..SLOT).any(|first| goes(first, second))),
        ];
        self.slots = slots;
        if !self.slots[0].contains(&true) {
            self.asked = Asked::Nothing;
            self.struck.clear();
            self.slots = [[false; SLOT]; 2];
            self.slots[0][PASS] = true;
            self.slots[1][PASS] = true;
        }
        if self.preview && !self.previews.contains(&true) {
            self.previews[0] = true;
        }
    }
}

/// Does a number terastallise or mega evolve?
fn gimmick(number: usize) -> bool {
    matches!(SlotChoice::of(number), Some(SlotChoice::Move { gimmick: true, .. }))
}

fn fainted(own: &Own) -> bool {
    Condition::parse(&own.condition).is_some_and(|condition| condition.fainted)
}

/// Those who could come in, by their places in the request.
fn bench(side: &[Own]) -> impl Iterator<Item = usize> {
    (2..side.len().min(4)).filter(|&index| !side[index].active && !fainted(&side[index]))
}

fn bench_numbers(side: &[Own]) -> impl Iterator<Item = usize> {
    bench(side).map(|index| SWITCH + index)
}

/// Previews that a team of `size` can bring; of a small one the first as many as there are count.
fn previews(size: usize) -> [bool; PREVIEWS] {
    let mut offered = [false; PREVIEWS];
    for (number, brought) in choice::previews().enumerate() {
        offered[number] = brought.iter().take(size).all(|&member| member < size);
    }
    offered
}

/// What one place may do in a turn.
fn turn(place: usize, request: &Request, battle: &Battle) -> [bool; SLOT] {
    let mut slots = [false; SLOT];
    let side = &request.side.pokemon;
    let there = side.get(place).filter(|own| !fainted(own) && !own.commanding);
    let active = request.active.get(place).and_then(Option::as_ref);
    let (Some(_), Some(active)) = (there, active) else {
        slots[PASS] = true;
        return slots;
    };
    let gimmick = match battle.format.gimmick {
        Gimmick::Terastallize => active.can_terastallize.is_some(),
        Gimmick::MegaEvolve => active.can_mega_evo,
    };
    for (slot, aims) in aims(place, active, request, battle) {
        for aim in aims {
            for gimmick in [false, true].into_iter().take(1 + usize::from(gimmick)) {
                slots[SlotChoice::Move { slot, gimmick, aim }.number()] = true;
            }
        }
    }
    let trapped =
        active.trapped || (active.maybe_trapped && hidden::is_trapped(place, request, battle));
    if !trapped {
        bench_numbers(side).for_each(|number| slots[number] = true);
    }
    slots
}

/// The moves that can be used, each with whom it can be aimed at.
fn aims(
    place: usize,
    active: &Active,
    request: &Request,
    battle: &Battle,
) -> Vec<(usize, Vec<Aim>)> {
    let usable = active.moves.iter().take(4).enumerate();
    usable
        .filter(|(_, option)| !option.disabled && option.pp != Some(0))
        .filter(|(_, option)| !(active.maybe_disabled && hidden::is_imprisoned(option, battle)))
        .map(|(slot, option)| {
            // A move without a target is forced: locked, recharging. Struggle strikes at random.
            let Some(target) = option.target else { return (slot, vec![Aim::Nobody]) };
            let accepted = accepted(place, target);
            if accepted == [Aim::Nobody] {
                return (slot, accepted);
            }
            // On psychic terrain it strikes both foes. Showdown asks for a target nevertheless, which counts
            // should the terrain be gone by then.
            let spreads = option.id == "expandingforce" && on_psychic_terrain(place, battle);
            let alive: Vec<Aim> = accepted
                .iter()
                .copied()
                .filter(|&aim| alive(aim, request, battle) && !(spreads && is_own(aim)))
                .collect();
            // Helping Hand without an ally can still be chosen; it fails.
            (slot, if alive.is_empty() { accepted } else { alive })
        })
        .collect()
}

/// Whom Showdown lets a move of this target be aimed at from a place of one's own.
fn accepted(place: usize, target: Target) -> Vec<Aim> {
    let (own, ally) =
        if place == 0 { (Aim::OwnFirst, Aim::OwnSecond) } else { (Aim::OwnSecond, Aim::OwnFirst) };
    let wanted: &[Aim] = match target {
        Target::Normal | Target::Any => &[ally, Aim::FoeFirst, Aim::FoeSecond],
        Target::AdjacentFoe => &[Aim::FoeFirst, Aim::FoeSecond],
        Target::AdjacentAlly => &[ally],
        Target::AdjacentAllyOrSelf => &[own, ally],
        _ => &[Aim::Nobody],
    };
    AIMS.into_iter().filter(|aim| wanted.contains(aim)).collect()
}

fn is_own(aim: Aim) -> bool {
    matches!(aim, Aim::OwnFirst | Aim::OwnSecond)
}

/// Does somebody live there? What is not known of foes is taken to live.
fn alive(aim: Aim, request: &Request, battle: &Battle) -> bool {
    let own = |place: usize| request.side.pokemon.get(place).is_some_and(|own| !fainted(own));
    let foe = |place: usize| {
        let known = battle.foe();
        known.active == [None; 2] || known.at(place).is_some_and(|pokemon| !pokemon.fainted)
    };
    match aim {
        Aim::OwnFirst => own(0),
        Aim::OwnSecond => own(1),
        Aim::Nobody => true,
        Aim::FoeFirst => foe(0),
        Aim::FoeSecond => foe(1),
    }
}

/// Is there psychic terrain, and does the one at `place` stand on it?
fn on_psychic_terrain(place: usize, battle: &Battle) -> bool {
    battle.field.terrain == Some(Terrain::Psychic)
        && battle.own().at(place).is_some_and(|user| hidden::grounded(user, battle))
}

#[cfg(test)]
mod tests;
