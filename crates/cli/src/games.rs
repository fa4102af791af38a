//! `lanista games`.

use lanista_game::{Batch, Condition, Entry, Feature, Spec, TermKind};
use serde_json::{Value, json};

use crate::args::GamesArgs;
use crate::catalog::{self, PRESETS};
use crate::limits;

pub fn run(args: GamesArgs) -> anyhow::Result<()> {
    let Some(name) = args.name else {
        if !args.set.is_empty() {
            anyhow::bail!("--set: name the game whose settings it changes, such as `games duel`");
        }
        if args.json {
            say!("{}", list_json());
        } else {
            list();
        }
        return Ok(());
    };
    let (entry, config) = catalog::load_game(&name, &args.set)?;
    limits::only(&args.set, &["settings"])?;
    let batch = (entry.build)(&config.settings, 1)?;
    if args.json {
        say!("{}", game_json(&entry, &config.settings, batch.as_ref()));
    } else {
        show(&entry, batch.as_ref());
    }
    Ok(())
}

/// The first line of a preset, which says what it is.
fn about(text: &str) -> &str {
    text.lines().next().and_then(|l| l.strip_prefix("# ")).unwrap_or("")
}

/// The presets of a game.
fn presets_of(game: &str) -> Vec<&'static str> {
    let plays = |name: &str| catalog::load(name, &[]).is_ok_and(|l| l.config.game == game);
    PRESETS.iter().map(|(name, _)| *name).filter(|name| plays(name)).collect()
}

fn list_json() -> Value {
    let games = catalog::games();
    let presets = PRESETS.iter().map(|(name, text)| {
        let game = catalog::load(name, &[]).ok().map(|loaded| loaded.config.game);
        json!({ "name": name, "game": game, "about": about(text) })
    });
    json!({
        "games": games.iter().map(|g| json!({ "name": g.name, "about": g.about })).collect::<Vec<_>>(),
        "presets": presets.collect::<Vec<_>>(),
    })
}

/// Everything about a game under these settings, for programs.
fn game_json(entry: &Entry, settings: &Value, batch: &dyn Batch) -> Value {
    let spec = batch.spec();
    let features = |features: &[Feature]| -> Vec<Value> {
        features.iter().map(|f| json!({ "name": f.name, "constant": f.constant })).collect()
    };
    let terms = spec
        .terms
        .iter()
        .map(|term| json!({ "name": term.name, "kind": kind(term.kind), "about": term.about }));
    let heads = spec.heads.iter().map(|h| json!({ "name": h.name, "actions": h.actions }));
    let requires = spec.requires.iter().map(|r| {
        let choice = |&(head, action): &(usize, u32)| {
            let head = &spec.heads[head];
            json!({ "head": head.name, "action": head.actions[action as usize] })
        };
        let condition = match r.condition {
            Condition::All => "all",
            Condition::Any => "any",
            Condition::None => "none",
        };
        json!({
            "head": spec.heads[r.head].name,
            "action": spec.heads[r.head].actions[r.action as usize],
            "condition": condition,
            "choices": r.choices.iter().map(choice).collect::<Vec<_>>(),
        })
    });
    let documented = (entry.settings)();
    let documented = documented.iter().map(|setting| {
        let now = settings.get(setting.name).unwrap_or(&setting.default);
        json!({
            "name": setting.name,
            "default": setting.default,
            "value": now,
            "about": setting.about,
        })
    });
    json!({
        "name": entry.name,
        "about": entry.about,
        "notes": batch.notes(),
        "seats": spec.seats.iter().map(|seat| json!({ "team": seat.team, "empty": seat.empty })).collect::<Vec<_>>(),
        "observation": features(&spec.observation),
        "privileged": features(&spec.privileged),
        "heads": heads.collect::<Vec<_>>(),
        "requires": requires.collect::<Vec<_>>(),
        "terms": terms.collect::<Vec<_>>(),
        "stats": spec.stat_names(),
        "bots": spec.bots,
        "settings": documented.collect::<Vec<_>>(),
        "presets": presets_of(entry.name),
    })
}

fn kind(kind: TermKind) -> &'static str {
    match kind {
        TermKind::Outcome => "outcome",
        TermKind::Event => "event",
        TermKind::Shaping => "shaping",
    }
}

fn list() {
    let games = catalog::games();
    let width = games.iter().map(|g| g.name.len()).max().unwrap_or(0);
    say!("Games:");
    for game in games {
        say!("  {:width$}  {}", game.name, game.about);
    }
    say!("\nPresets (lanista train PRESET):");
    let width = PRESETS.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, text) in PRESETS {
        say!("  {name:width$}  {}", about(text));
    }
    say!("\nlanista games NAME shows a game whole.");
}

fn show(entry: &Entry, batch: &dyn Batch) {
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
        let kind = kind(term.kind);
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
    let presets = presets_of(entry.name);
    if !presets.is_empty() {
        say!("\nPresets:");
        print_names(presets.into_iter());
    }
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
