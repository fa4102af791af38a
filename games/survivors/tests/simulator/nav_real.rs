//! Real meshes, where they are at hand: counts, round trip, flow and sight against measured figures.

use std::path::{Path, PathBuf};

use lanista_survivors::nav::{
    Area, DEADLY_DROP_UNITS, Encounter, GoalKind, HidingSpot, Hint, Ladder, Mesh, Report, Terrain,
    Visible, Way,
};

fn real(name: &str) -> Option<Vec<u8>> {
    let path = folder().join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            println!("skipped: {} is not at hand", path.display());
            None
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/survivors")
}

fn terrain(bytes: &[u8], hint: &Hint) -> Terrain {
    Terrain::new(&Mesh::read(bytes).expect("a real mesh is read"), hint).expect("and compiled")
}

#[test]
fn every_real_mesh_is_written_as_it_was_read() {
    let Ok(files) = std::fs::read_dir(folder()) else {
        println!("skipped: {} is not at hand", folder().display());
        return;
    };
    let mut seen = 0;
    for file in files {
        let path = file.expect("the directory is readable").path();
        if path.extension().is_none_or(|ending| ending != "nav") {
            continue;
        }
        let bytes = std::fs::read(&path).expect("the file is readable");
        let mesh = Mesh::read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(mesh.write() == bytes, "{} changed", path.display());
        assert!(mesh.tail.is_empty(), "{} has bytes that nobody knows", path.display());
        seen += 1;
    }
    println!("{seen} real meshes");
}

/// areas, connections, ladders, entries of visibility, inheriting: facts/survivors.md §2.
#[test]
fn counts_are_those_that_were_measured() {
    for (name, counts) in [
        ("c1m1_hotel.nav", [1075, 3420, 0, 27_138, 713]),
        ("c8m5_rooftop.nav", [1064, 3839, 16, 127_295, 364]),
        ("c5m4_quarter.nav", [3255, 11_409, 64, 369_391, 1287]),
    ] {
        let Some(bytes) = real(name) else { continue };
        let mesh = Mesh::read(&bytes).expect("a real mesh is read");
        let inheriting = mesh.areas.iter().filter(|area| area.inherits != 0).count();
        let found =
            [mesh.areas.len(), mesh.connections(), mesh.ladders.len(), mesh.visible(), inheriting];
        assert_eq!(found, counts, "{name}");
    }
}

#[test]
fn the_marked_length_is_what_was_measured() {
    // Figures of facts/survivors.md §2, which are rounded.
    for (name, flow, kind) in [
        ("c1m1_hotel.nav", 4715.0, GoalKind::SafeRoom),
        ("c8m5_rooftop.nav", 5294.0, GoalKind::RescueVehicle),
    ] {
        let Some(bytes) = real(name) else { continue };
        let report = Report::read(&bytes, &Hint::default()).expect("a real mesh is read");
        let length = report.flow.expect("there is a way");
        assert!((length - flow).abs() < 1.0, "{name} {length}");
        let terrain = terrain(&bytes, &Hint::default());
        assert_eq!(terrain.goal_kind(), kind, "{name}");
        assert!(terrain.notes().is_empty(), "{name} {:?}", terrain.notes());
        assert!(terrain.goal_is_open());
        for area in 0..terrain.areas() as u16 {
            assert!((0.0..=terrain.flow_length()).contains(&terrain.flow(area)));
        }
    }
}

#[test]
fn survivors_leave_the_hotel_by_the_lift_and_not_by_the_window() {
    let Some(bytes) = real("c1m1_hotel.nav") else { return };
    let terrain = terrain(&bytes, &Hint::default());
    assert_eq!((terrain.ladders().len(), terrain.lifts().len()), (1, 1));
    let lift = terrain.lifts()[0];
    assert!((lift.length - 1277.0).abs() < 2.0, "{}", lift.length);
    let mut at = terrain.start_areas()[0];
    let (mut by_lift, mut walked) = (0, 0.0);
    while let Some(link) = terrain.toward_goal(at) {
        let link = terrain.links(at)[link];
        by_lift += usize::from(link.way == Way::Ladder(0));
        assert!(link.rise > -DEADLY_DROP_UNITS || link.way == Way::Ladder(0));
        walked += link.cost;
        at = link.to;
    }
    assert!(terrain.in_goal(at));
    assert_eq!(by_lift, 1);
    println!("{walked} units by lift, flow {}", terrain.flow_length());
}

#[test]
fn a_quarter_with_three_safe_rooms_begins_where_the_recording_does() {
    let Some(bytes) = real("c5m4_quarter.nav") else { return };
    // The recording of this map begins at (-3068, 4927, 68).
    let guessed = terrain(&bytes, &Hint::default());
    assert!(guessed.in_start(guessed.nearest([-3068.0, 4927.0, 68.0])));
    assert!(guessed.notes()[0].contains("3 safe rooms"), "{:?}", guessed.notes());
    let hint = Hint { start: Some([-3068.0, 4927.0, 68.0]), goal: Some([1472.0, -3518.0, 64.0]) };
    let told = terrain(&bytes, &hint);
    assert!(told.notes().is_empty(), "{:?}", told.notes());
    assert!(told.in_start(told.nearest([-3217.0, 4889.0, 68.0])));
    assert!(told.in_goal(told.nearest([1472.0, -3518.0, 64.0])));
    assert!((15_000.0..20_000.0).contains(&told.flow_length()), "{}", told.flow_length());
}

#[test]
fn real_sight_is_symmetric_and_keeps_its_lists() {
    let Some(bytes) = real("c8m5_rooftop.nav") else { return };
    let mesh = Mesh::read(&bytes).expect("a real mesh is read");
    let terrain = terrain(&bytes, &Hint::default());
    let mut pairs = 0;
    for a in 0..terrain.areas() as u16 {
        for b in 0..terrain.areas() as u16 {
            assert_eq!(terrain.sees(a, b), terrain.sees(b, a));
            pairs += usize::from(terrain.sees(a, b));
        }
        for seen in &mesh.areas[usize::from(a)].visible {
            assert!(seen.attributes == 0 || terrain.sees(a, seen.area as u16));
        }
    }
    // 145,228 after inheritance, counted apart, all of them both ways; the rest are steps to a neighbour.
    assert!((145_228..147_000).contains(&pairs), "{pairs}");
}

/// Bytes that a mesh keeps on the heap, with what was reserved and not used.
fn held(mesh: &Mesh) -> usize {
    let area = |area: &Area| {
        area.connections.iter().map(Vec::capacity).sum::<usize>() * size_of::<u32>()
            + area.hiding_spots.capacity() * size_of::<HidingSpot>()
            + area.encounters.capacity() * size_of::<Encounter>()
            + area.encounters.iter().map(|way| way.spots.capacity() * 8).sum::<usize>()
            + (area.ladders_up.capacity() + area.ladders_down.capacity()) * size_of::<u32>()
            + area.visible.capacity() * size_of::<Visible>()
    };
    mesh.areas.capacity() * size_of::<Area>()
        + mesh.areas.iter().map(area).sum::<usize>()
        + mesh.ladders.capacity() * size_of::<Ladder>()
        + mesh.tail.capacity()
}

#[test]
fn damaged_real_meshes_are_refused_or_kept_but_never_fatal() {
    let Some(bytes) = real("c8m5_rooftop.nav") else { return };
    // A plain generator: the test must do the same every time.
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut compiled = 0;
    for round in 0..400 {
        let mut damaged = bytes.clone();
        match round % 3 {
            0 => damaged.truncate(next(bytes.len())),
            _ => {
                for _ in 0..=next(20) {
                    let at = next(damaged.len());
                    damaged[at] = next(256) as u8;
                }
            }
        }
        match Mesh::read(&damaged) {
            Err(error) => assert!(error.to_string().contains("byte"), "{error}"),
            Ok(mesh) => {
                assert!(mesh.write() == damaged);
                assert!(held(&mesh) < 8 * damaged.len() + 4096, "{} bytes", held(&mesh));
                if compiled < 12 {
                    compiled += 1;
                    let _ = Terrain::new(&mesh, &Hint::default());
                }
            }
        }
    }
    assert!(compiled > 0, "every change was refused");
}

/// Run by hand, with `--ignored --nocapture`: how long things take here.
#[test]
#[ignore = "a measurement, not a test"]
fn timings() {
    use std::hint::black_box;
    use std::time::Instant;
    for name in lanista_survivors::maps::NAMES {
        let begin = Instant::now();
        let mesh = lanista_survivors::maps::by_name(name).expect("one of ours");
        let made = begin.elapsed();
        let begin = Instant::now();
        let terrain = Terrain::new(&mesh, &Hint::default()).expect("compiled");
        println!("{name}: made {made:?}, compile {:?}, {terrain:?}", begin.elapsed());
    }
    for name in ["c1m1_hotel.nav", "c8m5_rooftop.nav", "c5m4_quarter.nav"] {
        let Some(bytes) = real(name) else { continue };
        let begin = Instant::now();
        let mesh = Mesh::read(&bytes).expect("a real mesh is read");
        let read = begin.elapsed();
        let begin = Instant::now();
        let terrain = Terrain::new(&mesh, &Hint::default()).expect("compiled");
        println!(
            "{name}: read {read:?}, compile {:?}, ways {} bytes",
            begin.elapsed(),
            terrain.way_bytes()
        );
        let areas = terrain.areas() as u16;
        let begin = Instant::now();
        (0..areas).for_each(|to| {
            black_box(terrain.distance(0, to));
        });
        println!("  all rows asked: {:?}, ways {} bytes", begin.elapsed(), terrain.way_bytes());
        let points: Vec<[f32; 3]> = (0..100_000_u32)
            .map(|n| {
                let [x, y, z] = terrain.center((n.wrapping_mul(2_654_435_761) >> 8) as u16 % areas);
                [x + (n % 37) as f32, y - (n % 23) as f32, z]
            })
            .collect();
        let per = |what: &str, call: &mut dyn FnMut([f32; 3], u16, u16)| {
            let begin = Instant::now();
            for round in 0..10_u32 {
                for (n, p) in points.iter().enumerate() {
                    let n = n as u32 + round;
                    let a = (n.wrapping_mul(2_654_435_761) >> 8) as u16 % areas;
                    call(*p, a, (a / 2).wrapping_add(n as u16 % 8) % areas);
                }
            }
            println!("  {what}: {:.1} ns", begin.elapsed().as_nanos() as f64 / 1e6);
        };
        per("nothing", &mut |_, a, b| {
            black_box((a, b));
        });
        per("area_under", &mut |p, _, _| {
            black_box(terrain.area_under(p));
        });
        per("nearest", &mut |p, _, _| {
            black_box(terrain.nearest(p));
        });
        per("contains", &mut |p, a, _| {
            black_box(terrain.contains(a, p[0], p[1]));
        });
        per("height", &mut |p, a, _| {
            black_box(terrain.height(a, p[0], p[1]));
        });
        per("distance", &mut |_, a, b| {
            black_box(terrain.distance(a, b));
        });
        per("toward", &mut |_, a, b| {
            black_box(terrain.toward(a, b));
        });
        per("sees", &mut |_, a, b| {
            black_box(terrain.sees(a, b));
        });
    }
}
