//! A line of the log in its parts.
//!
//! `|-damage|p2a: Gyarados|57/100|[from] item: Rocky Helmet|[of] p1a: Ferrothorn`: a word, arguments, and
//! tags in brackets. Nothing is copied.

/// Arguments that a line is read to; the longest that Showdown writes has five.
const ARGUMENTS: usize = 6;

/// A line in its parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line<'a> {
    /// What happens, such as `-damage`.
    pub word: &'a str,
    arguments: [&'a str; ARGUMENTS],
    /// `[from]`: why it happens.
    pub from: Option<Effect<'a>>,
    /// `[of]`: whose doing it is.
    pub of: Option<Ident<'a>>,
    /// `[spread]`: whom a move reached, such as `p1a,p2b`.
    pub spread: Option<&'a str>,
    /// `[ability]`: the ability that was there before.
    pub ability: Option<&'a str>,
    /// The tags that stand alone.
    pub tags: Tags,
}

/// Tags without a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tags {
    pub silent: bool,
    pub still: bool,
    pub upkeep: bool,
    pub weaken: bool,
    pub eat: bool,
    pub consumed: bool,
    pub partially_trapped: bool,
    pub no_target: bool,
    pub fatigue: bool,
    pub premajor: bool,
    pub broken: bool,
}

impl<'a> Line<'a> {
    /// Reads a line; nothing if it does not begin with a bar, as chat may.
    pub fn read(text: &'a str) -> Option<Self> {
        let mut parts = text.trim_end_matches(['\r', '\n']).strip_prefix('|')?.split('|');
        let mut line = Self { word: parts.next().unwrap_or(""), ..Self::default() };
        let mut count = 0;
        for part in parts {
            match part.strip_prefix('[').and_then(|tag| tag.split_once(']')) {
                Some((tag, value)) => line.tag(tag, value.trim()),
                None => {
                    if let Some(argument) = line.arguments.get_mut(count) {
                        *argument = part;
                    }
                    count += 1;
                }
            }
        }
        Some(line)
    }

    fn tag(&mut self, tag: &'a str, value: &'a str) {
        match tag {
            "from" => self.from = Some(Effect::of(value)),
            "of" => self.of = Ident::read(value),
            "spread" => self.spread = Some(value),
            "ability" => self.ability = Some(value),
            "silent" => self.tags.silent = true,
            "still" => self.tags.still = true,
            "upkeep" => self.tags.upkeep = true,
            "weaken" => self.tags.weaken = true,
            "eat" => self.tags.eat = true,
            "consumed" => self.tags.consumed = true,
            "partiallytrapped" => self.tags.partially_trapped = true,
            "notarget" => self.tags.no_target = true,
            "fatigue" => self.tags.fatigue = true,
            "premajor" => self.tags.premajor = true,
            "broken" => self.tags.broken = true,
            _ => {}
        }
    }

    /// An argument; empty if it is not there.
    pub fn argument(&self, at: usize) -> &'a str {
        self.arguments.get(at).copied().unwrap_or("")
    }

    /// An argument that names somebody.
    pub fn who(&self, at: usize) -> Option<Ident<'a>> {
        Ident::read(self.argument(at))
    }
}

/// Somebody by name: `p2a: Gyarados` in battle, `p2: Gyarados` on the bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ident<'a> {
    pub side: usize,
    pub place: Option<usize>,
    pub name: &'a str,
}

impl<'a> Ident<'a> {
    pub fn read(text: &'a str) -> Option<Self> {
        let (whose, name) = text.split_once(':')?;
        let mut letters = whose.bytes();
        let (p, side, place) = (letters.next()?, letters.next()?, letters.next());
        let side = match (p, side) {
            (b'p', b'1') => 0,
            (b'p', b'2') => 1,
            _ => return None,
        };
        let place = match place {
            None => None,
            Some(letter @ b'a'..=b'b') => Some(usize::from(letter - b'a')),
            Some(_) => return None,
        };
        Some(Self { side, place, name: name.trim() })
    }
}

/// What kind of thing an effect is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Move,
    Ability,
    Item,
    Other,
}

/// An effect by name: `move: Taunt`, `ability: Static`, `item: Leftovers`, `confusion`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect<'a> {
    pub kind: Kind,
    pub name: &'a str,
}

impl<'a> Effect<'a> {
    pub fn of(text: &'a str) -> Self {
        let (kind, name) = match text.split_once(':') {
            Some(("move", name)) => (Kind::Move, name),
            Some(("ability", name)) => (Kind::Ability, name),
            Some(("item", name)) => (Kind::Item, name),
            _ => (Kind::Other, text),
        };
        Self { kind, name: name.trim() }
    }

    pub fn id(&self) -> Id {
        Id::of(self.name)
    }
}

/// Showdown's id of a name, on the stack; of longer names than there are, the beginning.
#[derive(Clone, Copy)]
pub(super) struct Id {
    letters: [u8; 32],
    length: usize,
}

impl Id {
    pub fn of(name: &str) -> Self {
        let mut id = Self { letters: [0; 32], length: 0 };
        let kept = name.bytes().filter(u8::is_ascii_alphanumeric).take(id.letters.len());
        for letter in kept {
            id.letters[id.length] = letter.to_ascii_lowercase();
            id.length += 1;
        }
        id
    }

    pub fn as_str(&self) -> &str {
        // Letters and digits of ASCII are UTF-8.
        std::str::from_utf8(&self.letters[..self.length]).unwrap_or("")
    }
}

/// What a `DETAILS` says: `Urshifu-Rapid-Strike, L50, M, shiny, tera:Water`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Details<'a> {
    pub species: &'a str,
    pub level: u8,
    pub gender: Option<char>,
    pub tera: Option<&'a str>,
}

impl<'a> Details<'a> {
    pub fn read(text: &'a str) -> Self {
        let mut parts = text.split(',').map(str::trim);
        let species = parts.next().unwrap_or("");
        // A level of 100 is not written.
        let mut details = Self { species, level: 100, gender: None, tera: None };
        for part in parts {
            match part {
                "M" => details.gender = Some('M'),
                "F" => details.gender = Some('F'),
                _ => {
                    if let Some(tera) = part.strip_prefix("tera:") {
                        details.tera = Some(tera.trim());
                    } else if let Some(level) = part.strip_prefix('L') {
                        details.level = level.parse().unwrap_or(100);
                    }
                }
            }
        }
        details
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_arguments_and_tags() {
        let line = Line::read(
            "|-damage|p2a: Gyarados|57/100|[from] item: Rocky Helmet|[of] p1b: Big: Fern|[silent]",
        )
        .unwrap();
        assert_eq!((line.word, line.argument(1), line.argument(2)), ("-damage", "57/100", ""));
        let who = Ident { side: 1, place: Some(0), name: "Gyarados" };
        assert_eq!(line.who(0), Some(who));
        let from = line.from.unwrap();
        assert_eq!((from.kind, from.id().as_str()), (Kind::Item, "rockyhelmet"));
        assert_eq!(line.of, Some(Ident { side: 0, place: Some(1), name: "Big: Fern" }));
        assert!(line.tags.silent && !line.tags.still);
        assert!(Line::read("chat").is_none());
        assert_eq!(Line::read("|").unwrap().word, "");
    }

    #[test]
    fn odd_names_are_nobody() {
        for odd in ["", "p1a", "p3a: X", "p1c: X", "q1a: X", ": X", "p: X"] {
            assert_eq!(Ident::read(odd), None, "{odd}");
        }
        assert_eq!(Ident::read("p1: X").unwrap().place, None);
    }

    #[test]
    fn details_are_read() {
        let read = Details::read("Urshifu-Rapid-Strike, L50, M, shiny, tera:Water");
        let wanted = Details {
            species: "Urshifu-Rapid-Strike",
            level: 50,
            gender: Some('M'),
            tera: Some("Water"),
        };
        assert_eq!(read, wanted);
        assert_eq!(Details::read("Ditto").level, 100);
    }
}
