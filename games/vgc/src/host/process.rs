//! One host: its process, the threads at its streams, and who waits for what.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::answer::{Line, Told, Verdict};
use super::{Engine, HostError};

/// The program that every host runs.
const PROGRAM: &str = include_str!("host.js");
/// How the program reaches it: not as an argument, which lists of processes would show.
const PROGRAM_VARIABLE: &str = "LANISTA_HOST_PROGRAM";
/// No answer is longer. A turn is some kilobytes, a whole battle about a hundred.
const LONGEST_LINE: usize = 8 << 20;
/// So much of what a host complained of last is kept.
const LAST_WORDS: usize = 2000;
/// Room for what dies young: the simulator allocates a lot that is garbage after the turn.
const YOUNG_GENERATION_MB: u32 = 16;

/// What has become of a question, for whoever asked.
#[derive(Debug)]
pub struct Post {
    /// Which of the asker's battles it is about.
    pub key: usize,
    /// The question, as the asker numbered it.
    pub question: u64,
    /// The answer.
    pub reply: Reply,
}

/// The answer to a question about a battle.
#[derive(Debug)]
pub enum Reply {
    /// What both sides are told.
    Told(Box<Told>),
    /// There is no such battle any more, for this reason.
    Lost(String),
}

/// Who waits for a battle.
struct Route {
    post: Sender<Post>,
    key: usize,
    /// The question that is open.
    open: Option<u64>,
}

#[derive(Default)]
struct State {
    routes: HashMap<u64, Route>,
    verdicts: HashMap<u64, Sender<Verdict>>,
    questions: u64,
    /// Questions that are open.
    due: usize,
    ready: bool,
    failed: Option<HostError>,
}

/// What the threads of a host share.
pub(super) struct Process {
    /// How it is called in messages.
    name: String,
    engine: Engine,
    child: Mutex<Child>,
    commands: Sender<String>,
    state: Mutex<State>,
    changed: Condvar,
    heard: Mutex<Instant>,
    last_words: Arc<Mutex<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// Starts a host. That it is ready is known once it has said so.
    pub fn start(engine: &Engine, number: usize) -> Result<Arc<Self>, HostError> {
        let spawn = |why: io::Error| HostError::Spawn {
            node: engine.node.display().to_string(),
            why: why.to_string(),
        };
        let mut child = Command::new(&engine.node)
            .arg(format!("--max-semi-space-size={YOUNG_GENERATION_MB}"))
            .args(["-e", &format!("eval(process.env.{PROGRAM_VARIABLE})")])
            .arg(&engine.package)
            .env(PROGRAM_VARIABLE, PROGRAM)
            .env_remove("NODE_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(spawn)?;
        let name = format!("simulator process {number} (pid {})", child.id());
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (commands, inbox) = channel();
        let process = Arc::new(Self {
            name,
            engine: engine.clone(),
            child: Mutex::new(child),
            commands,
            state: Mutex::new(State { due: 1, ..State::default() }),
            changed: Condvar::new(),
            heard: Mutex::new(Instant::now()),
            last_words: Arc::default(),
        });
        let thread = |name: &str| std::thread::Builder::new().name(format!("vgc {name} {number}"));
        if let Some(stdin) = stdin {
            thread("commands").spawn(move || write(stdin, &inbox)).map_err(spawn)?;
        }
        if let Some(stderr) = stderr {
            let words = Arc::clone(&process.last_words);
            thread("complaints").spawn(move || keep_last(stderr, &words)).map_err(spawn)?;
        }
        if let Some(stdout) = stdout {
            let listener = Arc::clone(&process);
            thread("answers").spawn(move || listener.listen(stdout)).map_err(spawn)?;
        }
        process.send(&json!({"do": "hello", "question": 0, "formats": engine.formats}).to_string());
        Ok(process)
    }

    /// Waits until it is ready.
    pub fn await_ready(&self) -> Result<(), HostError> {
        let mut state = lock(&self.state);
        loop {
            if let Some(error) = &state.failed {
                return Err(error.clone());
            }
            if state.ready {
                return Ok(());
            }
            let look = Duration::from_millis(200);
            let waited = self.changed.wait_timeout(state, look);
            drop(waited);
            self.look();
            state = lock(&self.state);
        }
    }

    /// Why it can no longer be used, if it cannot.
    pub fn failure(&self) -> Option<HostError> {
        lock(&self.state).failed.clone()
    }

    /// Battles that it plays.
    pub fn battles(&self) -> usize {
        lock(&self.state).routes.len()
    }

    /// Gives it up if it has been silent for too long while an answer is due.
    pub fn look(&self) {
        let patience = {
            let state = lock(&self.state);
            if state.due == 0 || state.failed.is_some() {
                return;
            }
            let patience = self.engine.patience;
            if state.ready { patience.answer } else { patience.start }
        };
        let silent = lock(&self.heard).elapsed();
        if silent >= patience {
            let secs = patience.as_secs_f64();
            self.fail(HostError::Failed(format!("{} has not answered for {secs} s", self.name)));
        }
    }

    /// Opens a battle: from now on its answers go there.
    pub fn open(
        &self,
        battle: u64,
        key: usize,
        question: u64,
        post: &Sender<Post>,
        command: &str,
    ) -> Result<(), HostError> {
        self.ask(command, |state| {
            let route = Route { post: post.clone(), key, open: Some(question) };
            let before = state.routes.insert(battle, route);
            state.due += 1;
            state.due -= usize::from(before.is_some_and(|route| route.open.is_some()));
        })
    }

    /// Asks about a battle that is open.
    pub fn step(&self, battle: u64, question: u64, command: &str) -> Result<(), HostError> {
        self.ask(command, |state| {
            if let Some(route) = state.routes.get_mut(&battle) {
                state.due += usize::from(route.open.is_none());
                route.open = Some(question);
            }
        })
    }

    /// Forgets a battle.
    pub fn close(&self, battle: u64) {
        let mut state = lock(&self.state);
        if state.failed.is_some() {
            return;
        }
        if let Some(route) = state.routes.remove(&battle) {
            // An answer that still comes is heard, and counts then.
            drop(route);
            drop(state);
            self.send(&json!({"do": "drop", "battle": battle}).to_string());
        }
    }

    /// Lets the simulator judge a team.
    pub fn validate(&self, format: &str, team: &str) -> Result<Receiver<Verdict>, HostError> {
        let (sender, verdict) = channel();
        let mut state = lock(&self.state);
        if let Some(error) = &state.failed {
            return Err(error.clone());
        }
        state.questions += 1;
        let question = state.questions;
        state.verdicts.insert(question, sender);
        if state.due == 0 {
            *lock(&self.heard) = Instant::now();
        }
        state.due += 1;
        drop(state);
        let command =
            json!({"do": "validate", "question": question, "format": format, "team": team});
        self.send(&command.to_string());
        Ok(verdict)
    }

    fn ask(&self, command: &str, note: impl FnOnce(&mut State)) -> Result<(), HostError> {
        let mut state = lock(&self.state);
        if let Some(error) = &state.failed {
            return Err(error.clone());
        }
        if state.due == 0 {
            *lock(&self.heard) = Instant::now();
        }
        note(&mut state);
        drop(state);
        self.send(command);
        Ok(())
    }

    /// Commands that nobody reads any more are lost with the process, and whoever waits is told then.
    fn send(&self, command: &str) {
        let _ = self.commands.send(format!("{command}\n"));
    }

    /// Reads answers until there are no more.
    fn listen(&self, stdout: impl Read) {
        let mut lines = BufReader::with_capacity(1 << 16, stdout);
        let mut line = Vec::new();
        let error = loop {
            line.clear();
            match lines.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line) {
                Ok(0) => break self.ended(),
                Err(error) => break HostError::Failed(format!("{}: {error}", self.name)),
                Ok(LONGEST_LINE) => {
                    let most = LONGEST_LINE >> 20;
                    let name = &self.name;
                    break HostError::Failed(format!(
                        "{name} answered more than {most} MB at once"
                    ));
                }
                Ok(_) if line.last() != Some(&b'\n') => break self.ended(),
                Ok(_) => {}
            }
            *lock(&self.heard) = Instant::now();
            if let Err(error) = self.take(&line) {
                break error;
            }
        };
        self.fail(error);
    }

    /// Hands an answer to whoever waits for it.
    fn take(&self, line: &[u8]) -> Result<(), HostError> {
        let nonsense = || {
            let shown: String = String::from_utf8_lossy(line).chars().take(200).collect();
            HostError::Failed(format!("{} answered nonsense: {}", self.name, shown.trim_end()))
        };
        let answer: Line = serde_json::from_slice(line).map_err(|_| nonsense())?;
        if let Some(found) = answer.version {
            return self.greet(found);
        }
        let question = answer.question.ok_or_else(nonsense)?;
        if let Some(problems) = answer.problems {
            let mut state = lock(&self.state);
            let waiting = state.verdicts.remove(&question).ok_or_else(nonsense)?;
            state.due = state.due.saturating_sub(1);
            drop(state);
            // Whoever asked may have gone.
            let _ = waiting.send(Verdict { problems, team: answer.team });
            return Ok(());
        }
        let Some(battle) = answer.battle else {
            // A team that the validator itself stumbled over.
            let broken = answer.broken.ok_or_else(nonsense)?;
            let mut state = lock(&self.state);
            let waiting = state.verdicts.remove(&question).ok_or_else(nonsense)?;
            state.due = state.due.saturating_sub(1);
            let _ = waiting.send(Verdict { problems: vec![broken], team: None });
            return Ok(());
        };
        let reply = match answer.broken.clone() {
            Some(error) => Reply::Lost(format!("the simulator failed: {error}")),
            None => Reply::Told(Box::new(answer.told().ok_or_else(nonsense)?)),
        };
        let mut state = lock(&self.state);
        let is_lost = matches!(reply, Reply::Lost(_));
        match state.routes.get_mut(&battle) {
            Some(route) if route.open == Some(question) => {
                route.open = None;
                let (post, key) = (route.post.clone(), route.key);
                state.due = state.due.saturating_sub(1);
                if is_lost {
                    state.routes.remove(&battle);
                }
                drop(state);
                let _ = post.send(Post { key, question, reply });
            }
            // Late: it was abandoned, started anew or closed.
            Some(_) => {}
            None => state.due = state.due.saturating_sub(1),
        }
        Ok(())
    }

    fn greet(&self, found: String) -> Result<(), HostError> {
        if found != self.engine.version {
            return Err(HostError::Version {
                package: self.engine.package.display().to_string(),
                found,
                wanted: self.engine.version.clone(),
            });
        }
        let mut state = lock(&self.state);
        state.ready = true;
        state.due = state.due.saturating_sub(1);
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// How it ended, with what it complained of last.
    fn ended(&self) -> HostError {
        // It closes its streams a moment before it has gone, and one that only closed them may not hold the
        // lock of whoever wants to kill it.
        let mut how = "it closed its output".to_owned();
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(10));
            match lock(&self.child).try_wait() {
                Ok(Some(status)) => {
                    how = status.to_string();
                    break;
                }
                Ok(None) => {}
                Err(error) => {
                    how = error.to_string();
                    break;
                }
            }
        }
        let words = lock(&self.last_words).trim().to_owned();
        let words = if words.is_empty() { String::new() } else { format!("; it said: {words}") };
        HostError::Failed(format!("{} died: {how}{words}", self.name))
    }

    /// Gives it up: whoever waits is told.
    fn fail(&self, error: HostError) {
        let mut state = lock(&self.state);
        if state.failed.is_some() {
            return;
        }
        state.failed = Some(error.clone());
        let routes = std::mem::take(&mut state.routes);
        state.verdicts.clear();
        state.due = 0;
        drop(state);
        self.kill();
        for route in routes.into_values() {
            if let Some(question) = route.open {
                let reply = Reply::Lost(error.to_string());
                let _ = route.post.send(Post { key: route.key, question, reply });
            }
        }
        self.changed.notify_all();
    }

    /// Ends the process, and waits until it has gone.
    fn kill(&self) {
        let mut child = lock(&self.child);
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Ends the process because nobody needs it any more.
    pub fn shut(&self) {
        self.fail(HostError::Failed(format!("{} was shut", self.name)));
    }

    /// The number by which the system knows it.
    pub fn pid(&self) -> u32 {
        lock(&self.child).id()
    }
}

/// Writes commands as they come, all that there are at once.
fn write(mut stdin: ChildStdin, inbox: &Receiver<String>) {
    while let Ok(mut text) = inbox.recv() {
        inbox.try_iter().for_each(|more| text.push_str(&more));
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return; // it has ended, and the thread that listens tells
        }
    }
}

/// Keeps the last of what is written there.
fn keep_last(mut from: impl Read, words: &Mutex<String>) {
    let mut chunk = [0; 1024];
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        let mut words = lock(words);
        words.push_str(&String::from_utf8_lossy(&chunk[..read]));
        if words.len() > LAST_WORDS {
            let mut cut = words.len() - LAST_WORDS;
            while !words.is_char_boundary(cut) {
                cut += 1;
            }
            words.drain(..cut);
        }
    }
}
