//! The body of an actor or a critic: an encoder where the observation has structure, hidden layers,
//! then memory if there is any.

use lanista_nn::{
    Activation, Group, Initializer, Layout, Mlp, MlpCache, Packing, Recurrent, RecurrentCache, grow,
};

use crate::config::{MemoryConfig, PolicyConfig};
use crate::encoder::{Encoder, EncoderCache};
use crate::shape;

/// Encoder, hidden layers and memory.
#[derive(Clone, Debug)]
pub struct Body {
    encoder: Option<Encoder>,
    hidden: Mlp,
    memory: Option<Recurrent>,
}

/// What a body keeps between forward and backward.
#[derive(Clone, Debug, Default)]
pub struct BodyCache {
    encoder: EncoderCache,
    d_encoded: Vec<f32>,
    hidden: MlpCache,
    memory: RecurrentCache,
    d_hidden: Vec<f32>,
}

/// Rows as sequences: how they are packed, where each starts from, and which rows start an episode.
#[derive(Clone, Copy)]
pub struct Sequences<'a> {
    /// Which rows follow which.
    pub packing: &'a Packing,
    /// `[sequences, state_size]`
    pub state: &'a [f32],
    /// `[rows]`: zero the state before this row.
    pub reset: &'a [bool],
}

impl Body {
    /// Adds a body's tensors to a layout. `groups` are what a row consists of. Its hidden layers and
    /// its memory may differ from those of the configuration, everything else is as it says.
    pub fn new(
        layout: &mut Layout,
        name: &str,
        groups: &[&shape::Group],
        hidden: &[usize],
        memory: Option<&MemoryConfig>,
        config: &PolicyConfig,
        group: Group,
    ) -> Self {
        let (activation, norm) = (Activation::from(config.activation), config.layer_norm);
        let plain = groups.iter().all(|group| matches!(group, shape::Group::Plain { .. }));
        let encoder = config.encoder.as_ref().filter(|_| !plain).map(|encoder| {
            let name = format!("{name}.encoder");
            Encoder::new(layout, &name, groups, encoder, activation, norm, group)
        });
        let input = match &encoder {
            Some(encoder) => encoder.output(),
            None => groups.iter().map(|group| group.features()).sum(),
        };
        let name_hidden = format!("{name}.hidden");
        let hidden = Mlp::new(layout, &name_hidden, input, hidden, activation, norm, group);
        let memory = memory.map(|m| {
            let name = format!("{name}.memory");
            Recurrent::new(layout, &name, m.cell.into(), hidden.output(), m.size, m.layers, group)
        });
        Self { encoder, hidden, memory }
    }

    /// Fresh weights.
    pub fn init(&self, params: &mut [f32], init: &mut Initializer) {
        if let Some(encoder) = &self.encoder {
            encoder.init(params, init);
        }
        self.hidden.init(params, init);
        if let Some(memory) = &self.memory {
            memory.init(params, init);
        }
    }

    /// Numbers in a row of the result.
    pub fn output(&self) -> usize {
        self.memory.as_ref().map_or(self.hidden.output(), Recurrent::output)
    }

    /// Numbers in the state of one row; 0 without memory.
    pub fn state_size(&self) -> usize {
        self.memory.as_ref().map_or(0, Recurrent::state_size)
    }

    /// Runs the body; the result is [`Body::result`].
    pub fn forward(
        &self,
        params: &[f32],
        rows: usize,
        x: &[f32],
        sequences: Sequences,
        cache: &mut BodyCache,
    ) {
        let mut x = x;
        if let Some(encoder) = &self.encoder {
            encoder.forward(params, rows, x, &mut cache.encoder);
            x = cache.encoder.output();
        }
        self.hidden.forward(params, rows, x, &mut cache.hidden);
        if let Some(memory) = &self.memory {
            let Sequences { packing, state, reset } = sequences;
            let input = cache.hidden.output(x);
            memory.forward(params, packing, input, state, reset, &mut cache.memory);
        }
    }

    /// The result of the last forward pass on `x`.
    pub fn result<'a>(&self, x: &'a [f32], cache: &'a BodyCache) -> &'a [f32] {
        match self.memory {
            Some(_) => cache.memory.output(),
            None if self.encoder.is_some() => cache.hidden.output(cache.encoder.output()),
            None => cache.hidden.output(x),
        }
    }

    /// The state after a forward pass of single steps: `[rows, state_size]`.
    pub fn state_after(&self, rows: usize, cache: &BodyCache, state: &mut [f32]) {
        if let Some(memory) = &self.memory {
            memory.state_after(rows, &cache.memory, state);
        }
    }

    /// Adds to `grads` what `dy[rows, output]` says.
    pub fn backward(
        &self,
        params: &[f32],
        rows: usize,
        x: &[f32],
        sequences: Sequences,
        dy: &mut [f32],
        cache: &mut BodyCache,
        grads: &mut [f32],
    ) {
        let Some(encoder) = &self.encoder else {
            return self.backward_layers(params, rows, x, sequences, dy, None, cache, grads);
        };
        // Taken out for as long as the layers above have the rest of the cache.
        let mut encoded = std::mem::take(&mut cache.encoder);
        let mut d = std::mem::take(&mut cache.d_encoded);
        grow(&mut d, rows * encoder.output());
        let (seen, dx) = (encoded.output(), Some(&mut d[..]));
        self.backward_layers(params, rows, seen, sequences, dy, dx, cache, grads);
        encoder.backward(params, rows, x, &d, &mut encoded, grads);
        (cache.encoder, cache.d_encoded) = (encoded, d);
    }

    /// The way back through memory and hidden layers, to `dx` if it is wanted.
    fn backward_layers(
        &self,
        params: &[f32],
        rows: usize,
        x: &[f32],
        sequences: Sequences,
        dy: &mut [f32],
        dx: Option<&mut [f32]>,
        cache: &mut BodyCache,
        grads: &mut [f32],
    ) {
        let BodyCache { hidden, memory, d_hidden, .. } = cache;
        let Some(core) = &self.memory else {
            return self.hidden.backward(params, rows, x, dy, dx, hidden, grads);
        };
        let input = hidden.output(x);
        let Sequences { packing, reset, .. } = sequences;
        if self.hidden.is_identity() {
            core.backward(params, packing, input, reset, dy, dx, None, memory, grads);
            return;
        }
        grow(d_hidden, rows * self.hidden.output());
        core.backward(params, packing, input, reset, dy, Some(d_hidden), None, memory, grads);
        self.hidden.backward(params, rows, x, d_hidden, dx, hidden, grads);
    }
}
