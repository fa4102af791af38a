//! What the tracker remembers beside what a battle shows.

use crate::dex::{ItemId, MoveId, SpeciesId};
use crate::state::{KnownMove, Pokemon, Terrain, Weather};

use super::Who;

/// About somebody of a team.
#[derive(Clone, Debug, Default)]
pub(super) struct Note {
    /// The form it goes back to when it leaves.
    pub species: SpeciesId,
    /// Its own moves while it has those of another.
    pub own_moves: Option<Vec<KnownMove>>,
    /// Where Mimic stood before it became another move.
    pub mimic: Option<(usize, KnownMove)>,
    /// Something changed its ability since it came in.
    pub ability_changed: bool,
    /// It holds, or has lost, something that is not what it came with.
    pub item_changed: bool,
    /// What it came with, if that has shown.
    pub came_with: ItemId,
    /// It has lost an item since it came in.
    pub item_lost: bool,
    /// It has moved this turn, or could not.
    pub acted: bool,
    /// It came in since the last turn began.
    pub came_in: bool,
    /// Weather and terrain when it came in, and whether it met a foe.
    pub came_into: (Option<Weather>, Option<Terrain>, bool),
    /// The first move it chose since it came in: some items hold their holder to it.
    pub first_move: MoveId,
    /// Its form has changed since its stats were told.
    pub stats_are_old: bool,
    /// Its speed has been exchanged for another's.
    pub speed_changed: bool,
    /// When the end of the turn began it was hurt; since then something healed it.
    pub hurt: bool,
    pub healed: bool,
    /// Rounds that the row of protecting moves is remembered.
    pub stall_rounds: u8,
    /// Rounds until it need not recharge any more.
    pub recharge_rounds: u8,
    /// Rounds that a move it goes on with is remembered, and how often it was used.
    pub locked_rounds: u8,
    pub locked_uses: u8,
    /// Who holds it: it is free when that one leaves.
    pub trapped_by: Option<Who>,
    /// The part of the log in which its status began.
    pub status_since: u32,
    /// The part of the log in which a move of it was disabled.
    pub disabled_since: u32,
    /// How it was before it came in, where a disguise is possible.
    pub before: Option<Box<(Pokemon, Note)>>,
}

/// About the turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    /// Parts of the log, which empty lines divide: what begins in the part of the upkeep has not aged then.
    pub part: u32,
    /// Who uses a move, which, and at whom.
    pub mover: Option<Who>,
    pub a_move: MoveId,
    pub target: Option<Who>,
    /// Does the move reach several?
    pub spread: bool,
    /// Is it somebody's own choice, and not called by another move or ability?
    pub chosen: bool,
    /// An ability makes the move: Dancer, Magic Bounce.
    pub made_by_ability: bool,
    /// Who has been hit critically and not hurt yet.
    pub critical: [[bool; 2]; 2],
    /// Strikes of this move on the two places of both sides.
    pub strikes: [[u8; 2]; 2],
    /// Those that a substitute took: they count as hits once one goes through.
    pub absorbed: [[u8; 2]; 2],
    /// Who has struck, and would pay for a Life Orb before anything else happens.
    pub price: Option<Who>,
    /// Pairs of a foe and one's own of which one has moved.
    pub pairs: Vec<super::order::Pair>,
    /// The order is not that of speed any more.
    pub reordered: bool,
    /// Cud Chew eats what is not held any more.
    pub chews: bool,
}

impl Turn {
    /// A move is used.
    pub fn begin_move(
        &mut self,
        mover: Option<Who>,
        a_move: MoveId,
        target: Option<Who>,
        chosen: bool,
    ) {
        self.mover = mover;
        self.a_move = a_move;
        self.target = target;
        self.chosen = chosen;
        self.made_by_ability = false;
        self.spread = false;
        self.critical = Default::default();
        self.strikes = Default::default();
        self.absorbed = Default::default();
    }
}
