//! How long the tracker takes for a turn.
//!
//!     cargo run --release -p lanista-vgc --example track_speed -- FILE…
//!
//! FILEs are recorded battles as `lanista vgc track` reads them. Each is run through the tracker of one side
//! again and again; a turn has about 20 lines.

use std::time::Instant;

use lanista_vgc::recorded::{Recording, channel};
use lanista_vgc::track::Tracker;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let recordings = std::env::args().skip(1).map(|file| Recording::read(file.as_ref()));
    let recordings: Vec<Recording> = recordings.collect::<Result<_, _>>()?;
    let logs: Vec<_> =
        recordings.iter().map(|r| (r.format, channel(r.format, &r.log, 0))).collect();
    let (mut turns, mut lines) = (0, 0);
    let start = Instant::now();
    while start.elapsed().as_secs() < 3 && !logs.is_empty() {
        for (format, log) in &logs {
            let mut tracker = Tracker::new(format, 0);
            log.iter().for_each(|line| tracker.line(line));
            turns += tracker.battle().turn;
            lines += log.len();
        }
    }
    let spent = start.elapsed().as_secs_f64();
    println!(
        "{:.2} µs a turn, {:.0} ns a line ({turns} turns, {lines} lines)",
        spent * 1e6 / f64::from(turns.max(1)),
        spent * 1e9 / lines.max(1) as f64
    );
    Ok(())
}
