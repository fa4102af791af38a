//! The rows of the table.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Type;

/// The whole of `data/dex.json`.
#[derive(Deserialize)]
pub(super) struct File {
    pub version: String,
    pub types: Vec<String>,
    pub chart: HashMap<String, Vec<f32>>,
    pub natures: Vec<Nature>,
    pub species: Vec<Species>,
    pub moves: Vec<Move>,
    pub items: Vec<Item>,
    pub abilities: Vec<Ability>,
    pub mods: HashMap<String, Tables>,
}

/// Rows of one of Showdown's mods that differ.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tables {
    pub species: Vec<Species>,
    pub moves: Vec<Move>,
    pub items: Vec<Item>,
    pub abilities: Vec<Ability>,
}

/// A stat of a Pokémon, in Showdown's order; accuracy and evasion have boosts alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // their names say what they are
pub enum Stat {
    Hp,
    Atk,
    Def,
    Spa,
    Spd,
    Spe,
    Accuracy,
    Evasion,
}

/// Stages that an effect adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // their names say what they are
pub struct Boosts {
    pub atk: i8,
    pub def: i8,
    pub spa: i8,
    pub spd: i8,
    pub spe: i8,
    pub accuracy: i8,
    pub evasion: i8,
}

/// A species or one of its forms.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Species {
    /// Showdown's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The id of the species whose form it is, if it is one.
    pub base: Option<String>,
    /// One or two.
    pub types: Vec<Type>,
    /// Base stats in the order of [`Stat`].
    pub stats: [u16; 6],
    /// Ids of the abilities it may have.
    pub abilities: Vec<String>,
    /// Hectograms.
    pub weight: u16,
    /// `M`, `F` or `N` where there is no choice.
    pub gender: Option<String>,
    /// A form that is only taken in battle.
    pub battle_only: bool,
    /// Can it still evolve? Eviolite asks.
    pub nfe: bool,
    /// The item that this form must hold.
    pub required_item: Option<String>,
    /// What Showdown calls it: `Restricted Legendary`, `Paradox`.
    pub tags: Vec<String>,
    /// The type that this form must terastallise to.
    pub required_tera: Option<Type>,
}

/// What a move's power works with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Category {
    /// Attack against defence.
    Physical,
    /// Special attack against special defence.
    Special,
    /// No damage.
    #[default]
    Status,
}

/// Whom a move reaches, by Showdown's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Target {
    /// One of those beside the user, foe or ally.
    #[default]
    Normal,
    /// The user.
    #[serde(rename = "self")]
    User,
    /// Both foes.
    AllAdjacentFoes,
    /// Anybody, however far: in doubles the same as `Normal`.
    Any,
    /// The whole field.
    All,
    /// Everybody but the user.
    AllAdjacent,
    /// The user's side.
    AllySide,
    /// A foe at random.
    RandomNormal,
    /// The ally.
    AdjacentAlly,
    /// Whom the move itself decides, such as who struck last.
    Scripted,
    /// The user and its ally.
    Allies,
    /// The foes' side.
    FoeSide,
    /// The ally or the user, as chosen.
    AdjacentAllyOrSelf,
    /// One foe.
    AdjacentFoe,
    /// Everybody of the user's team, on the bench too.
    AllyTeam,
}

/// Something that a move may do beside its damage.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Effect {
    /// Percent; 0 is always.
    pub chance: u8,
    /// A status, such as `brn`.
    pub status: Option<String>,
    /// A volatile effect, such as `flinch`.
    pub volatile: Option<String>,
    /// Stages of the target.
    pub boosts: Option<Boosts>,
    /// Stages of the user.
    pub self_boosts: Option<Boosts>,
}

/// A move.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Move {
    /// Showdown's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its type as written; some change it.
    #[serde(rename = "type")]
    pub kind: Option<Type>,
    /// What it works with.
    pub category: Category,
    /// Base power as written; 0 for status moves and for those that reckon it.
    pub power: u16,
    /// Percent; nothing if it cannot miss.
    pub accuracy: Option<u8>,
    /// Uses as written; [`crate::format::Format::uses`] has those of a battle.
    pub pp: u8,
    /// Its uses cannot be raised.
    pub fixed_pp: bool,
    /// Higher goes first.
    pub priority: i8,
    /// Whom it reaches.
    pub target: Target,
    /// Showdown's flags: `contact`, `sound`, `protect`, `heal`, …
    pub flags: Vec<String>,
    /// Least and most hits of one use.
    pub hits: Option<[u8; 2]>,
    /// Share of the damage that heals the user.
    pub drain: Option<[u8; 2]>,
    /// Share of the damage that hurts the user.
    pub recoil: Option<[u8; 2]>,
    /// Stages of critical hits, where more than 1.
    pub crit: Option<u8>,
    /// Always a critical hit.
    pub always_crits: bool,
    /// It fells at one stroke.
    pub ohko: bool,
    /// Damage that nothing changes: a number, or `level`.
    pub damage: Option<serde_json::Value>,
    /// The user faints.
    pub self_destruct: bool,
    /// The user is replaced.
    pub self_switch: bool,
    /// The target is replaced.
    pub force_switch: bool,
    /// The stat it attacks with, if not its category's: Body Press.
    pub attacks_with: Option<Stat>,
    /// `target` if the target's stat attacks: Foul Play.
    pub attacker: Option<String>,
    /// The stat it meets, if not its category's: Psyshock.
    pub defends_with: Option<Stat>,
    /// Stages of defence count for nothing.
    pub ignores_defensive: bool,
    /// The target's ability counts for nothing.
    pub ignores_ability: bool,
    /// Types that are immune are not.
    pub ignores_immunity: bool,
    /// It goes through protection and ends it.
    pub breaks_protect: bool,
    /// The status it gives.
    pub status: Option<String>,
    /// The volatile effect it gives.
    pub volatile: Option<String>,
    /// The side condition it sets.
    pub side: Option<String>,
    /// The slot condition it sets.
    pub slot: Option<String>,
    /// The weather it brings.
    pub weather: Option<String>,
    /// The terrain it brings.
    pub terrain: Option<String>,
    /// What it does to the field: `trickroom`, `gravity`.
    pub pseudo_weather: Option<String>,
    /// Stages of the target.
    pub boosts: Option<Boosts>,
    /// Stages of the user.
    pub self_boosts: Option<Boosts>,
    /// The volatile effect on the user, such as `mustrecharge`.
    pub self_volatile: Option<String>,
    /// Share of the maximum that it heals.
    pub heal: Option<[u8; 2]>,
    /// Protects, and less surely so time after time.
    pub stalls: bool,
    /// Missing hurts the user.
    pub crash: bool,
    /// The factor of spread damage, where not ¾.
    pub spread: Option<f32>,
    /// It thaws the target.
    pub thaws: bool,
    /// Redirection does not work on it.
    pub tracks: bool,
    /// What it may do beside its damage.
    pub effects: Vec<Effect>,
    /// Sheer Force takes something from it even without `effects`.
    pub sheer_force: bool,
}

impl Move {
    /// Has it one of Showdown's flags?
    pub fn is(&self, flag: &str) -> bool {
        self.flags.iter().any(|f| f == flag)
    }
}

/// An item.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Item {
    /// Showdown's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Is it a berry?
    pub berry: bool,
    /// The id of the form it evolves its holder into.
    pub mega: Option<String>,
    /// The id of the species that it does so to.
    pub mega_of: Option<String>,
    /// Stages that it gives when it is used.
    pub boosts: Option<Boosts>,
    /// The power of being flung.
    pub fling: u8,
    /// It holds its holder to one move.
    pub choice: bool,
    /// The type of a plate or memory.
    pub plate: Option<Type>,
    /// Ids of the species it is made for.
    pub user: Vec<String>,
}

/// An ability.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Ability {
    /// Showdown's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Showdown's flags: `breakable`, `cantsuppress`, …
    pub flags: Vec<String>,
}

/// What a Pokémon is good and bad at by nature.
#[derive(Clone, Debug, Deserialize)]
pub struct Nature {
    /// Showdown's id.
    pub id: String,
    /// A tenth more.
    #[serde(default)]
    pub plus: Option<Stat>,
    /// A tenth less.
    #[serde(default)]
    pub minus: Option<Stat>,
}
