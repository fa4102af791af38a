//! Which actions make sense for a car as it is now.
//!
//! Many of the table's rows say the same thing in some situation, and a policy that still has to
//! choose among them explores more slowly. Each rule hides rows that another row replaces, or very
//! nearly; each can be switched off. What a rule takes away, if anything, stands with it.
//!
//! A mask is decided once per step, from the state before it. Where the situation changes within
//! the step (the car picks up boost, or leaves the ground), the hidden row can be chosen one step
//! later. [`NEUTRAL`] breaks no rule, so a mask is never empty.

use rocketsim::Vec3A;
use serde::{Deserialize, Serialize};

use crate::state::Car;
use crate::table::{BUILT, NEUTRAL, ROWS, Row};

/// The rules, by name; all are on unless switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Legality {
    /// With an empty tank, no row that boosts: nothing comes out. On the ground the row that
    /// drives does exactly the same. In the air a boosting row would still open the throttle
    /// (67 uu/s², where boost gives 1058): that is lost together with pitch or roll, and kept by
    /// the rows that drive.
    pub no_boost_when_empty: bool,
    /// No row that jumps when neither jump nor flip is left: the press would be void. Not while a
    /// jump is being held, which still pushes, and not while the body lies on something: a jump
    /// turns a car over that lies on its roof.
    pub no_jump_without_jump_or_flip: bool,
    /// On its wheels, no row that pitches or rolls without jumping: the engine turns the car only
    /// in the air, so such a row is the one of the ground that drives alike. Not while the car is
    /// leaving the ground with a jump.
    pub no_aerial_rotation_on_ground: bool,
    /// In free flight, no row for the ground with the handbrake: there is nothing to brake. The
    /// handbrake takes 0.2 s to come on and does so in the air too, and landing with it on is a
    /// skill; so this holds only while no surface is within reach of the next 0.3 s.
    pub no_handbrake_in_air: bool,
    /// A demolished car can only wait: every row but the neutral one is hidden.
    pub nothing_while_demolished: bool,
}

impl Default for Legality {
    fn default() -> Self {
        Self {
            no_boost_when_empty: true,
            no_jump_without_jump_or_flip: true,
            no_aerial_rotation_on_ground: true,
            no_handbrake_in_air: true,
            nothing_while_demolished: true,
        }
    }
}

impl Legality {
    /// Every row is always legal.
    pub const NO_RULES: Self = Self {
        no_boost_when_empty: false,
        no_jump_without_jump_or_flip: false,
        no_aerial_rotation_on_ground: false,
        no_handbrake_in_air: false,
        nothing_while_demolished: false,
    };

    /// Hides the rows that the rules forbid this car; `mask` has one place for each row of the
    /// table and comes in with whatever is legal for other reasons.
    #[inline]
    pub fn mask(&self, car: &Car, mask: &mut [bool]) {
        debug_assert_eq!(mask.len(), ROWS);
        let forbidden = self.forbidden(car);
        if forbidden == 0 {
            return;
        }
        for (row, legal) in mask.iter_mut().enumerate() {
            *legal &= forbidden >> row & 1 == 0;
        }
    }

    /// The forbidden rows, one bit each.
    fn forbidden(&self, car: &Car) -> u128 {
        if car.demolished {
            return if self.nothing_while_demolished { ALL & !(1 << NEUTRAL) } else { 0 };
        }
        let mut forbidden = 0;
        if self.no_boost_when_empty && car.boost <= 0.0 {
            forbidden |= BOOSTING;
        }
        let jump_does_something =
            car.has_jump || car.has_flip || car.jumping || car.body_contact || car.on_ground;
        if self.no_jump_without_jump_or_flip && !jump_does_something {
            forbidden |= JUMPING;
        }
        // Without its jump a car on its wheels is about to leave the ground, or has just come back.
        let settled = car.on_ground && car.has_jump && !car.jumping;
        if self.no_aerial_rotation_on_ground && settled {
            forbidden |= ROTATING;
        }
        if self.no_handbrake_in_air && !car.on_ground && flies_free(car) {
            forbidden |= SLIDING;
        }
        forbidden
    }
}

/// Is every surface out of reach for the next 0.3 s?
///
/// Looked at are the place now and the place where the velocity leads, as points in the field's
/// planes. The margin covers what that leaves out: the car's half length (70 uu), what boost or
/// gravity add in that time (50 uu) and a flip (150 uu). Ramps round the edges off by less than it.
fn flies_free(car: &Car) -> bool {
    const AHEAD_SECS: f32 = 0.3;
    const MARGIN_UU: f32 = 300.0;
    let clear = |place: Vec3A| {
        let (x, y) = (place.x.abs(), place.y.abs());
        place.z > MARGIN_UU
            && place.z < 2044.0 - MARGIN_UU
            && x < 4096.0 - MARGIN_UU
            && y < 5120.0 - MARGIN_UU
            && x + y < 8064.0 - MARGIN_UU * std::f32::consts::SQRT_2
    };
    clear(car.body.pos) && clear(car.body.pos + car.body.vel * AHEAD_SECS)
}

const ALL: u128 = (1 << ROWS) - 1;
const BOOSTING: u128 = rows_that(Part::Boost);
const JUMPING: u128 = rows_that(Part::Jump);
const ROTATING: u128 = rows_that(Part::RotateOnly);
const SLIDING: u128 = rows_that(Part::SlideOnly);

/// What a rule looks for in a row.
#[derive(Clone, Copy)]
enum Part {
    Boost,
    Jump,
    /// Pitches or rolls, without a jump that would take the car into the air.
    RotateOnly,
    /// Uses the handbrake, where a neighbour does the same without: the rows that flip have none.
    SlideOnly,
}

const fn rows_that(part: Part) -> u128 {
    let mut rows = 0;
    let mut at = 0;
    while at < ROWS {
        let Row { pitch, roll, jump, boost, handbrake, .. } = BUILT[at];
        let matches = match part {
            Part::Boost => boost,
            Part::Jump => jump,
            Part::RotateOnly => !jump && (pitch != 0.0 || roll != 0.0),
            Part::SlideOnly => !jump && handbrake,
        };
        if matches {
            rows |= 1 << at;
        }
        at += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::full_field;
    use crate::table::{GROUND_ROWS, table};
    use lanista_game::seed;
    use rand::RngExt;
    use rocketsim::{Arena, CarBodyConfig, CarCore, CarState, GameMode, Mat3A, PhysState, Team};

    /// Stands on its wheels with boost.
    fn on_ground() -> Car {
        let mut car = full_field(1).cars[0];
        car.body.pos.z = 17.0;
        car.boost = 33.0;
        car
    }

    /// High above midfield, its flip left.
    fn in_air() -> Car {
        let mut car = on_ground();
        car.body.pos.z = 1000.0;
        car.on_ground = false;
        car.has_jump = false;
        car.air_secs = 0.5;
        car
    }

    fn legal(rules: Legality, car: &Car) -> [bool; ROWS] {
        let mut mask = [true; ROWS];
        rules.mask(car, &mut mask);
        mask
    }

    /// Exactly the rows for which `hidden` holds are hidden.
    fn assert_hidden(rules: Legality, car: &Car, hidden: impl Fn(&Row) -> bool) {
        for (at, (row, legal)) in table().iter().zip(legal(rules, car)).enumerate() {
            assert_eq!(legal, !hidden(row), "row {at}: {}", row.name());
        }
    }

    #[test]
    fn an_empty_tank_boosts_nothing() {
        let rules = Legality { no_boost_when_empty: true, ..Legality::NO_RULES };
        for mut car in [on_ground(), in_air()] {
            assert_hidden(rules, &car, |_| false);
            car.boost = 0.0;
            assert_hidden(rules, &car, |row| row.boost);
        }
    }

    #[test]
    fn a_spent_jump_is_hidden() {
        let rules = Legality { no_jump_without_jump_or_flip: true, ..Legality::NO_RULES };
        assert_hidden(rules, &on_ground(), |_| false);
        assert_hidden(rules, &in_air(), |_| false);
        let spent = Car { has_flip: false, ..in_air() };
        assert_hidden(rules, &spent, |row| row.jump);
        // Still pushed up by a held jump; lying on the roof.
        assert_hidden(rules, &Car { jumping: true, ..spent }, |_| false);
        assert_hidden(rules, &Car { body_contact: true, ..spent }, |_| false);
    }

    #[test]
    fn wheels_on_the_ground_do_not_roll_the_car() {
        let rules = Legality { no_aerial_rotation_on_ground: true, ..Legality::NO_RULES };
        let rotates = |row: &Row| !row.jump && (row.pitch != 0.0 || row.roll != 0.0);
        assert_hidden(rules, &on_ground(), rotates);
        assert_eq!(table().iter().filter(|row| rotates(row)).count(), 48);
        assert_hidden(rules, &in_air(), |_| false);
        // Leaving the ground.
        assert_hidden(rules, &Car { jumping: true, ..on_ground() }, |_| false);
        assert_hidden(rules, &Car { has_jump: false, ..on_ground() }, |_| false);
    }

    #[test]
    fn the_handbrake_waits_for_a_surface() {
        let rules = Legality { no_handbrake_in_air: true, ..Legality::NO_RULES };
        let slides = |row: &Row| row.handbrake && !row.jump;
        assert_hidden(rules, &on_ground(), |_| false);
        assert_hidden(rules, &in_air(), slides);
        assert_eq!(table().iter().filter(|row| slides(row)).count(), GROUND_ROWS / 2);
        let moved = |pos: [f32; 3], vel: [f32; 3]| {
            let mut car = in_air();
            car.body.pos = pos.into();
            car.body.vel = vel.into();
            car
        };
        assert_hidden(rules, &moved([0.0, 0.0, 1000.0], [0.0, 2000.0, -1000.0]), slides);
        for near in [
            moved([0.0, 0.0, 200.0], [0.0; 3]),
            moved([0.0, 0.0, 800.0], [0.0, 0.0, -2000.0]),
            moved([0.0, 0.0, 1900.0], [0.0; 3]),
            moved([3500.0, 0.0, 1000.0], [2000.0, 0.0, 0.0]),
            moved([0.0, -4900.0, 1000.0], [0.0; 3]),
            moved([3700.0, 4200.0, 1000.0], [0.0; 3]),
        ] {
            assert_hidden(rules, &near, |_| false);
        }
    }

    #[test]
    fn a_wreck_waits() {
        let rules = Legality { nothing_while_demolished: true, ..Legality::NO_RULES };
        let wreck = Car { demolished: true, respawn_secs: 2.0, boost: 0.0, ..on_ground() };
        assert_hidden(rules, &on_ground(), |_| false);
        assert_hidden(rules, &wreck, |row| *row != table()[NEUTRAL]);
        let others = Legality { nothing_while_demolished: false, ..Legality::default() };
        assert_hidden(others, &wreck, |_| false);
    }

    #[test]
    fn settings_name_their_rules() {
        let rules: Legality = serde_json::from_str(r#"{"no_handbrake_in_air": false}"#).unwrap();
        assert_eq!(rules, Legality { no_handbrake_in_air: false, ..Legality::default() });
        assert!(serde_json::from_str::<Legality>(r#"{"no_fun": true}"#).is_err());
    }

    #[test]
    fn rules_only_take_away() {
        let mut mask = [true; ROWS];
        mask[3] = false;
        Legality::default().mask(&in_air(), &mut mask);
        assert!(!mask[3]);
    }

    /// Any car, sensible or not.
    fn any_car(rng: &mut seed::Rng) -> Car {
        let mut flip = || rng.random_range(0..2) == 1;
        let mut car = Car {
            on_ground: flip(),
            has_jump: flip(),
            has_flip: flip(),
            jumping: flip(),
            flipping: flip(),
            demolished: flip() && flip() && flip(),
            body_contact: flip(),
            boost: if flip() { 0.0 } else { 50.0 },
            ..on_ground()
        };
        let mut within = |reach: f32| rng.random_range(-reach..reach);
        car.body.pos = Vec3A::new(within(4096.0), within(5120.0), 1022.0 + within(1022.0));
        car.body.vel = Vec3A::new(within(1300.0), within(1300.0), within(1300.0));
        car
    }

    /// The row that replaces a hidden one: what has no effect is left out.
    fn stand_in(row: &Row, car: &Car) -> Row {
        let mut row = *row;
        if car.on_ground && car.has_jump && !car.jumping && !row.jump {
            (row.pitch, row.roll) = (0.0, 0.0);
        }
        let jump_is_void =
            !(car.has_jump || car.has_flip || car.jumping || car.body_contact || car.on_ground);
        if row.jump && jump_is_void {
            (row.jump, row.handbrake) = (false, false);
        }
        if car.boost <= 0.0 && row.boost {
            row.boost = false;
            // The rows that pitch, roll or jump have no throttle of their own.
            if row.pitch != 0.0 || row.roll != 0.0 || row.jump {
                row.throttle = 0.0;
            }
        }
        if !row.jump && !car.on_ground && flies_free(car) {
            row.handbrake = false;
        }
        row
    }

    #[test]
    fn every_hidden_row_has_a_legal_stand_in() {
        let mut rng = seed::rng(1);
        for _ in 0..5000 {
            let car = any_car(&mut rng);
            let mask = legal(Legality::default(), &car);
            assert!(mask[NEUTRAL]);
            if car.demolished {
                assert_eq!(mask.iter().filter(|&&m| m).count(), 1);
                continue;
            }
            for (row, _) in table().iter().zip(mask).filter(|(_, legal)| !legal) {
                let other = stand_in(row, &car);
                let at = table().iter().position(|r| *r == other);
                assert!(at.is_some_and(|at| mask[at]), "{} -> {other:?}", row.name());
            }
        }
    }

    /// Where a car is after some ticks of a row.
    fn drive(start: CarState, row: &Row, ticks: usize) -> CarState {
        let mut arena = Arena::new(GameMode::TheVoid);
        let car = arena.add_car(Team::Blue, CarBodyConfig::OCTANE);
        arena.set_car_state_full(car, start);
        arena.set_car_controls(car, row.controls());
        for _ in 0..ticks {
            arena.step_tick();
        }
        *arena.get_car_state(car)
    }

    fn start(rng: &mut seed::Rng, boost: f32) -> CarState {
        let mut within = |reach: f32| rng.random_range(-reach..reach);
        let phys = PhysState {
            pos: Vec3A::new(within(2000.0), within(2000.0), 1000.0),
            rot_mat: Mat3A::from_rotation_z(within(3.0)) * Mat3A::from_rotation_x(within(3.0)),
            vel: Vec3A::new(within(800.0), within(800.0), within(800.0)),
            ang_vel: Vec3A::new(within(2.0), within(2.0), within(2.0)),
        };
        CarState::from(CarCore { boost, ..CarCore::aerial(phys) })
    }

    #[test]
    fn in_flight_the_engine_cannot_tell_hidden_rows_from_their_stand_ins() {
        const TICKS: usize = 8;
        let mut rng = seed::rng(2);
        let mut compared = 0;
        for case in 0..12 {
            let empty = case % 2 == 0;
            let mut state = start(&mut rng, if empty { 0.0 } else { 60.0 });
            // The flip is spent, and has been over for a while.
            (state.has_jumped, state.has_flipped) = (true, true);
            (state.flip_time, state.air_time_since_jump) = (2.0, 2.0);
            let mut car = Car { has_flip: false, boost: state.boost, ..in_air() };
            car.body.pos = state.phys.pos;
            let mask = legal(Legality::default(), &car);
            for (row, _) in table().iter().zip(mask).filter(|(_, legal)| !legal) {
                let other = stand_in(row, &car);
                let (a, b) = (drive(state, row, TICKS), drive(state, &other, TICKS));
                assert_eq!(a.phys.rot_mat, b.phys.rot_mat, "{}", row.name());
                assert_eq!(a.phys.ang_vel, b.phys.ang_vel, "{}", row.name());
                assert_eq!(a.boost, b.boost, "{}", row.name());
                // An empty tank's one difference: the throttle, 66.7 uu/s² in the air.
                let allowed = (row.throttle - other.throttle) * 66.7 * TICKS as f32 / 120.0;
                assert!((a.phys.vel - b.phys.vel).length() <= allowed * 1.1, "{}", row.name());
                compared += 1;
            }
        }
        assert!(compared > 300, "{compared}");
    }

    #[test]
    fn on_its_wheels_the_engine_cannot_tell_hidden_rows_from_their_stand_ins() {
        let mut rng = seed::rng(3);
        for boost in [0.0, 60.0] {
            // The void has no ground, but the first tick believes what the wheels last felt.
            let mut state = start(&mut rng, boost);
            state.set_contact_flags(true, [true; 4]);
            let car = Car { boost, ..on_ground() };
            let mask = legal(Legality::default(), &car);
            for (row, _) in table().iter().zip(mask).filter(|(row, legal)| !legal && !row.jump) {
                let (a, b) = (drive(state, row, 1), drive(state, &stand_in(row, &car), 1));
                assert_eq!(a.phys, b.phys, "{}", row.name());
            }
        }
    }

    #[test]
    fn the_rules_that_are_not_claimed_would_be_wrong() {
        let mut rng = seed::rng(4);
        let mut state = start(&mut rng, 60.0);
        // Right after a flip the engine ignores pitch.
        state.flip_time = 2.0;
        // A row of the ground steers in the air by its yaw, and the handbrake comes on there.
        let (left, straight) = (drive(state, &table()[6], 8), drive(state, &table()[8], 8));
        assert!(left.phys.ang_vel.distance(straight.phys.ang_vel) > 0.1);
        assert!(drive(state, &table()[9], 8).handbrake_val > 0.3);
        // A flip that is left turns the car; off the wheels so does pitching.
        let (flip, pitch) = (drive(state, &table()[36], 8), drive(state, &table()[34], 8));
        assert!(flip.phys.ang_vel.distance(pitch.phys.ang_vel) > 0.1);
        assert!(pitch.phys.ang_vel.distance(straight.phys.ang_vel) > 0.1);
    }
}
