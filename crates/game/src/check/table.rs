//! A batch and its buffers: starts and steps that are over when they return, however late the batch
//! answers.

use std::time::{Duration, Instant};

use super::report::Rule;
use crate::seed::Rng;
use crate::{Answer, Batch, Buffers, Control, Fault};

/// How long a match may keep silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// Why a match cannot go on.
pub(super) type Stop = (Rule, String);

pub(super) struct Table {
    pub batch: Box<dyn Batch>,
    pub buffers: Buffers,
    answers: Vec<Answer>,
}

impl Table {
    pub fn new(batch: Box<dyn Batch>) -> Self {
        let buffers = Buffers::new(batch.spec(), batch.matches());
        Self { batch, buffers, answers: Vec::new() }
    }

    pub fn start(&mut self, m: usize, seed: u64, seats: &[Control]) -> Result<(), Stop> {
        self.poison(m);
        self.batch.start(m, seed, seats, &mut self.buffers).map_err(stop)?;
        self.await_answers(&[m])
    }

    pub fn step(&mut self, which: &[usize], actions: &[u32]) -> Result<(), Stop> {
        which.iter().for_each(|&m| self.poison(m));
        self.batch.submit(which, actions, &mut self.buffers).map_err(stop)?;
        self.await_answers(which)
    }

    pub fn ask(
        &mut self,
        m: usize,
        bot: usize,
        seat: usize,
        action: &mut [u32],
    ) -> Result<(), Stop> {
        self.batch.scripted(m, bot, seat, action).map_err(stop)
    }

    /// The seats of match `m` that must choose now.
    pub fn acting(&self, m: usize) -> Vec<usize> {
        let seats = self.buffers.layout().seats();
        (0..seats).filter(|seat| self.buffers.acting[m * seats + seat]).collect()
    }

    /// The mask and the forbidden pairs of a seat of match `m`.
    pub fn legality(&self, m: usize, seat: usize) -> (Vec<bool>, Vec<bool>) {
        let layout = self.buffers.layout();
        let (row, own) = (m * layout.seats() + seat, layout.seat(seat));
        (
            self.buffers.mask[row * layout.actions..][..own.actions].to_vec(),
            self.buffers.forbidden[row * layout.pair_values..][..own.pair_values].to_vec(),
        )
    }

    /// Random legal actions for all who act in match `m`.
    pub fn draw(&self, m: usize, dice: &mut Rng, actions: &mut [u32]) {
        let heads = self.buffers.layout().heads;
        for seat in self.acting(m) {
            let role = self.batch.spec().role_of(seat);
            let (mask, forbidden) = self.legality(m, seat);
            let action = &mut actions[seat * heads..seat * heads + role.heads.len()];
            role.draw(&mask, &forbidden, dice, action);
        }
    }

    /// Whatever a view does not write stays a number that is none.
    fn poison(&mut self, m: usize) {
        let layout = self.buffers.layout();
        let (features, privileged) =
            (layout.seats() * layout.features, layout.seats() * layout.privileged);
        self.buffers.observation[m * features..(m + 1) * features].fill(f32::NAN);
        self.buffers.privileged[m * privileged..(m + 1) * privileged].fill(f32::NAN);
    }

    fn await_answers(&mut self, which: &[usize]) -> Result<(), Stop> {
        if !self.batch.waits() {
            return Ok(());
        }
        let asked = Instant::now();
        let mut open = which.to_vec();
        while !open.is_empty() {
            let left = PATIENCE.saturating_sub(asked.elapsed());
            if left.is_zero() {
                let silent = format!("match {} has not answered for {PATIENCE:?}", open[0]);
                return Err((Rule::Fault, silent));
            }
            self.answers.clear();
            self.batch.collect(left, &mut self.buffers, &mut self.answers).map_err(stop)?;
            for answer in &self.answers {
                match answer {
                    Answer::Ready(m) if open.contains(m) => open.retain(|other| other != m),
                    Answer::Ready(m) => {
                        return Err((Rule::Fault, format!("match {m} answers without a question")));
                    }
                    Answer::Lost(m, why) => {
                        return Err((Rule::Fault, format!("match {m} was lost: {why}")));
                    }
                }
            }
        }
        Ok(())
    }
}

fn stop(fault: Fault) -> Stop {
    (Rule::Fault, fault.to_string())
}
