//! Where a run's league stands: what `pool.json` and `results.csv` say.

use std::path::Path;

use anyhow::{Context, bail};
use lanista_league::{Origin, Snapshot, Tally};
use lanista_train::files::{RUNS, RunFiles};
use lanista_train::league::{LeagueState, snapshot_name};
use lanista_train::model;
use lanista_train::preset::nobody_to_meet;
use serde_json::{Value, json};

use super::history::History;
use super::{NEWEST, align};
use crate::resume::no_run;
use crate::{catalog, eval};

/// The rating of the anchor, and where the learner began.
pub const ANCHOR_ELO: f64 = 1500.0;

/// The standings of a run.
pub struct Standings {
    pub game: String,
    /// Steps of the newest model.
    pub steps: u64,
    pub state: LeagueState,
    /// The scripted player at 1500; none if the game has no scripted players.
    pub anchor: Option<String>,
    pub history: History,
}

/// A rated player that is no snapshot.
pub struct Other {
    pub name: String,
    pub elo: f64,
    pub anchor: bool,
    pub games: u64,
    /// The learner's score against it; `None` if they never met.
    pub score: Option<f64>,
}

impl Standings {
    /// Reads what a run left. Everything that is missing is named with what makes it.
    pub fn read(run: &Path) -> anyhow::Result<Self> {
        let place = run.display();
        if !run.is_dir() {
            let what = if run.exists() { "is a file" } else { "does not exist" };
            bail!("{place} {what}: name a run's directory; `ls {RUNS}` shows yours");
        }
        let files = RunFiles::of(run);
        let config = files.config();
        if !config.is_file() {
            bail!(no_run(run));
        }
        let loaded = catalog::load(&config.display().to_string(), &[])?;
        if let Some(why) = nobody_to_meet(&loaded.entry, &loaded.config.settings, &loaded.spec) {
            bail!("{place} has no league: {why}; name a run of a game for two, such as duel");
        }
        let pool = files.pool();
        if !pool.is_file() {
            bail!(
                "{place} has no league yet: there is no {}; it is written with the first \
                 checkpoint, and `lanista train --resume {place}` goes on to it",
                pool.display()
            );
        }
        let text =
            std::fs::read(&pool).with_context(|| format!("cannot read {}", pool.display()))?;
        let state: LeagueState = serde_json::from_slice(&text).with_context(|| {
            let remedy = format!("`lanista train --resume {place}` writes it anew when it saves");
            format!("{} is damaged ({remedy})", pool.display())
        })?;
        let steps = model::metadata(&eval::model_path(run)?)?.steps;
        let path = files.results();
        let mut history = History::read(&path)?;
        let pending: u64 = state.period.values().map(Tally::games).sum();
        if history.first.is_none() && state.games > pending {
            history.remarks.push(format!(
                "{} has no matches, but {} were rated: there is no curve to draw",
                path.display(),
                state.games
            ));
        }
        history.add_latest(&state.period, steps, state.elo);
        let first = || loaded.spec.bots().first().map(|bot| format!("bot:{bot}"));
        let anchor = loaded.config.league.anchor.or_else(first);
        let game = loaded.config.game;
        Ok(Self { game, steps, state, anchor, history })
    }

    /// The snapshots, strongest first.
    fn snapshots(&self) -> Vec<&Snapshot> {
        let mut snapshots: Vec<&Snapshot> = self.state.pool.snapshots().iter().collect();
        snapshots.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        snapshots
    }

    /// The other rated players, strongest first. The anchor is among them even if it was never met.
    pub fn others(&self) -> Vec<Other> {
        let mut rated = self.state.others.clone();
        if let Some(anchor) = &self.anchor {
            rated.entry(anchor.clone()).or_insert(ANCHOR_ELO);
        }
        let other = |(name, elo): (String, f64)| {
            let met = self.history.met.get(&name).copied().unwrap_or_default();
            let anchor = self.anchor.as_ref() == Some(&name);
            let score = (met.games > 0).then_some(met.score);
            Other { name, elo, anchor, games: met.games, score }
        };
        let mut others: Vec<Other> = rated.into_iter().map(other).collect();
        others.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        others
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let snapshot = |s: &&Snapshot| {
            json!({
                "name": snapshot_name(s.id),
                "id": s.id,
                "origin": s.origin,
                "steps": s.steps,
                "elo": s.elo,
                "games": s.games,
                "score": (s.games > 0).then_some(s.score),
                "usable": s.usable,
            })
        };
        let other = |o: Other| {
            json!({
                "name": o.name,
                "elo": o.elo,
                "anchor": o.anchor,
                "games": o.games,
                "score": o.score,
            })
        };
        let since = |(iteration, steps)| json!({"iteration": iteration, "steps": steps});
        json!({
            "game": self.game,
            "games": self.state.games,
            "since": self.state.since.map(since),
            "learner": {"name": NEWEST, "steps": self.steps, "elo": self.state.elo},
            "snapshots": self.snapshots().iter().map(snapshot).collect::<Vec<_>>(),
            "others": self.others().into_iter().map(other).collect::<Vec<_>>(),
        })
    }

    /// For people.
    pub fn print(&self) {
        let (game, steps) = (&self.game, self.steps);
        let rated = match (self.state.games, self.state.since) {
            (0, _) => "no rated matches yet: `opponents` gives others than `self` a share".into(),
            (games, Some((iteration, steps))) => {
                format!("{games} rated matches since iteration {iteration}, {steps} steps")
            }
            (games, None) => format!("{games} rated matches"),
        };
        say!("{game} after {steps} steps, {rated}\n");
        let score =
            |score: Option<f64>| score.map_or("–".into(), |s| format!("{:.0} %", 100.0 * s));
        let head = ["player", "origin", "steps", "Elo", "games", "score", ""];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        let mut row = |columns: [String; 7]| rows.push(columns.to_vec());
        let nothing = String::new;
        let elo = |elo: f64| format!("{elo:.0}");
        row([
            NEWEST.into(),
            "learner".into(),
            self.steps.to_string(),
            elo(self.state.elo),
            nothing(),
            nothing(),
            nothing(),
        ]);
        for s in self.snapshots() {
            row([
                snapshot_name(s.id),
                origin(s.origin).into(),
                s.steps.to_string(),
                elo(s.elo),
                s.games.to_string(),
                score((s.games > 0).then_some(s.score)),
                if s.usable { nothing() } else { "unusable: its file is damaged".into() },
            ]);
        }
        for other in self.others() {
            let (kind, _) = other.name.split_once(':').unwrap_or_default();
            let (name, mark) = (other.name.clone(), if other.anchor { "anchor" } else { "" });
            let games = other.games.to_string();
            let columns = [
                name,
                kind.into(),
                nothing(),
                elo(other.elo),
                games,
                score(other.score),
                mark.into(),
            ];
            row(columns);
        }
        align(&rows, &[0, 1, 6]);
        if rows.len() > 2 {
            say!(
                "\nscore: the learner's points per match, of about its last 100 against the player"
            );
        }
    }
}

/// Where a snapshot comes from, in words.
fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Main => "main",
        Origin::MainExploiter => "main exploiter",
        Origin::LeagueExploiter => "league exploiter",
        Origin::Milestone => "milestone",
    }
}
