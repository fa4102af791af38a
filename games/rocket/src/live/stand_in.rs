//! What a core would say of our own simulator: for tests, and for whoever stands in for a core.

use rocketsim::Vec3A;

use super::message::FieldPad;
use super::packet::{AirState, Packet, Pad, Phase, Physics, Player};
use crate::pads::{PAD_IS_BIG, PAD_OF_ENGINE, PAD_POSITIONS};
use crate::state::{Body, Car, State};

/// The soccar field as RLBot lists it: by y, then by x.
pub fn soccar_field() -> Vec<FieldPad> {
    let pad = |&ours: &usize| FieldPad {
        location: PAD_POSITIONS[ours].to_array(),
        big: PAD_IS_BIG[ours],
    };
    PAD_OF_ENGINE.iter().map(pad).collect()
}

fn physics(body: &Body, car: Option<&Car>) -> Physics {
    let rotation = car.map_or([0.0; 3], |car| {
        let (forward, right) = (car.forward(), car.right());
        // The arc sine would lose half of the digits of a car that stands on its nose.
        let pitch = forward.z.atan2(forward.x.hypot(forward.y));
        let yaw = forward.y.atan2(forward.x);
        // Against what right and up would be without a roll: near the vertical, yaw and roll are only
        // known together.
        let ((sp, cp), (sy, cy)) = (pitch.sin_cos(), yaw.sin_cos());
        let level = Vec3A::new(-sy, cy, 0.0);
        let upright = Vec3A::new(-cy * sp, -sy * sp, cp);
        [pitch, yaw, (-right.dot(upright)).atan2(right.dot(level))]
    });
    Physics {
        location: body.pos.to_array(),
        rotation,
        velocity: body.vel.to_array(),
        angular_velocity: body.ang_vel.to_array(),
    }
}

/// What RLBot would tell of a car.
fn player(index: usize, car: &Car) -> Player {
    Player {
        physics: physics(&car.body, Some(car)),
        hitbox: [118.0, 84.2, 36.16],
        touched_secs: None,
        air: match (car.jumping, car.on_ground) {
            (true, _) => AirState::Jumping,
            (_, true) => AirState::OnGround,
            _ => AirState::InAir,
        },
        dodge_timeout: if car.has_flip && !car.on_ground { 0.5 } else { -1.0 },
        demolished_timeout: if car.demolished { car.respawn_secs } else { -1.0 },
        supersonic: car.supersonic,
        team: car.team.index() as u32,
        boost: car.boost,
        id: index as i32,
        has_jumped: !car.has_jump,
        has_double_jumped: false,
        has_dodged: !car.has_flip || car.flipping,
        dodge_elapsed: if car.flipping { 0.1 } else { 1.0 },
    }
}

/// The game in a state, in play. What a state does not say (such as how long a dodge is possible yet) is
/// made up so that it agrees with what the state does say.
pub fn packet(state: &State) -> Packet {
    let pad = |&ours: &usize| {
        let left = state.pad_secs[ours];
        let full = if PAD_IS_BIG[ours] { 10.0 } else { 4.0 };
        Pad { active: left <= 0.0, taken_secs: if left <= 0.0 { 0.0 } else { full - left } }
    };
    Packet {
        players: state.cars.iter().enumerate().map(|(index, car)| player(index, car)).collect(),
        pads: PAD_OF_ENGINE.iter().map(pad).collect(),
        ball: Some(physics(&state.ball, None)),
        frame: state.tick as u32,
        phase: Phase::Active,
        ..Packet::default()
    }
}
