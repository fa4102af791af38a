//! The boost pads of the soccar field.
//!
//! The order is that of RLGym's `BOOST_LOCATIONS`: rows from blue's goal to orange's, each from −x
//! to +x. The engine sorts strictly by y, then x, and so places the two pads of the rows at ±1036
//! apart from the one at ±1024 between them: [`PAD_OF_ENGINE`] translates.

use rocketsim::Vec3A;

use crate::state::PADS;

/// Where each pad lies, uu. Pad `33 - i` is pad `i` turned by half a turn about the vertical.
///
/// RLGym lists pad 27 at y = 3310; the engine has it at 3308, which also makes the field symmetric.
pub const PAD_POSITIONS: [Vec3A; PADS] = [
    small(0.0, -4240.0),
    small(-1792.0, -4184.0),
    small(1792.0, -4184.0),
    big(-3072.0, -4096.0),
    big(3072.0, -4096.0),
    small(-940.0, -3308.0),
    small(940.0, -3308.0),
    small(0.0, -2816.0),
    small(-3584.0, -2484.0),
    small(3584.0, -2484.0),
    small(-1788.0, -2300.0),
    small(1788.0, -2300.0),
    small(-2048.0, -1036.0),
    small(0.0, -1024.0),
    small(2048.0, -1036.0),
    big(-3584.0, 0.0),
    small(-1024.0, 0.0),
    small(1024.0, 0.0),
    big(3584.0, 0.0),
    small(-2048.0, 1036.0),
    small(0.0, 1024.0),
    small(2048.0, 1036.0),
    small(-1788.0, 2300.0),
    small(1788.0, 2300.0),
    small(-3584.0, 2484.0),
    small(3584.0, 2484.0),
    small(0.0, 2816.0),
    small(-940.0, 3308.0),
    small(940.0, 3308.0),
    big(-3072.0, 4096.0),
    big(3072.0, 4096.0),
    small(-1792.0, 4184.0),
    small(1792.0, 4184.0),
    small(0.0, 4240.0),
];

/// The six pads that fill the tank and take 10 s to come back; the others give 12 and take 4 s.
pub const PAD_IS_BIG: [bool; PADS] = {
    let mut is_big = [false; PADS];
    let mut at = 0;
    while at < BIG_PADS.len() {
        is_big[BIG_PADS[at]] = true;
        at += 1;
    }
    is_big
};

/// Where [`PAD_IS_BIG`] holds.
pub const BIG_PADS: [usize; 6] = [3, 4, 15, 18, 29, 30];

/// For each pad of the engine's arena, its place in [`PAD_POSITIONS`].
pub const PAD_OF_ENGINE: [usize; PADS] = {
    let mut pad_of = [0; PADS];
    let mut at = 0;
    while at < PADS {
        pad_of[at] = at;
        at += 1;
    }
    // (0, −1024) comes last of its row in the engine, (0, 1024) first.
    pad_of[13] = 14;
    pad_of[14] = 13;
    pad_of[19] = 20;
    pad_of[20] = 19;
    pad_of
};

const fn small(x: f32, y: f32) -> Vec3A {
    Vec3A::new(x, y, 70.0)
}

const fn big(x: f32, y: f32) -> Vec3A {
    Vec3A::new(x, y, 73.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::half;
    use rocketsim::GameMode;
    use rocketsim::consts::boost_pads::get_locations;

    #[test]
    fn places_are_those_of_rlgym() {
        let fixture: serde_json::Value =
            serde_json::from_str(include_str!("../fixtures/rocket_lut.json")).unwrap();
        let places: Vec<[f32; 3]> =
            serde_json::from_value(fixture["boost_locations"].clone()).unwrap();
        assert_eq!(places.len(), PADS);
        for (pad, &place) in places.iter().enumerate() {
            // The one place where RLGym and the engine differ.
            let expected = if pad == 27 { [-940.0, 3308.0, 70.0] } else { place };
            assert_eq!(PAD_POSITIONS[pad].to_array(), expected, "pad {pad}");
        }
    }

    #[test]
    fn the_field_is_symmetric() {
        for pad in 0..PADS {
            assert_eq!(PAD_POSITIONS[PADS - 1 - pad], half(PAD_POSITIONS[pad]), "pad {pad}");
            assert_eq!(PAD_IS_BIG[PADS - 1 - pad], PAD_IS_BIG[pad]);
            assert_eq!(PAD_IS_BIG[pad], PAD_POSITIONS[pad].z == 73.0);
        }
    }

    #[test]
    fn the_engines_pads_are_found() {
        // As the engine builds its list: small ones, big ones, then sorted by y and x.
        let mut engine: Vec<(Vec3A, bool)> = [false, true]
            .into_iter()
            .flat_map(|big| get_locations(GameMode::Soccar, big).iter().map(move |&p| (p, big)))
            .collect();
        engine.sort_by(|(a, _), (b, _)| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
        for (at, (place, big)) in engine.into_iter().enumerate() {
            assert_eq!(PAD_POSITIONS[PAD_OF_ENGINE[at]], place, "engine's pad {at}");
            assert_eq!(PAD_IS_BIG[PAD_OF_ENGINE[at]], big);
        }
    }
}
