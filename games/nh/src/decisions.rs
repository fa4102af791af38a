//! Recorded fights as decisions to learn from: what a fighter saw, could do and did, tick by tick.
//!
//! The server's 176 numbers, 45 flags and facts are those of our game: `lanista nh replay` finds the simulator's
//! equal to them, and fights on servers show them to policies in the same way. So a recording needs no
//! translation, only the alignment of lines: an action stands beside what came of it, and was chosen from the
//! line before.

use std::path::Path;

use lanista_game::{End, Episode, Role, Verdict};

use crate::contract::{ACTIONS, FIELDS, HEADS, HIDDEN, OFFSETS, PARTIAL};
use crate::game::describe;
use crate::kinds::Rules;
use crate::remote::terms;
use crate::settings::Settings;
use crate::terms::{COUNT, Ended};
use crate::trace::{Fight, Line, TraceError};

/// Who decided, where the name of a file does not say.
pub const UNNAMED: &str = "unknown";

/// What a recording holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Who decided.
    pub player: String,
    /// How the fight went for it, if that is told.
    pub verdict: Option<Verdict>,
    /// How many decisions there are.
    pub decisions: u64,
    /// How often each action was chosen; heads side by side.
    pub chosen: [u64; ACTIONS],
    /// Decisions in which a head had more than one legal action left, by head.
    pub free: [u64; HEADS.len()],
    /// Log-likelihood of all decisions, summed, to whoever chooses evenly among what mask and earlier choices
    /// leave. What learns from the decisions must do better.
    pub uniform: f64,
    /// Does it hold what the opponent hides?
    pub privileged: bool,
    /// Settings that the fight was recorded under and that are others in the settings given: what was offered to
    /// the player differs from what the game will offer.
    pub differing: Vec<&'static str>,
}

/// Hands the decisions of a recorded fighter to `hear`, as one episode.
///
/// All settings of the game show the same numbers, so none is refused; those under which something else was
/// offered than `settings` do are listed in the summary.
///
/// The last line of a fight tells how it ended. Its action was chosen after the fatal tick, moved nothing and is
/// no decision; the game asks for none there.
///
/// # Errors
/// When the file is not a recorded fight from its first line to its last, or when a choice was not offered.
pub fn episodes(
    path: &Path,
    settings: &Settings,
    hear: &mut dyn FnMut(Episode),
) -> Result<Summary, TraceError> {
    let fight = Fight::read(path)?;
    let (episode, summary) = decisions(&fight, settings)?;
    if !episode.is_empty() {
        hear(episode);
    }
    Ok(summary)
}

/// The decisions of a fight that has been read.
///
/// # Errors
/// When a choice was not offered.
pub fn decisions(fight: &Fight, settings: &Settings) -> Result<(Episode, Summary), TraceError> {
    let role = describe().roles.swap_remove(0);
    let name = fight.path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let player = player(&name).unwrap_or(UNNAMED).to_owned();
    let (lines, ended) = played(fight);
    let verdict = ended.zip(lines.last()).map(|(ended, last)| verdict(ended, last));
    let privileged = lines.iter().all(|line| line.target_observation.is_some());
    let mut summary = Summary {
        player: player.clone(),
        verdict,
        decisions: 0,
        chosen: [0; ACTIONS],
        free: [0; HEADS.len()],
        uniform: 0.0,
        privileged,
        differing: differing(fight, settings),
    };
    let mut episode = Episode {
        player,
        source: name,
        verdict,
        end: ended.map(|_| End::Terminated),
        ..Episode::default()
    };
    for (index, pair) in lines.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let Some(action) = after.action.map(|action| action.map(u32::from)) else { continue };
        // Lines count from 1; the action stands in the second of the two.
        let refuse = |line: usize, problem: String| TraceError {
            path: fight.path.clone(),
            line: Some(index + line),
            problem,
        };
        if let Some(problem) = role.unlawful(&action, &before.mask, &[]) {
            let problem = format!("{problem}; the line before says what was offered");
            return Err(refuse(2, problem));
        }
        summary.add(&role, &action, &before.mask);
        episode.steps.push(index as u32);
        episode.observation.extend(before.observation.iter().map(|&number| number as f32));
        episode.mask.extend(before.mask);
        episode.actions.extend(action);
        if let Some(theirs) = before.target_observation.as_ref().filter(|_| privileged) {
            episode.privileged.extend(HIDDEN.iter().map(|&field| theirs[field] as f32));
        }
        let ended = ended.filter(|_| index + 2 == lines.len());
        let mut earned = [0.0; COUNT];
        terms::write(&before.meta, &after.meta, &after.observation, ended, &mut earned);
        episode.terms.extend(earned);
        // A file may hold numbers that only its own precision has room for.
        let is_wild = |numbers: &[f32], width: usize| {
            numbers[numbers.len().saturating_sub(width)..].iter().any(|n| !n.is_finite())
        };
        if is_wild(&episode.observation, FIELDS.len()) || is_wild(&episode.privileged, PARTIAL) {
            return Err(refuse(1, "a number of obs or targetObs is out of range".into()));
        }
        if is_wild(&episode.terms, COUNT) {
            return Err(refuse(2, "a number of meta is out of range".into()));
        }
    }
    Ok((episode, summary))
}

impl Summary {
    fn add(&mut self, role: &Role, action: &[u32], mask: &[bool; ACTIONS]) {
        self.decisions += 1;
        for (head, (_, names)) in HEADS.iter().enumerate() {
            self.chosen[OFFSETS[head] + action[head] as usize] += 1;
            let choices = 0..names.len() as u32;
            let legal = choices.filter(|&choice| role.legal(head, choice, action, mask, &[]));
            let count = legal.count();
            // With one action or none there is nothing to choose, and nothing to be wrong about.
            self.free[head] += u64::from(count > 1);
            self.uniform -= (count.max(1) as f64).ln();
        }
    }

    /// Share of decisions in which a head took its first action, which does nothing.
    pub fn idle_share(&self, head: usize) -> f64 {
        self.chosen[OFFSETS[head]] as f64 / self.decisions.max(1) as f64
    }
}

/// The side's player in `<fight>_<build>_<one>_vs_<other>_<A|B>.jsonl.gz`.
fn player(file: &str) -> Option<&str> {
    let (fight, side) = file.split('.').next()?.rsplit_once('_')?;
    let (one, other) = fight.split_once("_vs_")?;
    let player = match side {
        "A" => one.rsplit('_').next()?,
        "B" => other,
        _ => return None,
    };
    (!player.is_empty()).then_some(player)
}

/// The lines in which the fight was still on, and how it ended. The word on it comes a tick after the fatal one,
/// as on servers.
fn played(fight: &Fight) -> (&[Line], Option<Ended>) {
    let lines = fight.lines.as_slice();
    let Some((last, before)) = lines.split_last() else { return (lines, None) };
    let ended = match last.terminal.as_deref() {
        Some("WON") => Some(Ended::Won),
        Some("LOST") => Some(Ended::Lost),
        Some("TIED") => Some(Ended::Tied),
        // Cut off, or the opponent was gone, which says nothing of the fight.
        _ => None,
    };
    let fatal = before.last().is_some_and(|line| {
        let m = &line.meta;
        let fell = m.current_health_percent <= 0.0 || m.current_target_health_percent <= 0.0;
        let starves = m.food_count == 0 || m.target_food_count == 0;
        fell || (!fight.death_match && starves)
    });
    if last.terminal.is_some() && fatal { (before, ended) } else { (lines, ended) }
}

/// The game's verdict. Whoever sees the other fall has won, also while falling: then both have.
fn verdict(ended: Ended, last: &Line) -> Verdict {
    match ended {
        Ended::Won if last.meta.current_health_percent <= 0.0 => Verdict::Drawn,
        Ended::Won => Verdict::Won,
        Ended::Lost => Verdict::Lost,
        Ended::Tied => Verdict::Drawn,
    }
}

/// Settings that say what is offered and that differ from those of the recording.
fn differing(fight: &Fight, settings: &Settings) -> Vec<&'static str> {
    let p = &fight.params;
    let builds = settings.builds.contains(&p.account_build) || p.randomize_build;
    [
        ("rules", settings.rules == Rules::Server2024),
        ("builds", builds),
        ("randomize_gear", settings.randomize_gear == p.randomize_gear),
        (
            "only_switch_prayer_when_about_to_attack",
            settings.only_switch_prayer_when_about_to_attack
                == p.only_switch_prayer_when_about_to_attack,
        ),
        (
            "only_switch_gear_when_attack_soon",
            settings.only_switch_gear_when_attack_soon == p.only_switch_gear_when_attack_soon,
        ),
        ("allow_smite", settings.allow_smite == p.allow_smite),
        ("allow_redemption", settings.allow_redemption == p.allow_redemption),
        (
            "allow_moving_if_can_attack",
            settings.allow_moving_if_can_attack == p.allow_moving_if_can_attack,
        ),
        ("death_match", settings.death_match == fight.death_match),
    ]
    .into_iter()
    .filter_map(|(name, same)| (!same).then_some(name))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_named_by_their_files() {
        for (file, wanted) in [
            ("015_ZERKER_greedy_vs_random_A.jsonl.gz", Some("greedy")),
            ("015_ZERKER_greedy_vs_random_B.jsonl.gz", Some("random")),
            ("083_LMS_MED_random_vs_greedy_A.jsonl", Some("random")),
            ("my_own_bot_vs_their_own_B.jsonl", Some("their_own")),
            ("015_ZERKER_greedy_vs_random_C.jsonl.gz", None),
            ("_vs__B.jsonl", None),
            ("fight.jsonl", None),
            ("", None),
        ] {
            assert_eq!(player(file), wanted, "{file}");
        }
    }
}
