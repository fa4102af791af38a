//! Models that are not what they seem: refused by name, before they cost anything.

use lanista_game::{Head, Seat};
use lanista_learn::config::{CellName, MemoryConfig};
use lanista_learn::size::count;

use super::*;

fn spec() -> Spec {
    let role = Role {
        observation: vec![["a", "b", "c"].into()],
        privileged: vec!["d".into(), "e".into()],
        heads: vec![Head::new("first", ["x", "y"]), Head::new("second", ["u", "v", "w"])],
        ..Role::default()
    };
    Spec { name: "toy".into(), roles: vec![role], seats: vec![Seat::of(0)], ..Spec::default() }
}

fn shape() -> Shape {
    Shape::of(&spec().roles[0])
}

fn sound() -> (Policy, Metadata) {
    let policy = PolicyConfig {
        hidden: vec![4, 5],
        memory: Some(MemoryConfig { cell: CellName::Gru, size: 3, layers: 2 }),
        normalize_observations: true,
        ..PolicyConfig::default()
    };
    let metadata = Metadata {
        lanista: "0".into(),
        game: "toy".into(),
        settings: Value::Null,
        policy: policy.clone(),
        stack: Stack::default(),
        features: 3,
        privileged: 2,
        heads: vec![2, 3],
        rewards: [("won".to_owned(), 1.0)].into(),
        roles: BTreeMap::new(),
        played_by: BTreeMap::new(),
        spec: Some(spec()),
        steps: 7,
        seed: 0,
    };
    (Policy::new(shape(), &policy, 1), metadata)
}

/// Saves a model after it was changed, and reads it again.
fn read(change: impl FnOnce(&mut Policy, &mut Metadata)) -> Result<(Policy, Metadata), ModelError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.zip");
    let (mut policy, mut metadata) = sound();
    change(&mut policy, &mut metadata);
    save(&path, &Roster::single(policy), &metadata).unwrap();
    let (roster, metadata) = load(&path, &spec())?;
    Ok((roster.get(0).unwrap().clone(), metadata))
}

fn refused(change: impl FnOnce(&mut Policy, &mut Metadata), parts: &[&str]) {
    let error = read(change).unwrap_err().to_string();
    for part in parts {
        assert!(error.contains(part), "{error} does not say {part}");
    }
}

#[test]
fn a_sound_model_comes_back() {
    let (policy, metadata) = read(|_, _| ()).unwrap();
    assert_eq!(policy.params, sound().0.params);
    assert_eq!(metadata, sound().1);
    assert_eq!(count(policy.params.len()), PolicySize::of(&shape(), &metadata.policy).parameters);
}

#[test]
fn a_model_for_another_shape_of_the_game_is_refused_by_what_differs() {
    let other = |change: fn(&mut Role), parts: &[&str]| {
        let then = |m: &mut Metadata| change(&mut m.spec.as_mut().unwrap().roles[0]);
        refused(|_, m| then(m), parts);
    };
    other(|r| r.observation = vec![["a", "b", "z"].into()], &["another shape", "`z`", "`c`"]);
    other(|r| r.heads[1] = Head::new("second", ["u", "w", "v"]), &["action of second", "order"]);
    // One that does not carry its game is known by numbers alone.
    let old = |change: fn(&mut Metadata), parts: &[&str]| {
        let then = |m: &mut Metadata| m.spec = None;
        refused(|_, m| (then(m), change(m)).1, parts);
    };
    old(|m| m.features = 4, &["another shape of toy", "observation [4] then, [3] now"]);
    old(|m| m.privileged = 0, &["privileged inputs [0] then, [2] now"]);
    old(|m| m.heads = vec![2], &["heads [2] then, [2, 3] now"]);
    assert!(read(|_, m| m.spec = None).is_ok());
}

#[test]
fn a_small_file_cannot_speak_of_a_large_network() {
    refused(|_, m| m.policy.hidden = vec![10_000_000], &["policy", "hidden", "65536"]);
    refused(|_, m| m.policy.hidden = vec![60_000, 60_000], &["policy.safetensors: it holds"]);
    refused(|_, m| m.policy.hidden = vec![1 << 62], &["hidden", "out of range"]);
    let layers = |m: &mut Metadata| m.policy.memory.as_mut().unwrap().layers = 1 << 40;
    refused(|_, m| layers(m), &["memory.layers", "out of range"]);
    refused(|_, m| m.policy.hidden = vec![1; 10_000], &["hidden", "10000 layers"]);
}

#[test]
fn numbers_that_are_not_finite_are_refused_by_name() {
    refused(|p, _| p.params[5] = f32::NAN, &["policy.safetensors", "actor.hidden.0.weight"]);
    let weigh = |m: &mut Metadata| m.rewards = [("won".to_owned(), 1e39)].into();
    refused(|_, m| weigh(m), &["rewards.won", "out of range"]);
    let normalizer = |p: &mut Policy, change: fn(&mut Normalizer)| {
        change(p.normalizer.as_mut().unwrap());
    };
    let parts = &["normalizer.json", "observation", "not finite"];
    refused(|p, _| normalizer(p, |n| n.mean[1] = 1e300), parts);
    refused(|p, _| normalizer(p, |n| (n.count, n.squares[1]) = (5.0, -1.0)), parts);
    refused(|p, _| normalizer(p, |n| n.count = -1.0), parts);
    let parts = &["normalizer.json", "privileged", "not finite"];
    refused(|p, _| p.privileged_normalizer.as_mut().unwrap().mean[0] = -1e39, parts);
}

#[test]
fn a_part_that_unpacks_to_more_than_it_should_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.zip");
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    archive.start_file(METADATA, stored).unwrap();
    archive.write_all(&vec![b' '; MOST_METADATA as usize + 1]).unwrap();
    std::fs::write(&path, archive.finish().unwrap().into_inner()).unwrap();
    let error = metadata(&path).unwrap_err().to_string();
    assert!(error.contains("metadata.json: it holds 4194305 bytes"), "{error}");
}
