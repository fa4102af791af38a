//! Battles that people played, through the trackers of both sides.

use std::path::PathBuf;

use lanista_vgc::recorded::{Recording, replay};

#[test]
fn recorded_battles_go_through() {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/vgc");
    let Ok(files) = std::fs::read_dir(shared.join("human_battles")) else {
        println!("skipped: recorded battles (there are none)");
        return;
    };
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let (mut choices, mut turns) = (0, 0);
    for file in files {
        let recording = Recording::read(&file).unwrap();
        let found = replay(&recording);
        let name = file.file_name().unwrap().to_string_lossy();
        assert!(found.disagreements.is_empty(), "{name}: {:#?}", found.disagreements);
        assert!(found.outside.is_empty(), "{name}: {:#?}", found.outside);
        assert_eq!(found.choices, found.choices_in_mask);
        assert_eq!(found.choices, recording.choices.len(), "{name}: every choice has its place");
        choices += found.choices;
        turns += found.turns;
    }
    println!("{turns} turns, {choices} choices");
    assert!(choices > 0);
}
