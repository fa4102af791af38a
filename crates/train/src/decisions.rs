//! Decisions of real play: what a policy saw, and what it made of it. Whoever runs a model elsewhere holds
//! its numbers against these.

use std::collections::BTreeMap;
use std::time::Duration;

use lanista_game::{Batch, Buffers, Control, Entry, Fault, SettingsError, await_answer, seed};
use lanista_learn::{Choose, Policy};
use lanista_nn::{Array, tensors_to_bytes};
use serde_json::Value;
use thiserror::Error;

use crate::infer::{Inference, Seen};
use crate::player::{Player, Roster};
use crate::seating::Cast;
use crate::stack::Stack;

/// How long an engine may take for one answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Matches in a row in which a role may have nothing to decide.
const MOST_IDLE: u64 = 1000;

/// Decisions that could not be gathered.
#[derive(Debug, Error)]
pub enum DecisionsError {
    /// The game refused its settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A match could not go on.
    #[error(transparent)]
    Match(#[from] Fault),
    /// There is nothing to gather.
    #[error("the model decided nothing as {role} in {MOST_IDLE} matches; ask for another role")]
    Idle {
        /// The role.
        role: String,
    },
}

/// Who plays what.
pub struct Play<'a> {
    /// The game.
    pub entry: &'a Entry,
    /// Its settings.
    pub settings: &'a Value,
    /// Which frames the policies see.
    pub stack: &'a Stack,
    /// The policies by role. They sample, so that play goes many ways.
    pub roster: &'a Roster,
    /// Who plays the roles that they do not.
    pub cast: &'a Cast,
    /// Matches and choices follow from this.
    pub seed: u64,
}

/// Decisions of one role, row by row. What was decided is the most likely action of each head, whatever was
/// played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// How many.
    pub rows: usize,
    /// `[rows, features]`, as the game showed it.
    pub observation: Vec<f32>,
    /// `[rows, privileged]`, likewise.
    pub privileged: Vec<f32>,
    /// `[rows, actions]`: 1 where legal, as the game showed it.
    pub mask: Vec<u32>,
    /// `[rows, pair values]`: 1 where forbidden.
    pub forbidden: Vec<u32>,
    /// `[rows, actor state + critic state]`: memory before.
    pub state_in: Vec<f32>,
    /// `[rows, actions]`
    pub logits: Vec<f32>,
    /// `[rows, actions]`: 1 where legal after the choices of the heads before.
    pub legal: Vec<u32>,
    /// `[rows, heads]`
    pub action: Vec<u32>,
    /// `[rows]`
    pub value: Vec<f32>,
    /// `[rows, actor state + critic state]`: memory after.
    pub state_out: Vec<f32>,
}

impl Decisions {
    /// Plays matches until a role has decided so often.
    pub fn gather(play: &Play, role: usize, count: usize) -> Result<Self, DecisionsError> {
        let batch = play.entry.build(play.settings, 1)?;
        let mut table = Table::new(play, play.stack.over(batch));
        let mut found = Self::default();
        let (mut episode, mut idle) = (0, 0);
        while found.rows < count {
            let before = found.rows;
            table.play(episode, role, count, &mut found)?;
            idle = if found.rows > before { 0 } else { idle + 1 };
            episode += 1;
            if idle >= MOST_IDLE {
                let role = table.batch.spec().roles[role].name.clone();
                return Err(DecisionsError::Idle { role });
            }
        }
        Ok(found)
    }

    /// All of it as a safetensors file.
    pub fn to_bytes(&self, metadata: &BTreeMap<String, String>) -> Vec<u8> {
        let wide = |length: usize| vec![self.rows, length.checked_div(self.rows).unwrap_or(0)];
        let floats = [
            ("observation", &self.observation),
            ("privileged", &self.privileged),
            ("state_in", &self.state_in),
            ("logits", &self.logits),
            ("state_out", &self.state_out),
        ];
        let counts = [
            ("mask", &self.mask),
            ("forbidden", &self.forbidden),
            ("legal", &self.legal),
            ("action", &self.action),
        ];
        let floats = floats.into_iter().filter(|(_, values)| !values.is_empty());
        let counts = counts.into_iter().filter(|(_, values)| !values.is_empty());
        let mut entries = vec![("value", vec![self.rows], Array::from(&self.value[..]))];
        entries.extend(floats.map(|(name, v)| (name, wide(v.len()), Array::from(&v[..]))));
        entries.extend(counts.map(|(name, v)| (name, wide(v.len()), Array::from(&v[..]))));
        tensors_to_bytes(entries, metadata)
    }
}

/// One match after the other, all seats at one table.
struct Table<'a> {
    play: &'a Play<'a>,
    batch: Box<dyn Batch>,
    buffers: Buffers,
    controls: Vec<Control>,
    joint: Vec<u32>,
    /// `[seats]`: what actor and critic remember; nothing at the beginning of a match.
    memories: Vec<Option<[Vec<f32>; 2]>>,
    inference: Inference,
}

impl<'a> Table<'a> {
    fn new(play: &'a Play<'a>, batch: Box<dyn Batch>) -> Self {
        let spec = batch.spec();
        let control = |seat: usize| {
            let other = play.cast.others.get(spec.seats[seat].role).copied().flatten();
            other.unwrap_or(Player::Learner).control(spec, seat)
        };
        let seats = spec.seats.len();
        let buffers = Buffers::new(spec, 1);
        Self {
            controls: (0..seats).map(control).collect(),
            joint: vec![0; seats * buffers.layout().heads],
            memories: vec![None; seats],
            inference: Inference::default(),
            buffers,
            batch,
            play,
        }
    }

    /// Plays a match, or as much of it as is wanted.
    fn play(
        &mut self,
        episode: u64,
        role: usize,
        count: usize,
        found: &mut Decisions,
    ) -> Result<(), Fault> {
        let match_seed = seed::mix(self.play.seed, episode);
        self.batch.start(0, match_seed, &self.controls, &mut self.buffers)?;
        await_answer(self.batch.as_mut(), PATIENCE, &mut self.buffers)?;
        self.memories.fill(None);
        let mut step = 0;
        // The step that ended the match before stays in sight until the next one.
        let mut over = false;
        while !over && found.rows < count {
            let step_seed = seed::mix(match_seed, step);
            for seat in 0..self.controls.len() {
                if !self.buffers.acting[seat] {
                    continue;
                }
                let wanted = found.rows < count;
                self.decide(seat, seed::mix(step_seed, seat as u64), role, wanted, found)?;
            }
            self.batch.submit(&[0], &self.joint, &mut self.buffers)?;
            await_answer(self.batch.as_mut(), PATIENCE, &mut self.buffers)?;
            over = self.buffers.end[0].is_some();
            step += 1;
        }
        if !over {
            self.batch.abandon(0);
        }
        Ok(())
    }

    /// Chooses for a seat, and keeps what its policy thinks if that is wanted.
    fn decide(
        &mut self,
        seat: usize,
        dice: u64,
        role: usize,
        wanted: bool,
        found: &mut Decisions,
    ) -> Result<(), Fault> {
        let (room, own) = (self.buffers.layout().heads, self.buffers.layout().role_of(seat));
        let heads = self.buffers.layout().seat(seat).heads;
        let choice = seat * room..seat * room + heads;
        if let Control::Bot(bot) = self.controls[seat] {
            return self.batch.scripted(0, bot, seat, &mut self.joint[choice]);
        }
        let Some(policy) = self.play.roster.get(own) else { return Ok(()) };
        let memory = self.memories[seat].take().unwrap_or_else(|| {
            let (actor, critic) = policy.state_sizes();
            [vec![0.0; actor], vec![0.0; critic]]
        });
        if wanted && own == role {
            self.consider(seat, policy, &memory);
            self.inference.act(policy, Choose::Best);
            found.keep(&self.seen(seat), seat, &memory, &self.inference);
        }
        self.consider(seat, policy, &memory);
        let draw = |_: usize, head: usize| seed::uniform(seed::mix(dice, head as u64));
        self.inference.act(policy, Choose::Sample(&draw));
        self.joint[choice].copy_from_slice(self.inference.chosen(0));
        let after = [self.inference.memory(0).to_vec(), self.inference.critic_memory(0).to_vec()];
        self.memories[seat] = Some(after);
        Ok(())
    }

    fn seen(&self, seat: usize) -> Seen<'_> {
        let buffers = &self.buffers;
        Seen { observation: &buffers.observation, buffers, role: buffers.layout().seat(seat) }
    }

    fn consider(&mut self, seat: usize, policy: &Policy, memory: &[Vec<f32>; 2]) {
        let mut inference = std::mem::take(&mut self.inference);
        inference.clear();
        let seen = self.seen(seat);
        inference.add(&seen, seat, false, &memory[0]);
        inference.add_critic(&seen, seat, &memory[1]);
        inference.prepare(policy);
        self.inference = inference;
    }
}

impl Decisions {
    fn keep(&mut self, seen: &Seen, row: usize, before: &[Vec<f32>; 2], after: &Inference) {
        let bits = |flags: &[bool]| flags.iter().map(|&f| u32::from(f)).collect::<Vec<u32>>();
        let actions = seen.mask(row).len();
        self.rows += 1;
        self.observation.extend(seen.observation(row));
        self.privileged.extend(seen.privileged(row));
        self.mask.extend(bits(seen.mask(row)));
        self.forbidden.extend(bits(seen.forbidden(row)));
        before.iter().for_each(|state| self.state_in.extend(state));
        self.logits.extend(&after.scratch.logits[..actions]);
        self.legal.extend(bits(&after.inputs.mask));
        self.action.extend(after.chosen(0));
        self.value.push(after.scratch.values[0]);
        self.state_out.extend(after.memory(0).iter().chain(after.critic_memory(0)));
    }
}

#[cfg(test)]
mod tests {
    use lanista_learn::config::{CellName, MemoryConfig};
    use lanista_learn::{PolicyConfig, Shape};
    use lanista_nn::Arrays;

    use super::*;

    /// A policy with memory in the seats of a classic game.
    fn gather(seed: u64, count: usize) -> Decisions {
        let games = lanista_classic::games();
        let entry = games.iter().find(|entry| entry.name == "duel").unwrap();
        let spec = entry.spec(&Value::Null).unwrap();
        let memory = Some(MemoryConfig { cell: CellName::Lstm, size: 4, layers: 1 });
        let config = PolicyConfig { memory, ..PolicyConfig::default() };
        let roster = Roster::single(Policy::new(Shape::of(&spec.roles[0]), &config, 5));
        let (stack, cast) = (Stack::default(), Cast::default());
        let settings = &Value::Null;
        let play = Play { entry, settings, stack: &stack, roster: &roster, cast: &cast, seed };
        Decisions::gather(&play, 0, count).unwrap()
    }

    #[test]
    fn memory_goes_on_from_decision_to_decision_and_begins_at_zero() {
        let found = gather(1, 200);
        assert_eq!((found.rows, found.value.len()), (200, 200));
        let size = found.state_in.len() / 200;
        assert_eq!(size, 16, "h and c, of actor and critic");
        let rows = |of: &'_ [f32]| of.chunks_exact(size).map(<[f32]>::to_vec).collect::<Vec<_>>();
        let (before, after) = (rows(&found.state_in), rows(&found.state_out));
        let fresh = before.iter().filter(|row| row.iter().all(|&v| v == 0.0)).count();
        assert!(fresh >= 2, "two seats begin");
        let known = before.iter().filter(|row| after.contains(row)).count();
        assert_eq!(known + fresh, 200, "whoever does not begin goes on");
        for row in 0..200 {
            let heads = found.action.len() / 200;
            let legal = found.legal.len() / 200;
            assert_eq!(heads, 1);
            assert_eq!(found.legal[row * legal + found.action[row] as usize], 1);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
        let metadata = BTreeMap::from([("game".to_owned(), "duel".to_owned())]);
        let bytes = |seed| gather(seed, 50).to_bytes(&metadata);
        assert_eq!(bytes(1), bytes(1));
        assert_ne!(bytes(1), bytes(2));
        let mut read = Arrays::from_bytes(&bytes(1)).unwrap();
        assert_eq!(read.take_f32("logits").unwrap(), gather(1, 50).logits);
        assert_eq!(read.metadata()["game"], "duel");
    }
}
