//! Changing gear.

use lanista_nh::gear::items::ANGLERFISH;
use lanista_nh::gear::{Kind, Slot};
use lanista_nh::kinds::FightType;
use lanista_nh::loadout::{Build, CARRIED, Set};
use lanista_nh::sim::equip::{change, equip, unequip, wear};
use lanista_nh::sim::fighter::Fighter;

use crate::duel::*;

const SPIRIT_SHIELD: Kind = Kind::known(12829);
const DEFENDER: Kind = Kind::known(12954);
const FURY: Kind = Kind::known(6585);
const GLORY: Kind = Kind::known(1704);

/// Somebody who wears and carries nothing but these.
fn dressed(worn: &[Kind], carried: &[Kind]) -> Fighter {
    let mut duel = Duel::of(Build::Maxed);
    let fighter = duel.me();
    fighter.worn = [None; 14];
    for &kind in worn {
        fighter.worn[kind.item().slot.unwrap() as usize] = Some(kind);
    }
    fighter.inventory = [None; CARRIED];
    for (place, &kind) in fighter.inventory.iter_mut().zip(carried) {
        *place = Some(kind);
    }
    fighter.refresh();
    fighter.clone()
}

fn fill(fighter: &mut Fighter) {
    for place in fighter.inventory.iter_mut().filter(|place| place.is_none()) {
        *place = Some(ANGLERFISH);
    }
}

fn held(fighter: &Fighter) -> [Option<Kind>; 2] {
    [Slot::Weapon, Slot::Shield].map(|slot| fighter.worn[slot as usize])
}

#[test]
fn what_is_replaced_takes_the_place_of_the_new_item() {
    let mut fighter = dressed(&[WHIP], &[ANGLERFISH, SCIMITAR, ANGLERFISH]);
    equip(&mut fighter, 1);
    assert_eq!((held(&fighter)[0], fighter.inventory[1]), (Some(SCIMITAR), Some(WHIP)));
}

#[test]
fn a_two_hander_drives_the_shield_out() {
    let mut fighter = dressed(&[WHIP, DEFENDER], &[ANGLERFISH, ARMADYL_GODSWORD]);
    equip(&mut fighter, 1);
    assert_eq!(held(&fighter), [Some(ARMADYL_GODSWORD), None]);
    assert_eq!(fighter.inventory[..3], [Some(ANGLERFISH), Some(WHIP), Some(DEFENDER)]);
}

#[test]
fn a_two_hander_needs_room_for_the_shield() {
    let mut fighter = dressed(&[WHIP, DEFENDER], &[ARMADYL_GODSWORD]);
    fill(&mut fighter);
    equip(&mut fighter, 0);
    assert_eq!(held(&fighter), [Some(WHIP), Some(DEFENDER)]);
    // Without a shield, or with an empty hand, there is room enough.
    for worn in [&[WHIP][..], &[DEFENDER]] {
        let mut fighter = dressed(worn, &[ARMADYL_GODSWORD]);
        fill(&mut fighter);
        equip(&mut fighter, 0);
        assert_eq!(held(&fighter), [Some(ARMADYL_GODSWORD), None]);
        assert_eq!(fighter.inventory[0], Some(worn[0]));
    }
}

#[test]
fn a_shield_puts_a_two_hander_away() {
    let mut fighter = dressed(&[ARMADYL_GODSWORD], &[SPIRIT_SHIELD]);
    fill(&mut fighter);
    fighter.special = true;
    equip(&mut fighter, 0);
    assert_eq!(held(&fighter), [None, Some(SPIRIT_SHIELD)]);
    assert_eq!((fighter.inventory[0], fighter.special), (Some(ARMADYL_GODSWORD), false));
    assert_eq!(fighter.weapon, None);
}

#[test]
fn a_second_one_of_the_replaced_item_makes_it_go_to_the_first_free_slot() {
    let mut fighter = dressed(&[FURY], &[ANGLERFISH, FURY, GLORY]);
    fighter.inventory[0] = None;
    equip(&mut fighter, 2);
    assert_eq!(fighter.worn[Slot::Neck as usize], Some(GLORY));
    assert_eq!(fighter.inventory[..3], [Some(FURY), Some(FURY), None]);
}

#[test]
fn stacks_merge() {
    let mut fighter = dressed(&[KNIFE], &[KNIFE, WHIP]);
    equip(&mut fighter, 0);
    assert_eq!((fighter.count(KNIFE), fighter.wielded()), (0, Some(KNIFE)));
    equip(&mut fighter, 1);
    assert_eq!((fighter.count(KNIFE), fighter.wielded()), (1, Some(WHIP)));
}

#[test]
fn unequipping_needs_room() {
    let mut fighter = dressed(&[WHIP, FURY], &[]);
    fighter.special = true;
    unequip(&mut fighter, Slot::Neck as usize);
    assert!(fighter.special);
    unequip(&mut fighter, Slot::Weapon as usize);
    assert_eq!(fighter.inventory[..2], [Some(FURY), Some(WHIP)]);
    assert!(!fighter.special && fighter.weapon.is_none());
    let mut fighter = dressed(&[WHIP], &[]);
    fill(&mut fighter);
    unequip(&mut fighter, Slot::Weapon as usize);
    assert_eq!(fighter.wielded(), Some(WHIP));
}

#[test]
fn agents_take_off_what_the_set_lacks_and_the_script_does_not() {
    let set = Set::of(&[ARMADYL_GODSWORD, FURY]);
    let mut agent = dressed(&[WHIP, DEFENDER, OPAL_BOLTS], &[FURY, ARMADYL_GODSWORD]);
    let mut script = agent.clone();
    change(&mut agent, &set);
    assert_eq!(agent.worn.iter().flatten().count(), 2);
    wear(&mut script, &set);
    assert_eq!(script.worn.iter().flatten().count(), 3);
    assert_eq!(script.worn[Slot::Ammo as usize], Some(OPAL_BOLTS));
}

#[test]
fn the_dead_change_nothing() {
    let mut fighter = dressed(&[WHIP], &[SCIMITAR]);
    fighter.set_hp(0);
    equip(&mut fighter, 0);
    assert_eq!(fighter.wielded(), Some(WHIP));
}

#[test]
fn bonuses_follow_the_gear() {
    let mut fighter = dressed(&[WHIP], &[SCIMITAR]);
    assert_eq!((fighter.gear.bonuses[1], fighter.weapon.unwrap().speed), (82, 4));
    equip(&mut fighter, 0);
    assert_eq!(fighter.gear.bonuses[1], 67);
}

#[test]
fn a_new_weapon_turns_the_special_off() {
    let mut fighter = dressed(&[ARMADYL_GODSWORD], &[CLAWS, FURY]);
    fighter.special = true;
    equip(&mut fighter, 1);
    assert!(fighter.special);
    equip(&mut fighter, 0);
    assert!(!fighter.special);
}

#[test]
fn a_switch_ends_the_attack_unless_it_draws_a_granite_maul() {
    for (weapon, attacking) in [(SCIMITAR, false), (GRANITE_MAUL, true)] {
        let mut fighter = dressed(&[WHIP], &[weapon]);
        fighter.engage();
        equip(&mut fighter, 0);
        assert_eq!((fighter.attacking, fighter.following), (attacking, attacking));
    }
    // Any other item lets go too, if the maul is not in hand.
    let mut fighter = dressed(&[GRANITE_MAUL], &[FURY]);
    fighter.engage();
    equip(&mut fighter, 0);
    assert!(fighter.attacking);
    let mut fighter = dressed(&[WHIP], &[FURY]);
    fighter.engage();
    equip(&mut fighter, 0);
    assert!(!fighter.attacking);
}

/// Is exactly this set worn?
fn wears(fighter: &Fighter, set: &Set) -> bool {
    let worn: Vec<Kind> = fighter.worn.iter().flatten().copied().collect();
    worn.len() == set.len() && worn.iter().all(|kind| set.contains(kind))
}

#[test]
fn every_attack_puts_its_set_on() {
    for build in Build::ALL {
        let mut duel = Duel::of(build);
        duel.fight.fight_type = FightType::Lms;
        let loadout = duel.fight.loadouts[0];
        // A meal makes room for the shield that a two-hander drives out.
        duel.act(EAT);
        for (action, set) in [
            (SHOOT, loadout.ranged),
            (SLASH, loadout.melee),
            (SLASH_SPECIAL, loadout.spec),
            (ICE, loadout.mage),
            (TANK, loadout.tank),
        ] {
            duel.act(action);
            assert!(wears(duel.me(), &set), "{build:?} {action:?}");
        }
    }
}

#[test]
fn switching_back_and_forth_loses_nothing() {
    let mut duel = Duel::of(Build::Zerker);
    duel.act(EAT);
    let all = |fighter: &Fighter| {
        let items = fighter.worn.iter().chain(&fighter.inventory).flatten();
        let mut ids: Vec<u16> = items.map(|kind| kind.item().id).collect();
        ids.sort_unstable();
        ids
    };
    let before = all(duel.me());
    for action in [SHOOT, SLASH_SPECIAL, ICE, SLASH, TANK, SLASH_SPECIAL, SHOOT] {
        duel.act(action);
        assert_eq!(all(duel.me()), before);
    }
}
