//! Recordings that somebody damaged: read or refused, never a panic, never much memory.

use std::path::Path;

use lanista_survivors::demo::{Demo, pairs};
use proptest::prelude::*;

/// Writes bits, lowest first.
#[derive(Clone, Default)]
struct Bits {
    bits: Vec<bool>,
}

impl Bits {
    fn put(&mut self, number: u64, count: u32) -> &mut Self {
        self.bits.extend((0..count).map(|bit| number >> bit & 1 != 0));
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        for byte in text.bytes().chain([0]) {
            self.put(u64::from(byte), 8);
        }
        self
    }

    fn part(&mut self, part: &Bits) -> &mut Self {
        self.bits.extend(&part.bits);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | *bit as u8);
        self.bits.chunks(8).map(byte).collect()
    }
}

fn header() -> Vec<u8> {
    let mut bytes = b"HL2DEMO\0".to_vec();
    bytes.extend(4i32.to_le_bytes());
    bytes.extend(2100i32.to_le_bytes());
    for name in ["localhost", "player", "c1m1_hotel", "left4dead2"] {
        let mut field = name.as_bytes().to_vec();
        field.resize(260, 0);
        bytes.extend(field);
    }
    bytes.extend(1f32.to_le_bytes());
    for number in [30i32, 30, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

fn frame(kind: u8, tick: i32, before: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend(tick.to_le_bytes());
    bytes.push(0);
    bytes.extend(before);
    bytes.extend((payload.len() as i32).to_le_bytes());
    bytes.extend(payload);
    bytes
}

fn views(origin: [f32; 3], yaw: f32) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    for number in origin.into_iter().chain([0.0, yaw]) {
        bytes.extend(number.to_le_bytes());
    }
    bytes.resize(312, 0);
    bytes
}

/// What the server says before play: itself, a string table with the baseline, two kinds of events.
fn signon() -> Bits {
    let mut bits = Bits::default();
    bits.put(16, 6).text("Left 4 Dead 2\nBuild: 8267\nServer Number: 1\n");
    bits.put(8, 6).put(2100, 16).put(1, 32).put(0, 3).put(0, 64).put(1, 16).put(0, 32);
    bits.put(0, 8).put(4, 8).put(u64::from((1f32 / 30.0).to_bits()), 32).put(u64::from(b'w'), 8);
    for name in ["left4dead2", "c1m1_hotel", "sky", "host", "L4D2C1", "coop"] {
        bits.text(name);
    }
    let mut entries = Bits::default();
    entries.put(0, 1); // no dictionary
    entries.put(1, 1).put(1, 1).put(0, 1).text("0"); // the next entry, named as it is written
    let baseline = Bits::default().put(1, 1).part(&end()).clone().bytes();
    entries.put(1, 1).put(baseline.len() as u64, 14);
    baseline.iter().for_each(|byte| {
        entries.put(u64::from(*byte), 8);
    });
    bits.put(12, 6).text("instancebaseline").put(1024, 16).put(1, 11);
    bits.put(entries.bits.len() as u64, 21).put(0, 1).put(0, 2).part(&entries);
    let mut list = Bits::default();
    list.put(3, 9).text("player_hurt").put(4, 3).text("userid").put(5, 3).text("health").put(0, 3);
    list.put(4, 9).text("item_pickup").put(1, 3).text("item").put(6, 3).text("new").put(0, 3);
    bits.put(30, 6).put(2, 9).put(list.bits.len() as u64, 20).part(&list);
    bits
}

/// The end of a list of changed properties.
fn end() -> Bits {
    Bits::default().put(0, 2).put(31, 5).put(3, 2).put(127, 7).clone()
}

/// One class, with health and place.
fn data_tables() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(1, 1).put(0, 1).text("DT_BasePlayer").put(1, 10);
    bits.put(0, 5).text("m_iHealth").put(1, 19).put(128, 8).put(0, 64).put(16, 6);
    bits.put(0, 1).put(1, 16).put(0, 16).text("CTerrorPlayer").text("DT_BasePlayer");
    bits.bytes()
}

/// The packet of a tick: the clock, an event, the recorder's health.
fn packet(tick: u32) -> Bits {
    let mut bits = Bits::default();
    bits.put(4, 6).put(u64::from(tick), 32).put(0, 32);
    let mut event = Bits::default();
    if tick.is_multiple_of(2) {
        event.put(3, 9).put(2, 16).put(90, 8);
    } else {
        event.put(4, 9).text("pistol").put(1, 1);
    }
    bits.put(25, 6).put(event.bits.len() as u64, 11).part(&event);
    let mut entities = Bits::default();
    entities.put(1, 4).put(0, 2); // entity 1
    if tick == 1 {
        entities.put(0b10, 2).put(0, 1).put(5, 10); // enters, class 0
    } else {
        entities.put(0, 2);
    }
    entities.put(1, 1).put(1, 1).put(u64::from(100 - tick), 16).part(&end());
    bits.put(26, 6).put(2, 11).put(u64::from(tick > 1), 1);
    if tick > 1 {
        bits.put(u64::from(tick - 1), 32);
        entities.put(0, 4).put(0, 2); // nothing is deleted
    }
    bits.put(0, 1).put(1, 11).put(entities.bits.len() as u64, 20).put(0, 1).part(&entities);
    bits
}

/// A small recording of twenty ticks.
fn recording() -> Vec<u8> {
    let mut bytes = header();
    bytes.extend(frame(1, 0, &views([0.0; 3], 0.0), &signon().bytes()));
    bytes.extend(frame(6, 0, &[], &data_tables()));
    bytes.extend([3, 0, 0, 0, 0, 0]);
    for tick in 1..=20u32 {
        let place = [tick as f32 * 7.0, 0.0, 0.0];
        bytes.extend(frame(2, tick as i32, &views(place, 45.0), &packet(tick).bytes()));
        // Yaw, forward and the forward button.
        let mut command = Bits::default();
        command.put(0, 3).put(1, 1).put(u64::from(45f32.to_bits()), 32).put(0, 1);
        command.put(1, 1).put(u64::from(450f32.to_bits()), 32).put(0, 2).put(1, 1).put(8, 32);
        command.put(0, 4);
        bytes.extend(frame(5, tick as i32, &[0; 4], &command.bytes()));
    }
    bytes.extend([7, 20, 0, 0, 0]);
    bytes
}

#[test]
fn the_small_recording_is_what_was_written() {
    let demo = Demo::read(&recording()).unwrap();
    assert_eq!(demo.first_unread, None);
    assert_eq!(demo.first_entities_unread, None);
    assert_eq!((demo.packets.len(), demo.commands.len(), demo.snapshots.len()), (20, 20, 20));
    assert_eq!(demo.build, Some(8267));
    let counts = demo.events_by_name();
    assert_eq!((counts["player_hurt"], counts["item_pickup"]), (10, 10));
    assert_eq!(demo.events[0].field("item").unwrap().text(), Some("pistol"));
    assert_eq!(demo.events[1].int("health"), Some(90));
    assert_eq!(demo.snapshots[9].player(1).unwrap().health, 90);
    let pairs = pairs::pairs(&demo, None);
    assert_eq!(pairs[5].movement, 7);
    assert_eq!(pairs[5].health, Some(94));
    assert!((pairs[5].velocity[0] - 210.0).abs() < 1e-2);
    assert_eq!(pairs[5].yaw, 45.0);
}

fn read_whatever_it_is(bytes: &[u8]) {
    if let Ok(demo) = Demo::read(bytes) {
        let pairs = pairs::pairs(&demo, None);
        let mut table = Vec::new();
        pairs::write_csv(&pairs, &mut table).unwrap();
        pairs::write_json_lines(&pairs, &mut table).unwrap();
        demo.csv();
        demo.json();
    }
}

proptest! {
    #[test]
    fn small_mutants_are_read_or_refused(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        // Past the header's names more often than in them.
        from in prop::sample::select(vec![0usize, 1072, 1072, 1384]),
    ) {
        let mut bytes = recording();
        for (place, value) in changes {
            let place = from + place.index(bytes.len() - from);
            bytes[place] = value;
        }
        read_whatever_it_is(&bytes);
    }

    #[test]
    fn a_recording_cut_off_anywhere_is_refused_or_ends_there(cut in any::<prop::sample::Index>()) {
        let whole = recording();
        let bytes = &whole[..cut.index(whole.len())];
        match Demo::read(bytes) {
            Ok(demo) => prop_assert!(demo.packets.len() <= 20),
            Err(error) => prop_assert!(error.to_string().starts_with("byte "), "{error}"),
        }
    }

    #[test]
    fn any_bytes_after_the_header_are_read_or_refused(
        rest in proptest::collection::vec(any::<u8>(), 0..2000),
    ) {
        let mut bytes = header();
        bytes.extend(rest);
        read_whatever_it_is(&bytes);
    }
}

/// Bytes that this process had at its most, or `None` where the system does not tell.
fn most_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}

#[test]
fn mutants_of_real_recordings_are_read_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/survivors");
    let Ok(whole) = std::fs::read(folder.join("l4d2_2100_v2220.dem")) else {
        println!("skipped: mutants_of_real_recordings_are_read_or_refused: no recordings at hand");
        return;
    };
    // The same mutants every time: a small generator of its own.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let before = most_memory();
    let mut read = 0;
    for mutant in 0..60 {
        let mut bytes = whole.clone();
        for _ in 0..1 + mutant % 20 {
            let place = 1072 + next() % (bytes.len() - 1072);
            bytes[place] ^= 1 << (next() % 8);
        }
        if mutant % 5 == 4 {
            bytes.truncate(next() % bytes.len());
        }
        if let Ok(demo) = Demo::read(&bytes) {
            read += 1;
            pairs::pairs(&demo, None);
        }
    }
    println!("{read} of 60 mutants could be read");
    if let (Some(before), Some(after)) = (before, most_memory()) {
        // A damaged file may take no more than what the budget allows, and two copies of itself.
        let most = whole.len() * 28 + (16 << 20);
        assert!(after - before < most, "{} bytes for {}", after - before, whole.len());
    }
}

#[test]
fn a_file_made_to_ask_for_memory_is_refused() {
    // An event of very many flags, sent again and again: 2,000 values in 251 bytes.
    let mut list = Bits::default();
    list.put(3, 9).text("wide");
    for _ in 0..2000 {
        list.put(6, 3).text("");
    }
    list.put(0, 3);
    let mut signon = Bits::default();
    signon.put(30, 6).put(1, 9).put(list.bits.len() as u64, 20).part(&list);
    let mut event = Bits::default();
    event.put(25, 6).put(2009, 11).put(3, 9);
    for _ in 0..2000 {
        event.put(1, 1);
    }
    let mut events = Bits::default();
    for _ in 0..200 {
        events.part(&event);
    }
    let mut bytes = header();
    bytes.extend(frame(1, 0, &views([0.0; 3], 0.0), &signon.bytes()));
    for tick in 1..5 {
        bytes.extend(frame(2, tick, &views([0.0; 3], 0.0), &events.bytes()));
    }
    let error = Demo::read(&bytes).unwrap_err().to_string();
    assert!(error.contains("far beyond what a recording of this size needs"), "{error}");
}
