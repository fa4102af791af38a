//! The program as its user meets it: command lines in; text, files and exit codes out.

mod attack;
mod bad_input;
mod bench;
mod damage;
mod disk;
mod durability;
mod eval;
mod eval_settings;
mod fork;
mod games;
mod kill;
mod league;
mod learning;
mod limits;
mod presets;
mod resume;
mod rocket;
mod signals;
mod support;
mod threads;
mod train;
