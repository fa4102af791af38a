//! Teams that come with the program.

use super::{Found, read_text};
use crate::format::Format;

/// Our own teams of a format, at least eight. They are no copies of anybody's; their members, items and moves are
/// what people bring.
pub fn ours(format: &Format) -> Vec<Found> {
    let text = match format.id {
        "gen9vgc2023regc" => include_str!("../../data/teams/gen9vgc2023regc.txt"),
        "gen9vgc2023regd" => include_str!("../../data/teams/gen9vgc2023regd.txt"),
        "gen9vgc2024regg" => include_str!("../../data/teams/gen9vgc2024regg.txt"),
        "gen9vgc2025regi" => include_str!("../../data/teams/gen9vgc2025regi.txt"),
        "gen9championsvgc2026regma" => {
            include_str!("../../data/teams/gen9championsvgc2026regma.txt")
        }
        "gen9championsvgc2026regmb" => {
            include_str!("../../data/teams/gen9championsvgc2026regmb.txt")
        }
        _ => "",
    };
    read_text(text, "our teams").expect("they are well-formed: a test reads them")
}
