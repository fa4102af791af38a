//! The guides in docs/ say what the code does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lanista_train::RunConfig;
use serde_json::{Value, json};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every key of a preset that has no keys below it, with its default.
fn defaults(at: &str, value: &Value, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                defaults(&path, value, found);
            }
        }
        _ => drop(found.insert(at.to_owned(), value.clone())),
    }
}

#[test]
fn the_guide_to_presets_lists_every_key_with_its_default() {
    let mut known = BTreeMap::new();
    defaults("", &serde_json::to_value(RunConfig::default()).unwrap(), &mut known);
    // Keys below an optional map, which is null by default; an encoder is not even written then.
    known.insert("policy.encoder".into(), Value::Null);
    let encoder = lanista_learn::config::EncoderConfig::default();
    defaults("policy.encoder", &serde_json::to_value(encoder).unwrap(), &mut known);
    known.insert("policy.encoder.entities.heads".into(), Value::Null);
    for (key, default) in [("cell", "required"), ("size", "required"), ("layers", "1")] {
        let default = serde_json::from_str(default).unwrap_or_default();
        known.insert(format!("policy.memory.{key}"), default);
    }
    let encoder = lanista_learn::config::EncoderConfig::default();
    defaults("policy.encoder", &serde_json::to_value(encoder).unwrap(), &mut known);
    // Keys of an entry of a list, which is empty by default.
    for (key, default) in [("features", Value::Null), ("scale", Value::Null)] {
        known.insert(format!("observation.noise.*.{key}"), default);
    }
    known.insert("observation.noise.*.kind".into(), "normal".into());
    let anchor = lanista_train::start_config::AnchorConfig::default();
    defaults("start.anchor", &serde_json::to_value(anchor).unwrap(), &mut known);
    for key in ["layers", "steps"] {
        known.insert(format!("start.freeze.*.{key}"), Value::Null);
    }
    let play = lanista_train::cloning::PlayConfig::default();
    defaults("clone.play", &serde_json::to_value(play).unwrap(), &mut known);
    known.insert("clone.play.by".into(), Value::Null);
    known.insert("roles".into(), json!({}));
    known.insert("roles.*.played_by".into(), Value::Null);
    for key in ["policy", "ppo", "rewards"] {
        known.insert(format!("roles.*.{key}"), json!({}));
    }
    let exploiter = serde_json::to_value(lanista_league::Exploiter::default()).unwrap();
    defaults("exploiters.*", &exploiter, &mut known);
    known.insert("game".into(), Value::Null);

    let guide = read("docs/presets.md");
    let mut listed = BTreeMap::new();
    for row in guide.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = row.split('|').map(|cell| cell.trim().trim_matches('`'));
        let (key, default) = (cells.nth(1).unwrap(), cells.next().unwrap());
        assert!(listed.insert(key, default).is_none(), "`{key}` is listed twice");
    }
    for (key, default) in &known {
        let said = *listed.get(key.as_str()).unwrap_or_else(|| panic!("`{key}` is not listed"));
        let agrees = match default {
            Value::Number(number) => said.parse() == Ok(number.as_f64().unwrap()),
            Value::String(text) => said == text,
            Value::Null => ["null", "required"].contains(&said),
            other => serde_json::from_str(said).ok().as_ref() == Some(other),
        };
        assert!(agrees, "the guide says `{key}` is {said} by default; it is {default}");
    }
    for key in listed.keys() {
        assert!(known.contains_key(*key), "the guide lists `{key}`, which is no key");
    }
}

#[test]
fn the_guide_to_games_quotes_its_example() {
    let guide = read("docs/games.md");
    let file = |name: &str| read(&format!("examples/treasure/{name}"));
    let code = file("src/main.rs") + &file("src/treasure.rs");
    for (language, source) in
        [("rust", code), ("yaml", file("treasure.yml")), ("toml", file("Cargo.toml"))]
    {
        let fence = format!("```{language}\n");
        let blocks: Vec<&str> = guide.split(&fence).skip(1).collect();
        assert!(!blocks.is_empty(), "{language}");
        for block in blocks {
            let block = block.split("```").next().unwrap();
            assert!(source.contains(block), "the example has no such {language}:\n{block}");
        }
    }
}

/// Every page of the documentation with its path from the root.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![("README.md".to_owned(), read("README.md"))];
    for directory in ["docs", "docs/results"] {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                let path = format!("{directory}/{name}");
                pages.push((path.clone(), read(&path)));
            }
        }
    }
    pages
}

#[test]
fn every_preset_is_named_on_a_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets");
    let pages = pages();
    for game in fs::read_dir(&root).unwrap().map(|entry| entry.unwrap()) {
        for preset in fs::read_dir(game.path()).unwrap().map(|entry| entry.unwrap()) {
            let file = preset.file_name().into_string().unwrap();
            let name = format!("{}/{}", game.file_name().display(), file.trim_end_matches(".yml"));
            assert!(pages.iter().any(|(_, text)| text.contains(&name)), "no page names {name}");
        }
    }
}

#[test]
fn readme_links_every_page_and_every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = pages();
    for (path, _) in &pages[1..] {
        assert!(pages[0].1.contains(&format!("({path})")), "README does not link {path}");
    }
    for (path, text) in &pages {
        let place = root.join(path);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            assert!(place.parent().unwrap().join(file).exists(), "{path} links {link}: not there");
        }
    }
}
