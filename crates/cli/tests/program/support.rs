//! A place to run the program in, and the eyes to compare what it leaves behind.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Feed-forward, in four shards and six chunks a minibatch. Nothing in it depends on how long the
/// run is, so two runs of different length agree as far as both go.
pub const FEED_FORWARD: &str = "
game: cartpole
rollout: { matches: 12, horizon: 32, shard: 3 }
policy: { hidden: [16, 16] }
ppo: { learning_rate: 2e-3, epochs: 3, minibatch: 96, chunk: 16, entropy: 0.01 }
rewards: { balance: 1 }
evaluation: { every: 1000, matches: 5 }
checkpoint: { every: 1000 }
stop: { steps: 4600 }
";

/// Survivors, few enough for matches on a server.
pub const LIVE: &str = "
game: survivors
settings: { view: legacy, map: corridor, limit_secs: 20 }
rollout: { matches: 2, horizon: 16, shard: 1, patience_secs: 30 }
policy: { hidden: [16] }
ppo: { minibatch: 64, chunk: 16 }
rewards: { survival: 0.01, progress: 1 }
evaluation: { every: 100000, matches: 1 }
checkpoint: { every: 200 }
stop: { steps: 400 }
";

/// Memory, both normalisers and a schedule.
pub const RECURRENT: &str = "
game: cartpole-novel
rollout: { matches: 6, horizon: 48, shard: 2 }
policy: { hidden: [8], memory: { cell: lstm, size: 12 }, normalize_observations: true }
ppo:
  learning_rate: { linear: { from: 3e-3, to: 0 } }
  epochs: 2
  minibatch: 96
  chunk: 16
  sequence_length: 8
  scale_rewards: true
rewards: { balance: 1 }
evaluation: { every: 1000, matches: 5 }
checkpoint: { every: 1000 }
stop: { steps: 4000 }
";

/// Two seats that take turns, against itself and a scripted player. Matches last 16 steps.
pub const DUEL: &str = "
game: duel
rollout: { matches: 20, horizon: 11, shard: 4 }
policy: { hidden: [16], critic: { shared: true } }
ppo: { learning_rate: 2e-3, epochs: 2, minibatch: 64, chunk: 16, entropy: 0.02 }
rewards: { won: 1 }
opponents: { self: 0.5, bot:random: 0.5 }
evaluation: { every: 1000, matches: 6, vs: bot:random }
checkpoint: { every: 1000 }
stop: { steps: 4000 }
";

/// Frames of earlier steps, noise and novelty, for seats that take turns. Matches last 16 steps.
pub const STACKED: &str = "
game: duel
observation:
  stack: [0, 1, 3]
  noise:
    - { features: [rounds_left], scale: { linear: { from: 0.3, to: 0 } } }
    - { features: [left_rich, '3:5'], scale: 0.05, kind: uniform }
rollout: { matches: 20, horizon: 11, shard: 4 }
policy: { hidden: [16], normalize_observations: true }
ppo:
  learning_rate: 2e-3
  epochs: 2
  minibatch: 64
  chunk: 16
  entropy: 0.02
  scale_rewards: true
  novelty: { linear: { from: 0.1, to: 0 } }
rewards: { won: 1 }
opponents: { self: 0.5, bot:random: 0.5 }
evaluation: { every: 1000, matches: 6, vs: bot:random }
checkpoint: { every: 1000 }
stop: { steps: 4000 }
";

/// Cars with memory against itself and scripted players, in the physics engine.
pub const ROCKET: &str = "
import: rocket/1v1
settings:
  limit_secs: 6
  start: { kickoff: 1, random: 2, turtled: 1 }
rollout: { matches: 6, horizon: 24, shard: 2 }
policy: { hidden: [16], memory: { cell: gru, size: 8 } }
ppo: { minibatch: 64, chunk: 16, sequence_length: 8 }
opponents: { bot:rule: 0.3, bot:chase: null, bot:random: 0.3 }
evaluation: { every: 2000, matches: 3 }
checkpoint: { every: 1000 }
stop: { steps: 4000 }
";

/// Heads that see each other, a critic with memory, and another optimiser.
pub const HEADS: &str = "
game: levers
rollout: { matches: 9, horizon: 21, shard: 2 }
policy:
  hidden: [16]
  layer_norm: true
  heads: { hidden: [8], autoregressive: true }
  critic: { memory: { cell: gru, size: 8 } }
ppo:
  learning_rate: { cosine: { from: 2e-3, to: 1e-4 } }
  epochs: 2
  minibatch: 64
  chunk: 16
  optimizer: { name: muon }
rewards: { key: 1, lever: { linear: { from: 0.5, to: 1 } } }
evaluation: { every: 1000, matches: 5 }
checkpoint: { every: 1000 }
stop: { steps: 4000 }
";

/// A league of its own past, memory, and a curriculum whose stages change opponents and settings.
pub const LEAGUE: &str = "
game: duel
settings: { rounds: 11 }
rollout: { matches: 10, horizon: 9, shard: 4 }
policy: { hidden: [16], memory: { cell: lstm, size: 8 } }
ppo: { epochs: 2, minibatch: 32, entropy: 0.05 }
rewards: { won: 1 }
opponents: { bot:biased: 0.3 }
league: { every: 300, pool: 4, delay_chance: 0.1, deterministic: 0.2 }
exploiters:
  - { against: main, rollouts: 3, reset: 0.5, delay: 2 }
  - { against: league, rollouts: 2, pace: 0.5, start: scratch }
evaluation: { every: 1000, matches: 10 }
checkpoint: { every: 1000, milestones: 1500 }
curriculum:
  - { name: alone, until: { steps: 700 } }
  - { name: with the past, until: { total_steps: 1900 }, changes: { opponents: { past: 0.6 } } }
  - { name: longer, changes: { settings: { rounds: 13 }, league: { sampler: elo_weighted } } }
stop: { steps: 4000 }
";

/// Two roles that see and do different things, learnt at once, each with numbers of its own; a pool of
/// the past, and exploiters.
pub const TWO_ROLES: &str = "
game: hideout
settings: { rounds: 7 }
rollout: { matches: 10, horizon: 9, shard: 4 }
policy: { hidden: [16], heads: { autoregressive: true }, normalize_observations: true }
ppo: { epochs: 2, minibatch: 32, entropy: 0.05 }
rewards: { won: 1 }
roles:
  hider: { policy: { hidden: [12] }, ppo: { gamma: 0.9 } }
  seeker: { policy: { memory: { cell: gru, size: 8 } }, rewards: { won: 0.5 } }
opponents: { bot:biased: 0.2, past: 0.5 }
league: { every: 300, pool: 4, deterministic: 0.2 }
exploiters:
  - { against: main, rollouts: 3, reset: 0.5, delay: 2 }
  - { against: league, rollouts: 2, pace: 0.5, start: scratch }
recording: { every: 20, keep: 10 }
evaluation: { every: 1000, matches: 10 }
checkpoint: { every: 1000, milestones: 1500 }
stop: { steps: 4000 }
";

/// Old School RuneScape: twelve heads that see each other, a privileged critic, the server's script,
/// drawn gear and the past.
pub const NH: &str = "
game: nh
settings:
  builds: [PURE, LMS_MED, ZERKER]
  randomize_gear: true
  randomize_fight_type: true
rollout: { matches: 6, horizon: 50, shard: 2 }
policy: { hidden: [16], heads: { hidden: [8], autoregressive: true }, normalize_observations: true }
ppo: { epochs: 1, minibatch: 64, scale_rewards: true, novelty: 0.001 }
rewards: { won: 1, lost: -1, damage_dealt: 0.25, damage_received: -0.25 }
opponents: { bot:baseline: 0.3, bot:greedy: 0.2, past: 0.3 }
league: { every: 500, pool: 3 }
evaluation: { every: 1000, matches: 4, vs: bot:baseline }
checkpoint: { every: 1000 }
stop: { steps: 4000 }
";

/// A directory of its own for one test, with the program in it.
pub struct Place {
    directory: TempDir,
}

impl Place {
    /// An empty one.
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// One with these presets, as `NAME.yml`.
    pub fn with(presets: &[(&str, &str)]) -> Self {
        let place = Self::new();
        for (name, text) in presets {
            place.write(&format!("{name}.yml"), text);
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The program with a command line, split at spaces.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanista"));
        command.args(line.split_whitespace()).current_dir(self.directory.path());
        command.stdin(Stdio::null());
        command
    }

    /// Runs the program to its end; it may fail.
    pub fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs the program, which must succeed; returns what it printed.
    pub fn ok(&self, line: &str) -> String {
        let output = self.run(line);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "lanista {line}\n{out}\n{err}");
        out
    }

    /// Runs the program, which must succeed; returns the one JSON line it printed.
    pub fn json(&self, line: &str) -> Value {
        let out = self.ok(line);
        assert_eq!(out.lines().count(), 1, "lanista {line}\n{out}");
        serde_json::from_str(&out).unwrap()
    }

    /// Runs the program, which must fail without a panic; returns what it said about it.
    pub fn fails(&self, line: &str) -> String {
        let output = self.run(line);
        let err = text(&output.stderr);
        assert!(!output.status.success(), "lanista {line}\n{}", text(&output.stdout));
        assert!(matches!(output.status.code(), Some(1 | 2)), "lanista {line}: {:?}", output.status);
        assert!(err.contains("error: "), "lanista {line}\n{err}");
        err
    }

    /// What a run left behind.
    pub fn bits(&self, run: &str) -> Bits {
        Bits::of(&self.path(run))
    }
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A text whose paths are written as on Unix, wherever it comes from.
pub fn slashes(text: &str) -> String {
    text.replace('\\', "/")
}

/// The steps of a run's checkpoints, oldest first.
pub fn checkpoints(run: &Path) -> Vec<u64> {
    let entries = fs::read_dir(run.join("checkpoints")).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut steps: Vec<u64> = names.filter_map(|n| n.parse().ok()).collect();
    steps.sort();
    steps
}

/// The directory of a run's newest checkpoint.
pub fn newest_checkpoint(run: &Path) -> PathBuf {
    let steps = *checkpoints(run).last().expect("a checkpoint");
    run.join("checkpoints").join(steps.to_string())
}

/// `metrics.jsonl` without what depends on the machine.
pub fn metrics(run: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let parse = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        value.as_object_mut().unwrap().remove("time");
        value
    };
    lines.lines().map(parse).collect()
}

/// Everything of a run that must repeat bit for bit.
pub struct Bits {
    files: BTreeMap<String, Vec<u8>>,
    states: BTreeMap<String, Value>,
    metrics: Vec<Value>,
}

impl Bits {
    fn of(run: &Path) -> Self {
        let newest = newest_checkpoint(run);
        let (mut files, mut states) = (BTreeMap::new(), BTreeMap::new());
        for (path, bytes) in tree(&newest) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name == "seals.json" {
                continue; // the sums of files that hold times
            } else if name.ends_with(".json") {
                let mut state: Value = serde_json::from_slice(&bytes).unwrap();
                state["progress"]["seconds"].take();
                state["time"].take();
                states.insert(name, state);
            } else if name != "SUMS" {
                files.insert(name, bytes);
            }
        }
        assert!(files.len() >= 3, "a checkpoint has a policy, an optimizer and matches");
        files.insert("model.zip".into(), fs::read(run.join("model.zip")).unwrap());
        Self { files, states, metrics: metrics(run) }
    }

    pub fn steps(&self) -> u64 {
        self.states["state.json"]["progress"]["steps"].as_u64().unwrap()
    }

    /// Says which part differs, if one does, and not all of its bytes.
    pub fn assert_same(&self, other: &Self, what: &str) {
        assert_eq!(self.states, other.states, "{what}: states");
        assert!(self.files.keys().eq(other.files.keys()), "{what}: other files");
        for (name, bytes) in &self.files {
            assert!(*bytes == other.files[name], "{what}: {name} differs");
        }
        for (i, (a, b)) in self.metrics.iter().zip(&other.metrics).enumerate() {
            assert_eq!(a, b, "{what}: line {} of metrics.jsonl", i + 1);
        }
        assert_eq!(self.metrics.len(), other.metrics.len(), "{what}: lines of metrics.jsonl");
    }

    /// Did the two runs learn different things?
    pub fn differs(&self, other: &Self) -> bool {
        self.files["policy.safetensors"] != other.files["policy.safetensors"]
    }
}

/// Every file under a directory with its bytes.
pub fn tree(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

/// Copies a run.
pub fn copy(from: &Path, to: &Path) {
    for (path, bytes) in tree(from) {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, bytes).unwrap();
    }
}

/// A program that is still running; killed when the test is over, however that ends.
pub struct Running {
    pub child: Child,
    pub out: BufReader<std::process::ChildStdout>,
}

impl Running {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    /// Waits for a line that begins like this.
    pub fn wait_for(&mut self, beginning: &str) {
        let mut line = String::new();
        while !line.starts_with(beginning) {
            line.clear();
            let read = self.out.read_line(&mut line).unwrap();
            assert!(read > 0, "the program ended before a line began with `{beginning}`");
        }
    }

    /// Sends a signal by name.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}
