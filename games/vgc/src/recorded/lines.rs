//! What single lines of a log say of sides and places.

use std::borrow::Cow;

/// `p1` or `p2`.
pub(super) fn side_of(word: &str) -> Option<usize> {
    match word.get(..2)? {
        "p1" => Some(0),
        "p2" => Some(1),
        _ => None,
    }
}

/// `p1a` and the like.
pub(super) fn side_and_place(ident: &str) -> Option<(usize, usize)> {
    let place = match ident.as_bytes().get(2)? {
        b'a' => 0,
        b'b' => 1,
        _ => return None,
    };
    Some((side_of(ident)?, place))
}

/// Does a choice bring somebody back?
pub(super) fn revives(next: &[Cow<str>]) -> bool {
    let first = next.iter().find(|line| !line.starts_with("|t:|"));
    first.is_some_and(|line| {
        line.starts_with("|-heal|") && line.contains("[from] move: Revival Blessing")
    })
}

/// Which places are taken by choice before anything else happens: nobody moved in between.
pub(super) fn entering(next: &[Cow<str>]) -> [[bool; 2]; 2] {
    let mut entering = [[false; 2]; 2];
    for line in next {
        match line.split('|').nth(1).unwrap_or("") {
            "switch" => {
                if let Some((side, place)) = line.split('|').nth(2).and_then(side_and_place) {
                    entering[side][place] = true;
                }
            }
            "" | "move" | "cant" | "turn" | "upkeep" | "drag" | "win" | "tie" => break,
            _ => {}
        }
    }
    entering
}
