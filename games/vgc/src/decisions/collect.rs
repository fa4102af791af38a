//! Decisions of both sides, gathered into episodes.

use lanista_game::{Buffers, Episode, Spec, UNKNOWN};

use crate::battles::{seat, spec};
use crate::choice::{PASS, joint};
use crate::legal::Legal;
use crate::recorded::Answer;
use crate::request::Request;
use crate::settings::{Actions, Settings};
use crate::state::Battle;
use crate::view::View;

/// What a side was asked, and what it knew.
pub(super) struct Scene<'a> {
    pub side: usize,
    pub step: u32,
    pub battle: &'a Battle,
    pub request: &'a Request,
    pub legal: &'a Legal,
}

/// Gathers the decisions of one battle.
pub(super) struct Collector {
    actions: Actions,
    view: View,
    spec: Spec,
    buffers: Buffers,
    pub episodes: [Episode; 2],
    /// Decisions whose choice is known and offered as a whole.
    pub inside: usize,
    /// Choices that were not offered.
    pub outside: usize,
    /// What is wrong with the recording, by side, turn and reason.
    pub faults: Vec<(usize, String)>,
    /// How the last decision of each side was counted: inside, outside, and whether it is among the faults.
    last: [(usize, usize, bool); 2],
}

impl Collector {
    pub fn new(settings: &Settings) -> Self {
        let spec = spec(settings);
        let buffers = Buffers::new(&spec, 1);
        Self {
            actions: settings.actions,
            view: settings.view,
            spec,
            buffers,
            episodes: Default::default(),
            inside: 0,
            outside: 0,
            faults: Vec::new(),
            last: [(0, 0, false); 2],
        }
    }

    /// What the game is made of.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Takes a decision down. What was not offered is written as unknown; `fault` says what is wrong with how
    /// the recording has it.
    pub fn decision(&mut self, scene: &Scene, answer: Answer, fault: Option<String>) {
        let legal = scene.legal;
        let offered = answer.is_offered(legal);
        let whole = usize::from(offered && answer.is_known());
        let counts = (whole, usize::from(!offered), fault.is_some());
        if let Some(why) = fault {
            let (side, turn) = (scene.side, scene.battle.turn);
            self.faults.push((side, format!("p{} at turn {turn}: {why}", side + 1)));
        }
        self.inside += counts.0;
        self.outside += counts.1;
        self.last[scene.side] = counts;
        let mut buffers = self.buffers.view(0);
        let mut shown = buffers.seat(0);
        seat::show(self.actions, self.view, scene.battle, scene.request, legal, &mut shown);
        let episode = &mut self.episodes[scene.side];
        // Steps grow, whatever a recording says.
        let after = episode.steps.last().map_or(0, |last| last.saturating_add(1));
        episode.steps.push(scene.step.max(after));
        episode.observation.extend_from_slice(shown.observation);
        episode.mask.extend_from_slice(shown.mask);
        episode.forbidden.extend_from_slice(shown.forbidden);
        match self.actions {
            Actions::Heads => episode.actions.extend(heads(answer, legal)),
            Actions::Joint => episode.actions.push(joined(answer, legal)),
        }
    }

    /// Forgets the last decision of a side: it was refused.
    pub fn take_back(&mut self, side: usize) {
        let role = &self.spec.roles[0];
        let episode = &mut self.episodes[side];
        if episode.steps.pop().is_none() {
            return;
        }
        let n = episode.steps.len();
        let counts = std::mem::take(&mut self.last[side]);
        self.inside -= counts.0;
        self.outside -= counts.1;
        if let (true, Some(at)) = (counts.2, self.faults.iter().rposition(|(of, _)| *of == side)) {
            self.faults.remove(at);
        }
        episode.observation.truncate(n * role.features());
        episode.mask.truncate(n * role.actions());
        episode.forbidden.truncate(n * role.pair_values());
        episode.actions.truncate(n * role.heads.len());
    }
}

/// Actions of the three heads.
fn heads(answer: Answer, legal: &Legal) -> [u32; 3] {
    let number = |number: Option<usize>, offered: bool| match number {
        Some(number) if offered => number as u32,
        _ => UNKNOWN,
    };
    match answer {
        Answer::Preview(_) => {
            let preview = match answer {
                Answer::Preview(at) if answer.is_offered(legal) => at,
                _ => None,
            };
            [number(preview, true), PASS as u32, PASS as u32]
        }
        Answer::Turn([first, second]) => {
            let alone = |place: usize, at: Option<usize>| {
                at.is_some_and(|at| legal.slots[place].get(at) == Some(&true))
            };
            let together = match (first, second) {
                (Some(first), Some(second)) if alone(0, Some(first)) => legal.allows(first, second),
                _ => true,
            };
            [0, number(first, alone(0, first)), number(second, alone(1, second) && together)]
        }
    }
}

/// The action of the one head.
fn joined(answer: Answer, legal: &Legal) -> u32 {
    let number = match answer {
        Answer::Preview(number) => number,
        Answer::Turn([Some(first), Some(second)]) => Some(joint(first, second)),
        Answer::Turn(_) => None,
    };
    number.filter(|_| answer.is_offered(legal)).map_or(UNKNOWN, |number| number as u32)
}
