//! From packets to the state that policies have learnt to see.
//!
//! Most of it is in the packet. The rest is followed from one packet to the next, by the ticks that lie
//! between them, of which there may be several, or none.
//!
//! | of the state | where it comes from |
//! |---|---|
//! | places, speeds, boost, supersonic, demolished | the packet |
//! | `pad_secs` | the field's pads are matched with ours by their place; time counts down from 4 or 10 s, where the packet's counts up |
//! | `on_ground` | the packet's air state; during a jump, its first six ticks, in which the wheels usually still touch |
//! | `has_flip` | on the ground, or neither spent nor too late: `dodge_timeout` is −1 on the ground as well as when it is over |
//! | `flipping` | within 0.65 s of a dodge |
//! | `air_secs` | counted |
//! | `body_contact` | asked of the engine, for the own cars (`ContactProbe`) |
//! | `last_action` | what the bot itself has chosen |

use rocketsim::Vec3A;

use super::message::FieldPad;
use super::packet::{AirState, Packet, Player};
use crate::engine::blank_state;
use crate::hitbox::Hitbox;
use crate::pads::{PAD_IS_BIG, PAD_POSITIONS};
use crate::state::{Body, Car, PADS, State, Team};

const TICK_SECS: f32 = 1.0 / 120.0;
/// Ticks of a jump in which a car is taken to stand on its wheels still.
const WHEELS_LEAVE_TICKS: u32 = 6;
/// A dodge turns a car for so long.
const FLIP_SECS: f32 = 0.65;
const SMALL_PAD_SECS: f32 = 4.0;
const BIG_PAD_SECS: f32 = 10.0;
/// A pad of the field that lies no further than this from one of ours is that one.
const SAME_PAD_UU: f32 = 60.0;

/// Follows a match.
#[derive(Debug)]
pub struct Tracker {
    state: State,
    /// Our pad for each of the field's, if there is one.
    pads: Vec<Option<usize>>,
    /// By player.
    tracks: Vec<Track>,
    /// The car of each player.
    car_of: Vec<usize>,
    hitboxes: Vec<Hitbox>,
    frame: Option<u32>,
}

/// What is followed of a player.
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    id: i32,
    team: u32,
    air_ticks: u32,
    jump_ticks: u32,
    jumping: bool,
    stood: bool,
}

/// What a packet brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// So many ticks have passed; none if the packet was a repetition.
    Ticks(u32),
    /// This is another match than the one before, or the first packet of all.
    Anew,
}

impl Tracker {
    /// Follows a match on a field with these pads.
    pub fn new(field: &[FieldPad]) -> Self {
        let mut pads: Vec<Option<usize>> = Vec::with_capacity(field.len());
        for pad in field {
            let place = Vec3A::new(pad.location[0], pad.location[1], 0.0);
            let near = |ours: &usize| {
                let offset = PAD_POSITIONS[*ours].with_z(0.0) - place;
                offset.length() <= SAME_PAD_UU && PAD_IS_BIG[*ours] == pad.big
            };
            let ours = (0..PADS).find(near).filter(|ours| !pads.contains(&Some(*ours)));
            pads.push(ours);
        }
        let mut state = blank_state(0, 0);
        // What the field does not have never has boost.
        state.pad_secs = std::array::from_fn(full_secs);
        Self {
            state,
            pads,
            tracks: Vec::new(),
            car_of: Vec::new(),
            hitboxes: Vec::new(),
            frame: None,
        }
    }

    /// Pads of the soccar field that this one has.
    pub fn pads_found(&self) -> usize {
        self.pads.iter().flatten().count()
    }

    /// The match as it stands. Blue cars come first.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The car of a player.
    pub fn car(&self, player: usize) -> Option<usize> {
        self.car_of.get(player).copied()
    }

    /// The hitbox of every car.
    pub fn hitboxes(&self) -> &[Hitbox] {
        &self.hitboxes
    }

    /// A car is to do this from now on, or has nothing to do yet.
    pub fn note_action(&mut self, car: usize, row: Option<usize>) {
        self.state.cars[car].last_action = row;
    }

    /// Some part of a car other than a wheel touches the arena.
    pub fn note_contact(&mut self, car: usize, contact: bool) {
        self.state.cars[car].body_contact = contact;
    }

    /// Takes a packet in. One that is not newer than the last changes nothing.
    pub fn update(&mut self, packet: &Packet) -> Advance {
        let ticks = self.frame.map(|last| packet.frame.wrapping_sub(last) as i32);
        let anew = ticks.is_none_or(|ticks| ticks < 0) || self.others_play(packet);
        if anew {
            self.seat(packet);
        } else if ticks == Some(0) {
            return Advance::Ticks(0);
        }
        let ticks = if anew { 0 } else { ticks.unwrap_or(0).unsigned_abs() };
        self.frame = Some(packet.frame);
        self.state.tick = u64::from(packet.frame);
        if let Some(ball) = packet.ball {
            self.state.ball = finite(ball.body());
        }
        for (index, player) in packet.players.iter().enumerate() {
            let car = self.car_of[index];
            self.tracks[index].follow(player, ticks, &mut self.state.cars[car]);
        }
        for (pad, ours) in packet.pads.iter().zip(&self.pads) {
            if let Some(ours) = *ours {
                let left = full_secs(ours) - pad.taken_secs;
                let left = if left.is_finite() { left } else { 0.0 };
                self.state.pad_secs[ours] =
                    if pad.active { 0.0 } else { left.clamp(0.0, full_secs(ours)) };
            }
        }
        if anew { Advance::Anew } else { Advance::Ticks(ticks) }
    }

    /// Has somebody come or gone?
    fn others_play(&self, packet: &Packet) -> bool {
        packet.players.len() != self.tracks.len()
            || packet
                .players
                .iter()
                .zip(&self.tracks)
                .any(|(p, t)| (p.id, p.team) != (t.id, t.team))
    }

    /// Gives every player a car.
    fn seat(&mut self, packet: &Packet) {
        let orange = |player: &Player| player.team == 1;
        let oranges = packet.players.iter().filter(|player| orange(player)).count();
        let blues = packet.players.len() - oranges;
        let State { ball, pad_secs, tick, .. } = self.state;
        self.state = State { ball, pad_secs, tick, ..blank_state(blues, oranges) };
        self.tracks.clear();
        self.car_of.clear();
        self.hitboxes = vec![Hitbox::default(); packet.players.len()];
        let mut next = [0, blues];
        for player in &packet.players {
            let next = &mut next[usize::from(orange(player))];
            self.hitboxes[*next] = Hitbox::nearest(player.hitbox);
            self.car_of.push(*next);
            *next += 1;
            let stood = player.air == AirState::OnGround;
            let (id, team) = (player.id, player.team);
            self.tracks.push(Track { id, team, stood, ..Track::default() });
        }
    }
}

impl Track {
    fn follow(&mut self, player: &Player, ticks: u32, car: &mut Car) {
        if player.has_jumped || self.jumping {
            self.jump_ticks = self.jump_ticks.saturating_add(ticks);
        }
        self.jumping = player.air == AirState::Jumping;
        if self.jumping && self.stood {
            self.jump_ticks = 0;
        }
        self.stood = player.air == AirState::OnGround;
        let leaving = self.jumping && self.jump_ticks <= WHEELS_LEAVE_TICKS;
        let on_ground = self.stood || leaving;
        let demolished = player.demolished_timeout > 0.0;
        self.air_ticks =
            if on_ground || demolished { 0 } else { self.air_ticks.saturating_add(ticks) };
        let too_late = player.has_jumped && !self.jumping && player.dodge_timeout <= TICK_SECS;
        let spent = player.has_dodged || player.has_double_jumped || too_late;
        *car = Car {
            team: if player.team == 1 { Team::Orange } else { Team::Blue },
            body: finite(player.physics.body()),
            world_from_car: player.physics.axes(),
            boost: player.boost,
            on_ground,
            has_jump: !player.has_jumped,
            has_flip: on_ground || !spent,
            jumping: self.jumping,
            flipping: player.has_dodged && player.dodge_elapsed < FLIP_SECS,
            supersonic: player.supersonic,
            demolished,
            respawn_secs: if demolished { player.demolished_timeout } else { 0.0 },
            air_secs: self.air_ticks as f32 * TICK_SECS,
            body_contact: false,
            last_action: car.last_action,
        };
    }
}

fn full_secs(pad: usize) -> f32 {
    if PAD_IS_BIG[pad] { BIG_PAD_SECS } else { SMALL_PAD_SECS }
}

/// A body without numbers that are none: nobody knows what a network sends.
fn finite(body: Body) -> Body {
    let clean = |v: Vec3A| if v.is_finite() { v } else { Vec3A::ZERO };
    Body { pos: clean(body.pos), vel: clean(body.vel), ang_vel: clean(body.ang_vel) }
}
