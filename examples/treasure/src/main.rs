//! Trains a game of one's own: `cargo run --release`, or with keys of the preset after it, such as
//! `cargo run --release -- run.seed=3 run.dir=runs/third`. docs/games.md explains the parts.

mod treasure;

use std::process::ExitCode;

use lanista::{Run, Show};

fn train() -> Result<(), Box<dyn std::error::Error>> {
    let games = [treasure::entry()];
    let mut opening = Run::preset("treasure.yml", &games);
    for key_and_value in std::env::args().skip(1) {
        opening = opening.set(&key_and_value)?;
    }
    let mut run = opening.open()?;
    let summary = Show::default().train(&mut run)?;
    if let Some(report) = summary.report {
        println!("return {:.3} over {} matches", report.return_mean, report.matches);
    }
    Ok(())
}

fn main() -> ExitCode {
    match train() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
