//! Shows the dashboard on an invented run: `cargo run -p lanista-watch --example demo`.
//!
//! `demo [seconds] [solo|duel|trouble|noise|panic]`

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use lanista_watch::{Controls, Dashboard, Opponent, Status, Term, plain_line};

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let seconds: f64 = args.next().and_then(|arg| arg.parse().ok()).unwrap_or(8.0);
    let kind = args.next().unwrap_or_else(|| "solo".into());
    let controls = Arc::new(Controls::new(true));
    let dashboard = Dashboard::start(Arc::clone(&controls)).ok();
    let started = Instant::now();
    let mut last = String::new();
    for iteration in 1.. {
        let elapsed = started.elapsed().as_secs_f64();
        if elapsed > seconds || controls.interrupt.load(Ordering::Relaxed) {
            break;
        }
        if kind == "panic" && elapsed > seconds / 2.0 {
            panic!("the invented run broke");
        }
        let progress = invented(&kind, iteration, elapsed, seconds);
        last = plain_line(&progress);
        if controls.save.swap(false, Ordering::Relaxed)
            && let Some(dashboard) = &dashboard
        {
            dashboard.note("saved");
        }
        if kind == "noise" && iteration % 40 == 0 {
            eprintln!("warning: somebody prints on standard error ({iteration})");
        }
        match &dashboard {
            Some(dashboard) => dashboard.show(&progress),
            None => println!("{last}"),
        }
        sleep(Duration::from_millis(25));
    }
    if let Some(dashboard) = dashboard {
        for warning in dashboard.finish() {
            println!("{warning}");
        }
    }
    println!("done: {last}");
    Ok(())
}

fn invented(kind: &str, iteration: u64, elapsed: f64, seconds: f64) -> Status {
    let i = iteration as f64;
    let noise = |k: f64| ((i * k).sin() * 43758.5453).fract();
    let done = (elapsed / seconds).min(1.0);
    let learned = 1.0 / (1.0 + (-9.0 * (done - 0.4)).exp());
    let mean = 15.0 + 470.0 * learned + 18.0 * noise(12.9);
    let rate = 88_000.0 + 6_000.0 * noise(3.1);
    let trouble = kind == "trouble";
    let term = |name: &str, weight: f64, mean: f64| Term { name: name.into(), weight, mean };
    let rival = |name: &str, win_share: f64| Opponent { name: name.into(), win_share };
    let duel = kind == "duel";
    let terms = if duel {
        vec![
            term("win", 1.0, learned - 0.4),
            term("damage dealt", 0.02, 40.0 * learned),
            term("damage taken", -0.02, 30.0 * (1.2 - learned)),
            term("wall bumps", -0.05, 4.0 - 3.0 * learned),
            term("time", -0.001, 210.0),
            term("distance", 0.0, 12.4),
        ]
    } else {
        vec![term("alive", 1.0, mean), term("fall", -20.0, 1.0 - 0.8 * learned)]
    };
    let opponents = if duel {
        vec![rival("latest", 0.5), rival("pool", 0.3 + 0.5 * learned), rival("scripted", learned)]
    } else {
        Vec::new()
    };
    let steps = (done * 500_000.0).floor();
    let mut numbers = vec![
        ("iteration", iteration as f64),
        ("steps", steps),
        ("seconds", elapsed),
        ("steps_per_second", 500_000.0 / seconds * rate / 88_000.0),
        ("rollout_seconds", 0.012 + 0.002 * noise(1.7)),
        ("update_seconds", 0.034 + 0.003 * noise(2.3)),
        ("episodes", 8.0 * iteration as f64),
        ("dropped_updates", if trouble { 3.0 } else { 0.0 }),
    ];
    if iteration > 3 {
        numbers.extend([("return_mean", mean), ("length_mean", mean)]);
    }
    let value_loss = 40.0 * (1.2 - learned) + 3.0 * noise(5.5);
    let update = vec![
        ("policy_loss", -0.012 + 0.004 * noise(7.7)),
        ("value_loss", if trouble { f64::NAN } else { value_loss }),
        ("entropy", 0.69 - 0.35 * learned + 0.01 * noise(9.2)),
        ("approx_kl", if trouble { 0.08 } else { 0.008 + 0.002 * noise(4.4) }),
        ("clip_fraction", if trouble { 0.41 } else { 0.11 + 0.02 * noise(6.1) }),
        ("explained_variance", if trouble { -0.3 } else { learned * 0.9 }),
        ("learning_rate", 2.5e-4 * (1.0 - done)),
        ("grad_norm", 0.43 + 0.1 * noise(8.3)),
    ];
    let named = |list: Vec<(&str, f64)>| {
        list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    };
    Status {
        run: if duel { "arena/duel".into() } else { "classic/cartpole".into() },
        run_dir: "runs/2026-01-01-cartpole-7".into(),
        game: if duel { "arena".into() } else { "cartpole".into() },
        seed: 7,
        threads: 2,
        total_steps: Some(500_000),
        return_best: (iteration > 3).then_some(mean.max(15.0 + 470.0 * learned)),
        return_target: (!duel).then_some(475.0),
        numbers: named(numbers),
        update: named(update),
        terms,
        opponents,
        checkpoint: (done > 0.2).then_some(100_000),
        ..Status::default()
    }
}
