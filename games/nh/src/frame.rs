//! What a viewer shows of a fight: one JSON object a tick, and a scene.
//!
//! Nothing is hidden here: viewers see both inventories and the hits on their way. What somebody did in a
//! tick is what `did` says and what changed since the frame before (gear, prayers, supplies, energy).

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::gear::Slot;
use crate::kinds::{FightType, Prayer, Skill, Spell, Style};
use crate::sim::Fight;
use crate::sim::fighter::Fighter;
use crate::sim::report::{Meal, Report};
use crate::sim::supplies::Pantry;
use crate::sim::timers::Timer;

/// What is worn, from the head down.
const SLOTS: [(Slot, &str); 11] = [
    (Slot::Head, "head"),
    (Slot::Cape, "cape"),
    (Slot::Neck, "neck"),
    (Slot::Weapon, "weapon"),
    (Slot::Body, "body"),
    (Slot::Shield, "shield"),
    (Slot::Legs, "legs"),
    (Slot::Hands, "hands"),
    (Slot::Feet, "feet"),
    (Slot::Ring, "ring"),
    (Slot::Ammo, "ammo"),
];

const PRAYERS: [(Prayer, &str); 13] = [
    (Prayer::ProtectMelee, "protect_melee"),
    (Prayer::ProtectMissiles, "protect_missiles"),
    (Prayer::ProtectMagic, "protect_magic"),
    (Prayer::Smite, "smite"),
    (Prayer::Redemption, "redemption"),
    (Prayer::Piety, "piety"),
    (Prayer::Rigour, "rigour"),
    (Prayer::Augury, "augury"),
    (Prayer::SteelSkin, "steel_skin"),
    (Prayer::UltimateStrength, "ultimate_strength"),
    (Prayer::IncredibleReflexes, "incredible_reflexes"),
    (Prayer::EagleEye, "eagle_eye"),
    (Prayer::MysticMight, "mystic_might"),
];

const TIMERS: [(Timer, &str); 7] = [
    (Timer::Attack, "attack"),
    (Timer::Food, "food"),
    (Timer::Potion, "potion"),
    (Timer::Karambwan, "karambwan"),
    (Timer::Freeze, "freeze"),
    (Timer::Immunity, "immunity"),
    (Timer::Vengeance, "vengeance"),
];

const SKILLS: [(Skill, &str); 5] = [
    (Skill::Attack, "attack"),
    (Skill::Strength, "strength"),
    (Skill::Defence, "defence"),
    (Skill::Ranged, "ranged"),
    (Skill::Magic, "magic"),
];

/// Replaces `out` by the fight as it stands after its last tick.
pub fn write(fight: &Fight, out: &mut String) {
    let fighters: Vec<Value> =
        fight.fighters.iter().zip(&fight.reports).map(|(f, report)| side(f, report)).collect();
    put(&json!({"tick": fight.ticks, "fighters": fighters}), out);
}

/// Replaces `out` by what does not change in a fight.
pub fn scene(fight: &Fight, out: &mut String) {
    let fight_type = match fight.fight_type {
        FightType::Normal => "wilderness",
        FightType::Lms => "last_man_standing",
        FightType::PvpArena => "pvp_arena",
    };
    let homes = fight.fighters.each_ref().map(|f| [f.home.x, f.home.y]);
    let builds = fight.loadouts.each_ref().map(|loadout| loadout.build.name());
    put(&json!({"fight_type": fight_type, "builds": builds, "homes": homes}), out);
}

fn put(object: &Value, out: &mut String) {
    out.clear();
    // A string takes whatever is written.
    let _ = write!(out, "{object}");
}

fn side(fighter: &Fighter, report: &Report) -> Value {
    let prayers: Vec<&str> = (PRAYERS.iter())
        .filter(|(prayer, _)| fighter.prayers.has(*prayer))
        .map(|&(_, name)| name)
        .collect();
    let splats: Vec<i16> = fighter.splats.iter().flatten().map(|splat| splat.damage).collect();
    let incoming: Vec<Value> = (fighter.queue.hits().iter())
        .map(|hit| {
            json!({"style": style(hit.style), "damage": hit.total(), "ticks": hit.delay.max(0)})
        })
        .collect();
    let Pantry { doses: [brew, restore, combat, ranging], anglerfish, sharks, karambwans } =
        Pantry::of(fighter);
    json!({
        "at": [fighter.at.x, fighter.at.y],
        "hp": [fighter.hp(), fighter.max_hp()],
        "prayer": [fighter.level(Skill::Prayer), fighter.max_level(Skill::Prayer)],
        "energy": fighter.energy,
        "special": fighter.special,
        "style": style(fighter.style()),
        "prayers": prayers,
        "worn": worn(fighter),
        "levels": numbers(SKILLS.map(|(skill, name)| {
            (name, i64::from(fighter.level(skill) - fighter.max_level(skill)))
        })),
        "timers": numbers(TIMERS.map(|(timer, name)| (name, i64::from(fighter.timers.left(timer))))),
        "supplies": {
            "shark": sharks, "anglerfish": anglerfish, "karambwan": karambwans,
            "brew": brew, "restore": restore, "combat": combat, "ranging": ranging,
        },
        "vengeance": fighter.vengeance,
        "poison": fighter.poison.damage,
        "dying": fighter.dying,
        "splats": splats,
        "incoming": incoming,
        "did": did(fighter, report),
    })
}

fn worn(fighter: &Fighter) -> Map<String, Value> {
    let items = SLOTS.iter().filter_map(|&(slot, name)| {
        let kind = fighter.worn[slot as usize]?;
        Some((name.to_owned(), json!(kind.item().name)))
    });
    items.collect()
}

/// Those that are not zero, by name.
fn numbers<const N: usize>(named: [(&str, i64); N]) -> Map<String, Value> {
    let named = named.into_iter().filter(|(_, number)| *number != 0);
    named.map(|(name, number)| (name.to_owned(), json!(number))).collect()
}

/// What it did in this tick, as far as the report knows.
fn did(fighter: &Fighter, report: &Report) -> Value {
    let attack = report.blow.map(|blow| {
        let spell = fighter.previous.filter(|_| blow.style == Style::Magic);
        json!({
            "style": style(blow.style),
            "spell": spell.map(spell_name),
            "damage": report.generated,
            "blocked": blow.prayed,
        })
    });
    let meal = |meal: Option<Meal>| meal.map(|meal| json!(meal.to - meal.at));
    let mut did = Map::new();
    for (name, value) in [
        ("attack", attack),
        ("ate", meal(report.food)),
        ("brew", meal(report.brew)),
        ("healed", (report.healed != 0).then(|| json!(report.healed))),
        ("extra", (report.extra != 0).then(|| json!(report.extra))),
    ] {
        if let Some(value) = value {
            did.insert(name.to_owned(), value);
        }
    }
    Value::Object(did)
}

fn style(style: Style) -> &'static str {
    match style {
        Style::Melee => "melee",
        Style::Ranged => "ranged",
        Style::Magic => "magic",
    }
}

fn spell_name(spell: Spell) -> &'static str {
    match spell {
        Spell::IceRush => "ice rush",
        Spell::IceBurst => "ice burst",
        Spell::IceBlitz => "ice blitz",
        Spell::IceBarrage => "ice barrage",
        Spell::BloodRush => "blood rush",
        Spell::BloodBurst => "blood burst",
        Spell::BloodBlitz => "blood blitz",
        Spell::BloodBarrage => "blood barrage",
    }
}

#[cfg(test)]
mod tests {
    use lanista_game::{Buffers, Control, Game, Kind};

    use crate::game::{BASELINE, BOTS, Nh};
    use crate::settings::Settings;

    use super::*;

    #[test]
    fn frames_tell_a_fight_from_its_first_tick_to_its_last() {
        let settings = Settings::default();
        let spec = std::sync::Arc::new(Nh::describe(&settings));
        let mut game = Nh::matches(settings, spec, 1).unwrap().pop().unwrap();
        let mut buffers = Buffers::new(game.spec(), 1);
        let (mut text, mut attacks, mut splats) = (String::new(), 0, 0);
        // Two scripts of the server would wait for each other.
        game.reset(7, &[Control::Outside, Control::Bot(BASELINE)]);
        let greedy = BOTS.iter().position(|bot| *bot == "greedy").unwrap();
        game.scene(&mut text);
        let scene: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(scene["homes"].as_array().unwrap().len(), 2);
        for tick in 0.. {
            game.frame(&mut text);
            let frame: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(frame["tick"], tick);
            for (who, side) in frame["fighters"].as_array().unwrap().iter().enumerate() {
                let fighter = &game.fight().fighters[who];
                assert_eq!(side["hp"], json!([fighter.hp(), fighter.max_hp()]));
                assert_eq!(side["worn"]["weapon"].is_string(), fighter.wielded().is_some());
                attacks += usize::from(side["did"]["attack"].is_object());
                splats += side["splats"].as_array().unwrap().len();
            }
            if buffers.end[0].is_some() {
                break;
            }
            let mut joint = [0; 24];
            game.scripted(greedy, 0, &mut joint[..12]);
            game.step(&joint, &mut buffers.outcome(0));
        }
        assert!(attacks > 10 && splats > 10, "{attacks} {splats}");
        // A frame a tick must stay small enough to send whole fights.
        assert!(text.len() < 2500, "{}", text.len());
    }
}
