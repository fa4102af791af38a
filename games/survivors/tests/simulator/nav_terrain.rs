//! What a terrain answers, against the slow and obvious way to find it, on small meshes of all kinds.

use std::collections::BTreeMap;

use lanista_survivors::nav::{
    Area, AreaIndex, DEADLY_DROP_UNITS, GoalKind, Hint, JUMP_UNITS, Ladder, Mesh, NavError, Point,
    STEP_UNITS, Terrain, Visible, Way, attributes,
};
use proptest::prelude::*;

/// A rectangle anywhere, now and then without size, with its corners now and then the wrong way round.
fn area() -> impl Strategy<Value = Area> {
    let corner = || (-6..6_i32, -6..6_i32).prop_map(|(x, y)| [x as f32 * 40.0, y as f32 * 40.0]);
    let sides = (0..4_i32, 0..4_i32).prop_map(|(x, y)| [x as f32 * 40.0, y as f32 * 40.0]);
    let heights = prop::array::uniform4((0..8_i32).prop_map(|z| z as f32 * 15.0));
    let spawn = prop::sample::select(vec![
        0,
        0,
        0,
        attributes::CHECKPOINT,
        attributes::PLAYER_START,
        attributes::RESCUE_VEHICLE,
        attributes::FINALE,
    ]);
    let flags = prop::sample::select(vec![0, 0, 0, attributes::ELEVATOR, attributes::PLAYERCLIP]);
    let marks = (spawn, flags);
    (corner(), sides, heights, marks, 0..10_u32).prop_map(|([x, y], [w, h], z, marks, odd)| {
        let mut area = Area::plain(0, [x, y, z[0]], [x + w, y + h, z[3]]);
        (area.ne_z, area.sw_z) = (z[1], z[2]);
        (area.spawn, area.flags) = marks;
        if odd == 0 {
            std::mem::swap(&mut area.nw, &mut area.se);
        }
        area
    })
}

/// Areas with connections, ladders and lists that name each other, nobody, or themselves.
fn mesh() -> impl Strategy<Value = Mesh> {
    let joins = prop::collection::vec((0..14_u32, 0..4_usize, 0..16_u32), 0..40);
    let seen = prop::collection::vec((0..14_u32, 0..16_u32, 0..4_u8), 0..30);
    let parents = prop::collection::vec((0..14_u32, 0..16_u32), 0..6);
    let ladders = prop::collection::vec((0..16_u32, 0..16_u32, 0..16_u32), 0..4);
    let areas = prop::collection::vec(area(), 1..14);
    (areas, joins, seen, parents, ladders, any::<bool>()).prop_map(
        |(areas, joins, seen, parents, ladders, twin)| {
            let mut mesh = Mesh::empty();
            mesh.areas = areas;
            let count = mesh.areas.len();
            for (index, area) in mesh.areas.iter_mut().enumerate() {
                area.id = index as u32 + 1;
            }
            if twin {
                mesh.areas[count - 1].id = 1;
            }
            for (from, side, to) in joins {
                mesh.areas[from as usize % count].connections[side].push(to);
            }
            for (from, area, attributes) in seen {
                mesh.areas[from as usize % count].visible.push(Visible { area, attributes });
            }
            for (child, parent) in parents {
                mesh.areas[child as usize % count].inherits = parent;
            }
            for (id, (bottom_area, top_forward, top_behind)) in ladders.into_iter().enumerate() {
                mesh.ladders.push(Ladder {
                    id: id as u32,
                    width: 32.0,
                    top: [10.0, 10.0, 200.0],
                    bottom: [10.0, 10.0, 0.0],
                    length: 200.0,
                    direction: 0,
                    top_forward,
                    top_left: 0,
                    top_right: 0,
                    top_behind,
                    bottom_area,
                });
            }
            mesh
        },
    )
}

fn compile(mesh: &Mesh) -> Terrain {
    Terrain::new(mesh, &Hint::default()).expect("a strange mesh is still a mesh")
}

fn indices(terrain: &Terrain) -> impl Iterator<Item = AreaIndex> + use<> {
    0..terrain.areas() as AreaIndex
}

/// Floyd and Warshall's search over all links.
fn all_distances(terrain: &Terrain) -> Vec<Vec<f32>> {
    let areas = terrain.areas();
    let mut table = vec![vec![f32::INFINITY; areas]; areas];
    for from in indices(terrain) {
        table[usize::from(from)][usize::from(from)] = 0.0;
        for link in terrain.links(from) {
            let cell = &mut table[usize::from(from)][usize::from(link.to)];
            *cell = cell.min(link.cost);
        }
    }
    for by in 0..areas {
        for from in 0..areas {
            for to in 0..areas {
                table[from][to] = table[from][to].min(table[from][by] + table[by][to]);
            }
        }
    }
    table
}

fn near(a: f32, b: f32) -> bool {
    a == b || (a - b).abs() < 0.05
}

fn squared_distance(terrain: &Terrain, area: AreaIndex, [x, y, z]: Point) -> f32 {
    let [min_x, min_y, max_x, max_y] = terrain.bounds(area);
    let (near_x, near_y) = (x.clamp(min_x, max_x), y.clamp(min_y, max_y));
    let dz = z - terrain.height(area, near_x, near_y);
    (x - near_x).powi(2) + (y - near_y).powi(2) + dz * dz
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn ways_are_the_shortest(mesh in mesh()) {
        let terrain = compile(&mesh);
        let table = all_distances(&terrain);
        for from in indices(&terrain) {
            for to in indices(&terrain) {
                let expected = table[usize::from(from)][usize::from(to)];
                let found = terrain.distance(from, to);
                prop_assert!(near(found, expected), "{from} to {to}: {found}, not {expected}");
                let path = terrain.path(from, to);
                prop_assert_eq!(path.is_some(), expected.is_finite());
                let Some(path) = path else {
                    prop_assert_eq!(terrain.toward(from, to), None);
                    continue;
                };
                let mut walked = 0.0;
                for step in path.windows(2) {
                    let link = terrain.toward(step[0], to).expect("a path has links");
                    let link = terrain.links(step[0])[link];
                    prop_assert_eq!(link.to, step[1]);
                    walked += link.cost;
                }
                prop_assert!(near(walked, expected));
            }
        }
    }

    #[test]
    fn flow_and_goal_agree_with_the_table(mesh in mesh()) {
        let terrain = compile(&mesh);
        let table = all_distances(&terrain);
        prop_assert!(!terrain.start_areas().is_empty() && !terrain.goal_areas().is_empty());
        for area in indices(&terrain) {
            let least = |pairs: &mut dyn Iterator<Item = (AreaIndex, AreaIndex)>| {
                pairs.map(|(a, b)| table[usize::from(a)][usize::from(b)]).fold(f32::INFINITY, f32::min)
            };
            let away = least(&mut terrain.start_areas().iter().map(|start| (*start, area)));
            let left = least(&mut terrain.goal_areas().iter().map(|goal| (area, *goal)));
            prop_assert!((0.0..=terrain.flow_length()).contains(&terrain.flow(area)));
            if away.is_finite() {
                prop_assert!(near(terrain.flow(area), away.min(terrain.flow_length())));
            }
            prop_assert!(near(terrain.to_goal(area), left));
            let next = terrain.toward_goal(area);
            prop_assert_eq!(next.is_some(), left.is_finite() && !terrain.in_goal(area));
            if let Some(next) = next {
                let link = terrain.links(area)[next];
                prop_assert!(near(terrain.to_goal(link.to) + link.cost, left));
            }
        }
    }

    #[test]
    fn what_is_under_a_point_is_what_a_scan_finds(
        mesh in mesh(),
        points in prop::collection::vec((-300..300_i32, -300..300_i32, -50..200_i32), 30),
    ) {
        let terrain = compile(&mesh);
        for (x, y, z) in points {
            // Many fall on edges, where two areas have the point.
            let p = [(x / 20 * 20) as f32, (y / 20 * 20) as f32, z as f32];
            let mut under: Option<(f32, AreaIndex)> = None;
            let mut nearest = (f32::INFINITY, 0);
            for area in indices(&terrain) {
                let height = terrain.height(area, p[0], p[1]);
                let stands = terrain.contains(area, p[0], p[1]) && height <= p[2] + STEP_UNITS;
                if stands && under.is_none_or(|(most, _)| height > most) {
                    under = Some((height, area));
                }
                let squared = squared_distance(&terrain, area, p);
                if squared < nearest.0 {
                    nearest = (squared, area);
                }
            }
            prop_assert_eq!(terrain.area_under(p), under.map(|(_, area)| area));
            prop_assert_eq!(terrain.nearest(p), nearest.1);
            let far = [p[0] * 1e4, p[1] * 1e4, p[2]];
            prop_assert!(usize::from(terrain.nearest(far)) < terrain.areas());
        }
        prop_assert_eq!(terrain.area_under([f32::NAN; 3]), None);
        prop_assert!(usize::from(terrain.nearest([f32::NAN; 3])) < terrain.areas());
    }

    #[test]
    fn links_begin_and_end_on_the_ground(mesh in mesh()) {
        let terrain = compile(&mesh);
        for area in indices(&terrain) {
            for link in terrain.links(area) {
                let ([x, y, z], [to_x, to_y, to_z]) = (link.from_point, link.to_point);
                prop_assert!(terrain.contains(area, x, y) && terrain.contains(link.to, to_x, to_y));
                prop_assert!(near(terrain.height(area, x, y), z));
                prop_assert!(near(terrain.height(link.to, to_x, to_y), to_z));
                prop_assert!(near(link.rise, to_z - z));
                prop_assert!(link.cost >= 1.0);
                let fits = match link.way {
                    Way::Walk => link.rise.abs() <= STEP_UNITS,
                    Way::Jump => link.rise > STEP_UNITS && link.rise <= JUMP_UNITS,
                    Way::Drop => (-DEADLY_DROP_UNITS..-STEP_UNITS).contains(&link.rise),
                    Way::Ladder(number) => usize::from(number) < terrain.ladders().len(),
                };
                prop_assert!(fits, "{link:?}");
            }
            for climb in terrain.climbs(area) {
                let barred = terrain.flags(climb.to) & attributes::PLAYERCLIP != 0;
                let high = !(-DEADLY_DROP_UNITS..=JUMP_UNITS).contains(&climb.rise);
                prop_assert!(barred || high, "{climb:?}");
            }
        }
    }

    #[test]
    fn sight_is_what_the_lists_say(mesh in mesh()) {
        let terrain = compile(&mesh);
        let mut by_id = BTreeMap::new();
        for (index, area) in mesh.areas.iter().enumerate() {
            by_id.entry(area.id).or_insert(index);
        }
        let listed = |from: AreaIndex, to: AreaIndex| {
            let area = &mesh.areas[usize::from(from)];
            let parent = by_id.get(&area.inherits).filter(|_| area.inherits != 0);
            let inherited = parent.map_or(&[][..], |parent| &mesh.areas[*parent].visible);
            let all = inherited.iter().chain(&area.visible);
            let last = all.rev().find(|seen| seen.area == u32::from(to));
            let walked = terrain.links(from).iter().any(|l| l.to == to && l.way == Way::Walk);
            walked || last.is_some_and(|seen| seen.attributes != 0)
        };
        for a in indices(&terrain) {
            for b in indices(&terrain) {
                prop_assert_eq!(terrain.sees(a, b), a == b || listed(a, b) || listed(b, a));
            }
        }
    }

    #[test]
    fn within_is_a_ball_of_centres(mesh in mesh(), units in 0.0..400.0_f32) {
        let terrain = compile(&mesh);
        for area in indices(&terrain) {
            let [x, y, z] = terrain.center(area);
            let expected: Vec<AreaIndex> = indices(&terrain)
                .filter(|other| {
                    let [ox, oy, oz] = terrain.center(*other);
                    ((x - ox).powi(2) + (y - oy).powi(2) + (z - oz).powi(2)).sqrt() <= units
                })
                .collect();
            prop_assert!(terrain.within(area, units).eq(expected));
        }
    }
}

/// A row of flat areas, 100 units long, joined both ways.
fn row(areas: usize) -> Mesh {
    row_of(areas, 100.0)
}

fn row_of(areas: usize, units: f32) -> Mesh {
    let mut mesh = Mesh::empty();
    for index in 0..areas {
        let x = index as f32 * units;
        let mut area = Area::plain(index as u32 + 1, [x, 0.0, 0.0], [x + units, 100.0, 0.0]);
        if index + 1 < areas {
            area.connections[1].push(index as u32 + 2);
        }
        if index > 0 {
            area.connections[3].push(index as u32);
        }
        mesh.areas.push(area);
    }
    mesh
}

#[test]
fn marks_decide_the_ends() {
    let mut mesh = row(10);
    mesh.areas[9].spawn = attributes::CHECKPOINT | attributes::PLAYER_START;
    mesh.areas[0].spawn = attributes::CHECKPOINT;
    let terrain = compile(&mesh);
    assert_eq!((terrain.start_areas(), terrain.goal_areas()), (&[9][..], &[0][..]));
    assert_eq!((terrain.goal_kind(), terrain.flow_length()), (GoalKind::SafeRoom, 900.0));
    assert!(terrain.notes().is_empty());
    assert!(terrain.in_start(9) && terrain.in_goal(0) && !terrain.in_goal(5));
    assert_eq!(terrain.portal(4, 5), Some([500.0, 0.0, 500.0, 100.0]));
    assert_eq!(terrain.portal(4, 6), None);

    mesh.areas[5].spawn = attributes::RESCUE_VEHICLE;
    let terrain = compile(&mesh);
    assert_eq!((terrain.start_areas(), terrain.goal_areas()), (&[9][..], &[5][..]));
    assert_eq!(terrain.goal_kind(), GoalKind::RescueVehicle);
}

#[test]
fn a_guess_is_said_and_a_hint_settles_it() {
    let mut mesh = row(10);
    for area in [0, 4, 9] {
        mesh.areas[area].spawn = attributes::CHECKPOINT;
    }
    let terrain = compile(&mesh);
    assert_eq!((terrain.start_areas(), terrain.goal_areas()), (&[0][..], &[9][..]));
    assert!(terrain.notes()[0].contains("start: [x, y, z]"), "{:?}", terrain.notes());

    let hint = Hint { start: Some([950.0, 50.0, 10.0]), goal: Some([450.0, 20.0, 0.0]) };
    let terrain = Terrain::new(&mesh, &hint).expect("a good mesh");
    assert_eq!((terrain.start_areas(), terrain.goal_areas()), (&[9][..], &[4][..]));
    assert!(terrain.notes().is_empty());
}

#[test]
fn a_drop_leads_one_way() {
    let mut mesh = row(3);
    for (area, z) in [(0, 200.0), (1, 100.0), (2, 140.0)] {
        let one = &mut mesh.areas[area];
        (one.nw[2], one.se[2], one.ne_z, one.sw_z) = (z, z, z, z);
    }
    let terrain = compile(&mesh);
    assert_eq!(terrain.links(0)[0].way, Way::Drop);
    assert_eq!(terrain.links(1)[0].way, Way::Jump);
    assert_eq!(terrain.links(1).len(), 1);
    assert_eq!((terrain.climbs(1)[0].to, terrain.climbs(1)[0].rise), (0, 100.0));
    assert!(terrain.distance(0, 2).is_finite() && terrain.distance(2, 0).is_infinite());
}

#[test]
fn survivors_keep_out_of_what_is_marked_unless_there_is_no_other_way() {
    let mut mesh = row(4);
    mesh.areas[0].spawn = attributes::CHECKPOINT | attributes::PLAYER_START;
    mesh.areas[2].spawn = attributes::CHECKPOINT;
    mesh.areas[3].flags = attributes::PLAYERCLIP;
    let terrain = compile(&mesh);
    assert!(terrain.links(2).iter().all(|link| link.to != 3));
    assert_eq!((terrain.climbs(2)[0].to, terrain.climbs(2)[0].way), (3, Way::Walk));
    assert!(terrain.distance(3, 0).is_finite(), "infected come out of it");
    assert!(terrain.notes().is_empty());

    mesh.areas[1].flags = attributes::PLAYERCLIP;
    let terrain = compile(&mesh);
    assert!(terrain.goal_is_open());
    assert!(terrain.notes()[0].contains("keep survivors out"), "{:?}", terrain.notes());
}

#[test]
fn large_maps_answer_as_small_ones_do() {
    // More areas than have their rows made at once.
    let terrain = compile(&row_of(3000, 16.0));
    assert!(terrain.way_bytes() < 1_000_000);
    assert_eq!(terrain.distance(10, 2010), 32_000.0);
    assert_eq!(terrain.path(2999, 0).map(|path| path.len()), Some(3000));
    assert!(terrain.sees(100, 101) && !terrain.sees(100, 102));
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| (0..50).map(|to| terrain.distance(40, to * 50)).sum::<f32>()))
            .collect();
        let sums: Vec<f32> = handles.into_iter().map(|h| h.join().expect("no panic")).collect();
        assert!(sums.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits()));
    });
}

#[test]
fn more_areas_than_the_matrix_has_are_seen_by_their_lists() {
    let mut mesh = row_of(16_500, 5.0);
    mesh.areas[7].visible = vec![Visible { area: 16_000, attributes: 1 }];
    mesh.areas[9].inherits = 8;
    mesh.areas[9].visible = vec![Visible { area: 16_001, attributes: 0 }];
    mesh.areas[11].inherits = 8;
    let terrain = compile(&mesh);
    for (a, b, seen) in
        [(7, 16_000, true), (16_000, 7, true), (9, 16_000, true), (9, 16_001, false), (3, 3, true)]
    {
        assert_eq!(terrain.sees(a, b), seen, "{a} {b}");
    }
    assert!(terrain.sees(500, 501) && !terrain.sees(500, 502));
}

#[test]
fn what_is_no_ground_is_refused_by_name() {
    assert_eq!(Terrain::new(&Mesh::empty(), &Hint::default()).err(), Some(NavError::NoAreas));
    let mut mesh = row(2);
    mesh.areas[1].ne_z = f32::NAN;
    let said = Terrain::new(&mesh, &Hint::default()).expect_err("NaN is no height").to_string();
    assert!(said.contains("area 1 (id 2)"), "{said}");
    let mut mesh = row(300);
    mesh.areas[0].connections[0] = (2..=300).collect();
    let said = Terrain::new(&mesh, &Hint::default()).expect_err("too many links").to_string();
    assert!(said.contains("area 0 (id 1) has 299 ways out"), "{said}");
    let mut mesh = Mesh::empty();
    mesh.areas = vec![Area::plain(1, [0.0; 3], [1.0; 3]); 65_535];
    let refused = Terrain::new(&mesh, &Hint::default()).err();
    assert!(matches!(refused, Some(NavError::TooManyAreas { areas: 65_535, most: 65_534 })));
}
