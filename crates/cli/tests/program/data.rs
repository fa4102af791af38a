//! Datasets: what goes in, what is refused by name, and what is held out together.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lanista_train::dataset::{Corpus, Dataset, Split};
use serde_json::json;

use crate::support::{Place, copy};

/// Matches of six steps, and somebody who is good enough to be recorded.
const DUEL: &str = "
game: duel
settings: { rounds: 3 }
rollout: { matches: 8, horizon: 8, shard: 4 }
policy: { hidden: [8] }
ppo: { minibatch: 32, chunk: 16 }
rewards: { won: 1 }
clone: { epochs: 1, minibatch: 64, looks: 1, window_mib: 1 }
evaluation: { matches: 4, vs: bot:random }
stop: { steps: 64 }
";

/// A place with so many recorded matches in `matches`.
fn recorded(count: usize) -> Place {
    let place = Place::with(&[("duel", DUEL)]);
    place.ok("train duel.yml --seed 1 --set run.dir=agent --plain");
    place.ok(&format!("eval agent --vs bot:random --matches {count} --record matches"));
    place
}

/// In which splits each match is.
fn splits(dataset: &Path) -> BTreeMap<String, Vec<Split>> {
    let corpus = Corpus::new(vec![Dataset::open(dataset).unwrap()]);
    let mut found: BTreeMap<String, Vec<Split>> = BTreeMap::new();
    for split in [Split::Train, Split::HeldOut] {
        for place in corpus.blocks(split) {
            for episode in corpus.read(&place).unwrap() {
                found.entry(episode.of_match().to_owned()).or_default().push(split);
            }
        }
    }
    found
}

#[test]
fn an_empty_dataset_is_an_error_that_says_who_there_is() {
    let place = recorded(3);
    let refused = place.fails("data make duel.yml matches --out out --player bot:randon");
    for part in ["nothing is left of 3", "nobody is called bot:randon", "bot:random, model"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    // What is not there is no unsound recording.
    let refused = place.fails("data make duel.yml matches nowhere --out out --skip-unsound");
    assert!(refused.contains("cannot read nowhere"), "{refused}");
    let refused = place.fails("data make cartpole matches --out out --skip-unsound");
    for part in ["nothing is left of 3", "match-0000.rec: it is one of duel, not of cartpole"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    // What failed is not in the way of the next attempt.
    assert!(!place.path("out").exists());
    place.write("matches/broken.rec", "no recording");
    let refused = place.fails("data make duel.yml matches --out out");
    assert!(refused.contains("broken.rec") && refused.contains("--skip-unsound"), "{refused}");
    assert!(!place.path("out").exists());
    let made = place.json("data make duel.yml matches --out out --skip-unsound --json");
    assert_eq!((&made["files"], made["refused"].as_array().unwrap().len()), (&json!(3), 1));
    assert_eq!(made["notes"], json!([]));
    // The dataset names the settings of the preset, whatever the recordings have.
    fs::remove_file(place.path("matches/broken.rec")).unwrap();
    let told = place.ok("data make duel.yml matches --out other --set settings.rounds=4");
    let part = "match-0000.rec: it was recorded under other settings: settings.rounds is 4, was 3";
    assert!(told.contains(part), "{told}");
}

#[test]
fn all_that_comes_of_one_match_is_dealt_together() {
    let place = recorded(40);
    place.ok("data make duel.yml matches --out all --held-out 0.3");
    place.ok("data split all --held-out 0.5 --out halves");
    for dataset in ["all", "halves"] {
        let found = splits(&place.path(dataset));
        assert_eq!(found.len(), 40);
        let together = |splits: &Vec<Split>| splits.len() == 2 && splits[0] == splits[1];
        assert!(found.values().all(together), "{dataset}: {found:?}");
        assert!(found.values().any(|splits| splits[0] == Split::HeldOut), "{dataset}");
    }
    // The other side of a match that one dataset holds out is held out of what joins them.
    place.ok("data make duel.yml matches --out one --held-out 0.5 --player model");
    place.ok("data make duel.yml matches --out two --held-out 0 --player bot:random");
    place.ok("data merge two one --out joined");
    let found = splits(&place.path("joined"));
    assert!(found.values().all(|splits| splits.len() == 2 && splits[0] == splits[1]), "{found:?}");
    assert!(found.values().any(|splits| splits[0] == Split::HeldOut));

    // Datasets from before matches were named are dealt by what their sources say.
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../train/tests/data/dataset-1");
    copy(&old, &place.path("old"));
    place.ok("data split old --held-out 0.5 --out dealt");
    let found = splits(&place.path("dealt"));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["match-0000.rec", "match-0001.rec"]);
    assert!(found.values().all(|splits| splits.len() == 2 && splits[0] == splits[1]), "{found:?}");
}

#[test]
fn other_settings_of_the_same_shape_are_named() {
    let bare = DUEL.replace("settings: { rounds: 3 }\n", "");
    let place = Place::with(&[("duel", DUEL), ("bare", &bare)]);
    let play = "data play duel.yml --by bot:biased --matches 20";
    place.ok(&format!("{play} --out three"));
    place.ok(&format!("{play} --out more --seed 1"));
    place.ok(&format!("{play} --out five --set settings.rounds=5"));
    let refused = place.fails("data merge three five --out joined");
    for part in ["three", "five", "settings.rounds is 3 and 5", "clone.other_settings=true"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    assert!(!place.path("joined").exists());
    place.ok("data merge three more --out joined");

    let refused = place.fails("clone duel.yml --data five --set run.dir=run --plain");
    for part in ["five was made under", "settings.rounds is 3, was 5", "clone.other_settings=true"]
    {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    assert!(!place.path("run").exists());
    place.ok("clone duel.yml --data five --set settings.rounds=5 --set run.dir=same --plain");
    place.ok("clone duel.yml --data three --data five --set clone.other_settings=true --set run.dir=both --plain");
    // A default is the same whether it is written or not.
    place.ok("data play bare.yml --by bot:biased --matches 20 --out silent");
    let default = place.ok("games duel");
    let line = default.lines().find(|line| line.trim_start().starts_with("rounds")).unwrap();
    let rounds = line.split_whitespace().nth(1).unwrap();
    let set = format!("--set settings.rounds={rounds}");
    place.ok(&format!("clone duel.yml --data silent {set} --set run.dir=default --plain"));
}

#[test]
fn options_that_mean_nothing_are_refused_and_nothing_is_said_twice() {
    let place = Place::new();
    place.write("a.jsonl.gz", "nothing");
    place.write("a.dem", "nothing that the game has written");
    for (line, part) in [
        ("data make nh a.jsonl.gz --out out --mirrored", "not for nh"),
        ("data make nh a.jsonl.gz --out out --before-ball 2", "not for nh"),
        ("data make nh a.jsonl.gz --out out --aside 1", "not for nh"),
        ("data make nh a.jsonl.gz --out out --nav a.nav", "--nav is for"),
        ("data make duel a.dem --out out --nav a.nav", "--nav is for"),
        ("data head nowhere -n 0", "-n 0: show at least one decision"),
    ] {
        let refused = place.fails(line);
        assert!(refused.contains(part), "{line}: {refused}");
        assert!(!place.path("out").exists(), "{line}");
    }
    let refused = place.fails("data make survivors a.dem --out out");
    assert_eq!(refused.matches("this is no Source recording").count(), 1, "{refused}");
}

/// A battle of which the team of p1 alone is known.
const BATTLE: &str = "|player|p1|A|\n|player|p2|B|\n|teamsize|p1|4\n|teamsize|p2|4\n|clearpoke\n\
    |poke|p1|Incineroar, L50, M|\n|poke|p1|Rillaboom, L50, M|\n|poke|p1|Flutter Mane, L50|\n\
    |poke|p1|Urshifu-*, L50, M|\n|poke|p2|Amoonguss, L50, F|\n|poke|p2|Iron Hands, L50|\n\
    |poke|p2|Pelipper, L50, F|\n|poke|p2|Archaludon, L50, M|\n|teampreview|4\n\
    |showteam|p1|Incineroar||safetygoggles|intimidate|fakeout,flareblitz,knockoff,partingshot|||M|||50|,,,,,Grass]\
    Rillaboom||assaultvest|grassysurge|fakeout,woodhammer,uturn,grassyglide|||M|||50|,,,,,Fire]\
    Flutter Mane||boosterenergy|protosynthesis|moonblast,shadowball,protect,icywind||||||50|,,,,,Fairy]\
    Urshifu-Rapid-Strike||focussash|unseenfist|surgingstrikes,closecombat,aquajet,protect|||M|||50|,,,,,Water\n\
    SHEET|\n|start\n|switch|p1a: Incineroar|Incineroar, L50, M|100/100\n|switch|p1b: Rillaboom|Rillaboom, L50, M|100/100\n\
    |switch|p2a: Amoonguss|Amoonguss, L50, F|100/100\n|switch|p2b: Iron Hands|Iron Hands, L50|100/100\n|turn|1\n|\n\
    |switch|p1b: Fluff|Flutter Mane, L50|100/100\n|-terastallize|p1a: Incineroar|Grass\n\
    |move|p1a: Incineroar|Fake Out|p2b: Iron Hands\n|-damage|p2b: Iron Hands|90/100\n\
    |cant|p2b: Iron Hands|flinch\n|\n|upkeep\n|turn|2\n|-message|B forfeited.\n|\n|win|A";

const SHEET: &str = "|showteam|p2|Amoonguss||sitrusberry|regenerator|spore,ragepowder,pollenpuff,protect|||F|||50|,,,,,Water]\
    Iron Hands||assaultvest|quarkdrive|fakeout,drainpunch,wildcharge,lowkick||||||50|,,,,,Grass]\
    Pelipper||damprock|drizzle|hurricane,weatherball,tailwind,protect|||F|||50|,,,,,Steel]\
    Archaludon||leftovers|stamina|electroshot,flashcannon,dragonpulse,protect|||M|||50|,,,,,Fairy\n";

#[test]
fn what_is_wrong_with_a_battle_is_named_by_file_side_and_turn() {
    if let Err(error) = lanista_vgc::install::locate(None) {
        println!("skipped: {error}");
        return;
    }
    let place = Place::new();
    let battle = |name: &str, sheet: &str, choice: &str| {
        let choices =
            [">p1 team 1234", ">p2 team 1234", choice, ">p2 move spore +1, move fakeout +1"];
        let log = BATTLE.replace("SHEET", sheet);
        let json = json!({"format": "gen9vgc2024regg", "log": log, "inputLog": choices});
        place.write(name, &json.to_string());
    };
    battle("sound.json", SHEET, ">p1 move fakeout +2 terastallize, switch 3");
    place.ok("data make vgc sound.json --out sound");
    for (choice, part) in [
        (">p1 move fakeout +2, switch 2", "`move fakeout +2, switch 2`: it is not offered"),
        (">p1 move fakeuot +2, switch 3", "cannot be read"),
    ] {
        battle("wrong.json", SHEET, choice);
        let refused = place.fails("data make vgc wrong.json sound.json --out out");
        for part in ["wrong.json: p1 at turn 1", part, "--skip-unsound"] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        assert!(!place.path("out").exists());
    }
    let made = place.json("data make vgc wrong.json sound.json --out out --skip-unsound --json");
    assert_eq!((made["files"].as_u64(), made["episodes"].as_u64()), (Some(2), Some(4)));
    let left_out = made["refused"].as_array().unwrap();
    assert!(
        left_out.len() == 1 && left_out[0].as_str().unwrap().contains("p1 at turn 1"),
        "{made}"
    );

    // A side of which nobody knows the team is no less left out.
    battle("half.json", "", ">p1 move fakeout +2 terastallize, switch 3");
    let refused = place.fails("data make vgc half.json --out half");
    assert!(refused.contains("half.json: p2: its team is not known"), "{refused}");
    let told = place.ok("data make vgc half.json --out half --skip-unsound");
    assert!(told.contains("left out: half.json: p2: its team is not known"), "{told}");
}
