//! Which modules of a crate use which others, read off the crate's sources.
//!
//! A module is one at the top of a crate: its file and its folder together. Names that the root of the
//! crate re-exports lead to the module that has them. What only tests are made of does not count.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use super::tokens::{is_name, tokens};

/// The files of a crate, from its `src`, with their texts.
pub type Sources = BTreeMap<PathBuf, String>;

/// Who uses whom, and in which files.
type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<PathBuf>>>;

/// The modules of a crate that use each other in a circle, each as text. A module is in one of them at
/// most: the shortest through it.
pub fn circles(sources: &Sources) -> Vec<String> {
    let uses = uses(sources);
    let mut told: BTreeSet<&String> = BTreeSet::new();
    let mut circles = Vec::new();
    for module in uses.keys() {
        let Some(circle) = shortest(&uses, module).filter(|_| !told.contains(module)) else {
            continue;
        };
        let mut text = module.clone();
        for (from, to) in circle.iter().zip(circle.iter().skip(1)) {
            let files: Vec<String> =
                uses[*from][*to].iter().map(|file| file.display().to_string()).collect();
            text += &format!(" -> {to} (in {})", files.join(", "));
        }
        told.extend(circle);
        circles.push(text);
    }
    circles
}

/// The shortest way from a module back to itself.
fn shortest<'a>(uses: &'a Uses, module: &'a String) -> Option<Vec<&'a String>> {
    let mut before: BTreeMap<&String, &String> = BTreeMap::new();
    let mut next = VecDeque::from([module]);
    while let Some(from) = next.pop_front() {
        for to in uses.get(from).into_iter().flat_map(BTreeMap::keys) {
            if to == module {
                let mut way = vec![module, from];
                while let Some(earlier) = way.last().and_then(|last| before.get(*last)) {
                    way.push(earlier);
                }
                way.reverse();
                return Some(way);
            }
            if !before.contains_key(to) {
                before.insert(to, from);
                next.push_back(to);
            }
        }
    }
    None
}

fn uses(sources: &Sources) -> Uses {
    let shipped: BTreeMap<&Path, Vec<String>> = sources
        .iter()
        .filter(|(path, _)| !is_of_tests(path))
        .map(|(path, text)| (path.as_path(), without_tests(tokens(text))))
        .collect();
    let root = Root::new(&shipped);
    let mut uses = Uses::new();
    for (path, tokens) in &shipped {
        let Some(module) = top(path).filter(|module| root.modules.contains(module)) else {
            continue;
        };
        for name in named_at_the_root(tokens, depth(path)) {
            for used in root.modules_of(&name, &shipped) {
                if used != module {
                    let files = uses.entry(module.clone()).or_default().entry(used).or_default();
                    files.insert(path.to_path_buf());
                }
            }
        }
    }
    uses
}

fn is_of_tests(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem == "tests" || stem.ends_with("_tests")
}

fn is_root(path: &Path) -> bool {
    path == Path::new("lib.rs") || path == Path::new("main.rs")
}

/// The module at the top that a file belongs to.
fn top(path: &Path) -> Option<String> {
    let first = path.components().next().filter(|_| !is_root(path))?;
    Some(Path::new(&first).file_stem()?.to_string_lossy().into_owned())
}

/// How many modules deep a file is: one at the top of a crate is 1 deep.
fn depth(path: &Path) -> usize {
    path.components().count() - usize::from(path.ends_with("mod.rs"))
}

/// What the root of a crate makes known.
struct Root {
    /// The modules that are shipped.
    modules: BTreeSet<String>,
    /// The module that a name is re-exported from.
    origins: BTreeMap<String, String>,
    /// Modules of which everything is.
    whole: Vec<String>,
}

impl Root {
    fn new(shipped: &BTreeMap<&Path, Vec<String>>) -> Self {
        let (mut modules, mut names) = (BTreeSet::new(), Vec::new());
        for (_, tokens) in shipped.iter().filter(|(path, _)| is_root(path)) {
            for (at, token) in tokens.iter().enumerate() {
                match token.as_str() {
                    "mod" => modules.extend(tokens.get(at + 1).cloned()),
                    "use" => {
                        tree(&tokens[at + 1..], &mut Vec::new(), &mut names);
                    }
                    _ => {}
                }
            }
        }
        let (mut origins, mut whole) = (BTreeMap::new(), Vec::new());
        for path in names {
            let mut path = path.iter().filter(|part| *part != "crate" && *part != "self");
            let (Some(first), Some(last)) = (path.next(), path.next_back()) else { continue };
            if !modules.contains(first) {
                continue; // of another crate
            } else if last == "*" {
                whole.push(first.clone());
            } else {
                origins.insert(last.clone(), first.clone());
            }
        }
        Self { modules, origins, whole }
    }

    /// The modules that a name at the root leads to.
    fn modules_of(&self, name: &str, shipped: &BTreeMap<&Path, Vec<String>>) -> Vec<String> {
        if name == "*" {
            return self.modules.iter().cloned().collect(); // whatever it means, it may be any of them
        }
        if self.modules.contains(name) {
            return vec![name.to_owned()];
        }
        let declares = |module: &&String| {
            let kinds =
                ["struct", "enum", "union", "trait", "type", "fn", "const", "static", "mod"];
            let own = shipped.iter().filter(|(path, _)| top(path).as_ref() == Some(*module));
            own.flat_map(|(_, tokens)| tokens.windows(2))
                .any(|pair| kinds.contains(&pair[0].as_str()) && pair[1] == name)
        };
        let origin = self.origins.get(name).or_else(|| self.whole.iter().find(declares));
        origin.into_iter().cloned().collect()
    }
}

/// The names that a file takes from the root of its crate: the first part of every path after `crate`,
/// or after as many `super` as that place is deep.
fn named_at_the_root(tokens: &[String], depth: usize) -> BTreeSet<String> {
    let mut paths = Vec::new();
    // The blocks around the present token, and those of them that are modules.
    let (mut blocks, mut modules) = (0i32, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        let rest = &tokens[at..];
        match token.as_str() {
            "{" => {
                if at >= 2 && tokens[at - 2] == "mod" {
                    modules.push(blocks);
                }
                blocks += 1;
            }
            "}" => {
                blocks -= 1;
                modules.pop_if(|module| *module == blocks);
            }
            "crate" if rest.get(1).is_some_and(|next| next == "::") => {
                tree(&rest[2..], &mut Vec::new(), &mut paths);
            }
            "super" if at == 0 || tokens[at - 1] != "::" => {
                let ups = rest.chunks(2).take_while(|pair| *pair == ["super", "::"]).count();
                if ups >= depth + modules.len() {
                    tree(&rest[2 * ups..], &mut Vec::new(), &mut paths);
                }
            }
            _ => {}
        }
    }
    paths.into_iter().filter_map(|path| path.into_iter().next()).collect()
}

/// The paths of a tree such as `a::{b, c::d as e}`; the last part is the name they are known by. Returns
/// how many tokens it took.
fn tree(tokens: &[String], before: &mut Vec<String>, paths: &mut Vec<Vec<String>>) -> usize {
    let (deep, mut at) = (before.len(), 0);
    while let Some(token) = tokens.get(at) {
        // Behind a name, anything but a colon belongs to what the path stands in.
        let goes_on = at == 0 || tokens[at - 1] == "::";
        match token.as_str() {
            "::" => at += 1,
            "{" if goes_on => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token != "}") {
                    let taken = tree(&tokens[at..], before, paths);
                    at += taken.max(1); // a comma
                }
                before.truncate(deep);
                return at + 1;
            }
            "as" => {
                before.push(tokens.get(at + 1).cloned().unwrap_or_default());
                at += 2;
            }
            name if goes_on && (name == "*" || is_name(name)) => {
                before.push(name.to_owned());
                at += 1;
            }
            _ => break,
        }
    }
    if before.len() > deep {
        paths.push(before.clone());
    }
    before.truncate(deep);
    at
}

/// Drops every item under `#[cfg(test)]`.
fn without_tests(tokens: Vec<String>) -> Vec<String> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if tokens[at..].iter().take(MARK.len()).eq(MARK) {
            at += MARK.len();
            at += item(&tokens[at..]);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// How many tokens an item has, with its attributes: up to a semicolon or the end of a block.
fn item(tokens: &[String]) -> usize {
    let mut deep = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "(" | "[" | "{" => deep += 1,
            ")" | "]" | "}" if deep == 0 => return at, // the end of what it is in
            "}" if deep == 1 => return at + 1,
            ")" | "]" | "}" => deep -= 1,
            ";" if deep == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

fn made_up(files: &[(&str, &str)]) -> Vec<String> {
    circles(&files.iter().map(|(path, text)| (path.into(), (*text).to_owned())).collect())
}

const ROOT: (&str, &str) = (
    "lib.rs",
    "mod a; pub mod b; mod c; #[cfg(test)] mod testing; pub use a::{Deep, inner::Other as Another};
     pub use c::*; use b::Private;",
);

#[test]
fn a_tree_without_circles_is_sound() {
    let sound = [
        ROOT,
        ("a.rs", "mod own; use own::X; pub fn f() { let _ = \"crate::b\"; } // crate::b"),
        ("a/own.rs", "use super::Y; use crate::a::Z; /* crate::b /* nested */ crate::c */"),
        ("b.rs", "use crate::{Deep, Entry}; use std::fmt; fn f<'a>(x: &'a str) -> char { '\"' }"),
        ("c/mod.rs", "use crate::b; pub struct C; pub(crate) fn f() {}"),
        ("testing.rs", "use crate::a; use crate::b;"),
        ("a/more_tests.rs", "use crate::c::C;"),
    ];
    assert_eq!(made_up(&sound), [""; 0]);
    let tested =
        "#[cfg(test)]\nmod tests { use crate::c; fn f() { {} } }\n#[cfg(test)] use crate::b;";
    let mut with_tests = sound.to_vec();
    with_tests.push(("a/tested.rs", tested));
    assert_eq!(made_up(&with_tests), [""; 0]);
}

#[test]
fn circles_are_named_with_their_files() {
    let found = made_up(&[
        ROOT,
        ("a.rs", "mod own;"),
        ("a/own.rs", "use crate::{b::{X, Y}, fmt};"),
        ("b.rs", "fn f() -> crate::c::C {}"),
        ("c.rs", "use crate::Deep;"),
    ]);
    assert_eq!(found, ["a -> b (in a/own.rs) -> c (in b.rs) -> a (in c.rs)"]);
}

#[test]
fn every_way_to_name_another_module_counts() {
    for (path, text) in [
        ("b.rs", "use crate::a;"),
        ("b.rs", "use crate::{c::{self, X}, a as first};"),
        ("b.rs", "pub(in crate::a) fn f() {}"),
        ("b.rs", "fn f() { crate::a::g::<u8>() }"),
        ("b.rs", "use crate::Another;"),
        ("b.rs", "use super::a;"),
        ("b.rs", "use super::{Deep};"),
        ("b/mod.rs", "use super::a::X;"),
        ("b/deep.rs", "use super::super::a::X;"),
        ("b.rs", "mod c { fn f() {} use super::super::a::X; }"),
        ("b.rs", "mod c { fn f() {} } use super::a::X;"),
        ("b.rs", "#[cfg(test)] mod tests; use crate::a;"),
        ("b.rs", "#[cfg(test)] mod tests {} impl X { fn f() { crate::a::g() } }"),
        ("b.rs", "use crate::*;"),
    ] {
        for back in ["use crate::b::X;", "use crate::Private;"] {
            let found = made_up(&[ROOT, ("a.rs", back), (path, text)]);
            assert_eq!(found.len(), 1, "{text} and {back}: {found:?}");
        }
    }
    let by_all_of_it = [ROOT, ("b.rs", "use crate::C;"), ("c.rs", "use crate::b; pub struct C;")];
    assert_eq!(made_up(&by_all_of_it).len(), 1);
}

#[test]
fn a_module_may_use_itself() {
    let own = [
        ROOT,
        ("a.rs", "use crate::a::own::X; use crate::Deep; mod c { use super::*; }"),
        ("a/own.rs", "use super::Y;"),
    ];
    assert_eq!(made_up(&own), [""; 0]);
}
