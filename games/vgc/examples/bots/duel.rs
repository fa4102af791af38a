//! Battles of scripted players against each other, straight on the simulator.

use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use lanista_game::seed::mix;
use lanista_vgc::bots::{Bot, choose};
use lanista_vgc::choice::Choice;
use lanista_vgc::dex;
use lanista_vgc::format::Format;
use lanista_vgc::host::{BattleRef, Engine, Opening, Patience, Pool, Post, Reply, Seed, Told};
use lanista_vgc::install::Install;
use lanista_vgc::legal::Legal;
use lanista_vgc::request::Request;
use lanista_vgc::state::Battle;
use lanista_vgc::team;
use lanista_vgc::track::Tracker;

/// What is played.
pub struct Duel<'a> {
    /// Where the simulator is.
    pub install: &'a Install,
    /// What is played.
    pub format: &'static Format,
    /// Packed teams, of which both sides draw.
    pub teams: &'a [String],
    /// Who plays; in every other battle they change sides, and with them teams and luck.
    pub bots: [Bot; 2],
    /// How many battles.
    pub battles: usize,
    /// What all luck follows from.
    pub seed: u64,
    /// Where logs of battles go that the first player lost, if anywhere.
    pub losses: Option<&'a std::path::Path>,
}

/// How it went.
#[derive(Debug, Default)]
pub struct Tally {
    /// Battles won by the first player.
    pub won: usize,
    /// Battles won by the second.
    pub lost: usize,
    /// Battles that nobody won, those cut short included.
    pub tied: usize,
    /// Turns of all battles.
    pub turns: u64,
    /// Decisions of each player.
    pub decisions: [u64; 2],
    /// Time each player thought.
    pub thought: [Duration; 2],
    /// Choices that the simulator refused, by its words.
    pub refused: BTreeMap<String, usize>,
}

impl Tally {
    /// The share of battles won, a tie counting half, with the bounds of Wilson's interval of 95 %.
    pub fn share(&self) -> (f64, f64, f64) {
        let battles = (self.won + self.lost + self.tied).max(1) as f64;
        let share = (self.won as f64 + 0.5 * self.tied as f64) / battles;
        let z = 1.96f64;
        let middle = (share + z * z / (2.0 * battles)) / (1.0 + z * z / battles);
        let half = z / (1.0 + z * z / battles)
            * (share * (1.0 - share) / battles + z * z / (4.0 * battles * battles)).sqrt();
        (share, middle - half, middle + half)
    }
}

/// Turns after which a battle counts as a tie.
const MOST_TURNS: u32 = 200;
/// Battles at the same time.
const ABREAST: usize = 16;

struct Table {
    number: usize,
    battle: BattleRef,
    trackers: [Tracker; 2],
    legals: [Option<(Request, Legal, Choice)>; 2],
    question: u64,
    log: String,
}

/// Plays. `watch` sees every decision: who, what is known, what is asked, what is legal, what was chosen.
pub fn play(duel: &Duel, watch: &mut dyn FnMut(Bot, &Battle, &Request, &Legal, Choice)) -> Tally {
    let engine = Engine {
        node: duel.install.node.clone(),
        package: duel.install.package.clone(),
        version: dex::version().to_owned(),
        formats: vec![duel.format.id.to_owned()],
        patience: Patience::default(),
    };
    let pool = Pool::open(&engine, 1).expect("a host starts");
    let (post, answers) = channel::<Post>();
    let mut tally = Tally::default();
    let mut next = 0;
    let mut tables: Vec<Option<Table>> = (0..ABREAST).map(|_| None).collect();
    for (key, table) in tables.iter_mut().enumerate() {
        *table = start(duel, &pool, &post, key, &mut next);
    }
    while tables.iter().any(Option::is_some) {
        let Ok(Post { key, question, reply }) = answers.recv_timeout(Duration::from_secs(1)) else {
            pool.look();
            continue;
        };
        let Some(table) = tables[key].as_mut().filter(|table| table.question == question) else {
            continue;
        };
        let told = match reply {
            Reply::Told(told) => told,
            Reply::Lost(why) => panic!("battle {} is lost: {why}", table.number),
        };
        if advance(duel, table, &told, &mut tally, watch) {
            tables[key] = start(duel, &pool, &post, key, &mut next);
        }
    }
    tally
}

/// Which player sits at a side of a battle: they change every time.
fn seat(number: usize, side: usize) -> usize {
    (number + side) % 2
}

fn start(
    duel: &Duel,
    pool: &Pool,
    post: &Sender<Post>,
    key: usize,
    next: &mut usize,
) -> Option<Table> {
    if *next == duel.battles {
        return None;
    }
    let number = *next;
    *next += 1;
    let luck = mix(duel.seed, number as u64 / 2);
    let draw = |of: u64| (mix(luck, of) % duel.teams.len() as u64) as usize;
    let teams = [0, 1].map(|side| duel.teams[draw(side)].as_str());
    let opening = Opening {
        format: duel.format.id,
        seed: Seed::Number(luck),
        teams,
        names: ["a", "b"],
        open_sheets: false,
    };
    let battle = pool.start(&opening, key, 0, post).expect("a battle starts");
    let trackers = [0, 1].map(|side| Tracker::new(duel.format, side));
    Some(Table { number, battle, trackers, legals: [None, None], question: 0, log: String::new() })
}

/// Reads what both sides are told and answers. `true` once the battle is over.
fn advance(
    duel: &Duel,
    table: &mut Table,
    told: &Told,
    tally: &mut Tally,
    watch: &mut dyn FnMut(Bot, &Battle, &Request, &Legal, Choice),
) -> bool {
    for side in 0..2 {
        told.lines[side].lines().for_each(|line| table.trackers[side].line(line));
        if let Some(request) = &told.requests[side] {
            table.trackers[side].request(request);
        }
    }
    if duel.losses.is_some() {
        table.log.push_str(&told.all);
        table.log.push('\n');
    }
    let over = told.end.is_some() || told.turn > MOST_TURNS;
    if over {
        tally.turns += u64::from(told.turn);
        match told.end.as_ref().and_then(|end| end.winner) {
            Some(side) if seat(table.number, side) == 0 => tally.won += 1,
            Some(_) => {
                tally.lost += 1;
                if let Some(directory) = duel.losses {
                    let file = directory.join(format!("{}.log", table.number));
                    let note = format!("first player is p{}\n", 1 + table.number % 2);
                    std::fs::write(file, note + &table.log).expect("a log is written");
                }
            }
            None => tally.tied += 1,
        }
        return true;
    }
    let mut words: [Option<String>; 2] = [None, None];
    for side in 0..2 {
        let player = seat(table.number, side);
        let Some(request) = told.requests[side].as_ref().filter(|request| !request.wait) else {
            continue;
        };
        let battle = table.trackers[side].battle();
        let mut legal = Legal::new(request, battle);
        if let Some(why) = &told.errors[side] {
            *tally.refused.entry(why.clone()).or_default() += 1;
            if let Some((asked, before, choice)) = table.legals[side].take() {
                // Where the request is the same as before, what was refused before still is.
                if asked == *request {
                    legal = before;
                }
                match choice {
                    Choice::Preview(number) => legal.strike_preview(number),
                    Choice::Turn(first, second) => legal.strike(first, second),
                };
            }
        } else if told.errors[1 - side].is_some() && table.legals[side].is_some() {
            // The other side chooses again; this one has chosen.
            continue;
        }
        let dice =
            mix(mix(duel.seed ^ 0x5eed, table.number as u64), 2 * table.question + side as u64);
        let begun = Instant::now();
        let choice = choose(duel.bots[player], battle, request, &legal, dice);
        tally.thought[player] += begun.elapsed();
        tally.decisions[player] += 1;
        watch(duel.bots[player], battle, request, &legal, choice);
        words[side] = Some(choice.words(duel.format.gimmick));
        table.legals[side] = Some((request.clone(), legal, choice));
    }
    table.question += 1;
    let words = [words[0].as_deref(), words[1].as_deref()];
    table.battle.choose(table.question, words).expect("the host hears");
    false
}

/// Packed teams: those of a file or directory, or the program's own for `ours`.
pub fn teams_of(name: &str, format: &Format) -> Vec<String> {
    let found = match name {
        "ours" => team::ours(format),
        path => team::read(std::path::Path::new(path)).unwrap_or_else(|error| panic!("{error}")),
    };
    found.iter().map(|found| found.team.packed()).collect()
}
