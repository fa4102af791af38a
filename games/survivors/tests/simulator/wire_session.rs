//! Both ends of v2 over a network that loses, doubles and reorders.

use crate::wire_world;

use lanista_survivors::wire::session::server::Happening as Done;
use lanista_survivors::wire::session::v1::{Layout, V1Server};
use lanista_survivors::wire::session::{client, server};
use lanista_survivors::wire::state::{BotState, LegacyAction};
use lanista_survivors::wire::v1;
use lanista_survivors::wire::v2::action::{Action, Actions, Entry, Rich};
use lanista_survivors::wire::v2::control::{Bye, Event, NONE, Reset, ResetStatus, bye, event};
use lanista_survivors::wire::v2::hello::{RefusedReason, capability};
use lanista_survivors::wire::v2::{Header, Kind, Message, seal};
use proptest::prelude::*;
use std::collections::BTreeMap;
use wire_world::{Dice, KEY, World, client_with, server_with};

/// The decision of a step, told apart from all others by its turn.
fn decision(step: u32) -> Action {
    Action::Rich(Rich { move_cell: 1, yaw_delta: step as f32 / 100.0, ..Rich::default() })
}

/// Plays `steps` steps in lockstep and `resets` resets, and returns what the game was told, in order.
fn play(dice: Dice, loss: f64, steps: u32, resets: u32) -> (World, Vec<Done>, u32) {
    let mut world = World::new(dice, loss, capability::ALL);
    let (mut step, mut resets_done, mut events_taken) = (0, 0, Vec::new());
    let mut told: Vec<Done> = Vec::new();
    let mut applied = BTreeMap::new();
    while step < steps || resets_done < resets {
        assert!(world.now_secs < 600.0, "no progress: step {step}, resets {resets_done}");
        for happening in world.turn() {
            match happening {
                client::Happening::State { states, .. } => {
                    assert_eq!(states.records.len(), 4);
                    // The episode that was just reset has nothing more to say.
                    if step % 50 == 49 && resets_done < resets {
                        world.reset(u64::from(step));
                    } else if world.client.is_settled() {
                        step += 1;
                        world.act(&[0, 1, 2, 3].map(|bot| (bot, decision(step))));
                    }
                }
                client::Happening::ResetDone(done) => {
                    assert_eq!(done.status, ResetStatus::Done);
                    resets_done += 1;
                    step += 1;
                }
                client::Happening::Event(event) => events_taken.push(event.event_number),
                client::Happening::Closed(reason) => panic!("the session was lost: {reason}"),
                _ => {}
            }
        }
        for happening in std::mem::take(&mut world.told) {
            match &happening {
                Done::Apply { bot_id, .. } => {
                    applied.insert(*bot_id, ());
                    if applied.len() == 4 {
                        applied.clear();
                        world.advance();
                    }
                }
                Done::ResetWanted { session, reset } => {
                    applied.clear();
                    world.new_episode(*session, reset);
                }
                Done::Opened { .. } => world.send_states(),
                Done::Closed { .. } => {}
            }
            told.push(happening);
        }
    }
    let taken = events_taken.len() as u32;
    assert!(events_taken.iter().copied().eq(1..=taken), "each event once, in order");
    (world, told, taken)
}

fn applied_of(told: &[Done], bot: u8) -> Vec<(u32, Action)> {
    told.iter()
        .filter_map(|happening| match happening {
            Done::Apply { bot_id, action_number, action, .. } if *bot_id == bot => {
                Some((*action_number, *action))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn lockstep_under_loss_applies_every_action_once_and_in_order() {
    for seed in 0..5 {
        let (world, told, events) = play(Dice(seed), 0.2, 1000, 0);
        for bot in 0..4 {
            let got = applied_of(&told, bot);
            let wanted: Vec<(u32, Action)> =
                (1..=got.len() as u32).map(|n| (n, decision(n))).collect();
            assert!(got.len() >= 999);
            assert_eq!(got, wanted, "bot {bot} of seed {seed}");
        }
        let line = (world.lost, world.doubled, world.overtaken);
        assert!(line.0 > 500 && line.1 > 500 && line.2 > 50, "too good a line: {line:?}");
        assert!(events >= 90, "{events}");
    }
}

#[test]
fn resets_happen_exactly_once() {
    for seed in 0..5 {
        let (_, told, _) = play(Dice(100 + seed), 0.2, 1000, 15);
        let requests: Vec<u32> = told
            .iter()
            .filter_map(|happening| match happening {
                Done::ResetWanted { reset, .. } => Some(reset.request),
                _ => None,
            })
            .collect();
        assert!(requests.len() >= 15);
        assert!(requests.iter().copied().eq(1..=requests.len() as u32), "{requests:?}");
        for bot in 0..4 {
            let numbers: Vec<u32> = applied_of(&told, bot).iter().map(|(n, _)| *n).collect();
            assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A third of everything lost is still only slower.
    #[test]
    fn any_loss_is_survived(seed: u64, loss in 0.0f64..0.35) {
        let (_, told, _) = play(Dice(seed), loss, 60, 1);
        for bot in 0..4 {
            let numbers: Vec<u32> = applied_of(&told, bot).iter().map(|(n, _)| *n).collect();
            prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(numbers.len() >= 50);
        }
    }
}

/// Without lockstep the client decides at its own pace; what is overtaken on the way is not applied.
#[test]
fn free_running_never_goes_back() {
    let without = capability::ALL & !capability::LOCKSTEP;
    let mut world = World::new(Dice(7), 0.2, without);
    let (mut step, mut numbers, mut states) = (0, Vec::new(), 0);
    for turn in 0..20_000 {
        for happening in world.turn() {
            if let client::Happening::State { states: part, .. } = happening {
                states += 1;
                let record = &part.records[0];
                assert!(record.applied_action <= step);
                step += 1;
                world.act(&[(0, decision(step))]);
            }
        }
        for happening in std::mem::take(&mut world.told) {
            if let Done::Apply { action_number, action, .. } = happening {
                assert_eq!(action, decision(action_number));
                numbers.push(action_number);
            }
        }
        if turn % 10 == 0 {
            world.advance();
        }
    }
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(states > 1000 && numbers.len() > 500, "{states} states, {} actions", numbers.len());
}

#[test]
fn a_wrong_key_gets_silence_and_a_counted_line() {
    let mut server = server_with(KEY, capability::ALL);
    let mut client = client_with(b"not the key at all", capability::ALL);
    let (mut from_client, mut from_server) = (client::Outbox::default(), server::Outbox::default());
    for turn in 0..1000 {
        client.poll(f64::from(turn) * 0.1, &mut from_client);
    }
    let sent = from_client.datagrams.len();
    assert!(sent >= 100);
    for (_, datagram) in &from_client.datagrams {
        server.receive(1.0, wire_world::CLIENT, datagram, &mut from_server);
    }
    assert!(from_server.datagrams.is_empty() && from_server.happened.is_empty());
    assert_eq!(server.dropped().wrong_key, sent as u64);
    let line = server.report(1.0).expect("a line");
    assert_eq!(line, format!("dropped {sent} datagrams: {sent} with a wrong key"));
    server.receive(2.0, wire_world::CLIENT, &from_client.datagrams[0].1, &mut from_server);
    assert_eq!(server.report(60.9), None, "one line a minute");
    assert!(server.report(61.0).is_some());
}

#[test]
fn mutated_datagrams_change_nothing() {
    let mut world = World::new(Dice(3), 0.0, capability::ALL);
    world.until_open();
    let samples = wire_world::samples(&mut world);
    let mut dice = Dice(4);
    for (kind, to_server, datagram) in &samples {
        let before = world.without_counters();
        let mut mutants = 0;
        while mutants < 10_000 {
            let mutant = dice.mutate(datagram);
            if mutant == *datagram {
                continue;
            }
            mutants += 1;
            let (mut to_client, mut out) = (client::Outbox::default(), server::Outbox::default());
            if *to_server {
                world.server.receive(world.now_secs, wire_world::CLIENT, &mutant, &mut out);
            } else {
                world.client.receive(world.now_secs, &mutant, &mut to_client);
            }
            let silent = out.datagrams.is_empty() && to_client.datagrams.is_empty();
            let still = out.happened.is_empty() && to_client.happened.is_empty();
            assert!(silent && still, "a mutant of {kind:?} was answered");
        }
        assert_eq!(before, world.without_counters(), "a mutant of {kind:?} left a trace");
    }
    assert_eq!(samples.len(), 14, "every kind, and both directions of what goes both ways");
    let dropped = world.server.dropped().total() + world.client.dropped().total();
    assert!(dropped >= 140_000, "{dropped}");
}

#[test]
fn what_comes_too_late_is_not_done() {
    let mut world = World::new(Dice(12), 0.0, capability::ALL);
    world.until_open();
    let mut seq = 100;
    let mut say = |world: &mut World, message: Message| {
        seq += 1;
        let datagram = wire_world::by_client(world, seq, &message);
        let mut out = server::Outbox::default();
        world.server.receive(world.now_secs, wire_world::CLIENT, &datagram, &mut out);
        out.happened
    };
    let act = |episode, action_number| {
        let entry = Entry { bot_id: 0, action_number, action: decision(action_number) };
        Message::Action(Actions { episode, events_seen: 0, entries: vec![entry] })
    };
    let reset = |request| Message::Reset(Reset { request, seed: 0, map: String::new() });
    assert_eq!(say(&mut world, act(1, 1)).len(), 1);
    world.server.new_episode("corridor");
    assert_eq!(say(&mut world, act(1, 2)), [], "of the episode before");
    assert_eq!(say(&mut world, act(3, 2)), [], "of an episode to come");
    assert_eq!(say(&mut world, act(2, 2)).len(), 1);
    assert_eq!(say(&mut world, act(2, 1)), [], "overtaken");
    assert_eq!(say(&mut world, reset(5)).len(), 1);
    assert_eq!(say(&mut world, reset(4)), [], "a reset that was overtaken");
    assert_eq!(say(&mut world, reset(5)), [], "a reset that is under way");
    assert_eq!(say(&mut world, reset(0)), [], "requests begin with 1");
    assert_eq!(say(&mut world, reset(6)).len(), 1);
}

/// v1 has no tag: a mutant that is a message is one. Everything else must do nothing.
#[test]
fn mutated_v1_datagrams_do_what_they_say_or_nothing() {
    let state = v1::Message::State(BotState { health: 100, ..BotState::default() });
    let messages = [
        v1::Message::Connect { bot_id: 0 },
        v1::Message::Disconnect { bot_id: 0 },
        v1::Message::Action { bot_id: 0, action: LegacyAction::Attack },
        v1::Message::Reset { bot_id: 0 },
        state,
    ];
    let mut dice = Dice(11);
    for message in messages {
        let mut server = V1Server::on_loopback(Layout::Documented, 0b1111);
        let mut out = Default::default();
        server.receive(0.0, wire_world::CLIENT, &[1, 0], &mut out);
        for _ in 0..10_000 {
            let mutant = dice.mutate(&message.encode());
            let before = format!("{server:?}");
            let before = before.split("dropped:").next().unwrap_or_default().to_owned();
            let mut out = Default::default();
            server.receive(0.0, wire_world::CLIENT, &mutant, &mut out);
            let said = v1::Message::decode(&mutant);
            if !matches!(said, Ok(ref said) if !matches!(said, v1::Message::State(_))) {
                assert!(out.happened.is_empty() && out.datagrams.is_empty(), "{mutant:02x?}");
                assert!(format!("{server:?}").starts_with(&before), "{mutant:02x?}");
            }
        }
        assert!(server.dropped().malformed > 5_000, "{:?}", server.dropped());
    }
}

#[test]
fn recordings_are_worth_nothing() {
    let mut world = World::new(Dice(5), 0.0, capability::ALL);
    world.until_open();
    world.act(&[(0, decision(1))]);
    world.turn();
    world.advance();
    world.settle();
    let (session, recorded) = (world.told.clone(), std::mem::take(&mut world.recorded));
    assert!(session.iter().any(|happening| matches!(happening, Done::Apply { .. })));
    // Into the same session, to its owner and back to who wrote it.
    let before = world.without_counters();
    for (_, datagram) in recorded.iter().filter(|(_, d)| d[6] >= 0x10) {
        world.inject(datagram);
    }
    assert_eq!(before, world.without_counters());
    assert_eq!(world.told, session);
    // Into the session after it, and the handshake itself once the session is over.
    let mut out = client::Outbox::default();
    world.client.bye(world.now_secs, &mut out);
    for (_, datagram) in &out.datagrams {
        world.inject(datagram);
    }
    assert_eq!(world.server.sessions(), 0);
    for (_, datagram) in &recorded {
        world.inject(datagram);
    }
    assert_eq!(world.server.sessions(), 0, "a replayed AUTH opens nothing");
    world.client = client_with(KEY, capability::ALL);
    world.told.clear();
    world.until_open();
    for (_, datagram) in &recorded {
        world.inject(datagram);
    }
    assert!(!world.told.iter().any(|happening| matches!(happening, Done::Apply { .. })));
}

#[test]
fn a_restarted_server_is_found_again() {
    let mut world = World::new(Dice(6), 0.2, capability::ALL);
    world.until_open();
    let mut fresh = server_with(KEY, capability::ALL);
    fresh.set_tick(3);
    world.server = fresh;
    let mut reopened = 0;
    for _ in 0..3000 {
        for happening in world.turn() {
            if let client::Happening::Opened(welcome) = happening {
                assert_eq!(welcome.bots_given, 0b1111);
                reopened += 1;
            }
        }
    }
    assert_eq!(reopened, 1);
}

#[test]
fn silence_gives_the_bots_back_and_a_second_client_waits_for_them() {
    let mut world = World::new(Dice(8), 0.0, capability::ALL);
    world.until_open();
    let (mut second, mut out) = (client_with(KEY, capability::ALL), server::Outbox::default());
    let welcome =
        wire_world::open_from(&mut second, &mut world.server, world.now_secs, "127.0.0.1:9");
    assert_eq!(welcome.bots_given, 0, "the first has them");
    world.server.poll(world.now_secs + 5.0, &mut out);
    let closed =
        out.happened.iter().filter(|h| matches!(h, Done::Closed { reason: bye::SILENCE, .. }));
    assert_eq!((closed.count(), world.server.bots_taken()), (2, 0));
}

#[test]
fn other_versions_and_nothing_in_common_are_told_so() {
    let key = lanista_survivors::wire::v2::keys::SharedKey::new(KEY).unwrap();
    let mut client = client_with(KEY, capability::STATE_LEGACY);
    let (mut out, mut answer) = (client::Outbox::default(), server::Outbox::default());
    client.poll(0.0, &mut out);
    let hello = &out.datagrams[0].1;
    let mut server = server_with(KEY, capability::ALL);
    server.receive(0.0, wire_world::CLIENT, hello, &mut answer);
    let (header, payload) = Header::read(hello).unwrap();
    let other = seal(&Header { major: 3, ..header }, payload, key.handshake()).unwrap();
    server.receive(0.0, wire_world::CLIENT, &other, &mut answer);
    let reasons: Vec<RefusedReason> = answer
        .datagrams
        .iter()
        .map(|(_, datagram)| {
            assert!(datagram.len() < hello.len(), "an answer is shorter than the question");
            let (header, payload) = Header::read(datagram).unwrap();
            match Message::decode(header.kind, payload) {
                Ok(Message::Refused(refused)) => refused.reason,
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(reasons, [RefusedReason::NothingInCommon, RefusedReason::Version]);
    // A BYE of another version is not looked at.
    let header = Header { major: 3, ..Header::of_handshake(Kind::Bye, false) };
    let bye = seal(&header, &Message::Bye(Bye { reason: 0 }).encode(), key.handshake()).unwrap();
    server.receive(0.0, wire_world::CLIENT, &bye, &mut answer);
    assert_eq!(server.dropped().version, 2);
}

#[test]
fn challenges_are_bounded_and_cost_more_than_they_give() {
    let mut server = server_with(KEY, capability::ALL);
    let (mut asked, mut answered) = (0, 0);
    for i in 0..200u16 {
        let mut out = client::Outbox::default();
        let mut client = wire_world::client_of(KEY, capability::ALL, u64::from(i));
        client.poll(0.0, &mut out);
        let mut answer = server::Outbox::default();
        let from = std::net::SocketAddr::from(([127, 0, 0, 1], 1000 + i));
        server.receive(0.0, from, &out.datagrams[0].1, &mut answer);
        asked += out.datagrams[0].1.len();
        answered += answer.datagrams[0].1.len();
    }
    assert!(answered < asked, "{answered} bytes for {asked}");
    assert_eq!(format!("{server:?}").matches("Pending {").count(), 16);
}

#[test]
fn events_beyond_what_is_kept_are_counted() {
    let mut world = World::new(Dice(9), 0.0, capability::ALL);
    world.until_open();
    let mut out = server::Outbox::default();
    let happened = Event {
        event_number: 0,
        tick: 1,
        event: event::HORDE,
        bot_id: NONE,
        other: NONE,
        value: 1,
    };
    for _ in 0..300 {
        world.server.tell(world.now_secs, happened, &mut out);
    }
    let (mut taken, mut lost) = (0, 0);
    for _ in 0..600 {
        for happening in world.turn() {
            match happening {
                client::Happening::Event(_) => taken += 1,
                client::Happening::EventsLost(count) => lost += count,
                _ => {}
            }
        }
    }
    assert_eq!((taken, lost), (256, 44));
}

#[test]
fn a_map_that_was_not_agreed_on_is_not_changed() {
    let mut world = World::new(Dice(10), 0.0, capability::ALL & !capability::RESET_MAP);
    world.until_open();
    let reset = Reset { request: 1, seed: 0, map: "c1m1_hotel".into() };
    let mut out = client::Outbox::default();
    assert!(world.client.reset(world.now_secs, reset.seed, &reset.map, &mut out));
    world.carry(out);
    let mut status = None;
    for _ in 0..100 {
        for happening in world.turn() {
            if let client::Happening::ResetDone(done) = happening {
                status = Some(done.status);
            }
        }
    }
    assert_eq!(status, Some(ResetStatus::NotAllowed));
    assert!(!world.told.iter().any(|happening| matches!(happening, Done::ResetWanted { .. })));
}
