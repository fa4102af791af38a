//! `lanista nh`: what concerns Old School RuneScape alone.

mod decisions;
mod server;

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::bail;
use lanista_nh::replay::{Agreement, Count, Recording};
use serde_json::json;

use crate::args::{NhArgs, NhWhat};

pub fn run(args: NhArgs) -> anyhow::Result<()> {
    match args.what {
        NhWhat::Replay { files, all, json } => replay(&files, all, json),
        NhWhat::Decisions { files, json } => decisions::run(&files, json),
        NhWhat::Server(args) => server::run(&args),
    }
}

fn replay(files: &[PathBuf], all: bool, as_json: bool) -> anyhow::Result<()> {
    let mut tally = Agreement::default();
    let mut played: HashSet<PathBuf> = HashSet::new();
    for file in files {
        // Both files of a fight may be named; it is played once.
        if played.contains(file) {
            continue;
        }
        let recording = Recording::read(file)?;
        recording.replay(&mut tally)?;
        played.extend(recording.files().map(PathBuf::from));
    }
    if tally.fights == 0 {
        bail!("no fight to replay");
    }
    if as_json {
        print_json(&tally)
    } else {
        table(&tally, all).into_iter().for_each(|line| say!("{line}"))
    }
    Ok(())
}

fn print_json(tally: &Agreement) {
    let (compared, equal) = tally.totals();
    let field = |(name, count): (String, &Count)| {
        let first = count.first.as_ref().map(|d| {
            json!({"file": d.file, "tick": d.tick, "side": d.side, "ours": d.ours, "theirs": d.theirs})
        });
        json!({
            "name": name,
            "compared": count.compared,
            "equal": count.equal,
            "share": count.share(),
            "first_difference": first,
        })
    };
    say!(
        "{}",
        json!({
            "fights": tally.fights,
            "ticks": tally.ticks,
            "compared": compared,
            "equal": equal,
            "tiles_corrected": tally.moved,
            "attacks_unmatched": tally.unmatched,
            "fields": tally.named().map(field).collect::<Vec<_>>(),
        })
    );
}

/// The summary, then the fields that differ, or all of them.
fn table(tally: &Agreement, all: bool) -> Vec<String> {
    let (compared, equal) = tally.totals();
    let differ = tally.named().filter(|(_, count)| count.equal < count.compared).count();
    let fields = tally.named().count();
    let mut lines = vec![format!(
        "{} fights, {} ticks: {equal} of {compared} values of observations and masks are equal \
         ({:.5} %); {differ} of {fields} fields differ. Tiles put right: {}. Attacks that only one \
         side of the comparison made: {}.",
        tally.fights,
        tally.ticks,
        100.0 * equal as f64 / compared.max(1) as f64,
        tally.moved,
        tally.unmatched
    )];
    let shown = tally.named().filter(|(_, count)| all || count.equal < count.compared);
    for (n, (name, count)) in shown.enumerate() {
        if n == 0 {
            lines.push(format!("{:52} {:>9} {:>10}  first difference", "field", "equal", "share"));
        }
        let first = count.first.as_ref().map_or(String::new(), |d| {
            format!("{} tick {} {}: {} for {}", d.file, d.tick, d.side, d.ours, d.theirs)
        });
        let equal = format!("{}/{}", count.equal, count.compared);
        lines.push(format!("{name:44} {equal:>17} {:>9.4} %  {first}", 100.0 * count.share()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_nh::replay::Difference;

    #[test]
    fn only_what_differs_is_listed_unless_all_is_asked_for() {
        let mut tally = Agreement { fights: 1, ticks: 9, ..Agreement::default() };
        for count in &mut tally.fields {
            (count.compared, count.equal) = (9, 9);
        }
        let equal = table(&tally, false);
        assert_eq!(equal.len(), 1, "{equal:#?}");
        assert!(equal[0].contains("fields differ") && equal[0].contains(" 0 of "), "{equal:#?}");
        tally.fields[3].equal = 7;
        let (file, side) = ("a.jsonl".to_owned(), "own");
        let first = Difference { file, tick: 4, side, ours: 1.0, theirs: 2.0 };
        tally.fields[3].first = Some(first);
        let name = tally.named().nth(3).unwrap().0;
        let short = table(&tally, false);
        assert_eq!(short.len(), 3, "a summary, a header and a field: {short:#?}");
        assert!(short[0].contains("; 1 of "), "{short:#?}");
        assert!(short[2].starts_with(&name) && short[2].contains("tick 4 own: 1 for 2"));
        assert_eq!(table(&tally, true).len(), 2 + tally.named().count());
    }
}
