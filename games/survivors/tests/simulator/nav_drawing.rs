//! Drawings and reports of real maps and ours, written where `LANISTA_DRAWINGS` says, to be looked at.

use std::path::Path;

use lanista_survivors::maps;
use lanista_survivors::nav::{Hint, Mesh, Report, Terrain, svg};

#[test]
fn maps_are_drawn_and_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/survivors");
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for name in maps::NAMES {
        files.push((name.to_string(), maps::by_name(name).expect("one of ours").write()));
    }
    for name in ["c1m1_hotel", "c8m5_rooftop", "c5m4_quarter"] {
        match std::fs::read(folder.join(name).with_extension("nav")) {
            Ok(bytes) => files.push((name.to_string(), bytes)),
            Err(_) => println!("skipped: {name}.nav is not at hand"),
        }
    }
    for (name, bytes) in files {
        let report = Report::read(&bytes, &Hint::default()).expect("a good file");
        assert!(report.roundtrip, "{name}");
        if name == "c1m1_hotel" {
            // facts/survivors.md §2.
            assert_eq!((report.one_way, report.inheriting), (94, 713));
        }
        let mesh = Mesh::read(&bytes).expect("a good file");
        let terrain = Terrain::new(&mesh, &Hint::default()).expect("it compiles");
        let drawn = svg(&terrain, &name);
        assert!(drawn.len() > 60 * report.areas, "{name} is empty");
        if let Some(out) = std::env::var_os("LANISTA_DRAWINGS") {
            println!("{name}\n{report}{}\n", report.to_json());
            std::fs::write(Path::new(&out).join(format!("{name}.svg")), drawn).expect("writable");
        }
    }
}
