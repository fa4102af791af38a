//! What a metric is called beside an axis.

/// Those whose names say too little by themselves.
const TITLES: [(&str, &str); 13] = [
    ("return_mean", "Mean return"),
    ("length_mean", "Mean length of a match"),
    ("elo", "Elo"),
    ("approx_kl", "KL divergence"),
    ("anchor_kl", "KL divergence from the anchor"),
    ("time/steps_per_second", "Steps a second"),
    ("time/rollout_seconds", "Seconds of a rollout"),
    ("time/update_seconds", "Seconds of an update"),
    ("evaluation/return_mean", "Mean return in evaluations"),
    ("evaluation/length_mean", "Mean length in evaluations"),
    ("evaluation/results/won", "Share of evaluation matches won"),
    ("evaluation/results/lost", "Share of evaluation matches lost"),
    ("evaluation/results/drawn", "Share of evaluation matches drawn"),
];

/// A metric in words.
pub fn title(metric: &str) -> String {
    if let Some((_, title)) = TITLES.iter().find(|(name, _)| *name == metric) {
        return (*title).to_owned();
    }
    let words = |name: &str| name.replace('_', " ");
    match metric.split_once('/') {
        Some(("terms", name)) => return format!("{} per match", capital(&words(name))),
        Some(("weighted", name)) => return format!("Reward for {} per match", words(name)),
        Some(("stats", name)) => return capital(&words(name)),
        Some(("opponents", name)) => return format!("Share won against {name}"),
        _ => {}
    }
    capital(&words(metric).replace('/', ": "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_told_in_words() {
        for (metric, words) in [
            ("return_mean", "Mean return"),
            ("explained_variance", "Explained variance"),
            ("terms/ball_touch", "Ball touch per match"),
            ("stats/goals_for", "Goals for"),
            ("opponents/bot:rule", "Share won against bot:rule"),
            ("roles/runner/entropy", "Roles: runner: entropy"),
            ("", ""),
        ] {
            assert_eq!(title(metric), words);
        }
    }
}
