//! Scripted survivors on a live server: they look at the mirror as they look at a simulated match.

use lanista_game::Spec;

use crate::bots::{self, SURVIVORS_BOTS};
use crate::settings::ViewKind;
use crate::sim::world::World;
use crate::view::{legacy, rich};

/// Lets a scripted survivor choose; what is not legal becomes the first that is.
pub(super) fn choose(
    spec: &Spec,
    world: &World,
    view: ViewKind,
    bot: usize,
    seat: usize,
    (match_seed, step): (u64, u32),
    action: &mut [u32],
) {
    action.fill(0);
    let name = SURVIVORS_BOTS.get(bot).copied().unwrap_or("idle");
    let intent = bots::follower(world, seat);
    match (name, view) {
        ("follower", ViewKind::Legacy) => action[0] = bots::legacy_action(&intent),
        ("follower", ViewKind::Rich) => rich::actions(&intent, action),
        _ => {}
    }
    let role = spec.role_of(seat);
    let mut mask = vec![false; role.actions()];
    match view {
        ViewKind::Legacy => legacy::legal(world, seat, &mut mask),
        ViewKind::Rich => rich::legal(world, seat, &mut mask),
    }
    let mut at = 0;
    for (head, choices) in role.heads.iter().enumerate() {
        let size = choices.actions.len();
        let legal: Vec<u32> = (0..size as u32)
            .filter(|&a| {
                let allowed = role
                    .requires
                    .iter()
                    .all(|r| r.head != head || r.action != a || r.allows(action));
                mask[at + a as usize] && allowed
            })
            .collect();
        at += size;
        let wished = legal.iter().position(|&a| a == action[head]).unwrap_or(0);
        let chosen = match name {
            "random" => {
                let drawn = bots::dice(match_seed, step, seat, head as u64 + 1);
                (drawn % legal.len().max(1) as u64) as usize
            }
            _ => wished,
        };
        action[head] = legal.get(chosen).copied().unwrap_or(0);
    }
}
