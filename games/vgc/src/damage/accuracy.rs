//! Chances: to hit, and to hit critically.

use super::clash::Clash;
use super::facts::flag;
use super::kinds::{AbilityKind, ItemKind, MoveKind};
use super::stats::Chain;
use crate::state::{Status, Weather};

/// The chance to hit, 0 to 1, as the simulator rounds it.
pub(super) fn chance_to_hit(clash: &Clash) -> f32 {
    let (attacker, target, around) = (clash.attacker, clash.target, clash.around);
    let kind = clash.a_move.kind;
    let sure = clash.own == AbilityKind::NoGuard
        || clash.foe_whole == AbilityKind::NoGuard
        || target.marks.glaive_rush
        || target.marks.minimize && clash.is(flag::MINIMIZE)
        || target.marks.telekinesis && !clash.is(flag::OHKO);
    if sure {
        return 1.0;
    }
    if clash.is(flag::OHKO) {
        return if attacker.level < target.level { 0.0 } else { 0.3 };
    }
    let seen = super::clash::umbrella(around.weather, clash.worn.kind);
    let rain = matches!(seen, Some(Weather::Rain | Weather::HeavyRain));
    let sun = matches!(seen, Some(Weather::Sun | Weather::HarshSun));
    let accuracy = match kind {
        MoveKind::Hurricane | MoveKind::Thunder if rain => 0,
        MoveKind::Hurricane | MoveKind::Thunder if sun => 50,
        MoveKind::BleakwindStorm | MoveKind::SandsearStorm | MoveKind::WildboltStorm if rain => 0,
        MoveKind::Blizzard if around.weather == Some(Weather::Snow) => 0,
        _ => clash.a_move.accuracy,
    };
    if accuracy == 0 {
        return 1.0;
    }
    let mut chain = Chain::ONE;
    let ally = clash.facts.ability(around.attacker_ally).kind;
    chain.by_if(around.gravity, 6840);
    match clash.own {
        AbilityKind::CompoundEyes => chain.by(5325),
        AbilityKind::Hustle => chain.by_if(clash.physical, 3277),
        AbilityKind::VictoryStar => chain.by(4506),
        _ => {}
    }
    chain.by_if(ally == AbilityKind::VictoryStar, 4506);
    match clash.foe {
        AbilityKind::SandVeil => chain.by_if(around.weather == Some(Weather::Sand), 3277),
        AbilityKind::SnowCloak => chain.by_if(around.weather == Some(Weather::Snow), 3277),
        AbilityKind::TangledFeet => chain.by_if(target.marks.confused, 2048),
        _ => {}
    }
    chain.by_if(clash.worn.kind == ItemKind::BrightPowder, 3686);
    chain.by_if(clash.held.kind == ItemKind::WideLens, 4505);
    let mut accuracy = chain.on(u32::from(accuracy));
    let blind = matches!(
        clash.own,
        AbilityKind::Unaware
            | AbilityKind::KeenEye
            | AbilityKind::MindsEye
            | AbilityKind::Illuminate
    ) || clash.is(flag::IGNORES_EVASION);
    let own_stage = if clash.foe == AbilityKind::Unaware { 0 } else { attacker.stages[5] };
    let evasion = if blind { 0 } else { target.stages[6] };
    let stage = (i32::from(own_stage) - i32::from(evasion)).clamp(-6, 6);
    let steps = stage.unsigned_abs();
    if stage > 0 {
        accuracy = accuracy * (3 + steps) / 3;
    } else if stage < 0 {
        accuracy = accuracy * 3 / (3 + steps);
    }
    (accuracy as f32 / 100.0).min(1.0)
}

/// The chance of a critical hit.
pub(super) fn chance_of_critical(clash: &Clash) -> f32 {
    let (attacker, target) = (clash.attacker, clash.target);
    let armoured = matches!(clash.foe, AbilityKind::BattleArmor | AbilityKind::ShellArmor);
    if armoured || target.marks.lucky_chant || clash.a_move.fixed > 0 {
        return 0.0;
    }
    let poisoned = matches!(target.status, Status::Poison | Status::Toxic);
    if clash.is(flag::ALWAYS_CRITS)
        || attacker.marks.laser_focus
        || clash.own == AbilityKind::Merciless && poisoned
    {
        return 1.0;
    }
    let mut stage = clash.a_move.crit;
    stage += u8::from(clash.own == AbilityKind::SuperLuck);
    stage += u8::from(matches!(clash.held.kind, ItemKind::RazorClaw | ItemKind::ScopeLens));
    stage += 2 * u8::from(attacker.marks.focus_energy) + attacker.marks.dragon_cheer;
    // Stages 1 to 4, as the simulator counts them.
    [1.0 / 24.0, 1.0 / 8.0, 1.0 / 2.0, 1.0][usize::from(stage.clamp(1, 4)) - 1]
}
