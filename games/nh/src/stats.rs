//! What a finished fight reports.

use lanista_game::Stat;

use crate::kinds::Style;
use crate::sim::Fight;
use crate::sim::supplies::Pantry;
use crate::terms::{brew_left, food_left};

/// The stats, in order; those of a team have a number for each fighter.
pub fn stats() -> Vec<Stat> {
    vec![
        "ticks".into(),
        Stat::team("damage"),
        Stat::team("attacks"),
        Stat::team("off_prayer"),
        Stat::team("magic_share"),
        Stat::team("frozen_share"),
        Stat::team("food_left"),
        Stat::team("brew_left"),
        "mean_distance".into(),
    ]
}

/// Sums over a fight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    frozen: [u32; 2],
    distance: u64,
}

impl Stats {
    /// A tick was played.
    pub fn update(&mut self, fight: &Fight) {
        let [a, b] = &fight.fighters;
        for (sum, fighter) in self.frozen.iter_mut().zip([a, b]) {
            *sum += u32::from(fighter.frozen());
        }
        self.distance += a.at.distance(b.at) as u64;
    }

    /// Writes the stats of a finished fight.
    pub fn write(&self, fight: &Fight, out: &mut [f32]) {
        let ticks = fight.ticks.max(1) as f32;
        let share =
            |part: u32, whole: u32| if whole == 0 { 0.0 } else { part as f32 / whole as f32 };
        let mut places = out.iter_mut();
        let mut put = |value: f32| {
            if let Some(place) = places.next() {
                *place = value;
            }
        };
        let mine = [0, 1].map(|who| &fight.memories[who].mine);
        put(fight.ticks as f32);
        fight.memories.iter().for_each(|memory| put(memory.dealt as f32));
        mine.iter().for_each(|mine| put(mine.total as f32));
        mine.iter().for_each(|mine| put(share(mine.total - mine.prayed, mine.total)));
        mine.iter().for_each(|mine| put(share(mine.styles[Style::Magic as usize], mine.total)));
        self.frozen.iter().for_each(|&frozen| put(frozen as f32 / ticks));
        let pantries = [0, 1].map(|who| Pantry::of(&fight.fighters[who]));
        let sides = || fight.fighters.iter().zip(&pantries);
        sides().for_each(|(fighter, pantry)| put(food_left(fighter, pantry)));
        sides().for_each(|(fighter, pantry)| put(brew_left(fighter, pantry)));
        put(self.distance as f32 / ticks);
    }
}
