//! `lanista runs` and `lanista plot`.

use std::path::PathBuf;

use clap::Subcommand;

use lanista_train::files::RUNS;

#[derive(clap::Args)]
pub struct RunsArgs {
    #[command(subcommand)]
    pub what: Option<RunsWhat>,
    /// Print one JSON object.
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum RunsWhat {
    /// List runs: state, progress, return, rating, speed. This is the default.
    List {
        /// Directories of runs, or runs.
        #[arg(value_name = "RUNS", default_value = RUNS)]
        places: Vec<PathBuf>,
    },
    /// Show one run: where it stands, what it changed of its preset, its milestones and files.
    Show {
        /// A run's directory.
        run: PathBuf,
    },
    /// Show in what runs differ: configuration, key by key, and how good they became.
    Compare {
        /// Directories of runs.
        #[arg(required = true, num_args = 2..)]
        runs: Vec<PathBuf>,
    },
    /// Give a run another name beside the others.
    Rename {
        /// A run's directory.
        run: PathBuf,
        /// Its new name: no path.
        name: String,
    },
    /// Remove runs for good. Asks first; never one that is being trained.
    Remove {
        /// Directories of runs.
        #[arg(required = true)]
        runs: Vec<PathBuf>,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Remove what runs do not need to go on: checkpoints before the newest, damaged copies. Asks first; never
    /// of one that is being trained.
    Prune {
        /// Directories of runs, or runs.
        #[arg(value_name = "RUNS", default_value = RUNS)]
        places: Vec<PathBuf>,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(clap::Args)]
pub struct PlotArgs {
    /// Runs; those that differ in nothing but their seed become one curve with a band.
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// What to draw, such as return_mean, elo, terms/goal, evaluation/return_mean; several with commas between.
    #[arg(long, default_value = "return_mean", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// What the x axis shows: steps, time or matches.
    #[arg(long, default_value = "steps", value_parser = ["steps", "time", "matches"])]
    pub x: String,
    /// Smooth: a half-life in units of the x axis, such as 5000, or in iterations, such as 20rows.
    #[arg(long, value_name = "HALF-LIFE")]
    pub smooth: Option<String>,
    /// A curve for every run, even if only its seed differs.
    #[arg(long)]
    pub apart: bool,
    /// Above the chart.
    #[arg(long)]
    pub title: Option<String>,
    /// Beside the y axis [default: the metric in words].
    #[arg(long)]
    pub label: Option<String>,
    /// Pixels, such as 720x440.
    #[arg(long, default_value = "720x440", value_parser = size)]
    pub size: (u32, u32),
    /// How many pixels of a PNG make one of --size: 2 is sharp on paper.
    #[arg(long, default_value_t = 2.0, value_parser = scale)]
    pub scale: f64,
    /// Where to write it, as the ending says: SVG or PNG.
    #[arg(long, value_name = "FILE.svg|png")]
    pub out: PathBuf,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let problem =
        || "it is WIDTHxHEIGHT in pixels, each from 200 to 8000, such as 720x440".to_owned();
    let (width, height) = text.split_once('x').ok_or_else(problem)?;
    let side = |text: &str| text.parse().ok().filter(|side| (200..=8000).contains(side));
    Ok((side(width).ok_or_else(problem)?, side(height).ok_or_else(problem)?))
}

fn scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale| (0.25..=8.0).contains(scale));
    scale.ok_or_else(|| "it is a number from 0.25 to 8, such as 2".to_owned())
}
