//! Everybody of a run's league against everybody: matches that are played for the comparison alone.

mod kept;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, bail};
use lanista_game::recording::Recording;
use lanista_game::{Spec, seed};
use lanista_league::table::{Cell, Cycle};
use lanista_league::{Estimate, PairResults, Tally, cross_play, cycles, estimate};
use lanista_train::evaluate::{Evaluation, Outcomes, evaluate};
use lanista_train::files::RunFiles;
use lanista_train::league::snapshot_name;
use lanista_train::model;
use lanista_train::player::{Player, Roster, parse_player};
use lanista_train::seating::Guests;
use lanista_train::shard::{Patience, Recorded};
use lanista_train::trainer::cores;
use lanista_watch::human;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::standings::{ANCHOR_ELO, Standings};
use super::{NEWEST, align};
use crate::args::LeagueArgs;
use crate::eval::{self, Playable};
use kept::recording;

/// Matches that one thread plays together; what [`evaluate`] cuts its work into.
const SHARD: usize = 16;
/// Deviations beyond which chance does not explain a score, with 95 %.
const Z: f64 = 1.96;
/// Cycles that are printed; JSON has them all.
const SHOWN_CYCLES: usize = 10;

/// Who plays.
enum Competitor {
    Model(Arc<Roster>),
    Bot(Player),
}

/// What the matches showed.
pub struct CrossPlay {
    /// Matches a pair.
    pub matches: usize,
    /// Everybody, strongest first, with ratings and intervals.
    pub estimates: Vec<Estimate>,
    /// `[players, players]` in the order of the estimates, row against column.
    pub matrix: Vec<Vec<Cell>>,
    /// Whose rating the others are relative to.
    anchor: String,
    seed: u64,
    results: PairResults,
    /// The score that each of a cycle must beat: what chance alone does not reach.
    clear: f64,
    cycles: Vec<Cycle>,
    /// Who is not among the players, and why.
    skipped: Vec<(String, String)>,
    /// The same by side, where sides differ: how good one is on a side says nothing about another.
    sides: Vec<SideTable>,
    /// Steps of the newest model.
    steps: u64,
    /// A match of every two that met, for whoever wants to see it.
    kept: BTreeMap<(String, String), (Recording, Option<String>)>,
}

/// What the matches showed about one side.
struct SideTable {
    /// Its roles.
    name: String,
    /// `[players, players]` in the order of the estimates: the row's player on this side.
    matrix: Vec<Vec<Cell>>,
}

/// What one pair showed.
struct Meeting {
    /// All of its matches, as the first of the two saw them.
    all: Tally,
    /// Those in which the first played a side, by side; empty where all sides are alike.
    by_side: Vec<Tally>,
    /// The first of them.
    kept: Option<Recorded>,
}

/// Plays every pair of which one is a policy.
pub fn play(run: &Path, standings: &Standings, args: &LeagueArgs) -> anyhow::Result<CrossPlay> {
    let model = eval::read_model(run, &[])?;
    let (players, skipped) = competitors(&model, run, standings)?;
    let mut pairs = Vec::new();
    for (i, (a, who)) in players.iter().enumerate() {
        if let Competitor::Model(policy) = who {
            for (j, (b, other)) in players.iter().enumerate().skip(i + 1) {
                let seed = seed::mix(seed::mix(args.seed, i as u64), j as u64);
                pairs.push((a, policy, b, other, seed));
            }
        }
    }
    if pairs.is_empty() {
        bail!(
            "{}: nobody to play against: the pool is empty and {} has no scripted player; give \
             `past` a share in `opponents` and train on",
            run.display(),
            standings.game
        );
    }
    let threads = args.threads.unwrap_or_else(cores);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    // As many pairs side by side as keep all threads busy, and no more: each holds its matches.
    let together = threads.div_ceil(args.matches.div_ceil(SHARD)).max(1);
    let mut progress = PairsPlayed::new(pairs.len());
    let mut results = PairResults::default();
    let mut kept = BTreeMap::new();
    let sides = sides(&model.spec);
    let mut by_side: Vec<BTreeMap<(&str, &str), Tally>> = vec![BTreeMap::new(); sides.len()];
    for group in pairs.chunks(together) {
        let played = group.par_iter().map(|&(a, policy, b, other, seed)| {
            let meeting = meet(&model, policy, other, args.matches, seed);
            let mut meeting = meeting.with_context(|| format!("{a} against {b}"))?;
            let kept = meeting.kept.take().map(|kept| recording(kept, &model, a, b));
            Ok((a, b, meeting, kept))
        });
        let played: anyhow::Result<Vec<_>> = pool.install(|| played.collect());
        for (a, b, meeting, recorded) in played? {
            kept.extend(recorded.map(|recorded| ((a.clone(), b.clone()), recorded)));
            results.add(a, b, meeting.all);
            for (side, tally) in meeting.by_side.into_iter().enumerate() {
                *by_side[side].entry((a, b)).or_default() += tally;
                // Of two sides the other player has the other.
                if sides.len() == 2 {
                    *by_side[1 - side].entry((b, a)).or_default() += tally.flip();
                }
            }
        }
        progress.advance(group.len());
    }
    drop(progress);
    let (anchor, anchor_elo) = anchor(&players, standings);
    let margin = Z * 0.5 / (args.matches as f64).sqrt();
    let estimates = estimate(&results, &anchor, anchor_elo);
    let names: Vec<&str> = estimates.iter().map(|e| e.name.as_str()).collect();
    let table = |(name, met): (String, &BTreeMap<(&str, &str), Tally>)| {
        let row = |&a: &&str| {
            let met = names.iter().map(|&b| met.get(&(a, b)).copied().unwrap_or_default());
            met.map(|tally| Cell { score: tally.score(), games: tally.games() }).collect()
        };
        SideTable { name, matrix: names.iter().map(row).collect() }
    };
    Ok(CrossPlay {
        kept,
        steps: standings.steps,
        sides: sides.into_iter().zip(&by_side).map(table).collect(),
        matches: args.matches,
        matrix: cross_play(&results, &names),
        cycles: cycles(&results, args.matches as u64, margin),
        clear: 0.5 + margin,
        seed: args.seed,
        estimates,
        anchor,
        results,
        skipped,
    })
}

/// The names of the sides; none where they are alike.
fn sides(spec: &Spec) -> Vec<String> {
    let sides = spec.sides().into_iter().max().map_or(0, |side| side + 1);
    if sides > 1 { (0..sides).map(|side| spec.side_name(side)).collect() } else { Vec::new() }
}

/// Plays one pair; the result is that of the policy.
fn meet(
    model: &Playable,
    roster: &Roster,
    other: &Competitor,
    matches: usize,
    seed: u64,
) -> anyhow::Result<Meeting> {
    let (versus, policies) = match other {
        Competitor::Bot(bot) => (*bot, BTreeMap::new()),
        Competitor::Model(other) => (Player::Frozen(0), [(0, other.clone())].into()),
    };
    let kept = Mutex::new(None);
    let keep = |number: usize, recorded: Recorded| {
        if number == 0 {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(recorded);
        }
    };
    let question = Evaluation {
        settings: &model.settings,
        stack: &model.metadata.stack,
        weights: &[], // returns are not asked for
        matches,
        deterministic: false,
        versus,
        guests: Arc::new(Guests { policies, ..Guests::default() }),
        cast: model.cast.clone(),
        seed,
        patience: Patience::default(),
        watch: None,
        keep: Some(&keep),
        interrupt: None,
        progress: None,
    };
    let report = evaluate(&model.entry, &roster.all(), &question)?;
    let tally = |shares: Outcomes, matches: usize| {
        let count = |share: f64| (share * matches as f64).round() as u64;
        Tally { won: count(shares.won), drawn: count(shares.drawn), lost: count(shares.lost) }
    };
    let all = tally(report.results.context("the game has one team")?, report.matches);
    let spec = &model.spec;
    let on_side = |side: usize| {
        // Whoever plays one role of a side plays the others with it.
        let team = spec.sides().iter().position(|&of| of == side);
        let seat = spec.seats.iter().find(|seat| Some(seat.team) == team);
        let role = seat.map(|seat| &spec.roles[seat.role].name);
        let report = report.roles.iter().find(|report| Some(&report.role) == role);
        report.and_then(|r| Some(tally(r.results?, r.matches))).unwrap_or_default()
    };
    let by_side = (0..sides(spec).len()).map(on_side).collect();
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(Meeting { all, by_side, kept })
}

/// Whose rating the others are relative to: the anchor of the run, or else the oldest snapshot that
/// plays, at its rating in the pool.
fn anchor(players: &[(String, Competitor)], standings: &Standings) -> (String, f64) {
    let bot = standings.anchor.iter().map(|bot| (bot.clone(), ANCHOR_ELO));
    let snapshots = standings.state.pool.snapshots().iter().map(|s| (snapshot_name(s.id), s.elo));
    bot.chain(snapshots)
        .find(|(name, _)| players.iter().any(|(player, _)| player == name))
        .unwrap_or_else(|| (NEWEST.to_owned(), standings.state.elo))
}

type Competitors = (Vec<(String, Competitor)>, Vec<(String, String)>);

/// The newest model, the sound snapshots and the rated bots; and who was left out.
fn competitors(model: &Playable, run: &Path, standings: &Standings) -> anyhow::Result<Competitors> {
    let newest = Competitor::Model(Arc::new(model.roster.clone()));
    let (mut players, mut skipped) = (vec![(NEWEST.to_owned(), newest)], Vec::new());
    for snapshot in standings.state.snapshots() {
        let name = snapshot_name(snapshot.id);
        if !snapshot.usable {
            skipped.push((name, "the run found it damaged and meets it no more".into()));
            continue;
        }
        let path = RunFiles::of(run).snapshot(snapshot.id);
        let reason = match model::load(&path, &model.spec) {
            Ok((_, metadata)) if metadata.stack != model.metadata.stack => {
                "it sees other frames of the game (observation.stack)".to_owned()
            }
            Ok((roster, _)) => {
                players.push((name, Competitor::Model(Arc::new(roster))));
                continue;
            }
            Err(error) => error.to_string(),
        };
        skipped.push((name, reason));
    }
    for name in standings.others().into_iter().map(|other| other.name) {
        match parse_player(&name, &model.spec) {
            Ok(bot @ Player::Bot(_)) => players.push((name, Competitor::Bot(bot))),
            Err(problem) if name.starts_with("bot:") => skipped.push((name, problem)),
            _ => {
                skipped.push((name, "models from elsewhere are left to `lanista eval --vs`".into()))
            }
        }
    }
    Ok((players, skipped))
}

/// One line on a terminal that says how far it is.
struct PairsPlayed {
    shown: bool,
    pairs: usize,
    done: usize,
    began: Instant,
}

impl PairsPlayed {
    fn new(pairs: usize) -> Self {
        let shown = std::io::stderr().is_terminal();
        let mut progress = Self { shown, pairs, done: 0, began: Instant::now() };
        progress.advance(0);
        progress
    }

    fn advance(&mut self, pairs: usize) {
        self.done += pairs;
        if self.shown {
            use std::io::Write as _;
            let left = match self.done {
                0 => String::new(),
                done => {
                    let each = self.began.elapsed().as_secs_f64() / done as f64;
                    format!(", left {}", human::duration(each * (self.pairs - done) as f64))
                }
            };
            let (done, pairs) = (self.done, self.pairs);
            let _ = write!(std::io::stderr(), "\r\x1b[2Kcross-play: {done} of {pairs} pairs{left}");
            let _ = std::io::stderr().flush();
        }
    }
}

impl Drop for PairsPlayed {
    fn drop(&mut self) {
        if self.shown {
            use std::io::Write as _;
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

impl CrossPlay {
    /// For programs.
    pub fn json(&self) -> Value {
        let players = self.estimates.iter().map(|e| {
            json!({
                "name": e.name,
                "games": e.games,
                "elo": e.rating.map(|r| r.elo),
                "low": e.rating.map(|r| r.low),
                "high": e.rating.map(|r| r.high),
                "anchor": e.name == self.anchor,
            })
        });
        let pairs = self.results.pairs().map(|(a, b, tally)| {
            json!({"a": a, "b": b, "wins": tally.won, "draws": tally.drawn, "losses": tally.lost})
        });
        let scores = |row: &Vec<Cell>| row.iter().map(|c| c.score).collect::<Vec<_>>();
        let skipped =
            self.skipped.iter().map(|(name, reason)| json!({"name": name, "reason": reason}));
        json!({
            "matches": self.matches,
            "seed": self.seed,
            "players": players.collect::<Vec<_>>(),
            "scores": self.matrix.iter().map(scores).collect::<Vec<_>>(),
            "pairs": pairs.collect::<Vec<_>>(),
            "cycles": self.cycles,
            "sides": self.sides.iter().map(|side| {
                json!({"side": side.name, "scores": side.matrix.iter().map(scores).collect::<Vec<_>>()})
            }).collect::<Vec<_>>(),
            "skipped": skipped.collect::<Vec<_>>(),
        })
    }

    /// For people.
    pub fn print(&self) {
        say!("\nCross-play, {} matches a pair, sampled actions, seed {}", self.matches, self.seed);
        for (name, reason) in &self.skipped {
            say!("  {name} is skipped: {reason}");
        }
        say!("\nPoints of the row's player against the column's, in %");
        self.print_matrix(&self.matrix);
        for side in &self.sides {
            say!("\nThe same where the row's player is the {}", side.name);
            self.print_matrix(&side.matrix);
        }
        let number = |i: usize| (i + 1).to_string();
        say!("\nRatings by Bradley and Terry, relative to {}", self.anchor);
        let head = ["", "player", "Elo", "95 %", "games"].map(str::to_owned);
        let mut rows = vec![head.to_vec()];
        for (i, e) in self.estimates.iter().enumerate() {
            let (elo, interval) = match e.rating {
                Some(r) if e.name == self.anchor => (format!("{:.0}", r.elo), "anchor".into()),
                Some(r) => (format!("{:.0}", r.elo), format!("{:.0} to {:.0}", r.low, r.high)),
                None => ("–".into(), String::new()),
            };
            rows.push(vec![number(i), e.name.clone(), elo, interval, e.games.to_string()]);
        }
        align(&rows, &[1]);
        self.print_cycles();
    }

    fn print_matrix(&self, matrix: &[Vec<Cell>]) {
        let number = |i: usize| (i + 1).to_string();
        let columns =
            |cells: Vec<String>| cells.iter().map(|c| format!("{c:>4}")).collect::<String>();
        let head = columns((0..matrix.len()).map(number).collect());
        let mut rows = vec![vec![String::new(), String::new(), head]];
        for (i, (e, row)) in self.estimates.iter().zip(matrix).enumerate() {
            let cells = row.iter().enumerate().map(|(j, cell)| match cell.score {
                Some(score) => format!("{:.0}", 100.0 * score),
                None if i == j => "·".into(),
                None => "–".into(),
            });
            rows.push(vec![number(i), e.name.clone(), columns(cells.collect())]);
        }
        align(&rows, &[1, 2]);
    }

    fn print_cycles(&self) {
        if self.clear >= 1.0 {
            say!(
                "\nCycles cannot be told from chance in so few matches; play more with --matches."
            );
            return;
        }
        let clear = format!("every score above {:.0} %, beyond chance", 100.0 * self.clear);
        if self.cycles.is_empty() {
            say!("\nNo cycle of three of whom each beats the next ({clear}).");
            return;
        }
        say!("\nCycles: each beats the next and the last beats the first ({clear})");
        for cycle in self.cycles.iter().take(SHOWN_CYCLES) {
            let [a, b, c] = &cycle.players;
            let [ab, bc, ca] = cycle.scores.map(|score| format!("{:.0} %", 100.0 * score));
            say!("  {a} > {b} {ab}, {b} > {c} {bc}, {c} > {a} {ca}");
        }
        if self.cycles.len() > SHOWN_CYCLES {
            say!("  and {} more", self.cycles.len() - SHOWN_CYCLES);
        }
    }
}
