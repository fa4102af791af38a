//! Models in the formats of other programs. Bytes in, bytes out: files are the business of whoever calls.
//!
//! - [`onnx`] writes a policy as an ONNX graph: normaliser, network, memory, masks and the choice itself.
//! - [`torch`] writes its weights as PyTorch's modules hold them.
//! - [`rlgym_ppo`] reads the checkpoints of rlgym-ppo, through a reader of PyTorch's files ([`pickle`],
//!   [`state_dict`]) that runs nothing of what it reads.

mod model;
pub mod onnx;
pub mod pickle;
mod protobuf;
pub mod rlgym_ppo;
pub mod state_dict;
pub mod torch;

pub use model::{ExchangeError, Model};
