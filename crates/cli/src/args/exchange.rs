//! Models to and from other programs.

use std::path::PathBuf;

use clap::Subcommand;
use lanista_train::layers::{Override, count};

use crate::limits;

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("format").required(true).multiple(true))]
pub struct ExportArgs {
    /// A run's directory, or a model.zip.
    pub run: PathBuf,
    /// Write the policy as an ONNX graph: observation, mask and memory in; logits, actions, value and
    /// memory out.
    #[arg(long, value_name = "FILE.onnx", group = "format")]
    pub onnx: Option<PathBuf>,
    /// Write the weights as PyTorch's modules hold them.
    #[arg(long, value_name = "FILE.safetensors", group = "format")]
    pub torch: Option<PathBuf>,
    /// Write decisions of real play, what the model saw and what it made of it, to hold another program's
    /// numbers against.
    #[arg(long, value_name = "FILE.safetensors", group = "format")]
    pub decisions: Option<PathBuf>,
    /// Which role's policy [default: the first that the model plays].
    #[arg(long)]
    pub role: Option<String>,
    /// Leave the critic out of the ONNX graph, with its memory and its privileged inputs.
    #[arg(long, requires = "onnx")]
    pub actor_only: bool,
    /// Give the ONNX graph an input that is added to the logits before the largest is taken: with noise of
    /// Gumbel's distribution, actions are samples of the policy.
    #[arg(long, requires = "onnx")]
    pub noise: bool,
    /// How many decisions.
    #[arg(long, default_value = "10000", requires = "decisions", value_parser = limits::decisions, allow_negative_numbers = true)]
    pub count: usize,
    /// Seed of the matches of --decisions.
    #[arg(long, default_value_t = 0, requires = "decisions", value_parser = count, allow_negative_numbers = true)]
    pub seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    pub what: ImportWhat,
}

#[derive(Subcommand)]
pub enum ImportWhat {
    /// A checkpoint of rlgym-ppo: plain networks on the table of 90 actions and RLGym's AdvancedObs.
    RlgymPpo {
        /// The checkpoint's directory, with PPO_POLICY.pt, PPO_VALUE_NET.pt and BOOK_KEEPING_VARS.json.
        directory: PathBuf,
        /// Where the model goes: a file, or a directory for a model.zip.
        #[arg(long, value_name = "MODEL", default_value = "model.zip")]
        out: PathBuf,
        /// Settings that it plays under, such as settings.tick_skip=4; may be repeated.
        #[arg(long, value_name = "KEY=VALUE", value_parser = Override::set)]
        set: Vec<Override>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}
