//! Networks with explicit forward and backward passes over caller-owned buffers: no tape, and no
//! allocation once the buffers are warm.
//!
//! All parameters of a network lie in one flat buffer that a [`Layout`] names. A layer is a set of
//! ranges into it with `forward(params, rows, input, output)` and a `backward` that adds to a
//! gradient buffer of the same layout; what a backward pass needs of its forward pass is kept in a
//! cache the caller owns. Every layer is checked against finite differences and against numbers
//! computed elsewhere (`fixtures/`).

mod arrays;
mod attention;
mod buffer;
mod cells;
mod clip;
mod dense;
mod embedding;
mod error;
mod init;
pub mod math;
mod matmul;
mod muon;
mod narrow;
mod norm;
mod optim;
mod params;
mod recurrent;
mod sets;
#[cfg(test)]
mod testing;
mod weights;

pub use arrays::{Array, Arrays, arrays_to_bytes, tensors_to_bytes};
pub use attention::{Attention, AttentionCache};
pub use buffer::grow;
pub use clip::{clip_global_norm, global_norm};
pub use dense::{Activation, Linear, Mlp, MlpCache};
pub use embedding::{Embedding, id_of};
pub use error::{Mismatch, ShapeMismatch, WeightsError};
pub use init::Initializer;
pub use matmul::{product, product_input, product_weight};
pub use norm::{LayerNorm, NormCache};
pub use optim::{Algorithm, Optimizer, Rates, State, StateError};
pub use params::{Group, Layout, Tensor};
pub use recurrent::{Cell, Packing, Recurrent, RecurrentCache};
pub use sets::{Sets, mean_max, mean_max_backward};
pub use weights::{from_bytes, read_metadata, to_bytes};
