//! Drives at the ball, whatever lies behind it.

use super::{BotMemory, Wish, drive, recover, tactics};
use crate::state::State;

/// What the player would do now.
pub fn wish(state: &State, car: usize, memory: &mut BotMemory) -> Wish {
    let me = &state.cars[car];
    if me.demolished {
        return Wish::neutral();
    }
    if let Some(wish) = recover::wish(me, state.ball.pos) {
        return wish;
    }
    let target = tactics::out_of_the_goal(me, state.ball.pos);
    let wish = drive::toward(me, target, drive::MAX_SPEED);
    tactics::unstick(me, memory, state.tick, wish)
}
