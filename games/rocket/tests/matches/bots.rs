//! The scripted players on the field: who beats whom, kickoffs, and getting up again.

use std::f32::consts::TAU;

use lanista_game::seed;
use lanista_rocket::arena;
use lanista_rocket::bots::{self, BotMemory, NAMES};
use lanista_rocket::legality::Legality;
use lanista_rocket::pads::PAD_OF_ENGINE;
use lanista_rocket::state::{Body, Car, PADS, State, Team};
use lanista_rocket::table::{ROWS, table};
use rocketsim::{
    Arena, ArenaConfig, ArenaEvent, CarBodyConfig, CarCore, CarState, GameMode, Mat3A, PhysState,
    Vec3A,
};

const TICK_SKIP: usize = 8;
const STEPS_A_SECOND: usize = 120 / TICK_SKIP;

/// A match of scripted players. Goals are followed by a kickoff.
struct Match {
    arena: Arena,
    state: State,
    memories: Vec<BotMemory>,
    /// The player of each car.
    bots: Vec<usize>,
    seed: u64,
    goals: [u32; 2],
    touches: Vec<u32>,
}

impl Match {
    /// The players of blue, then those of orange, by name.
    fn new(teams: [&[&str]; 2], seed: u64) -> Self {
        arena::prepare(None).unwrap();
        let config = ArenaConfig::new(GameMode::Soccar).with_rng_seed(seed);
        let mut arena = Arena::new_with_config(config);
        let mut bots = vec![];
        for (team, names) in [rocketsim::Team::Blue, rocketsim::Team::Orange].iter().zip(teams) {
            for name in names {
                arena.add_car(*team, CarBodyConfig::OCTANE);
                bots.push(NAMES.iter().position(|n| n == name).unwrap());
            }
        }
        let ball = Body { pos: Vec3A::ZERO, vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO };
        let state = State { ball, cars: vec![], pad_secs: [0.0; PADS], tick: 0 };
        let mut game = Self {
            arena,
            state,
            memories: vec![BotMemory::default(); bots.len()],
            touches: vec![0; bots.len()],
            bots,
            seed,
            goals: [0, 0],
        };
        game.kick_off();
        game.read(&[]);
        game
    }

    /// The players are deterministic and there are five kickoffs: cars that stand a little off
    /// their marks make every one a game of its own.
    fn kick_off(&mut self) {
        let nth = seed::mix(self.seed, u64::from(self.goals[0] + self.goals[1]));
        self.arena.reset_to_random_kickoff(Some(nth));
        for car in 0..self.bots.len() {
            let chance = |n| seed::uniform(seed::mix(seed::mix(nth, car as u64), n)) - 0.5;
            let mut core = self.arena.get_car_state(car).core();
            core.phys.pos += Vec3A::new(100.0 * chance(0), 100.0 * chance(1), 0.0);
            core.boost += 30.0 * chance(2);
            self.arena.set_car_state(car, core);
        }
    }

    /// The engine's state as plain data.
    fn read(&mut self, rows: &[usize]) {
        self.state.ball = body(&self.arena.get_ball_state().phys);
        self.state.cars.clear();
        for at in 0..self.bots.len() {
            let (info, car) = self.arena.get_car_info_and_state(at);
            let team = if info.team == rocketsim::Team::Blue { Team::Blue } else { Team::Orange };
            self.state.cars.push(plain(car, team, rows.get(at).copied()));
        }
        for at in 0..PADS {
            self.state.pad_secs[PAD_OF_ENGINE[at]] = self.arena.get_boost_pad_state(at).cooldown;
        }
        self.state.tick = self.arena.tick_count();
    }

    fn step(&mut self) {
        let mut rows = vec![];
        for car in 0..self.bots.len() {
            let mut mask = [true; ROWS];
            Legality::default().mask(&self.state.cars[car], &mut mask);
            let dice = seed::mix(seed::mix(self.seed, self.state.tick), car as u64);
            let memory = &mut self.memories[car];
            let row = bots::choose(self.bots[car], &self.state, car, memory, dice, &mask);
            assert!(mask[row], "{} chose the illegal row {row}", NAMES[self.bots[car]]);
            self.arena.set_car_controls(car, table()[row].controls());
            rows.push(row);
        }
        for _ in 0..TICK_SKIP {
            for event in self.arena.step_tick() {
                if let ArenaEvent::CarHitBall(hit) = event {
                    self.touches[hit.car_idx] += 1;
                }
            }
            if self.arena.is_ball_scored() {
                let scorer = usize::from(self.arena.get_ball_state().pos.y < 0.0);
                self.goals[scorer] += 1;
                self.kick_off();
                break;
            }
        }
        self.read(&rows);
    }

    fn place(&mut self, car: usize, core: CarCore) {
        self.arena.set_car_state(car, core);
        self.read(&[]);
    }
}

fn body(phys: &PhysState) -> Body {
    Body { pos: phys.pos, vel: phys.vel, ang_vel: phys.ang_vel }
}

fn plain(car: &CarState, team: Team, last_action: Option<usize>) -> Car {
    let on_ground = car.is_on_ground();
    Car {
        team,
        body: body(&car.phys),
        world_from_car: car.phys.rot_mat,
        boost: car.boost,
        on_ground,
        has_jump: !car.has_jumped,
        has_flip: on_ground
            || !car.has_flipped && !car.has_double_jumped && car.air_time_since_jump < 1.25,
        jumping: car.is_jumping,
        flipping: car.is_flipping,
        supersonic: car.is_supersonic,
        demolished: car.is_demoed,
        respawn_secs: car.demo_respawn_timer,
        air_secs: car.air_time,
        body_contact: car.world_contact_normal().is_some(),
        last_action,
    }
}

/// Goals of both sides over matches of a minute; the sides change ends every time.
fn goals(a: &[&str], b: &[&str], matches: u64) -> [u32; 2] {
    let mut goals = [0, 0];
    for seed in 0..matches {
        let ends = (seed % 2) as usize;
        let teams = if ends == 0 { [a, b] } else { [b, a] };
        let mut game = Match::new(teams, seed);
        for _ in 0..60 * STEPS_A_SECOND {
            game.step();
        }
        goals[0] += game.goals[ends];
        goals[1] += game.goals[1 - ends];
    }
    goals
}

#[test]
fn rule_beats_chase() {
    let [rule, chase] = goals(&["rule"], &["chase"], 20);
    assert!(rule >= 10 && rule > 3 * chase, "rule {rule} : {chase} chase");
}

#[test]
fn rule_beats_chase_in_teams() {
    for team in [2, 3] {
        let [rule, chase] = goals(&["rule"; 3][..team], &["chase"; 3][..team], 10);
        assert!(rule > 2 * chase, "{team}v{team}: rule {rule} : {chase} chase");
    }
}

#[test]
fn rule_scores_against_nobody() {
    let [rule, idle] = goals(&["rule"], &["idle"], 20);
    assert!(rule >= 40 && idle <= 2, "rule {rule} : {idle} idle");
}

#[test]
fn chase_beats_random_and_idle() {
    for other in ["random", "idle"] {
        let [chase, them] = goals(&["chase"], &[other], 20);
        assert!(chase > them && chase >= 5, "chase {chase} : {them} {other}");
    }
}

#[test]
fn rule_is_quick_at_kickoff() {
    for (team, seeds) in [(1, 20), (2, 10), (3, 10)] {
        for seed in 0..seeds {
            let mut game = Match::new([&["rule"; 3][..team], &["idle"; 3][..team]], seed);
            let mut steps = 0;
            while game.touches.iter().all(|&t| t == 0) {
                game.step();
                steps += 1;
                assert!(steps < 4 * STEPS_A_SECOND, "{team} cars, seed {seed}");
            }
            // The others stayed away.
            let near = |car: &Car| car.body.pos.length() < 1200.0;
            assert_eq!(game.state.cars.iter().filter(|c| near(c)).count(), 1, "seed {seed}");
        }
    }
}

#[test]
fn rule_and_chase_get_back_on_their_wheels() {
    for name in ["rule", "chase"] {
        let trials = 200;
        let mut recovered = 0;
        for seed in 0..trials {
            let mut game = Match::new([&[name], &[]], seed);
            let chance = |n| seed::uniform(seed::mix(seed, n));
            let roll = TAU * (0.5 + 0.1 * (chance(0) - 0.5));
            let rotation = Mat3A::from_rotation_z(TAU * chance(1))
                * Mat3A::from_rotation_y(0.3 * (chance(2) - 0.5))
                * Mat3A::from_rotation_x(roll);
            let phys = PhysState {
                pos: Vec3A::new(5000.0 * (chance(3) - 0.5), 7000.0 * (chance(4) - 0.5), 45.0),
                rot_mat: rotation,
                vel: Vec3A::new(800.0 * (chance(5) - 0.5), 800.0 * (chance(6) - 0.5), 0.0),
                ang_vel: Vec3A::ZERO,
            };
            game.place(0, CarCore::aerial(phys));
            for _ in 0..3 * STEPS_A_SECOND {
                game.step();
                let car = &game.state.cars[0];
                if car.on_ground && car.up().z > 0.7 {
                    recovered += 1;
                    break;
                }
            }
        }
        assert!(recovered * 100 > trials * 95, "{name}: {recovered} of {trials}");
    }
}

#[test]
fn matches_replay_exactly() {
    let play = || {
        let mut game = Match::new([&["rule", "random"], &["chase", "rule"]], 5);
        for _ in 0..20 * STEPS_A_SECOND {
            game.step();
        }
        game.state
    };
    assert_eq!(play(), play());
}
