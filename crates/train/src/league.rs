//! The league of a run: a pool of its own past, ratings, and models from elsewhere.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use lanista_game::Spec;
use lanista_league::{Drawn, Elo, Opponent, Origin, Pool, Shares, Snapshot, Tally};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::crc::checksum;
use crate::disk::on;
use crate::error::LeagueError;
use crate::files::{RunFiles, snapshot_path};
use crate::finished::Finished;
use crate::league_config::LeagueConfig;
use crate::model::{self, Metadata};
use crate::player::{ELSEWHERE, Player, Roster};
use crate::progress::Progress;
use crate::results::{LATEST, RatedGame, Row};
use crate::seating::{Deal, Guests};

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
    /// The sides of the game after the first, whose pool and ratings are those above. Most games have
    /// one side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Side>,
}

/// What is known of those who play one side of a game whose sides differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// The pool.
    pub pool: Pool,
    /// The learner's rating on this side.
    #[serde(deserialize_with = "lanista_league::rating::read")]
    pub elo: f64,
    /// Ratings of scripted players and models from elsewhere on this side, by name.
    #[serde(deserialize_with = "read_ratings")]
    pub others: BTreeMap<String, f64>,
}

impl LeagueState {
    fn new(sides: usize, capacity: usize) -> Self {
        let side = Side { pool: Pool::new(capacity), elo: 1500.0, others: BTreeMap::new() };
        Self {
            pool: side.pool.clone(),
            elo: side.elo,
            others: BTreeMap::new(),
            games: 0,
            since: None,
            period: BTreeMap::new(),
            latest: VecDeque::new(),
            sides: vec![side; sides.saturating_sub(1)],
        }
    }

    /// How many sides the game has.
    pub fn side_count(&self) -> usize {
        1 + self.sides.len()
    }

    /// The pool of those who play a side.
    pub fn pool_of(&self, side: usize) -> &Pool {
        if side == 0 { &self.pool } else { &self.sides[side - 1].pool }
    }

    fn pool_mut(&mut self, side: usize) -> &mut Pool {
        if side == 0 { &mut self.pool } else { &mut self.sides[side - 1].pool }
    }

    /// The learner's rating on a side.
    pub fn elo_on(&self, side: usize) -> f64 {
        if side == 0 { self.elo } else { self.sides[side - 1].elo }
    }

    fn elo_mut(&mut self, side: usize) -> &mut f64 {
        if side == 0 { &mut self.elo } else { &mut self.sides[side - 1].elo }
    }

    fn others_of(&self, side: usize) -> &BTreeMap<String, f64> {
        if side == 0 { &self.others } else { &self.sides[side - 1].others }
    }

    fn others_mut(&mut self, side: usize) -> &mut BTreeMap<String, f64> {
        if side == 0 { &mut self.others } else { &mut self.sides[side - 1].others }
    }

    /// The learner's rating: the mean over its sides.
    pub fn mean_elo(&self) -> f64 {
        let sides = self.side_count();
        (0..sides).map(|side| self.elo_on(side)).sum::<f64>() / sides as f64
    }

    /// A snapshot, whichever side it plays.
    pub fn snapshot(&self, id: u64) -> Option<&Snapshot> {
        (0..self.side_count()).find_map(|side| self.pool_of(side).get(id))
    }

    /// The snapshots of all sides, oldest first, each once.
    pub fn snapshots(&self) -> Vec<&Snapshot> {
        let mut all: BTreeMap<u64, &Snapshot> = BTreeMap::new();
        for side in 0..self.side_count() {
            for snapshot in self.pool_of(side).snapshots() {
                all.entry(snapshot.id).or_insert(snapshot);
            }
        }
        all.into_values().collect()
    }
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
    /// The game as policies see it.
    spec: Spec,
    /// `[teams]`: the side that each plays.
    sides: Vec<usize>,
    policies: BTreeMap<u64, Arc<Roster>>,
    visitors: Vec<Visitor>,
    /// Remarks for the user, such as a damaged snapshot.
    pub remarks: Vec<String>,
}

impl League {
    /// A league at the start of a run; models from elsewhere, those that are met and those that play a
    /// role, are read now. `spec` is the game as policies see it.
    pub fn new(
        config: LeagueConfig,
        opponents: &Shares,
        players: &[Opponent],
        spec: &Spec,
    ) -> Result<Self, LeagueError> {
        let bots = spec.bots();
        let anchor = config.anchor.clone().or(bots.first().map(|bot| format!("bot:{bot}")));
        let sides = spec.sides();
        let count = sides.iter().max().map_or(1, |side| side + 1);
        let mut league = Self {
            state: LeagueState::new(count, config.pool),
            config,
            anchor: anchor.unwrap_or_default(),
            spec: spec.clone(),
            sides,
            policies: BTreeMap::new(),
            visitors: Vec::new(),
            remarks: Vec::new(),
        };
        for opponent in opponents.written().map(|(opponent, _)| opponent).chain(players) {
            let (path, changing) = match opponent {
                Opponent::Target(path) => (PathBuf::from(path), false),
                Opponent::Latest(run) => (RunFiles::of(run).model(), true),
                _ => continue,
            };
            let name = opponent.to_string();
            if !league.visitors.iter().any(|visitor| visitor.name == name) {
                league.visitors.push(Visitor { name, path, changing, read: None });
            }
        }
        for index in 0..league.visitors.len() {
            league.read_visitor(index)?;
        }
        Ok(league)
    }

    /// The game has become another one of the same shape: others may sit there.
    pub fn set_spec(&mut self, spec: &Spec) {
        self.spec = spec.clone();
    }

    /// Goes on by other rules; models from elsewhere stay those of the start.
    pub fn set_config(&mut self, config: LeagueConfig) {
        for side in 0..self.state.side_count() {
            self.state.pool_mut(side).set_capacity(config.pool);
        }
        self.config = config;
    }

    /// Who is meant by an opponent that is not drawn match by match.
    pub fn player(&self, opponent: &Opponent) -> Option<Player> {
        match opponent {
            Opponent::Myself => Some(Player::Learner),
            Opponent::Past => None,
            Opponent::Bot(name) => {
                self.spec.bots().iter().position(|bot| bot == name).map(Player::Bot)
            }
            Opponent::Target(_) | Opponent::Latest(_) => {
                let name = opponent.to_string();
                let visitor = self.visitors.iter().position(|visitor| visitor.name == name)?;
                Some(Player::Frozen(ELSEWHERE + visitor as u64))
            }
        }
    }

    /// How seats are dealt by these shares of matches.
    pub fn deal(&self, shares: Shares) -> Deal {
        let known = shares.written().filter_map(|(o, _)| Some((o.clone(), self.player(o)?)));
        let known = known.collect();
        Deal::Shared { shares, known }
    }

    fn read_visitor(&mut self, index: usize) -> Result<(), LeagueError> {
        let visitor = &mut self.visitors[index];
        let path = &visitor.path;
        visitor.read = on("read", path, std::fs::metadata(path))?.modified().ok();
        let found = model::metadata(path)?.game;
        if found != self.spec.name {
            let (path, wanted) = (path.clone(), self.spec.name.clone());
            return Err(LeagueError::OtherGame { path, found, wanted });
        }
        let (roster, _) = model::load(path, &self.spec)?;
        self.policies.insert(ELSEWHERE + index as u64, Arc::new(roster));
        Ok(())
    }

    /// Reads the models of other runs again where they have changed. One that is being replaced, or
    /// that does not fit, is passed over until it changes again.
    pub fn refresh(&mut self) {
        for index in 0..self.visitors.len() {
            let visitor = &self.visitors[index];
            let now = std::fs::metadata(&visitor.path).and_then(|m| m.modified()).ok();
            if visitor.changing && now.is_some() && now != visitor.read {
                let name = visitor.name.clone();
                if let Err(error) = self.read_visitor(index) {
                    self.visitors[index].read = now;
                    self.remarks.push(format!("{name} is not read again: {error}"));
                }
            }
        }
    }

    /// Who may be met now: the pool with its probabilities, models from elsewhere, and whoever sits
    /// in a running match.
    pub fn guests(&self) -> Arc<Guests> {
        let sides = 0..self.state.side_count();
        // Whoever plays one side is met on it by the learner on another.
        let own = |side: usize| match sides.len() {
            1 => self.state.elo,
            _ => self.state.elo_on((side + 1) % sides.len()),
        };
        let sampler = &self.config.sampler;
        let past =
            sides.clone().map(|side| self.state.pool_of(side).probabilities(sampler, own(side)));
        Arc::new(Guests { policies: self.policies.clone(), past: past.collect() })
    }

    /// Forgets the policies of snapshots that were dropped and sit in no running match.
    pub fn release(&mut self, seated: &BTreeSet<u64>) {
        let state = &self.state;
        let pooled = |id: u64| {
            let mut sides = (0..state.side_count()).map(|side| state.pool_of(side).get(id));
            sides.any(|snapshot| snapshot.is_some_and(|s| s.usable))
        };
        self.policies.retain(|id, _| *id >= ELSEWHERE || seated.contains(id) || pooled(*id));
    }

    /// What a player is called.
    pub fn name(&self, player: Player) -> String {
        match player {
            Player::Learner => "self".into(),
            Player::Bot(bot) => format!("bot:{}", self.spec.bots()[bot]),
            Player::Frozen(id) if id >= ELSEWHERE => self
                .visitors
                .get((id - ELSEWHERE) as usize)
                .map_or(String::new(), |v| v.name.clone()),
            Player::Frozen(id) => snapshot_name(id),
        }
    }

    /// The learner's side of a match, and that of whom it met.
    fn sides_of(&self, match_: &Finished) -> (usize, usize) {
        let team = match_.team.unwrap_or(0);
        let side = |team: usize| self.sides.get(team).copied().unwrap_or(0);
        let other = (0..self.sides.len()).find(|other| *other != team).unwrap_or(team);
        (side(team), side(other))
    }

    /// The name under which whoever was met is rated: with the side it played, where sides differ.
    pub fn rated_name(&self, match_: &Finished) -> String {
        let name = self.name(match_.opponent);
        if self.state.sides.is_empty() {
            return name;
        }
        let (_, side) = self.sides_of(match_);
        format!("{name}@{}", self.spec.side_name(side))
    }

    /// Rates the matches that finished in an iteration, one after the other, and lets the pool learn
    /// from them.
    pub fn rate(&mut self, finished: &[Finished], now: &Progress) {
        let elo = Elo { k: self.config.k, ..Elo::default() };
        for match_ in finished.iter().filter(|match_| match_.opponent != Player::Learner) {
            let (name, result) = (self.rated_name(match_), match_.outcome());
            let (own, other) = self.sides_of(match_);
            let before = self.state.elo_on(own);
            let opponent_elo = match match_.opponent {
                Player::Frozen(id) if id < ELSEWHERE => {
                    let drawn = Drawn { id, probability: match_.probability };
                    let pool = self.state.pool_mut(other);
                    pool.record(&self.config.sampler, drawn, result);
                    let after = pool.rate(&elo, before, &[(id, result)]);
                    let theirs = pool.get(id).filter(|s| s.usable).map(|s| s.elo);
                    *self.state.elo_mut(own) = after;
                    match theirs {
                        Some(theirs) => theirs,
                        // Dropped while the match was on: it is rated no more.
                        None => continue,
                    }
                }
                player => {
                    let (name, anchored) = (self.name(player), self.name(player) == self.anchor);
                    let theirs = self.state.others_mut(other).entry(name).or_insert(1500.0);
                    let (mine, moved) = elo.update(before, *theirs, result.score());
                    if !anchored {
                        *theirs = moved;
                    }
                    let theirs = *theirs;
                    *self.state.elo_mut(own) = mine;
                    theirs
                }
            };
            self.state.period.entry(name.clone()).or_default().record(result);
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
                elo: self.state.elo_on(own),
                opponent_elo,
            });
            self.state.games += 1;
            self.state.since.get_or_insert((now.iteration, now.steps));
        }
    }

    /// Ends a period: what was played in it, by opponent.
    pub fn close_period(&mut self, now: &Progress) -> Vec<Row> {
        let period = std::mem::take(&mut self.state.period);
        let row = |(opponent, tally): (String, Tally)| {
            let (elo, opponent_elo) = self.elos_of(&opponent);
            let Progress { iteration, steps, .. } = *now;
            Row { iteration, steps, opponent, tally, elo, opponent_elo }
        };
        period.into_iter().map(row).collect()
    }

    /// The learner's rating where it meets an opponent of this rated name, and the opponent's.
    fn elos_of(&self, rated: &str) -> (f64, f64) {
        let several = !self.state.sides.is_empty();
        let (name, side) = match rated.rsplit_once('@').filter(|_| several) {
            Some((name, side)) => {
                let mut sides = 0..self.state.side_count();
                (name, sides.find(|&s| self.spec.side_name(s) == side).unwrap_or(0))
            }
            None => (rated, 0),
        };
        let id = name.strip_prefix(PAST).and_then(|id| id.parse().ok());
        let snapshot = id.and_then(|id| self.state.pool_of(side).get(id)).map(|s| s.elo);
        let theirs = snapshot.or(self.state.others_of(side).get(name).copied()).unwrap_or(1500.0);
        let own = self.sides.iter().find(|own| **own != side).copied().unwrap_or(side);
        (self.state.elo_on(own), theirs)
    }

    /// Is a snapshot due between these steps?
    pub fn due(&self, before: u64, now: u64) -> bool {
        before / self.config.every < now / self.config.every
    }

    /// Adds a snapshot to the pools of the sides that it plays, writes its file, and drops what is weak
    /// or too many.
    pub fn snapshot(
        &mut self,
        directory: Option<&Path>,
        roster: &Roster,
        metadata: &Metadata,
        origin: Origin,
    ) -> Result<u64, LeagueError> {
        let sides = 0..self.state.side_count();
        let id = sides.clone().map(|side| self.state.pool_of(side).next_id()).max().unwrap_or(0);
        let plays = |side: usize| {
            let mut seats = self.spec.seats.iter().filter(|s| self.sides[s.team] == side);
            seats.any(|seat| roster.get(seat.role).is_some())
        };
        let played: Vec<usize> = sides.filter(|&side| plays(side)).collect();
        for &side in &played {
            let elo = self.state.elo_on(side);
            let pool = self.state.pool_mut(side);
            pool.add_as(id, metadata.steps, origin, elo);
            if self.anchor.is_empty() && pool.anchor().is_none() {
                // A game without scripted players is measured against the first of its own.
                pool.set_anchor(id);
            }
        }
        let mut sum = None;
        if let Some(directory) = directory {
            on("create", directory, std::fs::create_dir_all(directory))?;
            let path = snapshot_path(directory, id);
            model::save(&path, roster, metadata)?;
            sum = Some(checksum(&on("read", &path, std::fs::read(&path))?));
        }
        self.policies.insert(id, Arc::new(roster.clone()));
        for side in played {
            let elo = self.state.elo_on(side);
            let pool = self.state.pool_mut(side);
            sum.into_iter().for_each(|sum| pool.seal(id, sum));
            pool.prune(elo, self.config.min_elo_diff);
        }
        Ok(id)
    }

    /// Takes over a saved league. Snapshots are read from their files; one that is damaged is named,
    /// never met again and rated no more. `seated` are those of running matches.
    pub fn restore(&mut self, state: LeagueState, directory: &Path, seated: &BTreeSet<u64>) {
        let sides = self.state.side_count();
        self.state = state;
        // A state of other sides is one of another game: what it lacks begins anew.
        self.state.sides.resize_with(sides - 1, || Side {
            pool: Pool::new(self.config.pool),
            elo: 1500.0,
            others: BTreeMap::new(),
        });
        self.policies.retain(|id, _| *id >= ELSEWHERE);
        let mut wanted: BTreeSet<u64> =
            seated.iter().copied().filter(|id| *id < ELSEWHERE).collect();
        for side in 0..sides {
            let pool = self.state.pool_mut(side);
            pool.set_capacity(self.config.pool);
            wanted.extend(pool.snapshots().iter().filter(|s| s.usable).map(|s| s.id));
        }
        for id in wanted {
            let path = snapshot_path(directory, id);
            // A run that went back to a milestone may have put another one in its place.
            let sum = std::fs::read(&path).ok().map(|bytes| checksum(&bytes));
            let seal = self.state.snapshot(id).and_then(|snapshot| snapshot.sum);
            let problem = if seal.is_some() && sum.is_some() && seal != sum {
                format!("{} is not the file that was written", path.display())
            } else {
                match model::load(&path, &self.spec) {
                    Ok((roster, _)) => {
                        self.policies.insert(id, Arc::new(roster));
                        continue;
                    }
                    Err(error) => error.to_string(),
                }
            };
            (0..sides).for_each(|side| self.state.pool_mut(side).damaged(id));
            let name = snapshot_name(id);
            self.remarks.push(format!("{name} is skipped and rated no more: {problem}"));
        }
    }
}

/// The name of a snapshot.
pub fn snapshot_name(id: u64) -> String {
    format!("{PAST}{id}")
}

/// Names of snapshots begin like this.
const PAST: &str = "past:";
