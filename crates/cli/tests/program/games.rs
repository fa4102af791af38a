//! `lanista games`: everything a user can know about a game without reading its code.

use lanista_game::{Entry, Group};

use crate::support::Place;

fn entries() -> Vec<Entry> {
    lanista_classic::games().to_vec()
}

#[test]
fn the_list_names_every_game_and_what_it_is() {
    let out = Place::new().ok("games");
    for entry in entries() {
        let mut lines = out.lines().filter(|l| l.split_whitespace().next() == Some(&*entry.name));
        assert!(lines.next().is_some_and(|l| l.contains(&entry.about)), "{}\n{out}", entry.name);
    }
    assert!(out.contains("classic/cartpole "), "presets are listed too\n{out}");
}

#[test]
fn a_game_is_shown_whole() {
    let place = Place::new();
    for entry in entries() {
        let out = place.ok(&format!("games {}", entry.name));
        let batch = entry.build(&serde_json::Value::Null, 1).unwrap();
        let spec = batch.spec();
        let words: Vec<&str> = out.split_whitespace().collect();
        let shows = |name: &str| assert!(words.contains(&name), "{}: {name}\n{out}", entry.name);
        for role in &spec.roles {
            let groups = role.observation.iter().map(|group| match group {
                Group::Features(features) | Group::Entities { features, .. } => features,
            });
            groups.flatten().for_each(|f| shows(&f.name));
            role.heads.iter().for_each(|h| shows(&h.name));
            role.heads.iter().flat_map(|h| &h.actions).for_each(|a| shows(a));
        }
        spec.stat_names().iter().for_each(|s| shows(s));
        spec.bots().iter().for_each(|b| shows(b));
        let line = |name: &str, about: &str| {
            let begins = |l: &&str| l.split_whitespace().next() == Some(name);
            let found = out.lines().filter(begins).find(|l| l.contains(about));
            found.unwrap_or_else(|| panic!("{}: {name} is not explained\n{out}", entry.name))
        };
        for term in &spec.terms {
            line(&term.name, &term.about);
        }
        for setting in &entry.settings {
            let line = line(&setting.name, &setting.about);
            assert!(line.contains(&setting.default.to_string()), "{}: {line}", entry.name);
        }
        shows(&format!("classic/{}", entry.name));
    }
}

#[test]
fn requirements_read_as_sentences() {
    let out = Place::new().ok("games levers");
    assert!(out.contains(" only after "), "{out}");
}

#[test]
fn settings_change_what_is_shown() {
    let place = Place::new();
    let usual = place.ok("games legal");
    let large = place.ok("games legal --set settings.actions=90 --set settings.illegal=60");
    assert_ne!(usual, large);
    assert!(large.contains("90 actions"), "{large}");
}

#[test]
fn programs_read_games_and_presets_as_json() {
    let place = Place::new();
    let all = place.json("games --json");
    let names = |list: &str| -> Vec<String> {
        let list = all[list].as_array().unwrap().iter();
        list.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let (games, presets) = (names("games"), names("presets"));
    for entry in entries() {
        assert!(games.contains(&entry.name), "{games:?}");
    }
    assert!(presets.contains(&"classic/cartpole".to_owned()), "{presets:?}");
    for preset in all["presets"].as_array().unwrap() {
        assert!(games.contains(&preset["game"].as_str().unwrap().to_owned()), "{preset}");
        assert!(!preset["about"].as_str().unwrap().is_empty(), "{preset}");
    }
    for game in &games {
        let value = place.json(&format!("games {game} --json"));
        assert_eq!(value["name"], *game);
        for list in ["seats", "roles", "terms", "settings", "presets"] {
            assert!(!value[list].as_array().unwrap().is_empty(), "{game}: {list}");
        }
        let roles = value["roles"].as_array().unwrap();
        for list in ["observation", "heads"] {
            assert!(!roles[0][list].as_array().unwrap().is_empty(), "{game}: {list}");
            if roles.len() == 1 {
                assert_eq!(value[list], roles[0][list], "{game}: {list}");
            }
        }
        for term in value["terms"].as_array().unwrap() {
            let kind = term["kind"].as_str().unwrap();
            assert!(["outcome", "event", "shaping"].contains(&kind), "{game}: {term}");
        }
        for setting in value["settings"].as_array().unwrap() {
            assert!(setting.get("default").is_some() && setting["about"].is_string(), "{setting}");
        }
    }
    let nh = place.json("games nh --json");
    assert!(nh["requires"][0]["choices"][0]["head"].is_string(), "heads by name");
}
