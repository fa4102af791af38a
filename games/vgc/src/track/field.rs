//! Weather, terrain, rooms, screens, hazards, and how they age.

use crate::dex;
use crate::state::{Field, SideConditions, Status, Terrain, Weather};

use super::line::Line;
use super::{Tracker, Who};

/// Rounds that a lengthened weather, terrain or screen has left when a plain one would be over: 8 less 5.
const LENGTHENED: u8 = 3;

/// Something that an item may lengthen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasting {
    Weather,
    Terrain,
    Screen(usize, Screen),
}

/// The screens that Light Clay lengthens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Screen {
    Reflect,
    Light,
    Veil,
}

/// The items that lengthen, and who set what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Setters {
    pub weather: Option<Who>,
    /// The part of the log in which it began: in that of an upkeep it does not age.
    pub weather_since: u32,
    pub terrain: Option<Who>,
    pub terrain_since: u32,
    /// Reflect, Light Screen, Aurora Veil of both sides.
    pub screens: [[Option<Who>; 3]; 2],
}

impl Tracker {
    pub(super) fn weather(&mut self, line: &Line) -> Option<()> {
        let name = super::line::Id::of(line.argument(0));
        let weather = match name.as_str() {
            "none" | "" => None,
            "raindance" => Some(Weather::Rain),
            "sunnyday" => Some(Weather::Sun),
            "sandstorm" => Some(Weather::Sand),
            "snowscape" | "snow" | "hail" => Some(Weather::Snow),
            "desolateland" => Some(Weather::HarshSun),
            "primordialsea" => Some(Weather::HeavyRain),
            "deltastream" => Some(Weather::StrongWinds),
            _ => return None,
        };
        if line.tags.upkeep && self.battle.field.weather == weather {
            return Some(());
        }
        let endless = matches!(
            weather,
            None | Some(Weather::HarshSun | Weather::HeavyRain | Weather::StrongWinds)
        );
        if weather.is_none() {
            self.lasted_no_longer(Lasting::Weather);
        }
        let by = line.of.and_then(|of| self.find(of)).or(self.now.mover);
        self.battle.field.weather = weather;
        self.setters.weather = by.filter(|_| !endless);
        self.setters.weather_since = self.now.part;
        self.battle.field.weather_turns = if endless {
            0
        } else if self.lengthens(by, weather.and_then(rock)) {
            8
        } else {
            5
        };
        Some(())
    }

    /// Does somebody hold what lengthens?
    fn lengthens(&self, by: Option<Who>, item: Option<&str>) -> bool {
        let held = by.map(|who| self.of(who).item);
        held.is_some() && held == item.and_then(dex::item)
    }

    pub(super) fn field_start(&mut self, line: &Line) -> Option<()> {
        let effect = super::line::Effect::of(line.argument(0)).id();
        let by = line.of.and_then(|of| self.find(of)).or(self.now.mover);
        let field = &mut self.battle.field;
        match effect.as_str() {
            "trickroom" => field.trick_room = 5,
            "gravity" => {
                field.gravity = 5;
                self.gravity_pulls_down();
            }
            "magicroom" => field.magic_room = 5,
            "wonderroom" => field.wonder_room = 5,
            "mudsport" | "watersport" => {}
            terrain => {
                let terrain = match terrain {
                    "electricterrain" => Terrain::Electric,
                    "grassyterrain" => Terrain::Grassy,
                    "mistyterrain" => Terrain::Misty,
                    "psychicterrain" => Terrain::Psychic,
                    _ => return None,
                };
                field.terrain = Some(terrain);
                let extended = self.lengthens(by, Some("terrainextender"));
                self.battle.field.terrain_turns = if extended { 8 } else { 5 };
                self.setters.terrain = by;
                self.setters.terrain_since = self.now.part;
            }
        }
        Some(())
    }

    /// Those in the air come down (data/moves of the simulator: gravity).
    fn gravity_pulls_down(&mut self) {
        for who in self.standing() {
            let volatiles = &mut self.of_mut(who).volatiles;
            volatiles.magnet_rise = 0;
            volatiles.telekinesis = 0;
        }
    }

    pub(super) fn field_end(&mut self, line: &Line) -> Option<()> {
        let effect = super::line::Effect::of(line.argument(0)).id();
        match effect.as_str() {
            "trickroom" => self.battle.field.trick_room = 0,
            "gravity" => self.battle.field.gravity = 0,
            "magicroom" => self.battle.field.magic_room = 0,
            "wonderroom" => self.battle.field.wonder_room = 0,
            "mudsport" | "watersport" => {}
            "electricterrain" | "grassyterrain" | "mistyterrain" | "psychicterrain" => {
                self.lasted_no_longer(Lasting::Terrain);
                self.battle.field.terrain = None;
                self.battle.field.terrain_turns = 0;
            }
            _ => return None,
        }
        Some(())
    }

    pub(super) fn field_activate(&mut self, line: &Line) {
        let effect = super::line::Effect::of(line.argument(0)).id();
        if effect.as_str() == "fairylock" {
            self.battle.field.fairy_lock = 2;
        }
    }

    pub(super) fn side_start(&mut self, line: &Line) -> Option<()> {
        let side = super::switch::side_of(line.argument(0))?;
        let effect = super::line::Effect::of(line.argument(1)).id();
        let by = self.now.mover;
        let lengthened = self.lengthens(by, Some("lightclay"));
        let screen = if lengthened { 8 } else { 5 };
        let conditions = &mut self.battle.sides[side].conditions;
        match effect.as_str() {
            "reflect" => {
                conditions.reflect = screen;
                self.setters.screens[side][0] = by;
            }
            "lightscreen" => {
                conditions.light_screen = screen;
                self.setters.screens[side][1] = by;
            }
            "auroraveil" => {
                conditions.aurora_veil = screen;
                self.setters.screens[side][2] = by;
            }
            "tailwind" => conditions.tailwind = 4,
            "safeguard" => conditions.safeguard = 5,
            "mist" => conditions.mist = 5,
            "luckychant" => conditions.lucky_chant = 5,
            "spikes" => conditions.spikes = (conditions.spikes + 1).min(3),
            "toxicspikes" => conditions.toxic_spikes = (conditions.toxic_spikes + 1).min(2),
            "stealthrock" => conditions.stealth_rock = true,
            "stickyweb" => conditions.sticky_web = true,
            "firepledge" => conditions.fire_pledge = 4,
            "grasspledge" => conditions.grass_pledge = 4,
            "waterpledge" => conditions.water_pledge = 4,
            _ => return None,
        }
        Some(())
    }

    pub(super) fn side_end(&mut self, line: &Line) -> Option<()> {
        let side = super::switch::side_of(line.argument(0))?;
        let effect = super::line::Effect::of(line.argument(1)).id();
        let screen = match effect.as_str() {
            "reflect" => Some(Screen::Reflect),
            "lightscreen" => Some(Screen::Light),
            "auroraveil" => Some(Screen::Veil),
            _ => None,
        };
        // Without a cause it ended by itself.
        if let (Some(screen), None) = (screen, line.from) {
            self.lasted_no_longer(Lasting::Screen(side, screen));
        }
        let conditions = &mut self.battle.sides[side].conditions;
        match effect.as_str() {
            "reflect" => conditions.reflect = 0,
            "lightscreen" => conditions.light_screen = 0,
            "auroraveil" => conditions.aurora_veil = 0,
            "tailwind" => conditions.tailwind = 0,
            "safeguard" => conditions.safeguard = 0,
            "mist" => conditions.mist = 0,
            "luckychant" => conditions.lucky_chant = 0,
            "spikes" => conditions.spikes = 0,
            "toxicspikes" => conditions.toxic_spikes = 0,
            "stealthrock" => conditions.stealth_rock = false,
            "stickyweb" => conditions.sticky_web = false,
            "firepledge" => conditions.fire_pledge = 0,
            "grasspledge" => conditions.grass_pledge = 0,
            "waterpledge" => conditions.water_pledge = 0,
            _ => return None,
        }
        Some(())
    }

    /// Court Change exchanges what lies on the sides, but for what holds for one turn.
    pub(super) fn swap_sides(&mut self) {
        let [one, other] = &mut self.battle.sides;
        let kept = [&one.conditions, &other.conditions].map(|conditions| SideConditions {
            quick_guard: conditions.quick_guard,
            wide_guard: conditions.wide_guard,
            crafty_shield: conditions.crafty_shield,
            mat_block: conditions.mat_block,
            ..SideConditions::default()
        });
        std::mem::swap(&mut one.conditions, &mut other.conditions);
        for (side, kept) in [one, other].into_iter().zip(kept) {
            side.conditions.quick_guard = kept.quick_guard;
            side.conditions.wide_guard = kept.wide_guard;
            side.conditions.crafty_shield = kept.crafty_shield;
            side.conditions.mat_block = kept.mat_block;
        }
        self.setters.screens.swap(0, 1);
    }

    /// The end of a turn: what lasts for turns has one less.
    pub(super) fn upkeep(&mut self) {
        self.deduce_at_upkeep();
        let part = self.now.part;
        let fresh = |since: u32| since == part;
        if !fresh(self.setters.weather_since) && self.battle.field.weather_turns > 0 {
            self.battle.field.weather_turns -= 1;
            if self.battle.field.weather_turns == 0 {
                // Still there: it is lengthened.
                self.battle.field.weather_turns = LENGTHENED;
                let item = self.battle.field.weather.and_then(rock);
                self.set_by_holder(self.setters.weather, item);
            }
        }
        if !fresh(self.setters.terrain_since) && self.battle.field.terrain_turns > 0 {
            self.battle.field.terrain_turns -= 1;
            if self.battle.field.terrain_turns == 0 {
                self.battle.field.terrain_turns = LENGTHENED;
                self.set_by_holder(self.setters.terrain, Some("terrainextender"));
            }
        }
        let Field { trick_room, gravity, magic_room, wonder_room, fairy_lock, .. } =
            &mut self.battle.field;
        [trick_room, gravity, magic_room, wonder_room].into_iter().for_each(age_visibly);
        // It ends without a word.
        *fairy_lock = fairy_lock.saturating_sub(1);
        for side in 0..2 {
            self.age_side(side);
        }
        for who in self.standing() {
            self.age(who);
        }
    }

    fn age_side(&mut self, side: usize) {
        let conditions = &mut self.battle.sides[side].conditions;
        let mut lengthened = [false; 3];
        let screens =
            [&mut conditions.reflect, &mut conditions.light_screen, &mut conditions.aurora_veil];
        for (left, lengthened) in screens.into_iter().zip(&mut lengthened) {
            if *left == 1 {
                *left = LENGTHENED;
                *lengthened = true;
            } else {
                *left = left.saturating_sub(1);
            }
        }
        [
            &mut conditions.tailwind,
            &mut conditions.safeguard,
            &mut conditions.mist,
            &mut conditions.lucky_chant,
            &mut conditions.fire_pledge,
            &mut conditions.grass_pledge,
            &mut conditions.water_pledge,
        ]
        .into_iter()
        .for_each(age_visibly);
        conditions.quick_guard = false;
        conditions.wide_guard = false;
        conditions.crafty_shield = false;
        conditions.mat_block = false;
        for place in &mut self.battle.sides[side].places {
            place.future_attack = place.future_attack.saturating_sub(1);
            place.wish = place.wish.saturating_sub(1);
        }
        for (screen, _) in lengthened.iter().enumerate().filter(|(_, yes)| **yes) {
            self.set_by_holder(self.setters.screens[side][screen], Some("lightclay"));
        }
    }

    /// What somebody undergoes ages by a turn.
    fn age(&mut self, who: Who) {
        let part = self.now.part;
        let toxic_ages = {
            let (one, note) = (self.of(who), self.note(who));
            one.status == Status::Toxic && note.status_since != part
        };
        let note = self.note_mut(who);
        note.stall_rounds = note.stall_rounds.saturating_sub(1);
        note.recharge_rounds = note.recharge_rounds.saturating_sub(1);
        note.locked_rounds = note.locked_rounds.saturating_sub(1);
        let (stalls, recharges, locked) =
            (note.stall_rounds > 0, note.recharge_rounds > 0, note.locked_rounds > 0);
        let disabled_now = note.disabled_since == part;
        let came_in = note.came_in;
        let one = self.of_mut(who);
        if toxic_ages {
            one.status_turns = (one.status_turns + 1).min(15);
        }
        if !stalls {
            one.stall = 0;
        }
        let volatiles = &mut one.volatiles;
        volatiles.must_recharge &= recharges;
        if !locked {
            volatiles.locked_move = Default::default();
        }
        [
            &mut volatiles.taunt,
            &mut volatiles.encore,
            &mut volatiles.heal_block,
            &mut volatiles.throat_chop,
            &mut volatiles.magnet_rise,
            &mut volatiles.syrup_bomb,
            &mut volatiles.telekinesis,
            &mut volatiles.yawn,
        ]
        .into_iter()
        .for_each(age_visibly);
        if !came_in {
            age_visibly(&mut volatiles.slow_start);
        }
        if !disabled_now {
            age_visibly(&mut volatiles.disable);
        }
        volatiles.follow_me = false;
        volatiles.helping_hand = false;
        volatiles.protect = false;
        volatiles.endure = false;
        volatiles.flinch = false;
        volatiles.roost = false;
        volatiles.electrified = false;
        volatiles.powder = false;
        volatiles.silk_trap = false;
    }

    /// Somebody set what has lasted longer than it would by itself.
    fn set_by_holder(&mut self, by: Option<Who>, item: Option<&str>) {
        if let (Some(by), Some(item)) = (by, item.and_then(dex::item)) {
            self.held_then(by, item);
        }
    }

    /// Something ended when it would by itself, so nobody lengthened it.
    fn lasted_no_longer(&mut self, what: Lasting) {
        let (by, left, item) = match what {
            Lasting::Weather => {
                let field = &self.battle.field;
                (self.setters.weather, field.weather_turns, field.weather.and_then(rock))
            }
            Lasting::Terrain => {
                let turns = self.battle.field.terrain_turns;
                (self.setters.terrain, turns, Some("terrainextender"))
            }
            Lasting::Screen(side, screen) => {
                let conditions = &self.battle.sides[side].conditions;
                let left = match screen {
                    Screen::Reflect => conditions.reflect,
                    Screen::Light => conditions.light_screen,
                    Screen::Veil => conditions.aurora_veil,
                };
                (self.setters.screens[side][screen as usize], left, Some("lightclay"))
            }
        };
        if left == 1
            && let (Some(by), Some(item)) = (by, item.and_then(dex::item))
        {
            self.does_not_hold(by, item);
        }
    }
}

/// One turn less of what says so when it ends: until then it is there.
fn age_visibly(left: &mut u8) {
    if *left > 1 {
        *left -= 1;
    }
}

/// The item that lengthens a weather.
fn rock(weather: Weather) -> Option<&'static str> {
    match weather {
        Weather::Sun => Some("heatrock"),
        Weather::Rain => Some("damprock"),
        Weather::Sand => Some("smoothrock"),
        Weather::Snow => Some("icyrock"),
        Weather::HarshSun | Weather::HeavyRain | Weather::StrongWinds => None,
    }
}
