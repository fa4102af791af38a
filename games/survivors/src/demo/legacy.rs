//! The legacy view as far as a recording tells it. Infected and fellows are those that the server told the
//! player of: what he could neither see nor hear is not counted.

use super::Pair;
use super::entities::snapshot::{Player, Snapshot};
use super::pairs::NotPlay;
use crate::nav::Terrain;
use crate::sim::space::distance;
use crate::sim::world::SURVIVORS;
use crate::view::legacy::{FEATURES, LegacyState, NEARBY, OBJECTIVE};

/// The twenty numbers; `None` where nothing tells.
pub type Legacy = [Option<f32>; FEATURES.len()];

const ANGLE_AND_PLACE: std::ops::Range<usize> = 3..11;
const PRIMARY_WEAPON: usize = 11;
const AMMO: usize = 12;
const SURVIVOR_TEAM: u8 = 2;
const INFECTED_TEAM: u8 = 3;

/// Follows a player through a recording.
#[derive(Debug, Default)]
pub(super) struct Follower {
    /// The gun last held in the first slot: it stays there until another is held.
    primary: Option<u8>,
}

impl Follower {
    /// The numbers at a pair, given who was told of and the mesh of the map.
    pub(super) fn observe(
        &mut self,
        pair: &Pair,
        snapshot: Option<&Snapshot>,
        recorder: u16,
        terrain: &Terrain,
    ) -> Option<Legacy> {
        let snapshot = snapshot?;
        let own = snapshot.player(recorder).filter(|own| own.team == SURVIVOR_TEAM)?;
        if matches!(pair.not_play, Some(NotPlay::Unknown | NotPlay::Spectating)) {
            return None;
        }
        self.primary = match pair.weapon.and_then(primary_id) {
            _ if !own.alive => None,
            Some(id) => Some(id),
            None => self.primary,
        };
        let mut numbers = [0.0; FEATURES.len()];
        self.state(pair, own, snapshot, terrain).write(&mut numbers);
        let mut known = numbers.map(Some);
        if numbers[ANGLE_AND_PLACE].iter().any(|x| !x.is_finite()) {
            return None;
        }
        if self.primary.is_none() {
            known[PRIMARY_WEAPON] = None;
        }
        if pair.clip.is_none() {
            known[AMMO] = None;
        }
        Some(known)
    }

    fn state(
        &self,
        pair: &Pair,
        own: &Player,
        snapshot: &Snapshot,
        terrain: &Terrain,
    ) -> LegacyState {
        let at = pair.position;
        let area = terrain.nearest(at);
        let specials = snapshot
            .players
            .iter()
            .filter(|player| player.team == INFECTED_TEAM && player.alive && !player.ghost);
        let infected = snapshot.infected.iter().map(|infected| infected.position);
        let (mut nearby, mut nearest) = (0u8, f32::INFINITY);
        for place in infected.chain(specials.map(|player| player.position)) {
            let far = distance(at, place);
            nearest = nearest.min(far);
            nearby = nearby.saturating_add(u8::from(far < NEARBY));
        }
        let fellows = snapshot
            .survivors()
            .filter(|fellow| fellow.entity != own.entity && fellow.alive)
            .take(SURVIVORS - 1);
        let (mut alive, mut down, mut mate) = (0, 0, f32::INFINITY);
        for fellow in fellows {
            alive += 1;
            down += u8::from(fellow.incapacitated);
            mate = mate.min(distance(at, fellow.position));
        }
        LegacyState {
            health: own.health as f32 + if own.incapacitated { 0.0 } else { own.temporary_health },
            is_alive: own.alive,
            is_incapped: own.incapacitated,
            position: at,
            velocity: pair.velocity,
            angle: [pair.pitch, crate::sim::space::wrapped(pair.yaw)],
            weapons: [self.primary.unwrap_or(0), 0],
            throwable: 0,
            health_item: 0,
            ammo: pair.clip.unwrap_or(0).clamp(0, i32::from(u16::MAX)) as u16,
            nearby_enemies: nearby,
            nearest_enemy_dist: nearest,
            teammates_alive: alive,
            nearest_teammate_dist: mate,
            teammates_incapped: down,
            in_safe_room: terrain.in_goal(area),
            near_objective: terrain.to_goal(area) < OBJECTIVE,
        }
    }
}

/// The game's number (`WEPID`, facts §4) of a gun of the first slot.
pub(crate) fn primary_id(weapon: &str) -> Option<u8> {
    Some(match weapon {
        "smg" => 2,
        "pumpshotgun" => 3,
        "autoshotgun" => 4,
        "rifle" => 5,
        "hunting_rifle" => 6,
        "smg_silenced" => 7,
        "shotgun_chrome" => 8,
        "rifle_desert" => 9,
        "sniper_military" => 10,
        "shotgun_spas" => 11,
        "grenade_launcher" => 21,
        "rifle_ak47" => 26,
        "smg_mp5" => 33,
        "rifle_sg552" => 34,
        "sniper_awp" => 35,
        "sniper_scout" => 36,
        "rifle_m60" => 37,
        _ => return None,
    })
}
