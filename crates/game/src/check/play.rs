//! Matches, played freely for the first time.

use serde_json::Value;

use super::report::{At, Findings, Rule, Violation};
use super::shown::Shown;
use super::table::{Stop, Table};
use super::values;
use crate::seed::{self, Rng};
use crate::{Control, Entry, Spec};

/// Sets the dice of whoever plays from outside apart from those of the match.
pub(super) const DICE: u64 = 0x6469_6365;

/// What all matches together show.
#[derive(Default)]
pub(super) struct Tally {
    pub matches: usize,
    pub ended: usize,
    pub acts: usize,
    pub stats: bool,
    pub scores: bool,
}

/// A match as it was played.
#[derive(Default)]
pub(super) struct Played {
    /// `[steps][seats, heads]`
    pub actions: Vec<Vec<u32>>,
    /// The same, but what scripted players chose, legal or not.
    pub choices: Vec<Vec<u32>>,
    /// One more than steps.
    pub shown: Vec<Shown>,
    /// What viewers were shown of each of them, in short.
    pub pictures: Vec<u64>,
    /// The scene, in short.
    pub scene: u64,
}

/// One match to be tried.
pub(super) struct Play<'a> {
    pub entry: &'a Entry,
    pub settings: &'a Value,
    pub spec: &'a Spec,
    pub seats: Vec<Control>,
    pub seed: u64,
    pub limit: usize,
}

impl Play<'_> {
    pub fn table(&self, matches: usize) -> Result<Table, Stop> {
        let batch = self.entry.build(self.settings, matches);
        batch.map(Table::new).map_err(|error| (Rule::Settings, error.to_string()))
    }

    pub fn violation(
        &self,
        rule: Rule,
        step: usize,
        seat: Option<usize>,
        what: String,
    ) -> Violation {
        let at = At { seed: self.seed, seats: self.seats.clone(), step };
        Violation { rule, at: Some(at), seat, what }
    }

    /// Plays the match for the first time, and tries what holds of every step.
    pub fn play(
        &self,
        table: &mut Table,
        findings: &mut Findings,
        tally: &mut Tally,
    ) -> Result<Played, Violation> {
        let stopped = |step| move |(rule, what): Stop| self.violation(rule, step, None, what);
        let mut dice = seed::rng(self.seed ^ DICE);
        let (mut played, mut acted) = (Played::default(), vec![false; self.seats.len()]);
        table.start(0, self.seed, &self.seats).map_err(stopped(0))?;
        tally.matches += 1;
        loop {
            let (step, started) = (played.actions.len(), played.actions.is_empty());
            let shown = Shown::of(&table.buffers, 0, started, &mut acted);
            tally.acts += shown.seats.iter().filter(|seen| seen.acting).count();
            for (rule, seat, what) in
                values::check(self.spec, &table.buffers, &self.seats, started, &acted)
            {
                findings.violation(self.violation(rule, step, seat, what));
            }
            played.shown.push(shown);
            let ended = !started && table.buffers.end[0].is_some();
            if started {
                played.scene = self.picture(&scene(table, 0), "scene", step, findings);
            }
            played.pictures.push(self.picture(&frame(table, 0), "frame", step, findings));
            if ended || step == self.limit {
                tally.ended += usize::from(ended);
                tally.stats |= table.buffers.stats.iter().any(|&value| value != 0.0);
                tally.scores |= table.buffers.score.iter().any(|&value| value != 0.0);
                return Ok(played);
            }
            let chosen = self.choose(table, step, &mut dice, findings);
            let (actions, choices) = chosen.map_err(stopped(step))?;
            table.step(&[0], &actions).map_err(stopped(step))?;
            played.actions.push(actions);
            played.choices.push(choices);
        }
    }

    /// Tries one text for viewers; returns it in short.
    fn picture(&self, text: &str, which: &str, step: usize, findings: &mut Findings) -> u64 {
        let object = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|v| v.is_object());
        if !text.is_empty() && (text.contains('\n') || !object(text)) {
            let what = format!("the {which} is not one JSON object on one line");
            findings.violation(self.violation(Rule::Frame, step, None, what));
        }
        in_short(text)
    }

    /// Random legal actions for all who act, and what scripted players choose where they drive.
    fn choose(
        &self,
        table: &mut Table,
        step: usize,
        dice: &mut Rng,
        findings: &mut Findings,
    ) -> Result<(Vec<u32>, Vec<u32>), Stop> {
        let layout = table.buffers.layout().clone();
        let mut actions = vec![0; self.seats.len() * layout.heads];
        let mut choices = actions.clone();
        for seat in table.acting(0) {
            let role = self.spec.role_of(seat);
            let place = seat * layout.heads..seat * layout.heads + role.heads.len();
            let (mask, forbidden) = table.legality(0, seat);
            let action = &mut actions[place.clone()];
            let free = role.draw(&mask, &forbidden, dice, action);
            if free == 0 || !role.allows(action, &mask, &forbidden) {
                let what = "it must act, but nothing is legal".to_owned();
                findings.violation(self.violation(Rule::Legal, step, Some(seat), what));
            } else if free < role.heads.len() {
                let legal = |head: usize| {
                    let all = 0..role.heads[head].actions.len() as u32;
                    all.into_iter().any(|c| role.legal(head, c, action, &mask, &forbidden))
                };
                let empty = (0..role.heads.len()).filter(|&head| !legal(head));
                for head in empty.map(|head| &role.heads[head].name) {
                    findings.remark(format!(
                        "head `{head}` is at times left without a legal action and takes its first"
                    ));
                }
            }
            if let Control::Bot(bot) = self.seats[seat]
                && !role.bots[bot].inside
            {
                let choice = &mut choices[place.clone()];
                table.ask(0, bot, seat, choice)?;
                if role.allows(choice, &mask, &forbidden) {
                    action.copy_from_slice(choice);
                } else {
                    let what = format!("`{}` chooses {choice:?}", role.bots[bot].name);
                    findings.violation(self.violation(Rule::Bots, step, Some(seat), what));
                }
            }
        }
        Ok((actions, choices))
    }
}

/// What a viewer is shown of match `m`.
pub(super) fn frame(table: &Table, m: usize) -> String {
    let mut frame = String::new();
    table.batch.frame(m, &mut frame);
    frame
}

/// What does not change in match `m` for a viewer.
pub(super) fn scene(table: &Table, m: usize) -> String {
    let mut scene = String::new();
    table.batch.scene(m, &mut scene);
    scene
}

/// Texts are compared by this, so that those of a whole match need not be kept.
pub(super) fn in_short(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
