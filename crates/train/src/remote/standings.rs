//! Where the matches of a shard stand: what a checkpoint keeps of them, without what the learner alone needs.
//!
//! The same bytes go both ways. To a worker they are whole, and it plays the recorded actions; from a worker
//! they are what has been added to what the learner had.

use lanista_game::recording::Actions;
use lanista_game::{Spec, seed};

use super::bytes::{Reader, Writer};
use super::error::Unreadable;
use crate::player::Player;
use crate::shard::{MatchFault, Shard};

/// How far each match of a shard was: its episode and its recorded steps.
pub(super) type Marks = Vec<(u64, usize)>;

/// Where a shard is now, for later.
pub(super) fn marks(shard: &Shard) -> Marks {
    shard.matches.iter().map(|m| (m.episode, m.played.actions.steps())).collect()
}

/// Where the matches of a shard stand, after these marks if there are some.
pub(super) fn to_bytes(shard: &Shard, since: Option<&Marks>) -> Vec<u8> {
    let mut w = Writer::default();
    w.list(shard.matches.iter().enumerate(), |w, (m, state)| {
        let kept = match since.and_then(|marks| marks.get(m)) {
            Some(&(episode, steps)) if episode == state.episode => steps,
            _ => 0,
        };
        w.u64(state.episode);
        w.u64(kept as u64);
        w.bytes(state.played.actions.packed_since(kept));
        w.u64s(state.players.iter().map(|player| player.to_number()));
        w.u64(state.opponent.to_number());
        w.f64(state.probability);
        w.u64(state.stage as u64);
    });
    w.list(shard.roles.iter(), |w, role| {
        w.f32s(&role.actor_state);
        w.f32s(&role.critic_state);
    });
    let guests = &shard.guest_rows;
    w.list(guests.states.iter().zip(guests.fresh().collect::<Vec<_>>()), |w, (state, fresh)| {
        w.f32s(state);
        w.flag(fresh != 0);
    });
    w.finish()
}

/// Where the matches of a shard stand, read and found to fit it.
pub(super) struct Standings {
    matches: Vec<Standing>,
    /// `[roles]`: actor and critic.
    memories: Vec<(Vec<f32>, Vec<f32>)>,
    /// `[rows]`
    guests: Vec<(Vec<f32>, bool)>,
}

struct Standing {
    episode: u64,
    /// All of the running episode.
    actions: Actions,
    players: Vec<Player>,
    opponent: Player,
    probability: f64,
    stage: usize,
}

impl Standings {
    /// Reads them for this shard, which is only looked at: it has what was not sent again.
    pub fn read(bytes: &[u8], shard: &Shard) -> Result<Self, Unreadable> {
        let mut r = Reader::new(bytes);
        let spec = shard.spec();
        let mut m = 0;
        let matches = r.list(|r| {
            let standing = read_standing(r, shard, m, spec);
            m += 1;
            standing.map_err(|e| e.within(&format!("match {}", m - 1)))
        })?;
        if matches.len() != shard.matches.len() {
            let (found, wanted) = (matches.len(), shard.matches.len());
            return Err(Unreadable(format!("{found} matches for a shard of {wanted}")));
        }
        let memories = r.list(|r| Ok((r.f32s()?, r.f32s()?)))?;
        let sizes = memories.iter().map(|(actor, critic)| (actor.len(), critic.len()));
        let own = shard.roles.iter().map(|role| (role.actor_state.len(), role.critic_state.len()));
        if !sizes.eq(own) {
            return Err(Unreadable("memories of other networks than those of the shard".into()));
        }
        let guests = r.list(|r| Ok((r.f32s()?, r.flag()?)))?;
        if guests.len() != shard.guest_rows.states.len() {
            return Err(Unreadable(format!("memories of {} guests", guests.len())));
        }
        r.end()?;
        Ok(Self { matches, memories, guests })
    }

    /// Plays the matches up to where they stand.
    pub fn rebuild(self, shard: &mut Shard) -> Result<(), MatchFault> {
        for (m, standing) in self.matches.iter().enumerate() {
            let Standing { episode, actions, players, opponent, probability, stage } = standing;
            let seated = Some((&players[..], *opponent));
            shard.rebuild(m, *episode, seated, &actions.unpacked())?;
            shard.matches[m].probability = *probability;
            shard.matches[m].stage = *stage;
        }
        self.remember(shard);
        Ok(())
    }

    /// Notes where matches stand that are played elsewhere.
    pub fn note(self, shard: &mut Shard) {
        let (first, run_seed) = (shard.first_match, shard.seating.seed);
        let (spec, matches) = (shard.spec().clone(), self.matches);
        for (m, standing) in matches.into_iter().enumerate() {
            let Standing { episode, actions, players, opponent, probability, stage } = standing;
            let state = &mut shard.matches[m];
            state.episode = episode;
            state.step = actions.steps() as u32;
            state.played.seed = seed::episode(run_seed, first + m, episode);
            state.played.actions = actions;
            for (seat, player) in players.iter().enumerate() {
                state.played.seats[seat] = player.control(&spec, seat);
            }
            (state.players, state.opponent) = (players, opponent);
            (state.probability, state.stage) = (probability, stage);
        }
        Self { matches: Vec::new(), ..self }.remember(shard);
    }

    fn remember(self, shard: &mut Shard) {
        for (role, (actor, critic)) in shard.roles.iter_mut().zip(self.memories) {
            (role.actor_state, role.critic_state) = (actor, critic);
        }
        for (row, (state, fresh)) in self.guests.into_iter().enumerate() {
            shard.guest_rows.restore(row, state, fresh);
        }
    }
}

fn read_standing(
    r: &mut Reader,
    shard: &Shard,
    m: usize,
    spec: &Spec,
) -> Result<Standing, Unreadable> {
    let (episode, kept, added) = (r.u64()?, r.index()?, r.bytes()?);
    let mut actions = Actions::new(spec);
    if kept > 0 {
        let own = shard.matches.get(m).filter(|own| own.episode == episode);
        let own = own.map(|own| &own.played.actions).filter(|own| own.steps() == kept);
        actions =
            own.ok_or_else(|| format!("{kept} steps of episode {episode} are unknown"))?.clone();
    }
    actions.append_packed(added, spec)?;
    let players: Vec<Player> = r.u64s()?.into_iter().map(Player::from_number).collect();
    if players.len() != spec.seats.len() {
        return Err(Unreadable(format!("{} players on {} seats", players.len(), spec.seats.len())));
    }
    let opponent = Player::from_number(r.u64()?);
    let bots = spec.bots().len();
    let unknown = |player: &&Player| matches!(player, Player::Bot(bot) if *bot >= bots);
    if players.iter().chain([&opponent]).any(|player| unknown(&player)) {
        return Err(Unreadable("a scripted player that the game does not have".into()));
    }
    let (probability, stage) = (r.f64()?, r.index()?);
    Ok(Standing { episode, actions, players, opponent, probability, stage })
}
