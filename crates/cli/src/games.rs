//! `lanista games`.

use lanista_game::{Condition, Spec, TermKind};

use crate::args::GamesArgs;
use crate::catalog::{self, PRESETS};
use crate::limits;

pub fn run(args: GamesArgs) -> anyhow::Result<()> {
    match args.name {
        None if !args.set.is_empty() => {
            anyhow::bail!("--set: name the game whose settings it changes, such as `games duel`")
        }
        None => list(),
        Some(name) => show(&name, &args.set)?,
    }
    Ok(())
}

fn list() {
    let games = catalog::games();
    let width = games.iter().map(|g| g.name.len()).max().unwrap_or(0);
    say!("Games:");
    for game in &games {
        say!("  {:width$}  {}", game.name, game.about);
    }
    say!("\nPresets (lanista train PRESET):");
    for (name, text) in PRESETS {
        let about = text.lines().next().and_then(|l| l.strip_prefix("# ")).unwrap_or("");
        say!("  {name:28} {about}");
    }
    say!("\nlanista games NAME shows a game whole.");
}

fn show(name: &str, set: &[lanista_train::layers::Override]) -> anyhow::Result<()> {
    let (entry, config) = catalog::load_game(name, set)?;
    limits::only(set, &["settings"])?;
    let batch = (entry.build)(&config.settings, 1)?;
    let spec = batch.spec();
    say!("{}: {}\n", entry.name, entry.about);
    for note in batch.notes() {
        say!("{note}");
    }
    let teams = spec.teams();
    say!("Seats: {} in {teams} {}", spec.seats.len(), if teams == 1 { "team" } else { "teams" });

    say!("\nObservation ({} numbers):", spec.features());
    print_names(spec.observation.iter().map(|f| f.name.as_str()));
    if !spec.privileged.is_empty() {
        say!("\nFor the critic alone ({} numbers):", spec.privileged.len());
        print_names(spec.privileged.iter().map(|f| f.name.as_str()));
    }
    say!("\nHeads ({}; {} actions):", spec.heads.len(), spec.actions());
    for head in &spec.heads {
        say!("  {} ({})", head.name, head.actions.len());
        print_names_at(6, head.actions.iter().map(String::as_str));
    }
    if !spec.requires.is_empty() {
        say!("\nRequirements:");
        for line in requirements(spec) {
            say!("  {line}");
        }
    }
    say!("\nReward terms:");
    let width = spec.terms.iter().map(|term| term.name.len()).max().unwrap_or(0);
    for term in &spec.terms {
        let kind = match term.kind {
            TermKind::Outcome => "outcome",
            TermKind::Event => "event",
            TermKind::Shaping => "shaping",
        };
        say!("  {:width$} {kind:8} {}", term.name, term.about);
    }
    if !spec.stats.is_empty() {
        say!("\nStats of a finished match:");
        print_names(spec.stat_names().iter().map(String::as_str));
    }
    say!("\nScripted players (opponents.bot:NAME, eval --vs bot:NAME):");
    print_names(spec.bots.iter().copied());
    say!("\nSettings (--set settings.NAME=VALUE):");
    let settings = (entry.settings)();
    let width = settings.iter().map(|setting| setting.name.len()).max().unwrap_or(0);
    for setting in settings {
        say!("  {:width$} {:10} {}", setting.name, setting.default.to_string(), setting.about);
    }
    let presets: Vec<&str> = PRESETS
        .iter()
        .filter(|(name, _)| catalog::load(name, &[]).is_ok_and(|l| l.config.game == entry.name))
        .map(|(name, _)| *name)
        .collect();
    if !presets.is_empty() {
        say!("\nPresets:");
        print_names(presets.into_iter());
    }
    Ok(())
}

fn requirements(spec: &Spec) -> Vec<String> {
    let action = |head: usize, action: u32| {
        format!("{}={}", spec.heads[head].name, spec.heads[head].actions[action as usize])
    };
    spec.requires
        .iter()
        .map(|r| {
            let choices: Vec<String> = r.choices.iter().map(|&(h, a)| action(h, a)).collect();
            let condition = match r.condition {
                Condition::All => "all of",
                Condition::Any => "any of",
                Condition::None => "none of",
            };
            format!("{} only after {condition} {}", action(r.head, r.action), choices.join(", "))
        })
        .collect()
}

fn print_names<'a>(names: impl Iterator<Item = &'a str>) {
    print_names_at(2, names);
}

/// Names side by side, wrapped at 100 columns.
fn print_names_at<'a>(indent: usize, names: impl Iterator<Item = &'a str>) {
    let mut line = " ".repeat(indent);
    for name in names {
        if line.len() > indent && line.len() + name.len() + 2 > 100 {
            say!("{}", line.trim_end());
            line = " ".repeat(indent);
        }
        line.push_str(name);
        line.push_str("  ");
    }
    if line.len() > indent {
        say!("{}", line.trim_end());
    }
}
