//! "Did you mean": the known name closest to a mistaken one.

/// Longer names than this are not typing mistakes; measuring them would only burn time.
const LONGEST: usize = 128;

/// The candidate closest to `name`, if one is close enough to be what was meant.
///
/// A slip in a third of the letters is forgiven, and so is a missing qualifier: `cartpole` finds
/// `classic/cartpole`, `random` finds `bot:random`. Case does not count.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    let length = name.chars().count();
    // Of a single letter nothing is left after a slip.
    let slips = (length / 3).clamp(1, 4).min(length - 1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .filter_map(|candidate| {
            let full = candidate.to_lowercase();
            let tail = full.rsplit(['/', ':']).next().unwrap_or(&full);
            let distance = strsim::damerau_levenshtein(&name, &full)
                .min(strsim::damerau_levenshtein(&name, tail));
            // Jaro-Winkler adds what a count of edits misses: a long name that was cut short.
            let close = distance <= slips || strsim::jaro_winkler(&name, &full) > 0.9;
            close.then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

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
    }

    #[test]
    fn prefers_the_closest() {
        assert_eq!(nearest("gamma", ["gama", "gamma2", "gamma"]), Some("gamma"));
        assert_eq!(nearest("horizn", ["horizons", "horizon"]), Some("horizon"));
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
