//! `lanista bench`.

mod serve;

use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use lanista_game::{Answer, Batch, Buffers, Control, Fault, seed};
use lanista_learn::{Choose, Inputs, Policy, Scratch, Shape};
use lanista_train::Trainer;
use lanista_train::layers::Override;
use lanista_train::league_config::LeagueConfig;
use lanista_train::memory;
use lanista_train::player::Player;
use lanista_train::trainer::cores;
use serde_json::{Value, json};

use crate::args::{BenchArgs, BenchWhat, Overrides};
use crate::{catalog, limits};

/// The most iterations before anything is measured.
const WARM_UP: usize = 200;
/// How long an engine may take for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn run(args: BenchArgs) -> anyhow::Result<()> {
    let (json, result) = match args.what {
        BenchWhat::Train { preset, threads, seconds, overrides, json } => {
            (json, train(&preset, threads, seconds, &overrides)?)
        }
        BenchWhat::Infer { preset, batch, seconds, overrides, json } => {
            (json, infer(&preset, batch, seconds, &overrides)?)
        }
        BenchWhat::Serve(args) => (args.json, serve::measure(&args)?),
        BenchWhat::Game { game, threads, matches, seconds, overrides, json } => {
            (json, step_game(&game, threads.unwrap_or_else(cores), matches, seconds, &overrides)?)
        }
    };
    if json {
        say!("{result}");
    } else if let Value::Object(map) = result {
        for (key, value) in map {
            match value.as_f64() {
                Some(number) if !value.is_u64() => say!("{key:28} {number:.3}"),
                _ => say!("{key:28} {}", value.to_string().trim_matches('"')),
            }
        }
    }
    Ok(())
}

fn all(overrides: &Overrides) -> Vec<Override> {
    overrides.set.iter().chain(&overrides.reward).cloned().collect()
}

fn train(
    preset: &str,
    threads: Option<usize>,
    seconds: f64,
    overrides: &Overrides,
) -> anyhow::Result<Value> {
    let mut loaded = catalog::load(preset, &all(overrides))?;
    if threads.is_some() {
        loaded.config.run.threads = threads;
    }
    let mut trainer = loaded.plan_without_stages()?.trainer()?;
    trainer.start()?;
    // Buffers grow to their size in the first iterations, and so does the pool of past policies.
    let pool = |trainer: &Trainer| {
        let league = trainer.league.as_ref().filter(|_| trainer.config().meets_past());
        league.map_or(0, |league| league.state.pool.snapshots().len())
    };
    let full = trainer.config().league.pool;
    for iteration in 0..WARM_UP {
        let growing = trainer.config().meets_past() && pool(&trainer) < full;
        if iteration >= 2 && !growing {
            break;
        }
        trainer.iterate()?;
    }
    // From here on it stays as it is: what is measured is a pool of that size.
    let frozen = LeagueConfig { every: u64::MAX, ..trainer.config().league.clone() };
    if let Some(league) = &mut trainer.league {
        league.set_config(frozen);
    }
    let (mut rollout, mut update, mut iterations) = (0.0, 0.0, 0u64);
    let steps_before = trainer.progress().steps;
    let began = Instant::now();
    while began.elapsed().as_secs_f64() < seconds {
        let iteration = trainer.iterate()?;
        let seconds = |name: &str| iteration.metrics.number(name).unwrap_or(0.0);
        rollout += seconds("rollout_seconds");
        update += seconds("update_seconds");
        iterations += 1;
    }
    let wall = began.elapsed().as_secs_f64();
    let steps = trainer.progress().steps - steps_before;
    Ok(json!({
        "preset": preset,
        "threads": trainer.threads(),
        "steps_per_second": steps as f64 / wall,
        "rollout_seconds": rollout,
        "update_seconds": update,
        "rss_mb": peak_rss_mb(),
        "steps": steps,
        "iterations": iterations,
        "seconds": wall,
        "parameters": trainer.agent.parameters(),
        "pool": pool(&trainer),
    }))
}

fn infer(preset: &str, rows: usize, seconds: f64, overrides: &Overrides) -> anyhow::Result<Value> {
    ensure!(rows > 0, "--batch 0: decide at least one row");
    let loaded = catalog::load(preset, &all(overrides))?;
    memory::estimate_decision(&loaded.spec, &loaded.config, rows).check()?;
    let policy = Policy::new(Shape::of(&loaded.spec.roles[0]), &loaded.config.policy, 1);
    let shape = policy.shape();
    let (actor, critic) = policy.state_sizes();
    let number = |i: usize| seed::uniform(seed::mix(1, i as u64)) * 2.0 - 1.0;
    let observation: Vec<f32> = (0..rows * shape.features).map(number).collect();
    let privileged: Vec<f32> = (0..rows * shape.privileged).map(number).collect();
    let mask = vec![true; rows * shape.actions()];
    let mut inputs = Inputs::default();
    let mut scratch = Scratch::default();
    let mut call = |i: u64| {
        inputs.clear();
        inputs.rows = rows;
        inputs.packing.set_single(rows);
        inputs.observation.extend_from_slice(&observation);
        inputs.privileged.extend_from_slice(&privileged);
        inputs.mask.extend_from_slice(&mask);
        inputs.reset.resize(rows, false);
        inputs.actor_state.resize(rows * actor, 0.0);
        inputs.critic_state.resize(rows * critic, 0.0);
        policy.prepare(&mut inputs);
        let uniform = |r: usize, h: usize| seed::uniform(seed::mix(i, (r * 64 + h) as u64));
        policy.act(&mut inputs, &mut scratch, Choose::Sample(&uniform));
        std::hint::black_box(&inputs.actions);
    };
    (0..100).for_each(&mut call);
    // Medians over blocks of about 20 ms: one interruption does not count.
    let mut blocks = Vec::new();
    let began = Instant::now();
    let mut calls = 0;
    while began.elapsed().as_secs_f64() < seconds {
        let (start, mut n) = (Instant::now(), 0u64);
        while start.elapsed() < Duration::from_millis(20) {
            call(calls);
            calls += 1;
            n += 1;
        }
        blocks.push(start.elapsed().as_secs_f64() * 1e6 / n as f64);
    }
    blocks.sort_by(f64::total_cmp);
    let median = blocks.get(blocks.len() / 2).copied().unwrap_or(f64::NAN);
    Ok(json!({
        "preset": preset,
        "batch": rows,
        "microseconds_per_call": median,
        "calls": calls,
        "parameters": policy.layout().len(),
    }))
}

fn step_game(
    game: &str,
    threads: usize,
    matches: usize,
    seconds: f64,
    overrides: &Overrides,
) -> anyhow::Result<Value> {
    ensure!(threads > 0 && matches > 0, "--threads and --matches are at least 1");
    let overrides = all(overrides);
    limits::only(&overrides, &["settings", "observation"])?;
    let (entry, config) = catalog::load_game(game, &overrides)?;
    let stack = &config.observation.stack;
    let spec = stack.widen(entry.build(&config.settings, 1)?.spec().clone());
    memory::estimate_game(&spec, stack, matches, threads).check()?;
    let batches = (0..threads)
        .map(|_| entry.build(&config.settings, matches).map(|b| config.observation.stack.over(b)))
        .collect::<Result<Vec<_>, _>>()?;
    let step_ticks = batches.first().map_or(1.0, |batch| f64::from(batch.step_ticks()));
    let workers: Vec<_> = batches
        .into_iter()
        .enumerate()
        .map(|(t, batch)| std::thread::spawn(move || play(batch, t, seconds)))
        .collect();
    let (mut steps, mut agent_steps, mut wall) = (0.0, 0.0, 0.0f64);
    for worker in workers {
        match worker.join() {
            Ok(Ok((s, a, w))) => {
                steps += s / w;
                agent_steps += a / w;
                wall = wall.max(w);
            }
            Ok(Err(fault)) => bail!("match {}: {fault}", fault.match_index),
            Err(_) => bail!("a thread panicked"),
        }
    }
    Ok(json!({
        "game": game,
        "threads": threads,
        "matches": matches,
        "steps_per_second": steps,
        "agent_steps_per_second": agent_steps,
        "ticks_per_second": steps * step_ticks,
        "seconds": wall,
        "rss_mb": peak_rss_mb(),
    }))
}

/// Plays random legal actions; returns match steps, acts of seats, and seconds.
fn play(mut batch: Box<dyn Batch>, thread: usize, seconds: f64) -> Result<(f64, f64, f64), Fault> {
    let shapes: Vec<Shape> = batch.spec().roles.iter().map(Shape::of).collect();
    let (matches, spec) = (batch.matches(), batch.spec().clone());
    let mut buffers = Buffers::new(&spec, matches);
    let layout = buffers.layout().clone();
    let (seats, heads) = (layout.seats(), layout.heads);
    let mut episodes = vec![0u64; matches];
    let mut joint = vec![0u32; matches * seats * heads];
    let mut mask = vec![false; layout.actions];
    let which: Vec<usize> = (0..matches).collect();
    let controls: Vec<Control> =
        (0..seats).map(|seat| Player::Learner.control(&spec, seat)).collect();
    for m in 0..matches {
        batch.start(m, seed::episode(thread as u64, m, 0), &controls, &mut buffers)?;
    }
    await_answers(batch.as_mut(), matches, &mut buffers)?;
    let (mut steps, mut acts, mut draw) = (0u64, 0u64, seed::mix(7, thread as u64));
    let began = Instant::now();
    while began.elapsed().as_secs_f64() < seconds {
        for _ in 0..16 {
            for row in (0..matches * seats).filter(|&r| buffers.acting[r]) {
                acts += 1;
                let shape = &shapes[layout.role_of(row % seats)];
                let (actions, pairs) = (shape.actions(), shape.pair_values);
                let at = row * layout.actions;
                mask[..actions].copy_from_slice(&buffers.mask[at..at + actions]);
                let at = row * layout.pair_values;
                let forbidden = &buffers.forbidden[at..at + pairs];
                let action = &mut joint[row * heads..(row + 1) * heads];
                let mut offset = 0;
                for (h, &size) in shape.heads.iter().enumerate() {
                    let legal = &mut mask[offset..offset + size];
                    shape.narrow(h, action, legal, forbidden);
                    draw = seed::mix(draw, h as u64);
                    let count = legal.iter().filter(|&&l| l).count() as u64;
                    let nth = ((draw >> 32) * count) >> 32;
                    action[h] = legal
                        .iter()
                        .enumerate()
                        .filter(|(_, l)| **l)
                        .nth(nth as usize)
                        .map_or(0, |(a, _)| a as u32);
                    offset += size;
                }
            }
            batch.submit(&which, &joint, &mut buffers)?;
            await_answers(batch.as_mut(), matches, &mut buffers)?;
            steps += matches as u64;
            let mut started = 0;
            for m in 0..matches {
                if buffers.end[m].take().is_some() {
                    episodes[m] += 1;
                    let seed = seed::episode(thread as u64, m, episodes[m]);
                    batch.start(m, seed, &controls, &mut buffers)?;
                    started += 1;
                }
            }
            await_answers(batch.as_mut(), started, &mut buffers)?;
            // What answers late has long steps.
            if batch.waits() && began.elapsed().as_secs_f64() >= seconds {
                break;
            }
        }
    }
    Ok((steps as f64, acts as f64, began.elapsed().as_secs_f64()))
}

/// Waits for so many answers of a batch that answers late.
fn await_answers(
    batch: &mut dyn Batch,
    mut open: usize,
    buffers: &mut Buffers,
) -> Result<(), Fault> {
    let mut answers = Vec::new();
    while batch.waits() && open > 0 {
        batch.collect(PATIENCE, buffers, &mut answers)?;
        if answers.is_empty() {
            let message = format!("no answer within {} seconds", PATIENCE.as_secs());
            return Err(Fault { match_index: 0, message });
        }
        for answer in answers.drain(..) {
            if let Answer::Lost(match_index, why) = answer {
                return Err(Fault { match_index, message: format!("lost: {why}") });
            }
            open -= 1;
        }
    }
    Ok(())
}

/// The most memory the process ever held, where the system tells.
fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some((kilobytes / 1024.0 * 10.0).round() / 10.0)
}
