//! Things that are drawn by weight.

use lanista_game::SettingsError;
use lanista_game::seed::Rng;
use rand::RngExt;

/// Refuses weights under a key from which nothing could be drawn.
pub(crate) fn check_weights(
    key: &str,
    weights: impl Iterator<Item = (String, f32)>,
) -> Result<(), SettingsError> {
    let mut any = false;
    for (name, weight) in weights {
        // Large weights would overflow their sum; NaN is in no range.
        if !(0.0..=1e6).contains(&weight) {
            return Err(SettingsError::new(
                format!("{key}.{name}"),
                format!("{weight} is no weight; it must be at least 0 and at most 1000000"),
            ));
        }
        any |= weight > 0.0;
    }
    if any {
        return Ok(());
    }
    Err(SettingsError::new(key, "every weight is 0; give one a weight above 0"))
}

/// Draws one by weight. One without weight never comes up; `None` if all are without.
pub(crate) fn pick<T: Copy>(
    choices: impl Iterator<Item = (T, f32)> + Clone,
    rng: &mut Rng,
) -> Option<T> {
    let total: f32 = choices.clone().map(|(_, weight)| weight).sum();
    let mut left = rng.random::<f32>() * total;
    let mut last = None;
    for (choice, weight) in choices.filter(|(_, weight)| *weight > 0.0) {
        last = Some(choice);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::seed;

    #[test]
    fn weights_are_shares() {
        let mut rng = seed::rng(2);
        let choices = [('a', 1.0), ('b', 0.0), ('c', 2.0)];
        let drawn: Vec<char> =
            (0..3000).map(|_| pick(choices.into_iter(), &mut rng).unwrap()).collect();
        let share = |c| drawn.iter().filter(|&&d| d == c).count();
        assert!((900..1100).contains(&share('a')) && share('b') == 0, "{}", share('a'));
        assert_eq!(pick([('a', 0.0)].into_iter(), &mut rng), None);
    }

    #[test]
    fn faults_name_their_key() {
        let check = |w: f32| check_weights("mix", [("x".to_owned(), w)].into_iter());
        assert!(check(1.0).is_ok());
        assert!(check(f32::NAN).unwrap_err().to_string().contains("settings.mix.x"));
        assert!(check(0.0).unwrap_err().to_string().contains("settings.mix:"));
    }
}
