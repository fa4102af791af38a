//! The program as its user meets it: command lines in; text, files and exit codes out.

mod bad_input;
mod bench;
mod damage;
mod disk;
mod eval;
mod games;
mod kill;
mod league;
mod learning;
mod presets;
mod resume;
mod rocket;
mod signals;
mod support;
mod threads;
mod train;
