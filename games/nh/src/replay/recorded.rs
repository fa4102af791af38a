//! Chance as it fell on the recorded server.

use std::collections::VecDeque;

use crate::sim::chance::{Chance, Rolled, Strike};
use crate::sim::combat::Attack;
use crate::sim::path::Tile;
use crate::sim::{Fight, other};
use crate::trace::{Event, Hit};

/// What the recording says about one tick, and what it leaves open.
///
/// Some draws left no record: which of several equally near tiles was walked to, whether an amulet
/// healed, where the script stepped aside. They are answered from `choices`; the replay tries until
/// the tick ends as the recording says.
#[derive(Clone, Debug)]
pub struct Recorded<'a> {
    hits: [VecDeque<&'a Hit>; 2],
    overhead: bool,
    /// Answers to the open questions, in the order of asking.
    choices: Vec<u32>,
    /// How many answers each question allowed.
    pub sizes: Vec<u32>,
    /// Attacks of the simulator that the recording has no hits for.
    pub missing: u32,
    hints: Hints,
}

/// What later ticks of the recording show about draws of this one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints {
    /// Who is bitten by a poison that was caught in this tick.
    pub bitten: [bool; 2],
    /// Where the script strolls to, as an offset from its home.
    pub stroll: Option<(i16, i16)>,
}

impl<'a> Recorded<'a> {
    /// The events of a tick; `names` are those of both sides.
    pub fn new(names: [&'a str; 2], events: &'a [Event], choices: Vec<u32>, hints: Hints) -> Self {
        let mut hits = [VecDeque::new(), VecDeque::new()];
        let mut overhead = false;
        for event in events {
            match event {
                Event::Hit(hit) => {
                    if let Some(who) = names.iter().position(|name| *name == hit.from) {
                        hits[who].push_back(hit);
                    }
                }
                Event::Bot { action, .. } => overhead |= action == "OverheadPrayers",
                Event::Splat { .. } => {}
            }
        }
        Self { hits, overhead, choices, sizes: Vec::new(), missing: 0, hints }
    }

    /// Hits that the simulator did not ask for.
    pub fn left(&self) -> usize {
        self.hits.iter().map(VecDeque::len).sum()
    }

    /// The next set of answers to try, if there is one.
    pub fn next_choices(&self) -> Option<Vec<u32>> {
        let mut choices: Vec<u32> =
            (0..self.sizes.len()).map(|i| self.choices.get(i).copied().unwrap_or(0)).collect();
        for i in (0..choices.len()).rev() {
            choices[i] += 1;
            if choices[i] < self.sizes[i] {
                choices.truncate(i + 1);
                return Some(choices);
            }
        }
        None
    }

    fn choose(&mut self, sizes: u32) -> u32 {
        let index = self.sizes.len();
        self.sizes.push(sizes);
        self.choices.get(index).copied().unwrap_or(0).min(sizes - 1)
    }
}

impl Chance for Recorded<'_> {
    fn strike(&mut self, fight: &Fight, who: usize, attack: Attack) -> Strike {
        let sheet = fight.fighters[who].sheet();
        let count = crate::formula::hit_count(&sheet, attack.method.swing(attack.mauls));
        let mut strike = Strike::default();
        for place in strike.hits.iter_mut().take(count) {
            let Some(hit) = self.hits[who].pop_front() else {
                self.missing += 1;
                continue;
            };
            let mut rolled = Rolled { accurate: hit.accurate, ..Rolled::default() };
            for (damage, &recorded) in rolled.damage.iter_mut().zip(&hit.damages) {
                *damage = recorded as i16;
                rolled.splats += 1;
            }
            *place = rolled;
            strike.count += 1;
        }
        strike
    }

    fn blood_fury(&mut self, _: usize) -> bool {
        self.choose(2) == 1
    }

    fn poison(&mut self, who: usize) -> bool {
        self.hints.bitten[other(who)]
    }

    fn pid(&mut self, _: usize) -> (f64, i16) {
        // Places are set from the recording after each tick.
        (0.0, i16::MAX)
    }

    fn tile(&mut self, _: usize, tiles: &[Tile]) -> Tile {
        tiles[self.choose(tiles.len() as u32) as usize]
    }

    fn overhead(&mut self, _: usize) -> bool {
        self.overhead
    }

    fn aside(&mut self, _: usize) -> usize {
        self.choose(3) as usize
    }

    fn stroll(&mut self, _: usize) -> Option<(i16, i16)> {
        self.hints.stroll
    }
}
