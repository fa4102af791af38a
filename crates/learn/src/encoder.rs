//! From an observation with structure to a row for the hidden layers: plain numbers stay, ids become
//! their embeddings, and the entities of a group become one row that does not tell their order.

use lanista_nn::{
    Activation, Attention, AttentionCache, Embedding, Group as Owner, Initializer, Layout, Mlp,
    MlpCache, Sets, grow, id_of, mean_max, mean_max_backward,
};

use crate::config::EncoderConfig;
use lanista_game::Vocabulary;

use crate::shape::{EntityPart, Group};
use crate::structure::{Kind, kinds, present, vocabularies};

/// The tables, the networks, and what becomes of each group.
#[derive(Clone, Debug)]
pub struct Encoder {
    input: usize,
    output: usize,
    tables: Vec<Embedding>,
    nets: Vec<EntityNet>,
    places: Vec<Place>,
}

/// A group: where it lies in the observation, and where what becomes of it lies in the result.
#[derive(Clone, Debug)]
struct Place {
    from: usize,
    to: usize,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Plain { features: usize },
    Ids { ids: Ids, count: usize },
    Entities { net: usize, most: usize },
}

/// Where ids look.
#[derive(Clone, Copy, Debug)]
struct Ids {
    table: usize,
    vocabulary: usize,
}

/// What all entities of a kind go through.
#[derive(Clone, Debug)]
struct EntityNet {
    /// An id for each part of an entity that is one.
    parts: Vec<Option<Ids>>,
    /// Numbers of an entity once its ids are embedded.
    width: usize,
    hidden: Mlp,
    attention: Option<Attention>,
}

/// What an encoder keeps between forward and backward.
#[derive(Clone, Debug, Default)]
pub struct EncoderCache {
    encoded: Vec<f32>,
    groups: Vec<GroupCache>,
}

/// The entities of one group, those of all rows side by side.
#[derive(Clone, Debug, Default)]
struct GroupCache {
    /// Which entities are of which row.
    sets: Sets,
    /// `[entities, width]`
    entities: Vec<f32>,
    /// `[entities, parts that are ids]`
    ids: Vec<u32>,
    hidden: MlpCache,
    attention: AttentionCache,
    largest: Vec<u32>,
    d_pooled: Vec<f32>,
    d_hidden: Vec<f32>,
    d_entities: Vec<f32>,
}

impl Encoder {
    /// Adds an encoder's tensors to a layout.
    ///
    /// # Panics
    ///
    /// If the configuration has a fault ([`crate::config::EntitiesConfig::fault`]).
    pub fn new(
        layout: &mut Layout,
        name: &str,
        groups: &[&Group],
        config: &EncoderConfig,
        activation: Activation,
        layer_norm: bool,
        owner: Owner,
    ) -> Self {
        let words = vocabularies(groups.iter().copied());
        let tables: Vec<Embedding> = words
            .iter()
            .map(|v| {
                let name = format!("{name}.ids.{}", v.name);
                Embedding::new(layout, &name, v.size, config.embedding, owner)
            })
            .collect();
        let ids_of = |v: &Vocabulary| Ids {
            table: words.iter().position(|w| w.name == v.name).unwrap_or(0),
            vocabulary: v.size,
        };
        let kinds = kinds(groups.iter().copied());
        let nets: Vec<EntityNet> = kinds
            .iter()
            .enumerate()
            .map(|(k, kind)| {
                let name = format!("{name}.entities.{}", name_of(k, &kinds));
                let parts: Vec<Option<Ids>> = kind
                    .parts
                    .iter()
                    .map(|part| match part {
                        EntityPart::Number => None,
                        EntityPart::Id(vocabulary) => Some(ids_of(vocabulary)),
                    })
                    .collect();
                let width = |part: &Option<Ids>| part.map_or(1, |_| config.embedding);
                let width = parts.iter().map(width).sum();
                let hidden = Mlp::new(
                    layout,
                    &format!("{name}.hidden"),
                    width,
                    &config.entities.hidden,
                    activation,
                    layer_norm,
                    owner,
                );
                let attention = config.entities.attention().map(|heads| {
                    let name = format!("{name}.attention");
                    Attention::new(layout, &name, hidden.output(), heads, owner)
                });
                EntityNet { parts, width, hidden, attention }
            })
            .collect();
        let (mut from, mut to) = (0, 0);
        let mut places = Vec::new();
        for group in groups {
            let (what, width) = match group {
                Group::Plain { features } => (What::Plain { features: *features }, *features),
                Group::Ids { vocabulary, count } => {
                    let what = What::Ids { ids: ids_of(vocabulary), count: *count };
                    (what, count * config.embedding)
                }
                Group::Entities { most, .. } => {
                    let net = kinds.iter().position(|&k| Some(k) == group.kind()).unwrap_or(0);
                    (What::Entities { net, most: *most }, 2 * nets[net].hidden.output())
                }
            };
            places.push(Place { from, to, what });
            (from, to) = (from + group.features(), to + width);
        }
        Self { input: from, output: to, tables, nets, places }
    }

    /// Fresh weights.
    pub fn init(&self, params: &mut [f32], init: &mut Initializer) {
        self.tables.iter().for_each(|table| table.init(params, init));
        for net in &self.nets {
            net.hidden.init(params, init);
            if let Some(attention) = &net.attention {
                attention.init(params, init);
            }
        }
    }

    /// Numbers in a row of the result.
    pub fn output(&self) -> usize {
        self.output
    }

    /// Encodes `x[rows, input]`; the result is [`EncoderCache::output`].
    pub fn forward(&self, params: &[f32], rows: usize, x: &[f32], cache: &mut EncoderCache) {
        let (input, output) = (self.input, self.output);
        let EncoderCache { encoded, groups } = cache;
        grow(encoded, rows * output);
        groups.resize_with(self.places.len(), GroupCache::default);
        for (Place { from, to, what }, group) in self.places.iter().zip(groups) {
            match *what {
                What::Plain { features } => {
                    for r in 0..rows {
                        let (from, to) = (r * input + from, r * output + to);
                        encoded[to..to + features].copy_from_slice(&x[from..from + features]);
                    }
                }
                What::Ids { ids, count } => {
                    let table = &self.tables[ids.table];
                    for r in 0..rows {
                        let (from, to) = (r * input + from, r * output + to);
                        let places = encoded[to..to + count * table.width]
                            .chunks_exact_mut(table.width)
                            .zip(&x[from..from + count]);
                        places.for_each(|(y, &v)| {
                            table.forward(params, id_of(v, ids.vocabulary), y);
                        });
                    }
                }
                What::Entities { net, most } => {
                    let net = &self.nets[net];
                    group.sets.clear();
                    group.ids.clear();
                    grow(&mut group.entities, rows * most * net.width);
                    group.ids.reserve_exact(rows * most * net.ids());
                    for r in 0..rows {
                        let from = r * input + from;
                        let slots = &x[from..from + most * (1 + net.parts.len())];
                        self.gather(params, net, slots, group);
                    }
                    if rows > 0 {
                        net.forward(params, group, &mut encoded[*to..], output);
                    }
                }
            }
        }
    }

    /// Adds the entities of one row that are present to those of the rows before it.
    fn gather(&self, params: &[f32], net: &EntityNet, slots: &[f32], group: &mut GroupCache) {
        let mut entities = group.sets.rows();
        let mut at = entities * net.width;
        for slot in slots.chunks_exact(1 + net.parts.len()).filter(|slot| present(slot[0])) {
            entities += 1;
            for (part, &v) in net.parts.iter().zip(&slot[1..]) {
                match part {
                    None => {
                        group.entities[at] = v;
                        at += 1;
                    }
                    Some(ids) => {
                        let id = id_of(v, ids.vocabulary);
                        group.ids.push(id);
                        let table = &self.tables[ids.table];
                        table.forward(params, id, &mut group.entities[at..at + table.width]);
                        at += table.width;
                    }
                }
            }
        }
        group.sets.push(entities);
    }

    /// Adds to `grads` what `dy[rows, output]` says about the last forward pass on the same rows.
    pub fn backward(
        &self,
        params: &[f32],
        rows: usize,
        x: &[f32],
        dy: &[f32],
        cache: &mut EncoderCache,
        grads: &mut [f32],
    ) {
        if rows == 0 {
            return;
        }
        for (Place { from, to, what }, group) in self.places.iter().zip(&mut cache.groups) {
            match *what {
                What::Plain { .. } => {}
                What::Ids { ids, count } => {
                    let table = &self.tables[ids.table];
                    for r in 0..rows {
                        let (from, to) = (r * self.input + from, r * self.output + to);
                        let dy = dy[to..to + count * table.width].chunks_exact(table.width);
                        for (dy, &v) in dy.zip(&x[from..from + count]) {
                            table.backward(id_of(v, ids.vocabulary), dy, grads);
                        }
                    }
                }
                What::Entities { net, .. } => {
                    let net = &self.nets[net];
                    net.backward(params, group, &dy[*to..], self.output, grads);
                    self.scatter(net, group, grads);
                }
            }
        }
    }

    /// Hands the gradients of embedded ids to their tables.
    fn scatter(&self, net: &EntityNet, group: &GroupCache, grads: &mut [f32]) {
        if net.ids() == 0 {
            return;
        }
        let entities = group.d_entities.chunks_exact(net.width);
        for (d, ids) in entities.zip(group.ids.chunks_exact(net.ids())) {
            let (mut at, mut ids) = (0, ids.iter());
            for part in &net.parts {
                let Some(part) = part else {
                    at += 1;
                    continue;
                };
                let table = &self.tables[part.table];
                if let Some(&id) = ids.next() {
                    table.backward(id, &d[at..at + table.width], grads);
                }
                at += table.width;
            }
        }
    }
}

impl EntityNet {
    /// Parts of an entity that are ids.
    fn ids(&self) -> usize {
        self.parts.iter().flatten().count()
    }

    /// Runs the gathered entities of all rows at once, and pools them into `y`, whose rows are
    /// `stride` numbers apart.
    fn forward(&self, params: &[f32], group: &mut GroupCache, y: &mut [f32], stride: usize) {
        let GroupCache { sets, entities, hidden, attention, largest, .. } = group;
        self.hidden.forward(params, sets.rows(), entities, hidden);
        let mut seen = hidden.output(entities);
        if let Some(layer) = &self.attention {
            layer.forward(params, sets, seen, attention);
            seen = attention.output();
        }
        mean_max(sets, self.hidden.output(), seen, y, stride, largest);
    }

    /// The way back, from `dy`, which lies as `y` did. Leaves the gradient of the entities in the
    /// group if a table needs it.
    fn backward(
        &self,
        params: &[f32],
        group: &mut GroupCache,
        dy: &[f32],
        stride: usize,
        grads: &mut [f32],
    ) {
        let GroupCache { sets, entities, hidden, attention, largest, .. } = group;
        let (d_pooled, d_hidden, d_entities) =
            (&mut group.d_pooled, &mut group.d_hidden, &mut group.d_entities);
        let (rows, width) = (sets.rows(), self.hidden.output());
        grow(d_pooled, rows * width);
        mean_max_backward(sets, width, dy, stride, largest, d_pooled);
        let mut d: &mut [f32] = d_pooled;
        if let Some(layer) = &self.attention {
            grow(d_hidden, rows * width);
            let x = hidden.output(entities);
            layer.backward(params, sets, x, d, d_hidden, attention, grads);
            d = d_hidden;
        }
        let dx = (self.ids() > 0).then(|| {
            grow(d_entities, rows * self.width);
            &mut d_entities[..]
        });
        self.hidden.backward(params, rows, entities, d, dx, hidden, grads);
    }
}

impl EncoderCache {
    /// The result of the last forward pass: `[rows, output]`.
    pub fn output(&self) -> &[f32] {
        &self.encoded
    }
}

/// A name for a kind that no other has: its own, unless a kind of other parts has it already.
pub fn name_of(k: usize, kinds: &[Kind]) -> String {
    let name = kinds[k].name;
    if kinds[..k].iter().any(|kind| kind.name == name) {
        format!("{name}.{k}")
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
#[path = "encoder_tests.rs"]
mod tests;
