//! What cloning shows: an iteration's numbers, and what was told of held-out decisions.

use lanista_game::Role;
use lanista_learn::Fitted;
use serde_json::{Value, json};

use super::Cloning;
use crate::metrics::{Iteration, Kind, Metrics};
use crate::trainer::Trainer;

/// How well held-out decisions are told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// In numbers.
    pub fitted: Fitted,
    /// `[heads][chosen, told]`: how often each choice was told as which.
    pub confusion: Vec<Vec<u64>>,
}

impl Told {
    /// What is best when it is lowest.
    pub fn score(&self) -> f64 {
        if self.fitted.kl > 0.0 { self.fitted.kl } else { self.fitted.nll }
    }

    /// More decisions.
    pub fn add(&mut self, more: &Fitted, confusion: &[Vec<u64>]) {
        let Fitted { rows, nll, kl, entropy, value_loss, heads, .. } = &mut self.fitted;
        let mean = |own: f64, n: f64, other: f64, m: f64| {
            if n + m == 0.0 { 0.0 } else { (own * n + other * m) / (n + m) }
        };
        for (own, other) in
            [(nll, more.nll), (kl, more.kl), (entropy, more.entropy), (value_loss, more.value_loss)]
        {
            *own = mean(*own, *rows, other, more.rows);
        }
        *rows += more.rows;
        for (own, other) in heads.iter_mut().zip(&more.heads) {
            own.nll = mean(own.nll, own.decisions, other.nll, other.decisions);
            own.accuracy = mean(own.accuracy, own.decisions, other.accuracy, other.decisions);
            own.decisions += other.decisions;
        }
        for (own, other) in self.confusion.iter_mut().zip(confusion) {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        }
    }

    /// The commonest mistakes: how often, which head, what was chosen and what was told.
    pub fn mistakes<'a>(
        &self,
        role: &'a Role,
        most: usize,
    ) -> Vec<(u64, &'a str, &'a str, &'a str)> {
        let mut found = Vec::new();
        for (head, counts) in role.heads.iter().zip(&self.confusion) {
            let size = head.actions.len();
            for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let (chosen, told) = (at / size, at % size);
                if chosen != told {
                    let names = (&head.actions[chosen][..], &head.actions[told][..]);
                    found.push((count, &head.name[..], names.0, names.1));
                }
            }
        }
        found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        found.truncate(most);
        found
    }

    /// As JSON, head by head.
    pub fn to_json(&self, role: &Role) -> Value {
        let heads: Vec<Value> = role
            .heads
            .iter()
            .zip(&self.fitted.heads)
            .map(|(head, fit)| {
                json!({
                    "head": head.name, "decisions": fit.decisions, "accuracy": fit.accuracy,
                    "perplexity": fit.perplexity(), "nll": fit.nll,
                })
            })
            .collect();
        let mistakes: Vec<Value> = self
            .mistakes(role, 10)
            .into_iter()
            .map(|(count, head, chosen, told)| {
                json!({"count": count, "head": head, "chosen": chosen, "told": told})
            })
            .collect();
        json!({
            "decisions": self.fitted.rows, "nll": self.fitted.nll, "kl": self.fitted.kl,
            "entropy": self.fitted.entropy, "heads": heads, "mistakes": mistakes,
        })
    }
}

/// Share of all choices that were told.
fn accuracy(fitted: &Fitted) -> f64 {
    let all: f64 = fitted.heads.iter().map(|head| head.decisions).sum();
    let told: f64 = fitted.heads.iter().map(|head| head.decisions * head.accuracy).sum();
    told / all.max(1.0)
}

/// What one window showed.
pub(super) fn iteration(
    trainer: &Trainer,
    cloning: &Cloning,
    fitted: &Fitted,
    share: f64,
    seconds: f64,
    looked: bool,
    checkpoint: Option<u64>,
) -> Iteration {
    let (s, mut m) = (&cloning.standing, Metrics::default());
    let config = &trainer.config().clone;
    m.add(Kind::Plain, "iteration", s.iteration);
    m.add(Kind::Plain, "steps", s.decisions);
    m.add(Kind::Plain, "total_steps", trainer.config().stop.steps);
    m.add(Kind::Plain, "round", s.round).tagged("clone/round");
    m.add(Kind::Plain, "epoch", s.epoch).tagged("clone/epoch");
    m.add(Kind::Time, "seconds", s.seconds);
    m.add(Kind::Time, "steps_per_second", fitted.rows / seconds.max(1e-9)).tagged("charts/SPS");
    m.add(Kind::Time, "update_seconds", seconds).tagged("time/update_seconds");
    m.add(Kind::Update, "nll", fitted.nll).tagged("clone/nll");
    m.add(Kind::Update, "accuracy", accuracy(fitted)).tagged("clone/accuracy");
    m.add(Kind::Update, "teacher_kl", fitted.kl).tagged_if_any("clone/kl");
    m.add(Kind::Update, "entropy", fitted.entropy);
    m.add(Kind::Update, "value_loss", fitted.value_loss);
    m.add(Kind::Update, "learning_rate", config.learning_rate.at(share))
        .tagged("charts/learning_rate");
    m.add(Kind::Update, "grad_norm", fitted.grad_norm);
    m.add(Kind::Plain, "samples", fitted.rows as u64);
    m.add(Kind::Plain, "dropped_updates", trainer.agent.dropped_updates());
    m.add(Kind::Plain, "skipped_blocks", cloning.skipped).tagged_if_any("clone/skipped_blocks");
    if let Some(told) = cloning.told.as_ref().filter(|_| looked) {
        let role = &trainer.spec().roles[cloning.role];
        m.add(Kind::Update, "held_out_nll", told.fitted.nll).tagged("clone/held_out_nll");
        m.add(Kind::Update, "held_out_kl", told.fitted.kl).tagged_if_any("clone/held_out_kl");
        m.add(Kind::Update, "held_out_accuracy", accuracy(&told.fitted))
            .tagged("clone/held_out_accuracy");
        for (head, fit) in role.heads.iter().zip(&told.fitted.heads) {
            let name = &head.name;
            m.add(Kind::Stat, format!("accuracy_{name}"), fit.accuracy)
                .tagged(format!("clone/accuracy/{name}"));
            m.add(Kind::Stat, format!("perplexity_{name}"), fit.perplexity())
                .tagged(format!("clone/perplexity/{name}"));
        }
    }
    let mut notes = Vec::new();
    if let Some(told) = cloning.told.as_ref().filter(|_| looked) {
        notes.push(format!(
            "held out, epoch {}: nll {:.4}, accuracy {:.1} %{}",
            s.epoch + 1,
            told.fitted.nll,
            100.0 * accuracy(&told.fitted),
            if told.fitted.kl > 0.0 {
                format!(", kl {:.4}", told.fitted.kl)
            } else {
                String::new()
            }
        ));
    }
    Iteration { metrics: m, notes, checkpoint, ..Iteration::default() }
}
