//! Rules about the numbers of a single step.

use super::report::Rule;
use super::seating::silent;
use super::shown::read;
use crate::{Buffers, Control, Feature, Group, Spec};

/// What a step breaks: the rule, the seat and what happened.
pub(super) type Breach = (Rule, Option<usize>, String);

/// Tries match 0 of these buffers as it stands. `started` tells that no step has been played yet,
/// `acted` who has acted so far.
pub(super) fn check(
    spec: &Spec,
    buffers: &Buffers,
    seats: &[Control],
    started: bool,
    acted: &[bool],
) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let layout = buffers.layout();
    let end = if started { None } else { buffers.end[0] };
    for seat in 0..seats.len() {
        let (own, acting) = (layout.seat(seat), buffers.acting[seat] && end.is_none());
        if acting && silent(spec, seat, seats[seat]) {
            let what = match seats[seat] {
                Control::Nobody => "an empty seat acts",
                _ => "a seat that the game drives itself acts",
            };
            breaches.push((Rule::Seats, Some(seat), what.to_owned()));
        }
        if read(end, acting, acted[seat]) {
            let observation = &buffers.observation[seat * layout.features..][..own.features];
            let privileged = &buffers.privileged[seat * layout.privileged..][..own.privileged];
            let role = spec.role_of(seat);
            let mut add = |(rule, what)| breaches.push((rule, Some(seat), what));
            groups(&role.observation, observation, &mut add);
            features(&role.privileged, privileged, "privileged ", &mut add);
        }
        if !started {
            let terms = &buffers.terms[seat * layout.terms..][..layout.terms];
            for (term, value) in spec.terms.iter().zip(terms) {
                if !value.is_finite() {
                    let what = format!("term `{}` is {value}", term.name);
                    breaches.push((Rule::Finite, Some(seat), what));
                } else if seats[seat] == Control::Nobody && *value != 0.0 {
                    let what = format!("an empty seat earns {value} of `{}`", term.name);
                    breaches.push((Rule::Seats, Some(seat), what));
                }
            }
        }
    }
    if !started {
        outcome(buffers, &mut breaches);
    }
    breaches
}

fn outcome(buffers: &Buffers, breaches: &mut Vec<Breach>) {
    let (ended, layout) = (buffers.end[0].is_some(), buffers.layout());
    let (score, stats) = (&buffers.score[..layout.teams], &buffers.stats[..layout.stats]);
    for (kind, numbers) in [("score", score), ("stat value", stats)] {
        if let Some(at) = numbers.iter().position(|value| !value.is_finite()) {
            breaches.push((Rule::Finite, None, format!("{kind} {at} is {}", numbers[at])));
        }
        if let Some(at) = numbers.iter().position(|value| !ended && *value != 0.0) {
            let what = format!("{kind} {at} is {} before the end", numbers[at]);
            breaches.push((Rule::End, None, what));
        }
    }
}

fn groups(observation: &[Group], numbers: &[f32], add: &mut impl FnMut((Rule, String))) {
    let mut rest = numbers;
    for group in observation {
        let (own, after) = rest.split_at(group.len());
        rest = after;
        match group {
            Group::Features(list) => features(list, own, "", add),
            Group::Entities { name, features: list, .. } => {
                for (place, entity) in own.chunks(1 + list.len()).enumerate() {
                    let called = format!("{name}_{place}_");
                    match entity[0] {
                        1.0 => features(list, &entity[1..], &called, add),
                        0.0 => {
                            let absent = entity[1..].iter().position(|value| *value != 0.0);
                            if let Some(at) = absent {
                                let (of, value) = (&list[at].name, entity[1 + at]);
                                let what = format!("`{called}{of}` is {value} of nobody");
                                add((Rule::Entities, what));
                            }
                        }
                        other => {
                            let rule = if other.is_nan() { Rule::Finite } else { Rule::Entities };
                            add((rule, format!("`{called}present` is {other}, not 0 or 1")));
                        }
                    }
                }
            }
        }
    }
}

fn features(list: &[Feature], numbers: &[f32], before: &str, add: &mut impl FnMut((Rule, String))) {
    for (feature, &value) in list.iter().zip(numbers) {
        let name = &feature.name;
        if value.is_nan() {
            let what = format!("`{before}{name}` is not a number, or was not written");
            add((Rule::Finite, what));
        } else if !value.is_finite() {
            add((Rule::Finite, format!("`{before}{name}` is {value}")));
        } else if let Some(vocabulary) = &feature.vocabulary
            && !(value.fract() == 0.0 && value >= 0.0 && value < vocabulary.size as f32)
        {
            let (of, size) = (&vocabulary.name, vocabulary.size);
            let what = format!("`{before}{name}` is {value}, which is none of {size} {of}");
            add((Rule::Ids, what));
        }
    }
}
