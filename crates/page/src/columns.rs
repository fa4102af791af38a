//! The numbers of a run in memory: for every metric at most so many buckets, whatever the length of the run.
//!
//! A bucket covers a stretch of lines and keeps least, greatest, sum and count, so extremes are exact at any
//! zoom; a sample of lines would lose them. All metrics share the same stretches. Once there are too many,
//! neighbours become one and the stretch doubles. Where each stretch begins in the file is kept as well:
//! whoever looks closer than a bucket reads the lines themselves.

/// What a chart may have on its x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Steps of the learner.
    Steps,
    /// Seconds of training.
    Time,
    /// Matches that ended.
    Matches,
}

impl Axis {
    /// The metric that holds it.
    pub fn metric(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Time => "time/seconds",
            Self::Matches => "episodes",
        }
    }

    /// As it is called in a request.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "steps" => Some(Self::Steps),
            "time" => Some(Self::Time),
            "matches" => Some(Self::Matches),
            _ => None,
        }
    }
}

/// `[steps, seconds, matches]` of a line.
pub type Place = [f64; 3];

/// A stretch of lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Where its first line begins in the file.
    pub offset: u64,
    /// The first line.
    pub first: Place,
    /// The last one.
    pub last: Place,
}

/// What a metric was over a stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The least; not a number if there is none.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// All added up.
    pub sum: f64,
    /// Lines that had it.
    pub count: u32,
}

/// Nothing in it.
pub const EMPTY: Cell = Cell { min: f64::NAN, max: f64::NAN, sum: 0.0, count: 0 };

impl Cell {
    /// One number.
    pub fn of(value: f64) -> Self {
        Self { min: value, max: value, sum: value, count: 1 }
    }

    /// Both together.
    pub fn with(self, other: Self) -> Self {
        // `min` and `max` pass over what is not a number.
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            sum: self.sum + other.sum,
            count: self.count.saturating_add(other.count),
        }
    }

    /// The mean, if there is anything.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// One metric.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// `[stretches]` from the first on; those at the end may be missing.
    cells: Vec<Cell>,
    /// The latest number.
    pub last: Option<f64>,
    /// Where it was greatest, and how much.
    pub best: Option<(Place, f64)>,
    /// Where it was least, and how much.
    pub worst: Option<(Place, f64)>,
}

/// All metrics of a run.
#[derive(Clone, Debug)]
pub struct Columns {
    /// The most stretches.
    most: usize,
    /// Lines in a stretch.
    stride: u64,
    rows: u64,
    stretches: Vec<Stretch>,
    columns: Vec<Column>,
    /// Of the latest line: lines without a place of their own (evaluations) stand where the one before stood.
    place: Place,
}

impl Columns {
    /// Nothing yet; at most so many stretches, an even number.
    pub fn new(most: usize) -> Self {
        Self {
            most: most.max(2) & !1,
            stride: 1,
            rows: 0,
            stretches: Vec::new(),
            columns: Vec::new(),
            place: [0.0; 3],
        }
    }

    /// Lines so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Lines in a stretch.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// The stretches.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// A metric by its number.
    pub fn column(&self, metric: usize) -> Option<&Column> {
        self.columns.get(metric)
    }

    /// Where the latest line stands.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Bytes in memory, nearly.
    pub fn bytes(&self) -> usize {
        let cells: usize = self.columns.iter().map(|c| c.cells.capacity()).sum();
        cells * size_of::<Cell>()
            + self.stretches.capacity() * size_of::<Stretch>()
            + self.columns.capacity() * size_of::<Column>()
    }

    /// Takes a line that begins at `offset`: `values` of all metrics, of which it has those `touched`.
    /// `places` are the metrics of the axes, if they were met.
    pub fn push(
        &mut self,
        offset: u64,
        values: &[f64],
        touched: &[usize],
        places: &[Option<usize>; 3],
    ) {
        for (axis, metric) in self.place.iter_mut().zip(places) {
            if let Some(value) = metric.map(|m| values[m]).filter(|value| !value.is_nan()) {
                *axis = value;
            }
        }
        if self.rows.is_multiple_of(self.stride) {
            if self.stretches.len() >= self.most {
                self.halve();
            }
            if self.rows.is_multiple_of(self.stride) {
                let (first, last) = (self.place, self.place);
                self.stretches.push(Stretch { offset, first, last });
            }
        }
        let at = self.stretches.len() - 1;
        self.stretches[at].last = self.place;
        if self.columns.len() < values.len() {
            self.columns.resize(values.len(), Column::default());
        }
        for &metric in touched {
            let (value, column) = (values[metric], &mut self.columns[metric]);
            if column.cells.len() <= at {
                column.cells.resize(at + 1, EMPTY);
            }
            let cell = &mut column.cells[at];
            *cell = cell.with(Cell::of(value));
            column.last = Some(value);
            if column.best.is_none_or(|(_, best)| value > best) {
                column.best = Some((self.place, value));
            }
            if column.worst.is_none_or(|(_, worst)| value < worst) {
                column.worst = Some((self.place, value));
            }
        }
        self.rows += 1;
    }

    /// Neighbours become one.
    fn halve(&mut self) {
        for column in &mut self.columns {
            let halved = column.cells.len().div_ceil(2);
            for i in 0..halved {
                let second = column.cells.get(2 * i + 1).copied().unwrap_or(EMPTY);
                column.cells[i] = column.cells[2 * i].with(second);
            }
            column.cells.truncate(halved);
        }
        let halved = self.stretches.len().div_ceil(2);
        for i in 0..halved {
            let first = self.stretches[2 * i];
            let last = self.stretches.get(2 * i + 1).unwrap_or(&first).last;
            self.stretches[i] = Stretch { last, ..first };
        }
        self.stretches.truncate(halved);
        self.stride *= 2;
    }
}

impl Column {
    /// What it was over a stretch.
    pub fn cell(&self, stretch: usize) -> Cell {
        self.cells.get(stretch).copied().unwrap_or(EMPTY)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(most: usize, rows: &[f64]) -> Columns {
        let mut columns = Columns::new(most);
        for (i, &value) in rows.iter().enumerate() {
            let values = [i as f64 * 10.0, value];
            let touched: &[usize] = if value.is_nan() { &[0] } else { &[0, 1] };
            columns.push(i as u64 * 100, &values, touched, &[Some(0), None, None]);
        }
        columns
    }

    proptest! {
        #[test]
        fn extremes_and_means_are_those_of_the_lines(
            rows in prop::collection::vec(prop_oneof![4 => -1e3f64..1e3, 1 => Just(f64::NAN)], 1..300),
            most in 2usize..20,
        ) {
            let columns = filled(most, &rows);
            let stride = columns.stride() as usize;
            prop_assert!(columns.stretches().len() <= most);
            prop_assert_eq!(columns.stretches().len(), rows.len().div_ceil(stride));
            for (i, chunk) in rows.chunks(stride).enumerate() {
                let known: Vec<f64> = chunk.iter().copied().filter(|v| !v.is_nan()).collect();
                let cell = columns.column(1).map_or(EMPTY, |c| c.cell(i));
                prop_assert_eq!(cell.count as usize, known.len());
                if !known.is_empty() {
                    prop_assert_eq!(cell.min, known.iter().copied().fold(f64::INFINITY, f64::min));
                    prop_assert_eq!(cell.max, known.iter().copied().fold(f64::NEG_INFINITY, f64::max));
                    let mean = known.iter().sum::<f64>() / known.len() as f64;
                    prop_assert!((cell.mean().unwrap() - mean).abs() < 1e-6);
                }
                let stretch = columns.stretches()[i];
                prop_assert_eq!(stretch.offset, (i * stride) as u64 * 100);
                prop_assert_eq!(stretch.first[0], (i * stride) as f64 * 10.0);
                prop_assert_eq!(stretch.last[0], (i * stride + chunk.len() - 1) as f64 * 10.0);
            }
        }
    }

    #[test]
    fn a_line_without_a_place_stands_where_the_one_before_stood() {
        let mut columns = Columns::new(8);
        columns.push(0, &[5.0, 1.0], &[0, 1], &[Some(0), None, None]);
        columns.push(9, &[f64::NAN, 2.0], &[1], &[Some(0), None, None]);
        assert_eq!(columns.stretches()[1].first[0], 5.0);
        assert_eq!(columns.column(1).unwrap().best, Some(([5.0, 0.0, 0.0], 2.0)));
    }
}
