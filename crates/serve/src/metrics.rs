//! What the server counts, in the text format that Prometheus reads.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::model::Models;
use crate::refusal::Kind;

/// Upper ends of the buckets of latencies, in microseconds.
const LATENCIES: [u64; 14] =
    [10, 20, 35, 50, 75, 100, 150, 250, 500, 1_000, 2_500, 10_000, 50_000, 250_000];
/// Upper ends of the buckets of batch sizes.
const BATCHES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Counts by size.
#[derive(Debug)]
struct Histogram<const N: usize> {
    ends: [u64; N],
    counts: [AtomicU64; N],
    above: AtomicU64,
    sum: AtomicU64,
}

impl<const N: usize> Histogram<N> {
    fn new(ends: [u64; N]) -> Self {
        let counts = std::array::from_fn(|_| AtomicU64::new(0));
        Self { ends, counts, above: AtomicU64::new(0), sum: AtomicU64::new(0) }
    }

    fn add(&self, value: u64) {
        let bucket = self.ends.iter().position(|&end| value <= end);
        bucket.map_or(&self.above, |bucket| &self.counts[bucket]).fetch_add(1, Relaxed);
        self.sum.fetch_add(value, Relaxed);
    }

    fn write(&self, out: &mut impl Write, name: &str, what: &str, per_unit: f64) -> fmt::Result {
        writeln!(out, "# HELP {name} {what}\n# TYPE {name} histogram")?;
        let mut total = 0;
        for (end, count) in self.ends.iter().zip(&self.counts) {
            total += count.load(Relaxed);
            writeln!(out, "{name}_bucket{{le=\"{}\"}} {total}", *end as f64 / per_unit)?;
        }
        total += self.above.load(Relaxed);
        writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {total}")?;
        writeln!(out, "{name}_sum {}", self.sum.load(Relaxed) as f64 / per_unit)?;
        writeln!(out, "{name}_count {total}")
    }
}

/// Everything that is counted.
#[derive(Debug)]
pub struct Metrics {
    decisions: AtomicU64,
    refusals: [AtomicU64; Kind::ALL.len()],
    batches: Histogram<7>,
    latencies: Histogram<14>,
    /// Connections that are open.
    pub connections: AtomicU64,
    accepted: AtomicU64,
    /// Sessions that are kept.
    pub sessions: AtomicU64,
    reloads: AtomicU64,
    failed_reloads: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        let count = || AtomicU64::new(0);
        Self {
            decisions: count(),
            refusals: std::array::from_fn(|_| count()),
            batches: Histogram::new(BATCHES),
            latencies: Histogram::new(LATENCIES),
            connections: count(),
            accepted: count(),
            sessions: count(),
            reloads: count(),
            failed_reloads: count(),
        }
    }
}

impl Metrics {
    /// A pass of so many rows.
    pub fn pass(&self, rows: usize) {
        self.decisions.fetch_add(rows as u64, Relaxed);
        self.batches.add(rows as u64);
    }

    /// A decision left this long after its request had come.
    pub fn answered(&self, after: Duration) {
        self.latencies.add(after.as_micros().try_into().unwrap_or(u64::MAX));
    }

    /// How long decisions took on average, from request to reply; nothing before the first.
    pub fn mean_latency(&self) -> Option<Duration> {
        let Histogram { counts, above, sum, .. } = &self.latencies;
        let count = counts.iter().chain([above]).map(|count| count.load(Relaxed)).sum::<u64>();
        (count > 0).then(|| Duration::from_micros(sum.load(Relaxed) / count))
    }

    /// Something was refused.
    pub fn refused(&self, kind: Kind) {
        self.refusals[kind as usize].fetch_add(1, Relaxed);
    }

    /// Somebody connected.
    pub fn accepted(&self) {
        self.accepted.fetch_add(1, Relaxed);
        self.connections.fetch_add(1, Relaxed);
    }

    /// A model was read again.
    pub fn reloaded(&self, sound: bool) {
        if sound { &self.reloads } else { &self.failed_reloads }.fetch_add(1, Relaxed);
    }

    /// Decisions so far.
    pub fn decisions(&self) -> u64 {
        self.decisions.load(Relaxed)
    }

    /// Passes so far.
    pub fn passes(&self) -> u64 {
        let within: u64 = self.batches.counts.iter().map(|count| count.load(Relaxed)).sum();
        within + self.batches.above.load(Relaxed)
    }

    /// Refusals so far.
    pub fn refusals(&self) -> u64 {
        self.refusals.iter().map(|count| count.load(Relaxed)).sum()
    }

    /// Refusals of a kind so far.
    pub fn refusals_of(&self, kind: Kind) -> u64 {
        self.refusals[kind as usize].load(Relaxed)
    }

    /// Connections so far.
    pub fn connected(&self) -> u64 {
        self.accepted.load(Relaxed)
    }

    /// Reloads so far.
    pub fn reloads(&self) -> u64 {
        self.reloads.load(Relaxed)
    }

    /// Writes everything as Prometheus reads it.
    pub fn write(&self, out: &mut impl Write, models: &Models) -> fmt::Result {
        let mut counter = |name: &str, what: &str, kind: &str, count: &AtomicU64| {
            let count = count.load(Relaxed);
            writeln!(out, "# HELP {name} {what}\n# TYPE {name} {kind}\n{name} {count}")
        };
        counter("lanista_decisions_total", "Decisions made.", "counter", &self.decisions)?;
        let what = "Connections accepted.";
        counter("lanista_connections_total", what, "counter", &self.accepted)?;
        counter("lanista_connections", "Connections open.", "gauge", &self.connections)?;
        counter("lanista_sessions", "Sessions kept.", "gauge", &self.sessions)?;
        counter("lanista_reloads_total", "Models read again.", "counter", &self.reloads)?;
        let what = "Models that could not be read again.";
        counter("lanista_failed_reloads_total", what, "counter", &self.failed_reloads)?;
        let name = "lanista_errors_total";
        writeln!(out, "# HELP {name} Requests and connections refused.\n# TYPE {name} counter")?;
        for (kind, count) in Kind::ALL.iter().zip(&self.refusals) {
            writeln!(out, "{name}{{kind=\"{}\"}} {}", kind.name(), count.load(Relaxed))?;
        }
        let what = "Decisions made in one pass.";
        self.batches.write(out, "lanista_batch_size", what, 1.0)?;
        let what = "From a whole request to its answer on the way.";
        self.latencies.write(out, "lanista_latency_seconds", what, 1e6)?;
        for (name, what) in [
            ("lanista_model_steps", "Steps the served model was trained."),
            ("lanista_model_version", "How many models were served under the name."),
        ] {
            writeln!(out, "# HELP {name} {what}\n# TYPE {name} gauge")?;
            for endpoint in models.endpoints() {
                let weights = endpoint.weights();
                let value = match name {
                    "lanista_model_steps" => weights.steps,
                    _ => weights.version.into(),
                };
                let label = endpoint.name.replace('\\', "\\\\").replace('"', "\\\"");
                writeln!(out, "{name}{{model=\"{label}\"}} {value}")?;
            }
        }
        Ok(())
    }
}
