//! `lanista job`: the whole job with one command. It starts what a preset needs and what its viewers want, trains,
//! starts again what dies, and stops everything in the end.
//!
//! The trainer is a process of its own, too: when it is killed, its checkpoints and the exact resume make the run
//! end in the same bits. No process outlives the job's, not even if that one is killed ([`crate::attached`]).

mod kept;
mod needs;
mod notices;
mod port;
mod process;
mod restarts;
mod supervise;
mod table;
mod terminal;
mod trainer;

use std::path::Path;

use anyhow::Context;
use lanista_train::Plan;
use lanista_train::disk::on;
use lanista_train::memory;
use lanista_train::trainer::cores;
use lanista_watch::human;

use crate::args::JobArgs;
use crate::choose::{Chosen, choose};
use crate::quote::{quoted, quoted_word};
use crate::signals::{LEFT_AT_ONCE, Signals};
use crate::{attached, ray, train};
use kept::Kept;
use needs::Needs;
use notices::{Notices, log_of};
use restarts::Restarts;
use supervise::{Ended, Job};
use table::Planned;
use terminal::Terminal;
use trainer::Trainer;

/// The directory of a job's logs, in that of its run.
const LOGS: &str = "job";
/// The trainer's name among the logs.
const TRAINER: &str = "trainer";

pub fn run(args: JobArgs) -> anyhow::Result<()> {
    let Chosen { title, plan, beginning } = choose(&args.train, args.train.all_overrides()?)?;
    train::refuse_clone(&title, &plan, &beginning)?;
    fits_into_memory(&plan)?;
    if args.train.ray.is_some() {
        ray::look_for_python(&args.train)?;
    }
    let needs = Needs::of(&plan, &args)?;
    if args.train.dry_run {
        let run = beginning.place(&title);
        let logs = run.join(LOGS);
        let trainer = Trainer::of(&args.train, &beginning, &run, log_of(&logs, TRAINER))?;
        let own = attached::own_path()?.into_os_string();
        let trainer: Vec<_> = std::iter::once(own).chain(trainer.arguments).collect();
        let (services, trainer) = (needs.services(&run)?, &trainer);
        let (run, logs, needs, services) = (&run, &logs, &needs, &services);
        Planned { title: &title, run, logs, needs, services, trainer }.show(args.train.json);
        return Ok(());
    }
    // Only now: what cannot train leaves nothing behind.
    let (directory, said) = beginning.directory(&title)?;
    let run = directory.path().to_owned();
    // Its lock: the trainer takes the run from here.
    drop(directory);
    let logs = run.join(LOGS);
    on("create", &logs, std::fs::create_dir_all(&logs))?;
    let trainer = Trainer::of(&args.train, &beginning, &run, log_of(&logs, TRAINER))?;
    let services = needs.services(&run)?.into_iter();
    let mut job = Job {
        services: services.map(|service| Kept::new(service, &logs)).collect(),
        trainer,
        notices: Notices::in_directory(&logs, args.train.json)?,
        signals: Signals::listen().context("cannot listen for Ctrl-C")?,
        terminal: Terminal::as_it_is(),
        restarts: Restarts::default(),
    };
    said.iter().for_each(|line| job.notices.say(line));
    let result = supervise(&mut job, &title, &needs, &run);
    let given_up = job.given_up();
    let stopped = job.stop();
    let on = format!("{} job --resume {}", program(), quoted(&run));
    let mut said = summary(&job, &stopped, &given_up);
    match &result {
        Ok(Ended::Done) => said.push(format!("{on} goes on with all that belongs to it")),
        Ok(Ended::AtOnce) => said.push(format!("{on} goes on from its newest checkpoint")),
        Err(_) => {}
    }
    said.iter().for_each(|line| job.notices.say(line));
    drop(job);
    match result? {
        Ended::Done => Ok(()),
        Ended::AtOnce => std::process::exit(LEFT_AT_ONCE),
    }
}

fn fits_into_memory(plan: &Plan) -> anyhow::Result<()> {
    let threads = plan.config.run.threads.unwrap_or_else(cores);
    Ok(memory::estimate(&plan.spec, &plan.config, &plan.exploiters, threads)?.check()?)
}

fn supervise(job: &mut Job, title: &str, needs: &Needs, run: &Path) -> anyhow::Result<Ended> {
    let place = run.display().to_string();
    job.notices.say(&format!("job {title} in {place}"));
    if !job.prepare()? {
        return Ok(Ended::AtOnce);
    }
    let mut rows = job.rows();
    rows.extend(needs.others.iter().map(|other| {
        [other.name.to_owned(), other.address.clone(), "-".to_owned(), other.why.to_owned()]
    }));
    job.train(rows, &place)
}

/// The program as it was called.
fn program() -> String {
    quoted_word(&std::env::args().next().unwrap_or_else(|| "lanista".into()))
}

/// What was stopped, what had to be started again, and what could not be.
fn summary(job: &Job, stopped: &[String], given_up: &[String]) -> Vec<String> {
    let mut said = vec![match stopped {
        [] => "job: nothing is left running".to_owned(),
        names => format!("job: stopped {}; nothing is left running", names.join(", ")),
    }];
    let services = job.services.iter().map(|kept| (kept.service.name.as_str(), kept.restarts()));
    let again: Vec<String> = std::iter::once((TRAINER, job.restarts.total()))
        .chain(services)
        .filter(|(_, times)| *times > 0)
        .map(|(name, times)| format!("{name} {}", human::plural(times.into(), "time")))
        .collect();
    if !again.is_empty() {
        said.push(format!("started again: {}", again.join(", ")));
    }
    if !given_up.is_empty() {
        said.push(format!("given up: {}", given_up.join(", ")));
    }
    said
}
