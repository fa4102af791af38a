//! Many battles behind one door.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use lanista_game::{Answer, Batch, Buffers, Control, Fault, SettingsError, Spec, seed};
use serde::Serialize;

use super::spec;
use super::table::Table;
use super::teams::Teams;
use crate::dex;
use crate::format::Format;
use crate::host::{Engine, Opening, Patience, Pool, Post, Reply, Seed, Told};
use crate::install;
use crate::settings::Settings;

/// Sets the luck of a battle apart from the draw of its teams.
const LUCK: u64 = 0x6c75_636b;
/// Whoever waits for answers looks so often whether a process hangs.
const LOOK: Duration = Duration::from_millis(250);

/// What the players are called in logs.
pub const NAMES: [&str; 2] = ["Lanista 1", "Lanista 2"];

/// Battles on the simulator.
pub struct Battles {
    spec: Spec,
    settings: Settings,
    format: &'static Format,
    teams: Teams,
    /// Opened by the first battle: whoever only asks what the game is made of needs no simulator.
    pool: Option<Arc<Pool>>,
    tables: Vec<Table>,
    /// Battles of a process that has gone, which nobody was waiting for then.
    lost: Vec<(usize, String)>,
    questions: u64,
    post: Sender<Post>,
    replies: Receiver<Post>,
}

/// A choice that the simulator refused, as it is written to `settings.refusals`.
#[derive(Debug, Serialize)]
pub struct Refusal<'a> {
    /// Showdown's id of the format.
    pub format: &'a str,
    /// The seed of the match.
    pub seed: u64,
    /// The step of the match.
    pub step: u32,
    /// The turn of the battle.
    pub turn: u32,
    /// Whose choice it was: 0 is p1.
    pub side: usize,
    /// The choice in Showdown's words.
    pub choice: &'a str,
    /// Why it was refused, in Showdown's words.
    pub why: &'a str,
    /// Both teams, packed.
    pub teams: [&'a str; 2],
}

impl Battles {
    /// So many battles under these settings.
    pub fn new(settings: Settings, matches: usize) -> Result<Self, SettingsError> {
        let format = settings.format();
        let teams = Teams::of(&settings)?;
        let (post, replies) = channel();
        Ok(Self {
            spec: spec(&settings),
            format,
            teams,
            pool: None,
            tables: (0..matches).map(|_| Table::new(format)).collect(),
            lost: Vec::new(),
            questions: 0,
            post,
            replies,
            settings,
        })
    }

    /// The numbers by which the system knows the simulator's processes; none before the first battle.
    pub fn pids(&self) -> Vec<u32> {
        self.pool.as_ref().map_or_else(Vec::new, |pool| pool.pids())
    }

    /// The log of match `m` so far in Showdown's format, nothing hidden.
    pub fn log(&self, m: usize) -> &str {
        &self.tables[m].log
    }

    /// What the simulator was told in match `m`, from which it plays the battle again; nothing before its end.
    pub fn input(&self, m: usize) -> Option<&str> {
        self.tables[m].input.as_deref()
    }

    fn pool(&mut self) -> Result<Arc<Pool>, String> {
        if let Some(pool) = &self.pool {
            return Ok(Arc::clone(pool));
        }
        let install =
            install::locate(self.settings.showdown.as_deref()).map_err(|e| e.to_string())?;
        let engine = Engine {
            node: install.node,
            package: install.package,
            version: dex::version().to_owned(),
            formats: vec![self.format.id.to_owned()],
            patience: Patience::default(),
        };
        let pool = Pool::open(&engine, self.settings.processes()).map_err(|e| e.to_string())?;
        self.teams.check(&pool, self.format)?;
        self.pool = Some(Arc::clone(&pool));
        Ok(pool)
    }

    /// Takes a reply; nothing when nobody waits for it any more.
    fn take(&mut self, post: Post, buffers: &mut Buffers) -> Option<Answer> {
        let table = self.tables.get_mut(post.key)?;
        let (question, is_start) = table.open?;
        if question != post.question {
            return None;
        }
        table.open = None;
        match post.reply {
            Reply::Lost(why) => {
                table.battle = None;
                Some(Answer::Lost(post.key, why))
            }
            Reply::Told(told) => {
                self.hear(post.key, *told, is_start, buffers);
                Some(Answer::Ready(post.key))
            }
        }
    }

    fn hear(&mut self, m: usize, mut told: Told, is_start: bool, buffers: &mut Buffers) {
        let table = &mut self.tables[m];
        let (health, ended) = (told.health, told.end.take());
        let refused = table.hear(told, self.format.gimmick);
        if !is_start {
            table.step += 1;
            let limit = self.settings.limit_turns;
            if table.outcome(health, ended.as_ref(), limit, &mut buffers.outcome(m)) {
                table.battle = None;
                table.input = ended.map(|ended| ended.input);
            }
        }
        table.show(self.settings.actions, self.settings.view, &mut buffers.view(m));
        for refused in refused {
            let table = &self.tables[m];
            let refusal = Refusal {
                format: self.format.id,
                seed: table.seed,
                step: table.step,
                turn: table.turn,
                side: refused.side,
                choice: &refused.words,
                why: &refused.why,
                teams: table.teams.each_ref().map(String::as_str),
            };
            note(&self.settings, &refusal);
        }
    }
}

/// Adds a refusal to the file of the settings. That it cannot be written is no reason to stop a run.
fn note(settings: &Settings, refusal: &Refusal) {
    let Some(path) = &settings.refusals else { return };
    let file = OpenOptions::new().create(true).append(true).open(path);
    if let (Ok(mut file), Ok(mut line)) = (file, serde_json::to_string(refusal)) {
        line.push('\n');
        let _ = file.write_all(line.as_bytes());
    }
}

impl Batch for Battles {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn matches(&self) -> usize {
        self.tables.len()
    }

    fn start(
        &mut self,
        m: usize,
        match_seed: u64,
        seats: &[Control],
        _: &mut Buffers,
    ) -> Result<(), Fault> {
        let pool = self.pool().map_err(|message| Fault { match_index: m, message })?;
        self.questions += 1;
        let drawn = self.teams.draw(match_seed, seats, self.settings.mirror);
        let table = &mut self.tables[m];
        table.begin(self.format, match_seed, seats);
        table.open = Some((self.questions, true));
        table.teams = drawn.map(str::to_owned);
        let opening = Opening {
            format: self.format.id,
            seed: Seed::Number(seed::mix(match_seed, LUCK)),
            teams: drawn,
            names: NAMES,
            open_sheets: self.settings.open_sheets,
        };
        self.lost.retain(|(other, _)| *other != m);
        match pool.start(&opening, m, self.questions, &self.post) {
            Ok(battle) => table.battle = Some(battle),
            Err(error) => self.lost.push((m, error.to_string())),
        }
        Ok(())
    }

    fn submit(&mut self, which: &[usize], actions: &[u32], _: &mut Buffers) -> Result<(), Fault> {
        let width = actions.len() / self.tables.len().max(1);
        for &m in which {
            self.questions += 1;
            let table = &mut self.tables[m];
            let made = table.choices(
                &actions[m * width..(m + 1) * width],
                self.settings.actions,
                self.format.gimmick,
            );
            let Some(battle) = &table.battle else {
                let message = "the battle was not started".to_owned();
                return Err(Fault { match_index: m, message });
            };
            table.open = Some((self.questions, false));
            let [first, second] = &made;
            if let Err(error) = battle.choose(self.questions, [first.as_deref(), second.as_deref()])
            {
                self.lost.push((m, error.to_string()));
            }
        }
        Ok(())
    }

    fn waits(&self) -> bool {
        true
    }

    fn collect(
        &mut self,
        patience: Duration,
        buffers: &mut Buffers,
        answers: &mut Vec<Answer>,
    ) -> Result<(), Fault> {
        for (m, why) in self.lost.drain(..) {
            let table = &mut self.tables[m];
            (table.open, table.battle) = (None, None);
            answers.push(Answer::Lost(m, why));
        }
        let deadline = Instant::now() + patience;
        while answers.is_empty() && self.tables.iter().any(|table| table.open.is_some()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if let Ok(post) = self.replies.recv_timeout(left.min(LOOK)) {
                answers.extend(self.take(post, buffers));
            } else {
                self.pool.iter().for_each(|pool| pool.look());
                if left.is_zero() {
                    break;
                }
            }
        }
        while let Ok(post) = self.replies.try_recv() {
            answers.extend(self.take(post, buffers));
        }
        Ok(())
    }

    fn abandon(&mut self, m: usize) {
        let table = &mut self.tables[m];
        (table.open, table.battle) = (None, None);
        self.lost.retain(|(other, _)| *other != m);
    }

    fn scripted(
        &mut self,
        m: usize,
        bot: usize,
        seat: usize,
        action: &mut [u32],
    ) -> Result<(), Fault> {
        self.tables[m].scripted(bot, seat, self.settings.actions, action);
        Ok(())
    }

    fn frame(&self, m: usize, out: &mut String) {
        *out = self.tables[m].frame().to_string();
    }

    fn transcript(&self, m: usize) -> Option<String> {
        Some(self.tables[m].log.clone())
    }
}
