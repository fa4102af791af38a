//! What a worker tells the learner: what came of an order.

use lanista_game::Spec;
use lanista_learn::Columns;

use super::PROTOCOL;
use super::bytes::{Reader, Writer};
use super::error::Unreadable;
use super::standings::{self, Marks, Standings};
use super::{matches, rollouts};
use crate::finished::Finished;
use crate::shard::{MatchFault, Recorded, Shard};

const PLAYED: u8 = 0;
const FORGOTTEN: u8 = 1;
const FAILED: u8 = 2;
const EVALUATED: u8 = 3;

/// The beginning of an answer: which order it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub number: u64,
    pub agent: u64,
}

/// What came of an order.
pub(super) enum Answer {
    /// It was played.
    Played(Played),
    /// The worker does not have what the order goes on from: it is another one by now.
    Forgotten,
    /// It cannot be followed, by this worker or any other.
    Failed(String),
}

/// An iteration of some shards.
pub(super) struct Played {
    /// The first match, in their order, that could not go on.
    pub fault: Option<MatchFault>,
    /// The shards, by index.
    pub shards: Vec<(usize, PlayedShard)>,
}

/// An iteration of one shard, read and found to fit it.
pub(super) struct PlayedShard {
    pub standings: Standings,
    pub finished: Vec<Finished>,
    pub kept: Vec<Recorded>,
    pub lost: u64,
    pub latest_loss: Option<String>,
    /// `[roles]`
    pub rollouts: Vec<Columns>,
}

fn head(w: &mut Writer, head: Head, kind: u8) {
    w.u32(PROTOCOL);
    w.u64(head.number);
    w.u64(head.agent);
    w.u8(kind);
}

pub(super) fn forgotten(of: Head) -> Vec<u8> {
    let mut w = Writer::default();
    head(&mut w, of, FORGOTTEN);
    w.finish()
}

pub(super) fn failed(of: Head, problem: &str) -> Vec<u8> {
    let mut w = Writer::default();
    head(&mut w, of, FAILED);
    w.text(problem);
    w.finish()
}

/// Parts of an evaluation that were played.
pub(super) struct Evaluated {
    /// `[parts]`
    pub parts: Vec<Vec<Finished>>,
    /// The first match, if it was to be kept.
    pub kept: Option<Box<Recorded>>,
}

/// These parts of an evaluation were played, or a match of them could not go on.
pub(super) fn evaluated(of: Head, played: &Result<Evaluated, MatchFault>) -> Vec<u8> {
    let mut w = Writer::default();
    head(&mut w, of, EVALUATED);
    w.option(played.as_ref().err(), matches::write_fault);
    if let Ok(evaluated) = played {
        w.list(evaluated.parts.iter(), |w, part| {
            w.list(part.iter(), matches::write_finished);
        });
        w.option(evaluated.kept.as_deref(), matches::write_recorded);
    }
    w.finish()
}

/// What came of an order to evaluate.
pub(super) enum EvaluationAnswer {
    Evaluated(Result<Evaluated, MatchFault>),
    Forgotten,
    Failed(String),
}

/// Reads the rest of an answer about an evaluation of so many slots.
pub(super) fn read_evaluated(
    mut r: Reader,
    spec: &Spec,
    slots: usize,
) -> Result<EvaluationAnswer, Unreadable> {
    let answer = match r.u8()? {
        EVALUATED => EvaluationAnswer::Evaluated(match r.option(matches::read_fault)? {
            Some(fault) => Err(fault),
            None => Ok(Evaluated {
                parts: r.list(|r| r.list(|r| matches::read_finished(r, spec, 0..slots)))?,
                kept: r.option(|r| matches::read_recorded(r, spec).map(Box::new))?,
            }),
        }),
        FORGOTTEN => EvaluationAnswer::Forgotten,
        FAILED => EvaluationAnswer::Failed(r.text()?.to_owned()),
        other => return Err(Unreadable(format!("{other} is no kind of answer"))),
    };
    r.end()?;
    Ok(answer)
}

/// These shards were played; marks say where each was before.
pub(super) fn played(
    of: Head,
    fault: Option<&MatchFault>,
    shards: &[(usize, &Shard, &Marks)],
) -> Vec<u8> {
    let mut w = Writer::default();
    head(&mut w, of, PLAYED);
    w.option(fault, matches::write_fault);
    w.list(shards.iter(), |w, (index, shard, marks)| {
        w.u64(*index as u64);
        w.bytes(&standings::to_bytes(shard, Some(marks)));
        w.list(shard.finished.iter(), matches::write_finished);
        w.list(shard.kept.iter(), matches::write_recorded);
        w.u64(shard.lost.count);
        w.option(shard.lost.latest.as_deref(), Writer::text);
        // Nobody learns from an iteration that broke.
        let roles = shard.roles.iter().filter(|_| fault.is_none());
        w.list(roles.collect::<Vec<_>>().into_iter(), |w, role| rollouts::write(w, &role.rollout));
    });
    w.finish()
}

/// Which order an answer is about, and the rest of it.
pub(super) fn read_head(bytes: &[u8]) -> Result<(Head, Reader<'_>), Unreadable> {
    let mut r = Reader::new(bytes);
    let version = r.u32()?;
    if version != PROTOCOL {
        return Err(Unreadable(format!(
            "the answer is of version {version}, this learner of {PROTOCOL}; install the same lanista on \
             every machine"
        )));
    }
    let head = Head { number: r.u64()?, agent: r.u64()? };
    Ok((head, r))
}

/// Reads the rest of an answer about these shards. They are only looked at: an answer that cannot be read
/// changes nothing.
pub(super) fn read(mut r: Reader, shards: &[Shard], spec: &Spec) -> Result<Answer, Unreadable> {
    let answer = match r.u8()? {
        PLAYED => {
            let fault = r.option(matches::read_fault)?;
            let broken = fault.is_some();
            let shards = r.list(|r| {
                let index = r.index()?;
                let shard =
                    shards.get(index).ok_or_else(|| format!("there is no shard {index}"))?;
                let played = read_shard(r, shard, spec, broken);
                Ok((index, played.map_err(|e| e.within(&format!("shard {index}")))?))
            })?;
            Answer::Played(Played { fault, shards })
        }
        FORGOTTEN => Answer::Forgotten,
        FAILED => Answer::Failed(r.text()?.to_owned()),
        other => return Err(Unreadable(format!("{other} is no kind of answer"))),
    };
    r.end()?;
    Ok(answer)
}

fn read_shard(
    r: &mut Reader,
    shard: &Shard,
    spec: &Spec,
    broken: bool,
) -> Result<PlayedShard, Unreadable> {
    let own = shard.first_match..shard.first_match + shard.matches.len();
    let standings = Standings::read(r.bytes()?, shard)?;
    let finished = r.list(|r| matches::read_finished(r, spec, own.clone()))?;
    let kept = r.list(|r| matches::read_recorded(r, spec))?;
    let lost = r.u64()?;
    let latest_loss = r.option(|r| r.text())?.map(str::to_owned);
    let mut role = 0;
    let rollouts = r.list(|r| {
        let of = spec.roles.get(role).ok_or_else(|| "a rollout of no role".to_owned())?;
        role += 1;
        rollouts::read(r, of)
    })?;
    if !broken && rollouts.len() != spec.roles.len() {
        return Err(Unreadable(format!("rollouts of {} roles", rollouts.len())));
    }
    Ok(PlayedShard { standings, finished, kept, lost, latest_loss, rollouts })
}
