//! The game's end of v1: who connected a bot last has it.

use super::Dropped;
use crate::wire::legacy69;
use crate::wire::state::{BotState, LegacyAction};
use crate::wire::v1::Message;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// A bot whose client says nothing for this long is the game's again.
pub const SILENCE_SECS: f64 = 10.0;

/// Which state datagram clients get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// 57 bytes, as documented.
    #[default]
    Documented,
    /// 70 bytes, as the original client reads them.
    Legacy69,
}

/// Something the owner of the server is to act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A client came for a bot.
    Connected {
        /// Which.
        bot_id: u8,
    },
    /// The bot is to do this until it is told otherwise. A state should be sent.
    Apply {
        /// Which bot.
        bot_id: u8,
        /// What.
        action: LegacyAction,
    },
    /// The episode is to start anew. A state should be sent.
    ResetWanted {
        /// For which bot's client.
        bot_id: u8,
    },
    /// The client let the bot go or fell silent.
    Disconnected {
        /// Which.
        bot_id: u8,
    },
}

/// What a server sends and what happens in it.
pub type Outbox = super::Outbox<SocketAddr, Happening>;

/// The game's end of v1.
#[derive(Debug)]
pub struct V1Server {
    layout: Layout,
    everywhere: bool,
    bots: u32,
    clients: BTreeMap<u8, (SocketAddr, f64)>,
    dropped: Dropped,
}

impl V1Server {
    /// For these bots (bit i is bot i), and loopback only.
    pub fn on_loopback(layout: Layout, bots: u32) -> Self {
        let (clients, dropped) = (BTreeMap::new(), Dropped::default());
        Self { layout, everywhere: false, bots, clients, dropped }
    }

    /// For these bots and clients from everywhere: whoever can reach the port can play.
    pub fn for_everyone(layout: Layout, bots: u32) -> Self {
        Self { everywhere: true, ..Self::on_loopback(layout, bots) }
    }

    /// What was dropped so far.
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// Bots that obey some client.
    pub fn bots_taken(&self) -> u32 {
        self.clients.keys().fold(0, |taken, bot_id| taken | 1 << (bot_id & 31))
    }

    /// Takes a datagram.
    pub fn receive(&mut self, now_secs: f64, from: SocketAddr, datagram: &[u8], out: &mut Outbox) {
        if !self.everywhere && !from.ip().is_loopback() {
            self.dropped.other_address += 1;
            return;
        }
        let Ok(message) = Message::decode(datagram) else {
            self.dropped.malformed += 1;
            return;
        };
        let bot_id = match message {
            Message::Connect { bot_id }
            | Message::Disconnect { bot_id }
            | Message::Action { bot_id, .. }
            | Message::Reset { bot_id } => bot_id,
            Message::State(_) => {
                self.dropped.out_of_place += 1;
                return;
            }
        };
        if bot_id >= 32 || self.bots >> bot_id & 1 == 0 {
            self.dropped.unknown_session += 1;
            return;
        }
        if let Message::Connect { bot_id } = message {
            self.clients.insert(bot_id, (from, now_secs));
            out.datagrams.push((from, message.encode()));
            out.happened.push(Happening::Connected { bot_id });
            return;
        }
        match self.clients.get_mut(&bot_id) {
            Some((client, heard_secs)) if *client == from => *heard_secs = now_secs,
            _ => {
                self.dropped.unknown_session += 1;
                return;
            }
        }
        out.happened.push(match message {
            Message::Action { action, .. } => Happening::Apply { bot_id, action },
            Message::Reset { .. } => Happening::ResetWanted { bot_id },
            _ => {
                self.clients.remove(&bot_id);
                Happening::Disconnected { bot_id }
            }
        });
    }

    /// Sends a bot's client what it sees, if there is one.
    pub fn send_state(&self, state: &BotState, out: &mut Outbox) {
        if let Some((client, _)) = self.clients.get(&state.bot_id) {
            let datagram = match self.layout {
                Layout::Documented => Message::State(state.clone()).encode(),
                Layout::Legacy69 => legacy69::encode(state),
            };
            out.datagrams.push((*client, datagram));
        }
    }

    /// Lets bots go whose clients fell silent.
    pub fn poll(&mut self, now_secs: f64, out: &mut Outbox) {
        self.clients.retain(|&bot_id, (_, heard_secs)| {
            let silent = now_secs - *heard_secs >= SILENCE_SECS;
            if silent {
                out.happened.push(Happening::Disconnected { bot_id });
            }
            !silent
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_match_of_the_original() {
        let mut server = V1Server::on_loopback(Layout::Legacy69, 0b1111);
        let (mut out, client) = (Outbox::default(), address("127.0.0.1:5000"));
        server.receive(0.0, client, &[3, 0, 1], &mut out);
        assert_eq!(server.dropped().unknown_session, 1, "it has to connect first");
        server.receive(0.0, client, &[1, 0], &mut out);
        server.receive(0.0, client, &[5, 0], &mut out);
        server.receive(0.1, client, &[3, 0, 5], &mut out);
        server.send_state(&BotState::default(), &mut out);
        server.send_state(&BotState { bot_id: 1, ..BotState::default() }, &mut out);
        server.receive(0.2, client, &[2, 0], &mut out);
        let sizes: Vec<usize> = out.datagrams.iter().map(|(_, bytes)| bytes.len()).collect();
        assert_eq!(sizes, [2, 70]);
        assert_eq!(
            out.happened,
            [
                Happening::Connected { bot_id: 0 },
                Happening::ResetWanted { bot_id: 0 },
                Happening::Apply { bot_id: 0, action: LegacyAction::Attack },
                Happening::Disconnected { bot_id: 0 },
            ]
        );
    }

    #[test]
    fn strangers_are_not_served() {
        let mut out = Outbox::default();
        let far = address("192.0.2.1:5000");
        let mut server = V1Server::on_loopback(Layout::Documented, 1);
        server.receive(0.0, far, &[1, 0], &mut out);
        server.receive(0.0, address("127.0.0.1:1"), &[1, 1], &mut out);
        assert!(out.datagrams.is_empty() && out.happened.is_empty());
        let mut server = V1Server::for_everyone(Layout::Documented, 1);
        server.receive(0.0, far, &[1, 0], &mut out);
        assert_eq!(out.datagrams.len(), 1);
    }

    #[test]
    fn silence_frees_the_bot_and_the_last_who_connects_has_it() {
        let (mut out, mut server) =
            (Outbox::default(), V1Server::on_loopback(Layout::Documented, 1));
        let (one, two) = (address("127.0.0.1:1"), address("127.0.0.1:2"));
        server.receive(0.0, one, &[1, 0], &mut out);
        server.receive(1.0, two, &[1, 0], &mut out);
        server.receive(2.0, one, &[3, 0, 1], &mut out);
        assert!(!out.happened.iter().any(|h| matches!(h, Happening::Apply { .. })));
        server.poll(10.9, &mut out);
        assert_eq!(server.bots_taken(), 1);
        server.poll(11.0, &mut out);
        assert_eq!(server.bots_taken(), 0);
    }
}
