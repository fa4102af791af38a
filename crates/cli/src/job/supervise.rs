//! Looks after the trainer and the services until the trainer is done or somebody wants an end.
//!
//! One thread does it all, in turns: what is started dies with the thread that started it.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhow::bail;

use super::kept::{Change, Kept};
use super::needs::For;
use super::notices::Notices;
use super::process::{Ask, ending};
use super::restarts::{MOST_IN_A_ROW, Restarts};
use super::table::{Row, heads, lines};
use super::terminal::Terminal;
use super::trainer::{Screen, Trainer, Training};
use crate::signals::{LEFT_AT_ONCE, Signals, Wish};

/// How often everything is looked at.
const TURN: Duration = Duration::from_millis(50);
/// How long a trainer may take to save when a service that it needs is gone for good.
const GRACE: Duration = Duration::from_secs(10);

/// A job that runs.
pub struct Job {
    pub services: Vec<Kept>,
    pub trainer: Trainer,
    pub notices: Notices,
    pub signals: Signals,
    pub terminal: Terminal,
    pub restarts: Restarts,
}

/// How a job ended, unless it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The trainer is done: at its end, paused, or interrupted and saved.
    Done,
    /// Somebody could not wait: nothing was saved since the newest checkpoint.
    AtOnce,
}

impl Job {
    /// Starts the services, and waits for those that training needs. False if somebody wants an end.
    pub fn prepare(&mut self) -> anyhow::Result<bool> {
        // Viewers are not waited for any longer when their service has died once.
        let settled = |kept: &Kept| {
            let viewers = kept.service.whose == For::Viewers;
            kept.is_ready() || kept.is_given_up() || (viewers && kept.restarts() > 0)
        };
        while !self.services.iter().all(settled) {
            self.look_after_services()?;
            match self.signals.next() {
                Some(Wish::Sleep) => self.signals.sleep(),
                Some(_) => return Ok(false),
                None => std::thread::sleep(TURN),
            }
        }
        Ok(true)
    }

    /// The lines of the table for what runs.
    pub fn rows(&self) -> Vec<Row> {
        let row = |kept: &Kept| {
            let process = match kept.id() {
                Some(id) => id.to_string(),
                None if kept.is_given_up() => "given up".to_owned(),
                None => "starting".to_owned(),
            };
            let log = kept.log.display().to_string();
            [kept.service.name.clone(), kept.service.address.clone(), process, log]
        };
        std::iter::once(heads()).chain(self.services.iter().map(row)).collect()
    }

    /// Trains to the end.
    pub fn train(&mut self, mut rows: Vec<Row>, place: &str) -> anyhow::Result<Ended> {
        let mut training = self.trainer.start()?;
        let log = self.trainer.log().map_or("below".to_owned(), |log| log.display().to_string());
        rows.push(["trainer".into(), place.to_owned(), training.process.id().to_string(), log]);
        lines(&rows).iter().for_each(|line| self.notices.say(line));
        let mut wishes = 0;
        loop {
            if self.trainer.screen == Screen::Dashboard {
                self.notices.hold();
            }
            let status = self.until_it_ends(&mut training, &mut wishes)?;
            if self.trainer.screen == Screen::Dashboard && !status.success() {
                self.terminal.restore();
            }
            let steps = self.trainer.steps();
            let got_on = training.got_on(steps);
            training.finish();
            self.notices.release();
            if status.success() {
                return Ok(Ended::Done);
            }
            if wishes > 0 || status.code() == Some(LEFT_AT_ONCE) {
                self.notices.say(&format!("trainer: {}", ending(status)));
                return Ok(Ended::AtOnce);
            }
            let Some(wait) = self.restarts.died(got_on) else {
                bail!("{}", self.gave_up(status));
            };
            let from = match steps {
                Some(steps) => format!("it goes on from its checkpoint at {steps} steps"),
                None => "it begins again".to_owned(),
            };
            self.notices.say(&format!("trainer: {}; {from}", ending(status)));
            if !self.pause(wait)? {
                return Ok(Ended::AtOnce);
            }
            training = self.trainer.start()?;
            self.notices.say(&format!("trainer: runs again, process {}", training.process.id()));
        }
    }

    fn gave_up(&self, status: ExitStatus) -> String {
        let log = match self.trainer.log() {
            Some(log) => format!("its log is {}", log.display()),
            None => "what it said is above".to_owned(),
        };
        format!(
            "the trainer died {MOST_IN_A_ROW} times in a row without a new checkpoint and is given up: {}; {log}",
            ending(status)
        )
    }

    /// Looks after everything until the trainer has ended. An error of a service that training needs ends it, too.
    fn until_it_ends(
        &mut self,
        training: &mut Training,
        wishes: &mut u32,
    ) -> anyhow::Result<ExitStatus> {
        loop {
            if let Some(status) = training.process.ended()? {
                // A wish that came at the same time belongs to this end.
                *wishes +=
                    u32::from(matches!(self.signals.next(), Some(wish) if wish != Wish::Sleep));
                return Ok(status);
            }
            if let Some(wish) = self.signals.next() {
                self.grant(wish, training, wishes);
            }
            if let Err(error) = self.look_after_services() {
                // What was learnt is worth a moment, though what it plays on is gone.
                training.ask(Ask::Terminate);
                training.process.finish(GRACE);
                return Err(error);
            }
            std::thread::sleep(TURN);
        }
    }

    fn grant(&mut self, wish: Wish, training: &mut Training, wishes: &mut u32) {
        let shares_terminal = self.trainer.screen == Screen::Dashboard;
        if wish == Wish::Sleep {
            // With a dashboard, whoever sent this has sent it to the whole group.
            if !shares_terminal {
                training.ask(Ask::Sleep);
            }
            self.signals.sleep();
            if !shares_terminal {
                training.ask(Ask::WakeUp);
            }
            return;
        }
        *wishes += 1;
        // A terminal tells its whole group, of which a trainer with a dashboard is part: passed on, it would hear it
        // twice, and leave at once.
        let heard = match wish {
            Wish::Interrupt => shares_terminal && self.terminal.keys_are_signals(),
            Wish::HangUp => shares_terminal,
            Wish::Terminate | Wish::Sleep => false,
        };
        if !heard {
            training.ask(Ask::Interrupt);
        }
        if *wishes == 1 {
            self.notices.say("stopping: the trainer finishes its iteration and saves; Ctrl-C again leaves at once");
        } else {
            training.process.kill();
        }
    }

    /// Looks after the services for so long. False if somebody wants an end.
    fn pause(&mut self, wait: Duration) -> anyhow::Result<bool> {
        let until = Instant::now() + wait;
        while Instant::now() < until {
            match self.signals.next() {
                Some(Wish::Sleep) => self.signals.sleep(),
                Some(_) => return Ok(false),
                None => self.look_after_services()?,
            }
            std::thread::sleep(TURN);
        }
        Ok(true)
    }

    fn look_after_services(&mut self) -> anyhow::Result<()> {
        for kept in &mut self.services {
            match kept.turn() {
                None => {}
                Some(Change::Died(said) | Change::Back(said)) => self.notices.say(&said),
                Some(Change::GivenUp(said)) if kept.service.whose == For::Viewers => {
                    self.notices.say(&format!("warning: {said}\nTraining goes on without it."));
                }
                Some(Change::GivenUp(said)) => bail!("{said}"),
            }
        }
        Ok(())
    }

    /// The services that died too often, with their logs.
    pub fn given_up(&self) -> Vec<String> {
        let given_up = self.services.iter().filter(|kept| kept.is_given_up());
        given_up.map(|kept| format!("{} ({})", kept.service.name, kept.log.display())).collect()
    }

    /// Stops all services. Returns the names of those that ran until now.
    pub fn stop(&mut self) -> Vec<String> {
        self.notices.release();
        self.services.iter_mut().for_each(Kept::ask_to_stop);
        let stopped = self.services.iter_mut().filter_map(|kept| {
            let ran = kept.finish();
            ran.then(|| kept.service.name.clone())
        });
        stopped.collect()
    }
}
