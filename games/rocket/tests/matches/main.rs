//! What is tested of the matches through the door that others use, in one program: it is built once.

mod arena;
mod bots;
mod live;
mod players;
mod reference;
mod replays;
mod rules;
mod whole;
