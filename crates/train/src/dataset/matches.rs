//! Of which match an episode comes, where a dataset of version 1 does not say.

/// What sources of version 1 say of a match, without what they say of a part of it.
///
/// They were written by this program alone, so their endings are known: `a.rec, seat 1`, `battle.json p2`,
/// `fight_A.jsonl.gz`, `game.replay#3.0 aside 1 mirrored`.
pub(super) fn match_of_source(source: &str) -> &str {
    if let Some((name, seat)) = source.rsplit_once(", seat ")
        && is_number(seat)
    {
        return name;
    }
    for side in [" p1", " p2", "_A.jsonl.gz", "_B.jsonl.gz"] {
        if let Some(name) = source.strip_suffix(side) {
            return name;
        }
    }
    if let Some((name, part)) = source.rsplit_once('#')
        && let Some((period, stretch)) = part.split_once('.')
        && is_number(period)
        && stretch.starts_with(|c: char| c.is_ascii_digit())
    {
        return name;
    }
    source
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_match_are_told_from_old_sources() {
        for (source, of) in [
            ("match-0001.rec, seat 0", "match-0001.rec"),
            ("match-0001.rec, seat 12", "match-0001.rec"),
            ("battles/one.json p1", "battles/one.json"),
            ("battles/one.json p2", "battles/one.json"),
            ("015_ZERKER_greedy_vs_random_A.jsonl.gz", "015_ZERKER_greedy_vs_random"),
            ("015_ZERKER_greedy_vs_random_B.jsonl.gz", "015_ZERKER_greedy_vs_random"),
            ("a.replay#0.0", "a.replay"),
            ("a.replay#12.3 aside 1 mirrored", "a.replay"),
            ("match 3 of seed 4", "match 3 of seed 4"),
            ("demo#last", "demo#last"),
            ("", ""),
        ] {
            assert_eq!(match_of_source(source), of, "{source}");
        }
    }
}
