//! The last few frames of every seat, newest first.

/// Remembers the last `depth` frames of each seat.
///
/// Right after a reset there is no past; the first frame then stands for it, as if the match had
/// stood still before it began, which at a kickoff is how it looks.
#[derive(Clone, Debug)]
pub struct Stack {
    depth: usize,
    width: usize,
    /// `[seats, depth, width]`, each seat's frames in a ring.
    rings: Vec<f32>,
    /// For each seat, where its newest frame lies; the older ones follow, around the ring.
    newest: Vec<Option<usize>>,
}

impl Stack {
    /// Stacks of `depth` frames of `width` numbers, for so many seats.
    pub fn new(seats: usize, depth: usize, width: usize) -> Self {
        assert!(depth > 0, "a stack needs at least one frame");
        Self { depth, width, rings: vec![0.0; seats * depth * width], newest: vec![None; seats] }
    }

    /// Forgets every frame.
    pub fn reset(&mut self) {
        self.newest.fill(None);
    }

    /// Adds a frame to a seat's past; `fill` writes all of it. Once a step and seat.
    pub fn push(&mut self, seat: usize, fill: impl FnOnce(&mut [f32])) {
        let (depth, width) = (self.depth, self.width);
        let ring = &mut self.rings[seat * depth * width..(seat + 1) * depth * width];
        match &mut self.newest[seat] {
            Some(newest) => {
                // Over the oldest, which lies just before the newest.
                *newest = (*newest + depth - 1) % depth;
                fill(&mut ring[*newest * width..(*newest + 1) * width]);
            }
            first => {
                *first = Some(0);
                let (frame, past) = ring.split_at_mut(width);
                fill(frame);
                past.chunks_exact_mut(width).for_each(|old| old.copy_from_slice(frame));
            }
        }
    }

    /// Writes a seat's frames, newest first; zeros before its first frame.
    pub fn write(&self, seat: usize, out: &mut [f32]) {
        let length = self.depth * self.width;
        let ring = &self.rings[seat * length..(seat + 1) * length];
        let Some(newest) = self.newest[seat] else {
            out.fill(0.0);
            return;
        };
        let (wrapped, onwards) = ring.split_at(newest * self.width);
        out[..onwards.len()].copy_from_slice(onwards);
        out[onwards.len()..].copy_from_slice(wrapped);
    }

    /// The names of a stack's numbers from those of one frame: older frames say how many steps ago.
    pub fn names(frame: &[String], depth: usize) -> Vec<String> {
        let aged = |age: usize| {
            frame.iter().map(move |name| match age {
                0 => name.clone(),
                _ => format!("{name}_{age}_ago"),
            })
        };
        (0..depth).flat_map(aged).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stack: &Stack, seat: usize) -> Vec<f32> {
        let mut out = vec![f32::NAN; stack.depth * stack.width];
        stack.write(seat, &mut out);
        out
    }

    fn push(stack: &mut Stack, seat: usize, value: f32) {
        stack.push(seat, |frame| frame.copy_from_slice(&[value, -value]));
    }

    #[test]
    fn frames_come_newest_first() {
        for depth in 1..=8 {
            let mut stack = Stack::new(2, depth, 2);
            let mut pushed = Vec::new();
            for step in 1..30 {
                let value = step as f32;
                push(&mut stack, 1, value);
                pushed.insert(0, value);
                let expected: Vec<f32> = (0..depth)
                    .map(|age| *pushed.get(age).unwrap_or(&1.0))
                    .flat_map(|value| [value, -value])
                    .collect();
                assert_eq!(read(&stack, 1), expected, "depth {depth}, step {step}");
            }
            // The other seat has its own past.
            assert_eq!(read(&stack, 0), vec![0.0; 2 * depth]);
        }
    }

    #[test]
    fn a_reset_forgets() {
        let mut stack = Stack::new(2, 3, 2);
        for value in [1.0, 2.0, 3.0, 4.0] {
            push(&mut stack, 0, value);
        }
        stack.reset();
        assert_eq!(read(&stack, 0), [0.0; 6]);
        push(&mut stack, 0, 9.0);
        assert_eq!(read(&stack, 0), [9.0, -9.0, 9.0, -9.0, 9.0, -9.0]);
        push(&mut stack, 0, 8.0);
        assert_eq!(read(&stack, 0), [8.0, -8.0, 9.0, -9.0, 9.0, -9.0]);
    }

    #[test]
    fn reading_changes_nothing() {
        let mut stack = Stack::new(1, 4, 2);
        push(&mut stack, 0, 1.0);
        push(&mut stack, 0, 2.0);
        assert_eq!(read(&stack, 0), read(&stack, 0));
    }

    #[test]
    fn names_tell_the_age() {
        let names = Stack::names(&["a".to_owned(), "b".to_owned()], 3);
        assert_eq!(names, ["a", "b", "a_1_ago", "b_1_ago", "a_2_ago", "b_2_ago"]);
    }
}
