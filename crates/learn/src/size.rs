//! How large a policy would be, reckoned from its configuration before anything is allocated.
//!
//! All arithmetic saturates: a size beyond all machines is still a size, and larger than any limit.

use std::num::Saturating;

use crate::config::{ActivationName, CellName, EncoderConfig, MemoryConfig, PolicyConfig};
use crate::shape::{EntityPart, Group, Shape};
use crate::structure::{kinds, vocabularies};

/// A number of things: as large as need be, never wrapped around.
pub type Count = Saturating<u128>;

/// As a count.
pub fn count(n: usize) -> Count {
    Saturating(n as u128)
}

/// The sizes of a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicySize {
    /// Weights over all layers.
    pub parameters: Count,
    /// Named tensors that they are stored in.
    pub tensors: Count,
    /// Numbers of the largest tensor.
    pub largest: Count,
    /// Numbers in a row's actor state.
    pub actor_state: Count,
    /// Numbers in a row's critic state.
    pub critic_state: Count,
    /// Numbers that a pass forward leaves behind for each of its rows.
    pub forward: Count,
    /// Numbers that a pass back takes on top for each of its rows.
    pub backward: Count,
}

impl PolicySize {
    /// The sizes of the policy that [`crate::Policy::new`] would make.
    pub fn of(shape: &Shape, config: &PolicyConfig) -> Self {
        let mut size = Self::default();
        let (features, privileged) = (count(shape.features), count(shape.privileged));
        let memory = config.memory.as_ref();
        let encoder = config.encoder.as_ref().filter(|_| shape.structured());
        let input = encoder.map_or(features, |encoder| size.encoder(shape, encoder, config));
        let (body, state) = size.body(input, &config.hidden, memory, config);
        size.actor_state = state;
        size.heads(body, shape, config);
        let output = if config.critic.shared {
            let sizes = config.critic.hidden.as_deref().unwrap_or(&[]);
            size.hidden(body + privileged, sizes, config)
        } else {
            let hidden = config.critic.hidden.as_ref().unwrap_or(&config.hidden);
            let memory = config.critic.memory.as_ref().or(memory);
            // Its encoder takes what is privileged along.
            let input = encoder.map_or(features, |encoder| {
                size.forward += privileged;
                size.backward += privileged;
                size.encoder(shape, encoder, config)
            });
            let (output, state) = size.body(input + privileged, hidden, memory, config);
            size.critic_state = state;
            output
        };
        size.tensor(output);
        size.tensor(count(1));
        // The critic's input, what goes back from it, logits, values and their gradients.
        let actions = count(shape.actions());
        size.forward += features + privileged + actions + count(2);
        size.backward += body + output + features + privileged + actions + count(1);
        size
    }

    fn tensor(&mut self, numbers: Count) {
        self.parameters += numbers;
        self.tensors += count(1);
        self.largest = self.largest.max(numbers);
    }

    /// Hidden layers; returns the width of what comes out.
    fn hidden(&mut self, input: Count, sizes: &[usize], config: &PolicyConfig) -> Count {
        let (mut width, mut widest) = (input, count(0));
        // After the activation; before it, where that is needed; and the normalised rows.
        let kept = count(match (config.layer_norm, config.activation) {
            (true, _) => 3,
            (false, ActivationName::Silu) => 2,
            (false, _) => 1,
        });
        for &size in sizes {
            let size = count(size);
            self.tensor(width * size);
            self.tensor(size);
            if config.layer_norm {
                self.tensor(size);
                self.tensor(size);
            }
            self.forward += size * kept;
            (width, widest) = (size, widest.max(size).max(width));
        }
        self.backward += widest * count(2);
        width
    }

    /// What reads ids and entities; returns the width of what comes out.
    fn encoder(&mut self, shape: &Shape, encoder: &EncoderConfig, config: &PolicyConfig) -> Count {
        let embedding = count(encoder.embedding);
        for vocabulary in vocabularies(shape.groups.iter()) {
            self.tensor(count(vocabulary.size).max(count(1)) * embedding);
        }
        let layers = &encoder.entities.hidden;
        // An entity's numbers, and what it is made into.
        let widths = |parts: &[EntityPart]| {
            let of_part = |part: &EntityPart| match part {
                EntityPart::Number => count(1),
                EntityPart::Id(_) => embedding,
            };
            let input = parts.iter().map(of_part).fold(count(0), |sum, width| sum + width);
            (input, layers.last().map_or(input, |&width| count(width)))
        };
        for kind in kinds(shape.groups.iter()) {
            let (input, width) = widths(kind.parts);
            let mut net = Self::default();
            net.hidden(input, layers, config);
            if encoder.entities.attention().is_some() {
                for output in [width * count(3), width] {
                    net.tensor(width * output);
                    net.tensor(output);
                }
            }
            self.parameters += net.parameters;
            self.tensors += net.tensors;
            self.largest = self.largest.max(net.largest);
        }
        let mut output = count(0);
        for group in &shape.groups {
            output += match group {
                Group::Plain { features } => count(*features),
                Group::Ids { count: ids, .. } => count(*ids) * embedding,
                Group::Entities { most, parts, .. } => {
                    let (most, (input, width)) = (count(*most), widths(parts));
                    let mut each = Self::default();
                    each.hidden(input, layers, config);
                    // An entity with its ids, and its gradient if it has some.
                    let ids = count(parts.iter().filter(|p| **p != EntityPart::Number).count());
                    each.forward += input + ids;
                    each.backward += width + if ids.0 > 0 { input } else { count(0) };
                    if let Some(heads) = encoder.entities.attention() {
                        // Queries, keys and values, what was seen and the result, and how much each
                        // entity looks at each other one.
                        each.forward += width * count(5) + count(heads) * most;
                        each.backward += width * count(5) + count(1);
                    }
                    // Which entities are the row's, and which of them were the largest.
                    self.forward += each.forward * most + count(4) + width;
                    self.backward += each.backward * most;
                    width * count(2)
                }
            };
        }
        self.forward += output;
        self.backward += output;
        output
    }

    /// Hidden layers and memory; returns the width of what comes out and the size of the state.
    fn body(
        &mut self,
        input: Count,
        hidden: &[usize],
        memory: Option<&MemoryConfig>,
        config: &PolicyConfig,
    ) -> (Count, Count) {
        let mut width = self.hidden(input, hidden, config);
        let Some(memory) = memory else { return (width, count(0)) };
        let (size, layers) = (count(memory.size), count(memory.layers));
        let (gates, states) = match memory.cell {
            CellName::Lstm => (count(4), count(2)),
            CellName::Gru => (count(3), count(1)),
        };
        self.backward += width; // what goes back into the hidden layers
        // The first layer has an input of its own; all others are alike.
        for (layers, input) in [(count(1), width), (layers - layers.min(count(1)), size)] {
            let gru = memory.cell == CellName::Gru;
            let own = (input + size + count(1)) * gates * size;
            let own = own + if gru { size } else { count(0) };
            self.parameters += layers * own;
            self.tensors += layers * count(if gru { 4 } else { 3 });
            if layers > count(0) {
                self.largest = self.largest.max(input.max(size) * gates * size);
            }
            let kept = if gru { gates * count(2) + count(2) } else { gates + count(5) };
            self.forward += layers * kept * size;
        }
        let gradients = if memory.cell == CellName::Gru { gates * count(2) } else { gates };
        self.backward += (gradients + count(2)) * size;
        width = size;
        (width, layers * states * size)
    }

    fn heads(&mut self, body: Count, shape: &Shape, config: &PolicyConfig) {
        let heads = &config.heads;
        if heads.hidden.is_empty() && !heads.autoregressive {
            let actions = count(shape.actions());
            self.tensor(body * actions);
            self.tensor(actions);
            return;
        }
        let mut before = count(0);
        for &size in &shape.heads {
            let size = count(size);
            let width = heads.hidden.first().map_or(size, |&width| count(width));
            self.tensor(body * width);
            self.tensor(width);
            if heads.autoregressive && before > count(0) {
                self.tensor(before * width);
            }
            self.forward += width * count(2) + size;
            self.backward += width + size + body;
            if let Some((_, rest)) = heads.hidden.split_first() {
                // The nets of heads have no layer norm.
                let plain = PolicyConfig {
                    layer_norm: false,
                    activation: config.activation,
                    ..PolicyConfig::default()
                };
                let out = self.hidden(width, rest, &plain);
                self.tensor(out * size);
                self.tensor(size);
            }
            before += size;
        }
    }
}

#[cfg(test)]
mod tests {
    use lanista_game::Requirement;
    use proptest::prelude::*;

    use super::*;
    use crate::Policy;
    use crate::config::{CriticConfig, EntitiesConfig, HeadsConfig, PoolName};
    use crate::structure::tests::vocabulary;

    fn shape(features: usize, privileged: usize, heads: Vec<usize>) -> Shape {
        let requires: Vec<Vec<Requirement>> = vec![Vec::new(); heads.len()];
        let groups = vec![Group::Plain { features }];
        Shape { features, groups, privileged, heads, requires, ..Shape::default() }
    }

    fn memory() -> impl Strategy<Value = Option<MemoryConfig>> {
        let cell = prop_oneof![Just(CellName::Lstm), Just(CellName::Gru)];
        proptest::option::of((cell, 1usize..6, 1usize..4))
            .prop_map(|m| m.map(|(cell, size, layers)| MemoryConfig { cell, size, layers }))
    }

    fn sizes() -> impl Strategy<Value = Vec<usize>> {
        proptest::collection::vec(1usize..9, 0..4)
    }

    fn encoder() -> impl Strategy<Value = Option<EncoderConfig>> {
        let entities = (sizes(), any::<bool>(), 1usize..4).prop_map(|(mut hidden, wide, heads)| {
            if wide {
                // Heads divide the last layer.
                hidden.push(heads * 2);
                return EntitiesConfig { hidden, pool: PoolName::Attention, heads: Some(heads) };
            }
            EntitiesConfig { hidden, pool: PoolName::MeanMax, heads: None }
        });
        let encoder = (1usize..5, entities)
            .prop_map(|(embedding, entities)| EncoderConfig { embedding, entities });
        proptest::option::of(encoder)
    }

    /// Groups of any kind; names and vocabularies repeat, with equal parts and with others.
    fn groups() -> impl Strategy<Value = Vec<Group>> {
        let named =
            || (0usize..2, 0usize..6).prop_map(|(name, size)| vocabulary(["a", "b"][name], size));
        let part = prop_oneof![Just(EntityPart::Number), named().prop_map(EntityPart::Id)];
        let parts = proptest::collection::vec(part, 0..4);
        let group = prop_oneof![
            (0usize..4).prop_map(|features| Group::Plain { features }),
            (named(), 0usize..3).prop_map(|(vocabulary, count)| Group::Ids { vocabulary, count }),
            (0usize..2, 0usize..4, parts).prop_map(|(name, most, parts)| Group::Entities {
                name: ["x", "y"][name].to_owned(),
                most,
                parts,
            }),
        ];
        proptest::collection::vec(group, 1..5)
    }

    fn config() -> impl Strategy<Value = PolicyConfig> {
        let critic = (any::<bool>(), proptest::option::of(sizes()), memory())
            .prop_map(|(shared, hidden, memory)| CriticConfig { shared, hidden, memory });
        let heads = (sizes(), any::<bool>())
            .prop_map(|(hidden, autoregressive)| HeadsConfig { hidden, autoregressive });
        (encoder(), sizes(), any::<bool>(), memory(), heads, critic).prop_map(
            |(encoder, hidden, layer_norm, memory, heads, critic)| PolicyConfig {
                encoder,
                hidden,
                activation: ActivationName::Tanh,
                layer_norm,
                memory,
                heads,
                critic,
                normalize_observations: false,
            },
        )
    }

    proptest! {
        /// What is reckoned is what is built.
        #[test]
        fn equals_what_is_built(
            config in config(),
            groups in groups(),
            privileged in 0usize..4,
            heads in proptest::collection::vec(1usize..6, 1..4),
        ) {
            let mut shape = shape(0, privileged, heads);
            shape.features = groups.iter().map(Group::features).sum();
            shape.groups = groups;
            let size = PolicySize::of(&shape, &config);
            let policy = Policy::new(shape, &config, 1);
            let tensors = policy.layout().tensors();
            let largest = tensors.iter().map(|t| t.range.len()).max().unwrap_or(0);
            let (actor, critic) = policy.state_sizes();
            prop_assert_eq!(size.parameters, count(policy.layout().len()));
            prop_assert_eq!(size.tensors, count(tensors.len()));
            prop_assert_eq!(size.largest, count(largest));
            prop_assert_eq!((size.actor_state, size.critic_state), (count(actor), count(critic)));
        }

        /// No configuration overflows, however absurd, and larger layers never make less.
        #[test]
        fn absurd_sizes_saturate(
            hidden in proptest::collection::vec(any::<usize>(), 0..6),
            more in any::<usize>(),
            size in any::<usize>(),
            layers in any::<usize>(),
            shared: bool,
        ) {
            let memory = Some(MemoryConfig { cell: CellName::Lstm, size, layers });
            let critic = CriticConfig { shared, ..CriticConfig::default() };
            let mut config =
                PolicyConfig { hidden, memory, critic, ..PolicyConfig::default() };
            let shape = shape(usize::MAX / 4, 3, vec![2, usize::MAX / 4]);
            let before = PolicySize::of(&shape, &config);
            config.hidden.iter_mut().for_each(|h| *h = (*h).max(more));
            let after = PolicySize::of(&shape, &config);
            prop_assert!(after.parameters >= before.parameters);
            prop_assert!(after.forward >= before.forward && after.backward >= before.backward);
        }
    }

    #[test]
    fn a_width_that_wraps_around_is_larger_than_any_limit() {
        let config = PolicyConfig { hidden: vec![1 << 62, 1 << 62], ..PolicyConfig::default() };
        let size = PolicySize::of(&shape(4, 0, vec![2]), &config);
        assert!(size.parameters.0 > 1 << 120);
    }
}
