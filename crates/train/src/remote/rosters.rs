//! The policies of an agent as a parcel: networks by their configuration, weights and normalisers by their bits.

use lanista_game::Spec;
use lanista_learn::{Normalizer, Policy, PolicyConfig, PolicySize, Shape};

use super::bytes::{Reader, Writer};
use super::error::Unreadable;
use crate::player::Policies;
use crate::player::Roster;
use crate::ranges;

/// Policies by role as bytes.
pub(super) fn to_bytes(policies: Policies) -> Vec<u8> {
    let mut w = Writer::default();
    w.list(policies.iter(), |w, policy| {
        w.option(*policy, |w, policy| {
            w.bytes(&serde_json::to_vec(policy.config()).unwrap_or_default());
            w.f32s(&policy.params);
            for normalizer in [&policy.normalizer, &policy.privileged_normalizer] {
                w.option(normalizer.as_ref(), |w, normalizer| {
                    w.f64(normalizer.count);
                    w.f64s(&normalizer.mean);
                    w.f64s(&normalizer.squares);
                    w.f32(normalizer.limit);
                });
            }
        });
    });
    w.finish()
}

/// The policies again, for a game as policies see it.
pub(super) fn from_bytes(bytes: &[u8], spec: &Spec) -> Result<Roster, Unreadable> {
    let mut r = Reader::new(bytes);
    let mut role = 0;
    let policies = r.list(|r| {
        let policy = r.option(|r| read_policy(r, spec, role))?;
        role += 1;
        Ok(policy)
    })?;
    r.end()?;
    if policies.len() > spec.roles.len() {
        let (found, wanted) = (policies.len(), spec.roles.len());
        return Err(Unreadable(format!("policies of {found} roles for a game of {wanted}")));
    }
    Ok(Roster::new(policies))
}

fn read_policy(r: &mut Reader, spec: &Spec, role: usize) -> Result<Policy, Unreadable> {
    let config: PolicyConfig =
        serde_json::from_slice(r.bytes()?).map_err(|e| Unreadable(e.to_string()))?;
    ranges::check_policy(&config).map_err(|(key, problem)| format!("{key}: {problem}"))?;
    let role = spec.roles.get(role).ok_or_else(|| format!("a policy of role {role}"))?;
    let params = r.f32s()?;
    let shape = Shape::of(role);
    // Nothing is built before the weights are seen to be as many as the network has.
    let wanted = PolicySize::of(&shape, &config).parameters.0;
    if usize::try_from(wanted).ok() != Some(params.len()) {
        return Err(Unreadable(format!("{} weights for a network of {wanted}", params.len())));
    }
    if !params.iter().all(|weight| weight.is_finite()) {
        return Err(Unreadable("a weight that is not finite".into()));
    }
    let mut policy = Policy::blank(shape, &config);
    policy.params = params;
    policy.normalizer = read_normalizer(r, &policy.normalizer)?;
    policy.privileged_normalizer = read_normalizer(r, &policy.privileged_normalizer)?;
    Ok(policy)
}

fn read_normalizer(
    r: &mut Reader,
    wanted: &Option<Normalizer>,
) -> Result<Option<Normalizer>, Unreadable> {
    let found = r.option(|r| {
        let (count, mean, squares, limit) = (r.f64()?, r.f64s()?, r.f64s()?, r.f32()?);
        let read = Normalizer::restore(count, mean, squares).and_then(|n| n.with_limit(limit));
        read.ok_or_else(|| {
            Unreadable("the statistics of a normaliser contradict each other".into())
        })
    })?;
    let features = |normalizer: &Option<Normalizer>| normalizer.as_ref().map(|n| n.mean.len());
    match features(&found) == features(wanted) {
        true => Ok(found),
        false => Err(Unreadable("a normaliser of another number of features".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> Spec {
        lanista_classic::games()[4].spec(&serde_json::Value::Null).unwrap()
    }

    fn policy() -> Policy {
        let config: PolicyConfig = serde_json::from_str(
            r#"{"hidden": [5], "normalize_observations": true, "memory": {"cell": "gru", "size": 3}}"#,
        )
        .unwrap();
        let mut policy = Policy::new(Shape::of(&spec().roles[0]), &config, 3);
        let features = policy.shape().features;
        let (mean, squares) = (vec![0.1; features], vec![1.0 / 3.0; features]);
        policy.normalizer = Normalizer::restore(7.0, mean, squares);
        policy
    }

    #[test]
    fn every_bit_arrives() {
        let policy = policy();
        let bytes = to_bytes(&[Some(&policy)]);
        let roster = from_bytes(&bytes, &spec()).unwrap();
        let again = roster.get(0).unwrap();
        assert_eq!(again.params, policy.params);
        assert_eq!(again.normalizer, policy.normalizer);
        assert_eq!(again.config(), policy.config());
        assert_eq!(to_bytes(&roster.all()), bytes);
    }

    #[test]
    fn whatever_is_cut_or_changed_is_refused_or_sound() {
        let bytes = to_bytes(&[Some(&policy())]);
        for length in 0..bytes.len() {
            assert!(from_bytes(&bytes[..length], &spec()).is_err(), "cut at {length}");
        }
        for at in 0..bytes.len() {
            for bit in [0, 7] {
                let mut mutant = bytes.clone();
                mutant[at] ^= 1 << bit;
                let Ok(roster) = from_bytes(&mutant, &spec()) else { continue };
                assert!(roster.iter().all(|(_, p)| p.params.iter().all(|w| w.is_finite())));
            }
        }
    }
}
