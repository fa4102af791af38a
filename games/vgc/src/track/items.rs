//! Items and abilities: shown, used up, taken, exchanged.

use crate::dex::{self, AbilityId, ItemId};

use super::line::{Kind, Line};
use super::{Tracker, Who, a_move};

impl Tracker {
    /// `[from] item: Leftovers`, `[from] ability: Rough Skin|[of] …`: whose it is and that it has it.
    pub(super) fn reveal_cause(&mut self, line: &Line) {
        let Some(from) = line.from else { return };
        let subject = line.who(0).and_then(|who| self.find(who));
        let doer = line.of.and_then(|of| self.find(of));
        let id = from.id();
        match from.kind {
            Kind::Ability => {
                // `-ability` and `-item` say more and are read by themselves.
                if matches!(line.word, "-ability" | "-item" | "-enditem") {
                    return;
                }
                // Healing that a foe's move brings about names the foe; Hospitality names its owner.
                let owner = match (line.word, id.as_str()) {
                    ("-heal", "hospitality") => doer.or(subject),
                    ("-heal" | "-immune" | "-copyboost" | "-formechange" | "move", _) => subject,
                    ("-start", "protean" | "libero" | "colorchange" | "mimicry") => subject,
                    _ => doer.or(subject),
                };
                if let (Some(owner), Some(ability)) = (owner, dex::ability(from.name)) {
                    self.learn_ability(owner, ability);
                }
            }
            Kind::Item => {
                let owner = match line.word {
                    "-damage" | "-start" | "-fail" => doer.or(subject),
                    "-heal" | "-status" | "-boost" | "-unboost" | "-end" => subject,
                    _ => return,
                };
                let berry = |item| self.battle.format.dex().item(item).is_some_and(|i| i.berry);
                // A berry is gone by then, and somebody else's if it was stolen or flung.
                if let (Some(owner), Some(item)) = (owner, dex::item(from.name))
                    && !berry(item)
                {
                    self.holds(owner, item);
                }
            }
            Kind::Move | Kind::Other => {}
        }
    }

    /// Somebody shows what it holds; what is known already stays.
    pub(super) fn holds(&mut self, who: Who, item: ItemId) {
        let one = self.of_mut(who);
        if one.item.is_known() {
            return;
        }
        one.item = item;
        one.not_items.clear();
        let note = self.note_mut(who);
        if !note.item_changed {
            note.came_with = item;
        }
        if self.is_last(item) {
            self.forget_speed(who);
        }
    }

    /// Does an item make its holder go last?
    pub(super) fn is_last(&self, item: ItemId) -> bool {
        let facts = self.battle.format.dex().item(item);
        facts.is_some_and(|facts| matches!(facts.id.as_str(), "laggingtail" | "fullincense"))
    }

    /// Somebody is known to have held something a while ago.
    pub(super) fn held_then(&mut self, who: Who, item: ItemId) {
        if !self.note(who).item_changed {
            self.holds(who, item);
        }
    }

    pub(super) fn does_not_hold(&mut self, who: Who, item: ItemId) {
        let own = who.0 == self.battle.me;
        let one = self.of_mut(who);
        if !own && !one.item.is_known() && !one.not_items.contains(&item) {
            one.not_items.push(item);
        }
    }

    fn gets(&mut self, who: Who, item: ItemId) {
        self.note_mut(who).item_changed = true;
        self.speed_is_open(who, item);
        let one = self.of_mut(who);
        if one.item.is_known() && one.item != ItemId::none() {
            one.former_item = one.item;
        }
        one.item = item;
        one.not_items.clear();
        one.volatiles.unburden = false;
    }

    /// What was seen of somebody's speed says nothing about it with another item.
    fn speed_is_open(&mut self, who: Who, item: ItemId) {
        let slows_or_speeds = |item: ItemId| {
            let facts = self.battle.format.dex().item(item);
            facts.is_some_and(|facts| {
                facts.id == "choicescarf" || facts.id == "ironball" || facts.id.starts_with("power")
            })
        };
        let old = self.of(who).item;
        let last = self.is_last(item) || self.is_last(old);
        if last || slows_or_speeds(item) || slows_or_speeds(old) {
            self.forget_speed(who);
        }
    }

    fn loses(&mut self, who: Who, item: ItemId) {
        let note = self.note_mut(who);
        if !note.item_changed {
            note.came_with = item;
        }
        note.item_changed = true;
        note.item_lost = true;
        self.speed_is_open(who, item);
        let unburden = dex::ability("unburden").unwrap_or_default();
        let one = self.of_mut(who);
        one.former_item = item;
        one.item = ItemId::none();
        one.not_items.clear();
        one.volatiles.unburden |= one.ability == unburden;
    }

    /// `|-item|p1a: Iron Hands|Leftovers|[from] move: Trick`.
    pub(super) fn item(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let item = dex::item(line.argument(1))?;
        let doer = line.of.and_then(|of| self.find(of));
        let from = line.from.map(|from| from.id());
        match from.as_ref().map(|from| from.as_str()) {
            None => self.holds(who, item),
            Some("frisk") => {
                self.of_mut(who).item = ItemId::UNKNOWN;
                self.holds(who, item);
                if let (Some(doer), Some(frisk)) = (doer, dex::ability("frisk")) {
                    self.learn_ability(doer, frisk);
                }
            }
            Some(cause) => {
                if let "magician" | "pickpocket" | "pickup" | "harvest" = cause
                    && let Some(ability) = dex::ability(cause)
                {
                    self.learn_ability(who, ability);
                }
                self.gets(who, item);
                // Thief, Covet, Magician, Pickpocket, Bestow: somebody has lost it.
                if let "thief" | "covet" | "magician" | "pickpocket" | "bestow" = cause
                    && let Some(robbed) = doer
                {
                    self.loses(robbed, item);
                }
            }
        }
        Some(())
    }

    /// `|-enditem|p1a: Iron Hands|Sitrus Berry|[eat]`.
    pub(super) fn end_item(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let item = dex::item(line.argument(1))?;
        let chewed = std::mem::take(&mut self.now.chews);
        let held = self.of(who).item;
        let other = held.is_known() && held != item;
        if chewed || line.tags.weaken || (other && held != ItemId::none()) {
            return Some(());
        }
        if held == ItemId::none() {
            self.of_mut(who).former_item = item;
            return Some(());
        }
        self.loses(who, item);
        Some(())
    }

    pub(super) fn item_activates(&mut self, who: Who, name: &str, line: &Line) -> Option<()> {
        let item = dex::item(name)?;
        let id = super::line::Id::of(name);
        if matches!(id.as_str(), "quickclaw" | "custapberry") {
            self.order_is_upset();
        }
        if id.as_str() == "leppaberry" {
            let restored = a_move(line.argument(2));
            if let Some(known) = self.of_mut(who).moves.iter_mut().find(|m| m.id == restored) {
                known.pp = known.pp.saturating_add(10).min(known.max_pp);
            }
        }
        if !line.tags.consumed {
            self.holds(who, item);
        }
        Some(())
    }

    /// The ability somebody has now; what it came with, if nothing has changed it.
    pub(super) fn learn_ability(&mut self, who: Who, ability: AbilityId) {
        let changed = self.note(who).ability_changed;
        let unburden = dex::ability("unburden").unwrap_or_default();
        let lost = self.note(who).item_lost;
        let one = self.of_mut(who);
        one.ability = ability;
        one.volatiles.unburden |= lost && ability == unburden;
        if !changed {
            one.base_ability = ability;
            one.not_abilities.clear();
        }
    }

    /// Somebody has another ability from now on.
    fn change_ability(&mut self, who: Who, ability: AbilityId) {
        self.note_mut(who).ability_changed = true;
        self.of_mut(who).ability = ability;
    }

    /// `|-ability|p1a: Gyarados|Intimidate|boost`, or with `[from]` when it has changed.
    pub(super) fn ability(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        if self.is_as_one(who) {
            return Some(());
        }
        let ability = dex::ability(line.argument(1))?;
        let doer = line.of.and_then(|of| self.find(of));
        let from = line.from.map(|from| (from.kind, from.id()));
        match &from {
            Some((Kind::Ability | Kind::Move, cause)) => {
                if let Some(old) = dex::ability(line.argument(2)) {
                    self.learn_ability(who, old);
                }
                self.change_ability(who, ability);
                // These take or give the ability of the other, which it keeps.
                if let "trace" | "roleplay" | "entrainment" | "receiver" | "powerofalchemy"
                | "doodle" = cause.as_str()
                    && let Some(doer) = doer.filter(|doer| *doer != who)
                {
                    self.learn_ability(doer, ability);
                }
            }
            _ => self.learn_ability(who, ability),
        }
        Some(())
    }

    /// Calyrex on a horse has two abilities in one, and the log calls it by their names in turn.
    fn is_as_one(&mut self, who: Who) -> bool {
        let species = self.battle.format.dex().species(self.of(who).species);
        let ability = match species.map(|species| species.id.as_str()) {
            Some("calyrexice") => "asoneglastrier",
            Some("calyrexshadow") => "asonespectrier",
            _ => return false,
        };
        let Some(ability) = dex::ability(ability) else { return false };
        if self.note(who).ability_changed {
            return false;
        }
        self.learn_ability(who, ability);
        true
    }

    pub(super) fn end_ability(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        self.of_mut(who).volatiles.gastro_acid = true;
        Some(())
    }

    /// Skill Swap; between allies it does not tell which.
    pub(super) fn swap_abilities(&mut self, who: Who, line: &Line) -> Option<()> {
        let other = self.find(line.of?)?;
        let (mine, theirs) = (self.of(who).ability, self.of(other).ability);
        let theirs = dex::ability(line.argument(2)).unwrap_or(theirs);
        let mine = dex::ability(line.argument(3)).unwrap_or(mine);
        if mine.is_known() {
            self.learn_ability(who, mine);
        }
        if theirs.is_known() {
            self.learn_ability(other, theirs);
        }
        self.change_ability(who, theirs);
        self.change_ability(other, mine);
        Some(())
    }

    pub(super) fn ability_activates(&mut self, who: Who, id: &str, line: &Line) -> Option<()> {
        let ability = dex::ability(id);
        match id {
            "mummy" | "lingeringaroma" => {
                let ability = ability?;
                self.learn_ability(who, ability);
                let victim = self.who(line, 2)?;
                if let Some(old) = line.ability.and_then(dex::ability) {
                    self.learn_ability(victim, old);
                }
                self.change_ability(victim, ability);
                return Some(());
            }
            "commander" => {
                self.of_mut(who).volatiles.commanding = true;
                if let Some(ally) = line.of.and_then(|of| self.find(of)) {
                    self.of_mut(ally).volatiles.commanded = true;
                }
            }
            "symbiosis" => {
                let item = dex::item(line.argument(2))?;
                let ally = self.find(line.of?)?;
                self.loses(who, item);
                self.gets(ally, item);
            }
            "forewarn" => {
                let warned = self.find(line.of?)?;
                self.reveal_move(warned, a_move(line.argument(2)));
            }
            "cudchew" => self.now.chews = true,
            "quickdraw" => self.order_is_upset(),
            _ => {}
        }
        if let Some(ability) = ability {
            self.learn_ability(who, ability);
        }
        Some(())
    }
}
