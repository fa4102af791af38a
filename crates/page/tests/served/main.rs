//! The server as a browser meets it: sockets, headers, JSON.

mod answers;
mod doors;
mod replayed;
mod support;
