//! A small game that keeps every rule, and breaks any one of them on demand.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lanista_game::{
    Answer, Batch, Bot, Buffers, Condition, Control, End, Entry, Fault, Feature, Game, Group, Head,
    Maker, Matches, NoSettings, Outcome, Pair, Requirement, Role, Seat, SettingsError, Spec, Stat,
    Term, TermKind, View, parse_settings, seed,
};
use serde_json::Value;

/// The one thing that is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Defect {
    Nothing,
    /// Time passes between two matches.
    Clock,
    Remembers,
    SharesDice,
    IllegalBot,
    BotsCountQuestions,
    BotsRememberWhenAsked,
    NothingLegal,
    NanSeen,
    Unwritten,
    UnwrittenAtTheEnd,
    EndlessReward,
    IdTooLarge,
    IdNotWhole,
    HalfPresent,
    AbsentButSeen,
    InsideActs,
    EmptyActs,
    EmptyEarns,
    HeedsWhoWaits,
    ScoresEarly,
    NoStats,
    OtherSpec,
    UnsoundSpec,
    OpenSettings,
    PoorPicture,
    /// Shows something else whenever it is asked.
    FicklePicture,
    Panics,
    Allocates,
    NeverEnds,
    /// Answers late, and well.
    Late,
    /// Answers late, until it does not.
    Loses,
}

/// Runs on from match to match.
static CLOCK: AtomicU32 = AtomicU32::new(0);

/// A player that its game asks, and one that its game drives.
pub const ASKED: usize = 0;
pub const INSIDE: usize = 1;

/// Two seats play, a third stays empty. The first acts at every step, the second at every other one.
pub struct Toy {
    spec: Spec,
    defect: Defect,
    shared: Arc<AtomicU32>,
    seats: [Control; 3],
    seed: u64,
    step: u32,
    length: u32,
    /// What has been played so far, in one number.
    sum: u32,
    /// Of the asked player of each seat: it changes with every step that the player drives.
    memory: [Cell<u32>; 3],
    asked: [Cell<bool>; 3],
    leftover: u32,
}

fn describe(defect: Defect) -> Spec {
    let mut player = Role {
        observation: vec![
            Group::features([Feature::from("sum"), Feature::id("kind", "kinds", 4)]),
            Group::entities("thing", 2, ["size"]),
        ],
        privileged: vec!["memory".into()],
        heads: vec![Head::new("first", ["a", "b", "c"]), Head::new("second", ["u", "v"])],
        requires: vec![Requirement {
            head: 1,
            action: 1,
            condition: Condition::All,
            choices: vec![(0, 1)],
        }],
        pairs: vec![Pair { first: 0, second: 1 }],
        bots: vec!["asked".into(), Bot::inside("inner")],
        ..Role::default()
    };
    if defect == Defect::UnsoundSpec {
        player.heads.clear();
    }
    Spec {
        roles: vec![player],
        seats: vec![Seat::of(0), Seat::of(1), Seat { empty: true, ..Seat::of(1) }],
        terms: vec![Term::new(TermKind::Event, "gain", "what the step brought")],
        stats: vec!["length".into(), Stat::team("sum")],
        ..Spec::default()
    }
}

impl Toy {
    fn has(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    fn acts(&self, seat: usize) -> bool {
        let turn = seat == 0 || self.step.is_multiple_of(2);
        match self.seats[seat] {
            Control::Nobody => self.has(Defect::EmptyActs),
            Control::Bot(INSIDE) => turn && self.has(Defect::InsideActs),
            _ => turn,
        }
    }

    fn choice(&self, seat: usize) -> [u32; 2] {
        let first = (self.memory[seat].get() + self.step) % 3;
        let second = u32::from(first == 1);
        if self.has(Defect::IllegalBot) { [first, 1 - second] } else { [first, second] }
    }
}

impl Game for Toy {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, seats: &[Control]) {
        self.seats.copy_from_slice(seats);
        self.seed = seed;
        (self.step, self.length) = (0, 6 + (seed % 3) as u32);
        self.sum = (seed % 7) as u32;
        self.memory.iter().for_each(|memory| memory.set(0));
        self.shared.store(0, Ordering::Relaxed);
        if self.has(Defect::Remembers) {
            self.sum += self.leftover;
        }
        if self.has(Defect::Clock) {
            self.sum += CLOCK.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn observe(&self, view: &mut View) {
        for seat in 0..3 {
            let (acts, memory) = (self.acts(seat), self.memory[seat].get());
            let over = self.step == self.length;
            let mut seat = view.seat(seat);
            *seat.acting = acts && !over;
            if !acts && (!over || self.has(Defect::UnwrittenAtTheEnd)) {
                continue;
            }
            let present = self.step.is_multiple_of(3);
            seat.observation.copy_from_slice(&[
                (self.sum % 100) as f32,
                (self.sum % 4) as f32,
                1.0,
                self.sum as f32,
                f32::from(u8::from(present)),
                f32::from(u8::from(present)) * 3.0,
            ]);
            seat.privileged[0] = memory as f32;
            seat.forbid(0, (self.sum % 3) as usize);
            if self.sum.is_multiple_of(5) {
                seat.forbid_pair(0, 1, 1);
            }
            match self.defect {
                Defect::SharesDice => {
                    seat.observation[0] += self.shared.load(Ordering::Relaxed) as f32;
                }
                Defect::NothingLegal if self.step == 3 => seat.mask.fill(false),
                Defect::NanSeen => seat.observation[0] = f32::NAN,
                Defect::Unwritten => seat.privileged[0] = f32::NAN,
                Defect::IdTooLarge => seat.observation[1] = 4.0,
                Defect::IdNotWhole => seat.observation[1] = 0.5,
                Defect::HalfPresent => seat.observation[4] = 0.5,
                Defect::AbsentButSeen => seat.observation[5] = 1.0,
                _ => {}
            }
        }
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        assert!(!(self.has(Defect::Panics) && self.step == 2), "a wheel came off");
        if self.has(Defect::Allocates) && self.step == 1 {
            std::hint::black_box(vec![self.step]);
        }
        for seat in 0..3 {
            let asked = self.asked[seat].take() || !self.has(Defect::BotsRememberWhenAsked);
            if self.seats[seat] == Control::Bot(ASKED) && self.acts(seat) && asked {
                self.memory[seat].set(self.memory[seat].get() + 1);
            }
            if self.seats[seat] == Control::Bot(INSIDE) {
                self.sum += self.step;
            } else if self.acts(seat) || self.has(Defect::HeedsWhoWaits) {
                self.sum += actions[2 * seat] * 2 + actions[2 * seat + 1];
            }
            out.seat(seat)[0] = if seat < 2 { self.sum as f32 } else { 0.0 };
        }
        self.step += 1;
        self.leftover += 1;
        self.shared.fetch_add(1, Ordering::Relaxed);
        match self.defect {
            Defect::EndlessReward => out.seat(0)[0] = f32::INFINITY,
            Defect::EmptyEarns => out.seat(2)[0] = 1.0,
            Defect::ScoresEarly => out.score[0] = 1.0,
            _ => {}
        }
        if self.has(Defect::NeverEnds) {
            self.length = self.step + 2;
        }
        if self.step == self.length {
            *out.end = Some(End::Truncated);
            out.score[0] = 1.0;
            if self.defect != Defect::NoStats {
                out.stats.copy_from_slice(&[self.length as f32, self.sum as f32, 0.0]);
            }
        }
    }

    fn scripted(&self, _: usize, seat: usize, action: &mut [u32]) {
        let memory = &self.memory[seat];
        let choice = self.choice(seat);
        action.copy_from_slice(&choice);
        match self.defect {
            Defect::BotsCountQuestions => memory.set(memory.get() + 1),
            _ => self.asked[seat].set(true),
        }
        // Masks change from step to step, so a choice is moved to what is legal.
        if self.defect != Defect::IllegalBot {
            let banned = self.sum % 3;
            if action[0] == banned {
                action[0] = (banned + 1) % 3;
            }
            let paired = action[0] == 1 && !self.sum.is_multiple_of(5);
            action[1] = action[1].min(u32::from(paired));
        }
        if self.has(Defect::NothingLegal) && self.step == 3 {
            action.fill(0);
        }
    }

    fn frame(&self, out: &mut String) {
        out.clear();
        if self.has(Defect::FicklePicture) {
            static ASKED: AtomicU32 = AtomicU32::new(0);
            *out = format!("{{\"sum\":{}}}", ASKED.fetch_add(1, Ordering::Relaxed));
            return;
        }
        out.push_str(if self.has(Defect::PoorPicture) { "[1,\n2]" } else { "{\"sum\":1}" });
    }
}

struct Toys(Defect);

/// The toy with this defect.
pub fn toy(defect: Defect) -> Entry {
    Entry::new("toy", "a toy", vec![], Toys(defect))
}

impl Maker for Toys {
    fn spec(&self, settings: &Value) -> Result<Spec, SettingsError> {
        if self.0 != Defect::OpenSettings {
            parse_settings::<NoSettings>(settings)?;
        }
        Ok(Spec { name: "toy".into(), ..describe(self.0) })
    }

    fn build(&self, settings: &Value, count: usize) -> Result<Box<dyn Batch>, SettingsError> {
        let mut spec = self.spec(settings)?;
        if self.0 == Defect::OtherSpec {
            spec.stats.pop();
        }
        let shared = Arc::new(AtomicU32::new(0));
        let game = |_| Toy {
            spec: spec.clone(),
            defect: self.0,
            shared: shared.clone(),
            seats: [Control::Nobody; 3],
            seed: 0,
            step: 0,
            length: 0,
            sum: 0,
            memory: Default::default(),
            asked: Default::default(),
            leftover: 0,
        };
        let matches = Matches::new((0..count).map(game).collect());
        if !matches!(self.0, Defect::Late | Defect::Loses) {
            return Ok(Box::new(matches));
        }
        let (lossy, hidden) = (self.0 == Defect::Loses, Buffers::new(matches.spec(), count));
        Ok(Box::new(Slow { matches, hidden, waiting: VecDeque::new(), answered: 0, lossy }))
    }
}

/// A batch that answers one match at a time, the last one asked first.
struct Slow {
    matches: Matches<Toy>,
    hidden: Buffers,
    waiting: VecDeque<usize>,
    answered: usize,
    lossy: bool,
}

impl Batch for Slow {
    fn spec(&self) -> &Spec {
        self.matches.spec()
    }

    fn matches(&self) -> usize {
        self.matches.matches()
    }

    fn start(
        &mut self,
        m: usize,
        seed: u64,
        seats: &[Control],
        _: &mut Buffers,
    ) -> Result<(), Fault> {
        self.waiting.push_front(m);
        self.matches.start(m, seed::mix(seed, 0), seats, &mut self.hidden)
    }

    fn submit(&mut self, which: &[usize], actions: &[u32], _: &mut Buffers) -> Result<(), Fault> {
        which.iter().for_each(|&m| self.waiting.push_front(m));
        self.matches.submit(which, actions, &mut self.hidden)
    }

    fn waits(&self) -> bool {
        true
    }

    fn collect(
        &mut self,
        _: Duration,
        buffers: &mut Buffers,
        answers: &mut Vec<Answer>,
    ) -> Result<(), Fault> {
        let Some(m) = self.waiting.pop_front() else { return Ok(()) };
        self.answered += 1;
        if self.lossy && self.answered == 4 {
            answers.push(Answer::Lost(m, "the engine is gone".into()));
            return Ok(());
        }
        copy(&self.hidden, buffers, m);
        answers.push(Answer::Ready(m));
        Ok(())
    }

    fn scripted(
        &mut self,
        m: usize,
        bot: usize,
        seat: usize,
        action: &mut [u32],
    ) -> Result<(), Fault> {
        self.matches.scripted(m, bot, seat, action)
    }
}

/// Writes all that `from` has of match `m`.
fn copy(from: &Buffers, to: &mut Buffers, m: usize) {
    fn part<T: Copy>(from: &[T], to: &mut [T], m: usize, matches: usize) {
        let size = from.len() / matches;
        to[m * size..(m + 1) * size].copy_from_slice(&from[m * size..(m + 1) * size]);
    }
    let count = from.end.len();
    part(&from.observation, &mut to.observation, m, count);
    part(&from.privileged, &mut to.privileged, m, count);
    part(&from.mask, &mut to.mask, m, count);
    part(&from.forbidden, &mut to.forbidden, m, count);
    part(&from.acting, &mut to.acting, m, count);
    part(&from.terms, &mut to.terms, m, count);
    part(&from.end, &mut to.end, m, count);
    part(&from.score, &mut to.score, m, count);
    part(&from.stats, &mut to.stats, m, count);
}
