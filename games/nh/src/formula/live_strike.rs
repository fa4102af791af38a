//! Hits as today's game draws them. An accurate hit takes at least 1, protection prayers come last
//! and spare nothing.

use super::{Dice, Fighter, Hit, Rolls, SPLATS, Special, Strike, Swing, between, hit_count};
use crate::kinds::{Skill, Style};

pub(super) fn strike(
    attacker: &Fighter,
    defender: &Fighter,
    swing: Swing,
    rolls: &Rolls,
    dice: &mut impl Dice,
) -> Strike {
    match swing.special_of(&attacker.worn) {
        Some(Special::DragonClaws) => {
            let (accurate, splats) = claws(rolls, dice);
            let splats = splats.map(|damage| defender.protected(Style::Melee, damage));
            Strike::one(Hit::claws(accurate, splats))
        }
        special => Strike::repeat(hit_count(attacker, swing), || {
            let (accurate, damage) = ordinary(attacker, swing.style, special, rolls, dice);
            Hit::single(accurate, defender.protected(swing.style, damage))
        }),
    }
}

/// Whether a hit is accurate, and its damage before protection.
fn ordinary(
    attacker: &Fighter,
    style: Style,
    special: Option<Special>,
    rolls: &Rolls,
    dice: &mut impl Dice,
) -> (bool, i32) {
    let mut hit = (dice.happens(rolls.chance), 0);
    // Without any damage to deal a hit counts as a miss.
    if rolls.max == 0 {
        return (false, 0);
    }
    if hit.0 {
        hit.1 = between(dice, rolls.min, rolls.max).max(1);
        if style == Style::Melee && attacker.worn.dharok {
            let whole = attacker.max_level(Skill::Hitpoints);
            let wounds = whole - attacker.level(Skill::Hitpoints);
            hit.1 = hit.1 * (10_000 + wounds * whole) / 10_000;
        }
    }
    if special == Some(Special::DarkBow) {
        hit.1 = hit.1.clamp(8, 48);
    }
    if let (Some(bolts), Style::Ranged) = (attacker.worn.bolts, style) {
        hit = bolts.live_shot(attacker, special, rolls.max, hit, dice);
    }
    if hit.0 {
        hit.1 = hit.1.max(1);
    }
    hit
}

/// Up to four rolls: the sooner one succeeds, the more damage there is, and the more splats share it.
fn claws(rolls: &Rolls, dice: &mut impl Dice) -> (bool, [i32; SPLATS]) {
    if rolls.max == 0 {
        return (false, [0; SPLATS]);
    }
    for roll in 0..SPLATS {
        if !dice.happens(rolls.chance) {
            continue;
        }
        let low = rolls.max * (SPLATS - roll) as i32 / 4;
        let all = between(dice, low, rolls.max + low - 1);
        let splats = match roll {
            0 => [all / 2, all / 4, all / 8, all / 8 + 1],
            1 => [0, all / 2, all / 4, all / 4 + 1],
            2 => [0, 0, all / 2, all / 2 + 1],
            _ => [0, 0, 0, all + 1],
        };
        return (true, splats);
    }
    // Even four misses scratch, two times of three.
    let scratch = i32::from(dice.below(3) < 2);
    (false, [0, 0, scratch, scratch])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{struck, wearing};
    use super::*;
    use crate::kinds::{Prayer, Prayers, Rules};

    const LIVE: Rules = Rules::Live;

    fn struck_by(items: &[u16], prayers: Prayers, swing: Swing, draws: &[i32]) -> Vec<i16> {
        let attacker = wearing(LIVE, 99, items);
        let defender = Fighter { prayers, ..wearing(LIVE, 99, &[]) };
        let hits = struck(LIVE, &attacker, &defender, swing, draws);
        hits.into_iter().flat_map(|(_, splats)| splats).collect()
    }

    #[test]
    fn accurate_hits_hurt_until_protection() {
        let (open, melee) = (Prayers::default(), Prayers::default().with(Prayer::ProtectMelee));
        let swing = Swing::plain(Style::Melee);
        assert_eq!(struck_by(&[4151], open, swing, &[1, 0]), [1]);
        assert_eq!(struck_by(&[4151], open, swing, &[1, 1]), [1]);
        assert_eq!(struck_by(&[4151], melee, swing, &[1, 1]), [0]);
        assert_eq!(struck_by(&[4151], melee, swing, &[1, 24]), [14]);
        assert_eq!(struck_by(&[4151], open, swing, &[0]), [0]);
    }

    #[test]
    fn claws_share_what_the_first_success_draws() {
        let (open, swing) = (Prayers::default(), Swing::special(Style::Melee));
        let claws = |draws: &[i32]| struck_by(&[13652], open, swing, draws);
        // The most is 21: the first roll draws from 21 to 41, the last from 5 to 25.
        assert_eq!(claws(&[1, 20]), [20, 10, 5, 6]);
        assert_eq!(claws(&[0, 1, 0]), [0, 7, 3, 4]);
        assert_eq!(claws(&[0, 0, 1, 20]), [0, 0, 15, 16]);
        assert_eq!(claws(&[0, 0, 0, 1, 20]), [0, 0, 0, 26]);
        assert_eq!(claws(&[0, 0, 0, 0, 1]), [0, 0, 1, 1]);
        assert_eq!(claws(&[0, 0, 0, 0, 2]), [0; 4]);
        let melee = open.with(Prayer::ProtectMelee);
        assert_eq!(struck_by(&[13652], melee, swing, &[1, 20]), [12, 6, 3, 3]);
    }

    #[test]
    fn a_dark_bow_takes_eight_before_protection() {
        let missiles = Prayers::default().with(Prayer::ProtectMissiles);
        let swing = Swing::special(Style::Ranged);
        let hits = struck_by(&[11235, 11212], missiles, swing, &[0, 1, 22]);
        assert_eq!(hits, [4, 18]);
    }

    #[test]
    fn wounds_raise_each_blow_of_dharok() {
        let mut dharok = wearing(LIVE, 99, &[4716, 4718, 4720, 4722]);
        dharok.levels[Skill::Hitpoints as usize] = 19;
        // 1 + 80 * 99 / 10000 = 1.792.
        let hits = struck(LIVE, &dharok, &dharok, Swing::plain(Style::Melee), &[1, 29]);
        assert_eq!(hits, [(true, vec![51])]);
    }
}
