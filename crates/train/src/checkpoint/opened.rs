//! A checkpoint opened once: all of it is read and checked before anything is taken from it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lanista_league::{Exploiter, Life};
use lanista_learn::{Learner, Normalizer};
use lanista_nn::{Arrays, from_bytes};

use super::{
    ANCHORS, CLONING, CONFIG, CheckpointError, Continued, Files, Identity, Loaded, MATCHES, META,
    OPTIMIZER, POLICY, RoleState, SEALS, STATE, State, files, matches, prefix,
};
use crate::agent::Agent;
use crate::journal::Seal;
use crate::league::LeagueState;
use crate::progress::Progress;
use crate::shard::all_finite;

/// A checkpoint that was read whole and found sound in itself.
pub struct Opened {
    path: PathBuf,
    files: Files,
    /// The main agent's, then those of exploiters, by number.
    states: BTreeMap<Option<usize>, State>,
}

impl Opened {
    /// Reads a checkpoint. One with a file that is missing, altered or too many is damaged.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let damaged = |name: &str, problem: String| CheckpointError::Damaged {
            path: path.join(name),
            problem,
        };
        let files::Sealed { files, sealed } = files::read(path)?;
        if files.contains_key(CLONING) {
            return Err(CheckpointError::Cloning(path.to_owned()));
        }
        let state = |number: Option<usize>| -> Result<State, CheckpointError> {
            let name = format!("{}{STATE}", prefix(number));
            let bytes = files.get(&name).ok_or_else(|| damaged(&name, "it is missing".into()))?;
            serde_json::from_slice(bytes).map_err(|e| damaged(&name, e.to_string()))
        };
        let main = state(None)?;
        let begun: Vec<usize> = if main.version == 0 {
            // The first versions did not list them.
            let known =
                |number: &usize| files.contains_key(&format!("{}{STATE}", prefix(Some(*number))));
            (0..).take_while(|&number| number < files.len()).filter(known).collect()
        } else {
            if !sealed {
                return Err(damaged("SUMS", "its last line, its own sum, is missing".into()));
            }
            main.exploiters_begun.clone()
        };
        let version = main.version;
        let mut states = BTreeMap::from([(None, main)]);
        for number in begun {
            states.insert(Some(number), state(Some(number))?);
        }
        let mut wanted = BTreeSet::new();
        for (part, state) in &states {
            let own = |name: &str| format!("{}{name}", prefix(*part));
            wanted.extend([own(MATCHES), own(STATE)]);
            for (role, _) in state.learnt() {
                let of = |name: &str| own(&format!("{}{name}", state.role_prefix(role)));
                wanted.extend([of(POLICY), of(OPTIMIZER)]);
            }
        }
        if version > 0 {
            wanted.extend([CONFIG, META, SEALS].map(str::to_owned));
        }
        if let Some(name) = wanted.iter().find(|name| !files.contains_key(*name)) {
            return Err(damaged(name, "it is missing".into()));
        }
        if files.contains_key(ANCHORS) {
            wanted.insert(ANCHORS.to_owned());
        }
        if let Some(name) = files.keys().find(|name| !wanted.contains(*name)) {
            return Err(damaged(name, "it does not belong there".into()));
        }
        Ok(Self { path: path.to_owned(), files, states })
    }

    fn main(&self) -> &State {
        &self.states[&None]
    }

    /// The stage of the curriculum in which it was saved: its matches are of that stage.
    pub fn stage(&self) -> usize {
        self.main().curriculum.stage()
    }

    /// How far the run had come.
    pub fn progress(&self) -> &Progress {
        &self.main().progress
    }

    /// The league, if the run had one.
    pub fn league(&self) -> Option<&LeagueState> {
        self.main().league.as_ref()
    }

    /// The milestones that the run had made.
    pub fn milestones(&self) -> &[String] {
        &self.main().milestones
    }

    /// The anchors that were saved with it, if there were some.
    pub fn anchors(&self) -> Option<PathBuf> {
        self.files.contains_key(ANCHORS).then(|| self.path.join(ANCHORS))
    }

    /// The configuration with which it was saved, as `config.yml` had it; the first versions kept none.
    pub fn config(&self) -> Option<&str> {
        self.files.get(CONFIG).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// What the files that grow beside it held.
    pub fn seals(&self) -> BTreeMap<String, Seal> {
        let bytes = self.files.get(SEALS);
        bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
    }

    /// The snapshots that the league needs: those of its pool and those in running matches.
    pub fn snapshots(&self) -> BTreeSet<u64> {
        let pooled = self.league().into_iter().flat_map(|league| league.snapshots());
        let mut all: BTreeSet<u64> = pooled.map(|snapshot| snapshot.id).collect();
        for part in self.states.keys() {
            all.extend(matches::seated(&self.files[&format!("{}{MATCHES}", prefix(*part))]));
        }
        all
    }

    /// Its files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// What the exploiter of this number was told when it was saved; `None` if it had not begun.
    pub fn rules(&self, number: usize) -> Option<&Exploiter> {
        self.states.get(&Some(number))?.exploiter.as_ref().map(|(rules, _)| rules)
    }

    /// Reads all that belongs to an agent: the main one, or an exploiter, `None` if that had not begun.
    /// The agent itself is only looked at; it stays as it is until [`Decoded::apply`].
    pub fn decode(
        &self,
        exploiter: Option<usize>,
        agent: &Agent,
        identity: &Identity,
    ) -> Result<Option<Decoded>, CheckpointError> {
        let Some(state) = self.states.get(&exploiter).cloned() else { return Ok(None) };
        let own = |name: &str| format!("{}{name}", prefix(exploiter));
        let damaged = |file: String, problem: String| CheckpointError::Damaged {
            path: self.path.join(file),
            problem,
        };
        let mut learners = Vec::new();
        let saved = state.learnt();
        if !agent.learnt().map(|(role, _)| role).eq(saved.iter().map(|(role, _)| *role)) {
            return Err(CheckpointError::OtherShape {
                path: self.path.join(own(STATE)),
                problem: "other roles were learnt".into(),
            });
        }
        for ((role, learner), (_, kept)) in agent.learnt().zip(saved) {
            let of = |name: &str| own(&format!("{}{name}", state.role_prefix(role)));
            learners.push((role, self.decode_learner(learner, kept, &of)?));
        }
        let file = own(MATCHES);
        let mut matches = Arrays::from_bytes(&self.files[&file])
            .map_err(|e| damaged(file.clone(), e.to_string()))?;
        let episodes =
            matches.take_u64("episode").map_err(|e| damaged(file.clone(), e.to_string()))?;
        let same = state.game == identity.game
            && state.settings == *identity.settings
            && state.seed == identity.seed
            && episodes.len() == agent.matches().count();
        Ok(Some(Decoded {
            file: self.path.join(file),
            learners,
            matches,
            episodes,
            same,
            recorded: state.recorded,
            progress: state.progress,
            league: state.league,
            curriculum: state.curriculum,
            life: state.exploiter.map(|(_, life)| life),
        }))
    }

    fn decode_learner(
        &self,
        learner: &Learner,
        kept: RoleState,
        of: &dyn Fn(&str) -> String,
    ) -> Result<DecodedLearner, CheckpointError> {
        let damaged = |name: &str, problem: String| CheckpointError::Damaged {
            path: self.path.join(of(name)),
            problem,
        };
        let bytes = |name: &str| &self.files[&of(name)];
        let params = from_bytes(learner.policy.layout(), bytes(POLICY)).map_err(|e| match e {
            lanista_nn::WeightsError::Mismatch(m) => CheckpointError::OtherShape {
                path: self.path.join(of(POLICY)),
                problem: lanista_nn::WeightsError::Mismatch(m).to_string(),
            },
            other => damaged(POLICY, other.to_string()),
        })?;
        let mut moments =
            Arrays::from_bytes(bytes(OPTIMIZER)).map_err(|e| damaged(OPTIMIZER, e.to_string()))?;
        let mut take =
            |name: &str| moments.take_f32(name).map_err(|e| damaged(OPTIMIZER, e.to_string()));
        let first = take(lanista_nn::Optimizer::EXP_AVG)?;
        let second = take(lanista_nn::Optimizer::EXP_AVG_SQ)?;
        for (name, numbers) in [(POLICY, &params), (OPTIMIZER, &first), (OPTIMIZER, &second)] {
            if !all_finite(numbers) {
                return Err(damaged(name, "it holds numbers that are not finite".into()));
            }
        }
        let problem = |problem: String| damaged(STATE, problem);
        let normalizer =
            restored(&learner.policy.normalizer, kept.normalizer.clone()).map_err(problem)?;
        let privileged =
            restored(&learner.policy.privileged_normalizer, kept.privileged_normalizer.clone())
                .map_err(problem)?;
        let expected = learner.optimizer.state().arrays.map(|(_, array)| array.len());
        if [first.len(), second.len()] != expected {
            return Err(damaged(OPTIMIZER, "its moments are those of another network".into()));
        }
        Ok(DecodedLearner { params, first, second, normalizer, privileged, kept })
    }
}

/// What a checkpoint holds of an agent, read and found sound.
pub struct Decoded {
    file: PathBuf,
    learners: Vec<(usize, DecodedLearner)>,
    matches: Arrays,
    episodes: Vec<u64>,
    same: bool,
    recorded: bool,
    progress: Progress,
    league: Option<LeagueState>,
    curriculum: lanista_league::Standing,
    life: Option<Life>,
}

struct DecodedLearner {
    params: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    normalizer: Option<Normalizer>,
    privileged: Option<Normalizer>,
    kept: RoleState,
}

impl Decoded {
    /// Takes an agent to where it was. Its matches are played again; if that fails, nothing else of it
    /// has been changed.
    pub fn apply(mut self, agent: &mut Agent) -> Result<Loaded, CheckpointError> {
        let damaged =
            |problem: String| CheckpointError::Damaged { path: self.file.clone(), problem };
        let (shards, same) = (&mut agent.shards, self.same);
        let continued = if self.recorded && same {
            matches::rebuild(shards, &self.episodes, &mut self.matches).map_err(damaged)?;
            Continued::Exactly
        } else {
            // Matches that were cut when they were saved wait at the beginning of an episode.
            let next = self.episodes.iter().max().map_or(0, |e| e.saturating_add(1));
            let mut recorded = self.episodes.iter().filter(|_| same);
            for shard in shards.iter_mut() {
                for m in 0..shard.matches.len() {
                    let episode = recorded.next().copied().unwrap_or(next);
                    shard.start(m, episode).map_err(|f| damaged(f.to_string()))?;
                }
                shard.await_all().map_err(|f| damaged(f.to_string()))?;
            }
            Continued::Anew
        };
        for (role, decoded) in self.learners {
            let Some(learner) = agent.learners.get_mut(role).and_then(Option::as_mut) else {
                continue;
            };
            let DecodedLearner { params, first, second, normalizer, privileged, kept } = decoded;
            // Their lengths have been compared.
            let _ = learner.optimizer.restore(kept.optimizer_step, &first, &second);
            learner.policy.params = params;
            learner.policy.normalizer = normalizer;
            learner.policy.privileged_normalizer = privileged;
            learner.dropped_updates = kept.dropped_updates;
            let [count, mean, squares] = kept.return_scale;
            learner.return_scale = lanista_learn::advantage::ReturnScale { count, mean, squares };
        }
        agent.progress = self.progress;
        Ok(Loaded { continued, league: self.league, curriculum: self.curriculum, life: self.life })
    }
}

/// A normaliser read from disk, if the policy has one of that size.
pub(super) fn restored(
    wanted: &Option<Normalizer>,
    found: Option<Normalizer>,
) -> Result<Option<Normalizer>, String> {
    match (wanted, found) {
        (None, _) => Ok(None),
        (Some(fresh), None) => Ok(Some(fresh.clone())),
        (Some(fresh), Some(found)) => {
            if found.mean.len() != fresh.mean.len() {
                let (found, wanted) = (found.mean.len(), fresh.mean.len());
                return Err(format!("the normaliser has {found} features, the game {wanted}"));
            }
            Normalizer::restore(found.count, found.mean, found.squares)
                .map(Some)
                .ok_or_else(|| "the normaliser's statistics contradict each other".to_owned())
        }
    }
}
