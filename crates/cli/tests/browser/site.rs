//! What the tests look at: runs that were really trained, and the program that shows them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::webdriver::{Browser, chromedriver, turn};

/// A league with exploiters, stages, evaluations and recordings.
const LEAGUE: &str = "
game: duel
settings: { rounds: 11 }
rollout: { matches: 10, horizon: 9, shard: 4 }
policy: { hidden: [16] }
ppo: { epochs: 2, minibatch: 32, entropy: 0.05 }
rewards: { won: 1 }
opponents: { bot:biased: 0.3 }
league: { every: 400, pool: 3 }
exploiters:
  - { against: main, rollouts: 3, reset: 0.5, delay: 2 }
recording: { every: 20, keep: 10, evaluations: true }
evaluation: { every: 1000, matches: 6 }
checkpoint: { every: 1000, milestones: 1500 }
curriculum:
  - { name: alone, until: { steps: 700 } }
  - { name: with the past, changes: { opponents: { past: 0.6 } } }
stop: { steps: 4000 }
";

/// A run for a comparison over seeds.
const ALONE: &str = "
game: cartpole
rollout: { matches: 12, horizon: 32, shard: 3 }
policy: { hidden: [16, 16] }
ppo: { learning_rate: 2e-3, epochs: 3, minibatch: 96, chunk: 16, entropy: 0.01 }
rewards: { balance: 1 }
evaluation: { every: 1000, matches: 5 }
stop: { steps: 12000 }
";

/// A fight with many heads, whose choices are long words.
const FIGHT: &str = "
game: nh
rollout: { matches: 4, horizon: 32, shard: 2 }
policy: { hidden: [8] }
ppo: { epochs: 1, minibatch: 32 }
rewards: { won: 1 }
opponents: { bot:baseline: 1 }
evaluation: { every: 100, matches: 1, vs: bot:baseline }
recording: { evaluations: true }
stop: { steps: 256 }
";

/// A match in three dimensions, with a camera to move.
const ROCKET: &str = "
game: rocket
settings: { team_size: 1, limit_secs: 6 }
rollout: { matches: 4, horizon: 32, shard: 2 }
policy: { hidden: [8] }
ppo: { epochs: 1, minibatch: 32 }
rewards: { goal: 1 }
evaluation: { every: 100, matches: 1 }
recording: { evaluations: true }
stop: { steps: 256 }
";

/// The runs, trained once by this program, whether tests are threads of one process or processes of their own.
fn trained() -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = temporary.join("browser");
    let _turn = turn("browser-runs");
    let program = fs::metadata(env!("CARGO_BIN_EXE_lanista")).unwrap();
    let made_by =
        format!("{:?} {} {LEAGUE}{ALONE}{FIGHT}{ROCKET}", program.modified(), program.len());
    if fs::read_to_string(root.join("made-by")).is_ok_and(|text| text == made_by) {
        return root;
    }
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("league.yml"), LEAGUE).unwrap();
    fs::write(root.join("alone.yml"), ALONE).unwrap();
    fs::write(root.join("fight.yml"), FIGHT).unwrap();
    fs::write(root.join("rocket.yml"), ROCKET).unwrap();
    lanista(&root, "train league.yml --json --set run.dir=runs/league");
    lanista(&root, "league runs/league --crossplay --matches 6");
    lanista(&root, "train fight.yml --json --set run.dir=runs/fight");
    lanista(&root, "train rocket.yml --json --set run.dir=runs/rocket");
    for seed in 1..=3 {
        lanista(
            &root,
            &format!("train alone.yml --json --seed {seed} --set run.dir=runs/alone-{seed}"),
        );
    }
    fs::write(root.join("made-by"), made_by).unwrap();
    root
}

/// A directory with everything in it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let there = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &there),
            false => drop(fs::copy(entry.path(), there).unwrap()),
        }
    }
}

fn lanista(root: &Path, line: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanista"));
    let output = command
        .args(line.split_whitespace())
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "lanista {line}\n{said}");
}

/// The program that serves the page. It ends with this, also when no browser comes.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The page over runs of its own, and a browser that looks at it.
pub struct Site {
    pub browser: Browser,
    _server: Server,
    pub address: String,
    place: TempDir,
}

impl Site {
    /// Opens the page in a window of this size; `None`, with the reason said, where there is no browser.
    pub fn open(test: &str, width: u32, height: u32) -> Option<Self> {
        Self::with(test, width, height, |_| {})
    }

    /// The same over runs that were changed before.
    pub fn with(test: &str, width: u32, height: u32, change: impl FnOnce(&Path)) -> Option<Self> {
        let Some(chromedriver) = chromedriver() else {
            println!(
                "{test} is skipped: there is no chromedriver (Debian: apt-get install chromium-driver)"
            );
            return None;
        };
        let place = tempfile::tempdir().unwrap();
        copy(&trained().join("runs"), &place.path().join("runs"));
        change(&place.path().join("runs"));
        let mut server = Command::new(env!("CARGO_BIN_EXE_lanista"))
            .args(["watch", "runs", "--port", "0"])
            .current_dir(place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = server.stdout.take().unwrap();
        let server = Server(server);
        let mut lines = BufReader::new(lines).lines();
        let line = lines.next().expect("it says its address").unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        let address = line.split_whitespace().next().unwrap().to_owned();
        assert!(address.starts_with("http://127.0.0.1:"), "{line}");
        Some(Self {
            browser: Browser::open(&chromedriver, width, height),
            _server: server,
            address,
            place,
        })
    }

    /// Goes to a place of the page, `#/…`. Anything before it would be another document.
    pub fn at(&self, place: &str) -> &Browser {
        self.browser.go("about:blank");
        self.browser.go(&format!("{}{place}", self.address));
        &self.browser
    }

    /// The directory of a run.
    pub fn run_directory(&self, name: &str) -> PathBuf {
        self.place.path().join("runs").join(name)
    }

    /// What the server answers, as the page would see it.
    pub fn api(&self, path: &str) -> Value {
        let script = format!(
            "const done = arguments[0]; fetch('/api/{path}').then((a) => a.json()).then(done, (e) => done(String(e)))"
        );
        self.browser.run_async(&script)
    }

    /// The id of a run by its name.
    pub fn id(&self, name: &str) -> String {
        let answer = self.api("runs");
        let all = answer["runs"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let found = all.iter().find(|run| run["name"].as_str().is_some_and(|n| n.ends_with(name)));
        found.unwrap_or_else(|| panic!("{name}: {answer}"))["id"].as_str().unwrap().to_owned()
    }

    /// Waits until the server has read every run.
    pub fn ready(&self) {
        self.at("#/runs")
            .until("the runs", "document.querySelectorAll('.runs tbody tr').length >= 6");
    }
}
