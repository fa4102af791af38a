//! Running mean and deviation of observations.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::structure::{Slots, Structure, present};

/// Normalised numbers are cut off here unless something else is said: an outlier must not dominate a
/// gradient.
const LIMIT: f32 = 10.0;
const EPSILON: f64 = 1e-8;
/// In the place of a feature's squares: the feature is left as it is, not even cut off. No sum of
/// squares becomes a negative zero, and files keep the sign, so a normaliser that was read from one
/// still knows what it may touch.
const UNTOUCHED: f64 = -0.0;

/// Mean and deviation of each feature over everything seen so far. It changes only between
/// iterations, so that a rollout and the update on it see the same numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normalizer {
    /// How many observations were seen.
    pub count: f64,
    /// Mean of each feature.
    pub mean: Vec<f64>,
    /// Sum of squared distances from the mean, of each feature.
    pub squares: Vec<f64>,
    /// Where normalised numbers are cut off. Only a policy from elsewhere has another limit than ours.
    #[serde(default = "limit", skip_serializing_if = "is_limit")]
    pub limit: f32,
    #[serde(skip)]
    shift: Vec<f32>,
    #[serde(skip)]
    scale: Vec<f32>,
    /// Which features are normalised, where not all of them are.
    #[serde(skip)]
    touched: Option<Vec<Range<usize>>>,
}

fn limit() -> f32 {
    LIMIT
}

fn is_limit(limit: &f32) -> bool {
    *limit == LIMIT
}

impl Normalizer {
    /// A normaliser that has seen nothing and changes nothing.
    pub fn new(features: usize) -> Self {
        let mut new = Self {
            count: 0.0,
            mean: vec![0.0; features],
            squares: vec![0.0; features],
            limit: LIMIT,
            shift: Vec::new(),
            scale: Vec::new(),
            touched: None,
        };
        new.refresh();
        new
    }

    /// The same for observations with ids and entities: it leaves ids and flags as they are, and
    /// the entities of a kind share their statistics.
    pub fn structured(features: usize, structure: &Structure) -> Self {
        let mut new = Self::new(features);
        new.leave_alone(structure);
        new.refresh();
        new
    }

    fn leave_alone(&mut self, structure: &Structure) {
        for &id in &structure.ids {
            (self.mean[id], self.squares[id]) = (0.0, UNTOUCHED);
        }
        for Slots { starts, ids, .. } in &structure.kinds {
            for start in starts {
                self.squares[*start] = UNTOUCHED;
                for id in ids {
                    (self.mean[start + id], self.squares[start + id]) = (0.0, UNTOUCHED);
                }
            }
        }
    }

    /// A normaliser with these statistics; `None` if they contradict each other, or if single
    /// precision cannot hold what follows from them.
    pub fn restore(count: f64, mean: Vec<f64>, squares: Vec<f64>) -> Option<Self> {
        let sound = mean.len() == squares.len()
            && count >= 0.0
            && squares.iter().all(|&s| s >= 0.0)
            && mean.iter().chain(&squares).chain([&count]).all(|v| v.is_finite());
        let (shift, scale, touched) = (Vec::new(), Vec::new(), None);
        let mut new = Self { count, mean, squares, limit: LIMIT, shift, scale, touched };
        if sound {
            new.refresh();
        }
        let usable = new.shift.iter().chain(&new.scale).all(|v| v.is_finite());
        (sound && usable).then_some(new)
    }

    /// The same with another limit; `None` if it is none.
    pub fn with_limit(self, limit: f32) -> Option<Self> {
        (limit > 0.0 && limit.is_finite()).then_some(Self { limit, ..self })
    }

    /// `[features]`: what is taken away from each number.
    pub fn shift(&self) -> &[f32] {
        &self.shift
    }

    /// `[features]`: what the rest is multiplied by, before it is cut off.
    pub fn scale(&self) -> &[f32] {
        &self.scale
    }

    /// `[features]`: is it normalised at all? Ids and flags are not.
    pub fn touched(&self) -> Vec<bool> {
        let Some(stretches) = &self.touched else { return vec![true; self.shift.len()] };
        let mut touched = vec![false; self.shift.len()];
        stretches.iter().for_each(|stretch| touched[stretch.clone()].fill(true));
        touched
    }

    fn refresh(&mut self) {
        self.shift = self.mean.iter().map(|&m| m as f32).collect();
        let count = self.count;
        self.scale = self
            .squares
            .iter()
            .map(|&s| if count < 2.0 { 1.0 } else { (1.0 / (s / count + EPSILON).sqrt()) as f32 })
            .collect();
        let untouched = |s: &f64| *s == 0.0 && s.is_sign_negative();
        self.touched = self.squares.iter().any(untouched).then(|| {
            let mut next = 0;
            let stretches = self.squares.split(untouched).map(|stretch| {
                let start = next;
                next += stretch.len() + 1;
                start..start + stretch.len()
            });
            stretches.filter(|stretch| !stretch.is_empty()).collect()
        });
    }

    /// Normalises whole rows in place.
    pub fn apply(&self, rows: &mut [f32]) {
        if self.shift.is_empty() {
            return;
        }
        let all = 0..self.shift.len();
        for row in rows.chunks_exact_mut(self.shift.len()) {
            match &self.touched {
                None => self.apply_to(all.clone(), row),
                Some(touched) => touched.iter().for_each(|part| self.apply_to(part.clone(), row)),
            }
        }
    }

    #[inline(always)]
    fn apply_to(&self, features: Range<usize>, row: &mut [f32]) {
        let (shift, scale) = (&self.shift[features.clone()], &self.scale[features.clone()]);
        let limit = self.limit;
        for ((v, shift), scale) in row[features].iter_mut().zip(shift).zip(scale) {
            *v = ((*v - shift) * scale).clamp(-limit, limit);
        }
    }

    /// How unlike everything seen so far a row is: by how many deviations beyond the first its
    /// numbers lie from their means, each as the policy sees it, summed over the features in
    /// `counted`. To a normaliser that has seen nothing, nothing is novel.
    pub fn novelty(&self, row: &[f32], counted: &[usize]) -> f32 {
        if self.count < 2.0 {
            return 0.0;
        }
        let beyond = |&f: &usize| {
            let normal = ((row[f] - self.shift[f]) * self.scale[f]).clamp(-self.limit, self.limit);
            (normal.abs() - 1.0).max(0.0)
        };
        counted.iter().map(beyond).sum()
    }

    /// Learns from whole rows (Chan, Golub, LeVeque 1979: a batch is merged, not added one by one).
    pub fn update<'a>(&mut self, batches: impl Iterator<Item = &'a [f32]>) {
        let features = self.mean.len();
        if features == 0 {
            return;
        }
        for batch in batches.filter(|b| !b.is_empty()) {
            let n = (batch.len() / features) as f64;
            let mut mean = vec![0.0f64; features];
            for row in batch.chunks_exact(features) {
                mean.iter_mut().zip(row).for_each(|(m, &v)| *m += v as f64);
            }
            mean.iter_mut().for_each(|m| *m /= n);
            let mut squares = vec![0.0f64; features];
            for row in batch.chunks_exact(features) {
                for ((s, m), &v) in squares.iter_mut().zip(&mean).zip(row) {
                    *s += (v as f64 - m) * (v as f64 - m);
                }
            }
            let total = self.count + n;
            for f in 0..features {
                let delta = mean[f] - self.mean[f];
                self.mean[f] += delta * n / total;
                self.squares[f] += squares[f] + delta * delta * self.count * n / total;
            }
            self.count = total;
        }
        self.refresh();
    }

    /// The same for observations with ids and entities. A kind has one mean and one deviation of
    /// each number, over all entities that were there; they are written out for every slot.
    pub fn update_structured<'a>(
        &mut self,
        structure: &Structure,
        batches: impl Iterator<Item = &'a [f32]> + Clone,
    ) {
        let features = self.mean.len();
        let mut kinds: Vec<Moments> =
            structure.kinds.iter().map(|slots| Moments::read(self, slots)).collect();
        for batch in batches.clone() {
            for (moments, slots) in kinds.iter_mut().zip(&structure.kinds) {
                moments.merge(slots, batch, features);
            }
        }
        // Right for plain numbers; what it made of the others is overwritten.
        self.update(batches);
        for (moments, slots) in kinds.iter().zip(&structure.kinds) {
            moments.write(slots, self);
        }
        self.leave_alone(structure);
        self.refresh();
    }
}

/// Statistics of the entities of a kind.
struct Moments {
    /// How many were there.
    count: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl Moments {
    /// As they stand in a normaliser: the flags have the share of slots that were taken in the place
    /// of their mean, and the squares are as large as if all slots of all observations were counted
    /// once, so that dividing them by the count of observations gives the variance.
    fn read(from: &Normalizer, slots: &Slots) -> Self {
        let Some(&first) = slots.starts.first() else {
            return Self { count: 0.0, mean: Vec::new(), squares: Vec::new() };
        };
        let all = from.count * slots.starts.len() as f64;
        let count = (from.mean[first] * all).round().clamp(0.0, all);
        let at = |n: &usize| first + n;
        let squares = |n: &usize| match count {
            // One entity has no deviation, and none has no mean either; see `write`.
            ..2.0 => 0.0,
            _ => from.squares[at(n)] / from.count * count,
        };
        let mean = |n: &usize| from.mean[at(n)];
        Self {
            count,
            mean: slots.numbers.iter().map(mean).collect(),
            squares: slots.numbers.iter().map(squares).collect(),
        }
    }

    /// Learns from the entities that are present in whole rows, merged like whole observations.
    fn merge(&mut self, slots: &Slots, batch: &[f32], features: usize) {
        let there = |each: &mut dyn FnMut(&[f32])| {
            for row in batch.chunks_exact(features) {
                let taken = slots.starts.iter().filter(|&&start| present(row[start]));
                taken.for_each(|&start| each(&row[start..]));
            }
        };
        let mut n = 0.0f64;
        let mut mean = vec![0.0f64; slots.numbers.len()];
        there(&mut |slot| {
            n += 1.0;
            mean.iter_mut().zip(&slots.numbers).for_each(|(m, &at)| *m += f64::from(slot[at]));
        });
        if n == 0.0 {
            return;
        }
        mean.iter_mut().for_each(|m| *m /= n);
        let mut squares = vec![0.0f64; slots.numbers.len()];
        there(&mut |slot| {
            for ((s, m), &at) in squares.iter_mut().zip(&mean).zip(&slots.numbers) {
                *s += (f64::from(slot[at]) - m) * (f64::from(slot[at]) - m);
            }
        });
        let total = self.count + n;
        for f in 0..mean.len() {
            let delta = mean[f] - self.mean[f];
            self.mean[f] += delta * n / total;
            self.squares[f] += squares[f] + delta * delta * self.count * n / total;
        }
        self.count = total;
    }

    fn write(&self, slots: &Slots, to: &mut Normalizer) {
        let all = to.count * slots.starts.len() as f64;
        let share = if all > 0.0 { self.count / all } else { 0.0 };
        for start in &slots.starts {
            to.mean[*start] = share;
            for (f, n) in slots.numbers.iter().enumerate() {
                // As with observations, fewer than two say nothing about the deviation.
                let variance = if self.count < 2.0 { 1.0 } else { self.squares[f] / self.count };
                to.mean[start + n] = self.mean[f];
                to.squares[start + n] = variance * to.count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_merge_to_the_whole() {
        let rows: Vec<f32> = (0..60).map(|i| ((i * 37) % 23) as f32 * 0.5 - 3.0).collect();
        let mut whole = Normalizer::new(3);
        whole.update([&rows[..]].into_iter());
        let mut parts = Normalizer::new(3);
        parts.update([&rows[..6], &rows[6..33], &[], &rows[33..]].into_iter());
        for f in 0..3 {
            assert!((whole.mean[f] - parts.mean[f]).abs() < 1e-12);
            assert!((whole.squares[f] - parts.squares[f]).abs() < 1e-9);
        }
        let mut normal = rows.clone();
        whole.apply(&mut normal);
        let mean: f32 = normal.iter().step_by(3).sum::<f32>() / 20.0;
        let square: f32 = normal.iter().step_by(3).map(|v| v * v).sum::<f32>() / 20.0;
        assert!(mean.abs() < 1e-5 && (square - 1.0).abs() < 1e-4);
    }

    #[test]
    fn fresh_is_the_identity_and_constants_stay_finite() {
        let mut n = Normalizer::new(1);
        let mut row = [3.0];
        n.apply(&mut row);
        assert_eq!(row, [3.0]);
        n.update([&[5.0f32, 5.0, 5.0][..]].into_iter());
        let mut row = [5.0];
        n.apply(&mut row);
        assert_eq!(row, [0.0]);
    }

    #[test]
    fn another_limit_is_kept_and_ours_is_not_written() {
        let mut n = Normalizer::new(1);
        n.update([&[-1.0f32, 1.0][..]].into_iter());
        assert!(!serde_json::to_string(&n).unwrap().contains("limit"));
        let n = n.with_limit(5.0).unwrap();
        let text = serde_json::to_string(&n).unwrap();
        let read: Normalizer = serde_json::from_str(&text).unwrap();
        assert_eq!(read.limit, 5.0);
        let mut row = [900.0];
        n.apply(&mut row);
        assert_eq!(row, [5.0]);
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(n.clone().with_limit(bad).is_none(), "{bad}");
        }
    }

    use lanista_game::Vocabulary;

    use crate::shape::{EntityPart, Group};

    /// A number, an id, and three slots of a number and an id each: 11 numbers.
    fn structure() -> Structure {
        let id = || Vocabulary { name: "id".to_owned(), size: 100 };
        Structure::of(&[
            Group::Plain { features: 1 },
            Group::Ids { vocabulary: id(), count: 1 },
            Group::Entities {
                name: "e".to_owned(),
                most: 3,
                parts: vec![EntityPart::Number, EntityPart::Id(id())],
            },
        ])
    }

    /// Rows with entities of these numbers, behind each other from slot `first` on.
    fn row(plain: f32, first: usize, entities: &[f32]) -> Vec<f32> {
        let mut row = vec![0.0; 11];
        (row[0], row[1]) = (plain, 77.0);
        for (i, &v) in entities.iter().enumerate() {
            let at = 2 + (first + i) % 3 * 3;
            row[at..at + 3].copy_from_slice(&[1.0, v, 42.0]);
        }
        row
    }

    #[test]
    fn entities_of_a_kind_share_what_is_known_of_those_that_were_there() {
        let structure = structure();
        let rows = [
            vec![row(1.0, 0, &[1.0, 2.0, 3.0]), row(3.0, 1, &[4.0])],
            vec![row(5.0, 2, &[]), row(7.0, 0, &[])],
            vec![row(9.0, 2, &[6.0, 8.0])],
        ];
        let batches: Vec<Vec<f32>> = rows.iter().map(|rows| rows.concat()).collect();
        let mut normalizer = Normalizer::structured(11, &structure);
        // One by one and through a file, as a run that is resumed sees it.
        for batch in &batches {
            normalizer.update_structured(&structure, [&batch[..]].into_iter());
            let text = serde_json::to_string(&normalizer).unwrap();
            let Normalizer { count, mean, squares, .. } = serde_json::from_str(&text).unwrap();
            let read = Normalizer::restore(count, mean, squares).unwrap();
            assert_eq!(read.touched, normalizer.touched);
            assert_eq!((&read.shift, &read.scale), (&normalizer.shift, &normalizer.scale));
            normalizer = read;
        }
        let mut flat = Normalizer::new(1);
        flat.update([&[1.0, 2.0, 3.0, 4.0, 6.0, 8.0][..]].into_iter());
        for slot in [2, 5, 8] {
            assert!((normalizer.mean[slot + 1] - 4.0).abs() < 1e-12);
            assert!((normalizer.scale[slot + 1] / flat.scale[0] - 1.0).abs() < 1e-6);
            assert!((normalizer.mean[slot] - 6.0 / 15.0).abs() < 1e-12);
        }
        assert!((normalizer.mean[0] - 5.0).abs() < 1e-12);
        // Ids and flags stay, however large.
        let mut seen = row(5.0, 0, &[4.0, 8.0]);
        normalizer.apply(&mut seen);
        assert_eq!(seen[..6], [0.0, 77.0, 1.0, 0.0, 42.0, 1.0]);
        assert!(seen[6] > 1.0 && seen[7] == 42.0 && seen[8] == 0.0);
        let at_once = |batches: &[Vec<f32>]| {
            let mut n = Normalizer::structured(11, &structure);
            n.update_structured(&structure, batches.iter().map(|b| &b[..]));
            n
        };
        let whole = at_once(&batches);
        for f in 0..11 {
            assert!((whole.mean[f] - normalizer.mean[f]).abs() < 1e-12, "{f}");
            assert!((whole.squares[f] - normalizer.squares[f]).abs() < 1e-9, "{f}");
        }
        // Other slots, other numbers in the empty ones: nothing changes.
        let mut other = vec![[row(1.0, 2, &[3.0, 1.0, 2.0]), row(3.0, 0, &[4.0])].concat()];
        other[0][11 + 6] = 1e9;
        other.extend_from_slice(&batches[1..]);
        let other = at_once(&other);
        assert_eq!(other.shift, whole.shift);
        assert_eq!(other.scale, whole.scale);
    }

    #[test]
    fn what_was_never_there_is_not_scaled() {
        let structure = structure();
        let mut normalizer = Normalizer::structured(11, &structure);
        let mut seen = row(3.0, 0, &[20.0]);
        normalizer.apply(&mut seen);
        assert_eq!(seen[..5], [3.0, 77.0, 1.0, 10.0, 42.0]);
        let batch = [row(1.0, 0, &[]), row(2.0, 0, &[]), row(3.0, 0, &[])].concat();
        normalizer.update_structured(&structure, [&batch[..]].into_iter());
        let mut seen = row(2.0, 1, &[5.0]);
        normalizer.apply(&mut seen);
        assert_eq!(seen[5..8], [1.0, 5.0, 42.0]);
        let batch = row(2.0, 1, &[5.0]);
        normalizer.update_structured(&structure, [&batch[..]].into_iter());
        let mut seen = row(2.0, 2, &[7.0]);
        normalizer.apply(&mut seen);
        assert_eq!(seen[8..], [1.0, 2.0, 42.0]);
        let batch = row(2.0, 0, &[9.0]);
        normalizer.update_structured(&structure, [&batch[..]].into_iter());
        assert_eq!((normalizer.shift[3], normalizer.scale[3]), (7.0, 0.5));
    }
}
