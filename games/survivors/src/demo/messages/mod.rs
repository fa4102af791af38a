//! What the server said: the messages in a packet.
//!
//! A packet's payload is message after message, each with a type of six bits and no length in
//! common: to find the next one, every field of every message must be read at its exact width. A
//! packet counts as read only when its messages end where it ends.

pub mod events;
pub mod passed;
pub mod session;
pub mod tables;

use super::bits::{Bits, OutOfBits};
use super::build::Layout;
use super::error::Reason;
use events::EventList;
use session::ServerInfo;
use tables::{CreatedTable, TableUpdate};

/// Bits of a message's type. // facts/survivors.md §3
const KIND_BITS: u32 = 6;

/// Which message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the engine's own names, in the order of their numbers")]
pub enum MessageKind {
    Nop,
    Disconnect,
    File,
    SplitScreenUser,
    Tick,
    StringCommand,
    SetConVar,
    SignonState,
    ServerInfo,
    SendTable,
    ClassInfo,
    SetPause,
    CreateStringTable,
    UpdateStringTable,
    VoiceInit,
    VoiceData,
    Print,
    Sounds,
    SetView,
    FixAngle,
    CrosshairAngle,
    BspDecal,
    SplitScreen,
    UserMessage,
    EntityMessage,
    GameEvent,
    PacketEntities,
    TempEntities,
    Prefetch,
    Menu,
    GameEventList,
    GetCvarValue,
    CmdKeyValues,
    PaintMapData,
}

impl MessageKind {
    /// All, in the order of their numbers.
    pub const ALL: [MessageKind; 34] = {
        use MessageKind::*;
        [
            Nop,
            Disconnect,
            File,
            SplitScreenUser,
            Tick,
            StringCommand,
            SetConVar,
            SignonState,
            ServerInfo,
            SendTable,
            ClassInfo,
            SetPause,
            CreateStringTable,
            UpdateStringTable,
            VoiceInit,
            VoiceData,
            Print,
            Sounds,
            SetView,
            FixAngle,
            CrosshairAngle,
            BspDecal,
            SplitScreen,
            UserMessage,
            EntityMessage,
            GameEvent,
            PacketEntities,
            TempEntities,
            Prefetch,
            Menu,
            GameEventList,
            GetCvarValue,
            CmdKeyValues,
            PaintMapData,
        ]
    };
}

/// A message, as far as anybody here asks what is in it.
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// The server's clock, in its own ticks.
    Tick(u32),
    /// A line for the console.
    Print(String),
    /// What the server says of itself.
    ServerInfo(ServerInfo),
    /// A new string table.
    CreateTable(CreatedTable<'a>),
    /// Changes to a string table.
    UpdateTable(TableUpdate<'a>),
    /// Which game events there are.
    EventList(EventList),
    /// A game event, still as bits: what they mean stands in the list.
    Event(Bits<'a>),
    /// What changed among the things of the game.
    Entities(EntitiesMessage<'a>),
    /// Anything else, passed over at its exact length.
    Passed,
}

/// The head of a message about entities, and its bits.
#[derive(Clone, Copy, Debug)]
pub struct EntitiesMessage<'a> {
    /// One more than the highest entity.
    pub most: u16,
    /// The server tick it is a difference to; `None` when it says everything.
    pub delta_from: Option<u32>,
    /// Which of the two rows of baselines new entities start from.
    pub baseline: u8,
    /// Entities it speaks of.
    pub updates: u16,
    /// Do the new entities become the other row of baselines?
    pub updates_baseline: bool,
    /// What it says of them.
    pub bits: Bits<'a>,
}

/// Why a packet's messages could not be read to the end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("bit {at} of the packet, {}: {reason}", named(*.kind))]
pub struct MessageError {
    /// Where the message begins.
    pub at: usize,
    /// What it was thought to be; `None` where its type could not be read.
    pub kind: Option<MessageKind>,
    /// Why it cannot be.
    pub reason: Reason,
}

fn named(kind: Option<MessageKind>) -> String {
    kind.map_or_else(|| "a message's type".to_owned(), |kind| format!("{kind:?}"))
}

/// Reads all messages of a packet and gives each to `heard`, in order.
pub fn walk<'a>(
    payload: &'a [u8],
    layout: Layout,
    mut heard: impl FnMut(MessageKind, Message<'a>) -> Result<(), Reason>,
) -> Result<(), MessageError> {
    let mut bits = Bits::new(payload);
    // Fewer bits than a type has fill the last byte; what they are is left to chance by the engine,
    // which writes a `Nop` where there are more.
    while bits.left() >= KIND_BITS as usize {
        let at = bits.at();
        let mut kind = None;
        let mut next = || -> Result<(), Reason> {
            let found = bits.bits(KIND_BITS)?;
            let known = MessageKind::ALL.get(found as usize).copied();
            let known = known.ok_or(Reason::Unknown { what: "message type", found })?;
            kind = Some(known);
            let message = read(known, &mut bits, layout)?;
            heard(known, message)
        };
        next().map_err(|reason| MessageError { at, kind, reason })?;
    }
    Ok(())
}

fn read<'a>(kind: MessageKind, bits: &mut Bits<'a>, layout: Layout) -> Result<Message<'a>, Reason> {
    use MessageKind as Kind;
    match kind {
        Kind::Tick => return Ok(Message::Tick(session::tick(bits)?)),
        Kind::Print => return Ok(Message::Print(bits.text()?)),
        Kind::ServerInfo => return Ok(Message::ServerInfo(ServerInfo::read(bits, layout)?)),
        Kind::CreateStringTable => return Ok(Message::CreateTable(CreatedTable::read(bits)?)),
        Kind::UpdateStringTable => return Ok(Message::UpdateTable(TableUpdate::read(bits)?)),
        Kind::GameEventList => return Ok(Message::EventList(EventList::read(bits)?)),
        Kind::GameEvent => return Ok(Message::Event(events::event(bits)?)),
        Kind::PacketEntities => return Ok(Message::Entities(entities(bits)?)),
        Kind::Nop => {}
        Kind::Disconnect | Kind::StringCommand => bits.skip_text()?,
        Kind::File => session::file(bits)?,
        Kind::SplitScreenUser | Kind::SetPause => bits.skip(1)?,
        Kind::SetView => bits.skip(11)?, // the entity whose eyes the player sees through
        Kind::SetConVar => session::variables(bits)?,
        Kind::SignonState => session::signon_state(bits)?,
        Kind::ClassInfo => session::class_info(bits)?,
        Kind::GetCvarValue => session::variable_asked(bits)?,
        Kind::SendTable => passed::send_table(bits)?,
        Kind::VoiceInit => passed::voice_init(bits)?,
        Kind::VoiceData => passed::voice(bits)?,
        Kind::Sounds => passed::sounds(bits)?,
        Kind::FixAngle => bits.skip(1 + 3 * 16)?,
        Kind::CrosshairAngle => bits.skip(3 * 16)?,
        Kind::BspDecal => passed::decal(bits, layout)?,
        Kind::SplitScreen => passed::split_screen(bits)?,
        Kind::UserMessage => passed::user_message(bits)?,
        Kind::EntityMessage => passed::entity_message(bits)?,
        Kind::TempEntities => passed::temp_entities(bits)?,
        Kind::Prefetch => bits.skip(layout.sound_bits() as usize)?,
        Kind::Menu => passed::menu(bits)?,
        Kind::CmdKeyValues => passed::key_values(bits)?,
        Kind::PaintMapData => passed::paint_map(bits)?,
    }
    Ok(Message::Passed)
}

fn entities<'a>(bits: &mut Bits<'a>) -> Result<EntitiesMessage<'a>, OutOfBits> {
    let most = bits.bits(11)? as u16;
    let delta_from = if bits.flag()? { Some(bits.long()?) } else { None };
    let baseline = bits.bits(1)? as u8;
    let updates = bits.bits(11)? as u16;
    let length = bits.bits(20)? as usize;
    let updates_baseline = bits.flag()?;
    let bits = bits.part(length)?;
    Ok(EntitiesMessage { most, delta_from, baseline, updates, updates_baseline, bits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(payload: &[u8]) -> Result<Vec<MessageKind>, MessageError> {
        let mut seen = Vec::new();
        walk(payload, Layout::WideModels, |kind, _| {
            seen.push(kind);
            Ok(())
        })?;
        Ok(seen)
    }

    #[test]
    fn every_number_has_its_kind() {
        for (number, kind) in MessageKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
        }
        assert_eq!(MessageKind::GameEvent as usize, 25);
        assert_eq!(MessageKind::PacketEntities as usize, 26);
    }

    #[test]
    fn zeroes_are_nops_and_padding() {
        assert_eq!(kinds(&[0]), Ok(vec![MessageKind::Nop]));
        assert_eq!(kinds(&[0, 0, 0]), Ok(vec![MessageKind::Nop; 4]));
        assert_eq!(kinds(&[]), Ok(vec![]));
    }

    #[test]
    fn what_does_not_end_with_the_packet_is_an_error() {
        let error = kinds(&[34]).unwrap_err();
        assert_eq!(error.reason, Reason::Unknown { what: "message type", found: 34 });
        assert!(matches!(kinds(&[4]).unwrap_err().reason, Reason::OutOfBits(_)));
        assert_eq!(kinds(&[0x40]), Ok(vec![MessageKind::Nop]), "two bits of padding");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            for layout in Layout::ALL {
                let _ = walk(&bytes, layout, |_, _| Ok(()));
            }
        }
    }
}
