//! A recorded fight under way in the simulator.

use super::Recording;
use super::facts::FACTS;
use super::recorded::{Hints, Recorded};
use super::tally::{Agreement, Place};
use crate::kinds::{FightType, Rules};
use crate::loadout::Loadout;
use crate::observe::{Observation, constants};
use crate::offers::Outfit;
use crate::sim::fighter::Fighter;
use crate::sim::memory::Memory;
use crate::sim::path::Tile;
use crate::sim::report::Report;
use crate::sim::timers::{Timer, Timers};
use crate::sim::{Fight, Order, other};
use crate::terms::{self, Before};
use crate::trace::{Event, Line, ResetParams, Snapshot};

/// How many answers to open questions are tried per tick.
const TRIES: usize = 10_000;
/// Ticks from a poisoned hit to the first bite.
const POISON_TICKS: u64 = 30;
/// How far ahead the recording is asked which tile was meant.
const LOOKAHEAD: usize = 4;

/// A recorded fight under way in the simulator.
pub(super) struct Play<'a> {
    recording: &'a Recording,
    names: [&'a str; 2],
    fight: Fight,
    outfits: [Outfit; 2],
    constants: [Observation; 2],
    /// The observation of the tick before, which the last line of a file repeats.
    last: [Observation; 2],
    /// Where each saw the other in the tick before.
    seen: [Tile; 2],
    /// Both sides as the tick began.
    before: [Before; 2],
    /// Where a term is, by fact.
    terms: Vec<usize>,
}

/// Where a snapshot shows a fighter.
fn tile_of(snapshot: &Snapshot) -> Tile {
    Tile::new(snapshot.x as i16, snapshot.y as i16)
}

/// A fighter as a snapshot shows it.
fn fighter(snapshot: &Snapshot, scripted: bool) -> Fighter {
    let mut fighter = Fighter::new(
        Rules::Server2024,
        snapshot.max_levels,
        snapshot.spellbook,
        snapshot.worn,
        snapshot.inventory,
    );
    fighter.levels = snapshot.levels;
    fighter.at = tile_of(snapshot);
    fighter.home = fighter.at;
    fighter.pid = snapshot.pid;
    fighter.redraw = i16::MAX;
    fighter.energy = snapshot.special as i16;
    fighter.special = snapshot.special_on;
    fighter.prayers = snapshot.prayers;
    fighter.drain = snapshot.prayer_drain;
    fighter.draining = snapshot.prayers.0 != 0;
    fighter.vengeance = snapshot.vengeance;
    fighter.running = snapshot.running;
    fighter.stamina = i16::from(snapshot.energy);
    fighter.timers = timers(snapshot);
    fighter.retaliates = scripted;
    if snapshot.target.is_some() {
        fighter.engage();
    }
    fighter
}

fn timers(snapshot: &Snapshot) -> Timers {
    let mut timers = Timers::default();
    for (name, timer) in [
        ("COMBAT_ATTACK", Timer::Attack),
        ("FOOD", Timer::Food),
        ("POTION", Timer::Potion),
        ("KARAMBWAN", Timer::Karambwan),
        ("FREEZE", Timer::Freeze),
        ("FREEZE_IMMUNITY", Timer::Immunity),
        ("STAT_CHANGE", Timer::Stats),
        ("VENGEANCE_COOLDOWN", Timer::Vengeance),
    ] {
        if let Some(&(_, uncapped)) = snapshot.timers.get(name) {
            timers.set(timer, uncapped);
        }
    }
    timers
}

impl<'a> Play<'a> {
    pub(super) fn begin(recording: &'a Recording, start: u64) -> Option<Self> {
        let shown = [recording.snapshot(0, start)?, recording.snapshot(1, start)?];
        let [first, second] = &recording.sides;
        let params = [first.as_ref().or(second.as_ref())?, second.as_ref().or(first.as_ref())?]
            .map(|side| &side.params);
        let loadouts: [Loadout; 2] = params.map(ResetParams::loadout);
        let line = recording.line(0, start).or_else(|| recording.line(1, start))?;
        let fight_type = if line.observation[160] == 1.0 {
            FightType::Lms
        } else if line.observation[161] == 1.0 {
            FightType::PvpArena
        } else {
            FightType::Normal
        };
        let fighters = [0, 1].map(|who| fighter(shown[who], recording.scripted && who == 1));
        let memories =
            [0, 1].map(|who| Memory { seen: fighters[other(who)].at, ..Memory::default() });
        let outfits = [0, 1].map(|who| Outfit::of(&loadouts[who]));
        let constants = [0, 1].map(|who| constants(&loadouts[who], &fighters[who], fight_type));
        let fight = Fight {
            fighters,
            loadouts,
            memories,
            reports: [Report::default(); 2],
            fight_type,
            rules: Rules::Server2024,
            switches: params.map(ResetParams::switches),
            ticks: 0,
        };
        let known = terms::terms();
        let place = |name: &str| known.iter().position(|term| term.name == name);
        let terms = FACTS.iter().filter_map(|(name, _)| place(name)).collect();
        let names = [shown[0].name.as_str(), shown[1].name.as_str()];
        Some(Self {
            recording,
            names,
            fight,
            outfits,
            constants,
            last: [[0.0; 176]; 2],
            seen: [Tile::default(); 2],
            before: [Before::default(); 2],
            terms,
        })
    }

    fn order(&self, who: usize, tick: u64) -> Order {
        if self.recording.scripted && who == 1 {
            return Order::Script;
        }
        match self.recording.line(who, tick) {
            // The last reply tells how it ended; its action was not played.
            Some(line) if line.terminal.is_none() => line.action.map_or(Order::Wait, Order::Act),
            _ => Order::Wait,
        }
    }

    /// Plays a tick, trying answers to the open questions until it ends as recorded.
    pub(super) fn tick(&mut self, tally: &mut Agreement, tick: u64) {
        self.before = [0, 1].map(|who| Before::of(&self.fight.fighters[who]));
        let orders = [self.order(0, tick), self.order(1, tick)];
        let events = self.recording.events(tick);
        let hints = Hints {
            bitten: [0, 1].map(|who| self.bitten(who, tick + POISON_TICKS)),
            stroll: self.stroll(tick),
        };
        let mut best: Option<(u32, Fight, u64)> = None;
        let mut choices = Some(Vec::new());
        for _ in 0..TRIES {
            let Some(answers) = choices.take() else { break };
            let mut fight = self.fight.clone();
            let mut chance = Recorded::new(self.names, events, answers, hints);
            fight.tick(orders, &mut chance);
            let unmatched = u64::from(chance.missing) + chance.left() as u64;
            let cost = self.cost(&fight, tick) + 50 * unmatched as u32;
            choices = chance.next_choices();
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, fight, unmatched));
            }
            if cost == 0 {
                break;
            }
        }
        let Some((_, fight, unmatched)) = best else { return };
        self.fight = fight;
        tally.ticks += 1;
        tally.unmatched += unmatched;
        for who in 0..2 {
            let Some(shown) = self.recording.snapshot(who, tick) else { continue };
            let fighter = &mut self.fight.fighters[who];
            fighter.pid = shown.pid;
            fighter.redraw = i16::MAX;
            fighter.running = shown.running;
            fighter.stamina = i16::from(shown.energy);
            let at = tile_of(shown);
            if fighter.at != at {
                tally.moved += 1;
                fighter.at = at;
                self.fight.memories[other(who)].seen = at;
            }
        }
    }

    /// Does a poison bite `who` in this tick? It bites with 6, or with 12 for venom.
    fn bitten(&self, who: usize, tick: u64) -> bool {
        self.recording.events(tick).iter().any(|event| match event {
            Event::Splat { to, damage, .. } => to == self.names[who] && [6, 12].contains(damage),
            _ => false,
        })
    }

    /// Where the script set out for in this tick, if it did before it was attacked.
    fn stroll(&self, tick: u64) -> Option<(i16, i16)> {
        let shown = self.recording.snapshot(1, tick).filter(|_| self.recording.scripted)?;
        let stride = if shown.running { 2 } else { 1 };
        let points = u64::from(shown.path_points);
        let there = self.recording.snapshot(1, tick + points.div_ceil(stride))?;
        let home = self.fight.fighters[1].home;
        (points > 0).then_some((there.x as i16 - home.x, there.y as i16 - home.y))
    }

    /// How far a state is from the recorded end of a tick.
    fn cost(&self, fight: &Fight, tick: u64) -> u32 {
        let mut cost = 0;
        for who in 0..2 {
            let Some(shown) = self.recording.snapshot(who, tick) else { continue };
            let fighter = &fight.fighters[who];
            cost += 100 * u32::from(fighter.at != tile_of(shown));
            cost += 100 * u32::from(fighter.hp() != shown.hp);
            cost += 20 * u32::from(fighter.path.len() != shown.path_points as usize);
            // Of equally near tiles the observation tells how far the chosen one is.
            if let Some(line) = self.recording.line(who, tick).filter(|l| l.terminal.is_none()) {
                let foe = fight.fighters[other(who)].at;
                let going = fighter.path.destination();
                let told = [
                    going.unwrap_or(fighter.at).distance(foe),
                    going.map_or(0, |t| t.distance(fighter.at)),
                ];
                for (told, seen) in told.into_iter().zip(&line.observation[60..62]) {
                    cost += 10 * u32::from(f64::from(told.min(7)) != *seen);
                }
            }
            // Where it is going shows in the ticks to come, as long as nothing turns it away.
            let stride = if shown.running { 2 } else { 1 };
            let tiles = fighter.path.tiles();
            if fighter.following || tiles.is_empty() {
                continue;
            }
            for ahead in 1..=LOOKAHEAD {
                let Some(later) = self.recording.snapshot(who, tick + ahead as u64) else { break };
                let Some(tile) = tiles.get((stride * ahead - 1).min(tiles.len() - 1)) else {
                    break;
                };
                if *tile != tile_of(later) {
                    cost += (LOOKAHEAD + 1 - ahead) as u32;
                    break;
                }
                if stride * ahead >= tiles.len() {
                    break;
                }
            }
        }
        cost
    }

    pub(super) fn compare(&mut self, tally: &mut Agreement, tick: u64) {
        for who in 0..2 {
            let ended = self.recording.line(who, tick).is_some_and(|line| line.terminal.is_some());
            if ended {
                // The server does not look again once the fight is over.
                self.fight.memories[who].seen = self.seen[who];
            }
            self.seen[who] = self.fight.memories[who].seen;
            let offers = self.fight.offers(who, &self.outfits[who]);
            let mask = self.fight.mask(who, &offers);
            let mut seen = self.fight.observe(who, &self.constants[who], &offers);
            let file = self.recording.name.as_str();
            if let Some(line) = self.recording.line(who, tick) {
                let place = Place { file, tick, side: "own" };
                if line.terminal.is_some() {
                    seen = self.last[who];
                }
                let told = seen;
                if self.fight.over() && line.terminal.is_none() {
                    // The server looks twice when a fighter falls, and sees the splat the second time.
                    let foe = &self.fight.fighters[other(who)];
                    let hp = self.fight.memories[who].target_hp;
                    seen[11] = f64::from(hp) / f64::from(foe.max_hp());
                }
                tally.observation(place, &seen, &line.observation);
                tally.mask(place, &mask, &line.mask);
                if line.action.is_some() && line.terminal.is_none() {
                    self.facts(tally, place, who, line);
                }
                seen = told;
            } else if let Some(line) = self.recording.line(other(who), tick) {
                let place = Place { file, tick, side: "opponent" };
                if let Some(theirs) = &line.target_observation {
                    tally.observation(place, &seen, theirs);
                }
                if let Some(theirs) = &line.target_mask {
                    tally.mask(place, &mask, theirs);
                }
            }
            self.last[who] = seen;
        }
    }

    fn facts(&self, tally: &mut Agreement, place: Place, who: usize, line: &Line) {
        let mut terms = [0.0; terms::COUNT];
        terms::write(&self.fight, who, &self.before, None, &mut terms);
        let ours: Vec<f64> = self.terms.iter().map(|&term| f64::from(terms[term])).collect();
        let theirs: Vec<f64> = FACTS.iter().map(|(_, told)| told(&line.meta)).collect();
        tally.facts(place, &ours, &theirs);
    }
}
