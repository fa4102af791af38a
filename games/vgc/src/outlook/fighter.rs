//! One who is in battle or may come in, as a player reckons with it: what it can do, how fast it is, whether
//! it will act at all.

use crate::dex::{self, AbilityId, ItemId, MoveId, Stat, Type};
use crate::format::Format;
use crate::state::{Battle, KnownMove, Pokemon, Status, Terrain, Weather};

use super::deed::{Deed, Purpose, deeds};
use super::names::names;

/// Moves that are reckoned with: four that are known, or fewer and what is likely beside them.
pub const MOVES: usize = 6;

/// How likely it is that a foe has an attack of its own type that it has not shown.
const ASSUMED: f32 = 0.6;

/// One who is in battle or may come in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fighter {
    /// Its place in its team; nothing where nobody is.
    pub index: Option<usize>,
    /// Does it live?
    pub alive: bool,
    /// Health as a share of the most.
    pub hp: f32,
    /// Speed as it counts now, effects reckoned in.
    pub speed: f32,
    /// Its moves.
    pub moves: [Deed; MOVES],
    /// How likely it is that it has each and can use it.
    pub chance: [f32; MOVES],
    /// Its types.
    pub types: [Option<Type>; 3],
    /// Its ability; of a foe the only one it can have, if there is but one.
    pub ability: AbilityId,
    /// What it holds.
    pub item: ItemId,
    /// Does it stand on the ground?
    pub grounded: bool,
    /// Its status.
    pub status: Status,
    /// The chance that it acts when its turn comes.
    pub acts: f32,
    /// The chance that protection works.
    pub stalls: f32,
    /// It came in just now.
    pub fresh: bool,
    /// The share of its base attack in both attacks: near 1 it is a physical attacker.
    pub physical: f32,
    /// A doll stands before it.
    pub substitute: bool,
    /// Moves that it used last since it came in.
    pub last_move: MoveId,
    /// Stages of its stats.
    pub stages: [i8; 7],
    /// Base speed.
    pub base_speed: f32,
    /// Nothing reaches it: it is inside another's mouth.
    pub sheltered: bool,
}

impl Fighter {
    /// One of a side's team.
    pub fn of(battle: &Battle, side: usize, index: usize) -> Self {
        let format = battle.format;
        let pokemon = &battle.sides[side].team[index];
        let base = format.dex().species(pokemon.species);
        let stats = base.map_or([80; 6], |species| species.stats);
        let types = types(pokemon, format);
        let (moves, chance) = moves(battle, side, pokemon, types, stats);
        let ability = ability(pokemon, format);
        let grounded = grounded(battle, pokemon, types, ability);
        let (attack, special) = (f32::from(stats[1]), f32::from(stats[3]));
        Self {
            index: Some(index),
            alive: !pokemon.fainted && pokemon.hp > 0,
            hp: pokemon.health(),
            speed: speed(battle, side, pokemon, stats[5], ability),
            moves,
            chance,
            types,
            ability,
            item: pokemon.item,
            grounded,
            status: pokemon.status,
            acts: acts(pokemon),
            stalls: 1.0 / 3f32.powi(i32::from(pokemon.stall.min(4))),
            fresh: pokemon.turns_in == 0,
            physical: attack * attack / (attack * attack + special * special).max(1.0),
            substitute: pokemon.volatiles.substitute,
            last_move: pokemon.last_move,
            stages: pokemon.stages,
            base_speed: f32::from(stats[5]),
            sheltered: pokemon.volatiles.commanding,
        }
    }

    /// Is it of a type?
    pub fn is(&self, kind: Type) -> bool {
        self.types.contains(&Some(kind))
    }

    /// The chance that a status move that is aimed at this one works, but for accuracy and protection.
    pub fn takes(&self, deed: &Deed, user: &Self, battle: &Battle, side: usize) -> f32 {
        let known = names();
        let safe = self.sheltered
            || self.ability == known.good_as_gold
            || self.ability == known.magic_bounce
            || (deed.powder && self.shrugs_powder())
            || (user.ability == known.prankster && self.is(Type::Dark))
            || (self.substitute && !deed.sound);
        if safe {
            return 0.0;
        }
        let misty = battle.field.terrain == Some(Terrain::Misty) && self.grounded;
        let guarded = misty
            || battle.sides[side].conditions.safeguard > 0
            || self.ability == known.purifying_salt;
        let healthy = self.status == Status::Healthy && self.ability != known.comatose;
        let lum = if self.item == known.lum_berry { 0.1 } else { 1.0 };
        let yes = |can: bool| if can { lum } else { 0.0 };
        match deed.purpose {
            Purpose::Sleep | Purpose::Yawn => {
                let awake =
                    [known.insomnia, known.vital_spirit, known.sweet_veil].contains(&self.ability);
                let electric = battle.field.terrain == Some(Terrain::Electric) && self.grounded;
                yes(healthy && !guarded && !awake && !electric)
            }
            Purpose::Burn => {
                let proof = [known.water_veil, known.water_bubble, known.thermal_exchange]
                    .contains(&self.ability);
                yes(healthy
                    && !guarded
                    && !self.is(Type::Fire)
                    && !proof
                    && self.ability != known.guts)
            }
            Purpose::Paralyse => {
                let earthed = deed.kind == Some(Type::Electric) && self.is(Type::Ground);
                yes(healthy
                    && !guarded
                    && !self.is(Type::Electric)
                    && !earthed
                    && self.ability != known.limber)
            }
            Purpose::Poison => {
                yes(healthy && !guarded && !self.is(Type::Poison) && !self.is(Type::Steel))
            }
            Purpose::Lower => {
                let clear =
                    [known.clear_body, known.white_smoke, known.full_metal_body, known.contrary];
                let proud = [known.defiant, known.competitive];
                yes(!clear.contains(&self.ability)
                    && !proud.contains(&self.ability)
                    && self.item != known.clear_amulet)
            }
            Purpose::LeechSeed => yes(!self.is(Type::Grass)),
            _ => 1.0,
        }
    }

    /// Does powder do nothing to it?
    pub fn shrugs_powder(&self) -> bool {
        let known = names();
        self.is(Type::Grass) || self.ability == known.overcoat || self.item == known.safety_goggles
    }

    /// Can it be made to flinch?
    pub fn flinches(&self) -> bool {
        let known = names();
        self.ability != known.inner_focus
            && self.ability != known.shield_dust
            && self.item != known.covert_cloak
    }

    /// The priority of one of its moves.
    pub fn priority(&self, deed: &Deed, battle: &Battle) -> i8 {
        let known = names();
        let lifted = (self.ability == known.prankster && !deed.attacks())
            || (self.ability == known.gale_wings
                && deed.kind == Some(Type::Flying)
                && self.hp >= 0.999)
            || (deed.id == grassy_glide()
                && battle.field.terrain == Some(Terrain::Grassy)
                && self.grounded);
        let triage = self.ability == known.triage && (deed.drain > 0.0 || deed.heal > 0.0);
        deed.priority + i8::from(lifted) + 3 * i8::from(triage)
    }

    /// Does its side's ability stop moves that go first?
    pub fn stops_priority(&self) -> bool {
        let known = names();
        [known.armor_tail, known.queenly_majesty, known.dazzling].contains(&self.ability)
    }
}

fn grassy_glide() -> MoveId {
    static ID: std::sync::LazyLock<MoveId> =
        std::sync::LazyLock::new(|| dex::a_move("grassyglide").unwrap_or_default());
    *ID
}

fn types(pokemon: &Pokemon, format: &Format) -> [Option<Type>; 3] {
    let mut types = [None; 3];
    if let (true, Some(tera)) = (pokemon.terastallized, pokemon.tera_type)
        && tera != Type::Stellar
    {
        types[0] = Some(tera);
        return types;
    }
    match pokemon.changed_types {
        Some(changed) => types[..2].copy_from_slice(&changed),
        None => {
            let own =
                format.dex().species(pokemon.species).map_or(&[][..], |species| &species.types);
            own.iter().take(2).enumerate().for_each(|(at, kind)| types[at] = Some(*kind));
        }
    }
    types[2] = pokemon.added_type;
    types
}

/// The ability that counts: the known one, or the only one its species can have.
fn ability(pokemon: &Pokemon, format: &Format) -> AbilityId {
    if pokemon.volatiles.gastro_acid {
        return AbilityId::UNKNOWN;
    }
    if pokemon.ability.is_known() {
        return pokemon.ability;
    }
    let species = format.dex().species(pokemon.species);
    match species.map(|species| species.abilities.as_slice()) {
        Some([only]) => dex::ability(only).unwrap_or_default(),
        _ => AbilityId::UNKNOWN,
    }
}

fn grounded(
    battle: &Battle,
    pokemon: &Pokemon,
    types: [Option<Type>; 3],
    ability: AbilityId,
) -> bool {
    let known = names();
    let held_down = battle.field.gravity > 0
        || pokemon.volatiles.smack_down
        || pokemon.volatiles.ingrain
        || pokemon.item == known.iron_ball;
    let aloft = types.contains(&Some(Type::Flying))
        || ability == known.levitate
        || pokemon.volatiles.magnet_rise > 0
        || pokemon.item == known.air_balloon;
    held_down || !aloft
}

/// The chance that somebody acts at all: what status and effects leave of it.
fn acts(pokemon: &Pokemon) -> f32 {
    let under = &pokemon.volatiles;
    if under.must_recharge || under.commanding {
        return 0.0;
    }
    let status = match pokemon.status {
        // Sleep lasts one to three turns, chosen evenly when it begins.
        Status::Sleep => [0.0, 0.33, 0.5, 1.0][usize::from(pokemon.status_turns.min(3))],
        Status::Freeze => 0.2,
        Status::Paralysis => 0.75,
        _ => 1.0,
    };
    let confused = if under.confusion { 0.67 } else { 1.0 };
    let in_love = if under.attract { 0.5 } else { 1.0 };
    status * confused * in_love
}

/// Speed without boosts, but with what is held: known of one's own; of foes what most have whose base speed it
/// is, between what has been seen.
pub fn plain_speed(pokemon: &Pokemon, base: u16) -> f32 {
    if let Some(stats) = pokemon.stats {
        return f32::from(stats[4]) * item_speed(pokemon);
    }
    let level = if pokemon.level == 0 { 50.0 } else { f32::from(pokemon.level) };
    // The fast are trained to be faster, the slow are not: full effort and half of a nature above a base speed
    // of 90, nothing below 55, evenly between.
    let trained = ((f32::from(base) - 55.0) / 35.0).clamp(0.0, 1.0);
    let raw = (2.0 * f32::from(base) + 31.0 + 63.0 * trained) * level / 100.0 + 5.0;
    let guess = raw * (1.0 + 0.05 * trained) * item_speed(pokemon);
    let least = pokemon.speed_at_least.map_or(0.0, f32::from);
    let most = pokemon.speed_at_most.map_or(f32::MAX, f32::from).max(least);
    guess.clamp(least, most)
}

fn item_speed(pokemon: &Pokemon) -> f32 {
    let known = names();
    match pokemon.item {
        item if item == known.choice_scarf => 1.5,
        item if item == known.iron_ball => 0.5,
        _ => 1.0,
    }
}

/// Speed as it counts now.
fn speed(battle: &Battle, side: usize, pokemon: &Pokemon, base: u16, ability: AbilityId) -> f32 {
    let known = names();
    let stage = f32::from(pokemon.stages[Stat::Spe as usize - 1]);
    let staged = if stage >= 0.0 { (2.0 + stage) / 2.0 } else { 2.0 / (2.0 - stage) };
    let mut speed = plain_speed(pokemon, base) * staged;
    let weather = battle.field.weather;
    let hurried = match weather {
        Some(Weather::Sun | Weather::HarshSun) => ability == known.chlorophyll,
        Some(Weather::Rain | Weather::HeavyRain) => ability == known.swift_swim,
        Some(Weather::Sand) => ability == known.sand_rush,
        Some(Weather::Snow) => ability == known.slush_rush,
        _ => false,
    };
    let surfing = battle.field.terrain == Some(Terrain::Electric) && ability == known.surge_surfer;
    if hurried || surfing || pokemon.volatiles.unburden {
        speed *= 2.0;
    }
    if pokemon.volatiles.paradox_boost == 5 {
        speed *= 1.5;
    }
    if pokemon.status == Status::Paralysis && ability != known.quick_feet {
        speed *= 0.5;
    } else if pokemon.status != Status::Healthy && ability == known.quick_feet {
        speed *= 1.5;
    }
    if battle.sides[side].conditions.tailwind > 0 {
        speed *= 2.0;
    }
    speed
}

/// What it can do, and how likely it is that it has it.
fn moves(
    battle: &Battle,
    side: usize,
    pokemon: &Pokemon,
    types: [Option<Type>; 3],
    stats: [u16; 6],
) -> ([Deed; MOVES], [f32; MOVES]) {
    let all = deeds(battle.format);
    let deed = |id: MoveId| all.get(usize::from(id.0)).copied().unwrap_or_default();
    let (mut moves, mut chance) = ([Deed::default(); MOVES], [0.0; MOVES]);
    let mut count = 0;
    for known in pokemon.moves.iter().take(4) {
        moves[count] = deed(known.id);
        chance[count] =
            if side == battle.me || usable(pokemon, known, &moves[count]) { 1.0 } else { 0.0 };
        count += 1;
    }
    let bound = pokemon.volatiles.encore > 0
        || pokemon.volatiles.locked_move.is_known()
        || pokemon.volatiles.two_turn.is_known()
        || (holds_choice(pokemon) && pokemon.last_move.is_known());
    if side == battle.me || pokemon.moves.len() >= 4 || bound {
        return (moves, chance);
    }
    // What it has not shown: an attack of each of its types with the better of its attacks.
    let physical = staged(stats[1], pokemon.stages[0]) >= staged(stats[3], pokemon.stages[2]);
    for kind in types.into_iter().flatten() {
        let shown = moves[..count]
            .iter()
            .any(|deed| deed.attacks() && deed.kind == Some(kind) && deed.power >= 60.0);
        if !shown && count < MOVES {
            moves[count] = deed(usual_attack(kind, physical));
            chance[count] = ASSUMED;
            count += 1;
        }
    }
    (moves, chance)
}

fn staged(stat: u16, stage: i8) -> f32 {
    let stage = f32::from(stage);
    f32::from(stat) * if stage >= 0.0 { (2.0 + stage) / 2.0 } else { 2.0 / (2.0 - stage) }
}

fn holds_choice(pokemon: &Pokemon) -> bool {
    let known = names();
    [known.choice_band, known.choice_scarf, known.choice_specs].contains(&pokemon.item)
}

/// Can a foe use a move that it is known to have?
fn usable(pokemon: &Pokemon, known: &KnownMove, deed: &Deed) -> bool {
    let under = &pokemon.volatiles;
    let bound = [under.locked_move, under.two_turn].into_iter().find(|id| id.is_known());
    if let Some(id) = bound {
        return id == known.id;
    }
    let encored = under.encore > 0 && under.encored.is_known() && under.encored != known.id;
    let disabled = under.disable > 0 && under.disabled == known.id;
    let taunted = under.taunt > 0 && !deed.attacks();
    let chosen =
        holds_choice(pokemon) && pokemon.last_move.is_known() && pokemon.last_move != known.id;
    let vested = pokemon.item == names().assault_vest && !deed.attacks();
    let late = deed.first_turn && pokemon.turns_in > 0;
    known.pp > 0 && !encored && !disabled && !taunted && !chosen && !vested && !late
}

/// An attack that most of a type have who attack that way.
fn usual_attack(kind: Type, physical: bool) -> MoveId {
    static USUAL: std::sync::LazyLock<[[MoveId; 2]; 19]> = std::sync::LazyLock::new(|| {
        let named = |names: [&str; 2]| names.map(|name| dex::a_move(name).unwrap_or_default());
        dex::TYPES.map(|kind| {
            named(match kind {
                Type::Bug => ["xscissor", "bugbuzz"],
                Type::Dark => ["crunch", "darkpulse"],
                Type::Dragon => ["dragonclaw", "dragonpulse"],
                Type::Electric => ["wildcharge", "thunderbolt"],
                Type::Fairy => ["playrough", "moonblast"],
                Type::Fighting => ["closecombat", "aurasphere"],
                Type::Fire => ["flareblitz", "flamethrower"],
                Type::Flying => ["drillpeck", "airslash"],
                Type::Ghost => ["shadowclaw", "shadowball"],
                Type::Grass => ["seedbomb", "energyball"],
                Type::Ground => ["highhorsepower", "earthpower"],
                Type::Ice => ["icespinner", "icebeam"],
                Type::Normal | Type::Stellar => ["bodyslam", "triattack"],
                Type::Poison => ["poisonjab", "sludgebomb"],
                Type::Psychic => ["zenheadbutt", "psychic"],
                Type::Rock => ["rockslide", "powergem"],
                Type::Steel => ["ironhead", "flashcannon"],
                Type::Water => ["liquidation", "scald"],
            })
        })
    });
    USUAL[kind as usize][usize::from(!physical)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_usual_attacks() {
        for kind in dex::TYPES {
            for physical in [true, false] {
                let id = usual_attack(kind, physical);
                let row = dex::Dex::of_mod("gen9").a_move(id).unwrap();
                let wanted =
                    if physical { dex::Category::Physical } else { dex::Category::Special };
                assert_eq!(row.category, wanted, "{}", row.name);
                if kind != Type::Stellar {
                    assert_eq!(row.kind, Some(kind), "{}", row.name);
                }
            }
        }
    }

    #[test]
    fn foes_speed_is_guessed_within_what_was_seen() {
        let foe = Pokemon { level: 50, ..Pokemon::default() };
        let (fast, slow) = (plain_speed(&foe, 135), plain_speed(&foe, 30));
        // Flutter Mane is trained (205 with a nature, 187 without), Torkoal is not (40 to 50).
        assert!((187.0..=205.0).contains(&fast), "{fast}");
        assert!((40.0..=51.0).contains(&slow), "{slow}");
        let seen = Pokemon { speed_at_most: Some(150), ..foe };
        assert_eq!(plain_speed(&seen, 135), 150.0);
    }
}
