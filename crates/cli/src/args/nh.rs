//! Arguments of what concerns Old School RuneScape.

use lanista_train::layers::count;

use crate::limits;

#[derive(clap::Args)]
pub struct NhServerArgs {
    /// Port, of TCP; 0 takes any.
    #[arg(long, default_value_t = lanista_nh::wire::PORT)]
    pub port: u16,
    /// Address to listen on; loopback when silent. The protocol knows no password: whoever reaches the port
    /// can play.
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<std::net::IpAddr>,
    /// Fights follow from this, from who fights whom, and from what they do.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// End after so many seconds.
    #[arg(long = "for", value_name = "SECS")]
    pub for_secs: Option<f64>,
}

#[derive(clap::Args)]
pub struct PlayNhArgs {
    /// Who plays: a run's directory or a model.zip.
    pub model: String,
    /// Port, of TCP on this machine; 0 takes any.
    #[arg(long, default_value_t = 9999)]
    pub port: u16,
    /// A name that clients ask for; may be repeated [default: that of the run or the file, and those of the
    /// original's models, GeneralizedNh and FineTunedNh].
    #[arg(long = "as", value_name = "NAME")]
    pub names: Vec<String>,
    /// Dice of clients that ask for sampled actions [default: from the clock].
    #[arg(long, value_parser = count, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// End after so many seconds.
    #[arg(long = "for", value_name = "SECS", value_parser = limits::seconds)]
    pub for_secs: Option<f64>,
    /// Print a JSON line for every decision on standard output, and the rest on standard error.
    #[arg(long)]
    pub json: bool,
}
