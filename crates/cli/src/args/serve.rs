//! `lanista serve` and `lanista bench serve`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use lanista_serve::Format;
use lanista_train::layers::count;

use super::size;
use crate::limits;

#[derive(clap::Args)]
#[command(after_help = SERVE_HELP)]
pub struct ServeArgs {
    /// Models: a run's directory or a model.zip, or NAME=PATH to give it another name than that of its
    /// directory or file.
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<String>,
    /// Port of the format; 0 takes any. With several formats, write --format FORMAT=PORT instead.
    #[arg(long)]
    pub port: Option<u16>,
    /// What is spoken: lines, binary, http, pvp-ml or short; may be repeated, each with a port of its
    /// own, such as --format lines --format binary=7000 [default: lines].
    #[arg(long, value_name = "FORMAT[=PORT]", value_parser = spoken)]
    pub format: Vec<Spoken>,
    /// Address to listen on; anything but loopback demands --token-file.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    pub listen: IpAddr,
    /// A file whose first line clients must show: 16 to 256 characters.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Serve GET /metrics (Prometheus) and GET /health on this port; 0 takes any.
    #[arg(long, value_name = "PORT")]
    pub metrics_port: Option<u16>,
    /// Threads that decide [default: one per core].
    #[arg(long, value_parser = limits::threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Clients at once.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = at_least_one)]
    pub max_connections: usize,
    /// Bytes of a message.
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20, value_parser = at_least_one)]
    pub max_message: usize,
    /// Requests that may wait for one thread; more are refused at once.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = at_least_one)]
    pub max_queue: usize,
    /// Sessions kept over all clients.
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = at_least_one)]
    pub max_sessions: usize,
    /// Close connections that were silent for so long.
    #[arg(long, value_name = "SECS", default_value = "600", value_parser = limits::seconds)]
    pub idle: f64,
    /// Dice of clients that sample and bring no seed of their own [default: from the clock].
    #[arg(long, value_parser = count, allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

const SERVE_HELP: &str = "\
Default ports: lines 5600, binary 5601, http 5602, pvp-ml 9999, short 5555. A model that changes on disk is \
read again at once, and on SIGHUP. The formats are described in docs/serve.md.";

/// A format and its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spoken {
    pub format: Format,
    pub port: Option<u16>,
}

fn spoken(text: &str) -> Result<Spoken, String> {
    let (format, port) = match text.split_once('=') {
        None => (text, None),
        Some((format, port)) => {
            let port = port.parse().map_err(|_| format!("`{port}` is no port"))?;
            (format, Some(port))
        }
    };
    Ok(Spoken { format: format.parse()?, port })
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match size(text)? {
        0 => Err("it is at least 1".into()),
        n => Ok(n),
    }
}

fn loaded(text: &str) -> Result<Format, String> {
    match text.parse()? {
        Format::Http => Err("the load generator speaks lines, binary, pvp-ml and short".into()),
        format => Ok(format),
    }
}

#[derive(clap::Args)]
pub struct BenchServeArgs {
    /// A run's directory or a model.zip, or NAME=PATH.
    pub model: String,
    /// Clients that ask at once, each as soon as it is answered.
    #[arg(long, default_value_t = 8, value_parser = connections)]
    pub connections: usize,
    /// Measure for so long, after a second of warm-up.
    #[arg(long, default_value = "5", value_parser = limits::seconds)]
    pub seconds: f64,
    /// lines, binary, pvp-ml or short.
    #[arg(long, default_value = "lines", value_parser = loaded)]
    pub format: Format,
    /// Ask a server that runs already, such as 127.0.0.1:5600, instead of one inside this process.
    #[arg(long, value_name = "ADDRESS")]
    pub connect: Option<SocketAddr>,
    /// A file whose first line is the token of that server.
    #[arg(long, value_name = "FILE", requires = "connect")]
    pub token_file: Option<PathBuf>,
    /// Threads that decide [default: one per core].
    #[arg(long, value_parser = limits::threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Threads that the clients share [default: one per core].
    #[arg(long, value_parser = limits::threads, allow_negative_numbers = true)]
    pub client_threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

fn connections(text: &str) -> Result<usize, String> {
    match at_least_one(text)? {
        n if n <= 512 => Ok(n),
        _ => Err("that is too many; at most 512".into()),
    }
}
