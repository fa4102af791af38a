//! Damage against the simulator: random battles in all formats, every blow looked for among our draws.
//!
//! `LANISTA_VGC_HITS=12000 cargo test -p lanista-vgc --test showdown damage_hits -- --nocapture` asks for so many over
//! all formats and prints a table; without it 60 of each of three formats are asked for. A file of blows written before is
//! read in place of node with `LANISTA_VGC_HITS_FILES=a.jsonl,b.jsonl`, each named `….FORMAT.jsonl`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lanista_vgc::damage::{
    Auras, Combatant, Conditions, Marks, Outcome, Strike, Types, estimate, strike,
};
use lanista_vgc::dex::{self, Type};
use lanista_vgc::format::{FORMATS, Format};
use lanista_vgc::install;
use lanista_vgc::state::{Battle, Pokemon, Side, Status, Terrain, Weather};
use serde_json::Value;

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("")
}

fn yes(value: &Value, key: &str) -> bool {
    value[key].as_bool().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn number(value: &Value, key: &str) -> i64 {
    value[key].as_i64().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn numbers<const N: usize>(value: &Value) -> [i64; N] {
    std::array::from_fn(|at| value[at].as_i64().expect("a number"))
}

fn types(value: &Value) -> Types {
    let names = value.as_array().expect("types");
    Types::of(names.iter().filter_map(|name| Type::of(name.as_str().expect("a type"))))
}

fn combatant(value: &Value) -> Combatant {
    let marks = &value["marks"];
    Combatant {
        species: dex::species(word(value, "species")).expect("a species"),
        base_species: dex::species(word(value, "base")).expect("a species"),
        level: number(value, "level") as u8,
        gender: word(value, "gender").chars().next(),
        stats: numbers(&value["stats"]).map(|stat| stat as u16),
        hp: number(value, "hp") as u16,
        max_hp: number(value, "max_hp") as u16,
        stages: numbers(&value["stages"]).map(|stage| stage as i8),
        types: types(&value["types"]),
        tera: Type::of(word(value, "tera")),
        stellar_used: types(&value["stellar"]),
        status: Status::of(word(value, "status")).expect("a status"),
        item: dex::item(word(value, "item")).unwrap_or(dex::ItemId::none()),
        item_suppressed: yes(value, "item_suppressed"),
        ability: dex::ability(word(value, "ability")).unwrap_or_default(),
        ability_suppressed: yes(value, "ability_suppressed"),
        weight: number(value, "weight") as u16,
        order: number(value, "order") as i32,
        marks: Marks {
            charge: yes(marks, "charge"),
            helping_hands: number(marks, "helping_hands") as u8,
            flash_fire: yes(marks, "flash_fire"),
            slow_start: yes(marks, "slow_start"),
            unburden: yes(marks, "unburden"),
            paradox_boost: number(marks, "paradox_boost") as u8,
            glaive_rush: yes(marks, "glaive_rush"),
            minimize: yes(marks, "minimize"),
            defense_curl: yes(marks, "defense_curl"),
            tar_shot: yes(marks, "tar_shot"),
            smack_down: yes(marks, "smack_down"),
            ingrain: yes(marks, "ingrain"),
            magnet_rise: yes(marks, "magnet_rise"),
            telekinesis: yes(marks, "telekinesis"),
            substitute: yes(marks, "substitute"),
            electrified: yes(marks, "electrified"),
            out_of_reach: dex::a_move(word(marks, "out_of_reach")).unwrap_or_default(),
            stockpile: number(marks, "stockpile") as u8,
            supreme_overlord: number(marks, "supreme_overlord") as u8,
            times_hit: number(marks, "times_hit") as u8,
            just_came_in: yes(marks, "just_came_in"),
            hurt_this_turn: yes(marks, "hurt_this_turn"),
            stats_lowered: yes(marks, "stats_lowered"),
            last_move_failed: yes(marks, "last_move_failed"),
            metronome: number(marks, "metronome") as u8,
            gem: yes(marks, "gem"),
            neutral: yes(marks, "neutral"),
            shell_resists: yes(marks, "shell_resists"),
            ..Marks::default()
        },
    }
}

fn conditions(value: &Value) -> Conditions {
    let ability = |key: &str| dex::ability(word(value, key)).unwrap_or_default();
    let auras = &value["auras"];
    Conditions {
        weather: match word(value, "weather") {
            "sunnyday" => Some(Weather::Sun),
            "raindance" => Some(Weather::Rain),
            "sandstorm" => Some(Weather::Sand),
            "snowscape" => Some(Weather::Snow),
            "desolateland" => Some(Weather::HarshSun),
            "primordialsea" => Some(Weather::HeavyRain),
            "deltastream" => Some(Weather::StrongWinds),
            "" => None,
            other => panic!("weather {other}"),
        },
        terrain: match word(value, "terrain") {
            "electricterrain" => Some(Terrain::Electric),
            "grassyterrain" => Some(Terrain::Grassy),
            "mistyterrain" => Some(Terrain::Misty),
            "psychicterrain" => Some(Terrain::Psychic),
            "" => None,
            other => panic!("terrain {other}"),
        },
        gravity: yes(value, "gravity"),
        wonder_room: yes(value, "wonder_room"),
        friendly: yes(value, "friendly"),
        attacker_ally: ability("attacker_ally"),
        attacker_ally_blooms: yes(value, "attacker_ally_blooms"),
        target_ally: ability("target_ally"),
        target_ally_blooms: yes(value, "target_ally_blooms"),
        target_ally_shielded: yes(value, "target_ally_shielded"),
        auras: Auras {
            sword_of_ruin: yes(auras, "sword_of_ruin"),
            beads_of_ruin: yes(auras, "beads_of_ruin"),
            tablets_of_ruin: yes(auras, "tablets_of_ruin"),
            vessel_of_ruin: yes(auras, "vessel_of_ruin"),
            fairy: yes(auras, "fairy"),
            dark: yes(auras, "dark"),
            breaks: yes(auras, "breaks"),
        },
        fallen: number(value, "fallen") as u8,
        fell_last_turn: yes(value, "fell_last_turn"),
        unnerved: yes(value, "unnerved"),
        reflect: yes(value, "reflect"),
        light_screen: yes(value, "light_screen"),
        aurora_veil: yes(value, "aurora_veil"),
        attacker_tailwind: yes(value, "attacker_tailwind"),
        target_tailwind: yes(value, "target_tailwind"),
    }
}

fn blow(value: &Value) -> Strike {
    Strike {
        a_move: dex::a_move(word(value, "a_move")).expect("a move"),
        critical: value["critical"].as_bool().unwrap_or(false),
        spread: yes(value, "spread"),
        number: number(value, "number") as u8,
        second_of_bond: yes(value, "second_of_bond"),
        through_protection: yes(value, "through_protection"),
        moves_last: yes(value, "moves_last"),
        target_moved: yes(value, "target_moved"),
        hurt_by_target: yes(value, "hurt_by_target"),
        combined: yes(value, "combined"),
        pledge_type: Type::of(word(value, "pledge_type")),
        all_out: false,
        drawn_power: number(value, "drawn_power") as u16,
        returned: number(value, "returned") as u16,
        stellar_boosted: yes(value, "stellar_boosted"),
        coin_physical: yes(value, "coin_physical"),
    }
}

/// What was seen of a format.
#[derive(Default)]
struct Tally {
    hits: usize,
    /// The blow is among the draws.
    exact: usize,
    /// It lies between the least and the most.
    within: usize,
    /// What was taken from the target lies between them, cut at what it had.
    dealt_within: usize,
    immune: usize,
    immune_seen: usize,
    moves: std::collections::BTreeSet<String>,
    abilities: std::collections::BTreeSet<String>,
    items: std::collections::BTreeSet<String>,
    misses: BTreeMap<String, usize>,
    /// Of foes with sets that people made: what was taken over the mean that is foretold when nothing of the
    /// set is known, and how often it lies between the least and the most foretold.
    foretold: Vec<f32>,
    foretold_within: usize,
}

/// What a side would foretell that knows its own attacker and of the foe its form and health alone.
fn foretell(format: &'static Format, value: &Value, tally: &mut Tally) {
    let (attacker, target) = (combatant(&value["attacker"]), combatant(&value["target"]));
    let one = blow(&value["strike"]);
    let around = conditions(&value["around"]);
    let Some(damage) = value["damage"].as_u64() else { return };
    let plain = value["given"] == true
        && value["dealt"].is_u64()
        && !(one.critical || around.friendly || one.number > 1)
        && attacker.ability.is_known();
    if !plain {
        return;
    }
    let who = |of: &Combatant| Pokemon {
        species: of.species,
        base_species: of.base_species,
        level: of.level,
        hp: of.hp,
        max_hp: of.max_hp,
        revealed: true,
        status: of.status,
        stages: of.stages,
        tera_type: of.tera,
        terastallized: of.tera.is_some(),
        ..Pokemon::default()
    };
    let mut battle = Battle::new(format, 0);
    let own = Pokemon {
        item: attacker.item,
        ability: attacker.ability,
        stats: Some(attacker.stats),
        ..who(&attacker)
    };
    let share = u32::from(target.hp) * 100 / u32::from(target.max_hp);
    let foe = Pokemon { hp: share.max(1) as u16, max_hp: 100, ..who(&target) };
    for (side, team) in [vec![own.clone(), own], vec![foe.clone(), foe]].into_iter().enumerate() {
        let active = if one.spread { [Some(0), Some(1)] } else { [Some(0), None] };
        battle.sides[side] = Side { team, active, ..Side::default() };
    }
    battle.field.weather = around.weather;
    battle.field.terrain = around.terrain;
    let screens = &mut battle.sides[1].conditions;
    screens.reflect = u8::from(around.reflect);
    screens.light_screen = u8::from(around.light_screen);
    screens.aurora_veil = u8::from(around.aurora_veil);
    let told = estimate(&battle, (0, 0), one.a_move, (1, 0));
    if told.strokes > 1.0 || told.blocked || told.mean <= 0.0 {
        return;
    }
    let share = damage as f32 / f32::from(target.max_hp);
    tally.foretold.push(share / told.mean);
    tally.foretold_within += usize::from(told.min <= share && share <= told.max);
}

/// Is there something to say?
fn tells(value: &Value) -> bool {
    value.as_bool() != Some(false) && value.as_i64() != Some(0) && value.as_str() != Some("")
}

/// The blow in words, for who looks for the cause.
fn described(value: &Value, outcome: &Outcome) -> String {
    let one = |key: &str| {
        let who = &value[key];
        let on: Vec<&str> = who["marks"]
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, mark)| tells(mark))
            .map(|(name, _)| name.as_str())
            .collect();
        format!(
            "{} ({} {} L{} {}/{} {:?} tera {:?} {} {on:?} {}/{})",
            word(who, "species"),
            word(who, "ability"),
            word(who, "item"),
            who["level"],
            who["hp"],
            who["max_hp"],
            who["types"].to_string(),
            who["tera"].as_str(),
            who["stages"],
            word(who, "status"),
            who["ability_suppressed"],
        )
    };
    let on: Vec<String> = value["around"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, v)| tells(v) && !v.is_object())
        .map(|(name, v)| format!("{name}={v}"))
        .collect();
    format!(
        "{} {} {} typeMod {} damage {} dealt {} | {} -> {} | {} | {} | ours {:?} {:?} phys {} eff {} immune {}",
        word(&value["strike"], "a_move"),
        word(value, "element"),
        if value["physical"] == true { "physical" } else { "special" },
        value["effectiveness"],
        value["damage"],
        value["dealt"],
        one("attacker"),
        one("target"),
        on.join(" "),
        value["strike"],
        outcome.rolls,
        outcome.element,
        outcome.physical,
        outcome.effectiveness,
        outcome.immune,
    )
}

/// What keeps the target from taking the whole blow, and is no part of the formula.
fn kept_alive(value: &Value) -> bool {
    let target = &value["target"];
    let (hp, max) = (number(target, "hp"), number(target, "max_hp"));
    let ability = word(target, "ability");
    matches!(word(&value["strike"], "a_move"), "falseswipe" | "holdback")
        || hp == max && (ability == "sturdy" || word(target, "item") == "focussash")
        || word(target, "item") == "focusband"
        || matches!(ability, "disguise" | "iceface")
        || target["marks"]["substitute"] == true
}

fn judge(format: &Format, value: &Value, tally: &mut Tally, show: bool) {
    let (attacker, target) = (combatant(&value["attacker"]), combatant(&value["target"]));
    let around = conditions(&value["around"]);
    let mut one = blow(&value["strike"]);
    let outcome = strike(format, &attacker, &target, &one, &around);
    let name = word(&value["strike"], "a_move").to_owned();
    if word(value, "kind") == "immune" {
        tally.immune += 1;
        if outcome.immune {
            tally.immune_seen += 1;
        } else {
            *tally.misses.entry(format!("immunity of {name}")).or_default() += 1;
            if show {
                println!(
                    "{} IMMUNE {} {}",
                    format.id,
                    word(value, "step"),
                    described(value, &outcome)
                );
            }
        }
        return;
    }
    let Some(damage) = value["damage"].as_u64() else { return };
    tally.hits += 1;
    tally.moves.insert(name.clone());
    for key in ["attacker", "target"] {
        tally.abilities.insert(word(&value[key], "ability").to_owned());
        tally.items.insert(word(&value[key], "item").to_owned());
    }
    let mut draws = vec![outcome];
    if name == "ficklebeam" {
        one.all_out = true;
        draws.push(strike(format, &attacker, &target, &one, &around));
    }
    let among = |rolls: &Outcome| rolls.rolls.iter().any(|&roll| u64::from(roll) == damage);
    let between = |low: u64, high: u64, what: u64| low <= what && what <= high;
    let exact = draws.iter().any(among);
    let within = draws.iter().any(|o| between(o.min().into(), o.max().into(), damage) && !o.immune);
    tally.exact += usize::from(exact);
    tally.within += usize::from(within);
    let dealt = match value["dealt"].as_u64() {
        Some(dealt) => {
            let had = value["had"].as_u64().expect("what it had");
            let cut = |roll: u16| u64::from(roll).min(had);
            kept_alive(value) || draws.iter().any(|o| between(cut(o.min()), cut(o.max()), dealt))
        }
        None => within,
    };
    tally.dealt_within += usize::from(dealt);
    if !exact {
        *tally.misses.entry(name).or_default() += 1;
        if show {
            println!("{} {}", format.id, described(value, &outcome));
        }
    } else if !dealt && show {
        println!("{} DEALT {}", format.id, described(value, &outcome));
    }
}

/// Battles set up by hand, with the simulator's sixteen draws beside them: damage_known.js writes them.
#[test]
fn scenarios_have_the_simulators_draws() {
    let mut seen = 0;
    for line in include_str!("../damage_known.jsonl").lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let format = Format::of(word(&value, "format")).expect("a format");
        let outcome = strike(
            format,
            &combatant(&value["attacker"]),
            &combatant(&value["target"]),
            &blow(&value["strike"]),
            &conditions(&value["around"]),
        );
        let draws: [i64; 16] = numbers(&value["rolls"]);
        assert_eq!(outcome.rolls.map(i64::from), draws, "{}", word(&value, "name"));
        seen += 1;
    }
    assert_eq!(seen, 20);
}

/// Given teams, where there are any.
fn teams(format: &Format) -> Option<PathBuf> {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/vgc");
    Some(shared.join(format!("teams_{}.packed", format.id))).filter(|file| file.exists())
}

fn read(format: &'static Format, lines: impl BufRead, show: bool) -> Tally {
    let mut tally = Tally::default();
    for line in lines.lines() {
        let value: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
        judge(format, &value, &mut tally, show);
        if word(&value, "kind") == "hit" {
            foretell(format, &value, &mut tally);
        }
    }
    tally
}

fn play(format: &'static Format, package: &Path, hits: usize, seed: u32, show: bool) -> Tally {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/damage_hits.js");
    let mut node = Command::new("node")
        .arg(script)
        .arg(package)
        .args([format.id, &hits.to_string(), &seed.to_string()])
        .args(teams(format))
        .stdout(Stdio::piped())
        .spawn()
        .expect("node starts: it was found before");
    let tally = read(format, BufReader::new(node.stdout.take().expect("piped")), show);
    assert!(node.wait().expect("it ends").success(), "the script of {} fails", format.id);
    tally
}

#[test]
fn every_blow_is_among_the_draws() {
    let files = std::env::var("LANISTA_VGC_HITS_FILES").ok();
    let wanted: Option<usize> = std::env::var("LANISTA_VGC_HITS")
        .ok()
        .map(|n| n.parse().expect("LANISTA_VGC_HITS is a number"));
    let seed = std::env::var("LANISTA_VGC_SEED").ok().map_or(7, |n| n.parse().expect("a seed"));
    let mut tallies: Vec<(&'static Format, Tally)> = Vec::new();
    if let Some(files) = files {
        for file in files.split(',') {
            let name = Path::new(file).file_stem().and_then(|s| s.to_str()).expect("a name");
            let format = FORMATS.iter().find(|f| name.ends_with(f.id)).expect("a format");
            let lines = BufReader::new(std::fs::File::open(file).expect("the file"));
            tallies.push((format, read(format, lines, true)));
        }
    } else {
        let Ok(install) = install::locate(None) else {
            println!("skipped: every_blow_is_among_the_draws needs node and the simulator");
            return;
        };
        // In haste one format of each of the simulator's mods will do.
        let brief = ["gen9vgc2023regd", "gen9vgc2025regi", "gen9championsvgc2026regmb"];
        let formats = FORMATS.iter().filter(|f| wanted.is_some() || brief.contains(&f.id));
        let each = wanted.map_or(60, |hits| hits.div_ceil(FORMATS.len()));
        for format in formats {
            tallies.push((format, play(format, &install.package, each, seed, true)));
        }
    }
    println!(
        "| format | blows | among the draws | between least and most | dealt in range | immunities foreseen | moves | abilities | items |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut sum = [0; 6];
    for (format, t) in &mut tallies {
        println!(
            "| {} | {} | {} | {} | {} | {} of {} | {} | {} | {} |",
            format.id,
            t.hits,
            t.exact,
            t.within,
            t.dealt_within,
            t.immune_seen,
            t.immune,
            t.moves.len(),
            t.abilities.len(),
            t.items.len(),
        );
        for (at, n) in [t.hits, t.exact, t.within, t.dealt_within, t.immune_seen, t.immune]
            .into_iter()
            .enumerate()
        {
            sum[at] += n;
        }
        if !t.foretold.is_empty() {
            t.foretold.sort_by(f32::total_cmp);
            let at = |share: f32| t.foretold[(share * (t.foretold.len() - 1) as f32) as usize];
            println!(
                "  of unknown foes: {} blows, taken over foretold mean {:.2} (tenth), {:.2} (median), {:.2} (nine tenths), {} between least and most",
                t.foretold.len(),
                at(0.1),
                at(0.5),
                at(0.9),
                t.foretold_within,
            );
        }
        if !t.misses.is_empty() {
            println!("  {:?}", t.misses);
        }
    }
    println!(
        "| all | {} | {} | {} | {} | {} of {} |",
        sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]
    );
    let [hits, exact, within, dealt, seen, immune] = sum.map(|n| n as f64);
    assert!(hits > 100.0);
    assert!(exact / hits >= 0.995, "{exact} of {hits} among the draws");
    assert!(within / hits >= 0.997, "{within} of {hits} between least and most");
    assert!(dealt / hits >= 0.99, "{dealt} of {hits} dealt in range");
    assert!(seen / immune.max(1.0) >= 0.97, "{seen} of {immune} immunities");
}
