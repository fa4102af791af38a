//! Optimisers over the flat parameter buffer.

use crate::muon::NewtonSchulz;
use crate::params::{Group, Layout, Tensor};

/// The rule of a step, with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Algorithm {
    /// Adam (Kingma & Ba 2015) as PyTorch computes it: `eps` stands outside the square root.
    Adam {
        /// Decay of the mean of gradients.
        beta1: f64,
        /// Decay of the mean of squared gradients.
        beta2: f64,
        /// Added to the root of the second moment.
        eps: f64,
    },
    /// Adam with decoupled weight decay (Loshchilov & Hutter 2019), on every tensor.
    AdamW {
        /// Decay of the mean of gradients.
        beta1: f64,
        /// Decay of the mean of squared gradients.
        beta2: f64,
        /// Added to the root of the second moment.
        eps: f64,
        /// Each step first shrinks the weights by the learning rate times this.
        weight_decay: f64,
    },
    /// Muon (Jordan et al. 2024) for the matrices of hidden layers, Adam for all other tensors.
    Muon {
        /// Decay of the mean of gradients of a hidden matrix.
        momentum: f64,
        /// Blend the present gradient into that mean once more?
        nesterov: bool,
        /// Newton–Schulz iterations; five is usual.
        steps: u32,
        /// Learning rate of hidden matrices as a multiple of the rate that Adam gets: an
        /// orthogonal step has much smaller entries than one of Adam's.
        hidden_scale: f64,
        /// Adam's decay of the mean of gradients.
        beta1: f64,
        /// Adam's decay of the mean of squared gradients.
        beta2: f64,
        /// Adam's addition to the root of the second moment.
        eps: f64,
    },
}

/// The learning rates of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// For tensors of [`Group::Actor`].
    pub actor: f32,
    /// For tensors of [`Group::Critic`].
    pub critic: f32,
}

/// What a checkpoint must keep of an optimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State<'a> {
    /// Steps taken so far.
    pub step: u64,
    /// The moments, each as long as the parameters, with their names on disk.
    pub arrays: [(&'static str, &'a [f32]); 2],
}

/// A saved state that belongs to another network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("optimiser state `{name}` holds {found} numbers where the network has {expected}")]
pub struct StateError {
    /// The array that does not fit.
    pub name: &'static str,
    /// Its length.
    pub found: usize,
    /// The number of parameters.
    pub expected: usize,
}

/// The constants of an Adam step that every tensor shares; corrections are already in them.
struct AdamStep {
    beta1: f64,
    beta2: f64,
    eps: f64,
    weight_decay: f64,
    bias1: f64,
    bias2_sqrt: f64,
}

/// An optimiser and its state.
#[derive(Clone, Debug)]
pub struct Optimizer {
    algorithm: Algorithm,
    step: u64,
    /// Mean of gradients; Muon's momentum for the matrices it steers.
    exp_avg: Vec<f32>,
    /// Mean of squared gradients; stays zero where Muon steers.
    exp_avg_sq: Vec<f32>,
    newton_schulz: NewtonSchulz,
    /// The direction of one hidden matrix.
    direction: Vec<f32>,
}

impl Optimizer {
    /// Name of the first moment on disk.
    pub const EXP_AVG: &'static str = "exp_avg";
    /// Name of the second moment on disk.
    pub const EXP_AVG_SQ: &'static str = "exp_avg_sq";

    /// An optimiser that has taken no step yet.
    pub fn new(algorithm: Algorithm, layout: &Layout) -> Self {
        Self {
            algorithm,
            step: 0,
            exp_avg: vec![0.0; layout.len()],
            exp_avg_sq: vec![0.0; layout.len()],
            newton_schulz: NewtonSchulz::default(),
            direction: Vec::new(),
        }
    }

    /// The rule it follows.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Moves `values` one step against `grads`.
    ///
    /// # Panics
    ///
    /// If a buffer is not as long as the layout the optimiser was made for.
    pub fn step(&mut self, layout: &Layout, values: &mut [f32], grads: &[f32], rates: Rates) {
        self.step_but(layout, values, grads, rates, &[]);
    }

    /// The same, but for tensors that are `frozen`: they and their moments stay as they are. `frozen` has a
    /// flag a tensor, or is empty.
    ///
    /// # Panics
    ///
    /// Likewise.
    pub fn step_but(
        &mut self,
        layout: &Layout,
        values: &mut [f32],
        grads: &[f32],
        rates: Rates,
        frozen: &[bool],
    ) {
        assert_eq!(layout.len(), self.exp_avg.len(), "optimiser of another layout");
        assert_eq!(values.len(), layout.len(), "parameters of another layout");
        assert_eq!(grads.len(), layout.len(), "gradients of another layout");
        self.step += 1;
        let (beta1, beta2, eps, weight_decay) = match self.algorithm {
            Algorithm::Adam { beta1, beta2, eps } => (beta1, beta2, eps, 0.0),
            Algorithm::AdamW { beta1, beta2, eps, weight_decay } => {
                (beta1, beta2, eps, weight_decay)
            }
            Algorithm::Muon { beta1, beta2, eps, .. } => (beta1, beta2, eps, 0.0),
        };
        // In single precision 1 - beta2^step would lose half its digits on the first steps.
        let adam = AdamStep {
            beta1,
            beta2,
            eps,
            weight_decay,
            bias1: 1.0 - beta1.powf(self.step as f64),
            bias2_sqrt: (1.0 - beta2.powf(self.step as f64)).sqrt(),
        };
        for (index, tensor) in layout.tensors().iter().enumerate() {
            if frozen.get(index) == Some(&true) {
                continue;
            }
            let rate = f64::from(match tensor.group {
                Group::Actor => rates.actor,
                Group::Critic => rates.critic,
            });
            let range = tensor.range.clone();
            let (values, grads) = (&mut values[range.clone()], &grads[range.clone()]);
            match self.algorithm {
                Algorithm::Muon { .. } if tensor.hidden && tensor.shape.len() == 2 => {
                    self.muon(tensor, values, grads, rate);
                }
                _ => {
                    let exp_avg = &mut self.exp_avg[range.clone()];
                    adam.apply(values, grads, exp_avg, &mut self.exp_avg_sq[range], rate);
                }
            }
        }
    }

    /// What a checkpoint must keep.
    pub fn state(&self) -> State<'_> {
        State {
            step: self.step,
            arrays: [(Self::EXP_AVG, &self.exp_avg), (Self::EXP_AVG_SQ, &self.exp_avg_sq)],
        }
    }

    /// Continues from a saved state; changes nothing if it does not fit.
    pub fn restore(
        &mut self,
        step: u64,
        exp_avg: &[f32],
        exp_avg_sq: &[f32],
    ) -> Result<(), StateError> {
        let expected = self.exp_avg.len();
        for (name, array) in [(Self::EXP_AVG, exp_avg), (Self::EXP_AVG_SQ, exp_avg_sq)] {
            if array.len() != expected {
                return Err(StateError { name, found: array.len(), expected });
            }
        }
        self.step = step;
        self.exp_avg.copy_from_slice(exp_avg);
        self.exp_avg_sq.copy_from_slice(exp_avg_sq);
        Ok(())
    }

    fn muon(&mut self, tensor: &Tensor, values: &mut [f32], grads: &[f32], rate: f64) {
        let Algorithm::Muon { momentum, nesterov, steps, hidden_scale, .. } = self.algorithm else {
            return;
        };
        let &[inputs, outputs] = tensor.shape.as_slice() else { return };
        let buffer = &mut self.exp_avg[tensor.range.clone()];
        let keep = momentum as f32;
        let take = (1.0 - momentum) as f32;
        for (b, &g) in buffer.iter_mut().zip(grads) {
            *b += (g - *b) * take;
        }
        self.direction.clear();
        if nesterov {
            self.direction.extend(buffer.iter().zip(grads).map(|(&b, &g)| g + (b - g) * keep));
        } else {
            self.direction.extend_from_slice(buffer);
        }
        self.newton_schulz.orthogonalise(&mut self.direction, inputs, outputs, steps);
        // Muon counts a matrix as [output, input], ours are [input, output]: rows are outputs.
        let shape_scale = (outputs as f64 / inputs.max(1) as f64).max(1.0).sqrt();
        let size = (rate * hidden_scale * shape_scale) as f32;
        for (p, &d) in values.iter_mut().zip(&self.direction) {
            *p -= size * d;
        }
    }
}

impl AdamStep {
    fn apply(
        &self,
        values: &mut [f32],
        grads: &[f32],
        exp_avg: &mut [f32],
        exp_avg_sq: &mut [f32],
        rate: f64,
    ) {
        let take1 = (1.0 - self.beta1) as f32;
        let (keep2, take2) = (self.beta2 as f32, (1.0 - self.beta2) as f32);
        let inverse_bias2 = (1.0 / self.bias2_sqrt) as f32;
        let size = (rate / self.bias1) as f32;
        let eps = self.eps as f32;
        // Plain Adam multiplies by exactly one here: cheaper than a second loop.
        let shrink = (1.0 - rate * self.weight_decay) as f32;
        let moments = exp_avg.iter_mut().zip(exp_avg_sq);
        for ((p, &g), (m, v)) in values.iter_mut().zip(grads).zip(moments) {
            *m += (g - *m) * take1;
            *v = *v * keep2 + g * g * take2;
            *p = *p * shrink - size * *m / (v.sqrt() * inverse_bias2 + eps);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const RATES: Rates = Rates { actor: 3e-4, critic: 3e-4 };
    const ADAM: Algorithm = Algorithm::Adam { beta1: 0.9, beta2: 0.999, eps: 1e-5 };

    fn muon(momentum: f64, nesterov: bool) -> Algorithm {
        let (beta1, beta2, eps) = (0.9, 0.999, 1e-8);
        Algorithm::Muon { momentum, nesterov, steps: 5, hidden_scale: 1.0, beta1, beta2, eps }
    }

    fn flat(value: &Value) -> Vec<f64> {
        match value {
            Value::Array(items) => items.iter().flat_map(flat).collect(),
            other => vec![other.as_f64().unwrap()],
        }
    }

    fn single(value: &Value) -> Vec<f32> {
        flat(value).into_iter().map(|x| x as f32).collect()
    }

    /// A 4×3 matrix for the actor.
    fn layout(hidden: bool) -> Layout {
        let mut layout = Layout::default();
        layout.push("w", &[4, 3], Group::Actor, hidden);
        layout
    }

    fn follow(fixture: &str, algorithm: Algorithm) {
        let fixture: Value = serde_json::from_str(fixture).unwrap();
        let layout = layout(true);
        let mut optimizer = Optimizer::new(algorithm, &layout);
        let mut values = single(&fixture["start"]);
        let steps = fixture["grads"].as_array().unwrap();
        assert_eq!(steps.len(), 6);
        for (i, grads) in steps.iter().enumerate() {
            optimizer.step(&layout, &mut values, &single(grads), RATES);
            for (ours, theirs) in values.iter().zip(flat(&fixture["after"][i])) {
                let error = (f64::from(*ours) - theirs).abs();
                assert!(error <= 1e-6 * theirs.abs(), "step {i}: {ours} instead of {theirs}");
            }
        }
        // Single precision hides a wrong moment in the values, but not in the whole way travelled.
        let start = flat(&fixture["start"]);
        for ((ours, theirs), start) in values.iter().zip(flat(&fixture["after"][5])).zip(start) {
            let (moved, should) = (f64::from(*ours) - start, theirs - start);
            assert!((moved - should).abs() < 1e-6, "moved {moved} instead of {should}");
        }
    }

    #[test]
    fn adam_follows_pytorch() {
        follow(include_str!("../fixtures/adam.json"), ADAM);
    }

    #[test]
    fn adamw_follows_pytorch() {
        let adamw = Algorithm::AdamW { beta1: 0.9, beta2: 0.999, eps: 1e-5, weight_decay: 0.01 };
        follow(include_str!("../fixtures/adamw.json"), adamw);
    }

    #[test]
    fn groups_have_rates_of_their_own() {
        let mut layout = Layout::default();
        layout.push("actor", &[2], Group::Actor, false);
        layout.push("critic", &[2], Group::Critic, false);
        let mut values = [0.0; 4];
        let rates = Rates { actor: 0.0, critic: 0.5 };
        Optimizer::new(ADAM, &layout).step(&layout, &mut values, &[1.0; 4], rates);
        assert_eq!(values[..2], [0.0; 2]);
        // The first step of Adam has the length of the rate.
        assert!(values[2..].iter().all(|v| (v + 0.5).abs() < 1e-4), "{values:?}");
    }

    #[test]
    fn restored_state_continues_exactly() {
        for algorithm in [ADAM, muon(0.95, true)] {
            let layout = layout(true);
            let mut first = Optimizer::new(algorithm, &layout);
            let mut values: Vec<f32> = (0..12).map(|i| i as f32 * 0.1).collect();
            let grads: Vec<f32> = (0..12).map(|i| (i as f32).sin()).collect();
            for _ in 0..3 {
                first.step(&layout, &mut values, &grads, RATES);
            }
            let mut second = Optimizer::new(algorithm, &layout);
            let State { step, arrays: [(_, m), (_, v)] } = first.state();
            second.restore(step, m, v).unwrap();
            let mut others = values.clone();
            first.step(&layout, &mut values, &grads, RATES);
            second.step(&layout, &mut others, &grads, RATES);
            assert_eq!(values, others);
            assert_eq!(first.state(), second.state());
        }
    }

    #[test]
    fn foreign_state_is_refused() {
        let mut optimizer = Optimizer::new(ADAM, &layout(false));
        let error = optimizer.restore(9, &[1.0; 12], &[1.0; 11]).unwrap_err();
        assert_eq!(error, StateError { name: "exp_avg_sq", found: 11, expected: 12 });
        assert_eq!(optimizer.state().step, 0);
        assert_eq!(optimizer.state().arrays[0].1, [0.0; 12]);
    }

    #[test]
    fn muon_scales_by_shape_and_leaves_other_tensors_to_adam() {
        let mut layout = Layout::default();
        let wide = layout.push("wide", &[1, 4], Group::Actor, true);
        let tall = layout.push("tall", &[4, 1], Group::Actor, true);
        let bias = layout.push("bias", &[4], Group::Actor, false);
        let mut values = vec![0.0; layout.len()];
        let grads = vec![1.0; layout.len()];
        let rates = Rates { actor: 0.1, critic: 0.0 };
        Optimizer::new(muon(0.95, true), &layout).step(&layout, &mut values, &grads, rates);
        let length = |r: std::ops::Range<usize>| crate::clip::global_norm(&values[r]);
        // One singular value each: four outputs from one input count twice, the reverse does not.
        let ratio = length(wide.clone()) / length(tall.clone());
        assert!((ratio - 2.0).abs() < 1e-4, "{ratio}");
        assert!((0.065..0.125).contains(&length(tall)));
        let mut adam_values = vec![0.0; layout.len()];
        Optimizer::new(ADAM, &layout).step(&layout, &mut adam_values, &grads, rates);
        assert!((values[bias.start] - adam_values[bias.start]).abs() < 1e-5);
    }

    #[test]
    fn muon_solves_least_squares() {
        // Minimise |W - T|² / 2: the gradient is W - T.
        let layout = layout(true);
        let target: Vec<f32> = (0..12).map(|i| ((i * 7 % 5) as f32 - 2.0) * 0.3).collect();
        for nesterov in [true, false] {
            let mut optimizer = Optimizer::new(muon(0.9, nesterov), &layout);
            let mut values = vec![0.0; 12];
            let mut grads = vec![0.0; 12];
            let loss = |v: &[f32]| v.iter().zip(&target).map(|(v, t)| (v - t).powi(2)).sum::<f32>();
            let before = loss(&values);
            for i in 0..400 {
                for ((g, &v), &t) in grads.iter_mut().zip(&values).zip(&target) {
                    *g = v - t;
                }
                // A step has constant length, so the rate must fall for the last digits.
                let actor = 0.05 * (1.0 - i as f32 / 400.0);
                optimizer.step(&layout, &mut values, &grads, Rates { actor, critic: 0.0 });
            }
            let after = loss(&values);
            assert!(after < 1e-3 * before, "from {before} to {after}");
        }
    }
}
