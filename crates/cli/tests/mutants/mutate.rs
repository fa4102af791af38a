//! Mutants of bytes: what disks, editors and ill will make of a file.

use lanista_game::seed;

/// Numbers that break arithmetic which nobody checked.
const EXTREMES: [&str; 24] = [
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e-320",
    "1e39",
    "1e308",
    "-1e308",
    "1e999",
    "0.5",
];

/// Words and brackets of the formats at hand.
const TOKENS: [&str; 26] = [
    "null",
    "true",
    "false",
    "NaN",
    ".nan",
    ".inf",
    "-.inf",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "}}",
    "{\"a\":",
    ",",
    ":",
    "\n",
    "- ",
    "&a ",
    "*a",
    "<<: ",
    "!!binary ",
    "\u{0}",
    "\u{feff}",
    "🦀",
    "nan",
    "inf",
];

/// A source of luck: the same seed, the same mutants.
pub struct Dice(u64);

impl Dice {
    pub fn new(kind: &str, number: usize) -> Self {
        let kind = kind.bytes().fold(7, |sum, byte| seed::mix(sum, byte.into()));
        Self(seed::mix(kind, number as u64))
    }

    fn next(&mut self) -> u64 {
        self.0 = seed::mix(self.0, 1);
        self.0
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Changes any bytes, in one to four places. `other` is a file of the same kind to splice from.
pub fn bytes(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..1 + dice.below(4) {
        if bytes.is_empty() {
            bytes.push(dice.below(256) as u8);
        }
        let at = dice.below(bytes.len());
        let end = (at + 1 + dice.below(64)).min(bytes.len());
        match dice.below(9) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => bytes[at] = *dice.pick(&[0, 1, 0x7f, 0x80, 0xff, b'"', b'9', b'\n']),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let again = bytes[at..end].to_vec();
                let times = 1 + dice.below(50);
                bytes.splice(at..at, again.repeat(times));
            }
            5 if !other.is_empty() => {
                let from = dice.below(other.len());
                let to = (from + 1 + dice.below(256)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            6 => bytes[at..end].fill(0),
            7 => {
                let words = [0u32, 1, 0x7fff_ffff, u32::MAX, 0x7fc0_0000, 0x7f80_0000, 0x5000_0000];
                let word = dice.pick(&words).to_le_bytes();
                let at = at / 4 * 4;
                let end = (at + 4).min(bytes.len());
                bytes.splice(at..end, word);
            }
            _ => text_token(dice, bytes),
        }
    }
}

/// Changes a text so that it often stays a text of its format: numbers become extreme, words others,
/// lines double, vanish or change places.
pub fn text(dice: &mut Dice, text: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..1 + dice.below(3) {
        match dice.below(10) {
            0..6 => number(dice, text),
            6 => text_token(dice, text),
            7 => line(dice, text, other),
            8 => line(dice, text, &text.clone()),
            _ => bytes(dice, text, other),
        }
    }
}

/// Replaces a number of the text by an extreme one.
pub fn number(dice: &mut Dice, text: &mut Vec<u8>) {
    let inside = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
    let starts: Vec<usize> = (0..text.len())
        .filter(|&i| text[i].is_ascii_digit() && (i == 0 || !inside(text[i - 1])))
        .collect();
    if starts.is_empty() {
        return text_token(dice, text);
    }
    let start = *dice.pick(&starts);
    let length = text[start..].iter().take_while(|&&byte| inside(byte)).count();
    let extreme = dice.pick(&EXTREMES).bytes();
    text.splice(start..start + length, extreme);
}

fn text_token(dice: &mut Dice, text: &mut Vec<u8>) {
    let at = dice.below(text.len() + 1);
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let end = match dice.below(2) {
        0 => at,
        _ => at + text[at..].iter().take_while(|byte| word(byte)).count(),
    };
    let times = if dice.below(8) == 0 { 200 } else { 1 };
    text.splice(at..end, dice.pick(&TOKENS).repeat(times).bytes());
}

fn line(dice: &mut Dice, text: &mut Vec<u8>, other: &[u8]) {
    let lines: Vec<&[u8]> = other.split_inclusive(|&b| b == b'\n').collect();
    let (ours, mut at) = (text.split_inclusive(|&b| b == b'\n'), 0);
    let mut starts = vec![0];
    ours.for_each(|line| {
        at += line.len();
        starts.push(at);
    });
    let from = dice.below(starts.len() - 1);
    let to = if dice.below(2) == 0 { starts[from] } else { starts[from + 1] };
    let new = if lines.is_empty() { &[][..] } else { dice.pick(&lines) };
    text.splice(starts[from]..to, new.iter().copied());
}

/// Changes named arrays so that the file often stays sound: its header, or some of its numbers.
pub fn arrays(dice: &mut Dice, file: &mut Vec<u8>, other: &[u8]) {
    let header = file.first_chunk::<8>().map(|n| u64::from_le_bytes(*n) as usize);
    let Some(end) = header.map(|n| n + 8).filter(|&end| end <= file.len()) else {
        return bytes(dice, file, other);
    };
    match dice.below(4) {
        0 => bytes(dice, file, other),
        1 => {
            let mut header = file[8..end].to_vec();
            text(dice, &mut header, &other[other.len().min(8)..]);
            let length = (header.len() as u64).to_le_bytes();
            file.splice(..end, length.into_iter().chain(header));
        }
        _ => {
            let words = (file.len() - end) / 4;
            for _ in 0..1 + dice.below(3) {
                let bits = [0x7fc0_0000u32, 0x7f80_0000, 0xff80_0000, 0x7f7f_ffff, 1, u32::MAX, 0];
                let (at, word) = (end + 4 * dice.below(words), *dice.pick(&bits));
                if at + 4 <= file.len() {
                    file[at..at + 4].copy_from_slice(&word.to_le_bytes());
                }
            }
        }
    }
}
