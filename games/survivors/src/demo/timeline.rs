//! A whole recording: everything that can be known of it, in the order it happened.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::build::{self, Layout};
use super::entities::{Snapshot, World};
use super::error::{DemoError, Reason};
use super::frame::{Frame, FrameKind, Frames};
use super::header::Header;
use super::messages::events::{Event, EventList};
use super::messages::session::ServerInfo;
use super::messages::tables::Tables;
use super::messages::{self, Message, MessageError, MessageKind};
use super::usercmd::UserCommand;
use super::users::{self, User};
use super::view::View;

/// Seconds of a tick, where no server says otherwise. // facts/survivors.md §3: 30 ticks
const TICK_SECS: f32 = 1.0 / 30.0;

/// The string table of what new entities are like.
const BASELINES: &str = "instancebaseline";

/// Where the recording player was in a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    /// Its tick.
    pub tick: i32,
    /// The server's tick, where the packet says it.
    pub server_tick: Option<u32>,
    /// Where the player stands and looks.
    pub view: View,
    /// The snapshot that its messages led to, among [`Demo::snapshots`].
    pub snapshot: Option<usize>,
}

/// A recording.
#[derive(Clone, Debug)]
pub struct Demo {
    /// What it says of itself.
    pub header: Header,
    /// The build's number, where the server printed it.
    pub build: Option<u32>,
    /// How its messages are laid out.
    pub layout: Layout,
    /// What the server says of itself.
    pub server: Option<ServerInfo>,
    /// Frames of each kind.
    pub frames: BTreeMap<FrameKind, usize>,
    /// Messages of each kind.
    pub messages: BTreeMap<MessageKind, usize>,
    /// What the player pressed, in order.
    pub commands: Vec<UserCommand>,
    /// Where the player was, in order; packets before play are not among them.
    pub packets: Vec<Packet>,
    /// Packets, before play and in play, whose messages were not read to the last bit.
    pub packets_unread: usize,
    /// Why the first of them was not: its first byte in the file, and the reason.
    pub first_unread: Option<(usize, MessageError)>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Which events there could have been.
    pub event_list: EventList,
    /// Lines of the console: tick and text.
    pub console: Vec<(i32, String)>,
    /// The string tables as they were at the end.
    pub tables: Tables,
    /// The first send tables or string table that could not be read: the first byte of its frame,
    /// and why. What the player pressed and what happened is known all the same.
    pub tables_unread: Option<(usize, Reason)>,
    /// Everybody who played, by the number that events know him by.
    pub users: BTreeMap<i32, User>,
    /// Everybody around, once a packet that says so.
    pub snapshots: Vec<Snapshot>,
    /// Messages about entities.
    pub entity_messages: usize,
    /// Those of them that were not used up to the last bit.
    pub entity_messages_unread: usize,
    /// Why the first of them was not: its packet's first byte in the file, and the reason.
    pub first_entities_unread: Option<(usize, Reason)>,
    /// Names of the classes of entities, by number.
    pub classes: Vec<String>,
    /// Did it end with a stop frame?
    pub stopped: bool,
    /// Bytes after the stop frame.
    pub trailing_bytes: usize,
}

impl Demo {
    /// Reads a whole file.
    pub fn read(file: &[u8]) -> Result<Self, DemoError> {
        let header = Header::read(file)?;
        let layout = choose_layout(file, &header)?;
        let mut budget = Budget::of(file);
        let mut demo = Demo::empty(header, layout);
        let mut world = World::default();
        let mut frames = Frames::new(file);
        for frame in frames.by_ref() {
            let frame = frame?;
            *demo.frames.entry(frame.kind).or_default() += 1;
            demo.take(frame, &mut world, &mut budget)?;
        }
        demo.stopped = demo.frames.contains_key(&FrameKind::Stop);
        demo.trailing_bytes = file.len() - frames.at().min(file.len());
        Ok(demo)
    }

    fn empty(header: Header, layout: Layout) -> Self {
        Demo {
            header,
            build: None,
            layout,
            server: None,
            frames: BTreeMap::new(),
            messages: BTreeMap::new(),
            commands: Vec::new(),
            packets: Vec::new(),
            packets_unread: 0,
            first_unread: None,
            events: Vec::new(),
            event_list: EventList::default(),
            console: Vec::new(),
            tables: Tables::default(),
            tables_unread: None,
            users: BTreeMap::new(),
            snapshots: Vec::new(),
            entity_messages: 0,
            entity_messages_unread: 0,
            first_entities_unread: None,
            classes: Vec::new(),
            stopped: false,
            trailing_bytes: 0,
        }
    }

    fn take(
        &mut self,
        frame: Frame,
        world: &mut World,
        budget: &mut Budget,
    ) -> Result<(), DemoError> {
        let damaged = |what, reason| damaged(&frame, what, reason);
        match frame.kind {
            FrameKind::Signon | FrameKind::Packet => {
                let view =
                    View::read(frame.before).map_err(|short| damaged("view", short.into()))?;
                let before = self.snapshots.len();
                let server_tick = self.hear(&frame, world, budget)?;
                if frame.kind == FrameKind::Packet {
                    let snapshot = (self.snapshots.len() > before).then_some(before);
                    self.packets.push(Packet { tick: frame.tick, server_tick, view, snapshot });
                }
            }
            FrameKind::UserCommand => {
                let read = UserCommand::read(frame.tick, frame.slot, frame.before, frame.payload);
                self.commands.push(read.map_err(|reason| damaged("user command", reason))?);
            }
            FrameKind::ConsoleCommand => {
                let line = String::from_utf8_lossy(frame.payload);
                self.console.push((frame.tick, line.trim_end_matches('\0').to_owned()));
            }
            FrameKind::StringTables => {
                let replaced = self.tables.replace(frame.payload, budget);
                world.forget_baselines();
                let kept = self.keep_table(frame.at, replaced);
                kept.map_err(|reason| damaged("string tables", reason))?;
                if let Some(table) = self.tables.named(users::TABLE) {
                    let known = users::remember(&mut self.users, table, budget);
                    known.map_err(|reason| damaged("users", reason))?;
                }
            }
            FrameKind::DataTables => {
                let learnt = world.learn(frame.payload, budget);
                self.classes = world.class_names();
                let kept = self.keep_table(frame.at, learnt);
                kept.map_err(|reason| damaged("data tables", reason))?;
            }
            FrameKind::SyncTick | FrameKind::CustomData | FrameKind::Stop => {}
        }
        Ok(())
    }

    /// Keeps in mind which tables could not be read: their length is known, so that reading goes
    /// on.
    fn keep_table(&mut self, at: usize, read: Result<(), Reason>) -> Result<(), Reason> {
        match read {
            Err(reason) if !matches!(reason, Reason::TooMuchMemory { .. }) => {
                self.tables_unread.get_or_insert((at, reason));
                Ok(())
            }
            read => read,
        }
    }

    /// Reads a packet's messages; the server's tick, where they say it.
    fn hear(
        &mut self,
        frame: &Frame,
        world: &mut World,
        budget: &mut Budget,
    ) -> Result<Option<u32>, DemoError> {
        let mut server_tick = None;
        let mut moved = false;
        let read = messages::walk(frame.payload, self.layout, |kind, message| {
            *self.messages.entry(kind).or_default() += 1;
            match message {
                Message::Tick(tick) => server_tick = Some(tick),
                Message::Print(line) => self.build = self.build.or(build::number_in(&line)),
                Message::ServerInfo(info) => {
                    self.tables.clear();
                    self.server = Some(info);
                }
                Message::CreateTable(table) => {
                    let made = self.tables.create(table, budget);
                    self.keep_table(frame.at, made)?;
                    if let Some(table) = self.tables.named(users::TABLE) {
                        users::remember(&mut self.users, table, budget)?;
                    }
                }
                Message::UpdateTable(update) => {
                    let updated = self.tables.update(update, budget).map(|table| {
                        match table.name.as_str() {
                            BASELINES => world.forget_baselines(),
                            users::TABLE => users::remember(&mut self.users, table, budget)?,
                            _ => {}
                        }
                        Ok(())
                    });
                    self.keep_table(frame.at, updated.flatten())?;
                }
                Message::EventList(list) => {
                    budget.take(list.memory())?;
                    self.event_list = list;
                }
                Message::Event(bits) => {
                    self.events.push(self.event_list.decode(frame.tick, bits, budget)?);
                }
                Message::Entities(message) => {
                    let read = world.update(&message, self.layout, &self.tables);
                    self.entity_messages += 1;
                    match read {
                        Ok(()) => moved = true,
                        Err(reason) => {
                            self.entity_messages_unread += 1;
                            self.first_entities_unread.get_or_insert((frame.at, reason));
                        }
                    }
                }
                Message::Passed => {}
            }
            Ok(())
        });
        match read {
            Ok(()) => {}
            Err(MessageError { reason: Reason::TooMuchMemory { limit }, .. }) => {
                return Err(DemoError::TooMuch { at: frame.at, limit });
            }
            Err(error) => {
                self.packets_unread += 1;
                self.first_unread.get_or_insert((frame.at, error));
            }
        }
        if moved {
            let seconds = server_tick.unwrap_or_default() as f32 * self.tick_secs();
            let snapshot = world.snapshot(frame.tick, self.recorder(), seconds, budget);
            self.snapshots.push(snapshot.map_err(|reason| damaged(frame, "entities", reason))?);
        }
        Ok(server_tick)
    }

    /// The entity of the recording player.
    pub fn recorder(&self) -> u16 {
        self.server.as_ref().map_or(1, |server| u16::from(server.player) + 1)
    }

    /// Seconds of a tick.
    pub fn tick_secs(&self) -> f32 {
        let said = self.server.as_ref().map(|server| server.tick_secs);
        // Servers run at 30 to 100 ticks; anything else is no tick rate.
        said.filter(|secs| (0.001..=0.1).contains(secs)).unwrap_or(TICK_SECS)
    }

    /// How long it plays: as the header says, or where the game did not come to write it, by ticks.
    pub fn seconds(&self) -> f32 {
        let said = self.header.seconds;
        if said.is_finite() && said > 0.0 {
            return said;
        }
        let last = self.packets.iter().map(|packet| packet.tick).max().unwrap_or_default();
        last.max(0) as f32 * self.tick_secs()
    }

    /// All frames.
    pub fn frame_count(&self) -> usize {
        self.frames.values().sum()
    }

    /// Packets before play and in play.
    pub fn packet_count(&self) -> usize {
        let of = |kind| self.frames.get(&kind).copied().unwrap_or_default();
        of(FrameKind::Signon) + of(FrameKind::Packet)
    }
}

fn damaged(frame: &Frame, what: &'static str, reason: Reason) -> DemoError {
    match reason {
        Reason::TooMuchMemory { limit } => DemoError::TooMuch { at: frame.at, limit },
        reason => DemoError::Damaged { at: frame.at, what, reason },
    }
}

/// The layout whose messages before play end where their packets end.
///
/// The build's number decides first. Builds that nobody has described may greet with any number: if
/// that layout does not fit, the others are tried.
fn choose_layout(file: &[u8], header: &Header) -> Result<Layout, DemoError> {
    let mut signons = Vec::new();
    for frame in Frames::new(file) {
        let frame = frame?;
        match frame.kind {
            FrameKind::Signon => signons.push(frame.payload),
            FrameKind::Packet => break,
            _ => {}
        }
    }
    let mut greeted = None;
    for payload in &signons {
        let _ = messages::walk(payload, Layout::First, |_, message| {
            if let Message::Print(line) = message {
                greeted = greeted.or(build::number_in(&line));
            }
            Ok(())
        });
    }
    let said = Layout::of(header.network_protocol, greeted);
    let fits = |layout: &Layout| {
        signons.iter().all(|payload| messages::walk(payload, *layout, |_, _| Ok(())).is_ok())
    };
    let others = Layout::ALL.into_iter().filter(|layout| *layout != said);
    Ok(std::iter::once(said).chain(others).find(fits).unwrap_or(said))
}
