//! Rolls as the recorded server computes them: in single precision, each step truncated where it
//! truncates. Its constants for specials are of double precision, and so are those two products.

use super::{Fighter, Rolls, Special, Swing, boost};
use crate::gear::{DEFENCE, MAGIC_DAMAGE, RANGED_STRENGTH, STRENGTH};
use crate::kinds::{Column, Skill, Spell, Style};

pub(super) fn rolls(attacker: &Fighter, defender: &Fighter, swing: Swing) -> Rolls {
    let special = swing.special_of(&attacker.worn);
    let (attack, defence, max) = match swing.style {
        Style::Melee => {
            let column = attacker.worn.mode.column;
            let defence = if special == Some(Special::VestaLongsword) {
                defence_roll(defender, Column::Stab) / 4
            } else {
                defence_roll(defender, column)
            };
            (melee_attack(attacker, column, special), defence, melee_max(attacker, special))
        }
        Style::Ranged => (
            ranged_attack(attacker),
            defence_roll(defender, Column::Ranged),
            ranged_max(attacker, special),
        ),
        Style::Magic => (
            magic_attack(attacker, swing.spell),
            magic_defence(defender),
            magic_max(attacker, swing.spell),
        ),
    };
    Rolls { attack, defence, chance: f64::from(chance(attack, defence)), min: 0, max }
}

/// The probability that an attack roll beats a defence roll.
pub fn chance(attack: i32, defence: i32) -> f32 {
    let (a, d) = (attack as f32, defence as f32);
    if attack > defence { 1.0 - (d + 2.0) / (2.0 * (a + 1.0)) } else { a / (2.0 * (d + 1.0)) }
}

/// A level under a prayer. The percentage divided is the same single as the server's literal, as
/// both are the nearest to the true quotient.
fn boosted(level: i32, percent: i32) -> i32 {
    (level as f32 * (percent as f32 / 100.0)) as i32
}

fn bonus(fighter: &Fighter, index: usize) -> i32 {
    i32::from(fighter.worn.bonuses[index]) + 64
}

fn melee_attack(attacker: &Fighter, column: Column, special: Option<Special>) -> i32 {
    let level = boosted(attacker.level(Skill::Attack), boost::attack(attacker.prayers));
    let mut effective = level + i32::from(attacker.worn.mode.attack) + 8;
    if let Some(special) = special {
        effective = (f64::from(effective) * special.server_accuracy()) as f32 as i32;
    }
    effective * bonus(attacker, column as usize)
}

fn ranged_attack(attacker: &Fighter) -> i32 {
    let level = boosted(attacker.level(Skill::Ranged), boost::ranged_attack(attacker.prayers));
    (level + i32::from(attacker.worn.mode.attack) + 8) * bonus(attacker, Column::Ranged as usize)
}

fn magic_attack(attacker: &Fighter, spell: Option<Spell>) -> i32 {
    let level = boosted(attacker.level(Skill::Magic), boost::magic(attacker.prayers));
    let roll = (level + 9) * bonus(attacker, Column::Magic as usize);
    let ice = matches!(
        spell,
        Some(Spell::IceRush | Spell::IceBurst | Spell::IceBlitz | Spell::IceBarrage)
    );
    if ice && attacker.worn.zuriel { (f64::from(roll) * 1.1).floor() as i32 } else { roll }
}

fn effective_defence(defender: &Fighter) -> i32 {
    boosted(defender.level(Skill::Defence), boost::defence(defender.prayers))
        + i32::from(defender.worn.mode.defence)
        + 8
}

fn defence_roll(defender: &Fighter, column: Column) -> i32 {
    effective_defence(defender) * bonus(defender, DEFENCE + column as usize)
}

fn magic_defence(defender: &Fighter) -> i32 {
    let magic = boosted(defender.level(Skill::Magic), boost::magic(defender.prayers));
    let effective =
        (f64::from(magic) * 0.7) as i32 + (f64::from(effective_defence(defender)) * 0.3) as i32;
    effective * bonus(defender, DEFENCE + Column::Magic as usize)
}

fn melee_max(attacker: &Fighter, special: Option<Special>) -> i32 {
    let level = boosted(attacker.level(Skill::Strength), boost::strength(attacker.prayers));
    let effective = level + i32::from(attacker.worn.mode.strength) + 8;
    let mut max = ((effective * bonus(attacker, STRENGTH)) as f32 + 320.0) / 640.0;
    max = max.trunc();
    if attacker.worn.dharok {
        let life = attacker.level(Skill::Hitpoints) as f32;
        let whole = attacker.max_level(Skill::Hitpoints) as f32;
        max *= 1.0 + (whole - life) / 100.0 * (whole / 100.0);
    }
    if let Some(special) = special {
        max = (f64::from(max) * special.server_damage()) as f32;
    }
    max as i32
}

/// Unlike that of melee, the base is not truncated before a special multiplies it.
fn ranged_max(attacker: &Fighter, special: Option<Special>) -> i32 {
    let level = boosted(attacker.level(Skill::Ranged), boost::ranged_strength(attacker.prayers));
    let effective = level + i32::from(attacker.worn.mode.strength) + 8;
    let mut max = effective as f32 * bonus(attacker, RANGED_STRENGTH) as f32;
    max = (max + 320.0) / 640.0;
    if let Some(special) = special {
        max = (f64::from(max) * special.server_damage()) as f32;
    }
    max as i32
}

/// No spell, no damage: the nightmare staff's special draws its own.
fn magic_max(attacker: &Fighter, spell: Option<Spell>) -> i32 {
    let base = match spell {
        None => return 0,
        Some(Spell::IceRush) => 18.0,
        Some(Spell::IceBurst) => 22.0,
        Some(Spell::IceBlitz) => 26.0,
        Some(Spell::IceBarrage) => 30.0,
        Some(Spell::BloodRush) => 15.0,
        Some(Spell::BloodBurst) => 21.0,
        Some(Spell::BloodBlitz) => 25.0,
        Some(Spell::BloodBarrage) => 29.0,
    };
    (base * (1.0 + f32::from(attacker.worn.bonuses[MAGIC_DAMAGE]) / 100.0)) as i32
}

#[cfg(test)]
mod tests {
    use super::super::tests::wearing;
    use super::*;
    use crate::kinds::{Prayer, Prayers, Rules};

    fn fighter(items: &[u16]) -> Fighter {
        wearing(Rules::Server2024, 99, items)
    }

    #[test]
    fn chance_is_of_single_precision() {
        assert_eq!(chance(10_251, 2_072).to_bits(), 0.898_849_f32.to_bits());
        assert_eq!(chance(28_161, 29_766).to_bits(), 0.473_023_83_f32.to_bits());
    }

    #[test]
    fn a_scimitar_under_prayers() {
        // 52 * 1.15 = 59.8; 88 * 1.15 = 101.2; 6 * 1.15 = 6.9.
        let mut attacker = fighter(&[4587]);
        attacker.levels[Skill::Attack as usize] = 52;
        attacker.levels[Skill::Strength as usize] = 88;
        attacker.prayers =
            Prayers::default().with(Prayer::IncredibleReflexes).with(Prayer::UltimateStrength);
        let mut defender = fighter(&[]);
        defender.levels[Skill::Defence as usize] = 6;
        defender.prayers = Prayers::default().with(Prayer::SteelSkin);
        let rolled = rolls(&attacker, &defender, Swing::plain(Style::Melee));
        assert_eq!(rolled.attack, (59 + 8) * (67 + 64));
        assert_eq!(rolled.defence, (6 + 8) * 64);
        assert_eq!(rolled.max, ((101 + 3 + 8) * (66 + 64) + 320) / 640);
    }

    #[test]
    fn specials_multiply_levels_not_rolls() {
        let bare = fighter(&[]);
        let special = |id| rolls(&fighter(&[id]), &bare, Swing::special(Style::Melee));
        // 107 * 1.2 = 128.4; 107 * 1.35 = 144.45.
        assert_eq!(special(1215).attack, 128 * (40 + 64));
        assert_eq!(special(13652).attack, 144 * (57 + 64));
        assert_eq!(special(11802).attack, 214 * (132 + 64));
        // (99 + 11) * 104 = 11440, and (11440 + 320) / 640 = 18.4; 18 * 1.15 = 20.7.
        assert_eq!(special(1215).max, 20);
        // (99 + 11) * 196 = 21560, and 34 * 1.375 = 46.75, 34 * 1.1 = 37.4.
        assert_eq!((special(11802).max, special(26233).max), (46, 37));
        assert_eq!(special(22613).defence, 107 * 64 / 4);
    }

    #[test]
    fn missiles_gain_damage_before_it_is_truncated() {
        let bare = fighter(&[]);
        let ballista = fighter(&[19481, 19484]);
        let strength = i32::from(ballista.worn.bonuses[RANGED_STRENGTH]) + 64;
        let plain = rolls(&ballista, &bare, Swing::plain(Style::Ranged));
        let special = rolls(&ballista, &bare, Swing::special(Style::Ranged));
        assert_eq!(plain.max, (107 * strength + 320) / 640);
        assert_eq!(special.max, (107 * strength + 320) * 5 / (640 * 4));
        assert_ne!(special.max, plain.max * 5 / 4);
        assert_eq!(special.attack, plain.attack);
    }

    #[test]
    fn magic_defence_truncates_both_shares() {
        let mut defender = fighter(&[]);
        defender.prayers = Prayers::default().with(Prayer::Augury);
        // 99 * 1.25 = 123.75; 123 * 0.7 = 86.1; (123 + 8) * 0.3 = 39.3.
        assert_eq!(magic_defence(&defender), (86 + 39) * 64);
    }

    #[test]
    fn zuriel_aims_ice() {
        let staff = fighter(&[22647]);
        let ice = rolls(&staff, &staff, Swing::cast(Spell::IceBarrage));
        let blood = rolls(&staff, &staff, Swing::cast(Spell::BloodBarrage));
        assert_eq!(ice.attack, blood.attack * 11 / 10);
        assert_eq!((ice.max, blood.max), (33, 31)); // 10 % more than 30 and 29.
    }

    #[test]
    fn dharok_grows_with_wounds() {
        let mut dharok = fighter(&[4716, 4718, 4720, 4722]);
        let whole = rolls(&dharok, &dharok, Swing::plain(Style::Melee)).max;
        // (99 + 11) * (105 + 64) = 18590, which is 29.5 after the division.
        assert_eq!(whole, 29);
        dharok.levels[Skill::Hitpoints as usize] = 19;
        // 1 + 0.8 * 0.99 = 1.792.
        assert_eq!(rolls(&dharok, &dharok, Swing::plain(Style::Melee)).max, 51);
    }
}
