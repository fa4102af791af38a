//! Recurrent cores: one or more layers of LSTM or GRU over packed sequences.
//!
//! Sequences of unequal length lie side by side, longest first, and are stored step by step: step
//! `t` holds the rows of the sequences that are still running. No row is padding, so none costs
//! time. One product covers the inputs of the whole sequence; one product a step covers the state.
//! Where an episode began, the state is zeroed before the step.

use std::ops::Range;

use crate::buffer::grow;
use crate::cells::{gru_backward, gru_forward, lstm_backward, lstm_forward};
use crate::dense::add_rows;
use crate::matmul::{product, product_input, product_weight, transpose};
use crate::{Group, Initializer, Layout};

/// Which cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Long short-term memory: state `h` and `c`.
    Lstm,
    /// Gated recurrent unit: state `h`.
    Gru,
}

impl Cell {
    fn gates(self) -> usize {
        match self {
            Self::Lstm => 4,
            Self::Gru => 3,
        }
    }

    fn states(self) -> usize {
        match self {
            Self::Lstm => 2,
            Self::Gru => 1,
        }
    }
}

/// How sequences are packed: how many still run at each step, never more than the step before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    counts: Vec<usize>,
    offsets: Vec<usize>,
    rows: usize,
}

impl Packing {
    /// Sets the packing from the lengths of the sequences, longest first.
    pub fn set(&mut self, lengths: &[usize]) {
        debug_assert!(lengths.is_sorted_by(|a, b| a >= b));
        self.counts.clear();
        self.offsets.clear();
        self.rows = 0;
        let mut running = lengths.len();
        for t in 0..lengths.first().copied().unwrap_or(0) {
            while running > 0 && lengths[running - 1] <= t {
                running -= 1;
            }
            self.counts.push(running);
            self.offsets.push(self.rows);
            self.rows += running;
        }
    }

    /// One step of so many sequences: what a rollout does.
    pub fn set_single(&mut self, rows: usize) {
        self.counts.clear();
        self.offsets.clear();
        self.counts.push(rows);
        self.offsets.push(0);
        self.rows = rows;
    }

    /// Rows over all steps.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The row of a sequence's step.
    pub fn row(&self, sequence: usize, step: usize) -> usize {
        self.offsets[step] + sequence
    }
}

/// A stack of recurrent layers.
#[derive(Clone, Debug)]
pub struct Recurrent {
    cell: Cell,
    hidden: usize,
    layers: Vec<Layer>,
}

#[derive(Clone, Debug)]
struct Layer {
    input: usize,
    weight_input: Range<usize>,
    weight_hidden: Range<usize>,
    bias: Range<usize>,
    /// The GRU's bias inside the reset gate's bracket; empty for the LSTM.
    bias_n: Range<usize>,
}

/// What a forward pass keeps for the backward pass.
#[derive(Clone, Debug, Default)]
pub struct RecurrentCache {
    layers: Vec<LayerCache>,
    dy: Vec<f32>,
    dx: Vec<f32>,
    dh: Vec<f32>,
    dc: Vec<f32>,
    d_gates: Vec<f32>,
    d_from_h: Vec<f32>,
    /// The hidden weights the other way round: a step has few rows, and products with a transposed
    /// operand are slow for few rows.
    weight_back: Vec<f32>,
}

#[derive(Clone, Debug, Default)]
struct LayerCache {
    gates: Vec<f32>,
    from_h: Vec<f32>,
    h_before: Vec<f32>,
    c_before: Vec<f32>,
    c: Vec<f32>,
    tanh_c: Vec<f32>,
    h: Vec<f32>,
}

impl Recurrent {
    /// Adds the tensors of `layers` layers to a layout.
    pub fn new(
        layout: &mut Layout,
        name: &str,
        cell: Cell,
        input: usize,
        hidden: usize,
        layers: usize,
        group: Group,
    ) -> Self {
        let width = cell.gates() * hidden;
        let layers = (0..layers)
            .map(|l| {
                let input = if l == 0 { input } else { hidden };
                let mut push = |part: &str, shape: &[usize], matrix: bool| {
                    layout.push(format!("{name}.{l}.{part}"), shape, group, matrix)
                };
                Layer {
                    input,
                    weight_input: push("weight_input", &[input, width], true),
                    weight_hidden: push("weight_hidden", &[hidden, width], true),
                    bias: push("bias", &[width], false),
                    bias_n: match cell {
                        Cell::Gru => push("bias_n", &[hidden], false),
                        Cell::Lstm => 0..0,
                    },
                }
            })
            .collect();
        Self { cell, hidden, layers }
    }

    /// Orthogonal weights of gain 1, zero biases except the LSTM's forget gate, which starts open
    /// (Jozefowicz et al. 2015): a fresh net then remembers.
    pub fn init(&self, params: &mut [f32], init: &mut Initializer) {
        let (h, width) = (self.hidden, self.cell.gates() * self.hidden);
        for layer in &self.layers {
            init.orthogonal(&mut params[layer.weight_input.clone()], layer.input, width, 1.0);
            init.orthogonal(&mut params[layer.weight_hidden.clone()], h, width, 1.0);
            params[layer.bias.clone()].fill(0.0);
            params[layer.bias_n.clone()].fill(0.0);
            if self.cell == Cell::Lstm {
                params[layer.bias.clone()][h..2 * h].fill(1.0);
            }
        }
    }

    /// Numbers in a row of the result.
    pub fn output(&self) -> usize {
        self.hidden
    }

    /// Numbers in the state of one sequence, over all layers.
    pub fn state_size(&self) -> usize {
        self.layers.len() * self.cell.states() * self.hidden
    }

    /// Runs the packed sequences on `x[rows, input]` from `state[sequences, state_size]`; a row
    /// with `reset` starts from a zero state. The result is [`RecurrentCache::output`].
    pub fn forward(
        &self,
        params: &[f32],
        packing: &Packing,
        x: &[f32],
        state: &[f32],
        reset: &[bool],
        cache: &mut RecurrentCache,
    ) {
        cache.layers.resize_with(self.layers.len(), LayerCache::default);
        for l in 0..self.layers.len() {
            let (done, rest) = cache.layers.split_at_mut(l);
            let input = done.last().map_or(x, |c| &c.h[..]);
            self.forward_layer(l, params, packing, input, state, reset, &mut rest[0]);
        }
    }

    fn forward_layer(
        &self,
        l: usize,
        params: &[f32],
        packing: &Packing,
        x: &[f32],
        state: &[f32],
        reset: &[bool],
        cache: &mut LayerCache,
    ) {
        let layer = &self.layers[l];
        let (h, width, rows) = (self.hidden, self.cell.gates() * self.hidden, packing.rows);
        let lstm = self.cell == Cell::Lstm;
        grow(&mut cache.gates, rows * width);
        grow(&mut cache.h_before, rows * h);
        grow(&mut cache.h, rows * h);
        if lstm {
            grow(&mut cache.c_before, rows * h);
            grow(&mut cache.c, rows * h);
            grow(&mut cache.tanh_c, rows * h);
        } else {
            grow(&mut cache.from_h, rows * width);
        }
        let weight_input = &params[layer.weight_input.clone()];
        product(rows, layer.input, width, x, weight_input, &mut cache.gates, false);
        let bias = &params[layer.bias.clone()];
        for row in cache.gates[..rows * width].chunks_exact_mut(width) {
            row.iter_mut().zip(bias).for_each(|(v, b)| *v += b);
        }

        let state_size = self.state_size();
        let state_at = l * self.cell.states() * h;
        let weight_hidden = &params[layer.weight_hidden.clone()];
        for (t, (&n, &o)) in packing.counts.iter().zip(&packing.offsets).enumerate() {
            for s in 0..n {
                let to = (o + s) * h..(o + s + 1) * h;
                if reset[o + s] {
                    cache.h_before[to.clone()].fill(0.0);
                    if lstm {
                        cache.c_before[to].fill(0.0);
                    }
                } else if t == 0 {
                    let from = &state[s * state_size + state_at..];
                    cache.h_before[to.clone()].copy_from_slice(&from[..h]);
                    if lstm {
                        cache.c_before[to].copy_from_slice(&from[h..2 * h]);
                    }
                } else {
                    let from = (packing.offsets[t - 1] + s) * h;
                    cache.h_before[to.clone()].copy_from_slice(&cache.h[from..from + h]);
                    if lstm {
                        cache.c_before[to].copy_from_slice(&cache.c[from..from + h]);
                    }
                }
            }
            let h_before = &cache.h_before[o * h..(o + n) * h];
            let gates = &mut cache.gates[o * width..(o + n) * width];
            if lstm {
                product(n, h, width, h_before, weight_hidden, gates, true);
                for s in 0..n {
                    let at = (o + s) * h..(o + s + 1) * h;
                    lstm_forward(
                        h,
                        &mut gates[s * width..(s + 1) * width],
                        &cache.c_before[at.clone()],
                        &mut cache.c[at.clone()],
                        &mut cache.tanh_c[at.clone()],
                        &mut cache.h[at],
                    );
                }
            } else {
                let from_h = &mut cache.from_h[o * width..(o + n) * width];
                product(n, h, width, h_before, weight_hidden, from_h, false);
                for s in 0..n {
                    let at = (o + s) * h..(o + s + 1) * h;
                    gru_forward(
                        h,
                        &mut gates[s * width..(s + 1) * width],
                        &mut from_h[s * width..(s + 1) * width],
                        &params[layer.bias_n.clone()],
                        &cache.h_before[at.clone()],
                        &mut cache.h[at],
                    );
                }
            }
        }
    }

    /// Copies the state after the last forward pass of single steps: `[rows, state_size]`.
    pub fn state_after(&self, rows: usize, cache: &RecurrentCache, state: &mut [f32]) {
        let (h, size) = (self.hidden, self.state_size());
        for (l, c) in cache.layers.iter().enumerate() {
            let at = l * self.cell.states() * h;
            for s in 0..rows {
                let to = &mut state[s * size + at..];
                to[..h].copy_from_slice(&c.h[s * h..(s + 1) * h]);
                if self.cell == Cell::Lstm {
                    to[h..2 * h].copy_from_slice(&c.c[s * h..(s + 1) * h]);
                }
            }
        }
    }

    /// The backward pass through time: adds to `grads`, writes `dx` and `d_state` if wanted.
    pub fn backward(
        &self,
        params: &[f32],
        packing: &Packing,
        x: &[f32],
        reset: &[bool],
        dy: &[f32],
        mut dx: Option<&mut [f32]>,
        mut d_state: Option<&mut [f32]>,
        cache: &mut RecurrentCache,
        grads: &mut [f32],
    ) {
        let n = packing.rows * self.hidden;
        grow(&mut cache.dy, n);
        cache.dy[..n].copy_from_slice(&dy[..n]);
        for l in (0..self.layers.len()).rev() {
            self.backward_gates(l, params, packing, reset, d_state.as_deref_mut(), cache);
            let layer = &self.layers[l];
            let (rows, h, width) = (packing.rows, self.hidden, self.cell.gates() * self.hidden);
            let RecurrentCache { layers, dy, dx: dx_below, d_gates, d_from_h, .. } = cache;
            let (done, rest) = layers.split_at(l);
            let input = done.last().map_or(x, |c| &c.h[..]);
            let from_state: &[f32] = match self.cell {
                Cell::Lstm => d_gates,
                Cell::Gru => d_from_h,
            };
            let h_before = &rest[0].h_before;
            product_weight(
                rows,
                layer.input,
                width,
                input,
                d_gates,
                &mut grads[layer.weight_input.clone()],
            );
            product_weight(
                rows,
                h,
                width,
                h_before,
                from_state,
                &mut grads[layer.weight_hidden.clone()],
            );
            add_rows(&mut grads[layer.bias.clone()], &d_gates[..rows * width]);
            if self.cell == Cell::Gru {
                let bias_n = &mut grads[layer.bias_n.clone()];
                for row in d_from_h[..rows * width].chunks_exact(width) {
                    bias_n.iter_mut().zip(&row[2 * h..]).for_each(|(g, d)| *g += d);
                }
            }
            let weight_input = &params[layer.weight_input.clone()];
            if l > 0 {
                grow(dx_below, rows * layer.input);
                product_input(rows, layer.input, width, d_gates, weight_input, dx_below, false);
                std::mem::swap(dy, dx_below);
            } else if let Some(dx) = dx.as_deref_mut() {
                product_input(rows, layer.input, width, d_gates, weight_input, dx, false);
            }
        }
    }

    /// Walks one layer back through time: `cache.dy` in, `cache.d_gates` (and `d_from_h`) out.
    fn backward_gates(
        &self,
        l: usize,
        params: &[f32],
        packing: &Packing,
        reset: &[bool],
        d_state: Option<&mut [f32]>,
        cache: &mut RecurrentCache,
    ) {
        let (h, width) = (self.hidden, self.cell.gates() * self.hidden);
        let lstm = self.cell == Cell::Lstm;
        let RecurrentCache { layers, dy, dh, dc, d_gates, d_from_h, weight_back, .. } = cache;
        let c = &layers[l];
        transpose(h, width, &params[self.layers[l].weight_hidden.clone()], weight_back);
        let sequences = packing.counts.first().copied().unwrap_or(0);
        grow(d_gates, packing.rows * width);
        grow(dh, sequences * h);
        grow(dc, sequences * h);
        if !lstm {
            grow(d_from_h, packing.rows * width);
        }
        dh[..sequences * h].fill(0.0);
        dc[..sequences * h].fill(0.0);
        for (&n, &o) in packing.counts.iter().zip(&packing.offsets).rev() {
            let d_out = &dy[o * h..(o + n) * h];
            dh[..n * h].iter_mut().zip(d_out).for_each(|(d, y)| *d += y);
            for s in 0..n {
                let at = (o + s) * h..(o + s + 1) * h;
                let wide = (o + s) * width..(o + s + 1) * width;
                let here = s * h..(s + 1) * h;
                if lstm {
                    lstm_backward(
                        h,
                        &c.gates[wide.clone()],
                        &c.c_before[at.clone()],
                        &c.tanh_c[at],
                        &dh[here.clone()],
                        &mut dc[here],
                        &mut d_gates[wide],
                    );
                } else {
                    gru_backward(
                        h,
                        &c.gates[wide.clone()],
                        &c.from_h[wide.clone()],
                        &c.h_before[at],
                        &mut dh[here],
                        &mut d_gates[wide.clone()],
                        &mut d_from_h[wide],
                    );
                }
            }
            let d: &[f32] = if lstm { d_gates } else { d_from_h };
            let d = &d[o * width..(o + n) * width];
            // The LSTM's state reaches the step only through its gates, the GRU's also directly.
            product(n, width, h, d, weight_back, &mut dh[..n * h], !lstm);
            for s in (0..n).filter(|&s| reset[o + s]) {
                dh[s * h..(s + 1) * h].fill(0.0);
                dc[s * h..(s + 1) * h].fill(0.0);
            }
        }
        if let Some(d_state) = d_state {
            let at = l * self.cell.states() * h;
            for s in 0..sequences {
                let to = &mut d_state[s * self.state_size() + at..];
                to[..h].copy_from_slice(&dh[s * h..(s + 1) * h]);
                if lstm {
                    to[h..2 * h].copy_from_slice(&dc[s * h..(s + 1) * h]);
                }
            }
        }
    }
}

impl RecurrentCache {
    /// The result of the last forward pass: `[rows, hidden]`.
    pub fn output(&self) -> &[f32] {
        self.layers.last().map_or(&[], |c| &c.h)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, assert_close, check_gradient, numbers, transposed};

    fn reference(cell: Cell, name: &str) {
        let f = Fixture::read(name);
        let (i, h, t, b) = (f.count("I"), f.count("H"), f.count("T"), f.count("B"));
        let width = cell.gates() * h;
        let mut layout = Layout::default();
        let core = Recurrent::new(&mut layout, "r", cell, i, h, 1, Group::Actor);
        let mut params = vec![0.0; layout.len()];
        let layer = &core.layers[0];
        params[layer.weight_input.clone()].copy_from_slice(&transposed(
            &f.numbers("weight_ih"),
            width,
            i,
        ));
        params[layer.weight_hidden.clone()].copy_from_slice(&transposed(
            &f.numbers("weight_hh"),
            width,
            h,
        ));
        let (bias_ih, bias_hh) = (f.numbers("bias_ih"), f.numbers("bias_hh"));
        // The reference has two biases per gate; only the GRU's last pair does not merge.
        for j in 0..width {
            let merges = cell == Cell::Lstm || j < 2 * h;
            params[layer.bias.start + j] = bias_ih[j] + if merges { bias_hh[j] } else { 0.0 };
        }
        if cell == Cell::Gru {
            params[layer.bias_n.clone()].copy_from_slice(&bias_hh[2 * h..]);
        }
        let reset: Vec<bool> = f.numbers("reset").iter().map(|&r| r == 1.0).collect();
        assert!(reset.iter().any(|&r| r), "the reference resets inside a sequence");
        let (h0, c0) = (f.numbers("h0"), if cell == Cell::Lstm { f.numbers("c0") } else { vec![] });
        let state: Vec<f32> = (0..b)
            .flat_map(|s| {
                let mut row = h0[s * h..(s + 1) * h].to_vec();
                row.extend(c0.get(s * h..(s + 1) * h).unwrap_or(&[]));
                row
            })
            .collect();
        let x = f.numbers("x");
        let mut packing = Packing::default();
        packing.set(&vec![t; b]);
        let mut cache = RecurrentCache::default();
        core.forward(&params, &packing, &x, &state, &reset, &mut cache);
        assert_close("y", cache.output(), &f.numbers("y"), 1e-5);
        let mut grads = vec![0.0; layout.len()];
        let (mut dx, mut d_state) = (vec![0.0; x.len()], vec![0.0; state.len()]);
        core.backward(
            &params,
            &packing,
            &x,
            &reset,
            &f.numbers("coef"),
            Some(&mut dx),
            Some(&mut d_state),
            &mut cache,
            &mut grads,
        );
        assert_close("dx", &dx, &f.numbers("grad.x"), 2e-5);
        let want = transposed(&f.numbers("grad.weight_ih"), width, i);
        assert_close("weight_ih", &grads[layer.weight_input.clone()], &want, 2e-5);
        let want = transposed(&f.numbers("grad.weight_hh"), width, h);
        assert_close("weight_hh", &grads[layer.weight_hidden.clone()], &want, 2e-5);
        assert_close("bias", &grads[layer.bias.clone()], &f.numbers("grad.bias_ih"), 2e-5);
        let size = core.state_size();
        let got: Vec<f32> = (0..b).flat_map(|s| d_state[s * size..s * size + h].to_vec()).collect();
        assert_close("h0", &got, &f.numbers("grad.h0"), 2e-5);
        if cell == Cell::Lstm {
            let got: Vec<f32> =
                (0..b).flat_map(|s| d_state[s * size + h..(s + 1) * size].to_vec()).collect();
            assert_close("c0", &got, &f.numbers("grad.c0"), 2e-5);
        } else {
            assert_close(
                "bias_n",
                &grads[layer.bias_n.clone()],
                &f.numbers("grad.bias_hh")[2 * h..],
                2e-5,
            );
        }
    }

    #[test]
    fn lstm_agrees_with_the_reference() {
        reference(Cell::Lstm, "lstm");
    }

    #[test]
    fn gru_agrees_with_the_reference() {
        reference(Cell::Gru, "gru");
    }

    #[test]
    fn stacks_of_unequal_sequences_agree_with_finite_differences() {
        for cell in [Cell::Lstm, Cell::Gru] {
            let mut layout = Layout::default();
            let core = Recurrent::new(&mut layout, "r", cell, 3, 4, 2, Group::Actor);
            let mut params = vec![0.0; layout.len()];
            core.init(&mut params, &mut Initializer::new(3));
            params.iter_mut().zip(numbers(layout.len(), 4)).for_each(|(p, s)| *p += 0.3 * s);
            let mut packing = Packing::default();
            packing.set(&[5, 3, 3, 1]);
            assert_eq!(packing.rows(), 12);
            let x = numbers(12 * 3, 5);
            let state = numbers(4 * core.state_size(), 6);
            let coef = numbers(12 * 4, 7);
            let mut reset = vec![false; 12];
            reset[packing.row(0, 2)] = true;
            reset[packing.row(3, 0)] = true;
            let loss = |params: &[f32], x: &[f32], state: &[f32]| -> f64 {
                let mut cache = RecurrentCache::default();
                core.forward(params, &packing, x, state, &reset, &mut cache);
                cache.output().iter().zip(&coef).map(|(y, c)| (y * c) as f64).sum()
            };
            let mut cache = RecurrentCache::default();
            core.forward(&params, &packing, &x, &state, &reset, &mut cache);
            let mut grads = vec![0.0; layout.len()];
            let (mut dx, mut ds) = (vec![0.0; x.len()], vec![0.0; state.len()]);
            core.backward(
                &params,
                &packing,
                &x,
                &reset,
                &coef,
                Some(&mut dx),
                Some(&mut ds),
                &mut cache,
                &mut grads,
            );
            check_gradient("params", &params, &grads, |p| loss(p, &x, &state));
            check_gradient("x", &x, &dx, |x| loss(&params, x, &state));
            check_gradient("state", &state, &ds, |s| loss(&params, &x, s));
        }
    }

    #[test]
    fn single_steps_equal_a_sequence() {
        let mut layout = Layout::default();
        let core = Recurrent::new(&mut layout, "r", Cell::Lstm, 3, 4, 2, Group::Actor);
        let mut params = vec![0.0; layout.len()];
        core.init(&mut params, &mut Initializer::new(3));
        let x = numbers(6 * 3, 5);
        let mut packing = Packing::default();
        packing.set(&[6]);
        let mut cache = RecurrentCache::default();
        core.forward(&params, &packing, &x, &vec![0.0; core.state_size()], &[false; 6], &mut cache);
        let whole = cache.output()[..24].to_vec();
        let mut state = vec![0.0; core.state_size()];
        packing.set_single(1);
        for t in 0..6 {
            core.forward(&params, &packing, &x[t * 3..], &state, &[false], &mut cache);
            core.state_after(1, &cache, &mut state);
            assert_close("step", &cache.output()[..4], &whole[t * 4..(t + 1) * 4], 1e-6);
        }
    }
}
