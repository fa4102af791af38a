//! Matches that are played elsewhere, by a worker. The learner keeps of them what a checkpoint keeps; here
//! nothing can be stepped, and starting a match is a note of where the worker has to begin.

use lanista_game::{Batch, Buffers, Control, Fault, Spec};

/// Matches that are not here.
pub(crate) struct Absent {
    spec: Spec,
    matches: usize,
    replays: bool,
}

impl Absent {
    /// So many matches of a game as policies see it; `replays` as [`Batch::replays`] of those who have them.
    pub fn new(spec: Spec, matches: usize, replays: bool) -> Self {
        Self { spec, matches, replays }
    }
}

impl Batch for Absent {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn matches(&self) -> usize {
        self.matches
    }

    fn start(&mut self, _: usize, _: u64, _: &[Control], _: &mut Buffers) -> Result<(), Fault> {
        Ok(())
    }

    /// Recorded actions are put back without being played: the worker plays them.
    fn submit(&mut self, _: &[usize], _: &[u32], _: &mut Buffers) -> Result<(), Fault> {
        Ok(())
    }

    fn scripted(&mut self, m: usize, _: usize, _: usize, _: &mut [u32]) -> Result<(), Fault> {
        let message = "it is played elsewhere, and nobody can be asked about it here".into();
        Err(Fault { match_index: m, message })
    }

    fn replays(&self) -> bool {
        self.replays
    }
}
