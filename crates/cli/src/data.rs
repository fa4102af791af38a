//! `lanista data`: datasets of recorded decisions.

mod make;
mod show;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use lanista::ProgressLine;
use lanista_game::{Episode, seed};
use lanista_train::dataset::{About, Corpus, Dataset, Split, Writer, split_of};
use lanista_train::gather::{Gather, gather};
use lanista_train::settings::differences;
use lanista_train::trainer::cores;
use lanista_train::{RunConfig, TrainError};
use serde_json::json;

use crate::args::{DataArgs, DataWhat, MergeArgs, PlayDataArgs, SplitArgs};
use crate::{catalog, clone};

pub fn run(args: DataArgs) -> anyhow::Result<()> {
    match args.what {
        DataWhat::Make(args) => make::run(&args),
        DataWhat::Play(args) => play(&args),
        DataWhat::Info(args) => show::info(&args),
        DataWhat::Head(args) => show::head(&args),
        DataWhat::Merge(args) => merge(&args),
        DataWhat::Split(args) => split(&args),
    }
}

/// What a dataset of this configuration says about itself.
fn about(entry: &lanista_game::Entry, config: &RunConfig, origin: String) -> anyhow::Result<About> {
    Ok(About {
        game: entry.name.clone(),
        settings: entry.portable(&config.settings),
        spec: entry.spec(&config.settings)?,
        lanista: env!("CARGO_PKG_VERSION").to_owned(),
        origin,
    })
}

fn play(args: &PlayDataArgs) -> anyhow::Result<()> {
    let preset = catalog::load(&args.preset, &args.set)?;
    let who = clone::who(&args.by).with_context(|| format!("--by {}", args.by))?;
    let (entry, config) = (&preset.entry, &preset.config);
    let origin = format!(
        "{} matches played by {} against {}, seed {}",
        args.matches,
        args.by,
        args.vs.join(", "),
        args.seed
    );
    let mut writer = Writer::create(&args.out, about(entry, config, origin)?)?;
    let threads = args.threads.unwrap_or_else(cores);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let wish = Gather {
        entry,
        settings: &config.settings,
        teacher: who.teacher(),
        pupil: None,
        control: 1.0,
        versus: &args.vs,
        matches: args.matches,
        slots: config.rollout.matches,
        shard: config.rollout.shard_size(),
        seed: seed::mix(args.seed, 31),
        patience: lanista_train::shard::Patience {
            answer: std::time::Duration::from_secs_f64(config.rollout.patience_secs),
            lost: config.rollout.max_lost,
            once_more: true,
        },
        pool: Some(&pool),
        interrupt: None,
    };
    let line = ProgressLine::new("playing".into());
    let mut tell = |done: usize| line.tell(done, args.matches);
    let mut push = |episode: Episode| -> Result<(), TrainError> {
        let split = split_of(episode.of_match(), args.held_out);
        Ok(writer.push(&episode, split)?)
    };
    let gathered = gather(&wish, &mut tell, &mut push)?;
    drop(line);
    let written = writer.finish()?;
    match args.json {
        true => say!(
            "{}",
            json!({"matches": gathered.matches, "episodes": written.episodes, "decisions": written.decisions,
                   "lost": gathered.lost, "out": args.out})
        ),
        false => say!(
            "{} decisions of {} matches are in {}",
            written.decisions,
            gathered.matches,
            args.out.display()
        ),
    }
    Ok(())
}

/// Copies the episodes of datasets into one, each into the split that `deal` says.
fn copy(
    from: &[Dataset],
    out: &Path,
    origin: String,
    deal: impl Fn(&Episode, Split) -> Split,
) -> anyhow::Result<()> {
    let first = &from[0].index.about;
    for other in &from[1..] {
        other.check(&first.spec)?;
        agree(&from[0], other)?;
    }
    let mut writer = Writer::create(out, About { origin, ..first.clone() })?;
    let corpus = Corpus::new(from.to_vec());
    for split in [Split::Train, Split::HeldOut] {
        for place in corpus.blocks(split) {
            for episode in corpus.read(&place)? {
                writer.push(&episode, deal(&episode, split))?;
            }
        }
    }
    let written = writer.finish()?;
    say!(
        "{} decisions of {} episodes are in {}",
        written.decisions,
        written.episodes,
        out.display()
    );
    Ok(())
}

/// Refuses to join what was made under other settings: the whole can have but one of them.
fn agree(first: &Dataset, other: &Dataset) -> anyhow::Result<()> {
    let (one, two) = (&first.index.about, &other.index.about);
    // A game that the program does not know has no defaults that it could know.
    let known = catalog::game(&one.game).map(|entry| entry.settings).unwrap_or_default();
    let changes = differences(&known, &one.settings, &two.settings);
    if changes.is_empty() {
        return Ok(());
    }
    let told = changes.iter().map(|c| format!("{} is {} and {}", c.key, c.then, c.now));
    bail!(
        "{} and {} were made under other settings: {}; `lanista clone --data DIR --data DIR --set \
         clone.other_settings=true` learns from both without joining them",
        first.path.display(),
        other.path.display(),
        told.collect::<Vec<_>>().join("; ")
    )
}

/// The matches of which anything is held out.
fn held_out(from: &[Dataset]) -> anyhow::Result<BTreeSet<String>> {
    let corpus = Corpus::new(from.to_vec());
    let mut held = BTreeSet::new();
    for place in corpus.blocks(Split::HeldOut) {
        held.extend(corpus.read(&place)?.iter().map(|episode| episode.of_match().to_owned()));
    }
    Ok(held)
}

fn merge(args: &MergeArgs) -> anyhow::Result<()> {
    let all = args.from.iter().map(|path| Dataset::open(path)).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = args.from.iter().map(|path| path.display().to_string()).collect();
    // One of them may hold a match out of which another has the other side.
    let held = held_out(&all)?;
    let deal = |episode: &Episode, split: Split| match held.contains(episode.of_match()) {
        true => Split::HeldOut,
        false => split,
    };
    copy(&all, &args.out, format!("joined of {}", names.join(", ")), deal)
}

fn split(args: &SplitArgs) -> anyhow::Result<()> {
    let dataset = Dataset::open(&args.data)?;
    let origin = dataset.index.about.origin.clone();
    copy(&[dataset], &args.out, origin, |episode, _| split_of(episode.of_match(), args.held_out))
}
