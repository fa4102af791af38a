//! A trained model at the wheel.

use std::collections::VecDeque;
use std::path::Path;

use anyhow::ensure;
use lanista_game::{Buffers, parse_settings, seed};
use lanista_learn::Choose;
use lanista_rocket::game::{describe, show};
use lanista_rocket::live::session::{Choice, Driver, Sight};
use lanista_rocket::settings::Settings;
use lanista_train::infer::{Inference, Seen};
use lanista_train::layers::Override;

use crate::eval::{Playable, read_model};

/// Whoever sees what a model of the game sees has the role of everybody.
const ROLE: usize = 0;
/// Of a match, the first seat is the car that looks.
const SEAT: usize = 0;

/// A model, and what it remembers of the match for every car it drives.
pub struct Pilot {
    playable: Playable,
    settings: Settings,
    /// What the cars see now, one match each.
    now: Buffers,
    /// The same with earlier frames beside it, as the model has learnt to see it.
    stacked: Buffers,
    cars: Vec<Memory>,
    inference: Inference,
    /// Sampled choices follow from it; without, the most likely are taken.
    dice: Option<u64>,
    decisions: u64,
}

/// What is remembered of a match for one car.
#[derive(Clone, Default)]
struct Memory {
    /// Of the actor and of the critic; nothing at a beginning.
    state: Option<[Vec<f32>; 2]>,
    /// Earlier frames, the newest first.
    frames: VecDeque<Vec<f32>>,
}

impl Pilot {
    /// Reads the model of a run, or a model.zip.
    pub fn read(path: &Path, set: &[Override], dice: Option<u64>) -> anyhow::Result<Self> {
        let playable = read_model(path, set)?;
        let game = &playable.metadata.game;
        ensure!(game == "rocket", "the model plays {game}, not rocket");
        ensure!(playable.roster.get(ROLE).is_some(), "the model has no policy for a car");
        playable.remarks.iter().for_each(|remark| complain!("warning: {remark}"));
        let settings: Settings = parse_settings(&playable.settings)?;
        Ok(Self {
            now: Buffers::new(&describe(&settings), 1),
            stacked: Buffers::new(&playable.spec, 1),
            playable,
            settings,
            cars: Vec::new(),
            inference: Inference::default(),
            dice,
            decisions: 0,
        })
    }

    /// The settings that it plays under.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What it is, in a few words.
    pub fn about(&self) -> String {
        let steps = self.playable.metadata.steps;
        let (blue, orange) = self.settings.sizes();
        let sizes = match self.settings.teams.is_empty() {
            true => format!("{blue}v{orange}"),
            false => "several team sizes".to_owned(),
        };
        format!("rocket after {steps} steps of {sizes}")
    }
}

impl Driver for Pilot {
    fn kickoff(&mut self, cars: usize, new_match: bool) {
        if self.cars.len() != cars {
            self.now = Buffers::new(&describe(&self.settings), cars);
            self.stacked = Buffers::new(&self.playable.spec, cars);
        }
        // A goal ends an episode of training, unless it plays whole games.
        if new_match || self.settings.game.is_none() || self.cars.len() != cars {
            self.cars = vec![Memory::default(); cars];
        }
    }

    fn decide(&mut self, sight: &Sight, choices: &mut Vec<Choice>) {
        let Some(policy) = self.playable.roster.get(ROLE) else { return };
        let (actor, critic) = policy.state_sizes();
        let frames = self.playable.metadata.stack.frames();
        let depth = frames.iter().copied().max().unwrap_or(0);
        let seats = self.stacked.layout().seats();
        let inference = &mut self.inference;
        inference.clear();
        for (at, (&car, memory)) in sight.cars.iter().zip(&mut self.cars).enumerate() {
            let mut view = self.now.view(at);
            let mut own = view.seat(SEAT);
            let hitbox = sight.hitboxes[car];
            show(&self.settings, sight.state, car, sight.clock, hitbox, &mut own);
            let mut wide = self.stacked.view(at);
            let wide = wide.seat(SEAT);
            wide.mask.copy_from_slice(own.mask);
            let width = own.observation.len();
            for (place, &frame) in wide.observation.chunks_exact_mut(width).zip(frames) {
                match frame.checked_sub(1) {
                    None => place.copy_from_slice(own.observation),
                    Some(back) => match memory.frames.get(back) {
                        Some(past) => place.copy_from_slice(past),
                        None => place.fill(0.0),
                    },
                }
            }
            if depth > 0 {
                memory.frames.truncate(depth - 1);
                memory.frames.push_front(own.observation.to_vec());
            }
            choices.push(Choice { row: lanista_rocket::table::NEUTRAL, value: None });
        }
        for (at, (&car, memory)) in sight.cars.iter().zip(&self.cars).enumerate() {
            if sight.state.cars[car].demolished {
                continue;
            }
            let fresh = memory.state.is_none();
            let zeros = [vec![0.0; actor], vec![0.0; critic]];
            let [actor, critic] = memory.state.as_ref().unwrap_or(&zeros);
            let seen = Seen {
                observation: &self.stacked.observation,
                buffers: &self.stacked,
                role: self.stacked.layout().seat(SEAT),
            };
            let row = at * seats + SEAT;
            inference.add(&seen, row, fresh, actor);
            inference.add_critic(&seen, row, critic);
        }
        if inference.rows.is_empty() {
            return;
        }
        inference.prepare(policy);
        self.decisions += 1;
        match self.dice {
            None => inference.act(policy, Choose::Best),
            Some(dice) => {
                let step = seed::mix(dice, self.decisions);
                let draw = |row: usize, head: usize| {
                    seed::uniform(seed::mix(seed::mix(step, row as u64), head as u64))
                };
                inference.act(policy, Choose::Sample(&draw));
            }
        }
        for i in 0..inference.rows.len() {
            let at = inference.rows[i] / seats;
            let row = inference.chosen(i).first().map_or(0, |&row| row as usize);
            let value = inference.scratch.values.get(i).copied();
            choices[at] = Choice { row, value };
            let memory = [inference.memory(i).to_vec(), inference.critic_memory(i).to_vec()];
            self.cars[at].state = Some(memory);
        }
    }
}
