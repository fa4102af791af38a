//! A match's line to a server: a session of v2, kept open whatever happens, and the question that is open in it.
//!
//! The trainer asks for a start or a step and goes on; the answer is sent when the server has given it. A
//! session must not fall silent while the trainer learns, so a thread of its own listens to each line.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::score::Told;
use crate::entropy;
use crate::sim::world::SURVIVORS;
use crate::wire::session::HANDSHAKE_RETRY_SECS;
use crate::wire::session::client::{Client, ClientConfig, Happening, Outbox};
use crate::wire::v2::action::Action;
use crate::wire::v2::control::{ResetDone, ResetStatus, bye};
use crate::wire::v2::hello::{RefusedReason, Welcome, capability};
use crate::wire::v2::keys::SharedKey;
use crate::wire::v2::state::States;

/// A server that has never opened a session is given up on after so long. In one that stood, whoever asks says how
/// long it waits: a change of map takes a server up to a minute.
const FIRST_ANSWER_SECS: f64 = 10.0;

/// What becomes of a question.
#[derive(Debug)]
pub(super) enum Reply {
    /// The state that answers it.
    Ready(Box<Told>),
    /// No answer will come; the match can be started anew.
    Lost(String),
    /// It will never be answered: the address or the settings are wrong.
    Refused(String),
}

/// A reply with the match and the question it is for.
pub(super) type Post = (usize, u64, Reply);

#[derive(Clone, Debug, PartialEq)]
enum Asked {
    Nothing,
    Start { seed: u64, map: String, sent: bool },
    Step,
}

/// The line of one match.
pub(super) struct Player {
    match_index: usize,
    post: Sender<Post>,
    servers: Arc<[String]>,
    at: usize,
    to: Option<SocketAddr>,
    socket: UdpSocket,
    begun: Instant,
    config: ClientConfig,
    client: Client,
    asked: Asked,
    question: u64,
    asked_secs: f64,
    /// Has a session ever stood on this line?
    met: bool,
    /// Servers with which one has stood, on any line.
    known: Arc<Mutex<BTreeSet<String>>>,
    /// Is a match under way in this session?
    playing: bool,
    /// Why the match that was under way cannot go on.
    broken: Option<String>,
    /// What a server said against us, until a session stands.
    complaint: Option<String>,
    /// Nothing is said before: whoever was turned away does not come back at once.
    rests_until_secs: f64,
    episode: u32,
    given: u32,
    /// Ticks of the newest records.
    ticks: [Option<u32>; SURVIVORS],
    told: Told,
}

impl Player {
    pub fn new(
        match_index: usize,
        post: Sender<Post>,
        servers: Arc<[String]>,
        first: usize,
        key: SharedKey,
        bots: u32,
        known: Arc<Mutex<BTreeSet<String>>>,
    ) -> std::io::Result<Self> {
        let config = ClientConfig {
            key,
            client_id: entropy::number(),
            capabilities: capability::ALL,
            bots_wanted: bots,
            states_per_sec: 0,
            name: "lanista".into(),
        };
        let at = first % servers.len().max(1);
        let to = resolve(&servers[at]);
        let any = match to {
            Some(SocketAddr::V6(_)) => "[::]:0",
            _ => "0.0.0.0:0",
        };
        let client = Client::new(config.clone(), 0.0, entropy::seed());
        Ok(Self {
            match_index,
            post,
            servers,
            at,
            to,
            socket: UdpSocket::bind(any)?,
            begun: Instant::now(),
            config,
            client,
            asked: Asked::Nothing,
            question: 0,
            asked_secs: 0.0,
            met: false,
            known,
            playing: false,
            broken: None,
            complaint: None,
            rests_until_secs: 0.0,
            episode: 0,
            given: 0,
            ticks: [None; SURVIVORS],
            told: Told::default(),
        })
    }

    /// The same socket, to listen on.
    pub fn ear(&self) -> std::io::Result<UdpSocket> {
        self.socket.try_clone()
    }

    /// The server that is spoken to.
    pub fn server(&self) -> &str {
        &self.servers[self.at]
    }

    /// Is there no reason to wait longer? A server that is known and silent may be changing its map; one that
    /// has turned this line away, or was never heard of, will do no better the next time.
    pub fn is_hopeless(&self) -> bool {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        !self.met && (self.complaint.is_some() || !known().contains(self.server()))
    }

    fn now_secs(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    fn ask(&mut self, question: u64, asked: Asked) {
        (self.question, self.asked, self.asked_secs) = (question, asked, self.now_secs());
    }

    /// Asks for a new match.
    pub fn start(&mut self, question: u64, seed: u64, map: String) {
        self.ask(question, Asked::Start { seed, map, sent: false });
        (self.playing, self.broken) = (false, None);
        self.told.events.clear();
        self.turn(None);
    }

    /// Asks for a step.
    pub fn step(&mut self, question: u64, actions: &[(u8, Action)]) {
        self.ask(question, Asked::Step);
        let mut out = Outbox::default();
        let now_secs = self.now_secs();
        if self.broken.is_none() && !self.client.act(now_secs, actions, &mut out) {
            self.broken = Some(format!("the session with {} ended", self.server()));
        }
        self.heed(out);
        self.turn(None);
    }

    /// Nobody waits for the answer any more.
    pub fn abandon(&mut self) {
        (self.asked, self.playing) = (Asked::Nothing, false);
    }

    /// Ends the session.
    pub fn bye(&mut self) {
        let mut out = Outbox::default();
        self.client.bye(self.now_secs(), &mut out);
        self.heed(out);
    }

    /// Takes a datagram, if there is one, and does what is due.
    pub fn turn(&mut self, datagram: Option<(&[u8], SocketAddr)>) {
        let now_secs = self.now_secs();
        let mut out = Outbox::default();
        if let Some((bytes, from)) = datagram
            && Some(from) == self.to
        {
            self.client.receive(now_secs, bytes, &mut out);
        }
        if now_secs >= self.rests_until_secs {
            self.client.poll(now_secs, &mut out);
        }
        self.heed(out);
        self.ask_reset();
        self.give_up(now_secs);
    }

    fn heed(&mut self, mut out: Outbox) {
        for happening in out.happened.drain(..) {
            match happening {
                Happening::Opened(welcome) => self.opened(&welcome),
                Happening::Refused(refused) => {
                    let (server, why) = (self.server(), refused.reason);
                    let other = (refused.major, refused.minor);
                    self.complaint = Some(match why {
                        RefusedReason::Full => full(server),
                        RefusedReason::Version => format!(
                            "{server} speaks version {}.{} of the protocol, this program 2.0: bring both to \
                             the same",
                            other.0, other.1
                        ),
                        RefusedReason::NothingInCommon => {
                            format!("{server} knows no state or no action that this program knows")
                        }
                    });
                    if why == RefusedReason::Full {
                        self.try_next();
                    }
                }
                Happening::State { tick, states } => self.take(tick, states),
                Happening::Event(event) => {
                    if self.playing {
                        self.told.events.push(event);
                    }
                }
                Happening::EventsLost(_) => {}
                Happening::ResetDone(done) => self.reset_done(done),
                Happening::Closed(reason) => self.closed(reason),
            }
        }
        let Some(to) = self.to else { return };
        for ((), datagram) in out.datagrams {
            // What is not sent is lost, and what is lost is repeated.
            let _ = self.socket.send_to(&datagram, to);
        }
    }

    fn opened(&mut self, welcome: &Welcome) {
        if welcome.bots_given & self.config.bots_wanted != self.config.bots_wanted {
            self.complaint = Some(full(self.server()));
            self.bye();
            return self.try_next();
        }
        (self.met, self.complaint) = (true, None);
        let server = self.server().to_owned();
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(server);
        self.given = welcome.bots_given;
        self.told.ticks_per_sec = welcome.ticks_per_sec;
        self.told.takes_rich = welcome.capabilities & capability::ACTION_RICH != 0;
        if let Asked::Start { sent, .. } = &mut self.asked {
            *sent = false;
        }
    }

    /// Another server, or the same one, after a while.
    fn try_next(&mut self) {
        self.at = (self.at + 1) % self.servers.len();
        self.to = resolve(&self.servers[self.at]);
        self.client = Client::new(self.config.clone(), self.now_secs(), entropy::seed());
        self.rests_until_secs = self.now_secs() + HANDSHAKE_RETRY_SECS;
    }

    fn ask_reset(&mut self) {
        let now_secs = self.now_secs();
        let Asked::Start { seed, map, sent: sent @ false } = &mut self.asked else { return };
        let Some(welcome) = self.client.welcome() else { return };
        let may_name = welcome.capabilities & capability::RESET_MAP != 0;
        let map = if may_name { map.as_str() } else { "" };
        let mut out = Outbox::default();
        *sent = self.client.reset(now_secs, *seed, map, &mut out);
        self.heed(out);
    }

    fn reset_done(&mut self, done: ResetDone) {
        let Asked::Start { map, sent: true, .. } = &self.asked else { return };
        let server = self.server();
        match done.status {
            ResetStatus::Done => {
                (self.episode, self.playing) = (done.episode, true);
                self.ticks = [None; SURVIVORS];
                self.told.map = done.map;
                self.told.events.clear();
            }
            ResetStatus::UnknownMap => {
                let why = format!(
                    "{server} does not know the map `{map}`: start it with --map, or set settings.map to what \
                     it plays, `{}`",
                    done.map
                );
                self.reply(Reply::Refused(why));
            }
            ResetStatus::NotAllowed | ResetStatus::Failed => {
                let why = format!("{server} did not begin a new round: see its log");
                self.reply(Reply::Lost(why));
            }
        }
    }

    fn closed(&mut self, reason: u8) {
        let server = self.server();
        let why = match reason {
            bye::STOPPING => format!("{server} stops"),
            bye::REPLACED => format!("{server} gave the session to another client"),
            bye::SILENCE => format!("{server} fell silent"),
            _ => format!("{server} ended the session"),
        };
        if let Asked::Start { sent, .. } = &mut self.asked {
            // The session that comes next is asked again.
            *sent = false;
        }
        if std::mem::take(&mut self.playing) {
            self.broken = Some(why);
        }
    }

    fn take(&mut self, tick: u32, states: States) {
        if !self.playing {
            return;
        }
        if states.episode != self.episode {
            let why = format!("{} began another round", self.server());
            (self.broken, self.playing) = (Some(why), false);
            return;
        }
        for record in states.records {
            let i = usize::from(record.state.bot_id);
            if i < SURVIVORS && self.config.bots_wanted >> i & 1 == 1 {
                self.ticks[i] = Some(tick);
                self.told.team[i] = Some(record);
            }
        }
        let ours = (0..SURVIVORS).filter(|i| self.config.bots_wanted >> i & 1 == 1);
        let is_whole = ours.clone().all(|i| self.ticks[i] == Some(tick));
        let is_answer = match self.asked {
            Asked::Nothing => false,
            Asked::Start { sent, .. } => sent,
            Asked::Step => self.client.is_settled(),
        };
        if is_whole && is_answer {
            self.told.tick = tick;
            let events = std::mem::take(&mut self.told.events);
            let told = Told { events, ..self.told.clone() };
            self.reply(Reply::Ready(Box::new(told)));
        }
    }

    fn give_up(&mut self, now_secs: f64) {
        if self.asked == Asked::Nothing {
            return;
        }
        if self.asked == Asked::Step
            && let Some(why) = self.broken.take()
        {
            return self.reply(Reply::Lost(why));
        }
        if self.to.is_none() {
            let why = format!(
                "no address is known for {}: write settings.live as HOST:PORT with a host that can be found",
                self.server()
            );
            return self.reply(Reply::Refused(why));
        }
        if now_secs - self.asked_secs >= FIRST_ANSWER_SECS && self.is_hopeless() {
            self.reply(Reply::Refused(self.silence()));
        }
    }

    /// What is said of a server that has not answered the last question.
    pub fn silence(&self) -> String {
        match &self.complaint {
            Some(complaint) => complaint.clone(),
            None => silence(self.server(), self.now_secs() - self.asked_secs),
        }
    }

    fn reply(&mut self, reply: Reply) {
        if !matches!(reply, Reply::Ready(_)) {
            self.playing = false;
        }
        self.asked = Asked::Nothing;
        // Nobody listens when the batch is being dropped.
        let _ = self.post.send((self.match_index, self.question, reply));
    }
}

fn full(server: &str) -> String {
    format!(
        "{server} has no survivors left for this match, another client has them: list as many servers under \
         settings.live as matches are played at once (rollout.matches), or start it with --games N"
    )
}

fn silence(server: &str, secs: f64) -> String {
    let port = server.rsplit_once(':').map_or("27050", |(_, port)| port);
    format!(
        "no answer from {server} for {secs:.0} seconds: is the server started (`lanista survivors server \
         --port {port}`, or the plugin), is its key that of settings.live_key_file, does a firewall stop UDP?"
    )
}

fn resolve(server: &str) -> Option<SocketAddr> {
    let found: Vec<SocketAddr> = server.to_socket_addrs().ok()?.collect();
    found.iter().find(|address| address.is_ipv4()).or(found.first()).copied()
}

/// Listens to one line until it is told to stop: `turn` is called with what arrives, and now and then without.
pub(super) fn listen(ear: &UdpSocket, mut turn: impl FnMut(Option<(&[u8], SocketAddr)>) -> bool) {
    let mut datagram = [0; crate::wire::v2::DATAGRAM_BYTES + 1];
    loop {
        let heard = match ear.recv_from(&mut datagram) {
            Ok((length, from)) => Some((&datagram[..length], from)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => None,
            Err(error) if error.kind() == ErrorKind::TimedOut => None,
            // A port without a listener may be reported here: it is silence like any other.
            Err(_) => {
                std::thread::sleep(std::time::Duration::from_millis(5));
                None
            }
        };
        if !turn(heard) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::LOOPBACK_KEY;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    /// A line to where nobody answers, with a start asked for.
    fn waiting(nobody: &UdpSocket) -> (Player, Receiver<Post>) {
        let (post, replies) = channel();
        let servers = [nobody.local_addr().unwrap().to_string()].into();
        let key = SharedKey::new(LOOPBACK_KEY).unwrap();
        let known = Arc::default();
        let mut player = Player::new(0, post, servers, 0, key, 1, known).unwrap();
        player.start(1, 1, "corridor".into());
        (player, replies)
    }

    fn pass(player: &mut Player, secs: u64) {
        player.begun -= Duration::from_secs(secs);
        player.turn(None);
    }

    #[test]
    fn who_never_answered_is_given_up_on_and_who_did_is_waited_for() {
        let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (mut stranger, replies) = waiting(&nobody);
        pass(&mut stranger, 8);
        assert!(replies.try_recv().is_err(), "not yet");
        pass(&mut stranger, 3);
        assert!(matches!(replies.try_recv(), Ok((0, 1, Reply::Refused(_)))));
        let (mut known, replies) = waiting(&nobody);
        let server = known.server().to_owned();
        known.known.lock().unwrap().insert(server);
        pass(&mut known, 50);
        assert!(replies.try_recv().is_err(), "a change of map takes up to a minute");
        assert!(known.silence().contains("for 50 seconds"), "{}", known.silence());
        // But not when it says that it is full.
        known.complaint = Some(full(known.server()));
        known.turn(None);
        assert!(matches!(replies.try_recv(), Ok((0, 1, Reply::Refused(_)))));
    }
}
