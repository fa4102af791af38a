//! The tracker: what a side is told, line by line, becomes a [`Battle`].
//!
//! It reads nothing but the side's own channel of the log and the side's own requests, so a battle holds what
//! a player may know and no more. The lines of an update go first, then the request that came with it: the
//! log shows one's own Zoroark in its disguise, and the request says who it is.
//!
//! Input is hostile until read: a line that means nothing is counted ([`Tracker::unread`]) and changes
//! nothing.

mod deduce;
mod effects;
mod field;
mod items;
mod line;
mod moves;
mod notes;
mod order;
mod own;
pub mod prose;
mod sheet;
mod switch;
#[cfg(test)]
mod tests;

use crate::dex::MoveId;
use crate::format::Format;
use crate::request::Condition;
use crate::state::{Battle, BattleEnd, Stages, Status};

use line::{Ident, Line};
use notes::{Note, Turn};

/// Somebody: side, and index in its team.
type Who = (usize, usize);

/// More than six to a team are not read.
const TEAM: usize = 6;

/// Fills a [`Battle`] from the log and the requests of one side.
#[derive(Clone, Debug)]
pub struct Tracker {
    battle: Battle,
    /// What is remembered of everybody beside what a battle shows, like `battle.sides[_].team`.
    notes: [Vec<Note>; 2],
    /// What is remembered of the turn.
    now: Turn,
    /// Who set what an item may lengthen.
    setters: field::Setters,
    /// How many each side will bring, told at the preview.
    to_bring: usize,
    unread: usize,
}

impl Tracker {
    /// A tracker for a side, 0 for p1, of a battle that begins.
    ///
    /// # Panics
    /// If there is no such side.
    pub fn new(format: &'static Format, me: usize) -> Self {
        assert!(me < 2, "a battle has two sides");
        Self {
            battle: Battle::new(format, me),
            notes: Default::default(),
            now: Turn::default(),
            setters: Default::default(),
            to_bring: 0,
            unread: 0,
        }
    }

    /// What is known by now.
    pub fn battle(&self) -> &Battle {
        &self.battle
    }

    /// Lines that could not be read.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// Reads a line of the log, as it stands there: `|switch|p1a: Iron Hands|…`.
    pub fn line(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let read = match text.strip_prefix("|showteam|") {
            Some(sheet) => self.sheet(sheet),
            None => Line::read(text).and_then(|line| self.read(&line)),
        };
        if read.is_none() {
            self.unread += 1;
        }
    }

    /// What a line means. Nothing is returned if it could not be understood.
    fn read(&mut self, line: &Line) -> Option<()> {
        self.reveal_cause(line);
        match line.word {
            "" | "move" | "cant" | "switch" => self.move_is_over(),
            // Who is driven out pays nothing.
            "drag" => self.now.price = None,
            _ => {}
        }
        match line.word {
            "" => {
                self.now.part += 1;
                self.note_health();
            }
            "player" => self.player(line)?,
            "poke" => self.preview(line)?,
            "clearpoke" => self.clear_preview(),
            "teampreview" => self.to_bring = line.argument(0).parse().unwrap_or(0),
            "teamsize" => self.team_size(line)?,
            "start" => self.start(),
            "turn" => self.turn(line)?,
            "upkeep" => self.upkeep(),
            "win" => self.won(line),
            "tie" => self.battle.end = Some(BattleEnd::Tied),

            "switch" | "drag" => self.switch(line)?,
            "replace" => self.replace(line)?,
            "swap" => self.swap(line)?,
            "detailschange" | "-formechange" => self.form(line)?,
            "-transform" => self.transform(line)?,
            "-mega" | "-burst" | "-primal" => self.mega(line)?,
            "-terastallize" => self.terastallize(line)?,
            "faint" => self.faint(line)?,

            "move" => self.uses_move(line)?,
            "cant" => self.cannot(line)?,
            "-anim" => self.at_once(line)?,
            "-prepare" => self.prepare(line)?,
            "-mustrecharge" => self.recharge(line)?,
            "-fail" | "-miss" => self.failed(line),
            "-crit" => self.critical(line)?,

            "-damage" | "-heal" | "-sethp" => self.health(line)?,
            "-status" => self.status(line)?,
            "-curestatus" => self.cure(line)?,
            "-cureteam" => self.cure_team(line)?,

            "-boost" => self.boost(line, 1)?,
            "-unboost" => self.boost(line, -1)?,
            "-setboost" => self.set_boost(line)?,
            "-swapboost" => self.swap_boosts(line)?,
            "-copyboost" => self.copy_boosts(line)?,
            "-invertboost" => self.each_stage(line, |stage| -stage)?,
            "-clearboost" => self.each_stage(line, |_| 0)?,
            "-clearpositiveboost" => self.each_stage(line, |stage| stage.min(0))?,
            "-clearnegativeboost" => self.each_stage(line, |stage| stage.max(0))?,
            "-clearallboost" => self.clear_all_boosts(),

            "-weather" => self.weather(line)?,
            "-fieldstart" => self.field_start(line)?,
            "-fieldend" => self.field_end(line)?,
            "-fieldactivate" => self.field_activate(line),
            "-sidestart" => self.side_start(line)?,
            "-sideend" => self.side_end(line)?,
            "-swapsideconditions" => self.swap_sides(),

            "-start" => self.effect_starts(line)?,
            "-end" => self.effect_ends(line)?,
            "-activate" => self.activates(line)?,
            "-singleturn" => self.single_turn(line)?,
            "-singlemove" => self.single_move(line)?,
            "-block" => self.blocks(line)?,

            "-item" => self.item(line)?,
            "-enditem" => self.end_item(line)?,
            "-ability" => self.ability(line)?,
            "-endability" => self.end_ability(line)?,

            word => return is_known(word).then_some(()),
        }
        Some(())
    }

    /// Whom a name means: who stands at its place, or who is called so.
    fn find(&self, ident: Ident) -> Option<Who> {
        let side = &self.battle.sides[ident.side];
        let standing = ident.place.and_then(|place| side.active[place]);
        let called = || side.team.iter().position(|one| one.nickname == ident.name);
        standing.or_else(called).map(|index| (ident.side, index))
    }

    /// Whom an argument means.
    fn who(&self, line: &Line, at: usize) -> Option<Who> {
        self.find(line.who(at)?)
    }

    /// Who is at a place.
    fn at(&self, side: usize, place: usize) -> Option<Who> {
        self.battle.sides[side].active[place].map(|index| (side, index))
    }

    /// Where somebody stands.
    fn place_of(&self, who: Who) -> Option<usize> {
        (0..2).find(|place| self.battle.sides[who.0].active[*place] == Some(who.1))
    }

    /// Everybody in battle.
    fn standing(&self) -> impl Iterator<Item = Who> + use<> {
        let active = self.battle.sides.each_ref().map(|side| side.active);
        (0..2).flat_map(move |side| active[side].into_iter().flatten().map(move |at| (side, at)))
    }

    fn of(&self, who: Who) -> &crate::state::Pokemon {
        &self.battle.sides[who.0].team[who.1]
    }

    fn of_mut(&mut self, who: Who) -> &mut crate::state::Pokemon {
        &mut self.battle.sides[who.0].team[who.1]
    }

    fn note(&self, who: Who) -> &Note {
        &self.notes[who.0][who.1]
    }

    fn note_mut(&mut self, who: Who) -> &mut Note {
        &mut self.notes[who.0][who.1]
    }

    fn start(&mut self) {
        for side in &mut self.battle.sides {
            if side.brought == 0 {
                side.brought = self.to_bring.min(side.team.len());
            }
        }
    }

    fn turn(&mut self, line: &Line) -> Option<()> {
        let turn = line.argument(0).parse().ok()?;
        self.deduce_at_turn();
        self.battle.turn = turn;
        for who in self.standing() {
            let note = self.note_mut(who);
            note.acted = false;
            let came_in = std::mem::take(&mut note.came_in);
            if !came_in {
                let one = self.of_mut(who);
                one.turns_in = one.turns_in.saturating_add(1);
            }
        }
        let mut pairs = std::mem::take(&mut self.now.pairs);
        pairs.clear();
        self.now = Turn { part: self.now.part, pairs, ..Turn::default() };
        Some(())
    }

    fn won(&mut self, line: &Line) {
        let side = self.battle.sides.iter().position(|side| side.name == line.argument(0));
        self.battle.end = side.map(BattleEnd::Won);
    }

    /// Health and status as a line tells them.
    fn condition(&mut self, who: Who, text: &str) -> Option<()> {
        let told = Condition::parse(text)?;
        let one = self.of_mut(who);
        one.hp = told.hp;
        if told.max > 0 {
            one.max_hp = told.max;
        }
        if !told.fainted && one.status != told.status {
            self.set_status(who, told.status);
        }
        Some(())
    }

    fn set_status(&mut self, who: Who, status: Status) {
        let part = self.now.part;
        self.note_mut(who).status_since = part;
        let one = self.of_mut(who);
        one.status = status;
        one.status_turns = 0;
        if status != Status::Sleep {
            one.volatiles.nightmare = false;
        }
    }

    fn status(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let status = Status::of(line.argument(1))?;
        self.set_status(who, status);
        Some(())
    }

    fn cure(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        self.set_status(who, Status::Healthy);
        Some(())
    }

    fn cure_team(&mut self, line: &Line) -> Option<()> {
        let (side, _) = self.who(line, 0)?;
        for index in 0..self.battle.sides[side].team.len() {
            self.set_status((side, index), Status::Healthy);
        }
        Some(())
    }

    fn boost(&mut self, line: &Line, sign: i8) -> Option<()> {
        let who = self.who(line, 0)?;
        let stat = stat(line.argument(1))?;
        let by: i8 = line.argument(2).parse().ok()?;
        let stages = &mut self.of_mut(who).stages;
        stages[stat] = stages[stat].saturating_add(sign.saturating_mul(by)).clamp(-6, 6);
        self.curled_up(who, stat);
        Some(())
    }

    fn set_boost(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let stat = stat(line.argument(1))?;
        let to: i8 = line.argument(2).parse().ok()?;
        self.of_mut(who).stages[stat] = to.clamp(-6, 6);
        Some(())
    }

    fn swap_boosts(&mut self, line: &Line) -> Option<()> {
        let (one, other) = (self.who(line, 0)?, self.who(line, 1)?);
        let (mut first, mut second) = (self.of(one).stages, self.of(other).stages);
        match line.argument(2) {
            "" => std::mem::swap(&mut first, &mut second),
            stats => {
                for at in stats.split(',').filter_map(|word| stat(word.trim())) {
                    std::mem::swap(&mut first[at], &mut second[at]);
                }
            }
        }
        self.of_mut(one).stages = first;
        self.of_mut(other).stages = second;
        Some(())
    }

    /// The first takes over the stages of the second. PROTOCOL.md says the reverse; Psych Up and Costar write
    /// the one who copies first.
    fn copy_boosts(&mut self, line: &Line) -> Option<()> {
        let (copier, copied) = (self.who(line, 0)?, self.who(line, 1)?);
        let stages = self.of(copied).stages;
        // What makes critical hits likelier is copied too (data/moves of the simulator: psychup).
        let (focus, cheer, laser) = {
            let volatiles = &self.of(copied).volatiles;
            (volatiles.focus_energy, volatiles.dragon_cheer, volatiles.laser_focus)
        };
        let one = self.of_mut(copier);
        one.stages = stages;
        one.volatiles.focus_energy = focus;
        one.volatiles.dragon_cheer = cheer;
        one.volatiles.laser_focus = laser;
        Some(())
    }

    fn each_stage(&mut self, line: &Line, change: impl Fn(i8) -> i8) -> Option<()> {
        let who = self.who(line, 0)?;
        let stages = &mut self.of_mut(who).stages;
        *stages = stages.map(change);
        Some(())
    }

    fn clear_all_boosts(&mut self) {
        for who in self.standing() {
            self.of_mut(who).stages = Stages::default();
        }
    }
}

/// The place of a stat among stages.
fn stat(word: &str) -> Option<usize> {
    ["atk", "def", "spa", "spd", "spe", "accuracy", "evasion"].iter().position(|w| *w == word)
}

/// The number of a move by name; 0 where there is none.
fn a_move(name: &str) -> MoveId {
    crate::dex::a_move(name).unwrap_or_default()
}

/// Lines that say nothing about the battle that is not said elsewhere.
fn is_known(word: &str) -> bool {
    matches!(
        word,
        "t:" | "gametype"
            | "gen"
            | "tier"
            | "rated"
            | "rule"
            | "split"
            | "request"
            | "init"
            | "title"
            | "seed"
            | "bigerror"
            | "error"
            | "debug"
            | "message"
            | "-message"
            | "-hint"
            | "inactive"
            | "inactiveoff"
            | "c"
            | "c:"
            | "chat"
            | "j"
            | "J"
            | "join"
            | "l"
            | "L"
            | "leave"
            | "n"
            | "N"
            | "name"
            | "raw"
            | "html"
            | "uhtml"
            | "uhtmlchange"
            | "askreg"
            | "deinit"
            | "noinit"
            | "expire"
            | "-immune"
            | "-supereffective"
            | "-resisted"
            | "-hitcount"
            | "-ohko"
            | "-combine"
            | "-waiting"
            | "-center"
            | "-nothing"
            | "-notarget"
            | "-zpower"
            | "-zbroken"
            | "-candynamax"
    )
}
