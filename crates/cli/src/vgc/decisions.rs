//! `lanista vgc decisions`: what was chosen in recorded battles, as a policy would learn it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use lanista_vgc::decisions::{Reader, Summary, Way, is_recording};
use lanista_vgc::settings::Settings;
use serde_json::json;

/// Notes that are shown of each file, unless all are asked for as JSON.
const SHOWN: usize = 5;

pub fn run(paths: &[PathBuf], as_json: bool) -> anyhow::Result<()> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    let mut reader = Reader::new(&Settings::default());
    let mut total = Summary::default();
    // A file that cannot be read is told of, and the others are read all the same.
    let mut found: Vec<(&PathBuf, Result<Summary, String>)> = Vec::new();
    for file in &files {
        let one = reader.episodes(file, &mut |_| {}).map_err(|error| error.to_string());
        if let Ok(one) = &one {
            total.add(one);
        }
        found.push((file, one));
    }
    let unread = found.iter().filter(|(_, one)| one.is_err()).count();
    if as_json {
        let file = |(path, one): &(&PathBuf, Result<Summary, String>)| match one {
            Ok(one) => json!({"file": path, "summary": one}),
            Err(why) => json!({"file": path, "error": why}),
        };
        say!(
            "{}",
            json!({
                "files": found.iter().map(file).collect::<Vec<_>>(),
                "unread": unread,
                "episodes": total.episodes,
                "decisions": total.decisions,
                "inside": total.inside,
                "outside": total.outside,
                "known_heads": total.known_heads,
                "unknown_heads": total.unknown_heads,
                "refused": total.refused.len(),
            })
        );
        return Ok(());
    }
    for (path, one) in &found {
        match one {
            Ok(one) => show(path, one),
            Err(why) => say!("{why}"),
        }
    }
    say!(
        "{} files, {unread} of them unread: {} decisions in {} episodes, {} whole and within what was offered, \
         {} outside; {} choices of heads known, {} unknown; {} sides left out.",
        found.len(),
        total.decisions,
        total.episodes,
        total.inside,
        total.outside,
        total.known_heads,
        total.unknown_heads,
        total.refused.len()
    );
    Ok(())
}

fn show(path: &Path, one: &Summary) {
    let way = match one.way {
        Some(Way::Played) => "played again",
        Some(Way::Kept) => "as the client kept them",
        Some(Way::Told) => "told from teams, log and choices",
        Some(Way::Inferred) => "told from the log alone",
        None => "none",
    };
    let path = path.display();
    say!(
        "{path}: {} decisions, {way}: {} inside, {} outside, {} unknown",
        one.decisions,
        one.inside,
        one.outside,
        one.unknown_heads
    );
    one.refused.iter().for_each(|why| say!("{path}: left out: {why}"));
    one.faults.iter().for_each(|why| say!("{path}: {why}"));
    one.notes.iter().take(SHOWN).for_each(|note| say!("{path}: {note}"));
    if let Some(more) = one.notes.len().checked_sub(SHOWN + 1) {
        say!("{path}: and {} more; --json has them", more + 1);
    }
}

/// A file that was named, or all of a directory that may hold decisions, in order.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries =
        std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut inside = Vec::new();
    for entry in entries {
        inside.push(entry.with_context(|| format!("cannot read {}", path.display()))?.path());
    }
    inside.sort();
    for path in inside {
        if path.is_dir() {
            collect(&path, files)?;
        } else if is_recording(&path) {
            files.push(path);
        }
    }
    Ok(())
}
