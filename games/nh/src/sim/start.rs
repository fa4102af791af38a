//! How a fight begins.

use lanista_game::seed::Rng;
use rand::RngExt;

use super::fighter::Fighter;
use super::memory::Memory;
use super::path::Tile;
use super::report::Report;
use super::timers::Timer;
use super::{Fight, Switches};
use crate::kinds::{FightType, Rules};
use crate::loadout::Loadout;

/// South-west corner of the field where fights begin.
const CORNER: Tile = Tile::new(3041, 3530);
/// Tiles of that field to the east and to the north.
const FIELD: (i16, i16) = (61, 28);
/// How far apart two agents begin at most.
const APART: i16 = 5;
/// Ticks until levels first move by one, by side: the first comes to the field a tick earlier.
const SETTLE_TICKS: [i32; 2] = [99, 100];

/// What a fight is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The game.
    pub rules: Rules,
    /// What both bring.
    pub loadout: Loadout,
    /// The rules beside those of the build.
    pub fight_type: FightType,
    /// The switches of both contracts.
    pub switches: Switches,
    /// Does the second fighter begin on the tile west of the first, as the script does?
    pub beside: bool,
}

impl Fight {
    /// Both fighters, fresh, on their tiles.
    pub fn start(setup: &Setup, rng: &mut Rng) -> Self {
        let start = setup.loadout.start();
        let mut fighter = Fighter::new(
            setup.rules,
            setup.loadout.levels,
            setup.loadout.spellbook,
            start.worn,
            start.inventory,
        );
        let first = CORNER.offset(rng.random_range(0..FIELD.0), rng.random_range(0..FIELD.1));
        let second = if setup.beside {
            first.offset(-1, 0)
        } else {
            let mut near = |at: i16, low: i16, size: i16| {
                rng.random_range((at - APART).max(low)..(at + APART).min(low + size))
            };
            Tile::new(near(first.x, CORNER.x, FIELD.0), near(first.y, CORNER.y, FIELD.1))
        };
        let fighters = [(first, SETTLE_TICKS[0]), (second, SETTLE_TICKS[1])].map(|(at, settle)| {
            fighter.timers.set(Timer::Stats, settle);
            fighter.at = at;
            fighter.home = at;
            fighter.pid = rng.random();
            fighter.redraw = rng.random_range(40..=60);
            fighter.clone()
        });
        let memories = [second, first].map(|seen| Memory { seen, ..Memory::default() });
        Self {
            fighters,
            loadouts: [setup.loadout; 2],
            memories,
            reports: [Report::default(); 2],
            fight_type: setup.fight_type,
            rules: setup.rules,
            switches: [setup.switches; 2],
            ticks: 0,
        }
    }

    /// Hands a side to the server's script: it brings anglerfish instead of brews and strikes back.
    pub fn hand_to_script(&mut self, who: usize) {
        self.fighters[who].inventory = self.loadouts[who].baseline_start().inventory;
        self.fighters[who].retaliates = true;
    }
}
