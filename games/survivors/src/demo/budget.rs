//! How much memory a file may make us take.
//!
//! A few bits can stand for much: a game event of two hundred flags is two hundred values. Real
//! recordings stay far below what is allowed here; a file that does not was made to do harm.

use super::error::Reason;

const BYTES_A_BYTE: usize = 24;
const BYTES_FOR_ANY: usize = 1 << 20;

/// What is left of the memory that a file may take.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    limit: usize,
    left: usize,
}

impl Budget {
    pub(crate) fn of(file: &[u8]) -> Self {
        let limit = file.len().saturating_mul(BYTES_A_BYTE).saturating_add(BYTES_FOR_ANY);
        Self { limit, left: limit }
    }

    /// Takes `bytes`, before they are allocated.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Reason> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Reason::TooMuchMemory { limit: self.limit }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_gone() {
        let mut budget = Budget::of(&[0; 10]);
        assert!(budget.take(BYTES_FOR_ANY).is_ok());
        assert!(budget.take(10 * BYTES_A_BYTE).is_ok());
        assert!(matches!(budget.take(1), Err(Reason::TooMuchMemory { .. })));
    }
}
