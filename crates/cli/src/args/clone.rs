//! `lanista clone` and `lanista data`.

use std::path::PathBuf;

use clap::Subcommand;
use lanista_train::layers::{ConfigError, Override, count};
use serde_json::json;

use super::Overrides;
use crate::limits;
use crate::names::Names;

#[derive(clap::Args)]
#[command(after_help = CLONE_HELP)]
pub struct CloneArgs {
    /// A preset by name, or the path of a YAML file; with --resume RUN, that run's own.
    #[arg(value_parser = Names::Presets, hide_possible_values = true)]
    pub preset: Option<String>,
    /// A dataset to learn from, instead of what the preset names or plays; may be repeated.
    #[arg(long, value_name = "DIR")]
    pub data: Vec<PathBuf>,
    /// Who labels the states that the policy comes to: bot:NAME, a run or a model.zip. A model's labels
    /// are its whole distributions.
    #[arg(long, value_name = "WHO")]
    pub expert: Option<String>,
    /// Begin with the weights of a run or a model.zip.
    #[arg(long, value_name = "MODEL")]
    pub from: Option<PathBuf>,
    /// Passes over the data.
    #[arg(long, value_parser = count, allow_negative_numbers = true)]
    pub epochs: Option<u64>,
    /// Seed of the run: same seed, same bits.
    #[arg(long, value_parser = count, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Pause and save after so many decisions.
    #[arg(long, value_name = "DECISIONS", value_parser = count, allow_negative_numbers = true)]
    pub until: Option<u64>,
    /// Worker threads [default: one per core]. The result does not depend on it.
    #[arg(long, value_parser = limits::threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Go on with a run.
    #[arg(long, value_name = "RUN")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print one JSON line at the end and nothing else on standard output.
    #[arg(long)]
    pub json: bool,
    /// Lines instead of the dashboard, even on a terminal.
    #[arg(long)]
    pub plain: bool,
}

const CLONE_HELP: &str = "\
Presets that clone: nh/clone-greedy, rocket/clone, vgc/clone, survivors/clone. What comes out is a run with a \
model.zip like any other; `lanista train PRESET --from RUN` trains it further. docs/clone.md says more.";

impl CloneArgs {
    /// Everything that the flags change of the preset, in order.
    pub fn all_overrides(&self) -> Result<Vec<Override>, ConfigError> {
        let mut all = self.overrides.all();
        if let Some(seed) = self.seed {
            all.push(Override::flag("--seed", "run.seed", seed)?);
        }
        if let Some(threads) = self.threads {
            all.push(Override::flag("--threads", "run.threads", threads)?);
        }
        if let Some(epochs) = self.epochs {
            all.push(Override::flag("--epochs", "clone.epochs", epochs)?);
        }
        if let Some(expert) = &self.expert {
            all.push(Override::flag("--expert", "clone.expert", expert.as_str())?);
        }
        if let Some(from) = &self.from {
            all.push(Override::flag("--from", "start.model", from.display().to_string())?);
        }
        if !self.data.is_empty() {
            let data: Vec<String> = self.data.iter().map(|d| d.display().to_string()).collect();
            all.push(Override::flag("--data", "clone.data", json!(data))?);
        }
        Ok(all)
    }
}

#[derive(clap::Args)]
pub struct DataArgs {
    #[command(subcommand)]
    pub what: DataWhat,
}

#[derive(Subcommand)]
pub enum DataWhat {
    /// Make a dataset of recordings: .rec files of any game, .replay of Rocket League, fights of Old School
    /// RuneScape (.jsonl.gz), battles and logs of Pokémon VGC (.json, .log), .dem of Left 4 Dead 2.
    Make(MakeArgs),
    /// Make a dataset by playing: a scripted player, or a trained agent.
    Play(PlayDataArgs),
    /// Show what is in a dataset.
    Info(InfoArgs),
    /// Show its first decisions.
    Head(HeadArgs),
    /// Join datasets of one game under the same settings.
    Merge(MergeArgs),
    /// Deal a dataset anew into what is learnt from and what is held out.
    Split(SplitArgs),
}

#[derive(clap::Args)]
pub struct MakeArgs {
    /// The game, by its name or by a preset whose settings say how it is seen.
    #[arg(value_parser = Names::Presets, hide_possible_values = true)]
    pub preset: String,
    /// Recordings, or directories that are searched for them.
    #[arg(required = true, value_name = "PATH")]
    pub from: Vec<PathBuf>,
    /// Where the dataset goes: a directory of its own.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Share of recordings that are held out.
    #[arg(long, value_name = "SHARE", default_value = "0.1", value_parser = share)]
    pub held_out: f64,
    /// Only decisions of these players, such as greedy or bot:rule; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub player: Vec<String>,
    /// Only matches that were won.
    #[arg(long)]
    pub winners: bool,
    /// Leave out what cannot be read or does not fit, recordings and single choices, and count it.
    #[arg(long)]
    pub skip_unsound: bool,
    /// Every decision of a .replay twice: as it was, and with left and right exchanged.
    #[arg(long)]
    pub mirrored: bool,
    /// Of a .replay, only what a car did in so many seconds before it came to the ball.
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub before_ball: Option<f32>,
    /// Of a .replay, each decision of a car that drives so many times more: put aside, with the steering that
    /// leads back.
    #[arg(long, value_name = "COPIES", default_value = "0", value_parser = clap::value_parser!(u8).range(0..=8))]
    pub aside: u8,
    /// The navigation mesh of the map of .dem files.
    #[arg(long, value_name = "FILE")]
    pub nav: Option<PathBuf>,
    /// Override any key of the preset, such as settings.view=flat; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = Override::set)]
    pub set: Vec<Override>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct PlayDataArgs {
    /// The game, by a preset whose settings say what is played.
    #[arg(value_parser = Names::Presets, hide_possible_values = true)]
    pub preset: String,
    /// Who plays: bot:NAME, a run or a model.zip.
    #[arg(long, value_name = "WHO")]
    pub by: String,
    /// Against whom: self or bot:NAME, several with commas between, in turn.
    #[arg(long, default_value = "self", value_delimiter = ',')]
    pub vs: Vec<String>,
    /// Matches.
    #[arg(long, default_value = "1000", value_parser = limits::matches, allow_negative_numbers = true)]
    pub matches: usize,
    /// Where the dataset goes: a directory of its own.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Share of matches that are held out.
    #[arg(long, value_name = "SHARE", default_value = "0.1", value_parser = share)]
    pub held_out: f64,
    /// Seed of the matches.
    #[arg(long, default_value_t = 0, value_parser = count, allow_negative_numbers = true)]
    pub seed: u64,
    /// Worker threads [default: one per core]. The result does not depend on it.
    #[arg(long, value_parser = limits::threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Override any key of the preset; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = Override::set)]
    pub set: Vec<Override>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct InfoArgs {
    /// A dataset.
    pub data: PathBuf,
    /// Read every block and check it.
    #[arg(long)]
    pub check: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct HeadArgs {
    /// A dataset.
    pub data: PathBuf,
    /// How many decisions.
    #[arg(short, default_value = "5", value_parser = limits::shown)]
    pub n: usize,
    /// One JSON object a decision, with every number.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct MergeArgs {
    /// Datasets of one game under the same settings.
    #[arg(required = true, value_name = "DIR")]
    pub from: Vec<PathBuf>,
    /// Where the joined one goes.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

#[derive(clap::Args)]
pub struct SplitArgs {
    /// A dataset.
    pub data: PathBuf,
    /// Where the dealt one goes.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Share of recordings that are held out.
    #[arg(long, value_name = "SHARE", default_value = "0.1", value_parser = share)]
    pub held_out: f64,
}

fn seconds(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(secs) if secs > 0.0 && secs <= 600.0 => Ok(secs),
        _ => Err("seconds, more than 0 and at most 600".into()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=0.9).contains(&share) => Ok(share),
        _ => Err("it is a number from 0 to 0.9".into()),
    }
}
