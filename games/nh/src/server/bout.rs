//! A fight on the server: who drives each side, who waits for an answer, and what is answered.

use lanista_game::seed;
use rand::RngExt;

use crate::bots;
use crate::game::drawn_gear;
use crate::kinds::{FightType, Rules};
use crate::loadout::Loadout;
use crate::observe::{Observation, constants};
use crate::offers::Outfit;
use crate::sim::dice::Random;
use crate::sim::path::Tile;
use crate::sim::start::Setup;
use crate::sim::supplies::Pantry;
use crate::sim::{Action, Fight, Order, other};
use crate::terms::food_kinds;
use crate::wire::{Reset, Terminal, Told, meta, success};

/// Where both stand when fights do not begin on drawn tiles.
const FIXED_TILE: Tile = Tile::new(3096, 3530);

/// Who drives a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    /// An agent, over its connection.
    Agent,
    /// The original's script.
    Script,
    /// A scripted player of ours, by its name.
    Bot(&'static str),
}

/// The scripted opponents that a reset may name.
pub fn scripted(name: &str) -> Option<Driver> {
    match name {
        "baseline" => Some(Driver::Script),
        "greedy" => Some(Driver::Bot("greedy")),
        "simple" => Some(Driver::Bot("simple")),
        "random" => Some(Driver::Bot("random")),
        "idle" => Some(Driver::Bot("idle")),
        _ => None,
    }
}

/// Where a side stands.
#[derive(Clone, Debug, PartialEq)]
enum Stage {
    /// The fight goes on.
    Stepping,
    /// It is over; the next step is told so, with the observation of the last tick.
    Terminal(Terminal, Box<Observation>),
    /// That was told. Only a reset leads on.
    Over,
}

/// One side. `P` is where its answers go.
#[derive(Clone, Debug)]
struct Side<P> {
    driver: Driver,
    death_match: bool,
    tells_target: bool,
    stage: Stage,
    /// The step that waits for the other side.
    open: Option<(Action, P)>,
}

/// A fight under way.
#[derive(Clone, Debug)]
pub struct Bout<P> {
    fight: Fight,
    outfits: [Outfit; 2],
    constants: [Observation; 2],
    sides: [Side<P>; 2],
    dice: Random,
    seed: u64,
    /// The tick after the end has been played.
    closed: bool,
}

/// Answers on their way: where they go, and their lines.
pub type Answers<P> = Vec<(P, String)>;

impl<P> Bout<P> {
    /// A fight between these two. Each agent asked for it with its own parameters; a scripted side takes
    /// over those of the other.
    pub fn begin(sides: [(Driver, &Reset); 2], dice_seed: u64) -> Self {
        let resets = [sides[0].1, sides[1].1];
        let seeded = resets[0].reset_params.lanista.as_ref();
        let dice_seed = seeded.map_or(dice_seed, |wish| wish.seed);
        let mut rng = seed::rng(dice_seed);
        let drawn = seeded
            .filter(|wish| !wish.builds.is_empty())
            .map(|wish| wish.builds[rng.random_range(0..wish.builds.len())]);
        let loadouts = resets.map(|reset| match (drawn, reset.reset_params.randomize_gear) {
            (Some(build), false) => Loadout::of(build),
            (Some(build), true) => drawn_gear(build, dice_seed),
            (None, _) => reset.reset_params.loadout(),
        });
        let fight_type = if resets[0].reset_params.randomize_fight_type {
            let types = [FightType::Normal, FightType::Lms, FightType::PvpArena];
            types[rng.random_range(0..3)]
        } else {
            loadouts[0].fight_type
        };
        let scripted = sides.iter().any(|(driver, _)| *driver == Driver::Script);
        let beside = seeded.map_or(scripted, |wish| wish.beside);
        let setups = [0, 1].map(|who| Setup {
            rules: Rules::Server2024,
            loadout: loadouts[who],
            fight_type,
            switches: resets[who].reset_params.switches(),
            beside,
        });
        // What is drawn does not depend on the loadout: the second start is the first with other gear.
        let second = Fight::start(&setups[1], &mut rng.clone());
        let mut fight = Fight::start(&setups[0], &mut rng);
        fight.fighters[1] = second.fighters[1].clone();
        fight.loadouts = loadouts;
        fight.switches = setups.map(|setup| setup.switches);
        let drivers = sides.map(|(driver, _)| driver);
        for who in 0..2 {
            if drivers[who] == Driver::Script {
                fight.hand_to_script(who);
            }
            if !resets[who].training {
                // The script stands west of the agent, as the original has it; agents stand on one tile.
                let west = i16::from(beside && drivers[who] == Driver::Script);
                place(&mut fight, who, FIXED_TILE.offset(-west, 0));
            }
        }
        let constants =
            [0, 1].map(|who| constants(&loadouts[who], &fight.fighters[who], fight_type));
        let [first, last] = drivers;
        let side = |driver, reset: &Reset| Side {
            driver,
            death_match: reset.death_match,
            tells_target: reset.maintain_target_environment,
            stage: Stage::Stepping,
            open: None,
        };
        Self {
            outfits: loadouts.map(|loadout| Outfit::of(&loadout)),
            constants,
            sides: [side(first, resets[0]), side(last, resets[1])],
            fight,
            dice: Random(rng),
            seed: dice_seed,
            closed: false,
        }
    }

    /// What the agent of a side is told when its fight begins.
    pub fn first(&self, who: usize) -> String {
        success(Some(&self.told(who)))
    }

    /// Ticks of the fight, the one of its reset counted.
    pub fn ticks(&self) -> u32 {
        self.fight.ticks + 1
    }

    /// The state of a side by the original's name for it.
    pub fn state(&self, who: usize) -> &'static str {
        match self.sides[who].stage {
            Stage::Stepping => "STEPPING",
            Stage::Terminal(..) => "TERMINAL",
            Stage::Over => "PENDING",
        }
    }

    /// Does a step of this side wait?
    pub fn is_open(&self, who: usize) -> bool {
        self.sides[who].open.is_some()
    }

    /// An agent steps. The tick is played when all who are still fighting have stepped.
    ///
    /// # Errors
    /// When the agent has no fight, or has stepped already.
    pub fn step(
        &mut self,
        who: usize,
        action: Action,
        to: P,
        answers: &mut Answers<P>,
    ) -> Result<(), &'static str> {
        match self.sides[who].stage {
            Stage::Over => {
                return Err(
                    "no step is permitted from state PENDING: the fight is over, reset first",
                );
            }
            Stage::Terminal(..) => self.close(who, to, answers),
            Stage::Stepping if self.sides[who].open.is_some() => {
                return Err("Message already queued");
            }
            Stage::Stepping => {
                self.sides[who].open = Some((action, to));
                let waits = |side: &Side<P>| side.driver == Driver::Agent && side.open.is_none();
                if !self.sides.iter().any(waits) {
                    self.tick(answers);
                }
            }
        }
        Ok(())
    }

    /// An agent leaves: the other has lost its target.
    pub fn leave(&mut self, who: usize, answers: &mut Answers<P>) {
        self.sides[who].stage = Stage::Over;
        self.sides[who].open = None;
        let foe = other(who);
        if self.sides[foe].driver != Driver::Agent || self.sides[foe].stage != Stage::Stepping {
            return;
        }
        let seen = Box::new(self.look(foe).0);
        self.sides[foe].stage = Stage::Terminal(Terminal::TargetLost, seen);
        if let Some((_, to)) = self.sides[foe].open.take() {
            self.close(foe, to, answers);
        }
    }

    /// Somebody who waited is gone without an answer.
    pub fn forget(&mut self, who: usize) -> Option<P> {
        self.sides[who].open.take().map(|(_, to)| to)
    }

    fn look(&self, who: usize) -> (Observation, crate::mask::Mask) {
        let offers = self.fight.offers(who, &self.outfits[who]);
        let seen = self.fight.observe(who, &self.constants[who], &offers);
        (seen, self.fight.mask(who, &offers))
    }

    fn told(&self, who: usize) -> Told {
        let (observation, mask) = self.look(who);
        let target = self.sides[who].tells_target.then(|| self.look(other(who)));
        let meta = meta(&self.fight, who, self.ticks());
        Told { observation, mask, terminal: None, meta, target }
    }

    fn ended(&self, who: usize) -> Option<Terminal> {
        let [me, foe] = [who, other(who)].map(|side| &self.fight.fighters[side]);
        let starving = !self.sides[who].death_match
            && [me, foe].iter().any(|fighter| food_kinds(&Pantry::of(fighter)) == 0);
        // Whoever sees the other fall has won, also while falling.
        if foe.dying {
            Some(Terminal::Won)
        } else if me.dying {
            Some(Terminal::Lost)
        } else {
            starving.then_some(Terminal::Tied)
        }
    }

    fn order(&self, who: usize) -> Order {
        match (&self.sides[who].driver, &self.sides[who].open) {
            (Driver::Script, _) => Order::Script,
            (Driver::Bot(name), _) => {
                let (seen, mask) = self.look(who);
                Order::Act(bots::choose(name, self.seed, self.fight.ticks, who, &seen, &mask))
            }
            (Driver::Agent, Some((action, _))) => Order::Act(*action),
            (Driver::Agent, None) => Order::Wait,
        }
    }

    fn tick(&mut self, answers: &mut Answers<P>) {
        let orders = [self.order(0), self.order(1)];
        self.fight.tick(orders, &mut self.dice);
        let ended = [self.ended(0), self.ended(1)];
        for who in 0..2 {
            let Some((_, to)) = self.sides[who].open.take() else { continue };
            let mut told = self.told(who);
            // Where only one side's fight is over, the other's target is not stepping any more.
            let over = ended[who].or(ended[other(who)].map(|_| Terminal::TargetLost));
            if let Some(terminal) = over {
                self.sides[who].stage = Stage::Terminal(terminal, Box::new(told.observation));
                if self.fight.over() {
                    // The original looks twice when a fighter falls, and sees the splat the second time.
                    let foe = &self.fight.fighters[other(who)];
                    let hp = self.fight.memories[who].target_hp;
                    told.observation[11] = f64::from(hp) / f64::from(foe.max_hp());
                }
            }
            answers.push((to, success(Some(&told))));
        }
    }

    /// Tells an agent how its fight ended. The world has gone on by a tick, in which nobody acts.
    fn close(&mut self, who: usize, to: P, answers: &mut Answers<P>) {
        let Stage::Terminal(terminal, seen) =
            std::mem::replace(&mut self.sides[who].stage, Stage::Over)
        else {
            return;
        };
        if !self.closed {
            self.closed = true;
            let looked = [0, 1].map(|side| self.fight.memories[side].seen);
            let orders = [0, 1].map(|side| match self.sides[side].driver {
                Driver::Script => Order::Script,
                _ => Order::Wait,
            });
            self.fight.tick(orders, &mut self.dice);
            // The original does not look at the other again once the fight is over.
            for (memory, tile) in self.fight.memories.iter_mut().zip(looked) {
                memory.seen = tile;
            }
        }
        let mut told = self.told(who);
        told.observation = *seen;
        told.terminal = Some(terminal);
        answers.push((to, success(Some(&told))));
    }
}

fn place(fight: &mut Fight, who: usize, at: Tile) {
    fight.fighters[who].at = at;
    fight.fighters[who].home = at;
    fight.memories[other(who)].seen = at;
}
