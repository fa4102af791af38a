//! Matches on servers, as the contract has them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use lanista_game::{Answer, Batch, Buffers, Control, End, Fault, Spec, seed};
use rand::RngExt;

use super::agent::{Agent, Answered, Question, Trouble};
use super::lobby::Lobby;
use super::table::{Awaited, Due, Open, Table};
use crate::bots;
use crate::game::BOTS;
use crate::observe::Observation;
use crate::settings::Settings;
use crate::sim::Action;
use crate::wire::{Reset, ResetParams, Seeded};

/// A beginning that takes longer than this is waited for while the other matches go on: on the original's
/// server it takes ticks, and those come only when all agents step.
const STALL: Duration = Duration::from_millis(25);
/// Answers of one tick come within this of each other.
const TOGETHER: Duration = Duration::from_millis(3);
/// An answer that takes longer than this, while others of the batch have theirs, lags a tick behind them.
const LAGS: Duration = Duration::from_millis(100);
/// An answer that takes longer than this may wait for agents of ours that nobody asks anything of.
const BLOCKED: Duration = Duration::from_secs(2);

/// A fight that has not begun after so long will not.
const START_PATIENCE: Duration = Duration::from_secs(120);

/// Matches on servers.
pub struct Remote {
    spec: Arc<Spec>,
    settings: Settings,
    lobby: Arc<Lobby>,
    addresses: Vec<String>,
    tables: Vec<Table>,
    to: Sender<Answered>,
    answered: Receiver<Answered>,
    questions: u64,
    /// When a match has gone on, since those that begin were last passed over.
    moved: Option<Instant>,
}

impl Remote {
    pub fn new(spec: Arc<Spec>, settings: Settings, lobby: Arc<Lobby>, matches: usize) -> Self {
        let addresses = settings.remote.as_ref().map_or(Vec::new(), |r| r.addresses().to_vec());
        let (to, answered) = channel();
        let tables = (0..matches).map(|_| Table::default()).collect();
        let (questions, moved) = (0, None);
        Self { spec, settings, lobby, addresses, tables, to, answered, questions, moved }
    }

    fn ask(&mut self, m: usize, awaited: Awaited) -> u64 {
        self.questions += 1;
        let (number, since) = (self.questions, Instant::now());
        self.tables[m].open = Some(Open { number, awaited, since, asked: true });
        number
    }

    /// Gives up on the agents of a match. They are told at once and waited for together.
    fn dismiss(&mut self, m: usize) {
        let table = &mut self.tables[m];
        table.open = None;
        table.answers = [None, None];
        let mut agents: Vec<Agent> = table.agents.iter_mut().filter_map(Option::take).collect();
        agents.iter_mut().for_each(Agent::dismiss);
    }

    /// The agents that a match with these seats needs: those it has, or fresh ones.
    fn seat(&mut self, m: usize, seats: &[Control]) -> std::io::Result<()> {
        let table = &mut self.tables[m];
        table.seats = [seats.first().copied(), seats.get(1).copied()];
        let needs = [0, 1].map(|seat| !table.is_scripted(seat));
        let has = [0, 1].map(|seat| table.agents[seat].is_some());
        // A fight that was left in the middle, or agents of another fight: names are not used again.
        if has == needs && !table.is_evicted() && table.open.is_none() {
            return Ok(());
        }
        self.dismiss(m);
        let server = self.lobby.server(&self.addresses);
        for seat in (0..2).filter(|&seat| needs[seat]) {
            let agent = Agent::new(&server, self.to.clone())?;
            self.lobby.enter(agent.shared());
            self.tables[m].agents[seat] = Some(agent);
        }
        Ok(())
    }

    /// The parameters of a fight: the draws are those that the simulator makes from the same seed.
    fn reset(&self, seat: usize, target: String, match_seed: u64) -> Reset {
        let settings = &self.settings;
        let mut rng = seed::rng(match_seed);
        let build = settings.builds[rng.random_range(0..settings.builds.len())];
        let seeded = Seeded {
            seed: match_seed,
            builds: settings.builds.clone(),
            side: seat as u8,
            beside: settings.start_beside,
        };
        let switches = settings.switches();
        Reset {
            training: true,
            maintain_target_environment: true,
            death_match: settings.death_match,
            reset_params: ResetParams {
                account_build: build,
                only_switch_prayer_when_about_to_attack: switches.prayer_when_attackable,
                only_switch_gear_when_attack_soon: switches.attack_when_ready,
                allow_smite: switches.smite,
                allow_redemption: switches.redemption,
                allow_moving_if_can_attack: switches.move_when_ready,
                randomize_gear: settings.randomize_gear,
                randomize_fight_type: settings.randomize_fight_type,
                episode_id: format!("lanista-{match_seed:016x}"),
                target: target.clone(),
                lanista: Some(seeded),
                ..ResetParams::default()
            },
            target,
        }
    }

    fn take(
        &mut self,
        (question, answer): Answered,
        buffers: &mut Buffers,
    ) -> Result<Option<Answer>, Fault> {
        let Question { table: m, seat, number } = question;
        let Some(open) = self.tables[m].open.filter(|open| open.number == number) else {
            return Ok(None);
        };
        match answer {
            Err(Trouble::Nobody(message)) => Err(Fault { match_index: m, message }),
            Err(Trouble::Lost(why)) => Ok(self.lose(m, open, why)),
            Ok(reply) => {
                self.tables[m].answers[seat] = Some(reply);
                if !self.tables[m].is_answered() {
                    return Ok(None);
                }
                self.moved = Some(Instant::now());
                if open.awaited == Awaited::Step && !open.asked {
                    // The driver was told that nobody acts: it is answered when it asks again.
                    return Ok(None);
                }
                Ok(match open.awaited {
                    Awaited::Start => self.begin(m, open, buffers),
                    Awaited::Step => self.step(m, open, buffers),
                    Awaited::End => self.end(m, open, buffers),
                    Awaited::Idle if open.asked => self.step(m, open, buffers),
                    Awaited::Idle => {
                        // The driver has not chosen yet: it sees the fight as it stands now.
                        let table = &mut self.tables[m];
                        table.open = None;
                        table.take_over();
                        table.show(m, buffers);
                        None
                    }
                })
            }
        }
    }

    fn lose(&mut self, m: usize, open: Open, why: String) -> Option<Answer> {
        self.dismiss(m);
        if open.asked {
            return Some(Answer::Lost(m, why));
        }
        self.tables[m].due = Some(Due::Lost(why));
        None
    }

    fn begin(&mut self, m: usize, open: Open, buffers: &mut Buffers) -> Option<Answer> {
        let table = &mut self.tables[m];
        table.open = None;
        table.fresh = true;
        table.take_over();
        if !open.asked {
            // The driver was told that nobody acts yet. Nobody does in the first tick: were it not played, all
            // others would wait for it.
            return None;
        }
        buffers.outcome(m);
        table.show(m, buffers);
        Some(Answer::Ready(m))
    }

    fn step(&mut self, m: usize, open: Open, buffers: &mut Buffers) -> Option<Answer> {
        if self.tables[m].answers.iter().flatten().any(|reply| reply.terminal.is_some()) {
            return self.end(m, open, buffers);
        }
        if self.tables[m].looks_over(&self.settings) {
            let lockstep = self.agents(m).any(|(_, agent)| agent.shared().server.is_lockstep());
            if lockstep {
                // How it ended would be told in the next tick, which is not played before all others step.
                let table = &mut self.tables[m];
                let ended = table.fallen(&self.settings);
                table.open = None;
                table.settle(m, ended, buffers);
                table.finish(m, End::Terminated, ended, buffers);
                table.show(m, buffers);
                return Some(Answer::Ready(m));
            }
            // How it ended is told a tick later, whatever is done in it.
            let number = self.ask(m, Awaited::End);
            let table = &mut self.tables[m];
            table.fatal = std::mem::take(&mut table.answers);
            for (seat, agent) in self.agents(m) {
                agent.step(Question { table: m, seat, number }, [0; 12]);
            }
            return None;
        }
        let table = &mut self.tables[m];
        table.open = None;
        table.settle(m, [None; 2], buffers);
        if table.ticks >= self.settings.max_ticks {
            table.finish(m, End::Truncated, [None; 2], buffers);
        }
        table.show(m, buffers);
        Some(Answer::Ready(m))
    }

    fn end(&mut self, m: usize, open: Open, buffers: &mut Buffers) -> Option<Answer> {
        let table = &mut self.tables[m];
        let last = std::mem::take(&mut table.answers);
        let word = last.iter().flatten().find_map(|reply| reply.terminal.clone());
        let fatal = table.fatal.iter().any(Option::is_some);
        let ended = table.ended(&last, &self.settings);
        if ended.iter().all(Option::is_none) && word.is_some() {
            let why = word.unwrap_or_default();
            return self.lose(m, open, format!("the server ended the fight: {why}"));
        }
        table.open = None;
        // The tick in which it ended counts, with what was seen at its end; that is told afterwards.
        table.answers = if fatal { std::mem::take(&mut table.fatal) } else { last.clone() };
        table.settle(m, ended, buffers);
        if fatal && word.is_some() {
            for (told, last) in table.told.iter_mut().zip(last) {
                if let (Some(told), Some(last)) = (told, last) {
                    told.observation = last.observation;
                }
            }
        } else if word.is_none() {
            // It went on after all.
            table.answers = last;
            table.take_over();
        }
        if word.is_some() {
            table.finish(m, End::Terminated, ended, buffers);
        }
        table.show(m, buffers);
        Some(Answer::Ready(m))
    }

    /// Nothing has been answered for a moment, and the servers of some matches play ticks for all agents at
    /// once: those that begin are passed over, and agents that stand about are logged out.
    fn stalled(&mut self, buffers: &mut Buffers, answers: &mut Vec<Answer>) {
        self.keep_fresh_going();
        for m in 0..self.tables.len() {
            let Some(open) = self.tables[m].open else { continue };
            let Some(agent) = self.tables[m].agents.iter().flatten().next() else { continue };
            let server = Arc::clone(&agent.shared().server);
            let waited = open.since.elapsed();
            if !server.is_lockstep() || waited < STALL {
                continue;
            }
            if waited >= BLOCKED {
                self.lobby.evict(&server, BLOCKED);
            }
            if open.awaited == Awaited::Start {
                self.keep_step(m, open.number);
            }
            if open.awaited == Awaited::Start && waited >= START_PATIENCE {
                let why = format!("{} has begun no fight for {waited:.0?}", server.address);
                answers.extend(self.lose(m, open, why));
            } else if open.asked && open.awaited == Awaited::Start {
                self.pass_over(m, buffers, answers);
            } else if open.asked && open.awaited == Awaited::Step && waited >= LAGS {
                self.pass_over_laggard(m, buffers, answers);
            }
        }
    }

    /// An agent whose request came too late for a tick is answered with the next one, which is not played before
    /// all others step, and those wait for the driver, who waits for this one. So nobody acts in it for a step.
    fn pass_over_laggard(&mut self, m: usize, buffers: &mut Buffers, answers: &mut Vec<Answer>) {
        let has_others = self.tables.iter().enumerate().any(|(other, table)| {
            other != m && table.open.is_none() && table.agents.iter().any(Option::is_some)
        });
        let table = &mut self.tables[m];
        if let Some(open) = table.open.as_mut().filter(|_| has_others) {
            open.asked = false;
            buffers.outcome(m);
            table.show(m, buffers);
            let mut view = buffers.view(m);
            (0..2).for_each(|seat| view.seat(seat).wait());
            answers.push(Answer::Ready(m));
        }
    }

    /// Answers steps that were passed over, and that the server has answered since.
    fn catch_up(&mut self, buffers: &mut Buffers, answers: &mut Vec<Answer>) {
        for m in 0..self.tables.len() {
            let table = &self.tables[m];
            let late = table.open.filter(|open| open.asked && open.awaited == Awaited::Step);
            if let Some(open) = late.filter(|_| table.is_answered()) {
                answers.extend(self.step(m, open, buffers));
            }
        }
    }

    /// A fight that began while the driver waits for others is not stepped before those are answered, and those
    /// are not answered before it steps. So it does, with nothing, until the driver has a say.
    fn keep_fresh_going(&mut self) {
        let waits = |table: &Table| {
            table.open.is_some_and(|open| open.asked && open.since.elapsed() >= STALL)
        };
        if !self.tables.iter().any(waits) {
            return;
        }
        for m in 0..self.tables.len() {
            let table = &self.tables[m];
            let lockstep = self.agents(m).any(|(_, agent)| agent.shared().server.is_lockstep());
            if !table.fresh || table.open.is_some() || !lockstep || table.is_evicted() {
                continue;
            }
            let number = self.ask(m, Awaited::Idle);
            if let Some(open) = self.tables[m].open.as_mut() {
                open.asked = false;
            }
            for (seat, agent) in self.agents(m) {
                agent.step(Question { table: m, seat, number }, [0; 12]);
            }
        }
    }

    /// Of two agents, the original may let one begin a tick before the other, and plays that tick only when the
    /// first has stepped.
    fn keep_step(&mut self, m: usize, number: u64) {
        for seat in 0..2 {
            let table = &mut self.tables[m];
            if let (Some(agent), Some(_), None) =
                (&table.agents[seat], &table.answers[seat], &table.answers[1 - seat])
                && table.agents[1 - seat].is_some()
            {
                agent.step(Question { table: m, seat, number }, [0; 12]);
                table.answers[seat] = None;
            }
        }
    }

    /// Answers for a match that has not begun: nobody acts in it yet.
    fn pass_over(&mut self, m: usize, buffers: &mut Buffers, answers: &mut Vec<Answer>) {
        let table = &mut self.tables[m];
        if let Some(open) = table.open.as_mut() {
            (open.asked, table.passed_over) = (false, true);
            buffers.outcome(m);
            Table::show_waiting(m, buffers);
            answers.push(Answer::Ready(m));
        }
    }

    /// Where nothing is awaited but beginnings that were passed over before, and other matches have gone on,
    /// a tick has been played: they are passed over again.
    fn pass_over_again(&mut self, buffers: &mut Buffers, answers: &mut Vec<Answer>) {
        let asked = |table: &Table| table.open.filter(|open| open.asked);
        if !self.only_begins() || self.moved.is_none_or(|then| then.elapsed() < TOGETHER) {
            return;
        }
        self.moved = None;
        for m in 0..self.tables.len() {
            if asked(&self.tables[m]).is_some() {
                self.pass_over(m, buffers, answers);
            }
        }
    }

    /// Is nothing awaited but beginnings that were passed over before?
    fn only_begins(&self) -> bool {
        self.tables.iter().all(|table| {
            let asked = table.open.filter(|open| open.asked);
            asked.is_none_or(|open| open.awaited == Awaited::Start && table.passed_over)
        })
    }

    /// Answers what need not be waited for.
    fn pay(&mut self, buffers: &mut Buffers, answers: &mut Vec<Answer>) {
        for (m, table) in self.tables.iter_mut().enumerate() {
            if !std::mem::take(&mut table.asked_due) {
                continue;
            }
            match table.due.take() {
                None => {}
                Some(Due::Lost(why)) => answers.push(Answer::Lost(m, why)),
                Some(Due::Cut) => {
                    buffers.outcome(m);
                    table.finish(m, End::Truncated, [None; 2], buffers);
                    table.show(m, buffers);
                    answers.push(Answer::Ready(m));
                }
            }
        }
    }

    fn nobody_answered(&mut self, secs: f64, answers: &mut Vec<Answer>) {
        for m in 0..self.tables.len() {
            let Some(open) = self.tables[m].open else { continue };
            let why = format!("no answer from {} within {secs} seconds", self.addresses.join(", "));
            answers.extend(self.lose(m, open, why));
        }
    }

    fn agents(&self, m: usize) -> impl Iterator<Item = (usize, &Agent)> {
        let agents = self.tables[m].agents.iter().enumerate();
        agents.filter_map(|(seat, agent)| agent.as_ref().map(|agent| (seat, agent)))
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // All at once, so that they log out side by side.
        for agent in self.tables.iter_mut().flat_map(|table| table.agents.iter_mut().flatten()) {
            agent.dismiss();
        }
    }
}

impl Batch for Remote {
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
        let fault = |message: String| Fault { match_index: m, message };
        self.seat(m, seats).map_err(|error| {
            fault(format!(
                "cannot start a thread for an agent: {error}; are there too many matches?"
            ))
        })?;
        let names: Vec<(usize, String)> =
            self.agents(m).map(|(seat, agent)| (seat, agent.shared().name.clone())).collect();
        if names.is_empty() {
            return Err(fault("the server plays its script against agents alone".into()));
        }
        let number = self.ask(m, Awaited::Start);
        let table = &mut self.tables[m];
        (table.seed, table.ticks) = (match_seed, 0);
        (table.told, table.fatal, table.sums) = Default::default();
        (table.due, table.asked_due, table.passed_over) = Default::default();
        table.fresh = false;
        table.delays = Default::default();
        for (seat, _) in &names {
            let other = names.iter().find(|(other, _)| other != seat);
            let target = other.map_or("baseline", |(_, name)| name.as_str()).to_owned();
            let reset = self.reset(*seat, target, match_seed);
            if let Some(agent) = &self.tables[m].agents[*seat] {
                agent.fight(Question { table: m, seat: *seat, number }, reset);
            }
        }
        Ok(())
    }

    fn submit(&mut self, which: &[usize], actions: &[u32], _: &mut Buffers) -> Result<(), Fault> {
        let width = actions.len() / self.tables.len().max(1);
        for &m in which {
            let table = &mut self.tables[m];
            table.fresh = false;
            if let Some(open) = table.open.as_mut() {
                open.asked = true;
                continue;
            }
            if table.due.is_none() && table.is_evicted() {
                self.dismiss(m);
                self.tables[m].due = Some(Due::Cut);
            }
            if self.tables[m].due.is_some() {
                self.tables[m].asked_due = true;
                continue;
            }
            let number = self.ask(m, Awaited::Step);
            let chosen = &actions[m * width..(m + 1) * width];
            let latency = self.settings.latency();
            let table = &mut self.tables[m];
            let done: [Action; 2] = std::array::from_fn(|seat| {
                let mut action = [0; 12];
                if table.chooses(seat) {
                    for (place, &choice) in action.iter_mut().zip(&chosen[seat * width / 2..]) {
                        *place = choice as u8;
                    }
                }
                if table.seats[seat] == Some(Control::Outside) {
                    let when = (table.seed, table.ticks, seat);
                    action = table.delays[seat].pass(latency, when, action);
                }
                action
            });
            for (seat, agent) in self.agents(m) {
                agent.step(Question { table: m, seat, number }, done[seat]);
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
        let deadline = Instant::now() + patience;
        self.pay(buffers, answers);
        loop {
            while let Ok(answered) = self.answered.try_recv() {
                answers.extend(self.take(answered, buffers)?);
            }
            self.pay(buffers, answers);
            self.catch_up(buffers, answers);
            self.pass_over_again(buffers, answers);
            let waits = |table: &Table| table.open.is_some_and(|open| open.asked);
            if !answers.is_empty() || !self.tables.iter().any(waits) {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.nobody_answered(patience.as_secs_f64(), answers);
                return Ok(());
            }
            let soon = self.moved.is_some() && self.only_begins();
            match self.answered.recv_timeout(left.min(if soon { TOGETHER } else { STALL })) {
                Ok(answered) => answers.extend(self.take(answered, buffers)?),
                Err(_) => self.stalled(buffers, answers),
            }
        }
    }

    fn abandon(&mut self, m: usize) {
        self.dismiss(m);
    }

    fn scripted(
        &mut self,
        m: usize,
        bot: usize,
        seat: usize,
        action: &mut [u32],
    ) -> Result<(), Fault> {
        let table = &self.tables[m];
        let Some(reply) = &table.told[seat] else { return Ok(()) };
        let Ok(seen) = <&Observation>::try_from(reply.observation.as_slice()) else {
            return Ok(());
        };
        let name = BOTS.get(bot).copied().unwrap_or_default();
        let chosen = bots::choose(name, table.seed, table.ticks, seat, seen, &reply.mask);
        for (place, choice) in action.iter_mut().zip(chosen) {
            *place = u32::from(choice);
        }
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("fights are played on {}", self.addresses.join(", "))]
    }

    fn replays(&self) -> bool {
        false
    }
}
