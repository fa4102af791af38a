//! `lanista serve`.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{IsTerminal, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use lanista_serve::model::Endpoint;
use lanista_serve::{Config, Format, Limits, Models, Note, Server, Token};
use lanista_train::files::RunFiles;
use lanista_train::trainer::cores;

use crate::args::{ServeArgs, Spoken};
use crate::eval::model_path;

/// How often files are looked at for a change.
const RELOAD_EVERY: Duration = Duration::from_millis(500);
/// How often signals are looked for.
const TURN: Duration = Duration::from_millis(100);
/// A file or a pipe is told how it goes so often, if anything happened.
const IN_PIPE: Duration = Duration::from_secs(60);
/// A file with a token is not longer.
const MOST_TOKEN_BYTES: u64 = 4096;

pub fn run(args: ServeArgs) -> anyhow::Result<()> {
    let listen = listen(&args)?;
    let token = args.token_file.as_deref().map(read_token).transpose()?;
    if !args.listen.is_loopback() && token.is_none() {
        bail!(
            "--listen {} can be reached from other machines: give --token-file FILE, whose first line \
             clients must show",
            args.listen
        );
    }
    let files = args.models.iter().map(|model| named(model)).collect::<Result<Vec<_>, _>>()?;
    let config = Config {
        listen,
        token,
        limits: Limits {
            connections: args.max_connections,
            message_bytes: args.max_message,
            queue: args.max_queue,
            sessions: args.max_sessions,
            idle: Duration::from_secs_f64(args.idle),
        },
        workers: args.threads.unwrap_or_else(cores),
        seed: args.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()),
        reload_every: Some(RELOAD_EVERY),
        values: false,
    };
    let signals = Signals::listen()?;
    let server = Server::start(config, Models::load(&files)?, None)?;
    server.models().endpoints().iter().for_each(introduce);
    for (format, address) in server.addresses() {
        say!("{format} on {address}");
    }
    say!("ready; Ctrl-C stops");
    let mut status = Status::new();
    while !signals.stop.load(Ordering::Relaxed) {
        std::thread::sleep(TURN);
        if signals.reload.swap(false, Ordering::Relaxed) {
            server.reload();
        }
        for note in server.notes() {
            status.clear();
            tell(&note);
        }
        status.tell(&server);
    }
    status.clear();
    let metrics = server.metrics();
    let (decisions, passes) = (metrics.decisions(), metrics.passes());
    let summary = format!(
        "{decisions} decisions in {passes} passes for {} clients; {} refused, {} reloads",
        metrics.connected(),
        metrics.refusals(),
        metrics.reloads()
    );
    server.stop();
    say!("stopped: {summary}");
    Ok(())
}

/// Which formats are spoken where.
fn listen(args: &ServeArgs) -> anyhow::Result<Vec<(Format, SocketAddr)>> {
    let mut spoken = args.format.clone();
    if spoken.is_empty() {
        spoken.push(Spoken { format: Format::Lines, port: None });
    }
    if args.port.is_some() {
        let one = matches!(spoken[..], [Spoken { port: None, .. }]);
        ensure!(
            one,
            "--port is for one format without a port of its own: write --format FORMAT=PORT"
        );
        spoken[0].port = args.port;
    }
    let at = |format: Format, port: u16| (format, SocketAddr::new(args.listen, port));
    let ports = spoken.iter().map(|s| at(s.format, s.port.unwrap_or(s.format.default_port())));
    let mut all: Vec<(Format, SocketAddr)> = ports.collect();
    all.extend(args.metrics_port.map(|port| at(Format::Metrics, port)));
    Ok(all)
}

/// Reads `NAME=PATH`, or a path that gives the name itself: that of the run's directory, or of a file that
/// is not just called model.zip.
pub fn named(model: &str) -> anyhow::Result<(String, PathBuf)> {
    if let Some((name, path)) = model.split_once('=')
        && !Path::new(model).exists()
    {
        let sound = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        ensure!(
            !name.is_empty() && name.chars().all(sound),
            "{model}: a name has letters, digits, `-`, `_` and `.`"
        );
        return Ok((name.to_owned(), model_path(Path::new(path))?));
    }
    let path = model_path(Path::new(model))?;
    let own = match path.file_name().is_some_and(|name| name == RunFiles::MODEL) {
        true => {
            path.canonicalize().ok().and_then(|path| Some(path.parent()?.file_name()?.to_owned()))
        }
        false => path.file_stem().map(ToOwned::to_owned),
    };
    let name = own.and_then(|name| name.into_string().ok());
    let name = name.with_context(|| format!("{model} gives no name: write NAME={model}"))?;
    Ok((name, path))
}

/// Reads the first line of a file with a token.
pub fn read_token(file: &Path) -> anyhow::Result<Token> {
    Token::new(&first_line(file)?).map_err(|e| anyhow::anyhow!("{}: {e}", file.display()))
}

/// The first line of a small file.
pub fn first_line(file: &Path) -> anyhow::Result<String> {
    let shown = file.display();
    let mut text = String::new();
    let opened = File::open(file).with_context(|| format!("cannot read {shown}"))?;
    let read = opened.take(MOST_TOKEN_BYTES).read_to_string(&mut text);
    read.with_context(|| format!("cannot read {shown}"))?;
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

/// Says what is served.
fn introduce(endpoint: &Endpoint) {
    let (shape, weights) = (&endpoint.shape, endpoint.weights());
    let frames = match endpoint.frames.len() {
        1 => String::new(),
        n => format!(" in each of {n} frames"),
    };
    let memory = if weights.policy.recurrent() { ", with memory" } else { "" };
    say!(
        "{}: {} after {} steps, {} features{frames}, {} actions in {} head{}, {} weights{memory}",
        endpoint.name,
        endpoint.game,
        weights.steps,
        endpoint.frame_features,
        shape.actions(),
        shape.heads.len(),
        if shape.heads.len() == 1 { "" } else { "s" },
        weights.policy.layout().len(),
    );
}

fn tell(note: &Note) {
    match &note.result {
        Ok((version, steps)) => {
            say!("{}: version {version} is served, after {steps} steps", note.model);
        }
        Err(problem) => complain!("{}: the old model goes on: {problem}", note.model),
    }
}

/// How it goes: a line that changes on a terminal, a line a minute elsewhere.
struct Status {
    terminal: bool,
    last: Instant,
    decisions: u64,
}

impl Status {
    fn new() -> Self {
        let terminal = std::io::stdout().is_terminal();
        Self { terminal, last: Instant::now(), decisions: 0 }
    }

    fn tell(&mut self, server: &Server) {
        let pause = if self.terminal { Duration::from_secs(1) } else { IN_PIPE };
        let passed = self.last.elapsed();
        if passed < pause {
            return;
        }
        let metrics = server.metrics();
        let decisions = metrics.decisions();
        let speed = (decisions - self.decisions) as f64 / passed.as_secs_f64();
        let clients = metrics.connections.load(Ordering::Relaxed);
        let sessions = metrics.sessions.load(Ordering::Relaxed);
        let line = format!(
            "{clients} clients, {sessions} sessions, {decisions} decisions ({speed:.0}/s), {} refused",
            metrics.refusals()
        );
        if self.terminal {
            let mut out = std::io::stdout();
            let _ = write!(out, "\r\x1b[K{line}").and_then(|()| out.flush());
        } else if decisions != self.decisions {
            say!("{line}");
        }
        (self.last, self.decisions) = (Instant::now(), decisions);
    }

    fn clear(&self) {
        if self.terminal {
            let _ = write!(std::io::stdout(), "\r\x1b[K");
        }
    }
}

/// What the system tells the program.
struct Signals {
    stop: Arc<AtomicBool>,
    reload: Arc<AtomicBool>,
}

impl Signals {
    /// The first Ctrl-C or SIGTERM stops the server, the second the program; SIGHUP reads models again.
    #[cfg(unix)]
    fn listen() -> anyhow::Result<Self> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::flag;
        let signals = Self { stop: Arc::default(), reload: Arc::default() };
        let register = || -> std::io::Result<()> {
            for signal in [SIGINT, SIGTERM] {
                flag::register_conditional_shutdown(signal, 130, Arc::clone(&signals.stop))?;
                flag::register(signal, Arc::clone(&signals.stop))?;
            }
            flag::register(SIGHUP, Arc::clone(&signals.reload))?;
            Ok(())
        };
        register().context("cannot listen for signals")?;
        Ok(signals)
    }

    /// The first Ctrl-C stops the server, the second the program.
    #[cfg(not(unix))]
    fn listen() -> anyhow::Result<Self> {
        let signals = Self { stop: Arc::default(), reload: Arc::default() };
        let stop = Arc::clone(&signals.stop);
        ctrlc::set_handler(move || {
            if stop.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })
        .context("cannot listen for Ctrl-C")?;
        Ok(signals)
    }
}
