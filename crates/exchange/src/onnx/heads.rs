//! From logits to choices, head by head: each is narrowed by the choices before it, and sees them where the
//! policy is autoregressive.

use lanista_game::{Condition, Requirement};
use lanista_learn::Shape;
use lanista_learn::blueprint::{HeadNet, Heads};

use super::encoder::LOWEST;
use super::graph::{Binary, Graph, Kind, Reduce, Unary, Value};
use super::layers::Builder;
use crate::model::ExchangeError;

/// What goes into a choice beside the network.
pub struct Choosing {
    /// `[batch, actions]`: what is legal.
    pub mask: Value,
    /// `[batch, pair values]`: combinations that are forbidden, if the game has pairs.
    pub forbidden: Option<Value>,
    /// `[batch, actions]`: added to the logits before the largest is looked for.
    pub noise: Option<Value>,
}

/// What comes out: all `[batch, …]`.
pub struct Chosen {
    pub logits: Value,
    /// The logits of what is legal after the choices before it, the lowest number elsewhere.
    pub masked: Value,
    /// The choices.
    pub actions: Value,
}

/// Chooses head by head, the most likely action of each.
pub fn choose(
    builder: &mut Builder,
    heads: &Heads,
    body: &Value,
    choosing: &Choosing,
) -> Result<Chosen, ExchangeError> {
    let shape = builder.model.policy.shape().clone();
    let plain = match heads {
        Heads::Plain(dense) => Some(builder.dense(dense, body)?),
        Heads::Apart(_) => None,
    };
    let (mut logits, mut masked, mut actions) = (Vec::new(), Vec::new(), Vec::new());
    // Of each head the choice as an index, `[batch]`.
    let mut indices: Vec<Value> = Vec::new();
    let mut offset = 0;
    for (h, &size) in shape.heads.iter().enumerate() {
        let scope = format!("head.{h}");
        let of_head = match (heads, &plain) {
            (Heads::Apart(nets), _) => {
                head_net(builder, h, &nets[h], body, &indices, &shape.heads)?
            }
            (Heads::Plain(_), Some(all)) => {
                builder.graph.scope(&scope);
                builder.graph.slice(all, offset, size)
            }
            (Heads::Plain(dense), None) => builder.dense(dense, body)?,
        };
        let graph = &mut builder.graph;
        graph.scope(&scope);
        let mask = graph.slice(&choosing.mask, offset, size);
        let legal =
            narrow(graph, &shape, h, &mask, choosing.forbidden.as_ref(), &indices, &actions);
        let lowest = graph.float(LOWEST);
        let left = graph.choose(&legal, &of_head, &lowest);
        let preferred = match &choosing.noise {
            None => left.clone(),
            Some(noise) => {
                let noise = graph.slice(noise, offset, size);
                let preferred = graph.binary(Binary::Add, &of_head, &noise);
                graph.choose(&legal, &preferred, &lowest)
            }
        };
        let action = graph.arg_max(&preferred);
        if h + 1 < shape.heads.len() {
            indices.push(graph.squeeze(&action, 1));
        }
        logits.push(of_head);
        masked.push(left);
        actions.push(action);
        offset += size;
    }
    let graph = &mut builder.graph;
    graph.scope("heads");
    let logits = plain.unwrap_or_else(|| graph.concat(&logits));
    Ok(Chosen { logits, masked: graph.concat(&masked), actions: graph.concat(&actions) })
}

/// The logits of a head with a network of its own.
fn head_net(
    builder: &mut Builder,
    h: usize,
    net: &HeadNet,
    body: &Value,
    earlier: &[Value],
    sizes: &[usize],
) -> Result<Value, ExchangeError> {
    let mut x = builder.dense(&net.first, body)?;
    if let Some(name) = &net.choices {
        let width = net.first.output;
        let rows = sizes[..h].iter().sum();
        let table = builder.model.tensor(name, &[rows, width])?;
        let mut from = 0;
        for (g, (&size, index)) in sizes[..h].iter().zip(earlier).enumerate() {
            let own = &table[from * width..(from + size) * width];
            let own = builder.graph.floats(&format!("{name}.{g}"), &[size, width], own);
            let row = builder.graph.gather(&own, index);
            x = builder.graph.binary(Binary::Add, &x, &row);
            from += size;
        }
    }
    match &net.rest {
        None => Ok(x),
        Some((stack, out)) => {
            let x = builder.activation(stack.activation, &x);
            let x = builder.stack(stack, &x)?;
            builder.dense(out, &x)
        }
    }
}

/// The mask of a head after the choices before it. A head with nothing left takes its first action.
fn narrow(
    graph: &mut Graph,
    shape: &Shape,
    h: usize,
    mask: &Value,
    forbidden: Option<&Value>,
    indices: &[Value],
    actions: &[Value],
) -> Value {
    let size = shape.heads[h];
    let mut legal = mask.clone();
    for allowed in requirements(graph, &shape.requires[h], size, &shape.heads, indices) {
        legal = graph.binary(Binary::And, &legal, &allowed);
    }
    for pair in shape.pairs.iter().filter(|pair| pair.second == h) {
        let Some(forbidden) = forbidden else { continue };
        let first = shape.heads[pair.first];
        let table = graph.slice(forbidden, pair.offset, first * size);
        let table = graph.reshape(&table, &[first, size]);
        let row = graph.gather_own(&table, &actions[pair.first]);
        let allowed = graph.unary(Unary::Not, &row);
        legal = graph.binary(Binary::And, &legal, &allowed);
    }
    let numbers = graph.cast(&legal, Kind::Float);
    let most = graph.reduce(Reduce::Max, &numbers, 1);
    let some = graph.cast(&most, Kind::Bool);
    let none = graph.unary(Unary::Not, &some);
    let first: Vec<bool> = (0..size).map(|action| action == 0).collect();
    let first = graph.bools(&format!("first_of_{size}"), &[1, size], &first);
    let forced = graph.binary(Binary::And, &none, &first);
    graph.binary(Binary::Or, &legal, &forced)
}

/// What requirements leave of a head, `[batch, size]` each: all of them together hold.
///
/// What one earlier head says is a table, a row for each of its actions. A requirement of all or none of
/// several choices holds head by head; one of any choice among several heads is a sum of its own.
fn requirements(
    graph: &mut Graph,
    requires: &[Requirement],
    size: usize,
    sizes: &[usize],
    indices: &[Value],
) -> Vec<Value> {
    let mut tables: Vec<Option<Vec<bool>>> = vec![None; indices.len()];
    let mut allowed = Vec::new();
    for requirement in requires {
        let column = requirement.action as usize;
        let mut heads: Vec<usize> = requirement.choices.iter().map(|choice| choice.0).collect();
        heads.sort_unstable();
        heads.dedup();
        let listed = |head: usize, action: usize| {
            requirement.choices.iter().filter(|c| c.0 == head).any(|c| c.1 as usize == action)
        };
        let only = |head: usize, action: usize| {
            requirement.choices.iter().filter(|c| c.0 == head).all(|c| c.1 as usize == action)
        };
        if requirement.condition == Condition::Any && heads.len() != 1 {
            let mut any = None;
            for &head in &heads {
                let table = (0..sizes[head] * size).map(|at| {
                    let (action, own) = (at / size, at % size);
                    own != column || listed(head, action)
                });
                let row =
                    row_of(graph, head, sizes[head], size, &table.collect::<Vec<_>>(), indices);
                any = Some(match any {
                    None => row,
                    Some(others) => graph.binary(Binary::Or, &others, &row),
                });
            }
            // Any of no choices at all can never hold.
            allowed.push(any.unwrap_or_else(|| {
                let others: Vec<bool> = (0..size).map(|own| own != column).collect();
                graph.bools(&format!("never_{column}"), &[1, size], &others)
            }));
            continue;
        }
        for &head in &heads {
            let table = tables[head].get_or_insert_with(|| vec![true; sizes[head] * size]);
            for action in 0..sizes[head] {
                table[action * size + column] &= match requirement.condition {
                    Condition::All => only(head, action),
                    Condition::Any => listed(head, action),
                    Condition::None => !listed(head, action),
                };
            }
        }
    }
    for (head, table) in tables.iter().enumerate() {
        if let Some(table) = table {
            allowed.push(row_of(graph, head, sizes[head], size, table, indices));
        }
    }
    allowed
}

fn row_of(
    graph: &mut Graph,
    head: usize,
    rows: usize,
    size: usize,
    table: &[bool],
    indices: &[Value],
) -> Value {
    let table = graph.bools(&format!("allowed_by_{head}"), &[rows, size], table);
    graph.gather(&table, &indices[head])
}
