//! Weights from one policy to another, by the names of their tensors: what fits is taken, what does not is
//! named.

use lanista_nn::Layout;

use crate::policy::Policy;

/// What became of the tensors of a policy that began as another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// Tensors that were taken over.
    pub taken: Vec<String>,
    /// Tensors that stay fresh, and why.
    pub left: Vec<(String, String)>,
}

/// Does a layer's name, such as `actor` or `actor.hidden.0`, mean this tensor?
pub fn names(layer: &str, tensor: &str) -> bool {
    tensor.strip_prefix(layer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Which tensors these layers mean, a flag a tensor; or the first layer that means none.
pub fn select<'a>(layout: &Layout, layers: &'a [String]) -> Result<Vec<bool>, &'a str> {
    let tensors = layout.tensors();
    let means_none = |layer: &&String| !tensors.iter().any(|tensor| names(layer, &tensor.name));
    match layers.iter().find(means_none) {
        Some(layer) => Err(layer),
        None => Ok(tensors
            .iter()
            .map(|tensor| layers.iter().any(|layer| names(layer, &tensor.name)))
            .collect()),
    }
}

/// The layer through which a body's input comes in: the first that there is.
fn entrance(layout: &Layout, body: &str) -> Option<String> {
    // Without hidden layers and memory, what comes after the body reads the input.
    let layers = ["hidden.0", "memory.0", "heads", "value"].map(|part| format!("{body}.{part}"));
    layers.into_iter().find(|layer| layout.tensors().iter().any(|t| names(layer, &t.name)))
}

impl Policy {
    /// Do any of these tensors read observations; do any read privileged inputs? A normaliser in front of
    /// frozen ones must stay as it is: the same weights behind another one are another function.
    pub(crate) fn any_reads_inputs(&self, frozen: &[bool]) -> (bool, bool) {
        let layout = self.layout();
        let any = |layer: &str| {
            let mut tensors = layout.tensors().iter().zip(frozen);
            tensors.any(|(tensor, frozen)| *frozen && names(layer, &tensor.name))
        };
        let enters = |body: &str| entrance(layout, body).is_some_and(|layer| any(&layer));
        let critic = enters("critic");
        let own_body = !self.config().critic.shared && (critic || any("critic.encoder"));
        (enters("actor") || any("actor.encoder") || own_body, critic)
    }

    /// Takes over the tensors of another policy that are wanted and fit, and its normalisers.
    pub fn take_over(&mut self, other: &Policy, wanted: impl Fn(&str) -> bool) -> Transfer {
        let mut transfer = Transfer::default();
        let mut params = std::mem::take(&mut self.params);
        for tensor in self.layout().tensors() {
            let name = &tensor.name;
            let same = other.layout().tensors().iter().find(|theirs| theirs.name == *name);
            let why = match same {
                _ if !wanted(name) => "it is not wanted".to_owned(),
                None => "the other policy has none".to_owned(),
                Some(theirs) if theirs.shape != tensor.shape => {
                    format!("it is {:?} there and {:?} here", theirs.shape, tensor.shape)
                }
                Some(theirs) => {
                    params[tensor.range.clone()]
                        .copy_from_slice(&other.params[theirs.range.clone()]);
                    transfer.taken.push(name.clone());
                    continue;
                }
            };
            transfer.left.push((name.clone(), why));
        }
        self.params = params;
        for (name, own, theirs) in [
            ("normaliser of observations", &mut self.normalizer, &other.normalizer),
            (
                "normaliser of privileged inputs",
                &mut self.privileged_normalizer,
                &other.privileged_normalizer,
            ),
        ] {
            let Some(own) = own else { continue };
            let why = match theirs {
                None => "the other policy has none".to_owned(),
                Some(theirs) if theirs.mean.len() != own.mean.len() => {
                    format!(
                        "it has {} features there and {} here",
                        theirs.mean.len(),
                        own.mean.len()
                    )
                }
                Some(theirs) => {
                    own.clone_from(theirs);
                    transfer.taken.push(name.to_owned());
                    continue;
                }
            };
            transfer.left.push((name.to_owned(), why));
        }
        transfer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{CriticConfig, PolicyConfig};
    use crate::shape::{Group, Shape};

    fn shape(features: usize) -> Shape {
        let groups = vec![Group::Plain { features }];
        Shape { features, groups, heads: vec![3], requires: vec![vec![]], ..Shape::default() }
    }

    fn config(critic: usize) -> PolicyConfig {
        PolicyConfig {
            hidden: vec![8, 4],
            critic: CriticConfig { hidden: Some(vec![critic]), ..CriticConfig::default() },
            normalize_observations: true,
            ..PolicyConfig::default()
        }
    }

    #[test]
    fn what_fits_is_taken_and_the_rest_is_named() {
        let theirs = Policy::new(shape(5), &config(7), 1);
        let mut same = Policy::new(shape(5), &config(7), 2);
        assert_ne!(same.params, theirs.params);
        assert_eq!(same.take_over(&theirs, |_| true).left, []);
        assert_eq!(same.params, theirs.params);

        // Another observation: the first layers and the normaliser stay, the others are taken.
        let mut wider = Policy::new(shape(6), &config(7), 2);
        let transfer = wider.take_over(&theirs, |name| !names("critic", name));
        let left =
            |name: &str| transfer.left.iter().find(|(left, _)| left == name).map(|l| &l.1[..]);
        assert_eq!(left("actor.hidden.0.weight"), Some("it is [5, 8] there and [6, 8] here"));
        assert_eq!(left("critic.value.weight"), Some("it is not wanted"));
        let normalizer = "it has 5 features there and 6 here";
        assert_eq!(left("normaliser of observations"), Some(normalizer));
        assert!(transfer.taken.contains(&"actor.hidden.1.weight".to_owned()));
        assert!(transfer.taken.contains(&"actor.heads.bias".to_owned()));
    }

    #[test]
    fn layers_are_meant_by_whole_parts_of_their_names() {
        let policy = Policy::new(shape(5), &config(7), 1);
        let layers = ["actor.hidden.0".to_owned(), "critic".to_owned()];
        let flags = select(policy.layout(), &layers).unwrap();
        let tensors = policy.layout().tensors().iter().zip(&flags);
        let selected: Vec<&str> = tensors.filter(|t| *t.1).map(|t| t.0.name.as_str()).collect();
        assert!(
            selected.contains(&"actor.hidden.0.bias") && selected.contains(&"critic.value.weight")
        );
        assert!(selected.iter().all(|name| names("critic", name) || names("actor.hidden.0", name)));
        assert_eq!(select(policy.layout(), &["actor.hid".to_owned()]), Err("actor.hid"));
    }

    #[test]
    fn layers_that_read_inputs_are_the_first_ones() {
        let reads = |config: &PolicyConfig, layer: &str| {
            let policy = Policy::new(shape(5), config, 1);
            let frozen = select(policy.layout(), &[layer.to_owned()]).unwrap();
            policy.any_reads_inputs(&frozen)
        };
        let deep = config(7);
        assert_eq!(reads(&deep, "actor"), (true, false));
        assert_eq!(reads(&deep, "actor.hidden.0"), (true, false));
        assert_eq!(reads(&deep, "actor.hidden.1"), (false, false));
        assert_eq!(reads(&deep, "actor.heads"), (false, false));
        assert_eq!(reads(&deep, "critic"), (true, true));
        assert_eq!(reads(&deep, "critic.value"), (false, false));
        let shared = CriticConfig { shared: true, ..CriticConfig::default() };
        let flat = PolicyConfig { hidden: vec![], critic: shared, ..config(7) };
        assert_eq!(reads(&flat, "actor.heads"), (true, false));
        assert_eq!(reads(&flat, "critic.value"), (false, true));
        let policy = Policy::new(shape(5), &deep, 1);
        assert_eq!(policy.any_reads_inputs(&[]), (false, false));
    }
}
