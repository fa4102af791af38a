//! Loadouts without recorded fights; those are in `tests/fights/starts.rs`.

use super::*;
use crate::gear::SLOTS;

#[test]
fn builds_are_named_as_in_the_contract() {
    for build in Build::ALL {
        let json = serde_json::to_string(&build).unwrap();
        assert_eq!(json, format!("\"{}\"", build.name()));
        assert_eq!(serde_json::from_str::<Build>(&json).unwrap(), build);
        assert_eq!(Loadout::of(build).build, build);
    }
    assert!(serde_json::from_str::<Build>("\"pure\"").is_err());
}

#[test]
fn the_tank_set_takes_the_better_weapon() {
    let weapon = |build| Loadout::of(build).tank.in_slot(Slot::Weapon).unwrap().item().name;
    for build in [Build::Pure, Build::Zerker, Build::Med, Build::Maxed] {
        assert_eq!(weapon(build), "Zaryte crossbow");
    }
    assert_eq!(weapon(Build::LmsPure), "Ancient staff");
    assert_eq!(weapon(Build::LmsZerker), "Ahrim's staff");
    assert_eq!(weapon(Build::LmsMed), "Ahrim's staff");
    for build in Build::ALL {
        let Loadout { tank, ranged, .. } = Loadout::of(build);
        assert_eq!(tank.len(), ranged.len());
        assert!(tank.iter().zip(ranged.iter()).filter(|(a, b)| a != b).count() <= 1);
    }
}

#[test]
fn every_draw_fits() {
    let mut lunar = 0;
    let mut without_mage = 0;
    for build in Build::ALL {
        let base = Loadout::of(build);
        for seed in 0..20_000 {
            let loadout = Loadout::randomized_from(build, &mut Random::new(seed));
            let Loadout { mage, ranged, melee, spec, stock, .. } = loadout;
            assert_eq!(loadout.levels, base.levels);
            for set in [ranged, melee, spec] {
                assert!((10..=11).contains(&set.len()), "{build:?} {seed}: {set:?}");
                let weapon = set.in_slot(Slot::Weapon).unwrap().item();
                assert!(!weapon.two_handed || set.in_slot(Slot::Shield).is_none());
            }
            assert!(mage.is_empty() || mage.len() == 11);
            assert!(loadout.spellbook == Spellbook::Ancient || mage.is_empty());
            without_mage += usize::from(mage.is_empty());
            lunar += usize::from(loadout.spellbook == Spellbook::Lunar);

            // Nothing is pushed out of the inventory, and it is full.
            let start = loadout.start();
            let carried: Vec<Kind> = start.inventory.into_iter().flatten().collect();
            assert_eq!(carried.len(), CARRIED);
            for item in stock.iter() {
                assert!(carried.contains(item));
            }
            for item in ranged.iter().chain(melee.iter()).chain(spec.iter()) {
                assert!(
                    carried.contains(item) || start.worn.contains(&Some(*item)) || {
                        // Two pairs of legs, one of them covered by the other.
                        build == Build::Med && item.item().slot == Some(Slot::Legs)
                    }
                );
            }
            assert!(loadout.tank.iter().all(|item| ranged.contains(item) || mage.contains(item)));
        }
    }
    assert!(lunar > 0 && without_mage > lunar);
}

#[test]
fn maxed_gear_is_not_randomised() {
    assert_eq!(Loadout::randomized(Build::Maxed, "any"), Loadout::of(Build::Maxed));
}

#[test]
fn a_skirt_in_place_of_a_body_covers_the_other_skirt() {
    let skirts = |loadout: &Loadout| {
        loadout.ranged.iter().filter(|item| item.item().slot == Some(Slot::Legs)).count()
    };
    let odd = (0..20_000)
        .map(|seed| Loadout::randomized_from(Build::Med, &mut Random::new(seed)))
        .find(|loadout| skirts(loadout) == 2 && loadout.mage.is_empty())
        .unwrap();
    let worn: [Option<Kind>; SLOTS] = odd.start().worn;
    assert_eq!(worn[Slot::Body as usize], None);
    let last = odd.ranged.iter().rfind(|item| item.item().slot == Some(Slot::Legs));
    assert_eq!(worn[Slot::Legs as usize], last.copied());
}

#[test]
fn the_scripted_opponent_has_no_brews() {
    for build in Build::ALL {
        let loadout = Loadout::of(build);
        let (own, scripted) = (loadout.start(), loadout.baseline_start());
        assert_eq!(own.worn, scripted.worn);
        let names = |start: &Start| start.inventory.map(|item| item.unwrap().item().name);
        for (own, scripted) in names(&own).into_iter().zip(names(&scripted)) {
            match own {
                "Saradomin brew(4)" => assert_eq!(scripted, "Anglerfish"),
                "Super restore(4)" => assert!(scripted == own || scripted == "Anglerfish"),
                _ => assert_eq!(scripted, own),
            }
        }
        assert!(names(&scripted).iter().filter(|name| **name == "Super restore(4)").count() <= 2);
    }
}

#[test]
fn builds_follow_from_names() {
    use Build::{LmsMed, LmsPure, LmsZerker, Med, Pure, Zerker};
    let three = [Pure, Zerker, Med];
    assert_eq!(randomize_build("196162", "196163", &three), three[196_162 % 3]);
    assert_eq!(randomize_build("196163", "196162", &[]), three[196_162 % 3]);
    assert_eq!(randomize_build("7", "baseline", &three), three[7 % 3]);
    // A number as a word counts only where no name is a number.
    assert_eq!(randomize_build("T 3", "8", &three), three[8 % 3]);
    assert_eq!(randomize_build("T 4", "RP 5", &three), three[4 % 3]);
    // No number at all: the hash of both names in order, whichever is whose.
    let lms = [LmsPure, LmsZerker, LmsMed];
    let hashed = lms[java::string_hash("alphabeta").unsigned_abs() as usize % 3];
    assert_eq!(randomize_build("alpha", "beta", &lms), hashed);
    assert_eq!(randomize_build("beta", "alpha", &lms), hashed);
    assert_eq!(randomize_build("", "", &lms), LmsPure);
    assert_eq!(randomize_build("polygenelubricants", "", &[Med, Pure]), Med);
    // Too long for a number: passed over.
    assert_eq!(randomize_build("99999999999999999999", "5", &three), three[5 % 3]);
}

/// Many draws of every build against checksums of a separate implementation of the same rules, which
/// was written for this in another language.
#[test]
fn draws_agree_with_another_implementation() {
    let checksums = [
        3_654_674_780,
        4_274_952_118,
        951_726_964,
        3_805_802_366,
        4_068_233_463,
        1_007_080_538,
        3_458_935_901,
    ];
    let ids = |list: &[Kind]| list.iter().map(|item| item.item().id).collect::<Vec<_>>();
    for (build, checksum) in Build::ALL.into_iter().zip(checksums) {
        let mut crc = flate2::Crc::new();
        for seed in -3000..3000 {
            let loadout = Loadout::randomized_from(build, &mut Random::new(seed));
            let lists =
                [&*loadout.mage, &loadout.ranged, &loadout.melee, &loadout.spec, &loadout.stock];
            let [mage, ranged, melee, spec, stock] = lists.map(ids);
            let food = loadout.food.item().id;
            let book = if loadout.spellbook == Spellbook::Lunar { "LUNAR" } else { "ANCIENT" };
            let name = build.name();
            let line = format!(
                "{name} {seed} {mage:?} {ranged:?} {melee:?} {spec:?} {stock:?} {food} {book}\n"
            );
            crc.update(line.as_bytes());
        }
        assert_eq!(crc.sum(), checksum, "{build:?}");
    }
}
