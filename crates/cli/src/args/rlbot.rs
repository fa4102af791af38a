//! Rocket League through RLBot: `lanista play rocket` and `lanista rocket rlbot`.

use std::path::PathBuf;

use lanista_train::layers::{Override, count};

use crate::limits;

#[derive(clap::Args)]
pub struct PlayRocketArgs {
    /// Who plays: a run's directory or a model.zip.
    pub model: PathBuf,
    /// RLBot's core, HOST:PORT [default: 127.0.0.1:23234, or what RLBOT_SERVER_IP and RLBOT_SERVER_PORT say].
    #[arg(long, value_name = "HOST:PORT")]
    pub server: Option<String>,
    /// The agent id of the bot.toml [default: RLBOT_AGENT_ID, which the core sets when it starts a bot].
    #[arg(long, value_name = "ID")]
    pub agent_id: Option<String>,
    /// Give up when nobody listens for so many seconds.
    #[arg(long, value_name = "SECS", default_value = "120", value_parser = limits::seconds)]
    pub wait: f64,
    /// Ticks by which the game itself delays controls; what settings.action_delay has beyond it is waited
    /// for here.
    #[arg(long, value_name = "TICKS", default_value_t = lanista_rocket::live::pace::GAME_DELAY_TICKS)]
    pub game_delay: u32,
    /// Sample actions instead of taking the most likely ones.
    #[arg(long)]
    pub sampled: bool,
    /// Seed of the samples.
    #[arg(long, default_value_t = 0, value_parser = count, allow_negative_numbers = true)]
    pub seed: u64,
    /// Write what was made of every packet to a file, a line of JSON each.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Play under other settings than in training, such as settings.collision_meshes=DIR; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = Override::set)]
    pub set: Vec<Override>,
    /// Print one JSON object at the end; what happens meanwhile is told on standard error.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct RlbotArgs {
    /// A run's directory or a model.zip.
    pub model: PathBuf,
    /// The folder to write; it must not exist, or be empty.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// What the bot is called in the game.
    #[arg(long, default_value = "Lanista")]
    pub name: String,
    /// Its agent id, AUTHOR/BOT; no other bot of a match has the same [default: lanista/NAME].
    #[arg(long, value_name = "ID")]
    pub agent_id: Option<String>,
    /// Put this program into the folder, such as a lanista.exe; may be repeated [default: the one that runs].
    #[arg(long, value_name = "FILE")]
    pub program: Vec<PathBuf>,
    /// Put no program into the folder: the bot then runs the `lanista` that is in the PATH.
    #[arg(long, conflicts_with = "program")]
    pub no_program: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}
