//! The trainer with games made for it: ones that break, take turns, or cannot be replayed.

mod curriculum;
mod entrance;
mod exploiter;
mod faults;
mod games;
mod late;
mod league;
mod live;
mod observation;
mod remote;
mod sharing;
mod support;
mod turns;
mod visitors;
