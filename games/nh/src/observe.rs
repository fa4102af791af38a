//! What a side sees: the 176 numbers of the contract, computed as the server computes them.

use crate::formula::{Bolts, Special};
use crate::gear::items::{
    AMULET_OF_BLOOD_FURY, DHAROKS_GREATAXE, VOLATILE_NIGHTMARE_STAFF, ZURIELS_STAFF,
};
use crate::gear::{DEFENCE, MAGIC_DAMAGE, RANGED_STRENGTH, STRENGTH, Slot, WeaponClass};
use crate::kinds::{Column, FightType, Prayer, Skill, Spell, Spellbook, Style};
use crate::loadout::{Loadout, Set};
use crate::offers::{Offers, in_melee_range, melee_special, offered};
use crate::sim::combat::knows;
use crate::sim::fighter::Fighter;
use crate::sim::memory::{Attacks, Glimpse, RECENT};
use crate::sim::supplies::{self, Pantry};
use crate::sim::timers::Timer;
use crate::sim::{Fight, other};

/// An observation.
pub type Observation = [f64; 176];

/// Distances are told up to this.
const FAR: f64 = 7.0;
/// So many attacks make a full picture.
const CONFIDENT: f64 = 20.0;

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// The fields that stay the same all fight long, in their places; the others are 0.
pub fn constants(loadout: &Loadout, fighter: &Fighter, fight_type: FightType) -> Observation {
    let mut values = [0.0; 176];
    let mut at = 96;
    let mut put = |value: f64| {
        values[at] = value;
        at += 1;
    };
    for skill in [
        Skill::Attack,
        Skill::Strength,
        Skill::Defence,
        Skill::Ranged,
        Skill::Magic,
        Skill::Prayer,
        Skill::Hitpoints,
    ] {
        put(f64::from(fighter.max_level(skill)));
    }
    let ammo = loadout.ranged.iter().copied().find_map(Bolts::of);
    put(flag(matches!(ammo, Some(Bolts::Dragonstone))));
    put(flag(matches!(ammo, Some(Bolts::Opal))));
    put(flag(matches!(ammo, Some(Bolts::Diamond))));

    let nightmare = loadout.mage.contains(&VOLATILE_NIGHTMARE_STAFF);
    let bow = loadout.ranged.in_slot(Slot::Weapon);
    let class = bow.and_then(|kind| kind.item().weapon).map(|weapon| weapon.class);
    let ranged_special = bow.and_then(Special::of);
    put(flag(nightmare));
    put(flag(ranged_special.is_some()));
    put(flag(nightmare));
    put(flag(ranged_special == Some(Special::ZaryteCrossbow)));
    put(flag(ranged_special == Some(Special::Ballista)));
    put(flag(ranged_special == Some(Special::MorriganJavelin)));
    put(flag(ranged_special == Some(Special::DragonKnife)));
    put(flag(class == Some(WeaponClass::DarkBow)));

    let special = melee_special(loadout).map(|(special, _)| special);
    for weapon in [
        Special::DragonClaws,
        Special::DragonDagger,
        Special::ArmadylGodsword,
        Special::VestaLongsword,
        Special::StatiusWarhammer,
        Special::AncientGodsword,
        Special::GraniteMaul,
    ] {
        put(flag(special == Some(weapon)));
    }
    put(flag(loadout.melee.contains(&AMULET_OF_BLOOD_FURY)));
    put(flag(loadout.melee.contains(&DHAROKS_GREATAXE)));
    put(flag(loadout.mage.contains(&ZURIELS_STAFF)));

    let sum = |set: &Set, bonus: usize| -> f64 {
        set.iter().map(|kind| f64::from(kind.item().bonuses[bonus])).sum()
    };
    let speed = |set: &Set| {
        let weapon = set.in_slot(Slot::Weapon).and_then(|kind| kind.item().weapon);
        weapon.map_or(0.0, |weapon| f64::from(weapon.base_speed))
    };
    let reach = bow.and_then(|kind| kind.item().weapon).map_or(0, |weapon| weapon.range);
    put(sum(&loadout.mage, Column::Magic as usize));
    put(sum(&loadout.mage, MAGIC_DAMAGE));
    put(sum(&loadout.ranged, Column::Ranged as usize));
    put(sum(&loadout.ranged, RANGED_STRENGTH));
    // Missiles are always shot rapidly.
    put(speed(&loadout.ranged) - 1.0);
    put(f64::from(reach));
    put(sum(&loadout.melee, Column::Slash as usize));
    put(sum(&loadout.melee, STRENGTH));
    put(speed(&loadout.melee));
    for set in [&loadout.mage, &loadout.ranged, &loadout.melee] {
        for column in [Column::Ranged, Column::Magic, Column::Slash] {
            put(sum(set, DEFENCE + column as usize));
        }
    }
    values[160] = flag(fight_type == FightType::Lms);
    values[161] = flag(fight_type == FightType::PvpArena);
    values[164] = flag(fighter.book == Spellbook::Lunar);
    values
}

/// Does the fighter hold a weapon with one of the melee specials?
fn holds_special(fighter: &Fighter) -> bool {
    fighter.gear.special.is_some_and(offered)
}

impl Fight {
    /// What `who` sees. `constants` are those of its side; `offers` what it may do.
    pub fn observe(&self, who: usize, constants: &Observation, offers: &Offers) -> Observation {
        let (me, foe) = (&self.fighters[who], &self.fighters[other(who)]);
        let memory = &self.memories[who];
        let mut values = *constants;
        let mut at = 0;
        let mut put = |value: f64| {
            values[at] = value;
            at += 1;
        };

        let styles = |fighter: &Fighter| {
            let style = fighter.style();
            [Style::Melee, Style::Ranged, Style::Magic].map(|s| flag(s == style))
        };
        let overheads = |fighter: &Fighter| {
            [
                Prayer::ProtectMelee,
                Prayer::ProtectMissiles,
                Prayer::ProtectMagic,
                Prayer::Smite,
                Prayer::Redemption,
            ]
            .map(|prayer| flag(fighter.prayers.has(prayer)))
        };
        styles(me).into_iter().for_each(&mut put);
        put(flag(holds_special(me)));
        put(f64::from(me.energy));
        overheads(me).into_iter().for_each(&mut put);
        put(share(me.hp(), me.max_hp()));
        put(share(memory.target_hp_told, foe.max_hp()));
        styles(foe).into_iter().for_each(&mut put);
        put(flag(holds_special(foe)));
        overheads(foe).into_iter().for_each(&mut put);
        put(f64::from(foe.energy));

        let pantry = Pantry::of(me);
        let [brew, restore, combat, ranging] = pantry.doses;
        for count in [ranging, combat, restore, brew, pantry.anglerfish, pantry.karambwans] {
            put(f64::from(count));
        }
        put(share(me.level(Skill::Prayer), me.max_level(Skill::Prayer)));
        put(ahead(me, Timer::Freeze));
        put(ahead(foe, Timer::Freeze));
        put(ahead(me, Timer::Immunity));
        put(ahead(foe, Timer::Immunity));
        put(flag(in_melee_range(me, foe)));
        for skill in [Skill::Strength, Skill::Attack, Skill::Defence] {
            let max = me.max_level(skill);
            put(share(me.level(skill), max + supplies::combat_boost(max)));
        }
        let ranged = me.max_level(Skill::Ranged);
        put(share(me.level(Skill::Ranged), ranged + supplies::ranging_boost(ranged)));
        put(share(me.level(Skill::Magic), me.max_level(Skill::Magic)));
        put(ahead(me, Timer::Attack));
        put(ahead(me, Timer::Food));
        put(ahead(me, Timer::Potion));
        put(ahead(me, Timer::Karambwan));
        // How far eating would delay an attack: 0 not at all, 3 fully.
        put(f64::from((me.timers.uncapped(Timer::Attack) - 1).clamp(-3, 0) + 3));
        put(ahead(foe, Timer::Attack));
        // The server looks at the wrong timer for the opponent's potions.
        put(ahead(foe, Timer::Food));
        put(share(foe.queue.pending(), foe.max_hp()));
        put(f64::from(foe.queue.ticks()));
        put(f64::from(me.queue.ticks()));
        put(flag(memory.mine.just));
        put(flag(memory.theirs.just));
        put(share(memory.dealt_now, foe.max_hp()));
        put(share(memory.splats_received, me.max_hp()));
        put(share(memory.splats_dealt, foe.max_hp()));
        put(flag(me.attacking));
        put(flag(me.moving));
        put(flag(foe.moving));
        put(flag(me.pid < foe.pid));
        put(flag(knows(me, Spell::IceBarrage)));
        put(flag(knows(me, Spell::BloodBarrage)));
        let going = me.path.destination();
        let distance = |tile: crate::sim::path::Tile| f64::from(foe.at.distance(tile)).min(FAR);
        put(distance(going.unwrap_or(me.at)));
        put(going.map_or(0.0, |tile| f64::from(me.at.distance(tile)).min(FAR)));
        put(distance(me.at));
        put(flag(memory.theirs.just_prayed));
        put(flag(memory.mine.just_prayed));
        put(((memory.dealt + 1.0) / (memory.received + 1.0)).clamp(0.5, 2.0));
        self.habits(who, &mut put);

        values[142..160].copy_from_slice(&self.glimpses(who, constants));
        values[162] = flag(me.vengeance);
        values[163] = flag(foe.vengeance);
        values[165] = flag(memory.lunar);
        values[166] = ahead(me, Timer::Vengeance);
        values[167] = ahead(foe, Timer::Vengeance);
        values[168] = flag(offers.blood);
        values[169] = flag(offers.ice);
        values[170] = flag(offers.magic_special);
        values[171] = flag(offers.ranged);
        values[172] = flag(offers.ranged_special);
        values[173] = flag(offers.melee);
        values[174] = flag(offers.melee_special);
        values[175] = flag(pantry.eats_anglerfish());
        values
    }

    /// How both attack and pray: 30 numbers, over the whole fight and of late.
    fn habits(&self, who: usize, put: &mut impl FnMut(f64)) {
        let (mine, theirs) = (&self.memories[who].mine, &self.memories[who].theirs);
        let part = |count: u32, attacks: &Attacks| {
            if attacks.total == 0 { 0.0 } else { f64::from(count) / f64::from(attacks.total) }
        };
        let confidence = |attacks: &Attacks| (f64::from(attacks.total) / CONFIDENT).min(1.0);
        let by_style = [Style::Melee, Style::Magic, Style::Ranged];
        let by_prayer = [Style::Magic, Style::Ranged, Style::Melee];

        put(confidence(theirs));
        for style in by_style {
            put(part(theirs.styles[style as usize], theirs));
        }
        for style in by_style {
            put(part(mine.styles[style as usize], mine));
        }
        put(part(theirs.total - theirs.prayed, theirs));
        put(confidence(mine));
        for style in by_prayer {
            put(part(mine.prayers[style as usize], mine));
        }
        for style in by_prayer {
            put(part(theirs.prayers[style as usize], theirs));
        }
        put(part(mine.prayed, mine));

        let recent = |count: u8| f64::from(count) / RECENT as f64;
        for style in by_style {
            put(recent(theirs.recent_styles.count(style as u8)));
        }
        for style in by_style {
            put(recent(mine.recent_styles.count(style as u8)));
        }
        put(recent(theirs.recent_prayed.count(0)));
        for style in by_prayer {
            put(recent(mine.recent_prayers.count(style as u8)));
        }
        for style in by_prayer {
            put(recent(theirs.recent_prayers.count(style as u8)));
        }
        put(recent(mine.recent_prayed.count(1)));
    }

    /// The opponent's gear: what it wears now, and what it wore when it last attacked with each
    /// style. Until then it is taken to wear what this side would.
    fn glimpses(&self, who: usize, constants: &Observation) -> [f64; 18] {
        let seen = &self.memories[who].gear;
        let now = Glimpse::of(&self.fighters[other(who)].visible, Style::Melee);
        let mut values = [0.0; 18];
        for (value, bonus) in values.iter_mut().zip([now.ranged, now.magic, now.melee]) {
            *value = f64::from(bonus);
        }
        // In the order of the fields: accuracy and strength, then three defences, by style.
        let styles =
            [(Style::Magic, 124, 133), (Style::Ranged, 126, 136), (Style::Melee, 130, 139)];
        for (index, (style, attack, defence)) in styles.into_iter().enumerate() {
            let glimpse = seen[style as usize];
            // The server takes -1 for never seen.
            let known = |bonus: fn(&Glimpse) -> i16, own: usize| match glimpse.as_ref().map(bonus) {
                Some(bonus) if bonus != -1 => f64::from(bonus),
                _ => constants[own],
            };
            values[3 + 2 * index] = known(|g| g.accuracy, attack);
            values[4 + 2 * index] = known(|g| g.strength, attack + 1);
            values[9 + 3 * index] = known(|g| g.ranged, defence);
            values[10 + 3 * index] = known(|g| g.magic, defence + 1);
            values[11 + 3 * index] = known(|g| g.melee, defence + 2);
        }
        values
    }
}

fn ahead(fighter: &Fighter, timer: Timer) -> f64 {
    f64::from(fighter.timers.ahead(timer))
}

fn share(part: i16, whole: i16) -> f64 {
    f64::from(part) / f64::from(whole)
}
