//! The invariants of ARCHITECTURE.md, checked against the tree itself.
//!
//! Dependencies here are those of the shipped code; what only tests use is exempt.

#[path = "architecture/modules.rs"]
mod modules;
#[path = "architecture/tokens.rs"]
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates of the training core, where nothing is asynchronous.
const CORE: [&str; 5] =
    ["lanista-game", "lanista-nn", "lanista-learn", "lanista-league", "lanista-train"];
const MOST_LINES: usize = 800;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace stands above its crates")
}

/// A crate of the workspace.
struct Package {
    directory: PathBuf,
    /// Of every kind but dev.
    dependencies: BTreeSet<String>,
}

impl Package {
    fn is_game(&self) -> bool {
        self.directory.starts_with(root().join("games"))
    }
}

fn packages() -> BTreeMap<String, Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs the tests, so it is here");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let package = |package: &Value| {
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        let directory = manifest.parent().expect("it is a file").canonicalize().expect("exists");
        let all = package["dependencies"].as_array().expect("a list");
        let shipped = all.iter().filter(|d| d["kind"] != "dev");
        let dependencies = shipped.map(|d| text(&d["name"])).collect();
        (text(&package["name"]), Package { directory, dependencies })
    };
    metadata["packages"].as_array().expect("a list").iter().map(package).collect()
}

/// The crates of the workspace that a crate depends on.
fn own(packages: &BTreeMap<String, Package>, name: &str) -> BTreeSet<String> {
    let dependencies = &packages.get(name).unwrap_or_else(|| panic!("no {name}")).dependencies;
    dependencies.iter().filter(|d| packages.contains_key(*d)).cloned().collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&n| n.to_owned()).collect()
}

/// Every file below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("a directory can be listed").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Every Rust file of the workspace and of the Python package, by its path from the root.
fn sources() -> Vec<(PathBuf, String)> {
    let all =
        ["crates", "games", "python/src"].into_iter().flat_map(|part| files(&root().join(part)));
    all.filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("sources are text");
            (path.strip_prefix(root()).expect("found below it").to_owned(), text)
        })
        .collect()
}

/// The code of a file without its line comments, which may speak of anything.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The parts of `std` that code names: `std::fs::read`, or `fs` in `use std::{fs, io}`.
fn parts_of_std(code: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let first_name = |text: &str| {
        let text = text.trim_start();
        text.split(|c| !is_name(c)).next().unwrap_or_default().to_owned()
    };
    let mut parts = BTreeSet::new();
    for (at, found) in code.match_indices("std::") {
        if code[..at].ends_with(is_name) {
            continue; // the end of a longer name
        }
        let rest = &code[at + found.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            parts.insert(first_name(rest));
            continue;
        };
        let (mut depth, mut new) = (0, true);
        for (i, c) in group.char_indices() {
            if new && depth == 0 {
                parts.insert(first_name(&group[i..]));
            }
            new = c == ',';
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    parts
}

#[test]
fn a_game_depends_on_the_contract_alone() {
    let packages = packages();
    let games: Vec<_> = packages.iter().filter(|(_, p)| p.is_game()).collect();
    assert!(!games.is_empty());
    for (name, _) in games {
        assert_eq!(own(&packages, name), set(&["lanista-game"]), "{name}");
    }
}

#[test]
fn only_the_catalogue_and_the_program_know_the_games() {
    let packages = packages();
    let knows = ["lanista-catalog", "lanista-cli"];
    for name in packages.keys().filter(|n| !knows.contains(&n.as_str())) {
        let mut known = own(&packages, name);
        known.retain(|d| packages[d].is_game());
        assert!(known.is_empty(), "{name} depends on {known:?}");
    }
}

#[test]
fn the_catalogue_is_games_and_presets() {
    let packages = packages();
    let mut known = own(&packages, "lanista-catalog");
    let games = packages.iter().filter(|(_, package)| package.is_game());
    for (name, _) in games {
        assert!(known.remove(name), "{name} is not listed");
    }
    assert_eq!(known, set(&["lanista-game", "lanista-train"]));
}

#[test]
fn the_library_is_the_contract_training_and_a_screen() {
    let parts = ["lanista-game", "lanista-learn", "lanista-train", "lanista-watch"];
    assert_eq!(own(&packages(), "lanista"), set(&parts));
}

#[test]
fn the_algorithm_depends_on_games_and_networks_alone() {
    let packages = packages();
    assert_eq!(own(&packages, "lanista-learn"), set(&["lanista-game", "lanista-nn"]));
    assert_eq!(own(&packages, "lanista-nn"), set(&[]));
    assert_eq!(own(&packages, "lanista-game"), set(&[]));
}

#[test]
fn the_league_depends_on_the_contract_alone() {
    let packages = packages();
    assert_eq!(own(&packages, "lanista-league"), set(&["lanista-game"]));
    let users = packages.keys().filter(|n| own(&packages, n).contains("lanista-league"));
    let users: BTreeSet<String> = users.cloned().collect();
    assert!(users.is_subset(&set(&["lanista-train", "lanista-cli"])), "{users:?} use the league");
}

#[test]
fn algorithm_league_and_formats_touch_no_file_clock_thread_or_process() {
    let outside = set(&["fs", "net", "process", "thread", "time"]);
    let sources = sources();
    for pure in ["crates/learn/src", "crates/league/src", "crates/exchange/src"] {
        let mut files = sources.iter().filter(|(path, _)| path.starts_with(pure)).peekable();
        assert!(files.peek().is_some(), "{pure} is empty");
        for (path, text) in files {
            let named = parts_of_std(&code(text));
            let outside: Vec<_> = named.intersection(&outside).collect();
            assert!(outside.is_empty(), "{} uses {outside:?} of std", path.display());
        }
    }
}

#[test]
fn parts_of_std_are_found_in_groups() {
    let code = "use std::{io::{self, Read}, fs}; std::time::Instant::now(); not_std::net::x";
    assert_eq!(parts_of_std(code), set(&["fs", "io", "time"]));
}

#[test]
fn nothing_in_the_core_is_async() {
    let packages = packages();
    let runtimes = set(&["tokio", "async-std", "smol", "futures", "futures-util"]);
    for name in CORE {
        let package = &packages[name];
        let used: Vec<_> = package.dependencies.intersection(&runtimes).collect();
        assert!(used.is_empty(), "{name} depends on {used:?}");
        for path in files(&package.directory.join("src")) {
            let code = code(&fs::read_to_string(&path).expect("sources are text"));
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            for word in ["async fn", "async move", "async {", ".await"] {
                // Not the beginning of a longer name.
                let mut found = code.match_indices(word).map(|(at, _)| &code[at + word.len()..]);
                let found = found.any(|rest| !rest.starts_with(is_name));
                assert!(!found, "{}: `{word}`", path.display());
            }
        }
    }
}

#[test]
fn no_module_has_a_name_that_says_nothing() {
    let vague = |name: &str| {
        ["util", "helper", "manager", "handler"].contains(&name.strip_suffix('s').unwrap_or(name))
    };
    for (path, text) in sources() {
        for part in path.with_extension("").components() {
            let part = part.as_os_str().to_string_lossy();
            assert!(!vague(&part), "{} is named `{part}`", path.display());
        }
        for line in code(&text).lines() {
            let declared = line.trim().strip_prefix("pub ").unwrap_or(line.trim());
            if let Some(name) = declared.strip_prefix("mod ") {
                let name = name.trim_end_matches([' ', '{', ';']);
                assert!(!vague(name), "{} declares `mod {name}`", path.display());
            }
        }
    }
}

#[test]
fn no_modules_go_in_circles() {
    for (name, package) in packages() {
        let directory = package.directory.join("src");
        let from_src = |path: PathBuf| {
            let text = fs::read_to_string(&path).expect("sources are text");
            (path.strip_prefix(&directory).expect("found below it").to_owned(), text)
        };
        let rust = |path: &PathBuf| path.extension().is_some_and(|e| e == "rs");
        let sources = files(&directory).into_iter().filter(rust).map(from_src).collect();
        let circles = modules::circles(&sources);
        assert!(
            circles.is_empty(),
            "modules of {name} use each other in a circle; what they share belongs below both:\n{}",
            circles.join("\n")
        );
    }
}

#[test]
fn no_source_file_is_too_long_to_read() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines: split it", path.display());
    }
}

#[test]
fn the_program_carries_every_preset() {
    let presets = root().join("presets");
    let mut on_disk = BTreeSet::new();
    for path in files(&presets) {
        let name = path.strip_prefix(&presets).expect("found below it");
        assert_eq!(name.extension(), Some("yml".as_ref()), "{} is not embedded", name.display());
        on_disk.insert(name.with_extension("").to_string_lossy().replace('\\', "/"));
    }
    let output = Command::new(env!("CARGO_BIN_EXE_lanista")).arg("games").output().expect("runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let list = text.lines().skip_while(|l| !l.starts_with("Presets")).skip(1);
    let embedded: BTreeSet<String> = list
        .take_while(|l| l.starts_with("  "))
        .filter_map(|l| l.split_whitespace().next().map(ToOwned::to_owned))
        .collect();
    assert_eq!(embedded, on_disk);
}
