//! One car, put anywhere, driven for a few ticks: what would have come of it?

use rocketsim::{Arena, ArenaConfig, BallState, CarControls, CarCore, GameMode, Mat3A, PhysState};

use super::within_limits;
use crate::hitbox::Hitbox;
use crate::state::{Body, Car};
use rocketsim::Vec3A;
use rocketsim::consts::car;

/// Where a car is and what it is in the middle of.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Where it is and how it moves.
    pub body: Body,
    /// Columns: forward, right, up, in world coordinates.
    pub world_from_car: Mat3A,
    /// 0 to 100.
    pub boost: f32,
    /// It is in the air because of a jump.
    pub has_jumped: bool,
    /// Its second jump is spent, without a turn.
    pub has_double_jumped: bool,
    /// Its flip is spent.
    pub has_flipped: bool,
    /// For so many ticks a jump has been pushing, if it still does.
    pub jump_ticks: Option<u32>,
    /// Seconds since the jump stopped pushing.
    pub secs_since_jump: f32,
    /// Seconds since the last flip began.
    pub flip_secs: f32,
    /// The flip still turns it, about these axes of the car.
    pub flip_torque: Option<Vec3A>,
    /// How far the handbrake has come on, 0 to 1.
    pub slide: f32,
    /// What it was told before.
    pub controls: CarControls,
}

impl Placement {
    fn core(&self) -> CarCore {
        let Body { pos, vel, ang_vel } = self.body;
        let phys = PhysState { pos, rot_mat: self.world_from_car, vel, ang_vel };
        CarCore {
            has_jumped: self.has_jumped || self.jump_ticks.is_some(),
            has_double_jumped: self.has_double_jumped,
            has_flipped: self.has_flipped,
            flip_rel_torque: self.flip_torque.unwrap_or(Vec3A::ZERO),
            jump_ticks: self.jump_ticks.unwrap_or(0),
            flip_time: self.flip_secs,
            is_flipping: self.flip_torque.is_some(),
            is_jumping: self.jump_ticks.is_some(),
            air_time_since_jump: self.secs_since_jump,
            controls: self.controls,
            ..CarCore::grounded(phys, self.boost)
        }
    }
}

/// An arena of its own for a car with one hitbox.
pub struct Trial {
    arena: Arena,
}

impl Trial {
    /// For cars with this hitbox.
    pub fn new(hitbox: Hitbox) -> Self {
        let mut arena = Arena::new_with_config(ArenaConfig::new(GameMode::Soccar));
        arena.add_car(rocketsim::Team::Blue, hitbox.body());
        Self { arena }
    }

    /// Puts a car and the ball somewhere.
    pub fn place(&mut self, at: &Placement, ball: &Body) {
        self.arena.clear_persistent_manifolds();
        let mut state = BallState::DEFAULT;
        (state.phys.pos, state.phys.vel, state.phys.ang_vel) = (ball.pos, ball.vel, ball.ang_vel);
        self.arena.set_ball_state(state);
        self.arena.set_car_state(0, at.core());
        self.arena.refresh_car_contacts(0);
        self.arena.edit_car_state_full(0, |state| state.handbrake_val = at.slide);
    }

    /// Do at least three wheels of the car touch something?
    pub fn on_ground(&self) -> bool {
        self.arena.get_car_state(0).is_on_ground()
    }

    /// Drives for so many ticks, and says where the car then is.
    pub fn drive(&mut self, controls: CarControls, ticks: u32) -> (Body, Mat3A) {
        self.arena.set_car_controls(0, controls);
        for _ in 0..ticks {
            self.arena.step_tick();
        }
        let phys = &self.arena.get_car_state(0).phys;
        (within_limits(phys, car::MAX_SPEED, car::MAX_ANG_SPEED), phys.rot_mat)
    }

    /// Does some part of the car other than a wheel touch the arena, as of the last tick?
    pub fn body_contact(&self) -> bool {
        self.arena.get_car_state(0).world_contact_normal().is_some()
    }

    /// What the engine says of a car that was placed, as the rest of this crate knows cars; whose it is and
    /// what it did last are the caller's.
    pub fn read(&self, car: &mut Car) {
        let state = self.arena.get_car_state(0);
        car.on_ground = state.is_on_ground();
        car.has_jump = !state.has_jumped;
        car.has_flip = state.has_flip_or_jump();
        car.jumping = state.is_jumping;
        car.flipping = state.is_flipping;
        car.supersonic = state.is_supersonic;
    }
}
