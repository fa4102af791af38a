//! Open team sheets: `|showteam|p2|…`, a packed team without what is kept secret.

use crate::dex::{self, ItemId, SpeciesId, Type};
use crate::state::KnownMove;

use super::Tracker;

impl Tracker {
    /// Reads what follows `|showteam|`.
    pub(super) fn sheet(&mut self, text: &str) -> Option<()> {
        let (side, packed) = text.split_once('|')?;
        let side = super::switch::side_of(side)?;
        if side == self.battle.me {
            return Some(());
        }
        // NICKNAME|SPECIES|ITEM|ABILITY|MOVES|NATURE|EVS|GENDER|IVS|SHINY|LEVEL|HAPPINESS,…,TERATYPE
        // (sim/TEAMS.md of the simulator); the species is left out where it is the name.
        for (at, member) in packed.split(']').enumerate() {
            let mut fields = member.split('|');
            let mut next = || fields.next().unwrap_or("");
            let (name, species, item, ability, moves) = (next(), next(), next(), next(), next());
            let species = if species.is_empty() { name } else { species };
            let tera = member.rsplit(',').next().and_then(Type::of);
            let Some(species) = dex::species(species) else { continue };
            let Some(index) = self.on_sheet(side, at, species) else { continue };
            let format = self.battle.format;
            let one = self.of_mut((side, index));
            if !one.item.is_known() {
                one.item = dex::item(item).unwrap_or(ItemId::none());
            }
            if let Some(ability) = dex::ability(ability) {
                one.ability = ability;
                one.base_ability = ability;
            }
            one.tera_type = tera.or(one.tera_type);
            for id in moves.split(',').filter_map(dex::a_move) {
                let uses = format.dex().a_move(id).map_or(0, |facts| format.uses(facts));
                if one.moves.len() < 4 && one.moves.iter().all(|known| known.id != id) {
                    one.moves.push(KnownMove { id, pp: uses, max_pp: uses });
                }
            }
        }
        Some(())
    }

    /// The member of a row: the one at the same place, or the one of that species.
    fn on_sheet(&self, side: usize, at: usize, species: SpeciesId) -> Option<usize> {
        let team = &self.battle.sides[side].team;
        let alike = |index: &usize| {
            team.get(*index).is_some_and(|one| self.same_base(one.base_species, species))
        };
        Some(at).filter(alike).or_else(|| (0..team.len()).find(alike))
    }
}
