//! A history in bounded memory.

/// Past this size a value says nothing that a chart could show.
const LARGEST: f64 = 1e15;

/// Samples over a growing axis. When the memory is full, neighbours are merged in pairs and every
/// later point averages twice as many samples: the whole past stays, ever coarser.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    points: Vec<Point>,
    capacity: usize,
    /// How many samples a point averages.
    stride: u64,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    x: f64,
    sum: f64,
    samples: u64,
}

impl Point {
    fn add(&mut self, other: Point) {
        self.x = other.x;
        self.sum += other.sum;
        self.samples += other.samples;
    }

    fn mean(&self) -> f64 {
        self.sum / self.samples as f64
    }
}

impl Series {
    /// An empty history that never keeps more than `capacity` points.
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = capacity.max(2);
        Self { points: Vec::with_capacity(capacity), capacity, stride: 1 }
    }

    /// Adds a sample. One that is no number, or absurdly large, leaves no trace.
    pub(crate) fn push(&mut self, x: f64, y: f64) {
        if !x.is_finite() || !y.is_finite() || y.abs() > LARGEST {
            return;
        }
        let sample = Point { x, sum: y, samples: 1 };
        match self.points.last_mut() {
            Some(last) if last.samples < self.stride => last.add(sample),
            _ => {
                if self.points.len() == self.capacity {
                    self.halve();
                }
                self.points.push(sample);
            }
        }
    }

    fn halve(&mut self) {
        self.points = merged(&self.points, 2);
        self.points.reserve_exact(self.capacity - self.points.len());
        self.stride *= 2;
    }

    /// The history as at most `width` points `(x, mean)`.
    pub(crate) fn resampled(&self, width: usize) -> Vec<(f64, f64)> {
        if width == 0 {
            return Vec::new();
        }
        // Equal groups, rather than exactly `width` of them: groups of mixed sizes would shimmer.
        let points = merged(&self.points, self.points.len().div_ceil(width).max(1));
        points.iter().map(|point| (point.x, point.mean())).collect()
    }

    /// Where the history begins.
    pub(crate) fn first_x(&self) -> Option<f64> {
        self.points.first().map(|point| point.x)
    }
}

/// Every `group` neighbours as one.
fn merged(points: &[Point], group: usize) -> Vec<Point> {
    let join = |chunk: &[Point]| {
        chunk.iter().copied().reduce(|mut all, point| {
            all.add(point);
            all
        })
    };
    points.chunks(group).filter_map(join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_the_past_stays() {
        let mut series = Series::new(64);
        for i in 0..100_000 {
            series.push(f64::from(i), f64::from(i));
            assert!(series.points.len() <= 64);
        }
        let points = series.resampled(1000);
        assert!(points.len() >= 32, "{}", points.len());
        assert!(points.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
        assert!(points[0].1 < 2000.0);
        assert_eq!(points.last().unwrap().0, 99_999.0);
        let samples: u64 = series.points.iter().map(|point| point.samples).sum();
        assert_eq!(samples, 100_000);
    }

    #[test]
    fn resampling_averages_evenly() {
        let mut series = Series::new(64);
        (0..8).for_each(|i| series.push(f64::from(i), f64::from(i % 2)));
        assert_eq!(series.resampled(4), vec![(1.0, 0.5), (3.0, 0.5), (5.0, 0.5), (7.0, 0.5)]);
        assert_eq!(series.resampled(8).len(), 8);
        assert_eq!(series.resampled(5).len(), 4);
        assert_eq!(series.resampled(1), vec![(7.0, 0.5)]);
        assert!(series.resampled(0).is_empty());
        assert!(Series::new(8).resampled(8).is_empty());
    }

    #[test]
    fn no_trace_of_what_is_no_number() {
        let mut series = Series::new(8);
        for y in [f64::NAN, f64::INFINITY, -1e300] {
            series.push(1.0, y);
        }
        assert_eq!(series.first_x(), None);
        series.push(3.0, 1.0);
        assert_eq!(series.first_x(), Some(3.0));
    }
}
