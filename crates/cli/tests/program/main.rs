//! The program as its user meets it: command lines in; text, files and exit codes out.

mod bad_input;
mod bench;
mod command_line;
mod damage;
#[cfg(unix)]
mod dashboard;
#[cfg(unix)] // limits on files are set by a shell
mod disk;
mod dry_run;
mod eval;
mod games;
#[cfg(unix)] // signals
mod kill;
mod league;
mod learning;
mod presets;
mod resume;
#[cfg(unix)]
mod signals;
mod support;
mod threads;
mod train;
mod wandb;
