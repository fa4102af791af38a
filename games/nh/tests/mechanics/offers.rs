//! Whatever is on offer can be done: in states of random fights every offered action is played,
//! with nothing else as far as the contract allows, and has its effect.

use std::sync::Arc;

use lanista_game::seed;
use lanista_game::{Buffers, Control, Game};
use lanista_nh::contract::{HEADS, requires};
use lanista_nh::game::{BOTS, Nh, describe, loadouts};
use lanista_nh::gear::Slot;
use lanista_nh::gear::items::{ANGLERFISH, COOKED_KARAMBWAN, GRANITE_MAUL, SHARK};
use lanista_nh::kinds::{Prayer, Rules, Skill};
use lanista_nh::loadout::{Build, Set};
use lanista_nh::mask::{Mask, head};
use lanista_nh::settings::Settings;
use lanista_nh::sim::chance::{Chance, Strike};
use lanista_nh::sim::combat::{Attack, Method};
use lanista_nh::sim::dice::Random;
use lanista_nh::sim::fighter::Fighter;
use lanista_nh::sim::path::Tile;
use lanista_nh::sim::supplies::{BREW, Potion, RANGING, SUPER_COMBAT, SUPER_RESTORE};
use lanista_nh::sim::timers::Timer;
use lanista_nh::sim::{Action, Fight, Order};

/// Random chance that remembers who attacked with what.
struct Witness {
    random: Random,
    struck: [Option<Method>; 2],
}

impl Chance for Witness {
    fn strike(&mut self, fight: &Fight, who: usize, attack: Attack) -> Strike {
        self.struck[who] = Some(attack.method);
        self.random.strike(fight, who, attack)
    }

    fn blood_fury(&mut self, who: usize) -> bool {
        self.random.blood_fury(who)
    }

    fn poison(&mut self, who: usize) -> bool {
        self.random.poison(who)
    }

    fn pid(&mut self, who: usize) -> (f64, i16) {
        self.random.pid(who)
    }

    fn tile(&mut self, who: usize, tiles: &[Tile]) -> Tile {
        self.random.tile(who, tiles)
    }

    fn overhead(&mut self, who: usize) -> bool {
        self.random.overhead(who)
    }

    fn aside(&mut self, who: usize) -> usize {
        self.random.aside(who)
    }

    fn stroll(&mut self, who: usize) -> Option<(i16, i16)> {
        self.random.stroll(who)
    }
}

/// Every offered choice that does something, with the choices of other heads that it goes with.
fn offered(mask: &Mask) -> Vec<Vec<(usize, u8)>> {
    let mut all = Vec::new();
    let mut add = |of: usize, with: &[(usize, u8)]| {
        for (choice, &legal) in head(mask, of).iter().enumerate().skip(1) {
            if legal && with.iter().all(|&(of, choice)| head(mask, of)[usize::from(choice)]) {
                let mut choices = with.to_vec();
                choices.push((of, choice as u8));
                all.push(choices);
            }
        }
    };
    for (types, attack) in [(3, 1), (2, 2), (1, 3)] {
        add(types, &[(0, attack)]);
    }
    for alone in [4, 5, 6, 7, 11] {
        add(alone, &[]);
    }
    add(8, &[(0, 0)]);
    add(10, &[(9, 3)]);
    for step in [1, 2, 4] {
        if head(mask, 9)[step] {
            all.push(vec![(9, step as u8)]);
        }
    }
    all
}

/// The action with these choices; other heads do as little as mask and contract allow.
fn with(mask: &Mask, choices: &[(usize, u8)]) -> Action {
    let requires = requires();
    let mut chosen = [0u32; 12];
    for of in 0..HEADS.len() {
        let open = |choice: u32| {
            let mut asked = requires.iter().filter(|r| r.head == of && r.action == choice);
            head(mask, of)[choice as usize] && asked.all(|r| r.allows(&chosen))
        };
        let wanted = choices.iter().find(|choice| choice.0 == of);
        let least = (0..HEADS[of].1.len() as u32).find(|&choice| open(choice)).unwrap_or(0);
        let choice = wanted.map_or(least, |choice| u32::from(choice.1));
        assert!(wanted.is_none() || open(choice), "{choices:?} is no legal action");
        chosen[of] = choice;
    }
    chosen.map(|choice| choice as u8)
}

/// Is the set worn, as far as it fits? A two-hander may lack room for the shield it drives out, and
/// what the set lacks may have nowhere to go.
fn dressed(before: &Fighter, after: &Fighter, set: &Set) -> bool {
    let room = before.vacancy().is_some() || before.worn[Slot::Shield as usize].is_none();
    let worn = set.iter().all(|kind| {
        let slot = kind.item().slot.unwrap();
        // Of two items for one slot the later one stays.
        let last = set.iter().rev().find(|other| other.item().slot == Some(slot));
        after.worn[slot as usize] == last.copied() || (kind.item().two_handed && !room)
    });
    let bare = after.worn.iter().flatten().all(|kind| set.contains(kind));
    worn && (bare || after.vacancy().is_none())
}

/// Has the choice had its effect? Exceptions are those of the recorded server, each with its reason.
fn done(
    before: &Fight,
    after: &Fight,
    who: usize,
    struck: Option<Method>,
    choices: &[(usize, u8)],
) -> bool {
    let (was, is) = (&before.fighters[who], &after.fighters[who]);
    let loadout = &after.loadouts[who];
    let potion = |potion: Potion| {
        potion.doses(is) + 1 == potion.doses(was) && is.timers.left(Timer::Potion) == 3
    };
    let special = is.special || is.energy < was.energy;
    let engaged = struck.is_some() || is.attacking;
    match *choices {
        [(0, 1), (3, 3)] => dressed(was, is, &loadout.mage) && special,
        [(0, 1), (3, _)] => {
            let cast = matches!(struck, Some(Method::Cast(_))) || is.cast.is_some();
            dressed(was, is, &loadout.mage) && cast
        }
        [(0, 2), (2, choice)] => {
            dressed(was, is, &loadout.ranged) && engaged && (choice == 1 || special)
        }
        [(0, 3), (1, 1)] => dressed(was, is, &loadout.melee) && engaged,
        [(0, 3), (1, 2)] => {
            // Mauls that reach nobody are forgotten within the tick.
            let maul = loadout.spec.contains(&GRANITE_MAUL);
            dressed(was, is, &loadout.spec) && engaged && (special || maul)
        }
        [(4, 1)] => potion(BREW),
        [(4, 2)] => potion(SUPER_RESTORE),
        [(4, 3)] => potion(SUPER_COMBAT),
        [(4, 4)] => potion(RANGING),
        [(5, 1)] => {
            let food = |fighter: &Fighter| fighter.count(SHARK) + fighter.count(ANGLERFISH);
            food(is) + 1 == food(was)
        }
        [(6, 1)] => is.count(COOKED_KARAMBWAN) + 1 == was.count(COOKED_KARAMBWAN),
        [(7, 1)] => {
            // The mask knows neither the magic level nor whether vengeance stands already.
            let offered_in_vain = was.level(Skill::Magic) < 94 || was.vengeance;
            is.timers.left(Timer::Vengeance) == 50 || offered_in_vain
        }
        [(0, 0), (8, 1)] => dressed(was, is, &loadout.tank),
        [.., (9 | 10, _)] => {
            // A spell of the faster side may hold it in the same tick.
            let held = is.timers.left(Timer::Freeze) > was.timers.left(Timer::Freeze);
            is.at != was.at || !is.path.is_empty() || held
        }
        [(11, choice)] => {
            let prayer = [
                Prayer::ProtectMagic,
                Prayer::ProtectMissiles,
                Prayer::ProtectMelee,
                Prayer::Smite,
                Prayer::Redemption,
            ][usize::from(choice) - 1];
            // The last point may be due before anyone acts, and redemption may take it at once.
            is.prayers.has(prayer) || is.level(Skill::Prayer) == 0
        }
        _ => panic!("{choices:?} is unknown"),
    }
}

/// Plays every offered action of a side on copies of the fight and counts those by head.
fn try_all(fight: &Fight, who: usize, mask: &Mask, seed: u64, tried: &mut [usize; 12]) {
    for choices in offered(mask) {
        let action = with(mask, &choices);
        let mut after = fight.clone();
        let mut witness = Witness { random: Random(seed::rng(seed)), struck: [None; 2] };
        let mut orders = [Order::Act([0; 12]); 2];
        orders[who] = Order::Act(action);
        after.tick(orders, &mut witness);
        if after.over() {
            continue;
        }
        let done = done(fight, &after, who, witness.struck[who], &choices);
        assert!(
            done,
            "{choices:?} as {action:?} had no effect on {:?}\nin {:?}",
            after.fighters[who], fight.fighters[who]
        );
        tried[choices[choices.len() - 1].0] += 1;
    }
}

#[test]
fn every_offered_action_has_its_effect() {
    let random = BOTS.iter().position(|bot| *bot == "random").unwrap();
    let mut tried = [0; 12];
    for (number, rules) in [Rules::Server2024, Rules::Live].into_iter().enumerate() {
        for switches in 0..8u32 {
            let settings = Settings {
                rules,
                builds: Build::ALL.to_vec(),
                randomize_gear: switches & 1 == 0,
                randomize_fight_type: true,
                only_switch_prayer_when_about_to_attack: switches & 2 == 0,
                only_switch_gear_when_attack_soon: switches & 4 == 0,
                allow_moving_if_can_attack: switches & 2 != 0,
                max_ticks: 600,
                ..Settings::default()
            };
            let spec = Arc::new(describe());
            let mut buffers = Buffers::new(&spec, 1);
            let sets = loadouts(&settings);
            let mut game = Nh::new(Arc::new(settings), spec, sets);
            for fight in 0..30 {
                let seed = seed::episode(number as u64, switches as usize, fight);
                game.reset(seed, &[Control::Bot(random); 2]);
                buffers.end[0] = None;
                while buffers.end[0].is_none() {
                    let tick = game.fight().ticks;
                    if (u64::from(tick) + fight).is_multiple_of(13) {
                        let who = (tick % 2) as usize;
                        let seed = seed::mix(seed, u64::from(tick));
                        try_all(game.fight(), who, &game.look(who).1, seed, &mut tried);
                    }
                    let mut actions = [0; 24];
                    for (seat, action) in actions.chunks_mut(12).enumerate() {
                        game.scripted(random, seat, action);
                    }
                    game.step(&actions, &mut buffers.outcome(0));
                }
            }
        }
    }
    // The attack and movement heads are counted by the heads that go with them.
    for (of, (name, _)) in HEADS.iter().enumerate().skip(1) {
        assert!(tried[of] > 50, "{name} was tried only {} times", tried[of]);
    }
}
