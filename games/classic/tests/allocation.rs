//! No step of a game of this crate allocates.

#[path = "../../../crates/game/tests/counting/mod.rs"]
mod counting;

use lanista_classic::games;
use lanista_game::check::{Trial, no_allocation};
use serde_json::Value;

#[test]
fn no_step_allocates() {
    for entry in games() {
        no_allocation(&entry, &Value::Null, Trial::default(), counting::allocations).unwrap();
    }
}
