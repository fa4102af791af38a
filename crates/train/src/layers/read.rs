//! The merged tree, and the way from it to a typed configuration.

use super::count::{count, has_suffix};
use super::error::{ConfigError, UnknownKey};
use super::nearest::nearest;
use super::node::{Node, Provenance, Value, WHOLE};
use super::path;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use serde_path_to_error::Segment;

/// Everything the user wrote, merged; each key still knows where it was written.
#[derive(Clone, Debug)]
pub struct Layered {
    root: Node,
    sources: Vec<String>,
}

impl Layered {
    pub(super) fn new(root: Node, sources: Vec<String>) -> Self {
        Self { root, sources }
    }

    /// The files and presets that made the tree, lowest layer first.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// The bare values of the tree.
    pub fn tree(&self) -> Json {
        self.root.to_json()
    }

    /// Where the key at a dotted path was written, if anyone wrote it.
    pub fn origin(&self, key: &str) -> Option<&Provenance> {
        let keys = path::split(key).ok()?;
        let (node, depth) = self.root.follow(&keys);
        (depth == keys.len()).then_some(&node.origin)
    }

    /// An error about a key that only its reader can find, such as the name of no game. It blames
    /// whoever wrote the key or, if nobody did, the closest key above it.
    pub fn invalid(&self, key: &str, problem: impl Into<String>) -> ConfigError {
        let origin = self.place(key).clone();
        ConfigError::Invalid { key: key.into(), origin, problem: problem.into() }
    }

    /// Where a key was written or, if nobody wrote it, the closest key above it.
    pub fn place(&self, key: &str) -> &Provenance {
        let keys = path::split(key).unwrap_or_default();
        &closest(&self.root, &keys).origin
    }

    /// Fills a typed configuration.
    ///
    /// The valid keys are those of the serialised default and those in `open`: a field of `T` that is
    /// not always serialised must be among the latter.
    /// Any key is valid beneath the paths in `open`, beneath an empty map, beneath a schedule, and
    /// beneath whatever is no map by default: there the types of `T` decide.
    ///
    /// A null is none to an optional key and absent to any other; a whole number written as `1e6`
    /// is an integer where an integer is wanted.
    pub fn read<T>(&self, open: &[&str]) -> Result<T, ConfigError>
    where
        T: DeserializeOwned + Serialize + Default,
    {
        let mut known = serde_json::to_value(T::default())
            .map_err(|error| ConfigError::Unwritable(error.to_string()))?;
        let open: Vec<_> = open.iter().filter_map(|path| path::split(path).ok()).collect();
        open.iter().for_each(|path| open_up(&mut known, path));
        let mut check = Check { known: &known, open: &open, at: Vec::new(), found: Vec::new() };
        check.walk(&self.root, &known);
        if !check.found.is_empty() {
            return Err(ConfigError::UnknownKeys(check.found));
        }

        let mut tree = self.root.to_json();
        for path in &open {
            if let Some(Json::Object(map)) = follow(&mut tree, path) {
                map.retain(|_, value| !value.is_null());
            }
        }
        // Every round amends one value for good, so the rounds end.
        loop {
            let error = match serde_path_to_error::deserialize(&tree) {
                Ok(config) => return Ok(config),
                Err(error) => error,
            };
            let keys: Vec<String> = error.path().iter().map_while(key).collect();
            if !amend(&mut tree, &keys) {
                let origin = self.root.follow(&keys).0.origin.clone();
                let problem = error.into_inner().to_string();
                return Err(ConfigError::Invalid { key: path::join(&keys), origin, problem });
            }
        }
    }
}

/// Follows keys as far as they lead. A name with dots of its own, such as the file of an opponent,
/// may come unquoted from a reader: then the dots are taken as part of a key that is there.
fn closest<'a>(node: &'a Node, keys: &[String]) -> &'a Node {
    if let Value::Map(map) = &node.value {
        for end in (2..=keys.len()).rev() {
            if let Some(below) = map.get(&keys[..end].join(".")) {
                return closest(below, &keys[end..]);
            }
        }
    }
    match keys.split_first().map(|(first, rest)| (node.follow(std::slice::from_ref(first)), rest)) {
        Some(((below, 1), rest)) => closest(below, rest),
        _ => node,
    }
}

/// The key or index of a step into the tree; serde loses track in some enums.
fn key(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { variant } => Some(variant.clone()),
        Segment::Unknown => None,
    }
}

fn follow<'a>(tree: &'a mut Json, keys: &[String]) -> Option<&'a mut Json> {
    keys.iter().try_fold(tree, |tree, key| match tree {
        Json::Object(map) => map.get_mut(key),
        Json::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Puts an empty map where nothing is known yet.
fn open_up(known: &mut Json, path: &[String]) {
    if let (Some((last, above)), true) = (path.split_last(), follow(known, path).is_none())
        && let Some(Json::Object(map)) = follow(known, above)
    {
        map.insert(last.clone(), Json::Object(Map::new()));
    }
}

/// Reads a refused value more kindly: drops a null, turns `1e6` and `5M` into integers. False if the
/// value is none of these.
fn amend(tree: &mut Json, keys: &[String]) -> bool {
    let Some((last, above)) = keys.split_last() else { return false };
    match follow(tree, keys) {
        Some(Json::Null) => match follow(tree, above) {
            Some(Json::Object(map)) => map.remove(last).is_some(),
            _ => false,
        },
        Some(value) => match whole(value) {
            Some(integer) => {
                *value = integer;
                true
            }
            None => false,
        },
        None => false,
    }
}

/// A whole number that was written as `1e6` or `5M`, as an integer.
fn whole(value: &Json) -> Option<Json> {
    match value {
        // Beyond 2^53 a float no longer tells which integer was meant.
        Json::Number(number) if number.is_f64() => number
            .as_f64()
            .filter(|value| value.fract() == 0.0 && value.abs() < 9e15)
            .map(|value| (value as i64).into()),
        // Without a suffix it was quoted, and meant as a text.
        Json::String(text) if has_suffix(text) => count(text).ok().map(Into::into),
        _ => None,
    }
}

/// Reads the value at a dotted path more kindly, if a reader refused it: a whole number that was
/// written as `1e6` or `5M` becomes an integer. False if it is none.
pub fn mend(tree: &mut Json, key: &str) -> bool {
    let keys = path::split(key).unwrap_or_default();
    match follow(tree, &keys).map(|value| (whole(value), value)) {
        Some((Some(integer), value)) => {
            *value = integer;
            true
        }
        _ => false,
    }
}

/// The search for keys that mean nothing.
struct Check<'a> {
    known: &'a Json,
    open: &'a [Vec<String>],
    at: Vec<String>,
    found: Vec<UnknownKey>,
}

impl Check<'_> {
    fn walk(&mut self, node: &Node, known: &Json) {
        let (Value::Map(map), Json::Object(known)) = (&node.value, known) else { return };
        if known.is_empty() || is_schedule(known) || self.open.contains(&self.at) {
            return;
        }
        for (key, node) in map {
            self.at.push(key.clone());
            match known.get(key) {
                Some(known) => self.walk(node, known),
                None => self.report(key, node, known),
            }
            self.at.pop();
        }
    }

    fn report(&mut self, key: &str, node: &Node, siblings: &Map<String, Json>) {
        let sibling = nearest(key, siblings.keys().map(String::as_str)).map(Into::into);
        self.found.push(UnknownKey {
            key: path::join(&self.at),
            origin: node.origin.clone(),
            suggestion: sibling.or_else(|| elsewhere(self.known, key)),
            valid: siblings.keys().cloned().collect(),
        });
    }
}

fn is_schedule(map: &Map<String, Json>) -> bool {
    map.len() == 1 && map.keys().all(|key| WHOLE.contains(&key.as_str()))
}

/// The path of a key that is right in itself and stands in the wrong place. Nothing if it could
/// be meant for several places.
fn elsewhere(known: &Json, key: &str) -> Option<String> {
    fn collect(tree: &Json, key: &str, at: &mut Vec<String>, found: &mut Vec<String>) {
        let Json::Object(map) = tree else { return };
        for (name, below) in map {
            at.push(name.clone());
            if name == key {
                found.push(path::join(at));
            }
            collect(below, key, at, found);
            at.pop();
        }
    }
    let mut found = Vec::new();
    collect(known, key, &mut Vec::new(), &mut found);
    (found.len() == 1).then(|| found.remove(0))
}

#[cfg(test)]
mod tests {
    use super::super::{Override, load};
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Optimizer {
        #[default]
        Adam,
        Sgd {
            momentum: f32,
        },
    }

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Ppo {
        epochs: u32,
        minibatch: u32,
        clip: f32,
        optimizer: Optimizer,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Config {
        game: String,
        steps: u64,
        ppo: Ppo,
        hidden: Vec<u32>,
        limit: Option<u64>,
        decay: Json,
        settings: BTreeMap<String, Json>,
        rewards: BTreeMap<String, f32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        teacher: Option<BTreeMap<String, u32>>,
    }

    impl Default for Config {
        fn default() -> Self {
            Self {
                game: "cartpole".into(),
                steps: 10,
                ppo: Ppo::default(),
                hidden: vec![64],
                limit: Some(5),
                decay: serde_json::json!({"linear": {"from": 1, "to": 0}}),
                settings: BTreeMap::new(),
                rewards: BTreeMap::from([("win".into(), 1.0)]),
                teacher: None,
            }
        }
    }

    fn layered(text: &str) -> Layered {
        load("x", &[("x", text)], &[]).unwrap()
    }

    fn read(text: &str) -> Result<Config, ConfigError> {
        layered(text).read(&["rewards", "teacher"])
    }

    fn problem(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn nothing_written_is_the_default() {
        assert_eq!(read("").unwrap(), Config::default());
    }

    #[test]
    fn open_maps_empty_maps_and_schedules_take_any_key() {
        let config = read("rewards: {lose: -1}\nsettings: {a: {b: 1}}\ndecay: {cosine: {x: 1}}");
        let config = config.unwrap();
        assert_eq!(config.rewards, BTreeMap::from([("lose".into(), -1.0)]));
        assert_eq!(config.settings["a"], serde_json::json!({"b": 1}));
        assert_eq!(config.decay, serde_json::json!({"cosine": {"x": 1}}));
        let sgd = read("ppo: {optimizer: {sgd: {momentum: 0.9}}}").unwrap();
        assert_eq!(sgd.ppo.optimizer, Optimizer::Sgd { momentum: 0.9 });
    }

    #[test]
    fn what_is_not_there_by_default_may_be_written() {
        let teacher = read("teacher: {age: 5}").unwrap().teacher;
        assert_eq!(teacher, Some(BTreeMap::from([("age".into(), 5)])));
        assert!(problem("techer: {age: 5}").contains("did you mean `teacher`?"));
    }

    #[test]
    fn unknown_keys_are_all_reported() {
        assert_eq!(
            problem("game: pong\nppo:\n  epochs: 3\n  minbatch: 4\nstepps: 3\n"),
            "unknown key `ppo.minbatch` in preset x (line 4): did you mean `minibatch`? \
             valid keys here: clip, epochs, minibatch, optimizer\n\
             unknown key `stepps` in preset x (line 5): did you mean `steps`? \
             valid keys here: decay, game, hidden, limit, ppo, rewards, settings, steps, teacher"
        );
        assert!(
            problem("epochs: 3").starts_with(
                "unknown key `epochs` in preset x (line 1): did you mean `ppo.epochs`? "
            ),
            "a key in the wrong place is sent to the right one"
        );
        assert!(problem("zebra: 3").contains("(line 1); valid keys here: "));
    }

    #[test]
    fn wrong_types_name_key_origin_and_problem() {
        for (text, expected) in [
            (
                "ppo:\n  epochs: four",
                "ppo.epochs in preset x (line 2): invalid type: string \"four\", expected u32",
            ),
            (
                "hidden: [1, a]",
                "hidden.1 in preset x (line 1): invalid type: string \"a\", expected u32",
            ),
            ("ppo: 3", "ppo in preset x (line 1): invalid type: integer `3`, expected struct Ppo"),
            (
                "rewards: {win: high}",
                "rewards.win in preset x (line 1): invalid type: string \"high\", expected f32",
            ),
            (
                "ppo: {optimizer: {sgd: {momentum: x}}}",
                "ppo.optimizer.sgd.momentum in preset x (line 1): \
                 invalid type: string \"x\", expected f32",
            ),
            (
                "ppo: {optimizer: adm}",
                "ppo.optimizer in preset x (line 1): \
                 unknown variant `adm`, expected `adam` or `sgd`",
            ),
            ("steps: -1", "steps in preset x (line 1): invalid value: integer `-1`, expected u64"),
            (
                "steps: 0.5",
                "steps in preset x (line 1): invalid type: floating point `0.5`, expected u64",
            ),
        ] {
            assert_eq!(problem(text), expected);
        }
    }

    #[test]
    fn whole_floats_are_integers_where_those_are_wanted() {
        let config = read("steps: 2e6\nhidden: [1e2, 32]\nppo: {clip: 1}\nsettings: {a: 1.0}");
        let config = config.unwrap();
        assert_eq!((config.steps, config.ppo.clip), (2_000_000, 1.0));
        assert_eq!(config.hidden, [100, 32]);
        assert_eq!(config.settings["a"], serde_json::json!(1.0), "only where they are wanted");
        assert!(problem("steps: 1e30").contains("expected u64"));
    }

    #[test]
    fn counts_may_have_suffixes_where_numbers_are_wanted() {
        let config = read("steps: 5M\nhidden: [2k, 1_024]\nlimit: 2.5k\ngame: 5M").unwrap();
        assert_eq!((config.steps, config.limit), (5_000_000, Some(2_500)));
        assert_eq!(config.hidden, [2_000, 1_024]);
        assert_eq!(config.game, "5M", "a name stays a name");
        for text in ["steps: '5'", "steps: 1.0001k", "steps: -5M", "steps: 99999999999G"] {
            assert!(problem(text).contains("expected u64"), "{}", problem(text));
        }
        assert!(problem("ppo: {epochs: 5G}").contains("ppo.epochs"), "too many for its type");
        let mut settings = serde_json::json!({"a": {"b": [1e3]}, "c": "2k", "d": "x"});
        assert!(mend(&mut settings, "a.b.0") && mend(&mut settings, "c"));
        assert_eq!(settings, serde_json::json!({"a": {"b": [1000]}, "c": 2000, "d": "x"}));
        assert!(!mend(&mut settings, "d") && !mend(&mut settings, "c"));
        assert!(!mend(&mut settings, "nowhere.0") && !mend(&mut settings, ""));
    }

    #[test]
    fn a_name_with_dots_is_blamed_where_it_stands() {
        let text = "rewards:\n  win: 1\n  target:a/model.zip: 2\nsteps: 3";
        let error = layered(text).invalid("rewards.target:a/model.zip", "no such file");
        assert!(error.to_string().contains("preset x (line 3)"), "{error}");
        let error = layered(text).invalid("rewards.other.zip", "no such file");
        assert!(error.to_string().contains("preset x (line 1)"), "{error}");
    }

    #[test]
    fn null_is_none_or_absent() {
        let config = read("steps: null\nlimit: null\nppo: ~\nrewards: {win: ~, b: 2}").unwrap();
        let defaults = Config::default();
        assert_eq!((config.steps, config.ppo), (defaults.steps, defaults.ppo));
        assert_eq!(config.limit, None);
        assert_eq!(config.rewards, BTreeMap::from([("b".into(), 2.0)]));
        assert_eq!(read("rewards: null").unwrap().rewards, defaults.rewards);
        assert!(problem("hidden: [1, null]").starts_with("hidden.1 in preset x (line 1): "));
    }

    #[test]
    fn a_missing_field_blames_the_whole() {
        #[derive(Debug, Default, Serialize, Deserialize)]
        struct Strict {
            game: String,
        }
        let error = layered("{}").read::<Strict>(&[]).unwrap_err().to_string();
        assert_eq!(error, "preset x: missing field `game`");
    }

    #[test]
    fn origins_serve_errors_of_the_reader() {
        let overrides = [Override::set("opponents.\"run:a.b\"=1").unwrap()];
        let layered = load("x", &[("x", "a: 1\ngame: pnog")], &overrides).unwrap();
        assert_eq!(layered.origin("game").unwrap().to_string(), "preset x (line 2)");
        assert_eq!(layered.origin("opponents.\"run:a.b\"").unwrap(), &Provenance::Flag("--set"));
        assert_eq!(layered.origin("nowhere"), None);
        assert_eq!(layered.sources(), ["preset x"]);
        assert_eq!(layered.tree()["a"], 1);
        let error = layered.invalid("game", "no game `pnog`: did you mean `pong`?");
        assert_eq!(
            error.to_string(),
            "game in preset x (line 2): no game `pnog`: did you mean `pong`?"
        );
        assert_eq!(layered.invalid("seats", "none").to_string(), "seats in preset x: none");
    }
}
