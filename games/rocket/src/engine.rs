//! The one place that touches RocketSim: set-ups in, ticks, states and happenings out.

mod trial;

use lanista_game::seed;
use rocketsim::consts::{ball, car};
use rocketsim::{Arena, ArenaConfig, ArenaEvent, BallState, CarCore, GameMode, PhysState, Vec3A};

use crate::hitbox::Hitbox;
use crate::pads::{PAD_IS_BIG, PAD_OF_ENGINE};
use crate::shots::goal_ahead;
use crate::start::{CarSetup, FLIP_OVER_SECS, Setup};
use crate::state::{Body, Car, CarHappenings, Happenings, MAX_TEAM, PADS, State, Team};
use crate::table::table;

pub use trial::{Placement, Trial};

/// A contact with the floor has a normal so close to the vertical, and lies no higher than this: not
/// on a ramp.
const FLOOR_NORMAL_Z: f32 = 0.99;
const FLOOR_TOP_UU: f32 = 5.0;
/// A ball no higher than this above the height at which it rests lies on the floor.
const RESTING_UU: f32 = 0.5;

/// One match in the engine.
pub struct Engine {
    arena: Arena,
    teams: Vec<Team>,
    /// Did the car touch the ball in the tick before?
    touching: [bool; 2 * MAX_TEAM],
    /// The car of each team that touched the ball last.
    last_touch: [Option<usize>; 2],
    /// Was the car in pieces after the tick before?
    demolished: [bool; 2 * MAX_TEAM],
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine without cars; [`Engine::reset`] begins a match.
    pub fn new() -> Self {
        Self {
            arena: fresh_arena(&[], 0),
            teams: Vec::new(),
            touching: [false; 2 * MAX_TEAM],
            last_touch: [None; 2],
            demolished: [false; 2 * MAX_TEAM],
        }
    }

    /// Begins a match. The arena is made anew: what the engine remembers of contacts, pads and
    /// respawns would otherwise leak from one match into the next, and no two would be the same.
    pub fn reset(&mut self, setup: &Setup, seed: u64) {
        self.arena = fresh_arena(&setup.cars, seed);
        self.teams.clear();
        self.teams.extend(setup.cars.iter().map(|car| car.team));
        self.touching = [false; 2 * MAX_TEAM];
        self.last_touch = [None; 2];
        self.demolished = [false; 2 * MAX_TEAM];
        let mut ball = BallState::DEFAULT;
        ball.phys.pos = setup.ball.pos;
        ball.phys.vel = setup.ball.vel;
        ball.phys.ang_vel = setup.ball.ang_vel;
        self.arena.set_ball_state(ball);
        for (index, car) in setup.cars.iter().enumerate() {
            self.arena.set_car_state(index, car.core());
            self.arena.refresh_car_contacts(index);
        }
    }

    /// Sets the controls of a car to a row of the table.
    pub fn drive(&mut self, car: usize, row: usize) {
        self.arena.set_car_controls(car, table()[row].controls());
    }

    /// Plays one tick and adds what happened. Returns whether a goal was scored.
    pub fn tick(&mut self, happened: &mut Happenings) -> bool {
        let before = self.ball();
        let mut touched = [false; 2 * MAX_TEAM];
        let mut boosts = [0.0; 2 * MAX_TEAM];
        let mut flipping = [false; 2 * MAX_TEAM];
        for car in 0..self.teams.len() {
            let state = self.arena.get_car_state(car);
            (boosts[car], flipping[car]) = (state.boost, state.is_flipping);
        }
        let mut contact = false;
        happened.ball_on_floor = false;
        for event in self.arena.step_tick() {
            match event {
                ArenaEvent::CarHitBall(hit) => {
                    touched[hit.car_idx] = true;
                    contact = true;
                    self.last_touch[self.teams[hit.car_idx].index()] = Some(hit.car_idx);
                }
                ArenaEvent::BallHitWorld(hit) => {
                    happened.ball_on_floor |= hit.contact_normal.z.abs() > FLOOR_NORMAL_Z
                        && hit.contact_point.z < FLOOR_TOP_UU;
                }
                ArenaEvent::CarHitCar(hit) if hit.is_demo => {
                    happened.cars[hit.victim_car_idx].demolished = true;
                    // Only the other team's cars count.
                    if self.teams[hit.bumper_car_idx] != self.teams[hit.victim_car_idx] {
                        happened.cars[hit.bumper_car_idx].demolitions += 1;
                    }
                }
                ArenaEvent::CarHitCar(hit)
                    if self.teams[hit.bumper_car_idx] != self.teams[hit.victim_car_idx] =>
                {
                    happened.cars[hit.bumper_car_idx].bumps += 1;
                }
                ArenaEvent::CarPickupBoost(pickup) => {
                    let amount =
                        if PAD_IS_BIG[PAD_OF_ENGINE[pickup.boost_pad_idx]] { 100.0 } else { 12.0 };
                    let room = 100.0 - boosts[pickup.car_idx];
                    happened.cars[pickup.car_idx].boost_collected += f32::min(amount, room);
                }
                ArenaEvent::CarLanded(landed) => {
                    happened.cars[landed.car_idx].landed = true;
                    happened.cars[landed.car_idx].wavedash |= flipping[landed.car_idx];
                }
                _ => {}
            }
        }
        if contact {
            self.credit_touches(&before, &touched, happened);
        }
        // A ball at rest sleeps and reports no contact.
        happened.ball_on_floor |= self.ball().pos.z < ball::REST_Z + RESTING_UU;
        self.touching = touched;
        self.free_the_respawned();
        if self.arena.is_ball_scored() {
            // The ball lies in orange's goal when its y is positive: blue scored.
            let team = if self.ball().pos.y > 0.0 { Team::Blue } else { Team::Orange };
            happened.goal = Some(team.index());
            happened.scorer = self.last_touch[team.index()];
            return true;
        }
        false
    }

    /// Lets cars that have just come back pitch at once, as [`CarSetup::core`] does for those that
    /// start a match.
    fn free_the_respawned(&mut self) {
        for car in 0..self.teams.len() {
            let demolished = self.arena.get_car_state(car).is_demoed;
            if self.demolished[car] && !demolished {
                self.arena.edit_car_state_full(car, |state| state.flip_time = FLIP_OVER_SECS);
            }
            self.demolished[car] = demolished;
        }
    }

    fn credit_touches(&self, before: &Body, touched: &[bool], happened: &mut Happenings) {
        let after = self.ball();
        let change = (after.vel - before.vel).length();
        for (car, &team) in self.teams.iter().enumerate().filter(|(car, _)| touched[*car]) {
            let did = &mut happened.cars[car];
            did.touches += u32::from(!self.touching[car]);
            did.contact_ticks += 1;
            did.hit_speed_change = did.hit_speed_change.max(change);
            did.touch_height = self.arena.get_car_state(car).phys.pos.z;
            let (was, is) = (goal_ahead(before), goal_ahead(&after));
            did.shot |= is == Some(team.other()) && was != is;
            did.save |= was == Some(team) && is != was;
        }
    }

    /// The ball now.
    fn ball(&self) -> Body {
        let phys = &self.arena.get_ball_state().phys;
        within_limits(phys, ball::MAX_SPEED, ball::MAX_ANG_SPEED)
    }

    /// Reads the match into a state; its `tick` and the cars' last actions are the caller's.
    pub fn read(&self, state: &mut State) {
        state.ball = self.ball();
        for (index, &team) in self.teams.iter().enumerate() {
            let car = self.arena.get_car_state(index);
            let on_ground = car.is_on_ground();
            let last_action = state.cars[index].last_action;
            state.cars[index] = Car {
                team,
                body: within_limits(&car.phys, car::MAX_SPEED, car::MAX_ANG_SPEED),
                world_from_car: car.phys.rot_mat,
                boost: car.boost,
                on_ground,
                has_jump: !car.has_jumped,
                has_flip: car.has_flip_or_jump(),
                jumping: car.is_jumping,
                flipping: car.is_flipping,
                supersonic: car.is_supersonic,
                demolished: car.is_demoed,
                respawn_secs: if car.is_demoed { car.demo_respawn_timer } else { 0.0 },
                air_secs: if on_ground { 0.0 } else { car.air_time },
                body_contact: car.world_contact_normal().is_some(),
                last_action,
            };
        }
        for engine_pad in 0..PADS {
            let pad = self.arena.get_boost_pad_state(engine_pad);
            state.pad_secs[PAD_OF_ENGINE[engine_pad]] = pad.cooldown;
        }
    }
}

/// Says whether a car that the engine does not play touches the arena with its body: an arena of its own,
/// in which the car is put where it is and one tick is played.
pub struct ContactProbe {
    arena: Arena,
    hitbox: Hitbox,
}

impl Default for ContactProbe {
    fn default() -> Self {
        Self::new(Hitbox::default())
    }
}

impl ContactProbe {
    fn new(hitbox: Hitbox) -> Self {
        let mut arena = Arena::new_with_config(ArenaConfig::new(GameMode::Soccar));
        arena.add_car(rocketsim::Team::Blue, hitbox.body());
        Self { arena, hitbox }
    }

    /// Does some part of the car other than a wheel touch the arena?
    pub fn touches(&mut self, car: &Car, hitbox: Hitbox) -> bool {
        if self.hitbox != hitbox {
            *self = Self::new(hitbox);
        }
        // Out of its way.
        let mut ball = BallState::DEFAULT;
        ball.phys.pos = Vec3A::new(-3000.0f32.copysign(car.body.pos.x), 0.0, 1000.0);
        self.arena.set_ball_state(ball);
        let Body { pos, vel, ang_vel } = car.body;
        let phys = PhysState { pos, rot_mat: car.world_from_car, vel, ang_vel };
        self.arena.set_car_state(0, CarCore::aerial(phys));
        self.arena.step_tick();
        self.arena.get_car_state(0).world_contact_normal().is_some()
    }
}

/// A state with the right number of cars, to be read into.
pub fn blank_state(blue: usize, orange: usize) -> State {
    let body = Body { pos: Vec3A::ZERO, vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO };
    let mut cars = vec![Car::parked(Team::Blue, Vec3A::ZERO); blue];
    cars.extend(vec![Car::parked(Team::Orange, Vec3A::ZERO); orange]);
    State { ball: body, cars, pad_secs: [0.0; PADS], tick: 0 }
}

/// A body as the game knows it. The engine keeps speeds and spins within their limits at the start
/// of a tick, so after one they may exceed them; C++ RocketSim does it at the end.
fn within_limits(phys: &PhysState, speed: f32, spin: f32) -> Body {
    Body {
        pos: phys.pos,
        vel: phys.vel.clamp_length_max(speed),
        ang_vel: phys.ang_vel.clamp_length_max(spin),
    }
}

/// Clears happenings for so many cars, keeping their memory.
pub fn clear(happened: &mut Happenings, cars: usize) {
    happened.goal = None;
    happened.scorer = None;
    happened.ball_on_floor = false;
    happened.cars.clear();
    happened.cars.resize(cars, CarHappenings::default());
}

fn fresh_arena(cars: &[CarSetup], seed: u64) -> Arena {
    let config = ArenaConfig::new(GameMode::Soccar).with_rng_seed(seed::mix(seed, 0x6172_656e));
    let mut arena = Arena::new_with_config(config);
    for car in cars {
        let team = match car.team {
            Team::Blue => rocketsim::Team::Blue,
            Team::Orange => rocketsim::Team::Orange,
        };
        arena.add_car(team, car.hitbox.body());
    }
    arena
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocketsim::Mat3A;

    #[test]
    fn the_probe_feels_what_a_body_touches() {
        crate::arena::prepare(None).unwrap();
        let mut probe = ContactProbe::default();
        let mut car = Car::parked(Team::Blue, Vec3A::new(1000.0, -2000.0, 17.0));
        assert!(!probe.touches(&car, Hitbox::Octane), "it stands on its wheels");
        car.body.pos.z = 500.0;
        assert!(!probe.touches(&car, Hitbox::Octane), "it flies");
        car.world_from_car = Mat3A::from_rotation_x(std::f32::consts::PI);
        for hitbox in [Hitbox::Octane, Hitbox::Merc, Hitbox::Octane] {
            car.body.pos.z = if hitbox == Hitbox::Merc { 42.0 } else { 38.0 };
            assert!(probe.touches(&car, hitbox), "{hitbox:?} lies on its roof");
        }
        car.body.pos.z = 300.0;
        assert!(!probe.touches(&car, Hitbox::Octane), "nothing stays of the contact");
    }
}
