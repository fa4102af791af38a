//! Which build of the game wrote a recording, and how its messages are laid out.
//!
//! The network protocol does not tell enough: three layouts go by the number 2042. The build's own
//! number stands in the greeting that the server prints before it says anything else.

/// The layouts of messages, oldest first. Each keeps what the one before it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Network protocols 2000 to 2042, as the game came out.
    First,
    /// From version 2091: a bit more for a sound's number; deleted entities are counted.
    CountedDeletes,
    /// From version 2147: the server names mission and mode.
    Mission,
    /// Network protocol 2100: a bit more for a model's number.
    WideModels,
}

impl Layout {
    /// All, oldest first.
    pub const ALL: [Layout; 4] =
        [Layout::First, Layout::CountedDeletes, Layout::Mission, Layout::WideModels];

    /// The layout of a build, as far as its numbers tell.
    // The steps were learnt from UncraftedName/UntitledParser (MIT): version 2091 greets with build
    // 4710, version 2147 with build 6403; facts/survivors.md §3 has the widths.
    pub fn of(network_protocol: i32, build: Option<u32>) -> Self {
        match (network_protocol, build) {
            (2043.., _) => Layout::WideModels,
            (2042, Some(6403..)) => Layout::Mission,
            (2042, Some(4710..)) => Layout::CountedDeletes,
            _ => Layout::First,
        }
    }

    /// Does the server name mission and mode, and say whether add-ons are restricted?
    pub fn names_mission(self) -> bool {
        self >= Layout::Mission
    }

    /// Are the entities that a delta deletes counted, rather than each announced by a bit?
    pub fn counts_deletes(self) -> bool {
        self >= Layout::CountedDeletes
    }

    /// Bits of a sound's number where it is fetched ahead.
    pub fn sound_bits(self) -> u32 {
        if self >= Layout::CountedDeletes { 15 } else { 14 }
    }

    /// Bits of a model's number under a decal.
    pub fn model_bits(self) -> u32 {
        if self >= Layout::WideModels { 12 } else { 11 }
    }
}

/// The build number in what a server prints, if it is the greeting.
pub fn number_in(print: &str) -> Option<u32> {
    let after = print.split("Build: ").nth(1)?;
    let digits = after.split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_layouts_go_by_one_protocol() {
        assert_eq!(Layout::of(2000, None), Layout::First);
        assert_eq!(Layout::of(2042, Some(4490)), Layout::First);
        assert_eq!(Layout::of(2042, Some(4710)), Layout::CountedDeletes);
        assert_eq!(Layout::of(2042, Some(6403)), Layout::Mission);
        assert_eq!(Layout::of(2100, None), Layout::WideModels);
    }

    #[test]
    fn the_greeting_has_the_number() {
        let greeting = "Left 4 Dead 2\nMap: c2m2\nPlayers: 1\nBuild: 6403\nServer Number: 3\n";
        assert_eq!(number_in(greeting), Some(6403));
        assert_eq!(number_in("Build: \n"), None);
        assert_eq!(number_in("hello"), None);
    }
}
