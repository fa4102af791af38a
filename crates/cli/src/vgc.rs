//! `lanista vgc`: what concerns Pokémon VGC alone.

mod decisions;
mod track;

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::{anyhow, bail};
use lanista_vgc::format::{FORMATS, Format};
use lanista_vgc::team::{self, Found};
use lanista_vgc::{dex, install};
use serde_json::json;

use crate::args::{VgcArgs, VgcWhat};

pub fn run(args: VgcArgs) -> anyhow::Result<()> {
    match args.what {
        VgcWhat::Setup { from, json } => setup(from.as_deref(), json),
        VgcWhat::Track { files, json } => track::run(&files, json),
        VgcWhat::Decisions { files, json } => decisions::run(&files, json),
        VgcWhat::Teams { path, format, export, packed, json } => {
            let show = match (export, packed, json) {
                (true, ..) => Show::Export,
                (_, true, _) => Show::Packed,
                (.., true) => Show::Json,
                _ => Show::Lines,
            };
            teams(path.as_deref(), &format, show)
        }
    }
}

/// A format by its name, or which there are.
pub fn format_of(name: &str) -> anyhow::Result<&'static Format> {
    let known = || FORMATS.map(|format| format.id).join(", ");
    Format::of(name)
        .ok_or_else(|| anyhow!("there is no format {name}; the program plays {}", known()))
}

fn setup(from: Option<&Path>, json: bool) -> anyhow::Result<()> {
    let installed = match from {
        Some(directory) => install::setup_from(directory)?,
        None => {
            let mut line = ProgressLine::default();
            let done = install::setup(&mut |text| line.show(text));
            line.end();
            done?
        }
    };
    let version = dex::version();
    let package = installed.package.display();
    if json {
        say!("{}", json!({"version": version, "package": package.to_string()}));
    } else {
        say!("Pokémon Showdown {version} is ready in {package}");
    }
    Ok(())
}

/// A line on standard error that changes in place on a terminal, and is printed once elsewhere.
#[derive(Default)]
struct ProgressLine {
    shown: bool,
}

impl ProgressLine {
    fn show(&mut self, text: &str) {
        // Whoever stopped reading does not stop the work.
        if std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "\r{text}\u{1b}[K");
        } else if !self.shown {
            complain!("{text}");
        }
        self.shown = true;
    }

    fn end(&self) {
        if self.shown && std::io::stderr().is_terminal() {
            complain!();
        }
    }
}

enum Show {
    Lines,
    Export,
    Packed,
    Json,
}

fn teams(path: Option<&Path>, format: &str, show: Show) -> anyhow::Result<()> {
    let format = format_of(format)?;
    let found = match path {
        Some(path) => team::read(path)?,
        None => team::ours(format),
    };
    let installed = install::locate(None)?;
    let teams: Vec<_> = found.iter().map(|one| one.team.clone()).collect();
    let verdicts = team::validate(&installed, format, &teams)?;
    let refused = verdicts.iter().filter(|problems| !problems.is_empty()).count();
    match show {
        Show::Json => print_json(format, &found, &verdicts),
        Show::Packed => found.iter().for_each(|one| say!("{}", one.team.packed())),
        Show::Export => {
            for one in &found {
                say!("=== {} ===\n\n{}", one.place, one.team.export());
            }
        }
        Show::Lines => {
            for (one, problems) in found.iter().zip(&verdicts) {
                let word = if problems.is_empty() { "valid" } else { "refused" };
                say!("{word:<8} {}: {}", one.place, one.team.summary());
                problems.iter().for_each(|problem| say!("         {problem}"));
            }
        }
    }
    if refused > 0 {
        let first = found.iter().zip(&verdicts).find(|(_, problems)| !problems.is_empty());
        let (one, problems) = first.expect("one is refused");
        bail!(
            "{refused} of {} teams may not be played in {}; {}: {}",
            found.len(),
            format.id,
            one.place,
            problems.join("; ")
        );
    }
    Ok(())
}

fn print_json(format: &Format, found: &[Found], verdicts: &[Vec<String>]) {
    let teams: Vec<_> = found
        .iter()
        .zip(verdicts)
        .map(|(one, problems)| {
            let members: Vec<_> = one.team.members.iter().map(|m| m.species.as_str()).collect();
            json!({
                "place": one.place,
                "members": members,
                "packed": one.team.packed(),
                "valid": problems.is_empty(),
                "problems": problems,
            })
        })
        .collect();
    let valid = verdicts.iter().filter(|problems| problems.is_empty()).count();
    say!("{}", json!({"format": format.id, "count": found.len(), "valid": valid, "teams": teams}));
}
