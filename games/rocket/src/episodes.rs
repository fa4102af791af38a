//! Recorded decisions as the game would have shown them.

use std::path::Path;

use lanista_game::{Buffers, End, Episode, UNKNOWN, Verdict};
use rocketsim::consts::TICK_RATE;
use serde::Serialize;

use crate::game::{describe, show};
use crate::mirror;
use crate::replay::{Decision, ReplayError, open};
use crate::settings::Settings;
use crate::state::{State, Team};
use crate::table::ROWS;

/// What a replay gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Names of those who played, blue first.
    pub players: Vec<String>,
    /// Decisions that they made.
    pub decisions: usize,
    /// Those whose row is known.
    pub kept: usize,
    /// Those of the kept for which no other row did as well.
    pub unique: usize,
    /// Episodes handed over.
    pub episodes: usize,
    /// Seconds in which the ball was in play.
    pub seconds: f64,
    /// Stretches of play, and how many of them a goal ended.
    pub periods: usize,
    /// Of those.
    pub goals: usize,
    /// Goals of each team at the end.
    pub score: [u32; 2],
    /// How far kept rows leave the engine from the recorded next state: half of them no further than this,
    /// uu.
    pub position_error_p50: Option<f32>,
    /// Nine of ten of them no further than this.
    pub position_error_p90: Option<f32>,
    /// The same in velocity, uu/s.
    pub velocity_error_p50: Option<f32>,
    /// The same in rotation, rad.
    pub rotation_error_p50: Option<f32>,
    /// The same in spin, rad/s.
    pub spin_error_p50: Option<f32>,
}

/// A car this near to the ball, centre to centre, plays it. Both touch at some 160 uu, and between two decisions a
/// fast car goes as far again.
const AT_THE_BALL_UU: f32 = 250.0;

/// Which decisions are handed over, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Choice {
    /// Also with left and right exchanged, as an episode of its own.
    pub mirrored: bool,
    /// Only what a car did in so many seconds before it came to the ball; what it did otherwise is marked as
    /// unknown. In a team most cars are elsewhere most of the time, and few matches do not tell why.
    pub before_ball_secs: Option<f32>,
    /// So many more of each, with the car put aside and the steering that leads it back.
    pub aside: usize,
}

/// Hands over every decision of a replay as an episode of the game under these settings: one for each car
/// and stretch of play. Stretches with more cars than the settings have seats are counted and left out.
pub fn episodes(
    path: &Path,
    settings: &Settings,
    choice: Choice,
    hear: &mut dyn FnMut(Episode),
) -> Result<Summary, ReplayError> {
    let mut replay = open(path, settings)?;
    let spec = describe(settings);
    let features = spec.roles.first().map_or(0, |role| role.features());
    let people: Vec<(String, Team, crate::hitbox::Hitbox)> =
        replay.players().map(|(name, team, hitbox)| (name.to_owned(), team, hitbox)).collect();
    let seats = settings.seats_a_team();
    let (periods, goals) = replay.periods();
    let fits: Vec<bool> =
        (0..periods).map(|p| replay.sizes(p)).map(|(b, o)| b <= seats && o <= seats).collect();
    let ends: Vec<bool> = (0..periods).map(|period| replay.ends_with_goal(period)).collect();
    let mut drivers = replay.drivers();
    drivers.sort_by_key(|&player| people[player].1.index());
    let score = replay.score();
    let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let mut summary = Summary {
        players: drivers.iter().map(|&player| people[player].0.clone()).collect(),
        seconds: replay.secs(),
        periods,
        goals,
        score,
        ..Summary::default()
    };
    // What any seat sees has the same shape; one of them is the window to look through.
    let mut buffers = Buffers::new(&spec, 1);
    let mut misses: [Vec<f32>; 4] = Default::default();
    let mut open: Vec<Option<Draft>> = vec![None; people.len()];
    let mut episodes = 0;
    // A goal ends a match, unless whole games are played; other cuts say nothing.
    let end_of =
        |period: usize| (ends[period] && settings.game.is_none()).then_some(End::Terminated);
    let mut close = |draft: Option<Draft>, over: bool| {
        if let Some(mut draft) = draft {
            if let Some(secs) = choice.before_ball_secs {
                draft.keep_before_ball(secs, settings.step_ticks());
            }
            draft.episode.end = if over { end_of(draft.period) } else { None };
            episodes += 1;
            hear(draft.episode);
            for mut picture in draft.pictures {
                picture.end = if over { end_of(draft.period) } else { None };
                episodes += 1;
                hear(picture);
            }
        }
    };
    let mut period = 0;
    let scores = score.map(|goals| goals as f32);
    replay.decisions_aside(settings, choice.aside, |decision: &Decision| {
        summary.decisions += 1;
        if decision.period != period {
            // What is still open went on until the goal.
            open.iter_mut().for_each(|draft| close(draft.take(), true));
            period = decision.period;
        }
        if decision.known {
            summary.kept += 1;
            summary.unique += usize::from(decision.unique);
            let miss = &decision.miss;
            for (all, one) in
                misses.iter_mut().zip([miss.position, miss.velocity, miss.rotation, miss.spin])
            {
                all.push(one);
            }
        }
        if !fits[decision.period] {
            return;
        }
        let place = &mut open[decision.player];
        let goes_on = |draft: &Draft| {
            draft.stretch == decision.stretch
                && draft.episode.steps.last().is_some_and(|last| last + 1 == decision.step)
        };
        if !place.as_ref().is_some_and(goes_on) {
            close(place.take(), false);
        }
        let (name, team, hitbox) = &people[decision.player];
        let blank = |mark: &str| Episode {
            player: name.clone(),
            source: format!("{file}#{}.{}{mark}", decision.period, decision.stretch),
            verdict: Some(Verdict::of(&scores, team.index())),
            ..Episode::default()
        };
        let draft = place.get_or_insert_with(|| Draft {
            period: decision.period,
            stretch: decision.stretch,
            episode: blank(""),
            at_ball: Vec::new(),
            pictures: pictures(choice).iter().map(|mark| blank(mark)).collect(),
        });
        let clock = settings.game.map(|_| &decision.clock);
        let mut add = |episode: &mut Episode, state: &State, row: Option<usize>| {
            buffers.mask.fill(true);
            let mut view = buffers.view(0);
            show(settings, state, decision.car, clock, *hitbox, &mut view.seat(0));
            episode.observation.extend(&buffers.observation[..features]);
            episode.mask.extend(&buffers.mask[..ROWS]);
            episode.steps.push(decision.step);
            episode.actions.push(row.map_or(UNKNOWN, |row| row as u32));
        };
        let (car, ball) = (&decision.state.cars[decision.car], &decision.state.ball);
        draft.at_ball.push(car.body.pos.distance(ball.pos) < AT_THE_BALL_UU);
        add(&mut draft.episode, decision.state, decision.known.then_some(decision.row));
        let mut pictures = draft.pictures.iter_mut();
        let mut scene = decision.state.clone();
        for copy in 0..=choice.aside {
            let row = match copy.checked_sub(1) {
                None => decision.known.then_some(decision.row),
                Some(copy) => {
                    let aside = decision.aside[copy].filter(|_| decision.known);
                    scene.cars[decision.car] = aside.map_or(*car, |aside| aside.car);
                    aside.map(|aside| aside.row)
                }
            };
            if copy > 0
                && let Some(picture) = pictures.next()
            {
                add(picture, &scene, row);
            }
            if choice.mirrored
                && let Some(picture) = pictures.next()
            {
                add(picture, &mirror::state(&scene), row.map(mirror::row));
            }
        }
    });
    open.iter_mut().for_each(|draft| close(draft.take(), true));
    summary.episodes = episodes;
    let [position, velocity, rotation, spin] = &mut misses;
    summary.position_error_p90 = quantile(position, 0.9);
    summary.position_error_p50 = quantile(position, 0.5);
    summary.velocity_error_p50 = quantile(velocity, 0.5);
    summary.rotation_error_p50 = quantile(rotation, 0.5);
    summary.spin_error_p50 = quantile(spin, 0.5);
    Ok(summary)
}

/// An episode in the making.
#[derive(Clone)]
struct Draft {
    period: usize,
    stretch: usize,
    episode: Episode,
    /// For every decision: is the car at the ball?
    at_ball: Vec<bool>,
    /// The same in other ways, as [`pictures`] names them.
    pictures: Vec<Episode>,
}

/// What is handed over of each stretch beside what was recorded, in the order in which it is shown.
fn pictures(choice: Choice) -> Vec<String> {
    let mut marks = Vec::new();
    for copy in 0..=choice.aside {
        let aside = if copy > 0 { format!(" aside {copy}") } else { String::new() };
        if copy > 0 {
            marks.push(aside.clone());
        }
        if choice.mirrored {
            marks.push(format!("{aside} mirrored"));
        }
    }
    marks
}

impl Draft {
    /// Marks what was done longer than this before the car came to the ball as unknown.
    fn keep_before_ball(&mut self, secs: f32, ticks_per_step: u32) {
        let reach = (secs * TICK_RATE / ticks_per_step.max(1) as f32) as usize;
        let mut left = 0;
        for at in (0..self.at_ball.len()).rev() {
            left = if self.at_ball[at] { reach + 1 } else { left };
            if left == 0 {
                let all = std::iter::once(&mut self.episode).chain(&mut self.pictures);
                all.for_each(|episode| episode.actions[at] = UNKNOWN);
            }
            left = usize::saturating_sub(left, 1);
        }
    }
}

/// The value that a share of all is no larger than.
fn quantile(values: &mut [f32], share: f32) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    let last = values.len().checked_sub(1)?;
    values.get((last as f32 * share).round() as usize).copied()
}
