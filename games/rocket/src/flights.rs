//! How far cars carry the ball through the air.

use crate::state::{Happenings, MAX_TEAM, State};

/// Follows the car that touched the ball last, as long as it stays in the air.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flights {
    /// The car that touched the ball in the air and has neither landed since nor seen another car
    /// touch it.
    carrier: Option<usize>,
    /// What car and ball travelled since its touch, uu, each.
    travelled: [f32; 2],
    /// What a touch in this step completed, by car: the lesser of the two ways, uu.
    completed: [f32; 2 * MAX_TEAM],
}

impl Flights {
    /// Begins a new match, or a kickoff.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Follows one step.
    pub fn update(&mut self, before: &State, now: &State, happened: &Happenings) {
        self.completed = [0.0; 2 * MAX_TEAM];
        if let Some(car) = self.carrier {
            self.travelled[0] += now.cars[car].body.pos.distance(before.cars[car].body.pos);
            self.travelled[1] += now.ball.pos.distance(before.ball.pos);
            if now.cars[car].on_ground || now.cars[car].demolished {
                self.carrier = None;
            }
        }
        let mut touching = (0..now.cars.len()).filter(|&car| happened.cars[car].contact_ticks > 0);
        let Some(car) = touching.next() else { return };
        // Two cars at the ball in one step: it is nobody's.
        let alone = touching.next().is_none();
        if alone && self.carrier == Some(car) {
            self.completed[car] = self.travelled[0].min(self.travelled[1]);
        }
        let flying = !now.cars[car].on_ground && !now.cars[car].demolished;
        self.carrier = (alone && flying).then_some(car);
        self.travelled = [0.0; 2];
    }

    /// How far a car flew with the ball from its last touch to one in this step, uu; 0 if there was
    /// none.
    pub fn distance(&self, car: usize) -> f32 {
        self.completed[car]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::full_field;
    use crate::state::CarHappenings;
    use rocketsim::Vec3A;

    /// Two cars in the air; the ball and the first car move along x by so much a step.
    struct Flight {
        state: State,
        flights: Flights,
    }

    impl Flight {
        fn new() -> Self {
            let mut state = full_field(1);
            state.cars.iter_mut().for_each(|car| car.on_ground = false);
            Self { state, flights: Flights::default() }
        }

        fn step(&mut self, car_uu: f32, ball_uu: f32, touching: [bool; 2]) -> f32 {
            let before = self.state.clone();
            self.state.cars[0].body.pos += Vec3A::X * car_uu;
            self.state.ball.pos += Vec3A::X * ball_uu;
            let cars = touching.map(|touching| CarHappenings {
                contact_ticks: u32::from(touching),
                ..CarHappenings::default()
            });
            let happened = Happenings { cars: cars.to_vec(), ..Happenings::default() };
            self.flights.update(&before, &self.state, &happened);
            self.flights.distance(0)
        }
    }

    #[test]
    fn the_way_between_two_touches_counts() {
        let mut flight = Flight::new();
        assert_eq!(flight.step(100.0, 100.0, [true, false]), 0.0, "the first touch begins it");
        assert_eq!(flight.step(100.0, 150.0, [false, false]), 0.0);
        assert_eq!(flight.step(100.0, 150.0, [true, false]), 200.0);
        assert_eq!(flight.step(50.0, 40.0, [true, false]), 40.0, "and from there on");
    }

    #[test]
    fn landing_and_others_end_it() {
        let mut flight = Flight::new();
        flight.step(0.0, 0.0, [true, false]);
        flight.state.cars[0].on_ground = true;
        flight.step(100.0, 100.0, [false, false]);
        flight.state.cars[0].on_ground = false;
        assert_eq!(flight.step(100.0, 100.0, [true, false]), 0.0);
        flight.step(100.0, 100.0, [false, true]);
        assert_eq!(flight.step(100.0, 100.0, [true, false]), 0.0);
        assert_eq!(flight.step(100.0, 100.0, [true, true]), 0.0, "nobody's");
    }

    #[test]
    fn a_reset_forgets() {
        let mut flight = Flight::new();
        flight.step(0.0, 0.0, [true, false]);
        flight.flights.reset();
        assert_eq!(flight.step(100.0, 100.0, [true, false]), 0.0);
    }
}
