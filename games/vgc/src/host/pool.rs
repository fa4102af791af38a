//! The processes that all batches of a run share.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde_json::json;

use super::process::{Post, Process};
use super::{Engine, HostError, Verdict};

/// Pools by what they run and how many processes they have.
type Pools = HashMap<(Engine, usize), Weak<Pool>>;

/// Those that are in use.
static POOLS: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);

/// Processes that play battles.
pub struct Pool {
    engine: Engine,
    hosts: Vec<Mutex<Arc<Process>>>,
    battles: AtomicU64,
    /// Teams that may be played, with their format: each is judged once.
    judged: Mutex<HashSet<(String, String)>>,
}

/// A battle of a pool. It is closed when nobody has it any more.
pub struct BattleRef {
    host: Arc<Process>,
    id: u64,
}

/// How a battle begins.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Showdown's id of the format.
    pub format: &'a str,
    /// What all luck of the battle follows from.
    pub seed: Seed<'a>,
    /// Both teams, packed.
    pub teams: [&'a str; 2],
    /// What the players are called.
    pub names: [&'a str; 2],
    /// Are team sheets open?
    pub open_sheets: bool,
}

/// What all luck of a battle follows from.
#[derive(Clone, Copy, Debug)]
pub enum Seed<'a> {
    /// A number, for the simulator's generator of the fifth generation.
    Number(u64),
    /// As a recording of the simulator has it: `1,2,3,4`, `gen5,…`, `sodium,…`.
    Words(&'a str),
}

impl Seed<'_> {
    /// In the simulator's words.
    fn words(self) -> String {
        match self {
            // Four numbers of 16 bits, which the simulator takes for the generator of the fifth generation: it
            // is much faster than the one it would draw from otherwise.
            Self::Number(seed) => {
                [48, 32, 16, 0].map(|shift| (seed >> shift & 0xffff).to_string()).join(",")
            }
            Self::Words(words) => words.to_owned(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// The processes for this engine: those that are there already, or new ones, of which at least the first
    /// is ready.
    pub fn open(engine: &Engine, processes: usize) -> Result<Arc<Self>, HostError> {
        let processes = processes.max(1);
        let key = (engine.clone(), processes);
        let mut pools = lock(&POOLS);
        if let Some(pool) = pools.get(&key).and_then(Weak::upgrade) {
            return Ok(pool);
        }
        let mut pool = Self {
            engine: engine.clone(),
            hosts: Vec::new(),
            battles: AtomicU64::new(0),
            judged: Mutex::default(),
        };
        for number in 1..=processes {
            // Those that have begun are shut with the pool if one cannot be.
            pool.hosts.push(Mutex::new(Process::start(engine, number)?));
        }
        let pool = Arc::new(pool);
        let first = Arc::clone(&lock(&pool.hosts[0]));
        first.await_ready()?;
        pools.retain(|_, pool| pool.strong_count() > 0);
        pools.insert(key, Arc::downgrade(&pool));
        Ok(pool)
    }

    /// Starts a battle in the process that has fewest. Its answers go to `post`, with this key and question.
    pub fn start(
        &self,
        opening: &Opening,
        key: usize,
        question: u64,
        post: &Sender<Post>,
    ) -> Result<BattleRef, HostError> {
        let id = self.battles.fetch_add(1, Ordering::Relaxed);
        let command = json!({
            "do": "start", "battle": id, "question": question, "format": opening.format,
            "seed": opening.seed.words(), "teams": opening.teams, "names": opening.names,
            "sheets": opening.open_sheets,
        });
        let host = self.idlest()?;
        host.open(id, key, question, post, &command.to_string())?;
        Ok(BattleRef { host, id })
    }

    /// Lets the simulator judge a team, packed or exported.
    pub fn validate(&self, format: &str, team: &str) -> Result<Verdict, HostError> {
        let host = self.idlest()?;
        let verdict = host.validate(format, team)?;
        loop {
            match verdict.recv_timeout(Duration::from_millis(200)) {
                Ok(verdict) => return Ok(verdict),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => host.look(),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                    let gone = || HostError::Failed("a simulator process went away".into());
                    return Err(host.failure().unwrap_or_else(gone));
                }
            }
        }
    }

    /// What is wrong with a team, in the simulator's words; one that was found good is not judged again.
    pub fn problems(&self, format: &str, team: &str) -> Result<Vec<String>, HostError> {
        let key = (format.to_owned(), team.to_owned());
        if lock(&self.judged).contains(&key) {
            return Ok(Vec::new());
        }
        let verdict = self.validate(format, team)?;
        if verdict.problems.is_empty() {
            lock(&self.judged).insert(key);
        }
        Ok(verdict.problems)
    }

    /// Gives up processes that have been silent for too long.
    pub fn look(&self) {
        self.hosts.iter().for_each(|host| lock(host).look());
    }

    /// The numbers by which the system knows the processes.
    pub fn pids(&self) -> Vec<u32> {
        self.hosts.iter().map(|host| lock(host).pid()).collect()
    }

    /// The process with fewest battles. One that has failed has none, and is replaced.
    fn idlest(&self) -> Result<Arc<Process>, HostError> {
        let fewest = (0..self.hosts.len()).min_by_key(|&i| lock(&self.hosts[i]).battles());
        let number = fewest.unwrap_or(0);
        let mut host = lock(&self.hosts[number]);
        if host.failure().is_some() {
            *host = Process::start(&self.engine, number + 1)?;
        }
        Ok(Arc::clone(&host))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.hosts.iter().for_each(|host| lock(host).shut());
    }
}

impl BattleRef {
    /// Tells both sides' choices, in Showdown's words; a side that is not asked has none.
    pub fn choose(&self, question: u64, choices: [Option<&str>; 2]) -> Result<(), HostError> {
        let command =
            json!({"do": "choose", "battle": self.id, "question": question, "choices": choices});
        self.host.step(self.id, question, &command.to_string())
    }
}

impl Drop for BattleRef {
    fn drop(&mut self) {
        self.host.close(self.id);
    }
}
