//! The parameters of a network: one flat buffer, and a layout that names its parts.
//!
//! Layers hold ranges into the buffer instead of weights of their own. So a gradient is one more
//! buffer of the same layout, summing the gradients of two chunks is one loop, and an optimiser
//! never asks which layer a number belongs to.

use std::ops::Range;

/// Which learning rate drives a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The actor, and whatever actor and critic share.
    Actor,
    /// The critic alone.
    Critic,
}

/// One named tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name on disk, such as `actor.torso.0.weight`.
    pub name: String,
    /// Row-major; weights are `[input, output]`.
    pub shape: Vec<usize>,
    /// Its place in the flat buffer.
    pub range: Range<usize>,
    /// Whose learning rate drives it.
    pub group: Group,
    /// Is it the weight matrix of a hidden layer? Muon orthogonalises the steps of those alone.
    pub hidden: bool,
}

/// The tensors of a network in the order of the flat buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    tensors: Vec<Tensor>,
    len: usize,
}

impl Layout {
    /// Appends a tensor and returns its place.
    pub fn push(
        &mut self,
        name: impl Into<String>,
        shape: &[usize],
        group: Group,
        hidden: bool,
    ) -> Range<usize> {
        let range = self.len..self.len + shape.iter().product::<usize>();
        self.len = range.end;
        self.tensors.push(Tensor {
            name: name.into(),
            shape: shape.to_vec(),
            range: range.clone(),
            group,
            hidden,
        });
        range
    }

    /// The tensors in order.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// Length of the flat buffer.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there no tensor?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}
