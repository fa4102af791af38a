//! Whom a move cannot touch: by type, by ability, by what is held.

use super::clash::Clash;
use super::facts::{against, flag};
use super::kinds::{AbilityKind, ItemKind, MoveKind};
use crate::dex::Type;
use crate::state::Status;

impl Clash<'_> {
    /// Is the target immune to the blow?
    pub fn immune(&self) -> bool {
        self.immune_by_type() || self.immune_by_ability() || self.immune_by_rule()
    }

    fn immune_by_type(&self) -> bool {
        let Some(element) = self.element else { return false };
        if self.is(flag::IGNORES_IMMUNITY) {
            return false;
        }
        let sees_ghosts = matches!(self.own, AbilityKind::Scrappy | AbilityKind::MindsEye);
        if sees_ghosts && matches!(element, Type::Normal | Type::Fighting) {
            return false;
        }
        let negated = self.worn.kind == ItemKind::RingTarget;
        if element == Type::Ground {
            return !self.grounded_if(self.target, self.foe, self.worn.kind, negated);
        }
        !negated && self.target_types.iter().any(|one| against(element, one).is_none())
    }

    fn immune_by_ability(&self) -> bool {
        let is = |one: Type| self.element == Some(one);
        match self.foe {
            AbilityKind::Bulletproof => self.is(flag::BULLET),
            AbilityKind::Soundproof => self.is(flag::SOUND),
            AbilityKind::WindRider => self.is(flag::WIND),
            AbilityKind::Overcoat => self.is(flag::POWDER),
            AbilityKind::DrySkin | AbilityKind::StormDrain | AbilityKind::WaterAbsorb => {
                is(Type::Water)
            }
            AbilityKind::EarthEater => is(Type::Ground),
            AbilityKind::FlashFire | AbilityKind::WellBakedBody => is(Type::Fire),
            AbilityKind::LightningRod | AbilityKind::MotorDrive | AbilityKind::VoltAbsorb => {
                is(Type::Electric)
            }
            AbilityKind::SapSipper => is(Type::Grass),
            AbilityKind::Telepathy => self.around.friendly,
            AbilityKind::Sturdy => self.is(flag::OHKO),
            AbilityKind::WonderGuard => {
                self.a_move.kind != MoveKind::Struggle && self.effectiveness() <= 0
            }
            _ => false,
        }
    }

    fn immune_by_rule(&self) -> bool {
        let target = self.target;
        let powder = self.is(flag::POWDER)
            && (self.target_types.has(Type::Grass) || self.worn.kind == ItemKind::SafetyGoggles);
        let asleep = target.status == Status::Sleep || self.foe_whole == AbilityKind::Comatose;
        powder
            || match self.a_move.kind {
                MoveKind::DreamEater => !asleep,
                MoveKind::Endeavor => self.attacker.hp >= target.hp,
                _ => false,
            }
    }
}
