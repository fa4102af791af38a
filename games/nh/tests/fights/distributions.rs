//! Whole fights of the simulator against 480 that were measured on the original server.

use crate::common;

use common::{Estimate, Figures, Pairing, Policy, SIDES, STYLES, measure, setup};
use lanista_game::seed;
use lanista_nh::loadout::Build;
use lanista_nh::sim::dice::Random;
use lanista_nh::sim::timers::Timer;
use lanista_nh::sim::{Fight, Order};

/// The recorded figures: a column per pairing, whose heading ends with the number of fights; in each
/// cell the mean, and the standard deviation between fights where it was recorded.
const RECORDED: &str = include_str!("../data/distributions.tsv");

/// One pairing as it was recorded.
struct Column {
    name: String,
    pairing: Pairing,
    fights: usize,
    figures: Vec<(&'static str, f64, Option<f64>)>,
}

fn columns() -> Vec<Column> {
    let mut lines = RECORDED.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let heading = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |place: usize| {
        let words: Vec<&str> = heading[place].split(' ').collect();
        let [build, policy, opponent, fights] = words[..] else { panic!("{words:?}") };
        let build = Build::ALL.into_iter().find(|known| known.name() == build).unwrap();
        let scripted = opponent == "baseline";
        let policy = if policy == "greedy" { Policy::Greedy } else { Policy::Random };
        let cells = rows.iter().filter(|row| !row[place].is_empty());
        let figures = cells.map(|row| {
            let (mean, sd) = row[place].split_once('±').unwrap_or((row[place], ""));
            (row[0], mean.parse().unwrap(), sd.parse().ok())
        });
        Column {
            name: words[..3].join(" "),
            pairing: Pairing { build, policy, scripted },
            fights: fights.parse().unwrap(),
            figures: figures.collect(),
        }
    };
    (1..heading.len()).map(column).collect()
}

/// How many standard errors ours is from theirs. Where theirs says nothing about how fights vary, or
/// happened not to vary, ours has to tell.
fn z(ours: Estimate, theirs: f64, sd: Option<f64>, fights: usize) -> f64 {
    let sd = sd.filter(|&sd| sd > 0.0).unwrap_or(ours.sd);
    let variance = sd.powi(2) / fights as f64 + ours.sd.powi(2) / ours.fights as f64;
    if variance == 0.0 { 0.0 } else { (ours.mean - theirs) / variance.sqrt() }
}

/// What decides a fight: who wins, when, and the hits and damage of every style.
fn decides(figure: &str) -> bool {
    let mut counts =
        SIDES.iter().flat_map(|side| STYLES.map(|(_, style)| format!("{side} {style}")));
    matches!(figure, "won" | "ticks")
        || counts.any(|of| figure == format!("{of} hits") || figure == format!("{of} damage"))
}

fn compare(figures: &Figures, column: &Column) -> Vec<(&'static str, f64, f64, f64)> {
    let known = column.figures.iter().filter_map(|&(name, theirs, sd)| {
        let ours = figures.get(name)?;
        Some((name, ours.mean, theirs, z(ours, theirs, sd, column.fights)))
    });
    known.collect()
}

/// In every recorded fight against the script it has 121 life after the first tick: levels do not
/// move before the hundredth.
#[test]
fn what_is_eaten_at_the_start_stays() {
    let pairing = Pairing { build: Build::Maxed, policy: Policy::Greedy, scripted: true };
    let mut dice = Random(seed::rng(1));
    let mut fight = Fight::start(&setup(pairing), &mut dice.0);
    fight.hand_to_script(1);
    fight.tick([Order::Wait, Order::Script], &mut dice);
    assert_eq!(fight.fighters[1].hp(), 121);
    let left = [0, 1].map(|who| fight.fighters[who].timers.left(Timer::Stats));
    assert_eq!(left, [98, 99]);
}

#[test]
fn fights_go_as_recorded() {
    for column in columns() {
        let figures = measure(column.pairing, 150);
        let mut compared = 0;
        for (figure, ours, theirs, z) in compare(&figures, &column) {
            if decides(figure) {
                compared += 1;
                assert!(z.abs() < 4.0, "{}: {figure} is {ours}, not {theirs}: {z}", column.name);
            }
        }
        assert_eq!(compared, 14, "{}", column.name);
    }
}

/// The table of FIDELITY.md: a row per figure, a column per pairing, in each cell what is counted
/// here, what was recorded, and the distance in standard errors.
#[test]
#[ignore = "takes half a minute and prints"]
fn the_table_of_all_figures() {
    let columns = columns();
    let measured: Vec<Figures> =
        columns.iter().map(|column| measure(column.pairing, 2000)).collect();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    println!("| figure | {} |\n|---|{}", names.join(" | "), "--:|".repeat(names.len()));
    let (mut all, mut squares, mut beyond) = (0, 0.0, Vec::new());
    for figure in RECORDED.lines().skip(1).filter_map(|line| line.split('\t').next()) {
        let mut cells = Vec::new();
        for (column, figures) in columns.iter().zip(&measured) {
            let found = compare(figures, column).into_iter().find(|(name, ..)| *name == figure);
            let Some((_, ours, theirs, z)) = found else {
                cells.push(String::new());
                continue;
            };
            cells.push(format!("{} / {} ({z:.1})", short(ours), short(theirs)));
            all += 1;
            squares += z * z;
            if z.abs() > 3.0 {
                // Rare exceptions may have missed the few recorded fights, and with them their spread.
                let own =
                    figures.get(figure).map_or(0.0, |o| self::z(o, theirs, None, column.fights));
                beyond.push(format!("{}: {figure}, {z:.1}, {own:.1} by our sd", column.name));
            }
        }
        println!("| {figure} | {} |", cells.join(" | "));
    }
    let spread = (squares / f64::from(all)).sqrt();
    println!("\n{all} figures, root mean square {spread:.2}, {} beyond 3:", beyond.len());
    println!("{}", beyond.join("\n"));
}

/// Four digits, or three behind the point.
fn short(number: f64) -> String {
    let places = if number.abs() >= 100.0 {
        1
    } else if number.abs() >= 10.0 {
        2
    } else {
        3
    };
    format!("{number:.places$}")
}
