//! Hits on their way, and damage waiting to be shown.

use crate::kinds::Style;

/// What a hit does beside its damage when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Nothing.
    Nothing,
    /// The defence level drops by three tenths (Statius's warhammer).
    Smash,
    /// The victim bleeds for as much again (Morrigan's javelin).
    Bleed,
    /// The victim is marked: 25 damage in 8 ticks unless it gets away (Ancient godsword).
    Sacrifice,
    /// The victim may be held and poisoned (Abyssal tentacle).
    Bind,
}

/// A hit that was rolled and is on its way to the victim.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// How it was dealt.
    pub style: Style,
    /// Damage of each splat.
    pub damage: [i16; 4],
    /// How many splats it has.
    pub splats: u8,
    /// Did its last accuracy roll succeed?
    pub accurate: bool,
    /// Ticks until it arrives: it does when this is no longer positive.
    pub delay: i16,
    /// What else it does.
    pub after: After,
}

impl Hit {
    /// Damage of all splats.
    #[inline]
    pub fn total(&self) -> i16 {
        self.damage[..usize::from(self.splats)].iter().sum()
    }
}

/// Damage that was shown on a fighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splat {
    /// Life that it took.
    pub damage: i16,
}

/// More hits than can be under way at once: two a tick for the longest delay, and a maul.
const HITS: usize = 16;
/// More splats than can wait.
const SPLATS: usize = 32;

/// What is on its way to one fighter.
#[derive(Clone, Debug)]
pub struct Queue {
    hits: [Hit; HITS],
    under_way: u8,
    damage: [i16; SPLATS],
    waiting: u8,
}

impl Default for Queue {
    fn default() -> Self {
        let none = Hit {
            style: Style::Melee,
            damage: [0; 4],
            splats: 0,
            accurate: false,
            delay: 0,
            after: After::Nothing,
        };
        Self { hits: [none; HITS], under_way: 0, damage: [0; SPLATS], waiting: 0 }
    }
}

impl Queue {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.under_way = 0;
        self.waiting = 0;
    }

    /// Sends a hit on its way.
    pub fn send(&mut self, hit: Hit) {
        if usize::from(self.under_way) < HITS {
            self.hits[usize::from(self.under_way)] = hit;
            self.under_way += 1;
        }
    }

    /// The hits on their way, oldest first.
    #[inline]
    pub fn hits(&self) -> &[Hit] {
        &self.hits[..usize::from(self.under_way)]
    }

    /// Ages all hits by a tick and takes out the first that arrives, if one does. Call it with the
    /// number of hits that were looked at already.
    pub fn arrive(&mut self, looked: &mut usize) -> Option<Hit> {
        while *looked < usize::from(self.under_way) {
            let delay = self.hits[*looked].delay;
            self.hits[*looked].delay -= 1;
            if delay <= 0 {
                let hit = self.hits[*looked];
                self.hits.copy_within(*looked + 1..usize::from(self.under_way), *looked);
                self.under_way -= 1;
                return Some(hit);
            }
            *looked += 1;
        }
        None
    }

    /// Drops every hit, as when the attacker has died.
    pub fn drop_hits(&mut self) {
        self.under_way = 0;
    }

    /// Damage waits for a splat.
    pub fn wait(&mut self, damage: i16) {
        if usize::from(self.waiting) < SPLATS {
            self.damage[usize::from(self.waiting)] = damage;
            self.waiting += 1;
        }
    }

    /// The damage that has waited longest.
    pub fn show(&mut self) -> Option<i16> {
        (self.waiting > 0).then(|| {
            let damage = self.damage[0];
            self.damage.copy_within(1..usize::from(self.waiting), 0);
            self.waiting -= 1;
            damage
        })
    }

    fn waiting_damage(&self) -> i16 {
        self.damage[..usize::from(self.waiting)].iter().sum()
    }

    /// All damage on its way and waiting.
    pub fn pending(&self) -> i16 {
        self.hits().iter().map(Hit::total).sum::<i16>() + self.waiting_damage()
    }

    /// The damage of the next two ticks.
    pub fn soon(&self) -> i16 {
        let arriving = self.hits().iter().filter(|hit| hit.delay < 2);
        arriving.map(Hit::total).sum::<i16>() + self.waiting_damage()
    }

    /// Ticks until the oldest hit arrives: 0 is the next, -1 is never.
    pub fn ticks(&self) -> i16 {
        if self.waiting > 0 {
            return 0;
        }
        self.hits().first().map_or(-1, |hit| hit.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(damage: i16, delay: i16) -> Hit {
        Hit {
            style: Style::Ranged,
            damage: [damage, 0, 0, 0],
            splats: 1,
            accurate: true,
            delay,
            after: After::Nothing,
        }
    }

    fn arrivals(queue: &mut Queue) -> Vec<i16> {
        let mut looked = 0;
        std::iter::from_fn(|| queue.arrive(&mut looked)).map(|hit| hit.total()).collect()
    }

    #[test]
    fn hits_arrive_when_their_delay_is_over() {
        let mut queue = Queue::default();
        queue.send(hit(7, 1));
        queue.send(hit(9, 0));
        assert_eq!((queue.ticks(), queue.pending(), queue.soon()), (1, 16, 16));
        assert_eq!(arrivals(&mut queue), [9]);
        assert_eq!(queue.ticks(), 0);
        assert_eq!(arrivals(&mut queue), [7]);
        assert_eq!(queue.ticks(), -1);
    }

    #[test]
    fn damage_waits_its_turn() {
        let mut queue = Queue::default();
        for damage in [3, 5, 8] {
            queue.wait(damage);
        }
        assert_eq!((queue.ticks(), queue.pending()), (0, 16));
        assert_eq!(
            [queue.show(), queue.show(), queue.show(), queue.show()],
            [Some(3), Some(5), Some(8), None]
        );
    }

    #[test]
    fn a_full_queue_takes_no_more() {
        let mut queue = Queue::default();
        for _ in 0..100 {
            queue.send(hit(1, 3));
            queue.wait(1);
        }
        assert_eq!(queue.pending(), (HITS + SPLATS) as i16);
    }
}
