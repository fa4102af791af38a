//! A model that plays match after match on an engine outside, whatever the game.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::bail;
use lanista_game::{Batch, Buffers, Control, Fault, await_answer, seed};
use lanista_learn::Choose;
use lanista_train::infer::{Inference, Seen};
use lanista_train::player::Player;

use crate::eval::Playable;

/// How long the engine may take for one answer: as `rollout.patience_secs`, a game that changes its map takes up to
/// a minute.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it is left alone after it was lost, at first and at most; doubled in between.
const PAUSE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(15));

/// How matches are played.
pub struct Plan {
    /// Matches to play; 0 goes on until it is told to stop.
    pub matches: usize,
    /// Sampled choices follow from it; without, the most likely are taken.
    pub dice: Option<u64>,
    /// Matches follow from this.
    pub seed: u64,
    /// How long an engine that is gone is asked again before it is given up.
    pub give_up: Duration,
}

/// What has just happened in a match.
pub struct Moment<'a> {
    /// Which match, counted from 1.
    pub number: usize,
    /// What a viewer would show now.
    pub frame: &'a str,
    /// `[seats, heads]`: what was chosen.
    pub joint: &'a [u32],
    /// `[seats]`: did it choose?
    pub acted: &'a [bool],
    /// The mean value that the model gave to where its seats stood.
    pub value: f32,
    /// What the model's seats have earned in the match, weighted as in training, a seat.
    pub earned: f64,
    /// How long the last decision took.
    pub thought: Duration,
    /// The step's outcome: terms, end, score, stats.
    pub buffers: &'a Buffers,
}

/// How it went.
#[derive(Default, serde::Serialize)]
pub struct Summary {
    pub matches: usize,
    pub steps: u64,
    pub decisions: u64,
    pub return_mean: f64,
    /// Mean of each stat of the game.
    pub stats: Vec<(String, f64)>,
    /// Matches that were lost with their engine.
    pub lost: usize,
}

/// A model at the table.
struct Table<'a> {
    model: &'a Playable,
    batch: Box<dyn Batch>,
    buffers: Buffers,
    /// `[roles]`
    inferences: Vec<Inference>,
    /// `[seats]`: what actor and critic remember, and whether a match has just begun.
    memories: Vec<(Vec<f32>, Vec<f32>, bool)>,
    /// `[seats]`: who sits there.
    players: Vec<Player>,
    dice: Option<u64>,
}

/// Plays until the plan is done or `stop` is set.
pub fn play(
    model: &Playable,
    plan: &Plan,
    stop: &AtomicUsize,
    tell: &mut dyn FnMut(&str),
    hear: &mut dyn FnMut(&Moment),
) -> anyhow::Result<Summary> {
    let batch = model.metadata.stack.over(model.entry.build(&model.settings, 1)?);
    let mut table = Table::new(model, batch, plan.dice);
    let mut summary = Summary::default();
    let team = model.spec.seats.iter().find(|seat| model.roster.get(seat.role).is_some());
    let team = team.map_or(0, |seat| seat.team);
    let names = model.spec.stat_names();
    let mut sums = vec![0.0; names.len()];
    let mut returns = 0.0;
    let (mut gone, mut pause): (Option<Instant>, Duration) = (None, PAUSE.0);
    while (plan.matches == 0 || summary.matches < plan.matches) && stop.load(Ordering::Relaxed) == 0
    {
        let number = summary.matches + 1;
        let match_seed = seed::mix(plan.seed, (summary.matches + summary.lost) as u64);
        let mut answered = false;
        let played = table.play(match_seed, number, stop, &mut |moment, chose| {
            answered = true;
            summary.steps += 1;
            summary.decisions += chose;
            hear(moment);
        });
        if answered && gone.take().is_some() {
            pause = PAUSE.0;
        }
        match played {
            Ok(Some(earned)) => {
                summary.matches += 1;
                returns += earned;
                let stats = model.spec.stats_of(team, &table.buffers.stats);
                sums.iter_mut().zip(stats).for_each(|(sum, stat)| *sum += f64::from(stat));
            }
            Ok(None) => break,
            Err(fault) => {
                summary.lost += usize::from(answered);
                let since = *gone.get_or_insert_with(Instant::now);
                if since.elapsed() + pause > plan.give_up {
                    bail!("{}", fault.message);
                }
                tell(&format!("{}; trying again in {:.1} s", fault.message, pause.as_secs_f64()));
                wait(pause, stop);
                pause = (pause * 2).min(PAUSE.1);
                // A batch whose engine went away begins afresh.
                table.batch = model.metadata.stack.over(model.entry.build(&model.settings, 1)?);
            }
        }
    }
    let count = summary.matches.max(1) as f64;
    summary.return_mean = returns / count;
    summary.stats = names.into_iter().zip(sums.into_iter().map(|sum| sum / count)).collect();
    Ok(summary)
}

fn wait(time: Duration, stop: &AtomicUsize) {
    let end = Instant::now() + time;
    while Instant::now() < end && stop.load(Ordering::Relaxed) == 0 {
        std::thread::sleep(Duration::from_millis(50).min(time));
    }
}

impl<'a> Table<'a> {
    fn new(model: &'a Playable, batch: Box<dyn Batch>, dice: Option<u64>) -> Self {
        let spec = &model.spec;
        let memory = |seat: &lanista_game::Seat| {
            let policy = model.roster.get(seat.role);
            let (actor, critic) = policy.map_or((0, 0), |policy| policy.state_sizes());
            (vec![0.0; actor], vec![0.0; critic], true)
        };
        let player = |seat: &lanista_game::Seat| {
            model.cast.others.get(seat.role).copied().flatten().unwrap_or(Player::Learner)
        };
        Self {
            buffers: Buffers::new(spec, 1),
            inferences: spec.roles.iter().map(|_| Inference::default()).collect(),
            memories: spec.seats.iter().map(memory).collect(),
            players: spec.seats.iter().map(player).collect(),
            model,
            batch,
            dice,
        }
    }

    /// Plays a match to its end and returns what a seat of the model's earned; `None` when it was stopped.
    fn play(
        &mut self,
        match_seed: u64,
        number: usize,
        stop: &AtomicUsize,
        hear: &mut dyn FnMut(&Moment, u64),
    ) -> Result<Option<f64>, Fault> {
        let spec = &self.model.spec;
        let seats: Vec<Control> =
            (0..spec.seats.len()).map(|seat| self.players[seat].control(spec, seat)).collect();
        self.memories.iter_mut().for_each(|(_, _, fresh)| *fresh = true);
        self.batch.start(0, match_seed, &seats, &mut self.buffers)?;
        await_answer(self.batch.as_mut(), PATIENCE, &mut self.buffers)?;
        // Only a step clears what the step before it has ended.
        self.buffers.end[0] = None;
        let heads = self.buffers.layout().heads;
        let mut joint = vec![0; spec.seats.len() * heads];
        let mut frame = String::new();
        let weights: Vec<Vec<f32>> =
            (0..spec.roles.len()).map(|role| self.model.metadata.weights(spec, role)).collect();
        let own: Vec<usize> =
            (0..spec.seats.len()).filter(|&s| self.players[s] == Player::Learner).collect();
        let (mut earned, mut step) = (0.0, 0);
        while self.buffers.end[0].is_none() {
            // The second wish to stop gives the match up; the first lets it end.
            if stop.load(Ordering::Relaxed) > 1 {
                return Ok(None);
            }
            let began = Instant::now();
            let acted = self.buffers.acting.clone();
            let (value, chose) = self.choose(seed::mix(match_seed, step), &mut joint)?;
            let thought = began.elapsed();
            self.batch.submit(&[0], &joint, &mut self.buffers)?;
            await_answer(self.batch.as_mut(), PATIENCE, &mut self.buffers)?;
            step += 1;
            for &seat in &own {
                let terms = &self.buffers.terms[seat * spec.terms.len()..];
                let weights = &weights[spec.seats[seat].role];
                let gain: f32 = weights.iter().zip(terms).map(|(w, t)| w * t).sum();
                earned += f64::from(gain) / own.len() as f64;
            }
            frame.clear();
            self.batch.frame(0, &mut frame);
            let moment = Moment {
                number,
                frame: &frame,
                joint: &joint,
                acted: &acted,
                value,
                earned,
                thought,
                buffers: &self.buffers,
            };
            hear(&moment, chose);
        }
        Ok(Some(earned))
    }

    /// Everybody who acts chooses; returns the model's mean value, and how many choices it made.
    fn choose(&mut self, step: u64, joint: &mut [u32]) -> Result<(f32, u64), Fault> {
        let layout = self.buffers.layout().clone();
        let (mut values, mut chose) = (0.0, 0u64);
        for seat in 0..layout.seats() {
            if !self.buffers.acting[seat] {
                continue;
            }
            let action = &mut joint[seat * layout.heads..(seat + 1) * layout.heads];
            let role = layout.role_of(seat);
            let policy = match self.players[seat] {
                Player::Bot(bot) => {
                    let name = self.model.spec.bots()[bot];
                    let own = self.model.spec.role_of(seat).bot(name).unwrap_or(bot);
                    self.batch.scripted(0, own, seat, action)?;
                    continue;
                }
                _ => match self.model.roster.get(role) {
                    Some(policy) => policy,
                    None => continue,
                },
            };
            let own = layout.seat(seat);
            let seen =
                Seen { observation: &self.buffers.observation, buffers: &self.buffers, role: own };
            let (actor, critic, fresh) = &mut self.memories[seat];
            let inference = &mut self.inferences[role];
            inference.clear();
            inference.add(&seen, seat, *fresh, actor);
            inference.add_critic(&seen, seat, critic);
            inference.prepare(policy);
            match self.dice {
                None => inference.act(policy, Choose::Best),
                Some(dice) => {
                    let draw = |_: usize, head: usize| {
                        seed::uniform(seed::mix(seed::mix(dice, step), (seat * 64 + head) as u64))
                    };
                    inference.act(policy, Choose::Sample(&draw));
                }
            }
            actor.copy_from_slice(inference.memory(0));
            critic.copy_from_slice(inference.critic_memory(0));
            *fresh = false;
            action[..own.heads].copy_from_slice(inference.chosen(0));
            values += inference.scratch.values.first().copied().unwrap_or(0.0);
            chose += 1;
        }
        Ok((values / chose.max(1) as f32, chose))
    }
}
