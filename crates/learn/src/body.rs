//! The body of an actor or a critic: hidden layers, then memory if there is any.

use lanista_nn::{
    Activation, Group, Initializer, Layout, Mlp, MlpCache, Packing, Recurrent, RecurrentCache, grow,
};

use crate::config::MemoryConfig;

/// Hidden layers and memory.
#[derive(Clone, Debug)]
pub struct Body {
    hidden: Mlp,
    memory: Option<Recurrent>,
}

/// What a body keeps between forward and backward.
#[derive(Clone, Debug, Default)]
pub struct BodyCache {
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
    /// Adds a body's tensors to a layout.
    pub fn new(
        layout: &mut Layout,
        name: &str,
        input: usize,
        hidden: &[usize],
        memory: Option<&MemoryConfig>,
        activation: Activation,
        layer_norm: bool,
        group: Group,
    ) -> Self {
        let hidden = Mlp::new(
            layout,
            &format!("{name}.hidden"),
            input,
            hidden,
            activation,
            layer_norm,
            group,
        );
        let memory = memory.map(|m| {
            let name = format!("{name}.memory");
            Recurrent::new(layout, &name, m.cell.into(), hidden.output(), m.size, m.layers, group)
        });
        Self { hidden, memory }
    }

    /// Fresh weights.
    pub fn init(&self, params: &mut [f32], init: &mut Initializer) {
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
        dy: &[f32],
        cache: &mut BodyCache,
        grads: &mut [f32],
    ) {
        let BodyCache { hidden, memory, d_hidden } = cache;
        let Some(core) = &self.memory else {
            return self.hidden.backward(params, rows, x, dy, None, hidden, grads);
        };
        let input = hidden.output(x);
        let Sequences { packing, reset, .. } = sequences;
        if self.hidden.is_identity() {
            core.backward(params, packing, input, reset, dy, None, None, memory, grads);
            return;
        }
        grow(d_hidden, rows * self.hidden.output());
        core.backward(params, packing, input, reset, dy, Some(d_hidden), None, memory, grads);
        self.hidden.backward(params, rows, x, d_hidden, None, hidden, grads);
    }
}
