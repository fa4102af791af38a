//! The program `lanista`.

/// Prints a line. A reader that went away (`lanista … | head`) is no reason to fail.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

/// Prints a line on standard error, if anyone still reads it.
macro_rules! complain {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod args;
mod attached;
mod bench;
mod catalog;
mod causes;
mod choose;
mod clone;
mod completions;
mod data;
mod dry_run;
mod eval;
mod export;
mod games;
mod import;
mod job;
mod league;
mod limits;
mod names;
mod nh;
mod play;
mod plot;
mod quote;
mod ray;
mod replay;
mod report;
mod resume;
mod rocket;
mod runs;
mod serve;
mod signals;
mod survivors;
mod train;
mod vgc;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain!("error: {}", causes::told_once(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::Train(args) => train::run(args),
        Command::Job(args) => job::run(args),
        Command::Attached(args) => attached::run(&args),
        Command::Clone(args) => clone::run(args),
        Command::Data(args) => data::run(args),
        Command::Eval(args) => eval::run(args),
        Command::League(args) => league::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Play(args) => play::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Runs(args) => runs::run(args),
        Command::Plot(args) => plot::run(args),
        Command::Watch(args) => watch::run(args),
        Command::Export(args) => export::run(args),
        Command::Import(args) => import::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Games(args) => games::run(args),
        Command::Nh(args) => nh::run(args),
        Command::Survivors(args) => survivors::run(args),
        Command::Rocket(args) => rocket::run(args),
        Command::Vgc(args) => vgc::run(args),
        Command::Completions(args) => completions::run(args),
    }
}
