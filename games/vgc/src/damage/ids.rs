//! Numbers of moves that are asked for by name.

use std::sync::LazyLock;

use super::kinds::MoveKind;
use crate::dex::{self, MoveId};

static BOUNCE: LazyLock<Option<MoveId>> = LazyLock::new(|| dex::a_move("bounce"));
static FLY: LazyLock<Option<MoveId>> = LazyLock::new(|| dex::a_move("fly"));
static DIG: LazyLock<Option<MoveId>> = LazyLock::new(|| dex::a_move("dig"));
static DIVE: LazyLock<Option<MoveId>> = LazyLock::new(|| dex::a_move("dive"));

static HIDING: LazyLock<Vec<MoveId>> = LazyLock::new(|| {
    ["bounce", "fly", "dig", "dive", "phantomforce", "shadowforce", "skydrop"]
        .into_iter()
        .filter_map(dex::a_move)
        .collect()
});

/// Does a move take its user out of reach before it strikes?
pub(super) fn out_of_reach(a_move: MoveId) -> bool {
    a_move.is_known() && HIDING.contains(&a_move)
}

/// Bounce.
pub(super) fn bounce() -> Option<MoveId> {
    *BOUNCE
}

/// Does a move find somebody who is out of reach, and strike it twice as hard?
pub(super) fn strikes_twice_as_hard(kind: MoveKind, out_of_reach: MoveId) -> bool {
    if !out_of_reach.is_known() {
        return false;
    }
    let by = Some(out_of_reach);
    match kind {
        MoveKind::Gust | MoveKind::Twister => by == *FLY,
        MoveKind::Earthquake => by == *DIG,
        MoveKind::Surf | MoveKind::Whirlpool => by == *DIVE,
        _ => false,
    }
}

/// Does it find it at all?
pub(super) fn reaches(kind: MoveKind, out_of_reach: MoveId) -> bool {
    if !out_of_reach.is_known() {
        return true;
    }
    let by = Some(out_of_reach);
    match kind {
        MoveKind::Gust | MoveKind::Twister | MoveKind::Thunder | MoveKind::Hurricane => {
            by == *FLY || by == *BOUNCE
        }
        MoveKind::Earthquake => by == *DIG,
        MoveKind::Surf | MoveKind::Whirlpool => by == *DIVE,
        _ => false,
    }
}
