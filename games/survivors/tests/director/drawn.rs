//! A match, drawn from its frames.

use lanista_survivors::pacing::{Moment, rises, svg, to_json};
use lanista_survivors::sim::director::Order;
use lanista_survivors::sim::infected::Class;
use serde_json::json;

use crate::drive::Table;

#[test]
fn frames_say_what_the_director_did() {
    let settings = json!({"map": "street", "temperament": "intense", "difficulty": "advanced"});
    let mut table = Table::new(settings).strolling();
    table.frames = Some(Vec::new());
    let mut seen = Vec::new();
    table.play(
        4,
        |_| Order::Idle,
        |world| {
            let strain = world.strain();
            let (commons, tank) = (world.commons.len() as u32, world.count(Class::Tank) > 0);
            seen.push((world.secs(), world.director.phase, strain.stress(), commons, tank));
        },
    );
    let frames = table.frames.take().unwrap();
    let moments: Vec<Moment> = frames.iter().map(|frame| Moment::read(frame).unwrap()).collect();
    assert_eq!(moments.len() + 1, seen.len(), "one more is seen after the last step");
    for (moment, (secs, phase, stress, commons, tank)) in moments.iter().zip(&seen) {
        assert!((moment.secs - secs).abs() < 1e-3 && (moment.stress - stress).abs() < 0.006);
        assert_eq!((moment.phase, moment.commons, moment.tank), (*phase, *commons, *tank));
        assert!((moment.target - 0.7).abs() < 1e-6);
    }
    let mobs = table.game.world().director.account.mobs;
    assert!(mobs > 0 && rises(&moments, |m| m.mobs).len() == mobs as usize);
    let drawn = svg(&moments, "The rules on the street: intense, advanced");
    assert_eq!(drawn.matches("class=\"mob-line\"").count(), mobs as usize);
    assert_eq!(to_json(&moments)["mobs"].as_array().unwrap().len(), mobs as usize);
    let out = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("pacing.svg");
    std::fs::write(&out, drawn).unwrap();
    println!("drawn to {}", out.display());
}
