//! From the actor's body to logits: one product for plain heads, a small net per head when heads
//! have layers of their own or see the choices before them.

use std::ops::Range;

use lanista_game::UNKNOWN;
use lanista_nn::{Activation, Group, Initializer, Layout, Linear, Mlp, MlpCache, grow};

use crate::config::HeadsConfig;

/// The heads of an actor. Logits of all heads lie side by side: `[rows, actions]`.
#[derive(Clone, Debug)]
pub enum Heads {
    /// Linear heads that do not look at each other: one layer makes all logits.
    Plain(Linear),
    /// A net per head.
    Apart(Vec<HeadNet>),
}

/// One head: a first layer over the body and the one-hot choices before it, then the rest.
#[derive(Clone, Debug)]
pub struct HeadNet {
    /// Where this head's logits start in a row.
    offset: usize,
    size: usize,
    first: Linear,
    /// `[actions of earlier heads, first.output]`: a choice adds its row. Empty if not
    /// autoregressive.
    choices: Range<usize>,
    /// Start of each earlier head's rows in `choices`.
    choice_offsets: Vec<usize>,
    /// The layers after the first; `None` when the first makes the logits.
    rest: Option<(Mlp, Linear)>,
    activation: Activation,
}

/// What the heads keep between forward and backward.
#[derive(Clone, Debug, Default)]
pub struct HeadsCache {
    nets: Vec<NetCache>,
    dx: Vec<f32>,
}

#[derive(Clone, Debug, Default)]
struct NetCache {
    before: Vec<f32>,
    after: Vec<f32>,
    rest: MlpCache,
    logits: Vec<f32>,
    d_logits: Vec<f32>,
    d_rest: Vec<f32>,
    d_after: Vec<f32>,
}

impl Heads {
    /// Adds the heads' tensors to a layout.
    pub fn new(
        layout: &mut Layout,
        input: usize,
        sizes: &[usize],
        config: &HeadsConfig,
        activation: Activation,
    ) -> Self {
        if config.hidden.is_empty() && !config.autoregressive {
            let total = sizes.iter().sum();
            return Self::Plain(Linear::new(
                layout,
                "actor.heads",
                input,
                total,
                Group::Actor,
                false,
            ));
        }
        let mut offset = 0;
        let mut choice_offsets = Vec::new();
        let mut nets = Vec::new();
        for (h, &size) in sizes.iter().enumerate() {
            let name = format!("actor.heads.{h}");
            let hidden = !config.hidden.is_empty();
            let width = config.hidden.first().copied().unwrap_or(size);
            let first =
                Linear::new(layout, &format!("{name}.first"), input, width, Group::Actor, hidden);
            let choices = if config.autoregressive && offset > 0 {
                layout.push(format!("{name}.choices"), &[offset, width], Group::Actor, false)
            } else {
                0..0
            };
            let rest = hidden.then(|| {
                let mlp = Mlp::new(
                    layout,
                    &format!("{name}.hidden"),
                    width,
                    &config.hidden[1..],
                    activation,
                    false,
                    Group::Actor,
                );
                let out = mlp.output();
                let name = format!("{name}.out");
                (mlp, Linear::new(layout, &name, out, size, Group::Actor, false))
            });
            nets.push(HeadNet {
                offset,
                size,
                first,
                choices,
                choice_offsets: choice_offsets.clone(),
                rest,
                activation,
            });
            choice_offsets.push(offset);
            offset += size;
        }
        Self::Apart(nets)
    }

    /// Small last layers, so that a fresh policy is close to uniform.
    pub fn init(&self, params: &mut [f32], init: &mut Initializer) {
        const LAST_GAIN: f32 = 0.01;
        match self {
            Self::Plain(linear) => linear.init(params, LAST_GAIN, init),
            Self::Apart(nets) => {
                for net in nets {
                    let gain = if net.rest.is_some() { net.activation.gain() } else { LAST_GAIN };
                    net.first.init(params, gain, init);
                    params[net.choices.clone()].fill(0.0);
                    if let Some((mlp, out)) = &net.rest {
                        // A choice must be able to matter from the start, or heads that see each
                        // other begin as heads that do not.
                        init.uniform(&mut params[net.choices.clone()], 1.0);
                        mlp.init(params, init);
                        out.init(params, LAST_GAIN, init);
                    }
                }
            }
        }
    }

    /// Must the heads be evaluated one after the other, each with the choices before it?
    pub fn sequential(&self) -> bool {
        matches!(self, Self::Apart(nets) if nets.iter().any(|n| !n.choices.is_empty()))
    }

    /// Logits of all heads for known actions.
    pub fn forward(
        &self,
        params: &[f32],
        rows: usize,
        x: &[f32],
        actions: &[u32],
        logits: &mut [f32],
        cache: &mut HeadsCache,
    ) {
        match self {
            Self::Plain(linear) => linear.forward(params, rows, x, logits),
            Self::Apart(nets) => {
                for h in 0..nets.len() {
                    self.forward_head(h, params, rows, x, actions, logits, cache);
                }
            }
        }
    }

    /// Logits of head `h`, from the choices of the heads before it in `actions[rows, heads]`.
    pub fn forward_head(
        &self,
        h: usize,
        params: &[f32],
        rows: usize,
        x: &[f32],
        actions: &[u32],
        logits: &mut [f32],
        cache: &mut HeadsCache,
    ) {
        let Self::Apart(nets) = self else {
            return; // plain heads were all made at once
        };
        cache.nets.resize_with(nets.len(), NetCache::default);
        let (net, c) = (&nets[h], &mut cache.nets[h]);
        let width = net.first.output;
        grow(&mut c.before, rows * width);
        net.first.forward(params, rows, x, &mut c.before);
        if !net.choices.is_empty() {
            let table = &params[net.choices.clone()];
            for r in 0..rows {
                let row = &mut c.before[r * width..(r + 1) * width];
                for (offset, &choice) in net.choice_offsets.iter().zip(&actions[r * nets.len()..]) {
                    if choice == UNKNOWN {
                        continue; // whatever it was, it adds nothing
                    }
                    let from = (offset + choice as usize) * width;
                    row.iter_mut().zip(&table[from..from + width]).for_each(|(v, t)| *v += t);
                }
            }
        }
        let made: &[f32] = match &net.rest {
            None => &c.before,
            Some((mlp, out)) => {
                let n = rows * width;
                grow(&mut c.after, n);
                grow(&mut c.logits, rows * net.size);
                net.activation.forward(&c.before[..n], &mut c.after[..n]);
                mlp.forward(params, rows, &c.after, &mut c.rest);
                out.forward(params, rows, c.rest.output(&c.after), &mut c.logits);
                &c.logits
            }
        };
        let total: usize = nets.iter().map(|n| n.size).sum();
        for r in 0..rows {
            let to = r * total + net.offset;
            logits[to..to + net.size].copy_from_slice(&made[r * net.size..(r + 1) * net.size]);
        }
    }

    /// Adds to `grads` and writes the gradient of the body's output into `dx`.
    pub fn backward(
        &self,
        params: &[f32],
        rows: usize,
        x: &[f32],
        actions: &[u32],
        d_logits: &[f32],
        dx: &mut [f32],
        cache: &mut HeadsCache,
        grads: &mut [f32],
    ) {
        let nets = match self {
            Self::Plain(linear) => {
                return linear.backward(params, rows, x, d_logits, Some(dx), grads);
            }
            Self::Apart(nets) => nets,
        };
        let total: usize = nets.iter().map(|n| n.size).sum();
        let HeadsCache { nets: caches, dx: dx_head } = cache;
        for (h, (net, c)) in nets.iter().zip(caches).enumerate() {
            let width = net.first.output;
            grow(&mut c.d_logits, rows * net.size);
            for r in 0..rows {
                let from = r * total + net.offset;
                c.d_logits[r * net.size..(r + 1) * net.size]
                    .copy_from_slice(&d_logits[from..from + net.size]);
            }
            if let Some((mlp, out)) = &net.rest {
                let n = rows * width;
                grow(&mut c.d_rest, rows * out.input);
                grow(&mut c.d_after, n);
                let rest_output = c.rest.output(&c.after);
                out.backward(params, rows, rest_output, &c.d_logits, Some(&mut c.d_rest), grads);
                let d_after = Some(&mut c.d_after[..]);
                mlp.backward(params, rows, &c.after, &mut c.d_rest, d_after, &mut c.rest, grads);
                net.activation.backward(&c.before[..n], &c.after[..n], &mut c.d_after[..n]);
            }
            let d_first: &[f32] = if net.rest.is_some() { &c.d_after } else { &c.d_logits };
            if !net.choices.is_empty() {
                let table = &mut grads[net.choices.clone()];
                for r in 0..rows {
                    let d = &d_first[r * width..(r + 1) * width];
                    for (offset, &choice) in
                        net.choice_offsets.iter().zip(&actions[r * nets.len()..])
                    {
                        if choice == UNKNOWN {
                            continue;
                        }
                        let to = (offset + choice as usize) * width;
                        table[to..to + width].iter_mut().zip(d).for_each(|(g, d)| *g += d);
                    }
                }
            }
            if h == 0 {
                net.first.backward(params, rows, x, d_first, Some(dx), grads);
            } else {
                let n = rows * net.first.input;
                grow(dx_head, n);
                net.first.backward(params, rows, x, d_first, Some(dx_head), grads);
                dx[..n].iter_mut().zip(&dx_head[..n]).for_each(|(d, v)| *d += v);
            }
        }
    }
}
