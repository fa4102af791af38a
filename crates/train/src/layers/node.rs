//! The merged tree: values that remember where they were written.

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The kinds of a schedule. A map with one of these as its only key is one value that happens to
/// be spelt as a map, so an upper layer replaces it whole instead of merging into it.
pub const WHOLE: [&str; 4] = ["constant", "linear", "cosine", "piecewise"];

/// Where a key was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// A flag of the command line, with its dashes.
    Flag(&'static str),
    /// A file or an embedded preset.
    Text {
        /// The file name, or `preset <name>`.
        source: Arc<str>,
        /// The line of the key, counted from one.
        line: Option<u64>,
    },
}

impl Provenance {
    pub(super) fn text(source: &str) -> Self {
        Self::Text { source: source.into(), line: None }
    }

    /// The same source at a line; a flag has no lines worth naming.
    pub(super) fn at(&self, line: u64) -> Self {
        match self {
            Self::Flag(flag) => Self::Flag(flag),
            // The parser counts from one; zero is its word for unknown.
            Self::Text { source, .. } => {
                Self::Text { source: source.clone(), line: (line > 0).then_some(line) }
            }
        }
    }

    /// The file name, `preset <name>`, or the flag.
    pub fn source(&self) -> &str {
        match self {
            Self::Flag(flag) => flag,
            Self::Text { source, .. } => source,
        }
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { source, line: Some(line) } => write!(f, "{source} (line {line})"),
            _ => f.write_str(self.source()),
        }
    }
}

/// A value and where it was last written.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub value: Value,
    pub origin: Provenance,
}

pub(super) type Map = BTreeMap<String, Node>;

/// A scalar is a JSON one: null, boolean, number or text.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(Json),
    List(Vec<Node>),
    Map(Map),
}

impl Node {
    pub fn null(origin: Provenance) -> Self {
        Self { value: Value::Scalar(Json::Null), origin }
    }

    /// A bare value, all of it written in one place.
    pub fn of(value: &Json, origin: &Provenance) -> Self {
        let value = match value {
            Json::Array(items) => {
                Value::List(items.iter().map(|item| Self::of(item, origin)).collect())
            }
            Json::Object(map) => {
                let entry = |(key, value): (&String, &Json)| (key.clone(), Self::of(value, origin));
                Value::Map(map.iter().map(entry).collect())
            }
            scalar => Value::Scalar(scalar.clone()),
        };
        Self { value, origin: origin.clone() }
    }

    /// What the value is, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar(Json::Null) => "nothing",
            Value::Scalar(Json::Bool(_)) => "a boolean",
            Value::Scalar(Json::Number(_)) => "a number",
            Value::Scalar(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// Puts an upper layer on top of this one.
    pub fn merge(&mut self, upper: Node) {
        match (&mut self.value, upper.value) {
            (Value::Map(lower), Value::Map(map)) if !(is_whole(lower) && is_whole(&map)) => {
                self.origin = upper.origin;
                for (key, node) in map {
                    match lower.get_mut(&key) {
                        Some(below) => below.merge(node),
                        None => _ = lower.insert(key, node),
                    }
                }
            }
            (_, value) => *self = Node { value, origin: upper.origin },
        }
    }

    /// Puts one value on top at a path, making maps on the way. An existing list takes an index.
    pub fn set(&mut self, path: &[String], value: Node) -> Result<(), String> {
        let Some((key, rest)) = path.split_first() else {
            self.merge(value);
            return Ok(());
        };
        if let Value::List(items) = &mut self.value {
            let length = items.len();
            return match key.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
                Some(item) => item.set(rest, value),
                None => Err(format!("`{key}` is not an index into a list of {length}")),
            };
        }
        if !matches!(self.value, Value::Map(_)) {
            *self = Node { value: Value::Map(Map::new()), origin: value.origin.clone() };
        }
        if let Value::Map(map) = &mut self.value {
            // `rate.cosine.to=0` on a linear schedule changes its kind; on a cosine it tweaks it.
            if WHOLE.contains(&key.as_str()) && is_whole(map) && !map.contains_key(key) {
                map.clear();
                self.origin = value.origin.clone();
            }
            let below = || Node::null(value.origin.clone());
            map.entry(key.clone()).or_insert_with(below).set(rest, value)?;
        }
        Ok(())
    }

    /// Follows keys and indices as far as they lead and returns the node there with their count.
    pub fn follow<S: AsRef<str>>(&self, path: &[S]) -> (&Node, usize) {
        let mut node = self;
        for (depth, key) in path.iter().map(AsRef::as_ref).enumerate() {
            let below = match &node.value {
                Value::Map(map) => map.get(key),
                Value::List(items) => key.parse::<usize>().ok().and_then(|i| items.get(i)),
                Value::Scalar(_) => None,
            };
            match below {
                Some(below) => node = below,
                None => return (node, depth),
            }
        }
        (node, path.len())
    }

    /// The bare values.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Scalar(scalar) => scalar.clone(),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(map) => map.iter().map(|(key, node)| (key, node.to_json())).collect(),
        }
    }
}

/// Whether a map is a schedule.
fn is_whole(map: &Map) -> bool {
    map.len() == 1 && map.keys().all(|key| WHOLE.contains(&key.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::yaml::parse;
    use super::*;
    use serde_json::json;

    fn node(text: &str) -> Node {
        parse(text, &Provenance::text("lower")).unwrap()
    }

    fn merged(lower: &str, upper: &str) -> Json {
        let mut tree = node(lower);
        tree.merge(parse(upper, &Provenance::text("upper")).unwrap());
        tree.to_json()
    }

    fn set(tree: &mut Node, path: &str, value: &str) -> Result<(), String> {
        let path: Vec<String> = path.split('.').map(Into::into).collect();
        tree.set(&path, parse(value, &Provenance::Flag("--set")).unwrap())
    }

    #[test]
    fn maps_merge_and_the_rest_replaces() {
        assert_eq!(merged("a: {b: 1, c: 2}", "a: {c: 3}"), json!({"a": {"b": 1, "c": 3}}));
        assert_eq!(merged("a: [1, 2, 3]", "a: [4]"), json!({"a": [4]}));
        assert_eq!(merged("a: {b: 1}", "a: 2"), json!({"a": 2}));
        assert_eq!(merged("a: 2", "a: {b: 1}"), json!({"a": {"b": 1}}));
        assert_eq!(merged("a: {b: 1}", "a: null"), json!({"a": null}));
        assert_eq!(merged("a: {b: 1}", "a: {}"), json!({"a": {"b": 1}}));
    }

    #[test]
    fn schedules_replace_one_another() {
        let linear = "a: {linear: {from: 1, to: 0}}";
        assert_eq!(
            merged(linear, "a: {cosine: {from: 2, to: 1}}"),
            json!({"a": {"cosine": {"from": 2, "to": 1}}})
        );
        assert_eq!(merged(linear, "a: {linear: {from: 2}}"), json!({"a": {"linear": {"from": 2}}}));
        assert_eq!(merged(linear, "a: 3e-4"), json!({"a": 3e-4}));
        // A map of many keys is no schedule, even if a key of the upper layer looks like one.
        assert_eq!(
            merged("a: {b: 1, c: 2}", "a: {linear: 3}"),
            json!({"a": {"b": 1, "c": 2, "linear": 3}})
        );
    }

    #[test]
    fn set_makes_maps_and_takes_indices() {
        let mut tree = node("a: {list: [1, {b: 2}], s: 5}");
        set(&mut tree, "x.y.z", "1").unwrap();
        set(&mut tree, "a.list.1.b", "3").unwrap();
        set(&mut tree, "a.list.0", "[7]").unwrap();
        set(&mut tree, "a.s.t", "6").unwrap();
        assert_eq!(
            tree.to_json(),
            json!({"a": {"list": [[7], {"b": 3}], "s": {"t": 6}}, "x": {"y": {"z": 1}}})
        );
        let problem = set(&mut tree, "a.list.2", "3").unwrap_err();
        assert_eq!(problem, "`2` is not an index into a list of 2");
        assert!(set(&mut tree, "a.list.b", "3").is_err());
    }

    #[test]
    fn set_tweaks_a_schedule_of_the_same_kind_and_replaces_another() {
        let mut tree = node("a: {linear: {from: 1, to: 0}}");
        set(&mut tree, "a.linear.to", "0.5").unwrap();
        assert_eq!(tree.to_json(), json!({"a": {"linear": {"from": 1, "to": 0.5}}}));
        set(&mut tree, "a.cosine.to", "0.5").unwrap();
        assert_eq!(tree.to_json(), json!({"a": {"cosine": {"to": 0.5}}}));
    }

    #[test]
    fn every_leaf_knows_its_last_writer() {
        let mut tree = node("a: 1\nb:\n  c: 2\n  d: 3\n");
        tree.merge(parse("b: {c: 4}", &Provenance::text("upper")).unwrap());
        set(&mut tree, "e.f", "5").unwrap();
        let origin = |path: &[&str]| tree.follow(path).0.origin.to_string();
        assert_eq!(origin(&["a"]), "lower (line 1)");
        assert_eq!(origin(&["b", "d"]), "lower (line 4)");
        assert_eq!(origin(&["b", "c"]), "upper (line 1)");
        assert_eq!(origin(&["e", "f"]), "--set");
        assert_eq!(tree.follow(&["b", "x", "y"]).1, 1, "stops where the path leaves the tree");
    }
}
