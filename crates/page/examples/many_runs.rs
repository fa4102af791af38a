//! Runs of made-up numbers, to measure the page with, and the measurement itself.
//!
//! ```text
//! cargo run --release -p lanista-page --example many_runs -- make DIR [RUNS] [LINES OF THE LARGEST]
//! cargo run --release -p lanista-page --example many_runs -- measure DIR
//! ```
//!
//! The largest run has a million iterations of about 3 kB each, if nobody says otherwise; the others have a few
//! hundred.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lanista_page::metrics::RunMetrics;
use lanista_page::tail::Seen;
use lanista_page::{Config, Server};

/// Numbers of a line besides those that every run has.
const TERMS: usize = 90;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: usize| arguments.get(at).map_or(Ok(usual), |text| text.parse());
    match arguments.first().map(String::as_str) {
        Some("make") if arguments.len() > 1 => {
            make(Path::new(&arguments[1]), number(2, 300)?, number(3, 1_000_000)?)
        }
        Some("measure") if arguments.len() > 1 => measure(Path::new(&arguments[1])),
        _ => Err("say `make DIR [RUNS] [LINES]` or `measure DIR`".into()),
    }
}

fn make(root: &Path, runs: usize, lines: usize) -> Result<(), Box<dyn std::error::Error>> {
    for run in 0..runs {
        let directory = root.join(format!("made-{}", run + 1));
        fs::create_dir_all(&directory)?;
        let config = format!("game: made\nrun: {{ seed: {run} }}\nstop: {{ steps: 4000000000 }}\n");
        fs::write(directory.join("config.yml"), config)?;
        let count = if run == 0 { lines } else { 200 + run % 400 };
        let mut file = BufWriter::new(fs::File::create(directory.join("metrics.jsonl"))?);
        let mut text = String::new();
        for i in 0..count {
            text.clear();
            line(&mut text, run, i)?;
            file.write_all(text.as_bytes())?;
        }
        file.flush()?;
    }
    println!("{runs} runs in {}", root.display());
    Ok(())
}

/// A line as a training writes it: keys in order, numbers of 16 digits.
fn line(text: &mut String, run: usize, i: usize) -> std::fmt::Result {
    let wave =
        |k: usize| ((i * (k + 3) + 31 * run) as f64 / 7919.0).sin() + 1.0 / (i + k + 1) as f64;
    write!(
        text,
        "{{\"approx_kl\":{},\"clip_fraction\":{},\"dropped_updates\":0",
        wave(1),
        wave(2)
    )?;
    write!(text, ",\"elo\":{},\"entropy\":{},\"episodes\":{}", 1500.0 + wave(3), wave(4), 8 * i)?;
    write!(text, ",\"exploiters\":[],\"explained_variance\":{},\"iteration\":{}", wave(5), i + 1)?;
    write!(text, ",\"opponents\":{{}},\"return_mean\":{},\"stage\":null,\"stats\":{{}}", wave(6))?;
    write!(text, ",\"steps\":{},\"terms\":{{", 4096 * (i + 1))?;
    for term in 0..TERMS {
        let comma = if term == 0 { "" } else { "," };
        write!(text, "{comma}\"term_{term:02}_of_some\":{}", wave(10 + term))?;
    }
    write!(text, "}},\"time\":{{\"rollout_seconds\":{},\"seconds\":{}", wave(7), 0.5 * i as f64)?;
    writeln!(text, ",\"steps_per_second\":{}}},\"transition\":null}}", 8000.0 + wave(8))
}

fn measure(root: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let largest = root.join("made-1/metrics.jsonl");
    let mut metrics = RunMetrics::default();
    let began = Instant::now();
    while let Seen::Anew | Seen::Grown = metrics.follow(&largest)? {}
    let seconds = began.elapsed().as_secs_f64();
    let megabytes = metrics.read_bytes() as f64 / 1e6;
    println!(
        "ingest of one run: {} lines, {megabytes:.0} MB in {seconds:.2} s, {:.0} MB/s, {:.1} MB in memory",
        metrics.columns().rows(),
        megabytes / seconds,
        metrics.bytes() as f64 / 1e6
    );
    drop(metrics);
    let config = Config {
        places: vec![PathBuf::from(root)],
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        token: None,
        web: None,
        games: Vec::new(),
        presets: &[],
    };
    let wanted = fs::read_dir(root)?.count();
    let began = Instant::now();
    let server = Server::start(config)?;
    while server.runs().since(None).runs.len() < wanted {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    println!("ingest of {wanted} runs: {:.2} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    let table = get(server.address(), "/api/runs")?;
    println!("the table: {} kB in {:.1} ms", table / 1000, 1e3 * began.elapsed().as_secs_f64());
    let all = server.runs().since(None).runs;
    let first = all.iter().find(|run| run.name == "made-1").map_or("", |run| &run.id);
    for (what, target) in [
        ("eight curves of the largest run", curves(first, 8, "")),
        ("the same closer, from the lines", curves(first, 8, "&from=2000000000&to=2000400000")),
        ("eight curves of a small run", curves(&all[all.len() / 2].id, 8, "")),
    ] {
        let began = Instant::now();
        let bytes = get(server.address(), &target)?;
        println!("{what}: {} kB in {:.1} ms", bytes / 1000, 1e3 * began.elapsed().as_secs_f64());
    }
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        let memory =
            status.lines().filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM"));
        memory.for_each(|line| println!("{}", line.replace('\t', " ")));
    }
    server.stop();
    Ok(())
}

fn curves(run: &str, count: usize, more: &str) -> String {
    let mut target = format!("/api/series?run={run}&points=1000&smooth=1000000{more}");
    for term in 0..count {
        target.push_str(&format!("&metric=terms%2Fterm_{term:02}_of_some"));
    }
    target
}

/// The length of an answer.
fn get(address: SocketAddr, target: &str) -> std::io::Result<usize> {
    use std::io::Read as _;
    let mut stream = std::net::TcpStream::connect(address)?;
    write!(stream, "GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    assert!(
        bytes.starts_with(b"HTTP/1.1 200"),
        "{}",
        String::from_utf8_lossy(&bytes[..200.min(bytes.len())])
    );
    Ok(bytes.len())
}
