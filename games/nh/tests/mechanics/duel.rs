//! Two fighters on a bare field, and chance that does as it is told.

use std::collections::VecDeque;

use lanista_game::seed;
use lanista_nh::formula::{self, Dice};
use lanista_nh::gear::{Kind, Slot};
use lanista_nh::kinds::{FightType, Rules, Skill, Style};
use lanista_nh::loadout::{Build, Loadout};
use lanista_nh::sim::chance::{Chance, Rolled, Strike};
use lanista_nh::sim::combat::{Attack, Method};
use lanista_nh::sim::fighter::Fighter;
use lanista_nh::sim::path::Tile;
use lanista_nh::sim::start::Setup;
use lanista_nh::sim::timers::Timer;
use lanista_nh::sim::{Action, Fight, Order, Switches};

pub const WHIP: Kind = Kind::known(4151);
pub const GRANITE_MAUL: Kind = Kind::known(4153);
pub const SCIMITAR: Kind = Kind::known(4587);
pub const POISONED_DAGGER: Kind = Kind::known(5698);
pub const DAGGER: Kind = Kind::known(1215);
pub const RUNE_CROSSBOW: Kind = Kind::known(9185);
pub const DARK_BOW: Kind = Kind::known(11235);
pub const ARMADYL_GODSWORD: Kind = Kind::known(11802);
pub const TENTACLE: Kind = Kind::known(12006);
pub const CLAWS: Kind = Kind::known(13652);
pub const BALLISTA: Kind = Kind::known(19481);
pub const KODAI_WAND: Kind = Kind::known(21006);
pub const STATIUS_WARHAMMER: Kind = Kind::known(22622);
pub const JAVELIN: Kind = Kind::known(22636);
pub const ZURIEL_STAFF: Kind = Kind::known(22647);
pub const KNIFE: Kind = Kind::known(22804);
pub const NIGHTMARE_STAFF: Kind = Kind::known(24424);
pub const ANCIENT_GODSWORD: Kind = Kind::known(26233);
pub const ZARYTE_CROSSBOW: Kind = Kind::known(26374);
pub const OPAL_BOLTS: Kind = Kind::known(21932);
pub const BLOOD_FURY: Kind = Kind::known(24780);

/// Where the first fighter stands unless told otherwise; far from every border.
pub const HERE: Tile = Tile::new(3070, 3545);

/// An attack as chance was asked about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub who: usize,
    pub method: Method,
    pub mauls: u8,
    /// What the victim protected itself from.
    pub prayed: Option<Style>,
}

/// Answers that a test wrote down. Attacks that it says nothing about miss.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pub strikes: [VecDeque<Vec<Rolled>>; 2],
    /// Draws for the formulas, 1 and 0 for what happens and what does not. While there are any they
    /// decide the attacks.
    pub draws: VecDeque<i32>,
    pub blood_fury: bool,
    pub poison: bool,
    pub pids: VecDeque<(f64, i16)>,
    /// Which of equally near tiles is taken.
    pub pick: usize,
    pub overhead: bool,
    pub aside: usize,
    pub stroll: Option<(i16, i16)>,
    pub asked: Vec<Asked>,
    /// Equally near tiles that chance was asked to choose from.
    pub tiles: Vec<Vec<Tile>>,
}

struct Draws<'a>(&'a mut VecDeque<i32>);

impl Dice for Draws<'_> {
    fn below(&mut self, n: i32) -> i32 {
        let drawn = self.0.pop_front().expect("a draw for a number");
        assert!((0..n).contains(&drawn), "{drawn} is not below {n}");
        drawn
    }

    fn unit(&mut self) -> f32 {
        match self.0.pop_front().expect("a draw for a chance") {
            1 => 0.0,
            _ => 0.999_999,
        }
    }
}

impl Chance for Told {
    fn strike(&mut self, fight: &Fight, who: usize, attack: Attack) -> Strike {
        let (attacker, victim) = (&fight.fighters[who], &fight.fighters[1 - who]);
        let prayed = victim.protection();
        self.asked.push(Asked { who, method: attack.method, mauls: attack.mauls, prayed });
        let hits = if self.draws.is_empty() {
            self.strikes[who].pop_front().unwrap_or_else(|| vec![miss()])
        } else {
            let (attacker, victim) = (attacker.sheet(), victim.sheet());
            let swing = attack.method.swing(attack.mauls);
            let rolls = formula::rolls(fight.rules, &attacker, &victim, swing);
            let mut dice = Draws(&mut self.draws);
            let strike = formula::strike(fight.rules, &attacker, &victim, swing, &rolls, &mut dice);
            strike.hits().iter().map(Rolled::of).collect()
        };
        let mut strike = Strike { count: hits.len() as u8, ..Strike::default() };
        strike.hits[..hits.len()].copy_from_slice(&hits);
        strike
    }

    fn blood_fury(&mut self, _: usize) -> bool {
        self.blood_fury
    }

    fn poison(&mut self, _: usize) -> bool {
        self.poison
    }

    fn pid(&mut self, _: usize) -> (f64, i16) {
        self.pids.pop_front().expect("no draw of a pid")
    }

    fn tile(&mut self, _: usize, tiles: &[Tile]) -> Tile {
        self.tiles.push(tiles.to_vec());
        tiles[self.pick]
    }

    fn overhead(&mut self, _: usize) -> bool {
        self.overhead
    }

    fn aside(&mut self, _: usize) -> usize {
        self.aside
    }

    fn stroll(&mut self, _: usize) -> Option<(i16, i16)> {
        self.stroll
    }
}

/// An accurate hit.
pub fn hit(damage: i16) -> Rolled {
    Rolled { damage: [damage, 0, 0, 0], splats: 1, accurate: true }
}

pub fn miss() -> Rolled {
    Rolled { splats: 1, ..Rolled::default() }
}

/// A fight whose first tick is still to come. The first fighter acts first and nothing changes by
/// itself: levels and places in the order of play hold for as long as any test lasts.
pub struct Duel {
    pub fight: Fight,
    pub told: Told,
}

impl Duel {
    pub fn of(build: Build) -> Self {
        Self::under(Rules::Server2024, build)
    }

    pub fn under(rules: Rules, build: Build) -> Self {
        let setup = setup(rules, build);
        let mut fight = Fight::start(&setup, &mut seed::rng(0));
        for (fighter, pid) in fight.fighters.iter_mut().zip([0.25, 0.75]) {
            fighter.pid = pid;
            fighter.redraw = i16::MAX;
            fighter.timers.set(Timer::Stats, 10_000);
        }
        let mut duel = Self { fight, told: Told::default() };
        duel.place(0, HERE);
        duel.place(1, HERE.offset(1, 0));
        duel
    }

    /// The second fighter stands so many tiles east of the first.
    pub fn apart(mut self, tiles: i16) -> Self {
        self.place(1, HERE.offset(tiles, 0));
        self
    }

    pub fn place(&mut self, who: usize, tile: Tile) {
        self.fight.fighters[who].at = tile;
        self.fight.fighters[who].home = tile;
        self.fight.memories[1 - who].seen = tile;
    }

    /// The first fighter.
    pub fn me(&mut self) -> &mut Fighter {
        &mut self.fight.fighters[0]
    }

    /// The second fighter.
    pub fn foe(&mut self) -> &mut Fighter {
        &mut self.fight.fighters[1]
    }

    /// Puts a weapon into the hand of `who`, from nowhere.
    pub fn wield(&mut self, who: usize, weapon: Kind) {
        let fighter = &mut self.fight.fighters[who];
        fighter.worn[Slot::Weapon as usize] = Some(weapon);
        if weapon.item().two_handed {
            fighter.worn[Slot::Shield as usize] = None;
        }
        fighter.refresh();
    }

    /// Wields a weapon and attacks with it from the next tick on.
    pub fn attack(&mut self, who: usize, weapon: Kind) {
        self.wield(who, weapon);
        self.fight.fighters[who].engage();
    }

    /// The same with its special attack.
    pub fn special(&mut self, who: usize, weapon: Kind) {
        self.attack(who, weapon);
        self.fight.fighters[who].special = true;
    }

    /// The next attack of `who` is a hit of this damage.
    pub fn hits(&mut self, who: usize, damage: i16) {
        self.told.strikes[who].push_back(vec![hit(damage)]);
    }

    pub fn tick(&mut self, first: Action, second: Action) {
        self.fight.tick([Order::Act(first), Order::Act(second)], &mut self.told);
    }

    /// Only the first fighter does something.
    pub fn act(&mut self, action: Action) {
        self.tick(action, NOTHING);
    }

    /// Both go on with what they are doing.
    pub fn wait(&mut self, ticks: usize) {
        for _ in 0..ticks {
            self.tick(NOTHING, NOTHING);
        }
    }

    /// Damage shown on `who` in the last tick.
    pub fn splats(&self, who: usize) -> Vec<i16> {
        self.fight.fighters[who].splats.iter().flatten().map(|splat| splat.damage).collect()
    }

    /// Goes on for some ticks and tells what is shown on `who`: the tick, from 0, and the damage.
    pub fn shown(&mut self, who: usize, ticks: usize) -> Vec<(usize, i16)> {
        let mut shown = Vec::new();
        for tick in 0..ticks {
            self.wait(1);
            shown.extend(self.splats(who).into_iter().map(|damage| (tick, damage)));
        }
        shown
    }

    pub fn levels(&self, who: usize, skills: &[Skill]) -> Vec<i16> {
        skills.iter().map(|&skill| self.fight.fighters[who].level(skill)).collect()
    }
}

/// What a fight of this build is made of.
pub fn setup(rules: Rules, build: Build) -> Setup {
    Setup {
        rules,
        loadout: Loadout::of(build),
        fight_type: FightType::Normal,
        switches: Switches {
            prayer_when_attackable: false,
            attack_when_ready: false,
            smite: true,
            redemption: true,
            move_when_ready: true,
        },
        beside: true,
    }
}

/// Sets a level without its maximum.
pub fn set_level(fighter: &mut Fighter, skill: Skill, level: i16) {
    fighter.levels[skill as usize] = level;
}

pub const NOTHING: Action = [0; 12];

/// The action with these choices, each a head and its action.
const fn choice<const N: usize>(heads: [(usize, u8); N]) -> Action {
    let (mut action, mut i) = (NOTHING, 0);
    while i < N {
        action[heads[i].0] = heads[i].1;
        i += 1;
    }
    action
}

pub const ICE: Action = choice([(0, 1), (3, 1)]);
pub const BLOOD: Action = choice([(0, 1), (3, 2)]);
pub const MAGIC_SPECIAL: Action = choice([(0, 1), (3, 3)]);
pub const SHOOT: Action = choice([(0, 2), (2, 1)]);
pub const SHOOT_SPECIAL: Action = choice([(0, 2), (2, 2)]);
pub const SLASH: Action = choice([(0, 3), (1, 1)]);
pub const SLASH_SPECIAL: Action = choice([(0, 3), (1, 2)]);
pub const BREW: Action = choice([(4, 1)]);
pub const RESTORE: Action = choice([(4, 2)]);
pub const SUPER_COMBAT: Action = choice([(4, 3)]);
pub const RANGING: Action = choice([(4, 4)]);
pub const EAT: Action = choice([(5, 1)]);
pub const KARAMBWAN: Action = choice([(6, 1)]);
pub const VENGEANCE: Action = choice([(7, 1)]);
pub const TANK: Action = choice([(8, 1)]);
pub const NEXT_TO: Action = choice([(9, 1)]);
pub const UNDER: Action = choice([(9, 2)]);
pub const DIAGONAL: Action = choice([(9, 4)]);
pub const PROTECT_MAGIC: Action = choice([(11, 1)]);
pub const PROTECT_MISSILES: Action = choice([(11, 2)]);
pub const PROTECT_MELEE: Action = choice([(11, 3)]);
pub const SMITE: Action = choice([(11, 4)]);
pub const REDEMPTION: Action = choice([(11, 5)]);

/// To a tile so far from the other.
pub const fn farcast(tiles: u8) -> Action {
    choice([(9, 3), (10, tiles - 1)])
}

/// Several actions of different heads at once.
pub fn together<const N: usize>(actions: [Action; N]) -> Action {
    let mut all = NOTHING;
    for action in actions {
        for (place, chosen) in all.iter_mut().zip(action) {
            *place = (*place).max(chosen);
        }
    }
    all
}
