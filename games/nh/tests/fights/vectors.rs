//! Attacks of today's game, as a calculator for fights between players computed them.
//!
//! Rolls, chances, damage, speed, and the whole distribution of the damage of an attack must come out
//! equal. The calculator is known to be wrong about the nightmare staff's special below magic 99, to
//! leave out the Ancient godsword's later sacrifice, and not to know some specials; the vectors hold
//! none of these, so no vector is left out.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use lanista_nh::formula::{Dice, Fighter, Mode, Swing, Worn, attack_speed, rolls, strike};
use lanista_nh::gear::{Kind, RANGED_STRENGTH, SLOTS, STRENGTH, Slot};
use lanista_nh::kinds::{Column, Prayer, Prayers, Rules, Skill, Spell, Style};
use serde::Deserialize;

const LIVE: Rules = Rules::Live;

#[derive(Deserialize)]
struct Numbers {
    atk: i16,
    str: i16,
    def: i16,
    ranged: i16,
    magic: i16,
    prayer: i16,
    hp: i16,
}

impl Numbers {
    /// In the order of the skills.
    fn levels(&self) -> [i16; 7] {
        [self.atk, self.def, self.str, self.hp, self.ranged, self.prayer, self.magic]
    }
}

#[derive(Deserialize)]
struct Manner {
    #[serde(rename = "type")]
    kind: String,
    stance: String,
}

#[derive(Deserialize)]
struct Columns {
    stab: i16,
    slash: i16,
    crush: i16,
    magic: i16,
    ranged: i16,
}

impl Columns {
    fn array(&self) -> [i16; 5] {
        [self.stab, self.slash, self.crush, self.magic, self.ranged]
    }
}

#[derive(Deserialize)]
struct Others {
    str: i16,
    ranged_str: i16,
    magic_str: i16,
}

#[derive(Deserialize)]
struct Side {
    levels: Numbers,
    boosts: Numbers,
    gear: BTreeMap<String, u16>,
    style: Manner,
    prayers: Vec<String>,
    overhead: Option<String>,
    offensive: Option<Columns>,
    bonuses: Option<Others>,
    defensive: Option<Columns>,
}

#[derive(Deserialize)]
struct Vector {
    i: u32,
    kind: String,
    spec: bool,
    spell: Option<String>,
    attacker: Side,
    defender: Side,
    max_attack_roll: i32,
    max_defence_roll: i32,
    hit_chance: f64,
    base_min_max: (i32, i32),
    max_hit: i32,
    expected_damage: f64,
    attack_speed: u8,
    hit_dist: Vec<(i32, f64)>,
}

fn slot(name: &str) -> Slot {
    match name {
        "head" => Slot::Head,
        "cape" => Slot::Cape,
        "neck" => Slot::Neck,
        "weapon" => Slot::Weapon,
        "body" => Slot::Body,
        "shield" => Slot::Shield,
        "legs" => Slot::Legs,
        "hands" => Slot::Hands,
        "feet" => Slot::Feet,
        "ring" => Slot::Ring,
        "ammo" => Slot::Ammo,
        other => panic!("no slot {other}"),
    }
}

fn mode(style: &Manner, own: Mode) -> Mode {
    let column = match style.kind.as_str() {
        "stab" => Column::Stab,
        "slash" => Column::Slash,
        "crush" => Column::Crush,
        _ => own.column,
    };
    let ranged = style.kind == "ranged";
    let (attack, strength, defence) = match style.stance.as_str() {
        "Accurate" if ranged => (3, 3, 0),
        "Accurate" => (3, 0, 0),
        "Aggressive" => (0, 3, 0),
        "Controlled" => (1, 1, 1),
        "Defensive" | "Defensive Autocast" | "Longrange" => (0, 0, 3),
        "Rapid" | "Manual Cast" | "Autocast" => (0, 0, 0),
        other => panic!("no stance {other}"),
    };
    Mode { column, attack, strength, defence }
}

fn prayer(name: &str) -> Prayer {
    match name {
        "Steel Skin" => Prayer::SteelSkin,
        "Ultimate Strength" => Prayer::UltimateStrength,
        "Incredible Reflexes" => Prayer::IncredibleReflexes,
        "Protect from Magic" => Prayer::ProtectMagic,
        "Protect from Missiles" => Prayer::ProtectMissiles,
        "Protect from Melee" => Prayer::ProtectMelee,
        "Eagle Eye" => Prayer::EagleEye,
        "Mystic Might" => Prayer::MysticMight,
        "Piety" => Prayer::Piety,
        "Rigour" => Prayer::Rigour,
        "Augury" => Prayer::Augury,
        other => panic!("no prayer {other}"),
    }
}

fn spell(name: &str) -> Spell {
    match name {
        "Ice Rush" => Spell::IceRush,
        "Ice Burst" => Spell::IceBurst,
        "Ice Blitz" => Spell::IceBlitz,
        "Ice Barrage" => Spell::IceBarrage,
        "Blood Rush" => Spell::BloodRush,
        "Blood Burst" => Spell::BloodBurst,
        "Blood Blitz" => Spell::BloodBlitz,
        "Blood Barrage" => Spell::BloodBarrage,
        other => panic!("no spell {other}"),
    }
}

impl Side {
    fn fighter(&self) -> Fighter {
        let mut slots = [None; SLOTS];
        for (name, &id) in &self.gear {
            slots[slot(name) as usize] = Some(Kind::of(id).unwrap());
        }
        let mut worn = Worn::of(LIVE, &slots);
        worn.mode = mode(&self.style, worn.mode);
        let max_levels = self.levels.levels();
        let boosts = self.boosts.levels();
        let mut levels = std::array::from_fn(|skill| (max_levels[skill] + boosts[skill]).max(1));
        let mut prayers = Prayers::default();
        for name in self.prayers.iter().chain(&self.overhead) {
            // The contract has no Chivalry: 15 % of attack are those of Incredible Reflexes, and the
            // 18 % of strength go into the level.
            if name == "Chivalry" {
                prayers = prayers.with(Prayer::IncredibleReflexes);
                let strength = &mut levels[Skill::Strength as usize];
                *strength = *strength * 118 / 100;
            } else {
                prayers = prayers.with(prayer(name));
            }
        }
        Fighter { levels, max_levels, prayers, worn }
    }

    /// Are the sums of the worn items those of the calculator? It counts ammunition only where it is
    /// shot, so ranged strength is compared in ranged attacks alone.
    fn sums_fit(&self, fighter: &Fighter, ranged: bool) -> bool {
        let sums = &fighter.worn.bonuses;
        self.offensive.as_ref().is_none_or(|columns| columns.array() == sums[..5])
            && self.defensive.as_ref().is_none_or(|columns| columns.array() == sums[5..10])
            && self.bonuses.as_ref().is_none_or(|others| {
                others.str == sums[STRENGTH]
                    && (!ranged || others.ranged_str == sums[RANGED_STRENGTH])
                    && others.magic_str == fighter.worn.magic_tenths
            })
    }
}

/// Goes through every way in which draws can fall.
#[derive(Default)]
struct Tree {
    /// Chosen value, and number of values, of each draw.
    path: Vec<(i32, i32)>,
    drawn: usize,
    /// The probability of this way.
    weight: f64,
}

impl Tree {
    fn choose(&mut self, n: i32) -> i32 {
        if self.drawn == self.path.len() {
            self.path.push((0, n));
        }
        self.drawn += 1;
        self.path[self.drawn - 1].0
    }

    fn advance(&mut self) -> bool {
        (self.drawn, self.weight) = (0, 1.0);
        while let Some((value, n)) = self.path.pop() {
            if value + 1 < n {
                self.path.push((value + 1, n));
                return true;
            }
        }
        false
    }
}

impl Dice for Tree {
    fn below(&mut self, n: i32) -> i32 {
        self.weight /= f64::from(n);
        self.choose(n)
    }

    fn unit(&mut self) -> f32 {
        unreachable!("strikes ask whether something happens")
    }

    fn happens(&mut self, chance: f64) -> bool {
        let happens = self.choose(2) == 1;
        self.weight *= if happens { chance } else { 1.0 - chance };
        happens
    }
}

/// What differs between a vector and what is computed for it.
fn differences(vector: &Vector) -> Vec<&'static str> {
    let (attacker, defender) = (vector.attacker.fighter(), vector.defender.fighter());
    let style = match vector.kind.as_str() {
        "melee" => Style::Melee,
        "ranged" => Style::Ranged,
        _ => Style::Magic,
    };
    let swing =
        Swing { style, special: vector.spec, spell: vector.spell.as_deref().map(spell), times: 1 };
    let rolled = rolls(LIVE, &attacker, &defender, swing);
    let mut tree = Tree { weight: 1.0, ..Tree::default() };
    let mut damage = BTreeMap::<i32, f64>::new();
    loop {
        let strike = strike(LIVE, &attacker, &defender, swing, &rolled, &mut tree);
        let total = strike.hits().iter().map(|hit| hit.damage()).sum();
        *damage.entry(total).or_default() += tree.weight;
        if !tree.advance() {
            break;
        }
    }
    damage.retain(|_, weight| *weight > 0.0);
    let mean: f64 = damage.iter().map(|(&damage, weight)| f64::from(damage) * weight).sum();

    let mut weapon = Kind::of(vector.attacker.gear["weapon"]).unwrap().item().weapon.unwrap();
    if style == Style::Ranged && vector.attacker.style.stance != "Rapid" {
        weapon.speed = weapon.base_speed;
    }
    let ranged = style == Style::Ranged;
    let equal = [
        (
            "sums of bonuses",
            vector.attacker.sums_fit(&attacker, ranged)
                && vector.defender.sums_fit(&defender, false),
        ),
        ("attack roll", rolled.attack == vector.max_attack_roll),
        ("defence roll", rolled.defence == vector.max_defence_roll),
        ("chance", (rolled.chance - vector.hit_chance).abs() < 1e-9),
        ("range", (rolled.min, rolled.max) == vector.base_min_max),
        ("most damage", damage.keys().last() == Some(&vector.max_hit)),
        ("mean damage", (mean - vector.expected_damage).abs() < 1e-7),
        (
            "distribution",
            damage.len() == vector.hit_dist.len()
                && damage.iter().zip(&vector.hit_dist).all(|((&damage, weight), recorded)| {
                    damage == recorded.0 && (weight - recorded.1).abs() < 1e-9
                }),
        ),
        ("speed", attack_speed(LIVE, &weapon, swing) == vector.attack_speed),
    ];
    equal.into_iter().filter(|(_, equal)| !equal).map(|(what, _)| what).collect()
}

/// Prints what differs; returns how many vectors there are and how many differ.
fn check(json: &str) -> (usize, usize) {
    let vectors: Vec<Vector> = serde_json::from_str(json).unwrap();
    let mut unequal = 0;
    let mut kinds = BTreeMap::<String, usize>::new();
    for vector in &vectors {
        let found = differences(vector);
        unequal += usize::from(!found.is_empty());
        for what in found {
            let weapon = vector.attacker.gear["weapon"];
            let special = if vector.spec { "special of " } else { "" };
            *kinds.entry(format!("{what}: {} by {special}{weapon}", vector.kind)).or_default() += 1;
            println!("vector {}: {what}", vector.i);
        }
    }
    for (kind, count) in &kinds {
        println!("unequal: {count:5} {kind}");
    }
    println!("{} vectors, {unequal} unequal", vectors.len());
    (vectors.len(), unequal)
}

#[test]
fn a_sample_of_vectors_is_computed_exactly() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vectors_sample.json.gz");
    let mut json = String::new();
    GzDecoder::new(File::open(sample).unwrap()).read_to_string(&mut json).unwrap();
    assert_eq!(check(&json), (281, 0));
}

#[test]
fn every_vector_is_computed_exactly() {
    let all: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/nh/vectors_dev.json");
    if !all.exists() {
        println!(
            "skipped: every_vector_is_computed_exactly, for the vectors are not at {}",
            all.display()
        );
        return;
    }
    assert_eq!(check(&std::fs::read_to_string(all).unwrap()), (600, 0));
}
