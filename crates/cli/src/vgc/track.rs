//! `lanista vgc track`: recorded battles through the trackers of both sides.

use std::path::PathBuf;

use lanista_vgc::recorded::{Recording, Replayed, replay};
use serde_json::json;

/// Disagreements and choices that are shown of each file, unless all are asked for as JSON.
const SHOWN: usize = 10;

pub fn run(files: &[PathBuf], as_json: bool) -> anyhow::Result<()> {
    let mut found: Vec<(&PathBuf, Replayed)> = Vec::new();
    for file in files {
        let recording = Recording::read(file)?;
        if recording.log.is_empty() {
            let file = file.display();
            anyhow::bail!("{file} has no log to follow; `lanista vgc decisions` plays it again");
        }
        found.push((file, replay(&recording)));
    }
    let sum =
        |count: fn(&Replayed) -> usize| found.iter().map(|(_, one)| count(one)).sum::<usize>();
    let (turns, disagreements) = (sum(|one| one.turns), sum(|one| one.disagreements.len()));
    let (choices, inside) = (sum(|one| one.choices), sum(|one| one.choices_in_mask));
    if as_json {
        let file = |(path, one): &(&PathBuf, Replayed)| {
            json!({
                "file": path,
                "turns": one.turns,
                "disagreements": one.disagreements,
                "choices": one.choices,
                "choices_in_mask": one.choices_in_mask,
                "outside": one.outside,
            })
        };
        say!(
            "{}",
            json!({
                "battles": found.len(),
                "turns": turns,
                "disagreements": disagreements,
                "choices": choices,
                "choices_in_mask": inside,
                "files": found.iter().map(file).collect::<Vec<_>>(),
            })
        );
        return Ok(());
    }
    for (path, one) in &found {
        for words in one.disagreements.iter().chain(&one.outside).take(SHOWN) {
            say!("{}: {words}", path.display());
        }
    }
    say!(
        "{} battles, {turns} turns: {disagreements} disagreements of the trackers with the logs; \
         {inside} of {choices} choices are within what is legal.",
        found.len()
    );
    Ok(())
}
