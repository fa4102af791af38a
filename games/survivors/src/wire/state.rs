//! The state of a bot and the 14 actions, as v1 documents them and v2 still carries them.

use super::WireError;
use super::cursor::{Reader, put_f32s};

/// Length of a [`BotState`] on the wire.
pub const STATE_BYTES: usize = 56;

/// Stands for "there is none" in a distance.
pub const NOBODY_UNITS: f32 = 9999.0;

/// The 56 bytes of v1: what a bot knows of itself and around it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BotState {
    /// Seat of the survivor.
    pub bot_id: u8,
    /// Permanent health in points.
    pub health: u16,
    /// Not dead.
    pub is_alive: bool,
    /// Down, waiting for help.
    pub is_incapped: bool,
    /// Feet: x, y, z in units.
    pub position: [f32; 3],
    /// Units a second.
    pub velocity: [f32; 3],
    /// Pitch and yaw in degrees.
    pub angle: [f32; 2],
    /// Weapon id, 0 for none.
    pub primary_weapon: u8,
    /// Weapon id, 0 for none.
    pub secondary_weapon: u8,
    /// Weapon id, 0 for none.
    pub throwable: u8,
    /// Medkit, defibrillator or upgrade pack, 0 for none.
    pub health_item: u8,
    /// Rounds in the clip of the weapon in hand.
    pub ammo: u16,
    /// Living infected within 1000 units.
    pub nearby_enemies: u8,
    /// Units, [`NOBODY_UNITS`] for none.
    pub nearest_enemy_dist: f32,
    /// Others who live.
    pub teammates_alive: u8,
    /// Units, [`NOBODY_UNITS`] for none.
    pub nearest_teammate_dist: f32,
    /// Others who are down.
    pub teammates_incapped: u8,
    /// At the end: safe room or rescue vehicle.
    pub in_safe_room: bool,
    /// Within 500 units of it.
    pub near_objective: bool,
}

impl BotState {
    /// Appends the 56 bytes.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.push(self.bot_id);
        out.extend_from_slice(&self.health.to_le_bytes());
        out.extend_from_slice(&[u8::from(self.is_alive), u8::from(self.is_incapped)]);
        put_f32s(out, &self.position);
        put_f32s(out, &self.velocity);
        put_f32s(out, &self.angle);
        out.extend_from_slice(&[
            self.primary_weapon,
            self.secondary_weapon,
            self.throwable,
            self.health_item,
        ]);
        out.extend_from_slice(&self.ammo.to_le_bytes());
        out.push(self.nearby_enemies);
        put_f32s(out, &[self.nearest_enemy_dist]);
        out.push(self.teammates_alive);
        put_f32s(out, &[self.nearest_teammate_dist]);
        out.extend_from_slice(&[
            self.teammates_incapped,
            u8::from(self.in_safe_room),
            u8::from(self.near_objective),
        ]);
    }

    /// Reads the 56 bytes.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self {
            bot_id: reader.u8()?,
            health: reader.u16()?,
            is_alive: reader.flag()?,
            is_incapped: reader.flag()?,
            position: reader.f32s("position")?,
            velocity: reader.f32s("velocity")?,
            angle: reader.f32s("angle")?,
            primary_weapon: reader.u8()?,
            secondary_weapon: reader.u8()?,
            throwable: reader.u8()?,
            health_item: reader.u8()?,
            ammo: reader.u16()?,
            nearby_enemies: reader.u8()?,
            nearest_enemy_dist: reader.f32("nearest_enemy_dist")?,
            teammates_alive: reader.u8()?,
            nearest_teammate_dist: reader.f32("nearest_teammate_dist")?,
            teammates_incapped: reader.u8()?,
            in_safe_room: reader.flag()?,
            near_objective: reader.flag()?,
        })
    }
}

/// The 14 actions of v1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum LegacyAction {
    /// Nothing.
    #[default]
    Idle = 0,
    /// Forward at full speed.
    MoveForward = 1,
    /// Backward at full speed.
    MoveBackward = 2,
    /// Sideways.
    MoveLeft = 3,
    /// Sideways.
    MoveRight = 4,
    /// Fire or swing.
    Attack = 5,
    /// Doors, items, reviving.
    Use = 6,
    /// A fresh clip.
    Reload = 7,
    /// Duck.
    Crouch = 8,
    /// Jump.
    Jump = 9,
    /// Push infected away.
    Shove = 10,
    /// Medkit on oneself.
    HealSelf = 11,
    /// Medkit on a teammate.
    HealOther = 12,
    /// The throwable.
    ThrowItem = 13,
}

/// Every action with its name in the protocol, by id.
pub const LEGACY_ACTIONS: [(LegacyAction, &str); 14] = [
    (LegacyAction::Idle, "idle"),
    (LegacyAction::MoveForward, "move_forward"),
    (LegacyAction::MoveBackward, "move_backward"),
    (LegacyAction::MoveLeft, "move_left"),
    (LegacyAction::MoveRight, "move_right"),
    (LegacyAction::Attack, "attack"),
    (LegacyAction::Use, "use"),
    (LegacyAction::Reload, "reload"),
    (LegacyAction::Crouch, "crouch"),
    (LegacyAction::Jump, "jump"),
    (LegacyAction::Shove, "shove"),
    (LegacyAction::HealSelf, "heal_self"),
    (LegacyAction::HealOther, "heal_other"),
    (LegacyAction::ThrowItem, "throw_item"),
];

impl LegacyAction {
    /// By its id.
    pub fn of(id: u8) -> Option<Self> {
        LEGACY_ACTIONS.get(usize::from(id)).map(|(action, _)| *action)
    }

    /// Its name in the protocol.
    pub fn name(self) -> &'static str {
        LEGACY_ACTIONS[self as usize].1
    }

    /// Reads an id.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let at = reader.at();
        let id = reader.u8()?;
        Self::of(id).ok_or_else(|| reader.refuse("action", at, id, "0 to 13"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        pub(crate) fn states()(
            (bot_id, health, is_alive, is_incapped) in (0u8..32, any::<u16>(), any::<bool>(), any::<bool>()),
            position in prop::array::uniform3(-16384.0f32..16384.0),
            velocity in prop::array::uniform3(-1000.0f32..1000.0),
            angle in prop::array::uniform2(-180.0f32..180.0),
            items in any::<[u8; 4]>(),
            (ammo, nearby_enemies, nearest_enemy_dist) in (any::<u16>(), any::<u8>(), 0.0f32..9999.0),
            (teammates_alive, nearest_teammate_dist) in (0u8..4, 0.0f32..9999.0),
            (teammates_incapped, in_safe_room, near_objective) in (0u8..4, any::<bool>(), any::<bool>()),
        ) -> BotState {
            let [primary_weapon, secondary_weapon, throwable, health_item] = items;
            BotState {
                bot_id, health, is_alive, is_incapped, position, velocity, angle, primary_weapon,
                secondary_weapon, throwable, health_item, ammo, nearby_enemies, nearest_enemy_dist,
                teammates_alive, nearest_teammate_dist, teammates_incapped, in_safe_room,
                near_objective,
            }
        }
    }

    proptest! {
        #[test]
        fn a_state_is_56_bytes_and_comes_back(state in states()) {
            let mut bytes = Vec::new();
            state.put(&mut bytes);
            prop_assert_eq!(bytes.len(), STATE_BYTES);
            let mut reader = Reader::new("state", &bytes);
            prop_assert_eq!(BotState::read(&mut reader), Ok(state));
            prop_assert!(reader.end().is_ok());
        }
    }

    /// The table of the document, field by field.
    #[test]
    fn fields_stand_where_the_document_says() {
        let state = BotState {
            bot_id: 3,
            health: 0x0102,
            is_alive: true,
            position: [1.0, 2.0, 3.0],
            angle: [4.0, 5.0],
            primary_weapon: 37,
            ammo: 50,
            nearest_enemy_dist: 6.0,
            nearest_teammate_dist: 7.0,
            near_objective: true,
            ..BotState::default()
        };
        let mut bytes = Vec::new();
        state.put(&mut bytes);
        assert_eq!(bytes[..5], [3, 2, 1, 1, 0]);
        assert_eq!(bytes[5..9], 1.0f32.to_le_bytes());
        assert_eq!(bytes[33..37], 5.0f32.to_le_bytes());
        assert_eq!((bytes[37], bytes[41]), (37, 50));
        assert_eq!(bytes[44..48], 6.0f32.to_le_bytes());
        assert_eq!(bytes[49..53], 7.0f32.to_le_bytes());
        assert_eq!(bytes[53..], [0, 0, 1]);
    }

    #[test]
    fn ids_of_actions_are_their_places() {
        for (id, (action, name)) in LEGACY_ACTIONS.iter().enumerate() {
            assert_eq!(*action as usize, id);
            assert_eq!(LegacyAction::of(id as u8), Some(*action));
            assert_eq!(action.name(), *name);
        }
        assert_eq!(LegacyAction::of(14), None);
    }
}
