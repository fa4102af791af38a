//! Numbers about the match beside those of a layout: only where the settings call for them, so that
//! other observations stay as long as they are.

use crate::clock::Clock;
use crate::hitbox::Hitbox;
use crate::state::Team;

/// A lead by so many goals is seen as 1; larger ones look the same.
const LEAD_SCALE: f32 = 5.0;
/// The length of a hitbox that is seen as 1, uu.
const HITBOX_SCALE_UU: f32 = 100.0;

/// Which of the numbers there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Score and clock of a whole game.
    pub clock: bool,
    /// The own hitbox, where cars differ.
    pub hitbox: bool,
}

impl Context {
    /// Their names, in order.
    pub fn names(self) -> Vec<String> {
        let clock: &[&str] = if self.clock { &["lead", "time_left", "overtime"] } else { &[] };
        let hitbox: &[&str] = match self.hitbox {
            true => &["hitbox_length", "hitbox_width", "hitbox_height"],
            false => &[],
        };
        [clock, hitbox].concat().into_iter().map(str::to_owned).collect()
    }

    /// How many there are.
    pub fn width(self) -> usize {
        3 * (usize::from(self.clock) + usize::from(self.hitbox))
    }

    /// Writes what a car of a team sees; `out` is [`width`](Self::width) long.
    pub fn write(self, team: Team, clock: Option<&Clock>, hitbox: Hitbox, out: &mut [f32]) {
        let (score, car) = out.split_at_mut(3 * usize::from(self.clock));
        if let (Some(clock), [lead, time_left, overtime]) = (clock, score) {
            let goals = clock.goals();
            let difference = goals[team.index()] as f32 - goals[team.other().index()] as f32;
            *lead = (difference / LEAD_SCALE).clamp(-1.0, 1.0);
            *time_left = clock.share_left();
            *overtime = f32::from(clock.in_overtime());
        }
        if let [length, width, height] = car {
            [*length, *width, *height] = (hitbox.body().hitbox_size / HITBOX_SCALE_UU).to_array();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::GameLength;

    #[test]
    fn each_team_sees_its_own_lead() {
        let mut clock = Clock::new(GameLength { minutes: 1.0, ..GameLength::default() });
        clock.tick(Some(1), false);
        let context = Context { clock: true, hitbox: false };
        let mut out = [f32::NAN; 3];
        context.write(Team::Blue, Some(&clock), Hitbox::Octane, &mut out);
        assert_eq!(out, [-0.2, 7199.0 / 7200.0, 0.0]);
        context.write(Team::Orange, Some(&clock), Hitbox::Octane, &mut out);
        assert_eq!(out[0], 0.2);
    }

    #[test]
    fn names_and_numbers_agree() {
        for (clock, hitbox) in [(false, false), (true, false), (false, true), (true, true)] {
            let context = Context { clock, hitbox };
            assert_eq!(context.names().len(), context.width());
            let mut out = vec![f32::NAN; context.width()];
            let game = Clock::new(GameLength::default());
            context.write(Team::Blue, Some(&game), Hitbox::Plank, &mut out);
            assert!(out.iter().all(|v| v.is_finite()), "{out:?}");
            if hitbox {
                assert!((out[out.len() - 3] - 1.3132).abs() < 1e-4);
            }
        }
    }
}
