//! What an iteration showed in numbers: one list, which every file and screen reads.
//!
//! A metric says under which name it is known, what it is, and whether TensorBoard draws it; its kind
//! says where it stands. So a new one is one line where the list is made
//! (`Trainer::metrics`), and none anywhere else.

use serde::Serialize;

/// A number that an iteration showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// What it is called: among those of its kind, nothing else is.
    pub name: String,
    /// How much it is.
    pub value: Amount,
    /// What it is.
    pub kind: Kind,
    /// The tag under which TensorBoard has it, if it does.
    pub tag: Option<String>,
}

/// How much a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Amount {
    /// A count, exactly.
    Count(u64),
    /// Any other number.
    Number(f64),
    /// Nobody knows yet: no match has ended, or nobody is rated.
    Unknown,
}

/// What a metric is, which says where it stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Something that was counted, or measured over the latest matches.
    Plain,
    /// Something that the update reported.
    Update,
    /// Something that depends on the machine.
    Time,
    /// The mean sum per match of a reward term, over the matches that ended in the iteration.
    Term {
        /// What the preset multiplies it with.
        weight: f64,
    },
    /// The mean of a stat, likewise.
    Stat,
    /// The share of matches won against an opponent, likewise.
    Opponent,
    /// The rating on one side, for games whose sides differ.
    Side,
    /// Something of one of several roles.
    Role(String),
    /// The share of matches that an exploiter, by its number, has won.
    Exploiter,
}

impl Amount {
    /// As a number; `None` if it is unknown.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(count as f64),
            Self::Number(number) => Some(number),
            Self::Unknown => None,
        }
    }
}

impl From<u64> for Amount {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Amount {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<usize> for Amount {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<f64> for Amount {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Option<f64>> for Amount {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Unknown, Self::Number)
    }
}

impl Kind {
    /// The tag of one that asks for no other.
    fn tag(&self, name: &str) -> Option<String> {
        match self {
            Self::Plain | Self::Time | Self::Role(_) => None,
            Self::Update => Some(format!("losses/{name}")),
            Self::Term { .. } => Some(format!("terms/{name}")),
            Self::Stat => Some(format!("stats/{name}")),
            Self::Opponent => Some(format!("won/{name}")),
            Self::Side => Some(format!("league/elo_{name}")),
            Self::Exploiter => Some(format!("league/exploiter_{name}_won")),
        }
    }
}

impl Metric {
    /// Where it stands in a line of `metrics.jsonl`: keys, from the outside in. `None` if it is a part
    /// of something that is written whole.
    pub(super) fn place(&self) -> Option<Vec<&str>> {
        let name = self.name.as_str();
        match &self.kind {
            Kind::Plain | Kind::Update => Some(vec![name]),
            Kind::Time => Some(vec!["time", name]),
            Kind::Term { .. } => Some(vec!["terms", name]),
            Kind::Stat => Some(vec!["stats", name]),
            Kind::Opponent => Some(vec!["opponents", name]),
            Kind::Side => Some(vec!["elo_by_side", name]),
            Kind::Role(role) => Some(vec!["roles", role, name]),
            Kind::Exploiter => None,
        }
    }

    /// TensorBoard has it under this tag instead of that of its kind.
    pub(crate) fn tagged(&mut self, tag: impl Into<String>) {
        self.tag = Some(tag.into());
    }

    /// TensorBoard has it under this tag unless there is none of it.
    pub(crate) fn tagged_if_any(&mut self, tag: &str) {
        let any = self.value.number().is_some_and(|value| value != 0.0);
        self.tag = any.then(|| tag.to_owned());
    }
}

/// What an iteration showed in numbers, in the order in which one reads them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics(Vec<Metric>);

impl Metrics {
    /// Adds a number, under the tag of its kind.
    pub(crate) fn add(
        &mut self,
        kind: Kind,
        name: impl Into<String>,
        value: impl Into<Amount>,
    ) -> &mut Metric {
        let (name, value) = (name.into(), value.into());
        let tag = kind.tag(&name);
        self.0.push_mut(Metric { name, value, kind, tag })
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Metric> {
        self.0.iter()
    }

    /// What the iteration as a whole showed under this name: nothing that terms, roles or others have.
    pub fn get(&self, name: &str) -> Amount {
        let whole = |metric: &&Metric| {
            matches!(metric.kind, Kind::Plain | Kind::Update | Kind::Time) && metric.name == name
        };
        self.iter().find(whole).map_or(Amount::Unknown, |metric| metric.value)
    }

    /// The same as a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name).number()
    }
}
