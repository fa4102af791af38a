//! Recorded hits of the training server, computed again from what both sides wore and drank.
//!
//! Every recorded roll must come out equal to the last bit, and every recorded damage must be one that
//! the damage functions reach with the recorded draws. Draws that were not recorded (bolts, the spread
//! of special attacks) are tried in all their values.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use lanista_nh::formula::{
    Dice, Fighter, Rolls, Strike, Swing, Worn, drained_defence, hit_delay, rolls, strike,
};
use lanista_nh::gear::{Kind, SLOTS, Slot};
use lanista_nh::kinds::{Levels, Prayer, Prayers, Rules, Skill, Spell, Style};
use serde::Deserialize;

const SERVER: Rules = Rules::Server2024;

#[derive(Deserialize)]
struct Attacker {
    lv: Levels,
    mx: Levels,
    prayers: Vec<u8>,
    /// Attack bonuses, then strength, ranged strength, magic damage, prayer.
    bonus: [i16; 9],
    eq: [i32; SLOTS],
}

#[derive(Deserialize)]
struct Defender {
    lv: Levels,
    prayers: Vec<u8>,
    bonus: [i16; 5],
}

/// One queued hit. The second hit of an attack has no rolls: the first carries those of both.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    fight: u32,
    tick: u32,
    /// Levels moved by one after combat in this tick, and those after are recorded.
    stat_tick: bool,
    #[serde(rename = "type")]
    style: String,
    method: String,
    weapon: u16,
    att: Attacker,
    deff: Defender,
    /// Attack roll, defence roll, chance, number drawn.
    rolls: Vec<(i32, i32, f32, f32)>,
    /// Style, most damage, damage drawn, damage after protection; of accurate rolls only.
    max: Vec<(String, i32, i32, i32)>,
    dmg: Vec<i16>,
    total: i32,
    acc: bool,
    delay: i32,
    dist: i32,
}

/// The numbers that the server gives to prayers.
const PRAYERS: [(u8, Prayer); 13] = [
    (13, Prayer::SteelSkin),
    (14, Prayer::UltimateStrength),
    (15, Prayer::IncredibleReflexes),
    (16, Prayer::ProtectMagic),
    (17, Prayer::ProtectMissiles),
    (18, Prayer::ProtectMelee),
    (19, Prayer::EagleEye),
    (20, Prayer::MysticMight),
    (22, Prayer::Redemption),
    (23, Prayer::Smite),
    (26, Prayer::Piety),
    (27, Prayer::Rigour),
    (28, Prayer::Augury),
];

fn prayers(numbers: &[u8]) -> Prayers {
    PRAYERS
        .iter()
        .filter(|(n, _)| numbers.contains(n))
        .fold(Prayers::default(), |set, &(_, p)| set.with(p))
}

/// Spells with the level they need, strongest first.
const ICE: [(i16, Spell); 4] =
    [(94, Spell::IceBarrage), (82, Spell::IceBlitz), (70, Spell::IceBurst), (58, Spell::IceRush)];
const BLOOD: [(i16, Spell); 4] = [
    (92, Spell::BloodBarrage),
    (80, Spell::BloodBlitz),
    (68, Spell::BloodBurst),
    (56, Spell::BloodRush),
];

impl Row {
    fn style(&self) -> Style {
        match self.style.as_str() {
            "MELEE" => Style::Melee,
            "RANGED" => Style::Ranged,
            _ => Style::Magic,
        }
    }

    fn attacker(&self) -> Fighter {
        let slots = self.att.eq.map(|id| u16::try_from(id).ok().and_then(Kind::of));
        let worn = Worn::of(SERVER, &slots);
        let mut bonuses = [0; 9];
        bonuses[..5].copy_from_slice(&worn.bonuses[..5]);
        bonuses[5..].copy_from_slice(&worn.bonuses[10..]);
        assert_eq!(bonuses, self.att.bonus, "fight {} tick {}", self.fight, self.tick);
        Fighter {
            levels: self.att.lv,
            max_levels: self.att.mx,
            prayers: prayers(&self.att.prayers),
            worn,
        }
    }

    fn defender(&self) -> Fighter {
        let mut worn = Worn::of(SERVER, &[None; SLOTS]);
        worn.bonuses[5..10].copy_from_slice(&self.deff.bonus);
        let levels = self.deff.lv;
        Fighter { levels, max_levels: levels, prayers: prayers(&self.deff.prayers), worn }
    }

    /// What was ordered. The record names the spell cast before, not this one; a fighter casts the
    /// strongest of ice or of blood that the magic level allows.
    fn swings(&self, magic: i16) -> Vec<Swing> {
        match self.method.as_str() {
            "MeleeCombatMethod" | "RangedCombatMethod" => vec![Swing::plain(self.style())],
            "MagicCombatMethod" => [ICE, BLOOD]
                .iter()
                .filter_map(|family| family.iter().find(|(needs, _)| magic >= *needs))
                .map(|&(_, spell)| Swing::cast(spell))
                .collect(),
            "GraniteMaulCombatMethod" => {
                let times = self.rolls.len() as u8;
                vec![Swing { times, ..Swing::special(Style::Melee) }]
            }
            _ => vec![Swing::special(self.style())],
        }
    }

    /// The rolls of this row are these, as far as the row knows them.
    fn fits(&self, attacker: &Fighter, defender: &Fighter, swing: Swing, rolled: &Rolls) -> bool {
        let plain = rolls(SERVER, attacker, defender, Swing::plain(Style::Melee));
        // After a miss Vesta's longsword rolls once more, as an ordinary blow.
        let vesta = self.method == "VestasLongswordCombatMethod";
        let rolls_fit = self.rolls.iter().enumerate().all(|(i, &(attack, defence, chance, _))| {
            let now = if vesta && i > 0 { &plain } else { rolled };
            (attack, defence) == (now.attack, now.defence)
                && f64::from(chance).to_bits() == now.chance.to_bits()
        });
        rolls_fit
            && self.max.iter().all(|&(_, max, raw, left)| {
                let protected = defender.protects(swing.style);
                let expected = if protected { (f64::from(raw) * 0.6) as i32 } else { raw };
                max == rolled.max && (0..=max).contains(&raw) && left == expected
            })
    }
}

/// The levels that can matter to a style: whose, and which.
fn levels_of(style: Style) -> &'static [(bool, Skill)] {
    match style {
        Style::Melee => &[(true, Skill::Attack), (true, Skill::Strength), (false, Skill::Defence)],
        Style::Ranged => &[(true, Skill::Ranged), (false, Skill::Defence)],
        Style::Magic => &[(true, Skill::Magic), (false, Skill::Magic), (false, Skill::Defence)],
    }
}

/// Both sides as they may have been before the tick ended: the levels after it are recorded. A hammer
/// of Statius that hurt has lowered the target's defence by then, and in a tick in which levels moved,
/// each may be one off.
fn sides(row: &Row) -> Vec<(Fighter, Fighter)> {
    let mut sides = vec![(row.attacker(), row.defender())];
    if row.method == "StatiusWarhammerCombatMethod" && row.total > 0 {
        let (attacker, after) = sides[0];
        let defence = Skill::Defence as usize;
        for level in (0..=120).filter(|&l| drained_defence(l) == after.levels[defence]) {
            let mut before = after;
            before.levels[defence] = level;
            sides.push((attacker, before));
        }
    }
    if row.stat_tick {
        for &(own, skill) in levels_of(row.style()) {
            for (attacker, defender) in sides.clone() {
                for step in [-1, 1] {
                    let mut moved = (attacker, defender);
                    let side = if own { &mut moved.0 } else { &mut moved.1 };
                    side.levels[skill as usize] += step;
                    sides.push(moved);
                }
            }
        }
    }
    sides
}

/// Plays recorded draws back, then goes through all values of those that were not recorded.
#[derive(Default)]
struct Replay {
    units: Vec<f32>,
    raws: Vec<i32>,
    /// The draw that is due is the damage of a recorded success.
    due: bool,
    at: (usize, usize),
    /// Chosen and possible values of the draws that were not recorded.
    free: Vec<(i32, i32)>,
    drawn: usize,
}

impl Replay {
    fn choose(&mut self, n: i32) -> i32 {
        if self.drawn == self.free.len() {
            self.free.push((0, n));
        }
        self.drawn += 1;
        self.free[self.drawn - 1].0
    }

    /// Goes on to the next values; false when all were tried.
    fn advance(&mut self) -> bool {
        (self.at, self.drawn, self.due) = ((0, 0), 0, false);
        while let Some((value, n)) = self.free.pop() {
            if value + 1 < n {
                self.free.push((value + 1, n));
                return true;
            }
        }
        false
    }
}

impl Dice for Replay {
    fn below(&mut self, n: i32) -> i32 {
        if !self.due {
            return self.choose(n);
        }
        self.due = false;
        self.at.1 += 1;
        assert!(self.raws[self.at.1 - 1] < n);
        self.raws[self.at.1 - 1]
    }

    fn unit(&mut self) -> f32 {
        unreachable!("strikes ask whether something happens")
    }

    fn happens(&mut self, chance: f64) -> bool {
        let Some(&unit) = self.units.get(self.at.0) else { return self.choose(2) == 1 };
        self.at.0 += 1;
        self.due = chance > f64::from(unit);
        self.due
    }
}

/// Can these draws make what was recorded?
fn reachable(
    group: &[Row],
    attacker: &Fighter,
    defender: &Fighter,
    swing: Swing,
    rolled: &Rolls,
) -> bool {
    let mut dice = Replay {
        units: group[0].rolls.iter().map(|roll| roll.3).collect(),
        raws: group[0].max.iter().map(|max| max.2).collect(),
        ..Replay::default()
    };
    let recorded = |strike: &Strike| {
        strike.hits().len() == group.len()
            && strike.hits().iter().zip(group).all(|(hit, row)| {
                hit.accurate == row.acc && hit.splats() == row.dmg && hit.damage() == row.total
            })
    };
    loop {
        if recorded(&strike(SERVER, attacker, defender, swing, rolled, &mut dice)) {
            return true;
        }
        if !dice.advance() {
            return false;
        }
    }
}

#[derive(Default)]
struct Tally {
    rows: usize,
    rolls: usize,
    /// Rows that fit only with levels other than those at the end of the tick.
    moved: usize,
    /// Hits whose delay fits the distance at the end of the tick, which is the one recorded, and those
    /// that fit a target up to two tiles off: whoever acts first shoots before the target runs.
    delays: (usize, usize),
    unequal: BTreeMap<String, usize>,
}

fn check(rows: Vec<Row>) -> Tally {
    let mut tally = Tally { rows: rows.len(), ..Tally::default() };
    for group in rows.chunk_by(|_, next| next.rolls.is_empty()) {
        let row = &group[0];
        tally.rolls += row.rolls.len();
        let mut wrong = |what: &str| {
            let kind = format!("{} with {}: {what}", row.method, row.weapon);
            *tally.unequal.entry(kind).or_default() += 1;
        };
        let tried = sides(row);
        let fits = tried.iter().enumerate().find_map(|(index, (attacker, defender))| {
            let swings = row.swings(attacker.levels[Skill::Magic as usize]);
            let found = swings.into_iter().find_map(|swing| {
                let rolled = rolls(SERVER, attacker, defender, swing);
                row.fits(attacker, defender, swing, &rolled).then_some((swing, rolled))
            });
            found.map(|(swing, rolled)| (index, swing, rolled))
        });
        let Some((index, swing, rolled)) = fits else {
            wrong("rolls");
            continue;
        };
        tally.moved += usize::from(index > 0);
        let (attacker, defender) = &tried[index];
        if !reachable(group, attacker, defender, swing, &rolled) {
            wrong("damage");
        }
        let weapon =
            Kind::of(row.att.eq[Slot::Weapon as usize] as u16).unwrap().item().weapon.unwrap();
        for (hit, row) in group.iter().enumerate() {
            let delay = |distance| hit_delay(SERVER, &weapon, swing, distance, hit);
            if row.delay == delay(row.dist) {
                tally.delays.0 += 1;
            } else if (-2..=2).any(|step| row.delay == delay((row.dist + step).max(0))) {
                tally.delays.1 += 1;
            } else {
                wrong("delay");
            }
        }
    }
    for (kind, count) in &tally.unequal {
        println!("unequal: {count:5} {kind}");
    }
    println!(
        "{} rows, {} rolls; {} with levels from before the end of the tick; delays {:?}",
        tally.rows, tally.rolls, tally.moved, tally.delays
    );
    tally
}

fn read(path: &Path) -> Vec<Row> {
    BufReader::new(GzDecoder::new(File::open(path).unwrap()))
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

#[test]
fn a_sample_of_recorded_hits_is_computed_exactly() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/rolls_sample.jsonl.gz");
    let tally = check(read(&sample));
    assert_eq!((tally.rows, tally.delays), (761, (748, 13)));
    assert_eq!(tally.unequal, BTreeMap::new());
}

#[test]
fn every_recorded_hit_is_computed_exactly() {
    let all: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/nh/server_rolls_dev.jsonl.gz");
    if !all.exists() {
        println!(
            "skipped: every_recorded_hit_is_computed_exactly, for the recordings are not at {}",
            all.display()
        );
        return;
    }
    let tally = check(read(&all));
    assert_eq!((tally.rows, tally.delays), (6_425, (6_193, 232)));
    assert_eq!(tally.unequal, BTreeMap::new());
}
