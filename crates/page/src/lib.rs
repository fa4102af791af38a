//! The page in the browser: runs, leagues and matches, served by the program itself.
//!
//! A thread follows the files of all runs ([`runs`]) and keeps their metrics as columns of buckets
//! ([`columns`]), so that a run of a million iterations is drawn as quickly as one of a thousand. A server
//! ([`Server`]) answers questions of a page whose files are embedded in the program. Nothing is changed by a
//! question, nothing is fetched from anywhere, and no question names a path.
//!
//! It is a crate of its own so that programs that only train build no web server.

mod api;
pub mod columns;
pub mod configuration;
pub mod games;
pub mod groups;
pub mod guard;
pub mod life;
pub mod line;
pub mod matches;
pub mod metrics;
mod misled;
pub mod plot;
pub mod query;
pub mod recordings;
pub mod refusal;
pub mod run;
pub mod runs;
pub mod scan;
pub mod series;
pub mod server;
pub mod shared;
pub mod tail;
pub mod web;
pub mod weights;

pub use server::{Config, PageError, Server};
