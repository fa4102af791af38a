//! `lanista train --dry-run`: what would be trained, where, and in how much memory.

use std::path::Path;

use lanista_learn::{PolicySize, Shape};
use lanista_train::Plan;
use lanista_train::files::RunFiles;
use lanista_train::layers::to_yaml;
use lanista_train::memory;
use lanista_train::trainer::cores;
use serde_json::json;

/// A run that is only talked about. Nothing is created on disk.
pub struct DryRun<'a> {
    pub title: &'a str,
    pub place: &'a Path,
    pub plan: &'a Plan,
}

impl DryRun<'_> {
    /// Shows the plan. The configuration comes first, as YAML; the rest are comments to it, so that
    /// the whole is a preset. A run that would not fit into memory is an error.
    pub fn show(&self, as_json: bool) -> anyhow::Result<()> {
        let Plan { config, spec, exploiters, .. } = self.plan;
        let threads = config.run.threads.unwrap_or_else(cores);
        let estimate = memory::estimate(spec, config, exploiters, threads)?;
        let roles = config.roles(spec)?;
        let learnt = roles.iter().zip(&spec.roles).filter(|(own, _)| own.played_by.is_none());
        let sizes = learnt.map(|(own, role)| PolicySize::of(&Shape::of(role), &own.policy));
        let parameters = sizes.map(|size| size.parameters.0).fold(0, u128::saturating_add);
        if as_json {
            let needs = estimate.needs.iter().map(|need| {
                json!({ "what": need.what, "bytes": need.bytes as f64, "lower": need.lower })
            });
            say!(
                "{}",
                json!({
                    "preset": self.title,
                    "run_dir": self.place,
                    "threads": threads,
                    "parameters": parameters as f64,
                    "memory_bytes": estimate.bytes() as f64,
                    "memory": needs.collect::<Vec<_>>(),
                    "config": config,
                })
            );
        } else {
            say!("{}", to_yaml(config)?.trim_end());
            say!("# {} would train in {}", self.title, self.place.display());
            let going_on = RunFiles::of(self.place).checkpoints().is_dir();
            say!("# {}", if going_on { "a run that goes on" } else { "a new run" });
            say!("# {threads} threads, {parameters} parameters; memory, about:");
            for line in estimate.to_string().lines() {
                say!("# {line}");
            }
        }
        estimate.check()?;
        Ok(())
    }
}
