//! Files that are no recorded fights.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::kinds::{Prayer, Spell, Spellbook, Style};
use crate::loadout::Build;

const PATH: &str = "made/up.jsonl";

fn fighter(name: &str) -> Value {
    let mut worn = [-1; 14];
    worn[3] = 21006;
    let mut carried = [-1; 28];
    carried[0] = 26374;
    json!({
        "name": name, "x": 3076, "y": 3530, "hp": 99, "pid": 0.25, "spec": 100, "specOn": false,
        "lv": [60, 1, 99, 99, 99, 52, 99], "mx": [60, 1, 99, 99, 99, 52, 99],
        "prayDrain": 0.5, "prayers": [13, 28], "eq": worn, "inv": carried,
        "timers": {"STAT_CHANGE": [98, 98], "NEW_ONE": [0, -3]}, "book": "LUNAR",
        "weapon": "STAFF", "fightType": "STAFF_POUND", "attBonus": [8, 8, 8, 110, 7],
        "defBonus": [9, 12, 12, 87, 6], "othBonus": [7, 122, 27, 2], "speed": 5, "veng": true,
        "run": true, "energy": 100, "mq": 0, "dying": false
    })
}

fn reply() -> Value {
    let masks: Vec<Vec<bool>> = HEADS.iter().map(|size| vec![true; *size]).collect();
    let mut meta = json!({
        "episodeTicks": 2, "foodCount": 1, "targetFoodCount": 1, "playerFrozenTicks": 0,
        "targetFrozenTicks": 0, "playerAttackStyleType": "MAGIC", "targetAttackStyleType": "MELEE",
        "currentPlayerPrayerType": "null", "currentTargetPrayerType": "RANGED",
        "attackTypeHit": "MAGIC", "targetObs": vec![0.5; OBSERVED], "somethingNew": 1
    });
    for name in [
        "currentHealthPercent",
        "currentPrayerPercent",
        "currentTargetHealthPercent",
        "damageReceived",
        "damageDealt",
        "attackLevelScale",
        "strengthLevelScale",
        "defenceLevelScale",
        "rangedLevelScale",
        "magicLevelScale",
        "distance",
        "remainingFoodScale",
        "remainingBrewScale",
        "targetRemainingFoodScale",
        "targetRemainingBrewScale",
        "damageGeneratedOnPlayerScale",
        "damageGeneratedOnTargetScale",
        "extraDamageDealtOnPlayerScale",
        "extraDamageDealtOnTargetScale",
        "playerHealedScale",
        "targetHealedScale",
    ] {
        meta[name] = json!(0.25);
    }
    json!({"obs": vec![1; OBSERVED], "actionMasks": masks, "meta": meta})
}

/// A fight of three lines that is in order.
fn fight() -> Vec<Value> {
    let hit = json!({
        "k": "hit", "from": "1", "to": "2", "type": "MAGIC", "method": "MagicCombatMethod",
        "delay": 1, "acc": true, "total": 23, "dmg": [23],
        "rolls": [[21228, 10721, 0.7474445, 0.4441232]], "max": [["MAGIC", 38, 23, 23]],
        "weapon": 21006, "fightType": "STAFF_POUND", "spell": ":12891", "spec": false
    });
    let splat = json!({"k": "splat", "from": "2", "to": "1", "d": 7});
    let bot = json!({"k": "bot", "from": "2", "to": "?", "a": "MoveAway"});
    let reset = json!({
        "target": "2", "training": true, "deathMatch": true,
        "resetParams": {"agent": "1", "target": "2", "accountBuild": "LMS_MED", "fightType": "LMS"}
    });
    let mut last = reply();
    last["terminalState"] = json!("WON");
    let oracle =
        |tick: u64, events: Value| json!({"tick": tick, "self": fighter("1"), "events": events});
    let mut first = oracle(7, json!([]));
    first["target"] = fighter("2");
    vec![
        json!({"reset": reset, "oracle": first, "resp": reply()}),
        json!({"action": vec![0; 12], "oracle": oracle(8, json!([hit, splat, bot])), "resp": reply()}),
        json!({"action": vec![1; 12], "oracle": oracle(9, json!([])), "resp": last}),
    ]
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn parse(text: impl AsRef<[u8]>) -> Result<Fight, TraceError> {
    Fight::parse(Path::new(PATH), text.as_ref())
}

#[test]
fn a_fight_in_order_is_read() {
    let read = parse(text(&fight())).unwrap();
    assert_eq!((read.target.as_str(), read.death_match), ("2", true));
    assert!(!read.against_baseline());
    assert_eq!(read.params.build(), Build::LmsMed);
    assert!(read.params.allow_smite && !read.params.allow_moving_if_can_attack);
    let [first, second, third] = &read.lines[..] else { panic!("{} lines", read.lines.len()) };
    assert_eq!((first.action, first.tick), (None, 7));
    assert_eq!(first.me.spellbook, Spellbook::Lunar);
    assert!(first.me.prayers.has(Prayer::Augury) && !first.me.prayers.has(Prayer::Piety));
    assert_eq!(first.me.worn[3].unwrap().item().name, "Kodai wand");
    assert_eq!(first.me.timers["NEW_ONE"], (0, -3));
    assert_eq!(first.other.as_ref().unwrap().name, "2");
    assert_eq!(first.meta.current_player_prayer_type, None);
    assert_eq!(first.meta.attack_type_hit, Some(Style::Magic));
    assert_eq!(first.meta.wasted_food_scale, None);
    assert_eq!(first.target_observation.as_ref().unwrap().len(), OBSERVED);
    assert_eq!(first.target_mask, None);
    let [Event::Hit(hit), Event::Splat { damage: 7, .. }, Event::Bot { .. }] = &second.events[..]
    else {
        panic!("{:?}", second.events)
    };
    assert_eq!((hit.spell, hit.rolls[0].chance), (Some(Spell::IceBarrage), 0.747_444_5));
    assert_eq!((hit.maxes[0].max, hit.damages.as_slice()), (38, [23].as_slice()));
    assert_eq!((third.action, third.terminal.as_deref()), (Some([1; 12]), Some("WON")));
}

/// A change of the fight, the line that is then wrong, and what is said about it.
type Fault = (fn(&mut Vec<Value>), usize, &'static str);

#[test]
fn every_fault_is_named_with_its_line() {
    let faults: &[Fault] = &[
        (|f| f[1]["resp"]["obs"] = json!([1, 2]), 2, "obs has 2 values where 176 are needed"),
        (|f| f[1]["resp"]["meta"]["targetObs"] = json!([]), 2, "targetObs has 0 values"),
        (|f| f[1]["resp"]["actionMasks"] = json!([[true]]), 2, "actionMasks has heads of [1]"),
        (|f| f[1]["resp"]["meta"]["targetActionMasks"] = json!([]), 2, "targetActionMasks has"),
        (|f| f[1]["resp"]["meta"]["currentPlayerPrayerType"] = json!("x"), 2, "no style is called"),
        (|f| f[1]["action"] = json!(vec![0; 11]), 2, "action has 11 values where 12 are needed"),
        (|f| f[2]["action"] = json!([4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 3, "action[0] is 4"),
        (|f| f[2]["action"] = json!(vec![-1; 12]), 3, "invalid value: integer `-1`"),
        (|f| f[2]["action"] = Value::Null, 3, "no action"),
        (|f| f[2]["reset"] = f[0]["reset"].clone(), 3, "a second reset"),
        (|f| f[0]["action"] = json!(vec![0; 12]), 1, "the first line has an action"),
        (|f| drop(f.remove(0)), 1, "the first line has no reset"),
        (|f| f[0]["reset"]["resetParams"]["accountBuild"] = json!("TANK"), 1, "`TANK`"),
        (|f| f[0]["oracle"]["self"]["eq"] = json!(vec![-1; 13]), 1, "self: eq has 13 values"),
        (|f| f[0]["oracle"]["target"]["inv"] = json!(vec![-1; 29]), 1, "target: inv has 29 values"),
        (
            |f| f[0]["oracle"]["self"]["eq"][5] = json!(4),
            1,
            "self: eq[5]: no fight knows the item 4",
        ),
        (|f| f[0]["oracle"]["self"]["inv"][2] = json!(-2), 1, "inv[2]: no fight knows the item -2"),
        (|f| f[0]["oracle"]["self"]["prayers"] = json!([13, 21]), 1, "the prayer 21"),
        (|f| f[0]["oracle"]["self"]["book"] = json!("NORMAL"), 1, "no spellbook is called"),
        (|f| f[0]["oracle"]["self"]["lv"] = json!(vec![99; 6]), 1, "lv has 6 values"),
        (|f| f[0]["oracle"]["self"]["hp"] = json!(70_000), 1, "invalid value: integer `70000`"),
        (|f| f[0]["oracle"]["self"] = Value::Null, 1, "invalid type: null"),
        (|f| f[1]["oracle"]["events"][0]["k"] = json!("miss"), 2, "`miss`"),
        (|f| f[1]["oracle"]["events"][0]["type"] = json!("BITE"), 2, "no style is called"),
        (|f| f[1]["oracle"]["events"][0]["spell"] = json!("12891"), 2, "events: spell: no fight"),
        (|f| f[1]["oracle"]["events"][0]["weapon"] = json!(3), 2, "events: weapon: no fight"),
        (|f| f[1]["oracle"]["events"][0]["rolls"] = json!([[1, 2, 0.5]]), 2, "invalid length 3"),
        (|f| f[2]["oracle"]["tick"] = json!(8), 3, "tick 8 follows tick 8"),
        (|f| f.push(f[1].clone()), 4, "the fight ended (WON) in the line before"),
        (|f| f[1] = json!([]), 2, "invalid length 0"),
    ];
    for (change, line, problem) in faults {
        let mut lines = fight();
        change(&mut lines);
        let error = parse(text(&lines)).unwrap_err();
        assert_eq!(error.line, Some(*line), "{error}");
        assert!(error.problem.contains(problem), "{error} instead of {problem}");
        assert!(error.to_string().starts_with(&format!("{PATH}, line {line}: ")));
    }
}

#[test]
fn a_cut_line_is_an_error_wherever_it_is_cut() {
    let whole = text(&fight());
    let second = whole.find('\n').unwrap() + 1;
    let third = second + whole[second..].find('\n').unwrap() + 1;
    for (line, begin, end) in [(1, 0, second), (2, second, third), (3, third, whole.len())] {
        for cut in [begin + 1, (begin + end) / 2, end - 3] {
            assert_eq!(parse(&whole[..cut]).unwrap_err().line, Some(line));
        }
    }
    assert_eq!(parse("").unwrap_err().to_string(), format!("{PATH}: no line in it"));
    assert_eq!(parse(format!("{whole}\n")).unwrap_err().line, Some(4));
    assert!(parse(b"\xff\xfe\x00").is_err());
}

#[test]
fn lines_without_end_are_refused() {
    let error = parse("[".repeat(LONGEST_LINE + 1)).unwrap_err();
    assert!(error.problem.contains("longer than"), "{error}");
    // Deep, but not too long: the parser does not recurse without bound either.
    assert!(parse("[".repeat(LONGEST_LINE / 2)).is_err());
}

#[test]
fn packed_files_are_unpacked_and_broken_ones_reported() {
    let folder = std::env::temp_dir().join(format!("lanista-nh-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(text(&fight()).as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let read = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        Fight::read(&path)
    };
    assert_eq!(read("good.jsonl.gz", &packed).unwrap().lines.len(), 3);
    assert_eq!(read("good.jsonl", text(&fight()).as_bytes()).unwrap().lines.len(), 3);

    let cut = read("cut.jsonl.gz", &packed[..packed.len() / 2]).unwrap_err();
    assert!(cut.problem.contains("cannot be read"), "{cut}");
    let plain = read("plain.jsonl.gz", text(&fight()).as_bytes()).unwrap_err();
    assert!(plain.problem.contains("cannot be read"), "{plain}");
    let mut damaged = packed.clone();
    let sum = damaged.len() - 6;
    damaged[sum] ^= 1;
    assert!(read("damaged.jsonl.gz", &damaged).is_err());
    let absent = Fight::read(&folder.join("absent.jsonl")).unwrap_err();
    assert_eq!(absent.line, None);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_a_request_leaves_out_has_a_default() {
    let params: ResetParams = serde_json::from_str("{}").unwrap();
    assert_eq!(params, ResetParams::default());
    let odd: Result<ResetParams, _> = serde_json::from_str(r#"{"fightType": "DUEL"}"#);
    assert!(odd.is_err());
}

proptest! {
    /// Whatever is wrong with a file, reading it ends with a fight or an error.
    #[test]
    fn damaged_files_are_survived(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        digits in any::<bool>(),
    ) {
        let mut bytes = text(&fight()).into_bytes();
        for (place, byte) in damage {
            // Digits damage the values rather than the syntax.
            let place = place.index(bytes.len());
            bytes[place] = if digits { b'0' + byte % 10 } else { byte };
        }
        if let Err(error) = parse(&bytes) {
            prop_assert!(!error.problem.is_empty());
        }
    }
}
