//! Left 4 Dead 2: a run repeats and resumes, meshes and recordings are read, mistakes are named.

use crate::support::Place;

/// Survivors and infected learn, with their past; a director is played by its rules.
pub const VERSUS: &str = "
game: survivors
settings: { map: [corridor, apartment], infected: 2, director: rl, limit_secs: 40 }
rollout: { matches: 6, horizon: 24, shard: 2 }
policy: { hidden: [16], memory: { cell: gru, size: 8 } }
ppo: { minibatch: 64, chunk: 16, sequence_length: 8 }
roles: { director: { played_by: bot:rule } }
rewards: { progress: 1, harm: 0.1 }
opponents: { past: 0.3 }
league: { every: 500, pool: 3 }
evaluation: { every: 2000, matches: 2 }
checkpoint: { every: 1000 }
stop: { steps: 3000 }
";

#[test]
fn runs_repeat_and_resume_exactly() {
    let place = Place::with(&[("preset", VERSUS)]);
    place.ok("train preset.yml --threads 1 --set run.dir=whole");
    place.ok("train preset.yml --threads 2 --set run.dir=threads");
    for until in [700, 1500, 2300] {
        place.ok(&format!("train preset.yml --set run.dir=parts --until {until}"));
    }
    place.ok("train preset.yml --set run.dir=parts");
    place.bits("whole").assert_same(&place.bits("threads"), "threads");
    place.bits("whole").assert_same(&place.bits("parts"), "parts");
}

#[test]
fn maps_are_shown_drawn_and_written() {
    let place = Place::new();
    let told = place.ok("survivors nav apartment --svg plan.svg --write apartment.nav");
    assert!(told.contains("320") && told.contains("safe"), "{told}");
    let drawing = std::fs::read_to_string(place.path("plan.svg")).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"));
    let read = place.json("survivors nav apartment.nav --json");
    for key in ["areas", "connections", "ladders", "visible", "flow"] {
        assert!(read[key].as_f64().is_some_and(|v| v > 0.0), "{key}: {read}");
    }
    assert_eq!(read["roundtrip"], true);
    assert_eq!(read["areas"], place.json("survivors nav apartment --json")["areas"]);
}

#[test]
fn mistakes_are_named() {
    let place = Place::new();
    place.ok("survivors nav corridor --write whole.nav");
    let whole = std::fs::read(place.path("whole.nav")).unwrap();
    std::fs::write(place.path("cut.nav"), &whole[..whole.len() / 2]).unwrap();
    let mut other = whole.clone();
    other[4] = 15;
    std::fs::write(place.path("other.nav"), other).unwrap();
    place.write("words.dem", "this is no recording");
    for (line, said) in [
        ("survivors nav cut.nav", &["cut.nav", "byte"][..]),
        ("survivors nav other.nav", &["other.nav", "15", "16"]),
        ("survivors nav missing.nav", &["missing.nav"]),
        ("survivors nav apartmnt", &["apartmnt", "apartment"]),
        ("survivors demo words.dem", &["words.dem"]),
        ("survivors demo missing.dem", &["missing.dem"]),
        ("games survivors --set settings.map=apartmnt", &["settings.map", "apartment"]),
        ("games survivors --set settings.map=cut.nav", &["settings.map", "cut.nav", "byte"]),
        ("games survivors --set settings.survivors=5", &["settings.survivors", "1 and 4"]),
        ("games survivors --set settings.view=poor", &["settings.view", "rich"]),
    ] {
        let error = place.fails(line);
        for part in said {
            assert!(error.contains(part), "{line}: no `{part}` in: {error}");
        }
    }
}
