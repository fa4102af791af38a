//! Who was where and how he was, at one packet.
//!
//! The server tells a player only about what he could see or hear; everything else is left out
//! here, for where it is now nobody knows.

use std::io::{self, Write};

use super::super::budget::Budget;
use super::super::error::Reason;
use super::fields::{NO_HANDLE, Values};
use super::world::{Entity, World};

/// Temporary health lost in a second. // facts/survivors.md §5: pain_pills_decay_rate .27
const TEMPORARY_DECAY: f32 = 0.27;
/// The low bits of a handle are the entity.
const HANDLE_ENTITY: i32 = (1 << 11) - 1;
const ON_GROUND: i32 = 1;
const SURVIVORS: i32 = 2;

/// How a player moves. // Source SDK 2013, public/const.h: MoveType_t
pub const WALKS: u8 = 2;
/// Through walls.
pub const NOCLIP: u8 = 8;
/// Not at all, looking on.
pub const OBSERVES: u8 = 10;

/// A survivor or a special infected.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Player {
    /// The entity's number.
    pub entity: u16,
    /// The entity's class: `CTerrorPlayer`, `SurvivorBot`, `Tank`, …
    pub class: u16,
    /// 2 for survivors, 3 for infected.
    pub team: u8,
    /// 1 smoker, 2 boomer, 3 hunter, 4 spitter, 5 jockey, 6 charger, 8 tank, 9 survivor.
    pub zombie_class: u8,
    /// Which of the eight survivors.
    pub character: u8,
    /// Alive?
    pub alive: bool,
    /// An infected player who has not appeared yet?
    pub ghost: bool,
    /// Health that stays.
    pub health: i32,
    /// What it can be at most.
    pub max_health: i32,
    /// Health that goes by itself.
    pub temporary_health: f32,
    /// Down?
    pub incapacitated: bool,
    /// Hanging from a ledge?
    pub hanging: bool,
    /// Got up again, on what health the revival lent?
    pub going_to_die: bool,
    /// The entity of the infected that has the player: tongue, pounce, ride, pummel or carry.
    pub held_by: Option<u16>,
    /// Where the feet are.
    pub position: [f32; 3],
    /// How the engine moves the player; see [`WALKS`], [`NOCLIP`], [`OBSERVES`].
    pub move_type: u8,
    /// Feet on the ground?
    pub on_ground: bool,
    /// The class of the weapon in hand.
    pub weapon: Option<u16>,
    /// Rounds in its clip; none of what has no clip, such as a medkit.
    pub clip: Option<i32>,
    /// The director's stress of a survivor, 0 to 100.
    pub intensity: u8,
}

/// A common infected or a witch.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct CommonInfected {
    /// The entity's number.
    pub entity: u16,
    /// A witch?
    pub witch: bool,
    /// Where the feet are.
    pub position: [f32; 3],
}

/// Everybody that the server told about, at one packet.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Snapshot {
    /// The packet's tick.
    pub tick: i32,
    /// Survivors and special infected, by entity.
    pub players: Vec<Player>,
    /// Common infected and witches, by entity.
    pub infected: Vec<CommonInfected>,
}

impl Snapshot {
    /// A player by entity.
    pub fn player(&self, entity: u16) -> Option<&Player> {
        self.players.iter().find(|player| player.entity == entity)
    }

    /// The survivors.
    pub fn survivors(&self) -> impl Iterator<Item = &Player> {
        self.players.iter().filter(|player| i32::from(player.team) == SURVIVORS)
    }

    /// Common infected and witches not further than `units` from a place.
    pub fn infected_within(
        &self,
        place: [f32; 3],
        units: f32,
    ) -> impl Iterator<Item = &CommonInfected> {
        self.infected.iter().filter(move |infected| {
            let apart = |axis: usize| (infected.position[axis] - place[axis]).powi(2);
            apart(0) + apart(1) + apart(2) <= units * units
        })
    }
}

/// Writes snapshots as one JSON object a line.
pub fn write_json_lines(snapshots: &[Snapshot], to: &mut impl Write) -> io::Result<()> {
    for snapshot in snapshots {
        writeln!(to, "{}", serde_json::to_string(snapshot)?)?;
    }
    Ok(())
}

impl World {
    /// Everybody, now. `recorder` is the entity of the recording player, `seconds` the server's
    /// clock.
    pub(crate) fn snapshot(
        &self,
        tick: i32,
        recorder: u16,
        seconds: f32,
        budget: &mut Budget,
    ) -> Result<Snapshot, Reason> {
        let mut snapshot = Snapshot { tick, players: Vec::new(), infected: Vec::new() };
        budget.take(size_of::<Snapshot>())?;
        for (number, entity) in self.entities.iter().enumerate() {
            let Some(entity) = entity.as_ref().filter(|entity| entity.seen) else { continue };
            let number = number as u16;
            match self.class_name(entity.class) {
                name @ ("Infected" | "Witch") => {
                    budget.take(size_of::<CommonInfected>())?;
                    snapshot.infected.push(CommonInfected {
                        entity: number,
                        witch: name == "Witch",
                        position: entity.values.place(),
                    });
                }
                "CTerrorPlayer" | "SurvivorBot" | "Smoker" | "Boomer" | "Hunter" | "Spitter"
                | "Jockey" | "Charger" | "Tank" => {
                    budget.take(size_of::<Player>())?;
                    let own = number == recorder;
                    snapshot.players.push(self.player(number, entity, own, seconds));
                }
                _ => {}
            }
        }
        Ok(snapshot)
    }

    fn player(&self, number: u16, entity: &Entity, own: bool, seconds: f32) -> Player {
        let values = &entity.values;
        let weapon = self.held(values.weapon);
        Player {
            entity: number,
            class: entity.class,
            team: values.team as u8,
            zombie_class: values.zombie_class as u8,
            character: values.character as u8,
            alive: values.life_state == 0,
            ghost: values.ghost,
            health: values.health,
            max_health: values.max_health,
            temporary_health: temporary_health(values, seconds),
            incapacitated: values.incapacitated,
            hanging: values.hanging,
            going_to_die: values.going_to_die,
            held_by: values.captors.into_iter().find_map(entity_of),
            position: if own { values.own_place() } else { values.place() },
            move_type: values.move_type as u8,
            on_ground: values.flags & ON_GROUND != 0,
            weapon: weapon.map(|weapon| weapon.class),
            clip: weapon.map(|weapon| weapon.values.clip).filter(|rounds| *rounds >= 0),
            intensity: values.intensity.clamp(0, 255) as u8,
        }
    }

    fn held(&self, handle: i32) -> Option<&Entity> {
        self.entities.get(usize::from(entity_of(handle)?))?.as_ref()
    }
}

fn entity_of(handle: i32) -> Option<u16> {
    let handle = handle & NO_HANDLE;
    (handle != NO_HANDLE).then_some((handle & HANDLE_ENTITY) as u16)
}

fn temporary_health(values: &Values, seconds: f32) -> f32 {
    let passed = (seconds - values.buffer_time).max(0.0);
    (values.buffer - passed * TEMPORARY_DECAY).max(0.0)
}

/// A weapon's name in the game's own scripts, by the class of its entity.
pub fn weapon_name(class: &str) -> Option<&'static str> {
    Some(match class {
        "CPistol" => "pistol",
        "CMagnumPistol" => "pistol_magnum",
        "CSubMachinegun" => "smg",
        "CSMG_Silenced" => "smg_silenced",
        "CSMG_MP5" => "smg_mp5",
        "CPumpShotgun" => "pumpshotgun",
        "CShotgun_Chrome" => "shotgun_chrome",
        "CAutoShotgun" => "autoshotgun",
        "CShotgun_SPAS" => "shotgun_spas",
        "CAssaultRifle" => "rifle",
        "CRifle_AK47" => "rifle_ak47",
        "CRifle_Desert" => "rifle_desert",
        "CRifle_SG552" => "rifle_sg552",
        "CRifle_M60" => "rifle_m60",
        "CSniperRifle" => "hunting_rifle",
        "CSniper_Military" => "sniper_military",
        "CSniper_AWP" => "sniper_awp",
        "CSniper_Scout" => "sniper_scout",
        "CGrenadeLauncher" => "grenade_launcher",
        "CTerrorMeleeWeapon" => "melee",
        "CChainsaw" => "chainsaw",
        "CMolotov" => "molotov",
        "CPipeBomb" => "pipe_bomb",
        "CItem_VomitJar" => "vomitjar",
        "CFirstAidKit" => "first_aid_kit",
        "CItemDefibrillator" => "defibrillator",
        "CPainPills" => "pain_pills",
        "CItem_Adrenaline" => "adrenaline",
        "CItemUpgradePackExplosive" => "upgradepack_explosive",
        "CItemUpgradePackIncendiary" => "upgradepack_incendiary",
        "CGasCan" => "gascan",
        "CPropaneTank" => "propanetank",
        "COxygenTank" => "oxygentank",
        "CFireworkCrate" => "fireworkcrate",
        "CGnome" => "gnome",
        "CColaBottles" => "cola_bottles",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_health_goes_by_itself() {
        let values = Values { buffer: 50.0, buffer_time: 10.0, ..Default::default() };
        assert_eq!(temporary_health(&values, 10.0), 50.0);
        assert!((temporary_health(&values, 110.0) - 23.0).abs() < 1e-3);
        assert_eq!(temporary_health(&values, 1000.0), 0.0);
    }
}
