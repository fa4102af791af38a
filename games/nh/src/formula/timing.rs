//! How often attacks go, and how long they take.

use super::Swing;
use crate::gear::{Weapon, WeaponClass};
use crate::kinds::{Rules, Style};

/// Ticks of every spell.
const SPELL_SPEED: u8 = 5;

/// Ticks from this attack to the next, in the mode of the table. The granite maul's special takes
/// none of its own: whoever uses it leaves the attack timer alone.
///
/// Today's game has a slower dark bow, without an extra tick after its special, and a faster
/// Statius's warhammer.
pub fn attack_speed(rules: Rules, weapon: &Weapon, swing: Swing) -> u8 {
    if swing.style == Style::Magic {
        return SPELL_SPEED;
    }
    match (rules, weapon.class) {
        (Rules::Server2024, WeaponClass::DarkBow) if swing.special => weapon.speed + 1,
        (Rules::Live, WeaponClass::DarkBow) => weapon.speed + 1,
        (Rules::Live, WeaponClass::Warhammer) => weapon.speed - 1,
        _ => weapon.speed,
    }
}

/// Ticks from an attack to its hit. `distance` is the larger difference of the coordinates at the
/// moment of the attack, `hit` the place of the hit among those of the [`super::Strike`].
pub fn hit_delay(rules: Rules, weapon: &Weapon, swing: Swing, distance: i32, hit: usize) -> i32 {
    match (swing.style, weapon.class) {
        (Style::Melee, _) => 0,
        (Style::Magic, _) => 1 + (1 + distance) / 3,
        (_, WeaponClass::Knife | WeaponClass::Javelin) => 1 + distance / 6,
        (_, WeaponClass::Ballista) if rules == Rules::Server2024 && swing.special => 2,
        (_, WeaponClass::Ballista) => 2 + (1 + distance) / 6,
        (_, WeaponClass::DarkBow) if hit > 0 => 1 + (2 + distance) / 3,
        _ => 1 + (3 + distance) / 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gear::Kind;
    use crate::kinds::Spell;

    const SERVER: Rules = Rules::Server2024;

    fn weapon(id: u16) -> Weapon {
        Kind::of(id).unwrap().item().weapon.unwrap()
    }

    #[test]
    fn missiles_take_their_time() {
        let delays = |id, swing, hit| {
            [1, 3, 5, 7, 9].map(|tiles| hit_delay(SERVER, &weapon(id), swing, tiles, hit))
        };
        let (shot, special) = (Swing::plain(Style::Ranged), Swing::special(Style::Ranged));
        assert_eq!(delays(9185, shot, 0), [1, 2, 2, 2, 3]);
        assert_eq!(delays(22804, special, 1), [1, 1, 1, 2, 2]);
        assert_eq!(delays(19481, shot, 0), [2, 2, 3, 3, 3]);
        assert_eq!(delays(19481, special, 0), [2; 5]);
        assert_eq!(delays(11235, shot, 0), [1, 2, 2, 2, 3]);
        assert_eq!(delays(11235, special, 1), [2, 2, 3, 4, 4]);
        assert_eq!(delays(21006, Swing::cast(Spell::IceRush), 0), [1, 2, 3, 3, 4]);
        assert_eq!(delays(4151, Swing::plain(Style::Melee), 0), [0; 5]);
        assert_eq!(hit_delay(Rules::Live, &weapon(19481), special, 5, 0), 3);
    }

    #[test]
    fn weapons_have_their_speed() {
        let (shot, special) = (Swing::plain(Style::Ranged), Swing::special(Style::Ranged));
        assert_eq!(attack_speed(SERVER, &weapon(11235), shot), 7);
        assert_eq!(attack_speed(SERVER, &weapon(11235), special), 8);
        assert_eq!(attack_speed(Rules::Live, &weapon(11235), special), 8);
        assert_eq!(attack_speed(SERVER, &weapon(22804), special), 2);
        assert_eq!(attack_speed(SERVER, &weapon(22622), Swing::plain(Style::Melee)), 6);
        assert_eq!(attack_speed(Rules::Live, &weapon(22622), Swing::plain(Style::Melee)), 5);
        assert_eq!(attack_speed(SERVER, &weapon(4675), Swing::cast(Spell::IceRush)), 5);
        assert_eq!(attack_speed(SERVER, &weapon(4675), Swing::plain(Style::Melee)), 4);
    }
}
