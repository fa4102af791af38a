//! What a log says plainly, kept apart from the tracker so that the two can be compared.
//!
//! It knows nothing of rules: health and status as they were last written, stages added up, who fainted, what
//! the field was last said to be.

use std::collections::BTreeMap;

use crate::format::Format;
use crate::request::Condition;
use crate::state::{Battle, BattleEnd, Terrain, Weather};

use super::channel::hundredths;

/// What the log says.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    names: [String; 2],
    /// By side and name: health and status as written.
    health: [BTreeMap<String, String>; 2],
    fainted: [std::collections::BTreeSet<String>; 2],
    /// By side and place.
    standing: [[Option<Standing>; 2]; 2],
    weather: String,
    terrain: String,
    rooms: BTreeMap<String, bool>,
    sides: [BTreeMap<String, bool>; 2],
    winner: Option<String>,
    tied: bool,
    turn: u32,
}

/// Who stands at a place, and the stages.
type Standing = (String, BTreeMap<String, i32>);

fn ident(text: &str) -> Option<(usize, Option<usize>, String)> {
    let (whose, name) = text.split_once(": ")?;
    let side = match whose.get(..2)? {
        "p1" => 0,
        "p2" => 1,
        _ => return None,
    };
    let place = whose.get(2..3).and_then(|letter| "ab".find(letter));
    Some((side, place, name.to_owned()))
}

fn effect(text: &str) -> &str {
    text.strip_prefix("move: ").unwrap_or(text)
}

impl Ledger {
    /// Writes down a line.
    pub fn line(&mut self, text: &str) {
        let parts: Vec<&str> = text.split('|').collect();
        let part = |at: usize| parts.get(at).copied().unwrap_or("");
        let who = ident(part(2));
        match (part(1), who) {
            ("player", _) => {
                let side = usize::from(part(2) == "p2");
                if !part(3).is_empty() {
                    self.names[side] = part(3).to_owned();
                }
            }
            ("turn", _) => self.turn = part(2).parse().unwrap_or(self.turn),
            ("win", _) => self.winner = Some(part(2).to_owned()),
            ("tie", _) => self.tied = true,
            ("switch" | "drag", Some((side, Some(place), name))) => {
                let copied = text.contains("[from] Baton Pass") || text.contains("Baton Pass");
                let stages = match self.standing[side][place].take() {
                    Some((_, stages)) if copied => stages,
                    _ => BTreeMap::new(),
                };
                self.fainted[side].remove(&name);
                self.health[side].insert(name.clone(), part(4).to_owned());
                self.standing[side][place] = Some((name, stages));
            }
            ("replace", Some((side, Some(place), name))) => {
                if let Some((old, stages)) = self.standing[side][place].take() {
                    let health = self.health[side].remove(&old).unwrap_or_default();
                    self.health[side].insert(name.clone(), health);
                    self.standing[side][place] = Some((name, stages));
                }
            }
            ("swap", Some((side, ..))) => self.standing[side].swap(0, 1),
            ("-damage" | "-heal" | "-sethp", Some((side, _, name))) => {
                self.fainted[side].remove(&name);
                self.health[side].insert(name, part(3).to_owned());
            }
            ("faint", Some((side, place, name))) => {
                self.health[side].insert(name.clone(), "0 fnt".to_owned());
                self.fainted[side].insert(name);
                if let Some(place) = place {
                    self.standing[side][place] = None;
                }
            }
            ("-status", Some((side, _, name))) => self.set_status(side, &name, part(3)),
            ("-curestatus", Some((side, _, name))) => self.set_status(side, &name, ""),
            ("-weather", _) => {
                self.weather = if part(2) == "none" { String::new() } else { part(2).to_owned() };
            }
            ("-fieldstart", _) if part(2).ends_with("Terrain") => {
                self.terrain = effect(part(2)).to_owned();
            }
            ("-fieldend", _) if part(2).ends_with("Terrain") => self.terrain.clear(),
            ("-fieldstart", _) => {
                self.rooms.insert(effect(part(2)).to_owned(), true);
            }
            ("-fieldend", _) => {
                self.rooms.remove(effect(part(2)));
            }
            ("-sidestart", Some((side, ..))) => {
                self.sides[side].insert(effect(part(3)).to_owned(), true);
            }
            ("-sideend", Some((side, ..))) => {
                self.sides[side].remove(effect(part(3)));
            }
            ("-swapsideconditions", _) => self.sides.swap(0, 1),
            (word, Some((side, Some(place), _))) => self.stages(word, side, place, &parts),
            ("-clearallboost", _) => {
                for one in self.standing.iter_mut().flatten().flatten() {
                    one.1.clear();
                }
            }
            _ => {}
        }
    }

    fn set_status(&mut self, side: usize, name: &str, status: &str) {
        if let Some(health) = self.health[side].get_mut(name) {
            let bare = health.split(' ').next().unwrap_or("").to_owned();
            *health = if status.is_empty() { bare } else { format!("{bare} {status}") };
        }
    }

    fn stages(&mut self, word: &str, side: usize, place: usize, parts: &[&str]) {
        let stat = parts.get(3).copied().unwrap_or("");
        let by: i32 = parts.get(4).and_then(|by| by.parse().ok()).unwrap_or(0);
        if matches!(word, "-swapboost" | "-copyboost" | "-transform") {
            return self.exchange(word, (side, place), parts);
        }
        let Some((_, stages)) = &mut self.standing[side][place] else { return };
        match word {
            "-boost" | "-unboost" => {
                let by = if word == "-boost" { by } else { -by };
                let stage = stages.entry(stat.to_owned()).or_default();
                *stage = (*stage + by).clamp(-6, 6);
            }
            "-setboost" => {
                stages.insert(stat.to_owned(), by);
            }
            "-clearboost" => stages.clear(),
            "-invertboost" => stages.values_mut().for_each(|stage| *stage = -*stage),
            "-clearpositiveboost" => stages.retain(|_, stage| *stage < 0),
            "-clearnegativeboost" => stages.retain(|_, stage| *stage > 0),
            _ => {}
        }
    }

    fn exchange(&mut self, word: &str, one: (usize, usize), parts: &[&str]) {
        let Some((side, Some(place), _)) = ident(parts.get(3).copied().unwrap_or("")) else {
            return;
        };
        let stages = |ledger: &Self, at: (usize, usize)| {
            ledger.standing[at.0][at.1].as_ref().map_or_else(BTreeMap::new, |(_, s)| s.clone())
        };
        let other = (side, place);
        let (mut first, mut second) = (stages(self, one), stages(self, other));
        let named = parts.get(4).copied().filter(|stats| !stats.starts_with('[')).unwrap_or("");
        match (word, named) {
            ("-swapboost", "") => std::mem::swap(&mut first, &mut second),
            ("-swapboost", stats) => {
                for stat in stats.split(',').map(str::trim) {
                    let (a, b) = (first.remove(stat), second.remove(stat));
                    first.extend(b.map(|stage| (stat.to_owned(), stage)));
                    second.extend(a.map(|stage| (stat.to_owned(), stage)));
                }
            }
            _ => first = second.clone(),
        }
        for (at, stages) in [(one, first), (other, second)] {
            if let Some((_, old)) = &mut self.standing[at.0][at.1] {
                *old = stages;
            }
        }
    }

    /// In what a tracker's battle differs from what the log says, in words.
    pub fn differences(&self, format: &Format, battle: &Battle) -> Vec<String> {
        let mut found = Vec::new();
        let mut same = |what: String, ours: String, told: String| {
            if ours != told {
                found.push(format!("{what}: {ours}, the log says {told}"));
            }
        };
        same("turn".to_owned(), battle.turn.to_string(), self.turn.to_string());
        for (side, known) in battle.sides.iter().enumerate() {
            for (name, told) in &self.health[side] {
                let one = known.team.iter().find(|one| one.nickname == *name);
                let what = format!("p{} {name}", side + 1);
                let Some(one) = one else {
                    same(what, "nobody".to_owned(), told.clone());
                    continue;
                };
                let fainted = self.fainted[side].contains(name);
                same(format!("{what} fainted"), one.fainted.to_string(), fainted.to_string());
                let exact = side == battle.me;
                let shared = hundredths(format, told).filter(|_| !exact);
                let told = shared.as_deref().unwrap_or(told);
                if let Some(told) = Condition::parse(told)
                    && !told.fainted
                {
                    let ours = format!("{}/{} {:?}", one.hp, one.max_hp, one.status);
                    same(what, ours, format!("{}/{} {:?}", told.hp, told.max, told.status));
                }
            }
            for place in 0..2 {
                let told = self.standing[side][place].as_ref();
                let what = format!("p{} place {place}", side + 1);
                let ours = known.at(place).map_or("nobody", |one| &one.nickname);
                let name = told.map_or("nobody", |(name, _)| name);
                same(what.clone(), ours.to_owned(), name.to_owned());
                let (Some(one), Some((_, stages))) = (known.at(place), told) else { continue };
                let stats = ["atk", "def", "spa", "spd", "spe", "accuracy", "evasion"];
                for (at, stat) in stats.into_iter().enumerate() {
                    let told = stages.get(stat).copied().unwrap_or(0);
                    same(format!("{what} {stat}"), one.stages[at].to_string(), told.to_string());
                }
            }
            self.side_differs(side, battle, &mut same);
        }
        self.field_differs(battle, &mut same);
        let told = match (&self.winner, self.tied) {
            (Some(name), _) => {
                self.names.iter().position(|known| known == name).map(BattleEnd::Won)
            }
            (None, true) => Some(BattleEnd::Tied),
            (None, false) => None,
        };
        same("end".to_owned(), format!("{:?}", battle.end), format!("{told:?}"));
        found
    }

    fn side_differs(
        &self,
        side: usize,
        battle: &Battle,
        same: &mut impl FnMut(String, String, String),
    ) {
        let ours = &battle.sides[side].conditions;
        for (name, there) in [
            ("Reflect", ours.reflect > 0),
            ("Light Screen", ours.light_screen > 0),
            ("Aurora Veil", ours.aurora_veil > 0),
            ("Tailwind", ours.tailwind > 0),
            ("Safeguard", ours.safeguard > 0),
            ("Mist", ours.mist > 0),
            ("Spikes", ours.spikes > 0),
            ("Toxic Spikes", ours.toxic_spikes > 0),
            ("Stealth Rock", ours.stealth_rock),
            ("Sticky Web", ours.sticky_web),
        ] {
            let told = self.sides[side].contains_key(name);
            same(format!("p{} {name}", side + 1), there.to_string(), told.to_string());
        }
    }

    fn field_differs(&self, battle: &Battle, same: &mut impl FnMut(String, String, String)) {
        let weather = match battle.field.weather {
            None => "",
            Some(Weather::Sun) => "SunnyDay",
            Some(Weather::Rain) => "RainDance",
            Some(Weather::Sand) => "Sandstorm",
            Some(Weather::Snow) => "Snow",
            Some(Weather::HarshSun) => "DesolateLand",
            Some(Weather::HeavyRain) => "PrimordialSea",
            Some(Weather::StrongWinds) => "DeltaStream",
        };
        let told = match self.weather.as_str() {
            "Snowscape" | "Hail" => "Snow",
            told => told,
        };
        same("weather".to_owned(), weather.to_owned(), told.to_owned());
        let terrain = match battle.field.terrain {
            None => "",
            Some(Terrain::Electric) => "Electric Terrain",
            Some(Terrain::Grassy) => "Grassy Terrain",
            Some(Terrain::Misty) => "Misty Terrain",
            Some(Terrain::Psychic) => "Psychic Terrain",
        };
        same("terrain".to_owned(), terrain.to_owned(), self.terrain.clone());
        for (name, there) in [
            ("Trick Room", battle.field.trick_room > 0),
            ("Gravity", battle.field.gravity > 0),
            ("Magic Room", battle.field.magic_room > 0),
            ("Wonder Room", battle.field.wonder_room > 0),
        ] {
            let told = self.rooms.contains_key(name);
            same(name.to_owned(), there.to_string(), told.to_string());
        }
    }
}
