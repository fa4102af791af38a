//! Who plays: the names and numbers behind the entities.
//!
//! Events speak of users by number, entities have numbers of their own. A seat changes hands during
//! a recording (the director's infected come and go), a user's number does not: everybody who ever
//! sat is kept.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::error::Reason;
use super::messages::tables::Table;

/// The table of players.
pub(super) const TABLE: &str = "userinfo";
/// More seats than any server has.
const MOST_SEATS: usize = 64;

// Where things stand in an entry of 144 bytes: after eight bytes of identity come a name of 32, the
// number (highest byte first), 33 + 3 bytes of identity as text, 4 and 32 of a friend's name, and
// whether the player is a bot. UncraftedName/UntitledParser (MIT), and the recordings.
const NAME: std::ops::Range<usize> = 8..40;
const NUMBER: std::ops::Range<usize> = 40..44;
const BOT: usize = 116;

/// Somebody who played.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct User {
    /// The entity of the seat.
    pub entity: u16,
    /// The name.
    pub name: String,
    /// Played by the game itself?
    pub bot: bool,
}

/// Adds everybody in the table of players.
pub(super) fn remember(
    users: &mut BTreeMap<i32, User>,
    table: &Table,
    budget: &mut Budget,
) -> Result<(), Reason> {
    for (seat, entry) in table.entries.iter().take(MOST_SEATS).enumerate() {
        let number = entry.data.get(NUMBER).and_then(|bytes| bytes.try_into().ok());
        let Some(number) = number.map(i32::from_be_bytes) else { continue };
        let name = entry.data.get(NAME).unwrap_or_default();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let user = User {
            entity: seat as u16 + 1,
            name: String::from_utf8_lossy(name).into_owned(),
            bot: entry.data.get(BOT).is_some_and(|bot| *bot != 0),
        };
        if !users.contains_key(&number) {
            budget.take(size_of::<(i32, User)>() + user.name.len())?;
        }
        users.insert(number, user);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::messages::tables::Entry;
    use super::*;

    #[test]
    fn a_seat_changes_hands_and_nobody_is_forgotten() {
        let entry = |name: &str, number: i32, bot: u8| {
            let mut data = vec![0; 144];
            data[8..8 + name.len()].copy_from_slice(name.as_bytes());
            data[NUMBER].copy_from_slice(&number.to_be_bytes());
            data[BOT] = bot;
            Entry { name: "1".to_owned(), data }
        };
        let mut users = BTreeMap::new();
        let mut budget = Budget::of(&[]);
        let mut table = Table::default();
        table.entries = vec![Entry::default(), entry("Hunter", 8, 1)];
        remember(&mut users, &table, &mut budget).unwrap();
        table.entries[1] = entry("Zoey", 12, 0);
        remember(&mut users, &table, &mut budget).unwrap();
        assert_eq!(users.len(), 2);
        assert_eq!(users[&8], User { entity: 2, name: "Hunter".to_owned(), bot: true });
        assert_eq!(users[&12], User { entity: 2, name: "Zoey".to_owned(), bot: false });
    }
}
