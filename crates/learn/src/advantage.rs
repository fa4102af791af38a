//! Generalised advantage estimation (Schulman et al. 2016) along each row's own acts.

use crate::rollout::{Follow, Rollout};

/// Fills in `advantage` and `returns`. Rewards are multiplied by `reward_scale` first.
///
/// A terminated episode is worth nothing afterwards; one that was cut is worth the value of where it
/// stood; traces stop at both. An act whose outcome is unknown gets no advantage: it only serves the
/// act before it as a bootstrap.
pub fn estimate(rollout: &mut Rollout, gamma: f32, lambda: f32, reward_scale: f32) {
    let Rollout { reward, value, follow, advantage, returns, .. } = rollout;
    let n = reward.len();
    advantage.clear();
    advantage.resize(n, 0.0);
    returns.clear();
    returns.resize(n, 0.0);
    for s in (0..n).rev() {
        let (next_value, trace) = match follow[s] {
            Follow::Next(next) => {
                let next = next as usize;
                (value[next], advantage[next])
            }
            Follow::Terminated => (0.0, 0.0),
            Follow::Cut(value) => (value, 0.0),
            Follow::Unknown => {
                returns[s] = value[s];
                continue;
            }
        };
        let delta = reward[s] * reward_scale + gamma * next_value - value[s];
        advantage[s] = delta + gamma * lambda * trace;
        returns[s] = advantage[s] + value[s];
    }
}

/// The running deviation of the discounted return: what `scale_rewards` divides by.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnScale {
    /// How many returns were seen.
    pub count: f64,
    /// Their mean.
    pub mean: f64,
    /// The sum of their squared distances from the mean.
    pub squares: f64,
}

impl Default for ReturnScale {
    fn default() -> Self {
        Self { count: 0.0, mean: 0.0, squares: 0.0 }
    }
}

impl ReturnScale {
    /// Follows the rewards of a rollout. `traces[row]` is the row's discounted sum so far; it lives
    /// on across rollouts.
    pub fn update(&mut self, rollout: &Rollout, gamma: f32, traces: &mut [f32]) {
        for s in 0..rollout.len() {
            let trace = &mut traces[rollout.row[s] as usize];
            let before = if rollout.start[s] { 0.0 } else { *trace };
            *trace = before * gamma + rollout.reward[s];
            self.count += 1.0;
            let delta = *trace as f64 - self.mean;
            self.mean += delta / self.count;
            self.squares += delta * (*trace as f64 - self.mean);
        }
    }

    /// What rewards are multiplied by.
    pub fn factor(&self) -> f32 {
        if self.count < 2.0 {
            return 1.0;
        }
        (1.0 / (self.squares / self.count + 1e-8).sqrt()) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollout::Act;
    use serde_json::Value;

    fn numbers(v: &Value) -> Vec<f32> {
        match v {
            Value::Array(items) => items.iter().flat_map(numbers).collect(),
            Value::Bool(b) => vec![*b as u8 as f32],
            other => vec![other.as_f64().unwrap() as f32],
        }
    }

    #[test]
    fn agrees_with_the_reference() {
        let text = include_str!("../fixtures/gae.json");
        let f: Value = serde_json::from_str(text).unwrap();
        let get = |key: &str| numbers(&f[key]);
        let rows = get("last_value").len();
        let (reward, value, last) = (get("reward"), get("value"), get("last_value"));
        let (terminated, truncated, fin) =
            (get("terminated"), get("truncated"), get("final_value"));
        assert!(terminated.contains(&1.0) && truncated.contains(&1.0));
        let mut rollout = Rollout::new(rows);
        for s in 0..reward.len() {
            let row = s % rows;
            let act = Act {
                row,
                observation: &[],
                privileged: &[],
                mask: &[],
                actions: &[],
                log_prob: 0.0,
                value: value[s],
                start: false,
                actor_state: &[],
                critic_state: &[],
            };
            rollout.push(act, 16);
            rollout.reward(row, reward[s]);
            if terminated[s] == 1.0 {
                rollout.end(row, Follow::Terminated);
            } else if truncated[s] == 1.0 {
                rollout.end(row, Follow::Cut(fin[s]));
            }
        }
        for row in 0..rows {
            rollout.end(row, Follow::Cut(last[row]));
        }
        let (gamma, lambda) = (get("gamma")[0], get("gae_lambda")[0]);
        estimate(&mut rollout, gamma, lambda, 1.0);
        for (s, (a, r)) in get("advantage").iter().zip(get("returns")).enumerate() {
            assert!((rollout.advantage[s] - a).abs() < 1e-5, "advantage {s}");
            assert!((rollout.returns[s] - r).abs() < 1e-5, "return {s}");
        }
    }

    #[test]
    fn an_unknown_outcome_bootstraps_the_act_before_it() {
        let mut rollout = Rollout::new(1);
        for value in [1.0, 3.0] {
            let act = Act {
                row: 0,
                observation: &[],
                privileged: &[],
                mask: &[],
                actions: &[],
                log_prob: 0.0,
                value,
                start: false,
                actor_state: &[],
                critic_state: &[],
            };
            rollout.push(act, 16);
            rollout.reward(0, 0.5);
        }
        rollout.end(0, Follow::Unknown);
        estimate(&mut rollout, 0.9, 0.95, 1.0);
        assert!((rollout.advantage[0] - (0.5 + 0.9 * 3.0 - 1.0)).abs() < 1e-6);
        assert_eq!(rollout.advantage[1], 0.0);
    }

    #[test]
    fn rewards_are_scaled_by_the_deviation_of_returns() {
        let mut rollout = Rollout::new(1);
        for i in 0..1000 {
            let act = Act {
                row: 0,
                observation: &[],
                privileged: &[],
                mask: &[],
                actions: &[],
                log_prob: 0.0,
                value: 0.0,
                start: true,
                actor_state: &[],
                critic_state: &[],
            };
            rollout.push(act, 16);
            rollout.reward(0, if i % 2 == 0 { 4.0 } else { -4.0 });
        }
        let mut scale = ReturnScale::default();
        scale.update(&rollout, 0.99, &mut [0.0]);
        assert!((scale.factor() - 0.25).abs() < 1e-4);
    }
}
