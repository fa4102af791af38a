//! The pool of past opponents: frozen copies of the learner and of those who trained against it.
//!
//! The pool knows numbers, not networks: whoever owns the files adds a snapshot when it wrote one,
//! deletes what [`Pool::prune`] names, and says so when one cannot be read.

use serde::{Deserialize, Serialize};

use crate::rating::{Elo, MatchResult};
use crate::sampler::Sampler;
use crate::snapshot::{Origin, Snapshot};

/// Matches over which a snapshot's score is a plain mean; from then on older ones fade, because
/// the learner they were played by is no more.
const SCORE_MEMORY: u64 = 100;

/// A snapshot that was drawn, with the probability it had then: [`Pool::record`] needs it when the
/// match is over, and the pool may have changed by then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// Which one.
    pub id: u64,
    /// How likely it was.
    pub probability: f64,
}

/// Snapshots, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Pool {
    capacity: usize,
    next_id: u64,
    anchor: Option<u64>,
    snapshots: Vec<Snapshot>,
}

/// A pool as a file has it, before anybody looked at it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    capacity: usize,
    next_id: u64,
    anchor: Option<u64>,
    snapshots: Vec<Snapshot>,
}

/// No quality is less.
const LEAST_QUALITY: f64 = -1e300;

/// Numbers and counts of a file beyond this come from damage: adding to them must not overflow.
const LARGEST: u64 = 1 << 48;

impl TryFrom<Written> for Pool {
    type Error = String;

    /// Refuses what no pool becomes: ids that do not ascend, counts and qualities beyond reason.
    fn try_from(written: Written) -> Result<Self, String> {
        let Written { capacity, next_id, anchor, snapshots } = written;
        if !snapshots.is_sorted_by(|a, b| a.id < b.id)
            || snapshots.last().is_some_and(|s| s.id >= next_id)
            || next_id > LARGEST
        {
            return Err("the numbers of its snapshots do not ascend".into());
        }
        let unsound = |s: &&Snapshot| {
            let quality = s.quality.abs() <= -LEAST_QUALITY;
            s.games > LARGEST || !(0.0..=1.0).contains(&s.score) || !quality
        };
        if let Some(snapshot) = snapshots.iter().find(unsound) {
            return Err(format!("snapshot {} has numbers that no matches give", snapshot.id));
        }
        Ok(Self { capacity, next_id, anchor, snapshots })
    }
}

impl Pool {
    /// An empty pool that [`Pool::prune`] keeps to so many snapshots.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, next_id: 0, anchor: None, snapshots: Vec::new() }
    }

    /// All snapshots, oldest first.
    pub fn snapshots(&self) -> &[Snapshot] {
        &self.snapshots
    }

    /// One of them.
    pub fn get(&self, id: u64) -> Option<&Snapshot> {
        self.snapshots.iter().find(|s| s.id == id)
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut Snapshot> {
        self.snapshots.iter_mut().find(|s| s.id == id)
    }

    fn usable(&self) -> Vec<&Snapshot> {
        self.snapshots.iter().filter(|s| s.usable).collect()
    }

    /// How many it should hold at most.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Changes how many it should hold at most: a preset may, between two sittings.
    pub fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
    }

    /// The snapshot whose rating never moves and that is never pruned.
    pub fn anchor(&self) -> Option<u64> {
        self.anchor
    }

    /// Makes a snapshot the anchor.
    pub fn set_anchor(&mut self, id: u64) {
        self.anchor = Some(id);
    }

    /// Adds a snapshot with the rating of the learner it was taken from. Its quality is the highest
    /// of the pool, so that it is soon met. Nothing is removed: that is [`Pool::prune`]'s work.
    pub fn add(&mut self, steps: u64, origin: Origin, elo: f64) -> u64 {
        let id = self.next_id;
        self.add_as(id, steps, origin, elo);
        id
    }

    /// The number that the next snapshot gets.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// The same under a number of one's own, at least [`Pool::next_id`]: a snapshot that is in several
    /// pools has one number.
    pub fn add_as(&mut self, id: u64, steps: u64, origin: Origin, elo: f64) {
        let id = id.max(self.next_id);
        self.next_id = id + 1;
        // Only differences of qualities matter, so the first may have any.
        let quality = self.usable().iter().map(|s| s.quality).reduce(f64::max).unwrap_or(0.0);
        let snapshot = Snapshot {
            id,
            steps,
            origin,
            elo,
            quality,
            games: 0,
            score: 0.5,
            usable: true,
            sum: None,
        };
        self.snapshots.push(snapshot);
    }

    /// Remembers the checksum of a snapshot's file.
    pub fn seal(&mut self, id: u64, sum: u32) {
        if let Some(snapshot) = self.get_mut(id) {
            snapshot.sum = Some(sum);
        }
    }

    /// Never draws or rates this snapshot again: its file is damaged, or it plays no legal match.
    pub fn damaged(&mut self, id: u64) {
        if let Some(snapshot) = self.get_mut(id) {
            snapshot.usable = false;
        }
    }

    /// Removes snapshots and returns their ids, in ascending order.
    ///
    /// First go those rated more than `min_elo_diff` points below the learner, if that is given.
    /// Then, while there are more than the capacity, unusable ones, then the lowest rated, the
    /// older of two equals. The anchor and the newest usable snapshot always stay.
    pub fn prune(&mut self, my_elo: f64, min_elo_diff: Option<f64>) -> Vec<u64> {
        let newest = self.usable().last().map(|s| s.id);
        let stays = |id: u64| Some(id) == newest || Some(id) == self.anchor;
        let mut open: Vec<&Snapshot> = self.snapshots.iter().filter(|s| !stays(s.id)).collect();
        open.sort_by(|a, b| a.usable.cmp(&b.usable).then(a.elo.total_cmp(&b.elo)));
        let weak = |s: &Snapshot| min_elo_diff.is_some_and(|diff| s.elo < my_elo - diff);
        let (mut gone, rest): (Vec<&Snapshot>, Vec<&Snapshot>) =
            open.into_iter().partition(|s| weak(s));
        let left = self.snapshots.len() - gone.len();
        gone.extend(rest.into_iter().take(left.saturating_sub(self.capacity)));
        let mut gone: Vec<u64> = gone.into_iter().map(|s| s.id).collect();
        gone.sort_unstable();
        self.snapshots.retain(|s| gone.binary_search(&s.id).is_err());
        gone
    }

    /// How likely each usable snapshot is, oldest first; they sum to 1. Empty if there is none.
    pub fn probabilities(&self, sampler: &Sampler, my_elo: f64) -> Vec<Drawn> {
        let usable = self.usable();
        let probabilities = sampler.probabilities(&usable, my_elo);
        let drawn = |(s, probability): (&&Snapshot, f64)| Drawn { id: s.id, probability };
        usable.iter().zip(probabilities).map(drawn).collect()
    }

    /// Counts a match that ended so for the learner against a snapshot that was drawn. A snapshot
    /// that is gone or damaged by now is passed over.
    ///
    /// Qualities move under [`Sampler::Prioritized`] alone, and only if the snapshot lost. The
    /// probability is that of the draw: dividing by it makes up for how often a snapshot is met, so
    /// that each falls as fast as it loses, however many matches were drawn at once.
    pub fn record(&mut self, sampler: &Sampler, drawn: Drawn, result: MatchResult) {
        let usable = self.usable().len() as f64;
        let Some(snapshot) = self.get_mut(drawn.id).filter(|s| s.usable) else { return };
        snapshot.games += 1;
        let weight = 1.0 / snapshot.games.min(SCORE_MEMORY) as f64;
        snapshot.score += weight * (result.score() - snapshot.score);
        if let (Sampler::Prioritized { learning_rate }, MatchResult::Win) = (sampler, result)
            && drawn.probability > 0.0
        {
            let lost = learning_rate / (usable * drawn.probability);
            // One that is hardly ever drawn loses much at once, but stays a number.
            snapshot.quality = (snapshot.quality - lost).max(LEAST_QUALITY);
        }
    }

    /// Rates a batch of the learner's matches, all with the ratings from before it, and returns the
    /// learner's new rating. The anchor stays where it is; matches against snapshots that are gone
    /// or damaged count for nobody.
    pub fn rate(&mut self, elo: &Elo, my_elo: f64, games: &[(u64, MatchResult)]) -> f64 {
        let mut mine = my_elo;
        let before: Vec<f64> = self.snapshots.iter().map(|s| s.elo).collect();
        for &(id, result) in games {
            // Ids ascend, because snapshots are added at the end.
            let Ok(i) = self.snapshots.binary_search_by_key(&id, |s| s.id) else { continue };
            let snapshot = &mut self.snapshots[i];
            if snapshot.usable {
                let change = elo.change(my_elo, before[i], result.score());
                mine += change;
                if self.anchor != Some(id) {
                    snapshot.elo -= change;
                }
            }
        }
        mine
    }
}

/// Picks by a uniform number in `[0, 1)`; `None` if there is nobody to pick. What has no
/// probability is never picked.
pub fn draw(probabilities: &[Drawn], uniform: f64) -> Option<Drawn> {
    let mut left = uniform;
    let mut picked = None;
    for drawn in probabilities.iter().filter(|d| d.probability > 0.0) {
        // The last possible one stays picked if rounding left a rest.
        picked = Some(*drawn);
        left -= drawn.probability;
        if left < 0.0 {
            break;
        }
    }
    picked
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
