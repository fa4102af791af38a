//! What can be wrong with what the user wrote, said so that it can be mended.

use super::node::Provenance;
use std::path::PathBuf;

/// A mistake in a preset, in an override, or in how they fit together.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Neither a file nor an embedded preset goes by this name.
    #[error(
        "no preset and no file called `{name}`{}{}",
        by(importer),
        if *embedded { meant(near) + " `lanista games` lists the presets" } else { String::new() }
    )]
    UnknownPreset {
        /// The name as written.
        name: String,
        /// Where it was imported, if it was.
        importer: Option<Provenance>,
        /// The closest available names, the closest first.
        near: Vec<String>,
        /// Does the program embed any?
        embedded: bool,
    },
    /// A preset file exists and cannot be read.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        problem: String,
    },
    /// A text is not YAML, or is YAML of a size no preset has.
    #[error("{source_name}{}: {problem}", position(line, column))]
    Syntax {
        /// The file, preset or flag.
        source_name: String,
        /// Line of the problem, counted from one.
        line: Option<u64>,
        /// Column of the problem, counted from one.
        column: Option<u64>,
        /// What the parser found.
        problem: String,
    },
    /// A preset is a list or a scalar.
    #[error("{source_name}: a preset is a map of keys such as `game: cartpole`, found {found}")]
    NotAMap {
        /// The file or preset.
        source_name: String,
        /// What the top level is instead.
        found: &'static str,
    },
    /// The value of `import` is neither a name nor a list of names.
    #[error("`import` in {origin} takes a preset or a list of presets, found {found}")]
    BadImport {
        /// Where the import stands.
        origin: Provenance,
        /// What it is instead.
        found: &'static str,
    },
    /// Presets import one another in a circle.
    #[error("presets import one another in a circle: {}", chain.join(" -> "))]
    ImportCycle {
        /// The presets from the first to its return.
        chain: Vec<String>,
    },
    /// Imports multiply beyond reason.
    #[error("{preset} imports more than {limit} presets, counting repeated ones")]
    TooManyImports {
        /// The preset asked for.
        preset: String,
        /// How many are allowed.
        limit: usize,
    },
    /// A command-line override is malformed or does not fit the tree.
    #[error("{flag} {text}: {problem}; {example}")]
    BadOverride {
        /// The flag, with its dashes.
        flag: &'static str,
        /// The argument as written.
        text: String,
        /// What is wrong with it.
        problem: String,
        /// What a right one looks like.
        example: &'static str,
    },
    /// Keys that mean nothing, one line each.
    #[error("{}", lines(.0))]
    UnknownKeys(Vec<UnknownKey>),
    /// A value of the wrong type or out of its range.
    #[error("{}{origin}: {problem}", place(key))]
    Invalid {
        /// Dotted path of the key; empty for the whole configuration.
        key: String,
        /// Where its value came from.
        origin: Provenance,
        /// What is wrong with it.
        problem: String,
    },
    /// A value cannot be written as YAML that reads back.
    #[error("cannot write the configuration as YAML: {0}")]
    Unwritable(String),
}

/// A key that means nothing where it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown key `{key}` in {origin}{}", hint(suggestion, "valid keys here", valid))]
pub struct UnknownKey {
    /// Its dotted path.
    pub key: String,
    /// Where it was written.
    pub origin: Provenance,
    /// The closest valid key: a sibling by its name, one elsewhere by its dotted path.
    pub suggestion: Option<String>,
    /// Every valid key at this place.
    pub valid: Vec<String>,
}

fn by(importer: &Option<Provenance>) -> String {
    importer.as_ref().map(|origin| format!(", imported by {origin}")).unwrap_or_default()
}

/// What may have been meant.
fn meant(near: &[String]) -> String {
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    match near.split_last() {
        None => ";".into(),
        Some((only, [])) => format!(": did you mean {only}?"),
        Some((last, others)) => format!(": did you mean {} or {last}?", others.join(", ")),
    }
}

/// The closest name if there is one, then all of them.
fn hint(suggestion: &Option<String>, label: &str, names: &[String]) -> String {
    let names = if names.is_empty() { "none".into() } else { names.join(", ") };
    match suggestion {
        Some(name) => format!(": did you mean `{name}`? {label}: {names}"),
        None => format!("; {label}: {names}"),
    }
}

fn position(line: &Option<u64>, column: &Option<u64>) -> String {
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    let column = column.map(|column| format!(", column {column}")).unwrap_or_default();
    line + &column
}

fn place(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!("{key} in ") }
}

fn lines(keys: &[UnknownKey]) -> String {
    keys.iter().map(UnknownKey::to_string).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> Provenance {
        Provenance::text("preset classic/cartpole").at(4)
    }

    #[test]
    fn an_unknown_key_reads_like_a_sentence() {
        let mut key = UnknownKey {
            key: "ppo.minbatch".into(),
            origin: origin(),
            suggestion: Some("minibatch".into()),
            valid: vec!["epochs".into(), "minibatch".into()],
        };
        assert_eq!(
            key.to_string(),
            "unknown key `ppo.minbatch` in preset classic/cartpole (line 4): \
             did you mean `minibatch`? valid keys here: epochs, minibatch"
        );
        key.suggestion = None;
        assert_eq!(
            key.to_string(),
            "unknown key `ppo.minbatch` in preset classic/cartpole (line 4); \
             valid keys here: epochs, minibatch"
        );
        let two = ConfigError::UnknownKeys(vec![key.clone(), key]).to_string();
        assert_eq!(two.lines().count(), 2);
    }

    #[test]
    fn an_unknown_preset_names_the_near_ones() {
        let error = |importer, near: &[&str]| {
            let near = near.iter().map(|name| name.to_string()).collect();
            let (name, embedded) = ("cartpol".into(), true);
            ConfigError::UnknownPreset { name, importer, near, embedded }.to_string()
        };
        assert_eq!(
            error(None, &["cartpole"]),
            "no preset and no file called `cartpol`: did you mean `cartpole`? \
             `lanista games` lists the presets"
        );
        assert_eq!(
            error(None, &["a", "b", "c"]),
            "no preset and no file called `cartpol`: did you mean `a`, `b` or `c`? \
             `lanista games` lists the presets"
        );
        assert_eq!(
            error(Some(origin()), &[]),
            "no preset and no file called `cartpol`, imported by preset classic/cartpole (line 4); \
             `lanista games` lists the presets"
        );
    }

    #[test]
    fn a_whole_configuration_has_no_key() {
        let error = ConfigError::Invalid {
            key: String::new(),
            origin: Provenance::text("my.yml"),
            problem: "missing field `game`".into(),
        };
        assert_eq!(error.to_string(), "my.yml: missing field `game`");
    }

    #[test]
    fn errors_cross_threads() {
        fn check<T: std::error::Error + Send + Sync + 'static>() {}
        check::<ConfigError>();
    }
}
