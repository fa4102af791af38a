//! Which stretches of a recording are play, cut into steps of the game.

use std::collections::BTreeMap;
use std::ops::Range;

use lanista_game::{End, Verdict};

use crate::demo::Demo;
use crate::demo::pairs::Pair;

/// Commands farther apart than this are not of one stretch of play.
const LONGEST_GAP_TICKS: i64 = 3;

/// What of a recording is play.
pub(super) struct Cut {
    /// Stretches of play without a cut, two ticks at least: the first says where the player looked before.
    pub runs: Vec<Range<usize>>,
    /// Ticks of play.
    pub play_ticks: u64,
    /// How often play was cut, by reason.
    pub cuts: BTreeMap<&'static str, u64>,
}

/// Cuts a recording where it is not play, and where ticks are missing.
pub(super) fn runs(pairs: &[Pair], plays: impl Fn(&Pair) -> Result<(), &'static str>) -> Cut {
    let mut cut = Cut { runs: Vec::new(), play_ticks: 0, cuts: BTreeMap::new() };
    let mut begun: Option<usize> = None;
    for (at, pair) in pairs.iter().enumerate() {
        if let Some(first) = begun {
            let passed = i64::from(pair.tick) - i64::from(pairs[at - 1].tick);
            if !(0..=LONGEST_GAP_TICKS).contains(&passed) {
                cut.end(first..at, Some("missing_ticks"));
                begun = None;
            }
        }
        match (plays(pair), begun) {
            (Ok(()), _) => {
                cut.play_ticks += 1;
                begun.get_or_insert(at);
            }
            (Err(reason), Some(first)) => {
                cut.end(first..at, Some(reason));
                begun = None;
            }
            (Err(_), None) => {}
        }
    }
    if let Some(first) = begun {
        cut.end(first..pairs.len(), None);
    }
    cut
}

impl Cut {
    fn end(&mut self, run: Range<usize>, reason: Option<&'static str>) {
        if let Some(reason) = reason {
            *self.cuts.entry(reason).or_default() += 1;
        }
        if run.len() > 1 {
            self.runs.push(run);
        }
    }
}

/// The steps of a run, after its first tick; one that is cut short at the end is left out.
pub(super) fn stretches(
    pairs: &[Pair],
    run: Range<usize>,
    step_ticks: u32,
) -> impl Iterator<Item = Range<usize>> {
    let mut at = run.start + 1;
    std::iter::from_fn(move || {
        let first = pairs.get(at).filter(|_| at < run.end)?;
        let until = i64::from(first.tick) + i64::from(step_ticks);
        let inside = pairs[at..run.end].iter().take_while(|pair| i64::from(pair.tick) < until);
        let stretch = at..at + inside.count();
        let whole = stretch.end < run.end || i64::from(pairs[stretch.end - 1].tick) + 1 >= until;
        at = stretch.end;
        whole.then_some(stretch)
    })
}

/// After a round is lost, until the next begins: the game goes on for a while, and nothing depends on it.
pub(super) fn rounds_lost(demo: &Demo) -> impl Fn(i32) -> bool {
    let marks: BTreeMap<i32, bool> = demo
        .events
        .iter()
        .filter_map(|event| match &*event.name {
            "mission_lost" => Some((event.tick, true)),
            "round_start" => Some((event.tick, false)),
            _ => None,
        })
        .collect();
    move |tick| marks.range(..=tick).next_back().is_some_and(|(_, lost)| *lost)
}

/// How the round went that a run, which ends with a tick, is of: by the next word on it.
pub(super) fn ending(demo: &Demo, last: i32, step_ticks: u32) -> (Option<End>, Option<Verdict>) {
    let word = demo.events.iter().filter(|event| event.tick >= last).find_map(|event| {
        let verdict = match &*event.name {
            "map_transition" | "finale_win" => Some(Verdict::Won),
            "mission_lost" => Some(Verdict::Lost),
            // Another round: nobody said how this one went.
            "round_start" => None,
            _ => return None,
        };
        Some((event.tick, verdict))
    });
    let Some((tick, Some(verdict))) = word else { return (None, None) };
    let at_once = i64::from(tick) - i64::from(last) <= i64::from(step_ticks);
    (at_once.then_some(End::Terminated), Some(verdict))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A tick of somebody who stands.
    pub(in crate::decisions) fn pair(tick: i32) -> Pair {
        Pair {
            tick,
            seconds: 0.0,
            seen_tick: tick,
            position: [0.0; 3],
            velocity: [0.0; 3],
            pitch: 0.0,
            yaw: 0.0,
            on_ground: Some(true),
            health: Some(100),
            temporary_health: Some(0.0),
            incapacitated: Some(false),
            hanging: Some(false),
            going_to_die: Some(false),
            held_by: None,
            weapon: None,
            clip: None,
            events: Vec::new(),
            buttons: 0,
            movement: 4,
            forward: 0.0,
            side: 0.0,
            mouse: [0; 2],
            weapon_select: 0,
            not_play: None,
            legacy: None,
        }
    }

    fn cut(ticks: &[i32], dead: &[i32]) -> (Vec<Range<usize>>, BTreeMap<&'static str, u64>) {
        let pairs: Vec<Pair> = ticks.iter().map(|&tick| pair(tick)).collect();
        let plays = |pair: &Pair| if dead.contains(&pair.tick) { Err("dead") } else { Ok(()) };
        let cut = runs(&pairs, plays);
        (cut.runs, cut.cuts)
    }

    #[test]
    fn play_is_cut_at_deaths_and_missing_ticks() {
        let (found, cuts) = cut(&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[4, 5]);
        assert_eq!(found, [0..3, 5..9]);
        assert_eq!(cuts, BTreeMap::from([("dead", 1)]));
        let (found, cuts) = cut(&[1, 2, 3, 6, 7, 20, 21, 22, 3, 4], &[]);
        assert_eq!(found, [0..5, 5..8, 8..10], "a gap of three ticks is none");
        assert_eq!(cuts, BTreeMap::from([("missing_ticks", 2)]));
        assert_eq!(cut(&[5], &[]).0, [], "nobody knows where he looked before");
        assert_eq!(cut(&[], &[]).0, []);
        let (found, _) = cut(&[i32::MIN, i32::MAX, i32::MAX], &[]);
        assert_eq!(found.first().filter(|_| found.len() == 1), Some(&(1..3)));
    }

    #[test]
    fn stretches_are_steps_of_the_game() {
        let of = |ticks: &[i32]| {
            let pairs: Vec<Pair> = ticks.iter().map(|&tick| pair(tick)).collect();
            stretches(&pairs, 0..pairs.len(), 3).collect::<Vec<_>>()
        };
        assert_eq!(of(&[0, 1, 2, 3, 4, 5, 6]), [1..4, 4..7]);
        assert_eq!(of(&[0, 1, 2, 3, 4, 5, 6, 7]), [1..4, 4..7], "the last is cut short");
        // Two commands in a tick, and a tick without any.
        assert_eq!(of(&[0, 1, 1, 2, 3, 5, 6, 7, 8]), [1..5, 5..8]);
        assert_eq!(of(&[i32::MAX, i32::MAX]), []);
    }
}
