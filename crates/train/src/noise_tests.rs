use serde_json::{Value, json};

use super::*;

/// Cartpole: position, velocity, angle, angular_velocity.
fn spec() -> Spec {
    lanista_classic::games()[0].spec(&Value::Null).unwrap()
}

fn entries(value: Value) -> Vec<NoiseConfig> {
    serde_json::from_value(value).unwrap()
}

fn noise(value: Value, stack: &Stack) -> Noise {
    let mut noise = Noise::new(&entries(value), &spec(), 0, stack).unwrap().unwrap();
    noise.set_progress(0.0);
    noise
}

/// What one seat of one match sees of zeros.
fn seen(noise: &mut Noise, seed: u64, step: u32) -> Vec<f32> {
    let width = noise.features * noise.frames.len();
    noise.look(&vec![0.0; width], width, &[0], |_| (seed, step), 1);
    noise.seen().to_vec()
}

#[test]
fn features_go_by_name_index_and_range() {
    let resolve = |features: Value| {
        let noise = noise(json!([{"features": features, "scale": 1}]), &Stack::default());
        noise.entries[0].features.clone()
    };
    assert_eq!(resolve(json!(["angle"])), [2]);
    assert_eq!(resolve(json!([3, "position"])), [0, 3]);
    assert_eq!(resolve(json!(["1:3"])), [1, 2]);
    assert_eq!(resolve(json!(["0:4", 1, "velocity", "2:3"])), [0, 1, 2, 3], "each counts once");
    assert!(Noise::new(&[], &spec(), 0, &Stack::default()).unwrap().is_none());
}

#[test]
fn entries_that_do_not_fit_are_refused() {
    for (entry, key, said) in [
        (json!({"features": ["angel"], "scale": 1}), "features.0", "did you mean `angle`?"),
        (json!({"features": ["angle@1"], "scale": 1}), "features.0", "did you mean `angle`?"),
        (json!({"features": ["zebra"], "scale": 1}), "features.0", "lanista games cartpole"),
        (
            json!({"features": ["angle", 4], "scale": 1}),
            "features.1",
            "no feature 4 in cartpole: did you mean the last one, 3 (`angular_velocity`)?",
        ),
        (json!({"features": ["2:9"], "scale": 1}), "features.0", "did you mean `2:4`?"),
        (json!({"features": ["9:12"], "scale": 1}), "features.0", "did you mean `3:4`?"),
        (json!({"features": ["2:2"], "scale": 1}), "features.0", "did you mean `2:3`?"),
        (json!({"features": [], "scale": 1}), "features", "no feature is listed"),
        (json!({"features": [0], "scale": -1}), "scale", "-1 is out of range; it is from 0 to"),
        (json!({"features": [0], "scale": 1e9}), "scale", "1000000000 is out of range"),
        (json!({"features": [0], "scale": {"piecewise": []}}), "scale", "at least one"),
    ] {
        let ok = json!({"features": [0], "scale": 1});
        let config = entries(json!([ok, entry]));
        let error = Noise::new(&config, &spec(), 0, &Stack::default()).unwrap_err();
        assert_eq!(error.key, format!("observation.noise.1.{key}"), "{entry}");
        assert!(error.problem.contains(said), "{entry}: {error}");
    }
    let refused = |entry: Value| serde_json::from_value::<NoiseConfig>(entry).unwrap_err();
    let error = refused(json!({"features": [true], "scale": 1})).to_string();
    assert!(error.contains("a range such as \"3:6\""), "{error}");
    let error = refused(json!({"features": [0], "scale": 1, "kind": "pink"})).to_string();
    assert!(error.contains("`normal`, `uniform`, `offset`"), "{error}");
    assert!(refused(json!({"features": [0]})).to_string().contains("`scale`"));
}

#[test]
fn each_kind_is_what_its_name_says() {
    let kinds = json!([
        {"features": ["position"], "scale": 0.5},
        {"features": ["velocity"], "scale": 2, "kind": "uniform"},
        {"features": ["angle"], "scale": -3, "kind": "offset"},
    ]);
    let mut noise = noise(kinds, &Stack::default());
    let n = 20_000;
    let all: Vec<Vec<f32>> = (0..n).map(|step| seen(&mut noise, 5, step)).collect();
    let moments = |f: usize| {
        let mean = all.iter().map(|s| f64::from(s[f])).sum::<f64>() / f64::from(n);
        let square = all.iter().map(|s| (f64::from(s[f]) - mean).powi(2)).sum::<f64>();
        (mean, (square / f64::from(n)).sqrt())
    };
    // Deviations of the means: 0.0035 and 0.008; of the deviations: about 0.0025 and 0.004.
    let (mean, deviation) = moments(0);
    assert!(mean.abs() < 0.02 && (deviation - 0.5).abs() < 0.01, "{mean} {deviation}");
    let beyond = all.iter().filter(|s| s[0].abs() > 1.0).count();
    assert!((800..1020).contains(&beyond), "a normal number is so far out in 4.6 %: {beyond}");
    let (mean, deviation) = moments(1);
    assert!(mean.abs() < 0.04 && (deviation - 2.0 / 3f64.sqrt()).abs() < 0.02);
    assert!(all.iter().all(|s| s[1].abs() <= 2.0 && s[2] == -3.0 && s[3] == 0.0));
}

#[test]
fn noise_is_a_function_of_episode_step_seat_and_feature() {
    let mut noise = noise(json!([{"features": ["0:4"], "scale": 1}]), &Stack::default());
    let first = seen(&mut noise, 1, 7);
    assert_eq!(seen(&mut noise, 1, 7), first);
    assert!((0..3).all(|f| first[f] != first[f + 1]));
    for other in [seen(&mut noise, 2, 7), seen(&mut noise, 1, 8)] {
        assert!((0..4).all(|f| other[f] != first[f]));
    }
    // Two matches of two seats: only the rows that are looked at are drawn.
    noise.look(&[10.0; 16], 4, &[0, 1, 3], |m| ([1, 2][m], 7), 2);
    let rows: Vec<Vec<f32>> =
        noise.seen().chunks(4).map(|row| row.iter().map(|v| v - 10.0).collect()).collect();
    assert!(rows[0].iter().zip(&first).all(|(a, b)| (a - b).abs() < 1e-5));
    assert!((0..4).all(|f| rows[1][f] != rows[0][f] && rows[3][f] != rows[1][f]));
}

#[test]
fn entries_on_one_feature_add_up() {
    let twice = json!([
        {"features": ["angle"], "scale": 1},
        {"features": ["angle"], "scale": 1},
    ]);
    let once = json!([{"features": ["angle"], "scale": 1}]);
    let (mut twice, mut once) = (noise(twice, &Stack::default()), noise(once, &Stack::default()));
    let ratio = seen(&mut twice, 1, 1)[2] / seen(&mut once, 1, 1)[2];
    assert!((ratio - 2.0).abs() > 1e-3, "each draws for itself");
}

#[test]
fn a_stacked_frame_has_the_noise_of_its_own_step() {
    let stack = Stack::new(vec![0, 2, 1]).unwrap();
    let mut noise = noise(json!([{"features": ["angle", 3], "scale": 1}]), &stack);
    let mut frame = |step: u32, place: usize| seen(&mut noise, 9, step)[4 * place..][..4].to_vec();
    assert_eq!(frame(7, 1), frame(5, 0));
    assert_eq!(frame(7, 2), frame(6, 0));
    assert_ne!(frame(7, 0), frame(6, 0));
    assert_eq!(frame(1, 1), [0.0; 4], "a frame from before the match stays empty");
    assert_ne!(frame(1, 2), [0.0; 4]);
}

#[test]
fn the_scale_follows_its_schedule() {
    let falling = json!([{"features": [0], "scale": {"linear": {"from": 4, "to": 0}}}]);
    let mut noise = noise(falling, &Stack::default());
    let whole = seen(&mut noise, 1, 1)[0];
    noise.set_progress(0.75);
    assert!((seen(&mut noise, 1, 1)[0] * 4.0 - whole).abs() < 1e-5);
    noise.set_progress(1.0);
    assert_eq!(seen(&mut noise, 1, 1), [0.0; 4]);
}

#[test]
fn what_is_exact_stays_exact() {
    let games = lanista_classic::games();
    let odd = games.iter().find(|game| game.name == "odd-one").unwrap().spec(&Value::Null).unwrap();
    let said = |feature: Value| {
        let entries = entries(json!([{"features": [feature], "scale": 0.1}]));
        Noise::new(&entries, &odd, 0, &Stack::default()).map(drop).unwrap_err().to_string()
    };
    let flat = odd.roles[0].flat_features();
    let id = flat.iter().position(|f| f.vocabulary.is_some()).unwrap();
    let error = said(json!(flat[id].name));
    assert!(error.contains("observation.noise.0.features.0") && error.contains("an id"), "{error}");
    let error = said(json!(format!("0:{}", flat.len())));
    assert!(error.contains("nonsense"), "a range is no way around it: {error}");
    // The first number of a group of things says whether one is there.
    let mut before = 0;
    for group in &odd.roles[0].observation {
        if let Group::Entities { .. } = group {
            assert!(said(json!(before)).contains("something is there"));
            return;
        }
        before += group.flat().len();
    }
    panic!("odd-one has entities");
}
