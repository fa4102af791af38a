//! What a move would do as far as a side can tell.

use super::accuracy::{chance_of_critical, chance_to_hit};
use super::clash::Clash;
use super::combatant::{Combatant, Conditions, Outcome, Strike};
use super::facts::flag;
use super::kinds::{AbilityKind, ItemKind, MoveKind, SpeciesKind};
use super::knowledge::{Place, Scene};
use crate::dex::{Category, MoveId, Target, Type};
use crate::state::{Battle, Status, Terrain, Weather};

/// What a move would do to somebody. Shares are of the target's maximum health and may pass 1: they are not
/// cut at what it has left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The least that it does if it hits, all strokes of it together.
    pub min: f32,
    /// The most, without a critical hit unless it always is one.
    pub max: f32,
    /// The mean if it hits, critical hits reckoned in.
    pub mean: f32,
    /// The chance that it hits: 0 where it would fail.
    pub hit: f32,
    /// The chance that it fells the target from the health it has, if it hits.
    pub ko: f32,
    /// The factor of the types: 0, ¼, ½, 1, 2, 4.
    pub effectiveness: f32,
    /// The chance of a critical hit.
    pub critical: f32,
    /// Strokes to expect of one use.
    pub strokes: f32,
    /// Its priority as the user would have it.
    pub priority: i8,
    /// It strikes more than this one.
    pub spread: bool,
    /// It does nothing to this target: immunity, a block of its priority, a condition that is not met.
    pub blocked: bool,
}

/// What a move of one (side, index in its team) would do to another.
///
/// What is not known of a foe is filled: stats as of a neutral set by the species' role (everything into its
/// better attack, and as much into speed or health), the first ability that its species may still have, no
/// item. Both may be
/// on the bench: they are taken to stand in the field.
///
/// # Panics
/// If there is no such side or member.
pub fn estimate(battle: &Battle, attacker: Place, a_move: MoveId, target: Place) -> Estimate {
    let scene = Scene::new(battle);
    let around = scene.conditions(attacker, target);
    reckon(&scene, attacker, scene.combatant(attacker), a_move, target, around)
}

/// The same if the attacker terastallises or mega evolves first, where it can; the weather that a mega form
/// brings is reckoned in.
///
/// # Panics
/// If there is no such side or member.
pub fn estimate_with_gimmick(
    battle: &Battle,
    attacker: Place,
    a_move: MoveId,
    target: Place,
) -> Estimate {
    let scene = Scene::new(battle);
    let mut striker = scene.combatant(attacker);
    let before = striker.species;
    scene.with_gimmick(attacker, &mut striker);
    let mut around = scene.conditions(attacker, target);
    if striker.species != before {
        around.weather = scene.weather_of(&striker).or(around.weather);
    }
    reckon(&scene, attacker, striker, a_move, target, around)
}

/// How fast somebody is now, with stages, status, ability, item and wind; Trick Room changes the order alone.
/// A foe's is guessed within what its moves have shown.
///
/// # Panics
/// If there is no such side or member.
pub fn speed(battle: &Battle, side: usize, index: usize) -> u32 {
    let scene = Scene::new(battle);
    scene.speed(&scene.combatant((side, index)), side)
}

fn reckon(
    scene: &Scene,
    attacker_at: Place,
    mut attacker: Combatant,
    a_move: MoveId,
    target_at: Place,
    around: Conditions,
) -> Estimate {
    let facts = scene.facts.a_move(a_move);
    if facts.category == Category::Status || !a_move.is_known() {
        return Estimate { priority: facts.priority, blocked: true, ..Estimate::default() };
    }
    let target = scene.combatant(target_at);
    scene.ready(&mut attacker);
    let mut strike = Strike { a_move, number: 1, ..Strike::default() };
    if facts.kind == MoveKind::Present {
        strike.drawn_power = 80;
    }
    let seen = Clash::new(scene.facts, &attacker, &target, &strike, &around);
    let turns = matches!(seen.own, AbilityKind::Protean | AbilityKind::Libero)
        && attacker.tera.is_none()
        && !attacker.marks.type_changed;
    if let (true, Some(element)) = (turns, seen.element) {
        attacker.types = super::Types::of([element]);
    }
    let first = Clash::new(scene.facts, &attacker, &target, &strike, &around);
    let priority = priority(&first);
    let spread = spreads(scene, &first, attacker_at);
    let critical = chance_of_critical(&first);
    let hit = chance_to_hit(&first);
    let mut estimate =
        Estimate { priority, spread, critical, hit, strokes: 1.0, ..Estimate::default() };
    let known = &scene.battle.sides[attacker_at.0].team[attacker_at.1];
    let too_late = matches!(facts.kind, MoveKind::FakeOut | MoveKind::FirstImpression)
        && known.turns_in > 0
        && scene.battle.sides[attacker_at.0].active.contains(&Some(attacker_at.1));
    if too_late || blocked(&first, priority) || first.immune() {
        return Estimate { blocked: true, hit: 0.0, ..estimate };
    }
    estimate.effectiveness = 2f32.powi(i32::from(first.effectiveness()));
    let flying = target.marks.out_of_reach.is_known() && attacker.order > target.order;
    if flying && !super::ids::reaches(facts.kind, target.marks.out_of_reach) {
        estimate.hit = 0.0;
    }
    let takes_first = takes_first_stroke(&first);
    let sash = survives(&first);
    let strokes = Strokes::of(scene, &first, attacker_at, spread);
    let (max_hp, hp, substitute) = (target.max_hp, target.hp, target.marks.substitute);
    strike.spread = spread;
    let sum = Sum::of(scene, attacker, target, strike, &around, &strokes, critical, takes_first);
    let whole = f32::from(max_hp.max(1));
    estimate.min = sum.min / whole;
    estimate.max = sum.max / whole;
    estimate.mean = sum.mean / whole;
    estimate.strokes = strokes.expected;
    let spared = facts.kind == MoveKind::FalseSwipe || substitute || hp == 0;
    estimate.ko = if spared { 0.0 } else { sum.chance_of(f32::from(hp)) };
    if sash && strokes.most == 1 {
        let left = f32::from(hp - 1) / whole;
        estimate.ko = 0.0;
        estimate.max = estimate.max.min(left);
        estimate.mean = estimate.mean.min(left);
        estimate.min = estimate.min.min(left);
    }
    estimate
}

/// How many strokes one use has.
struct Strokes {
    least: u8,
    most: u8,
    expected: f32,
    bond: bool,
    /// Power of each where the move counts the team: Beat Up.
    powers: Vec<u16>,
    /// The chance that a stroke follows the one before, where each has to hit.
    follows: f32,
}

impl Strokes {
    fn of(scene: &Scene, clash: &Clash, attacker: Place, spread: bool) -> Self {
        let mut one = Self {
            least: 1,
            most: 1,
            expected: 1.0,
            bond: false,
            powers: Vec::new(),
            follows: 1.0,
        };
        let facts = clash.a_move;
        let loaded = clash.held.kind == ItemKind::LoadedDice;
        let linked = clash.own == AbilityKind::SkillLink;
        if facts.kind == MoveKind::BeatUp {
            let side = &scene.battle.sides[attacker.0];
            one.powers = side
                .team
                .iter()
                .enumerate()
                .filter(|(at, who)| {
                    *at == attacker.1
                        || who.revealed && !who.fainted && who.status == Status::Healthy
                })
                .map(|(_, who)| 5 + scene.facts.species(who.base_species).stats[1] / 10)
                .collect();
            one.least = one.powers.len() as u8;
            one.most = one.least;
        } else if facts.is(flag::MULTIHIT) {
            [one.least, one.most] = facts.hits;
            let many = facts.hits == [2, 5] || facts.kind == MoveKind::PopulationBomb;
            if many && loaded {
                one.least = 4;
            } else if facts.hits == [2, 5] && linked {
                one.least = 5;
            }
            // Both foes get one each, where there are two.
            if facts.kind == MoveKind::DragonDarts {
                let foes = scene.battle.sides[1 - attacker.0].active.iter().flatten().count();
                if foes > 1 {
                    (one.least, one.most) = (1, 1);
                }
            }
        } else if clash.own == AbilityKind::ParentalBond
            && !spread
            && !facts.is(flag::NO_PARENTAL_BOND | flag::FUTURE)
        {
            (one.least, one.most, one.bond) = (2, 2, true);
        }
        if facts.is(flag::ACCURATE_EACH_HIT) && !loaded && !linked {
            one.follows = f32::from(facts.accuracy) / 100.0;
            one.least = 1;
        }
        one.expected = (1..=one.most).map(|number| one.chance(number)).sum();
        one
    }

    /// The chance that there is a stroke of this number, if there is a first.
    fn chance(&self, number: u8) -> f32 {
        if self.follows < 1.0 {
            return self.follows.powi(i32::from(number) - 1);
        }
        if number <= self.least {
            return 1.0;
        }
        match (self.least, self.most) {
            // Of twenty, seven are two strokes, seven three, three four and three five.
            (2, 5) => [0.65, 0.30, 0.15][usize::from(number) - 3],
            (least, most) => f32::from(most + 1 - number) / f32::from(most + 1 - least),
        }
    }
}

/// Points of damage of a whole use.
struct Sum {
    min: f32,
    max: f32,
    mean: f32,
    variance: f32,
    /// The plain and the critical draws of a single stroke.
    single: Option<(Outcome, Outcome, f32)>,
}

impl Sum {
    #[allow(clippy::too_many_arguments)] // one use of a move has so many sides
    fn of(
        scene: &Scene,
        mut attacker: Combatant,
        mut target: Combatant,
        mut strike: Strike,
        around: &Conditions,
        strokes: &Strokes,
        critical: f32,
        takes_first: bool,
    ) -> Self {
        let mut sum = Self { min: 0.0, max: 0.0, mean: 0.0, variance: 0.0, single: None };
        let mut last: Option<(Outcome, Outcome)> = None;
        for number in 1..=strokes.most {
            strike.number = number;
            strike.second_of_bond = strokes.bond && number > 1;
            if let Some(&power) = strokes.powers.get(usize::from(number) - 1) {
                strike.drawn_power = power;
            }
            let same = number > 2
                && strokes.powers.is_empty()
                && !scene.facts.a_move(strike.a_move).is(flag::ACCURATE_EACH_HIT);
            let (plain, struck) = match last {
                Some(pair) if same => pair,
                _ => {
                    let mut draw = |critical: bool| {
                        strike.critical = critical;
                        Clash::new(scene.facts, &attacker, &target, &strike, around).outcome()
                    };
                    let plain = draw(critical >= 1.0);
                    let struck = if critical > 0.0 && critical < 1.0 { draw(true) } else { plain };
                    (plain, struck)
                }
            };
            last = Some((plain, struck));
            let chance = strokes.chance(number);
            if !(takes_first && number == 1) {
                let mean = plain.mean() * (1.0 - critical) + struck.mean() * critical;
                if number <= strokes.least {
                    sum.min += f32::from(plain.min());
                }
                sum.max += f32::from(plain.max());
                sum.mean += mean * chance;
                let spread = f32::from(plain.max() - plain.min());
                // An even draw over a stretch, and the doubt whether there is a stroke at all.
                sum.variance +=
                    spread * spread / 12.0 * chance + mean * mean * chance * (1.0 - chance);
                if strokes.most == 1 {
                    sum.single = Some((plain, struck, critical));
                }
            }
            if number == 1 && strokes.most > 1 {
                // What guards against the first stroke alone.
                let clash = Clash::new(scene.facts, &attacker, &target, &strike, around);
                let eaten = clash.berry_weakens(plain.effectiveness);
                if eaten {
                    target.item = Default::default();
                }
                target.hp = target.hp.saturating_sub(plain.min()).max(1);
                target.marks.shell_resists = plain.effectiveness < 0;
                if let (Some(Type::Stellar), Some(_)) = (attacker.tera, plain.element) {
                    strike.stellar_boosted = true;
                }
                attacker.marks.gem = false;
            }
        }
        sum
    }

    /// The chance of so many points or more.
    fn chance_of(&self, points: f32) -> f32 {
        if let Some((plain, struck, critical)) = &self.single {
            let share = |of: &Outcome| {
                of.rolls.iter().filter(|&&roll| f32::from(roll) >= points).count() as f32 / 16.0
            };
            return share(plain) * (1.0 - critical) + share(struck) * critical;
        }
        if self.max == 0.0 || points > self.max * 1.5 {
            return 0.0;
        }
        if points <= self.min {
            return 1.0;
        }
        // The sum of several strokes is near enough to a bell.
        let deviation = self.variance.sqrt().max(1e-3);
        1.0 / (1.0 + (1.702 * (points - 0.5 - self.mean) / deviation).exp())
    }
}

/// The first stroke is taken by a disguise.
fn takes_first_stroke(clash: &Clash) -> bool {
    let form = clash.facts.species(clash.target.species).kind;
    let whole = match clash.foe {
        AbilityKind::Disguise => form == SpeciesKind::Mimikyu,
        AbilityKind::IceFace => clash.physical && form == SpeciesKind::Eiscue,
        _ => false,
    };
    whole && !clash.hits_substitute()
}

/// The target has something that keeps it alive once.
fn survives(clash: &Clash) -> bool {
    let full = clash.target.hp >= clash.target.max_hp && clash.target.hp > 0;
    full && (clash.foe == AbilityKind::Sturdy || clash.worn.kind == ItemKind::FocusSash)
}

/// Priority as the user would have it.
fn priority(clash: &Clash) -> i8 {
    let mut priority = clash.a_move.priority;
    match clash.own {
        AbilityKind::GaleWings => {
            let whole = clash.attacker.hp >= clash.attacker.max_hp;
            priority += i8::from(whole && clash.element == Some(Type::Flying));
        }
        AbilityKind::Triage => priority += 3 * i8::from(clash.is(flag::HEAL)),
        _ => {}
    }
    if clash.a_move.kind == MoveKind::GrassyGlide {
        let grassy = clash.around.terrain == Some(Terrain::Grassy);
        priority += i8::from(grassy && clash.attacker_grounded());
    }
    priority
}

/// Does it strike more than one?
fn spreads(scene: &Scene, clash: &Clash, attacker: Place) -> bool {
    let living = |side: usize, but: Option<usize>| {
        let side = &scene.battle.sides[side];
        side.active
            .iter()
            .flatten()
            .filter(|&&at| Some(at) != but && !side.team[at].fainted)
            .count()
    };
    let foes = living(1 - attacker.0, None);
    match target_of(clash) {
        Target::AllAdjacentFoes => foes > 1,
        Target::AllAdjacent => {
            let benched = !scene.battle.sides[attacker.0].active.contains(&Some(attacker.1));
            let beside = living(attacker.0, Some(attacker.1)).saturating_sub(usize::from(benched));
            foes + beside > 1
        }
        _ => false,
    }
}

/// Whom the move reaches, now.
fn target_of(clash: &Clash) -> Target {
    let form = clash.facts.species(clash.attacker.species).kind;
    match clash.a_move.kind {
        MoveKind::ExpandingForce
            if clash.around.terrain == Some(Terrain::Psychic) && clash.attacker_grounded() =>
        {
            Target::AllAdjacentFoes
        }
        MoveKind::TeraStarstorm if form == SpeciesKind::TerapagosStellar => Target::AllAdjacentFoes,
        _ => clash.a_move.target,
    }
}

/// Would it fail or be stopped before it strikes?
fn blocked(clash: &Clash, priority: i8) -> bool {
    let (around, kind) = (clash.around, clash.a_move.kind);
    let foe_side = !around.friendly;
    let guards = |ability| {
        matches!(
            ability,
            AbilityKind::QueenlyMajesty | AbilityKind::Dazzling | AbilityKind::ArmorTail
        )
    };
    if priority > 0 && foe_side {
        let ally = clash.facts.ability(around.target_ally).kind;
        let ally_guards = guards(ally) && (!clash.breaks || around.target_ally_shielded);
        if guards(clash.foe) || ally_guards {
            return true;
        }
        if around.terrain == Some(Terrain::Psychic) && clash.target_grounded() {
            return true;
        }
    }
    if matches!(kind, MoveKind::Explosion | MoveKind::MistyExplosion | MoveKind::SelfDestruct) {
        let damp = |id| clash.facts.ability(id).kind == AbilityKind::Damp;
        let anybody = clash.foe == AbilityKind::Damp
            || clash.own == AbilityKind::Damp
            || damp(around.attacker_ally)
            || damp(around.target_ally);
        if anybody {
            return true;
        }
    }
    let stopped_by_weather = matches!(
        (around.weather, clash.element),
        (Some(Weather::HarshSun), Some(Type::Water)) | (Some(Weather::HeavyRain), Some(Type::Fire))
    );
    stopped_by_weather
        || match kind {
            MoveKind::SteelRoller => around.terrain.is_none(),
            MoveKind::Snore => clash.attacker.status != Status::Sleep,
            MoveKind::Fling => !clash.facts.holds(clash.attacker.item) || clash.held.fling == 0,
            MoveKind::SpitUp => clash.attacker.marks.stockpile == 0,
            MoveKind::PollenPuff => around.friendly,
            MoveKind::Poltergeist => {
                clash.target.item.is_known() && !clash.facts.holds(clash.target.item)
            }
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dex;
    use crate::format::Format;
    use crate::state::{Pokemon, Side};

    /// Somebody of one's own: all is known.
    fn own(name: &str, ability: &str, item: &str, hp: u16, stats: [u16; 5]) -> Pokemon {
        let species = dex::species(name).unwrap();
        Pokemon {
            species,
            base_species: species,
            level: 50,
            hp,
            max_hp: hp,
            revealed: true,
            ability: dex::ability(ability).unwrap(),
            base_ability: dex::ability(ability).unwrap(),
            item: dex::item(item).unwrap_or(dex::ItemId::none()),
            stats: Some(stats),
            ..Pokemon::default()
        }
    }

    /// A foe of whom only its form is known.
    fn foe(name: &str) -> Pokemon {
        let species = dex::species(name).unwrap();
        Pokemon {
            species,
            base_species: species,
            level: 50,
            hp: 100,
            max_hp: 100,
            ..Pokemon::default()
        }
    }

    fn battle(format: &str, own: Vec<Pokemon>, foes: Vec<Pokemon>) -> Battle {
        let mut battle = Battle::new(Format::of(format).unwrap(), 0);
        for (side, team) in [own, foes].into_iter().enumerate() {
            let active = std::array::from_fn(|place| (place < team.len()).then_some(place));
            battle.sides[side] = Side { team, active, ..Side::default() };
        }
        battle
    }

    fn reckoned(battle: &Battle, name: &str) -> Estimate {
        estimate(battle, (0, 0), dex::a_move(name).unwrap(), (1, 0))
    }

    const FLUTTER: [u16; 5] = [67, 75, 187, 155, 170];
    const HANDS: [u16; 5] = [195, 128, 63, 102, 49];

    /// tests/damage_known.jsonl has the draws of the simulator: 134 to 158 of 261.
    #[test]
    fn known_sets_give_the_simulators_range() {
        let flutter = own("Flutter Mane", "Protosynthesis", "", 130, FLUTTER);
        let hands = own("Iron Hands", "Quark Drive", "Assault Vest", 261, HANDS);
        let mut battle = battle("gen9vgc2024regg", vec![flutter], vec![hands]);
        let one = reckoned(&battle, "Moonblast");
        assert_eq!((one.min * 261.0, one.max * 261.0), (134.0, 158.0));
        assert_eq!((one.effectiveness, one.hit, one.blocked, one.spread), (2.0, 1.0, false, false));
        assert_eq!(one.ko, 0.0);
        assert!(
            (one.critical - 1.0 / 24.0).abs() < 1e-6 && one.mean > one.min && one.mean < one.max
        );
        // Of 146 points nine of the sixteen draws fell it, of 134 all of them.
        battle.sides[1].team[0].hp = 146;
        let plain = 8.0 / 16.0;
        let ko = reckoned(&battle, "Moonblast").ko;
        assert!((ko - (plain * 23.0 / 24.0 + 1.0 / 24.0)).abs() < 1e-4, "{ko}");
        battle.sides[1].team[0].hp = 134;
        assert_eq!(reckoned(&battle, "Moonblast").ko, 1.0);
    }

    #[test]
    fn spread_moves_know_who_stands() {
        let flutter = own("Flutter Mane", "Protosynthesis", "", 130, FLUTTER);
        let hands = || own("Iron Hands", "Quark Drive", "Assault Vest", 261, HANDS);
        let alone = battle("gen9vgc2024regg", vec![flutter.clone()], vec![hands()]);
        let both = battle("gen9vgc2024regg", vec![flutter], vec![hands(), foe("Amoonguss")]);
        let (alone, both) = (reckoned(&alone, "Dazzling Gleam"), reckoned(&both, "Dazzling Gleam"));
        assert!(both.spread && !alone.spread);
        assert!((both.mean / alone.mean - 0.75).abs() < 0.03);
    }

    #[test]
    fn what_cannot_touch_is_blocked() {
        let cat = || own("Incineroar", "Intimidate", "", 202, [135, 111, 90, 143, 80]);
        let mut one = battle("gen9vgc2024regg", vec![cat()], vec![foe("Gholdengo")]);
        assert!(reckoned(&one, "Fake Out").blocked, "ghosts");
        assert_eq!(reckoned(&one, "Fake Out").hit, 0.0);
        assert_eq!(reckoned(&one, "Knock Off").effectiveness, 2.0);
        one.sides[1].team[0] = foe("Rillaboom");
        assert!(!reckoned(&one, "Fake Out").blocked);
        one.sides[0].team[0].turns_in = 1;
        assert!(reckoned(&one, "Fake Out").blocked, "only at first");
        one.sides[0].team[0].turns_in = 0;
        one.field.terrain = Some(Terrain::Psychic);
        assert!(reckoned(&one, "Fake Out").blocked, "Psychic Terrain");
        one.sides[1].team[0] = foe("Tornadus");
        assert!(!reckoned(&one, "Fake Out").blocked, "who flies is not guarded by it");
        one.field.terrain = None;
        let mut tail = foe("Farigiraf");
        tail.ability = dex::ability("Armor Tail").unwrap();
        one.sides[1].team.push(tail);
        one.sides[1].active[1] = Some(1);
        assert!(reckoned(&one, "Fake Out").blocked, "the ally's Armor Tail");
        assert!(!reckoned(&one, "Flare Blitz").blocked);
        assert!(reckoned(&one, "Parting Shot").blocked, "no damage at all");
    }

    #[test]
    fn a_sash_keeps_alive_and_strokes_add_up() {
        let urshifu = own(
            "Urshifu-Rapid-Strike",
            "Unseen Fist",
            "Mystic Water",
            175,
            [200, 120, 74, 80, 117],
        );
        let mut mouse = own("Pikachu", "Static", "Focus Sash", 111, [75, 60, 102, 70, 142]);
        mouse.stats = Some([75, 60, 102, 70, 142]);
        let one = battle("gen9vgc2024regg", vec![urshifu], vec![mouse]);
        let (jet, strikes) = (reckoned(&one, "Close Combat"), reckoned(&one, "Surging Strikes"));
        assert_eq!((jet.ko, jet.max), (0.0, 110.0 / 111.0));
        assert_eq!((strikes.strokes, strikes.critical, strikes.ko), (3.0, 1.0, 1.0));
        assert!(strikes.min > 1.0);
    }

    #[test]
    fn speed_counts_what_changes_it() {
        let mut one = battle(
            "gen9vgc2024regg",
            vec![own("Flutter Mane", "Protosynthesis", "", 130, FLUTTER)],
            vec![foe("Dragonite")],
        );
        assert_eq!(speed(&one, 0, 0), 170);
        // Dragonite has base 80: full speed is guessed, (2 * 80 + 31 + 63) / 2 + 5.
        assert_eq!(speed(&one, 1, 0), 132);
        one.sides[1].team[0].speed_at_most = Some(120);
        assert_eq!(speed(&one, 1, 0), 120);
        one.sides[0].conditions.tailwind = 3;
        one.sides[0].team[0].volatiles.paradox_boost = 5;
        assert_eq!(speed(&one, 0, 0), 510);
        one.sides[0].team[0].status = Status::Paralysis;
        assert_eq!(speed(&one, 0, 0), 255);
        one.sides[0].team[0].stages[4] = -1;
        assert_eq!(speed(&one, 0, 0), 169);
    }

    #[test]
    fn a_gimmick_is_foreseen() {
        let mut flutter = own("Flutter Mane", "Protosynthesis", "", 130, FLUTTER);
        flutter.tera_type = Some(Type::Fairy);
        let one = battle("gen9vgc2024regg", vec![flutter], vec![foe("Iron Hands")]);
        let blast = dex::a_move("Moonblast").unwrap();
        let plain = estimate(&one, (0, 0), blast, (1, 0));
        let tera = estimate_with_gimmick(&one, (0, 0), blast, (1, 0));
        assert!((tera.mean / plain.mean - 4.0 / 3.0).abs() < 0.03);
        // A mega Charizard has 159 where it had 109, and brings its sun.
        let charizard = own("Charizard", "Blaze", "Charizardite Y", 155, [104, 98, 161, 105, 152]);
        let one = battle("gen9championsvgc2026regmb", vec![charizard], vec![foe("Garchomp")]);
        let wave = dex::a_move("Heat Wave").unwrap();
        let plain = estimate(&one, (0, 0), wave, (1, 0));
        let mega = estimate_with_gimmick(&one, (0, 0), wave, (1, 0));
        assert!(
            (mega.mean / plain.mean - 1.5 * 211.0 / 161.0).abs() < 0.07,
            "{}",
            mega.mean / plain.mean
        );
    }

    #[test]
    fn who_changes_as_it_strikes_is_foreseen() {
        // Ogerpon's mask: a bonus of four thirds by its tera, and a stage of attack.
        let mut ogerpon = own(
            "Ogerpon-Hearthflame",
            "Mold Breaker",
            "Hearthflame Mask",
            155,
            [172, 104, 72, 116, 130],
        );
        ogerpon.tera_type = Some(Type::Fire);
        let one = battle("gen9vgc2024regg", vec![ogerpon], vec![foe("Iron Hands")]);
        let cudgel = dex::a_move("Ivy Cudgel").unwrap();
        let plain = estimate(&one, (0, 0), cudgel, (1, 0));
        let tera = estimate_with_gimmick(&one, (0, 0), cudgel, (1, 0));
        assert!((tera.mean / plain.mean - 2.0).abs() < 0.05, "{}", tera.mean / plain.mean);
        // Protean makes every first move one of its own type.
        let cat = |ability| own("Meowscarada", ability, "", 151, [162, 90, 91, 90, 175]);
        let of = |ability| {
            let one = battle("gen9vgc2024regg", vec![cat(ability)], vec![foe("Iron Hands")]);
            reckoned(&one, "Play Rough").mean
        };
        assert!((of("Protean") / of("Overgrow") - 1.5).abs() < 0.03);
        // Aegislash strikes with its blade: 140 where the shield has 50.
        let shield = own("Aegislash", "Stance Change", "", 167, [102, 192, 70, 160, 80]);
        let mut one = battle("gen9championsvgc2026regmb", vec![shield], vec![foe("Garchomp")]);
        let drawn = reckoned(&one, "Iron Head").mean;
        one.sides[0].team[0].stats = Some([192, 102, 160, 70, 80]);
        one.sides[0].team[0].species = dex::species("Aegislash-Blade").unwrap();
        assert_eq!(drawn, reckoned(&one, "Iron Head").mean);
    }
}
