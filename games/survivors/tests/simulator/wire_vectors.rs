//! `integrations/sourcemod/vectors.json` is what the codec writes: messages with their fields, keys and bytes, for
//! the plugin and for clients in other languages.
//!
//! After a change of the format: `LANISTA_WRITE_VECTORS=1 cargo test -p lanista-survivors --test simulator wire_vectors`.

use lanista_survivors::wire::hmac::{Key, Sha256};
use lanista_survivors::wire::legacy69;
use lanista_survivors::wire::state::{BotState, LegacyAction};
use lanista_survivors::wire::v1;
use lanista_survivors::wire::v2::action::{Action, Actions, Entry, Rich, button};
use lanista_survivors::wire::v2::control::{
    Bye, Event, Events, Heartbeat, NONE, Reset, ResetDone, ResetStatus, bye, event,
};
use lanista_survivors::wire::v2::hello::{Hello, Nonces, Refused, RefusedReason, Welcome};
use lanista_survivors::wire::v2::keys::SharedKey;
use lanista_survivors::wire::v2::state::{Entity, Extended, Record, States};
use lanista_survivors::wire::v2::{Header, Kind, Message, seal};
use lanista_survivors::wire::window::Window;
use serde_json::{Value, json};
use std::path::Path;

const SECRET: &str = "correct horse battery staple";
const CLIENT_NONCE: [u8; 16] = *b"client nonce 16!";
const SERVER_NONCE: [u8; 16] = [0, 255, 1, 254, 2, 253, 3, 252, 4, 251, 5, 250, 6, 249, 7, 248];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A state whose numbers are exact in decimal and differ from field to field.
fn state(bot_id: u8) -> BotState {
    let k = f32::from(bot_id);
    BotState {
        bot_id,
        health: 100 - 3 * u16::from(bot_id),
        is_alive: true,
        is_incapped: bot_id == 2,
        position: [1024.5 + k, -2048.25 - k, 64.125],
        velocity: [220.0 - k, -0.5, 0.0],
        angle: [-12.5, 179.75 - k],
        primary_weapon: 26,
        secondary_weapon: 32,
        throwable: 13,
        health_item: 12,
        ammo: 40 + u16::from(bot_id),
        nearby_enemies: 9,
        nearest_enemy_dist: 87.5 + k,
        teammates_alive: 3,
        nearest_teammate_dist: 9999.0,
        teammates_incapped: 1,
        in_safe_room: bot_id == 1,
        near_objective: bot_id != 3,
    }
}

fn state_json(s: &BotState) -> Value {
    json!({
        "bot_id": s.bot_id, "health": s.health, "is_alive": s.is_alive, "is_incapped": s.is_incapped,
        "position": s.position, "velocity": s.velocity, "angle": s.angle,
        "primary_weapon": s.primary_weapon, "secondary_weapon": s.secondary_weapon,
        "throwable": s.throwable, "health_item": s.health_item, "ammo": s.ammo,
        "nearby_enemies": s.nearby_enemies, "nearest_enemy_dist": s.nearest_enemy_dist,
        "teammates_alive": s.teammates_alive, "nearest_teammate_dist": s.nearest_teammate_dist,
        "teammates_incapped": s.teammates_incapped, "in_safe_room": s.in_safe_room,
        "near_objective": s.near_objective,
    })
}

fn extended(entities: u16) -> Extended {
    let entity = |i: u16| Entity {
        class: 1 + (i % 11) as u8,
        marks: i as u8 & 31,
        id: 1000 + i,
        health: 50 * i,
        offset: [100 - 20 * i as i16, -300, i as i16],
        velocity: [250, -(i as i16)],
    };
    Extended {
        temporary_health: 12.25,
        clip: 15,
        reserve_ammo: 360,
        active_weapon: 26,
        pills_item: 15,
        conditions: 0b1001_0000_0001,
        attacker: 3,
        revive_count: 1,
        intensity: 200,
        director_phase: 2,
        flow_distance: 3000.5,
        flow_total: -1.0,
        common_kills: 257,
        special_kills: 3,
        damage_dealt: 70_000,
        damage_taken: 99,
        healing_given: 80,
        revives_given: 2,
        times_incapped: 1,
        entities: (0..entities).map(entity).collect(),
    }
}

fn extended_json(e: &Extended) -> Value {
    let entities: Vec<Value> = e
        .entities
        .iter()
        .map(|e| {
            json!({
                "class": e.class, "marks": e.marks, "id": e.id, "health": e.health,
                "offset": e.offset, "velocity": e.velocity,
            })
        })
        .collect();
    json!({
        "temporary_health": e.temporary_health, "clip": e.clip, "reserve_ammo": e.reserve_ammo,
        "active_weapon": e.active_weapon, "pills_item": e.pills_item, "conditions": e.conditions,
        "attacker": e.attacker, "revive_count": e.revive_count, "intensity": e.intensity,
        "director_phase": e.director_phase, "flow_distance": e.flow_distance,
        "flow_total": e.flow_total, "common_kills": e.common_kills,
        "special_kills": e.special_kills, "damage_dealt": e.damage_dealt,
        "damage_taken": e.damage_taken, "healing_given": e.healing_given,
        "revives_given": e.revives_given, "times_incapped": e.times_incapped,
        "entities": entities,
    })
}

fn fields(message: &Message) -> Value {
    match message {
        Message::Hello(m) => json!({
            "client_nonce": hex(&m.client_nonce), "client_id": m.client_id,
            "capabilities": m.capabilities, "bots_wanted": m.bots_wanted,
            "states_per_sec": m.states_per_sec, "client_name": m.client_name,
        }),
        Message::Challenge(m) | Message::Auth(m) => json!({
            "client_nonce": hex(&m.client_nonce), "server_nonce": hex(&m.server_nonce),
        }),
        Message::Welcome(m) => json!({
            "capabilities": m.capabilities, "bots_given": m.bots_given,
            "ticks_per_sec": m.ticks_per_sec, "ticks_per_state": m.ticks_per_state,
            "hold_ticks": m.hold_ticks, "episode": m.episode, "server_name": m.server_name,
            "map": m.map,
        }),
        Message::Refused(m) => json!({
            "client_nonce": hex(&m.client_nonce), "reason": m.reason as u8, "major": m.major,
            "minor": m.minor,
        }),
        Message::State(m) => {
            let records: Vec<Value> = m
                .records
                .iter()
                .map(|r| {
                    json!({
                        "applied_action": r.applied_action, "applied_tick": r.applied_tick,
                        "state": state_json(&r.state),
                        "extended": r.extended.as_ref().map(extended_json),
                    })
                })
                .collect();
            json!({"episode": m.episode, "part": m.part, "parts": m.parts, "records": records})
        }
        Message::Action(m) => {
            let entries: Vec<Value> = m
                .entries
                .iter()
                .map(|e| match e.action {
                    Action::Legacy(action) => json!({
                        "bot_id": e.bot_id, "action": action as u8,
                        "action_number": e.action_number,
                    }),
                    Action::Rich(rich) => json!({
                        "bot_id": e.bot_id, "move_cell": rich.move_cell,
                        "action_number": e.action_number, "yaw_delta": rich.yaw_delta,
                        "pitch_delta": rich.pitch_delta, "buttons": rich.buttons,
                        "slot": rich.slot,
                    }),
                })
                .collect();
            json!({"episode": m.episode, "events_seen": m.events_seen, "entries": entries})
        }
        Message::Heartbeat(m) => json!({
            "time_millis": m.time_millis, "echo_millis": m.echo_millis,
            "events_seen": m.events_seen,
        }),
        Message::Reset(m) => json!({"request": m.request, "seed": m.seed, "map": m.map}),
        Message::ResetDone(m) => json!({
            "request": m.request, "status": m.status as u8, "episode": m.episode, "seed": m.seed,
            "map": m.map,
        }),
        Message::Events(m) => {
            let events: Vec<Value> = m
                .events
                .iter()
                .map(|e| {
                    json!({
                        "event_number": e.event_number, "tick": e.tick, "event": e.event,
                        "bot_id": e.bot_id, "other": e.other, "value": e.value,
                    })
                })
                .collect();
            json!({"episode": m.episode, "events": events})
        }
        Message::Bye(m) => json!({"reason": m.reason}),
    }
}

fn record(bot_id: u8, entities: Option<u16>) -> Record {
    Record {
        applied_action: 1000 + u32::from(bot_id),
        applied_tick: 0x0102_0304,
        state: state(bot_id),
        extended: entities.map(extended),
    }
}

fn states(records: Vec<Record>) -> Message {
    Message::State(States { episode: 7, part: 0, parts: 1, records })
}

fn legacy(entries: &[(u8, u8, u32)]) -> Message {
    let entries = entries.iter().map(|&(bot_id, id, action_number)| Entry {
        bot_id,
        action_number,
        action: Action::Legacy(LegacyAction::of(id).unwrap()),
    });
    Message::Action(Actions { episode: 7, events_seen: 11, entries: entries.collect() })
}

fn rich(entries: &[(u8, Rich)]) -> Message {
    let entries = entries.iter().map(|&(bot_id, rich)| Entry {
        bot_id,
        action_number: 0xFFFF_FF00 + u32::from(bot_id),
        action: Action::Rich(rich),
    });
    Message::Action(Actions { episode: 7, events_seen: 0, entries: entries.collect() })
}

fn happened(event_number: u32, event: u8, bot_id: u8, value: i32) -> Event {
    Event { event_number, tick: 4000 + event_number, event, bot_id, other: NONE, value }
}

/// Messages with who sends them.
fn messages() -> Vec<(bool, Message)> {
    let nonces = Nonces { client_nonce: CLIENT_NONCE, server_nonce: SERVER_NONCE };
    let hello = Hello {
        client_nonce: CLIENT_NONCE,
        client_id: 0x0123_4567_89AB_CDEF,
        capabilities: 0xFF,
        bots_wanted: u32::MAX,
        states_per_sec: 10,
        client_name: "trainer".into(),
    };
    let welcome = Welcome {
        capabilities: 0x5F,
        bots_given: 0b1111,
        ticks_per_sec: 30,
        ticks_per_state: 3,
        hold_ticks: 15,
        episode: 7,
        server_name: "sixteen bytes at".into(),
        map: "c1m1_hotel".into(),
    };
    let turn = Rich {
        move_cell: 8,
        yaw_delta: -5.75,
        pitch_delta: 0.5,
        buttons: button::ATTACK | button::SHOVE,
        slot: 5,
    };
    let mut all = vec![
        (false, Message::Hello(hello.clone())),
        (false, Message::Hello(Hello { client_name: String::new(), client_id: 1, ..hello })),
        (true, Message::Challenge(nonces)),
        (false, Message::Auth(nonces)),
        (true, Message::Welcome(welcome.clone())),
        (true, Message::Welcome(Welcome { map: String::new(), ..welcome })),
        (true, states(vec![])),
        (true, states(vec![record(0, None)])),
        (true, states((0..4).map(|bot| record(bot, None)).collect())),
        (true, states((0..18).map(|bot| record(bot, None)).collect())),
        (true, states(vec![record(1, Some(0))])),
        (true, states((0..4).map(|bot| record(bot, Some(11))).collect())),
        (true, states((0..3).map(|bot| record(bot, Some(16))).collect())),
        (false, legacy(&[(0, 1, 1)])),
        (false, legacy(&[(0, 0, 70_000), (1, 5, 2), (2, 13, 3), (3, 9, 4)])),
        (false, rich(&[(3, Rich::default())])),
        (false, rich(&[(0, turn), (1, Rich { move_cell: 3, ..turn }), (31, turn)])),
        (
            false,
            rich(&[(
                0,
                Rich { yaw_delta: 180.0, pitch_delta: -180.0, buttons: button::ALL, ..turn },
            )]),
        ),
        (false, Message::Reset(Reset { request: 1, seed: 0, map: String::new() })),
        (
            false,
            Message::Reset(Reset { request: 2, seed: u64::MAX - 1, map: "c8m1_apartment".into() }),
        ),
        (
            true,
            Message::Events(Events { episode: 7, events: vec![happened(1, event::TANK, NONE, 0)] }),
        ),
        (false, Message::Bye(Bye { reason: bye::DONE })),
        (true, Message::Bye(Bye { reason: bye::SILENCE })),
    ];
    let several = (5..25).map(|n| happened(n, 1 + (n % 15) as u8, (n % 4) as u8, -(n as i32)));
    all.push((true, Message::Events(Events { episode: 8, events: several.collect() })));
    for reason in [RefusedReason::Version, RefusedReason::NothingInCommon, RefusedReason::Full] {
        let refused = Refused { client_nonce: CLIENT_NONCE, reason, major: 2, minor: 0 };
        all.push((true, Message::Refused(refused)));
    }
    for from_server in [false, true] {
        let heartbeat =
            Heartbeat { time_millis: 123_456_789, echo_millis: u32::MAX, events_seen: 17 };
        all.push((from_server, Message::Heartbeat(heartbeat)));
    }
    for status in
        [ResetStatus::Done, ResetStatus::UnknownMap, ResetStatus::NotAllowed, ResetStatus::Failed]
    {
        let map = "street".to_owned();
        let done = ResetDone { request: 2, status, episode: 8, seed: 42, map };
        all.push((true, Message::ResetDone(done)));
    }
    all
}

fn v2_vectors() -> Vec<Value> {
    let shared = SharedKey::new(SECRET.as_bytes()).unwrap();
    let keys = shared.session(&CLIENT_NONCE, &SERVER_NONCE);
    let sealed = |(number, (from_server, message)): (u32, (bool, Message))| {
        let kind = message.kind();
        let handshake = matches!(kind, Kind::Hello | Kind::Challenge | Kind::Auth | Kind::Refused);
        let (name, key) = match (handshake, from_server) {
            (true, _) => ("handshake", shared.handshake()),
            (false, true) => ("server", &keys.server),
            (false, false) => ("client", &keys.client),
        };
        let mut header = Header::of_handshake(kind, from_server);
        if !handshake {
            (header.session, header.seq, header.tick) = (0xDEAD_BEEF, 1 + number, 90_000 + number);
        }
        let payload = message.encode();
        assert_eq!(Message::decode(kind, &payload).as_ref(), Ok(&message));
        json!({
            "kind": kind.name(), "from_server": from_server, "session": header.session,
            "seq": header.seq, "tick": header.tick, "sealed_by": name, "fields": fields(&message),
            "hex": hex(&seal(&header, &payload, key).unwrap()),
        })
    };
    (0..).zip(messages()).map(sealed).collect()
}

fn v1_vectors() -> Vec<Value> {
    let mut all = Vec::new();
    for bot_id in [0, 3] {
        for (name, message) in [
            ("connect", v1::Message::Connect { bot_id }),
            ("disconnect", v1::Message::Disconnect { bot_id }),
            ("reset", v1::Message::Reset { bot_id }),
        ] {
            let bytes = hex(&message.encode());
            all.push(json!({"message": name, "bot_id": bot_id, "hex": bytes}));
        }
        let state = state(bot_id);
        all.push(json!({
            "message": "state", "state": state_json(&state),
            "hex": hex(&v1::Message::State(state.clone()).encode()),
            "hex_legacy_69": hex(&legacy69::encode(&state)),
        }));
    }
    for id in 0..14 {
        let action = LegacyAction::of(id).unwrap();
        let bytes = hex(&v1::Message::Action { bot_id: 1, action }.encode());
        all.push(json!({"message": "action", "bot_id": 1, "action": id, "hex": bytes}));
    }
    all
}

/// Datagrams to the server of the session above that must be dropped, and why.
fn refused_vectors() -> Vec<Value> {
    let shared = SharedKey::new(SECRET.as_bytes()).unwrap();
    let keys = shared.session(&CLIENT_NONCE, &SERVER_NONCE);
    let header = Header {
        session: 0xDEAD_BEEF,
        seq: 5,
        tick: 1,
        ..Header::of_handshake(Kind::Action, false)
    };
    let payload = legacy(&[(0, 1, 1)]).encode();
    let good = seal(&header, &payload, &keys.client).unwrap();
    let altered = |at: usize, to: u8| {
        let mut datagram = good.clone();
        datagram[at] = to;
        datagram
    };
    let with_payload = |at: usize, to: u8| {
        let mut payload = payload.clone();
        payload[at] = to;
        seal(&header, &payload, &keys.client).unwrap()
    };
    let cases = [
        ("one bit of the tag", altered(good.len() - 1, good[good.len() - 1] ^ 1)),
        ("one bit of the payload", altered(22, good[22] ^ 1)),
        ("another magic", altered(0, b'N')),
        ("len too large", altered(20, good[20] + 1)),
        ("cut off", good[..good.len() - 1].to_vec()),
        ("a byte more", [&good[..], &[0]].concat()),
        ("sealed by the server's key", seal(&header, &payload, &keys.server).unwrap()),
        ("sealed by the handshake's key", seal(&header, &payload, shared.handshake()).unwrap()),
        ("an action above 13", with_payload(11, 14)),
        ("a format above 1", with_payload(8, 2)),
        ("a bot above 31", with_payload(10, 32)),
        ("more bots than bytes", with_payload(9, 2)),
        ("no bots", with_payload(9, 0)),
    ];
    cases.map(|(why, datagram)| json!({"why": why, "hex": hex(&datagram)})).to_vec()
}

fn vectors() -> Value {
    let root = Key::new(SECRET.as_bytes());
    let mut arrivals =
        vec![1u32, 1, 3, 2, 2, 70, 6, 7, 70, 5, 134, 71, 70, 133, 1000, 937, 936, 1000];
    // Numbers that pass from the near half of the window to the far one, by every distance.
    for ahead in 1..=70 {
        let base = 2000 + 200 * ahead;
        arrivals.extend([base, base + 3, base + 20, base + 40, base + 40 + ahead]);
        arrivals.extend([base, base + 3, base + 2, base + 20, base + 21, base + 40, base + 41]);
    }
    arrivals.push(u32::MAX);
    let mut window = Window::default();
    let accepted: Vec<bool> = arrivals.iter().map(|&seq| window.accept(seq)).collect();
    let sha256 = ["", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"];
    let session = |label: &[u8]| hex(&root.mac(&[label, &CLIENT_NONCE, &SERVER_NONCE]));
    json!({
        "about": "Mnemosyne: messages and their bytes, see docs/mnemosyne.md",
        "shared_key": SECRET,
        "client_nonce": hex(&CLIENT_NONCE),
        "server_nonce": hex(&SERVER_NONCE),
        "handshake_key": hex(&root.mac(&[b"mnemosyne v2 handshake"])),
        "client_key": session(b"mnemosyne v2 client"),
        "server_key": session(b"mnemosyne v2 server"),
        "sha256": sha256.map(|text| json!({"text": text, "hex": hex(&Sha256::digest(text.as_bytes()))})),
        "window": {"arrivals": arrivals, "accepted": accepted},
        "v1": v1_vectors(),
        "v2": v2_vectors(),
        "refused": refused_vectors(),
    })
}

/// JSON with a line for every message, so that a change of one shows as a change of one.
fn a_line_each(vectors: &Value) -> String {
    let entries = vectors.as_object().unwrap().iter().map(|(name, value)| match value.as_array() {
        Some(cases) => {
            let lines: Vec<String> = cases.iter().map(|case| format!("    {case}")).collect();
            format!("  \"{name}\": [\n{}\n  ]", lines.join(",\n"))
        }
        None => format!("  \"{name}\": {value}"),
    });
    format!("{{\n{}\n}}\n", entries.collect::<Vec<String>>().join(",\n"))
}

#[test]
fn the_committed_vectors_are_what_the_codec_writes() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/sourcemod/vectors.json");
    let wanted = a_line_each(&vectors());
    if std::env::var_os("LANISTA_WRITE_VECTORS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == wanted, "{} is not what the codec writes", path.display());
}
