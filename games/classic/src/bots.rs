//! What the scripted players share: dice of their own, and a legal choice at random.

use lanista_game::Role;
use lanista_game::seed::{self, Rng};
use rand::RngExt;

/// Sets the dice of players apart from those of the world.
const STREAM: u64 = 0x626f_7473;

/// The dice of a scripted player for one choice: a function of the match's seed, the step and the
/// seat, and of nothing else. A player therefore leaves no trace in the match. The world stays a
/// function of seed and actions whether players were asked or not, and a match rebuilt from its
/// actions meets the same players.
pub(crate) fn dice(seed: u64, step: u32, seat: usize) -> Rng {
    seed::rng(seed::mix(seed::mix(seed::mix(seed, STREAM), u64::from(step)), seat as u64))
}

/// Chooses head by head, uniformly among what mask and requirements leave.
pub(crate) fn random(role: &Role, mask: &[bool], dice: &mut Rng, action: &mut [u32]) {
    let mut start = 0;
    for (head, actions) in role.heads.iter().map(|h| h.actions.len()).enumerate() {
        let legal = |choice: u32, earlier: &[u32]| {
            mask[start + choice as usize]
                && role
                    .requires
                    .iter()
                    .filter(|r| r.head == head && r.action == choice)
                    .all(|r| r.allows(earlier))
        };
        let all = 0..actions as u32;
        let count = all.clone().filter(|&a| legal(a, action)).count();
        if count > 0 {
            let nth = dice.random_range(0..count);
            let choice = all.clone().filter(|&a| legal(a, action)).nth(nth);
            action[head] = choice.unwrap_or_default();
        }
        start += actions;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::{Condition, Head, Requirement};

    #[test]
    fn dice_differ_by_seed_step_and_seat() {
        let first = |seed, step, seat| dice(seed, step, seat).random::<u64>();
        assert_eq!(first(1, 2, 0), first(1, 2, 0));
        assert_ne!(first(1, 2, 0), first(2, 2, 0));
        assert_ne!(first(1, 2, 0), first(1, 3, 0));
        assert_ne!(first(1, 2, 0), first(1, 2, 1));
    }

    #[test]
    fn random_choices_heed_mask_and_requirements() {
        let role = Role {
            heads: vec![Head::new("first", ["a", "b", "c"]), Head::new("second", ["u", "v", "w"])],
            requires: vec![Requirement {
                head: 1,
                action: 2,
                condition: Condition::All,
                choices: vec![(0, 1)],
            }],
            ..Role::default()
        };
        let mask = [false, true, true, true, false, true];
        let mut seen = [[0u32; 3]; 3];
        for step in 0..3000 {
            let mut action = [0, 0];
            random(&role, &mask, &mut dice(7, step, 0), &mut action);
            seen[action[0] as usize][action[1] as usize] += 1;
        }
        // Half of the choices take `c`, after which only `u` is left; the rest split evenly.
        assert_eq!(seen[0], [0; 3]);
        assert!((1350..1650).contains(&seen[2][0]) && seen[2][2] == 0, "{seen:?}");
        assert!((600..900).contains(&seen[1][0]) && seen[1][1] == 0, "{seen:?}");
        assert!((600..900).contains(&seen[1][2]), "{seen:?}");
    }
}
