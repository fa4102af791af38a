//! Pokémon VGC: the simulator is set up, teams are judged, mistakes are named with their remedy.

use std::path::Path;
use std::process::Command;

use crate::support::{Place, text};

/// A team of the program's own, with something in it that may not be.
const ILLEGAL: &str = "=== Mine ===

Incineroar @ Sitrus Berry
Ability: Intimidate
Level: 50
Tera Type: Grass
EVs: 252 HP
Careful Nature
- Fake Out
- Spore
- Knock Off
- Parting Shot
";

/// Runs the program, which must fail; returns what it said.
fn fails(mut command: Command) -> String {
    let output = command.output().unwrap();
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{}\n{err}", text(&output.stdout));
    assert!(err.starts_with("error: ") || err.contains("\nerror: "), "{err}");
    err
}

/// The program with a cache of its own and without an install that the environment names.
fn alone(place: &Place, line: &str) -> Command {
    let mut command = place.command(line);
    command.env_remove("LANISTA_SHOWDOWN").env("XDG_CACHE_HOME", place.path("cache"));
    command
}

/// A package that calls itself the simulator, in a version.
fn pretend(directory: &Path, version: &str) {
    let package = directory.join("node_modules/pokemon-showdown");
    std::fs::create_dir_all(package.join("dist/sim")).unwrap();
    std::fs::write(package.join("dist/sim/index.js"), "").unwrap();
    let json = format!(r#"{{"name": "pokemon-showdown", "version": "{version}"}}"#);
    std::fs::write(package.join("package.json"), json).unwrap();
}

#[test]
fn formats_and_files_are_named() {
    let place = Place::new();
    let said = place.fails("vgc teams --format gen9ou");
    assert!(
        said.contains("there is no format gen9ou") && said.contains("gen9vgc2025regi"),
        "{said}"
    );
    let said = place.fails("vgc teams nowhere.txt --format gen9vgc2024regg");
    assert!(said.contains("cannot read nowhere.txt"), "{said}");
    place.write("blank.txt", "\n");
    let said = place.fails("vgc teams blank.txt --format gen9vgc2023regulationc");
    assert!(said.contains("blank.txt holds no team: write packed teams"), "{said}");
    place.write("odd.txt", "Incineroar @ Sitrus Berry\nspeaks like this\n");
    let said = place.fails("vgc teams odd.txt --format gen9vgc2024regg");
    assert!(said.contains("odd.txt:2: `speaks like this` is no line of a team"), "{said}");
}

#[test]
fn the_validator_has_its_say() {
    let place = Place::new();
    place.write("mine.txt", ILLEGAL);
    let output = place.run("vgc teams mine.txt --format gen9vgc2024regg");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    if err.contains("vgc setup") || err.contains("Node.js") {
        println!("skipped: there is no simulator here");
        return;
    }
    assert!(!output.status.success());
    assert!(out.contains("refused  mine.txt, Mine: Incineroar"), "{out}");
    assert!(err.contains("can't learn Spore") && err.contains("gen9vgc2024regg"), "{err}");
    let ours = place.json("vgc teams --format gen9vgc2024regg --json");
    assert!(ours["count"].as_u64() >= Some(8) && ours["valid"] == ours["count"], "{ours}");
}

/// Programs called node and npm that do as told, instead of the real ones.
#[cfg(unix)]
struct Shims {
    place: Place,
}

#[cfg(unix)]
impl Shims {
    fn new(programs: &[(&str, &str)]) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let place = Place::new();
        std::fs::create_dir(place.path("bin")).unwrap();
        for (name, script) in programs {
            let path = place.path("bin").join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        Self { place }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = alone(&self.place, line);
        command.env("PATH", self.place.path("bin"));
        command
    }
}

#[cfg(unix)]
const NODE: (&str, &str) = ("node", "[ \"$1\" = --version ] && echo v20.0.0; exit 0");

/// Makes what npm would, by hand.
#[cfg(unix)]
const NPM: (&str, &str) = (
    "npm",
    "PATH=/usr/bin:/bin
    [ \"$1\" = install ] || exit 9
    mkdir -p node_modules/pokemon-showdown/dist/sim
    echo > node_modules/pokemon-showdown/dist/sim/index.js
    for last; do :; done
    echo \"{\\\"name\\\": \\\"pokemon-showdown\\\", \\\"version\\\": \\\"${last#*@}\\\"}\" \
        > node_modules/pokemon-showdown/package.json",
);

#[cfg(unix)]
#[test]
fn a_machine_without_node_or_with_an_old_one_is_told_how_to_get_it() {
    for line in ["vgc setup", "vgc teams --format gen9vgc2024regg"] {
        let said = fails(Shims::new(&[]).command(line));
        assert!(said.contains("node is not installed") && said.contains("nodejs.org"), "{said}");
        let old = Shims::new(&[("node", "echo v16.20.0")]);
        let said = fails(old.command(line));
        assert!(said.contains("16.20.0") && said.contains("18 or newer"), "{said}");
    }
    let said = fails(Shims::new(&[NODE]).command("vgc setup"));
    assert!(said.contains("npm is not installed") && said.contains("--from DIR"), "{said}");
}

#[cfg(unix)]
#[test]
fn what_is_installed_must_be_there_and_of_the_version() {
    let shims = Shims::new(&[NODE]);
    let line = "vgc teams --format gen9vgc2024regg";
    let said = fails(shims.command(line));
    assert!(
        said.contains("there is no Pokémon Showdown in") && said.contains("lanista vgc setup"),
        "{said}"
    );
    let named = |directory: &str| {
        let mut command = shims.command(line);
        command.env("LANISTA_SHOWDOWN", shims.place.path(directory));
        fails(command)
    };
    let said = named("nowhere");
    assert!(said.contains("LANISTA_SHOWDOWN names") && said.contains("npm install"), "{said}");
    pretend(&shims.place.path("old"), "0.11.9");
    let said = named("old");
    assert!(
        said.contains("is Pokémon Showdown 0.11.9") && said.contains("lanista vgc setup"),
        "{said}"
    );
    let said = fails(shims.command("vgc setup --from old"));
    assert!(said.contains("0.11.9"), "{said}");
}

#[cfg(unix)]
#[test]
fn setup_installs_once_and_all_or_nothing() {
    let shims = Shims::new(&[NODE, NPM]);
    let output = shims.command("vgc setup --json").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("npm installs pokemon-showdown@"));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let package = Path::new(told["package"].as_str().unwrap()).to_owned();
    assert!(package.join("dist/sim/index.js").is_file());
    // What is there is left alone: nobody asks npm.
    let cached = shims.place.path("cache/lanista/showdown");
    std::fs::remove_file(shims.place.path("bin/npm")).unwrap();
    let again = shims.command("vgc setup").output().unwrap();
    assert!(again.status.success() && again.stderr.is_empty());
    // What is damaged is made anew; what was interrupted before is gone.
    std::fs::remove_file(package.join("dist/sim/index.js")).unwrap();
    std::fs::create_dir(cached.join("installing")).unwrap();
    std::fs::write(cached.join("installing/rest"), "").unwrap();
    let whole = Shims::new(&[NODE, NPM]);
    let mut command = whole.command("vgc setup");
    command.env("XDG_CACHE_HOME", shims.place.path("cache"));
    assert!(command.output().unwrap().status.success());
    assert!(package.join("dist/sim/index.js").is_file() && !cached.join("installing").exists());
}

#[cfg(unix)]
#[test]
fn what_npm_cannot_do_is_said_and_leaves_nothing() {
    let failing =
        "echo 'npm error code ENOTFOUND' >&2; echo 'npm error network no way there' >&2; exit 1";
    let shims = Shims::new(&[NODE, ("npm", failing)]);
    let said = fails(shims.command("vgc setup"));
    assert!(said.contains("ENOTFOUND") && said.contains("no way there"), "{said}");
    assert!(said.contains("--from DIR"), "{said}");
    let left = |shims: &Shims| -> Vec<String> {
        let entries = std::fs::read_dir(shims.place.path("cache/lanista/showdown")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    assert_eq!(left(&shims), ["lock"]);
    let shims = Shims::new(&[NODE, ("npm", "kill -TERM $$")]);
    let said = fails(shims.command("vgc setup"));
    assert!(said.contains("interrupted") && said.contains("again"), "{said}");
    assert_eq!(left(&shims), ["lock"]);
    let other = (
        "npm",
        "PATH=/usr/bin:/bin; mkdir -p node_modules/pokemon-showdown; \
        echo '{\"name\": \"pokemon-showdown\", \"version\": \"9\"}' > node_modules/pokemon-showdown/package.json",
    );
    let shims = Shims::new(&[NODE, other]);
    assert!(fails(shims.command("vgc setup")).contains("Pokémon Showdown 9"));
    assert_eq!(left(&shims), ["lock"]);
}

#[cfg(unix)]
#[test]
fn a_cache_that_cannot_be_written_is_named() {
    let shims = Shims::new(&[NODE, NPM]);
    // A file in the way stops even those who may write everywhere.
    shims.place.write("cache", "");
    let said = fails(shims.command("vgc setup"));
    assert!(said.contains("cannot write") && said.contains("XDG_CACHE_HOME"), "{said}");
    let mut homeless = shims.command("vgc setup");
    homeless.env_remove("XDG_CACHE_HOME").env_remove("HOME");
    let said = fails(homeless);
    assert!(said.contains("neither XDG_CACHE_HOME nor HOME"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_install_from_elsewhere_is_taken() {
    let shims = Shims::new(&[NODE, NPM]);
    let first = shims.command("vgc setup --json").output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&first.stdout).unwrap();
    let version = told["version"].as_str().unwrap();
    let other = Shims::new(&[NODE]);
    pretend(&other.place.path("mine"), version);
    let taken = other.command("vgc setup --from mine --json").output().unwrap();
    assert!(taken.status.success(), "{}", text(&taken.stderr));
    let told: serde_json::Value = serde_json::from_slice(&taken.stdout).unwrap();
    assert!(told["package"].as_str().unwrap().contains("mine"));
    // It is found from now on, and missed when it is gone.
    std::fs::remove_dir_all(other.place.path("mine")).unwrap();
    let said = fails(other.command("vgc teams --format gen9vgc2024regg"));
    assert!(said.contains("mine") && said.contains("lanista vgc setup"), "{said}");
}
