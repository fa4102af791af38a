//! `lanista league`: who is how good in a run's league.

use std::fs;

use serde_json::Value;

use crate::support::{FEED_FORWARD, Place, text};

/// Duels against itself, its past and two scripted players, with snapshots in quick succession.
const RATED: &str = "
game: duel
rollout: { matches: 20, horizon: 11, shard: 4 }
policy: { hidden: [16], critic: { shared: true } }
ppo: { learning_rate: 2e-3, epochs: 2, minibatch: 64, chunk: 16, entropy: 0.02 }
rewards: { won: 1 }
opponents: { past: 0.4, bot:biased: 0.1, bot:equilibrium: 0.1 }
league: { every: 1000, anchor: bot:biased }
evaluation: { matches: 4 }
checkpoint: { every: 1000 }
stop: { steps: 4000 }
";

/// A place with a run of that preset in `run`.
fn trained() -> Place {
    let place = Place::with(&[("preset", RATED)]);
    place.ok("train preset.yml --set run.dir=run");
    place
}

fn names(players: &Value) -> Vec<&str> {
    players.as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect()
}

/// Are all tags of a text closed in order, and is nothing in it unescaped?
fn assert_xml(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "{}", &rest[..at]);
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') && !tag.starts_with(['?', '!']) {
            open.push(name);
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(rest.trim(), "");
    for (at, _) in text.match_indices('&') {
        let entity = text[at + 1..].split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot", "apos"].contains(&entity), "&{entity}");
    }
}

#[test]
fn the_standings_of_a_preset() {
    let place = Place::new();
    let mut train = place.command("train classic/duel --steps 200000 --set run.dir=run");
    train.args(["--set", "opponents={past: 0.5}", "--set", "league.every=20000"]);
    let output = train.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));

    let value = place.json("league run --json");
    assert_eq!((value["game"].as_str(), value["run"].as_str()), (Some("duel"), Some("run")));
    assert_eq!(value["learner"]["steps"].as_u64(), Some(place.bits("run").steps()));
    assert!(value["games"].as_u64().unwrap() > 1000, "{value}");
    assert!(value["since"]["steps"].as_u64().unwrap() >= 20_000, "{value}");
    let snapshots = value["snapshots"].as_array().unwrap();
    assert!(snapshots.len() > 5, "{value}");
    assert!(snapshots.is_sorted_by_key(|s| -s["elo"].as_f64().unwrap()));
    assert!(snapshots.iter().all(|s| s["usable"] == true && s["origin"] == "main"));
    // The anchor is listed though nobody met it.
    let anchor = &value["others"][0];
    assert_eq!(
        (anchor["name"].as_str(), anchor["elo"].as_f64()),
        (Some("bot:random"), Some(1500.0))
    );
    assert_eq!((anchor["anchor"].as_bool(), anchor["games"].as_u64()), (Some(true), Some(0)));

    let table = place.ok("league run");
    let rated = format!("{} rated matches since iteration", value["games"]);
    for part in [&rated, "duel after", "newest", "learner", "past:1 ", "main", "bot:random"] {
        assert!(table.contains(part), "{part}\n{table}");
    }
    let line = table.lines().find(|line| line.contains("bot:random")).unwrap();
    assert!(line.contains("1500") && line.ends_with("anchor"), "{table}");
}

#[test]
fn opponents_are_counted_and_ordered() {
    let place = trained();
    let value = place.json("league run --json");
    let mut others = names(&value["others"]);
    others.sort_unstable();
    assert_eq!(others, ["bot:biased", "bot:equilibrium"]);
    let lists = [&value["snapshots"], &value["others"]].map(|list| list.as_array().unwrap());
    let games: u64 = lists.into_iter().flatten().map(|p| p["games"].as_u64().unwrap()).sum();
    assert_eq!(Some(games), value["games"].as_u64(), "{value}");
    let lines = fs::read_to_string(place.path("run/league/games.csv")).unwrap().lines().count();
    assert_eq!(games as usize, lines - 1);
    for player in lists.into_iter().flatten().filter(|p| p["games"] != 0) {
        assert!((0.0..=1.0).contains(&player["score"].as_f64().unwrap()), "{player}");
    }
}

#[test]
fn everybody_plays_everybody_and_the_seed_decides() {
    let place = trained();
    let play = |how: &str| {
        place.json(&format!("league run --crossplay --matches 12 --json {how}"))["crossplay"]
            .clone()
    };
    let value = play("--seed 3 --threads 1");
    assert_eq!(value, play("--seed 3 --threads 3"));
    assert_ne!(value["pairs"], play("--seed 4")["pairs"]);

    let players = names(&value["players"]);
    assert_eq!((value["matches"].as_u64(), value["seed"].as_u64()), (Some(12), Some(3)));
    for name in ["newest", "past:0", "past:3", "bot:biased", "bot:equilibrium"] {
        assert!(players.contains(&name), "{players:?}");
    }
    let pairs = value["pairs"].as_array().unwrap();
    // Bots cannot play each other.
    assert_eq!(pairs.len(), players.len() * (players.len() - 1) / 2 - 1);
    for pair in pairs {
        let count = |key: &str| pair[key].as_u64().unwrap();
        assert_eq!(count("wins") + count("draws") + count("losses"), 12, "{pair}");
    }
    for (i, a) in players.iter().enumerate() {
        for (j, b) in players.iter().enumerate() {
            let score = |i: usize, j: usize| value["scores"][i][j].as_f64();
            match score(i, j) {
                Some(s) => assert!((s + score(j, i).unwrap() - 1.0).abs() < 1e-9, "{a} {b}"),
                None => assert!(a == b || (a.starts_with("bot:") && b.starts_with("bot:"))),
            }
        }
    }
    for player in value["players"].as_array().unwrap() {
        let number = |key: &str| player[key].as_f64().unwrap();
        let (low, elo, high) = (number("low"), number("elo"), number("high"));
        match player["name"] == "bot:biased" {
            true => assert_eq!((low, elo, high), (1500.0, 1500.0, 1500.0)),
            false => assert!(low < elo && elo < high, "{player}"),
        }
        assert_eq!(player["anchor"], player["name"] == "bot:biased");
    }
}

#[test]
fn cross_play_is_printed_whole() {
    let place = trained();
    let printed = place.ok("league run --crossplay --matches 10");
    for part in [
        "Cross-play, 10 matches a pair, sampled actions, seed 0",
        "Points of the row's player against the column's, in %",
        "Ratings by Bradley and Terry, relative to bot:biased",
        " to ",
        "ycle",
        "–",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
    let few = place.ok("league run --crossplay --matches 2");
    assert!(few.contains("cannot be told from chance"), "{few}");
}

#[test]
fn plots_are_drawn() {
    let place = trained();
    let printed = place.ok("league run --plot curve.svg");
    assert!(printed.contains("The plot is in curve.svg"), "{printed}");
    let curve = fs::read_to_string(place.path("curve.svg")).unwrap();
    assert_xml(&curve);
    let expected = ["Elo over steps: run (duel)", "steps of the learner", "rating in Elo points"];
    for part in expected.into_iter().chain(["learner", "bot:biased, the anchor at 1500"]) {
        assert!(curve.contains(part), "{part}\n{curve}");
    }
    assert!(!curve.contains("Cross-play"));

    let value = place.json("league run --crossplay --matches 10 --plot both.svg --json");
    assert_eq!(value["plot"], "both.svg");
    let both = fs::read_to_string(place.path("both.svg")).unwrap();
    assert_xml(&both);
    for part in expected.into_iter().chain(["Cross-play: 10 matches a pair", "past:3", "100 % won"])
    {
        assert!(both.contains(part), "{part}\n{both}");
    }
    for (path, parts) in [
        ("plot.png", ["--plot plot.png", "ends in .svg"]),
        ("nowhere/plot.svg", ["nowhere is no directory", "create it"]),
    ] {
        let error = place.fails(&format!("league run --plot {path}"));
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn what_is_damaged_is_named_and_skipped() {
    let place = trained();
    let snapshot = place.path("run/league/1.zip");
    let bytes = fs::read(&snapshot).unwrap();
    fs::write(&snapshot, &bytes[..bytes.len() / 2]).unwrap();
    let value = place.json("league run --crossplay --matches 4 --json");
    let skipped = &value["crossplay"]["skipped"];
    assert_eq!(names(skipped), ["past:1"]);
    assert!(skipped[0]["reason"].as_str().unwrap().contains("1.zip is not a sound model"));
    assert!(!names(&value["crossplay"]["players"]).contains(&"past:1"));
    let printed = place.ok("league run --crossplay --matches 4");
    assert!(printed.contains("past:1 is skipped: "), "{printed}");

    let path = place.path("run/league/results.csv");
    let games = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = games.lines().collect();
    lines[2] = "no,such,line";
    fs::write(&path, lines.join("\n")).unwrap();
    let output = place.run("league run");
    assert!(output.status.success());
    let warning = text(&output.stderr);
    assert!(warning.contains("warning: run/league/results.csv:3: "), "{warning}");
    assert_eq!(warning.lines().count(), 1, "{warning}");

    fs::remove_file(&path).unwrap();
    let value = place.json("league run --json --plot plot.svg");
    assert!(value["remarks"][0].as_str().unwrap().contains("results.csv"), "{value}");
}

#[test]
fn where_sides_differ_each_has_a_table_of_its_own() {
    let preset = "game: hideout\nrewards: { won: 1 }\nrollout: { matches: 8, horizon: 16 }\n\
                  policy: { hidden: [8] }\nopponents: { past: 0.5 }\nleague: { every: 400 }\n\
                  evaluation: { matches: 4 }\nstop: { steps: 1200 }\n";
    let place = Place::with(&[("preset", preset)]);
    place.ok("train preset.yml --set run.dir=run");
    let value = place.json("league run --crossplay --matches 16 --json");
    let cross = &value["crossplay"];
    let sides = cross["sides"].as_array().unwrap();
    let called: Vec<&str> = sides.iter().map(|side| side["side"].as_str().unwrap()).collect();
    assert_eq!(called, ["hider", "seeker"], "{cross}");
    let players = names(&cross["players"]);
    let policy = |name: &str| !name.starts_with("bot:");
    let score = |table: &Value, a: usize, b: usize| table[a][b].as_f64();
    for a in 0..players.len() {
        for b in
            (0..players.len()).filter(|&b| b != a && (policy(players[a]) || policy(players[b])))
        {
            // What one wins as the hider, the other loses as the seeker; both halves make the whole.
            let hiding = score(&sides[0]["scores"], a, b).unwrap();
            let seeking = score(&sides[1]["scores"], b, a).unwrap();
            assert!((hiding + seeking - 1.0).abs() < 1e-9, "{cross}");
            let other = score(&sides[1]["scores"], a, b).unwrap();
            let all = score(&cross["scores"], a, b).unwrap();
            assert!((0.5 * (hiding + other) - all).abs() < 1e-9, "{cross}");
        }
    }
    let printed = place.ok("league run --crossplay --matches 4");
    assert!(printed.contains("where the row's player is the seeker"), "{printed}");
    assert_eq!(
        trained().json("league run --crossplay --matches 2 --json")["crossplay"]["sides"],
        Value::Array(vec![])
    );
}

#[test]
fn a_run_that_met_only_itself_has_standings_too() {
    let place = Place::with(&[("preset", RATED)]);
    place.ok("train preset.yml --set run.dir=run --set opponents=null --until 1000");
    let printed = place.ok("league run --plot plot.svg");
    assert!(printed.contains("no rated matches yet"), "{printed}");
    assert_xml(&fs::read_to_string(place.path("plot.svg")).unwrap());
    let value = place.json("league run --crossplay --matches 4 --json");
    assert_eq!((value["games"].as_u64(), value["since"].is_null()), (Some(0), true));
    let mut players = names(&value["crossplay"]["players"]);
    players.sort_unstable();
    assert_eq!(players, ["bot:biased", "newest"]);
}

#[test]
fn wrong_places_are_refused() {
    let place = Place::with(&[("preset", RATED), ("cartpole", FEED_FORWARD)]);
    place.ok("train cartpole.yml --set run.dir=alone --until 400");
    place.ok("train preset.yml --set run.dir=run --until 1000");
    fs::create_dir(place.path("empty")).unwrap();
    for (line, parts) in [
        ("league nowhere", ["nowhere does not exist", "`ls runs`"]),
        ("league run/model.zip", ["is a file", "a run's directory"]),
        ("league empty", ["empty is no run", "no config.yml"]),
        ("league alone", ["cartpole has one team", "such as duel"]),
        ("league run --crossplay --matches 0", ["--matches 0", "at least one"]),
        ("league run --matches 5", ["--crossplay", "required"]),
    ] {
        let error = place.fails(line);
        assert!(parts.iter().all(|part| error.contains(part)), "{line}\n{error}");
    }
    fs::write(place.path("run/league/pool.json"), "{\"pool\": ").unwrap();
    let error = place.fails("league run");
    assert!(error.contains("pool.json is damaged") && error.contains("--resume run"), "{error}");
    fs::remove_file(place.path("run/league/pool.json")).unwrap();
    let error = place.fails("league run");
    assert!(error.contains("no league yet") && error.contains("--resume run"), "{error}");
}
