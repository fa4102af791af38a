//! A trained model that plays battles of a server.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::ensure;
use lanista_game::{Buffers, parse_settings, seed};
use lanista_learn::Choose;
use lanista_train::infer::{Inference, Seen};
use lanista_train::stack::Stack;
use lanista_vgc::battles::{self, seat};
use lanista_vgc::client::{Decision, Player, Turn};
use lanista_vgc::format::Format;
use lanista_vgc::settings::Settings;

use crate::eval::{Playable, read_model};

/// Whoever sees what a model of the game sees has the role of everybody.
const ROLE: usize = 0;

/// A model, and what it remembers of every battle.
pub struct Model {
    playable: Playable,
    settings: Settings,
    buffers: Buffers,
    inference: Inference,
    memories: BTreeMap<String, Memory>,
    /// Sampled choices follow from it; without, the most likely are taken.
    dice: Option<u64>,
    decisions: u64,
}

/// What actor and critic remember of a battle, now and before the last choice: a choice that was refused
/// is made again from there. Nothing at its beginning.
#[derive(Default)]
struct Memory {
    now: Option<[Vec<f32>; 2]>,
    before: Option<[Vec<f32>; 2]>,
}

impl Model {
    /// Reads the model of a run, or a model.zip.
    pub fn read(path: &Path, dice: Option<u64>) -> anyhow::Result<Self> {
        let playable = read_model(path, &[])?;
        let game = &playable.metadata.game;
        ensure!(game == battles::NAME, "the model plays {game}, not {}", battles::NAME);
        ensure!(
            playable.metadata.stack == Stack::default(),
            "the model sees earlier frames (observation.stack), which a server's battles do not offer yet"
        );
        playable.remarks.iter().for_each(|remark| complain!("warning: {remark}"));
        let settings: Settings = parse_settings(&playable.settings)?;
        let buffers = Buffers::new(&playable.spec, 1);
        Ok(Self {
            playable,
            settings,
            buffers,
            inference: Inference::default(),
            memories: BTreeMap::new(),
            dice,
            decisions: 0,
        })
    }

    /// The format that it has learnt.
    pub fn format(&self) -> &'static Format {
        self.settings.format()
    }

    /// The one team that it has learnt to play, if it was one.
    pub fn team(&self) -> Option<String> {
        self.settings.team.clone()
    }
}

impl Player for Model {
    fn choose(&mut self, turn: &Turn) -> Decision {
        let policy =
            self.playable.roster.get(ROLE).expect("it has one role, and the model plays it");
        let memory = self.memories.entry(turn.room.to_owned()).or_default();
        if turn.again {
            memory.now = memory.before.take();
        }
        let fresh = memory.now.is_none();
        let (actor, critic) = policy.state_sizes();
        let now = memory.now.take().unwrap_or_else(|| [vec![0.0; actor], vec![0.0; critic]]);
        let mut view = self.buffers.view(0);
        let Settings { actions, view: kind, .. } = self.settings;
        let mut own = view.seat(0);
        seat::show(actions, kind, turn.battle, turn.request, turn.legal, &mut own);
        let layout = self.buffers.layout();
        let seen = Seen {
            observation: &self.buffers.observation,
            buffers: &self.buffers,
            role: layout.seat(0),
        };
        let inference = &mut self.inference;
        inference.clear();
        inference.add(&seen, 0, fresh, &now[0]);
        inference.add_critic(&seen, 0, &now[1]);
        inference.prepare(policy);
        self.decisions += 1;
        match self.dice {
            None => inference.act(policy, Choose::Best),
            Some(dice) => {
                let step = seed::mix(dice, self.decisions);
                let draw = |_: usize, head: usize| seed::uniform(seed::mix(step, head as u64));
                inference.act(policy, Choose::Sample(&draw));
            }
        }
        memory.before = (!fresh).then_some(now);
        memory.now = Some([inference.memory(0).to_vec(), inference.critic_memory(0).to_vec()]);
        let choice = seat::read(actions, turn.legal, inference.chosen(0));
        Decision { choice, value: inference.scratch.values.first().copied() }
    }

    fn forget(&mut self, room: &str) {
        self.memories.remove(room);
    }
}
