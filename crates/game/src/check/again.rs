//! Matches, played again along their actions with one thing changed each time.

use rand::RngExt;

use super::play::{DICE, Play, Played, frame, in_short, scene};
use super::report::{Rule, Violation};
use super::shown::Shown;
use super::table::{Stop, Table};
use crate::Control;
use crate::seed::{self, Rng};

/// How many steps of another match go before one that starts anew.
const USED_STEPS: usize = 40;
/// Neighbours of a match in its batch: it sits in the middle.
const NEIGHBOURS: [usize; 2] = [0, 2];

/// Whom the second playing of a match asks.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Asking {
    /// Scripted players for the seats that they drive, once, as in the first.
    Drivers,
    /// All scripted players for all seats, twice.
    Everybody,
    /// Nobody, and drivers only from this step on.
    Late(usize),
}

impl Play<'_> {
    /// Plays the match again in a new batch, and returns the batch.
    pub fn again(
        &self,
        rule: Rule,
        matches: usize,
        played: &Played,
        asking: Asking,
    ) -> Result<Table, Violation> {
        let stopped = |(rule, what)| self.violation(rule, 0, None, what);
        let mut table = self.table(matches).map_err(stopped)?;
        let m = matches / 2;
        if matches > 1 {
            for other in NEIGHBOURS {
                self.neighbour(&mut table, other, other as u64).map_err(stopped)?;
            }
        }
        self.follow(rule, &mut table, m, played, asking)?;
        Ok(table)
    }

    /// Plays match `m` along recorded actions; what differs breaks `rule`.
    pub fn follow(
        &self,
        rule: Rule,
        table: &mut Table,
        m: usize,
        played: &Played,
        asking: Asking,
    ) -> Result<(), Violation> {
        let mut acted = vec![false; self.seats.len()];
        let mut dice = seed::rng(self.seed ^ DICE ^ 1);
        let stopped = |step| move |(rule, what): Stop| self.violation(rule, step, None, what);
        table.start(m, self.seed, &self.seats).map_err(stopped(0))?;
        for (step, expected) in played.shown.iter().enumerate() {
            let shown = Shown::of(&table.buffers, m, step == 0, &mut acted);
            if let Some((seat, what)) = expected.difference(&shown, self.spec) {
                return Err(self.violation(rule, step, seat, what));
            }
            self.same_picture(table, m, step, played)?;
            let Some(actions) = played.actions.get(step) else { return Ok(()) };
            self.ask(rule, table, m, step, &played.choices[step], asking)?;
            let mut actions = actions.clone();
            if rule == Rule::Waiting {
                self.nonsense(expected, &mut dice, &mut actions);
            }
            self.step(table, m, step, &actions, &mut dice).map_err(stopped(step))?;
        }
        Ok(())
    }

    /// Viewers are shown the same again.
    fn same_picture(
        &self,
        table: &Table,
        m: usize,
        step: usize,
        played: &Played,
    ) -> Result<(), Violation> {
        let differs = |which: &str| {
            let what = format!("the {which} differs when the match is played again");
            Err(self.violation(Rule::Frame, step, None, what))
        };
        if step == 0 && in_short(&scene(table, m)) != played.scene {
            return differs("scene");
        }
        if in_short(&frame(table, m)) != played.pictures[step] {
            return differs("frame");
        }
        Ok(())
    }

    /// Actions for those who do not act.
    fn nonsense(&self, shown: &Shown, dice: &mut Rng, actions: &mut [u32]) {
        let heads = actions.len() / self.seats.len();
        for seat in (0..self.seats.len()).filter(|&seat| !shown.seats[seat].acting) {
            for (head, spec) in self.spec.role_of(seat).heads.iter().enumerate() {
                actions[seat * heads + head] = dice.random_range(0..spec.actions.len() as u32);
            }
        }
    }

    /// Steps match `m`, and its neighbours with it or before it.
    fn step(
        &self,
        table: &mut Table,
        m: usize,
        step: usize,
        actions: &[u32],
        dice: &mut Rng,
    ) -> Result<(), Stop> {
        if table.batch.matches() == 1 {
            return table.step(&[m], actions);
        }
        let width = actions.len();
        let mut all = vec![0; width * table.batch.matches()];
        all[m * width..(m + 1) * width].copy_from_slice(actions);
        for other in NEIGHBOURS {
            table.draw(other, dice, &mut all[other * width..(other + 1) * width]);
        }
        let [left, right] = NEIGHBOURS;
        match step % 3 {
            0 => table.step(&[left, m, right], &all)?,
            1 => {
                table.step(&[right, left], &all)?;
                table.step(&[m], &all)?;
            }
            _ => return table.step(&[m], &all),
        }
        for other in NEIGHBOURS {
            if table.buffers.end[other].is_some() {
                self.neighbour(table, other, step as u64 + 7)?;
            }
        }
        Ok(())
    }

    /// Starts another match.
    fn neighbour(&self, table: &mut Table, m: usize, salt: u64) -> Result<(), Stop> {
        table.start(m, seed::mix(self.seed, salt), &self.others())?;
        table.buffers.end[m] = None;
        Ok(())
    }

    /// Other drivers than those of this match, so that what a driver leaves behind meets somebody else.
    fn others(&self) -> Vec<Control> {
        let control = |seat: usize| match self.seats[seat] {
            Control::Nobody => Control::Nobody,
            Control::Outside if !self.spec.role_of(seat).bots.is_empty() => Control::Bot(0),
            _ => Control::Outside,
        };
        (0..self.seats.len()).map(control).collect()
    }

    /// Asks scripted players about the step that comes.
    fn ask(
        &self,
        rule: Rule,
        table: &mut Table,
        m: usize,
        step: usize,
        choices: &[u32],
        asking: Asking,
    ) -> Result<(), Violation> {
        let heads = choices.len() / self.seats.len();
        for seat in table.acting(m) {
            let role = self.spec.role_of(seat);
            let (mask, forbidden) = table.legality(m, seat);
            let violation = |rule, what| self.violation(rule, step, Some(seat), what);
            let own = &choices[seat * heads..seat * heads + role.heads.len()];
            // From the last to the first, so that the order in which they are asked is not that of
            // the first playing.
            for (bot, name) in role.bots.iter().enumerate().rev().filter(|(_, bot)| !bot.inside) {
                let drives = self.seats[seat] == Control::Bot(bot);
                if asking != Asking::Everybody
                    && (!drives || matches!(asking, Asking::Late(from) if step < from))
                {
                    continue;
                }
                let mut choice = vec![0; own.len()];
                let stopped = |(rule, what)| violation(rule, what);
                table.ask(m, bot, seat, &mut choice).map_err(stopped)?;
                let name = &name.name;
                if drives && choice != own {
                    let what = format!("`{name}` chooses {choice:?} but chose {own:?}");
                    return Err(violation(rule, what));
                }
                if asking != Asking::Everybody {
                    continue;
                }
                if !role.allows(&choice, &mask, &forbidden) {
                    return Err(violation(rule, format!("`{name}` chooses {choice:?}")));
                }
                // Whatever the place held before must not show in the choice.
                let mut again = vec![u32::MAX; own.len()];
                table.ask(m, bot, seat, &mut again).map_err(stopped)?;
                if again != choice {
                    let what = format!("`{name}` chooses {choice:?} and, asked again, {again:?}");
                    return Err(violation(rule, what));
                }
            }
        }
        Ok(())
    }

    /// Leaves the batch's match in the middle of another one.
    pub fn wear(&self, table: &mut Table) -> Result<(), Stop> {
        let mut dice = seed::rng(self.seed ^ DICE ^ 2);
        self.neighbour(table, 0, 3)?;
        for _ in 0..self.limit.min(USED_STEPS) {
            let mut actions = vec![0; self.seats.len() * table.buffers.layout().heads];
            table.draw(0, &mut dice, &mut actions);
            table.step(&[0], &actions)?;
            if table.buffers.end[0].is_some() {
                break;
            }
        }
        Ok(())
    }
}
