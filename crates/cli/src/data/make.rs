//! `lanista data make`: decisions out of recordings, whatever wrote them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use lanista_game::recording::Recording;
use lanista_game::{Entry, Episode, Verdict, parse_settings};
use lanista_train::dataset::{Writer, split_of};
use lanista_train::settings::differences;
use lanista_train::{RunConfig, recorded};
use serde_json::{Value, json};

use super::about;
use crate::args::MakeArgs;
use crate::catalog;
use crate::causes::told_once;

/// The most bytes of a recording of ours.
const MOST_BYTES: u64 = 1 << 30;
/// Recordings of ours end like this.
const OURS: &str = "rec";
/// Names, refusals and notes that are shown where there may be many.
const SHOWN: usize = 10;

/// What was made of the recordings.
#[derive(Default)]
struct Made {
    files: u64,
    refused: Vec<String>,
    /// Why something is not known or not exact, although nothing is wrong with it.
    notes: Vec<String>,
    /// Episodes that were not wanted.
    left_out: u64,
    /// Whoever decided anything, wanted or not.
    players: BTreeSet<String>,
}

/// What a file says beside its episodes.
#[derive(Default)]
struct Told {
    /// What of it is unsound, with the file and where in it.
    faults: Vec<String>,
    notes: Vec<String>,
}

pub fn run(args: &MakeArgs) -> anyhow::Result<()> {
    let (entry, config) = game(args)?;
    let files = found(args, &entry)?;
    let names: Vec<String> = args.from.iter().map(|path| path.display().to_string()).collect();
    let origin = format!("recordings of {}", names.join(", "));
    let mut writer = Writer::create(&args.out, about(&entry, &config, origin)?)?;
    let mut reader = Reader::new(&entry, &config, args)?;
    let mut made = Made::default();
    for file in &files {
        let mut episodes = Vec::new();
        let told = reader.read(file, &mut |episode| episodes.push(episode));
        let told = told.and_then(|told| match told.faults.first() {
            Some(first) if !args.skip_unsound => match told.faults.len() {
                1 => bail!("{first}"),
                all => bail!("{first}, and {} more like it in this file", all - 1),
            },
            _ => Ok(told),
        });
        match told {
            Ok(told) => {
                made.refused.extend(told.faults);
                made.notes.extend(told.notes);
            }
            Err(error) if args.skip_unsound => {
                made.refused.push(told_once(&error));
                continue;
            }
            Err(error) => {
                return Err(
                    error.context("--skip-unsound leaves what is unsound out and counts it")
                );
            }
        }
        made.files += u64::from(!episodes.is_empty());
        let match_key = key(file);
        let split = split_of(&match_key, args.held_out);
        for mut episode in episodes {
            episode.match_key.clone_from(&match_key);
            made.players.insert(episode.player.clone());
            if !wanted(&episode, args) {
                made.left_out += 1;
                continue;
            }
            match writer.push(&episode, split) {
                Err(error) if !args.skip_unsound => return Err(error.into()),
                Err(error) => made.refused.push(error.to_string()),
                Ok(()) => {}
            }
        }
    }
    if writer.written().decisions == 0 {
        bail!(nothing_left(args, &made, files.len()));
    }
    let written = writer.finish()?;
    if args.json {
        say!(
            "{}",
            json!({
                "files": made.files, "episodes": written.episodes, "decisions": written.decisions,
                "left_out": made.left_out, "refused": made.refused, "notes": made.notes,
                "out": args.out,
            })
        );
        return Ok(());
    }
    let out = args.out.display();
    say!("{} decisions of {} recordings are in {out}", written.decisions, made.files);
    if made.left_out > 0 {
        say!("{} episodes of other players or other ends were left out", made.left_out);
    }
    for why in &made.refused {
        say!("left out: {why}");
    }
    for note in made.notes.iter().take(SHOWN) {
        say!("note: {note}");
    }
    if let Some(more @ 1..) = made.notes.len().checked_sub(SHOWN) {
        say!("and {more} more notes; --json has them");
    }
    Ok(())
}

/// Why a dataset would be empty.
fn nothing_left(args: &MakeArgs, made: &Made, files: usize) -> String {
    let mut why = format!("nothing is left of {files} recordings");
    let players: Vec<&str> = made.players.iter().map(String::as_str).collect();
    let unknown = |player: &String| !made.players.contains(player);
    if !args.player.is_empty() && args.player.iter().all(unknown) {
        why += &format!("; nobody is called {}", args.player.join(" or "));
    } else if args.winners && made.left_out > 0 {
        why += "; --winners leaves only matches that were won";
    }
    if !players.is_empty() {
        why += &format!("; decided by: {}", listed(&players, ", "));
    }
    if !made.refused.is_empty() {
        let refused: Vec<&str> = made.refused.iter().map(String::as_str).collect();
        why += &format!("; left out: {}", listed(&refused, "; "));
    }
    why
}

/// The first of them, and how many more there are.
fn listed(all: &[&str], between: &str) -> String {
    let shown = all[..all.len().min(SHOWN)].join(between);
    match all.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}{between}and {more} more"),
    }
}

/// A preset's game with its settings, or a game by its name.
fn game(args: &MakeArgs) -> anyhow::Result<(Entry, RunConfig)> {
    if let Ok(entry) = catalog::game(&args.preset) {
        let (_, config) = catalog::load_game(&entry.name, &args.set)?;
        return Ok((entry, config));
    }
    let preset = catalog::load(&args.preset, &args.set)?;
    Ok((preset.entry, preset.config))
}

fn wanted(episode: &Episode, args: &MakeArgs) -> bool {
    let player = &episode.player;
    (args.player.is_empty() || args.player.contains(player))
        && (!args.winners || episode.verdict == Some(Verdict::Won))
}

/// What belongs to one match has one key: both sides of a recorded fight are held out together.
fn key(file: &Path) -> String {
    let name = file.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let fight = name.strip_suffix("_A.jsonl.gz").or_else(|| name.strip_suffix("_B.jsonl.gz"));
    fight.unwrap_or(&name).to_owned()
}

/// The recordings among what was named, in the order of their names.
fn found(args: &MakeArgs, entry: &Entry) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in &args.from {
        // What is not there is a slip of the pen, and nothing that --skip-unsound could mean.
        std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        if path.is_dir() {
            search(path, entry, &mut files, 0)?;
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    if files.is_empty() {
        let names: Vec<String> = args.from.iter().map(|path| path.display().to_string()).collect();
        bail!("no recording of {} in {}: {}", entry.name, names.join(", "), endings(&entry.name));
    }
    Ok(files)
}

fn endings(game: &str) -> &'static str {
    match game {
        "nh" => "they end in .jsonl.gz, or in .rec",
        "rocket" => "they end in .replay, or in .rec",
        "vgc" => "they end in .json, .log or .txt, or in .rec",
        "survivors" => "they end in .dem, or in .rec",
        _ => "they end in .rec; `lanista eval --record DIR` writes them",
    }
}

fn search(
    directory: &Path,
    entry: &Entry,
    files: &mut Vec<PathBuf>,
    depth: usize,
) -> anyhow::Result<()> {
    let cannot = || format!("cannot read {}", directory.display());
    for found in std::fs::read_dir(directory).with_context(cannot)? {
        let path = found.with_context(cannot)?.path();
        let name =
            path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        if path.is_dir() {
            // Links may go in circles.
            if depth < 16 {
                search(&path, entry, files, depth + 1)?;
            }
            continue;
        }
        let theirs = match entry.name.as_str() {
            "nh" => name.ends_with(".jsonl.gz"),
            "rocket" => name.ends_with(".replay"),
            "vgc" => lanista_vgc::decisions::is_recording(&path),
            "survivors" => name.ends_with(".dem"),
            _ => false,
        };
        if theirs || path.extension().is_some_and(|ending| ending == OURS) {
            files.push(path);
        }
    }
    Ok(())
}

/// Refuses options that mean nothing for recordings of this game.
fn only_for(entry: &Entry, args: &MakeArgs) -> anyhow::Result<()> {
    let game = &entry.name;
    if game != "rocket" && (args.mirrored || args.before_ball.is_some() || args.aside > 0) {
        bail!(
            "--mirrored, --before-ball and --aside are for replays of Rocket League, not for {game}"
        );
    }
    if game != "survivors" && args.nav.is_some() {
        bail!("--nav is for recordings of Left 4 Dead 2, not for {game}");
    }
    Ok(())
}

/// Whoever reads the recordings of a game.
struct Reader<'a> {
    entry: &'a Entry,
    settings: Value,
    foreign: Foreign,
}

/// What others have recorded, by game.
enum Foreign {
    Nh(lanista_nh::settings::Settings),
    Rocket(Box<lanista_rocket::settings::Settings>, lanista_rocket::episodes::Choice),
    Vgc(lanista_vgc::decisions::Reader),
    Survivors(lanista_survivors::settings::Settings, Option<PathBuf>),
    None,
}

impl<'a> Reader<'a> {
    fn new(entry: &'a Entry, config: &RunConfig, args: &MakeArgs) -> anyhow::Result<Self> {
        let settings = config.settings.clone();
        let refuse = |error: lanista_game::SettingsError| {
            anyhow::anyhow!("settings.{}: {}", error.key, error.message)
        };
        only_for(entry, args)?;
        let foreign = match entry.name.as_str() {
            "nh" => Foreign::Nh(parse_settings(&settings).map_err(refuse)?),
            "rocket" => {
                let choice = lanista_rocket::episodes::Choice {
                    mirrored: args.mirrored,
                    before_ball_secs: args.before_ball,
                    aside: args.aside.into(),
                };
                Foreign::Rocket(Box::new(parse_settings(&settings).map_err(refuse)?), choice)
            }
            "vgc" => Foreign::Vgc(lanista_vgc::decisions::Reader::new(
                &parse_settings(&settings).map_err(refuse)?,
            )),
            "survivors" => {
                Foreign::Survivors(parse_settings(&settings).map_err(refuse)?, args.nav.clone())
            }
            _ => Foreign::None,
        };
        Ok(Self { entry, settings, foreign })
    }

    fn read(&mut self, file: &Path, hear: &mut dyn FnMut(Episode)) -> anyhow::Result<Told> {
        let mut told = Told::default();
        if file.extension().is_some_and(|ending| ending == OURS) {
            let note = self.own(file, hear).with_context(|| format!("{}", file.display()))?;
            told.notes.extend(note.map(|note| format!("{}: {note}", file.display())));
            return Ok(told);
        }
        match &mut self.foreign {
            Foreign::Nh(settings) => {
                lanista_nh::decisions::episodes(file, settings, hear)?;
            }
            Foreign::Rocket(settings, choice) => {
                lanista_rocket::episodes::episodes(file, settings, *choice, hear)?;
            }
            Foreign::Vgc(reader) => {
                let summary = reader.episodes(file, hear)?;
                if summary.episodes == 0 {
                    bail!("{}: {}", file.display(), summary.refused.join("; "));
                }
                let named = |what: String| format!("{}: {what}", file.display());
                told.faults = summary.faults.into_iter().map(named).collect();
                told.faults.extend(summary.refused.into_iter().map(named));
                told.notes = summary.notes.into_iter().map(named).collect();
            }
            Foreign::Survivors(settings, nav) => {
                lanista_survivors::decisions::episodes(file, nav.as_deref(), settings, hear)?;
            }
            Foreign::None => bail!(
                "{}: recordings of {} end in .rec; `lanista eval --record DIR` writes them",
                file.display(),
                self.entry.name
            ),
        }
        Ok(told)
    }

    /// A recording of ours, played again as it was recorded. Says so if that was under other settings than those
    /// that the dataset will name.
    fn own(&self, file: &Path, hear: &mut dyn FnMut(Episode)) -> anyhow::Result<Option<String>> {
        let size = std::fs::metadata(file).context("cannot read it")?.len();
        if size > MOST_BYTES {
            bail!("it has {size} bytes; no recording is that large");
        }
        let bytes = std::fs::read(file).context("cannot read it")?;
        let (about, _) = Recording::about(&bytes)?;
        if about.game != self.entry.name {
            bail!("it is one of {}, not of {}", about.game, self.entry.name);
        }
        // What belongs to this machine, such as where the simulator is, comes from the preset.
        let mut settings = about.settings.clone();
        for name in self.entry.machine_settings() {
            if let (Some(own), Some(map)) = (self.settings.get(name), settings.as_object_mut()) {
                map.insert(name.to_owned(), own.clone());
            }
        }
        let spec = self.entry.spec(&settings)?;
        let recording = Recording::from_bytes(&bytes, &spec)?;
        let name = file.file_name().map_or(String::new(), |name| name.to_string_lossy().into());
        for episode in recorded::episodes(self.entry, &settings, &recording, &name)? {
            hear(episode);
        }
        let changes = differences(&self.entry.settings, &about.settings, &self.settings);
        let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
        Ok((!told.is_empty())
            .then(|| format!("it was recorded under other settings: {}", told.join("; "))))
    }
}
