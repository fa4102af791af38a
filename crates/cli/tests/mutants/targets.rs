//! What is done with a mutant: all that the program would do with the file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use flate2::Compression;
use flate2::write::GzEncoder;
use lanista_game::{Entry, recording};
use lanista_nh::replay::{Agreement, Recording};
use lanista_train::evaluate::{Evaluation, evaluate};
use lanista_train::player::Player;
use lanista_train::replay::replay;
use lanista_train::seating::Cast;
use lanista_train::{Catalog, Orders, Plan, Run, layers, memory, model};

use crate::files::{self, Tree, read_tree, write_tree};
use crate::mutate::{self, Dice};

/// The files that mutants of a kind are made of, and a place to put them.
pub struct Target {
    kind: String,
    corpus: Tree,
    place: PathBuf,
}

impl Target {
    pub fn new(kind: &str, corpus: &Path, place: &Path) -> Self {
        Self { kind: kind.to_owned(), corpus: read_tree(corpus), place: place.to_owned() }
    }

    /// Makes the mutant of this number and does with it what the program would do. An error is as
    /// good as success; returns it, or what came of it.
    pub fn try_mutant(&self, number: usize) -> String {
        let mut dice = Dice::new(&self.kind, number);
        match self.kind.as_str() {
            "models" => self.model(&mut dice),
            "checkpoints" => self.checkpoint(&mut dice),
            "presets" => self.preset(&mut dice),
            "recordings" => self.recording(&mut dice),
            "traces" => self.trace(&mut dice),
            other => panic!("no target {other}"),
        }
        .map_or_else(|error| error, |()| "accepted".into())
    }

    /// One of the files, changed, and its name.
    fn one(&self, dice: &mut Dice) -> (PathBuf, Vec<u8>, Vec<u8>) {
        let names: Vec<&PathBuf> = self.corpus.keys().collect();
        let (name, other) = (dice.pick(&names).to_path_buf(), dice.pick(&names).to_path_buf());
        (name.clone(), self.corpus[&name].clone(), self.corpus[&other].clone())
    }

    fn model(&self, dice: &mut Dice) -> Result<(), String> {
        let (_, mut bytes, other) = self.one(dice);
        files::model(dice, &mut bytes, &other);
        let path = self.place.join("model.zip");
        fs::write(&path, bytes).unwrap();
        let metadata = model::metadata(&path).map_err(text)?;
        let catalog = Catalog { games: &games(), presets: &[] };
        let entry = catalog.game(&metadata.game).map_err(text)?;
        let spec = entry.build(&metadata.settings, 1).map_err(text)?.spec().clone();
        let spec = metadata.stack.widen(spec);
        let (roster, metadata) = model::load(&path, &spec).map_err(text)?;
        let (own, stack) = (&metadata.policy, &metadata.stack);
        memory::estimate_evaluation(&spec, &[own], stack, 1, 1).check().map_err(text)?;
        let weights = vec![vec![1.0; spec.terms.len()]; spec.roles.len()];
        let question = Evaluation {
            settings: &metadata.settings,
            stack,
            weights: &weights,
            matches: 1,
            deterministic: true,
            versus: Player::Learner,
            guests: Arc::default(),
            cast: Cast::default(),
            seed: 1,
            patience: Default::default(),
            watch: None,
            keep: None,
            interrupt: None,
            progress: None,
        };
        evaluate(&entry, &roster.all(), &question).map(drop).map_err(text)
    }

    fn checkpoint(&self, dice: &mut Dice) -> Result<(), String> {
        let mut tree = self.corpus.clone();
        // What a run reads when it goes on.
        let read = |path: &Path| {
            let name = path.file_name().unwrap().to_string_lossy();
            let own = path.starts_with("checkpoints") || path.starts_with("league");
            (own || name == "metrics.jsonl") && !name.contains("tfevents")
        };
        files::run(dice, &mut tree, read);
        let place = self.place.join("run");
        write_tree(&place, &tree);
        let preset = place.join("config.yml").display().to_string();
        let games = games();
        let mut run = Run::preset(&preset, &games).directory(&place).open().map_err(text)?;
        let interrupt = AtomicBool::new(false);
        let orders = Orders {
            pause_at: Some(run.trainer().progress().steps.saturating_add(1)),
            ..Orders::until_interrupted(&interrupt)
        };
        run.train(&mut [], &orders).map(drop).map_err(text)
    }

    fn preset(&self, dice: &mut Dice) -> Result<(), String> {
        let (_, mut bytes, other) = self.one(dice);
        mutate::text(dice, &mut bytes, &other);
        let path = self.place.join("mutant.yml");
        fs::write(&path, bytes).unwrap();
        let texts: Vec<(String, String)> = (self.corpus.iter())
            .map(|(path, bytes)| {
                let name = path.with_extension("").display().to_string();
                (name, String::from_utf8_lossy(bytes).into_owned())
            })
            .collect();
        let library: Vec<(&str, &str)> =
            texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let catalog = Catalog { games: &games(), presets: &library };
        let preset = catalog.load(&path.display().to_string(), &[]).map_err(text)?;
        let Plan { spec, config, exploiters, .. } = preset.plan(None).map_err(text)?;
        let estimate = memory::estimate(&spec, &config, &exploiters, 1).map_err(text)?;
        estimate.check().map_err(text)?;
        layers::to_yaml(&config).map(drop).map_err(text)
    }

    fn recording(&self, dice: &mut Dice) -> Result<(), String> {
        let (_, mut bytes, other) = self.one(dice);
        match dice.below(2) {
            0 => mutate::bytes(dice, &mut bytes, &other),
            _ => mutate::text(dice, &mut bytes, &other),
        }
        let (about, _) = recording::Recording::about(&bytes).map_err(text)?;
        let catalog = Catalog { games: &games(), presets: &[] };
        let entry = catalog.game(&about.game).map_err(text)?;
        let spec = entry.spec(&about.settings).map_err(text)?;
        let recording = recording::Recording::from_bytes(&bytes, &spec).map_err(text)?;
        replay(&entry, &about.settings, &recording, None, |_| {}).map(drop).map_err(text)
    }

    fn trace(&self, dice: &mut Dice) -> Result<(), String> {
        let (name, mut bytes, other) = self.one(dice);
        // The other side of a fight lies beside it, as it was.
        for (path, bytes) in &self.corpus {
            let twin = path.with_extension("jsonl");
            fs::write(self.place.join(twin), bytes).unwrap();
            fs::write(self.place.join(path).with_extension("jsonl.gz"), packed(bytes)).unwrap();
        }
        mutate::text(dice, &mut bytes, &other);
        let path = self.place.join(&name);
        let path = match dice.below(3) {
            0 => {
                let path = path.with_extension("jsonl.gz");
                let mut packed = packed(&bytes);
                if dice.below(2) == 0 {
                    mutate::bytes(dice, &mut packed, &other);
                }
                fs::write(&path, packed).unwrap();
                path
            }
            _ => {
                fs::write(&path, bytes).unwrap();
                path
            }
        };
        let recording = Recording::read(&path).map_err(text)?;
        recording.replay(&mut Agreement::default()).map_err(text)
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    std::io::Write::write_all(&mut packer, bytes).unwrap();
    packer.finish().unwrap()
}

fn games() -> Vec<Entry> {
    let mut games = lanista_classic::games().to_vec();
    games.extend(lanista_rocket::games());
    games.extend(lanista_nh::games());
    games
}
