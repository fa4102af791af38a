//! What one side has seen of the other so far: the part of an observation that the present state
//! does not hold.

use super::fighter::Fighter;
use super::hits::Hit;
use super::path::Tile;
use crate::gear::{DEFENCE, MAGIC_DAMAGE, RANGED_STRENGTH, STRENGTH};
use crate::kinds::{Column, Style};

/// How many of the latest attacks count as recent.
pub const RECENT: usize = 5;

/// The latest few of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latest {
    values: [u8; RECENT],
    len: u8,
    next: u8,
}

impl Latest {
    /// The newest replaces the oldest.
    #[inline]
    pub fn push(&mut self, value: u8) {
        self.values[usize::from(self.next)] = value;
        self.next = (self.next + 1) % RECENT as u8;
        self.len = (self.len + 1).min(RECENT as u8);
    }

    /// How many of the latest are this.
    #[inline]
    pub fn count(&self, value: u8) -> u8 {
        self.values[..usize::from(self.len)].iter().filter(|&&v| v == value).count() as u8
    }
}

/// Bonuses of the other's gear as it was seen: accuracy, strength, and defence against missiles,
/// spells and slashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Glimpse {
    /// Accuracy of the style it was worn for.
    pub accuracy: i16,
    /// Strength of the style it was worn for.
    pub strength: i16,
    /// Defence against missiles.
    pub ranged: i16,
    /// Defence against spells.
    pub magic: i16,
    /// Defence against slashes.
    pub melee: i16,
}

impl Glimpse {
    /// These bonuses, worn for an attack of this style.
    pub fn of(bonuses: &[i16; 14], style: Style) -> Self {
        let (accuracy, strength) = match style {
            Style::Melee => (Column::Slash as usize, STRENGTH),
            Style::Ranged => (Column::Ranged as usize, RANGED_STRENGTH),
            Style::Magic => (Column::Magic as usize, MAGIC_DAMAGE),
        };
        Self {
            accuracy: bonuses[accuracy],
            strength: bonuses[strength],
            ranged: bonuses[DEFENCE + Column::Ranged as usize],
            magic: bonuses[DEFENCE + Column::Magic as usize],
            melee: bonuses[DEFENCE + Column::Slash as usize],
        }
    }
}

/// Attacks of one side, and the prayers that met them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attacks {
    /// How many.
    pub total: u32,
    /// By style.
    pub styles: [u32; 3],
    /// Protection prayers of the victim, by style.
    pub prayers: [u32; 3],
    /// Attacks that met the right prayer.
    pub prayed: u32,
    /// Styles of the latest.
    pub recent_styles: Latest,
    /// Prayers that met the latest; an attack on no prayer leaves no trace here.
    pub recent_prayers: Latest,
    /// Did the latest meet the right prayer?
    pub recent_prayed: Latest,
    /// Did one this tick?
    pub just: bool,
    /// Did one this tick meet the right prayer?
    pub just_prayed: bool,
}

impl Attacks {
    fn note(&mut self, style: Style, victim: &Fighter) {
        self.just = true;
        self.total += 1;
        self.styles[style as usize] += 1;
        self.recent_styles.push(style as u8);
        // The server looks at the prayers in this order; only one can be active.
        if let Some(prayer) = victim.protection() {
            self.prayers[prayer as usize] += 1;
            self.recent_prayers.push(prayer as u8);
        }
        let prayed = victim.protects(style);
        self.prayed += u32::from(prayed);
        self.just_prayed |= prayed;
        self.recent_prayed.push(u8::from(prayed));
    }
}

/// What one side remembers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Its own attacks.
    pub mine: Attacks,
    /// The attacks on it.
    pub theirs: Attacks,
    /// Damage of its last attack this tick, in life.
    pub dealt_now: i16,
    /// Life of the other when it was last seen: at a splat. Nothing before the first.
    pub target_hp: i16,
    /// The same as an observation tells it: a tick late, because the server notes it too late.
    pub target_hp_told: i16,
    /// Damage shown on the other so far, in shares of its full life.
    pub dealt: f64,
    /// Damage shown on itself so far, in shares of its full life.
    pub received: f64,
    /// Damage shown on the other this tick.
    pub splats_dealt: i16,
    /// Damage shown on itself this tick.
    pub splats_received: i16,
    /// The other's gear when it last attacked, by style.
    pub gear: [Option<Glimpse>; 3],
    /// Has the other been seen under vengeance?
    pub lunar: bool,
    /// Where the other was when it was last looked at: movement is decided by that.
    pub seen: Tile,
}

impl Memory {
    /// A new tick begins.
    pub fn begin(&mut self) {
        for attacks in [&mut self.mine, &mut self.theirs] {
            attacks.just = false;
            attacks.just_prayed = false;
        }
        self.dealt_now = 0;
        self.splats_dealt = 0;
        self.splats_received = 0;
    }

    /// It attacked.
    pub fn attacked(&mut self, hit: &Hit, victim: &Fighter) {
        self.mine.note(hit.style, victim);
        self.dealt_now = hit.total();
    }

    /// It was attacked.
    pub fn was_attacked(&mut self, hit: &Hit, attacker: &Fighter, me: &Fighter) {
        self.theirs.note(hit.style, me);
        let seen = Glimpse::of(&attacker.visible, hit.style);
        let known = &mut self.gear[hit.style as usize];
        // A melee special weapon often has less strength than the weapon that matters.
        let weaker = hit.style == Style::Melee
            && known.is_some_and(|before| seen.strength < before.strength);
        if !weaker {
            *known = Some(seen);
        }
    }

    /// The tick is over: splats are seen.
    pub fn end(&mut self, me: &Fighter, target: &Fighter) {
        let shown = |fighter: &Fighter| -> i16 {
            fighter.splats.iter().flatten().map(|splat| splat.damage).sum()
        };
        self.splats_received = shown(me);
        self.received += f64::from(self.splats_received) / f64::from(me.max_hp());
        self.splats_dealt = shown(target);
        self.dealt += f64::from(self.splats_dealt) / f64::from(target.max_hp());
        self.target_hp_told = self.target_hp;
        if target.splats.iter().any(Option::is_some) {
            self.target_hp = target.hp();
        }
        self.lunar |= target.vengeance;
        self.seen = target.at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_count() {
        let mut latest = Latest::default();
        assert_eq!(latest.count(0), 0);
        for value in [1, 1, 2, 0, 0, 0] {
            latest.push(value);
        }
        assert_eq!([latest.count(0), latest.count(1), latest.count(2)], [3, 1, 1]);
    }
}
