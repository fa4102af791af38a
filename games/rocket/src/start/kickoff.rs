//! The kickoff.

use lanista_game::seed::Rng;
use rand::RngExt;
use rocketsim::consts::car::boost::SPAWN_AMOUNT;
use rocketsim::consts::car::spawn::get_kickoff_spawn_locations;
use rocketsim::{GameMode, Vec3A};

use super::draft::{ATTACKERS, Draft, Sizes, moving, on_floor};
use super::field::BALL_REST_Z_UU;
use crate::state::Body;

/// The ball at rest on the middle spot.
pub(super) fn ball() -> Body {
    moving(Vec3A::new(0.0, 0.0, BALL_REST_Z_UU), Vec3A::ZERO)
}

/// The ball on the middle spot, cars at rest on the game's kickoff spots: the first car of a team
/// mirrors the first of the other, and so on.
pub(super) fn kickoff(rng: &mut Rng, sizes: Sizes) -> Option<Draft> {
    let mut spots = [0, 1, 2, 3, 4];
    for last in (1..spots.len()).rev() {
        spots.swap(last, rng.random_range(0..=last));
    }
    let locations = get_kickoff_spawn_locations(GameMode::Soccar);
    Draft::new(ball()).cast(rng, sizes, |_, team, index| {
        let spot = &locations[spots[index]];
        let (sin, cos) = spot.yaw_ang.sin_cos();
        let car = on_floor(spot.x, spot.y, Vec3A::new(cos, sin, 0.0), 0.0, SPAWN_AMOUNT);
        if team == ATTACKERS { car } else { car.turned() }
    })
}
