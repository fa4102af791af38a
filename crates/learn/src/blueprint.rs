//! What the network of a policy consists of, layer by layer, with the names of its tensors: for whoever
//! writes it down in a form of its own, such as a file for another program.
//!
//! It follows from the shape and the configuration, as the policy itself does; a test holds both
//! together, tensor by tensor.

use lanista_nn::{Activation, Cell};

use crate::config::{MemoryConfig, PolicyConfig};
use crate::encoder::name_of;
use crate::shape::{self, EntityPart, Group, Shape};
use crate::structure::{kinds, vocabularies};

/// The whole network of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Blueprint {
    /// From the observation to what the heads see.
    pub actor: Body,
    /// From there to logits.
    pub heads: Heads,
    /// Where values come from.
    pub critic: Critic,
}

/// Encoder, hidden layers and memory, in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Numbers that go in.
    pub input: usize,
    /// What ids and entities go through.
    pub encoder: Option<Encoder>,
    /// Hidden layers.
    pub hidden: Stack,
    /// What remembers.
    pub memory: Option<Memory>,
}

/// `y = x · w + b`: the tensors `NAME.weight`, `[input, output]`, and `NAME.bias`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// What its tensors are called.
    pub name: String,
    /// Numbers that go in.
    pub input: usize,
    /// Numbers that come out.
    pub output: usize,
}

/// Layers one after the other, each with the function after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Numbers that go in.
    pub input: usize,
    /// The layers; none is the identity.
    pub layers: Vec<Dense>,
    /// Is what leaves a layer normalised (`NAME.norm.weight`, `NAME.norm.bias`) before the function?
    pub layer_norm: bool,
    /// The function.
    pub activation: Activation,
}

impl Stack {
    /// Numbers that come out.
    pub fn output(&self) -> usize {
        self.layers.last().map_or(self.input, |layer| layer.output)
    }
}

/// Layers of LSTM or GRU: the tensors `NAME.L.weight_input`, `NAME.L.weight_hidden`, `NAME.L.bias`, and
/// `NAME.L.bias_n` for the GRU.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// What its tensors are called.
    pub name: String,
    /// Which cell.
    pub cell: Cell,
    /// Numbers that go in.
    pub input: usize,
    /// Numbers of a layer's `h`, and as many of an LSTM's `c`.
    pub size: usize,
    /// How many layers.
    pub layers: usize,
}

impl Memory {
    /// Numbers of one layer's state: `h`, for an LSTM and then `c`.
    pub fn layer_state(&self) -> usize {
        match self.cell {
            Cell::Lstm => 2 * self.size,
            Cell::Gru => self.size,
        }
    }

    /// Numbers of the state over all layers.
    pub fn state(&self) -> usize {
        self.layers * self.layer_state()
    }
}

/// What becomes of an observation with structure: its groups side by side, each in its own way.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoder {
    /// The tables of ids.
    pub tables: Vec<Table>,
    /// A network for each kind of entities.
    pub nets: Vec<EntityNet>,
    /// The groups, in order.
    pub places: Vec<Place>,
    /// Numbers that come out.
    pub output: usize,
}

/// A vector for each id: the tensor `NAME`, `[rows, width]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What it is called.
    pub name: String,
    /// Rows.
    pub rows: usize,
    /// Numbers of a vector.
    pub width: usize,
}

/// What all entities of a kind go through before their mean and their largest numbers are taken.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityNet {
    /// What an entity is made of, after its flag.
    pub parts: Vec<Part>,
    /// Its layers.
    pub hidden: Stack,
    /// Entities look at each other: projections `NAME.qkv` and `NAME.out`.
    pub attention: Option<Attention>,
}

/// A number of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// As it is.
    Number,
    /// An id.
    Id(Ids),
}

/// Where ids look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids {
    /// Which of the encoder's tables.
    pub table: usize,
    /// How many ids there are; what is not one of them is id 0.
    pub vocabulary: usize,
}

/// Self-attention with a residual.
#[derive(Clone, Debug, PartialEq)]
pub struct Attention {
    /// Queries, keys and values side by side.
    pub qkv: Dense,
    /// From what the heads saw.
    pub out: Dense,
    /// How many heads.
    pub heads: usize,
}

/// A stretch of an observation, from the feature `from` on.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Where it begins.
    pub from: usize,
    /// What it is.
    pub what: What,
}

/// What a stretch of an observation is.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Numbers as they are.
    Plain {
        /// How many.
        features: usize,
    },
    /// Ids side by side.
    Ids {
        /// Where they look.
        ids: Ids,
        /// How many.
        count: usize,
    },
    /// Slots for entities, each a flag and its parts.
    Entities {
        /// Which of the encoder's networks.
        net: usize,
        /// How many slots.
        most: usize,
    },
}

/// From the actor's body to logits.
#[derive(Clone, Debug, PartialEq)]
pub enum Heads {
    /// One layer makes the logits of all heads.
    Plain(Dense),
    /// A network per head.
    Apart(Vec<HeadNet>),
}

/// The network of one head.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadNet {
    /// The first layer.
    pub first: Dense,
    /// The tensor of what a choice of an earlier head adds to the first layer's result, a row an action:
    /// `[actions of earlier heads, first.output]`.
    pub choices: Option<String>,
    /// What follows, after the function; `None` when the first layer makes the logits.
    pub rest: Option<(Stack, Dense)>,
}

/// Where values come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Critic {
    /// Layers on top of the actor's body and the privileged inputs.
    Shared {
        /// The layers.
        hidden: Stack,
        /// The last one.
        value: Dense,
    },
    /// A body of its own over the observation and the privileged inputs.
    Separate {
        /// The body.
        body: Body,
        /// The last layer.
        value: Dense,
    },
}

impl Blueprint {
    /// The network of a policy of this shape and configuration.
    pub fn of(shape: &Shape, config: &PolicyConfig) -> Self {
        let groups: Vec<&Group> = shape.groups.iter().collect();
        let memory = config.memory.as_ref();
        let actor = body("actor", &groups, &config.hidden, memory, config);
        let width = output(&actor);
        let critic = if config.critic.shared {
            let input = width + shape.privileged;
            let sizes = config.critic.hidden.as_deref().unwrap_or(&[]);
            let hidden = stack("critic.hidden", input, sizes, config.layer_norm, config);
            let value = dense("critic.value".to_owned(), hidden.output(), 1);
            Critic::Shared { hidden, value }
        } else {
            let privileged = shape::Group::Plain { features: shape.privileged };
            let groups: Vec<&Group> = groups.into_iter().chain([&privileged]).collect();
            let hidden = config.critic.hidden.as_ref().unwrap_or(&config.hidden);
            let memory = config.critic.memory.as_ref().or(memory);
            let body = body("critic", &groups, hidden, memory, config);
            let value = dense("critic.value".to_owned(), output(&body), 1);
            Critic::Separate { body, value }
        };
        Self { heads: heads(shape, width, config), actor, critic }
    }
}

/// Numbers that a body puts out.
fn output(body: &Body) -> usize {
    body.memory.as_ref().map_or(body.hidden.output(), |memory| memory.size)
}

fn dense(name: String, input: usize, output: usize) -> Dense {
    Dense { name, input, output }
}

fn stack(
    name: &str,
    input: usize,
    sizes: &[usize],
    layer_norm: bool,
    config: &PolicyConfig,
) -> Stack {
    let mut width = input;
    let layer = |(i, &size): (usize, &usize)| {
        let layer = dense(format!("{name}.{i}"), width, size);
        width = size;
        layer
    };
    let layers = sizes.iter().enumerate().map(layer).collect();
    Stack { input, layers, layer_norm, activation: config.activation.into() }
}

fn body(
    name: &str,
    groups: &[&Group],
    hidden: &[usize],
    memory: Option<&MemoryConfig>,
    config: &PolicyConfig,
) -> Body {
    let input = groups.iter().map(|group| group.features()).sum();
    let encoder = encoder(&format!("{name}.encoder"), groups, config);
    let width = encoder.as_ref().map_or(input, |encoder| encoder.output);
    let hidden = stack(&format!("{name}.hidden"), width, hidden, config.layer_norm, config);
    let memory = memory.map(|memory| Memory {
        name: format!("{name}.memory"),
        cell: memory.cell.into(),
        input: hidden.output(),
        size: memory.size,
        layers: memory.layers,
    });
    Body { input, encoder, hidden, memory }
}

fn encoder(name: &str, groups: &[&Group], config: &PolicyConfig) -> Option<Encoder> {
    let plain = groups.iter().all(|group| matches!(group, Group::Plain { .. }));
    let encoder = config.encoder.as_ref().filter(|_| !plain)?;
    let width = encoder.embedding;
    let words = vocabularies(groups.iter().copied());
    let table = |v: &lanista_game::Vocabulary| Table {
        name: format!("{name}.ids.{}", v.name),
        rows: v.size.max(1),
        width,
    };
    let tables: Vec<Table> = words.iter().map(table).collect();
    let ids_of = |v: &lanista_game::Vocabulary| Ids {
        table: words.iter().position(|word| word.name == v.name).unwrap_or(0),
        vocabulary: v.size,
    };
    let kinds = kinds(groups.iter().copied());
    let mut nets = Vec::new();
    for (k, kind) in kinds.iter().enumerate() {
        let name = format!("{name}.entities.{}", name_of(k, &kinds));
        let part = |part: &EntityPart| match part {
            EntityPart::Number => Part::Number,
            EntityPart::Id(vocabulary) => Part::Id(ids_of(vocabulary)),
        };
        let parts: Vec<Part> = kind.parts.iter().map(part).collect();
        let wide = |part: &Part| if *part == Part::Number { 1 } else { width };
        let input = parts.iter().map(wide).sum();
        let sizes = &encoder.entities.hidden;
        let hidden = stack(&format!("{name}.hidden"), input, sizes, config.layer_norm, config);
        let width = hidden.output();
        let attention = encoder.entities.attention().map(|heads| Attention {
            qkv: dense(format!("{name}.attention.qkv"), width, 3 * width),
            out: dense(format!("{name}.attention.out"), width, width),
            heads,
        });
        nets.push(EntityNet { parts, hidden, attention });
    }
    let (mut from, mut output) = (0, 0);
    let mut places = Vec::new();
    for group in groups {
        let (what, wide) = match group {
            Group::Plain { features } => (What::Plain { features: *features }, *features),
            Group::Ids { vocabulary, count } => {
                (What::Ids { ids: ids_of(vocabulary), count: *count }, count * width)
            }
            Group::Entities { most, .. } => {
                let net = kinds.iter().position(|&k| Some(k) == group.kind()).unwrap_or(0);
                (What::Entities { net, most: *most }, 2 * nets[net].hidden.output())
            }
        };
        places.push(Place { from, what });
        (from, output) = (from + group.features(), output + wide);
    }
    Some(Encoder { tables, nets, places, output })
}

fn heads(shape: &Shape, input: usize, config: &PolicyConfig) -> Heads {
    let own = &config.heads;
    if own.hidden.is_empty() && !own.autoregressive {
        return Heads::Plain(dense("actor.heads".to_owned(), input, shape.actions()));
    }
    let mut earlier = 0;
    let mut nets = Vec::new();
    for (h, &size) in shape.heads.iter().enumerate() {
        let name = format!("actor.heads.{h}");
        let width = own.hidden.first().copied().unwrap_or(size);
        let first = dense(format!("{name}.first"), input, width);
        let sees = own.autoregressive && earlier > 0;
        let choices = sees.then(|| format!("{name}.choices"));
        let rest = (!own.hidden.is_empty()).then(|| {
            let after = stack(&format!("{name}.hidden"), width, &own.hidden[1..], false, config);
            let out = dense(format!("{name}.out"), after.output(), size);
            (after, out)
        });
        nets.push(HeadNet { first, choices, rest });
        earlier += size;
    }
    Heads::Apart(nets)
}

#[cfg(test)]
#[path = "blueprint_tests.rs"]
mod tests;
