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

use std::fmt::Write;

use rocketsim::Vec3A;

use crate::state::{Body, Car, State};
use crate::table::{Row, table};

/// Where RocketSimVis listens.
pub const VIEWER_ADDRESS: &str = "127.0.0.1:9273";

/// Replaces `out` by the frame of a state. A reused `out` stops allocating after the first frame.
pub fn write_json(state: &State, out: &mut String) {
    out.clear();
    out.push_str(r#"{"gamemode":"soccar","ball_phys":{"#);
    body(&state.ball, out);
    out.push_str(r#"},"cars":["#);
    for (at, one) in state.cars.iter().enumerate() {
        separate(at, out);
        car(one, out);
    }
    out.push_str(r#"],"boost_pad_states":["#);
    for (at, &secs) in state.pad_secs.iter().enumerate() {
        separate(at, out);
        out.push_str(truth(secs <= 0.0));
    }
    out.push_str("]}");
}

fn car(car: &Car, out: &mut String) {
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
        write_json(&state, &mut text);
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
    fn a_broken_number_does_not_break_the_frame() {
        let mut state = scene();
        state.ball.vel.x = f32::NAN;
        state.ball.vel.y = f32::INFINITY;
        state.ball.vel.z = -0.0;
        let mut text = String::new();
        write_json(&state, &mut text);
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
        write_json(&state, &mut text);
        // The most that one UDP datagram carries is 65,507 bytes; loopback takes that.
        assert!(text.len() < 4096, "{}", text.len());
        let capacity = text.capacity();
        write_json(&state, &mut text);
        assert_eq!(text.capacity(), capacity);
    }
}
