//! `lanista replay`: recorded matches, played again.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use lanista_game::recording::{About, Recording};
use lanista_game::{Buffers, End, Entry, Spec, await_answer};
use lanista_train::replay::{Critic, Replayed, Step, replay};
use lanista_train::view::Viewer;
use serde_json::{Value, json};

use crate::args::ReplayArgs;
use crate::catalog;
use crate::eval::{DEFAULT_FPS, Playable, read_model};
use crate::limits;

/// The most bytes of a recording.
const MOST_BYTES: u64 = 1 << 30;
/// How long an engine may take to begin a match.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn run(args: ReplayArgs) -> anyhow::Result<()> {
    for (flag, file) in [("--frames", &args.frames), ("--scene", &args.scene)] {
        if file.is_some() && args.files.len() > 1 {
            bail!("{flag}: one file takes what is shown of one match; name one recording");
        }
    }
    let model = args.model.as_deref().map(|path| read_model(path, &[])).transpose()?;
    let mut differ = 0;
    for file in &args.files {
        let shown = file.display();
        let same = play(file, &args, model.as_ref()).with_context(|| format!("{shown}"))?;
        differ += usize::from(!same);
    }
    match differ {
        0 => Ok(()),
        _ => bail!(
            "{differ} of {} matches did not end as recorded: the game or its rules have changed",
            args.files.len()
        ),
    }
}

/// Plays one recording; tells whether it ended as recorded.
fn play(file: &Path, args: &ReplayArgs, model: Option<&Playable>) -> anyhow::Result<bool> {
    let size = std::fs::metadata(file).context("cannot read it")?.len();
    if size > MOST_BYTES {
        bail!("it has {size} bytes; no recording is that large");
    }
    let bytes = std::fs::read(file).context("cannot read it")?;
    let (about, _) = Recording::about(&bytes)?;
    let entry = catalog::game(&about.game)?;
    let spec = entry.spec(&about.settings)?;
    let recording = Recording::from_bytes(&bytes, &spec)?;
    if let Some(model) = model.filter(|model| model.metadata.game != about.game) {
        bail!("it is one of {}, and the model plays {}", about.game, model.metadata.game);
    }
    let mut viewer = viewer(args, &entry, &about)?;
    let mut frames = match &args.frames {
        Some(path) => Some(std::io::BufWriter::new(
            std::fs::File::create(path)
                .with_context(|| format!("cannot write {}", path.display()))?,
        )),
        None => None,
    };
    if let Some(path) = &args.scene {
        let scene = scene(&entry, &recording)?;
        std::fs::write(path, scene).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let mut told = Told { spec: &spec, json: args.json, steps: Vec::new(), failed: None };
    let critic = model.map(|m| Critic { roster: &m.roster, stack: &m.metadata.stack });
    let replayed = replay(&entry, &about.settings, &recording, critic.as_ref(), |step| {
        if let (Some(viewer), false) = (&mut viewer, step.frame.is_empty()) {
            viewer.send_in_time(step.frame);
        }
        if let (Some(frames), false) = (&mut frames, step.frame.is_empty())
            && let Err(error) = writeln!(frames, "{}", step.frame)
        {
            told.failed.get_or_insert(error);
        }
        if args.steps {
            told.step(step, &about);
        }
    })?;
    if let Some(error) = told.failed.take() {
        bail!("cannot write the frames: {error}");
    }
    told.end(file, &about, &replayed);
    Ok(replayed.differences.is_empty())
}

/// What does not change in a match, as its viewers are told.
fn scene(entry: &Entry, recording: &Recording) -> anyhow::Result<String> {
    let (about, played) = (&recording.about, &recording.played);
    let mut batch = entry.build(&about.settings, 1)?;
    let mut buffers = Buffers::new(batch.spec(), 1);
    batch.start(0, played.seed, &played.seats, &mut buffers)?;
    await_answer(batch.as_mut(), PATIENCE, &mut buffers)?;
    let mut scene = String::new();
    batch.scene(0, &mut scene);
    if scene.is_empty() {
        bail!("--scene: {} has frames alone; leave --scene out", about.game);
    }
    Ok(scene)
}

fn viewer(args: &ReplayArgs, entry: &Entry, about: &About) -> anyhow::Result<Option<Viewer>> {
    if args.frames.is_some() {
        limits::picture(entry, &about.settings, "--frames")?;
    }
    let Some(address) = args.render else { return Ok(None) };
    limits::picture(entry, &about.settings, "--render")?;
    let clock = entry.build(&about.settings, 1)?.step_secs().map(|secs| 1.0 / secs);
    let fps = args.fps.or(clock).unwrap_or(DEFAULT_FPS);
    Ok(Some(Viewer::new(address, fps).context("cannot open a socket for --render")?))
}

/// What is told about a match.
struct Told<'a> {
    spec: &'a Spec,
    json: bool,
    steps: Vec<Value>,
    failed: Option<std::io::Error>,
}

impl Told<'_> {
    fn step(&mut self, step: &Step, about: &About) {
        let (spec, heads) = (self.spec, step.buffers.layout().heads);
        let mut seats = Vec::new();
        for (seat, player) in about.players.iter().enumerate() {
            let role = spec.role_of(seat);
            let chosen: Vec<&str> = (role.heads.iter().zip(&step.joint[seat * heads..]))
                .map(|(head, &choice)| head.actions[choice as usize].as_str())
                .collect();
            let terms = &step.buffers.terms[seat * spec.terms.len()..];
            let earned: serde_json::Map<String, Value> = (spec.terms.iter().zip(terms))
                .filter(|(_, value)| **value != 0.0)
                .map(|(term, value)| (term.name.clone(), json!(value)))
                .collect();
            if self.json {
                seats.push(json!({
                    "player": player,
                    "actions": chosen,
                    "terms": earned,
                    "model": step.thoughts[seat],
                }));
                continue;
            }
            let thought = step.thoughts[seat].as_ref().map_or(String::new(), |thought| {
                let likely: f32 = thought.chosen.iter().product();
                format!("  model {:.1} %, value {:.3}", 100.0 * likely, thought.value)
            });
            let earned: Vec<String> = earned.iter().map(|(k, v)| format!("{k} {v}")).collect();
            let (number, actions) = (step.number, chosen.join(" "));
            let line = format!("{number:6}  {player}: {actions}  {}{thought}", earned.join(", "));
            say!("{}", line.trim_end());
        }
        if self.json {
            self.steps.push(json!({ "step": step.number, "seats": seats }));
        }
    }

    fn end(&mut self, file: &Path, about: &About, replayed: &Replayed) {
        let same = replayed.differences.is_empty();
        let result = &replayed.result;
        let terms = |seat: usize| -> serde_json::Map<String, Value> {
            let named = self.spec.terms.iter().zip(&result.terms[seat]);
            named.map(|(term, sum)| (term.name.clone(), json!(sum))).collect()
        };
        if self.json {
            let seats = about.players.iter().enumerate();
            let seats = seats.map(|(seat, player)| json!({"player": player, "terms": terms(seat)}));
            let mut value = json!({
                "file": file,
                "game": about.game,
                "settings": about.settings,
                "seed": about.seed,
                "steps": about.steps,
                "end": result.end,
                "score": result.score,
                "seats": seats.collect::<Vec<_>>(),
                "same": same,
                "differences": replayed.differences,
            });
            if !self.steps.is_empty() {
                value["played"] = Value::Array(std::mem::take(&mut self.steps));
            }
            say!("{value}");
            return;
        }
        let how = match result.end {
            End::Terminated => "decided",
            End::Truncated => "out of time",
        };
        let score: Vec<String> = result.score.iter().map(|s| format!("{s}")).collect();
        let (game, steps, score) = (&about.game, about.steps, score.join(" : "));
        say!("{}: {game}, {steps} steps, {how}, score {score}", file.display());
        for (seat, player) in about.players.iter().enumerate().filter(|(_, p)| *p != "nobody") {
            let earned: Vec<String> = terms(seat)
                .into_iter()
                .filter(|(_, sum)| sum.as_f64() != Some(0.0))
                .map(|(name, sum)| format!("{name} {sum}"))
                .collect();
            let role = match self.spec.roles.len() {
                1 => String::new(),
                _ => format!(" ({})", self.spec.role_of(seat).name),
            };
            say!("  seat {seat}{role}, {player}: {}", earned.join(", "));
        }
        match same {
            true => say!("  as recorded"),
            false => {
                replayed.differences.iter().for_each(|d| say!("  not as recorded: {d}"));
            }
        }
    }
}
