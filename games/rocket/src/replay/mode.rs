//! Which replays are of the game that is trained here: soccar with the ball that everybody knows.

use std::collections::BTreeSet;

use boxcars::{Frame, Replay};

use super::Trouble;

/// What players call the game infos that are not soccar, by a part of their names in lower case.
const MODES: [(&str, &str); 12] = [
    ("territory", "a territory mode"),
    ("basketball", "hoops"),
    ("hoops", "hoops"),
    ("hockey", "snow day"),
    ("snowday", "snow day"),
    ("breakout", "dropshot"),
    ("items", "rumble"),
    ("godball", "heatseeker"),
    ("football", "gridiron"),
    ("knockout", "knockout"),
    ("rugby", "spike rush"),
    ("tutorial", "a tutorial"),
];

/// Refuses modes with another ball, another goal or items.
pub(super) fn refuse_other_modes(replay: &Replay, frames: &[Frame]) -> Result<(), Trouble> {
    let spawned: BTreeSet<i32> =
        frames.iter().flat_map(|frame| &frame.new_actors).map(|new| new.object_id.0).collect();
    let names = spawned
        .iter()
        .filter_map(|&object| replay.objects.get(usize::try_from(object).ok()?))
        .map(String::as_str);
    let names: Vec<&str> = names.collect();
    refuse(&names)
}

/// Looks at the names of everything that appears.
fn refuse(names: &[&str]) -> Result<(), Trouble> {
    for name in names {
        // `GameInfo_Soccar.GameInfo.GameInfo_Soccar:GameReplicationInfoArchetype`
        let kind = name
            .strip_suffix(":GameReplicationInfoArchetype")
            .and_then(|name| name.split('.').next())
            .or_else(|| name.strip_prefix("Archetypes.GameEvent."));
        if let Some(kind) = kind {
            let lower = kind.to_lowercase();
            let known = MODES.iter().find(|(part, _)| lower.contains(part));
            if known.is_some() || !(lower.contains("soccar") || lower.contains("season")) {
                let mode = known.map_or("another mode", |(_, mode)| mode);
                return Err(Trouble::Mode { mode: mode.into(), sign: kind.into() });
            }
        }
    }
    for name in names {
        if name.starts_with("Archetypes.SpecialPickups.") {
            return Err(Trouble::Mode { mode: "rumble".into(), sign: (*name).into() });
        }
        if let Some(ball) = name.strip_prefix("Archetypes.Ball.")
            && !ball.eq_ignore_ascii_case("Ball_Default")
        {
            return Err(Trouble::Mode { mode: "another ball".into(), sign: ball.into() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(names: &[&str]) -> Option<String> {
        match refuse(names) {
            Ok(()) => None,
            Err(Trouble::Mode { mode, .. }) => Some(mode),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn soccar_passes_and_others_are_named() {
        let info = |name: &str| format!("{name}.GameInfo.{name}:GameReplicationInfoArchetype");
        let soccar = info("GameInfo_Soccar");
        assert_eq!(mode(&[&soccar, "Archetypes.Ball.Ball_Default"]), None);
        assert_eq!(
            mode(&[&info("GameInfo_Season"), "Archetypes.GameEvent.GameEvent_Season"]),
            None
        );
        for (name, wanted) in [
            ("GameInfo_Basketball", "hoops"),
            ("GameInfo_Hockey", "snow day"),
            ("GameInfo_SnowDayTerritory", "a territory mode"),
            ("GameInfo_Breakout", "dropshot"),
            ("GameInfo_Items", "rumble"),
            ("GameInfo_Whatever", "another mode"),
        ] {
            assert_eq!(mode(&[&info(name)]).as_deref(), Some(wanted));
        }
        assert_eq!(mode(&[&soccar, "Archetypes.Ball.Ball_Puck"]).as_deref(), Some("another ball"));
        let item = "Archetypes.SpecialPickups.SpecialPickup_Tornado";
        assert_eq!(mode(&[&soccar, item]).as_deref(), Some("rumble"));
    }
}
