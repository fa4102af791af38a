//! `lanista nh`: what concerns Old School RuneScape alone.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::bail;
use lanista_nh::replay::{Count, Recording, Tally};
use serde_json::json;

use crate::args::{NhArgs, NhWhat};

pub fn run(args: NhArgs) -> anyhow::Result<()> {
    match args.what {
        NhWhat::Replay { files, json } => replay(&files, json),
    }
}

fn replay(files: &[PathBuf], as_json: bool) -> anyhow::Result<()> {
    let mut tally = Tally::default();
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
        print_table(&tally)
    }
    Ok(())
}

fn print_json(tally: &Tally) {
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

fn print_table(tally: &Tally) {
    let (compared, equal) = tally.totals();
    say!("{:52} {:>9} {:>10}  first difference", "field", "equal", "share");
    for (name, count) in tally.named() {
        let first = count.first.as_ref().map_or(String::new(), |d| {
            format!("{} tick {} {}: {} for {}", d.file, d.tick, d.side, d.ours, d.theirs)
        });
        let equal = format!("{}/{}", count.equal, count.compared);
        say!("{name:44} {equal:>17} {:>9.4} %  {first}", 100.0 * count.share());
    }
    say!(
        "\n{} fights, {} ticks: {equal} of {compared} values of observations and masks are equal ({:.5} %).",
        tally.fights,
        tally.ticks,
        100.0 * equal as f64 / compared.max(1) as f64,
    );
    say!(
        "Tiles put right: {}. Attacks that only one side of the comparison made: {}.",
        tally.moved,
        tally.unmatched
    );
}
