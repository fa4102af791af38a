//! Letters for pictures: strokes of our own, because a program that needs no files has no fonts.
//!
//! A letter is a few strokes in a grid in which capitals are 14 high, small letters 10, and descenders reach to
//! −4.4; `y` points up. Strokes are written in a small language: `M x y` begins one, `L x y` goes straight,
//! `C x y x y x y` in a Bézier curve, `A x y rx ry from to` along an ellipse between two angles in degrees, `E x y rx ry`
//! is a whole ellipse and `D x y` a dot. Letters that are not here are drawn as a box.

use std::f64::consts::FRAC_PI_2;

/// How high capitals are in the grid.
const CAPITAL: f64 = 14.0;
/// How high capitals are beside the size of a font, as in most sans-serif ones.
const SHARE: f64 = 0.716;
/// The room between two letters.
const BETWEEN: f64 = 2.9;
/// How wide a stroke is.
pub const STROKE: f64 = 1.55;
/// How wide one of a bold letter is.
pub const BOLD: f64 = 2.35;

/// The width and the strokes of each letter.
const LETTERS: &[(char, f64, &str)] = &[
    (' ', 2.2, ""),
    ('0', 8.0, "E 4 7 3.9 7"),
    ('1', 8.0, "M 1 10.9 L 4.6 14 L 4.6 0"),
    ('2', 8.0, "A 4 10.2 3.7 3.8 165 -20 C 6.6 6.4 .8 3.4 .3 0 L 7.8 0"),
    ('3', 8.0, "A 3.8 10.6 3.4 3.4 150 -90 L 2.8 7.2 M 3.8 7.2 A 3.8 3.6 4 3.6 90 -152"),
    ('4', 8.0, "M 5.9 0 L 5.9 14 L 0 4 L 8.2 4"),
    ('5', 8.0, "M 7.2 14 L 1.4 14 L .7 7.2 A 3.8 4.5 4 4.5 137 -152"),
    ('6', 8.0, "E 4 4.4 3.9 4.4 M .1 4.4 C .1 10.6 2 14 4.8 14 C 6 14 6.9 13.4 7.4 12.3"),
    ('7', 8.0, "M .2 14 L 7.8 14 C 5 10 3.2 5 2.8 0"),
    ('8', 8.0, "E 4 10.6 3.4 3.4 E 4 3.6 3.9 3.6"),
    ('9', 8.0, "E 4 9.6 3.9 4.4 M 7.9 9.6 C 7.9 3.4 6 0 3.2 0 C 2 0 1.1 .6 .6 1.7"),
    ('A', 9.8, "M 0 0 L 4.9 14 L 9.8 0 M 1.7 4.8 L 8.1 4.8"),
    (
        'B',
        9.0,
        "M 4.8 7.3 L .6 7.3 M .6 0 L .6 14 L 4.8 14 A 4.8 10.65 3.4 3.35 90 -90 L 5 7.3 A 5 3.65 3.8 3.65 90 -90 L .6 0",
    ),
    ('C', 10.0, "A 5.5 7 5.4 7 42 318"),
    ('D', 9.8, "M .6 0 L .6 14 L 4 14 A 4 7 5.8 7 90 -90 L .6 0"),
    ('E', 8.0, "M 7.8 14 L .6 14 L .6 0 L 8 0 M .6 7.2 L 7.3 7.2"),
    ('F', 7.6, "M 7.6 14 L .6 14 L .6 0 M .6 7 L 6.9 7"),
    ('G', 10.6, "A 5.5 7 5.4 7 45 325 L 10.2 6.4 L 6.2 6.4"),
    ('H', 9.6, "M .6 0 L .6 14 M 9 0 L 9 14 M .6 7.2 L 9 7.2"),
    ('I', 1.2, "M .6 0 L .6 14"),
    ('J', 6.6, "M 6 14 L 6 4 A 3 4 3 4 0 -165"),
    ('K', 9.0, "M .6 0 L .6 14 M 8.6 14 L .6 5.4 M 3.7 8.7 L 9 0"),
    ('L', 7.4, "M .6 14 L .6 0 L 7.4 0"),
    ('M', 11.6, "M .6 0 L .6 14 L 5.8 1.4 L 11 14 L 11 0"),
    ('N', 9.6, "M .6 0 L .6 14 L 9 0 L 9 14"),
    ('O', 11.2, "E 5.6 7 5.5 7"),
    ('P', 8.7, "M .6 0 L .6 14 L 4.8 14 A 4.8 10.3 3.7 3.7 90 -90 L .6 6.6"),
    ('Q', 11.2, "E 5.6 7 5.5 7 M 6.8 3.4 L 10.6 -.8"),
    ('R', 9.2, "M .6 0 L .6 14 L 4.8 14 A 4.8 10.3 3.7 3.7 90 -90 L .6 6.6 M 5 6.6 L 8.9 0"),
    (
        'S',
        8.9,
        "A 4.5 10.6 3.8 3.4 32 180 C .7 8 3 7.7 4.7 7.2 C 7 6.6 8.7 5.9 8.7 3.7 A 4.5 3.7 4.2 3.7 0 -152",
    ),
    ('T', 9.0, "M 0 14 L 9 14 M 4.5 14 L 4.5 0"),
    ('U', 9.6, "M .6 14 L .6 4.4 A 4.8 4.4 4.2 4.4 180 360 L 9 14"),
    ('V', 9.4, "M 0 14 L 4.7 0 L 9.4 14"),
    ('W', 13.8, "M 0 14 L 3.4 0 L 6.9 13.4 L 10.4 0 L 13.8 14"),
    ('X', 9.0, "M .2 14 L 8.8 0 M 8.8 14 L .2 0"),
    ('Y', 9.2, "M 0 14 L 4.6 6.4 L 9.2 14 M 4.6 6.4 L 4.6 0"),
    ('Z', 8.8, "M .4 14 L 8.2 14 L .2 0 L 8.6 0"),
    (
        'a',
        7.8,
        "M .7 7.8 C 1 9.2 2.2 10 3.8 10 C 6 10 7 9 7 7 L 7 2.1 C 7 1 7.2 .4 7.7 0 M 7 6.1 C 5.4 5.3 .2 6.1 .2 2.7 C .2 1 1.5 0 3.2 0 C 5.3 0 7 1.4 7 3.8",
    ),
    ('b', 8.0, "M .6 14.4 L .6 0 E 4.3 5 3.7 5"),
    ('c', 7.0, "A 4 5 3.8 5 48 312"),
    ('d', 8.0, "M 7.4 14.4 L 7.4 0 E 3.7 5 3.7 5"),
    ('e', 7.8, "M .2 5.3 L 7.6 5.3 A 3.9 5 3.7 5 4 316"),
    ('f', 4.6, "M 5 14.2 C 3 14.6 2.2 13.7 2.2 11.8 L 2.2 0 M 0 9.8 L 4.7 9.8"),
    (
        'g',
        8.0,
        "E 3.7 5 3.7 5 M 7.4 10 L 7.4 -.2 C 7.4 -3 6 -4.4 3.7 -4.4 C 2.2 -4.4 1 -3.9 .5 -2.7",
    ),
    ('h', 7.6, "M .6 14.4 L .6 0 M .6 6 C .6 8.6 2.2 10 4.2 10 C 6 10 7 8.8 7 6.6 L 7 0"),
    ('i', 1.2, "M .6 10 L .6 0 D .6 13.6"),
    ('j', 2.4, "M 1.8 10 L 1.8 -1.6 C 1.8 -3.6 1 -4.6 -.6 -4.3 D 1.8 13.6"),
    ('k', 7.2, "M .6 14.4 L .6 0 M 6.7 10 L .6 3.8 M 3 6.2 L 7.1 0"),
    ('l', 1.2, "M .6 14.4 L .6 0"),
    (
        'm',
        12.0,
        "M .6 10 L .6 0 M .6 6 C .6 8.6 2 10 3.7 10 C 5.3 10 6 8.9 6 6.8 L 6 0 M 6 6 C 6 8.6 7.4 10 9.1 10 C 10.7 10 11.4 8.9 11.4 6.8 L 11.4 0",
    ),
    ('n', 7.6, "M .6 10 L .6 0 M .6 6 C .6 8.6 2.2 10 4.2 10 C 6 10 7 8.8 7 6.6 L 7 0"),
    ('o', 8.0, "E 4 5 3.9 5"),
    ('p', 8.0, "M .6 10 L .6 -4.4 E 4.3 5 3.7 5"),
    ('q', 8.0, "M 7.4 10 L 7.4 -4.4 E 3.7 5 3.7 5"),
    ('r', 4.4, "M .6 10 L .6 0 M .6 5.6 C .6 8.6 2 10 4.6 9.8"),
    (
        's',
        6.8,
        "A 3.4 7.4 2.9 2.6 30 180 C .5 5.6 2.1 5.5 3.5 5.1 C 5.2 4.7 6.6 4.2 6.6 2.7 A 3.4 2.7 3.2 2.7 0 -152",
    ),
    ('t', 4.6, "M 2.2 12.8 L 2.2 2.4 C 2.2 .6 3 -.2 4.8 .2 M 0 9.8 L 4.6 9.8"),
    ('u', 7.6, "M .6 10 L .6 3.4 C .6 1.2 1.6 0 3.4 0 C 5.4 0 7 1.4 7 4 M 7 10 L 7 0"),
    ('v', 7.4, "M 0 10 L 3.7 0 L 7.4 10"),
    ('w', 11.0, "M 0 10 L 2.8 0 L 5.5 9.4 L 8.2 0 L 11 10"),
    ('x', 7.0, "M .2 10 L 6.8 0 M 6.8 10 L .2 0"),
    ('y', 7.4, "M 0 10 L 3.8 .2 M 7.4 10 L 3.2 -2 C 2.6 -3.8 1.9 -4.6 .4 -4.3"),
    ('z', 7.0, "M .4 10 L 6.4 10 L .2 0 L 6.8 0"),
    ('.', 1.2, "D .6 .3"),
    (',', 1.4, "D .8 .3 M .9 .2 L .2 -2.6"),
    (':', 1.2, "D .6 .3 D .6 8.4"),
    (';', 1.4, "D .8 8.4 D .8 .3 M .9 .2 L .2 -2.6"),
    ('!', 1.2, "M .6 14 L .6 4.4 D .6 .3"),
    ('?', 6.8, "A 3.3 10.9 3 3.1 165 -40 C 4.6 7.4 3.2 7 3.2 4.4 D 3.2 .3"),
    ('\'', 1.2, "M .6 14.2 L .6 10.4"),
    ('"', 4.0, "M .6 14.2 L .6 10.4 M 3.4 14.2 L 3.4 10.4"),
    ('(', 3.4, "M 3.4 15 C .2 11 .2 0 3.4 -4"),
    (')', 3.4, "M 0 15 C 3.2 11 3.2 0 0 -4"),
    ('[', 3.2, "M 3.2 15 L .6 15 L .6 -4 L 3.2 -4"),
    (']', 3.2, "M 0 15 L 2.6 15 L 2.6 -4 L 0 -4"),
    ('{', 4.4, "M 4.4 15 C 1 15 3.6 6 .2 5.5 C 3.6 5 1 -4 4.4 -4"),
    ('}', 4.4, "M 0 15 C 3.4 15 .8 6 4.2 5.5 C .8 5 3.4 -4 0 -4"),
    ('/', 5.6, "M 0 -2 L 5.6 15"),
    ('\\', 5.6, "M 5.6 -2 L 0 15"),
    ('|', 1.2, "M .6 -4 L .6 15"),
    ('+', 8.4, "M 4.2 2.4 L 4.2 10.8 M 0 6.6 L 8.4 6.6"),
    ('-', 4.2, "M 0 5.2 L 4.2 5.2"),
    ('\u{2212}', 8.0, "M 0 6.6 L 8 6.6"),
    ('–', 8.0, "M 0 5.2 L 8 5.2"),
    ('—', 14.0, "M 0 5.2 L 14 5.2"),
    ('=', 8.4, "M 0 8.6 L 8.4 8.6 M 0 4.6 L 8.4 4.6"),
    ('<', 8.4, "M 8.2 11 L .2 6.6 L 8.2 2.2"),
    ('>', 8.4, "M .2 11 L 8.2 6.6 L .2 2.2"),
    ('≤', 8.4, "M 8.2 13 L .2 8.6 L 8.2 4.2 M .2 1.2 L 8.2 1.2"),
    ('≥', 8.4, "M .2 13 L 8.2 8.6 L .2 4.2 M .2 1.2 L 8.2 1.2"),
    ('±', 8.4, "M 4.2 4.2 L 4.2 12.2 M 0 8.2 L 8.4 8.2 M 0 1.2 L 8.4 1.2"),
    ('×', 7.2, "M 0 3 L 7.2 10.2 M 7.2 3 L 0 10.2"),
    ('·', 1.2, "D .6 6.2"),
    ('…', 10.0, "D .6 .3 D 5 .3 D 9.4 .3"),
    ('°', 4.0, "E 2 11.8 2 2"),
    ('µ', 7.6, "M .6 10 L .6 -4.4 M .6 3.4 C .6 1.2 1.6 0 3.4 0 C 5.4 0 7 1.4 7 4 M 7 10 L 7 0"),
    ('→', 11.0, "M 0 6 L 11 6 M 7.4 9.4 L 11 6 L 7.4 2.6"),
    ('%', 13.0, "E 2.8 10.7 2.7 3.3 E 10.2 3.3 2.7 3.3 M 10.2 14 L 2.8 0"),
    (
        '&',
        10.0,
        "M 10 0 L 3 8.8 C 1.6 10.6 1.8 14 4.4 14 C 6.8 14 7.2 10.8 5.2 9.2 L 2.4 7 C -.8 4.4 .4 0 4 0 C 7 0 8.8 2.6 9.2 6.2",
    ),
    (
        '@',
        13.4,
        "E 6.6 5.2 2.7 3.2 M 9.3 8.4 L 9.3 4 C 9.3 1.4 13 1.6 13 5.6 C 13 10.4 10.4 12.6 6.8 12.6 C 2.8 12.6 .2 9.4 .2 5 C .2 .2 3 -2.6 7 -2.6 C 8.8 -2.6 10.2 -2.2 11.4 -1.4",
    ),
    ('#', 9.4, "M 2.2 0 L 3.8 14 M 6 0 L 7.6 14 M 0 4.4 L 9 4.4 M .6 9.6 L 9.4 9.6"),
    (
        '$',
        8.4,
        "A 4.2 10.2 3.6 2.9 32 180 C .6 8 2.6 7.6 4.3 7.1 C 6.5 6.5 8.2 5.8 8.2 4 A 4.2 4 4 3.2 0 -152 M 4.2 15.4 L 4.2 -1.6",
    ),
    ('*', 5.6, "M 2.8 14 L 2.8 8.4 M .3 12.7 L 5.3 9.7 M 5.3 12.7 L .3 9.7"),
    ('_', 8.0, "M 0 -2.6 L 8 -2.6"),
    ('^', 7.0, "M .4 8.6 L 3.5 14 L 6.6 8.6"),
    ('~', 8.4, "M 0 5.4 C 1.4 8.8 3 7.8 4.2 6.6 C 5.4 5.4 7 4.4 8.4 7.8"),
    ('`', 2.6, "M .2 14.4 L 2.6 11.8"),
    ('’', 1.6, "M 1.2 14.2 L .4 10.6"),
    ('‘', 1.6, "M .4 14.2 L 1.2 10.6"),
    ('“', 4.4, "M .4 14.2 L 1.2 10.6 M 3.2 14.2 L 4 10.6"),
    ('”', 4.4, "M 1.2 14.2 L .4 10.6 M 4 14.2 L 3.2 10.6"),
    (
        'ß',
        8.0,
        "M .6 0 L .6 10.8 C .6 13 2 14.4 4 14.4 C 6 14.4 7.2 13.2 7.2 11.4 C 7.2 9.6 6 8.8 4.6 8.2 C 6.8 7.8 7.9 6.2 7.9 4.2 C 7.9 1.6 6.2 0 3.6 .2",
    ),
];

/// Letters with something above or below: the letter, and what.
const ACCENTED: &str = "ÀA` ÁA´ ÂA^ ÃA~ ÄA¨ ÅA° ÇC¸ ÈE` ÉE´ ÊE^ ËE¨ ÌI` ÍI´ ÎI^ ÏI¨ ÑN~ ÒO` ÓO´ ÔO^ ÕO~ ÖO¨ ÙU` ÚU´ ÛU^ ÜU¨ ÝY´ \
     àa` áa´ âa^ ãa~ äa¨ åa° çc¸ èe` ée´ êe^ ëe¨ ñn~ òo` óo´ ôo^ õo~ öo¨ ùu` úu´ ûu^ üu¨ ýy´ ÿy¨";

/// What stands above a small letter, or below any, about the middle.
const ACCENTS: &[(char, &str)] = &[
    ('`', "M -1.8 14.4 L .6 12"),
    ('´', "M 1.8 14.4 L -.6 12"),
    ('^', "M -2.2 12 L 0 14.2 L 2.2 12"),
    ('~', "M -2.6 12.4 C -1.4 14.4 1.2 11.8 2.6 13.8"),
    ('¨', "D -1.8 13.2 D 1.8 13.2"),
    ('°', "E 0 13.6 1.4 1.4"),
    ('¸', "M .2 -.4 L -.4 -3.4"),
];

/// A part of a stroke. Places are in pixels, `y` points down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// Begins another stroke.
    Move(f64, f64),
    /// Straight.
    Line(f64, f64),
    /// A Bézier curve.
    Curve([f64; 6]),
    /// Back to where the stroke began.
    Close,
}

/// A letter as it is drawn.
struct Letter {
    width: f64,
    strokes: &'static str,
    /// What else is drawn, and how far to the right and up.
    more: Option<(&'static str, f64, f64)>,
}

fn letter(c: char) -> Letter {
    let found = |c: char| LETTERS.iter().find(|(known, ..)| *known == c);
    if let Some(&(_, width, strokes)) = found(c) {
        return Letter { width, strokes, more: None };
    }
    let accented = ACCENTED.split(' ').find(|entry| entry.starts_with(c)).and_then(|entry| {
        let mut rest = entry.chars().skip(1);
        let (base, accent) = (rest.next()?, rest.next()?);
        let &(_, width, strokes) = found(base)?;
        let &(_, above) = ACCENTS.iter().find(|(known, _)| *known == accent)?;
        let up = if base.is_uppercase() && accent != '¸' { 4.0 } else { 0.0 };
        Some(Letter { width, strokes, more: Some((above, width / 2.0, up)) })
    });
    let unknown = Letter { width: 7.6, strokes: "M .6 0 L .6 14 L 7 14 L 7 0 L .6 0", more: None };
    accented.unwrap_or(unknown)
}

/// Pixels of a unit of the grid, where the font has this size.
pub fn unit(size: f64) -> f64 {
    size * SHARE / CAPITAL
}

/// How wide a text is at a size, in pixels.
pub fn width(text: &str, size: f64) -> f64 {
    let all: f64 = text.chars().map(|c| letter(c).width + BETWEEN).sum();
    (all - BETWEEN).max(0.0) * unit(size)
}

/// A text that is at most so wide, in pixels: what does not fit is left out at its end.
pub fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while short.pop().is_some() {
        let told = format!("{}…", short.trim_end_matches([' ', ',']));
        if width(&told, size) <= room {
            return told;
        }
    }
    short
}

/// The strokes of a text that begins at a place on its base line.
pub fn strokes(text: &str, size: f64, x: f64, y: f64) -> Vec<Part> {
    let (unit, mut pen, mut parts) = (unit(size), 0.0, Vec::new());
    for c in text.chars() {
        let letter = letter(c);
        trace(letter.strokes, (x + unit * pen, y), unit, &mut parts);
        if let Some((strokes, right, up)) = letter.more {
            trace(strokes, (x + unit * (pen + right), y - unit * up), unit, &mut parts);
        }
        pen += letter.width + BETWEEN;
    }
    parts
}

/// Follows strokes of the small language.
fn trace(strokes: &str, (left, base): (f64, f64), unit: f64, out: &mut Vec<Part>) {
    let (px, py) = (|x: f64| left + unit * x, |y: f64| base - unit * y);
    let mut words = strokes.split_ascii_whitespace();
    let mut down = false;
    while let Some(what) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
        match what {
            "M" => {
                out.push(Part::Move(px(number()), py(number())));
                down = true;
            }
            "L" => out.push(Part::Line(px(number()), py(number()))),
            "C" => {
                let at = [(); 6].map(|()| number());
                let [a, b, c, d, e, f] = at;
                out.push(Part::Curve([px(a), py(b), px(c), py(d), px(e), py(f)]));
            }
            "A" => {
                let [x, y, rx, ry, from, to] = [(); 6].map(|()| number());
                arc([px(x), py(y)], [unit * rx, unit * ry], from, to, down, out);
                down = true;
            }
            "E" => {
                let [x, y, rx, ry] = [(); 4].map(|()| number());
                arc([px(x), py(y)], [unit * rx, unit * ry], 0.0, 360.0, false, out);
                out.push(Part::Close);
                down = false;
            }
            "D" => {
                // A stroke so short that its round ends make a dot.
                let [x, y] = [(); 2].map(|()| number());
                out.extend([Part::Move(px(x - 0.2), py(y)), Part::Line(px(x + 0.2), py(y))]);
                down = false;
            }
            _ => debug_assert!(false, "{what} in {strokes}"),
        }
    }
}

/// A part of an ellipse as Bézier curves of at most a quarter each.
fn arc([x, y]: [f64; 2], [rx, ry]: [f64; 2], from: f64, to: f64, joins: bool, out: &mut Vec<Part>) {
    let (from, to) = (from.to_radians(), to.to_radians());
    let pieces = ((to - from).abs() / FRAC_PI_2 - 1e-9).ceil().max(1.0);
    let step = (to - from) / pieces;
    let reach = 4.0 / 3.0 * (step / 4.0).tan();
    let begin = (x + rx * from.cos(), y - ry * from.sin());
    out.push(if joins { Part::Line(begin.0, begin.1) } else { Part::Move(begin.0, begin.1) });
    for piece in 0..pieces as usize {
        let (a, b) = (from + step * piece as f64, from + step * (piece + 1) as f64);
        out.push(Part::Curve([
            x + rx * (a.cos() - reach * a.sin()),
            y - ry * (a.sin() + reach * a.cos()),
            x + rx * (b.cos() + reach * b.sin()),
            y - ry * (b.sin() - reach * b.cos()),
            x + rx * b.cos(),
            y - ry * b.sin(),
        ]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_that_is_typed_is_there_and_within_its_line() {
        for c in (' '..='~').chain("−–—×·±≤≥°µ…→äÖéçñÅ“”’ß".chars())
        {
            let unknown = letter(c).strokes.starts_with("M .6 0 L .6 14 L 7 14 L 7");
            assert!(!unknown, "{c} is a box");
            let parts = strokes(&c.to_string(), 14.0 / SHARE, 0.0, 0.0);
            for part in parts {
                let places: Vec<(f64, f64)> = match part {
                    Part::Move(x, y) | Part::Line(x, y) => vec![(x, y)],
                    Part::Curve(p) => vec![(p[0], p[1]), (p[2], p[3]), (p[4], p[5])],
                    Part::Close => Vec::new(),
                };
                for (x, y) in places {
                    let wide = letter(c).width + 1.6;
                    assert!((-19.5..=5.0).contains(&y), "{c}: {y}");
                    assert!((-1.6..=wide).contains(&x), "{c}: {x}");
                }
            }
        }
    }

    #[test]
    fn widths_add_up() {
        assert_eq!(width("", 13.0), 0.0);
        assert!((width("1234", 13.0) - width("8888", 13.0)).abs() < 1e-9, "figures are alike");
        let wide = width("return mean", 13.0);
        // As wide as in the sans-serif fonts that readers have, within a sixth.
        assert!((56.0..80.0).contains(&wide), "{wide}");
        assert!(width("\u{4e16}", 13.0) > 0.0);
    }
}
