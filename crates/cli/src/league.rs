//! `lanista league`: who is how good in a run's league.

mod cross_play;
mod history;
mod plot;
mod standings;

use std::path::Path;

use anyhow::bail;
use serde_json::json;

use crate::args::LeagueArgs;
use standings::Standings;

/// The name of the newest model among the players.
const NEWEST: &str = "newest";

pub fn run(args: LeagueArgs) -> anyhow::Result<()> {
    // A wrong path is found before matches are played for it.
    if let Some(path) = &args.plot {
        check_plot(path)?;
    }
    let standings = Standings::read(&args.run)?;
    for remark in &standings.history.remarks {
        complain!("warning: {remark}");
    }
    if !args.json {
        standings.print();
    }
    let cross_play = match args.crossplay {
        true => Some(cross_play::play(&args.run, &standings, &args)?),
        false => None,
    };
    if let Some(Err(error)) = cross_play.as_ref().map(|played| played.keep(&args.run)) {
        // What was played is shown all the same.
        complain!("warning: cross-play is not kept with the run: {error:#}");
    }
    if let Some(path) = &args.plot {
        let svg = plot::svg(&title(&args.run), &standings, cross_play.as_ref())?;
        if let Err(error) = std::fs::write(path, svg) {
            bail!("--plot: cannot write {}: {error}; name another place", path.display());
        }
    }
    if args.json {
        let mut value = standings.json();
        value["run"] = json!(args.run);
        value["remarks"] = json!(standings.history.remarks);
        value["crossplay"] = json!(cross_play.map(|c| c.json()));
        value["plot"] = json!(args.plot);
        say!("{value}");
        return Ok(());
    }
    if let Some(cross_play) = &cross_play {
        cross_play.print();
    }
    if let Some(path) = &args.plot {
        say!("\nThe plot is in {}", path.display());
    }
    Ok(())
}

fn check_plot(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    if path.extension().is_none_or(|extension| extension != "svg") {
        bail!("--plot {shown}: plots are SVG files; name one that ends in .svg");
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
        bail!("--plot {shown}: {} is no directory; create it first", directory.display());
    }
    Ok(())
}

/// What a run is called: the name of its directory.
fn title(run: &Path) -> String {
    let run = run.canonicalize().unwrap_or_else(|_| run.to_owned());
    run.file_name().map_or_else(|| run.display().to_string(), |n| n.to_string_lossy().into_owned())
}

/// Prints rows in aligned columns: those listed to the left, the others to the right.
pub fn align(rows: &[Vec<String>], left: &[usize]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, width))| {
            if left.contains(&i) { format!("{cell:width$}") } else { format!("{cell:>width$}") }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        say!("  {}", line.trim_end());
    }
}
