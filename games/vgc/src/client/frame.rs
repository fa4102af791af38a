//! What a server sends at once: lines, of one room or of none.

/// The longest name of a room that is believed.
const LONGEST_ROOM: usize = 100;

/// A message of a server, taken apart no further than into its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The room that it is about; nothing for what concerns the user alone.
    pub room: Option<&'a str>,
    text: &'a str,
}

impl<'a> Frame<'a> {
    /// Takes a message apart.
    pub fn of(message: &'a str) -> Self {
        let Some(rest) = message.strip_prefix('>') else {
            return Self { room: None, text: message };
        };
        let (room, text) = rest.split_once('\n').unwrap_or((rest, ""));
        Self { room: Some(room), text }
    }

    /// Its lines in order; empty ones are left out.
    pub fn lines(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.text.lines().filter(|line| !line.is_empty())
    }
}

/// A line's kind and what follows it: `|win|alpha` is `win` and `alpha`. A line without bars is chatter, of
/// no kind.
pub fn kind(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('|')?;
    Some(rest.split_once('|').unwrap_or((rest, "")))
}

/// Whether a name is one of a room of a battle. It is sent back to the server and names files, so it must
/// hold nothing but what such names are made of.
pub fn is_battle(room: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    room.starts_with("battle-") && room.len() <= LONGEST_ROOM && room.bytes().all(plain)
}

/// The format that a battle's room is named after: `battle-FORMAT-NUMBER`.
pub fn format_of(room: &str) -> Option<&str> {
    room.strip_prefix("battle-")?.split('-').next()
}

/// Whether a line belongs to a battle's log: what its viewers read. Chat, controls and what a server says to
/// one user alone do not.
pub fn is_logged(kind: &str) -> bool {
    !matches!(
        kind,
        "init"
            | "title"
            | "j"
            | "J"
            | "join"
            | "l"
            | "L"
            | "leave"
            | "n"
            | "N"
            | "name"
            | "c"
            | "c:"
            | "chat"
            | "raw"
            | "html"
            | "uhtml"
            | "uhtmlchange"
            | "request"
            | "sentchoice"
            | "error"
            | "bigerror"
            | "popup"
            | "deinit"
            | "noinit"
            | "askreg"
            | "hidelines"
            | "unlink"
            | "pm"
            | "debug"
            | "users"
            | "inactive"
            | "inactiveoff"
            | "tempnotify"
            | "tempnotifyoff"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_apart() {
        let frame = Frame::of(">battle-gen9vgc2024regg-1\n|init|battle\n\n|title|a vs. b\n");
        assert_eq!(frame.room, Some("battle-gen9vgc2024regg-1"));
        assert_eq!(frame.lines().collect::<Vec<_>>(), ["|init|battle", "|title|a vs. b"]);
        let frame = Frame::of("|challstr|4|ab");
        assert_eq!((frame.room, frame.lines().count()), (None, 1));
        assert_eq!(Frame::of(">").lines().count(), 0);
        assert_eq!(kind("|challstr|4|ab"), Some(("challstr", "4|ab")));
        assert_eq!(
            (kind("|"), kind("|tie"), kind("hello")),
            (Some(("", "")), Some(("tie", "")), None)
        );
    }

    #[test]
    fn rooms_of_battles_have_plain_names() {
        assert!(is_battle("battle-gen9vgc2024regg-17"));
        assert!(is_battle("battle-gen9vgc2024regg-17-abcdpw"));
        for odd in ["lobby", "battle-../x", "battle-a|/leave", "battle-a\n", "battle-É", ""] {
            assert!(!is_battle(odd), "{odd}");
        }
        assert!(!is_battle(&format!("battle-{}", "a".repeat(100))));
        assert_eq!(format_of("battle-gen9vgc2024regg-17"), Some("gen9vgc2024regg"));
    }
}
