//! The league of a run: a pool of its own past, ratings, and models from elsewhere.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use lanista_league::{Conduct, Drawn, Elo, Opponent, Origin, Pool, Sampler, Shares};
use lanista_learn::{Policy, Shape};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::checkpoint::Progress;
use crate::config::Player;
use crate::crc::checksum;
use crate::disk::{DiskError, on};
use crate::evaluate::outcome;
use crate::model::{self, Metadata, ModelError};
use crate::results::{LATEST, RatedGame, Row, Tally};
use crate::seating::{Deal, Guests, Manners};
use crate::shard::Finished;

/// The key `league` of a preset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeagueConfig {
    /// Steps between two snapshots of the learner.
    pub every: u64,
    /// How many snapshots the pool keeps.
    pub pool: usize,
    /// How a past opponent is picked.
    pub sampler: Sampler,
    /// Snapshots rated so far below the learner are dropped.
    pub min_elo_diff: Option<f64>,
    /// The most points that one match moves a rating.
    pub k: f64,
    /// The scripted player that stands at 1500; the first of the game when left out.
    pub anchor: Option<String>,
    /// Probability that an opponent keeps its last action.
    pub delay_chance: f64,
    /// Share of matches in which opponents take the most likely action.
    pub deterministic: f64,
    /// Share of matches in which the learner's mates are past policies.
    pub mates: f64,
}

impl Default for LeagueConfig {
    fn default() -> Self {
        Self {
            every: 1_000_000,
            pool: 20,
            sampler: Sampler::default(),
            min_elo_diff: None,
            k: 16.0,
            anchor: None,
            delay_chance: 0.0,
            deterministic: 0.0,
            mates: 0.0,
        }
    }
}

impl LeagueConfig {
    /// How guests play.
    pub fn manners(&self) -> Manners {
        let (delay_chance, deterministic) = (self.delay_chance, self.deterministic);
        Manners { conduct: Conduct { delay_chance, deterministic }, mates: self.mates }
    }

    /// The first key that is out of range, and what it may be.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        if self.every == 0 {
            return Some(("every", "0 is too small; it is at least 1".into()));
        }
        if self.pool == 0 {
            return Some(("pool", "0 is too small; it is at least 1".into()));
        }
        for (key, share) in [
            ("delay_chance", self.delay_chance),
            ("deterministic", self.deterministic),
            ("mates", self.mates),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Some((key, format!("{share} is out of range; it is between 0 and 1")));
            }
        }
        if !(self.k > 0.0 && self.k.is_finite()) {
            return Some(("k", format!("{} is out of range; it is above 0", self.k)));
        }
        if self.min_elo_diff.is_some_and(|diff| !(diff > 0.0 && diff.is_finite())) {
            return Some(("min_elo_diff", "it is a positive number of points".into()));
        }
        self.sampler.fault().map(|fault| ("sampler", fault))
    }
}

/// What a checkpoint keeps of a league.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeagueState {
    /// The pool.
    pub pool: Pool,
    /// The learner's rating.
    #[serde(deserialize_with = "lanista_league::rating::read")]
    pub elo: f64,
    /// Ratings of scripted players and models from elsewhere, by name.
    #[serde(deserialize_with = "read_ratings")]
    pub others: BTreeMap<String, f64>,
    /// Rated matches so far.
    #[serde(deserialize_with = "read_count")]
    pub games: u64,
    /// Iteration and steps of the first.
    #[serde(default)]
    pub since: Option<(u64, u64)>,
    /// Those of the period that is not over yet, by opponent.
    #[serde(default)]
    pub period: BTreeMap<String, Tally>,
    /// The latest of them.
    #[serde(default)]
    pub latest: VecDeque<RatedGame>,
}

fn read_ratings<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let ratings = BTreeMap::<String, f64>::deserialize(from)?;
    match ratings.iter().find(|(_, elo)| !lanista_league::rating::is_rating(**elo)) {
        Some((name, elo)) => Err(D::Error::custom(format!("{elo:e} is no rating of {name}"))),
        None => Ok(ratings),
    }
}

/// A count that goes on: adding to it must not overflow.
fn read_count<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let count = u64::deserialize(from)?;
    let problem = || D::Error::custom(format!("{count} matches are more than can be played"));
    if count <= 1 << 48 { Ok(count) } else { Err(problem()) }
}

/// A league that cannot be used.
#[derive(Debug, Error)]
pub enum LeagueError {
    /// A model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A model belongs to another game.
    #[error("{} plays {found}, not {wanted}; name a model of {wanted}", path.display())]
    OtherGame {
        /// Which file.
        path: PathBuf,
        /// Its game.
        found: String,
        /// The run's.
        wanted: String,
    },
}

/// Models from elsewhere have numbers from here on; snapshots stay below.
pub(crate) const ELSEWHERE: u64 = 1 << 32;

/// A model from elsewhere.
struct Visitor {
    name: String,
    path: PathBuf,
    /// Is it read again when it changes?
    changing: bool,
    read: Option<SystemTime>,
}

/// The league of a run.
pub struct League {
    config: LeagueConfig,
    /// What a checkpoint keeps.
    pub state: LeagueState,
    anchor: String,
    policies: BTreeMap<u64, Arc<Policy>>,
    visitors: Vec<Visitor>,
    /// Remarks for the user, such as a damaged snapshot.
    pub remarks: Vec<String>,
}

impl League {
    /// A league at the start of a run; models from elsewhere are read now.
    pub fn new(
        config: LeagueConfig,
        opponents: &Shares,
        bots: &[&str],
        game: &str,
        shape: &Shape,
    ) -> Result<Self, LeagueError> {
        let anchor = config.anchor.clone().or(bots.first().map(|bot| format!("bot:{bot}")));
        let pool = Pool::new(config.pool);
        let state = LeagueState {
            pool,
            elo: 1500.0,
            others: BTreeMap::new(),
            games: 0,
            since: None,
            period: BTreeMap::new(),
            latest: VecDeque::new(),
        };
        let mut league = Self {
            config,
            state,
            anchor: anchor.unwrap_or_default(),
            policies: BTreeMap::new(),
            visitors: Vec::new(),
            remarks: Vec::new(),
        };
        for (opponent, _) in opponents.written() {
            let (path, changing) = match opponent {
                Opponent::Target(path) => (PathBuf::from(path), false),
                Opponent::Latest(run) => (Path::new(run).join("model.zip"), true),
                _ => continue,
            };
            let name = opponent.to_string();
            league.visitors.push(Visitor { name, path, changing, read: None });
        }
        for index in 0..league.visitors.len() {
            league.read_visitor(index, game, shape)?;
        }
        Ok(league)
    }

    /// Goes on by other rules; models from elsewhere stay those of the start.
    pub fn set_config(&mut self, config: LeagueConfig) {
        self.state.pool.set_capacity(config.pool);
        self.config = config;
    }

    /// How seats are dealt by these shares of matches.
    pub fn deal(&self, shares: Shares, bots: &[&str]) -> Deal {
        let player = |opponent: &Opponent| match opponent {
            Opponent::Myself => Some(Player::Learner),
            Opponent::Past => None, // drawn match by match
            Opponent::Bot(name) => bots.iter().position(|bot| bot == name).map(Player::Bot),
            Opponent::Target(_) | Opponent::Latest(_) => {
                let name = opponent.to_string();
                let visitor = self.visitors.iter().position(|visitor| visitor.name == name)?;
                Some(Player::Frozen(ELSEWHERE + visitor as u64))
            }
        };
        let known = shares.written().filter_map(|(o, _)| Some((o.clone(), player(o)?))).collect();
        Deal::Shared { shares, known }
    }

    fn read_visitor(&mut self, index: usize, game: &str, shape: &Shape) -> Result<(), LeagueError> {
        let visitor = &mut self.visitors[index];
        let path = &visitor.path;
        visitor.read = on("read", path, std::fs::metadata(path))?.modified().ok();
        let found = model::metadata(path)?.game;
        if found != game {
            let (path, wanted) = (path.clone(), game.to_owned());
            return Err(LeagueError::OtherGame { path, found, wanted });
        }
        let (policy, _) = model::load(path, shape.clone())?;
        self.policies.insert(ELSEWHERE + index as u64, Arc::new(policy));
        Ok(())
    }

    /// Reads the models of other runs again where they have changed. One that is being replaced, or
    /// that does not fit, is passed over until it changes again.
    pub fn refresh(&mut self, game: &str, shape: &Shape) {
        for index in 0..self.visitors.len() {
            let visitor = &self.visitors[index];
            let now = std::fs::metadata(&visitor.path).and_then(|m| m.modified()).ok();
            if visitor.changing && now.is_some() && now != visitor.read {
                let name = visitor.name.clone();
                if let Err(error) = self.read_visitor(index, game, shape) {
                    self.visitors[index].read = now;
                    self.remarks.push(format!("{name} is not read again: {error}"));
                }
            }
        }
    }

    /// Who may be met now: the pool with its probabilities, models from elsewhere, and whoever sits
    /// in a running match.
    pub fn guests(&self) -> Arc<Guests> {
        let past = self.state.pool.probabilities(&self.config.sampler, self.state.elo);
        Arc::new(Guests { policies: self.policies.clone(), past })
    }

    /// Forgets the policies of snapshots that were dropped and sit in no running match.
    pub fn release(&mut self, seated: &BTreeSet<u64>) {
        let pool = &self.state.pool;
        self.policies.retain(|id, _| {
            *id >= ELSEWHERE || seated.contains(id) || pool.get(*id).is_some_and(|s| s.usable)
        });
    }

    /// The name under which a player is rated.
    pub fn name(&self, player: Player, bots: &[&str]) -> String {
        match player {
            Player::Learner => "self".into(),
            Player::Bot(bot) => format!("bot:{}", bots[bot]),
            Player::Frozen(id) if id >= ELSEWHERE => self
                .visitors
                .get((id - ELSEWHERE) as usize)
                .map_or(String::new(), |v| v.name.clone()),
            Player::Frozen(id) => snapshot_name(id),
        }
    }

    /// Rates the matches that finished in an iteration, one after the other, and lets the pool learn
    /// from them.
    pub fn rate(&mut self, finished: &[Finished], bots: &[&str], now: &Progress) {
        let elo = Elo { k: self.config.k, ..Elo::default() };
        for match_ in finished {
            let name = match match_.opponent {
                Player::Learner => continue,
                player => self.name(player, bots),
            };
            let result = outcome(match_);
            let opponent_elo = match match_.opponent {
                Player::Frozen(id) if id < ELSEWHERE => {
                    let drawn = Drawn { id, probability: match_.probability };
                    self.state.pool.record(&self.config.sampler, drawn, result);
                    let before = self.state.elo;
                    self.state.elo = self.state.pool.rate(&elo, before, &[(id, result)]);
                    match self.state.pool.get(id) {
                        Some(snapshot) if snapshot.usable => snapshot.elo,
                        // Dropped while the match was on: it is rated no more.
                        _ => continue,
                    }
                }
                _ => {
                    let theirs = self.state.others.entry(name.clone()).or_insert(1500.0);
                    let (mine, moved) = elo.update(self.state.elo, *theirs, result.score());
                    self.state.elo = mine;
                    if name != self.anchor {
                        *theirs = moved;
                    }
                    *theirs
                }
            };
            self.state.period.entry(name.clone()).or_default().count(result);
            if self.state.latest.len() >= LATEST {
                self.state.latest.pop_front();
            }
            self.state.latest.push_back(RatedGame {
                number: self.state.games,
                iteration: now.iteration,
                steps: now.steps,
                match_index: match_.match_index,
                episode: match_.episode,
                opponent: name,
                result,
                elo: self.state.elo,
                opponent_elo,
            });
            self.state.games += 1;
            self.state.since.get_or_insert((now.iteration, now.steps));
        }
    }

    /// Ends a period: what was played in it, by opponent.
    pub fn close_period(&mut self, now: &Progress) -> Vec<Row> {
        let period = std::mem::take(&mut self.state.period);
        let row = |(opponent, tally): (String, Tally)| Row {
            iteration: now.iteration,
            steps: now.steps,
            opponent_elo: self.elo_of(&opponent),
            opponent,
            tally,
            elo: self.state.elo,
        };
        period.into_iter().map(row).collect()
    }

    fn elo_of(&self, name: &str) -> f64 {
        let id = name.strip_prefix(PAST).and_then(|id| id.parse().ok());
        let snapshot = id.and_then(|id| self.state.pool.get(id)).map(|snapshot| snapshot.elo);
        snapshot.or(self.state.others.get(name).copied()).unwrap_or(1500.0)
    }

    /// Is a snapshot due between these steps?
    pub fn due(&self, before: u64, now: u64) -> bool {
        before / self.config.every < now / self.config.every
    }

    /// Adds a snapshot to the pool, writes its file, and drops what is weak or too many.
    pub fn snapshot(
        &mut self,
        directory: Option<&Path>,
        policy: &Policy,
        metadata: &Metadata,
        origin: Origin,
    ) -> Result<u64, LeagueError> {
        let id = self.state.pool.add(metadata.steps, origin, self.state.elo);
        if self.anchor.is_empty() && self.state.pool.anchor().is_none() {
            // A game without scripted players is measured against the first of its own.
            self.state.pool.set_anchor(id);
        }
        if let Some(directory) = directory {
            on("create", directory, std::fs::create_dir_all(directory))?;
            let path = snapshot_path(directory, id);
            model::save(&path, policy, metadata)?;
            self.state.pool.seal(id, checksum(&on("read", &path, std::fs::read(&path))?));
        }
        self.policies.insert(id, Arc::new(policy.clone()));
        self.state.pool.prune(self.state.elo, self.config.min_elo_diff);
        Ok(id)
    }

    /// Takes over a saved league. Snapshots are read from their files; one that is damaged is named,
    /// never met again and rated no more. `seated` are those of running matches.
    pub fn restore(
        &mut self,
        state: LeagueState,
        directory: &Path,
        shape: &Shape,
        seated: &BTreeSet<u64>,
    ) {
        self.state = state;
        self.state.pool.set_capacity(self.config.pool);
        self.policies.retain(|id, _| *id >= ELSEWHERE);
        let pooled = self.state.pool.snapshots().iter().filter(|s| s.usable).map(|s| s.id);
        let wanted: BTreeSet<u64> =
            pooled.chain(seated.iter().copied().filter(|id| *id < ELSEWHERE)).collect();
        for id in wanted {
            let path = snapshot_path(directory, id);
            // A run that went back to a milestone may have put another one in its place.
            let sum = std::fs::read(&path).ok().map(|bytes| checksum(&bytes));
            let seal = self.state.pool.get(id).and_then(|snapshot| snapshot.sum);
            if seal.is_some() && sum.is_some() && seal != sum {
                self.state.pool.damaged(id);
                let name = snapshot_name(id);
                self.remarks.push(format!(
                    "{name} is skipped and rated no more: {} is not the file that was written",
                    path.display()
                ));
                continue;
            }
            match model::load(&path, shape.clone()) {
                Ok((policy, _)) => {
                    self.policies.insert(id, Arc::new(policy));
                }
                Err(error) => {
                    self.state.pool.damaged(id);
                    let name = snapshot_name(id);
                    self.remarks.push(format!("{name} is skipped and rated no more: {error}"));
                }
            }
        }
    }
}

/// The name of a snapshot.
pub fn snapshot_name(id: u64) -> String {
    format!("{PAST}{id}")
}

/// Names of snapshots begin like this.
const PAST: &str = "past:";

/// Where a snapshot is, in the league's directory.
pub fn snapshot_path(directory: &Path, id: u64) -> PathBuf {
    directory.join(format!("{id}.zip"))
}
