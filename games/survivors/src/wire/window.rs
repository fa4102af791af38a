//! The replay window: which sequence numbers of the other side were accepted already.
//!
//! As in IPsec (RFC 4303 §3.4.3): the highest number and a mask of the 64 up to it. It is asked after the tag
//! was found right, never before, or a forged number would shut out the true ones.

/// How many numbers back a late datagram may be.
pub const WIDTH: u32 = 64;

/// The numbers accepted from one side of one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    highest: u32,
    /// Bit i is set when `highest - i` was accepted.
    seen: u64,
}

impl Window {
    /// Whether this number is new; if so it is marked.
    pub fn accept(&mut self, seq: u32) -> bool {
        if seq == 0 {
            return false;
        }
        if seq > self.highest {
            let ahead = seq - self.highest;
            self.seen = if ahead < WIDTH { self.seen << ahead | 1 } else { 1 };
            self.highest = seq;
            return true;
        }
        let behind = self.highest - seq;
        if behind >= WIDTH || self.seen >> behind & 1 == 1 {
            return false;
        }
        self.seen |= 1 << behind;
        true
    }

    /// The highest number accepted, 0 before the first.
    pub fn highest(&self) -> u32 {
        self.highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn the_edges_of_the_window() {
        let mut window = Window::default();
        assert!(!window.accept(0));
        assert!(window.accept(100));
        assert!(!window.accept(100));
        assert!(window.accept(37), "63 behind is the last that counts");
        assert!(!window.accept(36), "64 behind is too late");
        assert!(window.accept(u32::MAX));
        assert!(!window.accept(100));
        assert!(window.accept(u32::MAX - 63));
    }

    proptest! {
        #[test]
        fn none_twice_and_none_near_refused(steps in prop::collection::vec(1u32..300, 1..400)) {
            let mut window = Window::default();
            let mut accepted = HashSet::new();
            for seq in steps {
                let near = seq + WIDTH > window.highest();
                let fresh = !accepted.contains(&seq);
                prop_assert_eq!(window.accept(seq), near && fresh);
                if near {
                    accepted.insert(seq);
                }
            }
        }
    }
}
