//! The attacks that a side may choose from: what masks allow, and what observations tell of it.

use crate::formula::Special;
use crate::gear::Slot;
use crate::gear::items::VOLATILE_NIGHTMARE_STAFF;
use crate::kinds::{Spell, Spellbook};
use crate::loadout::{Loadout, Set};
use crate::sim::combat::knows;
use crate::sim::fighter::Fighter;
use crate::sim::timers::Timer;
use crate::sim::{Fight, other};

/// Special energy that the nightmare staff takes.
const NIGHTMARE_COST: i16 = 55;

/// The parts of a loadout that masks ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outfit {
    mage: bool,
    nightmare: bool,
    two_handed: [bool; 3],
    ranged_cost: Option<i16>,
    melee: Option<(Special, i16)>,
}

impl Outfit {
    /// What masks need to know of a loadout.
    pub fn of(loadout: &Loadout) -> Self {
        let two_handed = |set: &Set| set.iter().any(|kind| kind.item().two_handed);
        let bow = loadout.ranged.in_slot(Slot::Weapon).and_then(|kind| kind.item().weapon);
        Self {
            mage: !loadout.mage.is_empty(),
            nightmare: loadout.mage.contains(&VOLATILE_NIGHTMARE_STAFF),
            two_handed: [&loadout.melee, &loadout.ranged, &loadout.spec].map(two_handed),
            ranged_cost: bow.and_then(|weapon| weapon.special).map(i16::from),
            melee: melee_special(loadout),
        }
    }
}

/// The attacks that a side may choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// Ice spells.
    pub ice: bool,
    /// Blood spells.
    pub blood: bool,
    /// The nightmare staff's special.
    pub magic_special: bool,
    /// Missiles.
    pub ranged: bool,
    /// The missile weapon's special.
    pub ranged_special: bool,
    /// The melee weapon.
    pub melee: bool,
    /// The special weapon.
    pub melee_special: bool,
}

/// Side by side, so that both could strike?
pub fn in_melee_range(me: &Fighter, foe: &Fighter) -> bool {
    me.at.distance(foe.at) == 1 && !me.at.diagonal(foe.at)
}

/// The melee special of the contract that a loadout has, and what it costs.
pub fn melee_special(loadout: &Loadout) -> Option<(Special, i16)> {
    loadout.spec.iter().find_map(|&kind| {
        let special = Special::of(kind).filter(|&special| offered(special))?;
        Some((special, kind.item().weapon?.special?.into()))
    })
}

/// Is this one of the melee specials that the contract knows?
pub(crate) fn offered(special: Special) -> bool {
    matches!(
        special,
        Special::DragonDagger
            | Special::ArmadylGodsword
            | Special::DragonClaws
            | Special::GraniteMaul
            | Special::VestaLongsword
            | Special::AncientGodsword
            | Special::StatiusWarhammer
    )
}

impl Fight {
    /// The attacks that `who` may choose from.
    pub fn offers(&self, who: usize, outfit: &Outfit) -> Offers {
        let (me, foe) = (&self.fighters[who], &self.fighters[other(who)]);
        let ready = me.timers.ahead(Timer::Attack) == 0;
        let open = ready || !self.switches[who].attack_when_ready;
        let spells = open && me.book != Spellbook::Lunar && outfit.mage;
        let room = me.worn[Slot::Shield as usize].is_none() || me.vacancy().is_some();
        let [melee_fits, ranged_fits, special_fits] = outfit.two_handed.map(|two| !two || room);
        let reach = in_melee_range(me, foe) || me.timers.ahead(Timer::Freeze) == 0;
        let affordable = outfit.melee.is_some_and(|(_, cost)| me.energy >= cost);
        let maul = outfit.melee.is_some_and(|(special, _)| special == Special::GraniteMaul);
        Offers {
            ice: spells && knows(me, Spell::IceRush),
            blood: spells && knows(me, Spell::BloodRush) && me.hp() < me.max_hp(),
            magic_special: open && outfit.nightmare && me.energy >= NIGHTMARE_COST,
            ranged: open && ranged_fits,
            ranged_special: open
                && ranged_fits
                && outfit.ranged_cost.is_some_and(|cost| me.energy >= cost),
            melee: open && reach && melee_fits,
            // A granite maul needs no attack timer.
            melee_special: (open || maul) && affordable && reach && special_fits,
        }
    }
}
