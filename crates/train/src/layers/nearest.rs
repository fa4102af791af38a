//! "Did you mean": the known name closest to a mistaken one.

/// Longer names than this are not typing mistakes; measuring them would only burn time.
const LONGEST: usize = 128;

/// The candidate closest to `name`, if one is close enough to be what was meant.
///
/// A slip in a third of the letters is forgiven, and so is a missing qualifier: `cartpole` finds
/// `classic/cartpole`, `random` finds `bot:random`. Case does not count.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    several_nearest(name, candidates, 1).first().copied()
}

/// The candidates close enough to be what was meant, at most so many, the closest first. One that is
/// clearly closer than the others stands alone.
pub fn several_nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    if name.is_empty() || name.len() > LONGEST {
        return Vec::new();
    }
    let name = name.to_lowercase();
    let length = name.chars().count();
    // Of a single letter nothing is left after a slip.
    let slips = (length / 3).clamp(1, 4).min(length - 1);
    let close = |candidate: &'a str| {
        let full = candidate.to_lowercase();
        let tail = full.rsplit(['/', ':']).next().unwrap_or(&full);
        let whole = strsim::damerau_levenshtein(&name, &full);
        let distance = whole.min(strsim::damerau_levenshtein(&name, tail));
        // Jaro-Winkler adds what a count of edits misses: a long name that was cut short.
        let close = distance <= slips || strsim::jaro_winkler(&name, &full) > 0.9;
        // Of two with one last part, the one that needs no other part.
        close.then_some((distance, whole, candidate))
    };
    let candidates = candidates.into_iter().filter(|candidate| candidate.len() <= LONGEST);
    let mut found: Vec<(usize, usize, &str)> = candidates.filter_map(close).collect();
    found.sort();
    let best = found.first().map_or(0, |(distance, ..)| *distance);
    found.retain(|(distance, ..)| *distance <= best + 1);
    found.into_iter().take(most).map(|(.., candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::{nearest, several_nearest};

    const NAMES: [&str; 6] =
        ["classic/cartpole", "classic/pong", "minibatch", "epochs", "bot:random", "win"];

    #[test]
    fn forgives_slips() {
        let find = |name| nearest(name, NAMES);
        assert_eq!(find("minbatch"), Some("minibatch"));
        assert_eq!(find("Epochs"), Some("epochs"));
        assert_eq!(find("peochs"), Some("epochs"), "a transposition is one slip");
        assert_eq!(find("classic/cartpol"), Some("classic/cartpole"));
        assert_eq!(find("won"), Some("win"));
    }

    #[test]
    fn forgives_a_missing_qualifier() {
        assert_eq!(nearest("cartpole", NAMES), Some("classic/cartpole"));
        assert_eq!(nearest("rando", NAMES), Some("bot:random"));
        let means = ["evaluation/return_mean", "return_mean"];
        assert_eq!(nearest("retrun_mean", means), Some("return_mean"));
    }

    #[test]
    fn prefers_the_closest() {
        assert_eq!(nearest("gamma", ["gama", "gamma2", "gamma"]), Some("gamma"));
        assert_eq!(nearest("horizn", ["horizons", "horizon"]), Some("horizon"));
    }

    #[test]
    fn the_few_closest_come_in_order() {
        let names = ["rocket/2v2", "rocket/1v1", "rocket/touch", "nh/core"];
        assert_eq!(several_nearest("rokcet/1v1", names, 3), ["rocket/1v1"], "clearly the closest");
        assert_eq!(several_nearest("rocket/4v4", names, 3), ["rocket/1v1", "rocket/2v2"]);
        assert_eq!(several_nearest("rocket/4v4", names, 1), ["rocket/1v1"]);
        assert!(several_nearest("zebra", names, 3).is_empty());
    }

    #[test]
    fn keeps_silent_when_nothing_is_close() {
        assert_eq!(nearest("zebra", NAMES), None);
        assert_eq!(nearest("tie", NAMES), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("", NAMES), None);
        assert_eq!(nearest("epochs", []), None);
        assert_eq!(nearest(&"epochs".repeat(100_000), NAMES), None);
    }
}
