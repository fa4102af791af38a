//! Scripted players: rule by rule, and against what their originals did in recorded fights.

use std::path::{Path, PathBuf};

use lanista_game::seed::{self, Rng};
use lanista_nh::bots;
use lanista_nh::contract::{ACTIONS, FIELDS, HEADS, OFFSETS, requires};
use lanista_nh::mask::{Mask, head};
use lanista_nh::observe::Observation;
use lanista_nh::sim::Action;
use lanista_nh::trace::Fight;
use proptest::prelude::*;

/// The recorded fights, which are too large to be kept with the source.
fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/nh/fights")
}

/// What a player saw and might do, and what it did.
struct Turn {
    seen: Observation,
    mask: Mask,
    action: Action,
}

/// Every turn that a policy took, read from the names of the files:
/// `number_build_first_vs_second_side`.
fn turns(policy: &str) -> Option<Vec<Turn>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(recordings()).ok()?.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut turns = Vec::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (first, second) = name.split_once("_vs_").unwrap();
        let player = match second.split_once('.').unwrap().0.split_once('_').unwrap() {
            (_, "A") => first.rsplit_once('_').unwrap().1,
            (player, _) => player,
        };
        if player != policy {
            continue;
        }
        let fight = Fight::read(&path).unwrap();
        for pair in fight.lines.windows(2) {
            turns.push(Turn {
                seen: pair[0].observation.as_slice().try_into().unwrap(),
                mask: pair[0].mask,
                action: pair[1].action.unwrap(),
            });
        }
    }
    Some(turns)
}

/// How many draws an action that chance allows gets to show up: the rarest has one in four hundred.
const TRIES: usize = 20_000;
/// How many draws the frequencies of a turn are estimated from.
const DRAWS: u32 = 64;

/// Checks that a player could have done what its original did, and does it as often.
fn compare(policy: &str, player: impl Fn(&mut Rng, &Observation, &Mask) -> Action) {
    let Some(turns) = turns(policy) else {
        println!("skipped: the recorded turns of {policy}: none in {}", recordings().display());
        return;
    };
    let mut rng = seed::rng(11);
    let mut possible = [0usize; 12];
    let mut whole = 0;
    // By action: how often it was done, how often it should be, and the variance of that.
    let mut counts = [(0.0, 0.0, 0.0); ACTIONS];
    for turn in &turns {
        let mut shown = [false; 12];
        for _ in 0..TRIES {
            let ours = player(&mut rng, &turn.seen, &turn.mask);
            for of in 0..12 {
                shown[of] |= ours[of] == turn.action[of];
            }
            if ours == turn.action {
                whole += 1;
                break;
            }
        }
        let mut often = [0u32; ACTIONS];
        for _ in 0..DRAWS {
            let ours = player(&mut rng, &turn.seen, &turn.mask);
            (0..12).for_each(|of| often[OFFSETS[of] + usize::from(ours[of])] += 1);
        }
        for of in 0..12 {
            possible[of] += usize::from(shown[of]);
            counts[OFFSETS[of] + usize::from(turn.action[of])].0 += 1.0;
        }
        for (count, often) in counts.iter_mut().zip(often) {
            let share = f64::from(often) / f64::from(DRAWS);
            count.1 += share;
            // The turn itself is one more draw; the estimate has an error of its own.
            count.2 += share * (1.0 - share) * (1.0 + 1.0 / f64::from(DRAWS));
        }
    }
    println!("{policy}: {whole} of {} turns are possible", turns.len());
    for of in 0..12 {
        println!("  {:<20}{:>7}", HEADS[of].0, possible[of]);
        for (action, name) in HEADS[of].1.iter().enumerate() {
            let (theirs, ours, variance) = counts[OFFSETS[of] + action];
            let z = if variance > 0.0 { (theirs - ours) / variance.sqrt() } else { 0.0 };
            println!("    {name:<24}{theirs:>7} recorded, {ours:>9.1} expected, z {z:>6.2}");
            assert!(z.abs() < 4.0, "{policy}: {name} was done {theirs} times, not {ours}");
        }
    }
    assert!(turns.len() > 15_000, "{}", turns.len());
    assert_eq!(whole, turns.len(), "{policy} could not have done this");
}

#[test]
fn greedy_plays_as_recorded() {
    compare("greedy", bots::greedy);
}

#[test]
fn random_plays_as_recorded() {
    compare("random", |rng, _, mask| bots::random(rng, mask));
}

/// Is the action offered, and does it heed what goes with what? A head without an open action is at
/// its first.
fn is_legal(mask: &Mask, action: &Action) -> bool {
    let (requires, earlier) = (requires(), action.map(u32::from));
    let open = |of: usize, choice: usize| {
        let mut about = requires.iter().filter(|r| (r.head, r.action as usize) == (of, choice));
        head(mask, of)[choice] && about.all(|requirement| requirement.allows(&earlier))
    };
    (0..12).all(|of| {
        let chosen = usize::from(action[of]);
        let none = (0..HEADS[of].1.len()).all(|choice| !open(of, choice));
        open(of, chosen) || (none && chosen == 0)
    })
}

proptest! {
    #[test]
    fn choices_are_legal(
        flags in prop::collection::vec(any::<bool>(), ACTIONS),
        numbers in prop::collection::vec(prop_oneof![Just(0.0), 0.0..1.3, Just(5.0)], FIELDS.len()),
        seed in any::<u64>(),
    ) {
        let mask: Mask = flags.try_into().unwrap();
        let seen: Observation = numbers.try_into().unwrap();
        let mut rng = seed::rng(seed);
        for action in [
            bots::random(&mut rng, &mask),
            bots::greedy(&mut rng, &seen, &mask),
            bots::simple(&mut rng, &seen, &mask),
        ] {
            prop_assert!(is_legal(&mask, &action), "{action:?}");
        }
    }
}

/// A moment in which everything is well, changed here and there: full life, levels and prayer, a
/// target at full life two tiles away that holds a staff.
fn moment(changes: &[(&str, f64)]) -> Observation {
    let mut seen = [0.0; 176];
    let mut set = |name: &str, value: f64| {
        seen[FIELDS.iter().position(|field| field.name == name).unwrap()] = value;
    };
    for name in ["player_health_percent", "target_health_percent", "prayer_points"] {
        set(name, 1.0);
    }
    for name in ["strength_level", "ranged_level", "magic_level", "target_using_mage"] {
        set(name, 1.0);
    }
    set("player_to_target_distance", 2.0);
    changes.iter().for_each(|&(name, value)| set(name, value));
    seen
}

/// A mask with everything but these.
fn without(names: &[&str]) -> Mask {
    let mut mask = [true; ACTIONS];
    let all = HEADS.iter().flat_map(|(_, actions)| actions.iter());
    for (legal, name) in mask.iter_mut().zip(all) {
        *legal = !names.contains(name);
    }
    mask
}

/// The names of what a player did in a head over many draws, commonest first, with their shares.
fn done(
    player: impl Fn(&mut Rng, &Observation, &Mask) -> Action,
    of: &str,
    seen: &Observation,
    mask: &Mask,
) -> Vec<(&'static str, f64)> {
    let of = HEADS.iter().position(|(name, _)| *name == of).unwrap();
    let mut rng = seed::rng(5);
    let mut counts = vec![0u32; HEADS[of].1.len()];
    for _ in 0..4000 {
        counts[usize::from(player(&mut rng, seen, mask)[of])] += 1;
    }
    let mut shares: Vec<_> =
        HEADS[of].1.iter().zip(counts).map(|(name, n)| (*name, f64::from(n) / 4000.0)).collect();
    shares.retain(|(_, share)| *share > 0.0);
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

/// What a player always does in a head.
fn always(
    player: impl Fn(&mut Rng, &Observation, &Mask) -> Action,
    of: &str,
    changes: &[(&str, f64)],
    closed: &[&str],
) -> &'static str {
    let done = done(player, of, &moment(changes), &without(closed));
    assert_eq!(done.len(), 1, "{done:?}");
    done[0].0
}

/// Are these the shares, give or take four standard errors?
fn assert_shares(done: &[(&str, f64)], expected: &[(&str, f64)]) {
    assert_eq!(done.len(), expected.len(), "{done:?}");
    for (name, share) in expected {
        let found = done.iter().find(|(other, _)| other == name).map_or(0.0, |(_, share)| *share);
        let error = 4.0 * (share * (1.0 - share) / 4000.0).sqrt();
        assert!((found - share).abs() <= error, "{name}: {found}, not {share}");
    }
}

const FROZEN: (&str, f64) = ("target_frozen_ticks", 20.0);
const LOW: (&str, f64) = ("target_health_percent", 0.4);
const NO_SPECIAL: [&str; 3] = ["melee_special_attack", "ranged_special_attack", "use_magic_spec"];

#[test]
fn random_is_even_head_by_head() {
    let player = |rng: &mut Rng, _: &Observation, mask: &Mask| bots::random(rng, mask);
    let (seen, mask) = (moment(&[]), without(&["no_op_attack", "use_brew"]));
    let attacks = [("mage_attack", 1.0), ("ranged_attack", 1.0), ("melee_attack", 1.0)];
    assert_shares(&done(player, "attack", &seen, &mask), &attacks.map(|(a, n)| (a, n / 3.0)));
    let potions = ["no_potion", "use_restore_potion", "use_combat_potion", "use_ranged_potion"];
    assert_shares(&done(player, "potion", &seen, &mask), &potions.map(|name| (name, 0.25)));
    let types = [("no_melee_attack", 4.0), ("basic_melee_attack", 1.0)];
    let types = [types[0], types[1], ("melee_special_attack", 1.0)];
    assert_shares(
        &done(player, "melee_attack_type", &seen, &mask),
        &types.map(|(a, n)| (a, n / 6.0)),
    );
}

#[test]
fn greedy_picks_its_attack() {
    let of = |changes: &[(&str, f64)], closed: &[&str]| {
        done(bots::greedy, "attack", &moment(changes), &without(closed))
    };
    // It freezes what it can freeze, and strikes with a special before that.
    assert_eq!(of(&[], &[]), [("mage_attack", 1.0)]);
    assert_eq!(of(&[LOW], &[]), [("melee_attack", 1.0)]);
    assert_eq!(of(&[LOW], &NO_SPECIAL), [("mage_attack", 1.0)]);
    // Nothing is known of a target that was never hit.
    assert_eq!(of(&[("target_health_percent", 0.0)], &[]), [("mage_attack", 1.0)]);
    // Otherwise anything that is not protected, or anything.
    let thirds = ["mage_attack", "ranged_attack", "melee_attack"].map(|name| (name, 1.0 / 3.0));
    assert_shares(&of(&[FROZEN], &[]), &thirds);
    assert_shares(&of(&[("target_frozen_immunity_ticks", 3.0)], &[]), &thirds);
    let halves = ["ranged_attack", "melee_attack"].map(|name| (name, 0.5));
    assert_shares(&of(&[("target_magic_prayer", 1.0)], &[]), &halves);
    let magic_only = ["ranged_attack", "melee_attack", "melee_special_attack"];
    assert_eq!(of(&[("target_magic_prayer", 1.0)], &magic_only), [("mage_attack", 1.0)]);
}

#[test]
fn greedy_picks_the_kind_of_attack() {
    let magic = |changes: &[(&str, f64)], closed: &[&str]| {
        always(bots::greedy, "mage_attack_type", changes, closed)
    };
    assert_eq!(magic(&[], &[]), "use_ice_spell");
    assert_eq!(magic(&[("player_health_percent", 0.59)], &[]), "use_blood_spell");
    assert_eq!(magic(&[("player_health_percent", 0.59)], &["use_blood_spell"]), "use_ice_spell");
    assert_eq!(magic(&[LOW], &["melee_special_attack"]), "use_magic_spec");
    let bow = ["mage_attack", "use_ice_spell", "melee_attack", "melee_special_attack"];
    let ranged =
        |changes: &[(&str, f64)]| always(bots::greedy, "ranged_attack_type", changes, &bow);
    assert_eq!(ranged(&[]), "basic_ranged_attack");
    assert_eq!(ranged(&[LOW]), "ranged_special_attack");
    assert_eq!(always(bots::greedy, "melee_attack_type", &[LOW], &[]), "melee_special_attack");
}

#[test]
fn greedy_eats_and_drinks() {
    let potion =
        |changes: &[(&str, f64)], closed: &[&str]| always(bots::greedy, "potion", changes, closed);
    let (health, fish) = ("player_health_percent", ("is_food_anglerfish", 1.0));
    assert_eq!(potion(&[], &[]), "no_potion");
    assert_eq!(potion(&[(health, 0.49)], &[]), "use_brew");
    assert_eq!(potion(&[(health, 0.49), fish], &[]), "no_potion");
    assert_eq!(potion(&[(health, 0.44), fish], &[]), "use_brew");
    assert_eq!(potion(&[(health, 0.44), fish, ("magic_level", 0.7)], &[]), "use_restore_potion");
    assert_eq!(potion(&[("prayer_points", 0.29)], &[]), "use_restore_potion");
    assert_eq!(potion(&[("strength_level", 0.9)], &[]), "use_combat_potion");
    assert_eq!(potion(&[("ranged_level", 0.9)], &[]), "use_ranged_potion");
    let eats = |of: &str, life: f64| always(bots::greedy, of, &[(health, life)], &[]);
    assert_eq!((eats("food", 0.6), eats("food", 0.59)), ("dont_eat_food", "eat_primary_food"));
    assert_eq!(eats("karambwan", 0.4), "dont_karambwan");
    assert_eq!(eats("karambwan", 0.39), "eat_karambwan");
    assert_eq!(always(bots::greedy, "veng", &[], &[]), "use_veng");
    // The tank set goes with no attack.
    let attacks = ["mage_attack", "use_ice_spell", "ranged_attack", "melee_attack"];
    let idle = [&attacks[..], &NO_SPECIAL].concat();
    assert_eq!(always(bots::greedy, "gear", &[], &idle), "use_tank_gear");
    assert_eq!(always(bots::greedy, "gear", &[], &[]), "no_gear");
}

#[test]
fn greedy_keeps_its_distance() {
    let (movement, far) = ("movement", "farcast_distance");
    let bow = ["melee_attack", "melee_special_attack"];
    let distance = |tiles: f64| ("player_to_target_distance", tiles);
    assert_eq!(always(bots::greedy, movement, &[FROZEN], &bow), "move_to_farcast_tile");
    assert_eq!(always(bots::greedy, far, &[FROZEN], &bow), "farcast_5_tiles");
    let no_five = [&bow[..], &["farcast_5_tiles"]].concat();
    assert_eq!(always(bots::greedy, far, &[FROZEN], &no_five), "farcast_6_tiles");
    assert_eq!(always(bots::greedy, movement, &[FROZEN, distance(4.0)], &bow), "dont_move");
    assert_eq!(always(bots::greedy, movement, &[FROZEN, LOW], &[]), "move_next_to_target");
}

#[test]
fn greedy_strays() {
    let free = [
        ("dont_move", 0.85),
        ("move_next_to_target", 0.05),
        ("move_to_farcast_tile", 0.05),
        ("move_diagonal_to_target", 0.05),
    ];
    assert_shares(&done(bots::greedy, "movement", &moment(&[]), &without(&[])), &free);
    // A target that is about to be free may be stood under, unless an attack is ready.
    let about = [("target_frozen_ticks", 1.0), ("attack_cycle_ticks", 2.0)];
    let mut under = free.map(|(name, share)| (name, 0.7 * share)).to_vec();
    under.push(("move_under_target", 0.3));
    assert_shares(&done(bots::greedy, "movement", &moment(&about), &without(&[])), &under);
    assert_shares(&done(bots::greedy, "movement", &moment(&about[..1]), &without(&[])), &free);
}

#[test]
fn greedy_prays() {
    let of = |changes: &[(&str, f64)], closed: &[&str]| {
        done(bots::greedy, "prayer", &moment(changes), &without(closed))
    };
    let blade = [("target_using_mage", 0.0), ("target_using_melee", 1.0)];
    assert_eq!(of(&[], &[]), [("mage_prayer", 1.0)]);
    assert_eq!(of(&blade, &[]), [("melee_prayer", 1.0)]);
    assert_eq!(of(&blade, &["melee_prayer"]), [("mage_prayer", 1.0)]);
    assert_shares(&of(&[LOW], &[]), &[("mage_prayer", 0.8), ("smite_prayer", 0.2)]);
    assert_eq!(of(&[("player_health_percent", 0.09)], &[]), [("redemption_prayer", 1.0)]);
}

#[test]
fn simple_follows_its_marks() {
    let of = |of: &str, changes: &[(&str, f64)], closed: &[&str]| {
        done(bots::simple, of, &moment(changes), &without(closed))
    };
    let health = "player_health_percent";
    assert_eq!(of("food", &[(health, 0.59)], &[]), [("eat_primary_food", 1.0)]);
    assert_eq!(of("karambwan", &[(health, 0.41)], &[]), [("dont_karambwan", 1.0)]);
    assert_eq!(of("karambwan", &[(health, 0.39)], &[]), [("eat_karambwan", 1.0)]);
    let starved = of("karambwan", &[(health, 0.59)], &["eat_primary_food"]);
    assert_eq!(starved, [("eat_karambwan", 1.0)]);
    let drained = [("ranged_level", 0.9), ("strength_level", 0.9), ("prayer_points", 0.5)];
    assert_eq!(of("potion", &drained, &[]), [("use_restore_potion", 1.0)]);
    assert_eq!(of("potion", &drained[..2], &[]), [("use_ranged_potion", 1.0)]);
    assert_eq!(of("potion", &drained[1..2], &[]), [("use_combat_potion", 1.0)]);
    assert_eq!(of("prayer", &[], &[]), [("mage_prayer", 1.0)]);
    assert_eq!(of("movement", &[FROZEN], &[]), [("dont_move", 1.0)]);
    let thirds = ["mage_attack", "ranged_attack", "melee_attack"].map(|name| (name, 1.0 / 3.0));
    assert_shares(&of("attack", &[], &[]), &thirds);
    assert_eq!(
        of("mage_attack_type", &[], &["ranged_attack", "melee_attack"])[0].0,
        "use_ice_spell"
    );
    // Shoots what protects itself from everything else that is offered.
    let closed = ["mage_attack", "melee_attack"];
    assert_eq!(of("attack", &[("target_ranged_prayer", 1.0)], &closed), [("ranged_attack", 1.0)]);
}
