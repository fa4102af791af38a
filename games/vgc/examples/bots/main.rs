//! Plays scripted players against each other and prints who won how often.
//!
//! ```sh
//! LANISTA_SHOWDOWN=… cargo run --release -p lanista-vgc --example bots -- \
//!     gen9vgc2024regg ours heuristic max_power 200 1
//! ```

mod duel;

use std::path::Path;

use lanista_vgc::bots::Bot;
use lanista_vgc::format::Format;
use lanista_vgc::install;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [format, teams, first, second, battles, seed, losses @ ..] = args.as_slice() else {
        eprintln!(
            "usage: bots FORMAT TEAMS BOT BOT BATTLES SEED [DIRECTORY FOR LOGS OF LOST BATTLES]"
        );
        std::process::exit(2);
    };
    let format = Format::of(format).expect("a known format");
    let teams = duel::teams_of(teams, format);
    let bots = [first, second].map(|name| Bot::of(name).expect("a known player"));
    let install = install::locate(None).expect("an install of the simulator");
    let duel = duel::Duel {
        install: &install,
        format,
        teams: &teams,
        bots,
        battles: battles.parse().expect("a number of battles"),
        seed: seed.parse().expect("a seed"),
        losses: losses.first().map(Path::new),
    };
    let tally = duel::play(&duel, &mut |_, _, _, _, _| {});
    let (share, low, high) = tally.share();
    let battles = tally.won + tally.lost + tally.tied;
    println!(
        "{} against {} in {}: {:.1} % ({:.1} to {:.1}), won {} lost {} tied {}, {:.1} turns a battle",
        bots[0].name(),
        bots[1].name(),
        format.id,
        100.0 * share,
        100.0 * low,
        100.0 * high,
        tally.won,
        tally.lost,
        tally.tied,
        tally.turns as f64 / battles.max(1) as f64,
    );
    for (bot, (decisions, thought)) in bots.iter().zip(tally.decisions.iter().zip(tally.thought)) {
        let micros = thought.as_secs_f64() * 1e6 / (*decisions).max(1) as f64;
        println!("  {}: {decisions} decisions, {micros:.0} µs each", bot.name());
    }
    for (why, count) in &tally.refused {
        println!("  refused {count} times: {why}");
    }
}
