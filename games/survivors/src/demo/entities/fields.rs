//! The few properties that are kept of an entity.
//!
//! An entity has up to six hundred; keeping all of two thousand entities would let a small file ask
//! for a large memory. What is read and not kept is read all the same: the next value stands behind
//! it.

use super::decode::Decoded;

/// A property that is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Field {
    #[default]
    None,
    Health,
    MaxHealth,
    Buffer,
    BufferTime,
    Incapacitated,
    Hanging,
    GoingToDie,
    Team,
    LifeState,
    ZombieClass,
    Character,
    Weapon,
    MoveType,
    Flags,
    Ghost,
    Clip,
    Intensity,
    /// Who has the player, one of five ways.
    Captor(u8),
    OwnXy,
    OwnZ,
    InCell,
    InCellXy,
    InCellZ,
    CellBits,
    CellX,
    CellY,
    CellZ,
}

impl Field {
    /// Which it is, by table and name. // facts/survivors.md §4, and the tables of the recordings
    pub(super) fn named(table: &str, prop: &str) -> Self {
        match (table, prop) {
            ("DT_BasePlayer", "m_iHealth") => Field::Health,
            ("DT_TerrorPlayer", "m_iMaxHealth") => Field::MaxHealth,
            ("DT_TerrorPlayer", "m_healthBuffer") => Field::Buffer,
            ("DT_TerrorPlayer", "m_healthBufferTime") => Field::BufferTime,
            ("DT_TerrorPlayer", "m_isIncapacitated") => Field::Incapacitated,
            ("DT_TerrorPlayer", "m_isHangingFromLedge") => Field::Hanging,
            ("DT_TerrorPlayer", "m_isGoingToDie") => Field::GoingToDie,
            ("DT_BaseEntity", "m_iTeamNum") => Field::Team,
            ("DT_BasePlayer", "m_lifeState") => Field::LifeState,
            ("DT_TerrorPlayer", "m_zombieClass") => Field::ZombieClass,
            ("DT_TerrorPlayer", "m_survivorCharacter") => Field::Character,
            ("DT_BaseCombatCharacter", "m_hActiveWeapon") => Field::Weapon,
            ("DT_BaseEntity", "movetype") => Field::MoveType,
            ("DT_BasePlayer", "m_fFlags") => Field::Flags,
            ("DT_TerrorPlayer", "m_isGhost") => Field::Ghost,
            ("DT_BaseCombatWeapon" | "DT_LocalWeaponData", "m_iClip1") => Field::Clip,
            ("DT_TerrorPlayer", "m_clientIntensity") => Field::Intensity,
            ("DT_TerrorPlayer", "m_tongueOwner") => Field::Captor(0),
            ("DT_TerrorPlayer", "m_pounceAttacker") => Field::Captor(1),
            ("DT_TerrorPlayer", "m_jockeyAttacker") => Field::Captor(2),
            ("DT_TerrorPlayer", "m_pummelAttacker") => Field::Captor(3),
            ("DT_TerrorPlayer", "m_carryAttacker") => Field::Captor(4),
            ("DT_CSLocalPlayerExclusive", "m_vecOrigin") => Field::OwnXy,
            ("DT_CSLocalPlayerExclusive", "m_vecOrigin[2]") => Field::OwnZ,
            ("DT_BaseEntity", "m_vecOrigin") => Field::InCell,
            (_, "m_vecOrigin") => Field::InCellXy,
            (_, "m_vecOrigin[2]") => Field::InCellZ,
            ("DT_BaseEntity", "m_cellbits") => Field::CellBits,
            ("DT_BaseEntity", "m_cellX") => Field::CellX,
            ("DT_BaseEntity", "m_cellY") => Field::CellY,
            ("DT_BaseEntity", "m_cellZ") => Field::CellZ,
            _ => Field::None,
        }
    }
}

/// A handle of nothing.
pub(super) const NO_HANDLE: i32 = (1 << 21) - 1;

/// What is kept of an entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Values {
    pub health: i32,
    pub max_health: i32,
    pub buffer: f32,
    pub buffer_time: f32,
    pub incapacitated: bool,
    pub hanging: bool,
    pub going_to_die: bool,
    pub team: i32,
    pub life_state: i32,
    pub zombie_class: i32,
    pub character: i32,
    pub weapon: i32,
    pub move_type: i32,
    pub flags: i32,
    pub ghost: bool,
    /// Rounds in the clip; less than none of what has no clip, such as a medkit.
    pub clip: i32,
    pub intensity: i32,
    pub captors: [i32; 5],
    /// The recorder's own place, from the middle of the map.
    pub own: [f32; 3],
    /// Anybody else's place in its cell.
    pub in_cell: [f32; 3],
    pub cell: [i32; 3],
    pub cell_bits: i32,
}

/// The map reaches this far from its middle.
const REACH_UNITS: f32 = 16384.0;
/// Bits of a cell's side where the entity does not say.
const CELL_BITS: i32 = 5;

impl Default for Values {
    fn default() -> Self {
        Values {
            health: 0,
            max_health: 0,
            buffer: 0.0,
            buffer_time: 0.0,
            incapacitated: false,
            hanging: false,
            going_to_die: false,
            team: 0,
            life_state: 0,
            zombie_class: 0,
            character: 0,
            weapon: NO_HANDLE,
            move_type: 0,
            flags: 0,
            ghost: false,
            clip: -1,
            intensity: 0,
            captors: [NO_HANDLE; 5],
            own: [0.0; 3],
            in_cell: [0.0; 3],
            cell: [0; 3],
            cell_bits: 0,
        }
    }
}

impl Values {
    pub(super) fn set(&mut self, field: Field, value: Decoded) {
        match (field, value) {
            (Field::Health, Decoded::Int(n)) => self.health = n,
            (Field::MaxHealth, Decoded::Int(n)) => self.max_health = n,
            (Field::Buffer, Decoded::Float(n)) => self.buffer = n,
            (Field::BufferTime, Decoded::Float(n)) => self.buffer_time = n,
            (Field::Incapacitated, Decoded::Int(n)) => self.incapacitated = n != 0,
            (Field::Hanging, Decoded::Int(n)) => self.hanging = n != 0,
            (Field::GoingToDie, Decoded::Int(n)) => self.going_to_die = n != 0,
            (Field::Team, Decoded::Int(n)) => self.team = n,
            (Field::LifeState, Decoded::Int(n)) => self.life_state = n,
            (Field::ZombieClass, Decoded::Int(n)) => self.zombie_class = n,
            (Field::Character, Decoded::Int(n)) => self.character = n,
            (Field::Weapon, Decoded::Int(n)) => self.weapon = n,
            (Field::MoveType, Decoded::Int(n)) => self.move_type = n,
            (Field::Flags, Decoded::Int(n)) => self.flags = n,
            (Field::Ghost, Decoded::Int(n)) => self.ghost = n != 0,
            // Source SDK 2013, SendPropIntWithMinusOneFlag: sent plus one, so that -1 is not negative.
            (Field::Clip, Decoded::Int(n)) => self.clip = n.saturating_sub(1),
            (Field::Intensity, Decoded::Int(n)) => self.intensity = n,
            (Field::Captor(way), Decoded::Int(n)) => {
                if let Some(captor) = self.captors.get_mut(usize::from(way)) {
                    *captor = n;
                }
            }
            (Field::OwnXy, Decoded::Vector([x, y, _])) => (self.own[0], self.own[1]) = (x, y),
            (Field::OwnZ, Decoded::Float(z)) => self.own[2] = z,
            (Field::InCell, Decoded::Vector(place)) => self.in_cell = place,
            (Field::InCellXy, Decoded::Vector([x, y, _])) => {
                (self.in_cell[0], self.in_cell[1]) = (x, y);
            }
            (Field::InCellZ, Decoded::Float(z)) => self.in_cell[2] = z,
            (Field::CellBits, Decoded::Int(n)) => self.cell_bits = n,
            (Field::CellX, Decoded::Int(n)) => self.cell[0] = n,
            (Field::CellY, Decoded::Int(n)) => self.cell[1] = n,
            (Field::CellZ, Decoded::Int(n)) => self.cell[2] = n,
            // A build that writes a property in another form has another property.
            _ => {}
        }
    }

    /// Where the recorder's own entity is.
    pub(super) fn own_place(&self) -> [f32; 3] {
        self.own
    }

    /// Where any other entity is.
    pub(super) fn place(&self) -> [f32; 3] {
        let bits = if (1..=15).contains(&self.cell_bits) { self.cell_bits } else { CELL_BITS };
        let side = (1 << bits) as f32;
        let axis = |axis: usize| self.cell[axis] as f32 * side - REACH_UNITS + self.in_cell[axis];
        [axis(0), axis(1), axis(2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_counted_from_the_corner_of_its_cell() {
        let mut values = Values::default();
        values.set(Field::CellBits, Decoded::Int(5));
        values.set(Field::CellX, Decoded::Int(512));
        values.set(Field::CellY, Decoded::Int(0));
        values.set(Field::CellZ, Decoded::Int(513));
        values.set(Field::InCellXy, Decoded::Vector([1.5, 2.0, 0.0]));
        values.set(Field::InCellZ, Decoded::Float(31.0));
        assert_eq!(values.place(), [1.5, -16382.0, 63.0]);
    }

    #[test]
    fn a_clip_is_sent_plus_one() {
        let mut values = Values::default();
        assert_eq!(values.clip, -1, "as if 0 were sent, which a server leaves out");
        values.set(Field::Clip, Decoded::Int(16));
        assert_eq!(values.clip, 15);
        values.set(Field::Clip, Decoded::Int(0));
        assert_eq!(values.clip, -1);
    }

    #[test]
    fn a_value_of_another_form_changes_nothing() {
        let mut values = Values::default();
        values.set(Field::Health, Decoded::Passed);
        values.set(Field::OwnZ, Decoded::Vector([1.0; 3]));
        assert_eq!(values, Values::default());
    }
}
