//! `lanista bench serve`: how fast decisions come over TCP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use lanista_serve::load::{self, Load};
use lanista_serve::{Config, Models, Server};
use lanista_train::trainer::cores;
use serde_json::{Value, json};

use crate::args::BenchServeArgs;
use crate::serve::{first_line, named};

/// Nothing is counted before.
const WARM_UP: Duration = Duration::from_secs(1);

pub fn measure(args: &BenchServeArgs) -> anyhow::Result<Value> {
    let (name, path) = named(&args.model)?;
    let files = [(name, path)];
    let models = Models::load(&files)?;
    let workers = args.threads.unwrap_or_else(cores);
    let server = match args.connect {
        Some(_) => None,
        None => {
            let config = Config { workers, ..Config::local(args.format) };
            Some(Server::start(config, Models::load(&files)?, None)?)
        }
    };
    let inside = server.as_ref().and_then(|server| server.address(args.format));
    let address = args.connect.or(inside).context("the server listens nowhere")?;
    let endpoint = &models.endpoints()[0];
    let load = Load {
        address,
        format: args.format,
        connections: args.connections,
        threads: args.client_threads.unwrap_or_else(cores),
        time: Duration::from_secs_f64(args.seconds),
        token: args.token_file.as_deref().map(first_line).transpose()?.unwrap_or_default(),
    };
    let warm = AtomicBool::new(false);
    let (outcome, first) = std::thread::scope(|scope| {
        let asking = scope.spawn(|| load::run(&load, endpoint, &warm));
        std::thread::sleep(WARM_UP);
        let first = rss_kb();
        warm.store(true, Ordering::Relaxed);
        (asking.join(), first)
    });
    let load::Outcome { latencies, faults, first_fault } = match outcome {
        Ok(outcome) => outcome?,
        Err(_) => anyhow::bail!("the load generator panicked"),
    };
    let passes = server.as_ref().map(|server| {
        let metrics = server.metrics();
        metrics.decisions() as f64 / metrics.passes().max(1) as f64
    });
    Ok(json!({
        "model": endpoint.name,
        "parameters": endpoint.weights().policy.layout().len(),
        "format": args.format.name(),
        "connections": args.connections,
        "threads": workers,
        "decisions_per_second": latencies.count as f64 / args.seconds,
        "p50_us": latencies.quantile(0.5),
        "p99_us": latencies.quantile(0.99),
        "rows_per_pass": passes,
        "decisions": latencies.count,
        "faults": faults,
        "first_fault": first_fault,
        "seconds": args.seconds,
        "rss_kb_first": first,
        "rss_kb_last": rss_kb(),
    }))
}

/// Memory that the process holds now, where the system tells.
fn rss_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
