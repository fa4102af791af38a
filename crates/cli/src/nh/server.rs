//! `lanista nh server`: the simulator in the place of the original environment.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use lanista_nh::server::{Host, Options};

use crate::args::NhServerArgs;

/// Connections are served by threads of their own; this one looks up so often.
const TURN: Duration = Duration::from_millis(20);

pub fn run(args: &NhServerArgs) -> anyhow::Result<()> {
    let ip = args.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let options = Options { listen: SocketAddr::new(ip, args.port), seed: args.seed };
    let mut host = Host::open(&options)?;
    let stop = watch_for_interrupt()?;
    if !ip.is_loopback() {
        complain!("warning: the protocol knows no password: whoever reaches {ip} can play");
    }
    say!("{}", host.ready());
    let begun = Instant::now();
    let is_over = || args.for_secs.is_some_and(|secs| begun.elapsed().as_secs_f64() >= secs);
    while !stop.load(Ordering::Relaxed) && !is_over() {
        std::thread::sleep(TURN);
        if let Some(line) = host.line() {
            say!("{line}");
        }
    }
    say!("{}", host.status());
    Ok(())
}

/// The first Ctrl-C hangs up on the clients, the second ends the program.
fn watch_for_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}
