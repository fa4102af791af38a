//! In what two shapes of a game differ for whoever plays it, by name.

use lanista_game::{Role, Spec};

/// What differs between two shapes of a game, in the roles that `plays` picks: a network fits one.
pub fn differences(then: &Spec, now: &Spec, plays: impl Fn(&Role) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for role in then.roles.iter().filter(|role| plays(role)) {
        let of = match then.roles.len() {
            1 => String::new(),
            _ => format!("{}: ", role.name),
        };
        // What the only role of a game is called matters to nobody.
        let other = match (now.role(&role.name), then.roles.len(), now.roles.len()) {
            (Some(index), ..) => &now.roles[index],
            (None, 1, 1) => &now.roles[0],
            _ => {
                found.push(format!("the role {} is gone", role.name));
                continue;
            }
        };
        let names = |features: Vec<lanista_game::Feature>| -> Vec<String> {
            features.into_iter().map(|feature| feature.name).collect()
        };
        let features = (names(role.flat_features()), names(other.flat_features()));
        found.extend(list(&of, "feature", &features.0, &features.1));
        let privileged = (names(role.privileged.clone()), names(other.privileged.clone()));
        found.extend(list(&of, "privileged feature", &privileged.0, &privileged.1));
        let heads = |role: &Role| role.heads.iter().map(|h| h.name.clone()).collect::<Vec<_>>();
        found.extend(list(&of, "head", &heads(role), &heads(other)));
        for head in &role.heads {
            if let Some(now) = other.heads.iter().find(|h| h.name == head.name) {
                let what = format!("action of {}", head.name);
                found.extend(list(&of, &what, &head.actions, &now.actions));
            }
        }
        if role.observation != other.observation && features.0 == features.1 {
            found.push(format!("{of}its features are grouped otherwise"));
        }
    }
    found
}

/// In what two lists of names differ.
fn list(of: &str, what: &str, then: &[String], now: &[String]) -> Vec<String> {
    if then == now {
        return Vec::new();
    }
    let missing = |from: &[String], others: &[String]| -> Vec<String> {
        from.iter().filter(|name| !others.contains(name)).map(|name| format!("`{name}`")).collect()
    };
    let mut found = Vec::new();
    for (names, verb) in [(missing(then, now), "gone"), (missing(now, then), "new")] {
        let (some, more) = names.split_at(names.len().min(MOST_NAMES));
        if !some.is_empty() {
            let more = match more.len() {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let (s, is) = if names.len() == 1 { ("", "is") } else { ("s", "are") };
            found.push(format!("{of}the {what}{s} {}{more} {is} {verb}", some.join(", ")));
        }
    }
    if found.is_empty() {
        found.push(format!("{of}the {what}s stand in another order"));
    }
    found
}

/// More names than that do not help.
const MOST_NAMES: usize = 6;

#[cfg(test)]
mod tests {
    use lanista_game::{Head, Seat};

    use super::*;

    fn spec(features: &[&str], actions: &[&str]) -> Spec {
        let role = Role {
            observation: vec![lanista_game::Group::features(features.iter().copied())],
            heads: vec![Head::new("move", actions.iter().copied())],
            ..Role::default()
        };
        Spec { roles: vec![role], seats: vec![Seat::of(0)], ..Spec::default() }
    }

    #[test]
    fn what_differs_is_named() {
        let then = spec(&["a", "b"], &["x", "y"]);
        let found = |now: &Spec| differences(&then, now, |_| true);
        assert_eq!(found(&then.clone()), Vec::<String>::new());
        assert_eq!(
            found(&spec(&["a", "c", "d"], &["x", "y"])),
            ["the feature `b` is gone", "the features `c`, `d` are new"]
        );
        assert_eq!(found(&spec(&["b", "a"], &["x", "y"])), ["the features stand in another order"]);
        assert_eq!(found(&spec(&["a", "b"], &["x"])), ["the action of move `y` is gone"]);
    }
}
