//! Running matches as bytes: the seed and the actions of each, and what its players remember.

use std::collections::BTreeMap;

use lanista_nn::{Array, Arrays, arrays_to_bytes};

use crate::player::{ELSEWHERE, Player};
use crate::shard::{Learnt, Shard};

/// All matches of these shards.
pub fn to_bytes(shards: &[Shard], recorded: bool) -> Vec<u8> {
    let matches = || shards.iter().flat_map(|s| &s.matches);
    let episodes: Vec<u64> = matches().map(|m| m.episode).collect();
    let logs: Vec<Vec<u32>> = matches().map(|m| m.played.actions.unpacked()).collect();
    let lengths: Vec<u32> = logs.iter().map(|log| log.len() as u32).collect();
    let log = logs.concat();
    let roles = shards.first().map_or(0, |shard| shard.roles.len());
    let mut of_roles: Vec<(String, Vec<f32>)> = Vec::new();
    for role in 0..roles {
        for (name, part) in LEARNT {
            let all = shards.iter().flat_map(|s| part(&s.roles[role]).iter().copied()).collect();
            of_roles.push((role_name(name, role), all));
        }
        let of_anchor: Vec<f32> = shards
            .iter()
            .flat_map(|s| s.roles[role].rollout.teacher_state.iter().copied())
            .collect();
        if !of_anchor.is_empty() {
            of_roles.push((role_name(ANCHOR_STATE, role), of_anchor));
        }
    }
    let players: Vec<u64> =
        matches().flat_map(|m| m.players.iter().map(|&player| player.to_number())).collect();
    let opponents: Vec<u64> = matches().map(|m| m.opponent.to_number()).collect();
    // Bits: an array of doubles is not worth a kind of its own.
    let probabilities: Vec<u64> = matches().map(|m| m.probability.to_bits()).collect();
    let stages: Vec<u32> = matches().map(|m| m.stage as u32).collect();
    let guests: Vec<&[f32]> =
        shards.iter().flat_map(|s| s.guest_rows.states.iter().map(Vec::as_slice)).collect();
    let guest_lengths: Vec<u32> = guests.iter().map(|state| state.len() as u32).collect();
    let guest_fresh: Vec<u32> = shards.iter().flat_map(|s| s.guest_rows.fresh()).collect();
    let guests = guests.concat();
    let mut arrays: Vec<(&str, Array)> = vec![("episode", (&episodes[..]).into())];
    if recorded {
        arrays.extend([
            ("log_length", (&lengths[..]).into()),
            ("log", (&log[..]).into()),
            ("players", (&players[..]).into()),
            ("opponent", (&opponents[..]).into()),
            ("probability", (&probabilities[..]).into()),
            ("stage", (&stages[..]).into()),
            ("guest_fresh", (&guest_fresh[..]).into()),
            ("guest_length", (&guest_lengths[..]).into()),
            ("guest_state", (&guests[..]).into()),
        ]);
        arrays.extend(of_roles.iter().map(|(name, all)| (name.as_str(), Array::from(&all[..]))));
    }
    arrays_to_bytes(&arrays, &BTreeMap::new())
}

/// Numbers of every row that the learner may play.
type OfRows = fn(&Learnt) -> &[f32];

/// What is kept of them, by name.
const LEARNT: [(&str, OfRows); 3] = [
    ("actor_state", |learnt| &learnt.actor_state),
    ("critic_state", |learnt| &learnt.critic_state),
    ("traces", |learnt| &learnt.rollout.traces),
];

/// What an anchor with memory remembers of every row; missing without one.
const ANCHOR_STATE: &str = "anchor_state";

/// The name of what belongs to a role: plain for the first.
fn role_name(name: &str, role: usize) -> String {
    if role == 0 { name.to_owned() } else { format!("{name}.{role}") }
}

/// The snapshots that sit in matches. What cannot be read has none: it is named when it is rebuilt.
pub fn seated(bytes: &[u8]) -> Vec<u64> {
    let Ok(mut arrays) = Arrays::from_bytes(bytes) else { return Vec::new() };
    let mut numbers = arrays.take_u64("players").unwrap_or_default();
    numbers.extend(arrays.take_u64("opponent").unwrap_or_default());
    let snapshot = |number| match Player::from_number(number) {
        Player::Frozen(id) if id < ELSEWHERE => Some(id),
        _ => None,
    };
    numbers.into_iter().filter_map(snapshot).collect()
}

/// Plays recorded matches again, up to where they were.
pub fn rebuild(shards: &mut [Shard], episodes: &[u64], arrays: &mut Arrays) -> Result<(), String> {
    let text = |e: lanista_nn::WeightsError| e.to_string();
    let lengths = arrays.take_u32("log_length").map_err(text)?;
    let log = arrays.take_u32("log").map_err(text)?;
    let total: usize = lengths.iter().map(|&l| l as usize).sum();
    if lengths.len() != episodes.len() || total != log.len() {
        return Err("the recorded actions do not add up".into());
    }
    let roles = shards.first().map_or(0, |shard| shard.roles.len());
    for role in 0..roles {
        for (name, part) in [
            ("actor_state", (|s| &mut s.actor_state) as fn(&mut Learnt) -> &mut Vec<f32>),
            ("critic_state", |s| &mut s.critic_state),
            ("traces", |s| &mut s.rollout.traces),
        ] {
            let name = role_name(name, role);
            let all = arrays.take_f32(&name).map_err(text)?;
            let wanted: usize = shards.iter_mut().map(|s| part(&mut s.roles[role]).len()).sum();
            if wanted != all.len() {
                return Err(format!("`{name}` holds {} numbers, the run has {wanted}", all.len()));
            }
            let mut rest = &all[..];
            for shard in shards.iter_mut() {
                let own = part(&mut shard.roles[role]);
                let (mine, others) = rest.split_at(own.len());
                own.copy_from_slice(mine);
                rest = others;
            }
        }
    }
    for role in 0..roles {
        let Ok(all) = arrays.take_f32(&role_name(ANCHOR_STATE, role)) else { continue };
        let rows = |shard: &Shard| shard.roles[role].rollout.rows();
        let total: usize = shards.iter().map(rows).sum();
        if total == 0 || !all.len().is_multiple_of(total) {
            return Err(format!("`{ANCHOR_STATE}` holds {} numbers of {total} rows", all.len()));
        }
        let (state, mut rest) = (all.len() / total, &all[..]);
        for shard in shards.iter_mut() {
            let (mine, others) = rest.split_at(rows(shard) * state);
            shard.roles[role].rollout.teacher_state = mine.to_vec();
            rest = others;
        }
    }
    let players = arrays.take_u64("players").map_err(text)?;
    let players: Vec<Player> = players.into_iter().map(Player::from_number).collect();
    let opponents = arrays.take_u64("opponent").map_err(text)?;
    let opponents: Vec<Player> = opponents.into_iter().map(Player::from_number).collect();
    let bots = shards.first().map_or(0, |s| s.spec().bots().len());
    let known = |player: &Player| !matches!(player, Player::Bot(bot) if *bot >= bots);
    if !players.iter().chain(&opponents).all(known) {
        return Err("a scripted player sits there that the game does not have".into());
    }
    let probabilities = arrays.take_u64("probability").map_err(text)?;
    let stages = arrays.take_u32("stage").map_err(text)?;
    let guest_fresh = arrays.take_u32("guest_fresh").map_err(text)?;
    let guest_lengths = arrays.take_u32("guest_length").map_err(text)?;
    let guests = arrays.take_f32("guest_state").map_err(text)?;
    let rows: usize = shards.iter().map(|s| s.guest_rows.states.len()).sum();
    let total: usize = guest_lengths.iter().map(|&l| l as usize).sum();
    if [players.len(), guest_fresh.len(), guest_lengths.len()] != [rows; 3]
        || [probabilities.len(), stages.len(), opponents.len()] != [episodes.len(); 3]
        || total != guests.len()
    {
        return Err("the players of the matches do not add up".into());
    }
    let (mut at, mut row, mut rest, mut guests) = (0, 0, &log[..], &guests[..]);
    for shard in shards {
        let seats = shard.spec().seats.len();
        for m in 0..shard.matches.len() {
            let (mine, others) = rest.split_at(lengths[at] as usize);
            let seated = &players[row..row + seats];
            let seated = (seated, opponents[at]);
            shard.rebuild(m, episodes[at], Some(seated), mine).map_err(|f| f.to_string())?;
            shard.matches[m].probability = f64::from_bits(probabilities[at]);
            shard.matches[m].stage = stages[at] as usize;
            for seat in 0..seats {
                let (state, others) = guests.split_at(guest_lengths[row] as usize);
                shard.guest_rows.restore(m * seats + seat, state.to_vec(), guest_fresh[row] != 0);
                guests = others;
                row += 1;
            }
            at += 1;
            rest = others;
        }
    }
    Ok(())
}
