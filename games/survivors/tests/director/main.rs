//! The director, held against what is published of it.

mod drawn;
mod drive;
mod held;
mod phases;
mod seats;
mod watch;
