//! The check finds what is wrong, calls it by its rule, and finds nothing else.

#[path = "../counting/mod.rs"]
mod counting;
mod toy;

use lanista_game::check::{Failure, Rule, Trial, no_allocation};
use lanista_game::{check, check_with};
use serde_json::Value;
use toy::{Defect, toy};

fn failure(defect: Defect) -> Failure {
    match check(&toy(defect)) {
        Ok(_) => panic!("{defect:?} went unnoticed"),
        Err(failure) => failure,
    }
}

#[test]
fn a_sound_game_passes() {
    assert_eq!(check(&toy(Defect::Nothing)), Ok(vec![]));
    assert_eq!(check(&toy(Defect::Late)), Ok(vec![]), "late answers are no fault");
}

#[test]
fn every_defect_is_called_by_its_rule() {
    for (defect, rule) in [
        (Defect::Clock, Rule::Determinism),
        (Defect::Remembers, Rule::Reset),
        (Defect::SharesDice, Rule::Isolation),
        (Defect::IllegalBot, Rule::Bots),
        (Defect::BotsRememberWhenAsked, Rule::Replay),
        (Defect::NothingLegal, Rule::Legal),
        (Defect::NanSeen, Rule::Finite),
        (Defect::Unwritten, Rule::Finite),
        (Defect::UnwrittenAtTheEnd, Rule::Finite),
        (Defect::EndlessReward, Rule::Finite),
        (Defect::IdTooLarge, Rule::Ids),
        (Defect::IdNotWhole, Rule::Ids),
        (Defect::HalfPresent, Rule::Entities),
        (Defect::AbsentButSeen, Rule::Entities),
        (Defect::InsideActs, Rule::Seats),
        (Defect::EmptyActs, Rule::Seats),
        (Defect::EmptyEarns, Rule::Seats),
        (Defect::HeedsWhoWaits, Rule::Waiting),
        (Defect::ScoresEarly, Rule::End),
        (Defect::NoStats, Rule::End),
        (Defect::OtherSpec, Rule::Spec),
        (Defect::UnsoundSpec, Rule::Spec),
        (Defect::OpenSettings, Rule::Settings),
        (Defect::PoorPicture, Rule::Frame),
        (Defect::FicklePicture, Rule::Frame),
        (Defect::Panics, Rule::Fault),
        (Defect::Loses, Rule::Fault),
    ] {
        let failure = failure(defect);
        assert_eq!(failure.rules(), [rule], "{defect:?}: {failure}");
    }
    // Who changes with every question breaks two rules: it is not itself when asked again, and not
    // what it was when nobody asked.
    assert_eq!(failure(Defect::BotsCountQuestions).rules(), [Rule::Bots, Rule::Replay]);
}

#[test]
fn a_violation_says_where_and_what() {
    let failure = failure(Defect::IdTooLarge);
    let text = failure.to_string();
    let start = "`toy` under null breaks the contract\n  ids, seed 1, step 0, seat 0: `kind` is 4";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains("none of 4 kinds (driven by outside, outside, nobody)"), "{text}");
    assert_eq!(failure.violations.len(), 3, "the rest would say the same: {text}");
    let text = self::failure(Defect::Panics).to_string();
    assert!(text.contains("fault, seed 1, step 2") && text.contains("a wheel came off"), "{text}");
}

#[test]
fn a_game_without_an_end_is_a_remark() {
    let trial = Trial { seeds: 1, limit: 30 };
    let remarks = check_with(&toy(Defect::NeverEnds), &Value::Null, trial).unwrap();
    assert!(remarks[0].ends_with("had not ended after 30 steps"), "{remarks:?}");
}

#[test]
fn allocations_are_counted_where_they_happen() {
    let measure =
        |defect| no_allocation(&toy(defect), &Value::Null, Trial::default(), counting::allocations);
    assert_eq!(measure(Defect::Nothing), Ok(vec![]));
    let failure = measure(Defect::Allocates).unwrap_err();
    assert_eq!(failure.rules(), [Rule::Allocation], "{failure}");
    assert!(failure.to_string().contains("step 1: the step allocates 1 times"), "{failure}");
}
