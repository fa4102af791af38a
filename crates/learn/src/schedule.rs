//! Numbers that change over a run.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A hyperparameter over the progress of a run, from 0 at the first step to 1 at the last.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Schedule {
    /// Always the same.
    Constant(f64),
    /// Changes.
    Over(Curve),
}

/// How a schedule changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Curve {
    /// Always the same, spelt out.
    Constant(f64),
    /// A straight line.
    Linear(Ramp),
    /// Half a cosine: slow, fast, slow.
    Cosine(Ramp),
    /// Straight lines between `[progress, value]` points, flat before the first and after the last.
    Piecewise(Vec<(f64, f64)>),
}

/// From one value to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// The value at the start.
    pub from: f64,
    /// The value at the end.
    pub to: f64,
    /// The progress at which `to` is reached; 1 when it is left out.
    #[serde(default = "whole")]
    pub until: f64,
}

fn whole() -> f64 {
    1.0
}

// By hand: serde's own code for an untagged enum cannot say what was wrong.
impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Schedule;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "a number, or a schedule such as {linear: {from: 1, to: 0}}, \
                     {cosine: {from: 1, to: 0}} or {piecewise: [[0, 1], [0.5, 0]]}",
                )
            }

            fn visit_f64<E>(self, value: f64) -> Result<Schedule, E> {
                Ok(Schedule::Constant(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Schedule, E> {
                Ok(Schedule::Constant(value as f64))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Schedule, E> {
                Ok(Schedule::Constant(value as f64))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Schedule, A::Error> {
                Curve::deserialize(MapAccessDeserializer::new(map)).map(Schedule::Over)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl From<f64> for Schedule {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

impl Schedule {
    /// The value at a progress between 0 and 1.
    pub fn at(&self, progress: f64) -> f64 {
        match self {
            Self::Constant(value) | Self::Over(Curve::Constant(value)) => *value,
            Self::Over(Curve::Linear(ramp)) => ramp.at(progress, |t| t),
            Self::Over(Curve::Cosine(ramp)) => {
                ramp.at(progress, |t| 0.5 - 0.5 * (std::f64::consts::PI * t).cos())
            }
            Self::Over(Curve::Piecewise(points)) => {
                let after = points.partition_point(|p| p.0 <= progress);
                match (after.checked_sub(1).and_then(|i| points.get(i)), points.get(after)) {
                    (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (progress - a.0) / (b.0 - a.0),
                    (Some(only), None) | (None, Some(only)) => only.1,
                    (None, None) => 0.0,
                }
            }
        }
    }

    /// Every value the schedule is made of: what a check of its range must look at.
    pub fn values(&self) -> Vec<f64> {
        match self {
            Self::Constant(value) | Self::Over(Curve::Constant(value)) => vec![*value],
            Self::Over(Curve::Linear(r) | Curve::Cosine(r)) => vec![r.from, r.to],
            Self::Over(Curve::Piecewise(points)) => points.iter().map(|p| p.1).collect(),
        }
    }

    /// Says what is wrong with the schedule itself, whatever it drives.
    pub fn fault(&self) -> Option<String> {
        match self {
            Self::Over(Curve::Linear(r) | Curve::Cosine(r))
                if !(r.until > 0.0 && r.until <= 1.0) =>
            {
                Some(format!("`until` is {}; it is a share of the run in (0, 1]", r.until))
            }
            Self::Over(Curve::Piecewise(points)) if points.is_empty() => {
                Some("`piecewise` needs at least one [progress, value] point".into())
            }
            Self::Over(Curve::Piecewise(points)) if !points.is_sorted_by(|a, b| a.0 < b.0) => {
                Some("the points of `piecewise` must rise in progress".into())
            }
            Self::Over(Curve::Piecewise(points))
                if points.iter().any(|p| !(0.0..=1.0).contains(&p.0)) =>
            {
                let at = points.iter().map(|p| p.0).find(|at| !(0.0..=1.0).contains(at));
                let at = at.unwrap_or_default();
                Some(format!("a point of `piecewise` lies at {at}; progress is from 0 to 1"))
            }
            _ => self
                .values()
                .iter()
                .find(|v| !v.is_finite())
                .map(|v| format!("{v} is not a finite number")),
        }
    }
}

impl Ramp {
    fn at(&self, progress: f64, shape: impl Fn(f64) -> f64) -> f64 {
        self.from + (self.to - self.from) * shape((progress / self.until).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Schedule {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn every_shape() {
        assert_eq!(parse("0.5").at(0.9), 0.5);
        let line = parse(r#"{"linear": {"from": 2, "to": 0}}"#);
        assert_eq!((line.at(0.0), line.at(0.25), line.at(1.0)), (2.0, 1.5, 0.0));
        let early = parse(r#"{"linear": {"from": 2, "to": 0, "until": 0.5}}"#);
        assert_eq!((early.at(0.25), early.at(0.75)), (1.0, 0.0));
        let cosine = parse(r#"{"cosine": {"from": 1, "to": 0}}"#);
        assert!((cosine.at(0.5) - 0.5).abs() < 1e-12 && cosine.at(0.1) > 0.95);
        let steps = parse(r#"{"piecewise": [[0.2, 1], [0.4, 3]]}"#);
        assert_eq!((steps.at(0.0), steps.at(0.9)), (1.0, 3.0));
        assert!((steps.at(0.3) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn bad_shapes_are_named() {
        assert!(parse(r#"{"piecewise": []}"#).fault().is_some());
        assert!(parse(r#"{"piecewise": [[0.5, 1], [0.5, 2]]}"#).fault().is_some());
        assert!(parse(r#"{"linear": {"from": 1, "to": 0, "until": 0}}"#).fault().is_some());
        for at in [-0.5, 1.5, 1e308, f64::NEG_INFINITY, f64::NAN] {
            let points = Schedule::Over(Curve::Piecewise(vec![(at, 1.0)]));
            assert!(points.fault().unwrap().contains("from 0 to 1"), "{at}");
        }
        assert!(serde_json::from_str::<Schedule>(r#"{"linear": {"from": 1}}"#).is_err());
        assert_eq!(parse("1e-3").fault(), None);
        let error = |json| serde_json::from_str::<Schedule>(json).unwrap_err().to_string();
        assert!(error("\"four\"").contains("expected a number, or a schedule"));
        assert!(error(r#"{"linear": {"from": 1}}"#).contains("missing field `to`"));
        assert!(error(r#"{"linaer": 1}"#).contains("expected one of `constant`, `linear`"));
    }
}
