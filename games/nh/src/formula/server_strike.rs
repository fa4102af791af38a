//! Hits as the recorded server draws them.

use super::{
    Dice, Fighter, Hit, Rolls, SPLATS, Special, Strike, Swing, between, hit_count, server,
};
use crate::gear::MAGIC_DAMAGE;
use crate::kinds::{Skill, Style};

pub(super) fn strike(
    attacker: &Fighter,
    defender: &Fighter,
    swing: Swing,
    rolls: &Rolls,
    dice: &mut impl Dice,
) -> Strike {
    let ordinary = |dice: &mut _| ordinary(attacker, defender, swing, rolls, dice);
    let special = swing.special_of(&attacker.worn);
    match special {
        Some(Special::DragonClaws) => Strike::one(claws(defender, rolls, dice)),
        Some(Special::VestaLongsword) => Strike::one(vesta(attacker, defender, rolls, dice)),
        Some(Special::StatiusWarhammer) => {
            let mut hit = ordinary(dice);
            if hit.accurate {
                let low = rolls.max / 4;
                hit = set(true, between(dice, low, rolls.max + low));
            }
            Strike::one(hit)
        }
        Some(Special::NightmareStaff) => {
            let mut hit = ordinary(dice);
            if hit.accurate {
                hit = set(true, immolate(attacker, dice));
            }
            Strike::one(hit)
        }
        Some(Special::DarkBow) => Strike::repeat(2, || {
            // Even a miss takes eight.
            set(true, ordinary(dice).damage().clamp(8, 48))
        }),
        _ => Strike::repeat(hit_count(attacker, swing), || ordinary(dice)),
    }
}

/// Accuracy, damage, protection, bolts.
fn ordinary(
    attacker: &Fighter,
    defender: &Fighter,
    swing: Swing,
    rolls: &Rolls,
    dice: &mut impl Dice,
) -> Hit {
    let accurate = dice.happens(rolls.chance);
    let mut damage = 0;
    if accurate {
        damage = defender.protected(swing.style, dice.below(rolls.max + 1));
    }
    if let (Some(bolts), Style::Ranged) = (attacker.worn.bolts, swing.style) {
        let special = swing.special_of(&attacker.worn);
        damage = bolts.server_damage(attacker, defender, special, accurate, damage, dice);
    }
    Hit::single(accurate, damage)
}

/// A hit whose damage a special has set: any damage makes it accurate.
fn set(accurate: bool, damage: i32) -> Hit {
    Hit::single(accurate || damage > 0, damage)
}

/// A hit passes protection prayers and takes from 20 to 120 %. The ordinary blow that the server draws
/// beneath is thrown away; after a miss that blow rolls once more, against the whole defence, and only
/// the flag keeps it.
fn vesta(attacker: &Fighter, defender: &Fighter, rolls: &Rolls, dice: &mut impl Dice) -> Hit {
    let hits = dice.happens(rolls.chance);
    let accurate = hits || {
        let plain = server::rolls(attacker, defender, Swing::plain(Style::Melee));
        dice.happens(plain.chance)
    };
    if accurate {
        dice.below(rolls.max + 1);
    }
    if !hits {
        return set(accurate, 0);
    }
    let low = (0.2 * f64::from(rolls.max)) as i32;
    set(true, between(dice, low, rolls.max + low))
}

/// From one to the spell's damage, then the bonus; protection prayers are passed.
fn immolate(attacker: &Fighter, dice: &mut impl Dice) -> i32 {
    let magic = f64::from(attacker.level(Skill::Magic));
    let most = ((magic * 263.0 / 449.0 + 1.0) as i32).min(58);
    let bonus = f64::from(attacker.worn.bonuses[MAGIC_DAMAGE]) / 100.0;
    (f64::from(between(dice, 1, most)) * (1.0 + bonus)) as i32
}

/// Four ordinary hits are drawn; the first that hurts decides how much all four splats take. A hit
/// for nothing does not count, and the last roll says whether the whole was accurate.
fn claws(defender: &Fighter, rolls: &Rolls, dice: &mut impl Dice) -> Hit {
    let mut first = None;
    let mut accurate = false;
    for roll in 0..SPLATS {
        accurate = dice.happens(rolls.chance);
        if accurate {
            let damage = defender.protected(Style::Melee, dice.below(rolls.max + 1));
            if damage > 0 && first.is_none() {
                first = Some(roll);
            }
        }
    }
    let max = defender.protected(Style::Melee, rolls.max);
    // Eighths of the most damage, rounded to the nearest.
    let eighths = |n: i32| (max * n + 4) / 8;
    let splats = match first {
        Some(0) => {
            // With a maximum of 1 the bounds are the wrong way round; the server swaps them.
            let (low, high) = (eighths(4).min(max - 1), eighths(4).max(max - 1));
            let a = between(dice, low, high).max(0);
            [a, a / 2, a / 4, a / 4 + dice.below(2)]
        }
        Some(1) => {
            let b = between(dice, eighths(3), eighths(7));
            [0, b, b / 2, b / 2 + dice.below(2)]
        }
        Some(2) => {
            let c = between(dice, eighths(2), eighths(6));
            [0, 0, c, c + dice.below(2)]
        }
        Some(_) => [0, 0, 0, between(dice, eighths(2), eighths(10))],
        None => {
            let t = dice.below(2);
            [0, 0, t, t]
        }
    };
    Hit::claws(accurate, splats)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{struck, wearing};
    use super::*;
    use crate::kinds::{Prayer, Prayers, Rules};

    const SERVER: Rules = Rules::Server2024;

    fn against(prayer: Prayer) -> Fighter {
        let bare = wearing(SERVER, 99, &[]);
        Fighter { prayers: Prayers::default().with(prayer), ..bare }
    }

    fn struck_by(
        items: &[u16],
        defender: &Fighter,
        style: Style,
        draws: &[i32],
    ) -> Vec<(bool, Vec<i16>)> {
        struck(SERVER, &wearing(SERVER, 99, items), defender, Swing::special(style), draws)
    }

    #[test]
    fn eighths_round_like_the_server() {
        for max in 0..200 {
            for n in [2, 3, 4, 6, 7, 10] {
                let server = (f64::from(max) * f64::from(n) / 8.0 + 0.5).floor() as i32;
                assert_eq!((max * n + 4) / 8, server);
            }
        }
    }

    #[test]
    fn claws_cascade_from_the_first_roll_that_hurts() {
        let bare = wearing(SERVER, 99, &[]);
        let claws = |draws: &[i32]| {
            let mut hits = struck_by(&[13652], &bare, Style::Melee, draws);
            hits.pop().unwrap()
        };
        // (99 + 11) * (56 + 64) = 13200: the most is 21, its half 11.
        assert_eq!(claws(&[1, 9, 0, 0, 0, 9, 1]), (false, vec![20, 10, 5, 6]));
        assert_eq!(claws(&[0, 1, 9, 0, 1, 3, 10, 0]), (true, vec![0, 18, 9, 9]));
        // A hit for nothing does not count.
        assert_eq!(claws(&[1, 0, 0, 1, 4, 0, 11, 1]), (false, vec![0, 0, 16, 17]));
        assert_eq!(claws(&[0, 0, 0, 1, 21, 21]), (true, vec![0, 0, 0, 26]));
        assert_eq!(claws(&[0, 0, 0, 0, 1]), (false, vec![0, 0, 1, 1]));
        // Protection leaves 12 of the most.
        let protected = against(Prayer::ProtectMelee);
        let hits = struck_by(&[13652], &protected, Style::Melee, &[1, 9, 0, 0, 0, 5, 0]);
        assert_eq!(hits, [(false, vec![11, 5, 2, 2])]);
    }

    #[test]
    fn old_weapons_pass_protection() {
        let melee = against(Prayer::ProtectMelee);
        // (99 + 11) * (118 + 64) = 20020: the most is 31; a fifth 6, a quarter of 30 is 7.
        let vesta = |draws: &[i32]| struck_by(&[22613], &melee, Style::Melee, draws);
        assert_eq!(vesta(&[1, 3, 0]), [(true, vec![6])]);
        assert_eq!(vesta(&[1, 3, 31]), [(true, vec![37])]);
        assert_eq!(vesta(&[0, 0]), [(false, vec![0])]);
        assert_eq!(vesta(&[0, 1, 30]), [(true, vec![0])]);
        let statius = |draws: &[i32]| struck_by(&[22622], &melee, Style::Melee, draws);
        assert_eq!(statius(&[1, 3, 0]), [(true, vec![7])]);
        assert_eq!(statius(&[1, 3, 30]), [(true, vec![37])]);
        assert_eq!(statius(&[0]), [(false, vec![0])]);
        // 58 at most, and 15 % more.
        let magic = against(Prayer::ProtectMagic);
        let staff = |draws: &[i32]| struck_by(&[24424], &magic, Style::Magic, draws);
        assert_eq!(staff(&[1, 0, 57]), [(true, vec![66])]);
        assert_eq!(staff(&[1, 0, 0]), [(true, vec![1])]);
        assert_eq!(staff(&[0]), [(false, vec![0])]);
    }

    #[test]
    fn a_dark_bow_takes_eight_at_least() {
        let protected = against(Prayer::ProtectMissiles);
        let hits = struck_by(&[11235, 11212], &protected, Style::Ranged, &[0, 1, 30]);
        assert_eq!(hits, [(true, vec![8]), (true, vec![18])]);
    }
}
