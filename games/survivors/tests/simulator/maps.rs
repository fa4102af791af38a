//! The maps of our own: what must hold for every plan and every seed.

use lanista_survivors::maps::{self, Plan};
use lanista_survivors::nav::{GoalKind, Hint, Mesh, Terrain, Way, attributes};
use proptest::prelude::*;

fn terrain(mesh: &Mesh) -> Terrain {
    Terrain::new(mesh, &Hint::default()).expect("our own map compiles")
}

fn plan() -> impl Strategy<Value = Plan> {
    prop::sample::select(Plan::ALL.to_vec())
}

/// Two areas cover some of the same ground on one storey.
fn overlap(a: &[f32; 4], b: &[f32; 4]) -> bool {
    a[0].max(b[0]) < a[2].min(b[2]) && a[1].max(b[1]) < a[3].min(b[3])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_map_can_be_played(plan in plan(), seed in any::<u64>()) {
        let mesh = maps::generate(plan, seed);
        let bytes = mesh.write();
        prop_assert!(Mesh::read(&bytes).is_ok_and(|again| again == mesh));
        prop_assert!(maps::generate(plan, seed).write() == bytes, "same seed, other bytes");
        let terrain = terrain(&mesh);
        prop_assert!(terrain.notes().is_empty(), "{:?}", terrain.notes());
        let kind = if plan == Plan::Finale { GoalKind::RescueVehicle } else { GoalKind::SafeRoom };
        prop_assert_eq!(terrain.goal_kind(), kind);
        let begin = terrain.start_areas()[0];
        for area in 0..terrain.areas() as u16 {
            let [x, y, z] = terrain.center(area);
            prop_assert!(terrain.distance(begin, area).is_finite(), "nobody gets to {x} {y} {z}");
            prop_assert!(terrain.to_goal(area).is_finite(), "nobody gets away from {x} {y} {z}");
            prop_assert!(terrain.climbs(area).is_empty());
            let [left, top, right, bottom] = terrain.bounds(area);
            for side in [right - left, bottom - top] {
                prop_assert!((25.0..=100.0).contains(&side), "a side of {side}");
            }
            for link in terrain.links(area) {
                let back = terrain.links(link.to).iter().any(|back| back.to == area);
                let drop = link.way == Way::Drop;
                prop_assert!(back || drop, "{area} leads to {} and not back", link.to);
            }
            for other in 0..area {
                if overlap(&terrain.bounds(area), &terrain.bounds(other)) {
                    let rise = (z - terrain.center(other)[2]).abs();
                    prop_assert!(rise >= 60.0, "{area} and {other} lie {rise} apart");
                }
            }
        }
        for ladder in &mesh.ladders {
            let (foot, head) = (ladder.bottom_area, ladder.top_forward);
            prop_assert!(foot > 0 && head > 0 && foot != head);
            prop_assert!(mesh.areas[foot as usize - 1].ladders_up.contains(&ladder.id));
            prop_assert!(mesh.areas[head as usize - 1].ladders_down.contains(&ladder.id));
        }
    }

    #[test]
    fn whoever_walks_over_sees_over(plan in plan(), seed in any::<u64>()) {
        let mesh = maps::generate(plan, seed);
        let terrain = terrain(&mesh);
        let lists: Vec<Vec<bool>> = mesh.areas.iter().map(|area| {
            let mut row = vec![false; mesh.areas.len()];
            let parent = area.inherits.checked_sub(1).map(|at| &mesh.areas[at as usize]);
            prop_assert!(parent.is_none_or(|parent| parent.inherits == 0), "inherits twice");
            let inherited = parent.map_or(&[][..], |parent| &parent.visible);
            for seen in inherited.iter().chain(&area.visible) {
                row[seen.area as usize] = seen.attributes != 0;
            }
            Ok(row)
        }).collect::<Result<_, TestCaseError>>()?;
        for area in 0..terrain.areas() {
            prop_assert!(lists[area][area], "{area} does not see itself");
            for link in terrain.links(area as u16) {
                let seen = lists[area][usize::from(link.to)];
                prop_assert!(seen || link.way != Way::Walk, "{area} does not see {}", link.to);
            }
            for other in 0..area {
                prop_assert_eq!(lists[area][other], lists[other][area]);
            }
        }
    }
}

#[test]
fn streets_of_other_seeds_may_be_longer() {
    let flow = |name: &str| terrain(&maps::by_name(name).expect("ours")).flow_length();
    let lengths = ["street", "street:2", "street:3", "street:4", "street:5"].map(flow);
    for (shorter, longer) in [(0, 1), (1, 2), (2, 3)] {
        let more = lengths[longer] - lengths[shorter];
        assert!(
            (3000.0..5000.0).contains(&more),
            "two stretches more are {more} units: {lengths:?}"
        );
    }
    assert!((lengths[4] - lengths[0]).abs() < 600.0, "{lengths:?}");
}

#[test]
fn shipped_maps_have_the_size_of_their_kind() {
    for (name, areas, flow, ladders) in [
        ("corridor", 24..=90, 1800.0..=2300.0, 0..=0),
        ("apartment", 250..=400, 4100.0..=5000.0, 1..=4),
        ("street", 800..=1200, 5400.0..=6600.0, 4..=20),
        ("finale", 300..=900, 2700.0..=3400.0, 5..=20),
    ] {
        let mesh = maps::by_name(name).expect("one of ours");
        let terrain = terrain(&mesh);
        let sides = |area: u16| {
            let [left, top, right, bottom] = terrain.bounds(area);
            [right - left, bottom - top]
        };
        let mut all: Vec<f32> = (0..terrain.areas() as u16).flat_map(sides).collect();
        all.sort_by(f32::total_cmp);
        let drops = (0..terrain.areas() as u16)
            .flat_map(|area| terrain.links(area))
            .filter(|link| link.way == Way::Drop && link.rise < -57.0)
            .count();
        let full: usize = (0..terrain.areas() as u16)
            .map(|a| (0..terrain.areas() as u16).filter(|b| terrain.sees(a, *b)).count())
            .sum();
        println!(
            "{name}: {} areas, {} connections, {} ladders, {drops} drops, flow {:.0}, median side {}, \
             {} bytes, {} of {full} sights written, {} inherit",
            terrain.areas(),
            mesh.connections(),
            mesh.ladders.len(),
            terrain.flow_length(),
            all[all.len() / 2],
            mesh.write().len(),
            mesh.visible(),
            mesh.areas.iter().filter(|area| area.inherits != 0).count()
        );
        assert!(areas.contains(&terrain.areas()), "{name}: {} areas", terrain.areas());
        assert!(flow.contains(&terrain.flow_length()), "{name}: flow {}", terrain.flow_length());
        assert!(ladders.contains(&mesh.ladders.len()), "{name}: {} ladders", mesh.ladders.len());
        assert_eq!(drops == 0, name == "corridor", "{name}: {drops} drops");
        assert!(mesh.visible() < full, "{name}: inheritance saves nothing");
        let marked = |bits: u32| mesh.areas.iter().any(|area| area.spawn & bits != 0);
        for bits in [attributes::CHECKPOINT, attributes::PLAYER_START, attributes::RESCUE_CLOSET] {
            assert!(marked(bits), "{name} has no {:?}", attributes::names(bits));
        }
        let spots: usize = mesh.areas.iter().map(|area| area.hiding_spots.len()).sum();
        assert!(spots * 8 > terrain.areas(), "{name}: {spots} hiding spots");
        let wanted = attributes::FINALE | attributes::RESCUE_VEHICLE;
        assert_eq!(marked(wanted), name == "finale");
    }
}

#[test]
fn names_are_plans() {
    assert_eq!(Plan::ALL.map(Plan::name), maps::NAMES);
    assert!(maps::by_name("hotel").is_none());
}
