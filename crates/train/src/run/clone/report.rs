//! What cloning shows: an iteration's numbers, and what was told of held-out decisions.

use lanista_learn::Fitted;

use super::Cloning;
use crate::cloning::Told;
use crate::metrics::{Iteration, Kind, Metrics};
use crate::trainer::Trainer;

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
    told: Option<&Told>,
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
    m.add(Kind::Plain, "skipped_blocks", cloning.skipped.len())
        .tagged_if_any("clone/skipped_blocks");
    if let Some(told) = told {
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
    if let Some(told) = told {
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
