//! Which teams meet.

use lanista_game::seed::mix;

/// Which teams of a pool are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All but those held out.
    #[default]
    Train,
    /// Those held out alone.
    HeldOut,
    /// All of them.
    All,
}

/// Teams that are drawn from, as packed lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    teams: Vec<String>,
}

impl Pool {
    /// The part of `teams` that is drawn from when a `share` of them is held out. Which are follows from the teams
    /// themselves, so that others added later change nothing; where chance would leave one part empty, the
    /// team nearest to it goes there.
    ///
    /// Nothing if there is no team for the part: it takes two to hold one out.
    pub fn new(mut teams: Vec<String>, share: f64, part: Part) -> Option<Self> {
        teams.sort_by_cached_key(|team| (position(team), team.clone()));
        teams.dedup();
        let threshold = teams.iter().filter(|team| is_held_out(team, share)).count();
        let most = teams.len().saturating_sub(1);
        let held = if share > 0.0 { threshold.max(1).min(most) } else { 0 };
        let teams = match part {
            Part::All => teams,
            Part::HeldOut => teams[..held].to_vec(),
            Part::Train => teams[held..].to_vec(),
        };
        (!teams.is_empty()).then_some(Self { teams })
    }

    /// Adds teams to be drawn.
    pub fn extend(&mut self, more: impl IntoIterator<Item = String>) {
        self.teams.extend(more);
    }

    /// Its teams.
    pub fn teams(&self) -> &[String] {
        &self.teams
    }

    /// The team of a side in the battle of a seed. Sides draw apart from each other.
    pub fn draw(&self, seed: u64, side: usize) -> &str {
        let bits = mix(mix(seed, 0x7465_616d), side as u64);
        let index = (u128::from(bits) * self.teams.len() as u128) >> 64;
        &self.teams[index as usize]
    }
}

/// Is a team among the `share` that is held out?
pub fn is_held_out(packed: &str, share: f64) -> bool {
    // 53 bits, the most that a float of 64 holds evenly.
    ((position(packed) >> 11) as f64) < share * (1u64 << 53) as f64
}

/// Where a team stands among all that there could be: FNV-1a over its line, then mixed, since FNV leaves the
/// high bits of short texts alike.
fn position(packed: &str) -> u64 {
    let hash = packed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mix(hash, 0)
}
