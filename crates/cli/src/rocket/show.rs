//! A match as lines of text, or of JSON.

use lanista_game::{End, Spec};
use lanista_rocket::clock::Clock;
use lanista_rocket::state::{Car, State};
use serde_json::{Value, json};

use super::{Event, Step};

const TICK_RATE: f32 = 120.0;

/// Prints events and adds rewards up.
pub struct Show {
    json: bool,
    terms: Vec<String>,
    actions: Vec<String>,
    /// `[terms]`
    weights: Vec<f32>,
    /// Of each seat: `blue 1`.
    seats: Vec<String>,
    /// `[seats, terms]`: sums of the terms.
    sums: Vec<f64>,
    /// Which seats had a car.
    seated: Vec<bool>,
    steps: u64,
    last: f32,
    end: Option<(End, Vec<f32>)>,
}

impl Show {
    /// Shows matches of a game in which terms have these weights.
    pub fn new(spec: &Spec, weights: Vec<f32>, json: bool) -> Self {
        let name = |seat: usize| {
            let team = spec.seats[seat].team;
            let number = spec.seats[..=seat].iter().filter(|s| s.team == team).count();
            format!("{} {number}", ["blue", "orange"][team.min(1)])
        };
        Self {
            json,
            terms: spec.terms.iter().map(|t| t.name.clone()).collect(),
            actions: spec.roles[0].heads[0].actions.clone(),
            weights,
            seats: (0..spec.seats.len()).map(name).collect(),
            sums: vec![0.0; spec.seats.len() * spec.terms.len()],
            seated: vec![false; spec.seats.len()],
            steps: 0,
            last: 0.0,
            end: None,
        }
    }

    /// Who plays what.
    pub fn begin(&self, title: &str) {
        if self.json {
            let weighed = self.terms.iter().zip(&self.weights).filter(|(_, w)| **w != 0.0);
            let weights: serde_json::Map<String, Value> =
                weighed.map(|(term, w)| (term.clone(), json!(as_written(*w)))).collect();
            say!("{}", json!({"event": "match", "title": title, "weights": weights}));
        } else {
            say!("{title}");
        }
    }

    /// Something that a reader should know.
    pub fn remark(&mut self, text: &str) {
        if !self.json {
            say!("{text}");
        }
    }

    /// Prints what happened. Is it all: has the match ended, or enough been seen?
    pub fn tell(&mut self, events: Vec<Event>, most_steps: Option<u64>) -> bool {
        for event in events {
            if self.end.is_some() || most_steps.is_some_and(|most| self.steps >= most) {
                return true;
            }
            match event {
                Event::Reset { start, state } => self.reset(start, &state),
                Event::Step(step) => self.step(&step),
            }
        }
        self.end.is_some() || most_steps.is_some_and(|most| self.steps >= most)
    }

    fn reset(&self, start: &str, state: &State) {
        let time = secs(state);
        if self.json {
            let cars: Vec<Value> = state.cars.iter().map(car_json).collect();
            let ball = body_json(&state.ball);
            let line = json!({
                "event": "reset", "time": time, "start": start, "ball": ball, "cars": cars,
            });
            say!("{line}");
            return;
        }
        say!("{time:8.3} s  reset: {start}; {}", ball_text(state));
    }

    fn step(&mut self, step: &Step) {
        self.steps += 1;
        let time = secs(&step.before);
        self.last = time;
        let width = self.terms.len();
        for (seat, car) in step.cars.iter().enumerate() {
            let Some(car) = car.map(|c| &step.before.cars[c]) else { continue };
            self.seated[seat] = true;
            let earned = &step.terms[seat * width..(seat + 1) * width];
            let sums = &mut self.sums[seat * width..(seat + 1) * width];
            sums.iter_mut().zip(earned).for_each(|(sum, term)| *sum += f64::from(*term));
            let action = step.actions[seat].map(|row| self.actions[row].as_str());
            if self.json {
                self.step_json(time, seat, car, action, earned, step);
            } else {
                self.step_text(time, seat, car, action, earned, step);
            }
        }
        self.end = step.end.clone();
    }

    /// The terms that were worth something: name, value, weight.
    fn paid<'a>(&'a self, earned: &'a [f32]) -> impl Iterator<Item = (&'a str, f32, f32)> + 'a {
        let all = self.terms.iter().zip(earned).zip(&self.weights);
        all.filter(|((_, value), weight)| **value * **weight != 0.0)
            .map(|((term, value), weight)| (term.as_str(), *value, *weight))
    }

    fn step_text(
        &self,
        time: f32,
        seat: usize,
        car: &Car,
        action: Option<&str>,
        earned: &[f32],
        step: &Step,
    ) {
        let action = action.unwrap_or("in pieces");
        let pos = car.body.pos;
        let clock = step.clock.map_or(String::new(), |clock| format!("  {}", clock_text(&clock)));
        say!(
            "{time:8.3} s  {:9} {action:28} at ({:.0}, {:.0}, {:.0}), {:.0} uu/s, boost {:.0}, {}; {}{clock}",
            self.seats[seat],
            pos.x,
            pos.y,
            pos.z,
            car.body.vel.length(),
            car.boost,
            condition(car),
            ball_text(&step.before),
        );
        let terms: Vec<String> = self
            .paid(earned)
            .map(|(term, value, weight)| {
                format!("{term} {value:.4} × {weight} = {:.4}", value * weight)
            })
            .collect();
        if !terms.is_empty() {
            let reward: f32 = self.paid(earned).map(|(_, value, weight)| value * weight).sum();
            say!("{:12}{:9} {reward:+.4}: {}", "", "", terms.join(", "));
        }
    }

    fn step_json(
        &self,
        time: f32,
        seat: usize,
        car: &Car,
        action: Option<&str>,
        earned: &[f32],
        step: &Step,
    ) {
        let terms: Vec<Value> = self
            .paid(earned)
            .map(|(term, value, weight)| {
                let (reward, weight) = (value * weight, as_written(weight));
                json!({"term": term, "value": value, "weight": weight, "reward": reward})
            })
            .collect();
        let reward: f32 = self.paid(earned).map(|(_, value, weight)| value * weight).sum();
        let mut line = json!({
            "event": "step", "step": self.steps, "time": time, "seat": seat,
            "name": self.seats[seat], "action": action, "car": car_json(car),
            "ball": body_json(&step.before.ball), "reward": reward, "terms": terms,
        });
        if let Some(clock) = step.clock {
            line["clock"] = json!({
                "secs": clock.secs(), "overtime": clock.in_overtime(), "goals": clock.goals(),
            });
        }
        say!("{line}");
    }

    /// Prints how the match ended, and what every car earned in it.
    pub fn finish(&self) {
        let width = self.terms.len();
        let seats = (0..self.seats.len()).filter(|&seat| self.seated[seat]);
        let totals = |seat: usize| {
            let sums = &self.sums[seat * width..(seat + 1) * width];
            let all = self.terms.iter().zip(sums).zip(&self.weights);
            all.filter(|((_, sum), weight)| **sum != 0.0 && **weight != 0.0)
                .map(|((term, sum), weight)| (term.as_str(), *sum, as_written(*weight)))
                .collect::<Vec<_>>()
        };
        let end = match &self.end {
            Some((End::Terminated, _)) => "terminated",
            Some((End::Truncated, _)) => "truncated",
            None => "cut short by --steps",
        };
        let score = self.end.as_ref().map(|(_, score)| score.clone());
        if self.json {
            let totals: Vec<Value> = seats
                .map(|seat| {
                    let terms: Vec<Value> = totals(seat)
                        .into_iter()
                        .map(|(term, sum, w)| {
                            json!({"term": term, "value": sum, "weight": w, "reward": sum * w})
                        })
                        .collect();
                    let reward: f64 = totals(seat).iter().map(|(_, sum, w)| sum * w).sum();
                    json!({"seat": seat, "name": self.seats[seat], "reward": reward, "terms": terms})
                })
                .collect();
            let line = json!({
                "event": "end", "end": end, "steps": self.steps, "score": score, "totals": totals,
            });
            say!("{line}");
            return;
        }
        let score = score.map_or(String::new(), |s| format!(", blue {} : {} orange", s[0], s[1]));
        say!("{:8.3} s  {end} after {} decisions{score}", self.last, self.steps);
        for seat in seats {
            let totals = totals(seat);
            let reward: f64 = totals.iter().map(|(_, sum, w)| sum * w).sum();
            say!("{:12}{:9} {reward:+.4} in all", "", self.seats[seat]);
            for (term, sum, weight) in totals {
                say!("{:22}{term} {sum:.4} × {weight} = {:.4}", "", sum * weight);
            }
        }
    }
}

/// A weight as a preset writes it: 0.15 and not 0.15000000596.
fn as_written(weight: f32) -> f64 {
    weight.to_string().parse().unwrap_or(f64::from(weight))
}

fn secs(state: &State) -> f32 {
    state.tick as f32 / TICK_RATE
}

fn condition(car: &Car) -> &'static str {
    match car {
        _ if car.demolished => "in pieces",
        _ if car.turtled() => "on its roof",
        _ if car.flipping => "flipping",
        _ if car.on_ground => "on its wheels",
        _ => "in the air",
    }
}

fn ball_text(state: &State) -> String {
    let (pos, speed) = (state.ball.pos, state.ball.vel.length());
    format!("ball ({:.0}, {:.0}, {:.0}), {speed:.0} uu/s", pos.x, pos.y, pos.z)
}

fn clock_text(clock: &Clock) -> String {
    let [blue, orange] = clock.goals();
    let secs = clock.secs().ceil() as u32;
    let over = if clock.in_overtime() { "+" } else { "" };
    format!("[{blue}:{orange} {over}{}:{:02}]", secs / 60, secs % 60)
}

fn body_json(body: &lanista_rocket::state::Body) -> Value {
    json!({
        "pos": body.pos.to_array(), "vel": body.vel.to_array(), "ang_vel": body.ang_vel.to_array(),
    })
}

fn car_json(car: &Car) -> Value {
    let mut value = body_json(&car.body);
    value["team"] = json!(["blue", "orange"][car.team.index()]);
    value["boost"] = json!(car.boost);
    value["condition"] = json!(condition(car));
    value["has_flip"] = json!(car.has_flip);
    value
}
