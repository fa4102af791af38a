//! What a step of a live match was worth: differences between two states, and events.
//!
//! Known live: kill, special_kill, damage_dealt, damage_taken, heal_teammate, rescue, incapped, death,
//! safe_room, lost, survival, proximity_to_team, progress, team_progress and item, where the server tells
//! the extended state and events. With the 56 bytes alone: damage_taken (health lost), incapped, death,
//! safe_room, lost, survival, proximity_to_team. Never known: friendly_fire, and all that only seats of
//! infected and directors have. An event whose datagram came late counts for the step it came in.

use lanista_game::{End, Outcome, Spec};

use crate::sim::world::SURVIVORS;
use crate::terms;
use crate::wire::v2::control::{Event, event};
use crate::wire::v2::state::Record;

/// A fellow nearer than this is near.
const TEAM_UNITS: f32 = 500.0;

/// The end of a round is believed when it was no longer ago than this.
const LATE_TICKS: u32 = 90;

/// What a client's survivors are told, at one time.
pub(super) type Team = [Option<Record>; SURVIVORS];

/// How a match has gone so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Score {
    before: Team,
    begun_tick: u32,
    /// The farthest along the way that each, and whoever is last, has been.
    farthest: [f32; SURVIVORS],
    last_farthest: f32,
    /// Distances to the nearest fellow, summed, and how many.
    apart: (f64, u32),
}

fn flow(record: &Record) -> Option<f32> {
    record.extended.as_ref().map(|more| more.flow_distance).filter(|flow| *flow >= 0.0)
}

/// The flow of whoever is last of those who live.
fn last_flow(team: &Team) -> Option<f32> {
    let living = team.iter().flatten().filter(|record| record.state.is_alive);
    living.filter_map(flow).reduce(f32::min)
}

/// How a match has ended, if it has, and whether it was won.
pub(super) fn ending(tick: u32, team: &Team, events: &[Event]) -> Option<bool> {
    // An event of the round before may come late; its tick is another, as ticks start anew.
    let is_of_now = |e: &&Event| e.tick.abs_diff(tick) <= LATE_TICKS;
    let told = events.iter().filter(is_of_now).find(|e| e.event == event::ROUND_OVER);
    if let Some(told) = told {
        return Some(told.value == 1);
    }
    let living = team.iter().flatten().filter(|record| record.state.is_alive);
    let alive = living.clone().count();
    let others_up = team.iter().flatten().map(|record| {
        let state = &record.state;
        state.teammates_alive.saturating_sub(state.teammates_incapped)
    });
    let up = living.clone().filter(|record| !record.state.is_incapped).count();
    if up == 0 && others_up.max().unwrap_or(0) == 0 {
        return Some(false);
    }
    // Everybody who lives is ours, and safe.
    let all_ours = living.clone().all(|r| usize::from(r.state.teammates_alive) + 1 == alive);
    let safe = alive > 0 && living.clone().all(|r| r.state.in_safe_room || r.state.is_incapped);
    (safe && all_ours && living.clone().any(|r| r.state.in_safe_room)).then_some(true)
}

impl Score {
    /// A match begins.
    pub fn begin(&mut self, tick: u32, team: &Team) {
        self.before = team.clone();
        self.begun_tick = tick;
        self.apart = (0.0, 0);
        for (farthest, record) in self.farthest.iter_mut().zip(team) {
            *farthest = record.as_ref().and_then(flow).unwrap_or(f32::INFINITY);
        }
        self.last_farthest = last_flow(team).unwrap_or(f32::INFINITY);
    }

    /// Writes what a step was worth, and whether it was the last.
    pub fn step(&mut self, now: &Told, limit_secs: u32, spec: &Spec, out: &mut Outcome) {
        let ended = ending(now.tick, &now.team, &now.events);
        let together = match last_flow(&now.team) {
            Some(flow) if flow > self.last_farthest => {
                (flow - std::mem::replace(&mut self.last_farthest, flow)) / 100.0
            }
            _ => 0.0,
        };
        for i in 0..SURVIVORS {
            let (Some(was), Some(is)) = (&self.before[i], &now.team[i]) else { continue };
            let earned = out.seat(i);
            let of = |wanted: u8| now.events.iter().filter(move |e| e.event == wanted);
            let mine =
                |wanted: u8| of(wanted).filter(|e| usize::from(e.bot_id) == i).count() as f32;
            earned[terms::DEATH] = flag(was.state.is_alive && !is.state.is_alive);
            earned[terms::INCAPPED] = flag(!was.state.is_incapped && is.state.is_incapped);
            earned[terms::ITEM] = mine(event::PICKED_UP);
            match (&was.extended, &is.extended) {
                (Some(was), Some(is)) => {
                    let less = |now: u32, then: u32| now.saturating_sub(then) as f32;
                    let commons = less(is.common_kills.into(), was.common_kills.into());
                    let specials = less(is.special_kills.into(), was.special_kills.into());
                    earned[terms::KILL] = commons + specials;
                    earned[terms::SPECIAL_KILL] = specials;
                    earned[terms::DAMAGE_DEALT] = less(is.damage_dealt, was.damage_dealt);
                    earned[terms::DAMAGE_TAKEN] = less(is.damage_taken, was.damage_taken);
                    let revived = less(is.revives_given.into(), was.revives_given.into());
                    let freed = of(event::FREED).filter(|e| usize::from(e.other) == i).count();
                    let healed = flag(is.healing_given > was.healing_given);
                    earned[terms::RESCUE] = revived + freed as f32;
                    earned[terms::HEAL_TEAMMATE] = revived + freed as f32 + healed;
                }
                _ => {
                    let lost = f32::from(was.state.health) - f32::from(is.state.health);
                    let same = was.state.is_incapped == is.state.is_incapped;
                    earned[terms::DAMAGE_TAKEN] = if same { lost.max(0.0) } else { 0.0 };
                }
            }
            if is.state.is_alive {
                earned[terms::SURVIVAL] = 1.0;
                let near = is.state.nearest_teammate_dist;
                earned[terms::PROXIMITY_TO_TEAM] = flag(near < TEAM_UNITS);
                earned[terms::TEAM_PROGRESS] = together;
                if let Some(flow) = flow(is).filter(|flow| *flow > self.farthest[i]) {
                    let gain = flow - std::mem::replace(&mut self.farthest[i], flow);
                    earned[terms::PROGRESS] = gain / 100.0;
                }
                if is.state.teammates_alive > 0 {
                    self.apart.0 += f64::from(near);
                    self.apart.1 += 1;
                }
            }
            earned[terms::SAFE_ROOM] = flag(ended == Some(true) && is.state.in_safe_room);
            earned[terms::LOST] = flag(ended == Some(false));
        }
        let ticks = now.tick.saturating_sub(self.begun_tick);
        *out.end = match ended {
            Some(_) => Some(End::Terminated),
            None if ticks >= limit_secs * u32::from(now.ticks_per_sec) => Some(End::Truncated),
            None => None,
        };
        if out.end.is_some() {
            self.finish(now, ended == Some(true), ticks, spec, out);
        }
        self.before = now.team.clone();
    }

    fn finish(&self, now: &Told, won: bool, ticks: u32, spec: &Spec, out: &mut Outcome) {
        let safe = now.team.iter().flatten().filter(|r| r.state.is_alive && r.state.in_safe_room);
        let safe = safe.count() as f32;
        out.score[0] = if won { safe } else { 0.0 };
        let n = now.team.iter().flatten().count().max(1) as f32;
        let mean = |of: &dyn Fn(&Record) -> f32| now.team.iter().flatten().map(of).sum::<f32>() / n;
        let more = |of: fn(&crate::wire::v2::state::Extended) -> f32| {
            mean(&|record| record.extended.as_ref().map_or(0.0, of))
        };
        let far = now.team.iter().flatten().filter_map(flow).fold(0.0, f32::max);
        let total =
            now.team.iter().flatten().find_map(|r| r.extended.as_ref().map(|m| m.flow_total));
        let values = [
            ("reached", flag(won)),
            ("safe", safe / n),
            ("flow", far / total.unwrap_or(1.0).max(1.0)),
            ("secs", ticks as f32 / f32::from(now.ticks_per_sec.max(1))),
            ("kills", more(|m| f32::from(m.common_kills) + f32::from(m.special_kills))),
            ("damage", more(|m| m.damage_dealt as f32)),
            ("hurt", more(|m| m.damage_taken as f32)),
            ("healed", more(|m| f32::from(m.healing_given))),
            ("revived", more(|m| f32::from(m.revives_given))),
            ("incapacitated", more(|m| f32::from(m.times_incapped))),
            ("dead", mean(&|record| flag(!record.state.is_alive))),
            ("apart", (self.apart.0 / f64::from(self.apart.1.max(1))) as f32),
        ];
        for (name, value) in values {
            if let Some(place) = spec.stats.iter().position(|stat| stat.name == name) {
                out.stats[place] = value;
            }
        }
    }
}

/// A whole state of a session, and what happened since the last.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub tick: u32,
    pub ticks_per_sec: u16,
    pub map: String,
    pub team: Team,
    pub events: Vec<Event>,
    /// Does it speak the richer action?
    pub takes_rich: bool,
}

fn flag(on: bool) -> f32 {
    f32::from(u8::from(on))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::state::BotState;
    use crate::wire::v2::control::NONE;
    use crate::wire::v2::state::Extended;
    use lanista_game::{Buffers, Kind};

    fn record(bot_id: u8, change: impl FnOnce(&mut BotState, &mut Extended)) -> Option<Record> {
        let mut state = BotState {
            bot_id,
            health: 100,
            is_alive: true,
            teammates_alive: 1,
            nearest_teammate_dist: 100.0,
            ..BotState::default()
        };
        let mut more = Extended { flow_total: 1000.0, ..Extended::default() };
        change(&mut state, &mut more);
        Some(Record { applied_action: 0, applied_tick: 0, state, extended: Some(more) })
    }

    fn told(tick: u32, team: Team, events: Vec<Event>) -> Told {
        Told { tick, ticks_per_sec: 30, team, events, ..Told::default() }
    }

    fn over(tick: u32, value: i32) -> Event {
        let event = event::ROUND_OVER;
        Event { event_number: 1, tick, event, bot_id: NONE, other: NONE, value }
    }

    #[test]
    fn terms_are_differences() {
        let settings = crate::settings::Settings::default();
        let spec = crate::game::Survivors::describe(&settings);
        let mut buffers = Buffers::new(&spec, 1);
        let mut score = Score::default();
        let fresh = [record(0, |_, _| {}), record(1, |_, _| {}), None, None];
        score.begin(10, &fresh);
        let after = [
            record(0, |_, more| {
                (more.common_kills, more.special_kills) = (2, 1);
                (more.damage_dealt, more.flow_distance) = (150, 250.0);
            }),
            record(1, |state, more| {
                (state.is_incapped, state.health) = (true, 300);
                (more.damage_taken, more.times_incapped, more.flow_distance) = (100, 1, 50.0);
            }),
            None,
            None,
        ];
        let now = told(13, after, vec![]);
        let mut out = buffers.outcome(0);
        score.step(&now, 300, &spec, &mut out);
        assert_eq!(*out.end, None);
        let first = out.seat(0);
        assert_eq!((first[terms::KILL], first[terms::SPECIAL_KILL]), (3.0, 1.0));
        assert_eq!((first[terms::DAMAGE_DEALT], first[terms::PROGRESS]), (150.0, 2.5));
        assert_eq!(first[terms::TEAM_PROGRESS], 0.5, "the last came 50 units on");
        let second = out.seat(1);
        assert_eq!((second[terms::INCAPPED], second[terms::DAMAGE_TAKEN]), (1.0, 100.0));
        assert_eq!(second[terms::DEATH], 0.0);
        // The same once more is worth no more.
        let mut out = buffers.outcome(0);
        score.step(&now, 300, &spec, &mut out);
        assert_eq!(out.seat(0)[terms::KILL], 0.0);
    }

    #[test]
    fn ends_are_known_by_events_and_by_states() {
        let up = || [record(0, |_, _| {}), record(1, |_, _| {}), None, None];
        assert_eq!(ending(300, &up(), &[]), None);
        assert_eq!(ending(300, &up(), &[over(297, 0)]), Some(false));
        assert_eq!(ending(300, &up(), &[over(900, 1)]), None, "of the round before");
        let safe = |bot| record(bot, |state, _| state.in_safe_room = true);
        assert_eq!(ending(300, &[safe(0), safe(1), None, None], &[]), Some(true));
        assert_eq!(ending(300, &[safe(0), None, None, None], &[]), None, "another is on the way");
        let down =
            |bot| record(bot, |state, _| (state.is_incapped, state.teammates_incapped) = (true, 1));
        assert_eq!(ending(300, &[down(0), down(1), None, None], &[]), Some(false));
    }
}
