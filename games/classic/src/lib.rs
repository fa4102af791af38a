//! Seven small games with known answers.
//!
//! Each exists because one part of a trainer can be judged by it: `cartpole` by speed and plain
//! learning, `cartpole-novel` by memory, `legal` by masks, `levers` by heads that depend on each
//! other, `duel` by self-play, `hideout` by sides that see and do different things, `odd-one` by
//! observations with structure. The best result of every one of them is known exactly, so a trainer that
//! falls short of it has a defect and not bad luck.

mod bots;
pub mod cartpole;
pub mod duel;
mod frame;
pub mod hideout;
pub mod legal;
pub mod levers;
pub mod odd_one;
mod settings;
pub mod zero_sum;

use lanista_game::Entry;

/// Every game of this crate.
pub fn games() -> [Entry; 7] {
    [
        Entry::of::<cartpole::Cartpole<true>>(),
        Entry::of::<cartpole::Cartpole<false>>(),
        Entry::of::<legal::Legal>(),
        Entry::of::<levers::Levers>(),
        Entry::of::<duel::Duel>(),
        Entry::of::<hideout::Hideout>(),
        Entry::of::<odd_one::OddOne>(),
    ]
}
