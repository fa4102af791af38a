//! Matches that ended, as bytes.

use lanista_game::recording::{Actions, Ended, Played};
use lanista_game::{Control, End, Spec};

use super::bytes::{Reader, Writer};
use super::error::Unreadable;
use crate::finished::{Earned, Finished};
use crate::player::Player;
use crate::shard::{MatchFault, Recorded};

type Read<T> = Result<T, Unreadable>;

fn write_end(w: &mut Writer, end: End) {
    w.flag(end == End::Truncated);
}

fn read_end(r: &mut Reader) -> Read<End> {
    Ok(if r.flag()? { End::Truncated } else { End::Terminated })
}

pub(super) fn write_finished(w: &mut Writer, match_: &Finished) {
    w.u64(match_.match_index as u64);
    w.u64(match_.episode);
    w.u32(match_.steps);
    write_end(w, match_.end);
    w.u64(match_.opponent.to_number());
    w.f64(match_.probability);
    w.u64(match_.stage as u64);
    w.option(match_.team, |w, team| w.u64(team as u64));
    w.list(match_.earned.iter(), |w, earned| {
        w.u64(earned.role as u64);
        w.u64(earned.team as u64);
        w.f32s(&earned.terms);
    });
    w.f32s(&match_.score);
    w.f32s(&match_.stats);
}

/// One of a game; `matches` are those of the shard, counted over the run.
pub(super) fn read_finished(
    r: &mut Reader,
    spec: &Spec,
    matches: std::ops::Range<usize>,
) -> Read<Finished> {
    let finished = Finished {
        match_index: r.index()?,
        episode: r.u64()?,
        steps: r.u32()?,
        end: read_end(r)?,
        opponent: Player::from_number(r.u64()?),
        probability: r.f64()?,
        stage: r.index()?,
        team: r.option(|r| r.index())?,
        earned: r.list(|r| Ok(Earned { role: r.index()?, team: r.index()?, terms: r.f32s()? }))?,
        score: r.f32s()?,
        stats: r.f32s()?,
    };
    let teams = spec.teams();
    let wrong = |earned: &Earned| {
        earned.role >= spec.roles.len()
            || earned.team >= teams.max(1)
            || earned.terms.len() != spec.terms.len()
    };
    let stranger = matches!(finished.opponent, Player::Bot(bot) if bot >= spec.bots().len());
    if !matches.contains(&finished.match_index)
        || finished.team.is_some_and(|team| team >= teams.max(1))
        || finished.earned.is_empty()
        || finished.earned.iter().any(wrong)
        || finished.score.len() != teams
        || finished.stats.len() != spec.stat_names().len()
        || finished.score.iter().any(|score| score.is_nan())
        || !finished.probability.is_finite()
        || stranger
    {
        return Err(Unreadable(format!("no match of {} ended like this", spec.name)));
    }
    Ok(finished)
}

pub(super) fn write_recorded(w: &mut Writer, recorded: &Recorded) {
    let Recorded { played, players, result, transcript, repeatable } = recorded;
    w.u64(played.seed);
    w.list(played.seats.iter(), |w, control| match control {
        Control::Outside => w.u64(0),
        Control::Nobody => w.u64(1),
        Control::Bot(bot) => w.u64(2 + *bot as u64),
    });
    w.bytes(played.actions.packed_since(0));
    w.u64s(players.iter().map(|player| player.to_number()));
    write_end(w, result.end);
    w.f32s(&result.score);
    w.f32s(&result.stats);
    w.list(result.terms.iter(), |w, terms| w.f32s(terms));
    w.option(transcript.as_deref(), Writer::text);
    w.flag(*repeatable);
}

pub(super) fn read_recorded(r: &mut Reader, spec: &Spec) -> Read<Recorded> {
    let seed = r.u64()?;
    let seats = r.list(|r| {
        Ok(match r.index()? {
            0 => Control::Outside,
            1 => Control::Nobody,
            bot => Control::Bot(bot - 2),
        })
    })?;
    let mut actions = Actions::new(spec);
    actions.append_packed(r.bytes()?, spec)?;
    let players: Vec<Player> = r.u64s()?.into_iter().map(Player::from_number).collect();
    let result = Ended {
        end: read_end(r)?,
        score: r.f32s()?,
        stats: r.f32s()?,
        terms: r.list(|r| r.f32s())?,
    };
    let transcript = r.option(|r| r.text())?.map(str::to_owned);
    let repeatable = r.flag()?;
    let bots = spec.bots().len();
    let stranger = |player: &Player| matches!(player, Player::Bot(bot) if *bot >= bots);
    if [seats.len(), players.len(), result.terms.len()] != [spec.seats.len(); 3]
        || players.iter().any(stranger)
        || result.score.len() != spec.teams()
    {
        return Err(Unreadable(format!("no match of {} is recorded like this", spec.name)));
    }
    let played = Played { seed, seats, actions };
    Ok(Recorded { played, players, result, transcript, repeatable })
}

pub(super) fn write_fault(w: &mut Writer, fault: &MatchFault) {
    w.u64(fault.match_index as u64);
    w.u64(fault.episode);
    w.u64(fault.seed);
    w.u32(fault.step);
    w.text(&fault.message);
}

pub(super) fn read_fault(r: &mut Reader) -> Read<MatchFault> {
    Ok(MatchFault {
        match_index: r.index()?,
        episode: r.u64()?,
        seed: r.u64()?,
        step: r.u32()?,
        message: r.text()?.to_owned(),
    })
}
