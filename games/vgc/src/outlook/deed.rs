//! What a player thinks of when it thinks of a move: the facts that decide a turn, in one small row.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::dex::{self, Boosts, Category, MoveId, Target, Type};
use crate::format::{FORMATS, Format};

/// What a move is for, beside its damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Damage, or nothing that is thought of.
    #[default]
    Plain,
    /// Nothing reaches the user this turn.
    Protect,
    /// The side is safe from moves that reach several.
    WideGuard,
    /// The side is safe from moves that go first.
    QuickGuard,
    /// Moves of foes turn to the user.
    FollowMe,
    /// The same, but it is a powder.
    RagePowder,
    /// The ally's move does half as much again.
    HelpingHand,
    /// The side is twice as fast.
    Tailwind,
    /// The slow go first.
    TrickRoom,
    /// Half of physical damage.
    Reflect,
    /// Half of special damage.
    LightScreen,
    /// Both, in snow.
    AuroraVeil,
    /// The target falls asleep.
    Sleep,
    /// The target falls asleep at the end of the next turn.
    Yawn,
    /// The target is burnt.
    Burn,
    /// The target is paralysed.
    Paralyse,
    /// The target is poisoned.
    Poison,
    /// The target is confused.
    Confuse,
    /// The target can use attacks alone.
    Taunt,
    /// The target repeats itself.
    Encore,
    /// The target cannot repeat itself.
    Disable,
    /// The target loses health to the user.
    LeechSeed,
    /// The user heals itself.
    Heal,
    /// The target is healed: Heal Pulse, Life Dew for both.
    HealAlly,
    /// Stages of the user.
    Boost,
    /// Stages of the foe.
    Lower,
    /// Weather.
    Weather,
    /// Terrain.
    Terrain,
    /// It costs the user a quarter and takes blows.
    Substitute,
    /// A hazard on the foes' side.
    Hazard,
    /// The foe goes out.
    ForceSwitch,
    /// All stages are gone.
    Haze,
    /// The user faints with whoever fells it.
    DestinyBond,
    /// Who hears it faints in three turns.
    PerishSong,
    /// A fainted one comes back.
    Revive,
}

/// A move in one row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deed {
    /// Which move.
    pub id: MoveId,
    /// Its type.
    pub kind: Option<Type>,
    /// What its power works with.
    pub category: Category,
    /// Base power; where the move reckons it, what is common.
    pub power: f32,
    /// The chance to hit, 0 to 1.
    pub accuracy: f32,
    /// Higher goes first.
    pub priority: i8,
    /// Whom it reaches.
    pub target: Target,
    /// What it is for.
    pub purpose: Purpose,
    /// Protection stops it.
    pub protectable: bool,
    /// It touches.
    pub contact: bool,
    /// It is a powder.
    pub powder: bool,
    /// It is heard.
    pub sound: bool,
    /// The share of damage that heals the user, or hurts it where negative.
    pub drain: f32,
    /// The share of the user's health that it heals.
    pub heal: f32,
    /// The user faints.
    pub self_destruct: bool,
    /// The user goes out.
    pub self_switch: bool,
    /// Nothing but a first turn in battle lets it work.
    pub first_turn: bool,
    /// It works only on a foe that is about to attack.
    pub needs_attack: bool,
    /// The chance that the target flinches.
    pub flinch: f32,
    /// The chance of a status that is bad for the target, beside the damage.
    pub ails: f32,
    /// Stages that it surely costs each target.
    pub lowers: Boosts,
    /// Stages of the user.
    pub raises: Boosts,
    /// It takes a turn to load or to rest.
    pub slow: bool,
    /// It goes on by itself.
    pub locks: bool,
    /// The hits of one use, on average.
    pub hits: f32,
}

impl Deed {
    /// Does it do damage?
    pub fn attacks(&self) -> bool {
        self.category != Category::Status
    }

    /// Does it reach more than one?
    pub fn spreads(&self) -> bool {
        matches!(self.target, Target::AllAdjacent | Target::AllAdjacentFoes)
    }

    /// Is it aimed at one place that is chosen?
    pub fn aimed(&self) -> bool {
        matches!(
            self.target,
            Target::Normal
                | Target::Any
                | Target::AdjacentFoe
                | Target::AdjacentAlly
                | Target::AdjacentAllyOrSelf
        )
    }
}

/// All moves of a mod by number; 0 is a move that does nothing.
type Deeds = Vec<Deed>;

static DEEDS: LazyLock<HashMap<&'static str, Deeds>> = LazyLock::new(|| {
    FORMATS
        .iter()
        .map(|format| {
            (
                format.dex,
                (0..dex::sizes::moves()).map(|id| deed(format, MoveId(id as u16))).collect(),
            )
        })
        .collect()
});

/// The moves of a format by number.
pub fn deeds(format: &Format) -> &'static [Deed] {
    DEEDS.get(format.dex).map_or(&[], Vec::as_slice)
}

fn deed(format: &Format, id: MoveId) -> Deed {
    let Some(row) = format.dex().a_move(id) else {
        return Deed { id, accuracy: 1.0, hits: 1.0, ..Deed::default() };
    };
    let share = |of: Option<[u8; 2]>| of.map_or(0.0, |[a, b]| f32::from(a) / f32::from(b.max(1)));
    let sure = |chance: u8| chance == 0 || chance == 100;
    let chance = |chance: u8| if chance == 0 { 1.0 } else { f32::from(chance) / 100.0 };
    let effects = &row.effects;
    let lowered = effects.iter().find(|e| sure(e.chance) && e.boosts.is_some());
    let raised = effects.iter().find(|e| sure(e.chance) && e.self_boosts.is_some());
    let own = matches!(
        row.target,
        Target::User
            | Target::Allies
            | Target::AdjacentAllyOrSelf
            | Target::AllyTeam
            | Target::AllySide
    );
    let boosts = row.boosts.unwrap_or_default();
    let status_only = row.category == Category::Status;
    let hits = match row.hits {
        // Two to five: 35 %, 35 %, 15 %, 15 %.
        Some([2, 5]) => 3.1,
        Some([low, high]) => f32::from(low + high) / 2.0,
        None => 1.0,
    };
    Deed {
        id,
        kind: row.kind,
        category: row.category,
        power: if row.power == 0 && !status_only { 70.0 } else { f32::from(row.power) },
        accuracy: row.accuracy.map_or(1.0, |percent| f32::from(percent) / 100.0),
        priority: row.priority,
        target: row.target,
        purpose: purpose(row),
        protectable: row.is("protect"),
        contact: row.is("contact"),
        powder: row.is("powder"),
        sound: row.is("sound"),
        drain: share(row.drain) - share(row.recoil),
        heal: match row.id.as_str() {
            // They heal by the weather or otherwise; half is the rule.
            "synthesis" | "moonlight" | "morningsun" | "shoreup" | "rest" => 0.5,
            "strengthsap" => 0.35,
            _ => share(row.heal),
        },
        self_destruct: row.self_destruct,
        self_switch: row.self_switch,
        first_turn: ["fakeout", "firstimpression", "matblock"].contains(&row.id.as_str()),
        needs_attack: ["suckerpunch", "thunderclap"].contains(&row.id.as_str()),
        flinch: effects
            .iter()
            .filter(|e| e.volatile.as_deref() == Some("flinch"))
            .map(|e| chance(e.chance))
            .fold(0.0, f32::max),
        ails: effects
            .iter()
            .filter(|e| e.status.is_some())
            .map(|e| chance(e.chance))
            .fold(0.0, f32::max),
        lowers: match lowered {
            Some(effect) => effect.boosts.unwrap_or_default(),
            None if status_only && !own => boosts,
            None => Boosts::default(),
        },
        raises: match (raised, row.self_boosts) {
            (Some(effect), _) => effect.self_boosts.unwrap_or_default(),
            (None, Some(own)) => own,
            (None, None) if status_only && own => boosts,
            (None, None) => Boosts::default(),
        },
        slow: row.is("charge") || row.is("recharge"),
        locks: row.self_volatile.as_deref() == Some("lockedmove"),
        hits,
    }
}

fn purpose(row: &crate::dex::Move) -> Purpose {
    let by_id = match row.id.as_str() {
        "wideguard" => Purpose::WideGuard,
        "quickguard" => Purpose::QuickGuard,
        "followme" => Purpose::FollowMe,
        "ragepowder" => Purpose::RagePowder,
        "helpinghand" | "coaching" => Purpose::HelpingHand,
        "yawn" => Purpose::Yawn,
        "taunt" => Purpose::Taunt,
        "encore" => Purpose::Encore,
        "disable" => Purpose::Disable,
        "leechseed" => Purpose::LeechSeed,
        "substitute" | "shedtail" => Purpose::Substitute,
        "haze" => Purpose::Haze,
        "destinybond" => Purpose::DestinyBond,
        "perishsong" => Purpose::PerishSong,
        "revivalblessing" => Purpose::Revive,
        "endure" => Purpose::Plain,
        "partingshot" => Purpose::Lower,
        "synthesis" | "moonlight" | "morningsun" | "shoreup" | "rest" | "strengthsap" => {
            Purpose::Heal
        }
        "healpulse" | "lifedew" | "junglehealing" | "lunarblessing" | "floralhealing" => {
            Purpose::HealAlly
        }
        _ => Purpose::Plain,
    };
    if by_id != Purpose::Plain || row.category != Category::Status {
        return by_id;
    }
    let by_side = match row.side.as_deref() {
        Some("tailwind") => Some(Purpose::Tailwind),
        Some("reflect") => Some(Purpose::Reflect),
        Some("lightscreen") => Some(Purpose::LightScreen),
        Some("auroraveil") => Some(Purpose::AuroraVeil),
        Some("spikes" | "toxicspikes" | "stealthrock" | "stickyweb") => Some(Purpose::Hazard),
        _ => None,
    };
    let by_status = match row.status.as_deref() {
        Some("slp") => Some(Purpose::Sleep),
        Some("brn") => Some(Purpose::Burn),
        Some("par") => Some(Purpose::Paralyse),
        Some("psn" | "tox") => Some(Purpose::Poison),
        _ => None,
    };
    let raises = row.boosts.is_some();
    let at_foes = matches!(
        row.target,
        Target::Normal
            | Target::Any
            | Target::AdjacentFoe
            | Target::AllAdjacentFoes
            | Target::AllAdjacent
    );
    by_side.or(by_status).unwrap_or(match () {
        () if row.stalls && row.id != "endure" => Purpose::Protect,
        () if row.pseudo_weather.as_deref() == Some("trickroom") => Purpose::TrickRoom,
        () if row.weather.is_some() => Purpose::Weather,
        () if row.terrain.is_some() => Purpose::Terrain,
        () if row.volatile.as_deref() == Some("confusion") => Purpose::Confuse,
        () if row.heal.is_some() => Purpose::Heal,
        () if row.force_switch => Purpose::ForceSwitch,
        () if raises && at_foes => Purpose::Lower,
        () if raises || row.self_boosts.is_some() => Purpose::Boost,
        () => Purpose::Plain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Deed {
        deeds(Format::of("gen9vgc2024regg").unwrap())[dex::a_move(name).unwrap().0 as usize]
    }

    #[test]
    fn moves_are_what_they_are_for() {
        let purposes = [
            ("Protect", Purpose::Protect),
            ("Spiky Shield", Purpose::Protect),
            ("Tailwind", Purpose::Tailwind),
            ("Trick Room", Purpose::TrickRoom),
            ("Spore", Purpose::Sleep),
            ("Will-O-Wisp", Purpose::Burn),
            ("Thunder Wave", Purpose::Paralyse),
            ("Recover", Purpose::Heal),
            ("Swords Dance", Purpose::Boost),
            ("Follow Me", Purpose::FollowMe),
            ("Helping Hand", Purpose::HelpingHand),
            ("Aurora Veil", Purpose::AuroraVeil),
            ("Scary Face", Purpose::Lower),
            ("Moonblast", Purpose::Plain),
        ];
        for (name, purpose) in purposes {
            assert_eq!(of(name).purpose, purpose, "{name}");
        }
    }

    #[test]
    fn facts_are_gathered() {
        let fake_out = of("Fake Out");
        assert!(fake_out.first_turn && fake_out.flinch == 1.0 && fake_out.priority == 3);
        assert_eq!((of("Icy Wind").lowers.spe, of("Icy Wind").accuracy), (-1, 0.95));
        assert!(of("Icy Wind").spreads() && !of("Icy Wind").aimed());
        assert_eq!((of("Swords Dance").raises.atk, of("Close Combat").raises.def), (2, -1));
        assert_eq!((of("Drain Punch").drain, of("Recover").heal), (0.5, 0.5));
        assert!(of("Flare Blitz").drain < -0.3 && of("Sucker Punch").needs_attack);
        assert!(of("Spore").powder && of("Spore").protectable && !of("Protect").protectable);
        assert_eq!(of("Bullet Seed").hits, 3.1);
    }
}
