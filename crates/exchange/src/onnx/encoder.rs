//! Encoders: embeddings of ids, and sets of entities of which some are there.
//!
//! The network packs the entities that are there; a graph has room for all slots and hides the empty ones.
//! What an empty slot holds is replaced by zeros first, so that not even a NaN of it can spread.

use lanista_learn::blueprint::{Attention, Encoder, EntityNet, Ids, Part, Place, What};

use super::graph::{Binary, Graph, Kind, Reduce, Unary, Value};
use super::layers::Builder;
use crate::model::ExchangeError;

/// A flag above it says that a slot holds an entity.
const PRESENT: f32 = 0.5;
/// What a hidden number is replaced by where the largest is looked for: finite, or 0 · ∞ would be NaN.
pub const LOWEST: f32 = f32::MIN;

/// `[batch, output]` from `[batch, features]`.
pub fn encode(builder: &mut Builder, encoder: &Encoder, x: &Value) -> Result<Value, ExchangeError> {
    let mut tables = Vec::new();
    for table in &encoder.tables {
        tables.push(builder.tensor(&table.name, &[table.rows, table.width])?);
    }
    let mut parts = Vec::new();
    for Place { from, what } in &encoder.places {
        builder.graph.scope(format!("encoder.{from}"));
        match *what {
            What::Plain { features: 0 } => {}
            What::Plain { features } => parts.push(builder.graph.slice(x, *from, features)),
            What::Ids { ids, count } => {
                let table = &tables[ids.table];
                let numbers = builder.graph.slice(x, *from, count);
                let vectors = embed(&mut builder.graph, table, ids, &numbers);
                parts.push(builder.graph.reshape(&vectors, &[count * table.width()]));
            }
            What::Entities { net, most } => {
                let net = &encoder.nets[net];
                let width = 1 + net.parts.len();
                let slots = builder.graph.slice(x, *from, most * width);
                let slots = builder.graph.reshape(&slots, &[most, width]);
                parts.extend(pool(builder, net, &tables, &slots, most)?);
            }
        }
    }
    builder.graph.scope("encoder");
    Ok(builder.graph.concat(&parts))
}

/// The vectors of ids: what is no whole number of the vocabulary is id 0.
fn embed(graph: &mut Graph, table: &Value, ids: Ids, numbers: &Value) -> Value {
    let whole = graph.unary(Unary::Floor, numbers);
    let whole = graph.binary(Binary::Equal, &whole, numbers);
    let (below, above) = (graph.float(-0.5), graph.float(ids.vocabulary as f32));
    let positive = graph.binary(Binary::Greater, numbers, &below);
    let known = graph.binary(Binary::Less, numbers, &above);
    let known = graph.binary(Binary::And, &positive, &known);
    let known = graph.binary(Binary::And, &known, &whole);
    let zero = graph.float(0.0);
    let id = graph.choose(&known, numbers, &zero);
    let id = graph.cast(&id, Kind::Int64);
    graph.gather(table, &id)
}

/// Mean and largest numbers over the entities that are there: `[batch, width]` each, zeros if there is none.
fn pool(
    builder: &mut Builder,
    net: &EntityNet,
    tables: &[Value],
    slots: &Value,
    most: usize,
) -> Result<[Value; 2], ExchangeError> {
    let graph = &mut builder.graph;
    let flag = graph.slice(slots, 0, 1);
    let threshold = graph.float(PRESENT);
    let present = graph.binary(Binary::Greater, &flag, &threshold);
    let zero = graph.float(0.0);
    let clean = graph.choose(&present, slots, &zero);
    let parts = entity(graph, &net.parts, tables, &clean, most);
    let entities = graph.concat(&parts);
    let mut seen = builder.stack(&net.hidden, &entities)?;
    if let Some(attention) = &net.attention {
        seen = attend(builder, attention, &seen, &present, most)?;
    }
    let (graph, width) = (&mut builder.graph, seen.width());
    let counted = graph.cast(&present, Kind::Float);
    let count = graph.reduce(Reduce::Sum, &counted, 1);
    let one = graph.float(1.0);
    let some = graph.binary(Binary::Greater, &count, &threshold);
    let count = graph.choose(&some, &count, &one);
    let there = graph.choose(&present, &seen, &zero);
    let sum = graph.reduce(Reduce::Sum, &there, 1);
    let mean = graph.binary(Binary::Div, &sum, &count);
    let lowest = graph.float(LOWEST);
    let there = graph.choose(&present, &seen, &lowest);
    let largest = graph.reduce(Reduce::Max, &there, 1);
    let largest = graph.choose(&some, &largest, &zero);
    Ok([mean, largest].map(|pooled| graph.reshape(&pooled, &[width])))
}

/// The numbers of each slot's entity, its ids as vectors: parts of `[batch, most, width]`.
fn entity(
    graph: &mut Graph,
    parts: &[Part],
    tables: &[Value],
    slots: &Value,
    most: usize,
) -> Vec<Value> {
    let mut found = Vec::new();
    let mut numbers = 0;
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Number => numbers += 1,
            Part::Id(ids) => {
                if numbers > 0 {
                    found.push(graph.slice(slots, 1 + at - numbers, numbers));
                    numbers = 0;
                }
                let table = &tables[ids.table];
                let id = graph.slice(slots, 1 + at, 1);
                let vector = embed(graph, table, *ids, &id);
                found.push(graph.reshape(&vector, &[most, table.width()]));
            }
        }
    }
    if numbers > 0 {
        found.push(graph.slice(slots, 1 + parts.len() - numbers, numbers));
    }
    found
}

/// Every entity looks at those that are there.
fn attend(
    builder: &mut Builder,
    attention: &Attention,
    x: &Value,
    present: &Value,
    most: usize,
) -> Result<Value, ExchangeError> {
    let (width, heads) = (x.width(), attention.heads);
    let each = width / heads;
    let qkv = builder.dense(&attention.qkv, x)?;
    let graph = &mut builder.graph;
    let [queries, keys, values] = [0, 1, 2].map(|part| {
        let part = graph.slice(&qkv, part * width, width);
        graph.reshape(&part, &[most, heads, each])
    });
    let queries = graph.transpose(&queries, &[0, 2, 1, 3]);
    let keys = graph.transpose(&keys, &[0, 2, 3, 1]);
    let values = graph.transpose(&values, &[0, 2, 1, 3]);
    let scores = graph.product(&queries, &keys);
    let scale = graph.float(1.0 / (each as f32).sqrt());
    let scores = graph.binary(Binary::Mul, &scores, &scale);
    let there = graph.reshape(present, &[1, 1, most]);
    let lowest = graph.float(LOWEST);
    let scores = graph.choose(&there, &scores, &lowest);
    let weights = graph.softmax(&scores);
    let seen = graph.product(&weights, &values);
    let seen = graph.transpose(&seen, &[0, 2, 1, 3]);
    let seen = graph.reshape(&seen, &[most, width]);
    let out = builder.dense(&attention.out, &seen)?;
    Ok(builder.graph.binary(Binary::Add, &out, x))
}
