//! Rolls of today's game: whole numbers, every fraction truncated.

use super::{Fighter, Rolls, Special, Swing, boost};
use crate::gear::{DEFENCE, RANGED_STRENGTH, STRENGTH};
use crate::kinds::{Column, Skill, Spell, Style};

pub(super) fn rolls(attacker: &Fighter, defender: &Fighter, swing: Swing) -> Rolls {
    let special = swing.special_of(&attacker.worn);
    let mut attack = attack_roll(attacker, swing.style, special);
    if let Some(special) = special {
        let (times, by) = special.live_accuracy();
        attack = attack * times / by;
    }
    let column = match swing.style {
        Style::Melee => attacker.worn.mode.column,
        Style::Ranged => Column::Ranged,
        Style::Magic => Column::Magic,
    };
    let column = special.and_then(Special::live_defence).unwrap_or(column);
    let mut defence =
        effective_defence(defender, column) * bonus(defender, DEFENCE + column as usize);
    if special == Some(Special::VestaLongsword) {
        defence /= 4;
    }
    let (min, max) = match swing.style {
        Style::Melee => melee_range(attacker, special),
        Style::Ranged => ranged_range(attacker, special),
        Style::Magic => (0, magic_max(attacker, swing.spell, special)),
    };
    Rolls { attack, defence, chance: chance(attack, defence), min, max }
}

/// The probability that an attack roll beats a defence roll. Bonuses below -64 make rolls negative.
pub(super) fn chance(attack: i32, defence: i32) -> f64 {
    let raise = |roll: i32| if roll < 0 { (roll + 2).min(0) } else { roll };
    let (attack, defence) = (raise(attack), raise(defence));
    let beats = |a: i32, d: i32| {
        let (above, a, d) = (a > d, f64::from(a), f64::from(d));
        if above { 1.0 - (d + 2.0) / (2.0 * (a + 1.0)) } else { a / (2.0 * (d + 1.0)) }
    };
    match (attack < 0, defence < 0) {
        (false, false) => beats(attack, defence),
        (false, true) => 1.0 - 1.0 / (f64::from(1 - defence) * (f64::from(attack) + 1.0)),
        (true, false) => 0.0,
        (true, true) => beats(-defence, -attack),
    }
}

fn bonus(fighter: &Fighter, index: usize) -> i32 {
    i32::from(fighter.worn.bonuses[index]) + 64
}

fn attack_roll(attacker: &Fighter, style: Style, special: Option<Special>) -> i32 {
    let prayers = attacker.prayers;
    let stance = i32::from(attacker.worn.mode.attack);
    let (skill, percent, extra, column) = match style {
        Style::Melee => {
            (Skill::Attack, boost::attack(prayers), stance + 8, attacker.worn.mode.column)
        }
        Style::Ranged => (Skill::Ranged, boost::ranged_attack(prayers), stance + 8, Column::Ranged),
        // What a staff lets loose by itself aims a little better than a spell.
        Style::Magic if special == Some(Special::NightmareStaff) => {
            (Skill::Magic, boost::magic(prayers), 11, Column::Magic)
        }
        Style::Magic => (Skill::Magic, boost::magic(prayers), 9, Column::Magic),
    };
    (attacker.level(skill) * percent / 100 + extra) * bonus(attacker, column as usize)
}

fn effective_defence(defender: &Fighter, column: Column) -> i32 {
    let defence = defender.level(Skill::Defence) * boost::defence(defender.prayers) / 100;
    let level = if column == Column::Magic {
        let magic = defender.level(Skill::Magic) * boost::magic(defender.prayers) / 100;
        (7 * magic + 3 * defence) / 10
    } else {
        defence
    };
    level + i32::from(defender.worn.mode.defence) + 8
}

fn base_max(effective: i32, bonus: i32) -> i32 {
    (effective * bonus + 320) / 640
}

/// Dharok's wounds are not in this: they raise each blow after it is drawn.
fn melee_range(attacker: &Fighter, special: Option<Special>) -> (i32, i32) {
    let level = attacker.level(Skill::Strength) * boost::strength(attacker.prayers) / 100;
    let max =
        base_max(level + i32::from(attacker.worn.mode.strength) + 8, bonus(attacker, STRENGTH));
    match special {
        // Every godsword adds a tenth; the blade of Armadyl a quarter on top.
        Some(Special::AncientGodsword) => (0, max * 11 / 10),
        Some(Special::ArmadylGodsword) => (0, max * 11 / 10 * 5 / 4),
        Some(Special::DragonDagger) => (0, max * 23 / 20),
        Some(Special::VestaLongsword) => (max / 5, max * 6 / 5),
        Some(Special::StatiusWarhammer) => (max / 4, max * 5 / 4),
        _ => (0, max),
    }
}

fn ranged_range(attacker: &Fighter, special: Option<Special>) -> (i32, i32) {
    let level = attacker.level(Skill::Ranged) * boost::ranged_strength(attacker.prayers) / 100;
    let max = base_max(
        level + i32::from(attacker.worn.mode.strength) + 8,
        bonus(attacker, RANGED_STRENGTH),
    );
    match special {
        Some(Special::Ballista) => (0, max * 5 / 4),
        // The only arrows of the contract are those of dragons.
        Some(Special::DarkBow) => (8, (max * 15 / 10).max(8)),
        _ => (0, max),
    }
}

fn magic_max(attacker: &Fighter, spell: Option<Spell>, special: Option<Special>) -> i32 {
    let base = match spell {
        Some(Spell::IceRush) => 16,
        Some(Spell::IceBurst) => 22,
        Some(Spell::IceBlitz) => 26,
        Some(Spell::IceBarrage) => 30,
        Some(Spell::BloodRush) => 15,
        Some(Spell::BloodBurst) => 21,
        Some(Spell::BloodBlitz) => 25,
        Some(Spell::BloodBarrage) => 29,
        None if special == Some(Special::NightmareStaff) => {
            (58 * attacker.level(Skill::Magic) / 99 + 1).min(58)
        }
        None => 0,
    };
    let tenths = i32::from(attacker.worn.magic_tenths) + boost::magic_damage(attacker.prayers);
    base + base * tenths / 1000
}

#[cfg(test)]
mod tests {
    use super::super::tests::wearing;
    use super::*;
    use crate::kinds::{Prayer, Prayers, Rules};

    fn fighter(items: &[u16]) -> Fighter {
        wearing(Rules::Live, 99, items)
    }

    #[test]
    fn chance_knows_negative_rolls() {
        assert!((chance(9_102, 9_880) - 0.460_580_912_863).abs() < 1e-12);
        assert_eq!(chance(10, -1), 1.0 - 2.0 / 22.0);
        assert_eq!(chance(-10, 5), 0.0);
        assert_eq!(chance(-12, -7), 5.0 / 22.0);
        assert_eq!(chance(9, -7), 1.0 - 1.0 / 60.0);
    }

    #[test]
    fn specials_multiply_rolls_against_their_own_defence() {
        let bare = fighter(&[]);
        let mut shielded = bare;
        shielded.worn.bonuses[DEFENCE + Column::Slash as usize] = 36;
        let special = |id| rolls(&fighter(&[id]), &shielded, Swing::special(Style::Melee));
        assert_eq!(special(1215).attack, 107 * 104 * 23 / 20);
        assert_eq!(special(1215).defence, 107 * 100);
        assert_eq!(special(22613).defence, 107 * 64 / 4);
        assert_eq!(special(13652).attack, 107 * 121);
        // 34 becomes 37 by the godsword and 46 by Armadyl; 31 becomes 6 to 37.
        assert_eq!((special(11802).max, special(26233).max), (46, 37));
        assert_eq!((special(22613).min, special(22613).max), (6, 37));
        let zaryte = fighter(&[26374, 21932]);
        let plain = rolls(&zaryte, &bare, Swing::plain(Style::Ranged));
        let evoked = rolls(&zaryte, &bare, Swing::special(Style::Ranged));
        assert_eq!((evoked.attack, evoked.max), (2 * plain.attack, plain.max));
    }

    #[test]
    fn magic_counts_tenths_and_prayers() {
        let mut caster = fighter(&[11770]);
        let max = |caster: &Fighter, spell| rolls(caster, caster, Swing::cast(spell)).max;
        assert_eq!((max(&caster, Spell::IceRush), max(&caster, Spell::IceBarrage)), (16, 30));
        caster.prayers = Prayers::default().with(Prayer::Augury);
        // 4.5 % of 29 are 1.3.
        assert_eq!(max(&caster, Spell::BloodBarrage), 30);
        // 99 * 1.25 = 123; (7 * 123 + 3 * 123) / 10 + 8.
        let rolled = rolls(&fighter(&[]), &caster, Swing::cast(Spell::IceRush));
        assert_eq!(rolled.defence, 131 * (64 + 12));
    }

    #[test]
    fn the_nightmare_staff_scales_with_magic() {
        let mut staff = fighter(&[24424]);
        let max = |staff: &Fighter| rolls(staff, staff, Swing::special(Style::Magic)).max;
        assert_eq!(max(&staff), 58 + 58 * 15 / 100);
        staff.levels[Skill::Magic as usize] = 75;
        assert_eq!(max(&staff), 44 + 44 * 15 / 100);
        staff.worn.magic_tenths = 0;
        staff.levels[Skill::Magic as usize] = 112;
        assert_eq!(max(&staff), 58);
    }
}
