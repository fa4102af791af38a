//! `lanista survivors server`: the simulator in the place of the game.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use lanista_survivors::maps::Source;
use lanista_survivors::server::{Host, Options, Speed};
use lanista_survivors::wire::session::v1::Layout;
use lanista_survivors::wire::v2::keys::SharedKey;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::args::{ServerSpeed, SurvivorsServerArgs};

/// Nothing waits longer than this for a datagram that does not come.
const TURN: Duration = Duration::from_millis(2);
/// A file with a key is not longer.
const MOST_KEY_BYTES: u64 = 4096;

pub fn run(args: &SurvivorsServerArgs) -> anyhow::Result<()> {
    let options = options(args)?;
    let mut host = Host::open(&options)?;
    let stop = Arc::new(AtomicBool::new(false));
    watch_for_interrupt(&stop)?;
    say!("{}", host.ready());
    let begun = Instant::now();
    let is_over = || args.for_secs.is_some_and(|secs| begun.elapsed().as_secs_f64() >= secs);
    while !stop.load(Ordering::Relaxed) && !is_over() {
        host.turn(TURN);
        if let Some(line) = host.line() {
            say!("{line}");
        }
    }
    say!("{}", host.status());
    host.close();
    Ok(())
}

/// The first Ctrl-C says goodbye to the clients, the second ends the program.
fn watch_for_interrupt(stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let flag = Arc::clone(stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")
}

fn options(args: &SurvivorsServerArgs) -> anyhow::Result<Options> {
    let ip = args.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let mut options = Options::on_loopback(args.port)?;
    options.listen = SocketAddr::new(ip, args.port);
    match key(args)? {
        Some(key) => options.key = key,
        None if ip.is_loopback() => {}
        None => bail!(
            "--listen {ip} is not loopback, so v2 needs a key: give --key-file FILE, or --key-env VAR with \
             the name of a variable"
        ),
    }
    options.map = match &args.map[..] {
        [] => options.map,
        [one] => Source::One(one.clone()),
        several => Source::Several(several.to_vec()),
    };
    options.difficulty = named("--difficulty", &args.difficulty)?;
    options.temperament = named("--temperament", &args.temperament)?;
    options.survivors = args.survivors;
    options.games = args.games;
    options.v1_everywhere = args.allow_v1;
    options.v1_layout = if args.v1_legacy_69 { Layout::Legacy69 } else { Layout::Documented };
    options.speed = match args.speed {
        ServerSpeed::Realtime => Speed::Realtime,
        ServerSpeed::Max => Speed::Max,
    };
    options.bridge = args.bridge;
    options.seed = args.seed;
    Ok(options)
}

/// A value by the name that presets give it.
fn named<T: DeserializeOwned>(option: &str, name: &str) -> anyhow::Result<T> {
    serde_json::from_value(Value::from(name)).with_context(|| format!("{option} {name}"))
}

fn key(args: &SurvivorsServerArgs) -> anyhow::Result<Option<SharedKey>> {
    let text = match (&args.key_file, &args.key_env) {
        (Some(file), _) => first_line(file)?,
        (None, Some(variable)) => std::env::var(variable)
            .with_context(|| format!("--key-env {variable}: set this variable to the key"))?,
        (None, None) => return Ok(None),
    };
    Ok(Some(SharedKey::new(text.as_bytes())?))
}

fn first_line(file: &Path) -> anyhow::Result<String> {
    let shown = file.display();
    let size = std::fs::metadata(file).with_context(|| format!("cannot read {shown}"))?.len();
    if size > MOST_KEY_BYTES {
        bail!("{shown} has {size} bytes: a file with a key has one line of 16 to 64 bytes");
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
