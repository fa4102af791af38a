//! Arguments of what concerns Old School RuneScape.

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
