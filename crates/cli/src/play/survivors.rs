//! `lanista play survivors`: a model's survivors on a game server.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use lanista_game::{Kind, Spec};
use lanista_survivors::game::Survivors;
use lanista_train::layers::Override;
use lanista_train::model;
use serde_json::{Value, json};

use super::live::{self, Moment, Plan, Summary};
use crate::args::PlaySurvivorsArgs;
use crate::eval::{model_path, read_model};

/// A line is shown this often; decisions come ten times a second.
const SHOW: Duration = Duration::from_secs(1);

pub fn run(args: PlaySurvivorsArgs) -> anyhow::Result<()> {
    // Before the settings, which another game does not have.
    let (game, own) = (model::metadata(&model_path(&args.model)?)?.game, Survivors::NAME);
    ensure!(game == own, "the model plays {game}, not {own}: name a run of {own}");
    let model = read_model(&args.model, &settings(&args)?)?;
    let plays = |role: &str| model.spec.role(role).is_some_and(|r| model.roster.get(r).is_some());
    ensure!(
        plays("survivor"),
        "the model plays {}, and a server lends out its survivors alone: name a run that learnt them",
        model.metadata.roles.keys().cloned().collect::<Vec<_>>().join(" and ")
    );
    model.remarks.iter().for_each(|remark| complain!("warning: {remark}"));
    let stop = super::watch_for_interrupt("the match that runs is played to its end")?;
    let plan = Plan {
        matches: args.matches,
        dice: args.sampled.then_some(args.seed),
        seed: args.seed,
        give_up: Duration::from_secs(args.give_up),
    };
    let show = |line: &str| if args.json { complain!("{line}") } else { say!("{line}") };
    show(&format!("playing on {}", args.server.join(", ")));
    let mut shown: Option<Instant> = None;
    let mut hear = |moment: &Moment| {
        let over = moment.buffers.end[0].is_some();
        if over || shown.is_none_or(|at| at.elapsed() >= SHOW) {
            shown = Some(Instant::now());
            show(&line(&model.spec, moment));
        }
        if over {
            show(&ended(&model.spec, moment));
        }
    };
    let summary = live::play(&model, &plan, &stop, &mut |words| complain!("{words}"), &mut hear)?;
    match args.json {
        true => say!("{}", serde_json::to_string(&summary)?),
        false => print(&summary),
    }
    Ok(())
}

/// The model's settings, but on these servers.
fn settings(args: &PlaySurvivorsArgs) -> anyhow::Result<Vec<Override>> {
    let mut own = vec![("live", json!(args.server))];
    if let Some(file) = &args.key_file {
        let path = file.to_str().context("--key-file: its path is not readable as text")?;
        own.push(("live_key_file", json!(path)));
    }
    if let Some(map) = &args.map {
        own.push(("map", json!(map)));
    }
    let mut all = args.set.clone();
    for (name, value) in own {
        let wish = format!("settings.{name}={value}");
        all.push(Override::set(&wish)?);
    }
    Ok(all)
}

/// What the model sees, decides and scores at this moment.
fn line(spec: &Spec, moment: &Moment) -> String {
    // What a server told is not worth a failure here: what is missing is left out.
    let seen: Value = serde_json::from_str(moment.frame).unwrap_or_default();
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let team: Vec<String> = seen["survivors"].as_array().map_or_else(Vec::new, |all| {
        all.iter()
            .map(|one| match one["state"].as_str() {
                Some("up") | None => format!("{:.0}", number(&one["left"])),
                Some(state) => state.to_owned(),
            })
            .collect()
    });
    let count = |of: &str| seen[of].as_array().map_or(0, Vec::len);
    let infected = count("commons") + count("specials");
    let heads = moment.buffers.layout().heads;
    let deeds: Vec<String> = (0..spec.seats.len())
        .filter(|&seat| moment.acted[seat])
        .map(|seat| deed(spec, seat, &moment.joint[seat * heads..]))
        .collect();
    format!(
        "match {} {:>5.1} s  health {}  infected {infected}  does {}  value {:+.2}  earned {:+.2}  {} µs",
        moment.number,
        number(&seen["tick"]) / 30.0,
        team.join(" "),
        deeds.join(", "),
        moment.value,
        moment.earned,
        moment.thought.as_micros(),
    )
}

/// What a seat chose, in words; what every head has as its first action is doing nothing and is left out.
fn deed(spec: &Spec, seat: usize, chosen: &[u32]) -> String {
    let heads = &spec.role_of(seat).heads;
    let named = heads.iter().zip(chosen).filter(|(_, choice)| **choice > 0);
    let words: Vec<&str> = named
        .filter_map(|(head, &choice)| head.actions.get(choice as usize))
        .map(String::as_str)
        .collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join("+") }
}

fn ended(spec: &Spec, moment: &Moment) -> String {
    let stats = spec.stats_of(0, &moment.buffers.stats);
    let stat = |name: &str| {
        spec.stat_names().iter().position(|known| known == name).map_or(0.0, |i| stats[i])
    };
    let how = if stat("reached") > 0.0 { "arrived" } else { "did not arrive" };
    format!(
        "match {}: {how} after {:.0} s, {:.1} kills, earned {:+.2}",
        moment.number,
        stat("secs"),
        stat("kills"),
        moment.earned
    )
}

fn print(summary: &Summary) {
    let stat = |name: &str| {
        summary.stats.iter().find(|(known, _)| known == name).map_or(0.0, |(_, value)| *value)
    };
    say!(
        "{} matches, {:.0} % arrived; {} decisions in {} steps, {} matches lost with their server",
        summary.matches,
        100.0 * stat("reached"),
        summary.decisions,
        summary.steps,
        summary.lost
    );
}
