//! `lanista watch`: runs, leagues and matches on a page in the browser.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use lanista_page::{Config, Server};
use lanista_train::files::RUNS;

use crate::args::WatchArgs;
use crate::catalog::{PRESETS, games};
use crate::serve::read_token;

/// How often signals are looked for.
const TURN: Duration = Duration::from_millis(50);

pub fn run(args: WatchArgs) -> anyhow::Result<()> {
    let token = args.token_file.as_deref().map(read_token).transpose()?;
    if !args.listen.is_loopback() && token.is_none() {
        bail!(
            "--listen {} can be reached from other machines: give --token-file FILE, whose first line \
             browsers must show",
            args.listen
        );
    }
    let places = match args.places.is_empty() {
        true => vec![PathBuf::from(RUNS)],
        false => args.places,
    };
    for place in &places {
        if !place.exists() {
            let shown = place.display();
            bail!(
                "{shown} does not exist: name a directory of runs, a run or a recording; \
                 `lanista train` makes runs under {RUNS}"
            );
        }
    }
    if let Some(web) = args.web.as_deref().filter(|web| !web.join("index.html").is_file()) {
        bail!("--web {}: there is no index.html; name crates/page/web", web.display());
    }
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))
        .context("cannot listen for Ctrl-C")?;
    let asks = token.is_some();
    let server = Server::start(Config {
        places,
        listen: SocketAddr::new(args.listen, args.port),
        token,
        web: args.web,
        games: games().to_vec(),
        presets: PRESETS,
    })?;
    let address = format!("http://{}/", server.address());
    match asks {
        true => say!("{address}?token=TOKEN  (the first line of --token-file; Ctrl-C stops)"),
        false => say!("{address}  (Ctrl-C stops)"),
    }
    if args.open {
        open(&address);
    }
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(TURN);
    }
    server.stop();
    say!("stopped");
    Ok(())
}

/// Asks the system for its browser. One that does not come is no reason to stop: the address is printed.
fn open(address: &str) {
    let (program, first) = match std::env::consts::OS {
        "macos" => ("open", &[][..]),
        "windows" => ("cmd", &["/C", "start"][..]),
        _ => ("xdg-open", &[][..]),
    };
    let mut command = Command::new(program);
    command.args(first).arg(address);
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match quiet.spawn() {
        // Waited for, so that it leaves nothing behind.
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => complain!("--open: {program} cannot be started: {error}; open {address}"),
    }
}
