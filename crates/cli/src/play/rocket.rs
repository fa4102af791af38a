//! `lanista play rocket`: a model in Rocket League itself, through RLBot.

mod pilot;
mod screen;
mod trace;

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use lanista_rocket::live::pace::Pace;
use lanista_rocket::live::session::{self, CORE_ADDRESS, Plan, Summary};
use lanista_rocket::settings::Settings;
use serde_json::json;

use crate::args::PlayRocketArgs;
use pilot::Pilot;
use screen::Screen;
use trace::Trace;

/// The longest agent id that anybody means.
const LONGEST_ID: usize = 256;

pub fn run(args: PlayRocketArgs) -> anyhow::Result<()> {
    let agent_id = agent_id(&args)?;
    let address = address(&args)?;
    let mut pilot = Pilot::read(&args.model, &args.set, args.sampled.then_some(args.seed))?;
    let settings = pilot.settings().clone();
    let hold = settings.action_delay.saturating_sub(args.game_delay);
    if settings.action_delay < args.game_delay {
        complain!(
            "warning: the model was trained with actions that take effect after {} ticks, and the game takes \
             {}; train with settings.action_delay={}",
            settings.action_delay,
            args.game_delay,
            args.game_delay
        );
    }
    let plan = Plan {
        address,
        agent_id,
        pace: Pace::new(settings.step_ticks(), hold),
        clock: settings.game,
        wait: Duration::from_secs_f64(args.wait),
    };
    let trace = args.trace.as_deref().map(Trace::create).transpose()?;
    let mut screen = Screen::new(&settings, args.json, trace);
    screen.say(&format!("{}: connecting to RLBot at {address}", pilot.about()));
    let stop = watch_for_interrupt()?;
    let summary = session::play(&plan, &mut pilot, &mut screen, &stop);
    screen.finish()?;
    let summary = summary?;
    if args.json {
        say!("{}", in_json(&summary))
    } else {
        print(&summary, &settings)
    }
    Ok(())
}

fn agent_id(args: &PlayRocketArgs) -> anyhow::Result<String> {
    let given = args.agent_id.clone().or_else(|| variable("RLBOT_AGENT_ID"));
    let id = given.context(
        "no agent id: RLBot sets RLBOT_AGENT_ID when it starts a bot; to start one by hand, name the agent_id \
         of its bot.toml with --agent-id",
    )?;
    ensure!(id.len() <= LONGEST_ID, "the agent id has more than {LONGEST_ID} bytes");
    Ok(id)
}

/// Where the core listens: as the command line says, or the environment, or where it always does.
fn address(args: &PlayRocketArgs) -> anyhow::Result<SocketAddr> {
    let (text, from) = match &args.server {
        Some(server) => (server.clone(), "--server"),
        None => {
            let usual: SocketAddr = CORE_ADDRESS.parse()?;
            let named = |name| variable(name).filter(|value| !value.is_empty());
            let host = named("RLBOT_SERVER_IP").or_else(|| named("RLBOT_SERVER_ADDR"));
            let host = host.unwrap_or_else(|| usual.ip().to_string());
            let port = named("RLBOT_SERVER_PORT").unwrap_or_else(|| usual.port().to_string());
            // An address may bring its port along.
            let whole = host.parse::<SocketAddr>().is_ok();
            let text = match host.parse() {
                _ if whole => host,
                Ok(std::net::IpAddr::V6(ip)) => format!("[{ip}]:{port}"),
                _ => format!("{host}:{port}"),
            };
            (text, "RLBOT_SERVER_IP and RLBOT_SERVER_PORT")
        }
    };
    let found = text.to_socket_addrs().with_context(|| {
        format!("{from}: {text} is no address; write it as HOST:PORT, such as {CORE_ADDRESS}")
    })?;
    let mut found: Vec<SocketAddr> = found.collect();
    found.sort_by_key(SocketAddr::is_ipv6);
    found.first().copied().with_context(|| format!("{from}: {text} leads nowhere"))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The first Ctrl-C says goodbye to the core, the second ends the program.
fn watch_for_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

fn in_json(summary: &Summary) -> serde_json::Value {
    let micros = |share| summary.latency(share).map(|latency| latency.as_secs_f64() * 1e6);
    json!({
        "packets": summary.packets, "stale": summary.stale, "repeated": summary.repeated,
        "decisions": summary.decisions, "inputs": summary.inputs, "reconnects": summary.reconnects,
        "goals": summary.goals, "p50_us": micros(0.5), "p99_us": micros(0.99),
    })
}

fn print(summary: &Summary, settings: &Settings) {
    let [blue, orange] = summary.goals;
    say!("RLBot ended it: blue {blue} : {orange} orange");
    say!(
        "{} packets answered, {} overtaken by newer ones, {} repetitions; {} decisions, one every {} ticks; \
         {} reconnects",
        summary.packets,
        summary.stale,
        summary.repeated,
        summary.decisions,
        settings.step_ticks(),
        summary.reconnects
    );
    if let (Some(p50), Some(p99)) = (summary.latency(0.5), summary.latency(0.99)) {
        let (p50, p99) = (p50.as_secs_f64() * 1e6, p99.as_secs_f64() * 1e6);
        say!("from packet to input: p50 {p50:.0} µs, p99 {p99:.0} µs");
    }
}
