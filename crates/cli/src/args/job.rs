//! `lanista job`.

use super::TrainArgs;

#[derive(clap::Args)]
pub struct JobArgs {
    #[command(flatten)]
    pub train: TrainArgs,
    /// Port of the web page; without it 5610, or any if that one is taken.
    #[arg(long, conflicts_with = "no_page")]
    pub port: Option<u16>,
    /// Leave the web page out.
    #[arg(long)]
    pub no_page: bool,
    /// Leave TensorBoard out, even if it is installed.
    #[arg(long)]
    pub no_tensorboard: bool,
}
