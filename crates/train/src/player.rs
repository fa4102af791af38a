//! Who takes a seat.

use lanista_game::{Control, Spec};
use lanista_learn::Policy;
use serde::{Deserialize, Serialize};

use crate::layers::nearest;

/// Who takes a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Player {
    /// The agent that learns, or that is evaluated.
    Learner,
    /// A scripted player, by its index in [`Spec::bots`].
    Bot(usize),
    /// An agent that does not learn, by its number.
    Frozen(u64),
}

/// Players as numbers: the learner, then bots, then frozen policies.
const BOTS: u64 = 1;
const FROZEN: u64 = 1 << 20;

/// Models from elsewhere have numbers from here on; snapshots stay below.
pub(crate) const ELSEWHERE: u64 = 1 << 32;

impl Player {
    /// As a number, for files and messages.
    pub(crate) fn to_number(self) -> u64 {
        match self {
            Self::Learner => 0,
            Self::Bot(bot) => BOTS + bot as u64,
            Self::Frozen(id) => FROZEN + id,
        }
    }

    /// Whom a number means.
    pub(crate) fn from_number(number: u64) -> Self {
        match number {
            0 => Self::Learner,
            BOTS..FROZEN => Self::Bot((number - BOTS) as usize),
            _ => Self::Frozen(number - FROZEN),
        }
    }

    /// How the game is told who drives a seat of this role.
    pub fn control(self, spec: &Spec, seat: usize) -> Control {
        if spec.seats[seat].empty {
            return Control::Nobody;
        }
        match self {
            Self::Bot(bot) => {
                let own = spec.bots().get(bot).and_then(|name| spec.role_of(seat).bot(name));
                own.map_or(Control::Outside, Control::Bot)
            }
            Self::Learner | Self::Frozen(_) => Control::Outside,
        }
    }
}

/// The policies of an agent: one for each role that it plays.
#[derive(Clone, Debug, Default)]
pub struct Roster(Vec<Option<Policy>>);

impl Roster {
    /// These policies, by role.
    pub fn new(policies: Vec<Option<Policy>>) -> Self {
        Self(policies)
    }

    /// One policy for a game of one role.
    pub fn single(policy: Policy) -> Self {
        Self(vec![Some(policy)])
    }

    /// The same with other weights for a role.
    pub fn with_params(mut self, role: usize, params: &[f32]) -> Self {
        if let Some(Some(policy)) = self.0.get_mut(role) {
            policy.params.copy_from_slice(params);
        }
        self
    }

    /// The policy of a role.
    pub fn get(&self, role: usize) -> Option<&Policy> {
        self.0.get(role).and_then(Option::as_ref)
    }

    /// All of them, by role.
    pub fn all(&self) -> Vec<Option<&Policy>> {
        self.0.iter().map(Option::as_ref).collect()
    }

    /// Those that there are, with their roles.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Policy)> {
        self.0.iter().enumerate().filter_map(|(role, policy)| Some((role, policy.as_ref()?)))
    }
}

/// The policies of an agent by role, wherever they lie.
pub type Policies<'a> = &'a [Option<&'a Policy>];

/// Reads `self` or `bot:NAME`.
pub fn parse_player(name: &str, spec: &Spec) -> Result<Player, String> {
    if name == "self" {
        return Ok(Player::Learner);
    }
    let bots = spec.bots();
    if let Some(name) = name.strip_prefix("bot:")
        && let Some(bot) = bots.iter().position(|bot| *bot == name)
    {
        return Ok(Player::Bot(bot));
    }
    let mut all = vec!["self".to_owned()];
    all.extend(bots.iter().map(|bot| format!("bot:{bot}")));
    let hint = nearest(name, all.iter().map(String::as_str))
        .map_or(String::new(), |n| format!("did you mean `{n}`? "));
    Err(format!("no player `{name}` in {}: {hint}there are: {}", spec.name, all.join(", ")))
}
