//! Many fights between the same two players, and what is counted in them.

mod count;

use std::collections::BTreeMap;

use lanista_game::seed;
use lanista_nh::bots;
use lanista_nh::gear::items::{ANGLERFISH, COOKED_KARAMBWAN, SHARK};
use lanista_nh::kinds::{Rules, Style};
use lanista_nh::loadout::{Build, Loadout};
use lanista_nh::mask::Mask;
use lanista_nh::observe::{Observation, constants};
use lanista_nh::offers::Outfit;
use lanista_nh::sim::dice::Random;
use lanista_nh::sim::fighter::Fighter;
use lanista_nh::sim::start::Setup;
use lanista_nh::sim::supplies::{BREW, RANGING, SUPER_COMBAT, SUPER_RESTORE};
use lanista_nh::sim::timers::Timer;
use lanista_nh::sim::{Action, Fight, Order, Switches};
use rand::RngExt;

use count::{Counted, Deeds, SPECIALS};

/// How an agent plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// [`bots::random`].
    Random,
    /// [`bots::greedy`].
    Greedy,
}

/// Who fights whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// What both bring.
    pub build: Build,
    /// How the first side plays, and the second unless it is the server's script.
    pub policy: Policy,
    /// Does the server's script play the second side?
    pub scripted: bool,
}

/// The switches of the recorded fights.
const SWITCHES: Switches = Switches {
    prayer_when_attackable: false,
    attack_when_ready: false,
    smite: true,
    redemption: true,
    move_when_ready: false,
};

/// Longer than any fight.
const ENDLESS: u32 = 100_000;

pub const STYLES: [(Style, &str); 3] =
    [(Style::Melee, "melee"), (Style::Ranged, "ranged"), (Style::Magic, "magic")];
pub const SIDES: [&str; 2] = ["agent", "opponent"];

/// What was counted, by name: for each fight a sum and what it is divided by.
#[derive(Default)]
pub struct Figures(BTreeMap<String, Vec<(f64, f64)>>);

/// A figure over all fights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The sums of all fights, divided.
    pub mean: f64,
    /// What one fight differs from it by, as it bears on the mean.
    pub sd: f64,
    /// How many fights there were.
    pub fights: usize,
}

impl Figures {
    fn add(&mut self, name: impl Into<String>, sum: f64, per: f64) {
        self.0.entry(name.into()).or_default().push((sum, per));
    }

    /// A figure; nothing if it was never counted.
    pub fn get(&self, name: &str) -> Option<Estimate> {
        let counted = self.0.get(name)?;
        let fights = counted.len() as f64;
        let (sum, per) = counted.iter().fold((0.0, 0.0), |a, c| (a.0 + c.0, a.1 + c.1));
        if per == 0.0 {
            return None;
        }
        let mean = sum / per;
        // Events of one fight depend on each other, so fights are what varies, not events.
        let squares: f64 = counted.iter().map(|(sum, per)| (sum - mean * per).powi(2)).sum();
        let sd = (squares / (fights - 1.0)).sqrt() / (per / fights);
        Some(Estimate { mean, sd, fights: counted.len() })
    }
}

/// What the fights of a pairing are made of.
pub fn setup(pairing: Pairing) -> Setup {
    let loadout = Loadout::of(pairing.build);
    Setup {
        rules: Rules::Server2024,
        loadout,
        fight_type: loadout.fight_type,
        switches: SWITCHES,
        beside: pairing.scripted,
    }
}

/// Plays that many fights and counts.
pub fn measure(pairing: Pairing, fights: u64) -> Figures {
    let setup = setup(pairing);
    let mut figures = Figures::default();
    for number in 0..fights {
        play(pairing, &setup, number, &mut figures);
    }
    figures
}

fn act(policy: Policy, rng: &mut seed::Rng, seen: &Observation, mask: &Mask) -> Action {
    match policy {
        Policy::Random => bots::random(rng, mask),
        Policy::Greedy => bots::greedy(rng, seen, mask),
    }
}

fn play(pairing: Pairing, setup: &Setup, number: u64, figures: &mut Figures) {
    let mut chance = Counted::new(Random(seed::rng(seed::mix(1, number))));
    let mut players = [2, 3].map(|stream| seed::rng(seed::mix(stream, number)));
    let mut fight = Fight::start(setup, &mut chance.dice.0);
    if pairing.scripted {
        fight.hand_to_script(1);
    }
    let outfit = Outfit::of(&setup.loadout);
    let constants =
        [0, 1].map(|who| constants(&setup.loadout, &fight.fighters[who], setup.fight_type));
    let packed = [0, 1].map(|who| supplies(&fight.fighters[who]));
    // Of two agents one always had its first reply a tick after the other.
    let late = (!pairing.scripted).then(|| players[0].random_range(0..2));
    let mut watch = Watch { late: late == Some(0), ..Watch::default() };
    while !fight.over() {
        assert!(fight.ticks < ENDLESS, "fight {number} of {pairing:?} does not end");
        let orders = [0, 1].map(|who| {
            if pairing.scripted && who == 1 {
                return Order::Script;
            }
            if fight.ticks == 0 && late == Some(who) {
                return Order::Wait;
            }
            let offers = fight.offers(who, &outfit);
            let seen = fight.observe(who, &constants[who], &offers);
            let mask = fight.mask(who, &offers);
            Order::Act(act(pairing.policy, &mut players[who], &seen, &mask))
        });
        watch.before(&fight);
        let specials = chance.deeds[1].specials();
        fight.tick(orders, &mut chance);
        watch.after(&fight, &chance);
        if pairing.scripted {
            let special = chance.deeds[1].specials() > specials;
            watch.script(&fight, special);
        }
    }
    report(pairing, &fight, &chance, &watch, packed, figures);
}

/// What a fighter carries: food by item, potions by dose.
fn supplies(fighter: &Fighter) -> [(&'static str, usize); 7] {
    [
        ("angler", fighter.count(ANGLERFISH)),
        ("shark", fighter.count(SHARK)),
        ("karam", fighter.count(COOKED_KARAMBWAN)),
        ("brew", BREW.doses(fighter)),
        ("combat", SUPER_COMBAT.doses(fighter)),
        ("ranging", RANGING.doses(fighter)),
        ("restore", SUPER_RESTORE.doses(fighter)),
    ]
}

/// What is seen of a fight from outside.
#[derive(Default)]
struct Watch {
    /// Did the first side have its first reply late?
    late: bool,
    frozen: [u32; 2],
    distance: f64,
    /// Damage shown on each side.
    taken: [f64; 2],
    /// Attacks of the first side and those that met the right prayer; then those on it.
    prayed: [[u32; 2]; 2],
    /// Turns of the script by what was done in them.
    turns: BTreeMap<&'static str, u32>,
    pending: [i16; 2],
    rolled: [f64; 2],
    ready: bool,
    freezable: bool,
    restores: usize,
}

impl Watch {
    fn before(&mut self, fight: &Fight) {
        self.pending = [0, 1].map(|who| fight.fighters[who].queue.pending());
        let [agent, script] = &fight.fighters;
        self.ready = script.attacked && script.timers.left(Timer::Attack) <= 1;
        // The agent's countdowns run in its turn, which may come before that of the script.
        let passed = i32::from(agent.pid <= script.pid);
        let over = |timer| agent.timers.left(timer) <= passed;
        self.freezable = over(Timer::Freeze) && over(Timer::Immunity);
        self.restores = SUPER_RESTORE.doses(script);
    }

    fn after(&mut self, fight: &Fight, chance: &Counted) {
        let rolled = [0, 1].map(|who| chance.deeds[who].damage());
        for who in 0..2 {
            let fighter = &fight.fighters[who];
            self.frozen[who] += u32::from(fighter.timers.ahead(Timer::Freeze) > 0);
            // The last splats count in full, though less life was left.
            self.taken[who] += if fighter.dying {
                let sent = rolled[1 - who] - self.rolled[1 - who];
                f64::from(self.pending[who]) + sent - f64::from(fighter.queue.pending())
            } else {
                fighter.splats.iter().flatten().map(|splat| f64::from(splat.damage)).sum()
            };
            if let Some(blow) = fight.reports[who].blow {
                self.prayed[who][0] += 1;
                self.prayed[who][1] += u32::from(blow.prayed);
            }
        }
        self.rolled = rolled;
        self.distance += f64::from(fight.fighters[0].at.distance(fight.fighters[1].at));
    }

    /// What the script did in its turn, worked out from what it led to.
    fn script(&mut self, fight: &Fight, special: bool) {
        let script = &fight.fighters[1];
        let drew = script.special
            && fight.loadouts[1].spec.iter().any(|&kind| script.wielded() == Some(kind));
        let turn = if SUPER_RESTORE.doses(script) < self.restores {
            "RestorePrayer"
        } else if !self.ready {
            return;
        } else if special || drew {
            "Spec"
        } else if self.freezable {
            "UseMagic"
        } else {
            "AttackStyleSwap"
        };
        *self.turns.entry(turn).or_default() += 1;
    }
}

fn report(
    pairing: Pairing,
    fight: &Fight,
    chance: &Counted,
    watch: &Watch,
    packed: [[(&'static str, usize); 7]; 2],
    figures: &mut Figures,
) {
    let ticks = f64::from(fight.ticks);
    figures.add("won", f64::from(u8::from(fight.fighters[1].dying)), 1.0);
    // The server tells of the end a tick later, and counts from the first reply.
    figures.add("ticks", ticks + f64::from(u8::from(!watch.late)), 1.0);
    figures.add("distance", watch.distance / ticks, 1.0);
    let [attacks, prayed] = watch.prayed[0].map(f64::from);
    figures.add("agent off prayer", attacks - prayed, attacks);
    let [attacks, prayed] = watch.prayed[1].map(f64::from);
    figures.add("agent protected", prayed, attacks);
    if pairing.scripted {
        figures.add("script OverheadPrayers", 100.0 * f64::from(chance.overheads), ticks);
        figures.add("script MoveAway", 100.0 * f64::from(chance.asides), ticks);
        for turn in ["RestorePrayer", "Spec", "UseMagic", "AttackStyleSwap"] {
            let turns = watch.turns.get(turn).copied().unwrap_or(0);
            figures.add(format!("script {turn}"), 100.0 * f64::from(turns), ticks);
        }
    }
    for (who, side) in SIDES.into_iter().enumerate() {
        let deeds: &Deeds = &chance.deeds[who];
        figures.add(format!("frozen {side}"), f64::from(watch.frozen[who]) / ticks, 1.0);
        figures.add(format!("{side} damage"), watch.taken[1 - who], 1.0);
        figures.add(format!("{side} hits per 100 ticks"), 100.0 * deeds.hits(), ticks);
        for (style, name) in STYLES {
            let hits = &deeds.styles[style as usize];
            let mut add = |what: &str, sum: f64, per: f64| {
                figures.add(format!("{side} {name} {what}"), sum, per);
            };
            add("hits", hits.hits, 1.0);
            add("accurate", hits.accurate, hits.hits);
            add("chance", hits.chance, hits.hits);
            add("damage", hits.damage, hits.hits);
            add("damage if accurate", hits.damage_if_accurate, hits.accurate);
            // The server works out the most damage of accurate hits only.
            add("max hit", hits.max, hits.accurate);
        }
        for (special, (hits, damage)) in SPECIALS.into_iter().zip(deeds.specials) {
            figures.add(format!("{side} special {special:?}"), hits, 1.0);
            figures.add(format!("{side} special {special:?} damage"), damage, hits);
        }
        for ((name, before), (_, after)) in
            packed[who].into_iter().zip(supplies(&fight.fighters[who]))
        {
            figures.add(format!("{side} consumed {name}"), (before - after) as f64, 1.0);
        }
    }
}
