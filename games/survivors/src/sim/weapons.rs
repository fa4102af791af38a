//! Guns: what they do, and what is left in them.

use crate::sim::numbers::ticks;

/// A gun of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Weapon {
    Pistol,
    Magnum,
    Smg,
    SilencedSmg,
    Mp5,
    PumpShotgun,
    ChromeShotgun,
    AutoShotgun,
    SpasShotgun,
    M16,
    Ak47,
    Scar,
    Sg552,
    HuntingRifle,
    MilitarySniper,
    M60,
}

/// What a gun does.
#[derive(Clone, Copy, Debug)]
pub struct Ballistics {
    /// Its name.
    pub name: &'static str,
    /// The game's number for it (`WEPID`, §4), which the legacy observation shows.
    pub id: u8,
    /// Damage of a bullet at the muzzle.
    pub damage: f32,
    /// Bullets of a shot.
    pub pellets: u32,
    /// Between two shots.
    pub cycle_secs: f32,
    /// Bullets, or shells, between two reloads.
    pub clip: u16,
    /// Bullets carried beside the clip; the pistol has no end of them.
    pub reserve: u16,
    /// A bullet flies so far.
    pub range: f32,
    /// What is left of the damage after each 500 units.
    pub falloff: f32,
    /// Half the angle of the cone that bullets leave in, in degrees, standing still.
    pub spread_degrees: f32,
    /// Reloading takes so long; of a shotgun, for one shell.
    pub reload_secs: f32,
    /// Are shells loaded one by one?
    pub shells: bool,
}

const fn gun(
    name: &'static str,
    id: u8,
    (damage, pellets): (f32, u32),
    cycle_secs: f32,
    (clip, reserve): (u16, u16),
    (range, falloff): (f32, f32),
    spread_degrees: f32,
    (reload_secs, shells): (f32, bool),
) -> Ballistics {
    Ballistics {
        name,
        id,
        damage,
        pellets,
        cycle_secs,
        clip,
        reserve,
        range,
        falloff,
        spread_degrees,
        reload_secs,
        shells,
    }
}

/// Ammunition that has no end.
pub const ENDLESS: u16 = u16::MAX;

/// Damage, pellets, cycle, clip, range and falloff, and the reload of a shell: §5. No source for the range and
/// falloff of the MP5, nor for the cycle of the SCAR, whose bursts of three are spread evenly. Reserves, spreads
/// and reloads of magazines: general knowledge of the weapon scripts, no two sources.
const GUNS: [Ballistics; 16] = [
    gun("pistol", 1, (36.0, 1), 0.175, (15, ENDLESS), (2500.0, 0.75), 1.0, (1.7, false)),
    gun("magnum", 32, (80.0, 1), 0.3, (8, ENDLESS), (3500.0, 0.75), 1.0, (2.0, false)),
    gun("smg", 2, (20.0, 1), 0.0625, (50, 650), (2500.0, 0.84), 1.6, (2.3, false)),
    gun("silenced_smg", 7, (25.0, 1), 0.055, (50, 650), (2200.0, 0.84), 1.8, (2.3, false)),
    gun("mp5", 33, (24.0, 1), 0.075, (50, 650), (2500.0, 0.84), 1.4, (3.0, false)),
    gun("pump_shotgun", 3, (25.0, 10), 0.875, (8, 56), (3000.0, 0.7), 3.5, (0.473, true)),
    gun("chrome_shotgun", 8, (31.0, 8), 0.875, (8, 56), (3000.0, 0.7), 3.0, (0.473, true)),
    gun("auto_shotgun", 4, (23.0, 11), 0.25, (10, 90), (3000.0, 0.7), 3.5, (0.396, true)),
    gun("spas_shotgun", 11, (28.0, 9), 0.25, (10, 90), (3000.0, 0.7), 3.0, (0.396, true)),
    gun("m16", 5, (33.0, 1), 0.0875, (50, 360), (3000.0, 0.97), 1.2, (2.2, false)),
    gun("ak47", 26, (58.0, 1), 0.13, (40, 360), (3000.0, 0.97), 1.6, (2.4, false)),
    gun("scar", 9, (44.0, 1), 0.12, (60, 360), (3000.0, 0.97), 1.0, (3.3, false)),
    gun("sg552", 34, (33.0, 1), 0.0825, (50, 360), (3000.0, 0.97), 1.1, (3.4, false)),
    gun("hunting_rifle", 6, (90.0, 1), 0.25, (15, 150), (8192.0, 1.0), 0.5, (3.1, false)),
    gun("military_sniper", 10, (90.0, 1), 0.25, (30, 180), (8192.0, 1.0), 0.5, (3.3, false)),
    gun("m60", 37, (50.0, 1), 0.11, (150, 0), (3000.0, 0.97), 1.8, (0.0, false)),
];

impl Weapon {
    /// Every gun.
    pub const ALL: [Weapon; 16] = [
        Weapon::Pistol,
        Weapon::Magnum,
        Weapon::Smg,
        Weapon::SilencedSmg,
        Weapon::Mp5,
        Weapon::PumpShotgun,
        Weapon::ChromeShotgun,
        Weapon::AutoShotgun,
        Weapon::SpasShotgun,
        Weapon::M16,
        Weapon::Ak47,
        Weapon::Scar,
        Weapon::Sg552,
        Weapon::HuntingRifle,
        Weapon::MilitarySniper,
        Weapon::M60,
    ];
    /// What lies near the start.
    pub const FIRST_TIER: [Weapon; 4] =
        [Weapon::Smg, Weapon::SilencedSmg, Weapon::PumpShotgun, Weapon::ChromeShotgun];
    /// What lies farther on.
    pub const SECOND_TIER: [Weapon; 7] = [
        Weapon::AutoShotgun,
        Weapon::SpasShotgun,
        Weapon::M16,
        Weapon::Ak47,
        Weapon::Scar,
        Weapon::HuntingRifle,
        Weapon::MilitarySniper,
    ];

    /// What it does.
    pub fn ballistics(self) -> &'static Ballistics {
        &GUNS[self as usize]
    }

    /// Is it one of those in the belt, with endless ammunition?
    pub fn is_sidearm(self) -> bool {
        matches!(self, Weapon::Pistol | Weapon::Magnum)
    }

    /// Is it one of those that lie farther on?
    pub fn is_second_tier(self) -> bool {
        !self.is_sidearm() && !Self::FIRST_TIER.contains(&self) && self != Weapon::Mp5
    }
}

impl Ballistics {
    /// Damage of a bullet that has flown so far.
    pub fn damage_at(&self, distance: f32) -> f32 {
        if distance > self.range { 0.0 } else { self.damage * self.falloff.powf(distance / 500.0) }
    }

    /// Damage of whole shots in a second, next to the muzzle.
    pub fn damage_per_sec(&self) -> f32 {
        self.damage * self.pellets as f32 / self.cycle_secs
    }
}

/// A gun in somebody's hands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gun {
    /// Which one.
    pub weapon: Weapon,
    /// What is in it.
    pub clip: u16,
    /// What is carried beside it.
    pub reserve: u16,
    /// Time left until it fires again, in fractions of a tick: guns that cycle faster than ticks keep
    /// their rate.
    pub cooldown_secs: f32,
    /// The tick at which a reload, or the next shell, is done.
    pub reloaded_at: Option<u32>,
}

impl Gun {
    /// A full one.
    pub fn new(weapon: Weapon) -> Self {
        let b = weapon.ballistics();
        Self { weapon, clip: b.clip, reserve: b.reserve, cooldown_secs: 0.0, reloaded_at: None }
    }

    /// Can it be reloaded?
    pub fn can_reload(&self) -> bool {
        self.reloaded_at.is_none() && self.reserve > 0 && self.clip < self.weapon.ballistics().clip
    }

    /// Is ammunition missing?
    pub fn is_short(&self) -> bool {
        let b = self.weapon.ballistics();
        b.reserve != ENDLESS && self.reserve < b.reserve
    }

    /// Begins to reload.
    pub fn reload(&mut self, now: u32) {
        if self.can_reload() {
            self.reloaded_at = Some(now + ticks(self.weapon.ballistics().reload_secs).max(1));
        }
    }

    /// Lets a tick pass.
    pub fn tick(&mut self, now: u32, secs: f32) {
        // What is left over from the last shot counts towards the next one, but never more than one tick.
        self.cooldown_secs = (self.cooldown_secs - secs).max(-secs);
        if self.reloaded_at.is_some_and(|at| now >= at) {
            self.reloaded_at = None;
            let b = self.weapon.ballistics();
            let wanted = if b.shells { 1 } else { b.clip - self.clip };
            let loaded = wanted.min(self.reserve);
            self.clip += loaded;
            if self.reserve != ENDLESS {
                self.reserve -= loaded;
            }
            if b.shells {
                self.reload(now);
            }
        }
    }

    /// Fires once if it can.
    pub fn fire(&mut self) -> bool {
        let b = self.weapon.ballistics();
        // A shell at a time may be interrupted, a magazine may not.
        let busy = self.reloaded_at.is_some() && !b.shells;
        if self.clip == 0 || self.cooldown_secs > 0.0 || busy {
            return false;
        }
        self.reloaded_at = None;
        self.clip -= 1;
        self.cooldown_secs += b.cycle_secs;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::numbers::TICK_SECS;

    #[test]
    fn the_table_is_in_the_order_of_the_names() {
        for (i, weapon) in Weapon::ALL.into_iter().enumerate() {
            assert_eq!(weapon as usize, i);
        }
        assert_eq!(Weapon::Ak47.ballistics().id, 26);
        assert_eq!(Weapon::M60.ballistics().clip, 150);
        assert_eq!(Weapon::Magnum.ballistics().name, "magnum");
    }

    #[test]
    fn bullets_lose_their_force() {
        let pistol = Weapon::Pistol.ballistics();
        assert_eq!(pistol.damage_at(0.0), 36.0);
        assert!((pistol.damage_at(500.0) - 27.0).abs() < 1e-3);
        assert_eq!(pistol.damage_at(2501.0), 0.0);
    }

    #[test]
    fn guns_keep_their_rate_between_ticks() {
        // 16 shots a second, although a tick has room for two.
        let mut gun = Gun::new(Weapon::Smg);
        let mut shots = 0;
        for now in 0..30 {
            gun.tick(now, TICK_SECS);
            while gun.fire() {
                shots += 1;
            }
        }
        assert!((15..=17).contains(&shots), "{shots}");
        assert_eq!(gun.clip, 50 - shots);
    }

    #[test]
    fn shells_go_in_one_by_one() {
        let mut gun = Gun::new(Weapon::PumpShotgun);
        gun.clip = 5;
        gun.reload(0);
        for now in 0..=ticks(0.473) * 2 {
            gun.tick(now, TICK_SECS);
        }
        assert_eq!((gun.clip, gun.reserve), (7, 54));
        assert!(gun.fire(), "a reload by shells may be interrupted");
        assert_eq!(gun.reloaded_at, None);
        let mut rifle = Gun::new(Weapon::M16);
        rifle.clip = 1;
        rifle.reload(0);
        assert!(!rifle.fire(), "one of a magazine may not");
        rifle.tick(ticks(2.2), TICK_SECS);
        assert_eq!((rifle.clip, rifle.reserve), (50, 311));
    }
}
