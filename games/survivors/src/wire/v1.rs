//! Mnemosyne v1: five messages, no key, no numbers.

use super::WireError;
use super::cursor::Reader;
use super::state::{BotState, LegacyAction};

/// A message of v1.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A client asks for a bot, or the server says it has it.
    Connect {
        /// Whose.
        bot_id: u8,
    },
    /// The client lets the bot go.
    Disconnect {
        /// Whose.
        bot_id: u8,
    },
    /// What the bot is to do until the next one.
    Action {
        /// Whose.
        bot_id: u8,
        /// What.
        action: LegacyAction,
    },
    /// What the bot sees.
    State(BotState),
    /// The episode is to start anew.
    Reset {
        /// By whom.
        bot_id: u8,
    },
}

impl Message {
    /// The datagram.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Connect { bot_id } => vec![0x01, *bot_id],
            Self::Disconnect { bot_id } => vec![0x02, *bot_id],
            Self::Action { bot_id, action } => vec![0x03, *bot_id, *action as u8],
            Self::State(state) => {
                let mut out = vec![0x04];
                state.put(&mut out);
                out
            }
            Self::Reset { bot_id } => vec![0x05, *bot_id],
        }
    }

    /// Reads a datagram; its length must be exactly that of its message.
    pub fn decode(datagram: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new("a v1 datagram", datagram);
        let message = match reader.u8()? {
            0x01 => Self::Connect { bot_id: reader.u8()? },
            0x02 => Self::Disconnect { bot_id: reader.u8()? },
            0x03 => Self::Action { bot_id: reader.u8()?, action: LegacyAction::read(&mut reader)? },
            0x04 => Self::State(BotState::read(&mut reader)?),
            0x05 => Self::Reset { bot_id: reader.u8()? },
            other => return Err(reader.refuse("the type", 0, other, "1 to 5")),
        };
        reader.end()?;
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::states;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_of_the_document() {
        let bot_id = 2;
        assert_eq!(Message::Connect { bot_id }.encode(), [1, 2]);
        assert_eq!(Message::Disconnect { bot_id }.encode(), [2, 2]);
        assert_eq!(
            Message::Action { bot_id, action: LegacyAction::ThrowItem }.encode(),
            [3, 2, 13]
        );
        assert_eq!(Message::Reset { bot_id }.encode(), [5, 2]);
        assert_eq!(Message::State(BotState::default()).encode().len(), 57);
    }

    #[test]
    fn other_lengths_and_ids_are_refused() {
        for bad in [&[][..], &[1], &[1, 2, 3], &[3, 0], &[3, 0, 14], &[6, 0], &[4; 56], &[0; 58]] {
            assert!(Message::decode(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn states_come_back(state in states()) {
            let message = Message::State(state);
            prop_assert_eq!(Message::decode(&message.encode()), Ok(message));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(message) = Message::decode(&bytes) {
                prop_assert_eq!(message.encode().len(), bytes.len());
            }
        }
    }
}
