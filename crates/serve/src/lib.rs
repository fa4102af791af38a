//! Decisions over TCP: trained models behind the wire formats that bots of these games speak.
//!
//! A few threads serve all clients. Each waits for its clients at once and passes whatever they have asked
//! by then through the policy together (`worker.rs`). A request becomes an [`ask::Ask`] whichever format
//! it came in (`formats`), a row for the policy with what its session remembers (`session.rs`), and an
//! outcome of a batch (`batch.rs`). Models are exchanged while they serve (`model.rs`, `reload.rs`).
//!
//! ```no_run
//! use lanista_serve::{Config, Format, Models, Server};
//!
//! let models = Models::load(&[("cartpole".into(), "runs/cartpole/model.zip".into())]).unwrap();
//! let server = Server::start(Config::local(Format::Lines), models, None).unwrap();
//! println!("{:?}", server.addresses());
//! server.stop();
//! ```

pub mod ask;
pub mod batch;
mod connection;
pub mod formats;
pub mod json;
pub mod limits;
mod listen;
pub mod load;
pub mod metrics;
pub mod model;
pub mod refusal;
pub mod reload;
mod server;
pub mod session;
mod shared;
pub mod token;
mod worker;

pub use formats::Format;
pub use limits::Limits;
pub use model::{Models, ServeModelError};
pub use reload::Note;
pub use server::{Config, ServeError, Server};
pub use shared::{Decision, Observer};
pub use token::Token;
