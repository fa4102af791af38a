//! The whole graph: inputs, normalisers, the actor and its choices, the critic.

use lanista_learn::blueprint::{Blueprint, Critic};

use super::file;
use super::graph::{Graph, Kind, Value};
use super::heads::{Choosing, choose};
use super::layers::Builder;
use crate::model::{ExchangeError, Model};

/// What a graph is to contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Leave the critic out, with its memory and its privileged inputs.
    pub actor_only: bool,
    /// Take numbers that are added to the logits before the largest is looked for.
    pub noise: bool,
}

/// A file, and what whoever runs it puts in and gets out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The file.
    pub bytes: Vec<u8>,
    /// What goes in.
    pub inputs: Vec<Port>,
    /// What comes out.
    pub outputs: Vec<Port>,
}

/// An input or output, `[batch, width]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// What it is called.
    pub name: String,
    /// The type of its numbers, as ONNX calls it.
    pub kind: &'static str,
    /// Numbers of a row; `None` for one number, which has no dimension of its own.
    pub width: Option<usize>,
}

impl From<&(Value, String)> for Port {
    fn from((value, _): &(Value, String)) -> Self {
        let kind = match value.kind {
            Kind::Float => "float",
            Kind::Int64 => "int64",
            Kind::Bool => "bool",
        };
        let width = (value.shape.len() > 1).then(|| value.width());
        Self { name: value.name.clone(), kind, width }
    }
}

/// Writes a policy as an ONNX file.
pub fn write(model: &Model, options: Options) -> Result<File, ExchangeError> {
    let graph = build(model, options)?;
    let about = "A policy trained by lanista: one decision a row. See docs/export.md of lanista.";
    let mut metadata = model.metadata();
    metadata.insert("format".to_owned(), "1".to_owned());
    if options.actor_only {
        let (actor, _) = model.policy.state_sizes();
        metadata.insert("state".to_owned(), format!("{{\"actor\":{actor},\"critic\":0}}"));
        metadata.insert("privileged".to_owned(), "[]".to_owned());
    }
    Ok(File {
        bytes: file::bytes(&graph, &model.role.name, about, &metadata)?,
        inputs: graph.inputs.iter().map(Port::from).collect(),
        outputs: graph.outputs.iter().map(Port::from).collect(),
    })
}

/// Builds the graph of a policy.
pub fn build(model: &Model, options: Options) -> Result<Graph, ExchangeError> {
    let policy = model.policy;
    let shape = policy.shape();
    let Blueprint { actor, heads, critic } = model.blueprint();
    let critic = Some(critic).filter(|_| !options.actor_only);
    let (actor_state, critic_state) = policy.state_sizes();
    let critic_state = if critic.is_some() { critic_state } else { 0 };
    let state_size = actor_state + critic_state;

    let mut builder = Builder { graph: Graph::default(), model };
    let graph = &mut builder.graph;
    let about = "what the game shows, not normalised, all frames side by side";
    let observation = graph.input("observation", Kind::Float, shape.features, about.into());
    let about = "which actions are legal, heads side by side";
    let mask = graph.input("mask", Kind::Bool, shape.actions(), about.into());
    let mut optional = |name: &str, kind: Kind, width: usize, about: &str| {
        (width > 0).then(|| graph.input(name, kind, width, about.into()))
    };
    let about =
        "combinations of two heads' actions that are forbidden, pair by pair: [first, second]";
    let forbidden = optional("forbidden", Kind::Bool, shape.pair_values, about);
    let about = "what only the critic sees, not normalised";
    let wide = if critic.is_some() { shape.privileged } else { 0 };
    let privileged = optional("privileged", Kind::Float, wide, about);
    let about = "memory: zeros when an episode begins, then state_out of the decision before";
    let state = optional("state_in", Kind::Float, state_size, about);
    let about = "added to the logits before the largest is taken: zeros for the most likely action, \
                 -ln(-ln(uniform)) for a sample of the policy";
    let noise = optional("noise", Kind::Float, shape.actions() * usize::from(options.noise), about);

    let normal = builder.normalize("normalizer", policy.normalizer.as_ref(), &observation);
    builder.graph.scope("state");
    let [of_actor, of_critic] =
        [(0, actor_state), (actor_state, critic_state)].map(|(at, size)| {
            let state = state.as_ref().filter(|_| size > 0)?;
            Some(builder.graph.slice(state, at, size))
        });
    let (body, actor_after) = builder.body(&actor, &normal, of_actor.as_ref())?;
    let chosen = choose(&mut builder, &heads, &body, &Choosing { mask, forbidden, noise })?;
    let mut states: Vec<Value> = actor_after.into_iter().collect();
    let mut value = None;
    if let Some(critic) = critic {
        let beside = |builder: &mut Builder, x: &Value| match &privileged {
            None => x.clone(),
            Some(privileged) => {
                let normalizer = policy.privileged_normalizer.as_ref();
                let normal = builder.normalize("privileged_normalizer", normalizer, privileged);
                builder.graph.scope("critic");
                builder.graph.concat(&[x.clone(), normal])
            }
        };
        let last = match critic {
            Critic::Shared { hidden, value } => {
                let x = beside(&mut builder, &body);
                let x = builder.stack(&hidden, &x)?;
                builder.dense(&value, &x)?
            }
            Critic::Separate { body, value } => {
                let x = beside(&mut builder, &normal);
                let (x, after) = builder.body(&body, &x, of_critic.as_ref())?;
                states.extend(after);
                builder.dense(&value, &x)?
            }
        };
        value = Some(builder.graph.squeeze(&last, 1));
    }

    let graph = &mut builder.graph;
    graph.scope("state");
    let state = (!states.is_empty()).then(|| graph.concat(&states));
    let about = "log-weights of all actions, heads side by side; where heads see the choices before them, \
                 those of `action`";
    graph.output("logits", &chosen.logits, about.into());
    let about = "the same, with the lowest number in the place of what is not legal after the choices \
                 before it";
    graph.output("masked_logits", &chosen.masked, about.into());
    graph.output("action", &chosen.actions, "the choice of each head".into());
    if let Some(value) = value {
        graph.output("value", &value, "the critic's opinion".into());
    }
    if let Some(state) = state {
        graph.output("state_out", &state, "memory after this decision".into());
    }
    Ok(builder.graph)
}
