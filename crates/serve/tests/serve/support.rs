//! Small models, servers of them, and clients.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lanista_game::{Condition, Head, Pair, Requirement, Role, Seat, Spec, Term, TermKind};
use lanista_learn::{Choose, Inputs, Policy, PolicyConfig, Scratch, Shape};
use lanista_serve::{Config, Format, Models, Server};
use lanista_train::model::{self, Metadata, RoleModel};
use lanista_train::player::Roster;
use lanista_train::stack::Stack;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What a role sees in a frame.
pub const FEATURES: usize = 5;
/// Actions over both heads.
pub const ACTIONS: usize = 7;

pub fn role() -> Role {
    Role {
        name: "knight".into(),
        observation: vec![["health", "mana", "distance", "armour", "speed"].into()],
        privileged: vec!["secret".into(), "luck".into()],
        heads: vec![
            Head::new("move", ["stay", "left", "right"]),
            Head::new("strike", ["none", "low", "high", "leap"]),
        ],
        requires: vec![Requirement {
            head: 1,
            action: 3,
            condition: Condition::All,
            choices: vec![(0, 2)],
        }],
        pairs: vec![Pair { first: 0, second: 1 }],
        ..Role::default()
    }
}

fn spec(roles: Vec<Role>) -> Spec {
    let seats = (0..roles.len()).map(|role| Seat::of(role).role(role)).collect();
    let terms = vec![Term::new(TermKind::Outcome, "won", "1 or -1")];
    Spec { name: "joust".into(), roles, seats, terms, stats: Vec::new() }
}

/// How a model is made.
#[derive(Clone)]
pub struct Made {
    pub policy: Value,
    pub stack: Vec<usize>,
    pub seed: u64,
    pub steps: u64,
}

impl Default for Made {
    fn default() -> Self {
        let policy = json!({"hidden": [16, 16], "normalize_observations": true});
        Self { policy, stack: vec![0], seed: 1, steps: 100 }
    }
}

impl Made {
    pub fn with(policy: Value) -> Self {
        Self { policy, ..Self::default() }
    }

    pub fn config(&self) -> PolicyConfig {
        serde_json::from_value(self.policy.clone()).unwrap()
    }

    /// The policy of a role; its choices are far from even.
    fn policy(&self, role: &Role, seed: u64) -> Policy {
        let mut policy = Policy::new(Shape::of(role), &self.config(), seed);
        policy.params.iter_mut().for_each(|weight| *weight *= 3.0);
        if let Some(normalizer) = &mut policy.normalizer {
            let size = normalizer.mean.len();
            let mean = (0..size).map(|i| i as f64 * 0.1).collect();
            *normalizer = lanista_learn::Normalizer::restore(10.0, mean, vec![15.0; size]).unwrap();
        }
        if let Some(normalizer) = &mut policy.privileged_normalizer {
            *normalizer =
                lanista_learn::Normalizer::restore(10.0, vec![0.5, -1.0], vec![4.0, 9.0]).unwrap();
        }
        policy
    }

    /// Writes it.
    pub fn save(&self, path: &Path) -> Policy {
        self.save_roles(path, &["knight"]).remove(0)
    }

    /// Writes it with weights that are too large for what it computes.
    pub fn save_scaled(&self, path: &Path, scale: f32) {
        self.write(path, &["knight"], scale);
    }

    pub fn save_roles(&self, path: &Path, names: &[&str]) -> Vec<Policy> {
        self.write(path, names, 1.0)
    }

    fn write(&self, path: &Path, names: &[&str], scale: f32) -> Vec<Policy> {
        let roles = names.iter().map(|name| Role { name: (*name).to_owned(), ..role() }).collect();
        let stack = Stack::new(self.stack.clone()).unwrap();
        let spec = stack.widen(spec(roles));
        let mut policies: Vec<Policy> = spec
            .roles
            .iter()
            .enumerate()
            .map(|(i, role)| self.policy(role, self.seed + i as u64 * 1000))
            .collect();
        for policy in &mut policies {
            policy.params.iter_mut().for_each(|weight| *weight *= scale);
        }
        let by_role = |name: &&str| {
            let role = RoleModel { policy: self.config(), rewards: BTreeMap::new() };
            ((*name).to_owned(), role)
        };
        let several = names.len() > 1;
        let metadata = Metadata {
            lanista: "0".into(),
            game: "joust".into(),
            settings: Value::Null,
            policy: self.config(),
            stack,
            features: spec.roles[0].features(),
            privileged: 2,
            heads: vec![3, 4],
            rewards: BTreeMap::new(),
            roles: if several { names.iter().map(by_role).collect() } else { BTreeMap::new() },
            played_by: BTreeMap::new(),
            spec: Some(spec),
            steps: self.steps,
            seed: 0,
        };
        let roster = Roster::new(policies.iter().cloned().map(Some).collect());
        model::save(path, &roster, &metadata).unwrap();
        policies
    }
}

/// A server of one model, `knight`, and the directory that it lies in.
pub struct Served {
    pub server: Server,
    pub policy: Policy,
    pub path: PathBuf,
    _directory: TempDir,
}

pub fn serve(made: &Made, config: Config) -> Served {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.zip");
    let policy = made.save(&path);
    let models = Models::load(&[("knight".into(), path.clone())]).unwrap();
    let server = Server::start(config, models, None).unwrap();
    Served { server, policy, path, _directory: directory }
}

/// All formats at once.
pub fn everything() -> Config {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let formats = Format::ALL.into_iter().chain([Format::Metrics]);
    Config { listen: formats.map(|format| (format, any)).collect(), ..Config::local(Format::Lines) }
}

impl Served {
    pub fn connect(&self, format: Format) -> Client {
        Client::new(self.server.address(format).unwrap())
    }
}

/// A client that reads lines or whatever else.
pub struct Client {
    pub stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Self { stream, reader }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// The next line; empty at the end.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        line
    }

    pub fn ask(&mut self, request: &Value) -> Value {
        self.send(format!("{request}\n").as_bytes());
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
    }

    /// The rest, up to the end of the connection; what a reset cuts off is lost.
    pub fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        let _ = self.reader.read_to_end(&mut rest);
        rest
    }

    pub fn read_exact(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.reader.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// A message of the binary format.
    pub fn frame(&mut self) -> Vec<u8> {
        let length = self.read_exact(4);
        let length = u32::from_le_bytes(length.try_into().unwrap());
        self.read_exact(length as usize)
    }

    pub fn send_frame(&mut self, body: &[u8]) {
        self.send(&(body.len() as u32).to_le_bytes());
        self.send(body);
    }

    /// Head and body of a reply of HTTP.
    pub fn http(&mut self, request: &str) -> (String, String) {
        self.send(request.as_bytes());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let line = self.line();
            assert!(!line.is_empty(), "the connection ended in a head: {head}");
            head += &line;
        }
        let length = head.lines().find_map(|l| l.strip_prefix("Content-Length: ")).unwrap();
        let body = self.read_exact(length.parse().unwrap());
        (head, String::from_utf8(body).unwrap())
    }
}

/// What a policy says of one row when nobody serves it.
pub struct Answer {
    pub actions: Vec<u32>,
    pub log_prob: f32,
    pub value: f32,
    pub logits: Vec<f32>,
    pub legal: Vec<bool>,
    pub actor: Vec<f32>,
    pub critic: Vec<f32>,
}

pub fn decide(
    policy: &Policy,
    observation: &[f32],
    mask: Option<&[bool]>,
    memory: Option<(&[f32], &[f32])>,
) -> Answer {
    let shape = policy.shape();
    let (actor, critic) = policy.state_sizes();
    let mut inputs = Inputs { rows: 1, ..Inputs::default() };
    inputs.packing.set_single(1);
    inputs.observation = observation.to_vec();
    let mean = |n: &lanista_learn::Normalizer| n.mean.iter().map(|&m| m as f32).collect();
    let zeros = || vec![0.0; shape.privileged];
    inputs.privileged = policy.privileged_normalizer.as_ref().map_or_else(zeros, mean);
    inputs.mask = mask.map_or_else(|| vec![true; shape.actions()], <[bool]>::to_vec);
    inputs.forbidden = vec![false; shape.pair_values];
    inputs.reset = vec![memory.is_none()];
    inputs.actor_state = memory.map_or_else(|| vec![0.0; actor], |m| m.0.to_vec());
    inputs.critic_state = memory.map_or_else(|| vec![0.0; critic], |m| m.1.to_vec());
    let mut scratch = Scratch::default();
    policy.prepare(&mut inputs);
    policy.act(&mut inputs, &mut scratch, Choose::Best);
    Answer {
        log_prob: scratch.log_probs[0],
        value: scratch.values[0],
        logits: scratch.logits[..shape.actions()].to_vec(),
        legal: inputs.mask,
        actions: inputs.actions,
        actor: inputs.actor_state,
        critic: inputs.critic_state,
    }
}

/// Numbers that look like an observation.
pub fn numbers(seed: u64, count: usize) -> Vec<f32> {
    use lanista_game::seed::{mix, uniform};
    (0..count).map(|i| uniform(mix(seed, i as u64)) * 4.0 - 2.0).collect()
}

/// A number of a reply, bit for bit.
pub fn single(value: &Value) -> f32 {
    value.to_string().parse().unwrap_or_else(|_| panic!("{value} is no number"))
}

pub fn singles(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(single).collect()
}

pub fn actions(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|a| a.as_u64().unwrap() as u32).collect()
}
