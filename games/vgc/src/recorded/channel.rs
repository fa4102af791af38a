//! What one side sees of a log that tells everything.

use std::borrow::Cow;

use crate::format::{Format, Gimmick};
use crate::request::Condition;

use super::lines::side_of;

/// The lines of a log as a side sees them: health of the other side in hundredths. Where the log itself says
/// what is secret (`|split|p1`, then the secret line, then the shared one), that decides.
pub fn channel<'a>(format: &Format, log: &'a [String], me: usize) -> Vec<Cow<'a, str>> {
    let mut shown = Vec::with_capacity(log.len());
    let mut lines = log.iter().map(String::as_str);
    while let Some(line) = lines.next() {
        if let Some(whose) = line.strip_prefix("|split|") {
            let (secret, shared) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
            let mine = side_of(whose) == Some(me);
            shown.push(Cow::Borrowed(if mine { secret } else { shared }));
        } else {
            shown.push(reduced(format, line, me));
        }
    }
    shown
}

/// A line without the exact health of the other side.
fn reduced<'a>(format: &Format, line: &'a str, me: usize) -> Cow<'a, str> {
    let mut parts = line.split('|').skip(1);
    let at = match parts.next() {
        Some("switch" | "drag" | "replace" | "detailschange" | "-formechange") => 4,
        Some("-damage" | "-heal" | "-sethp") => 3,
        _ => return Cow::Borrowed(line),
    };
    let foe = if me == 0 { "p2" } else { "p1" };
    if !parts.next().is_some_and(|who| who.starts_with(foe)) {
        return Cow::Borrowed(line);
    }
    let told = line.split('|').nth(at).unwrap_or("");
    let Some(shared) = hundredths(format, told) else { return Cow::Borrowed(line) };
    let parts: Vec<&str> = line
        .split('|')
        .enumerate()
        .map(|(i, part)| if i == at { &*shared } else { part })
        .collect();
    Cow::Owned(parts.join("|"))
}

/// Health as the other side is told it: rounded up, and not whole until it is (sim/pokemon, getHealth); in
/// Champions rounded down and not nothing. Nothing for what is not health or is in hundredths already.
pub(super) fn hundredths(format: &Format, told: &str) -> Option<String> {
    let condition = Condition::parse(told)?;
    if condition.fainted || condition.max == 100 {
        return None;
    }
    let (hp, max) = (u32::from(condition.hp), u32::from(condition.max));
    let percent = match format.gimmick {
        Gimmick::MegaEvolve => (100 * hp / max).max(1),
        Gimmick::Terastallize => match (100 * hp).div_ceil(max) {
            100 if hp < max => 99,
            percent => percent,
        },
    };
    let status = told.split_once(' ').map_or(String::new(), |(_, status)| format!(" {status}"));
    Some(format!("{percent}/100{status}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_side_is_seen_in_hundredths() {
        let format = Format::of("gen9vgc2023regc").unwrap();
        let log = [
            "|switch|p2a: X|Ting-Lu, L50|249/252 brn",
            "|-damage|p1a: Y|1/252",
            "|-damage|p2a: X|0 fnt",
            "|move|p2a: X|Protect|p2a: X",
            "|split|p2",
            "|-heal|p2a: X|10/20",
            "|-heal|p2a: X|50/100",
        ]
        .map(str::to_owned);
        let seen = channel(format, &log, 0);
        let wanted = [
            "|switch|p2a: X|Ting-Lu, L50|99/100 brn",
            "|-damage|p1a: Y|1/252",
            "|-damage|p2a: X|0 fnt",
            "|move|p2a: X|Protect|p2a: X",
            "|-heal|p2a: X|50/100",
        ];
        assert_eq!(seen, wanted);
        assert_eq!(channel(format, &log, 1)[1], "|-damage|p1a: Y|1/100");
        assert_eq!(channel(format, &log, 1)[4], "|-heal|p2a: X|10/20");
    }
}
