//! `v1-legacy-69`: the state in the layout that the original client reads, not the one it documents.
//!
//! Its reader has three floats more and one byte more than the structure: weapons, the number of incapacitated
//! teammates and the nearness of the objective come as floats, ammunition and distances as single bytes
//! (facts/survivors.md §8). With these 70 bytes it plays unchanged.

use super::cursor::put_f32s;
use super::state::BotState;

/// Length of the datagram: the type and 69 bytes.
pub const DATAGRAM_BYTES: usize = 70;

/// The state datagram for the original client.
pub fn encode(state: &BotState) -> Vec<u8> {
    let mut out = Vec::with_capacity(DATAGRAM_BYTES);
    out.extend_from_slice(&[0x04, state.bot_id]);
    out.extend_from_slice(&state.health.to_le_bytes());
    out.extend_from_slice(&[u8::from(state.is_alive), u8::from(state.is_incapped)]);
    put_f32s(&mut out, &state.position);
    put_f32s(&mut out, &state.velocity);
    put_f32s(&mut out, &state.angle);
    put_f32s(
        &mut out,
        &[state.primary_weapon, state.secondary_weapon, state.throwable].map(f32::from),
    );
    out.extend_from_slice(&[
        state.health_item,
        u8::try_from(state.ammo).unwrap_or(u8::MAX),
        state.nearby_enemies,
        whole_units(state.nearest_enemy_dist),
    ]);
    out.extend_from_slice(&u16::from(state.teammates_alive).to_le_bytes());
    out.push(whole_units(state.nearest_teammate_dist));
    put_f32s(&mut out, &[f32::from(state.teammates_incapped)]);
    out.push(u8::from(state.in_safe_room));
    put_f32s(&mut out, &[f32::from(u8::from(state.near_objective))]);
    out.extend_from_slice(&[0; 4]);
    out
}

/// A distance in a byte: a cast of a float to an integer stops at its ends.
fn whole_units(distance: f32) -> u8 {
    distance as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_original_reader_finds_its_fields() {
        let state = BotState {
            bot_id: 1,
            health: 87,
            is_alive: true,
            position: [10.0, 20.0, 30.0],
            primary_weapon: 26,
            throwable: 13,
            health_item: 12,
            ammo: 400,
            nearest_enemy_dist: 123.9,
            teammates_alive: 3,
            nearest_teammate_dist: 9999.0,
            teammates_incapped: 1,
            in_safe_room: true,
            near_objective: true,
            ..BotState::default()
        };
        let out = encode(&state);
        assert_eq!(out.len(), DATAGRAM_BYTES);
        // `<BHBB11fBBBBHBfBfBBBB` behind the type: offsets by adding up the sizes.
        assert_eq!(out[1..6], [1, 87, 0, 1, 0]);
        assert_eq!(out[6..10], 10.0f32.to_le_bytes());
        assert_eq!(out[38..42], 26.0f32.to_le_bytes());
        assert_eq!(out[46..50], 13.0f32.to_le_bytes());
        assert_eq!(out[50..57], [12, 255, 0, 123, 3, 0, 255]);
        assert_eq!(out[57..61], 1.0f32.to_le_bytes());
        assert_eq!(out[61], 1);
        assert_eq!(out[62..66], 1.0f32.to_le_bytes());
        assert_eq!(out[66..], [0; 4]);
    }
}
