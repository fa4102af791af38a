//! One hides, one seeks: two roles that see and do different things.
//!
//! Five places stand along a lane: cellar, barn, shed, mill, tower. In every round one of them, each
//! equally often, is locked; both see which. Then both choose at once. The hider takes one of the other
//! places. The seeker chooses where to look and with what: a *lantern* finds whoever is in that very
//! place; a *dog* chases away whoever is there or next door, but its keeper takes a fee, and no dog
//! climbs the tower. What a round moves from the seeker to the hider:
//!
//! ```text
//!                     found               not found
//! lantern            -caught        what the place is worth
//! dog           fee - chased        fee + what the place is worth
//! ```
//!
//! **The equilibrium.** For each locked place this is a zero-sum game of 4 rows (where the hider may be)
//! and 8 columns or, unless the tower is locked, 7 (what the seeker may do), and [`Equilibrium::of`]
//! solves all five. Rounds only add up, so these mixes played in each of them are the equilibrium of the
//! match. With the default worths 5, 4, 2, 6, 4, `caught` 5, `chased` 2 and `fee` 1.5 it is
//!
//! ```text
//! locked   value       hider: cellar barn shed mill tower    seeker: lantern at, dog at
//! cellar   49/34 = 1.44          -   11/34 3/34 9/34 11/34   barn 82, mill 72, tower 44; mill 57 (/255)
//! barn     2659/1612 = 1.65    .307   -   .073 .279 .341     cellar .356, mill .313, tower .191; mill .140
//! shed     925/409 = 2.26      .242 .269   -   .220 .269     cellar .274, barn .193, mill .340, tower .193
//! mill     217/166 = 1.31      .271 .301 .127   -   .301     cellar .217, barn .161, tower .345; barn .277
//! tower    2659/1612 = 1.65    .307 .341 .073 .279   -       cellar .356, barn .191, mill .313; shed .140
//! ```
//!
//! so a round is worth 1.6618 to the hider, and 8 of them 13.29. Both sides must mix, with unequal
//! shares that depend on what is locked. How far a side's mixes are from it,
//! [`hider_exploitability`] and [`seeker_exploitability`] say: what the best reply to them wins beyond
//! the value.

mod equilibrium;

use std::sync::Arc;

use lanista_game::seed::{self, Rng};
use lanista_game::{
    Condition, Control, End, Game, GameSettings, Group, Head, Kind, Outcome, Requirement, Role,
    Seat, SettingsError, Spec, Stat, View, terms,
};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::bots::dice;
use crate::frame::{self, short};
use crate::settings::within;

pub use equilibrium::{
    Equilibrium, HiderMixes, SeekerMixes, hider_exploitability, payoff, searches,
    seeker_exploitability,
};

/// How many places there are.
pub const PLACES: usize = 5;
/// How many tools there are.
pub const TOOLS: usize = 2;
const NAMES: [&str; PLACES] = ["cellar", "barn", "shed", "mill", "tower"];
/// The place where no dog goes.
pub const TOWER: usize = 4;
/// The tool that finds whoever is in the very place.
pub const LANTERN: usize = 0;
/// The tool that finds next door as well.
pub const DOG: usize = 1;

const HIDER: usize = 0;
const SEEKER: usize = 1;
const LOOK: usize = 0;

/// The scripted players of each role. All but the first two can be exploited.
const HIDERS: [&str; 4] = ["random", "equilibrium", "biased", "greedy"];
const SEEKERS: [&str; 4] = ["random", "equilibrium", "biased", "follower"];
const RANDOM: usize = 0;
const BALANCED: usize = 1;
const BIASED: usize = 2;

terms! {
    WON = Event "won": "what this round won from the other side, or lost to it";
}

/// Settings of the game.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Rounds of a match.
    pub rounds: u32,
    /// What each place is worth to a hider who is not found there.
    pub worths: [f64; PLACES],
    /// What a hider pays whom a lantern finds.
    pub caught: f64,
    /// What a hider pays whom a dog finds.
    pub chased: f64,
    /// What the seeker pays for the dog.
    pub fee: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rounds: 8, worths: [5.0, 4.0, 2.0, 6.0, 4.0], caught: 5.0, chased: 2.0, fee: 1.5 }
    }
}

impl Settings {
    /// The place that is worth most while one is locked.
    fn richest(&self, locked: usize) -> usize {
        let open = (0..PLACES).filter(|&place| place != locked);
        open.max_by(|&a, &b| self.worths[a].total_cmp(&self.worths[b])).unwrap_or_default()
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        ("rounds", "rounds of a match, a step each; 1 to 100000"),
        ("worths", "what the hider wins unseen in cellar, barn, shed, mill, tower; 0 to 100 each"),
        ("caught", "what the hider pays when a lantern finds it; 0 to 100"),
        ("chased", "what the hider pays when a dog finds it; 0 to 100"),
        ("fee", "what the seeker pays for the dog, found or not; 0 to 100"),
    ];

    fn check(&self) -> Result<(), SettingsError> {
        within("rounds", self.rounds, 1..=100_000)?;
        self.worths.iter().try_for_each(|&worth| within("worths", worth, 0.0..=100.0))?;
        within("caught", self.caught, 0.0..=100.0)?;
        within("chased", self.chased, 0.0..=100.0)?;
        within("fee", self.fee, 0.0..=100.0)
    }
}

/// How the `biased` hider mixes: half the time it takes the richest place, otherwise any.
pub fn biased_hider(settings: &Settings) -> HiderMixes {
    std::array::from_fn(|locked| {
        let mut mix = [0.5 / (PLACES - 1) as f64; PLACES];
        mix[settings.richest(locked)] += 0.5;
        mix[locked] = 0.0;
        mix
    })
}

/// How the `biased` seeker mixes: with a lantern it looks everywhere alike.
pub const BIASED_SEEKER: SeekerMixes = {
    let mut mixes = [[[0.0; TOOLS]; PLACES]; PLACES];
    let mut locked = 0;
    while locked < PLACES {
        let mut place = 0;
        while place < PLACES {
            if place != locked {
                mixes[locked][place][LANTERN] = 1.0 / (PLACES - 1) as f64;
            }
            place += 1;
        }
        locked += 1;
    }
    mixes
};

/// What all matches of a batch share.
struct Rules {
    settings: Settings,
    /// The mixes of the `equilibrium` and the `biased` players.
    hiders: [HiderMixes; 2],
    seekers: [SeekerMixes; 2],
}

/// One match.
pub struct Hideout {
    spec: Arc<Spec>,
    rules: Arc<Rules>,
    seed: u64,
    rng: Rng,
    left: u32,
    locked: usize,
    /// Where the hider was in the round before.
    last: Option<usize>,
    /// What the hider has won so far, and the seeker lost.
    lead: f64,
    /// How often the hider was in each place, and the seeker looked there.
    chosen: [[u32; PLACES]; 2],
    dogs: u32,
    found: u32,
}

impl Hideout {
    fn new(rules: Arc<Rules>, spec: Arc<Spec>) -> Self {
        let mut game = Self {
            spec,
            rules,
            seed: 0,
            rng: seed::rng(0),
            left: 0,
            locked: 0,
            last: None,
            lead: 0.0,
            chosen: [[0; PLACES]; 2],
            dogs: 0,
            found: 0,
        };
        game.reset(0, &[Control::Outside; 2]);
        game
    }

    fn round(&self) -> u32 {
        self.rules.settings.rounds - self.left
    }
}

/// The index that a number from 0 to 1 falls on.
fn draw(mix: &[f64], mut at: f64) -> usize {
    let mut chosen = 0;
    for (index, &share) in mix.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        // Rounding may leave a rest after the last one.
        chosen = index;
        if at < share {
            break;
        }
        at -= share;
    }
    chosen
}

impl Kind for Hideout {
    type Settings = Settings;
    const NAME: &'static str = "hideout";
    const ABOUT: &'static str = "one hides, one seeks: two roles with a known mixed equilibrium";

    fn describe(_: &Settings) -> Spec {
        let locked = || NAMES.map(|place| format!("{place}_locked"));
        let last = NAMES.map(|place| format!("last_in_{place}"));
        let hider = Role {
            name: "hider".into(),
            observation: vec![Group::features(locked()), ["rounds_left"].into()],
            heads: vec![Head::new("hide", NAMES)],
            bots: HIDERS.map(Into::into).to_vec(),
            ..Role::default()
        };
        let seeker = Role {
            name: "seeker".into(),
            observation: vec![
                Group::features(locked()),
                Group::features(last),
                ["rounds_left"].into(),
            ],
            heads: vec![Head::new("look", NAMES), Head::new("tool", ["lantern", "dog"])],
            requires: vec![Requirement {
                head: 1,
                action: DOG as u32,
                condition: Condition::None,
                choices: vec![(LOOK, TOWER as u32)],
            }],
            bots: SEEKERS.map(Into::into).to_vec(),
            ..Role::default()
        };
        let mut stats = NAMES.map(Stat::team).to_vec();
        stats.extend(["dog".into(), "found".into()]);
        Spec {
            roles: vec![hider, seeker],
            seats: vec![Seat::of(0).role(HIDER), Seat::of(1).role(SEEKER)],
            terms: terms(),
            stats,
            ..Spec::default()
        }
    }

    fn matches(
        settings: Settings,
        spec: Arc<Spec>,
        count: usize,
    ) -> Result<Vec<Self>, SettingsError> {
        let Equilibrium { hider, seeker, .. } = Equilibrium::of(&settings);
        let hiders = [hider, biased_hider(&settings)];
        let rules = Arc::new(Rules { settings, hiders, seekers: [seeker, BIASED_SEEKER] });
        Ok((0..count).map(|_| Self::new(rules.clone(), spec.clone())).collect())
    }
}

impl Game for Hideout {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _: &[Control]) {
        self.seed = seed;
        self.rng = seed::rng(seed);
        self.left = self.rules.settings.rounds;
        self.locked = self.rng.random_range(0..PLACES);
        self.last = None;
        self.lead = 0.0;
        self.chosen = [[0; PLACES]; 2];
        (self.dogs, self.found) = (0, 0);
    }

    fn observe(&self, view: &mut View) {
        let left = self.left as f32 / self.rules.settings.rounds as f32;
        for role in [HIDER, SEEKER] {
            let mut seat = view.seat(role);
            seat.observation.fill(0.0);
            seat.observation[self.locked] = 1.0;
            if let (SEEKER, Some(last)) = (role, self.last) {
                seat.observation[PLACES + last] = 1.0;
            }
            if let Some(rounds_left) = seat.observation.last_mut() {
                *rounds_left = left;
            }
            // Where one hides and where one looks is the first choice of both.
            seat.forbid(LOOK, self.locked);
            *seat.acting = self.left > 0;
        }
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        let heads = actions.len() / 2;
        let (hidden, search) = (actions[0] as usize, &actions[heads..]);
        let (looked, tool) = (search[LOOK] as usize, search[1] as usize);
        let won = payoff(&self.rules.settings, hidden, looked, tool);
        out.seat(HIDER)[WON] = won as f32;
        out.seat(SEEKER)[WON] = -won as f32;
        self.lead += won;
        self.chosen[HIDER][hidden] += 1;
        self.chosen[SEEKER][looked] += 1;
        self.dogs += u32::from(tool == DOG);
        let reach = usize::from(tool == DOG);
        self.found += u32::from(hidden.abs_diff(looked) <= reach);
        self.last = Some(hidden);
        self.locked = self.rng.random_range(0..PLACES);
        self.left -= 1;
        if self.left == 0 {
            *out.end = Some(End::Terminated);
            out.score.copy_from_slice(&[self.lead as f32, -self.lead as f32]);
            let share = |count: u32| count as f32 / self.rules.settings.rounds as f32;
            for place in 0..PLACES {
                for role in [HIDER, SEEKER] {
                    out.stats[2 * place + role] = share(self.chosen[role][place]);
                }
            }
            out.stats[2 * PLACES..].copy_from_slice(&[share(self.dogs), share(self.found)]);
        }
    }

    fn frame(&self, out: &mut String) {
        let object = json!({
            "round": self.round(),
            "locked": (self.left > 0).then_some(self.locked),
            "last": self.last,
            "lead": short(self.lead),
            "chosen": self.chosen,
            "dogs": self.dogs,
            "found": self.found,
        });
        frame::write(&object, out);
    }

    fn scene(&self, out: &mut String) {
        let Settings { rounds, worths, caught, chased, fee } = &self.rules.settings;
        let object = json!({
            "rounds": rounds,
            "places": NAMES,
            "worths": worths,
            "caught": caught,
            "chased": chased,
            "fee": fee,
        });
        frame::write(&object, out);
    }

    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        let (rules, locked) = (&*self.rules, self.locked);
        let mut dice = dice(self.seed, self.round(), seat);
        if bot == RANDOM {
            let mut mask = [true; PLACES + TOOLS];
            mask[locked] = false;
            self.spec.role_of(seat).draw(&mask, &[], &mut dice, action);
            return;
        }
        let at = dice.random::<f64>();
        let of_mix = bot - BALANCED;
        if seat == HIDER {
            action[0] = match bot {
                BALANCED | BIASED => draw(&rules.hiders[of_mix][locked], at) as u32,
                _ => rules.settings.richest(locked) as u32,
            };
            return;
        }
        let (place, tool) = match bot {
            BALANCED | BIASED => {
                let chosen = draw(rules.seekers[of_mix][locked].as_flattened(), at);
                (chosen / TOOLS, chosen % TOOLS)
            }
            _ => {
                let last = self.last.filter(|&last| last != locked);
                (last.unwrap_or_else(|| rules.settings.richest(locked)), LANTERN)
            }
        };
        action.copy_from_slice(&[place as u32, tool as u32]);
    }
}

#[cfg(test)]
mod tests;
