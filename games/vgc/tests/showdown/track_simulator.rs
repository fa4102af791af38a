//! The tracker against the simulator's own state, after every update of random battles.
//!
//! `LANISTA_VGC_TRACKED=200 cargo test -p lanista-vgc --release --test showdown track_simulator -- --nocapture` plays as
//! many battles in every format; without it a few are played.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use lanista_vgc::dex::{self, ItemId};
use lanista_vgc::format::{FORMATS, Format};
use lanista_vgc::install::{self, Install};
use lanista_vgc::request::{Condition, Request};
use lanista_vgc::state::{Battle, Pokemon, Status, Terrain, Weather};
use lanista_vgc::track::Tracker;
use serde_json::Value;

/// A child that does not outlive the test.
struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Disagreements by kind, with the first of each.
#[derive(Default)]
struct Tally {
    battles: usize,
    updates: usize,
    compared: usize,
    bounds: usize,
    /// Somebody of the own side has Pressure: whom a move was aimed at that failed is not told, nor is
    /// therefore what it cost.
    pressure: bool,
    excluded: usize,
    /// Names of those who went in disguise or were the model of one, by side: the foe cannot tell what was
    /// whose until it falls, and not always then.
    masked: [std::collections::BTreeSet<String>; 2],
    unread: BTreeMap<String, usize>,
    differences: BTreeMap<String, (usize, String)>,
}

impl Tally {
    fn check(&mut self, same: bool, kind: &str, at: &str, words: impl FnOnce() -> String) {
        self.compared += 1;
        if !same {
            let words = || format!("{at}: {}", words());
            self.differences.entry(kind.to_owned()).or_insert_with(|| (0, words())).0 += 1;
        }
    }

    fn equal<T: PartialEq + std::fmt::Debug>(&mut self, kind: &str, at: &str, ours: T, theirs: T) {
        let same = ours == theirs;
        self.check(same, kind, at, || format!("{ours:?}, the simulator has {theirs:?}"));
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("")
}

fn number(value: &Value, key: &str) -> i64 {
    value[key].as_f64().unwrap_or(0.0) as i64
}

fn install() -> Option<Install> {
    match install::locate(None) {
        Ok(found) => Some(found),
        Err(why) => {
            println!("skipped: the tracker against the simulator ({why})");
            None
        }
    }
}

fn battles(fallback: usize) -> usize {
    let set = std::env::var("LANISTA_VGC_TRACKED").ok();
    set.and_then(|set| set.parse().ok()).unwrap_or(fallback)
}

/// Plays battles of every format and compares both trackers with the truth after every update.
fn compare(
    install: &Install,
    formats: &[&'static Format],
    count: usize,
    seed: usize,
    wildness: &str,
    teams: Option<PathBuf>,
) -> Tally {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/track_simulator.js");
    let names: Vec<&str> = formats.iter().map(|format| format.id).collect();
    let mut command = Command::new(&install.node);
    command.arg(script).arg(&install.package).arg(names.join(","));
    command.arg(count.to_string()).arg(seed.to_string()).arg(wildness).args(teams);
    let mut node = Node(command.stdout(Stdio::piped()).spawn().unwrap());
    let lines = BufReader::new(node.0.stdout.take().unwrap()).lines();
    let mut tally = Tally::default();
    let mut trackers: Option<[Tracker; 2]> = None;
    let mut current = (String::new(), 0);
    for line in lines {
        let told: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let format = Format::of(text(&told, "format")).unwrap();
        let battle = (format.id.to_owned(), number(&told, "battle"));
        if battle != current || trackers.is_none() {
            trackers = Some([0, 1].map(|me| Tracker::new(format, me)));
            tally.masked = Default::default();
            tally.battles += 1;
            current = battle;
        }
        let truth = &told["state"];
        tally.updates += 1;
        for (me, tracker) in trackers.iter_mut().flatten().enumerate() {
            for line in told["logs"][me].as_array().unwrap() {
                let line = line.as_str().unwrap();
                let before = tracker.unread();
                tracker.line(line);
                if tracker.unread() > before {
                    *tally.unread.entry(line.to_owned()).or_default() += 1;
                }
            }
            if told["requests"][me].is_object() {
                let request: Request =
                    serde_json::from_value(told["requests"][me].clone()).unwrap();
                tracker.request(&request);
            }
            let (format, battle) = &current;
            let turn = &truth["turn"];
            let at = format!("{format} seed {seed} battle {battle} turn {turn} p{}", me + 1);
            compare_battle(&mut tally, &at, tracker.battle(), truth);
        }
    }
    assert!(node.0.wait().unwrap().success());
    tally
}

fn compare_battle(tally: &mut Tally, at: &str, battle: &Battle, truth: &Value) {
    tally.equal("turn", at, i64::from(battle.turn), number(truth, "turn"));
    tally.equal("end", at, battle.end.is_some(), truth["ended"] == true);
    if battle.turn == 0 {
        return;
    }
    if battle.end.is_none() {
        // Who wins at the end of a turn leaves it unfinished.
        compare_field(tally, at, battle, truth);
    }
    for side in 0..2 {
        let theirs = &truth["sides"][side];
        let presses = truth["sides"][battle.me]["pokemon"].as_array().unwrap().iter();
        tally.pressure = presses.into_iter().any(|row| text(row, "ability") == "pressure");
        compare_side(tally, &format!("{at} side {}", side + 1), battle, side, theirs);
        let rows = theirs["pokemon"].as_array().unwrap();
        let disguised = rows.iter().any(|row| row["illusion"].is_string());
        for row in rows.iter().filter(|row| row["illusion"].is_string()) {
            tally.masked[side].insert(text(row, "illusion").to_owned());
            tally.masked[side].insert(text(row, "name").to_owned());
        }
        for row in rows {
            let index: usize = text(row, "name")[1..].parse().unwrap();
            let one = &battle.sides[side].team[index];
            let at =
                format!("{at} side {} {} ({})", side + 1, text(row, "name"), text(row, "species"));
            tally.check(side == battle.me || one.stats.is_none(), "stats", &at, || {
                format!("{one:?}")
            });
            if side == battle.me {
                compare_own(tally, &at, battle, one, row);
                compare_shown(tally, &at, battle, side, one, row);
            } else if !one.revealed {
                // Nothing is known of whom nobody has seen but what the preview showed.
                let silent = one.moves.is_empty()
                    && one.nickname.is_empty()
                    && !one.item.is_known()
                    && one.tera_type.is_none();
                tally.check(silent, "unseen", &at, || format!("{one:?}"));
            } else if !tally.masked[side].contains(text(row, "name")) {
                compare_foe(tally, &at, battle, one, row);
                compare_shown(tally, &at, battle, side, one, row);
            }
        }
        if side == battle.me || !disguised {
            for place in 0..2 {
                let theirs = rows.iter().find(|row| {
                    row["active"] == true && row["fainted"] == false && row["position"] == place
                });
                let theirs = theirs.map(|row| text(row, "name")[1..].parse::<usize>().unwrap());
                tally.equal("active", at, battle.sides[side].active[place], theirs);
            }
        }
    }
}

fn compare_field(tally: &mut Tally, at: &str, battle: &Battle, truth: &Value) {
    let field = &battle.field;
    let weather = match field.weather {
        None => "",
        Some(Weather::Sun) => "sunnyday",
        Some(Weather::Rain) => "raindance",
        Some(Weather::Sand) => "sandstorm",
        Some(Weather::Snow) => "snowscape",
        Some(Weather::HarshSun) => "desolateland",
        Some(Weather::HeavyRain) => "primordialsea",
        Some(Weather::StrongWinds) => "deltastream",
    };
    tally.equal("weather", at, weather, text(truth, "weather"));
    lasts(tally, "weather turns", at, field.weather_turns, number(truth, "weatherTurns"));
    let terrain = match field.terrain {
        None => "",
        Some(Terrain::Electric) => "electricterrain",
        Some(Terrain::Grassy) => "grassyterrain",
        Some(Terrain::Misty) => "mistyterrain",
        Some(Terrain::Psychic) => "psychicterrain",
    };
    tally.equal("terrain", at, terrain, text(truth, "terrain"));
    lasts(tally, "terrain turns", at, field.terrain_turns, number(truth, "terrainTurns"));
    let pseudo = &truth["pseudo"];
    for (name, ours) in [
        ("trickroom", field.trick_room),
        ("gravity", field.gravity),
        ("magicroom", field.magic_room),
        ("wonderroom", field.wonder_room),
        ("fairylock", field.fairy_lock),
    ] {
        tally.equal(name, at, i64::from(ours), number(&pseudo[name], "duration"));
    }
}

/// Turns left, or three fewer while the item that lengthens it has not shown.
fn lasts(tally: &mut Tally, kind: &str, at: &str, ours: u8, theirs: i64) {
    let ours = i64::from(ours);
    tally.check(ours == theirs || ours + 3 == theirs, kind, at, || {
        format!("{ours}, the simulator has {theirs}")
    });
}

fn compare_side(tally: &mut Tally, at: &str, battle: &Battle, side: usize, truth: &Value) {
    let conditions = &battle.sides[side].conditions;
    let theirs = &truth["conditions"];
    for (name, ours) in [
        ("reflect", conditions.reflect),
        ("lightscreen", conditions.light_screen),
        ("auroraveil", conditions.aurora_veil),
    ] {
        lasts(tally, name, at, ours, number(&theirs[name], "duration"));
    }
    for (name, ours) in [
        ("tailwind", conditions.tailwind),
        ("safeguard", conditions.safeguard),
        ("mist", conditions.mist),
        ("luckychant", conditions.lucky_chant),
        ("firepledge", conditions.fire_pledge),
        ("grasspledge", conditions.grass_pledge),
        ("waterpledge", conditions.water_pledge),
    ] {
        tally.equal(name, at, i64::from(ours), number(&theirs[name], "duration"));
    }
    for (name, ours) in [("spikes", conditions.spikes), ("toxicspikes", conditions.toxic_spikes)] {
        tally.equal(name, at, i64::from(ours), number(&theirs[name], "layers"));
    }
    for (name, ours) in [
        ("stealthrock", conditions.stealth_rock),
        ("stickyweb", conditions.sticky_web),
        ("quickguard", conditions.quick_guard),
        ("wideguard", conditions.wide_guard),
        ("craftyshield", conditions.crafty_shield),
        ("matblock", conditions.mat_block),
    ] {
        tally.equal(name, at, ours, theirs[name].is_object());
    }
    for place in 0..2 {
        let theirs: Vec<&str> =
            truth["places"][place].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let ours = &battle.sides[side].places[place];
        tally.equal("future", at, ours.future_attack > 0, theirs.contains(&"futuremove"));
        tally.equal("wish", at, ours.wish > 0, theirs.contains(&"wish"));
        let healing = theirs.contains(&"healingwish") || theirs.contains(&"lunardance");
        tally.equal("healing wish", at, ours.healing_wish, healing);
    }
}

fn named(id: ItemId) -> String {
    let none = id == ItemId::none();
    let known = dex::Dex::of_mod("gen9").item(id).map(|item| item.id.clone());
    if none { String::new() } else { known.unwrap_or_else(|| "unknown".to_owned()) }
}

fn ability_named(id: dex::AbilityId) -> String {
    dex::Dex::of_mod("gen9").ability(id).map_or("unknown".to_owned(), |a| a.id.clone())
}

fn species_named(id: dex::SpeciesId) -> String {
    dex::Dex::of_mod("gen9").species(id).map_or("unknown".to_owned(), |s| s.id.clone())
}

fn move_named(id: dex::MoveId) -> String {
    dex::Dex::of_mod("gen9").a_move(id).map_or("".to_owned(), |m| m.id.clone())
}

fn compare_own(tally: &mut Tally, at: &str, battle: &Battle, one: &Pokemon, row: &Value) {
    if battle.end.is_some() {
        return; // no request tells the end
    }
    tally.equal("own health", at, i64::from(one.hp), number(row, "hp"));
    if one.hp > 0 {
        tally.equal("own most health", at, i64::from(one.max_hp), number(row, "maxhp"));
    }
    tally.equal("own item", at, named(one.item), text(row, "item").to_owned());
    tally.equal("own ability", at, ability_named(one.ability), text(row, "ability").to_owned());
    let base = ability_named(one.base_ability);
    tally.equal("own base ability", at, base, text(row, "baseAbility").to_owned());
    let ours: Vec<(String, i64, i64)> = one
        .moves
        .iter()
        .map(|known| (move_named(known.id), i64::from(known.pp), i64::from(known.max_pp)))
        .collect();
    let theirs: Vec<(String, i64, i64)> = row["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|slot| {
            let number = |at: usize| slot[at].as_f64().unwrap() as i64;
            (slot[0].as_str().unwrap().to_owned(), number(1), number(2))
        })
        .collect();
    // Pressure on the turn of charging shows when the uses are told again.
    if !row["volatiles"]["twoturnmove"].is_object() {
        tally.equal("own moves", at, ours, theirs);
    }
}

fn compare_foe(tally: &mut Tally, at: &str, battle: &Battle, one: &Pokemon, row: &Value) {
    let shared = Condition::parse(text(row, "shared")).unwrap();
    let active = row["active"] == true;
    let silently = ["regenerator", "naturalcure"].contains(&text(row, "baseAbility")) && !active;
    if !silently {
        tally.equal("foe health", at, one.hp, shared.hp);
    }
    let item = text(row, "item");
    if one.item.is_known() {
        tally.equal("foe item", at, named(one.item), item.to_owned());
    }
    let not: Vec<String> = one.not_items.iter().map(|item| named(*item)).collect();
    tally.check(!not.iter().any(|not| not == item), "foe not item", at, || {
        format!("not {not:?}, the simulator has {item}")
    });
    if one.ability.is_known() {
        tally.equal("foe ability", at, ability_named(one.ability), text(row, "ability").to_owned());
    }
    if one.base_ability.is_known() {
        let base = ability_named(one.base_ability);
        tally.equal("foe base ability", at, base, text(row, "baseAbility").to_owned());
    }
    let not: Vec<String> = one.not_abilities.iter().map(|a| ability_named(*a)).collect();
    let ability = text(row, "baseAbility");
    tally.check(!not.iter().any(|not| not == ability), "foe not ability", at, || {
        format!("not {not:?}, the simulator has {ability}")
    });
    // The speed it has with its item; a transformed one runs with another's.
    let scarf = ["choicescarf"].contains(&item);
    let slow = ["ironball", "machobrace"].contains(&item) || item.starts_with("power");
    let factor = if scarf {
        1.5
    } else if slow && item != "powerherb" {
        0.5
    } else {
        1.0
    };
    let speed = number(row, "speed") as f64 * factor;
    let tails = ["laggingtail", "fullincense"].contains(&item);
    if active && row["transformed"] == false && !tails && !row["volatiles"]["speedswap"].is_object()
    {
        let least = one.speed_at_least.map_or(0.0, f64::from);
        let most = one.speed_at_most.map_or(f64::MAX, f64::from);
        tally.bounds += usize::from(one.speed_at_least.is_some() || one.speed_at_most.is_some());
        tally.check(least <= speed && speed <= most, "foe speed", at, || {
            format!("{least} to {most}, the simulator has {speed} with {item}")
        });
    }
    tally.excluded += one.not_items.len() + one.not_abilities.len();
    for known in &one.moves {
        let name = move_named(known.id);
        let slots = row["moves"].as_array().unwrap();
        let slot = slots.iter().find(|slot| slot[0] == name.as_str());
        tally.check(slot.is_some(), "foe move", at, || format!("{name} is none of {slots:?}"));
        if let Some(slot) = slot {
            let left = slot[1].as_f64().unwrap() as i64;
            let (ours, vague) = (i64::from(known.pp), tally.pressure);
            tally.check(ours == left || vague && ours > left, "foe uses", at, || {
                format!("{name} {}, the simulator has {left}", known.pp)
            });
        }
    }
    if let Some(tera) = one.tera_type
        && battle.format.gimmick == lanista_vgc::format::Gimmick::Terastallize
    {
        tally.equal("foe tera", at, tera.name(), text(row, "teraType"));
    }
    let _ = battle;
}

/// What both sides see.
fn compare_shown(
    tally: &mut Tally,
    at: &str,
    battle: &Battle,
    side: usize,
    one: &Pokemon,
    row: &Value,
) {
    let fainted = row["fainted"] == true;
    tally.equal("fainted", at, one.fainted, fainted);
    if fainted {
        return;
    }
    let active = row["active"] == true;
    let silently = ["regenerator", "naturalcure"].contains(&text(row, "baseAbility"))
        && !active
        && side != battle.me;
    let over = battle.end.is_some();
    if !silently {
        tally.equal("status", at, one.status, Status::of(text(row, "status")).unwrap());
        if one.status == Status::Toxic && active {
            tally.equal("toxic", at, i64::from(one.status_turns), number(row, "stage"));
        }
        if one.status == Status::Sleep && text(row, "ability") != "earlybird" {
            tally.equal("slept", at, i64::from(one.status_turns), number(row, "slept"));
        }
    }
    tally.equal("tera", at, one.terastallized, !text(row, "tera").is_empty());
    tally.equal("hits", at, i64::from(one.times_hit), number(row, "hits"));
    if !active || over {
        return;
    }
    // Its form does not show.
    let species = text(row, "species").replace("rockruffdusk", "rockruff");
    let species = species.replace("greninjabond", "greninja");
    tally.equal("species", at, species_named(one.species), species);
    for (index, name) in
        ["atk", "def", "spa", "spd", "spe", "accuracy", "evasion"].iter().enumerate()
    {
        let theirs = number(&row["boosts"], name);
        tally.equal("stages", &format!("{at} {name}"), i64::from(one.stages[index]), theirs);
    }
    tally.equal("transformed", at, one.transformed, row["transformed"] == true);
    tally.equal("last move", at, move_named(one.last_move), text(row, "lastMove").to_owned());
    if !one.terastallized {
        let ours: Vec<&str> = one.types(battle.format).iter().map(|t| t.name()).collect();
        let mut theirs: Vec<&str> =
            row["types"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        theirs.retain(|name| *name != "???");
        theirs.extend(Some(text(row, "added")).filter(|added| !added.is_empty()));
        tally.equal("types", at, ours, theirs);
    }
    compare_volatiles(tally, at, one, row);
}

fn compare_volatiles(tally: &mut Tally, at: &str, one: &Pokemon, row: &Value) {
    let ours = &one.volatiles;
    let theirs = &row["volatiles"];
    let stall = number(&theirs["stall"], "counter");
    let stall = if stall == 0 { 0 } else { (stall as f64).log(3.0).round() as i64 };
    tally.equal("stall", at, i64::from(one.stall), stall);
    for (name, ours) in [
        ("taunt", ours.taunt),
        ("encore", ours.encore),
        ("disable", ours.disable),
        ("healblock", ours.heal_block),
        ("throatchop", ours.throat_chop),
        ("syrupbomb", ours.syrup_bomb),
        ("yawn", ours.yawn),
        ("perishsong", ours.perish),
        ("magnetrise", ours.magnet_rise),
        ("telekinesis", ours.telekinesis),
    ] {
        tally.equal(name, at, i64::from(ours), number(&theirs[name], "duration"));
    }
    let protects = [
        "protect",
        "banefulbunker",
        "burningbulwark",
        "kingsshield",
        "obstruct",
        "silktrap",
        "spikyshield",
        "maxguard",
    ];
    let has = |names: &[&str]| names.iter().any(|name| theirs[*name].is_object());
    for (name, ours, others) in [
        ("confusion", ours.confusion, &["confusion"][..]),
        ("torment", ours.torment, &["torment"]),
        ("attract", ours.attract, &["attract"]),
        ("leechseed", ours.leech_seed, &["leechseed"]),
        ("saltcure", ours.salt_cure, &["saltcure"]),
        ("curse", ours.curse, &["curse"]),
        ("nightmare", ours.nightmare, &["nightmare"]),
        ("ingrain", ours.ingrain, &["ingrain"]),
        ("aquaring", ours.aqua_ring, &["aquaring"]),
        ("smackdown", ours.smack_down, &["smackdown"]),
        ("substitute", ours.substitute, &["substitute"]),
        ("focusenergy", ours.focus_energy, &["focusenergy"]),
        ("dragoncheer", ours.dragon_cheer, &["dragoncheer"]),
        ("laserfocus", ours.laser_focus, &["laserfocus"]),
        ("charge", ours.charge, &["charge"]),
        ("imprison", ours.imprison, &["imprison"]),
        ("destinybond", ours.destiny_bond, &["destinybond"]),
        ("partiallytrapped", ours.partially_trapped, &["partiallytrapped"]),
        ("trapped", ours.trapped, &["trapped"]),
        ("tarshot", ours.tar_shot, &["tarshot"]),
        ("glaiverush", ours.glaive_rush, &["glaiverush"]),
        ("mustrecharge", ours.must_recharge, &["mustrecharge"]),
        (
            "lockedmove",
            ours.locked_move.is_known(),
            &["lockedmove", "uproar", "rollout", "iceball"],
        ),
        ("paradox", ours.paradox_boost > 0, &["protosynthesis", "quarkdrive"]),
        ("flashfire", ours.flash_fire, &["flashfire"]),
        ("gastroacid", ours.gastro_acid, &["gastroacid"]),
        ("commanding", ours.commanding, &["commanding"]),
        ("commanded", ours.commanded, &["commanded"]),
        ("powertrick", ours.power_trick, &["powertrick", "powershift"]),
        ("followme", ours.follow_me, &["followme", "ragepowder", "spotlight"]),
        ("helpinghand", ours.helping_hand, &["helpinghand"]),
        ("protect", ours.protect, &protects),
        ("endure", ours.endure, &["endure"]),
        ("roost", ours.roost, &["roost"]),
        ("electrify", ours.electrified, &["electrify"]),
        ("powder", ours.powder, &["powder"]),
        ("noretreat", ours.no_retreat, &["noretreat"]),
        ("octolock", ours.octolock, &["octolock"]),
        ("embargo", ours.embargo, &["embargo"]),
        ("minimize", ours.minimize, &["minimize"]),
        ("defensecurl", ours.defense_curl, &["defensecurl"]),
    ] {
        tally.equal(name, at, ours, has(others));
    }
    // What is left of it after the stroke does nothing.
    let charging = text(&theirs["twoturnmove"], "move");
    let charging = !charging.is_empty() && theirs[charging].is_object();
    tally.equal("twoturnmove", at, ours.two_turn.is_known(), charging);
    if one.ability == dex::ability("unburden").unwrap() && text(row, "item").is_empty() {
        tally.equal("unburden", at, ours.unburden, has(&["unburden"]));
    }
    tally.equal("stockpile", at, i64::from(ours.stockpile), number(&theirs["stockpile"], "layers"));
    tally.equal("slow start", at, i64::from(ours.slow_start), number(row, "slowStart"));
    if ours.encore > 0 {
        tally.equal(
            "encored",
            at,
            move_named(ours.encored),
            text(&theirs["encore"], "move").into(),
        );
    }
    if ours.disable > 0 {
        let disabled = move_named(ours.disabled);
        tally.equal("disabled", at, disabled, text(&theirs["disable"], "move").into());
    }
}

fn report(tally: &Tally) {
    println!(
        "{} battles, {} updates, {} facts compared ({} bounds of speed, {} things excluded), {} kinds of \
         disagreements, {} unread lines",
        tally.battles,
        tally.updates,
        tally.compared,
        tally.bounds,
        tally.excluded,
        tally.differences.len(),
        tally.unread.values().sum::<usize>()
    );
    let mut kinds: Vec<_> = tally.differences.iter().collect();
    kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (kind, (count, first)) in kinds {
        println!("  {count:>6} {kind}: {first}");
    }
    for (line, count) in tally.unread.iter().take(40) {
        println!("  unread {count}: {line}");
    }
}

/// Battles that differ in nothing but what p2 keeps to itself are the same to p1, as long as the logs are.
#[test]
fn what_is_hidden_stays_hidden() {
    let Some(install) = install() else { return };
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/track_simulator.js");
    let names = FORMATS.iter().map(|format| format.id).collect::<Vec<_>>().join(",");
    let mut command = Command::new(&install.node);
    command.arg(script).arg(&install.package).arg(names).arg(battles(1).to_string());
    command.args(["31", "hidden"]);
    let mut node = Node(command.stdout(Stdio::piped()).spawn().unwrap());
    let lines = BufReader::new(node.0.stdout.take().unwrap()).lines();
    // Of the first run: what p1 was told, what it knew then, and the request of p2.
    type Told = (Vec<Value>, Value, String, Value);
    let mut first: Vec<Told> = Vec::new();
    let mut current = Value::Null;
    let (mut tracker, mut at, mut parted) = (None, 0, false);
    let (mut compared, mut secrets) = (0, 0);
    for line in lines {
        let told: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let which = serde_json::json!([told["format"], told["battle"], told["run"]]);
        let format = Format::of(text(&told, "format")).unwrap();
        if which != current {
            if told["run"] == 0 {
                first.clear();
            }
            current = which;
            (at, parted) = (0, false);
            tracker = Some(Tracker::new(format, 0));
        }
        let Some(tracker) = &mut tracker else { unreachable!() };
        let log = told["log"].as_array().unwrap().clone();
        log.iter().for_each(|line| tracker.line(line.as_str().unwrap()));
        let request = told["requests"][0].clone();
        if request.is_object() {
            tracker.request(&serde_json::from_value(request.clone()).unwrap());
        }
        let known = format!("{:?}", tracker.battle());
        let theirs = told["requests"][1].clone();
        if told["run"] == 0 {
            first.push((log, request, known, theirs));
            continue;
        }
        if !parted && let Some((old_log, old_request, old_known, old_theirs)) = first.get(at) {
            parted = *old_log != log;
            if !parted {
                assert_eq!(*old_request, request, "{current}: one's own request");
                assert_eq!(*old_known, known, "{current} update {at}");
                compared += 1;
                secrets += usize::from(*old_theirs != theirs);
            }
        }
        at += 1;
    }
    println!("{compared} updates were the same to p1; in {secrets} of them p2's request was not");
    assert!(compared > 20 && secrets * 2 > compared);
}

#[test]
fn made_up_teams_are_tracked() {
    let Some(install) = install() else { return };
    let formats: Vec<_> = FORMATS.iter().collect();
    let seed = std::env::var("LANISTA_VGC_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut sound = true;
    for wildness in ["0", "0.5"] {
        let tally = compare(&install, &formats, battles(1), seed.unwrap_or(100), wildness, None);
        report(&tally);
        sound &= tally.unread.is_empty() && tally.differences.is_empty();
    }
    assert!(sound, "what differs is printed above");
}

#[test]
fn given_teams_are_tracked() {
    let Some(install) = install() else { return };
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/vgc");
    let file = |format: &Format| shared.join(format!("teams_{}.packed", format.id));
    let formats: Vec<_> = FORMATS.iter().filter(|format| file(format).exists()).collect();
    if formats.is_empty() {
        println!("skipped: the tracker with given teams (there are none)");
        return;
    }
    let tally = compare(&install, &formats, battles(2), 7, "0", Some(shared));
    report(&tally);
    assert!(tally.unread.is_empty() && tally.differences.is_empty());
}
