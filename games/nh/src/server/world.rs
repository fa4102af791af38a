//! Who is logged in, who waits for whom, and who fights whom.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lanista_game::seed;
use serde_json::json;

use super::bout::{Answers, Bout, Driver, scripted};
use crate::wire::{Ask, REPLY_BYTES, Request, Reset, WELCOME, failure, success};

/// How many agents there may be at once.
pub const MOST_AGENTS: usize = 4096;

/// What the server has done so far.
#[derive(Debug, Default)]
pub struct Counts {
    /// Steps that were asked for.
    pub steps: AtomicU64,
    /// Fights that began.
    pub fights: AtomicU64,
    /// Requests that were answered with an error.
    pub refused: AtomicU64,
    /// Connections that were closed for what they sent.
    pub closed: AtomicU64,
}

/// All agents and their fights. `P` is where answers go.
pub struct World<P> {
    agents: Mutex<HashMap<String, Agent<P>>>,
    seed: u64,
    pub counts: Counts,
}

/// A fight, as both of its agents know it.
type SharedBout<P> = Arc<Mutex<Bout<P>>>;

struct Agent<P> {
    state: State<P>,
    /// Fights that it has begun: each has dice of its own.
    fights: u64,
    heard: Instant,
}

enum State<P> {
    Pending,
    /// It asked for a fight with an agent that has not asked for one with it.
    Waiting(Box<Reset>, P),
    Fighting(SharedBout<P>, usize, String),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Clone> World<P> {
    pub fn new(seed: u64) -> Self {
        Self { agents: Mutex::default(), seed, counts: Counts::default() }
    }

    /// How many agents are logged in.
    pub fn agents(&self) -> usize {
        lock(&self.agents).len()
    }

    /// Answers a request; the answers of others may come with it.
    pub fn answer(&self, request: Request, from: P, answers: &mut Answers<P>) {
        let Request { id, ask } = request;
        let done = match ask {
            Ask::Login => self.login(&id).map(|()| Some(WELCOME.to_owned())),
            Ask::Logout => self.logout(&id, answers).map(|()| Some(success(None))),
            Ask::Debug => Ok(Some(self.debug())),
            Ask::Reset(reset) => self.reset(&id, reset, from.clone(), answers).map(|()| None),
            Ask::Step(action) => {
                self.counts.steps.fetch_add(1, Relaxed);
                self.fight_of(&id)
                    .and_then(|(bout, side)| {
                        lock(&bout)
                            .step(side, action, from.clone(), answers)
                            .map_err(ToOwned::to_owned)
                    })
                    .map(|()| None)
            }
        };
        match done {
            Ok(Some(line)) => answers.push((from, line)),
            Ok(None) => {}
            Err(why) => answers.push((from, self.refuse(&id, &why))),
        }
    }

    /// The line of an error, in the words in which the original begins its own.
    fn refuse(&self, id: &str, why: &str) -> String {
        self.counts.refused.fetch_add(1, Relaxed);
        failure(&format!("EnvironmentException: {why} (agent {id:?})"))
    }

    fn login(&self, id: &str) -> Result<(), String> {
        let mut agents = lock(&self.agents);
        if agents.contains_key(id) {
            return Err(format!("Agent already exists with ID: {id}"));
        }
        if scripted(id).is_some() || id == "attacker" {
            return Err("a scripted opponent has this name: take another".to_owned());
        }
        if agents.len() >= MOST_AGENTS {
            return Err(format!(
                "there are {MOST_AGENTS} agents, and no room for more: log some out"
            ));
        }
        agents.insert(
            id.to_owned(),
            Agent { state: State::Pending, fights: 0, heard: Instant::now() },
        );
        Ok(())
    }

    fn logout(&self, id: &str, answers: &mut Answers<P>) -> Result<(), String> {
        let agent = lock(&self.agents).remove(id);
        let agent = agent.ok_or_else(|| format!("No player found for: {id}"))?;
        let gone = || failure(&format!("EnvironmentException: Agent logged out: {id}"));
        match agent.state {
            State::Pending => {}
            State::Waiting(_, to) => answers.push((to, gone())),
            State::Fighting(bout, side, _) => {
                let mut bout = lock(&bout);
                if let Some(to) = bout.forget(side) {
                    answers.push((to, gone()));
                }
                bout.leave(side, answers);
            }
        }
        Ok(())
    }

    fn fight_of(&self, id: &str) -> Result<(SharedBout<P>, usize), String> {
        let mut agents = lock(&self.agents);
        let agent = agents.get_mut(id).ok_or_else(|| unknown(id))?;
        agent.heard = Instant::now();
        match &agent.state {
            State::Pending => {
                Err("no step is permitted from state PENDING: reset first".to_owned())
            }
            State::Waiting(..) => Err("Message already queued".to_owned()),
            State::Fighting(bout, side, _) => Ok((Arc::clone(bout), *side)),
        }
    }

    fn reset(
        &self,
        id: &str,
        reset: Box<Reset>,
        to: P,
        answers: &mut Answers<P>,
    ) -> Result<(), String> {
        let mut agents = lock(&self.agents);
        let agent = agents.get_mut(id).ok_or_else(|| unknown(id))?;
        agent.heard = Instant::now();
        match &agent.state {
            State::Waiting(..) => return Err("Message already queued".to_owned()),
            State::Fighting(bout, side, _) => {
                let mut bout = lock(bout);
                if bout.is_open(*side) {
                    return Err("Message already queued".to_owned());
                }
                bout.leave(*side, answers);
            }
            State::Pending => {}
        }
        agent.state = State::Pending;
        let target = reset.target.clone();
        if target == "attacker" {
            return Err("nobody is here who could attack: name an agent or a script".to_owned());
        }
        if let Some(driver) = scripted(&target) {
            agent.fights += 1;
            let dice = self.dice(id, &target, agent.fights);
            let wish = reset.reset_params.lanista.as_ref();
            let side = wish.map_or(0, |wish| usize::from(wish.side.min(1)));
            let mut drivers = [(driver.clone(), &*reset), (driver, &*reset)];
            drivers[side].0 = Driver::Agent;
            let bout = Bout::begin(drivers, dice);
            answers.push((to, bout.first(side)));
            agent.state = State::Fighting(Arc::new(Mutex::new(bout)), side, target);
            self.counts.fights.fetch_add(1, Relaxed);
            return Ok(());
        }
        if target == id {
            return Err("nobody fights himself: name another agent".to_owned());
        }
        agent.state = State::Waiting(reset, to);
        let meets = match agents.get(&target).map(|other| &other.state) {
            Some(State::Waiting(theirs, _)) => theirs.target == id,
            _ => false,
        };
        if meets {
            self.pair(&mut agents, id, &target, answers);
        }
        Ok(())
    }

    /// Two agents that wait for each other begin to fight.
    fn pair(
        &self,
        agents: &mut HashMap<String, Agent<P>>,
        one: &str,
        two: &str,
        answers: &mut Answers<P>,
    ) {
        // In the order of their names, whoever came first: so the fight follows from the seed.
        let mut names = if one < two { [one, two] } else { [two, one] };
        let wish = |name: &str| match agents.get(name).map(|agent| &agent.state) {
            Some(State::Waiting(reset, _)) => {
                reset.reset_params.lanista.as_ref().map(|wish| wish.side)
            }
            _ => None,
        };
        if wish(names[0]) == Some(1) && wish(names[1]) == Some(0) {
            names.swap(0, 1);
        }
        let mut take = |name: &str| {
            let agent = agents.get_mut(name)?;
            agent.fights += 1;
            match std::mem::replace(&mut agent.state, State::Pending) {
                State::Waiting(reset, to) => Some((reset, to, agent.fights)),
                _ => None,
            }
        };
        let (Some((first, to_first, fights)), Some((second, to_second, _))) =
            (take(names[0]), take(names[1]))
        else {
            return;
        };
        let dice = self.dice(names[0], names[1], fights);
        let bout = Bout::begin([(Driver::Agent, &*first), (Driver::Agent, &*second)], dice);
        answers.push((to_first, bout.first(0)));
        answers.push((to_second, bout.first(1)));
        let bout = Arc::new(Mutex::new(bout));
        for (side, name) in names.into_iter().enumerate() {
            if let Some(agent) = agents.get_mut(name) {
                let target = names[1 - side].to_owned();
                agent.state = State::Fighting(Arc::clone(&bout), side, target);
            }
        }
        self.counts.fights.fetch_add(1, Relaxed);
    }

    /// What a fight's dice follow from: the seed, who fights whom, and for the how manieth time.
    fn dice(&self, one: &str, two: &str, fights: u64) -> u64 {
        let bytes = one.bytes().chain([0]).chain(two.bytes());
        let names = bytes.fold(self.seed, |mixed, byte| seed::mix(mixed, u64::from(byte)));
        seed::mix(names, fights)
    }

    /// Logs out whoever has been silent for so long.
    pub fn expire(&self, silence: Duration) -> Answers<P> {
        let silent: Vec<String> = lock(&self.agents)
            .iter()
            .filter(|(_, agent)| agent.heard.elapsed() > silence)
            .map(|(id, _)| id.clone())
            .collect();
        let mut answers = Vec::new();
        for id in silent {
            let _ = self.logout(&id, &mut answers);
        }
        answers
    }

    fn debug(&self) -> String {
        let agents = lock(&self.agents);
        let mut ids: Vec<&String> = agents.keys().collect();
        ids.sort_unstable();
        let mut list = String::new();
        for id in ids {
            let Some(agent) = agents.get(id) else { continue };
            let (state, target, pending, ticks) = match &agent.state {
                State::Pending => ("PENDING", "", false, 0),
                State::Waiting(reset, _) => {
                    ("PENDING_TARGET_MATCH", reset.target.as_str(), true, 0)
                }
                State::Fighting(bout, side, target) => {
                    let bout = lock(bout);
                    (bout.state(*side), target.as_str(), bout.is_open(*side), bout.ticks())
                }
            };
            // The original's trainer makes a table of it, with the columns of the first row.
            let info = json!({
                "id": id,
                "target": target,
                "state": state,
                "pendingMessage": pending,
                "envType": "NhEnvironmentDescriptor",
                "currentEpisodeTicks": ticks,
                "lastMessageTick": ticks,
                "isLoaded": true,
                "isTargetLoaded": ticks > 0,
            });
            let text = info.to_string();
            // The longest reply that the original's trainer reads; whoever does not fit is left out.
            if list.len() + text.len() + 16 > REPLY_BYTES {
                break;
            }
            if !list.is_empty() {
                list.push(',');
            }
            list.push_str(&text);
        }
        format!("{{\"body\":[{list}]}}\n")
    }
}

fn unknown(id: &str) -> String {
    format!("no agent is called {id}: log in first")
}
