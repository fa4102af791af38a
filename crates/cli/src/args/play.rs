//! The command line of `lanista play`, but for games that have a file of their own.

use std::path::PathBuf;

use lanista_train::layers::{Override, count};

#[derive(clap::Args)]
pub struct PlaySurvivorsArgs {
    /// Who plays: a run's directory or a model.zip.
    pub model: PathBuf,
    /// The game server with the plugin, or `lanista survivors server`: HOST:PORT; may be repeated, the next is
    /// tried when one does not answer.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:27050")]
    pub server: Vec<String>,
    /// A file whose first line is the server's key; on loopback none is needed.
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// The .nav file of the map that the server plays, or the name of one of ours [default: those of the
    /// model's training].
    #[arg(long, value_name = "MAP")]
    pub map: Option<String>,
    /// Matches to play; 0 goes on until Ctrl-C.
    #[arg(long, default_value = "1", value_parser = super::size, allow_negative_numbers = true)]
    pub matches: usize,
    /// Sample the choices instead of taking the most likely ones.
    #[arg(long)]
    pub sampled: bool,
    /// Seed of matches and of sampled choices.
    #[arg(long, default_value_t = 0, value_parser = count, allow_negative_numbers = true)]
    pub seed: u64,
    /// Give up when the server has been gone for so many seconds.
    #[arg(long, value_name = "SECS", default_value_t = 60)]
    pub give_up: u64,
    /// Override other settings that the model was trained with, such as settings.limit_secs=600.
    #[arg(long, value_name = "KEY=VALUE", value_parser = Override::set)]
    pub set: Vec<Override>,
    /// Print one JSON object at the end; what happens meanwhile is told on standard error.
    #[arg(long)]
    pub json: bool,
}
