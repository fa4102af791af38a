//! State and action of the recording player, tick by tick: what an imitator learns from.
//!
//! A pair is one user command and what was known when it was given. Not every tick of a recording
//! is play: people look on when they are dead, fly through walls to try something, wait while a map
//! loads. Such ticks stay in the list, so that nothing is lost, and say why they are not play:
//!
//! - [`NotPlay::Unknown`]: no packet of the tick or the three before it told of the player's own
//!   entity;
//! - [`NotPlay::Over`]: the map has ended and the next round has not begun;
//! - [`NotPlay::Spectating`]: on neither team, or the engine moves the player as an onlooker;
//! - [`NotPlay::Dead`]: not alive, or an infected player who has not appeared yet;
//! - [`NotPlay::Noclip`]: the engine moves the player through walls;
//! - [`NotPlay::Held`]: the engine does not move the player at all;
//! - [`NotPlay::Teleport`]: the player is further from the last place than the fastest thing of the
//!   game can go in that time.
//!
//! The first reason that holds is given.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use super::entities::snapshot::{self, NOCLIP, OBSERVES, Player, Snapshot};
use super::legacy::{Follower, Legacy};
use super::report::quoted;
use super::timeline::{Demo, Packet};
use super::usercmd::{self, UserCommand};
use crate::nav::Terrain;
use crate::view::legacy::FEATURES;

/// Nothing of the game goes faster. // Source SDK 2013: sv_maxvelocity 3500
const FASTEST_UNITS_A_SEC: f32 = 3500.0;
/// A packet older than this says nothing of now, and over a longer gap no velocity is measured.
const LONGEST_GAP_TICKS: i32 = 3;
/// A client that stumbles catches up with a few packets in a tick.
const MOST_PACKETS_A_TICK: usize = 32;
/// The engine does not move what has this move type. // Source SDK 2013: MOVETYPE_NONE
const HELD: u8 = 0;

/// The nine ways to want to move: forward or back by rows, left or right by columns.
pub const MOVES: [&str; 9] = [
    "back_left",
    "back",
    "back_right",
    "left",
    "stand",
    "right",
    "forward_left",
    "forward",
    "forward_right",
];

/// Why a tick is not play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the rules stand at the top of the file")]
pub enum NotPlay {
    Unknown,
    Over,
    Spectating,
    Dead,
    Noclip,
    Held,
    Teleport,
}

impl NotPlay {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            NotPlay::Unknown => "unknown",
            NotPlay::Over => "over",
            NotPlay::Spectating => "spectating",
            NotPlay::Dead => "dead",
            NotPlay::Noclip => "noclip",
            NotPlay::Held => "held",
            NotPlay::Teleport => "teleport",
        }
    }
}

/// What the recording player knew and did in a tick.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Pair {
    /// The tick.
    pub tick: i32,
    /// The same in seconds.
    pub seconds: f32,
    /// The tick of the packet that tells of the player: the same, or the last before it.
    pub seen_tick: i32,
    /// Where the feet are, in units.
    pub position: [f32; 3],
    /// Units a second since the packet before; zero where that cannot be said.
    pub velocity: [f32; 3],
    /// Degrees, down is positive.
    pub pitch: f32,
    /// Degrees, left is positive.
    pub yaw: f32,
    /// Feet on the ground? `None` where nothing tells.
    pub on_ground: Option<bool>,
    /// Health that stays.
    pub health: Option<i32>,
    /// Health that goes by itself.
    pub temporary_health: Option<f32>,
    /// Down?
    pub incapacitated: Option<bool>,
    /// Hanging from a ledge?
    pub hanging: Option<bool>,
    /// Got up again, on what health the revival lent?
    pub going_to_die: Option<bool>,
    /// The entity of the infected that has the player.
    pub held_by: Option<u16>,
    /// The weapon in hand.
    pub weapon: Option<&'static str>,
    /// Rounds in its clip.
    pub clip: Option<i32>,
    /// What happened in the tick.
    #[serde(serialize_with = "names")]
    pub events: Vec<Arc<str>>,
    /// Pressed buttons, one bit each; see [`usercmd::BUTTONS`].
    pub buttons: u32,
    /// The wish to move, as a place in [`MOVES`].
    pub movement: u8,
    /// The same forward, as it was sent.
    pub forward: f32,
    /// The same to the right, as it was sent.
    pub side: f32,
    /// Mouse to the right and down, in counts.
    pub mouse: [i16; 2],
    /// The entity of the weapon to change to; 0 for none.
    pub weapon_select: u16,
    /// Why the tick is not play; `None` when it is.
    pub not_play: Option<NotPlay>,
    /// The legacy view, by its features; what nothing tells is `None`. Only with the mesh of the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legacy: Option<Legacy>,
}

fn names<S: serde::Serializer>(events: &[Arc<str>], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(events.iter().map(|name| &**name))
}

/// The pairs of a recording, in order; with the legacy view if the mesh of its map is given.
pub fn pairs(demo: &Demo, terrain: Option<&Terrain>) -> Vec<Pair> {
    let mut follower = Follower::default();
    let mut packets: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (place, packet) in demo.packets.iter().enumerate() {
        packets.entry(packet.tick).or_default().push(place);
    }
    let mut events: BTreeMap<i32, Vec<Arc<str>>> = BTreeMap::new();
    for event in &demo.events {
        events.entry(event.tick).or_default().push(Arc::clone(&event.name));
    }
    let over = ticks_over(demo);
    let mut taken: BTreeMap<i32, usize> = BTreeMap::new();
    let mut list = Vec::with_capacity(demo.commands.len());
    for command in demo.commands.iter().filter(|command| command.slot == 0) {
        // A stumbling client has several packets in a tick, and as many commands; one far from its
        // server has ticks without a packet, and sees the last.
        let turn = taken.entry(command.tick).or_default();
        let oldest = command.tick.saturating_sub(LONGEST_GAP_TICKS);
        let latest = packets.range(oldest..=command.tick).next_back();
        let place = latest.and_then(|(tick, places)| {
            if *tick == command.tick { places.get(*turn).or(places.last()) } else { places.last() }
        });
        let first = *turn == 0;
        *turn += 1;
        let packet = place.and_then(|place| demo.packets.get(*place));
        let snapshot = packet.and_then(|packet| demo.snapshots.get(packet.snapshot?));
        let mut pair = pair(demo, command, packet, snapshot);
        if first {
            pair.events = events.get(&command.tick).cloned().unwrap_or_default();
        }
        if pair.not_play != Some(NotPlay::Unknown) && over(command.tick) {
            pair.not_play = Some(NotPlay::Over);
        }
        if let Some(place) = place {
            measure(&mut pair, before(demo, *place), demo.tick_secs());
        }
        if let Some(terrain) = terrain {
            pair.legacy = follower.observe(&pair, snapshot, demo.recorder(), terrain);
        }
        list.push(pair);
    }
    list
}

/// Tick and place of the last packet that came in an earlier tick than this one.
fn before(demo: &Demo, place: usize) -> Option<(i32, [f32; 3])> {
    let packet = demo.packets.get(place)?;
    let earlier = demo.packets.get(..place)?.iter().rev().take(MOST_PACKETS_A_TICK);
    let mut earlier = earlier.skip_while(|earlier| earlier.tick == packet.tick);
    earlier.next().map(|earlier| (earlier.tick, earlier.view.feet()))
}

/// After a map's end, until a round begins.
fn ticks_over(demo: &Demo) -> impl Fn(i32) -> bool {
    let marks: Vec<(i32, bool)> = demo
        .events
        .iter()
        .filter_map(|event| match &*event.name {
            "map_transition" | "finale_win" => Some((event.tick, true)),
            "round_start" => Some((event.tick, false)),
            _ => None,
        })
        .collect();
    move |tick| {
        let last = marks.iter().rev().find(|(at, _)| *at <= tick);
        last.is_some_and(|(_, over)| *over)
    }
}

fn pair(
    demo: &Demo,
    command: &UserCommand,
    packet: Option<&Packet>,
    snapshot: Option<&Snapshot>,
) -> Pair {
    let own = snapshot.and_then(|snapshot| snapshot.player(demo.recorder()));
    let weapon = own.and_then(|own| demo.classes.get(usize::from(own.weapon?)));
    Pair {
        tick: command.tick,
        seconds: command.tick as f32 * demo.tick_secs(),
        seen_tick: packet.map_or(command.tick, |packet| packet.tick),
        position: packet.map_or([0.0; 3], |packet| packet.view.feet()),
        velocity: [0.0; 3],
        pitch: command.angles[0],
        yaw: command.angles[1],
        on_ground: own.map(|own| own.on_ground),
        health: own.map(|own| own.health),
        temporary_health: own.map(|own| own.temporary_health),
        incapacitated: own.map(|own| own.incapacitated),
        hanging: own.map(|own| own.hanging),
        going_to_die: own.map(|own| own.going_to_die),
        held_by: own.and_then(|own| own.held_by),
        weapon: weapon.and_then(|class| snapshot::weapon_name(class)),
        clip: own.and_then(|own| own.clip),
        events: Vec::new(),
        buttons: command.buttons,
        movement: movement(command.forward, command.side),
        forward: command.forward,
        side: command.side,
        mouse: [command.mouse_x, command.mouse_y],
        weapon_select: command.weapon,
        not_play: reason(own),
        legacy: None,
    }
}

fn reason(own: Option<&Player>) -> Option<NotPlay> {
    let Some(own) = own else { return Some(NotPlay::Unknown) };
    if !(2..=3).contains(&own.team) || (own.alive && own.move_type == OBSERVES) {
        return Some(NotPlay::Spectating);
    }
    if !own.alive || own.ghost {
        return Some(NotPlay::Dead);
    }
    match own.move_type {
        NOCLIP => Some(NotPlay::Noclip),
        HELD => Some(NotPlay::Held),
        _ => None,
    }
}

/// Velocity by difference; a leap that nothing could make is a teleport.
fn measure(pair: &mut Pair, before: Option<(i32, [f32; 3])>, tick_secs: f32) {
    let Some((tick, place)) = before else { return };
    let ticks = pair.seen_tick.saturating_sub(tick);
    let moved: [f32; 3] = std::array::from_fn(|axis| pair.position[axis] - place[axis]);
    let distance = moved.iter().map(|axis| axis * axis).sum::<f32>().sqrt();
    let seconds = ticks.max(1) as f32 * tick_secs;
    // A view that is no number is nowhere.
    if distance.is_nan() || distance > FASTEST_UNITS_A_SEC * seconds {
        pair.not_play = pair.not_play.or(Some(NotPlay::Teleport));
    } else if (1..=LONGEST_GAP_TICKS).contains(&ticks) {
        pair.velocity = moved.map(|axis| axis / seconds);
    }
}

/// The place in [`MOVES`] of a wish to go forward and to the right.
pub fn movement(forward: f32, side: f32) -> u8 {
    let third = |wish: f32| if wish > 0.0 { 2 } else { u8::from(wish == 0.0 || wish.is_nan()) };
    3 * third(forward) + third(side)
}

/// The head of the table that [`write_csv`] writes.
pub const CSV_HEAD: &str = "tick,seconds,x,y,z,vx,vy,vz,pitch,yaw,on_ground,health,\
     temporary_health,incapacitated,hanging,going_to_die,held_by,weapon,clip,events,buttons,move,\
     forward,side,mouse_x,mouse_y,weapon_select,not_play";

/// Writes the pairs as a table; what is not known is empty, several names are joined by `+`. The legacy view, if
/// there is one, stands behind in columns `legacy_…`.
pub fn write_csv(pairs: &[Pair], to: &mut impl Write) -> io::Result<()> {
    let has_legacy = pairs.iter().any(|pair| pair.legacy.is_some());
    write!(to, "{CSV_HEAD}")?;
    for name in FEATURES.iter().filter(|_| has_legacy) {
        write!(to, ",legacy_{name}")?;
    }
    writeln!(to)?;
    for pair in pairs {
        let [x, y, z] = pair.position;
        let [vx, vy, vz] = pair.velocity;
        write!(to, "{},{:.4},{x},{y},{z},{vx},{vy},{vz},", pair.tick, pair.seconds)?;
        write!(to, "{},{},", pair.pitch, pair.yaw)?;
        write!(to, "{},{},", cell(pair.on_ground), cell(pair.health))?;
        write!(to, "{},{},", cell(pair.temporary_health), cell(pair.incapacitated))?;
        write!(to, "{},{},", cell(pair.hanging), cell(pair.going_to_die))?;
        write!(to, "{},", cell(pair.held_by))?;
        write!(to, "{},{},", cell(pair.weapon), cell(pair.clip))?;
        write!(
            to,
            "{},{},",
            quoted(&pair.events.join("+")),
            usercmd::names(pair.buttons).join("+")
        )?;
        let wish = MOVES.get(usize::from(pair.movement)).unwrap_or(&"");
        write!(to, "{wish},{},{},", pair.forward, pair.side)?;
        write!(to, "{},{},{},", pair.mouse[0], pair.mouse[1], pair.weapon_select)?;
        write!(to, "{}", cell(pair.not_play.map(NotPlay::name)))?;
        for number in pair.legacy.unwrap_or_default().iter().filter(|_| has_legacy) {
            write!(to, ",{}", cell(*number))?;
        }
        writeln!(to)?;
    }
    Ok(())
}

fn cell(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Writes the pairs as one JSON object a line, with `button_names` and `move` beside the numbers.
pub fn write_json_lines(pairs: &[Pair], to: &mut impl Write) -> io::Result<()> {
    for pair in pairs {
        let mut line = serde_json::to_value(pair)?;
        if let Some(fields) = line.as_object_mut() {
            fields.insert("button_names".to_owned(), usercmd::names(pair.buttons).into());
            let wish = MOVES.get(usize::from(pair.movement)).copied();
            fields.insert("move".to_owned(), wish.into());
        }
        writeln!(to, "{line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(tick: i32, position: [f32; 3]) -> Pair {
        Pair {
            tick,
            seconds: 0.0,
            seen_tick: tick,
            position,
            velocity: [0.0; 3],
            pitch: 0.0,
            yaw: 0.0,
            on_ground: None,
            health: None,
            temporary_health: None,
            incapacitated: None,
            hanging: None,
            going_to_die: None,
            held_by: None,
            weapon: None,
            clip: None,
            events: vec!["player_hurt".into(), "weapon_fire".into()],
            buttons: 1 | 1 << 11,
            movement: movement(450.0, -450.0),
            forward: 450.0,
            side: -450.0,
            mouse: [3, -4],
            weapon_select: 0,
            not_play: None,
            legacy: None,
        }
    }

    #[test]
    fn nine_ways_to_want_to_move() {
        let wishes = [-450.0, 0.0, 450.0];
        let cells: Vec<u8> =
            wishes.iter().flat_map(|f| wishes.map(|side| movement(*f, side))).collect();
        assert_eq!(cells, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(MOVES[usize::from(movement(450.0, 0.0))], "forward");
        assert_eq!(MOVES[usize::from(movement(0.0, 450.0))], "right");
        assert_eq!(movement(f32::NAN, 0.0), 4);
    }

    #[test]
    fn velocity_is_zero_across_a_teleport_and_a_gap() {
        let before = Some((10, [0.0; 3]));
        let mut pair = at(11, [7.0, 0.0, 0.0]);
        measure(&mut pair, before, 1.0 / 30.0);
        assert!((pair.velocity[0] - 210.0).abs() < 1e-3);
        let mut pair = at(11, [300.0, 0.0, 0.0]);
        measure(&mut pair, before, 1.0 / 30.0);
        assert_eq!((pair.velocity, pair.not_play), ([0.0; 3], Some(NotPlay::Teleport)));
        let mut pair = at(20, [300.0, 0.0, 0.0]);
        measure(&mut pair, before, 1.0 / 30.0);
        assert_eq!((pair.velocity, pair.not_play), ([0.0; 3], None));
        let mut pair = at(11, [f32::NAN, 0.0, 0.0]);
        measure(&mut pair, before, 1.0 / 30.0);
        assert_eq!(pair.not_play, Some(NotPlay::Teleport));
    }

    #[test]
    fn a_row_has_as_many_cells_as_the_head() {
        let mut table = Vec::new();
        write_csv(&[at(1, [1.0, 2.0, 3.0])], &mut table).unwrap();
        let table = String::from_utf8(table).unwrap();
        let cells: Vec<_> = table.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(cells, [28, 28]);
        let mut observed = at(1, [1.0, 2.0, 3.0]);
        observed.legacy = Some([Some(0.5); FEATURES.len()]);
        let mut wide = Vec::new();
        write_csv(&[at(1, [1.0; 3]), observed], &mut wide).unwrap();
        let wide = String::from_utf8(wide).unwrap();
        let cells: Vec<_> = wide.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(cells, [48, 48, 48]);
        assert!(wide.lines().next().unwrap().ends_with(",legacy_near_objective"));
        assert!(
            table.contains("player_hurt+weapon_fire,attack+attack2,forward_left,450,-450,3,-4,0,")
        );
        let mut lines = Vec::new();
        write_json_lines(&[at(1, [1.0, 2.0, 3.0])], &mut lines).unwrap();
        let line: serde_json::Value = serde_json::from_slice(&lines).unwrap();
        assert_eq!(line["move"], "forward_left");
        assert_eq!(line["events"][1], "weapon_fire");
        assert_eq!(line["button_names"][1], "attack2");
    }
}
