//! What a tick is worth to a side: the facts that the original environment sends beside its
//! observations, and the terms its rewards are made of.

use lanista_game::{Term, TermKind};

use crate::kinds::{Skill, Style};
use crate::sim::fighter::Fighter;
use crate::sim::report::{Blow, Meal};
use crate::sim::supplies::{self, Pantry};
use crate::sim::timers::Timer;
use crate::sim::{Fight, other};

/// How a fight ended for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The other fell.
    Won,
    /// This side fell.
    Lost,
    /// Nobody won.
    Tied,
}

/// What is known of the tick before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    prayer: Option<Style>,
    style: Option<Style>,
    frozen: i32,
}

impl Before {
    /// A side as the tick began.
    pub fn of(fighter: &Fighter) -> Self {
        Self {
            prayer: fighter.protection(),
            style: Some(fighter.style()),
            frozen: fighter.timers.left(Timer::Freeze),
        }
    }
}

/// An attack that takes so many ticks counts once; slower ones count more.
const USUAL_SPEED: f32 = 5.0;

use TermKind::{Event, Outcome, Shaping};

/// Name, kind and meaning of every term, in order.
const TERMS: [(&str, TermKind, &str); 66] = [
    ("won", Outcome, "1 when the opponent falls"),
    ("lost", Outcome, "1 when the fighter falls and the opponent does not"),
    ("tied", Outcome, "1 when nobody won: no food left, without death match"),
    ("target_died_with_food", Outcome, "food the fallen opponent had left, in lives"),
    ("target_died_with_brew", Outcome, "brew the fallen opponent had left, in lives"),
    ("target_died_with_supplies", Outcome, "both, s (s + 1.2)^1.5: waste counts double"),
    ("died_with_food", Outcome, "food left when falling, in lives"),
    ("died_with_brew", Outcome, "brew left when falling, in lives"),
    ("died_with_supplies", Outcome, "both, s (s + 1.2)^1.5: waste counts double"),
    ("damage_dealt", Event, "damage of this tick's attacks when rolled, in lives"),
    ("damage_received", Event, "damage rolled against the fighter, in lives"),
    ("splats_dealt", Event, "damage shown on the opponent this tick, in lives"),
    ("splats_received", Event, "damage shown on the fighter this tick, in lives"),
    ("extra_damage_dealt", Event, "vengeance, bleeding, sacrifice, in lives"),
    ("extra_damage_received", Event, "the same from the opponent, in lives"),
    ("smite_damage_dealt", Event, "damage_dealt under smite"),
    ("smite_damage_received", Event, "damage_received under the opponent's smite"),
    ("magic_damage_received", Event, "damage_received by spells"),
    ("healed", Event, "life gained by attacks: blood spells, blood fury, sacrifice"),
    ("target_healed", Event, "the same for the opponent"),
    ("attacked_correct_prayer", Event, "attack past the opponent's prayer, speed / 5"),
    ("attacked_wrong_prayer", Event, "attack into the opponent's prayer, speed / 5"),
    ("protected_correct_prayer", Event, "attacked into the right prayer, speed / 5"),
    ("protected_wrong_prayer", Event, "attacked past the prayer, speed / 5"),
    ("attacked_previous_correct_prayer", Event, "attack past the prayer of the tick before"),
    ("attacked_previous_wrong_prayer", Event, "attack into the prayer of the tick before"),
    ("protected_previous_correct_prayer", Event, "prayer against the weapon of the tick before"),
    ("protected_previous_wrong_prayer", Event, "prayer against another than that weapon"),
    ("player_frozen", Event, "ticks by which the fighter was frozen"),
    ("target_frozen", Event, "ticks by which the opponent was frozen"),
    ("boosted_hit", Event, "boost of the style's level when attacking, as a share"),
    ("attacks_melee", Event, "1 when attacking with melee"),
    ("attacks_ranged", Event, "1 when attacking with missiles"),
    ("attacks_magic", Event, "1 when attacking with spells"),
    ("attacked_melee", Event, "1 when attacked with melee"),
    ("attacked_ranged", Event, "1 when attacked with missiles"),
    ("attacked_magic", Event, "1 when attacked with spells"),
    ("hit_speed", Event, "ticks that the attack takes"),
    ("target_hit_speed", Event, "ticks that the opponent's attack takes"),
    ("eaten_food", Event, "what this tick's food can heal, in lives"),
    ("wasted_food", Event, "what of it was over the top, in lives"),
    ("ate_at", Event, "life when eating, as a share"),
    ("ate_to", Event, "life after eating, as a share"),
    ("wasted_brew", Event, "what of a brew was over the top, in lives"),
    ("brewed_at", Event, "life when drinking brew, as a share"),
    ("brewed_to", Event, "life after drinking brew, as a share"),
    ("tick", Shaping, "1 a tick"),
    ("no_prayer", Shaping, "1 without prayer points"),
    ("attack_level", Shaping, "attack above its maximum, as a share"),
    ("strength_level", Shaping, "strength above its maximum, as a share"),
    ("defence_level", Shaping, "defence above its maximum, as a share"),
    ("ranged_level", Shaping, "ranged above its maximum, as a share"),
    ("magic_level", Shaping, "magic above its maximum, as a share"),
    ("health", Shaping, "life, as a share"),
    ("prayer", Shaping, "prayer points, as a share"),
    ("target_health", Shaping, "the opponent's life, as a share"),
    ("distance", Shaping, "tiles between the two"),
    ("player_frozen_ticks", Shaping, "ticks until the fighter may move"),
    ("target_frozen_ticks", Shaping, "ticks until the opponent may move"),
    ("food", Shaping, "food left, in lives"),
    ("brew", Shaping, "brew left, in lives"),
    ("food_kinds", Shaping, "kinds of food left"),
    ("target_food", Shaping, "food the opponent has left, in lives"),
    ("target_brew", Shaping, "brew the opponent has left, in lives"),
    ("target_food_kinds", Shaping, "kinds of food the opponent has left"),
    ("praying", Shaping, "1 under a protection prayer"),
];

/// How many terms there are.
pub const COUNT: usize = TERMS.len();

/// The terms for the rest of the program.
pub fn terms() -> Vec<Term> {
    TERMS.iter().map(|&(name, kind, about)| Term::new(kind, name, about)).collect()
}

/// What the food left can heal.
pub fn food_heal_left(pantry: &Pantry) -> u16 {
    22 * u16::from(pantry.anglerfish)
        + 20 * u16::from(pantry.sharks)
        + 18 * u16::from(pantry.karambwans)
}

/// What the brew left can heal.
pub fn brew_heal_left(fighter: &Fighter, pantry: &Pantry) -> u16 {
    u16::from(pantry.doses[0]) * supplies::brew_heal(fighter.max_hp()).unsigned_abs()
}

/// Food left, in lives.
pub fn food_left(fighter: &Fighter, pantry: &Pantry) -> f32 {
    f32::from(food_heal_left(pantry)) / f32::from(fighter.max_hp())
}

/// Brew left, in lives.
pub fn brew_left(fighter: &Fighter, pantry: &Pantry) -> f32 {
    f32::from(brew_heal_left(fighter, pantry)) / f32::from(fighter.max_hp())
}

/// Kinds of food left.
pub fn food_kinds(pantry: &Pantry) -> usize {
    [pantry.anglerfish, pantry.sharks, pantry.karambwans].into_iter().filter(|&n| n > 0).count()
}

/// Writes the terms of the last tick for `who`.
pub fn write(
    fight: &Fight,
    who: usize,
    before: &[Before; 2],
    ended: Option<Ended>,
    out: &mut [f32],
) {
    let (me, foe) = (&fight.fighters[who], &fight.fighters[other(who)]);
    let (mine, theirs) = (&fight.reports[who], &fight.reports[other(who)]);
    let lives = |damage: i16, of: &Fighter| f32::from(damage) / f32::from(of.max_hp());
    let mut places = out.iter_mut();
    let mut put = |value: f32| {
        if let Some(place) = places.next() {
            *place = value;
        }
    };
    let flag = |value: bool| f32::from(u8::from(value));

    put(flag(ended == Some(Ended::Won)));
    put(flag(ended == Some(Ended::Lost)));
    put(flag(ended == Some(Ended::Tied)));
    let pantries = [Pantry::of(me), Pantry::of(foe)];
    for (fell, fighter, pantry) in
        [(Ended::Won, foe, &pantries[1]), (Ended::Lost, me, &pantries[0])]
    {
        if ended == Some(fell) {
            let (food, brew) = (food_left(fighter, pantry), brew_left(fighter, pantry));
            put(food);
            put(brew);
            put((food + brew) * (food + brew + 1.2).powf(1.5));
        } else {
            (0..3).for_each(|_| put(0.0));
        }
    }
    let (dealt, received) = (lives(mine.generated, foe), lives(theirs.generated, me));
    let memory = &fight.memories[who];
    put(dealt);
    put(received);
    put(lives(memory.splats_dealt, foe));
    put(lives(memory.splats_received, me));
    put(lives(mine.extra, foe));
    put(lives(theirs.extra, me));
    put(if mine.blow.is_some_and(|blow| blow.smite) { dealt } else { 0.0 });
    put(if theirs.blow.is_some_and(|blow| blow.smite) { received } else { 0.0 });
    put(if theirs.blow.is_some_and(|b| b.style == Style::Magic) { received } else { 0.0 });
    put(lives(mine.healed, me));
    put(lives(theirs.healed, foe));

    let speed = |blow: &Blow| blow.speed as f32 / USUAL_SPEED;
    let when = |blow: &Option<Blow>, holds: &dyn Fn(&Blow) -> bool| {
        blow.as_ref().filter(|blow| holds(blow)).map_or(0.0, speed)
    };
    put(when(&mine.blow, &|blow| !blow.prayed));
    put(when(&mine.blow, &|blow| blow.prayed));
    put(when(&theirs.blow, &|blow| blow.prayed));
    put(when(&theirs.blow, &|blow| !blow.prayed));
    let (me_before, foe_before) = (&before[who], &before[other(who)]);
    put(when(&mine.blow, &|blow| foe_before.prayer != Some(blow.style)));
    put(when(&mine.blow, &|blow| foe_before.prayer == Some(blow.style)));
    put(when(&theirs.blow, &|blow| blow.prayer.is_some() && blow.prayer == foe_before.style));
    put(when(&theirs.blow, &|blow| blow.prayer.is_some() && blow.prayer != foe_before.style));
    let frozen = |fighter: &Fighter, before: &Before| {
        (fighter.timers.left(Timer::Freeze) - before.frozen).max(0) as f32
    };
    put(frozen(me, me_before));
    put(frozen(foe, foe_before));

    let level = |skill| lives_of(me, skill) - 1.0;
    put(mine.blow.map_or(0.0, |blow| {
        level(match blow.style {
            Style::Melee => Skill::Strength,
            Style::Ranged => Skill::Ranged,
            Style::Magic => Skill::Magic,
        })
        .max(0.0)
    }));
    for blow in [mine.blow, theirs.blow] {
        for style in [Style::Melee, Style::Ranged, Style::Magic] {
            put(flag(blow.is_some_and(|blow| blow.style == style)));
        }
    }
    put(mine.blow.map_or(0.0, |blow| blow.speed as f32));
    put(theirs.blow.map_or(0.0, |blow| blow.speed as f32));
    let meal = |meal: &Option<Meal>, part: fn(&Meal) -> i16| {
        meal.as_ref().map_or(0.0, |meal| lives(part(meal), me))
    };
    put(meal(&mine.food, |food| food.heal));
    put(meal(&mine.food, |food| food.wasted));
    put(meal(&mine.food, |food| food.at));
    put(meal(&mine.food, |food| food.to));
    put(meal(&mine.brew, |brew| brew.wasted));
    put(meal(&mine.brew, |brew| brew.at));
    put(meal(&mine.brew, |brew| brew.to));

    put(1.0);
    put(flag(me.level(Skill::Prayer) == 0));
    for skill in [Skill::Attack, Skill::Strength, Skill::Defence, Skill::Ranged, Skill::Magic] {
        put(level(skill));
    }
    put(lives_of(me, Skill::Hitpoints));
    put(lives_of(me, Skill::Prayer));
    put(lives_of(foe, Skill::Hitpoints));
    put(f32::from(me.at.distance(foe.at)));
    put(me.timers.left(Timer::Freeze) as f32);
    put(foe.timers.left(Timer::Freeze) as f32);
    for (fighter, pantry) in [me, foe].into_iter().zip(&pantries) {
        put(food_left(fighter, pantry));
        put(brew_left(fighter, pantry));
        put(food_kinds(pantry) as f32);
    }
    put(flag(me.protection().is_some()));
}

fn lives_of(fighter: &Fighter, skill: Skill) -> f32 {
    f32::from(fighter.level(skill)) / f32::from(fighter.max_level(skill))
}
