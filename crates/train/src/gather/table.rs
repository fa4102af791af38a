//! Some matches that are played and recorded by one thread at a time.

use std::collections::BTreeSet;
use std::time::Instant;

use lanista_game::{
    Answer, Batch, Buffers, Control, End, Episode, Fault, Layout, Spec, Verdict, seed,
};
use lanista_learn::{Choose, Policy, categorical};
use serde_json::Value;

use super::{Gather, Teacher, unfit};
use crate::error::TrainError;
use crate::infer::{Inference, Seen};
use crate::player::{Player, Roster, parse_player};
use crate::shard::{MatchFault, Patience};
use crate::stack::Stack;

/// A batch as somebody sees it.
struct Sight {
    batch: Box<dyn Batch>,
    buffers: Buffers,
}

/// Somebody who chooses by a policy.
struct Mind {
    /// `[roles]`
    inferences: Vec<Inference>,
    /// `[rows]`
    memories: Vec<Vec<f32>>,
    /// `[rows]`: has nothing been seen of the match yet?
    fresh: Vec<bool>,
    /// `[rows, heads]`
    chosen: Vec<u32>,
    /// `[rows, actions]`, after the choices of earlier heads.
    probabilities: Vec<f32>,
}

/// Some places for matches.
pub(super) struct Table {
    first: usize,
    spec: Spec,
    /// As the pupil sees it, or the teacher if there is no pupil.
    sight: Sight,
    /// As a teacher sees it that looks in another way.
    other: Option<Sight>,
    /// Where the current frame lies among those of a seat.
    frame: usize,
    pupil: Option<Mind>,
    teacher: Option<Mind>,
    /// `[rows]`: what is being recorded.
    records: Vec<Option<Episode>>,
    /// `[matches]`
    slots: Vec<Slot>,
    /// `[matches, seats, heads]`
    actions: Vec<u32>,
}

#[derive(Clone, Default)]
struct Slot {
    number: usize,
    seed: u64,
    step: u32,
    /// `[seats]`
    control: Vec<Control>,
    /// `[seats]`: is it taught?
    taught: Vec<bool>,
    playing: bool,
}

impl Table {
    pub fn new(wish: &Gather, first: usize, matches: usize) -> Result<Self, TrainError> {
        let single = Stack::default();
        let stack = wish.pupil.map_or(&single, |(_, stack)| stack);
        let sight = Sight::new(wish, stack, wish.settings, matches)?;
        let spec = wish.entry.spec(wish.settings)?;
        let Some(frame) = stack.frames().iter().position(|&frame| frame == 0) else {
            return Err(TrainError::Teacher(
                "observation.stack has no frame 0, which is recorded".into(),
            ));
        };
        let rows = matches * spec.seats.len();
        let mut other = None;
        if let Teacher::Model { stack: own, settings, name, .. } = wish.teacher
            && (*own != *stack || settings != wish.settings)
        {
            let theirs = Sight::new(wish, own, settings, matches)?;
            let heads = |spec: &Spec| -> Vec<_> {
                spec.roles.iter().map(|role| role.heads.clone()).collect()
            };
            if heads(theirs.batch.spec()) != heads(&spec) {
                let problem = format!("{name} has other heads or actions than what is learnt");
                return Err(TrainError::Teacher(problem));
            }
            let seats = |spec: &Spec| -> Vec<_> {
                spec.seats.iter().map(|seat| (seat.role, seat.team)).collect()
            };
            if seats(theirs.batch.spec()) != seats(&spec) {
                let problem = format!("{name} has other seats{}", other_settings(wish));
                return Err(TrainError::Teacher(problem));
            }
            other = Some(theirs);
        }
        let seen = other.as_ref().map_or(&sight, |other| other).batch.spec().clone();
        if let Some(problem) = unfit(&wish.teacher, &seen) {
            return Err(TrainError::Teacher(problem));
        }
        let teacher = match wish.teacher {
            Teacher::Model { roster, .. } => Some(Mind::new(roster, &seen, rows)),
            Teacher::Bot(_) => None,
        };
        let pupil = wish.pupil.map(|(roster, _)| Mind::new(roster, sight.batch.spec(), rows));
        let width = sight.buffers.layout().heads;
        Ok(Self {
            first,
            sight,
            other,
            frame,
            pupil,
            teacher,
            records: vec![None; rows],
            slots: vec![Slot::default(); matches],
            actions: vec![0; rows * width],
            spec,
        })
    }

    /// Plays `turns` matches in every place; returns their episodes with the numbers of the matches, and
    /// how many were lost on the way.
    pub fn play(
        &mut self,
        wish: &Gather,
        base: usize,
        slots: usize,
        turns: usize,
    ) -> Result<(Vec<(usize, Episode)>, u64), TrainError> {
        let (mut episodes, mut lost) = (Vec::new(), 0u64);
        let mut left = vec![turns; self.slots.len()];
        let number = |first: usize, m: usize, turn: usize| base + first + m + turn * slots;
        let mut begun: Vec<usize> = (0..self.slots.len()).collect();
        loop {
            for m in std::mem::take(&mut begun) {
                let next = number(self.first, m, turns - left[m]);
                self.slots[m].playing = left[m] > 0 && next < wish.matches;
                if self.slots[m].playing {
                    left[m] -= 1;
                    self.begin(m, next, wish)?;
                }
            }
            let which: Vec<usize> =
                (0..self.slots.len()).filter(|&m| self.slots[m].playing).collect();
            if which.is_empty() {
                return Ok((episodes, lost));
            }
            let gone = self.await_all(&which, wish)?;
            lost += gone.len() as u64;
            if lost > u64::from(wish.patience.lost) {
                let problem = format!(
                    "the engine lost {lost} matches; look at it, or raise rollout.max_lost"
                );
                return Err(TrainError::Teacher(problem));
            }
            for m in gone {
                let number = self.slots[m].number;
                self.begin(m, number, wish)?;
                if let [again] = self.await_all(&[m], wish)?[..] {
                    return Err(self.fault(Fault {
                        match_index: again,
                        message: "lost again as soon as it began".into(),
                    }));
                }
            }
            self.compare(&which, wish)?;
            for &m in &which {
                if let Some(end) = self.settle(m) {
                    episodes.extend(self.finish(m, end));
                    begun.push(m);
                }
            }
            let going: Vec<usize> = which.iter().copied().filter(|m| !begun.contains(m)).collect();
            if going.is_empty() {
                continue;
            }
            self.decide(&going, wish)?;
            self.submit(&going, wish)?;
        }
    }

    /// Starts a match in a place.
    fn begin(&mut self, m: usize, number: usize, wish: &Gather) -> Result<(), TrainError> {
        let spec = &self.spec;
        let seats = spec.seats.len();
        let teams = spec.teams().max(1);
        let versus = match wish.versus.len() {
            0 => Player::Learner,
            n => parse_player(&wish.versus[number % n], spec).map_err(TrainError::Teacher)?,
        };
        // Teams in turn, each of whoever is met.
        let own = number / wish.versus.len().max(1) % teams;
        let slot = &mut self.slots[m];
        let match_seed = seed::episode(wish.seed, number, 0);
        (slot.number, slot.seed, slot.step) = (number, match_seed, 0);
        slot.control.clear();
        slot.taught.clear();
        for (s, seat) in spec.seats.iter().enumerate() {
            let role = &spec.roles[seat.role];
            let bot = match wish.teacher {
                Teacher::Bot(name) => role.bot(name).filter(|&bot| !role.bots[bot].inside),
                Teacher::Model { .. } => None,
            };
            let can = match wish.teacher {
                Teacher::Bot(_) => bot.is_some(),
                Teacher::Model { roster, .. } => roster.get(seat.role).is_some(),
            };
            let met = versus != Player::Learner && seat.team != own;
            let taught = can && !met && !seat.empty;
            slot.taught.push(taught);
            slot.control.push(match (taught, met) {
                _ if seat.empty => Control::Nobody,
                (true, _) if wish.pupil.is_none() => bot.map_or(Control::Outside, Control::Bot),
                (true, _) => Control::Outside,
                (false, true) => versus.control(spec, s),
                // A role that the teacher does not play: its first scripted player does.
                (false, false) => match role.bots.is_empty() {
                    true => Control::Nobody,
                    false => Control::Bot(0),
                },
            });
        }
        for s in 0..seats {
            let row = m * seats + s;
            self.records[row] = None;
            for mind in [&mut self.pupil, &mut self.teacher].into_iter().flatten() {
                mind.forget(row);
            }
        }
        let control = self.slots[m].control.clone();
        for sight in std::iter::once(&mut self.sight).chain(&mut self.other) {
            let Sight { batch, buffers } = sight;
            let begun = batch.start(m, match_seed, &control, buffers);
            begun.map_err(|fault| fault_of(&self.slots, fault))?;
        }
        Ok(())
    }

    /// Waits for all answers; returns the matches that were lost.
    fn await_all(&mut self, which: &[usize], wish: &Gather) -> Result<Vec<usize>, TrainError> {
        let lost = self.sight.await_all(which, &wish.patience);
        let mut gone = lost.map_err(|fault| fault_of(&self.slots, fault))?;
        if let Some(other) = &mut self.other {
            let lost = other.await_all(which, &wish.patience);
            gone.extend(lost.map_err(|fault| fault_of(&self.slots, for_teacher(fault, wish)))?);
        }
        gone.sort_unstable();
        gone.dedup();
        Ok(gone)
    }

    /// Takes over what the last step of a match brought; says whether it is over.
    fn settle(&mut self, m: usize) -> Option<End> {
        let (seats, terms) = (self.spec.seats.len(), self.spec.terms.len());
        let slot = &mut self.slots[m];
        if slot.step == 0 {
            return None;
        }
        for s in 0..seats {
            let row = m * seats + s;
            let Some(record) = &mut self.records[row] else { continue };
            let earned = &self.sight.buffers.terms[row * terms..(row + 1) * terms];
            let last = record.terms.len() - terms;
            record.terms[last..].iter_mut().zip(earned).for_each(|(sum, term)| *sum += term);
        }
        self.sight.buffers.end[m]
    }

    /// What was recorded of a match that is over.
    fn finish(&mut self, m: usize, end: End) -> Vec<(usize, Episode)> {
        let (seats, teams) = (self.spec.seats.len(), self.spec.teams());
        let number = self.slots[m].number;
        let score = &self.sight.buffers.score[m * teams..(m + 1) * teams];
        let mut done = Vec::new();
        for s in 0..seats {
            if let Some(mut episode) = self.records[m * seats + s].take() {
                let team = self.spec.seats[s].team;
                episode.verdict = self.spec.contested().then(|| Verdict::of(score, team));
                episode.end = Some(end);
                done.push((number, episode));
            }
        }
        done
    }

    /// Lets everybody choose who acts, and records what is taught.
    fn decide(&mut self, which: &[usize], wish: &Gather) -> Result<(), TrainError> {
        let (seats, layout) = (self.spec.seats.len(), self.sight.buffers.layout().clone());
        let acting: Vec<usize> = which
            .iter()
            .flat_map(|&m| (0..seats).map(move |s| m * seats + s))
            .filter(|&row| self.sight.buffers.acting[row])
            .collect();
        let taught: Vec<usize> = acting
            .iter()
            .copied()
            .filter(|&row| self.slots[row / seats].taught[row % seats])
            .collect();
        let draw = |salt: u64, slots: &[Slot], row: usize, head: usize| {
            let slot = &slots[row / seats];
            let of_match = seed::mix(seed::mix(wish.seed, salt), slot.number as u64);
            let of_step = seed::mix(of_match, u64::from(slot.step));
            seed::uniform(seed::mix(seed::mix(of_step, (row % seats) as u64), head as u64))
        };
        let slots = &self.slots;
        if let (Some(mind), Teacher::Model { roster, .. }) = (&mut self.teacher, wish.teacher) {
            let sight = self.other.as_ref().unwrap_or(&self.sight);
            mind.think(roster, sight, &taught, &|row, head| draw(11, slots, row, head));
        }
        if let (Some(mind), Some((roster, _))) = (&mut self.pupil, wish.pupil) {
            mind.think(roster, &self.sight, &taught, &|row, head| draw(12, slots, row, head));
        }
        for &row in &acting {
            let (m, s) = (row / seats, row % seats);
            let role = &self.spec.roles[self.spec.seats[s].role];
            let heads = role.heads.len();
            let mut right = vec![0; layout.heads];
            if !self.slots[m].taught[s] {
                let Control::Bot(bot) = self.slots[m].control[s] else { continue };
                let asked = self.sight.batch.scripted(m, bot, s, &mut right);
                asked.map_err(|fault| fault_of(&self.slots, fault))?;
                self.actions[row * layout.heads..(row + 1) * layout.heads].copy_from_slice(&right);
                continue;
            }
            match (&self.teacher, wish.teacher) {
                (Some(mind), _) => right[..heads].copy_from_slice(mind.chosen(row, heads)),
                (None, Teacher::Bot(name)) => {
                    let bot = role.bot(name).unwrap_or(0);
                    let asked = self.sight.batch.scripted(m, bot, s, &mut right);
                    asked.map_err(|fault| fault_of(&self.slots, fault))?;
                }
                (None, Teacher::Model { .. }) => {}
            }
            self.record(row, &right[..heads], wish);
            let by_teacher = f64::from(draw(13, &self.slots, row, 0)) < wish.control;
            let done = match &self.pupil {
                Some(mind) if !by_teacher => mind.chosen(row, heads),
                _ => &right[..heads],
            };
            self.actions[row * layout.heads..row * layout.heads + heads].copy_from_slice(done);
        }
        Ok(())
    }

    /// Records what a seat sees, and what would be right.
    fn record(&mut self, row: usize, right: &[u32], wish: &Gather) {
        let seats = self.spec.seats.len();
        let (m, s) = (row / seats, row % seats);
        let (slot, role) = (&self.slots[m], self.spec.seats[s].role);
        let about = &self.spec.roles[role];
        let record = self.records[row].get_or_insert_with(|| Episode {
            role,
            player: match wish.teacher {
                Teacher::Bot(name) => format!("bot:{name}"),
                Teacher::Model { name, .. } => name.to_owned(),
            },
            source: format!("match {} of seed {}", slot.number, wish.seed),
            ..Episode::default()
        });
        let Buffers { observation, privileged, mask, forbidden, .. } = &self.sight.buffers;
        let layout = self.sight.buffers.layout();
        let features = about.features();
        let at = row * layout.features + self.frame * features;
        record.steps.push(slot.step);
        record.observation.extend_from_slice(&observation[at..at + features]);
        let at = row * layout.privileged;
        record.privileged.extend_from_slice(&privileged[at..at + about.privileged.len()]);
        let at = row * layout.actions;
        record.mask.extend_from_slice(&mask[at..at + about.actions()]);
        let at = row * layout.pair_values;
        record.forbidden.extend_from_slice(&forbidden[at..at + about.pair_values()]);
        record.actions.extend_from_slice(right);
        if let Some(mind) = &self.teacher {
            record.probabilities.extend_from_slice(mind.probabilities(row, about.actions()));
        }
        record.terms.resize(record.terms.len() + self.spec.terms.len(), 0.0);
    }

    fn submit(&mut self, which: &[usize], wish: &Gather) -> Result<(), TrainError> {
        let Sight { batch, buffers } = &mut self.sight;
        let stepped = batch.submit(which, &self.actions, buffers);
        stepped.map_err(|fault| fault_of(&self.slots, fault))?;
        if let Some(Sight { batch, buffers }) = &mut self.other {
            let stepped = batch.submit(which, &self.actions, buffers);
            stepped.map_err(|fault| fault_of(&self.slots, for_teacher(fault, wish)))?;
        }
        which.iter().for_each(|&m| self.slots[m].step += 1);
        Ok(())
    }

    /// Refuses matches that go another way under the teacher's settings than under the pupil's: who acts, what
    /// is legal and whether it is over must not depend on how somebody looks.
    fn compare(&self, which: &[usize], wish: &Gather) -> Result<(), TrainError> {
        let Some(other) = &self.other else { return Ok(()) };
        let (ours, theirs) = (&self.sight.buffers, &other.buffers);
        let seats = self.spec.seats.len();
        let Layout { actions, pair_values, .. } = *ours.layout();
        let same_pairs = theirs.layout().pair_values == pair_values;
        let same_row = |row: usize| {
            let mask = row * actions..(row + 1) * actions;
            let pairs = row * pair_values..(row + 1) * pair_values;
            ours.acting[row] == theirs.acting[row]
                && (!ours.acting[row]
                    || ours.mask[mask.clone()] == theirs.mask[mask]
                        && (!same_pairs
                            || ours.forbidden[pairs.clone()] == theirs.forbidden[pairs]))
        };
        let same = |m: usize| {
            // What stands there before the first step is of the match before.
            let begun = self.slots[m].step > 0;
            let (end, other_end) = (ours.end[m].filter(|_| begun), theirs.end[m].filter(|_| begun));
            end == other_end && (end.is_some() || (m * seats..(m + 1) * seats).all(same_row))
        };
        match which.iter().find(|&&m| !same(m)) {
            None => Ok(()),
            Some(&m) => {
                let message =
                    format!("it goes another way for the teacher{}", other_settings(wish));
                Err(self.fault(Fault { match_index: m, message }))
            }
        }
    }

    fn fault(&self, fault: Fault) -> TrainError {
        fault_of(&self.slots, fault)
    }
}

/// A fault in the match of a teacher that looks in another way: its settings may be the reason.
fn for_teacher(fault: Fault, wish: &Gather) -> Fault {
    let message = format!("{}, for the teacher{}", fault.message, other_settings(wish));
    Fault { message, ..fault }
}

/// Which settings of a teacher are others, for the end of a sentence about it.
fn other_settings(wish: &Gather) -> String {
    let Teacher::Model { settings, name, .. } = wish.teacher else { return String::new() };
    let (ours, theirs) = (wish.entry.portable(wish.settings), wish.entry.portable(settings));
    let keys = |settings: &Value| settings.as_object().cloned().unwrap_or_default();
    let (ours, theirs) = (keys(&ours), keys(&theirs));
    let all: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let shown = |value: Option<&Value>| match value {
        Some(value) if !value.is_null() => value.to_string(),
        _ => "its default".to_owned(),
    };
    let differing: Vec<String> = all
        .into_iter()
        .filter(|key| ours.get(*key) != theirs.get(*key))
        .map(|key| {
            let (here, there) = (shown(ours.get(key)), shown(theirs.get(key)));
            format!("settings.{key} is {here} here and {there} for {name}")
        })
        .collect();
    match differing.is_empty() {
        true => String::new(),
        false => {
            format!(", whose settings may differ in what is seen alone: {}", differing.join(", "))
        }
    }
}

fn fault_of(slots: &[Slot], fault: Fault) -> TrainError {
    let slot = slots.get(fault.match_index).cloned().unwrap_or_default();
    TrainError::Match(MatchFault {
        match_index: slot.number,
        episode: 0,
        seed: slot.seed,
        step: slot.step,
        message: fault.message,
    })
}

impl Sight {
    fn new(
        wish: &Gather,
        stack: &Stack,
        settings: &Value,
        matches: usize,
    ) -> Result<Self, TrainError> {
        let batch = stack.over(wish.entry.build(settings, matches)?);
        let buffers = Buffers::new(batch.spec(), matches);
        Ok(Self { batch, buffers })
    }

    fn await_all(&mut self, which: &[usize], patience: &Patience) -> Result<Vec<usize>, Fault> {
        if !self.batch.waits() {
            return Ok(Vec::new());
        }
        let mut open = which.to_vec();
        let (mut gone, mut answers) = (Vec::new(), Vec::new());
        let deadline = Instant::now() + patience.answer;
        while !open.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            answers.clear();
            self.batch.collect(left, &mut self.buffers, &mut answers)?;
            if answers.is_empty() && left.is_zero() {
                for &m in &open {
                    self.batch.abandon(m);
                }
                gone.append(&mut open);
            }
            for answer in answers.drain(..) {
                let (m, lost) = match answer {
                    Answer::Ready(m) => (m, false),
                    Answer::Lost(m, _) => (m, true),
                };
                open.retain(|&other| other != m);
                if lost {
                    gone.push(m);
                }
            }
        }
        Ok(gone)
    }
}

impl Mind {
    fn new(roster: &Roster, spec: &Spec, rows: usize) -> Self {
        let seats = spec.seats.len();
        let memory = |row: usize| {
            let role = spec.seats[row % seats].role;
            vec![0.0; roster.get(role).map_or(0, |policy| policy.state_sizes().0)]
        };
        let layout = Layout::of(spec);
        Self {
            inferences: spec.roles.iter().map(|_| Inference::default()).collect(),
            memories: (0..rows).map(memory).collect(),
            fresh: vec![true; rows],
            chosen: vec![0; rows * layout.heads],
            probabilities: vec![0.0; rows * layout.actions],
        }
    }

    fn forget(&mut self, row: usize) {
        self.fresh[row] = true;
        self.memories[row].fill(0.0);
    }

    fn chosen(&self, row: usize, heads: usize) -> &[u32] {
        let width = self.chosen.len() / self.fresh.len();
        &self.chosen[row * width..row * width + heads]
    }

    fn probabilities(&self, row: usize, actions: usize) -> &[f32] {
        let width = self.probabilities.len() / self.fresh.len();
        &self.probabilities[row * width..row * width + actions]
    }

    /// Lets a roster choose for rows, those of one role in one pass.
    fn think(
        &mut self,
        roster: &Roster,
        sight: &Sight,
        rows: &[usize],
        draw: &dyn Fn(usize, usize) -> f32,
    ) {
        let layout = sight.buffers.layout();
        let seats = layout.seats();
        let heads_width = self.chosen.len() / self.fresh.len();
        let actions_width = self.probabilities.len() / self.fresh.len();
        for (role, policy) in roster.iter() {
            let inference = &mut self.inferences[role];
            inference.clear();
            for &row in rows.iter().filter(|&&row| layout.role_of(row % seats) == role) {
                let own = layout.seat(row % seats);
                let seen = Seen {
                    observation: &sight.buffers.observation,
                    buffers: &sight.buffers,
                    role: own,
                };
                inference.add(&seen, row, self.fresh[row], &self.memories[row]);
                self.fresh[row] = false;
            }
            if inference.rows.is_empty() {
                continue;
            }
            inference.prepare(policy);
            let asked = inference.rows.clone();
            let uniform = |i: usize, head: usize| draw(asked[i], head);
            inference.choose(policy, Choose::Sample(&uniform));
            for (i, &row) in asked.iter().enumerate() {
                self.memories[row].copy_from_slice(inference.memory(i));
                let chosen = inference.chosen(i);
                self.chosen[row * heads_width..row * heads_width + chosen.len()]
                    .copy_from_slice(chosen);
                let to = row * actions_width;
                spread(
                    policy,
                    inference,
                    i,
                    &mut self.probabilities[to..to + policy.shape().actions()],
                );
            }
        }
    }
}

/// How likely a row of an inference found each action.
fn spread(policy: &Policy, inference: &Inference, i: usize, out: &mut [f32]) {
    let (heads, actions) = (&policy.shape().heads, policy.shape().actions());
    let mut offset = 0;
    for (h, &size) in heads.iter().enumerate() {
        let part = i * actions + offset..i * actions + offset + size;
        categorical::evaluate(
            &inference.scratch.logits[part.clone()],
            &inference.inputs.mask[part],
            inference.chosen(i)[h],
            &mut out[offset..offset + size],
        );
        offset += size;
    }
}
