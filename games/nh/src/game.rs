//! A fight behind the contract of a game.

use std::sync::Arc;

use lanista_game::{
    Bot, Control, End, Game, Group, Kind, Outcome, Role, Seat, SettingsError, Spec, View, seed,
};
use rand::RngExt;

use crate::bots;
use crate::contract::{self, ACTIONS, FIELDS, HIDDEN, PARTIAL};
use crate::delay::Delay;
use crate::kinds::FightType;
use crate::loadout::java;
use crate::loadout::{Build, Loadout};
use crate::mask::Mask;
use crate::observe::{Observation, constants};
use crate::offers::Outfit;
use crate::settings::Settings;
use crate::sim::dice::Random;
use crate::sim::start::Setup;
use crate::sim::supplies::Pantry;
use crate::sim::{Action, Fight, Order};
use crate::stats::{self, Stats};
use crate::terms::{self, Before, Ended};

/// Scripted players, in order.
pub const BOTS: [&str; 5] = ["baseline", "greedy", "simple", "random", "idle"];
/// The server's own script. It is no player of the contract, so the fight drives it.
pub const BASELINE: usize = 0;
/// Who does nothing at all. The contract offers no such choice: whoever may attack must, and whoever may
/// pray must. So the fight drives this one too.
pub const IDLE: usize = 4;

/// How long a tick lasts in the game itself.
const TICK_SECS: f64 = 0.6;

/// Sets the draws of gear apart from those of the fight.
const GEAR_SALT: u64 = 0x6765_6172;

/// One fight.
pub struct Nh {
    spec: Arc<Spec>,
    settings: Arc<Settings>,
    /// The loadouts of the builds, gear not drawn.
    loadouts: Arc<[Loadout]>,
    fight: Fight,
    outfit: Outfit,
    constants: [Observation; 2],
    /// Who drives each side.
    seats: [Control; 2],
    /// Actions of each side that are on their way.
    delays: [Delay; 2],
    stats: Stats,
    dice: Random,
    seed: u64,
}

/// What the game is made of.
pub fn describe() -> Spec {
    let bot = |(index, name)| match index {
        BASELINE | IDLE => Bot::inside(name),
        _ => Bot::from(name),
    };
    let player = Role {
        observation: vec![Group::features(contract::features())],
        privileged: contract::privileged(),
        heads: contract::heads(),
        requires: contract::requires(),
        bots: BOTS.into_iter().enumerate().map(bot).collect(),
        ..Role::default()
    };
    Spec {
        roles: vec![player],
        seats: vec![Seat::of(0), Seat::of(1)],
        terms: terms::terms(),
        stats: stats::stats(),
        ..Spec::default()
    }
}

/// The loadouts that the settings draw from.
pub fn loadouts(settings: &Settings) -> Arc<[Loadout]> {
    settings.builds.iter().map(|&build| settings.levelled(Loadout::of(build))).collect()
}

/// A build with gear that follows from the seed of a match.
pub fn drawn_gear(build: Build, seed: u64) -> Loadout {
    let mut draws = java::Random::new(seed::mix(seed, GEAR_SALT) as i64);
    Loadout::randomized_from(build, &mut draws)
}

impl Nh {
    /// A fight; `settings` have been checked.
    pub fn new(settings: Arc<Settings>, spec: Arc<Spec>, loadouts: Arc<[Loadout]>) -> Self {
        let mut dice = Random(seed::rng(0));
        let loadout = loadouts.first().copied().unwrap_or_else(|| Loadout::of(Build::Maxed));
        let setup = settings.setup(loadout, loadout.fight_type);
        let fight = Fight::start(&setup, &mut dice.0);
        Self {
            outfit: Outfit::of(&loadout),
            constants: [[0.0; 176]; 2],
            seats: [Control::Outside; 2],
            delays: [Delay::default(); 2],
            stats: Stats::default(),
            seed: 0,
            spec,
            settings,
            loadouts,
            fight,
            dice,
        }
    }

    /// The fight as it stands.
    pub fn fight(&self) -> &Fight {
        &self.fight
    }

    fn draw(&mut self) -> Setup {
        let settings = &self.settings;
        let rng = &mut self.dice.0;
        let mut loadout = self.loadouts[rng.random_range(0..self.loadouts.len())];
        if settings.randomize_gear {
            loadout = settings.levelled(drawn_gear(loadout.build, self.seed));
        }
        let fight_type = if settings.randomize_fight_type {
            let types = [FightType::Normal, FightType::Lms, FightType::PvpArena];
            types[rng.random_range(0..3)]
        } else {
            settings.fight_type.unwrap_or(loadout.fight_type)
        };
        settings.setup(loadout, fight_type)
    }

    /// What a side sees and may do.
    pub fn look(&self, who: usize) -> (Observation, Mask) {
        let offers = self.fight.offers(who, &self.outfit);
        let seen = self.fight.observe(who, &self.constants[who], &offers);
        (seen, self.fight.mask(who, &offers))
    }

    /// Does the server's script play this side?
    fn scripts(&self, who: usize) -> bool {
        self.seats[who] == Control::Bot(BASELINE)
    }

    /// Does somebody choose its actions?
    fn chooses(&self, who: usize) -> bool {
        !matches!(self.seats[who], Control::Bot(BASELINE | IDLE) | Control::Nobody)
    }

    fn ended(&self, who: usize) -> Option<Ended> {
        let [me, foe] = [who, 1 - who].map(|side| &self.fight.fighters[side]);
        let starving = !self.settings.death_match
            && [me, foe].iter().any(|side| terms::food_kinds(&Pantry::of(side)) == 0);
        // Whoever sees the other fall has won, also while falling.
        if foe.dying {
            Some(Ended::Won)
        } else if me.dying {
            Some(Ended::Lost)
        } else {
            starving.then_some(Ended::Tied)
        }
    }
}

impl Kind for Nh {
    type Settings = Settings;
    const NAME: &'static str = "nh";
    const ABOUT: &'static str = "Old School RuneScape: a no-honour fight, one against one";

    fn describe(_: &Settings) -> Spec {
        describe()
    }

    fn matches(
        settings: Settings,
        spec: Arc<Spec>,
        count: usize,
    ) -> Result<Vec<Self>, SettingsError> {
        let loadouts = loadouts(&settings);
        let settings = Arc::new(settings);
        let game = |_| Self::new(settings.clone(), spec.clone(), loadouts.clone());
        Ok((0..count).map(game).collect())
    }
}

impl Game for Nh {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, seats: &[Control]) {
        self.seed = seed;
        self.dice = Random(seed::rng(seed));
        let setup = self.draw();
        self.fight = Fight::start(&setup, &mut self.dice.0);
        self.outfit = Outfit::of(&setup.loadout);
        self.constants = std::array::from_fn(|who| {
            constants(&setup.loadout, &self.fight.fighters[who], setup.fight_type)
        });
        self.seats = [seats[0], seats[1]];
        self.delays = [Delay::default(); 2];
        for who in 0..2 {
            if self.scripts(who) {
                self.fight.hand_to_script(who);
            }
        }
        self.stats = Stats::default();
    }

    fn observe(&self, view: &mut View) {
        let looks = [self.look(0), self.look(1)];
        for (who, (seen, mask)) in looks.iter().enumerate() {
            let seat = view.seat(who);
            // Lengths that are known here, so that the loops are unrolled.
            for (place, &value) in seat.observation[..FIELDS.len()].iter_mut().zip(seen) {
                *place = value as f32;
            }
            seat.mask[..ACTIONS].copy_from_slice(mask);
            let theirs = &looks[1 - who].0;
            for (place, &field) in seat.privileged[..PARTIAL].iter_mut().zip(&HIDDEN) {
                *place = theirs[field] as f32;
            }
            *seat.acting = self.chooses(who);
        }
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        let before = std::array::from_fn(|who| Before::of(&self.fight.fighters[who]));
        let orders = std::array::from_fn(|who| {
            if self.scripts(who) {
                return Order::Script;
            }
            let mut action: Action = [0; 12];
            if self.chooses(who) {
                for (place, &choice) in action.iter_mut().zip(&actions[who * 12..]) {
                    *place = choice as u8;
                }
            }
            if self.seats[who] == Control::Outside {
                let when = (self.seed, self.fight.ticks, who);
                action = self.delays[who].pass(self.settings.latency(), when, action);
            }
            Order::Act(action)
        });
        self.fight.tick(orders, &mut self.dice);
        self.stats.update(&self.fight);
        let ended = [self.ended(0), self.ended(1)];
        for who in 0..2 {
            terms::write(&self.fight, who, &before, ended[who], out.seat(who));
        }
        if ended[0].is_some() || ended[1].is_some() {
            *out.end = Some(End::Terminated);
        } else if self.fight.ticks >= self.settings.max_ticks {
            *out.end = Some(End::Truncated);
        }
        if out.end.is_some() {
            for who in 0..2 {
                out.score[who] = f32::from(u8::from(ended[who] == Some(Ended::Won)));
            }
            self.stats.write(&self.fight, out.stats);
        }
    }

    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        let (seen, mask) = self.look(seat);
        let name = BOTS.get(bot).copied().unwrap_or_default();
        let chosen = bots::choose(name, self.seed, self.fight.ticks, seat, &seen, &mask);
        for (place, choice) in action.iter_mut().zip(chosen) {
            *place = u32::from(choice);
        }
    }

    fn frame(&self, out: &mut String) {
        crate::frame::write(&self.fight, out);
    }

    fn scene(&self, out: &mut String) {
        crate::frame::scene(&self.fight, out);
    }

    fn step_secs(&self) -> Option<f64> {
        Some(TICK_SECS)
    }

    fn notes(&self) -> Vec<String> {
        let rules = match self.settings.rules {
            crate::kinds::Rules::Server2024 => "those of the recorded training server",
            crate::kinds::Rules::Live => "those of today's game",
        };
        vec![format!("Rules: {rules}; open field.")]
    }
}
