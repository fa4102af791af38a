//! Finds presets, follows their imports and merges them in order.

use super::error::ConfigError;
use super::nearest::several_nearest;
use super::node::{Map, Node, Provenance, Value};
use super::yaml::{self, MAX_BYTES};
use serde_json::Value as Json;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Presets that import twice what imports twice grow as a power of two; this ends it.
const MAX_LOADS: usize = 100;

/// How many presets are named when none goes by the name that was given.
const NEAR: usize = 3;

/// Merges a preset and all it imports; returns the tree and the names of its parts in order.
pub(super) fn gather(
    preset: &str,
    library: &[(&str, &str)],
) -> Result<(Node, Vec<String>), ConfigError> {
    let mut loader = Loader { preset, library, stack: Vec::new(), sources: Vec::new(), loads: 0 };
    let place = loader
        .file(Path::new(preset))
        .or_else(|| loader.embedded(preset))
        .ok_or_else(|| loader.unknown(preset, None))?;
    let root = loader.load(place)?;
    Ok((root, loader.sources))
}

/// Where a preset lies.
enum Place {
    /// A path as written, and its one canonical form.
    File { path: PathBuf, unique: PathBuf },
    /// An index into the library.
    Embedded(usize),
}

impl Place {
    fn is(&self, other: &Place) -> bool {
        match (self, other) {
            (Place::File { unique: a, .. }, Place::File { unique: b, .. }) => a == b,
            (Place::Embedded(a), Place::Embedded(b)) => a == b,
            _ => false,
        }
    }
}

struct Loader<'a> {
    preset: &'a str,
    library: &'a [(&'a str, &'a str)],
    /// The presets being loaded: each imports the next.
    stack: Vec<Place>,
    sources: Vec<String>,
    loads: usize,
}

impl Loader<'_> {
    fn file(&self, path: &Path) -> Option<Place> {
        path.is_file().then(|| Place::File {
            path: path.to_owned(),
            unique: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        })
    }

    fn embedded(&self, name: &str) -> Option<Place> {
        let name = plain(name);
        self.library.iter().position(|(known, _)| *known == name).map(Place::Embedded)
    }

    fn unknown(&self, name: &str, importer: Option<Provenance>) -> ConfigError {
        let wanted = plain(name);
        let names = || self.library.iter().map(|(known, _)| *known);
        // `rocket` alone stands for the presets of that folder.
        let folder = format!("{}/", wanted.trim_end_matches('/'));
        let mut near: Vec<&str> = names().filter(|known| known.starts_with(&folder)).collect();
        if near.is_empty() {
            near = several_nearest(&wanted, names(), NEAR);
        }
        let near = near.into_iter().take(NEAR).map(Into::into).collect();
        let embedded = !self.library.is_empty();
        ConfigError::UnknownPreset { name: name.into(), importer, near, embedded }
    }

    fn name(&self, place: &Place) -> String {
        match place {
            Place::File { path, .. } => path.display().to_string(),
            Place::Embedded(index) => format!("preset {}", self.library[*index].0),
        }
    }

    /// Loads one preset on top of its imports.
    fn load(&mut self, place: Place) -> Result<Node, ConfigError> {
        if let Some(first) = self.stack.iter().position(|open| open.is(&place)) {
            let circle = self.stack[first..].iter().chain([&place]);
            return Err(ConfigError::ImportCycle {
                chain: circle.map(|place| self.name(place)).collect(),
            });
        }
        self.loads += 1;
        if self.loads > MAX_LOADS {
            let preset = self.preset.into();
            return Err(ConfigError::TooManyImports { preset, limit: MAX_LOADS });
        }

        let name = self.name(&place);
        let mut own = match &place {
            Place::File { path, .. } => parse(&read(path)?, &name)?,
            Place::Embedded(index) => parse(self.library[*index].1, &name)?,
        };
        let imports = take_imports(&mut own)?;
        let mut root = Node { value: Value::Map(Map::new()), origin: own.origin.clone() };
        self.stack.push(place);
        for (import, origin) in imports {
            let place = self.find(&import, origin)?;
            root.merge(self.load(place)?);
        }
        self.stack.pop();
        root.merge(own);
        self.sources.push(name);
        Ok(root)
    }

    /// Finds what the preset on top of the stack imports.
    fn find(&self, import: &str, origin: Provenance) -> Result<Place, ConfigError> {
        let beside = match self.stack.last() {
            Some(Place::File { path: importer, .. }) => {
                let path = importer.parent().unwrap_or(Path::new("")).join(import);
                let with = |ending: &str| {
                    let mut path = path.clone().into_os_string();
                    path.push(ending);
                    self.file(Path::new(&path))
                };
                with("").or_else(|| with(".yml")).or_else(|| with(".yaml"))
            }
            _ => None,
        };
        beside.or_else(|| self.embedded(import)).ok_or_else(|| self.unknown(import, Some(origin)))
    }
}

/// The name of an embedded preset, whichever way its path was written.
fn plain(name: &str) -> String {
    let name = name.trim().replace('\\', "/");
    let name = name.strip_prefix("./").unwrap_or(&name);
    let name = name.strip_prefix("presets/").unwrap_or(name);
    let end = [".yml", ".yaml"].iter().find_map(|ending| name.strip_suffix(ending));
    end.unwrap_or(name).to_owned()
}

fn read(path: &Path) -> Result<String, ConfigError> {
    let mut text = String::new();
    // One byte above the limit is enough for the parser to refuse the rest.
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_string(&mut text))
        .map_err(|error| ConfigError::Unreadable {
            path: path.to_owned(),
            problem: error.to_string(),
        })?;
    Ok(text)
}

/// Parses a preset: a map, or nothing at all.
fn parse(text: &str, name: &str) -> Result<Node, ConfigError> {
    let mut node = yaml::parse(text, &Provenance::text(name))?;
    match node.value {
        Value::Map(_) => {}
        Value::Scalar(Json::Null) => node.value = Value::Map(Map::new()),
        _ => {
            return Err(ConfigError::NotAMap { source_name: name.into(), found: node.kind() });
        }
    }
    Ok(node)
}

/// Takes `import` out of a preset: it says how to build the tree and is no part of it.
fn take_imports(preset: &mut Node) -> Result<Vec<(String, Provenance)>, ConfigError> {
    let Value::Map(map) = &mut preset.value else { return Ok(Vec::new()) };
    let Some(import) = map.remove("import") else { return Ok(Vec::new()) };
    let items = match import.value {
        Value::Scalar(Json::Null) => Vec::new(),
        Value::List(items) => items,
        _ => vec![import],
    };
    items
        .into_iter()
        .map(|item| match item.value {
            Value::Scalar(Json::String(name)) => Ok((name, item.origin)),
            _ => Err(ConfigError::BadImport { found: item.kind(), origin: item.origin }),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    const LIBRARY: [(&str, &str); 6] = [
        ("base", "a: 1\nb: {c: 2, d: 3}\n"),
        ("classic/child", "import: base\nb: {c: 4}\n"),
        ("classic/list", "import: [base, classic/child]\ne: 5\n"),
        ("loop/a", "import: loop/b"),
        ("loop/b", "x: 1\nimport: [base, loop/c]"),
        ("loop/c", "import: loop/a"),
    ];

    fn tree(preset: &str) -> Json {
        gather(preset, &LIBRARY).unwrap().0.to_json()
    }

    fn problem(preset: &str, library: &[(&str, &str)]) -> String {
        gather(preset, library).unwrap_err().to_string()
    }

    /// A directory that goes with the test.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let name = format!("lanista-presets-{}-{name}", std::process::id());
            let scratch = Self(std::env::temp_dir().join(name));
            for (file, text) in files {
                let path = scratch.0.join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            scratch
        }

        fn path(&self, file: &str) -> String {
            self.0.join(file).display().to_string()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn imports_come_first_and_in_order() {
        assert_eq!(tree("classic/child"), json!({"a": 1, "b": {"c": 4, "d": 3}}));
        assert_eq!(tree("classic/list"), json!({"a": 1, "b": {"c": 4, "d": 3}, "e": 5}));
        let (root, sources) = gather("classic/child", &LIBRARY).unwrap();
        assert_eq!(sources, ["preset base", "preset classic/child"]);
        assert_eq!(root.follow(&["b", "d"]).0.origin.to_string(), "preset base (line 2)");
        assert_eq!(root.follow(&["b", "c"]).0.origin.to_string(), "preset classic/child (line 2)");
    }

    #[test]
    fn names_forgive_their_path() {
        for name in ["presets/classic/child", "classic/child.yml", "./presets/classic/child.yaml"] {
            assert_eq!(tree(name), tree("classic/child"), "{name}");
        }
    }

    #[test]
    fn an_unknown_preset_shows_the_near_ones() {
        let library = &LIBRARY[..2];
        assert_eq!(
            problem("chld", library),
            "no preset and no file called `chld`: did you mean `classic/child`? \
             `lanista games` lists the presets"
        );
        assert_eq!(
            problem("x", &[("x", "a: 1\nimport: zebra")]),
            "no preset and no file called `zebra`, imported by preset x (line 2); \
             `lanista games` lists the presets"
        );
        assert!(problem("loop", &LIBRARY).contains("`loop/a`, `loop/b` or `loop/c`?"));
    }

    #[test]
    fn a_circle_shows_its_chain() {
        assert_eq!(
            problem("loop/a", &LIBRARY),
            "presets import one another in a circle: \
             preset loop/a -> preset loop/b -> preset loop/c -> preset loop/a"
        );
        assert!(problem("x", &[("x", "import: x")]).ends_with("preset x -> preset x"));
    }

    #[test]
    fn imports_cannot_multiply_without_end() {
        let texts: Vec<(String, String)> = (0..40)
            .map(|i| (format!("p{i}"), format!("import: [p{}, p{}]", i + 1, i + 1)))
            .collect();
        let mut library: Vec<_> = texts.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
        library.push(("p40", ""));
        assert!(problem("p0", &library).starts_with("p0 imports more than"));
    }

    #[test]
    fn presets_are_maps_and_imports_are_names() {
        assert_eq!(gather("x", &[("x", "# nothing")]).unwrap().0.to_json(), json!({}));
        assert_eq!(gather("x", &[("x", "import:\na: 1")]).unwrap().0.to_json(), json!({"a": 1}));
        assert_eq!(
            problem("x", &[("x", "- a\n")]),
            "preset x: a preset is a map of keys such as `game: cartpole`, found a list"
        );
        assert_eq!(
            problem("x", &[("x", "import: [x, 3]\n")]),
            "`import` in preset x (line 1) takes a preset or a list of presets, found a number"
        );
    }

    #[test]
    fn files_win_over_names_and_import_their_neighbours() {
        let files = [
            ("my.yml", "import: [base, sub/more, ../outer.yaml]\nb: {c: 9}\n"),
            ("sub/more.yml", "import: side.yml\nf: 6\n"),
            ("sub/side.yml", "g: 7\n"),
            ("base.yml", "a: from a file\n"),
        ];
        let scratch = Scratch::new("in", &[("outer.yaml", "h: 8"), ("in/keep", "")]);
        for (file, text) in files {
            let path = scratch.0.join("in").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let (root, sources) = gather(&scratch.path("in/my.yml"), &LIBRARY).unwrap();
        assert_eq!(
            root.to_json(),
            json!({"a": "from a file", "b": {"c": 9}, "f": 6, "g": 7, "h": 8}),
            "a neighbour wins over an embedded preset of the same name"
        );
        assert_eq!(sources.len(), 5);
        assert_eq!(
            root.follow(&["g"]).0.origin.to_string(),
            format!("{} (line 1)", scratch.path("in/sub/side.yml"))
        );
    }

    #[test]
    fn files_import_embedded_presets() {
        let scratch = Scratch::new("embedded", &[("my.yml", "import: classic/child\nz: 1\n")]);
        let tree = gather(&scratch.path("my.yml"), &LIBRARY).unwrap().0.to_json();
        assert_eq!(tree, json!({"a": 1, "b": {"c": 4, "d": 3}, "z": 1}));
    }

    #[test]
    fn files_in_a_circle_are_recognised_under_any_path() {
        let files = [("a.yml", "import: sub/b.yml"), ("sub/b.yml", "import: ../sub/../a.yml")];
        let scratch = Scratch::new("circle", &files);
        assert!(problem(&scratch.path("a.yml"), &[]).contains("in a circle"));
    }

    #[test]
    fn broken_files_are_named() {
        let scratch = Scratch::new("broken", &[("a.yml", "a: [1\n")]);
        assert!(problem(&scratch.path("a.yml"), &[]).starts_with(&scratch.path("a.yml")));
        fs::write(scratch.path("b.yml"), [0xff, 0xfe, 0xff]).unwrap();
        let text = problem(&scratch.path("b.yml"), &[]);
        assert!(text.starts_with(&format!("cannot read {}: ", scratch.path("b.yml"))), "{text}");
        fs::write(scratch.path("c.yml"), "a".repeat(MAX_BYTES * 2)).unwrap();
        assert!(problem(&scratch.path("c.yml"), &[]).contains("this is no preset"));
        assert!(problem(&scratch.path("none.yml"), &LIBRARY).contains("no file called"));
    }
}
