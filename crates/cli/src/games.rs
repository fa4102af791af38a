//! `lanista games`.

use std::path::Path;

use lanista_game::{Batch, Condition, Entry, Feature, Group, Role, Seat, TermKind};
use lanista_train::model::{self, Metadata};
use serde_json::{Value, json};

use crate::args::GamesArgs;
use crate::catalog::{self, PRESETS};
use crate::eval::model_path;
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
    if is_model(Path::new(&name)) {
        if !args.set.is_empty() {
            anyhow::bail!("--set: a model knows its settings; `lanista eval --set` plays others");
        }
        return show_model(Path::new(&name), args.json);
    }
    let (entry, config) = catalog::load_game(&name, &args.set)?;
    limits::only(&args.set, &["settings"])?;
    let batch = entry.build(&config.settings, 1)?;
    if args.json {
        say!("{}", game_json(&entry, &config.settings, batch.as_ref()));
    } else {
        show(&entry, batch.as_ref());
    }
    Ok(())
}

/// Is it a run or a model rather than the name of a game?
fn is_model(path: &Path) -> bool {
    path.is_dir() || (path.is_file() && path.extension().is_some_and(|ending| ending == "zip"))
}

/// What a model sees and does.
fn show_model(path: &Path, as_json: bool) -> anyhow::Result<()> {
    let path = model_path(path)?;
    let metadata = model::metadata(&path)?;
    if as_json {
        say!("{}", serde_json::to_string(&metadata)?);
        return Ok(());
    }
    let Metadata { game, steps, seed, lanista, .. } = &metadata;
    say!("{}: plays {game}, trained for {steps} steps, seed {seed}", path.display());
    say!("Written by lanista {lanista}; settings {}", metadata.settings);
    let Some(spec) = &metadata.spec else {
        let (features, heads) = (metadata.features, &metadata.heads);
        say!("It sees {features} numbers and has heads of {heads:?} actions.");
        say!("It was written before models knew their names; `lanista games {game}` has them.");
        return Ok(());
    };
    let plays = |role: &&Role| metadata.roles.is_empty() || metadata.roles.contains_key(&role.name);
    for role in spec.roles.iter().filter(plays) {
        if spec.roles.len() > 1 {
            say!("\nRole {}", role.name);
        }
        show_role(role);
    }
    let rewards = metadata.rewards.iter().filter(|(_, weight)| **weight != 0.0);
    let rewards: Vec<String> = rewards.map(|(term, weight)| format!("{term} {weight}")).collect();
    say!("\nRewarded for: {}", rewards.join(", "));
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
    let terms = spec
        .terms
        .iter()
        .map(|term| json!({ "name": term.name, "kind": kind(term.kind), "about": term.about }));
    let documented = entry.settings.iter().map(|setting| {
        let now = settings.get(&setting.name).unwrap_or(&setting.default);
        json!({
            "name": setting.name,
            "default": setting.default,
            "value": now,
            "about": setting.about,
        })
    });
    let seat = |seat: &Seat| json!({ "team": seat.team, "role": spec.roles[seat.role].name, "empty": seat.empty });
    let mut value = json!({
        "name": entry.name,
        "about": entry.about,
        "notes": batch.notes(),
        "seats": spec.seats.iter().map(seat).collect::<Vec<_>>(),
        "roles": spec.roles.iter().map(role_json).collect::<Vec<_>>(),
        "terms": terms.collect::<Vec<_>>(),
        "stats": spec.stat_names(),
        "settings": documented.collect::<Vec<_>>(),
        "presets": presets_of(&entry.name),
    });
    // A game of one role reads without looking for it.
    if let [role] = &spec.roles[..]
        && let (Value::Object(all), Value::Object(role)) = (&mut value, role_json(role))
    {
        all.extend(role.into_iter().filter(|(key, _)| key != "name" && key != "groups"));
    }
    value
}

/// What a role sees and does, for programs.
fn role_json(role: &Role) -> Value {
    let features = |features: &[Feature]| -> Vec<Value> {
        features.iter().map(|f| json!({ "name": f.name, "constant": f.constant })).collect()
    };
    let heads = role.heads.iter().map(|h| json!({ "name": h.name, "actions": h.actions }));
    let requires = role.requires.iter().map(|r| {
        let choice = |&(head, action): &(usize, u32)| {
            let head = &role.heads[head];
            json!({ "head": head.name, "action": head.actions[action as usize] })
        };
        let condition = match r.condition {
            Condition::All => "all",
            Condition::Any => "any",
            Condition::None => "none",
        };
        json!({
            "head": role.heads[r.head].name,
            "action": role.heads[r.head].actions[r.action as usize],
            "condition": condition,
            "choices": r.choices.iter().map(choice).collect::<Vec<_>>(),
        })
    });
    json!({
        "name": role.name,
        "observation": features(&role.flat_features()),
        "groups": role.observation,
        "privileged": features(&role.privileged),
        "heads": heads.collect::<Vec<_>>(),
        "requires": requires.collect::<Vec<_>>(),
        "bots": role.bots.iter().map(|bot| &bot.name).collect::<Vec<_>>(),
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

    for role in &spec.roles {
        if spec.roles.len() > 1 {
            let seats = spec.seats.iter().filter(|s| spec.roles[s.role].name == role.name);
            say!("\nRole {} ({} seats)", role.name, seats.count());
        }
        show_role(role);
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
    print_names(spec.bots().into_iter());
    say!("\nSettings (--set settings.NAME=VALUE):");
    let settings = &entry.settings;
    let width = settings.iter().map(|setting| setting.name.len()).max().unwrap_or(0);
    for setting in settings {
        say!("  {:width$} {:10} {}", setting.name, setting.default.to_string(), setting.about);
    }
    let presets = presets_of(&entry.name);
    if !presets.is_empty() {
        say!("\nPresets:");
        print_names(presets.into_iter());
    }
}

/// What a role sees and does.
pub fn show_role(role: &Role) {
    say!("\nObservation ({} numbers):", role.features());
    for group in &role.observation {
        match group {
            Group::Features(features) => print_names(features.iter().map(|f| f.name.as_str())),
            Group::Entities { name, most, features } => {
                say!("  up to {most} of {name}, each:");
                print_names_at(6, features.iter().map(|f| f.name.as_str()));
            }
        }
    }
    if !role.privileged.is_empty() {
        say!("\nFor the critic alone ({} numbers):", role.privileged.len());
        print_names(role.privileged.iter().map(|f| f.name.as_str()));
    }
    say!("\nHeads ({}; {} actions):", role.heads.len(), role.actions());
    for head in &role.heads {
        say!("  {} ({})", head.name, head.actions.len());
        print_names_at(6, head.actions.iter().map(String::as_str));
    }
    if !role.requires.is_empty() {
        say!("\nRequirements:");
        for line in requirements(role) {
            say!("  {line}");
        }
    }
}

fn requirements(role: &Role) -> Vec<String> {
    let action = |head: usize, action: u32| {
        format!("{}={}", role.heads[head].name, role.heads[head].actions[action as usize])
    };
    role.requires
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
