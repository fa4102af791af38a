//! Which hitbox a car body of the game has.

use crate::hitbox::Hitbox;

/// The hitbox of a body by the number of the item in the game. Bodies that are not listed have the most
/// common one.
pub(super) fn hitbox_of_body(item: u32) -> Hitbox {
    let has = |bodies: &[u32]| bodies.binary_search(&item).is_ok();
    if has(&DOMINUS) {
        Hitbox::Dominus
    } else if has(&PLANK) {
        Hitbox::Plank
    } else if has(&BREAKOUT) {
        Hitbox::Breakout
    } else if has(&HYBRID) {
        Hitbox::Hybrid
    } else if has(&MERC) {
        Hitbox::Merc
    } else {
        Hitbox::Octane
    }
}

// Item numbers as listed by rlgym-tools 2.6.5 (`car_bodies.py`), in order.
const DOMINUS: [u32; 69] = [
    29, 403, 597, 600, 1018, 1171, 1286, 1675, 1689, 1883, 2070, 2268, 2298, 2666, 2950, 2951,
    3155, 3156, 3157, 3265, 3426, 3875, 3879, 3880, 4014, 4155, 4367, 4472, 4473, 4745, 4770, 4781,
    4861, 4864, 5709, 5773, 5823, 5858, 5964, 5979, 6122, 6244, 6247, 6260, 6836, 7211, 7337, 7338,
    7341, 7343, 7415, 7512, 7532, 7593, 7772, 8454, 9053, 9088, 9089, 9140, 9388, 9894, 10440,
    10441, 10694, 11016, 11095, 11315, 11336,
];
const PLANK: [u32; 12] = [24, 803, 1603, 1691, 1919, 3594, 3614, 3622, 4268, 5265, 7052, 8524];
const BREAKOUT: [u32; 27] = [
    22, 1416, 1894, 1932, 3031, 3311, 6243, 6489, 7651, 7696, 7890, 7901, 8006, 8360, 8361, 8565,
    8566, 8669, 9357, 10697, 10698, 10817, 10822, 11038, 11394, 11505, 11800,
];
const HYBRID: [u32; 22] = [
    28, 31, 1159, 1317, 1624, 1856, 2269, 3451, 3582, 3702, 5470, 5488, 5879, 7012, 9084, 9085,
    9427, 10044, 10805, 11138, 11141, 11379,
];
const MERC: [u32; 9] = [30, 4780, 7336, 7477, 7815, 7979, 10689, 11098, 11314];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_found_by_their_numbers() {
        for list in [&DOMINUS[..], &PLANK, &BREAKOUT, &HYBRID, &MERC] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]));
        }
        assert_eq!(hitbox_of_body(23), Hitbox::Octane);
        assert_eq!(hitbox_of_body(403), Hitbox::Dominus);
        assert_eq!(hitbox_of_body(u32::MAX), Hitbox::Octane);
    }
}
