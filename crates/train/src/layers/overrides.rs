//! Overrides of the command line: `--set ppo.epochs=10`, `--reward balance=2`.

use super::error::ConfigError;
use super::node::{Node, Provenance};
use super::{path, yaml};
use serde_json::Value as Json;

/// One value for one key, put on top of every preset. Parses with the functions that name a flag,
/// which fit a command-line parser as they are.
#[derive(Clone, Debug)]
pub struct Override {
    flag: &'static str,
    example: &'static str,
    text: String,
    path: Vec<String>,
    value: Node,
}

impl Override {
    /// Does it set this key, or something under it?
    pub fn sets(&self, key: &str) -> bool {
        let mut path = self.path.iter();
        key.split('.').all(|part| path.next().is_some_and(|own| own == part))
    }

    /// Parses the argument of `--set`: a dotted path, `=`, and a value in YAML.
    ///
    /// The path makes maps where there are none and counts lists from zero. A key that contains a
    /// dot goes into double quotes.
    pub fn set(text: &str) -> Result<Self, ConfigError> {
        Self::parse(
            "--set",
            "write --set key.path=value, such as --set ppo.epochs=10 or --set policy.hidden=[64,64]",
            text,
            path::split,
        )
    }

    /// The same, of a program that may have no such flag.
    pub fn parsed(text: &str) -> Result<Self, ConfigError> {
        let example = "write key.path=value, such as ppo.epochs=10 or policy.hidden=[64,64]";
        Self::parse("the override", example, text, path::split)
    }

    /// Parses the argument of `--reward`: `term=weight`, short for `--set rewards.term=weight`.
    pub fn reward(text: &str) -> Result<Self, ConfigError> {
        Self::parse(
            "--reward",
            "write --reward term=weight, such as --reward balance=0.5",
            text,
            // Here the term is one key, dots and all.
            |term| match term.trim().trim_matches('"') {
                "" => Err("the term is empty".into()),
                term => Ok(vec!["rewards".into(), term.into()]),
            },
        )
    }

    /// What a flag of its own sets, such as `--steps` the key `stop.steps`. Errors name the flag.
    pub fn flag(
        flag: &'static str,
        key: &str,
        value: impl Into<Json>,
    ) -> Result<Self, ConfigError> {
        let value = value.into();
        Self::of(Provenance::Flag(flag), flag, "write a value that its key takes", key, &value)
    }

    /// A value that a preset has for another key, such as what a stage of its curriculum changes.
    /// Errors name the place where it stands.
    pub fn written(origin: Provenance, key: &str, value: &Json) -> Result<Self, ConfigError> {
        Self::of(origin, "changes", "write key.path: value, such as ppo.epochs: 10", key, value)
    }

    fn of(
        origin: Provenance,
        flag: &'static str,
        example: &'static str,
        key: &str,
        value: &Json,
    ) -> Result<Self, ConfigError> {
        let text = format!("{key}={value}");
        let path = path::split(key).map_err(|problem| ConfigError::BadOverride {
            flag,
            text: text.clone(),
            problem,
            example,
        })?;
        Ok(Self { flag, example, text, path, value: Node::of(value, &origin) })
    }

    fn parse(
        flag: &'static str,
        example: &'static str,
        text: &str,
        keys: impl FnOnce(&str) -> Result<Vec<String>, String>,
    ) -> Result<Self, ConfigError> {
        let bad = |problem| ConfigError::BadOverride { flag, text: text.into(), problem, example };
        let (left, right) = path::split_assignment(text).ok_or_else(|| bad("no `=`".into()))?;
        let path = keys(left).map_err(bad)?;
        if path[0] == "import" {
            return Err(bad("imports belong into a preset".into()));
        }
        let value = yaml::parse(right, &Provenance::Flag(flag)).map_err(|error| match error {
            ConfigError::Syntax { problem, .. } => bad(format!("the value is not YAML: {problem}")),
            other => other,
        })?;
        Ok(Self { flag, example, text: text.into(), path, value })
    }

    /// As the argument of `--set`, whichever flag it was written with: for a program that is started to do
    /// what this one was told.
    pub fn assignment(&self) -> String {
        let quoted = |key: &String| match key.contains('.') {
            true => format!("\"{key}\""),
            false => key.clone(),
        };
        let path: Vec<String> = self.path.iter().map(quoted).collect();
        format!("{}={}", path.join("."), self.value.to_json())
    }

    pub(super) fn apply(&self, root: &mut Node) -> Result<(), ConfigError> {
        root.set(&self.path, self.value.clone()).map_err(|problem| ConfigError::BadOverride {
            flag: self.flag,
            text: self.text.clone(),
            problem,
            example: self.example,
        })
    }
}

/// As it was written.
impl std::fmt::Display for Override {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.flag, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Json, json};

    fn apply(to: &str, sets: &[&str]) -> Result<Json, ConfigError> {
        let mut root = yaml::parse(to, &Provenance::text("my.yml"))?;
        for set in sets {
            Override::set(set)?.apply(&mut root)?;
        }
        Ok(root.to_json())
    }

    #[test]
    fn an_override_is_handed_on() {
        for (given, expected) in [
            (Override::set("ppo.epochs=10").unwrap(), "ppo.epochs=10"),
            (Override::reward("a.b=0.5").unwrap(), "rewards.\"a.b\"=0.5"),
            (Override::flag("--seed", "run.seed", 3).unwrap(), "run.seed=3"),
            (Override::set("policy.hidden=[64, 32]").unwrap(), "policy.hidden=[64,32]"),
        ] {
            assert_eq!(given.assignment(), expected);
            let again = Override::set(&given.assignment()).unwrap();
            assert_eq!((again.path, again.value.to_json()), (given.path, given.value.to_json()));
        }
    }

    fn value(set: &str) -> Json {
        apply("{}", &[set]).unwrap()
    }

    #[test]
    fn values_are_yaml() {
        assert_eq!(value("a=3"), json!({"a": 3}));
        assert_eq!(value("a=3e-4"), json!({"a": 3e-4}));
        assert_eq!(value("a=true"), json!({"a": true}));
        assert_eq!(value("a=cartpole"), json!({"a": "cartpole"}));
        assert_eq!(value("a='3'"), json!({"a": "3"}));
        assert_eq!(value("a=[1, x]"), json!({"a": [1, "x"]}));
        assert_eq!(value("a={b: {c: 1}}"), json!({"a": {"b": {"c": 1}}}));
        assert_eq!(value("a=null"), json!({"a": null}));
        assert_eq!(value("a="), json!({"a": null}));
        assert_eq!(value("a=b=c"), json!({"a": "b=c"}));
        assert_eq!(value("a = 3"), json!({"a": 3}));
        assert_eq!(value("a=-1"), json!({"a": -1}));
    }

    #[test]
    fn keys_may_hold_colons_and_quoted_dots() {
        assert_eq!(value("opponents.bot:random=0.5"), json!({"opponents": {"bot:random": 0.5}}));
        assert_eq!(value("opponents.\"run:a.b\"=1"), json!({"opponents": {"run:a.b": 1}}));
    }

    #[test]
    fn later_overrides_win_and_maps_merge() {
        assert_eq!(
            apply("a: {b: 1, c: 2}", &["a.b=3", "a={d: 4}", "a.b=5"]).unwrap(),
            json!({"a": {"b": 5, "c": 2, "d": 4}})
        );
    }

    #[test]
    fn rewards_are_short_for_a_set() {
        let mut root = yaml::parse("rewards: {win: 1}", &Provenance::text("my.yml")).unwrap();
        for text in ["balance=0.5", "a.b=1", "win=null"] {
            Override::reward(text).unwrap().apply(&mut root).unwrap();
        }
        assert_eq!(root.to_json(), json!({"rewards": {"win": null, "balance": 0.5, "a.b": 1}}));
        assert_eq!(root.follow(&["rewards", "balance"]).0.origin.to_string(), "--reward");
    }

    #[test]
    fn flags_and_stages_are_blamed_for_what_they_set() {
        let mut root = yaml::parse("stop: {steps: 1}", &Provenance::text("my.yml")).unwrap();
        let place = Provenance::text("my.yml").at(7);
        let changes = json!({"from": 1.5, "to": [1, "x", null]});
        for one in [
            Override::flag("--steps", "stop.steps", 5u64).unwrap(),
            Override::written(place, "ppo.clip.linear", &changes).unwrap(),
        ] {
            one.apply(&mut root).unwrap();
        }
        assert_eq!(
            root.to_json(),
            json!({"stop": {"steps": 5}, "ppo": {"clip": {"linear": changes}}})
        );
        let origin = |path: &[&str]| root.follow(path).0.origin.to_string();
        assert_eq!(origin(&["stop", "steps"]), "--steps");
        assert_eq!(origin(&["ppo", "clip", "linear", "to"]), "my.yml (line 7)");
        let error = Override::written(Provenance::text("my.yml"), "a..b", &json!(1)).unwrap_err();
        assert!(error.to_string().contains("a key is empty"), "{error}");
    }

    #[test]
    fn malformed_overrides_show_a_right_one() {
        let text = Override::set("ppo.epochs").unwrap_err().to_string();
        assert_eq!(
            text,
            "--set ppo.epochs: no `=`; write --set key.path=value, \
             such as --set ppo.epochs=10 or --set policy.hidden=[64,64]"
        );
        for text in ["", "=", "=3", ".a=3", "a.=3", "a..b=3", "a=[1", "a=@", "import=x", "a=.inf"] {
            let error = Override::set(text).unwrap_err();
            assert!(matches!(error, ConfigError::BadOverride { .. }), "{text}: {error}");
        }
        let text = Override::reward("=1").unwrap_err().to_string();
        assert_eq!(
            text,
            "--reward =1: the term is empty; \
             write --reward term=weight, such as --reward balance=0.5"
        );
    }

    #[test]
    fn an_index_must_lie_in_its_list() {
        let error = apply("a: [1, 2]", &["a.2=3"]).unwrap_err().to_string();
        assert!(error.contains("`2` is not an index into a list of 2"), "{error}");
    }

    #[test]
    fn overrides_suit_a_command_line_parser() {
        fn check<T: Clone + Send + Sync + 'static>() {}
        check::<Override>();
    }
}
