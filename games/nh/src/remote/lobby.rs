//! All agents of this process, by server: who of them is idle, in case others cannot go on.
//!
//! The original's server plays a tick when every agent has sent something. An evaluation on the server that
//! training uses, or the last matches of an evaluation, would wait for agents that nobody asks anything of.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use super::agent::{Server, Shared};

/// What batches of a process share.
#[derive(Default)]
pub struct Lobby {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    servers: Vec<Arc<Server>>,
    agents: Vec<Weak<Shared>>,
    /// Which server the next match begins on.
    turn: usize,
}

impl Lobby {
    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server whose turn it is to get a match.
    pub fn server(&self, addresses: &[String]) -> Arc<Server> {
        let mut inner = self.inner();
        let turn = inner.turn;
        inner.turn = turn.wrapping_add(1);
        let address = &addresses[turn % addresses.len().max(1)];
        if let Some(known) = inner.servers.iter().find(|server| server.address == *address) {
            return Arc::clone(known);
        }
        let server = Arc::new(Server::new(address, first_name()));
        inner.servers.push(Arc::clone(&server));
        server
    }

    /// An agent is there.
    pub fn enter(&self, agent: &Arc<Shared>) {
        let mut inner = self.inner();
        inner.agents.retain(|agent| agent.strong_count() > 0);
        inner.agents.push(Arc::downgrade(agent));
    }

    /// Logs out the agents of a server that nothing has been asked of for so long; how many those were.
    pub fn evict(&self, server: &Server, idle: Duration) -> usize {
        let agents: Vec<Arc<Shared>> =
            self.inner().agents.iter().filter_map(Weak::upgrade).collect();
        let stands = |agent: &&Arc<Shared>| {
            agent.server.address == server.address && agent.is_idle(idle) && !agent.is_evicted()
        };
        agents.iter().filter(stands).map(|agent| agent.evict()).count()
    }
}

/// Names are numbers, as those of the original's trainer: one of two thousand millions to begin with, so that
/// a server that outlives a run, and runs that share a server, seldom see one twice.
fn first_name() -> u32 {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = clock.map_or(0, |time| time.as_nanos() as u64);
    let mixed = lanista_game::seed::mix(nanos, u64::from(std::process::id()));
    (mixed % 2_000_000_000) as u32 + 1
}
