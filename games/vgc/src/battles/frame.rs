//! What a viewer shows of a battle: both sides whole, the field, and what was last told, in words.
//!
//! Each side is taken from what that side itself knows, so nothing is hidden from whoever watches.

use serde_json::{Map, Value, json};

use crate::dex::Dex;
use crate::state::{
    Battle, BattleEnd, Field, Pokemon, Side, SideConditions, Stages, Status, Volatiles,
};
use crate::track::prose;

const STAGES: [&str; 7] = ["atk", "def", "spa", "spd", "spe", "accuracy", "evasion"];

/// The frame of a battle: `battles` as each side knows it, `log` what was told since the frame before.
pub(super) fn of(battles: [&Battle; 2], turn: u32, phase: &str, log: &str) -> Value {
    let dex = battles[0].format.dex();
    let words: Vec<Value> = (prose::in_words(log).into_iter())
        .map(|said| json!({"side": said.side, "text": said.text, "effect": said.is_effect}))
        .collect();
    let winner = battles[0].end.map(|end| match end {
        BattleEnd::Won(side) => json!(side),
        BattleEnd::Tied => Value::Null,
    });
    let sides = [0, 1].map(|side| of_side(battles[side], side, dex));
    json!({
        "turn": turn,
        "phase": phase,
        "over": winner.is_some(),
        "winner": winner,
        "sides": sides,
        "field": of_field(&battles[0].field),
        "words": words,
        "log": log,
    })
}

fn of_side(battle: &Battle, side: usize, dex: &Dex) -> Value {
    let own: &Side = &battle.sides[side];
    let team: Vec<Value> = own.team.iter().map(|member| of_member(member, battle, dex)).collect();
    json!({
        "name": own.name,
        "brought": own.brought,
        "active": own.active,
        "gimmick_used": own.gimmick_used,
        "conditions": conditions(&own.conditions),
        "team": team,
    })
}

fn of_member(member: &Pokemon, battle: &Battle, dex: &Dex) -> Value {
    let species = dex.species(member.species);
    let species = species.map_or("", |species| species.name.as_str());
    let name = if member.nickname.is_empty() { species } else { &member.nickname };
    let moves: Vec<Value> = (member.moves.iter())
        .filter_map(|known| dex.a_move(known.id).map(|named| (known, named)))
        .map(|(known, named)| {
            let kind = named.kind.map(|kind| format!("{kind:?}"));
            json!({"name": named.name, "type": kind, "pp": known.pp, "of": known.max_pp})
        })
        .collect();
    let types: Vec<String> =
        member.types(battle.format).iter().map(|kind| format!("{kind:?}")).collect();
    json!({
        "name": name,
        "species": species,
        "types": types,
        "hp": member.hp,
        "of": member.max_hp,
        "fainted": member.fainted,
        "brought": member.revealed && !member.left_behind,
        "status": status(member.status),
        "stages": stages(&member.stages),
        "item": dex.item(member.item).map(|item| &item.name),
        "ability": dex.ability(member.ability).map(|ability| &ability.name),
        "tera": member.tera_type.map(|kind| format!("{kind:?}")),
        "terastallized": member.terastallized,
        "mega": member.mega,
        "moves": moves,
        "under": volatiles(&member.volatiles),
    })
}

fn status(status: Status) -> Option<&'static str> {
    Some(match status {
        Status::Healthy => return None,
        Status::Burn => "burn",
        Status::Freeze => "freeze",
        Status::Paralysis => "paralysis",
        Status::Poison => "poison",
        Status::Toxic => "toxic",
        Status::Sleep => "sleep",
    })
}

/// Those that are not 0.
fn stages(stages: &Stages) -> Map<String, Value> {
    let named = STAGES.iter().zip(stages).filter(|(_, stage)| **stage != 0);
    named.map(|(name, stage)| ((*name).to_owned(), json!(stage))).collect()
}

/// Turns or layers of what holds, by name.
fn conditions(of: &SideConditions) -> Map<String, Value> {
    let flag = u8::from;
    present([
        ("reflect", of.reflect),
        ("light screen", of.light_screen),
        ("aurora veil", of.aurora_veil),
        ("tailwind", of.tailwind),
        ("safeguard", of.safeguard),
        ("mist", of.mist),
        ("quick guard", flag(of.quick_guard)),
        ("wide guard", flag(of.wide_guard)),
        ("spikes", of.spikes),
        ("toxic spikes", of.toxic_spikes),
        ("stealth rock", flag(of.stealth_rock)),
        ("sticky web", flag(of.sticky_web)),
    ])
}

fn of_field(field: &Field) -> Value {
    let named = |name: Option<String>, turns: u8| {
        name.map(|name| json!({"name": spaced(&name), "turns": turns}))
    };
    json!({
        "weather": named(field.weather.map(|w| format!("{w:?}")), field.weather_turns),
        "terrain": named(field.terrain.map(|t| format!("{t:?}")), field.terrain_turns),
        "rooms": present([
            ("trick room", field.trick_room),
            ("gravity", field.gravity),
            ("magic room", field.magic_room),
            ("wonder room", field.wonder_room),
            ("fairy lock", field.fairy_lock),
        ]),
    })
}

/// What somebody undergoes that a player would point at.
fn volatiles(of: &Volatiles) -> Vec<&'static str> {
    let named = [
        ("confused", of.confusion),
        ("taunted", of.taunt > 0),
        ("encored", of.encore > 0),
        ("disabled", of.disable > 0),
        ("tormented", of.torment),
        ("in love", of.attract),
        ("seeded", of.leech_seed),
        ("salt-cured", of.salt_cure),
        ("cursed", of.curse),
        ("drowsy", of.yawn > 0),
        ("perishing", of.perish > 0),
        ("substitute", of.substitute),
        ("pumped", of.focus_energy),
        ("charged", of.charge),
        ("trapped", of.trapped || of.partially_trapped),
        ("must rest", of.must_recharge),
        ("protected", of.protect),
        ("draws attention", of.follow_me),
        ("helped", of.helping_hand),
        ("commanding", of.commanding),
        ("commanded", of.commanded),
    ];
    named.into_iter().filter(|(_, is_so)| *is_so).map(|(name, _)| name).collect()
}

fn present<const N: usize>(named: [(&str, u8); N]) -> Map<String, Value> {
    let named = named.into_iter().filter(|(_, count)| *count > 0);
    named.map(|(name, count)| (name.to_owned(), json!(count))).collect()
}

/// `HarshSun` as `harsh sun`.
fn spaced(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FORMATS;
    use crate::track::Tracker;

    #[test]
    fn a_frame_has_both_sides_the_field_and_the_words() {
        let format = &FORMATS[3];
        let log = "|player|p1|Ann\n|player|p2|Ben\n|poke|p1|Gyarados, L50|\n|poke|p2|Incineroar, L50|\n\
                   |start\n|switch|p1a: Gyarados|Gyarados, L50|100/100\n\
                   |switch|p2a: Cat|Incineroar, L50|100/100\n|-unboost|p1a: Gyarados|atk|1\n\
                   |-weather|RainDance\n|-sidestart|p2: Ben|move: Tailwind\n|turn|1";
        let trackers = [0, 1].map(|side| {
            let mut tracker = Tracker::new(format, side);
            log.lines().for_each(|line| tracker.line(line));
            tracker
        });
        let frame = of([trackers[0].battle(), trackers[1].battle()], 1, "turn", log);
        assert_eq!(frame["sides"][0]["name"], "Ann");
        assert_eq!(frame["sides"][0]["team"][0]["stages"], json!({"atk": -1}));
        assert_eq!(frame["sides"][1]["team"][0]["name"], "Cat");
        assert_eq!(frame["sides"][1]["team"][0]["types"], json!(["Fire", "Dark"]));
        assert!(frame["sides"][1]["conditions"]["tailwind"].as_u64().unwrap() > 0);
        assert_eq!(frame["field"]["weather"]["name"], "rain");
        assert_eq!((&frame["over"], &frame["winner"]), (&json!(false), &Value::Null));
        let words = frame["words"].as_array().unwrap();
        assert_eq!(words.last().unwrap()["text"], "Turn 1.");
        assert_eq!(spaced("HarshSun"), "harsh sun");
    }
}
