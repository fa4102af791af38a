use super::*;
use crate::dex::{self, ItemId};
use crate::state::{Terrain, Weather};

/// A tracker of p1 with two teams that have come in.
fn begun() -> Tracker {
    let mut tracker = Tracker::new(Format::of("gen9vgc2024regg").unwrap(), 0);
    let lines = "|player|p1|Ann|1|
|player|p2|Bob|2|
|teamsize|p1|6
|teamsize|p2|6
|clearpoke
|poke|p1|Iron Hands, L50|
|poke|p1|Flutter Mane, L50|
|poke|p1|Gyarados, L50, M|
|poke|p2|Urshifu-*, L50, M|
|poke|p2|Incineroar, L50, F|
|poke|p2|Zoroark-Hisui, L50, M|
|poke|p2|Tornadus, L50, M|
|teampreview|4
|
|t:|1
|teamsize|p1|3
|teamsize|p2|4
|start
|switch|p1a: Hands|Iron Hands, L50|230/230
|switch|p1b: Mane|Flutter Mane, L50|131/131
|switch|p2a: Bear|Urshifu-Rapid-Strike, L50, M|100/100
|switch|p2b: Cat|Incineroar, L50, F|100/100
|-ability|p2b: Cat|Intimidate|boost
|-unboost|p1a: Hands|atk|1
|-unboost|p1b: Mane|atk|1
|turn|1";
    lines.lines().for_each(|line| tracker.line(line));
    assert_eq!(tracker.unread(), 0);
    tracker
}

fn tell(tracker: &mut Tracker, lines: &str) {
    let unread = tracker.unread();
    lines.lines().for_each(|line| tracker.line(line));
    assert_eq!(tracker.unread(), unread, "in {lines}");
}

#[test]
fn a_beginning_is_known() {
    let tracker = begun();
    let battle = tracker.battle();
    assert_eq!((battle.turn, battle.sides[1].name.as_str()), (1, "Bob"));
    assert_eq!((battle.sides[0].brought, battle.sides[1].brought), (3, 4));
    let hands = battle.sides[0].at(0).unwrap();
    assert_eq!((hands.hp, hands.stages[0]), (230, -1));
    let bear = battle.sides[1].at(0).unwrap();
    assert_eq!((bear.nickname.as_str(), bear.hp), ("Bear", 100));
    assert_eq!(Some(bear.species), dex::species("Urshifu-Rapid-Strike"));
    // It can have no other.
    assert_eq!(Some(bear.ability), dex::ability("unseenfist"));
    assert_eq!(Some(battle.sides[1].at(1).unwrap().ability), dex::ability("intimidate"));
}

#[test]
fn a_turn_is_tracked() {
    let mut tracker = begun();
    tell(
        &mut tracker,
        "|
|-terastallize|p2a: Bear|Water
|move|p1a: Hands|Fake Out|p2b: Cat
|-damage|p2b: Cat|90/100
|move|p2a: Bear|Surging Strikes|p1b: Mane
|-crit|p1b: Mane
|-damage|p1b: Mane|60/131
|-crit|p1b: Mane
|-damage|p1b: Mane|0 fnt
|faint|p1b: Mane
|cant|p2b: Cat|flinch
|
|-heal|p2a: Bear|100/100|[from] item: Leftovers
|upkeep
|
|switch|p1b: Fish|Gyarados, L50, M|170/170
|turn|2",
    );
    let battle = tracker.battle();
    let bear = battle.sides[1].at(0).unwrap();
    assert!(bear.terastallized && battle.sides[1].gimmick_used);
    assert_eq!(Some(bear.item), dex::item("leftovers"));
    // Five as written, eight in battle, one used.
    let strikes = bear.moves[0];
    assert_eq!((Some(strikes.id), strikes.pp), (dex::a_move("surgingstrikes"), 7));
    assert!(battle.sides[0].team[1].fainted);
    assert_eq!(battle.sides[0].active, [Some(0), Some(2)]);
    assert_eq!(
        (battle.sides[0].at(0).unwrap().turns_in, battle.sides[0].at(1).unwrap().turns_in),
        (1, 0)
    );
    assert_eq!(battle.hits.len(), 3);
    assert!(battle.hits[2].critical && battle.hits[2].felled && battle.hits[2].strike == 1);
}

#[test]
fn a_disguise_falls() {
    let mut tracker = begun();
    tell(
        &mut tracker,
        "|
|switch|p2a: Cloud|Tornadus, L50, M|100/100
|move|p1a: Hands|Drain Punch|p2a: Cloud
|turn|2
|
|move|p2a: Cloud|Bitter Malice|p1b: Mane
|-damage|p1b: Mane|100/131
|-boost|p2a: Cloud|spa|1
|move|p1a: Hands|Wild Charge|p2a: Cloud
|-damage|p2a: Cloud|40/100
|replace|p2a: Fox|Zoroark-Hisui, L50, M
|-end|p2a: Fox|Illusion",
    );
    let side = &tracker.battle().sides[1];
    let fox = side.at(0).unwrap();
    assert_eq!(Some(fox.base_species), dex::species("Zoroark-Hisui"));
    assert_eq!((fox.hp, fox.stages[2], fox.moves.len()), (40, 1, 1));
    let cloud = &side.team[3];
    assert_eq!((cloud.revealed, cloud.hp, cloud.moves.len()), (false, 100, 0));
}

#[test]
fn what_lasts_ages() {
    let mut tracker = begun();
    tell(
        &mut tracker,
        "|
|move|p2b: Cat|Reflect|p2b: Cat
|-sidestart|p2: Bob|Reflect
|move|p1b: Mane|Rain Dance|p1b: Mane
|-weather|RainDance
|-fieldstart|move: Grassy Terrain|[from] ability: Grassy Surge|[of] p1b: Mane
|
|-weather|RainDance|[upkeep]
|upkeep
|turn|2",
    );
    let battle = tracker.battle();
    assert_eq!((battle.field.weather, battle.field.weather_turns), (Some(Weather::Rain), 4));
    assert_eq!((battle.field.terrain, battle.field.terrain_turns), (Some(Terrain::Grassy), 4));
    assert_eq!(battle.sides[1].conditions.reflect, 4);
    for _ in 0..4 {
        tell(&mut tracker, "|\n|\n|upkeep");
    }
    // Longer than it would last by itself: Light Clay.
    let battle = tracker.battle();
    assert_eq!(battle.sides[1].conditions.reflect, 3);
    assert_eq!(Some(battle.sides[1].at(1).unwrap().item), dex::item("lightclay"));
}

#[test]
fn items_change_hands() {
    let mut tracker = begun();
    tell(
        &mut tracker,
        "|
|move|p1a: Hands|Knock Off|p2b: Cat
|-damage|p2b: Cat|80/100
|-enditem|p2b: Cat|Safety Goggles|[from] move: Knock Off|[of] p1a: Hands
|-enditem|p2a: Bear|Sitrus Berry|[eat]
|-heal|p2a: Bear|100/100|[from] item: Sitrus Berry",
    );
    let side = &tracker.battle().sides[1];
    assert_eq!(side.at(1).unwrap().item, ItemId::none());
    assert_eq!(Some(side.at(1).unwrap().former_item), dex::item("safetygoggles"));
    assert_eq!(side.at(0).unwrap().item, ItemId::none());
}

#[test]
fn nonsense_changes_nothing() {
    let mut tracker = begun();
    let before = format!("{:?}", tracker.battle());
    for line in [
        "|-boost|p1a: Hands|wit|1",
        "|-boost|p1a: Hands|atk|many",
        "|switch|p9a: X|Y|1/1",
        "|switch|p1a: X|Missing No, L50|1/1",
        "|-damage|p1a: Hands|9/4",
        "|swap|p1a: Hands|7",
        "|turn|soon",
        "|-start|p1a: Hands|perishsoon",
        "|hocus|pocus",
        "no line at all",
        "|-weather|Frogs",
    ] {
        tracker.line(line);
    }
    assert_eq!(tracker.unread(), 11);
    assert_eq!(format!("{:?}", tracker.battle()), before);
}
