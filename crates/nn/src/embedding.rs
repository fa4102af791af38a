//! Embeddings: a vector that is learnt for each number of a vocabulary.

use std::ops::Range;

use crate::{Group, Initializer, Layout};

/// A table `[vocabulary, width]`, one row for each id.
#[derive(Clone, Debug)]
pub struct Embedding {
    /// Numbers of an id's vector.
    pub width: usize,
    table: Range<usize>,
}

impl Embedding {
    /// Adds the table to a layout. It has a row even for an empty vocabulary, so that id 0 always
    /// has one.
    pub fn new(
        layout: &mut Layout,
        name: &str,
        vocabulary: usize,
        width: usize,
        group: Group,
    ) -> Self {
        // Not hidden: an orthogonal step would move ids that were not seen.
        Self { width, table: layout.push(name, &[vocabulary.max(1), width], group, false) }
    }

    /// Vectors apart from each other, of the size of normalised features.
    pub fn init(&self, params: &mut [f32], init: &mut Initializer) {
        init.uniform(&mut params[self.table.clone()], 1.0);
    }

    /// Writes the vector of an id into `y[width]`.
    pub fn forward(&self, params: &[f32], id: u32, y: &mut [f32]) {
        y.copy_from_slice(&params[self.row(id)]);
    }

    /// Adds to `grads` what `dy[width]` says about the vector of an id.
    pub fn backward(&self, id: u32, dy: &[f32], grads: &mut [f32]) {
        grads[self.row(id)].iter_mut().zip(dy).for_each(|(g, d)| *g += d);
    }

    fn row(&self, id: u32) -> Range<usize> {
        let start = self.table.start + id as usize * self.width;
        debug_assert!(start + self.width <= self.table.end);
        start..start + self.width
    }
}

/// The id that a number of an observation stands for: 0 for whatever is no whole number of
/// `0..vocabulary`, so that no observation reads beyond the table.
pub fn id_of(number: f32, vocabulary: usize) -> u32 {
    let id = number as u32; // saturates, and is 0 for NaN
    if id as f32 == number && (id as usize) < vocabulary { id } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, numbers};

    #[test]
    fn agrees_with_finite_differences() {
        let mut layout = Layout::default();
        layout.push("before", &[3], Group::Actor, false);
        let embedding = Embedding::new(&mut layout, "e", 5, 4, Group::Actor);
        let mut params = vec![0.0; layout.len()];
        embedding.init(&mut params, &mut Initializer::new(1));
        // An id that comes twice gets both gradients, one that never comes gets none.
        let ids = [3, 0, 4, 3, 1];
        let coef = numbers(ids.len() * 4, 2);
        let loss = |params: &[f32]| -> f64 {
            let mut y = [0.0; 4];
            let of_id = |(&id, coef): (&u32, &[f32])| -> f64 {
                embedding.forward(params, id, &mut y);
                y.iter().zip(coef).map(|(y, c)| (y * c) as f64).sum()
            };
            ids.iter().zip(coef.chunks_exact(4)).map(of_id).sum()
        };
        let mut grads = vec![0.0; layout.len()];
        for (&id, dy) in ids.iter().zip(coef.chunks_exact(4)) {
            embedding.backward(id, dy, &mut grads);
        }
        check_gradient("table", &params, &grads, loss);
        assert!(grads[3 + 2 * 4..3 + 3 * 4].iter().all(|&g| g == 0.0));
    }

    #[test]
    fn whatever_is_no_id_is_id_0() {
        assert_eq!(id_of(7.0, 8), 7);
        assert_eq!(id_of(0.0, 8), 0);
        for odd in [8.0, -1.0, 2.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -0.0] {
            assert_eq!(id_of(odd, 8), 0, "{odd}");
        }
        assert_eq!(id_of(0.0, 0), 0);
        assert_eq!(id_of(f32::INFINITY, usize::MAX), 0);
        let mut layout = Layout::default();
        let empty = Embedding::new(&mut layout, "e", 0, 2, Group::Actor);
        let mut y = [1.0; 2];
        empty.forward(&[0.5; 2], id_of(3.0, 0), &mut y);
        assert_eq!(y, [0.5; 2]);
    }
}
