//! Embeds the presets, so that an installed program has them, and the commit it is built from.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let commit = commit().map_or(String::new(), |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=LANISTA_COMMIT={commit}");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo"))
        .join("../../presets")
        .canonicalize()
        .expect("presets/ stands beside crates/");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut found = Vec::new();
    walk(&root, &mut found);
    // By name: an ending would stand before a longer name.
    found.sort_by_key(|path| path.with_extension(""));
    let mut code = String::from("&[\n");
    for path in found {
        let relative = path.strip_prefix(&root).expect("found under it").with_extension("");
        let name = relative.to_string_lossy().replace('\\', "/");
        writeln!(code, "    ({name:?}, include_str!({:?})),", path.display().to_string())
            .expect("a string takes it");
    }
    code.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo")).join("presets.rs");
    fs::write(out, code).expect("cargo's own directory can be written");
}

/// The first digits of the commit that is checked out; nothing outside of a repository, such as in
/// an unpacked archive. Read from the files of git, so that building needs no git.
fn commit() -> Option<String> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").ok()?).join("../..");
    let mut git = root.join(".git");
    if git.is_file() {
        // A second work tree of a repository: the file says where its part of the repository is.
        let text = fs::read_to_string(&git).ok()?;
        git = root.join(text.strip_prefix("gitdir:")?.trim());
    }
    let shared = match fs::read_to_string(git.join("commondir")) {
        Ok(relative) => git.join(relative.trim()),
        Err(_) => git.clone(),
    };
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
    let mut watched = vec![git.join("HEAD"), shared.join("packed-refs")];
    let hash = match head.trim().strip_prefix("ref:").map(str::trim) {
        None => head.trim().to_owned(),
        Some(name) => {
            watched.push(shared.join(name));
            match fs::read_to_string(shared.join(name)) {
                Ok(hash) => hash.trim().to_owned(),
                Err(_) => packed(&shared.join("packed-refs"), name)?,
            }
        }
    };
    // A file that is not there would make cargo build anew every time.
    for path in watched.iter().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let hex = hash.len() >= 40 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then(|| hash[..10].to_owned())
}

/// A branch among those that git keeps in one file.
fn packed(path: &Path, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.split(' ').nth(1) == Some(name))?;
    line.split(' ').next().map(str::to_owned)
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("presets can be read") {
        let path = entry.expect("presets can be read").path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "yml") {
            found.push(path);
        }
    }
}
