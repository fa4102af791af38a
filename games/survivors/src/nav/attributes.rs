//! The bits of an area: what its ground is like ([`flags`](super::Area::flags)) and what the game may
//! put there ([`spawn`](super::Area::spawn)). facts/survivors.md §2.

/// Crouch to pass.
pub const CROUCH: u32 = 1 << 0;
/// Jump to get in.
pub const JUMP: u32 = 1 << 1;
/// Walk without dodging.
pub const PRECISE: u32 = 1 << 2;
/// Do not jump here.
pub const NO_JUMP: u32 = 1 << 3;
/// Stop on entering.
pub const STOP: u32 = 1 << 4;
/// Run here.
pub const RUN: u32 = 1 << 5;
/// Walk here.
pub const WALK: u32 = 1 << 6;
/// Keep out unless there is need.
pub const AVOID: u32 = 1 << 7;
/// May become blocked.
pub const TRANSIENT: u32 = 1 << 8;
/// Nobody hides here.
pub const DONT_HIDE: u32 = 1 << 9;
/// Stand when hiding here.
pub const STAND: u32 = 1 << 10;
/// Kept from another game of the engine.
pub const NO_HOSTAGES: u32 = 1 << 11;
/// The ground is stairs.
pub const STAIRS: u32 = 1 << 12;
/// Not to be merged with its neighbours.
pub const NO_MERGE: u32 = 1 << 13;
/// The top of something to climb over.
pub const OBSTACLE_TOP: u32 = 1 << 14;
/// At least one side falls off.
pub const CLIFF: u32 = 1 << 15;
/// Only tanks may come here.
pub const TANK_ONLY: u32 = 1 << 16;
/// Only common infected may come here.
pub const MOB_ONLY: u32 = 1 << 17;
/// Survivors are kept out.
pub const PLAYERCLIP: u32 = 1 << 18;
/// Behind a wall that breaks.
pub const BREAKABLEWALL: u32 = 1 << 19;
/// A lift stops here. Found, not documented: on c1m1_hotel the sixteen areas that have it are the two stops
/// of its lift, 1,277 units apart.
pub const ELEVATOR: u32 = 1 << 30;

/// No wandering infected are put here.
pub const EMPTY: u32 = 1 << 1;
/// The search for a place to spawn stops here.
pub const STOP_SCAN: u32 = 1 << 2;
/// A place to make a stand.
pub const BATTLESTATION: u32 = 1 << 5;
/// Part of the last stand.
pub const FINALE: u32 = 1 << 6;
/// Survivors begin here.
pub const PLAYER_START: u32 = 1 << 7;
/// A wide place for a fight.
pub const BATTLEFIELD: u32 = 1 << 8;
/// Infected may appear here in plain sight.
pub const IGNORE_VISIBILITY: u32 = 1 << 9;
/// Never counts as cleared.
pub const NOT_CLEARABLE: u32 = 1 << 10;
/// Part of a safe room.
pub const CHECKPOINT: u32 = 1 << 11;
/// Infected may appear here though it is near.
pub const OBSCURED: u32 = 1 << 12;
/// No mobs are put here.
pub const NO_MOBS: u32 = 1 << 13;
/// A witch or a tank may wait here.
pub const THREAT: u32 = 1 << 14;
/// The vehicle that ends the campaign.
pub const RESCUE_VEHICLE: u32 = 1 << 15;
/// A closet in which the dead come back.
pub const RESCUE_CLOSET: u32 = 1 << 16;
/// On the way from start to goal; the game sets it while it runs.
pub const ESCAPE_ROUTE: u32 = 1 << 17;
/// A door, or what is left of one.
pub const DOOR: u32 = 1 << 18;
/// No witch and no tank waits here.
pub const NOTHREAT: u32 = 1 << 19;
/// Wandering infected lie down here.
pub const LYINGDOWN: u32 = 1 << 20;
/// Which way the end is, on a compass: eight bits.
pub const COMPASS: u32 = 0xff << 24;

/// The ground bits with their names, lowest first.
pub const FLAG_NAMES: [(u32, &str); 21] = [
    (CROUCH, "CROUCH"),
    (JUMP, "JUMP"),
    (PRECISE, "PRECISE"),
    (NO_JUMP, "NO_JUMP"),
    (STOP, "STOP"),
    (RUN, "RUN"),
    (WALK, "WALK"),
    (AVOID, "AVOID"),
    (TRANSIENT, "TRANSIENT"),
    (DONT_HIDE, "DONT_HIDE"),
    (STAND, "STAND"),
    (NO_HOSTAGES, "NO_HOSTAGES"),
    (STAIRS, "STAIRS"),
    (NO_MERGE, "NO_MERGE"),
    (OBSTACLE_TOP, "OBSTACLE_TOP"),
    (CLIFF, "CLIFF"),
    (TANK_ONLY, "TANK_ONLY"),
    (MOB_ONLY, "MOB_ONLY"),
    (PLAYERCLIP, "PLAYERCLIP"),
    (BREAKABLEWALL, "BREAKABLEWALL"),
    (ELEVATOR, "ELEVATOR"),
];

/// The spawn bits with their names, lowest first.
pub const SPAWN_NAMES: [(u32, &str); 18] = [
    (EMPTY, "EMPTY"),
    (STOP_SCAN, "STOP_SCAN"),
    (BATTLESTATION, "BATTLESTATION"),
    (FINALE, "FINALE"),
    (PLAYER_START, "PLAYER_START"),
    (BATTLEFIELD, "BATTLEFIELD"),
    (IGNORE_VISIBILITY, "IGNORE_VISIBILITY"),
    (NOT_CLEARABLE, "NOT_CLEARABLE"),
    (CHECKPOINT, "CHECKPOINT"),
    (OBSCURED, "OBSCURED"),
    (NO_MOBS, "NO_MOBS"),
    (THREAT, "THREAT"),
    (RESCUE_VEHICLE, "RESCUE_VEHICLE"),
    (RESCUE_CLOSET, "RESCUE_CLOSET"),
    (ESCAPE_ROUTE, "ESCAPE_ROUTE"),
    (DOOR, "DOOR"),
    (NOTHREAT, "NOTHREAT"),
    (LYINGDOWN, "LYINGDOWN"),
];

/// The names of the spawn bits that are set, lowest first; bits without a name are `BIT_n`.
pub fn names(spawn: u32) -> Vec<String> {
    spelt(spawn, &SPAWN_NAMES)
}

/// The names of the ground bits that are set, lowest first; bits without a name are `BIT_n`.
pub fn flag_names(flags: u32) -> Vec<String> {
    spelt(flags, &FLAG_NAMES)
}

fn spelt(bits: u32, known: &[(u32, &str)]) -> Vec<String> {
    (0..32)
        .filter(|bit| bits >> bit & 1 == 1)
        .map(|bit| match known.iter().find(|(named, _)| *named == 1 << bit) {
            Some((_, name)) => (*name).to_string(),
            None => format!("BIT_{bit}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_have_the_numbers_of_the_game() {
        assert_eq!(
            names(1 << 7 | 1 << 11 | 1 << 15),
            ["PLAYER_START", "CHECKPOINT", "RESCUE_VEHICLE"]
        );
        assert_eq!(names(1 << 20 | 1 << 30), ["LYINGDOWN", "BIT_30"]);
        assert_eq!(flag_names(1 << 12 | 1 << 15 | 1 << 29), ["STAIRS", "CLIFF", "BIT_29"]);
        assert!(names(0).is_empty());
    }
}
