//! `lanista survivors pacing`: how the director paced a match.

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Context, bail, ensure};
use lanista_game::recording::Recording;
use lanista_survivors::pacing::{Moment, mean, rises, spans, svg, to_json};
use lanista_survivors::sim::director::Phase;
use lanista_train::evaluate::{Evaluation, evaluate};
use lanista_train::layers::Override;
use lanista_train::player::Player;
use lanista_train::replay::replay;
use lanista_train::seating::Guests;
use lanista_train::shard::Patience;

use super::bytes_of;
use crate::catalog;
use crate::eval::read_model;

/// The game whose frames are understood.
const GAME: &str = "survivors";
/// How a file of a recorded match ends.
const RECORDING: &str = "rec";
/// Where a drawing goes that was not given a place.
const DRAWING: &str = "pacing.svg";

pub fn run(
    played: &Path,
    out: Option<&Path>,
    json: bool,
    seed: Option<u64>,
    set: &[Override],
) -> anyhow::Result<()> {
    let shown = played.display();
    let recorded = played.extension().is_some_and(|kind| kind == RECORDING);
    if recorded && (seed.is_some() || !set.is_empty()) {
        bail!("{shown} is over: leave --seed and --set out, or name a run to play another match");
    }
    let frames = match recorded {
        true => frames_of_recording(played).with_context(|| shown.to_string())?,
        false => frames_of_model(played, seed.unwrap_or(0), set)?,
    };
    let moments: Vec<Moment> = frames
        .iter()
        .map(|frame| Moment::read(frame))
        .collect::<Result<_, _>>()
        .context("a frame says nothing of the director")?;
    ensure!(!moments.is_empty(), "{shown}: the match has no moment to show");
    let title = match seed {
        Some(seed) => format!("{shown}, seed {seed}"),
        None => shown.to_string(),
    };
    let out = out.or_else(|| (!json).then_some(Path::new(DRAWING)));
    if let Some(out) = out {
        std::fs::write(out, svg(&moments, &title))
            .with_context(|| format!("cannot write {}", out.display()))?;
    }
    if json {
        say!("{}", to_json(&moments));
    } else {
        tell(&moments, out);
    }
    Ok(())
}

/// Plays a match of a model.
fn frames_of_model(run: &Path, seed: u64, set: &[Override]) -> anyhow::Result<Vec<String>> {
    let model = read_model(run, set)?;
    is_ours(&model.metadata.game)?;
    model.remarks.iter().for_each(|remark| complain!("warning: {remark}"));
    let weights: Vec<Vec<f32>> =
        (0..model.spec.roles.len()).map(|role| model.metadata.weights(&model.spec, role)).collect();
    let frames = Mutex::new(Vec::new());
    let watch = |_: usize, frame: &str| {
        if let Ok(mut frames) = frames.lock() {
            frames.push(frame.to_owned());
        }
    };
    let question = Evaluation {
        settings: &model.settings,
        stack: &model.metadata.stack,
        weights: &weights,
        matches: 1,
        deterministic: true,
        versus: Player::Learner,
        guests: Arc::<Guests>::default(),
        cast: model.cast.clone(),
        seed,
        patience: Patience::default(),
        watch: Some(&watch),
        keep: None,
        interrupt: None,
        progress: None,
    };
    evaluate(&model.entry, &model.roster.all(), &question)?;
    Ok(frames.into_inner().unwrap_or_default())
}

/// Plays a recorded match again.
fn frames_of_recording(file: &Path) -> anyhow::Result<Vec<String>> {
    let bytes = bytes_of(file)?;
    let (about, _) = Recording::about(&bytes)?;
    is_ours(&about.game)?;
    let entry = catalog::game(&about.game)?;
    let recording = Recording::from_bytes(&bytes, &entry.spec(&about.settings)?)?;
    let mut frames = Vec::new();
    let replayed = replay(&entry, &about.settings, &recording, None, |step| {
        frames.push(step.frame.to_owned());
    })?;
    if !replayed.differences.is_empty() {
        complain!("warning: it did not end as recorded: the game or its rules have changed");
    }
    Ok(frames)
}

fn is_ours(game: &str) -> anyhow::Result<()> {
    ensure!(game == GAME, "it plays {game}, which has no director; name a run of {GAME}");
    Ok(())
}

fn tell(moments: &[Moment], out: Option<&Path>) {
    let secs = moments.last().map_or(0.0, |last| last.secs);
    let target = moments.first().map_or(0.0, |first| first.target);
    let (stress, error) =
        (mean(moments, |m| m.stress), mean(moments, |m| (m.stress - m.target).abs()));
    say!(
        "{secs:.0} seconds; stress {stress:.3} on average, {error:.3} from the target of {target}"
    );
    let phases = spans(moments, |m| m.phase);
    for (phase, name) in
        Phase::ALL.into_iter().zip(["build-up", "sustained peak", "fade", "relaxation"])
    {
        let its = phases.iter().filter(|span| span.what == phase);
        let (times, secs) =
            its.fold((0, 0.0), |(times, secs), span| (times + 1, secs + span.to - span.from));
        say!("  {name:<16} {times:>3} times {secs:>7.1} s");
    }
    let count = |times: Vec<f32>| times.len();
    say!(
        "  mobs {}, went down {}, died {}",
        count(rises(moments, |m| m.mobs)),
        count(rises(moments, |m| m.down)),
        count(rises(moments, |m| m.dead))
    );
    if let Some(out) = out {
        say!("drawn to {}", out.display());
    }
}
