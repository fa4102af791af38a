//! One side of a fight: everything the server knows about it.

use super::hits::{Queue, Splat};
use super::path::{Path, Tile};
use super::timers::{Timer, Timers};
use crate::formula::{self, Worn};
use crate::gear::{Bonuses, Kind, SLOTS, Slot, Weapon};
use crate::kinds::{Levels, Prayer, Prayers, Rules, Skill, Spell, Spellbook, Style};
use crate::loadout::CARRIED;

/// Damage that comes by itself, without an attack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poison {
    /// What the next bite takes; 0 is not poisoned.
    pub damage: i16,
    /// Bites so far.
    pub bites: u16,
    /// Ticks until the next bite.
    pub wait: u8,
}

/// The wound of a Morrigan's javelin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bleed {
    /// Damage still to come.
    pub left: i16,
    /// Ticks since the wound, or 0 for no wound.
    pub age: u16,
    /// Is there a wound?
    pub open: bool,
}

/// How many wounds are remembered: a javelin is thrown every five ticks and bleeds for at most
/// thirty.
pub const BLEEDS: usize = 8;

/// How many sacrifices of an Ancient godsword may be pending.
pub const SACRIFICES: usize = 2;

/// One side of a fight.
#[derive(Clone, Debug)]
pub struct Fighter {
    /// Where it stands.
    pub at: Tile,
    /// Where it started: the script strolls around there.
    pub home: Tile,
    /// Current levels; hitpoints is life, prayer is points.
    pub levels: Levels,
    /// Levels without boosts.
    pub max: Levels,
    /// Worn items by slot number.
    pub worn: [Option<Kind>; SLOTS],
    /// Carried items.
    pub inventory: [Option<Kind>; CARRIED],
    /// What the worn items add up to.
    pub gear: Worn,
    /// The bonuses that the other can see: rings and ammunition are hidden.
    pub visible: Bonuses,
    /// The game that is played.
    pub rules: Rules,
    /// The wielded weapon.
    pub weapon: Option<Weapon>,
    /// Active prayers.
    pub prayers: Prayers,
    /// The part of a prayer point that is used up.
    pub drain: f64,
    /// Do prayers drain points at the start of the next tick?
    pub draining: bool,
    /// Countdowns.
    pub timers: Timers,
    /// Special energy in percent.
    pub energy: i16,
    /// Is the next attack a special one?
    pub special: bool,
    /// Ticks until special energy comes back, while it does.
    pub recovery: Option<u8>,
    /// Granite maul specials that were clicked this tick.
    pub mauls: u8,
    /// Will the next hit be reflected?
    pub vengeance: bool,
    /// The spellbook.
    pub book: Spellbook,
    /// Is it attacking the other?
    pub attacking: bool,
    /// Does it run after the other?
    pub following: bool,
    /// The spell that it is about to cast.
    pub cast: Option<Spell>,
    /// The spell that it cast last.
    pub previous: Option<Spell>,
    /// Has the other attacked it?
    pub attacked: bool,
    /// Did it move this tick?
    pub moving: bool,
    /// Where it is going.
    pub path: Path,
    /// Does it take two tiles a tick?
    pub running: bool,
    /// Run energy in percent.
    pub stamina: i16,
    /// Ticks since stamina came back.
    pub rested: u16,
    /// The smaller one acts first.
    pub pid: f64,
    /// Ticks until the next draw of `pid`.
    pub redraw: i16,
    /// Hits on the way to it, and damage waiting for a splat.
    pub queue: Queue,
    /// Splats that landed on it this tick.
    pub splats: [Option<Splat>; 2],
    /// Is it falling?
    pub dying: bool,
    /// Poison.
    pub poison: Poison,
    /// Wounds.
    pub bleeds: [Bleed; BLEEDS],
    /// Ticks of the sacrifices that it is marked for; 0 is none.
    pub sacrifices: [u8; SACRIFICES],
    /// Does it strike back on its own?
    pub retaliates: bool,
    /// Will it strike back at the start of the next tick?
    pub retaliate: bool,
}

impl Fighter {
    /// A fighter who wears and carries these things, fresh.
    pub fn new(
        rules: Rules,
        max: Levels,
        book: Spellbook,
        worn: [Option<Kind>; SLOTS],
        inventory: [Option<Kind>; CARRIED],
    ) -> Self {
        let mut fighter = Self {
            at: Tile::default(),
            home: Tile::default(),
            levels: max,
            max,
            worn,
            inventory,
            gear: Worn::of(rules, &worn),
            visible: [0; 14],
            rules,
            weapon: None,
            prayers: Prayers::default(),
            drain: 0.0,
            draining: false,
            timers: Timers::default(),
            energy: 100,
            special: false,
            recovery: None,
            mauls: 0,
            vengeance: false,
            book,
            attacking: false,
            following: false,
            cast: None,
            previous: None,
            attacked: false,
            moving: false,
            path: Path::default(),
            running: true,
            stamina: 100,
            rested: 0,
            pid: 0.0,
            redraw: 0,
            queue: Queue::default(),
            splats: [None; 2],
            dying: false,
            poison: Poison::default(),
            bleeds: [Bleed::default(); BLEEDS],
            sacrifices: [0; SACRIFICES],
            retaliates: false,
            retaliate: false,
        };
        fighter.refresh();
        fighter
    }

    /// Current level of a skill.
    #[inline]
    pub fn level(&self, skill: Skill) -> i16 {
        self.levels[skill as usize]
    }

    /// Level of a skill without boosts.
    #[inline]
    pub fn max_level(&self, skill: Skill) -> i16 {
        self.max[skill as usize]
    }

    /// Life left.
    #[inline]
    pub fn hp(&self) -> i16 {
        self.level(Skill::Hitpoints)
    }

    /// Life without boosts.
    #[inline]
    pub fn max_hp(&self) -> i16 {
        self.max_level(Skill::Hitpoints)
    }

    /// Is it held by a spell?
    #[inline]
    pub fn frozen(&self) -> bool {
        self.timers.running(Timer::Freeze)
    }

    /// Sums up what is worn, after a change.
    pub fn refresh(&mut self) {
        self.weapon = self.wielded().and_then(|kind| kind.item().weapon);
        self.gear = Worn::of(self.rules, &self.worn);
        self.visible = [0; 14];
        for (slot, kind) in self.worn.iter().enumerate() {
            if slot == Slot::Ring as usize || slot == Slot::Ammo as usize {
                continue;
            }
            if let Some(kind) = kind {
                for (sum, bonus) in self.visible.iter_mut().zip(kind.item().bonuses) {
                    *sum += bonus;
                }
            }
        }
    }

    /// The fighter as the formulas see it.
    #[inline]
    pub fn sheet(&self) -> formula::Fighter {
        formula::Fighter {
            levels: self.levels,
            max_levels: self.max,
            prayers: self.prayers,
            worn: self.gear,
        }
    }

    /// The style its weapon is made for; bare hands are melee.
    #[inline]
    pub fn style(&self) -> Style {
        self.weapon.map_or(Style::Melee, |weapon| weapon.style)
    }

    /// What it wields.
    #[inline]
    pub fn wielded(&self) -> Option<Kind> {
        self.worn[Slot::Weapon as usize]
    }

    /// Stops attacking and following.
    #[inline]
    pub fn disengage(&mut self) {
        self.attacking = false;
        self.following = false;
    }

    /// Starts attacking; the attack itself comes when this side's combat is processed.
    #[inline]
    pub fn engage(&mut self) {
        self.attacking = true;
        self.following = true;
    }

    /// Stops where it is.
    #[inline]
    pub fn stop(&mut self) {
        self.path.clear();
        self.moving = false;
    }

    /// Sets life; at 0 it falls, and what is falling heals no more.
    pub fn set_hp(&mut self, hp: i16) {
        if self.dying {
            return;
        }
        self.levels[Skill::Hitpoints as usize] = hp.max(0);
        self.dying = hp <= 0;
    }

    /// Heals as spells do: never above the larger of current and full life. Says by how much.
    pub fn heal(&mut self, amount: i16) -> i16 {
        let before = self.hp();
        self.set_hp((before + amount).min(self.max_hp().max(before)));
        self.hp() - before
    }

    /// Cannot be frozen while frozen or immune. Says whether it took.
    pub fn freeze(&mut self, ticks: i32) -> bool {
        if self.frozen() || self.timers.running(Timer::Immunity) {
            return false;
        }
        self.timers.set(Timer::Freeze, ticks);
        self.timers.set(Timer::Immunity, ticks + 5);
        self.stop();
        true
    }

    /// Takes special energy, which then starts to come back.
    pub fn spend(&mut self, percent: i16) {
        self.energy = (self.energy - percent).max(0);
        self.recovery.get_or_insert(50);
    }

    /// The special attack of the wielded weapon: what it costs.
    #[inline]
    pub fn special_cost(&self) -> Option<i16> {
        self.weapon.and_then(|weapon| weapon.special).map(i16::from)
    }

    /// First inventory slot with this item.
    #[inline]
    pub fn find(&self, kind: Kind) -> Option<usize> {
        self.inventory.iter().position(|&carried| carried == Some(kind))
    }

    /// How many of this item are carried.
    #[inline]
    pub fn count(&self, kind: Kind) -> usize {
        self.inventory.iter().filter(|&&carried| carried == Some(kind)).count()
    }

    /// First empty inventory slot.
    #[inline]
    pub fn vacancy(&self) -> Option<usize> {
        self.inventory.iter().position(Option::is_none)
    }

    /// Does it protect itself from this style?
    #[inline]
    pub fn protects(&self, style: Style) -> bool {
        self.prayers.has(Prayer::against(style))
    }

    /// The style it protects itself from, if any.
    #[inline]
    pub fn protection(&self) -> Option<Style> {
        [Style::Melee, Style::Ranged, Style::Magic].into_iter().find(|&style| self.protects(style))
    }

    /// Once in a hundred ticks: lowered levels rise by one, raised ones fall by one. Prayer points
    /// do not come back.
    pub fn settle_levels(&mut self) {
        for skill in 0..self.levels.len() {
            let (current, max) = (self.levels[skill], self.max[skill]);
            if current < max && skill != Skill::Prayer as usize {
                self.levels[skill] += 1;
            } else if current > max {
                self.levels[skill] = (current - 1).max(1);
            }
        }
    }
}
