//! The rollout of a shard and a role as bytes: columns, each as small as it can be without losing a bit.

use lanista_game::Role;
use lanista_learn::{After, Columns, Follow, Policy, Rollout, Widths};

use super::bytes::{Reader, Writer};
use super::error::Unreadable;
use crate::shard::all_finite;

const NEXT: u32 = 0;
const TERMINATED: u32 = 1;
const CUT: u32 = 2;
const UNKNOWN: u32 = 3;
/// Set beside one of those: the row's first act of an episode.
const START: u32 = 4;

pub(super) fn write(w: &mut Writer, rollout: &Rollout) {
    w.small(&rollout.row);
    w.f32s(&rollout.observation);
    w.f32s(&rollout.privileged);
    w.flags(&rollout.mask);
    w.small(&rollout.actions);
    w.f32s(&rollout.log_prob);
    w.f32s(&rollout.value);
    w.f32s(&rollout.reward);
    let mut cuts = Vec::new();
    let tags: Vec<u32> = (rollout.follow.iter().zip(&rollout.start))
        .map(|(follow, &start)| {
            let tag = match follow {
                Follow::Next(_) => NEXT,
                Follow::Terminated => TERMINATED,
                Follow::Cut(value) => {
                    cuts.push(*value);
                    CUT
                }
                Follow::Unknown => UNKNOWN,
            };
            tag | if start { START } else { 0 }
        })
        .collect();
    w.small(&tags);
    w.f32s(&cuts);
    w.f32s(&rollout.actor_state);
    w.f32s(&rollout.critic_state);
}

/// How wide the rollout of a role is.
pub(super) fn widths(role: &Role, policy: Option<&Policy>) -> Widths {
    let (actor_state, critic_state) = policy.map_or((0, 0), Policy::state_sizes);
    Widths {
        features: role.features(),
        privileged: role.privileged.len(),
        actions: role.actions(),
        heads: role.heads.len(),
        actor_state,
        critic_state,
    }
}

/// Reads what a role of this kind saw and did.
pub(super) fn read(r: &mut Reader, role: &Role) -> Result<Columns, Unreadable> {
    let mut columns = Columns {
        row: r.small()?,
        observation: r.f32s()?,
        privileged: r.f32s()?,
        mask: r.flags()?,
        actions: r.small()?,
        log_prob: r.f32s()?,
        value: r.f32s()?,
        reward: r.f32s()?,
        ..Columns::default()
    };
    let (tags, cuts) = (r.small()?, r.f32s()?);
    let mut values = cuts.iter();
    for tag in &tags {
        columns.start.push(tag & START != 0);
        columns.after.push(match tag & !START {
            NEXT => After::Next,
            TERMINATED => After::Terminated,
            CUT => After::Cut(*values.next().ok_or_else(|| "a cut without a value".to_owned())?),
            UNKNOWN => After::Unknown,
            other => return Err(Unreadable(format!("{other} follows no sample"))),
        });
    }
    if values.next().is_some() {
        return Err(Unreadable("a value of a cut that is none".into()));
    }
    (columns.actor_state, columns.critic_state) = (r.f32s()?, r.f32s()?);
    for (what, numbers) in
        [("an observation", &columns.observation), ("a privileged input", &columns.privileged)]
    {
        // Whatever else is not finite stops at the gradient; a normaliser would take these in. No shard
        // shows them to a policy either.
        if !all_finite(numbers) {
            return Err(Unreadable(format!("{what} that is not finite")));
        }
    }
    let sizes = role.head_sizes();
    let choices = columns.actions.iter().zip(sizes.iter().cycle());
    if let Some((choice, size)) = choices.into_iter().find(|(c, size)| **c as usize >= **size) {
        return Err(Unreadable(format!("the choice {choice} of {size} actions")));
    }
    Ok(columns)
}
