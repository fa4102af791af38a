//! How specials, witches and tanks behave when nobody plays them: as the game's own do, each by its class.

use crate::sim::infected::{Class, Deed};
use crate::sim::motion::{Heading, heading};
use crate::sim::numbers::{DISCARD_RANGE, TICK_SECS, ticks};
use crate::sim::space::{direction, distance, pitch_to, yaw_to};
use crate::sim::world::{Command, SURVIVORS, World, button};

/// How often they think about whom to go for, in ticks.
const THINKS_EVERY: u32 = 15;
/// Those who are of no use for so long, far away, go. No source.
const IDLE_SECS: f32 = 40.0;
/// A witch who sees somebody this near grows angry. No source, as for how fast.
const WITCH_RANGE: f32 = 350.0;

impl World {
    /// What a special that nobody plays does in this tick.
    pub(crate) fn stalk(&mut self, k: usize) -> Command {
        if self.now.wrapping_add(k as u32).is_multiple_of(THINKS_EVERY) {
            self.choose_target(k);
        }
        if self.specials[k].class == Class::Witch {
            self.mind_witch(k);
        }
        self.pursue(k)
    }

    /// The survivor whom a special would rather have: the nearest by the way who can be had.
    pub(crate) fn preferred_target(&self, k: usize) -> Option<usize> {
        let [first, ..] = self.by_preference(k);
        self.survivors[first].is_alive().then_some(first)
    }

    /// All survivors, whom a special would rather have first; the dead and the absent come last.
    pub(crate) fn by_preference(&self, k: usize) -> [usize; SURVIVORS] {
        let special = &self.specials[k];
        let (at, area, class) = (special.body.at, special.body.area, special.class);
        let reluctance: [f32; SURVIVORS] = std::array::from_fn(|i| {
            let s = &self.survivors[i];
            if !s.is_alive() {
                return f32::INFINITY;
            }
            let way = self.terrain.distance(area, s.body.area);
            let far = if way.is_finite() { way } else { distance(at, s.body.at) + 5000.0 };
            // Who can still run, and is not held yet, comes first.
            let is_had = s.hold.is_some() || (class.holds() && !s.is_up());
            far + if is_had { 3000.0 } else { 0.0 }
        });
        let mut order: [usize; SURVIVORS] = std::array::from_fn(|i| i);
        order.sort_by(|&a, &b| reluctance[a].total_cmp(&reluctance[b]));
        order
    }

    /// Would a special use its ability on a survivor now?
    pub(crate) fn wants_ability(&self, k: usize, i: usize) -> bool {
        let (special, s) = (&self.specials[k], &self.survivors[i]);
        let far = distance(special.body.at, s.body.at);
        let wants = match special.class {
            // From very near, they run instead.
            Class::Hunter => far > 80.0,
            Class::Charger => far < 450.0,
            Class::Tank => far > 500.0,
            Class::Witch => false,
            _ => true,
        };
        wants && s.hold.is_none() && self.ability_ready(k) && self.in_range(k, i)
    }

    /// Is a survivor in sight of a special, and near enough for its ability?
    fn in_range(&self, k: usize, i: usize) -> bool {
        let (special, s) = (&self.specials[k], &self.survivors[i]);
        self.terrain.sees(special.body.area, s.body.area)
            && distance(special.body.at, s.body.at) <= special.class.traits().range * 0.9
    }

    /// Those who shoot from afar keep away until they can again.
    pub(crate) fn keeps_away(&self, k: usize, i: usize) -> bool {
        let special = &self.specials[k];
        matches!(special.class, Class::Smoker | Class::Spitter)
            && self.now < special.ability_from
            && distance(special.body.at, self.survivors[i].body.at) < 400.0
    }

    fn choose_target(&mut self, k: usize) {
        let special = &self.specials[k];
        let (at, class) = (special.body.at, special.class);
        let target = self.preferred_target(k);
        let near = self.nearest_survivor(at, |_, _| true).is_some_and(|(_, d)| d < DISCARD_RANGE);
        let special = &mut self.specials[k];
        special.target = target.map(|i| i as u8);
        let boss = matches!(class, Class::Tank | Class::Witch);
        if near {
            return;
        }
        if !boss && self.now > special.busy_at + ticks(IDLE_SECS) {
            special.alive = false;
            self.special_died(class, None);
        }
    }

    /// Whom a special goes after.
    fn quarry(&self, k: usize) -> Option<usize> {
        let special = &self.specials[k];
        let whom = match special.deed {
            Deed::Rage { whom } => Some(whom),
            Deed::Sit { .. } => None,
            _ => special.target,
        };
        whom.map(usize::from).filter(|&i| self.survivors[i].is_alive())
    }

    /// Where to go and what to press.
    pub(crate) fn pursue(&self, k: usize) -> Command {
        let special = &self.specials[k];
        let Some(i) = self.quarry(k) else {
            return Command { yaw: special.yaw, ..Command::default() };
        };
        let s = &self.survivors[i];
        let (at, victim) = (special.body.at, s.body.at);
        let far = distance(at, victim);
        let mut command =
            Command { yaw: yaw_to(at, victim), pitch: pitch_to(at, victim), ..Command::default() };
        let reach = if special.class == Class::Tank { 90.0 } else { 60.0 };
        if far <= reach + 5.0 {
            command.buttons |= button::ATTACK;
        }
        let range = special.class.traits().range;
        if self.wants_ability(k, i) && self.aimed_at(k, range) == Some(i) {
            command.buttons |= button::SHOVE;
            return command;
        }
        if self.keeps_away(k, i) {
            command.step = [-1.0, 0.0];
            return command;
        }
        if special.class == Class::Hunter && self.in_range(k, i) && !self.ability_ready(k) {
            return command;
        }
        if far <= reach {
            return command;
        }
        match heading(&self.terrain, &special.body, s.body.area, victim) {
            Heading::Run(point) => {
                let (to, flat) = direction(at, point);
                if flat > 0.0 {
                    command.yaw = to[1].atan2(to[0]).to_degrees();
                    command.step = [1.0, 0.0];
                }
            }
            Heading::Climb(link) => command.climb = Some(link as u8),
            Heading::Stay => {}
        }
        command
    }

    fn mind_witch(&mut self, k: usize) {
        let rage = match self.specials[k].deed {
            Deed::Sit { rage } => rage,
            // Whom she wanted is dead: she sits down again. General knowledge has her run away.
            Deed::Rage { .. } if self.quarry(k).is_none() => 0.0,
            _ => return,
        };
        let (at, area) = (self.specials[k].body.at, self.specials[k].body.area);
        let near =
            self.nearest_survivor(at, |_, s| s.is_up() && self.terrain.sees(area, s.body.area));
        let (rage, whom) = match near {
            Some((i, d)) if d < WITCH_RANGE => {
                // Within arm's length she is startled at once.
                let rate = if d < 60.0 { 10.0 } else { 0.4 * (1.0 - d / WITCH_RANGE) };
                (rage + rate * TICK_SECS, Some(i))
            }
            _ => ((rage - 0.05 * TICK_SECS).max(0.0), None),
        };
        self.specials[k].deed = match whom {
            Some(i) if rage >= 1.0 => Deed::Rage { whom: i as u8 },
            _ => Deed::Sit { rage: rage.min(1.0) },
        };
    }
}
