//! What is tested of the fights through the door that others use, in one program: it is built once.

mod before;
mod bots;
mod common;
mod decisions;
mod delay;
mod distributions;
mod lockstep;
mod properties;
mod remote;
mod replay;
mod rolls;
mod server;
mod starts;
mod vectors;
