//! Embeds the files of the page, so that the program needs nothing beside it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Endings of files that a browser gets. Others are for people: notes, sources of tests.
const SERVED: [&str; 6] = ["html", "css", "js", "svg", "png", "ico"];
/// Directories that are for those who work on the page.
const ASIDE: [&str; 4] = ["dev", "node_modules", "test", "tests"];

fn main() {
    let package = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = package.join("web");
    let watched = if root.is_dir() { root.clone() } else { package.join("Cargo.toml") };
    println!("cargo::rerun-if-changed={}", watched.display());
    let mut found = Vec::new();
    walk(&root, &mut found);
    found.sort();
    let mut code = String::from("&[\n");
    for path in found {
        let name = path.strip_prefix(&root).expect("found under it").to_string_lossy();
        let name = name.replace('\\', "/");
        writeln!(code, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())
            .expect("a string takes it");
    }
    code.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo")).join("web.rs");
    fs::write(out, code).expect("cargo's own directory can be written");
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !ASIDE.contains(&name.as_str()) && !name.starts_with('.') {
                walk(&path, found);
            }
        } else if path.extension().is_some_and(|e| SERVED.iter().any(|served| e == *served)) {
            found.push(path);
        }
    }
}
