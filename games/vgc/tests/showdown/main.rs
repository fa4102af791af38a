//! What is tested of the battles through the door that others use, in one program: it is built once.

mod battles;
mod bots;
mod client;
mod damage_hits;
mod decisions;
mod hosts;
mod random_play;
mod track_recorded;
mod track_simulator;
