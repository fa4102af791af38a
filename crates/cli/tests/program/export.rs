//! `lanista export` and `lanista import`: models to and from other programs.

use std::fs;
use std::io::{Cursor, Write};

use lanista_nn::{Arrays, read_metadata};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::support::{HEADS, Place, RECURRENT};

#[test]
fn a_model_with_memory_is_written_in_every_format() {
    let place = Place::with(&[("preset", RECURRENT)]);
    place.ok("train preset.yml --until 600 --set run.dir=run");
    let line =
        "export run --onnx a.onnx --torch a.pt.safetensors --decisions a.safetensors --count 50";
    let value = place.json(&format!("{line} --json"));
    assert_eq!(
        (value["game"].as_str(), value["role"].as_str()),
        (Some("cartpole-novel"), Some("player"))
    );
    let port =
        |name: &str, kind: &str, width: u64| json!({"name": name, "type": kind, "width": width});
    let state = |name: &str| port(name, "float", 48); // h and c of 12, of actor and critic
    assert_eq!(
        value["onnx"]["inputs"],
        json!([port("observation", "float", 2), port("mask", "bool", 2), state("state_in")])
    );
    let mut outputs = vec![
        port("logits", "float", 2),
        port("masked_logits", "float", 2),
        port("action", "int64", 1),
        json!({"name": "value", "type": "float", "width": null}),
    ];
    outputs.push(state("state_out"));
    assert_eq!(value["onnx"]["outputs"], Value::from(outputs));
    let onnx = fs::read(place.path("a.onnx")).unwrap();
    assert_eq!(value["onnx"]["bytes"].as_u64(), Some(onnx.len() as u64));
    assert!(onnx.starts_with(b"\x08\x08\x12\x07lanista"));

    let torch = fs::read(place.path("a.pt.safetensors")).unwrap();
    let metadata = read_metadata(&torch).unwrap();
    assert_eq!((metadata["format"].as_str(), metadata["game"].as_str()), ("pt", "cartpole-novel"));
    let mut weights = Arrays::from_bytes(&torch).unwrap();
    assert_eq!(weights.take_f32("actor.memory.weight_ih_l0").unwrap().len(), 48 * 8);
    assert_eq!(weights.take_f32("normalizer.scale").unwrap().len(), 2);

    let mut seen = Arrays::from_bytes(&fs::read(place.path("a.safetensors")).unwrap()).unwrap();
    assert_eq!(seen.take_f32("observation").unwrap().len(), 50 * 2);
    assert_eq!(seen.take_f32("state_out").unwrap().len(), 50 * 48);

    // The same model gives the same bytes, and leaves nothing else behind.
    place.ok("export run --onnx b.onnx");
    assert_eq!(onnx, fs::read(place.path("b.onnx")).unwrap());
    assert!(!place.path("b.onnx.tmp").exists());
    let shown = place.ok("export run/model.zip --onnx c.onnx --actor-only --noise");
    for line in ["in  noise          float  [batch, 2]", "in  state_in       float  [batch, 24]"] {
        assert!(shown.contains(line), "{shown}");
    }
    assert!(!shown.contains("value"), "{shown}");
}

#[test]
fn one_role_of_several_is_chosen_by_name() {
    let place = Place::new();
    place.ok("train classic/hideout --until 2000 --set run.dir=run --set evaluation.matches=8");
    let first = place.json("export run --onnx a.onnx --json");
    let seeker = place.json("export run --onnx b.onnx --role seeker --json");
    assert_eq!(seeker["role"], "seeker");
    assert_ne!(first["role"], seeker["role"]);
    assert_ne!(fs::read(place.path("a.onnx")).unwrap(), fs::read(place.path("b.onnx")).unwrap());
    let error = place.fails("export run --onnx c.onnx --role goalkeeper");
    assert!(error.contains("--role goalkeeper") && error.contains("seeker"), "{error}");
    assert!(!place.path("c.onnx").exists());
}

#[test]
fn what_cannot_be_exported_is_named_before_anything_is_written() {
    let place = Place::with(&[("preset", HEADS)]);
    place.ok("train preset.yml --until 600 --set run.dir=run");
    fs::create_dir(place.path("empty")).unwrap();
    for (line, parts) in [
        ("export empty --onnx a.onnx", &["empty holds no model.zip", "lanista train"][..]),
        ("export nowhere --onnx a.onnx", &["nowhere holds no model.zip"]),
        ("export run --onnx missing/a.onnx", &["no directory missing", "create it first"]),
        ("export run --onnx empty", &["it is a directory", "name a file"]),
        ("export run --torch a.pt --onnx missing/a.onnx", &["no directory missing"]),
        ("export preset.yml --onnx a.onnx", &["preset.yml is not a sound model"]),
    ] {
        let error = place.fails(line);
        assert!(parts.iter().all(|part| error.contains(part)), "{line}: {error}");
    }
    assert!(!place.path("a.pt").exists() && !place.path("a.onnx").exists());
    for line in [
        "export run",
        "export run --onnx a.onnx --count 5",
        "export run --torch a.pt --noise",
        "export run --decisions a --count 0",
        "export run --decisions a --count 100001",
    ] {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}");
    }
}

/// A state dict as `torch.save` writes it: a pickle, and numbers beside it.
fn state_dict(tensors: &[(String, Vec<u32>)], pickle: Option<&[u8]>) -> Vec<u8> {
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.push(b'X');
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    };
    let mut bytes = b"\x80\x02ccollections\nOrderedDict\nq\x00)R(".to_vec();
    for (i, (name, shape)) in tensors.iter().enumerate() {
        text(&mut bytes, name);
        bytes.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        text(&mut bytes, "storage");
        bytes.extend(b"ctorch\nFloatStorage\n");
        text(&mut bytes, &i.to_string());
        text(&mut bytes, "cpu");
        let int = |bytes: &mut Vec<u8>, value: u32| {
            bytes.push(b'J');
            bytes.extend(value.to_le_bytes());
        };
        int(&mut bytes, shape.iter().product());
        bytes.extend(b"tQK\x00(");
        shape.iter().for_each(|&size| int(&mut bytes, size));
        bytes.extend(b"t(");
        (0..shape.len()).for_each(|at| int(&mut bytes, shape[at + 1..].iter().product()));
        bytes.extend(b"t\x89h\x00)RtR");
    }
    bytes.extend(b"u.");
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut part = |name: String, bytes: &[u8]| {
        archive.start_file(name, options).unwrap();
        archive.write_all(bytes).unwrap();
    };
    part("archive/data.pkl".into(), pickle.unwrap_or(&bytes));
    for (i, (_, shape)) in tensors.iter().enumerate() {
        let numbers = (0..shape.iter().product::<u32>()).map(|n| ((n % 17) as f32 - 8.0) / 50.0);
        let numbers: Vec<u8> = numbers.flat_map(|v: f32| v.to_le_bytes()).collect();
        part(format!("archive/data/{i}"), &numbers);
    }
    archive.finish().unwrap().into_inner()
}

/// Layers of these widths, as rlgym-ppo names them.
fn network(widths: &[u32]) -> Vec<u8> {
    let layers = widths.windows(2).enumerate().flat_map(|(i, pair)| {
        let name = |part: &str| format!("model.{}.{part}", 2 * i);
        [(name("weight"), vec![pair[1], pair[0]]), (name("bias"), vec![pair[1]])]
    });
    state_dict(&layers.collect::<Vec<_>>(), None)
}

fn checkpoint(place: &Place, name: &str, policy: &[u8], value: &[u8], book: &str) {
    fs::create_dir_all(place.path(name)).unwrap();
    fs::write(place.path(name).join("PPO_POLICY.pt"), policy).unwrap();
    fs::write(place.path(name).join("PPO_VALUE_NET.pt"), value).unwrap();
    fs::write(place.path(name).join("BOOK_KEEPING_VARS.json"), book).unwrap();
}

#[test]
fn a_checkpoint_of_rlgym_ppo_plays_and_is_exported_again() {
    let place = Place::new();
    let (policy, value) = (network(&[169, 8, 90]), network(&[169, 6, 1]));
    let numbers = |v: f64| vec![v; 169];
    let stats = json!({"mean": numbers(0.1), "var": numbers(90.0), "count": 100, "shape": [169]});
    let book = json!({"cumulative_timesteps": 777, "obs_running_stats": stats}).to_string();
    checkpoint(&place, "run/777", &policy, &value, &book);
    let about =
        place.json("import rlgym-ppo run/777 --out imported --set settings.limit_secs=5 --json");
    assert_eq!((about["steps"].as_u64(), about["features"].as_u64()), (Some(777), Some(169)));
    assert_eq!(about["standardised"], true);
    assert_eq!(about["settings"]["team_size"], 2, "{about}");
    let value = place.json("eval imported --matches 2 --json");
    assert_eq!((value["game"].as_str(), value["matches"].as_u64()), (Some("rocket"), Some(2)));
    place.ok("export imported/model.zip --onnx a.onnx --torch a.safetensors");
    let mut torch = Arrays::from_bytes(&fs::read(place.path("a.safetensors")).unwrap()).unwrap();
    assert_eq!(torch.take_f32("normalizer.limit").unwrap(), [5.0]);
    // The matrix comes out as it went in.
    let weight = torch.take_f32("actor.heads.weight").unwrap();
    let expected: Vec<f32> = (0..90 * 8).map(|n| ((n % 17) as f32 - 8.0) / 50.0).collect();
    assert_eq!(weight, expected);
    let error = place.fails("import rlgym-ppo run/777 --out imported");
    assert!(error.contains("is there already") && error.contains("--out"), "{error}");
    let error = place.fails("import rlgym-ppo run --out other.zip");
    assert!(error.contains("holds no PPO_POLICY.pt") && error.contains("777"), "{error}");
}

#[test]
fn a_checkpoint_that_does_not_fit_or_would_run_something_is_refused() {
    let place = Place::new();
    let value = network(&[107, 6, 1]);
    let (fits, narrow) = (network(&[107, 8, 90]), network(&[92, 8, 90]));
    checkpoint(&place, "narrow", &narrow, &network(&[92, 6, 1]), "{}");
    checkpoint(&place, "actions", &network(&[107, 8, 21]), &value, "{}");
    checkpoint(&place, "critic", &fits, &network(&[107, 6, 2]), "{}");
    checkpoint(&place, "book", &fits, &value, "{");
    checkpoint(&place, "cut", &fits[..fits.len() / 2], &value, "{}");
    let evil = state_dict(&[], Some(b"\x80\x02cposix\nsystem\n(X\x04\x00\x00\x00exittR."));
    checkpoint(&place, "evil", &evil, &value, "{}");
    checkpoint(&place, "half", &fits, &value, "{}");
    fs::remove_file(place.path("half").join("PPO_VALUE_NET.pt")).unwrap();
    for (name, parts) in [
        ("narrow", &["sees 92 numbers", "107 for 1v1", "AdvancedObs"][..]),
        ("actions", &["21 actions", "90"]),
        ("critic", &["PPO_VALUE_NET.pt", "2 results"]),
        ("book", &["BOOK_KEEPING_VARS.json"]),
        ("cut", &["PPO_POLICY.pt", "torch.save"]),
        ("evil", &["PPO_POLICY.pt", "`posix.system`", "refused"]),
        ("half", &["PPO_VALUE_NET.pt"]),
        ("nowhere", &["nowhere holds no PPO_POLICY.pt"]),
    ] {
        let error = place.fails(&format!("import rlgym-ppo {name} --out out.zip"));
        assert!(parts.iter().all(|part| error.contains(part)), "{name}: {error}");
    }
    checkpoint(&place, "whole", &fits, &value, "{}");
    let error = place.fails("import rlgym-ppo whole --out out.zip --set ppo.epochs=3");
    assert!(error.contains("only settings of the game"), "{error}");
    let error = place.fails("import rlgym-ppo whole --out out.zip --set settings.observation=plus");
    assert!(error.contains("sees 107 numbers"), "{error}");
    place.fails("import rlgym-ppo evil --out folder/deep");
    assert!(!place.path("folder").exists(), "nothing is left of what failed");
    assert!(!place.path("out.zip").exists());
}
