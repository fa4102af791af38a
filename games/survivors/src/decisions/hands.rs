//! What a person pressed in a stretch of ticks, in the words of a decision.
//!
//! A decision has one choice for the hands, and people press several keys at once. The rarest that matters most
//! wins: healing, throwing and swallowing, then shoving, firing, using, reloading, jumping, another gun,
//! crouching. What feet do is told apart from all of them.

use lanista_game::UNKNOWN;

use crate::demo::Pair;
use crate::demo::pairs::MOVES;
use crate::intent::{Eyes, Feet, Intent};
use crate::settings::ViewKind;
use crate::sim::space::wrapped;
use crate::sim::world::button;
use crate::view::{legacy, rich};

// Bits of the game's buttons. // facts/survivors.md §8
const ATTACK: u32 = 1;
const JUMP: u32 = 1 << 1;
const DUCK: u32 = 1 << 2;
const USE: u32 = 1 << 5;
const SHOVE: u32 = 1 << 11;
const RELOAD: u32 = 1 << 13;

/// What is in somebody's hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// A gun of the first slot.
    Primary,
    /// A pistol, or what strikes.
    Secondary,
    Throwable,
    Medkit,
    Defibrillator,
    Dose,
    /// What is carried and does nothing that the view knows.
    Other,
}

impl Held {
    /// By the game's name of it.
    pub(super) fn of(weapon: &str) -> Self {
        match weapon {
            "pistol" | "pistol_magnum" | "melee" | "chainsaw" => Self::Secondary,
            "molotov" | "pipe_bomb" | "vomitjar" => Self::Throwable,
            "first_aid_kit" => Self::Medkit,
            "defibrillator" => Self::Defibrillator,
            "pain_pills" | "adrenaline" => Self::Dose,
            other if crate::demo::legacy::primary_id(other).is_some() => Self::Primary,
            _ => Self::Other,
        }
    }

    fn is_gun(self) -> bool {
        matches!(self, Self::Primary | Self::Secondary)
    }
}

/// What was done in a stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Done {
    /// In the words of the views. Buttons are empty where nothing, or something unknown, was pressed.
    pub intent: Intent,
    /// Is it known what hands did?
    pub hands_known: bool,
    /// Was more pressed than a decision can say?
    pub merged: bool,
}

/// Reads a stretch: `before` is the tick before it, `after` are the ticks that follow, in which a gun that was
/// asked for comes to hand. Whoever cannot walk stays, whatever is pressed.
pub(super) fn done(before: &Pair, stretch: &[Pair], after: &[Pair], walks: bool) -> Done {
    let last = stretch.last().unwrap_or(before);
    let turned = wrapped(last.yaw - before.yaw);
    let eyes = Eyes::Turn(if turned.is_finite() { turned } else { 0.0 });
    let feet = if walks { feet(stretch) } else { Feet::Stay };
    let held = stretch.iter().chain([before]).find_map(|pair| pair.weapon).map(Held::of);
    let pressed = stretch.iter().fold(0, |all, pair| all | pair.buttons);
    let selects = stretch.iter().any(|pair| pair.weapon_select != 0);
    let mut ways: Vec<Option<u16>> = Vec::new();
    let fires = pressed & ATTACK != 0;
    let shoves = pressed & SHOVE != 0;
    match held {
        Some(Held::Medkit) if shoves => ways.push(Some(button::HEAL_OTHER)),
        Some(Held::Medkit) if fires => ways.push(Some(button::HEAL_SELF)),
        Some(Held::Defibrillator) if fires => ways.push(Some(button::HEAL_OTHER)),
        Some(Held::Throwable) if fires => ways.push(Some(button::THROW)),
        // Handing a dose over is nothing that a decision can say.
        Some(Held::Dose) if shoves => ways.push(None),
        Some(Held::Dose) if fires => ways.push(Some(button::DOSE)),
        Some(Held::Other) | None if fires => ways.push(None),
        _ => {}
    }
    if ways.is_empty() {
        ways.extend(shoves.then_some(Some(button::SHOVE)));
        ways.extend(fires.then_some(Some(button::ATTACK)));
    }
    for (bit, meant) in [(USE, button::USE), (RELOAD, button::RELOAD), (JUMP, button::JUMP)] {
        ways.extend((pressed & bit != 0).then_some(Some(meant)));
    }
    if selects {
        ways.push(other_gun(held, after).then_some(button::SWITCH));
    }
    ways.extend((pressed & DUCK != 0).then_some(Some(button::CROUCH)));
    let first = ways.first().copied();
    Done {
        intent: Intent { feet, eyes, buttons: first.flatten().unwrap_or(0) },
        hands_known: first != Some(None),
        merged: ways.len() > 1,
    }
}

/// Where feet went for most of a stretch; of equals, first.
fn feet(stretch: &[Pair]) -> Feet {
    let mut counts = [0u32; MOVES.len()];
    for pair in stretch {
        if let Some(count) = counts.get_mut(usize::from(pair.movement)) {
            *count += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    let first = stretch.iter().map(|pair| pair.movement);
    let common = first.into_iter().find(|&m| counts.get(usize::from(m)) == Some(&most));
    match common {
        None | Some(4) => Feet::Stay,
        // Rows from back to forward, columns from left to right.
        Some(place) => Feet::Step(f32::from(place / 3) - 1.0, f32::from(place % 3) - 1.0),
    }
}

/// Does the other gun come to hand next?
fn other_gun(held: Option<Held>, after: &[Pair]) -> bool {
    let later = after.iter().filter_map(|pair| pair.weapon).map(Held::of);
    let next = later.into_iter().find(|later| Some(*later) != held);
    held.zip(next).is_some_and(|(held, next)| held.is_gun() && next.is_gun())
}

/// Writes the heads of a view.
pub(super) fn write(done: &Done, view: ViewKind, out: &mut [u32]) {
    match view {
        ViewKind::Rich => {
            rich::actions(&done.intent, out);
            if let Some(act) = out.last_mut().filter(|_| !done.hands_known) {
                *act = UNKNOWN;
            }
        }
        ViewKind::Legacy => {
            let unknown = !done.hands_known;
            out[0] = if unknown { UNKNOWN } else { one_of_fourteen(&done.intent) };
        }
    }
}

/// The one of the fourteen actions that says most of an intent: hands before feet.
fn one_of_fourteen(intent: &Intent) -> u32 {
    // The feet of a jump are the view's own.
    let same =
        |action: &u32| intent.buttons != 0 && legacy::intent(*action).buttons == intent.buttons;
    let hands = (0..legacy::ACTIONS.len() as u32).find(same);
    hands.unwrap_or(match intent.feet {
        Feet::Step(forward, _) if forward > 0.0 => 1,
        Feet::Step(forward, _) if forward < 0.0 => 2,
        Feet::Step(_, side) if side < 0.0 => 3,
        Feet::Step(_, side) if side > 0.0 => 4,
        _ => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::cut::tests::pair;
    use crate::demo::pairs::movement;

    fn press(weapon: &'static str, buttons: u32) -> Pair {
        Pair { weapon: Some(weapon), buttons, ..pair(1) }
    }

    fn buttons(stretch: &[Pair], after: &[Pair]) -> Option<u16> {
        let done = done(&pair(0), stretch, after, true);
        done.hands_known.then_some(done.intent.buttons)
    }

    #[test]
    fn what_hands_do_depends_on_what_they_hold() {
        for (weapon, pressed, meant) in [
            ("smg", ATTACK, Some(button::ATTACK)),
            ("melee", ATTACK, Some(button::ATTACK)),
            ("smg", SHOVE | ATTACK | DUCK, Some(button::SHOVE)),
            ("first_aid_kit", ATTACK, Some(button::HEAL_SELF)),
            ("first_aid_kit", SHOVE, Some(button::HEAL_OTHER)),
            ("defibrillator", ATTACK, Some(button::HEAL_OTHER)),
            ("pipe_bomb", ATTACK | JUMP, Some(button::THROW)),
            ("pipe_bomb", SHOVE, Some(button::SHOVE)),
            ("adrenaline", ATTACK, Some(button::DOSE)),
            ("pain_pills", SHOVE, None),
            ("gascan", ATTACK, None),
            ("smg", DUCK, Some(button::CROUCH)),
            ("smg", USE | RELOAD, Some(button::USE)),
            ("smg", 0, Some(0)),
        ] {
            assert_eq!(buttons(&[press(weapon, pressed)], &[]), meant, "{weapon} {pressed}");
        }
    }

    #[test]
    fn another_gun_is_known_when_it_comes_to_hand() {
        let asks = Pair { weapon_select: 77, ..press("smg", 0) };
        let then = |weapon| vec![press("smg", 0), press(weapon, 0)];
        let asks = std::slice::from_ref(&asks);
        assert_eq!(buttons(asks, &then("pistol")), Some(button::SWITCH));
        assert_eq!(buttons(asks, &then("first_aid_kit")), None, "no decision says this");
        assert_eq!(buttons(asks, &[]), None);
    }

    #[test]
    fn most_of_a_stretch_says_where_feet_go() {
        let go = |forward, side| Pair { movement: movement(forward, side), ..pair(1) };
        let stretch = [go(450.0, 0.0), go(450.0, -450.0), go(450.0, -450.0)];
        assert_eq!(feet(&stretch), Feet::Step(1.0, -1.0));
        assert_eq!(feet(&stretch[..2]), Feet::Step(1.0, 0.0), "of equals, the first");
        assert_eq!(feet(&[go(0.0, 0.0)]), Feet::Stay);
        assert_eq!(done(&pair(0), &stretch, &[], false).intent.feet, Feet::Stay);
        let mut out = [0; 4];
        let turned = [Pair { yaw: -170.0, ..go(-450.0, 450.0) }];
        let before = Pair { yaw: 175.0, ..pair(0) };
        let done = done(&before, &turned, &[], true);
        write(&done, ViewKind::Rich, &mut out);
        let role = rich::role();
        let names: Vec<&str> =
            (0..4).map(|head| role.heads[head].actions[out[head] as usize].as_str()).collect();
        assert_eq!(
            names,
            ["free", "left_9", "back_right", "nothing"],
            "over the seam, to the left"
        );
        let mut one = [0];
        write(&done, ViewKind::Legacy, &mut one);
        assert_eq!(legacy::ACTIONS[one[0] as usize], "move_backward");
    }

    #[test]
    fn the_fourteen_have_all_hands_but_two() {
        for (bits, wanted) in [
            (button::ATTACK, "attack"),
            (button::SHOVE, "shove"),
            (button::JUMP, "jump"),
            (button::HEAL_OTHER, "heal_other"),
            (button::DOSE, "idle"),
            (0, "idle"),
        ] {
            let intent = Intent { buttons: bits, ..Intent::default() };
            assert_eq!(legacy::ACTIONS[one_of_fourteen(&intent) as usize], wanted);
        }
    }
}
