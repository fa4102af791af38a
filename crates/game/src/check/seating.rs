//! Who drives the seats of the matches that are tried.

use crate::{Control, Spec};

/// Ways to drive the seats, each once: everybody from outside; every scripted player on all seats that
/// know it; and on the seats of one team against the others.
pub(super) fn all(spec: &Spec) -> Vec<Vec<Control>> {
    let most_bots = spec.roles.iter().map(|role| role.bots.len()).max().unwrap_or(0);
    let mut seatings = vec![seating(spec, |_| None)];
    for bot in 0..most_bots {
        seatings.push(seating(spec, |_| Some(bot)));
        for team in 0..spec.teams().min(2) {
            seatings.push(seating(spec, |other| (other == team).then_some(bot)));
        }
    }
    let mut different: Vec<Vec<Control>> = Vec::new();
    for seats in seatings {
        if !different.contains(&seats) {
            different.push(seats);
        }
    }
    different
}

fn seating(spec: &Spec, bot_of: impl Fn(usize) -> Option<usize>) -> Vec<Control> {
    let control = |seat: usize| {
        if spec.seats[seat].empty {
            return Control::Nobody;
        }
        let bot = bot_of(spec.seats[seat].team);
        let known = bot.filter(|&bot| bot < spec.role_of(seat).bots.len());
        known.map_or(Control::Outside, Control::Bot)
    };
    (0..spec.seats.len()).map(control).collect()
}

/// Must this seat never act?
pub(super) fn silent(spec: &Spec, seat: usize, control: Control) -> bool {
    match control {
        Control::Outside => false,
        Control::Bot(bot) => spec.role_of(seat).bots[bot].inside,
        Control::Nobody => true,
    }
}

/// `outside, bot 1, nobody`.
pub(super) fn named(seats: &[Control]) -> String {
    let name = |control: &Control| match control {
        Control::Outside => "outside".to_owned(),
        Control::Bot(bot) => format!("bot {bot}"),
        Control::Nobody => "nobody".to_owned(),
    };
    seats.iter().map(name).collect::<Vec<_>>().join(", ")
}
