//! Layers: each as the network computes it, in the same order of operations.

use lanista_learn::Normalizer;
use lanista_learn::blueprint::{Body, Dense, Memory, Stack};
use lanista_nn::{Activation, Cell};

use super::encoder;
use super::graph::{Binary, Graph, Reduce, Unary, Value};
use crate::model::{ExchangeError, Model};

/// The guard of layer normalisation against division by zero.
const EPSILON: f32 = 1e-5;

/// A graph with the model whose tensors go into it.
pub struct Builder<'a> {
    pub graph: Graph,
    pub model: &'a Model<'a>,
}

impl Builder<'_> {
    /// A tensor of the model under its own name.
    pub fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Value, ExchangeError> {
        let values = self.model.tensor(name, shape)?;
        Ok(self.graph.floats(name, shape, values))
    }

    /// `x · w + b`.
    pub fn dense(&mut self, dense: &Dense, x: &Value) -> Result<Value, ExchangeError> {
        let weight =
            self.tensor(&format!("{}.weight", dense.name), &[dense.input, dense.output])?;
        let bias = self.tensor(&format!("{}.bias", dense.name), &[dense.output])?;
        self.graph.scope(&dense.name);
        let product = self.graph.product(x, &weight);
        Ok(self.graph.binary(Binary::Add, &product, &bias))
    }

    pub fn activation(&mut self, activation: Activation, x: &Value) -> Value {
        match activation {
            Activation::Tanh => self.graph.unary(Unary::Tanh, x),
            Activation::Relu => self.graph.unary(Unary::Relu, x),
            Activation::Silu => {
                let gate = self.graph.unary(Unary::Sigmoid, x);
                self.graph.binary(Binary::Mul, x, &gate)
            }
        }
    }

    fn layer_norm(&mut self, name: &str, x: &Value) -> Result<Value, ExchangeError> {
        let width = x.width();
        let weight = self.tensor(&format!("{name}.norm.weight"), &[width])?;
        let bias = self.tensor(&format!("{name}.norm.bias"), &[width])?;
        let graph = &mut self.graph;
        graph.scope(format!("{name}.norm"));
        let axis = x.shape.len() - 1;
        let mean = graph.reduce(Reduce::Mean, x, axis);
        let from_mean = graph.binary(Binary::Sub, x, &mean);
        let square = graph.binary(Binary::Mul, &from_mean, &from_mean);
        let variance = graph.reduce(Reduce::Mean, &square, axis);
        let epsilon = graph.float(EPSILON);
        let guarded = graph.binary(Binary::Add, &variance, &epsilon);
        let deviation = graph.unary(Unary::Sqrt, &guarded);
        let normal = graph.binary(Binary::Div, &from_mean, &deviation);
        let scaled = graph.binary(Binary::Mul, &normal, &weight);
        Ok(graph.binary(Binary::Add, &scaled, &bias))
    }

    pub fn stack(&mut self, stack: &Stack, x: &Value) -> Result<Value, ExchangeError> {
        let mut x = x.clone();
        for layer in &stack.layers {
            x = self.dense(layer, &x)?;
            if stack.layer_norm {
                x = self.layer_norm(&layer.name, &x)?;
            }
            x = self.activation(stack.activation, &x);
        }
        Ok(x)
    }

    /// A body of an actor or a critic: what it makes of `x`, and its state after.
    pub fn body(
        &mut self,
        body: &Body,
        x: &Value,
        state: Option<&Value>,
    ) -> Result<(Value, Option<Value>), ExchangeError> {
        let mut x = x.clone();
        if let Some(encoder) = &body.encoder {
            x = encoder::encode(self, encoder, &x)?;
        }
        x = self.stack(&body.hidden, &x)?;
        match (&body.memory, state) {
            (Some(memory), Some(state)) => {
                let (x, state) = self.memory(memory, &x, state)?;
                Ok((x, Some(state)))
            }
            _ => Ok((x, None)),
        }
    }

    /// One step of all layers: the last one's `h`, and the state after.
    fn memory(
        &mut self,
        memory: &Memory,
        x: &Value,
        state: &Value,
    ) -> Result<(Value, Value), ExchangeError> {
        let (mut x, mut after) = (x.clone(), Vec::new());
        for l in 0..memory.layers {
            let name = format!("{}.{l}", memory.name);
            let from = l * memory.layer_state();
            self.graph.scope(&name);
            let before = self.graph.slice(state, from, memory.layer_state());
            match memory.cell {
                Cell::Lstm => {
                    let (h, c) = self.lstm(&name, memory.size, &x, &before)?;
                    after.extend([h.clone(), c]);
                    x = h;
                }
                Cell::Gru => {
                    x = self.gru(&name, memory.size, &x, &before)?;
                    after.push(x.clone());
                }
            }
        }
        self.graph.scope(&memory.name);
        Ok((x, self.graph.concat(&after)))
    }

    /// `h` and `c` after a step of an LSTM.
    fn lstm(
        &mut self,
        name: &str,
        size: usize,
        x: &Value,
        before: &Value,
    ) -> Result<(Value, Value), ExchangeError> {
        let weight_input = self.tensor(&format!("{name}.weight_input"), &[x.width(), 4 * size])?;
        let weight_hidden = self.tensor(&format!("{name}.weight_hidden"), &[size, 4 * size])?;
        let bias = self.tensor(&format!("{name}.bias"), &[4 * size])?;
        let graph = &mut self.graph;
        let (h, c) = (graph.slice(before, 0, size), graph.slice(before, size, size));
        let from_x = graph.product(x, &weight_input);
        let from_x = graph.binary(Binary::Add, &from_x, &bias);
        let from_h = graph.product(&h, &weight_hidden);
        let gates = graph.binary(Binary::Add, &from_x, &from_h);
        let [i, f, g, o] = [0, 1, 2, 3].map(|gate| graph.slice(&gates, gate * size, size));
        let [i, f, o] = [i, f, o].map(|gate| graph.unary(Unary::Sigmoid, &gate));
        let g = graph.unary(Unary::Tanh, &g);
        let kept = graph.binary(Binary::Mul, &f, &c);
        let new = graph.binary(Binary::Mul, &i, &g);
        let c = graph.binary(Binary::Add, &kept, &new);
        let shown = graph.unary(Unary::Tanh, &c);
        Ok((graph.binary(Binary::Mul, &o, &shown), c))
    }

    /// `h` after a step of a GRU.
    fn gru(
        &mut self,
        name: &str,
        size: usize,
        x: &Value,
        h: &Value,
    ) -> Result<Value, ExchangeError> {
        let weight_input = self.tensor(&format!("{name}.weight_input"), &[x.width(), 3 * size])?;
        let weight_hidden = self.tensor(&format!("{name}.weight_hidden"), &[size, 3 * size])?;
        let bias = self.tensor(&format!("{name}.bias"), &[3 * size])?;
        let bias_n = self.tensor(&format!("{name}.bias_n"), &[size])?;
        let graph = &mut self.graph;
        let from_x = graph.product(x, &weight_input);
        let from_x = graph.binary(Binary::Add, &from_x, &bias);
        let from_h = graph.product(h, &weight_hidden);
        let [r, z] = [0, 1].map(|gate| {
            let x = graph.slice(&from_x, gate * size, size);
            let h = graph.slice(&from_h, gate * size, size);
            let sum = graph.binary(Binary::Add, &x, &h);
            graph.unary(Unary::Sigmoid, &sum)
        });
        let n_of_x = graph.slice(&from_x, 2 * size, size);
        let n_of_h = graph.slice(&from_h, 2 * size, size);
        let n_of_h = graph.binary(Binary::Add, &n_of_h, &bias_n);
        let reset = graph.binary(Binary::Mul, &r, &n_of_h);
        let n = graph.binary(Binary::Add, &n_of_x, &reset);
        let n = graph.unary(Unary::Tanh, &n);
        let distance = graph.binary(Binary::Sub, h, &n);
        let kept = graph.binary(Binary::Mul, &z, &distance);
        Ok(graph.binary(Binary::Add, &kept, &n))
    }

    /// Numbers as the network sees them.
    pub fn normalize(&mut self, name: &str, normalizer: Option<&Normalizer>, x: &Value) -> Value {
        let Some(normalizer) = normalizer.filter(|n| !n.shift().is_empty()) else {
            return x.clone();
        };
        let (graph, width) = (&mut self.graph, x.width());
        graph.scope(name);
        let shift = graph.floats(&format!("{name}.shift"), &[width], normalizer.shift());
        let scale = graph.floats(&format!("{name}.scale"), &[width], normalizer.scale());
        let from_mean = graph.binary(Binary::Sub, x, &shift);
        let scaled = graph.binary(Binary::Mul, &from_mean, &scale);
        let normal = graph.clip(&scaled, -normalizer.limit, normalizer.limit);
        let touched = normalizer.touched();
        if touched.iter().all(|&touched| touched) {
            return normal;
        }
        let touched = graph.bools(&format!("{name}.touched"), &[width], &touched);
        graph.choose(&touched, &normal, x)
    }
}
