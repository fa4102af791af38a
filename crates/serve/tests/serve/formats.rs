//! Every format says what the policy says.

use std::time::{Duration, Instant};

use lanista_serve::formats::{MAGIC, flags, kinds, wants};
use lanista_serve::{Config, Format, Models, Server};
use serde_json::{Value, json};

use crate::support::{
    ACTIONS, Client, FEATURES, Made, actions, decide, everything, numbers, serve, single, singles,
};

/// Probabilities of a head, in double precision and from the definition.
fn softmax(logits: &[f32], legal: &[bool]) -> Vec<f64> {
    let weight = |(z, &legal): (&f32, &bool)| if legal { f64::from(*z).exp() } else { 0.0 };
    let weights: Vec<f64> = logits.iter().zip(legal).map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| w / total).collect()
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 2e-5, "{got} {want}");
}

#[test]
fn lines_say_what_the_policy_says() {
    let served = serve(&Made::default(), Config::local(Format::Lines));
    let mut client = served.connect(Format::Lines);
    for seed in 0..50 {
        let obs = numbers(seed, FEATURES);
        let mask: Vec<bool> = (0..ACTIONS).map(|a| (seed as usize >> (a % 4)) & 1 == 0).collect();
        let want = decide(&served.policy, &obs, Some(&mask), None);
        let all = ["value", "log_prob", "entropy", "probs", "state", "names"];
        let got = client.ask(&json!({"obs": obs, "mask": mask, "want": all, "id": seed}));
        assert_eq!(actions(&got["action"]), want.actions);
        assert_eq!(single(&got["value"]).to_bits(), want.value.to_bits());
        assert_eq!(single(&got["log_prob"]).to_bits(), want.log_prob.to_bits());
        assert_eq!((&got["version"], &got["id"]), (&json!(1), &json!(seed)));
        assert_eq!(got["state"], json!([]));
        for (head, range) in [0..3, 3..7].into_iter().enumerate() {
            let probs = softmax(&want.logits[range.clone()], &want.legal[range]);
            for (got, want) in singles(&got["probs"][head]).iter().zip(&probs) {
                close(f64::from(*got), *want);
            }
            let entropy: f64 = probs.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum();
            close(got["entropy"][head].as_f64().unwrap(), entropy);
        }
        let heads = [vec!["stay", "left", "right"], vec!["none", "low", "high", "leap"]];
        let names: Vec<&str> =
            want.actions.iter().zip(&heads).map(|(&a, names)| names[a as usize]).collect();
        assert_eq!(got["names"], json!(names));
    }
}

#[test]
fn features_and_masks_come_by_name() {
    let served = serve(&Made::default(), Config::local(Format::Lines));
    let mut client = served.connect(Format::Lines);
    let named = json!({"speed": 1.5, "mana": -0.25});
    let legal = json!({"strike": ["none", "high"]});
    let got = client.ask(&json!({"obs": named, "mask": legal, "want": ["value", "log_prob"]}));
    let mask = [true, true, true, true, false, true, false];
    let want = decide(&served.policy, &[0.0, -0.25, 0.0, 0.0, 1.5], Some(&mask), None);
    assert_eq!(actions(&got["action"]), want.actions);
    assert_eq!(single(&got["log_prob"]).to_bits(), want.log_prob.to_bits());
    let error = |client: &mut Client, request: Value, kind: &str, part: &str| {
        let got = client.ask(&request);
        let text = got["error"].as_str().unwrap_or_else(|| panic!("{got}"));
        assert!(text.contains(part) && got["kind"] == kind, "{got}");
    };
    let c = &mut client;
    error(c, json!({"obs": {"speeed": 1}}), "shape", "no feature `speeed`");
    error(c, json!({"obs": {}, "mask": {"hit": []}}), "shape", "move, strike");
    error(c, json!({"obs": {}, "mask": {"strike": ["lo"]}}), "shape", "none, low, high, leap");
    error(c, json!({"obs": [1, 2]}), "shape", "obs has 2 numbers; knight sees 5");
    error(c, json!({"obs": [[1, 2], [3]]}), "shape", "differ in length");
    error(c, json!({"obs": {}, "mask": [true]}), "shape", "the mask has 1 entries; knight takes 7");
    error(c, json!({"obs": {}, "want": ["vaule"]}), "malformed", "`vaule`");
    error(c, json!({"obs": {}, "model": "knihgt"}), "unknown", "there are: knight");
    error(c, json!({"obs": {}, "role": "x", "model": "knight"}), "unknown", "knight/x");
    error(c, json!({"observation": []}), "malformed", "unknown key `observation`");
    error(c, json!({"mask": []}), "malformed", "`obs` is missing");
    error(c, json!({"obs": {}, "deterministic": [true]}), "shape", "takes 2");
    error(c, json!({"obs": {}, "state": [1]}), "shape", "state has 1");
    error(c, json!({"obs": {}, "forbidden": [true]}), "shape", "knight takes 12");
    // None of it cost the connection.
    assert!(c.ask(&json!({"obs": {}}))["action"].is_array());
    let described = c.ask(&json!({"describe": true, "model": "knight"}));
    assert_eq!(described["features"][1], "mana");
    assert_eq!(described["heads"][1]["actions"][3], "leap");
    assert_eq!(c.ask(&json!({"describe": true}))["models"][0]["steps"], 100);
}

#[test]
fn masks_requirements_and_forbidden_pairs_are_obeyed() {
    let served = serve(&Made::default(), Config::local(Format::Lines));
    let mut client = served.connect(Format::Lines);
    for seed in 0..300u64 {
        let bits = lanista_game::seed::mix(9, seed);
        let mask: Vec<bool> = (0..ACTIONS).map(|a| bits >> a & 1 == 1).collect();
        let forbidden: Vec<bool> = (0..12).map(|p| bits >> (p + 20) & 3 == 0).collect();
        let request = json!({
            "obs": numbers(seed, FEATURES), "mask": mask, "forbidden": forbidden,
            "deterministic": seed % 2 == 0, "seed": seed,
        });
        let action = actions(&client.ask(&request)["action"]);
        assert!(crate::support::role().allows(&action, &mask, &forbidden), "{seed}: {action:?}");
    }
}

#[test]
fn pvp_ml_answers_as_the_original_would() {
    let served = serve(&Made::default(), Config::local(Format::PvpMl));
    let mut client = served.connect(Format::PvpMl);
    for seed in 0..30 {
        let obs = numbers(seed, FEATURES);
        // `strike` is forced in some.
        let masks = json!([[true, seed % 3 > 0, true], [true, seed % 2 > 0, false, seed % 2 > 0]]);
        let flat: Vec<bool> = masks
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|head| head.as_array().unwrap().iter().map(|b| b.as_bool().unwrap()))
            .collect();
        let want = decide(&served.policy, &obs, Some(&flat), None);
        let got = client.ask(&json!({
            "model": "knight", "actionMasks": masks, "obs": [obs], "deterministic": true,
            "returnLogProb": true, "returnEntropy": true, "returnValue": true, "returnProbs": true,
            "extensions": [],
        }));
        let mut keys: Vec<&String> = got.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["action", "entropy", "extensionResults", "logProb", "probs", "values"]);
        assert_eq!(actions(&got["action"]), want.actions);
        assert_eq!(got["extensionResults"], json!([]));
        assert_eq!(single(&got["values"]).to_bits(), want.value.to_bits());
        let eps = f64::from(f32::EPSILON);
        let log = |p: f64| p.clamp(eps, 1.0 - eps).ln();
        let mut log_prob = 0.0;
        for (head, range) in [0..3, 3..7].into_iter().enumerate() {
            let probs = softmax(&want.logits[range.clone()], &want.legal[range]);
            for (got, want) in singles(&got["probs"][head]).iter().zip(&probs) {
                close(f64::from(*got), *want);
            }
            log_prob += log(probs[want.actions[head] as usize]);
            close(
                got["entropy"][head].as_f64().unwrap(),
                -probs.iter().map(|p| p * log(*p)).sum::<f64>(),
            );
        }
        close(got["logProb"].as_f64().unwrap(), log_prob);
        if seed % 2 == 0 {
            // A forced head is not certain to the last bit.
            let entropy = got["entropy"][1].as_f64().unwrap();
            assert!((entropy - 1.192e-7).abs() < 1e-10, "{entropy}");
        }
    }
    let bare = client.ask(&json!({
        "model": "knight", "actionMasks": [[1, 1, 1], [1, 1, 1, 1]], "obs": [[0, 1, true, 2.5, 0]],
        "deterministic": [true, false],
    }));
    for key in ["logProb", "entropy", "values", "probs"] {
        assert_eq!(bare[key], Value::Null, "{key}");
    }
    // Observations of the critic may stand behind those of the actor.
    let wide = client.ask(&json!({
        "model": "knight", "actionMasks": [[1, 1, 1], [1, 1, 1, 1]], "returnValue": true,
        "obs": [[0, 1, 1, 2.5, 0, 7, 8]], "deterministic": true,
    }));
    assert!(wide["values"].is_number(), "{wide}");
    for (bad, part) in [
        (json!({"model": "other", "actionMasks": [], "obs": [[]]}), "unknown model `other`"),
        (json!({"model": "knight", "actionMasks": [], "obs": [[]], "x": 1}), "unknown key `x`"),
        (json!({"model": "knight", "obs": [[]]}), "`actionMasks` is missing"),
        (json!({"actionMasks": [], "obs": [[]]}), "`model` is missing"),
        (
            json!({"model": "knight", "actionMasks": [], "obs": [[0, 0, 0, 0, 0]],
            "extensions": ["winrate"]}),
            "no extension `winrate`",
        ),
    ] {
        let mut client = served.connect(Format::PvpMl);
        let got = client.ask(&bad);
        assert!(got["error"].as_str().unwrap().contains(part), "{got}");
        assert_eq!(client.rest(), b"", "it is closed after an error");
    }
}

#[test]
fn pvp_ml_pads_the_frames_that_are_missing() {
    let made = Made { stack: vec![0, 1, 3], ..Made::default() };
    let served = serve(&made, Config::local(Format::PvpMl));
    let mut client = served.connect(Format::PvpMl);
    let frame = |i: u64| numbers(i, FEATURES);
    for count in 1..=5 {
        let frames: Vec<Vec<f32>> = (0..count).map(frame).collect();
        let at = |k: usize| frames.get(k).cloned().unwrap_or_else(|| vec![0.0; FEATURES]);
        let seen = [at(0), at(1), at(3)].concat();
        let want = decide(&served.policy, &seen, None, None);
        let got = client.ask(&json!({
            "model": "knight", "actionMasks": [[1, 1, 1], [1, 1, 1, 1]], "obs": frames,
            "deterministic": true, "returnValue": true,
        }));
        assert_eq!(actions(&got["action"]), want.actions);
        assert_eq!(single(&got["values"]).to_bits(), want.value.to_bits(), "{count} frames");
    }
}

#[test]
fn the_short_form_is_short() {
    let served = serve(&Made::default(), Config::local(Format::Short));
    let mut client = served.connect(Format::Short);
    for obs in [json!([numbers(3, FEATURES)]), json!(numbers(3, FEATURES))] {
        let masks = json!([[true, true, false], [true, true, true, true]]);
        client.send(
            format!("{}\n", json!({"obs": obs, "actionMasks": masks, "deterministic": true}))
                .as_bytes(),
        );
        let mask = [true, true, false, true, true, true, true];
        let want = decide(&served.policy, &numbers(3, FEATURES), Some(&mask), None).actions;
        assert_eq!(client.line(), format!("{{\"action\": [{},{}]}}\n", want[0], want[1]));
    }
}

fn hello(model: &str, token: &str) -> Vec<u8> {
    let mut hello = MAGIC.to_vec();
    for text in [model, token] {
        hello.extend_from_slice(&(text.len() as u16).to_le_bytes());
        hello.extend_from_slice(text.as_bytes());
    }
    hello
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn binary_says_the_same() {
    let made = Made::with(json!({"hidden": [8], "memory": {"cell": "lstm", "size": 4}}));
    let served = serve(&made, Config::local(Format::Binary));
    let mut client = served.connect(Format::Binary);
    client.send_frame(&hello("knight", ""));
    let greeting = client.frame();
    assert_eq!((greeting[0], &greeting[4..8]), (0, &MAGIC[..]));
    let sizes: Vec<u32> =
        greeting[8..].chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    let (actor, critic) = served.policy.state_sizes();
    assert_eq!(sizes, [1, 5, 5, 2, 7, 12, (actor + critic) as u32, 3, 4]);
    let obs = numbers(5, FEATURES);
    let state = numbers(6, actor + critic);
    let mask = [true, false, true, true, true, false, true];
    let mut body = vec![kinds::DECIDE, wants::ALL];
    body.extend_from_slice(&(flags::MASK | flags::STATE).to_le_bytes());
    body.extend_from_slice(&77u32.to_le_bytes());
    body.extend_from_slice(&0u32.to_le_bytes());
    body.extend_from_slice(&5u32.to_le_bytes());
    obs.iter().for_each(|n| body.extend_from_slice(&n.to_le_bytes()));
    body.push(0b101_1101);
    state.iter().for_each(|n| body.extend_from_slice(&n.to_le_bytes()));
    client.send_frame(&body);
    let reply = client.frame();
    let memory = Some((&state[..actor], &state[actor..]));
    let want = decide(&served.policy, &obs, Some(&mask), memory);
    assert_eq!(reply[..2], [0, wants::ALL]);
    assert_eq!(u32::from_le_bytes(reply[4..8].try_into().unwrap()), 77);
    assert_eq!(u32::from_le_bytes(reply[8..12].try_into().unwrap()), 1, "version");
    let chosen: Vec<u32> =
        reply[12..16].chunks(2).map(|c| u16::from_le_bytes([c[0], c[1]]).into()).collect();
    assert_eq!(chosen, want.actions);
    let rest = floats(&reply[16..]);
    assert_eq!((rest[0], rest[1]), (want.value, want.log_prob));
    assert_eq!(rest[4 + ACTIONS..], [want.actor, want.critic].concat());
    // A description, the end of a session, and a mistake that costs nothing.
    let plain = |kind: u8| [vec![kind, 0, 0, 0], vec![1, 0, 0, 0], vec![0; 4]].concat();
    client.send_frame(&plain(kinds::DESCRIBE));
    let described = client.frame();
    let described: Value = serde_json::from_slice(&described[8..]).unwrap();
    assert_eq!(described["features"][0], "health");
    client.send_frame(&plain(kinds::END));
    assert_eq!(client.frame()[0], 0);
    client.send_frame(&[9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    let refused = client.frame();
    assert!(refused[0] != 0 && String::from_utf8_lossy(&refused[8..]).contains("kind 9"));
    client.send_frame(&plain(kinds::END));
    assert_eq!(client.frame()[0], 0);
}

#[test]
fn http_acts_and_keeps_the_connection() {
    let served = serve(&Made::default(), everything());
    let mut client = served.connect(Format::Http);
    let obs = numbers(8, FEATURES);
    let body = json!({"obs": obs, "want": ["value"]}).to_string();
    let post =
        format!("POST /act HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    for _ in 0..2 {
        let (head, body) = client.http(&post);
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        let got: Value = serde_json::from_str(&body).unwrap();
        let want = decide(&served.policy, &obs, None, None);
        assert_eq!(actions(&got["action"]), want.actions);
        assert_eq!(single(&got["value"]), want.value);
    }
    let (head, body) = client.http("GET /models HTTP/1.1\r\n\r\n");
    assert!(head.contains("200") && body.contains("\"knight\""));
    let (head, _) = client.http("GET /../../etc/passwd HTTP/1.1\r\n\r\n");
    assert!(head.contains("404"), "{head}");
    let bad = "POST /act HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
    assert!(client.http(bad).0.contains("400"));
    let last = post.replace("Host: x", "Connection: close");
    assert!(client.http(&last).0.contains("200"));
    assert_eq!(client.rest(), b"");
    let mut watcher = served.connect(Format::Metrics);
    assert!(watcher.http("GET /health HTTP/1.1\r\n\r\n").1.contains("ok"));
    let lines = [
        "lanista_decisions_total 3",
        "lanista_batch_size_bucket{le=\"1\"} 3",
        "lanista_errors_total{kind=\"malformed\"} 1",
        "lanista_model_steps{model=\"knight\"} 100",
        "lanista_latency_seconds_count 3",
    ];
    // What a client has just got may be counted a moment later.
    let began = Instant::now();
    loop {
        let (_, text) = watcher.http("GET /metrics HTTP/1.1\r\n\r\n");
        assert!(text.contains("lanista_latency_seconds_bucket{le=\"0.00001\"}"), "{text}");
        let Some(missing) = lines.iter().find(|line| !text.lines().any(|l| l == **line)) else {
            break;
        };
        assert!(began.elapsed() < Duration::from_secs(20), "{missing}: {text}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn roles_are_models_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.zip");
    let policies = Made::default().save_roles(&path, &["knight", "dragon"]);
    let models = Models::load(&[("joust".into(), path)]).unwrap();
    let server = Server::start(Config::local(Format::Lines), models, None).unwrap();
    let mut client = Client::new(server.address(Format::Lines).unwrap());
    let obs = numbers(2, FEATURES);
    let mut seen = Vec::new();
    for (role, policy) in ["knight", "dragon"].iter().zip(&policies) {
        let want = decide(policy, &obs, None, None).value;
        for request in [
            json!({"obs": obs, "model": "joust", "role": role, "want": ["value"]}),
            json!({"obs": obs, "model": format!("joust/{role}"), "want": ["value"]}),
        ] {
            assert_eq!(single(&client.ask(&request)["value"]), want);
        }
        seen.push(want);
    }
    assert_ne!(seen[0], seen[1]);
    let got = client.ask(&json!({"obs": obs}));
    assert!(got["error"].as_str().unwrap().contains("joust/knight, joust/dragon"), "{got}");
}

#[test]
fn whoever_watches_sees_every_decision() {
    use std::sync::{Arc, Mutex};
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.zip");
    let policy = Made::default().save(&path);
    let models = Models::load(&[("knight".into(), path)]).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&seen);
    let config = Config { values: true, ..Config::local(Format::PvpMl) };
    let observer: lanista_serve::Observer = Box::new(move |decision| {
        let (obs, actions) = (decision.observation.to_vec(), decision.actions.to_vec());
        into.lock().unwrap().push((obs, actions, decision.value));
    });
    let server = Server::start(config, models, Some(observer)).unwrap();
    let mut client = Client::new(server.address(Format::PvpMl).unwrap());
    let obs = numbers(4, FEATURES);
    let masks = [&[1, 1, 1][..], &[1, 1, 1, 1]];
    client.ask(
        &json!({"model": "knight", "actionMasks": masks, "obs": [obs], "deterministic": true}),
    );
    let want = decide(&policy, &obs, None, None);
    assert_eq!(*seen.lock().unwrap(), [(obs, want.actions, Some(want.value))]);
}
