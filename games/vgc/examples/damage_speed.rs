//! How long an estimate takes.
//!
//!     cargo run --release -p lanista-vgc --example damage_speed
//!
//! Moves of one's own on foes and of a foe on one's own, round and round. Where the system tells how long the
//! processor was at it, that is what counts: a busy machine does not blur it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use lanista_vgc::damage;
use lanista_vgc::dex::{self, MoveId};
use lanista_vgc::format::Format;
use lanista_vgc::state::{Battle, Pokemon, Side, Terrain, Weather};

fn pokemon(name: &str, ability: &str, item: &str, stats: Option<[u16; 5]>) -> Pokemon {
    let species = dex::species(name).expect("a species");
    Pokemon {
        species,
        base_species: species,
        level: 50,
        hp: 100,
        max_hp: if stats.is_some() { 180 } else { 100 },
        ability: dex::ability(ability).unwrap_or_default(),
        item: dex::item(item).unwrap_or_default(),
        stats,
        ..Pokemon::default()
    }
}

/// Time on the processor, as Linux keeps it.
fn busy() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn main() {
    let mut battle = Battle::new(Format::of("gen9vgc2024regg").expect("a format"), 0);
    let own = vec![
        pokemon("Flutter Mane", "Protosynthesis", "Choice Specs", Some([67, 75, 187, 155, 170])),
        pokemon("Rillaboom", "Grassy Surge", "Miracle Seed", Some([194, 110, 72, 90, 105])),
    ];
    let foes = vec![pokemon("Iron Hands", "", "", None), pokemon("Chien-Pao", "", "", None)];
    for (side, team) in [own, foes].into_iter().enumerate() {
        battle.sides[side] = Side { team, active: [Some(0), Some(1)], ..Side::default() };
    }
    battle.field.terrain = Some(Terrain::Grassy);
    battle.field.weather = Some(Weather::Rain);
    let moves: Vec<MoveId> = [
        "Moonblast",
        "Dazzling Gleam",
        "Shadow Ball",
        "Psyshock",
        "Grassy Glide",
        "Wood Hammer",
        "High Horsepower",
        "Fake Out",
        "Surging Strikes",
        "Bullet Seed",
        "Gyro Ball",
        "Knock Off",
    ]
    .iter()
    .map(|name| dex::a_move(name).expect("a move"))
    .collect();
    let rounds: u32 = 20_000;
    for round in ["warm", "measured"] {
        let (start, busy_before) = (Instant::now(), busy());
        let mut count = 0u32;
        for _ in 0..rounds {
            for &a_move in &moves {
                for (attacker, target) in [((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1, 0), (0, 0))] {
                    black_box(damage::estimate(black_box(&battle), attacker, a_move, target));
                    count += 1;
                }
            }
        }
        let each = |time: Duration| time.as_nanos() as f64 / f64::from(count);
        let (wall, cpu) = (start.elapsed(), busy().zip(busy_before).map(|(now, then)| now - then));
        let cpu = cpu.map_or(String::from("not told"), |time| format!("{:.0} ns", each(time)));
        println!(
            "{round}: {cpu} of the processor, {:.0} ns by the clock an estimate ({count})",
            each(wall)
        );
    }
}
