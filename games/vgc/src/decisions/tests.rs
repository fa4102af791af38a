use proptest::prelude::*;

use super::*;
use crate::recorded::Recording;

/// Two who begin, one turn of it, and somebody who gives up.
const LOG: &str = "|player|p1|A|\n|player|p2|B|\n|teamsize|p1|4\n|teamsize|p2|4\n|clearpoke\n\
    |poke|p1|Incineroar, L50, M|\n|poke|p1|Rillaboom, L50, M|\n|poke|p1|Flutter Mane, L50|\n\
    |poke|p1|Urshifu-*, L50, M|\n|poke|p2|Amoonguss, L50, F|\n|poke|p2|Iron Hands, L50|\n\
    |poke|p2|Pelipper, L50, F|\n|poke|p2|Archaludon, L50, M|\n|teampreview|4\n\
    |showteam|p1|Incineroar||safetygoggles|intimidate|fakeout,flareblitz,knockoff,partingshot|||M|||50|,,,,,Grass]\
    Rillaboom||assaultvest|grassysurge|fakeout,woodhammer,uturn,grassyglide|||M|||50|,,,,,Fire]\
    Flutter Mane||boosterenergy|protosynthesis|moonblast,shadowball,protect,icywind||||||50|,,,,,Fairy]\
    Urshifu-Rapid-Strike||focussash|unseenfist|surgingstrikes,closecombat,aquajet,protect|||M|||50|,,,,,Water\n\
    |\n|start\n|switch|p1a: Incineroar|Incineroar, L50, M|100/100\n|switch|p1b: Rillaboom|Rillaboom, L50, M|100/100\n\
    |switch|p2a: Amoonguss|Amoonguss, L50, F|100/100\n|switch|p2b: Iron Hands|Iron Hands, L50|100/100\n|turn|1\n|\n\
    |switch|p1b: Fluff|Flutter Mane, L50|100/100\n\
    |-terastallize|p1a: Incineroar|Grass\n|move|p1a: Incineroar|Fake Out|p2b: Iron Hands\n\
    |-damage|p2b: Iron Hands|90/100\n|cant|p2b: Iron Hands|flinch\n|\n|upkeep\n|turn|2\n|\n\
    |switch|p1a: Rapid|Urshifu-Rapid-Strike, L50, M|100/100\n\
    |move|p2a: Amoonguss|Rage Powder|p2a: Amoonguss\n|-singleturn|p2a: Amoonguss|move: Rage Powder\n\
    |move|p1b: Fluff|Moonblast|p2a: Amoonguss\n|-damage|p2a: Amoonguss|40/100\n|\n|upkeep\n|turn|3\n\
    |-message|B forfeited.\n|\n|win|A";

fn recording(log: &str) -> Recording {
    let json = serde_json::json!({"format": "gen9vgc2024regg", "log": log});
    Recording::parse(&json.to_string(), Path::new("a.json")).unwrap()
}

fn read(recording: &Recording) -> (Summary, Vec<Episode>) {
    let mut found = Vec::new();
    let mut reader = Reader::new(&Settings::default());
    let summary = reader.recording(recording, &mut |episode| found.push(episode));
    (summary, found)
}

#[test]
fn a_log_with_sheets_tells_what_was_carried_out() {
    let (summary, found) = read(&recording(LOG));
    assert_eq!(summary.way, Some(Way::Inferred));
    assert_eq!(summary.refused.len(), 1, "{:?}", summary.refused);
    assert!(summary.refused[0].starts_with("p2: its team is not known"));
    let [episode] = &found[..] else { panic!("{found:?}") };
    assert_eq!((episode.player.as_str(), episode.verdict), ("A", Some(Verdict::Won)));
    let rows: Vec<&[u32]> = episode.actions.chunks(3).collect();
    // Nobody chose in the turn in which the other gave up.
    assert_eq!(rows.len(), 3, "{rows:?} {:?}", summary.notes);
    assert_eq!(rows[0], [0, 44, 44], "the first two begin, the other two wait");
    assert_eq!(
        rows[1],
        [0, 9, 42],
        "Fake Out at the second with the change, and the third comes in"
    );
    assert_eq!(rows[2], [0, 43, UNKNOWN], "the powder may have drawn it: {:?}", summary.notes);
    assert!(summary.notes.iter().any(|note| note.contains("drawn")), "{:?}", summary.notes);
    assert!(summary.notes.iter().any(|note| note.contains("guessed")));
}

#[test]
fn a_side_that_hid_somebody_is_left_out() {
    let hidden = LOG.replace("|switch|p1a: Rapid|Urshifu-Rapid-Strike, L50, M|100/100\n", "");
    let (summary, found) = read(&recording(&hidden));
    assert!(found.is_empty());
    assert!(summary.refused.iter().any(|why| why.contains("3 of the 4")), "{:?}", summary.refused);
}

#[test]
fn choices_are_taken_down_with_what_was_left_to_showdown() {
    let mut recording = recording(LOG);
    recording.choices = [
        ">p1 team 1234",
        ">p1 move 2 +1, pass",
        ">p1 undo",
        ">p1 move fakeout +2 terastallize, switch 3",
        ">p1 default",
    ]
    .map(str::to_owned)
    .to_vec();
    let (summary, found) = read(&recording);
    let rows: Vec<&[u32]> = found[0].actions.chunks(3).collect();
    assert_eq!(rows, [[0, 44, 44], [0, 9, 42], [0, UNKNOWN, UNKNOWN]]);
    assert_eq!((summary.decisions, summary.inside, summary.outside), (3, 2, 0));
    assert_eq!((summary.known_heads, summary.unknown_heads), (7, 2));
    assert_eq!(summary.faults, Vec::<String>::new());
    // What was not offered is unknown, and counted.
    recording.choices[3] = ">p1 move fakeout +2, switch 2".into();
    let (summary, found) = read(&recording);
    assert_eq!(found[0].actions[3..6], [0, 4, UNKNOWN]);
    assert_eq!(summary.outside, 1, "{:?}", summary.notes);
    let told = "p1 at turn 1: `move fakeout +2, switch 2`: it is not offered";
    assert_eq!(summary.faults, [told]);
    // So is what means nothing, but not what leaves the choice to Showdown.
    recording.choices[3] = ">p1 move fakeuot +2, switch 3".into();
    let (summary, found) = read(&recording);
    assert_eq!(found[0].actions[3..6], [0, UNKNOWN, UNKNOWN]);
    let [fault] = &summary.faults[..] else { panic!("{:?}", summary.faults) };
    assert!(fault.starts_with("p1 at turn 1: ") && fault.contains("cannot be read"), "{fault}");
    recording.choices[0] = ">p2 team 1234".into();
    recording.choices.truncate(1);
    assert!(read(&recording).0.refused[0].contains("p1: the recording has choices, and none"));
    recording.choices[0] = ">p1 team 1134".into();
    assert!(read(&recording).0.faults[0].contains("p1 at turn 0: `team 1134` is no preview"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Lines that are doubled, lost, cut or out of order do no harm: what comes out fits the game.
    #[test]
    fn a_muddled_log_does_no_harm(
        muddle in prop::collection::vec((any::<prop::sample::Index>(), 0..60usize), 1..60),
        choices in prop::collection::vec("(>p[12] )?(team [0-7 ,]{0,9}|move [0-9a-z +-]{0,9}|switch [0-9]|pass|, ){0,3}", 0..9),
    ) {
        let lines: Vec<&str> = LOG.lines().collect();
        let mut log: Vec<String> = lines[..20].iter().map(|line| (*line).to_owned()).collect();
        log.extend(muddle.iter().map(|(index, cut)| {
            let line = *index.get(&lines);
            let cut = line.char_indices().rev().nth(*cut).filter(|_| cut % 3 == 0);
            line[..cut.map_or(line.len(), |(at, _)| at)].to_owned()
        }));
        log.push("|start".into());
        let mut recording = recording(&log.join("\n"));
        recording.choices = choices;
        let (_, found) = read(&recording);
        let spec = crate::battles::spec(&Settings::default());
        prop_assert!(found.iter().all(|episode| episode.fault(&spec).is_none()));
    }
}
