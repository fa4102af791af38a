//! One moment of a match as RocketSimVis draws it.
//!
//! RocketSimVis (ZealanL/RocketSimVis) listens on UDP 127.0.0.1:9273 for one JSON object a datagram.
//! The field names are those that its receiver reads (`src/states.py`) and that its example client
//! sends: a body has `pos`, `vel`, `ang_vel` and, if its rotation is known, `forward` and `up`; a
//! car has `team_num`, `phys`, `boost_amount` (0 to 100), `on_ground`, `is_demoed` and, optionally,
//! `controls`. The state of the ball holds no rotation, so the viewer turns it by `ang_vel` itself.
//!
//! `boost_pad_states` follows the viewer's own list of places, which is RLGym's: the order of
//! [`crate::pads::PAD_POSITIONS`] and of [`State::pad_secs`].
//!
//! What it does not read is for viewers of our own: `seconds`, `score`, `clock`, the `events` of the last
//! step, and of a car its `seat`, `supersonic` and `respawn_secs`.

use std::fmt::Write;

use rocketsim::Vec3A;
use rocketsim::consts::TICK_RATE;
use serde_json::{Value, json};

use crate::arena::procedural::{
    BACK_RAMP, BACK_WALL, CEILING, CORNER, GOAL_DEPTH, GOAL_HALF_WIDTH, GOAL_HEIGHT, SIDE_RAMP,
    SIDE_WALL, UPPER_RAMP,
};
use crate::clock::Clock;
use crate::hitbox::Hitbox;
use crate::pads::{PAD_IS_BIG, PAD_POSITIONS};
use crate::state::{Body, Car, Happenings, State};
use crate::table::{Row, table};

/// Where RocketSimVis listens.
pub const VIEWER_ADDRESS: &str = "127.0.0.1:9273";

/// uu
const BALL_RADIUS: f32 = 91.25;

/// What a frame tells beside the state of ball and cars.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// Goals of blue and orange.
    pub goals: [u32; 2],
    /// The clock of a whole game.
    pub clock: Option<&'a Clock>,
    /// `[seats]`: the car of each.
    pub car_of_seat: &'a [Option<usize>],
    /// What happened in the step that led here.
    pub happened: Option<&'a Happenings>,
}

impl Beside<'_> {
    fn seat(&self, car: usize) -> Option<usize> {
        self.car_of_seat.iter().position(|&taken| taken == Some(car))
    }
}

/// Replaces `out` by what does not change in a match: field, pads, and the size of every car.
pub fn write_scene(hitboxes: &[Hitbox], out: &mut String) {
    let pads: Vec<Value> = (PAD_POSITIONS.iter().zip(PAD_IS_BIG))
        .map(|(at, big)| json!([at.x, at.y, at.z, big]))
        .collect();
    let cars: Vec<Value> = (hitboxes.iter().map(|hitbox| hitbox.body()))
        .map(|body| {
            let (size, offset) = (body.hitbox_size, body.hitbox_pos_offset);
            json!({"size": size.to_array(), "offset": offset.to_array()})
        })
        .collect();
    let scene = json!({
        "field": {
            "half_length": BACK_WALL,
            "half_width": SIDE_WALL,
            "height": CEILING,
            "corner": CORNER,
            "ramps": {"side": SIDE_RAMP, "back": BACK_RAMP, "upper": UPPER_RAMP},
        },
        "goal": {"half_width": GOAL_HALF_WIDTH, "height": GOAL_HEIGHT, "depth": GOAL_DEPTH},
        "ball_radius": BALL_RADIUS,
        "pads": pads,
        "cars": cars,
    });
    out.clear();
    // Writing into a string cannot fail.
    let _ = write!(out, "{scene}");
}

/// Replaces `out` by the frame of a state. A reused `out` stops allocating after the first frame, while
/// nothing happens.
pub fn write_json(state: &State, beside: &Beside, out: &mut String) {
    out.clear();
    out.push_str(r#"{"gamemode":"soccar","ball_phys":{"#);
    body(&state.ball, out);
    out.push_str(r#"},"cars":["#);
    for (at, one) in state.cars.iter().enumerate() {
        separate(at, out);
        car(one, beside.seat(at), out);
    }
    out.push_str(r#"],"boost_pad_states":["#);
    for (at, &secs) in state.pad_secs.iter().enumerate() {
        separate(at, out);
        out.push_str(truth(secs <= 0.0));
    }
    out.push_str(r#"],"seconds":"#);
    number(state.tick as f32 / TICK_RATE, out);
    let [blue, orange] = beside.goals;
    let _ = write!(out, r#","score":[{blue},{orange}]"#);
    if let Some(clock) = beside.clock {
        out.push_str(r#","clock":{"seconds":"#);
        number(clock.secs(), out);
        out.push_str(r#","overtime":"#);
        out.push_str(truth(clock.in_overtime()));
        out.push('}');
    }
    if let Some(happened) = beside.happened {
        events(happened, beside, out);
    }
    out.push('}');
}

/// What is worth a word, in the order of cars; a goal comes first.
fn events(happened: &Happenings, beside: &Beside, out: &mut String) {
    let mut events = Vec::new();
    if let Some(team) = happened.goal {
        let seat = happened.scorer.and_then(|car| beside.seat(car));
        events.push(json!({"kind": "goal", "team": team, "seat": seat}));
    }
    for (at, car) in happened.cars.iter().enumerate() {
        for (kind, is_so) in [
            ("save", car.save),
            ("shot", car.shot),
            ("touch", car.touches > 0 && !car.save && !car.shot),
            ("demolition", car.demolitions > 0),
            ("bump", car.bumps > 0),
        ] {
            if is_so {
                events.push(json!({"kind": kind, "seat": beside.seat(at)}));
            }
        }
    }
    if !events.is_empty() {
        let _ = write!(out, r#","events":{}"#, Value::Array(events));
    }
}

fn car(car: &Car, seat: Option<usize>, out: &mut String) {
    out.push_str(r#"{"team_num":"#);
    out.push_str(if car.team.index() == 0 { "0" } else { "1" });
    out.push_str(r#","phys":{"#);
    body(&car.body, out);
    vector(r#","forward":"#, car.forward(), out);
    vector(r#","right":"#, car.right(), out);
    vector(r#","up":"#, car.up(), out);
    out.push_str(r#"},"boost_amount":"#);
    number(car.boost, out);
    out.push_str(r#","on_ground":"#);
    out.push_str(truth(car.on_ground));
    out.push_str(r#","is_demoed":"#);
    out.push_str(truth(car.demolished));
    out.push_str(r#","has_flip":"#);
    out.push_str(truth(car.has_flip));
    out.push_str(r#","supersonic":"#);
    out.push_str(truth(car.supersonic));
    if car.demolished {
        out.push_str(r#","respawn_secs":"#);
        number(car.respawn_secs, out);
    }
    if let Some(seat) = seat {
        let _ = write!(out, r#","seat":{seat}"#);
    }
    if let Some(row) = car.last_action {
        controls(&table()[row], out);
    }
    out.push('}');
}

fn controls(row: &Row, out: &mut String) {
    out.push_str(r#","controls":{"throttle":"#);
    number(row.throttle, out);
    for (name, axis) in [
        (r#","steer":"#, row.steer),
        (r#","pitch":"#, row.pitch),
        (r#","yaw":"#, row.yaw),
        (r#","roll":"#, row.roll),
    ] {
        out.push_str(name);
        number(axis, out);
    }
    for (name, pressed) in [
        (r#","boost":"#, row.boost),
        (r#","jump":"#, row.jump),
        (r#","handbrake":"#, row.handbrake),
    ] {
        out.push_str(name);
        out.push_str(truth(pressed));
    }
    out.push('}');
}

/// Members of a body, without the braces: a car adds its rotation.
fn body(body: &Body, out: &mut String) {
    vector(r#""pos":"#, body.pos, out);
    vector(r#","vel":"#, body.vel, out);
    vector(r#","ang_vel":"#, body.ang_vel, out);
}

fn vector(name: &str, v: Vec3A, out: &mut String) {
    out.push_str(name);
    out.push('[');
    for (at, value) in v.to_array().into_iter().enumerate() {
        separate(at, out);
        number(value, out);
    }
    out.push(']');
}

/// JSON knows no infinities, and a viewer has no use for them.
fn number(value: f32, out: &mut String) {
    let value = if value.is_finite() { value } else { 0.0 };
    // Writing into a string cannot fail.
    let _ = write!(out, "{value:.4}");
}

fn separate(at: usize, out: &mut String) {
    if at > 0 {
        out.push(',');
    }
}

fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::bots::scenes;
    use crate::state::{PADS, Team};

    fn vector_of(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    }

    fn scene() -> State {
        let mut blue = scenes::car(Team::Blue, -256.0, -3840.0, 1.0);
        blue.last_action = Some(1);
        let mut orange = scenes::car(Team::Orange, 0.0, 4608.0, -1.5);
        orange.demolished = true;
        orange.on_ground = false;
        let mut state = scenes::with_ball(12.5, -7.25, vec![blue, orange]);
        state.pad_secs[3] = 4.0;
        state
    }

    #[test]
    fn frames_have_the_fields_that_the_viewer_reads() {
        let state = scene();
        let mut text = String::from("left over");
        write_json(&state, &Beside::default(), &mut text);
        let frame: Value = serde_json::from_str(&text).unwrap();

        assert_eq!(frame["gamemode"], "soccar");
        let ball = &frame["ball_phys"];
        assert_eq!(vector_of(&ball["pos"])[..2], [12.5, -7.25]);
        assert_eq!(vector_of(&ball["vel"]), [0.0; 3]);
        assert_eq!(vector_of(&ball["ang_vel"]), [0.0; 3]);
        // Half a rotation would make the viewer stop turning the ball.
        assert!(ball.get("forward").is_none() && ball.get("up").is_none());

        let cars = frame["cars"].as_array().unwrap();
        assert_eq!(cars.len(), 2);
        for (car, expected) in cars.iter().zip(&state.cars) {
            assert_eq!(car["team_num"].as_u64(), Some(expected.team.index() as u64));
            assert_eq!(car["boost_amount"].as_f64(), Some(33.0));
            assert_eq!(car["on_ground"].as_bool(), Some(expected.on_ground));
            assert_eq!(car["is_demoed"].as_bool(), Some(expected.demolished));
            assert_eq!(car["has_flip"].as_bool(), Some(true));
            for (name, axis) in [
                ("forward", expected.forward()),
                ("right", expected.right()),
                ("up", expected.up()),
            ] {
                for (written, meant) in vector_of(&car["phys"][name]).iter().zip(axis.to_array()) {
                    assert!((written - f64::from(meant)).abs() < 1e-4);
                }
            }
            for name in ["pos", "vel", "ang_vel"] {
                assert_eq!(vector_of(&car["phys"][name]).len(), 3);
            }
        }
        let controls = &cars[0]["controls"];
        let row = &table()[1];
        for (name, value) in [
            ("throttle", row.throttle),
            ("steer", row.steer),
            ("pitch", row.pitch),
            ("yaw", row.yaw),
            ("roll", row.roll),
        ] {
            assert_eq!(controls[name].as_f64(), Some(f64::from(value)), "{name}");
        }
        for (name, value) in
            [("jump", row.jump), ("boost", row.boost), ("handbrake", row.handbrake)]
        {
            assert_eq!(controls[name].as_bool(), Some(value), "{name}");
        }
        assert!(cars[1].get("controls").is_none());

        let pads = frame["boost_pad_states"].as_array().unwrap();
        assert_eq!(pads.len(), PADS);
        for (at, pad) in pads.iter().enumerate() {
            assert_eq!(pad.as_bool(), Some(at != 3));
        }
    }

    #[test]
    fn viewers_of_our_own_are_told_more() {
        let mut state = scene();
        state.tick = 240;
        state.cars[1].respawn_secs = 1.5;
        let mut happened = Happenings { goal: Some(0), scorer: Some(0), ..Happenings::default() };
        happened.cars = vec![Default::default(); 2];
        happened.cars[0].shot = true;
        happened.cars[0].touches = 1;
        let clock = Clock::reading(Default::default(), 61.0, false, [2, 1]);
        let beside = Beside {
            goals: [2, 1],
            clock: Some(&clock),
            car_of_seat: &[None, Some(0), None, Some(1)],
            happened: Some(&happened),
        };
        let mut text = String::new();
        write_json(&state, &beside, &mut text);
        let frame: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&frame["seconds"], &frame["score"]), (&json!(2.0), &json!([2, 1])));
        assert_eq!(frame["clock"], json!({"seconds": 61.0, "overtime": false}));
        assert_eq!((&frame["cars"][0]["seat"], &frame["cars"][1]["seat"]), (&json!(1), &json!(3)));
        assert_eq!(frame["cars"][1]["respawn_secs"], json!(1.5));
        let events = json!([{"kind": "goal", "team": 0, "seat": 1}, {"kind": "shot", "seat": 1}]);
        assert_eq!(frame["events"], events);
    }

    #[test]
    fn a_scene_has_the_field_and_every_car() {
        let mut text = String::new();
        write_scene(&[Hitbox::Octane, Hitbox::Plank], &mut text);
        let scene: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(scene["pads"].as_array().unwrap().len(), PADS);
        assert_eq!(scene["cars"].as_array().unwrap().len(), 2);
        assert!(scene["cars"][0]["size"][0].as_f64().unwrap() > 100.0);
    }

    #[test]
    fn a_broken_number_does_not_break_the_frame() {
        let mut state = scene();
        state.ball.vel.x = f32::NAN;
        state.ball.vel.y = f32::INFINITY;
        state.ball.vel.z = -0.0;
        let mut text = String::new();
        write_json(&state, &Beside::default(), &mut text);
        let frame: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(vector_of(&frame["ball_phys"]["vel"]), [0.0; 3]);
    }

    #[test]
    fn six_cars_fit_a_datagram_and_the_buffer_is_reused() {
        let mut state = scene();
        for i in 0..4 {
            let mut car = scenes::car(Team::Orange, -3999.0, 5000.0 - i as f32, 2.0);
            car.body.vel = Vec3A::splat(-1234.567);
            car.last_action = Some(89);
            state.cars.push(car);
        }
        let mut text = String::new();
        write_json(&state, &Beside::default(), &mut text);
        // The most that one UDP datagram carries is 65,507 bytes; loopback takes that.
        assert!(text.len() < 4096, "{}", text.len());
        let capacity = text.capacity();
        write_json(&state, &Beside::default(), &mut text);
        assert_eq!(text.capacity(), capacity);
    }
}
