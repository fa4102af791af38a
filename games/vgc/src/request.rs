//! What Showdown asks a side to choose.

use serde::{Deserialize, Serialize};

use crate::dex::Target;

/// A request: a team preview, a turn, replacements for the fainted, or to wait.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Request {
    /// Which four are to be brought?
    pub team_preview: bool,
    /// Nothing is asked: the other side chooses.
    pub wait: bool,
    /// Which places need somebody else, if this is about nothing but that.
    pub force_switch: Vec<bool>,
    /// What the two in battle can do; a place of nobody is left out or has no moves.
    pub active: Vec<Option<Active>>,
    /// One's own team: those in battle first. During a preview all six, later the four that were brought.
    pub side: Side,
    /// What a server calls this request; the answer names it.
    pub rqid: Option<u64>,
}

/// What somebody in battle can do.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Active {
    /// Its moves; one alone when nothing else can be chosen, such as Struggle or a locked move.
    pub moves: Vec<MoveOption>,
    /// It cannot go out.
    pub trapped: bool,
    /// It may be that it cannot go out; trying tells.
    pub maybe_trapped: bool,
    /// It may be that a move cannot be used; trying tells.
    pub maybe_disabled: bool,
    /// It may be held to the move it used last; trying tells.
    pub maybe_locked: bool,
    /// The type it can take.
    pub can_terastallize: Option<String>,
    /// It can evolve by its stone.
    pub can_mega_evo: bool,
}

/// A move as it stands.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct MoveOption {
    /// Its id.
    pub id: String,
    /// Uses left; a move that is forced has none.
    pub pp: Option<u16>,
    /// Uses at first.
    pub maxpp: Option<u16>,
    /// Whom it reaches now: a change of form or terrain is reckoned in only where Showdown does it.
    pub target: Option<Target>,
    /// It cannot be chosen. Showdown writes `true`, `false` or a word.
    #[serde(deserialize_with = "truthy")]
    pub disabled: bool,
}

/// `true` for `true` and for words that are not empty.
fn truthy<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(match value {
        serde_json::Value::Bool(yes) => yes,
        serde_json::Value::String(word) => !word.is_empty(),
        _ => false,
    })
}

/// One's own side.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Side {
    /// The player.
    pub name: String,
    /// `p1` or `p2`.
    pub id: String,
    /// The team.
    pub pokemon: Vec<Own>,
}

/// One of one's own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Own {
    /// Side and nickname: `p1: Iron Hands`.
    pub ident: String,
    /// Species, level, gender, shininess: `Dragonite, L50, F`.
    pub details: String,
    /// Health and status: `132/175 brn`, `0 fnt`.
    pub condition: String,
    /// Is it in battle?
    pub active: bool,
    /// Stats without boosts.
    pub stats: Stats,
    /// Ids of its moves.
    pub moves: Vec<String>,
    /// The ability it came with.
    pub base_ability: String,
    /// The ability it has now; empty where Showdown leaves it out.
    pub ability: String,
    /// The id of its item; empty for none.
    pub item: String,
    /// It is inside another's mouth and does as told there.
    pub commanding: bool,
    /// Somebody fainted comes back in its place.
    pub reviving: bool,
    /// The type it would take.
    pub tera_type: String,
    /// The type it has taken; empty if it has not.
    pub terastallized: String,
}

/// Stats but for health.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[allow(missing_docs)] // their names say what they are
pub struct Stats {
    pub atk: u16,
    pub def: u16,
    pub spa: u16,
    pub spd: u16,
    pub spe: u16,
}

/// Health and status as Showdown writes them in one word or two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Health now.
    pub hp: u16,
    /// At most; of foes 100. 0 if it was not told, as of the fainted.
    pub max: u16,
    /// Its status.
    pub status: crate::state::Status,
    /// Has it fainted?
    pub fainted: bool,
}

impl Condition {
    /// Reads `132/175 brn`, `57/100`, `50/100y`, `0 fnt`. Nothing if it is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let (health, status) = match text.split_once(' ') {
            Some((health, status)) => (health, status.trim()),
            None => (text, ""),
        };
        if status == "fnt" {
            return Some(Self { fainted: true, ..Self::default() });
        }
        let (hp, max) = health.split_once('/')?;
        // Where the colour of the bar says more than the number (Champions: 20 % and 50 %), a letter follows.
        let max = max.trim_end_matches(['g', 'y', 'r']);
        let (hp, max) = (hp.parse().ok()?, max.parse().ok()?);
        let status = crate::state::Status::of(status)?;
        (hp <= max && max > 0).then_some(Self { hp, max, status, fainted: hp == 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Status;

    #[test]
    fn a_turn_is_read() {
        let json = r#"{"active":[{"moves":[{"move":"Fake Out","id":"fakeout","pp":16,"maxpp":16,
            "target":"normal","disabled":false},{"id":"encore","disabled":"Taunt"}],
            "canTerastallize":"Grass"},null],"side":{"name":"A","id":"p1","pokemon":[{"ident":
            "p1: Iron Hands","details":"Iron Hands, L50","condition":"261/261","active":true,
            "stats":{"atk":211,"def":128,"spa":63,"spd":89,"spe":70},"moves":["fakeout"],
            "baseAbility":"quarkdrive","item":"","ability":"quarkdrive","teraType":"Grass"}]},"rqid":3}"#;
        let request: Request = serde_json::from_str(json).unwrap();
        let active = request.active[0].as_ref().unwrap();
        assert_eq!(active.moves[0].target, Some(Target::Normal));
        assert!(!active.moves[0].disabled && active.moves[1].disabled);
        assert_eq!((request.active[1].as_ref(), request.rqid), (None, Some(3)));
        assert_eq!(request.side.pokemon[0].stats.atk, 211);
    }

    #[test]
    fn conditions_are_read() {
        let read = |text| Condition::parse(text);
        let burnt = Condition { hp: 132, max: 175, status: Status::Burn, fainted: false };
        assert_eq!(read("132/175 brn"), Some(burnt));
        assert!(read("0 fnt").unwrap().fainted);
        let half = Condition { hp: 50, max: 100, status: Status::Sleep, fainted: false };
        assert_eq!(read("50/100y slp"), Some(half));
        assert_eq!([read("x"), read("3/0"), read("9/4"), read("4/9 odd"), read("")], [None; 5]);
    }
}
