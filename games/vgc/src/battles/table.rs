//! One battle: what each side knows, what it is asked, and what it answers.

use lanista_game::{Control, End, Outcome, View, seed};

use super::score::Score;
use crate::bots::{self, BOTS};
use crate::choice::{self, Choice, PASS};
use crate::format::{Format, Gimmick};
use crate::host::{BattleRef, Ended, Told};
use crate::legal::Legal;
use crate::request::Request;
use crate::settings::Actions;
use crate::track::Tracker;
use crate::view;

/// Refusals of one request after which the simulator chooses itself.
const MOST_REFUSALS: usize = 12;
/// What lets the simulator choose.
const DEFAULT: &str = "default";
/// Sets the dice of scripted players apart from those of the battle.
const DICE: u64 = 0x626f_7473;

/// One match.
pub(super) struct Table {
    pub battle: Option<BattleRef>,
    pub seed: u64,
    pub teams: [String; 2],
    /// Steps so far.
    pub step: u32,
    /// The question that is open, and whether it is for a start.
    pub open: Option<(u64, bool)>,
    /// Choices that the simulator refused.
    pub refused: u32,
    pub turn: u32,
    /// The whole log so far, nothing hidden, and where what is new in it begins.
    pub log: String,
    pub fresh: usize,
    /// What the simulator was told, once it is over.
    pub input: Option<String>,
    seats: [Chair; 2],
    score: Score,
}

/// What one side knows and is asked.
struct Chair {
    tracker: Tracker,
    /// What is asked, and what may be answered.
    asked: Option<(Request, Legal)>,
    /// Must it answer now? Not while it waits, nor once its answer was taken.
    is_due: bool,
    /// Nobody drives it: the simulator chooses for it.
    is_empty: bool,
    /// What it answered last, and how often that was refused.
    last: Option<Choice>,
    refusals: Vec<(usize, usize)>,
}

/// A choice that the simulator refused.
pub(super) struct Refused {
    pub side: usize,
    pub words: String,
    pub why: String,
}

impl Chair {
    fn new(format: &'static Format, side: usize) -> Self {
        Self {
            tracker: Tracker::new(format, side),
            asked: None,
            is_due: false,
            is_empty: false,
            last: None,
            refusals: Vec::new(),
        }
    }

    /// Must it send somebody in for one who is gone?
    fn replaces(&self) -> bool {
        let asked = self.asked.as_ref().filter(|_| self.is_due);
        asked.is_some_and(|(request, _)| request.force_switch.contains(&true))
    }

    /// What it answered last, in Showdown's words.
    fn words(&self, gimmick: Gimmick) -> String {
        self.last.map_or_else(|| DEFAULT.to_owned(), |choice| choice.words(gimmick))
    }
}

impl Table {
    pub fn new(format: &'static Format) -> Self {
        Self {
            battle: None,
            seed: 0,
            teams: Default::default(),
            step: 0,
            open: None,
            refused: 0,
            turn: 0,
            log: String::new(),
            fresh: 0,
            input: None,
            seats: [0, 1].map(|side| Chair::new(format, side)),
            score: Score::default(),
        }
    }

    /// Forgets the battle before.
    pub fn begin(&mut self, format: &'static Format, seed: u64, controls: &[Control]) {
        *self = Self { seed, ..Self::new(format) };
        for (chair, control) in self.seats.iter_mut().zip(controls) {
            chair.is_empty = *control == Control::Nobody;
        }
    }

    /// What both sides say, of these actions, `[seats, heads]`; nothing for a side that is not asked.
    pub fn choices(
        &mut self,
        actions: &[u32],
        kind: Actions,
        gimmick: Gimmick,
    ) -> [Option<String>; 2] {
        let heads = actions.len() / 2;
        [0, 1].map(|side| {
            let chair = &mut self.seats[side];
            let (_, legal) = chair.asked.as_ref().filter(|_| chair.is_due)?;
            let action = &actions[side * heads..(side + 1) * heads];
            if chair.is_empty || chair.refusals.len() >= MOST_REFUSALS {
                chair.last = None;
                return Some(DEFAULT.into());
            }
            chair.last = Some(super::seat::read(kind, legal, action));
            Some(chair.words(gimmick))
        })
    }

    /// Hears what both sides are told. Returns what was refused.
    pub fn hear(&mut self, mut told: Told, gimmick: Gimmick) -> Vec<Refused> {
        self.turn = told.turn;
        self.fresh = self.log.len();
        if !told.all.is_empty() {
            self.log.push_str(&told.all);
            self.log.push('\n');
        }
        let is_refused = told.errors.iter().any(Option::is_some);
        let mut refused = Vec::new();
        for side in 0..2 {
            let chair = &mut self.seats[side];
            told.lines[side].lines().for_each(|line| chair.tracker.line(line));
            let request = told.requests[side].take();
            if let Some(request) = &request {
                chair.tracker.request(request);
            }
            let error = told.errors[side].take();
            // Whose choice was taken waits for the one whose was not.
            chair.is_due = match is_refused {
                true => error.is_some(),
                false => request.as_ref().is_some_and(|request| !request.wait),
            };
            if !is_refused {
                chair.refusals.clear();
            }
            chair.asked = request.map(|request| {
                let legal = Legal::new(&request, chair.tracker.battle());
                (request, legal)
            });
            if let Some(why) = error {
                let words = chair.words(gimmick);
                refused.push(Refused { side, words, why });
                self.refused += 1;
                match chair.last.take() {
                    Some(Choice::Turn(first, second)) => chair.refusals.push((first, second)),
                    Some(Choice::Preview(number)) => chair.refusals.push((number, PASS)),
                    None => {}
                }
            }
            if let Some((_, legal)) = &mut chair.asked {
                for &(first, second) in &chair.refusals {
                    // Where nothing else is left, the simulator chooses in the end.
                    let _ = match legal.preview {
                        true => legal.strike_preview(first),
                        false => legal.strike(first, second),
                    };
                }
            }
        }
        refused
    }

    /// Writes what a step brought; tells whether the battle is over.
    pub fn outcome(
        &mut self,
        health: [crate::host::Health; 2],
        ended: Option<&Ended>,
        limit_turns: u32,
        out: &mut Outcome,
    ) -> bool {
        self.score.step(self.turn, health, out);
        let cut = ended.is_none() && self.turn > limit_turns;
        if ended.is_none() && !cut {
            return false;
        }
        self.score.end(ended, self.turn, self.refused, out);
        *out.end = Some(if cut { End::Truncated } else { End::Terminated });
        true
    }

    /// Writes what both seats see.
    pub fn show(&self, actions: Actions, kind: view::View, view: &mut View) {
        for side in 0..2 {
            let mut seat = view.seat(side);
            let chair = &self.seats[side];
            let Some((request, legal)) = &chair.asked else {
                // It is over: nobody looks any more.
                seat.observation.fill(0.0);
                seat.wait();
                continue;
            };
            super::seat::show(actions, kind, chair.tracker.battle(), request, legal, &mut seat);
            if !chair.is_due || chair.is_empty {
                seat.wait();
            }
        }
    }

    /// What a viewer shows.
    pub fn frame(&self) -> serde_json::Value {
        let battles = self.seats.each_ref().map(|chair| chair.tracker.battle());
        let asked = self.seats.iter().filter_map(|chair| chair.asked.as_ref());
        let phase = match asked.map(|(request, legal)| (legal.preview, request)).next() {
            None => "over",
            Some((true, _)) => "preview",
            Some(_) if self.seats.iter().any(Chair::replaces) => "switch",
            Some(_) => "turn",
        };
        super::frame::of(battles, self.turn, phase, &self.log[self.fresh..])
    }

    /// Lets a scripted player choose for a side.
    pub fn scripted(&self, bot: usize, side: usize, kind: Actions, action: &mut [u32]) {
        let chair = &self.seats[side];
        let Some((request, legal)) = &chair.asked else { return };
        let dice = seed::mix(seed::mix(self.seed ^ DICE, u64::from(self.step)), side as u64);
        let bot = BOTS[bot.min(BOTS.len() - 1)];
        let choice = bots::choose(bot, chair.tracker.battle(), request, legal, dice);
        let (preview, first, second) = match choice {
            Choice::Preview(number) => (number, PASS, PASS),
            Choice::Turn(first, second) => (0, first, second),
        };
        let numbers = match kind {
            Actions::Heads => [preview, first, second],
            Actions::Joint if legal.preview => [preview; 3],
            Actions::Joint => [choice::joint(first, second); 3],
        };
        for (place, number) in action.iter_mut().zip(numbers) {
            *place = number as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use lanista_game::Buffers;

    use super::*;
    use crate::battles::spec;
    use crate::host::Health;
    use crate::settings::Settings;

    /// Two of four in battle with two moves each that reach both foes.
    fn turn(side: &str) -> Request {
        let option = r#"{"id":"surf","pp":9,"target":"allAdjacent"},{"id":"tackle","pp":9,"target":"normal"}"#;
        let member = |name: &str, active: bool| {
            format!(
                r#"{{"ident":"{side}: {name}","details":"{name}, L50","condition":"100/100","active":{active}}}"#
            )
        };
        let team = [("Mew", true), ("Abra", true), ("Onix", false), ("Muk", false)];
        let team: Vec<String> = team.iter().map(|(name, active)| member(name, *active)).collect();
        let json = format!(
            r#"{{"active":[{{"moves":[{option}]}},{{"moves":[{option}]}}],
            "side":{{"name":"x","id":"{side}","pokemon":[{}]}}}}"#,
            team.join(",")
        );
        serde_json::from_str(&json).unwrap()
    }

    fn told(turn_number: u32, errors: [Option<&str>; 2]) -> Told {
        Told {
            turn: turn_number,
            requests: [Some(turn("p1")), Some(turn("p2"))],
            errors: errors.map(|error| error.map(str::to_owned)),
            ..Told::default()
        }
    }

    #[test]
    fn what_is_refused_is_asked_again_without_it() {
        let settings = Settings::default();
        let format = settings.format();
        let mut table = Table::new(format);
        let mut buffers = Buffers::new(&spec(&settings), 1);
        let mut show = |table: &Table| {
            table.show(Actions::Heads, settings.view, &mut buffers.view(0));
            (buffers.acting.clone(), buffers.mask.clone(), buffers.forbidden.clone())
        };
        assert!(table.hear(told(1, [None, None]), format.gimmick).is_empty());
        let (acting, mask, forbidden) = show(&table);
        assert_eq!(acting, [true, true]);
        let role = &spec(&settings).roles[0];
        // Surf for both: number 2 is the first move at nobody.
        let legal = |action: [u32; 3], mask: &[bool], forbidden: &[bool]| {
            role.allows(&action, &mask[180..], &forbidden[2025..])
        };
        assert!(legal([0, 2, 2], &mask, &forbidden));
        let actions = [0, 2, 2, 0, 2, 2];
        let words = table.choices(&actions, Actions::Heads, format.gimmick);
        assert_eq!(words, [Some("move 1, move 1".to_owned()), Some("move 1, move 1".to_owned())]);
        let refused = table.hear(told(1, [None, Some("[Invalid choice] no")]), format.gimmick);
        assert_eq!((refused.len(), refused[0].side, table.refused), (1, 1, 1));
        assert_eq!(refused[0].words, "move 1, move 1");
        let (acting, mask, forbidden) = show(&table);
        assert_eq!(acting, [false, true], "the other choice stands");
        assert!(!legal([0, 2, 2], &mask, &forbidden) && legal([0, 2, 13], &mask, &forbidden));
        let words = table.choices(&actions, Actions::Heads, format.gimmick);
        assert_eq!(words[0], None, "it is not asked");
        // The next turn offers everything.
        table.hear(told(2, [None, None]), format.gimmick);
        let (acting, mask, forbidden) = show(&table);
        assert!(acting == [true, true] && legal([0, 2, 2], &mask, &forbidden));
    }

    #[test]
    fn whoever_is_refused_too_often_leaves_it_to_the_simulator() {
        let settings = Settings::default();
        let gimmick = settings.format().gimmick;
        let mut table = Table::new(settings.format());
        table.hear(told(1, [None, None]), gimmick);
        let mut last = None;
        for _ in 0..=MOST_REFUSALS {
            [last, _] = table.choices(&[0, 2, 2, 0, 2, 2], Actions::Heads, gimmick);
            table.hear(told(1, [Some("no"), None]), gimmick);
        }
        assert_eq!(last.as_deref(), Some("default"));
    }

    #[test]
    fn terms_are_the_difference_of_both_teams() {
        let settings = Settings::default();
        let mut table = Table::new(settings.format());
        let mut buffers = Buffers::new(&spec(&settings), 1);
        let health = |fainted, statused, shares| Health { members: 4, fainted, statused, shares };
        let full = health(0, 0, 4.0);
        table.turn = 1;
        assert!(!table.outcome([full; 2], None, 9, &mut buffers.outcome(0)));
        assert_eq!(buffers.terms, [0.0; 8]);
        let worn = [health(0, 1, 3.5), health(1, 0, 2.0)];
        assert!(!table.outcome(worn, None, 9, &mut buffers.outcome(0)));
        assert_eq!(buffers.terms, [0.0, 0.25, 0.375, -0.25, 0.0, -0.25, -0.375, 0.25]);
        let ended = Ended { winner: Some(1), ..Ended::default() };
        assert!(table.outcome(worn, Some(&ended), 9, &mut buffers.outcome(0)));
        assert_eq!((buffers.terms[0], buffers.terms[4]), (-1.0, 1.0));
        assert_eq!(buffers.score, [0.0, 1.0]);
        assert_eq!(buffers.stats, [1.0, 4.0, 3.0, 0.875, 0.5, 0.0]);
        table.turn = 10;
        assert!(table.outcome(worn, None, 9, &mut buffers.outcome(0)));
        assert_eq!((buffers.end[0], &buffers.score[..]), (Some(End::Truncated), &[0.0, 0.0][..]));
    }
}
