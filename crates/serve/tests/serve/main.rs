//! Servers over real sockets, against the policies that they serve.

mod formats;
mod limits;
mod load;
mod mutants;
mod reload;
mod sessions;
mod support;
