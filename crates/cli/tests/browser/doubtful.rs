//! Matches that another build plays another way.

use std::fs;
use std::path::Path;

use lanista_game::recording::Recording;
use lanista_train::recorder;
use serde_json::Value;

use crate::site::Site;

/// Changes the recordings of a run as if another build had seen something else from a step on.
fn doubt(directory: &Path, from: usize) {
    let game = lanista_classic::games().into_iter().find(|entry| entry.name == "duel").unwrap();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != recorder::ENDING) {
            continue;
        }
        let settings: Value = serde_json::json!({"rounds": 11});
        let spec = game.spec(&settings).unwrap();
        let mut recording = Recording::from_bytes(&fs::read(&path).unwrap(), &spec).unwrap();
        assert!(recording.checks.len() > from, "it has checks");
        recording.checks[from..].iter_mut().for_each(|check| *check ^= 1);
        recording.about.version = "0.0.9".into();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        recorder::write(directory, &name, &recording, None).unwrap();
    }
}

#[test]
fn a_match_of_another_build_names_the_first_step_that_differs() {
    let test = "a_match_of_another_build_names_the_first_step_that_differs";
    let site =
        Site::with(test, 1280, 900, |runs| doubt(&runs.join("league/recordings/evaluations"), 4));
    let Some(site) = site else { return };
    site.ready();
    let id = site.id("league");
    let matches = site.api(&format!("matches?run={id}"));
    let of = |source: &str| {
        let all = matches["matches"].as_array().unwrap();
        let found = all.iter().find(|one| one["source"] == source);
        found.unwrap_or_else(|| panic!("{matches}"))["id"].as_str().unwrap().to_owned()
    };
    let browser = site.at(&format!("#/match/{}", of("evaluation")));
    browser.until("the match", "document.querySelector('.seat')");
    let notice = browser.until("the notice", "document.querySelector('.notice')?.textContent");
    let notice = notice.as_str().unwrap();
    assert!(notice.contains("0.0.9"), "{notice}");
    assert!(notice.contains('4'), "the first step that differs: {notice}");
    // It leads to that moment.
    browser.run("document.querySelector('.notice a, .notice button').click()");
    browser.until("the moment", "document.querySelector('.clock b').textContent === '4'");
    // One that is as it was has no notice.
    let browser = site.at(&format!("#/match/{}", of("training")));
    browser.until("the other match", "document.querySelector('.seat')");
    assert_eq!(browser.run("return document.querySelectorAll('.notice').length"), 0);
    assert_eq!(browser.complaints(), [] as [String; 0]);
}
