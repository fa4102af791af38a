//! How well held-out decisions are told.

use lanista_game::Role;
use lanista_learn::Fitted;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How well held-out decisions are told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

    /// Are all of its numbers finite? Others cannot be written down.
    pub(crate) fn is_finite(&self) -> bool {
        let Fitted { rows, nll, kl, entropy, value_loss, grad_norm, heads } = &self.fitted;
        let of_heads = heads.iter().flat_map(|head| [head.decisions, head.nll, head.accuracy]);
        let own = [*rows, *nll, *kl, *entropy, *value_loss, *grad_norm];
        own.into_iter().chain(of_heads).all(f64::is_finite)
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
