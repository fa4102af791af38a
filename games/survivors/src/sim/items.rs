//! What lies about, and taking it.

use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::nav::{AreaIndex, Point};
use crate::sim::motion::Body;
use crate::sim::numbers::REACH;
use crate::sim::space::distance;
use crate::sim::survivor::{Dose, Pack, Throwable};
use crate::sim::weapons::{Gun, Weapon};
use crate::sim::world::World;

/// Something that can be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ItemKind {
    /// A medkit or a defibrillator.
    Pack(Pack),
    /// Pills or adrenaline.
    Dose(Dose),
    /// Something to throw.
    Throwable(Throwable),
    /// A gun.
    Gun(Weapon),
    /// Ammunition without end.
    Ammunition,
}

/// Something that lies somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// What.
    pub kind: ItemKind,
    /// Where.
    pub at: Point,
    /// In which area.
    pub area: AreaIndex,
}

/// There is one place with things in this many units of the way. No source.
const PLACES_EVERY: f32 = 700.0;

impl World {
    /// Lays out what a match begins with: a kit for each and first guns at the start, ammunition, and
    /// things along the way.
    pub(crate) fn lay_out_items(&mut self) {
        let terrain = self.terrain.clone();
        let starts = terrain.start_areas();
        let present = self.survivors.iter().filter(|s| s.present).count();
        if let Some(&area) = starts.first() {
            for n in 0..present {
                let area = starts[n % starts.len()];
                self.put(ItemKind::Pack(Pack::Medkit), area);
                let weapon = Weapon::FIRST_TIER[self.rng.random_range(0..Weapon::FIRST_TIER.len())];
                self.put(ItemKind::Gun(weapon), area);
            }
            self.put(ItemKind::Ammunition, area);
        }
        let length = terrain.flow_length().max(1.0);
        let places = (length / PLACES_EVERY) as usize + 1;
        for n in 0..places {
            let wanted = (n as f32 + 0.5) / places as f32 * length;
            let Some(area) = self.area_near_flow(wanted) else { continue };
            self.put_some(area, wanted / length);
        }
    }

    /// An area about so far along the way.
    fn area_near_flow(&mut self, wanted: f32) -> Option<AreaIndex> {
        let terrain = self.terrain.clone();
        // A few tries: the best of them is near enough, and off the straight way.
        let mut best: Option<(f32, AreaIndex)> = None;
        for _ in 0..24 {
            let area = self.rng.random_range(0..terrain.areas()) as AreaIndex;
            if !terrain.to_goal(area).is_finite() || terrain.in_start(area) || terrain.in_goal(area)
            {
                continue;
            }
            let off = (terrain.flow(area) - wanted).abs();
            if best.is_none_or(|(least, _)| off < least) {
                best = Some((off, area));
            }
        }
        best.map(|(_, area)| area)
    }

    /// One or two things, as the director would put there.
    pub(crate) fn put_some(&mut self, area: AreaIndex, share: f32) {
        let kinds = [
            ItemKind::Dose(Dose::Pills),
            ItemKind::Dose(Dose::Pills),
            ItemKind::Dose(Dose::Adrenaline),
            ItemKind::Throwable(Throwable::PipeBomb),
            ItemKind::Throwable(Throwable::Molotov),
            ItemKind::Throwable(Throwable::VomitJar),
            ItemKind::Pack(Pack::Medkit),
            ItemKind::Pack(Pack::Defibrillator),
            ItemKind::Ammunition,
        ];
        for _ in 0..2 {
            if let Some(&kind) = kinds.choose(&mut self.rng) {
                self.put(kind, area);
            }
        }
        if share > 0.3 {
            let weapon = Weapon::SECOND_TIER[self.rng.random_range(0..Weapon::SECOND_TIER.len())];
            self.put(ItemKind::Gun(weapon), area);
        }
    }

    /// Puts something somewhere in an area, if there is room for it.
    pub(crate) fn put(&mut self, kind: ItemKind, area: AreaIndex) {
        if self.items.len() == self.items.capacity() {
            return;
        }
        let (x, y) = self.somewhere(area);
        let at = [x, y, self.terrain.height(area, x, y)];
        self.items.push(Item { kind, at, area });
    }

    /// Is it of use to a survivor?
    pub fn wants(&self, i: usize, kind: ItemKind) -> bool {
        let s = &self.survivors[i];
        match kind {
            ItemKind::Pack(pack) => match s.pack {
                None => true,
                Some(own) => own == Pack::Defibrillator && pack == Pack::Medkit,
            },
            ItemKind::Dose(_) => s.dose.is_none(),
            ItemKind::Throwable(_) => s.throwable.is_none(),
            ItemKind::Gun(weapon) => match &s.primary {
                None => true,
                Some(own) => weapon.is_second_tier() && !own.weapon.is_second_tier(),
            },
            ItemKind::Ammunition => s.primary.as_ref().is_some_and(Gun::is_short),
        }
    }

    /// The nearest thing within reach that is of use.
    pub fn within_reach(&self, i: usize) -> Option<usize> {
        let Body { at, area, .. } = self.survivors[i].body;
        let mut best: Option<(f32, usize)> = None;
        for (k, item) in self.items.iter().enumerate() {
            let far = distance(at, item.at);
            if far <= REACH
                && best.is_none_or(|(least, _)| far < least)
                && self.wants(i, item.kind)
                && self.terrain.sees(area, item.area)
            {
                best = Some((far, k));
            }
        }
        best.map(|(_, k)| k)
    }

    /// Takes the nearest thing that is of use.
    pub(crate) fn take(&mut self, i: usize) {
        let Some(k) = self.within_reach(i) else { return };
        let kind = self.items[k].kind;
        let s = &mut self.survivors[i];
        match kind {
            ItemKind::Pack(pack) => {
                if let Some(old) = s.pack.replace(pack) {
                    self.items[k].kind = ItemKind::Pack(old);
                } else {
                    self.items.swap_remove(k);
                }
            }
            ItemKind::Dose(dose) => {
                s.dose = Some(dose);
                self.items.swap_remove(k);
            }
            ItemKind::Throwable(throwable) => {
                s.throwable = Some(throwable);
                self.items.swap_remove(k);
            }
            ItemKind::Gun(weapon) => {
                s.holds_primary = true;
                if let Some(old) = s.primary.replace(Gun::new(weapon)) {
                    self.items[k].kind = ItemKind::Gun(old.weapon);
                } else {
                    self.items.swap_remove(k);
                }
            }
            ItemKind::Ammunition => {
                if let Some(gun) = &mut s.primary {
                    gun.reserve = gun.weapon.ballistics().reserve;
                }
            }
        }
        self.deeds[i].taken += 1.0;
    }
}
