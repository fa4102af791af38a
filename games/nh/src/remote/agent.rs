//! One agent on a server: a connection of its own, and a thread that asks and waits for answers.
//!
//! Whatever happens, the agent is logged out in the end, over a new connection if need be: on the original's
//! server an agent that is logged in and silent stops the whole world.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sim::Action;
use crate::wire::{AGENT_TYPE, REPLY_BYTES, Reply, Reset, welcome};

/// How long a connection may take to come about.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// How long a server that was there before is looked for again: it may be starting anew.
const RETURN_PATIENCE: Duration = Duration::from_secs(30);
/// How long a server that was never there is looked for.
const FIRST_PATIENCE: Duration = Duration::from_secs(2);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(250);
/// How long an agent is tried to be logged out whose login was not answered: it may be about to be logged in.
const LEAVE_PATIENCE: Duration = Duration::from_secs(5);
/// How long the answer to a logout is waited for.
const LOGOUT_PATIENCE: Duration = Duration::from_secs(2);
/// Threads of agents need little.
const STACK_BYTES: usize = 256 * 1024;

/// What an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The match.
    pub table: usize,
    /// The seat.
    pub seat: usize,
    /// Its number.
    pub number: u64,
}

/// What became of a question.
pub type Answered = (Question, Result<Box<Reply>, Trouble>);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The server has never been there.
    Nobody(String),
    /// The match is lost.
    Lost(String),
}

enum Ask {
    Fight(Box<Reset>),
    Step(Action),
}

/// What all agents of a process know of a server.
#[derive(Debug)]
pub struct Server {
    /// HOST:PORT.
    pub address: String,
    met: AtomicBool,
    /// Does it play a tick for all agents at once, when all have sent something? The original does; ours says
    /// that it does not.
    lockstep: AtomicBool,
    names: AtomicU32,
}

impl Server {
    /// A server; names of agents count from `first`.
    pub fn new(address: &str, first: u32) -> Self {
        Self {
            address: address.to_owned(),
            met: AtomicBool::new(false),
            lockstep: AtomicBool::new(true),
            names: AtomicU32::new(first),
        }
    }

    /// Does it play a tick for all agents at once?
    pub fn is_lockstep(&self) -> bool {
        self.met.load(Relaxed) && self.lockstep.load(Relaxed)
    }

    /// A name that no agent of this process has had: a fight that was given up stays with its name.
    fn name(&self) -> String {
        self.names.fetch_add(1, Relaxed).to_string()
    }
}

/// An agent.
pub struct Agent {
    shared: Arc<Shared>,
    asks: Option<Sender<(Question, Ask)>>,
    thread: Option<JoinHandle<()>>,
}

/// What others may know of an agent.
pub struct Shared {
    /// Its name on the server.
    pub name: String,
    /// Where it plays.
    pub server: Arc<Server>,
    /// Since when nothing is asked of it; nothing while something is.
    idle: Mutex<Option<Instant>>,
    /// The connection, once there is one.
    stream: Mutex<Option<TcpStream>>,
    /// It was logged out so that others can go on.
    evicted: AtomicBool,
    over: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Has nothing been asked of it for so long?
    pub fn is_idle(&self, long: Duration) -> bool {
        lock(&self.idle).is_some_and(|since| since.elapsed() >= long)
    }

    /// Has it been logged out so that others can go on?
    pub fn is_evicted(&self) -> bool {
        self.evicted.load(Relaxed)
    }

    /// Logs it out so that others can go on. Its next question is not answered any more.
    pub fn evict(&self) {
        if !self.evicted.swap(true, Relaxed) {
            self.hang_up();
            let _ = logout(&self.server.address, &self.name);
        }
    }

    fn hang_up(&self) {
        self.over.store(true, Relaxed);
        if let Some(stream) = lock(&self.stream).as_ref() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Agent {
    /// An agent with a name that is new on the server. It logs in when something is asked of it.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub fn new(server: &Arc<Server>, to: Sender<Answered>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            name: server.name(),
            server: Arc::clone(server),
            idle: Mutex::new(Some(Instant::now())),
            stream: Mutex::new(None),
            evicted: AtomicBool::new(false),
            over: AtomicBool::new(false),
        });
        let (asks, asked) = channel();
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name(format!("nh agent {}", shared.name))
            .stack_size(STACK_BYTES)
            .spawn(move || live(&own, &asked, &to))?;
        Ok(Self { shared, asks: Some(asks), thread: Some(thread) })
    }

    /// What others may know of it.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Asks for a fight.
    pub fn fight(&self, question: Question, reset: Reset) {
        self.ask(question, Ask::Fight(Box::new(reset)));
    }

    /// Asks for a tick.
    pub fn step(&self, question: Question, action: Action) {
        self.ask(question, Ask::Step(action));
    }

    fn ask(&self, question: Question, ask: Ask) {
        *lock(&self.shared.idle) = None;
        if let Some(asks) = &self.asks {
            let _ = asks.send((question, ask));
        }
    }

    /// Tells it to leave, without waiting until it has.
    pub fn dismiss(&mut self) {
        self.asks = None;
        self.shared.hang_up();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.dismiss();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The life of an agent: log in, ask and answer, log out.
fn live(own: &Shared, asked: &Receiver<(Question, Ask)>, to: &Sender<Answered>) {
    let mut line: Option<BufReader<TcpStream>> = None;
    let mut logged_in = Login::No;
    while let Ok((question, ask)) = asked.recv() {
        let answer = answer(own, &mut line, &mut logged_in, ask);
        let failed = answer.is_err();
        *lock(&own.idle) = Some(Instant::now());
        if to.send((question, answer.map(Box::new))).is_err() || failed {
            break;
        }
    }
    if !own.is_evicted() {
        leave(own, logged_in);
    }
    *lock(&own.idle) = None;
    *lock(&own.stream) = None;
}

/// How far a login is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Login {
    No,
    /// The server may do it later, although nobody waits for it any more.
    Asked,
    Yes,
}

/// Logs out. The original answers a login in a later tick, and knows nobody to log out until then.
fn leave(own: &Shared, login: Login) {
    let deadline = Instant::now() + LEAVE_PATIENCE;
    let mut tries = login != Login::No;
    while tries {
        let done = logout(&own.server.address, &own.name);
        tries = login == Login::Asked && matches!(done, Ok(false)) && Instant::now() < deadline;
        if tries {
            std::thread::sleep(PAUSE / 5);
        }
    }
}

fn answer(
    own: &Shared,
    line: &mut Option<BufReader<TcpStream>>,
    logged_in: &mut Login,
    ask: Ask,
) -> Result<Reply, Trouble> {
    let lost = |why: String| Trouble::Lost(format!("{}: {why}", own.server.address));
    if line.is_none() {
        let stream = connect(own)?;
        let copy = stream.try_clone().map_err(|error| lost(error.to_string()))?;
        *lock(&own.stream) = Some(copy);
        *line = Some(BufReader::with_capacity(1 << 14, stream));
    }
    let Some(line) = line.as_mut() else { return Err(lost("no connection".into())) };
    if *logged_in == Login::No {
        *logged_in = Login::Asked;
        let answer =
            ask_line(line, own, "login", json!({"agentType": AGENT_TYPE})).map_err(lost)?;
        own.server.lockstep.store(welcome(&answer).map_err(lost)?, Relaxed);
        own.server.met.store(true, Relaxed);
        *logged_in = Login::Yes;
    }
    let reply = match ask {
        Ask::Fight(mut reset) => {
            reset.reset_params.agent = own.name.clone();
            let body = serde_json::to_value(&*reset).map_err(|error| lost(error.to_string()))?;
            ask_for(line, own, "reset", body)
        }
        Ask::Step(action) => ask_for(line, own, "step", json!({"action": action})),
    };
    reply.map_err(lost)?.ok_or_else(|| lost("an answer has no content".into()))
}

fn connect(own: &Shared) -> Result<TcpStream, Trouble> {
    let met = own.server.met.load(Relaxed);
    let deadline = Instant::now() + if met { RETURN_PATIENCE } else { FIRST_PATIENCE };
    let address = &own.server.address;
    loop {
        match dial(address, CONNECT_PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) if Instant::now() >= deadline || own.over.load(Relaxed) => {
                let message = format!(
                    "cannot connect to {address}: {error}; start a server there (lanista nh server), or set \
                     settings.remote to where one is"
                );
                return Err(if met { Trouble::Lost(message) } else { Trouble::Nobody(message) });
            }
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

fn dial(address: &str, patience: Duration) -> std::io::Result<TcpStream> {
    let mut last = std::io::Error::other("the name has no address");
    for place in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, patience) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn request(name: &str, action: &str, body: Value) -> Vec<u8> {
    let mut line = json!({"action": action, "body": body, "meta": {"id": name}}).to_string();
    line.push('\n');
    line.into_bytes()
}

fn ask_for(
    line: &mut BufReader<TcpStream>,
    own: &Shared,
    action: &str,
    body: Value,
) -> Result<Option<Reply>, String> {
    Reply::read(&ask_line(line, own, action, body)?)
}

fn ask_line(
    line: &mut BufReader<TcpStream>,
    own: &Shared,
    action: &str,
    body: Value,
) -> Result<Vec<u8>, String> {
    let gone = |error: std::io::Error| format!("the connection broke: {error}");
    line.get_mut().write_all(&request(&own.name, action, body)).map_err(gone)?;
    let mut answer = Vec::new();
    line.by_ref().take(REPLY_BYTES as u64).read_until(b'\n', &mut answer).map_err(gone)?;
    if answer.last() != Some(&b'\n') {
        return Err(match answer.len() {
            REPLY_BYTES => format!("an answer has more than {REPLY_BYTES} bytes"),
            _ => "the server closed the connection".to_owned(),
        });
    }
    Ok(answer)
}

/// Logs an agent out over a connection of its own. Was it logged in?
fn logout(address: &str, name: &str) -> std::io::Result<bool> {
    let mut stream = dial(address, LOGOUT_PATIENCE)?;
    stream.set_read_timeout(Some(LOGOUT_PATIENCE))?;
    stream.write_all(&request(name, "logout", Value::Null))?;
    let mut answer = Vec::new();
    BufReader::new(stream).take(REPLY_BYTES as u64).read_until(b'\n', &mut answer)?;
    Ok(welcome(&answer).is_ok())
}
