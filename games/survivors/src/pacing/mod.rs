//! How a match was paced: what its frames say of the director, as figures and as a drawing.
//!
//! Frames are all that is read, so a match that is played now and one that was recorded look alike.

mod chart;
mod svg;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::sim::director::Phase;
use crate::sim::numbers::TICK_SECS;

pub use svg::svg;

/// A moment of a match, as far as pacing goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Seconds since the match began.
    pub secs: f32,
    /// Where the pacing stands.
    pub phase: Phase,
    /// The hardest-pressed survivor's intensity, 0 to 1.
    pub intensity: f32,
    /// The team's stress, 0 to 1.
    pub stress: f32,
    /// The stress that the director aims at.
    pub target: f32,
    /// Commons about.
    pub commons: u32,
    /// Specials about, without witches and tanks.
    pub specials: u32,
    /// Is there a tank?
    pub tank: bool,
    /// Is there a witch?
    pub witch: bool,
    /// Is there a panic?
    pub panic: bool,
    /// Mobs that have come so far.
    pub mobs: u32,
    /// Survivors who lie or hang.
    pub down: u32,
    /// Survivors who are dead.
    pub dead: u32,
}

/// What is read of a frame.
#[derive(Deserialize)]
struct Frame {
    tick: u32,
    phase: Phase,
    intensity: f32,
    stress: f32,
    target: f32,
    panic: bool,
    mobs: u32,
    survivors: Vec<Survivor>,
    commons: Vec<Value>,
    specials: Vec<Special>,
}

#[derive(Deserialize)]
struct Survivor {
    state: String,
}

#[derive(Deserialize)]
struct Special {
    class: String,
}

impl Moment {
    /// Reads a frame of this game.
    pub fn read(frame: &str) -> Result<Self, serde_json::Error> {
        let frame: Frame = serde_json::from_str(frame)?;
        let specials = |is: &dyn Fn(&str) -> bool| {
            frame.specials.iter().filter(|special| is(&special.class)).count() as u32
        };
        let survivors = |states: &[&str]| {
            frame.survivors.iter().filter(|s| states.contains(&s.state.as_str())).count() as u32
        };
        Ok(Self {
            secs: frame.tick as f32 * TICK_SECS,
            phase: frame.phase,
            intensity: frame.intensity,
            stress: frame.stress,
            target: frame.target,
            commons: frame.commons.len() as u32,
            specials: specials(&|class| class != "tank" && class != "witch"),
            tank: specials(&|class| class == "tank") > 0,
            witch: specials(&|class| class == "witch") > 0,
            panic: frame.panic,
            mobs: frame.mobs,
            down: survivors(&["down", "hanging"]),
            dead: survivors(&["dead"]),
        })
    }
}

/// A stretch of time during which something was so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span<T> {
    /// What was so.
    pub what: T,
    /// Seconds since the match began.
    pub from: f32,
    /// Likewise.
    pub to: f32,
}

/// Stretches during which something stayed the same, in order.
pub fn spans<T: PartialEq>(moments: &[Moment], of: impl Fn(&Moment) -> T) -> Vec<Span<T>> {
    let mut spans: Vec<Span<T>> = Vec::new();
    for moment in moments {
        let what = of(moment);
        match spans.last_mut() {
            Some(last) => {
                last.to = moment.secs;
                if last.what != what {
                    spans.push(Span { what, from: moment.secs, to: moment.secs });
                }
            }
            None => spans.push(Span { what, from: moment.secs, to: moment.secs }),
        }
    }
    spans
}

/// The seconds at which a count rose.
pub fn rises(moments: &[Moment], of: impl Fn(&Moment) -> u32) -> Vec<f32> {
    let mut before = 0;
    let mut rises = Vec::new();
    for moment in moments {
        let now = of(moment);
        if now > before {
            rises.push(moment.secs);
        }
        before = now;
    }
    rises
}

/// The mean of something over a match; 0 for one without moments.
pub fn mean(moments: &[Moment], of: impl Fn(&Moment) -> f32) -> f32 {
    moments.iter().map(of).sum::<f32>() / moments.len().max(1) as f32
}

/// All of it, for other programs.
pub fn to_json(moments: &[Moment]) -> Value {
    // A single's own digits, not those of the double next to it.
    let neat = |v: f32| (f64::from(v) * 1000.0).round() / 1000.0;
    let series = |of: &dyn Fn(&Moment) -> Value| moments.iter().map(of).collect::<Vec<_>>();
    let times = |secs: Vec<f32>| secs.into_iter().map(neat).collect::<Vec<_>>();
    let phases: Vec<Value> = spans(moments, |m| m.phase)
        .iter()
        .map(|span| json!({"phase": span.what, "from": neat(span.from), "to": neat(span.to)}))
        .collect();
    json!({
        "secs": neat(moments.last().map_or(0.0, |last| last.secs)),
        "target": neat(moments.first().map_or(0.0, |first| first.target)),
        "stress": neat(mean(moments, |m| m.stress)),
        "stress_error": neat(mean(moments, |m| (m.stress - m.target).abs())),
        "phases": phases,
        "mobs": times(rises(moments, |m| m.mobs)),
        "downs": times(rises(moments, |m| m.down)),
        "deaths": times(rises(moments, |m| m.dead)),
        "series": {
            "secs": series(&|m| json!(neat(m.secs))),
            "intensity": series(&|m| json!(neat(m.intensity))),
            "stress": series(&|m| json!(neat(m.stress))),
            "commons": series(&|m| json!(m.commons)),
            "specials": series(&|m| json!(m.specials)),
            "tank": series(&|m| json!(m.tank)),
            "witch": series(&|m| json!(m.witch)),
            "panic": series(&|m| json!(m.panic)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A match that is calm, has a mob and a death, and is calm again.
    pub(super) fn moments() -> Vec<Moment> {
        (0..600)
            .map(|n| {
                let secs = n as f32 / 10.0;
                let hard = (20.0..30.0).contains(&secs);
                Moment {
                    secs,
                    phase: if hard { Phase::Sustain } else { Phase::BuildUp },
                    intensity: if hard { 1.0 } else { 0.2 },
                    stress: if hard { 0.5 } else { 0.0 },
                    target: 0.5,
                    commons: if hard { 25 } else { 3 },
                    specials: 1,
                    tank: secs >= 40.0,
                    witch: false,
                    panic: hard,
                    mobs: u32::from(secs >= 20.0),
                    down: 0,
                    dead: u32::from(secs >= 25.0),
                }
            })
            .collect()
    }

    #[test]
    fn spans_follow_each_other_without_gaps() {
        let phases = spans(&moments(), |m| m.phase);
        let what: Vec<Phase> = phases.iter().map(|span| span.what).collect();
        assert_eq!(what, [Phase::BuildUp, Phase::Sustain, Phase::BuildUp]);
        assert!(phases.windows(2).all(|pair| pair[0].to == pair[1].from));
        assert_eq!((phases[1].from, phases[1].to), (20.0, 30.0));
        assert!(spans(&[], |m| m.phase).is_empty());
    }

    #[test]
    fn figures_are_those_of_the_series() {
        let told = to_json(&moments());
        assert_eq!(told["mobs"], json!([20.0]));
        assert_eq!(told["deaths"], json!([25.0]));
        let error = told["stress_error"].as_f64().unwrap();
        assert!((error - 0.5 * 5.0 / 6.0).abs() < 1e-3, "{error}");
        assert_eq!(told["series"]["secs"].as_array().unwrap().len(), 600);
        assert_eq!(to_json(&[])["stress_error"], json!(0.0));
    }

    #[test]
    fn what_is_no_frame_of_ours_is_refused() {
        assert!(Moment::read("{}").is_err() && Moment::read("").is_err());
    }
}
