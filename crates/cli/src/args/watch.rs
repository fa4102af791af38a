//! `lanista watch`.

use std::net::IpAddr;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct WatchArgs {
    /// Directories of runs, runs, and recordings (.rec) [default: runs].
    #[arg(value_name = "RUNS")]
    pub places: Vec<PathBuf>,
    /// Port of the page; 0 takes any.
    #[arg(long, default_value_t = 5610)]
    pub port: u16,
    /// Address to listen on; anything but loopback demands --token-file.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    pub listen: IpAddr,
    /// A file whose first line browsers must show once, as ?token=TOKEN: 16 to 256 characters.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Open the page in the browser.
    #[arg(long)]
    pub open: bool,
    /// Read the page's own files from this directory, for those who work on them.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub web: Option<PathBuf>,
}
