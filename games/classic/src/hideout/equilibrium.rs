//! What a round is worth, and how to play it so that nobody can do better against you.

use super::{DOG, PLACES, Settings, TOOLS, TOWER};
use crate::zero_sum;

/// How often the hider takes each place, by the place that is locked.
pub type HiderMixes = [[f64; PLACES]; PLACES];
/// How often the seeker looks where with what, by the place that is locked.
pub type SeekerMixes = [[[f64; TOOLS]; PLACES]; PLACES];

/// What the hider wins in a round, and the seeker loses.
pub fn payoff(settings: &Settings, hidden: usize, looked: usize, tool: usize) -> f64 {
    let worth = settings.worths[hidden];
    if tool == DOG {
        let smelt = hidden.abs_diff(looked) <= 1;
        settings.fee + if smelt { -settings.chased } else { worth }
    } else if hidden == looked {
        -settings.caught
    } else {
        worth
    }
}

/// What the seeker may do while a place is locked: where it looks, and with what.
pub fn searches(locked: usize) -> impl Iterator<Item = (usize, usize)> {
    let open = (0..PLACES).filter(move |&place| place != locked);
    let with = |place: usize| (0..TOOLS).map(move |tool| (place, tool));
    open.flat_map(with).filter(|&(place, tool)| (place, tool) != (TOWER, DOG))
}

/// Both sides' mixes in equilibrium, and what a round is then worth to the hider, by the place that is
/// locked.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The hider's.
    pub hider: HiderMixes,
    /// The seeker's.
    pub seeker: SeekerMixes,
    /// What a round is worth.
    pub values: [f64; PLACES],
}

impl Equilibrium {
    /// Solves the rounds of these settings.
    pub fn of(settings: &Settings) -> Self {
        let mut all = Self {
            hider: [[0.0; PLACES]; PLACES],
            seeker: [[[0.0; TOOLS]; PLACES]; PLACES],
            values: [0.0; PLACES],
        };
        for locked in 0..PLACES {
            let open: Vec<usize> = (0..PLACES).filter(|&place| place != locked).collect();
            let row = |&hidden: &usize| {
                let earned = |(looked, tool)| payoff(settings, hidden, looked, tool);
                searches(locked).map(earned).collect()
            };
            let solution = zero_sum::solve(&open.iter().map(row).collect::<Vec<_>>());
            all.values[locked] = solution.value;
            for (&place, share) in open.iter().zip(solution.rows) {
                all.hider[locked][place] = share;
            }
            for ((place, tool), share) in searches(locked).zip(solution.columns) {
                all.seeker[locked][place][tool] = share;
            }
        }
        all
    }

    /// What a round is worth to the hider on average: every place is locked equally often.
    pub fn value(&self) -> f64 {
        self.values.iter().sum::<f64>() / PLACES as f64
    }
}

/// How much more than the value the best seeker wins of a hider a round: 0 in equilibrium.
pub fn hider_exploitability(settings: &Settings, mixes: &HiderMixes) -> f64 {
    let kept = |locked: usize| {
        let earned = |(looked, tool): (usize, usize)| -> f64 {
            let of = |hidden: usize| payoff(settings, hidden, looked, tool);
            mixes[locked].iter().enumerate().map(|(hidden, share)| share * of(hidden)).sum()
        };
        searches(locked).map(earned).fold(f64::INFINITY, f64::min)
    };
    Equilibrium::of(settings).value() - (0..PLACES).map(kept).sum::<f64>() / PLACES as f64
}

/// How much more than the value the best hider wins of a seeker a round: 0 in equilibrium.
pub fn seeker_exploitability(settings: &Settings, mixes: &SeekerMixes) -> f64 {
    let won = |locked: usize| {
        let earned = |hidden: usize| -> f64 {
            let of = |(looked, tool): (usize, usize)| {
                mixes[locked][looked][tool] * payoff(settings, hidden, looked, tool)
            };
            searches(locked).map(of).sum()
        };
        let open = (0..PLACES).filter(|&place| place != locked);
        open.map(earned).fold(f64::NEG_INFINITY, f64::max)
    };
    (0..PLACES).map(won).sum::<f64>() / PLACES as f64 - Equilibrium::of(settings).value()
}

#[cfg(test)]
mod tests {
    use super::super::{BIASED_SEEKER, biased_hider};
    use super::*;
    use proptest::prelude::*;

    /// The documented mixes, in hundredths of a percent.
    #[test]
    fn the_defaults_are_as_documented() {
        let found = Equilibrium::of(&Settings::default());
        let values = [49. / 34., 2659. / 1612., 925. / 409., 217. / 166., 2659. / 1612.];
        for (value, expected) in found.values.iter().zip(values) {
            assert!((value - expected).abs() < 1e-12, "{found:?}");
        }
        assert!((found.value() - 1.661_805_5).abs() < 1e-6, "{}", found.value());
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let cellar_locked = [0., 11. / 34., 3. / 34., 9. / 34., 11. / 34.];
        assert!(found.hider[0].iter().zip(cellar_locked).all(|(&a, b)| near(a, b)), "{found:?}");
        let seeker =
            [[0., 0.], [82. / 255., 0.], [0., 0.], [72. / 255., 57. / 255.], [44. / 255., 0.]];
        let same = found.seeker[0].as_flattened().iter().zip(seeker.as_flattened());
        assert!(same.into_iter().all(|(&a, &b)| near(a, b)), "{found:?}");
    }

    #[test]
    fn both_sides_mix_and_the_mix_depends_on_what_is_locked() {
        let found = Equilibrium::of(&Settings::default());
        for locked in 0..PLACES {
            let hider = &found.hider[locked];
            assert_eq!(hider[locked], 0.0);
            assert!((0..PLACES).all(|place| place == locked || hider[place] > 0.05), "{hider:?}");
            let used = found.seeker[locked].as_flattened().iter().filter(|&&share| share > 0.05);
            assert_eq!(used.count(), 4, "{:?}", found.seeker[locked]);
            assert!((0..locked).all(|other| found.hider[other] != *hider));
        }
    }

    #[test]
    fn exploitability_is_what_the_best_reply_wins() {
        let settings = Settings::default();
        let found = Equilibrium::of(&settings);
        assert!(hider_exploitability(&settings, &found.hider).abs() < 1e-12);
        assert!(seeker_exploitability(&settings, &found.seeker).abs() < 1e-12);
        let biased = hider_exploitability(&settings, &biased_hider(&settings));
        assert!(biased > 0.5, "{biased}");
        // Who looks everywhere alike with a lantern is met at the mill, worth 6, or at the cellar while
        // the mill is locked: 3/4 of the worth less 5/4.
        let biased = seeker_exploitability(&settings, &BIASED_SEEKER);
        let best = (4.0 * (0.75 * 6.0 - 1.25) + (0.75 * 5.0 - 1.25)) / 5.0;
        assert!((biased - (best - found.value())).abs() < 1e-12, "{biased}");
    }

    proptest! {
        #[test]
        fn every_reply_to_the_equilibrium_earns_at_most_the_value(
            worths in prop::array::uniform5(0.0..20.0f64),
            caught in 0.0..20.0f64, chased in 0.0..20.0f64, fee in 0.0..20.0f64
        ) {
            let settings = Settings { worths, caught, chased, fee, ..Settings::default() };
            let found = Equilibrium::of(&settings);
            prop_assert!(hider_exploitability(&settings, &found.hider).abs() < 1e-9);
            prop_assert!(seeker_exploitability(&settings, &found.seeker).abs() < 1e-9);
        }
    }
}
