//! Windows of decisions, and what is made of them.

use std::sync::Arc;

use lanista_game::{Episode, seed};
use lanista_learn::clone::{Cloner, Fitted, Numbers, Weights, look as look_at};
use lanista_learn::{Policy, Rollout};
use lanista_nn::Rates;
use rayon::prelude::*;

use super::{Cloning, learner, learner_mut};
use crate::cloning::{CloneConfig, Feed, Told};
use crate::collect::guard;
use crate::dataset::{Block, Corpus, DatasetError, Split};
use crate::error::TrainError;
use crate::trainer::Trainer;

/// Decisions of a rollout, about: several are made at once.
const ROLLOUT: usize = 4096;
/// Decisions that the normaliser learns from.
const NORMALIZED: u64 = 1_000_000;
/// Held-out decisions that are looked at, at most.
const LOOKED_AT: u64 = 200_000;
/// Choices that count more than others do so at most by this.
const MOST_WEIGHT: f64 = 100.0;

type Place = (usize, usize, Block);

/// What the order of an epoch follows from.
pub(super) fn shuffle(trainer: &Trainer, cloning: &Cloning) -> u64 {
    let s = &cloning.standing;
    let of_round = seed::mix(seed::mix(trainer.config().run.seed, 33), s.round as u64);
    seed::mix(of_round, s.epoch as u64)
}

/// The share of the whole that is done: what schedules follow.
pub(super) fn share(cloning: &Cloning, epochs: usize, windows: usize, rounds: usize) -> f64 {
    let s = &cloning.standing;
    let epoch = s.epoch as f64 + s.window as f64 / windows.max(1) as f64;
    ((s.round as f64 + epoch / epochs.max(1) as f64) / rounds.max(1) as f64).min(1.0)
}

/// The decisions of a window as rollouts. What is damaged or does not fit is an error, or left out and
/// named once if that is wished.
fn read(
    trainer: &Trainer,
    cloning: &mut Cloning,
    window: &[Place],
    scrambled: &[usize],
) -> Result<Vec<Rollout>, TrainError> {
    let config = &trainer.config().clone;
    let corpus = &cloning.corpus;
    // What is unpacked at once anyway need not be unpacked in every epoch anew.
    let keep = corpus.fits((config.window_mib as u64) << 20);
    let unpack = |place: &Place| match keep {
        true => corpus.read_and_keep(place),
        false => corpus.read(place).map(Arc::new),
    };
    let read: Vec<Result<Arc<Vec<Episode>>, DatasetError>> =
        trainer.install(|| window.par_iter().map(unpack).collect());
    let mut blocks: Vec<Arc<Vec<Episode>>> = Vec::new();
    let mut damaged = Vec::new();
    for (place, block) in window.iter().zip(read) {
        match block {
            Ok(episodes) => blocks.push(episodes),
            Err(error) if !config.skip_unsound => return Err(error.into()),
            Err(error) => damaged.push((name(corpus, place), why(error))),
        }
    }
    for (name, why) in damaged {
        if !cloning.skipped.contains_key(&name) {
            cloning.unsaid.push(format!("left out: {name}: {why}"));
            cloning.skipped.insert(name, why);
        }
    }
    let role = cloning.role;
    let weights = trainer.weights();
    let feed = feed(trainer, cloning, &weights[role], scrambled);
    let episodes = blocks.iter().flat_map(|block| block.iter());
    let wanted: Vec<&Episode> = episodes.filter(|e| feed.wants(e, role)).collect();
    let mut groups: Vec<Vec<&Episode>> = Vec::new();
    let mut size = ROLLOUT;
    for episode in wanted {
        if size >= ROLLOUT {
            groups.push(Vec::new());
            size = 0;
        }
        size += episode.len();
        if let Some(group) = groups.last_mut() {
            group.push(episode);
        }
    }
    let policy: &Policy = &learner(trainer, cloning).policy;
    Ok(trainer.install(|| groups.par_iter().map(|group| feed.rollout(policy, group)).collect()))
}

/// What becomes of episodes before they are learnt from.
fn feed<'a>(
    trainer: &'a Trainer,
    cloning: &Cloning,
    weights: &'a [f32],
    scrambled: &'a [usize],
) -> Feed<'a> {
    let config = &trainer.config().clone;
    Feed {
        stack: &trainer.config().observation.stack,
        players: &config.players,
        winners: config.winners,
        weights: (config.value_coef > 0.0).then_some(weights),
        gamma: trainer.agent.roles[cloning.role].ppo.gamma.at(0.0) as f32,
        sequence_length: config.sequence_length,
        scrambled,
        dice: seed::mix(shuffle(trainer, cloning), cloning.standing.window as u64),
    }
}

/// Is there anything to learn from? Most often the first block says so.
pub(super) fn any_wanted(trainer: &Trainer, cloning: &Cloning) -> Result<bool, TrainError> {
    let feed = feed(trainer, cloning, &[], &[]);
    for place in cloning.corpus.blocks(Split::Train) {
        match cloning.corpus.read(&place) {
            Ok(episodes) if episodes.iter().any(|e| feed.wants(e, cloning.role)) => {
                return Ok(true);
            }
            Ok(_) => {}
            Err(error) if !trainer.config().clone.skip_unsound => return Err(error.into()),
            Err(_) => {}
        }
    }
    Ok(false)
}

/// What a block is called.
fn name(corpus: &Corpus, (dataset, shard, block): &Place) -> String {
    let dataset = &corpus.datasets[*dataset];
    let file = dataset.path.join(&dataset.index.shards[*shard].file);
    format!("{}, {} decisions from byte {} on", file.display(), block.decisions, block.at)
}

/// What is wrong with a block, for whoever has already said that it is to be left out.
fn why(error: DatasetError) -> String {
    match error {
        DatasetError::Damaged { problem, .. } => problem,
        other => other.to_string(),
    }
}

/// Lets normalisers that have seen nothing yet see what there is to learn from, before anything is learnt.
pub(super) fn normalize(trainer: &mut Trainer, cloning: &mut Cloning) -> Result<(), TrainError> {
    let normalizer = learner(trainer, cloning).policy.normalizer.as_ref();
    if normalizer.is_none_or(|normalizer| normalizer.count > 0.0) {
        return Ok(());
    }
    // Frozen layers hold their normaliser, in a run that is resumed as in one that begins.
    crate::start::follow(&mut trainer.agent)?;
    let order = cloning.corpus.shuffled(Split::Train, shuffle(trainer, cloning));
    let mut seen = 0;
    for window in Corpus::windows(&order, (trainer.config().clone.window_mib as u64) << 20) {
        let mut rollouts = read(trainer, cloning, window, &[])?;
        let rollouts: Vec<&mut Rollout> = rollouts.iter_mut().collect();
        seen += rollouts.iter().map(|rollout| rollout.len() as u64).sum::<u64>();
        learner_mut(trainer, cloning).normalize(&rollouts);
        if seen >= NORMALIZED {
            break;
        }
    }
    Ok(())
}

/// Fits to a window.
pub(super) fn window(
    trainer: &mut Trainer,
    cloning: &mut Cloning,
    cloner: &mut Cloner,
    window: &[Place],
    share: f64,
) -> Result<Fitted, TrainError> {
    crate::start::follow(&mut trainer.agent)?;
    let config = trainer.config().clone.clone();
    let rollouts = read(trainer, cloning, window, &scrambled(trainer, cloning, &config)?)?;
    let rollouts: Vec<&Rollout> = rollouts.iter().collect();
    let ppo = &trainer.agent.roles[cloning.role].ppo;
    let rate = config.learning_rate.at(share) as f32;
    let numbers = Numbers {
        rates: Rates { actor: rate, critic: rate },
        minibatch: config.minibatch,
        chunk: ppo.chunk,
        max_grad_norm: config.max_grad_norm,
        max_bad_updates: ppo.max_bad_updates,
        loss: Weights {
            smoothing: config.smoothing as f32,
            entropy: config.entropy as f32,
            value: config.value_coef as f32,
            classes: classes(cloning, config.balance),
        },
    };
    let seed = seed::mix(shuffle(trainer, cloning), 1 + cloning.standing.window as u64);
    let role = cloning.role;
    let Some(mut learner) = trainer.agent.learners[role].take() else {
        return Err(TrainError::Teacher("the role is not learnt".into()));
    };
    let fitted = guard(|| trainer.install(|| cloner.fit(&mut learner, &rollouts, &numbers, seed)));
    trainer.agent.learners[role] = Some(learner);
    Ok(fitted??)
}

/// The numbers of an observation, over all frames, that are to say nothing.
fn scrambled(
    trainer: &Trainer,
    cloning: &Cloning,
    config: &CloneConfig,
) -> Result<Vec<usize>, TrainError> {
    let features = trainer.spec().roles[cloning.role].flat_features();
    let begins = |name: &str| config.scramble.iter().any(|wish| name.starts_with(wish));
    if let Some(nobody) =
        config.scramble.iter().find(|wish| !features.iter().any(|f| f.name.starts_with(*wish)))
    {
        let problem = format!("clone.scramble: no feature begins with `{nobody}`");
        return Err(TrainError::Teacher(problem));
    }
    Ok((0..features.len()).filter(|&i| begins(&features[i].name)).collect())
}

/// `[actions]`: what choices count, the rarer the more; empty if all count alike.
fn classes(cloning: &Cloning, balance: f64) -> Vec<f32> {
    if balance == 0.0 {
        return Vec::new();
    }
    let mut heads: Vec<Vec<u64>> = Vec::new();
    for dataset in &cloning.corpus.datasets {
        let own = &dataset.index.chosen[cloning.role];
        heads.resize_with(own.len(), Vec::new);
        for (sum, own) in heads.iter_mut().zip(own) {
            sum.resize(own.len(), 0);
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
    }
    let weigh = |head: Vec<u64>| {
        let chosen = head.iter().filter(|&&count| count > 0).count().max(1) as f64;
        let mean = head.iter().sum::<u64>() as f64 / chosen;
        let weight = move |count: u64| match count {
            0 => 1.0,
            count => (mean / count as f64).powf(balance).min(MOST_WEIGHT) as f32,
        };
        head.into_iter().map(weight)
    };
    heads.into_iter().flat_map(weigh).collect()
}

/// Looks at held-out decisions; `None` if there are none.
pub(super) fn look(
    trainer: &Trainer,
    cloning: &mut Cloning,
    config: &CloneConfig,
) -> Result<Option<Told>, TrainError> {
    let blocks = cloning.corpus.blocks(Split::HeldOut);
    let mut told: Option<Told> = None;
    let mut seen = 0;
    for window in Corpus::windows(&blocks, (config.window_mib as u64) << 20) {
        let rollouts = read(trainer, cloning, window, &[])?;
        let rollouts: Vec<&Rollout> = rollouts.iter().collect();
        seen += rollouts.iter().map(|rollout| rollout.len() as u64).sum::<u64>();
        let own = learner(trainer, cloning);
        let chunk = trainer.agent.roles[cloning.role].ppo.chunk;
        let (fitted, confusion) = trainer.install(|| look_at(&own.policy, &rollouts, chunk));
        if fitted.rows > 0.0 {
            match &mut told {
                Some(told) => told.add(&fitted, &confusion),
                None => told = Some(Told { fitted, confusion }),
            }
        }
        if seen >= LOOKED_AT {
            break;
        }
    }
    Ok(told)
}
