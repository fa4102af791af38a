//! What was pressed in each step, out of what was pressed in its frames.

use super::controls::{Controls, Press, rotation};
use super::period::{Period, Stretch};

/// What was wanted in each step, if the car was whole in all of it, and in which stretch.
pub(super) fn wanted(
    stretches: &[Stretch],
    period: &Period,
    delay: f64,
    step_ticks: f64,
) -> Vec<Option<(usize, Controls)>> {
    let steps = (period.end() / step_ticks) as usize;
    let mut all: Vec<Option<(usize, Controls)>> = (0..steps)
        .map(|step| {
            let tick = step as f64 * step_ticks;
            let from = tick + delay;
            let covers = |s: &Stretch| s.covers(&period.ticks, tick, from + step_ticks);
            let at = stretches.iter().position(covers)?;
            Some((at, mean(&stretches[at], &period.ticks, from, step_ticks)))
        })
        .collect();
    // Whoever flips has let go of the button before.
    for step in 2..all.len() {
        let press = |step: usize| all[step].map(|(_, controls)| controls.press);
        let flips = press(step).is_some_and(|press| press.begins());
        if flips
            && press(step - 1) == Some(Press::Hold)
            && press(step - 2) != Some(Press::None)
            && let Some((_, controls)) = &mut all[step - 1]
        {
            controls.press = Press::None;
        }
    }
    all
}

/// The controls of a step out of those of its frames.
fn mean(stretch: &Stretch, ticks: &[f64], from: f64, length: f64) -> Controls {
    let mut sum = Controls::default();
    let (mut total, mut boost, mut handbrake, mut held) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
    let mut flipping = false;
    let first = stretch.frames.start;
    for (at, controls) in stretch.controls.iter().enumerate() {
        let start = ticks[first + at];
        let end = ticks.get(first + at + 1).copied().unwrap_or(start + 1.0);
        let share = (end.min(from + length) - start.max(from)).max(0.0) as f32;
        if (from..from + length).contains(&start) && controls.press.begins() {
            sum.press = controls.press;
            (sum.pitch, sum.yaw, sum.roll) = (controls.pitch, controls.yaw, controls.roll);
        }
        if share <= 0.0 {
            continue;
        }
        total += share;
        sum.throttle += share * controls.throttle;
        sum.steer += share * controls.steer;
        flipping |= stretch.rows[at].dodging;
        boost += share * f32::from(controls.boost);
        handbrake += share * f32::from(controls.handbrake);
        held += share * f32::from(matches!(controls.press, Press::Hold | Press::Jump));
    }
    let total = total.max(1e-3);
    (sum.throttle, sum.steer) = (sum.throttle / total, sum.steer / total);
    if !sum.press.begins() {
        let turn = rotation(&stretch.track, from, length, flipping);
        (sum.pitch, sum.yaw, sum.roll) = (turn.x, turn.y, turn.z);
        if held * 2.0 >= total {
            sum.press = Press::Hold;
        }
    }
    (sum.boost, sum.handbrake) = (boost * 2.0 >= total, handbrake * 2.0 >= total);
    sum
}
