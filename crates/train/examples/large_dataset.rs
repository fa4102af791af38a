//! How much memory a dataset takes that is larger than memory should have to be:
//!
//!     cargo run --release -p lanista-train --example large_dataset -- DIR [GIGABYTES]
//!
//! Writes noise, which does not compress, as decisions of 500 numbers each, reads all of it twice in the windows of an
//! epoch, and prints what the process held at most.

use std::path::Path;
use std::time::Instant;

use lanista_game::{Episode, Head, Role, Seat, Spec, seed};
use lanista_train::dataset::{About, Corpus, Dataset, Split, Writer};

const FEATURES: usize = 500;
const DECISIONS: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let place = args.next().ok_or("name a directory for the dataset")?;
    let gigabytes: f64 = args.next().map_or(Ok(5.0), |text| text.parse())?;
    let role = Role {
        observation: vec![lanista_game::Group::features(
            (0..FEATURES).map(|i| format!("f{i}")).collect::<Vec<_>>(),
        )],
        heads: vec![Head::new("a", ["x", "y"])],
        ..Role::default()
    };
    let spec = Spec {
        name: "noise".into(),
        roles: vec![role],
        seats: vec![Seat::of(0)],
        ..Spec::default()
    };
    let about = About {
        game: "noise".into(),
        settings: serde_json::Value::Null,
        spec,
        lanista: env!("CARGO_PKG_VERSION").into(),
        origin: "noise".into(),
    };
    let began = Instant::now();
    let mut writer = Writer::create(Path::new(&place), about)?;
    let episodes = (gigabytes * 1e9 / (4 * FEATURES * DECISIONS) as f64).ceil() as u64;
    for number in 0..episodes {
        let noise =
            |i: usize| f32::from_bits(0x3f80_0000 | seed::mix(number, i as u64) as u32 >> 9);
        let episode = Episode {
            player: "nobody".into(),
            source: format!("episode {number}"),
            steps: (0..DECISIONS as u32).collect(),
            observation: (0..FEATURES * DECISIONS).map(noise).collect(),
            mask: vec![true; 2 * DECISIONS],
            actions: (0..DECISIONS).map(|i| (i % 2) as u32).collect(),
            ..Episode::default()
        };
        writer.push(&episode, Split::Train)?;
    }
    let written = writer.finish()?;
    println!("{} decisions written in {:.0} s", written.decisions, began.elapsed().as_secs_f64());
    let dataset = Dataset::open(Path::new(&place))?;
    let bytes: u64 = dataset.index.shards.iter().map(|shard| shard.bytes).sum();
    let corpus = Corpus::new(vec![dataset]);
    for epoch in 0..2 {
        let began = Instant::now();
        let order = corpus.shuffled(Split::Train, epoch);
        let mut decisions = 0;
        for window in Corpus::windows(&order, 64 << 20) {
            let read: Result<Vec<_>, _> = window.iter().map(|place| corpus.read(place)).collect();
            decisions += read?.iter().flatten().map(Episode::len).sum::<usize>();
        }
        let seconds = began.elapsed().as_secs_f64();
        let speed = bytes as f64 / 1e6 / seconds;
        println!("epoch {epoch}: {decisions} decisions, {speed:.0} MB on disk a second");
    }
    println!("{:.2} GB on disk; at most {} held", bytes as f64 / 1e9, held());
    Ok(())
}

/// The most memory that the process has held, where the system tells.
fn held() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.map_or("?".into(), |line| line.trim_start_matches("VmHWM:").trim().to_owned())
}
