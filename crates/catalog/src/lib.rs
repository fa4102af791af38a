//! All the games and presets there are.
//!
//! Two things offer every game: the program `lanista` and the Python package of that name. What they know
//! by name is the same list, and it stands here alone. Everything else is given the games that it plays.

use std::sync::LazyLock;

use lanista_game::Entry;
use lanista_train::preset::Catalog;

/// The preset that is trained when none is named.
pub const DEFAULT_PRESET: &str = "rocket/touch";

/// The embedded presets: name and text.
pub const PRESETS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));

static GAMES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut games = lanista_classic::games().to_vec();
    games.extend(lanista_rocket::games());
    games.extend(lanista_nh::games());
    games.extend(lanista_survivors::games());
    games.extend(lanista_vgc::battles::games());
    games
});

/// Every game.
pub fn games() -> &'static [Entry] {
    &GAMES
}

/// Every game with the presets for them.
pub fn catalog() -> Catalog<'static> {
    Catalog { games: games(), presets: PRESETS }
}

#[cfg(test)]
mod tests {
    use lanista_train::preset::nobody_to_meet;

    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn the_setting_that_leaves_seats_empty_is_named() {
        let entry = catalog().game("rocket").unwrap();
        let why = |settings: Value| {
            let spec = entry.build(&settings, 1).unwrap().spec().clone();
            nobody_to_meet(&entry, &settings, &spec)
        };
        let alone = why(json!({"team_size": 1, "orange_size": 0, "limit_secs": 20})).unwrap();
        assert_eq!(
            alone,
            "nobody sits on the other team with settings.orange_size=0 (settings.orange_size=null fills it)"
        );
        assert_eq!(why(json!({"team_size": 2})), None);
        assert_eq!(why(Value::Null), None);
        let cartpole = catalog().game("cartpole").unwrap();
        let spec = cartpole.spec(&Value::Null).unwrap();
        assert!(nobody_to_meet(&cartpole, &Value::Null, &spec).unwrap().contains("one team"));
    }
}
