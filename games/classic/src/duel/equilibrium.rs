//! What a round is worth, and how to play it so that nobody can do better against you.

use super::{CHOICES, Settings};

/// What a round is worth to the row player, by choices, if both open the rich vault.
pub fn payoffs(settings: &Settings) -> [[f64; CHOICES]; CHOICES] {
    let mut table = [[0.0; CHOICES]; CHOICES];
    for (choice, stake) in settings.stakes().into_iter().enumerate() {
        let beaten = (choice + 2) % CHOICES;
        table[choice][beaten] = stake + settings.prize;
        table[beaten][choice] = -(stake + settings.prize);
    }
    table
}

/// How often rock, paper and scissors are played in equilibrium.
pub fn equilibrium(settings: &Settings) -> [f64; CHOICES] {
    let [rock, paper, scissors] = settings.stakes().map(|stake| stake + settings.prize);
    let sum = rock + paper + scissors;
    [scissors / sum, rock / sum, paper / sum]
}

/// What the best reply to a mix of choices earns a round: 0 in equilibrium, more everywhere else.
pub fn exploitability(settings: &Settings, mix: &[f64; CHOICES]) -> f64 {
    payoffs(settings)
        .iter()
        .map(|row| row.iter().zip(mix).map(|(payoff, p)| payoff * p).sum())
        .fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::BIASED;
    use super::*;
    use proptest::prelude::*;

    /// What each pure choice earns against a mix.
    fn replies(settings: &Settings, mix: [f64; CHOICES]) -> [f64; CHOICES] {
        payoffs(settings).map(|row| row.iter().zip(mix).map(|(payoff, p)| payoff * p).sum())
    }

    proptest! {
        #[test]
        fn every_pure_reply_to_the_equilibrium_earns_the_value(
            rock in 0.01..100.0, paper in 0.01..100.0, scissors in 0.01..100.0, prize in 0.01..100.0
        ) {
            let settings = Settings { rock, paper, scissors, prize, ..Settings::default() };
            let mix = equilibrium(&settings);
            prop_assert!((mix.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(mix.iter().all(|&p| p > 0.0));
            for earned in replies(&settings, mix) {
                prop_assert!(earned.abs() < 1e-12, "{earned}");
            }
        }

        #[test]
        fn any_other_mix_can_be_exploited(rock in 0.0..1.0, share in 0.0..1.0) {
            let settings = Settings::default();
            let mix = [rock, (1.0 - rock) * share, (1.0 - rock) * (1.0 - share)];
            let off: f64 = mix.iter().zip(equilibrium(&settings)).map(|(a, b)| (a - b).abs()).sum();
            prop_assume!(off > 1e-3);
            prop_assert!(exploitability(&settings, &mix) > 1e-4);
        }
    }

    #[test]
    fn the_defaults_are_as_documented() {
        let settings = Settings::default();
        assert_eq!(equilibrium(&settings), [2.0 / 9.0, 4.0 / 9.0, 3.0 / 9.0]);
        assert_eq!(payoffs(&settings), [[0.0, -3.0, 4.0], [3.0, 0.0, -2.0], [-4.0, 2.0, 0.0]]);
        assert_eq!(exploitability(&settings, &BIASED), 1.0);
        assert!(exploitability(&settings, &equilibrium(&settings)).abs() < 1e-12);
    }
}
