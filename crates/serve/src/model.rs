//! What is served: models by name, a policy for each role that they play.
//!
//! A policy can be exchanged while others use it. Whoever infers takes hold of the newest once and keeps
//! it to the end of the pass, so no decision is made of two.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lanista_game::{Role, Spec, seed};
use lanista_learn::{Choose, Inputs, Policy, Scratch, Shape};
use lanista_train::model::{self, Metadata, ModelError};
use lanista_train::player::Roster;
use lanista_train::shapes::differences;
use thiserror::Error;

/// The most rows that go through a policy in one pass.
pub const MOST_ROWS: usize = 64;
/// Batch sizes to try, largest first: the products of three rows and of fewer have the bits of one.
const SIZES: [usize; 2] = [MOST_ROWS, 3];

/// A model that cannot be served.
#[derive(Debug, Error)]
pub enum ServeModelError {
    /// It cannot be read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An earlier version wrote it.
    #[error(
        "{} does not say what its features and actions are called: an earlier version wrote it; \
         `lanista train --resume` on its run writes it anew", .0.display()
    )]
    Nameless(PathBuf),
    /// It computes nonsense.
    #[error("{} fails its test: {problem}", path.display())]
    Unsound {
        /// Which file.
        path: PathBuf,
        /// How it shows.
        problem: String,
    },
    /// Clients could not go on with it.
    #[error(
        "{} has another shape than the model that is served: {problem}; restart the server to \
         serve it", path.display()
    )]
    OtherShape {
        /// Which file.
        path: PathBuf,
        /// What differs.
        problem: String,
    },
    /// Two models of a name.
    #[error("two models are called {0}: give one another name, NAME=PATH")]
    Twice(String),
    /// Nothing to serve.
    #[error("there is no model to serve")]
    None,
}

/// A policy as it was at one time.
#[derive(Debug)]
pub struct Weights {
    /// The network.
    pub policy: Policy,
    /// 1 for the first that was served under its name, then one more for each that took its place.
    pub version: u32,
    /// Steps it was trained.
    pub steps: u64,
    /// So many rows may go through it at once: each has the bits that it would have alone.
    pub rows: usize,
}

/// A policy under the name by which requests ask for it.
#[derive(Debug)]
pub struct Endpoint {
    /// `NAME`, or `NAME/ROLE` if the model plays several roles.
    pub name: String,
    /// The game.
    pub game: String,
    /// What it sees and does, by name, over all its frames.
    pub role: Role,
    /// The same in numbers.
    pub shape: Shape,
    /// Which frames it sees: 0 is the newest.
    pub frames: Vec<usize>,
    /// Numbers in one frame.
    pub frame_features: usize,
    /// The features of one frame by name.
    pub feature_places: HashMap<String, usize>,
    /// Numbers of memory of actor and critic.
    pub state_sizes: (usize, usize),
    current: Mutex<Arc<Weights>>,
}

impl Endpoint {
    fn new(name: String, spec: &Spec, role: usize, metadata: &Metadata, weights: Weights) -> Self {
        let role = spec.roles[role].clone();
        let shape = weights.policy.shape().clone();
        let frames = metadata.stack.frames().to_vec();
        let frame_features = shape.features / frames.len();
        let suffix = format!("@{}", frames[0]);
        let features = role.flat_features().into_iter().take(frame_features).enumerate();
        let plain = |name: String| match name.strip_suffix(&suffix) {
            Some(plain) if frames[0] > 0 => plain.to_owned(),
            _ => name,
        };
        let feature_places = features.map(|(i, feature)| (plain(feature.name), i)).collect();
        let (game, state_sizes) = (metadata.game.clone(), weights.policy.state_sizes());
        let current = Mutex::new(Arc::new(weights));
        Self {
            name,
            game,
            role,
            shape,
            frames,
            frame_features,
            feature_places,
            state_sizes,
            current,
        }
    }

    /// The newest policy.
    pub fn weights(&self) -> Arc<Weights> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace(&self, weights: Weights) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(weights);
    }
}

/// A file and what is served of it.
#[derive(Debug)]
struct Source {
    name: String,
    path: PathBuf,
    spec: Spec,
    /// Where its policies stand among all, with the roles that they play.
    endpoints: Vec<(usize, usize)>,
}

/// Everything that is served.
#[derive(Debug)]
pub struct Models {
    sources: Vec<Source>,
    endpoints: Vec<Endpoint>,
    names: HashMap<String, usize>,
}

impl Models {
    /// Reads models, each under its name.
    pub fn load(files: &[(String, PathBuf)]) -> Result<Self, ServeModelError> {
        if files.is_empty() {
            return Err(ServeModelError::None);
        }
        let (mut sources, mut endpoints) = (Vec::new(), Vec::new());
        let mut names = HashMap::new();
        for (name, path) in files {
            let (spec, roster, metadata) = read(path)?;
            let several = roster.iter().count() > 1;
            let mut own = Vec::new();
            for (role, policy) in roster.iter() {
                let weights = tried(path, policy, 1, metadata.steps)?;
                let full = match several {
                    true => format!("{name}/{}", spec.roles[role].name),
                    false => name.clone(),
                };
                own.push((endpoints.len(), role));
                if names.insert(full.clone(), endpoints.len()).is_some() {
                    return Err(ServeModelError::Twice(full));
                }
                endpoints.push(Endpoint::new(full, &spec, role, &metadata, weights));
            }
            let (name, path) = (name.clone(), path.clone());
            sources.push(Source { name, path, spec, endpoints: own });
        }
        Ok(Self { sources, endpoints, names })
    }

    /// All policies.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// The policy of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The policy of a model's role.
    pub fn find_role(&self, name: &str, role: &str) -> Option<usize> {
        let source = self.sources.iter().find(|source| source.name == name)?;
        let of = |&&(_, index): &&(usize, usize)| source.spec.roles[index].name == role;
        source.endpoints.iter().find(of).map(|&(endpoint, _)| endpoint)
    }

    /// The names of all policies, for whoever asked for another.
    pub fn known(&self) -> String {
        let names: Vec<&str> = self.endpoints.iter().map(|e| e.name.as_str()).collect();
        names.join(", ")
    }

    /// Files that are read, in the order in which they were given.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.sources.iter().map(|source| (source.name.as_str(), source.path.as_path()))
    }

    /// Reads a file again, tries what it holds, and puts it in the place of what was served. Whatever
    /// is wrong with it, what was served goes on.
    pub(crate) fn reload(&self, file: usize) -> Result<(u32, u64), ServeModelError> {
        let source = &self.sources[file];
        let path = &source.path;
        let (spec, roster, metadata) = read(path)?;
        let other = |problem| ServeModelError::OtherShape { path: path.clone(), problem };
        let plays = |role: &Role| {
            source.endpoints.iter().any(|&(_, index)| source.spec.roles[index].name == role.name)
        };
        let different = differences(&source.spec, &spec, plays);
        if !different.is_empty() {
            return Err(other(different.join("; ")));
        }
        let mut fresh = Vec::new();
        for &(at, role) in &source.endpoints {
            let endpoint = &self.endpoints[at];
            let policy = roster.get(role).ok_or_else(|| {
                other(format!("it does not play the role {}", source.spec.roles[role].name))
            })?;
            let same = *policy.shape() == endpoint.shape
                && policy.state_sizes() == endpoint.state_sizes
                && metadata.stack.frames() == endpoint.frames;
            if !same {
                return Err(other("its frames, its memory or its rules are others".into()));
            }
            let version = endpoint.weights().version.wrapping_add(1);
            fresh.push((at, tried(path, policy, version, metadata.steps)?));
        }
        let mut told = (0, metadata.steps);
        for (at, weights) in fresh {
            told.0 = weights.version;
            self.endpoints[at].replace(weights);
        }
        Ok(told)
    }
}

fn read(path: &Path) -> Result<(Spec, Roster, Metadata), ServeModelError> {
    let spec = model::metadata(path)?.spec.ok_or_else(|| ServeModelError::Nameless(path.into()))?;
    let (roster, metadata) = model::load(path, &spec)?;
    Ok((spec, roster, metadata))
}

/// Tries a policy: what it computes is finite, and rows that go through it together have the bits that
/// they have alone. Which kernels multiply matrices depends on the number of rows, so the most rows for
/// which that is seen to hold are the most that it is given.
fn tried(
    path: &Path,
    policy: &Policy,
    version: u32,
    steps: u64,
) -> Result<Weights, ServeModelError> {
    let unsound = |problem: &str| ServeModelError::Unsound {
        path: path.to_owned(),
        problem: problem.to_owned(),
    };
    let alone: Vec<Vec<u32>> = (0..MOST_ROWS).flat_map(|row| trial(policy, row, 1)).collect();
    let finite = |bits: &u32| f32::from_bits(*bits).is_finite();
    if !alone.iter().all(|row| row.iter().all(finite)) {
        return Err(unsound("some of what it computes is not finite"));
    }
    let agrees = |rows: usize| {
        // A last pass is seldom full: its size must not show either.
        [rows, rows / 2 + 1].iter().all(|&rows| trial(policy, 0, rows)[..] == alone[..rows])
    };
    let rows = SIZES.into_iter().find(|&rows| agrees(rows)).unwrap_or(1);
    Ok(Weights { policy: policy.clone(), version, steps, rows })
}

/// The bits of everything that rows of made-up numbers lead to.
fn trial(policy: &Policy, first: usize, rows: usize) -> Vec<Vec<u32>> {
    let shape = policy.shape();
    let (actor, critic) = policy.state_sizes();
    let mut inputs = Inputs { rows, ..Inputs::default() };
    inputs.packing.set_single(rows);
    for row in first..first + rows {
        let number = |i: usize| seed::uniform(seed::mix(row as u64, i as u64)) * 4.0 - 2.0;
        inputs.observation.extend((0..shape.features).map(number));
        inputs.privileged.extend((0..shape.privileged).map(number));
        inputs.actor_state.extend((0..actor).map(number));
        inputs.critic_state.extend((0..critic).map(number));
        inputs.reset.push(row % 5 == 0);
    }
    inputs.mask.resize(rows * shape.actions(), true);
    inputs.forbidden.resize(rows * shape.pair_values, false);
    let mut scratch = Scratch::default();
    policy.prepare(&mut inputs);
    policy.act(&mut inputs, &mut scratch, Choose::Best);
    let part = |numbers: &[f32], size: usize, row: usize| -> Vec<u32> {
        numbers[row * size..(row + 1) * size].iter().map(|n| n.to_bits()).collect()
    };
    let all = |row: usize| {
        [
            part(&scratch.logits, shape.actions(), row),
            part(&scratch.values, 1, row),
            part(&inputs.actor_state, actor, row),
            part(&inputs.critic_state, critic, row),
        ]
        .concat()
    };
    (0..rows).map(all).collect()
}
