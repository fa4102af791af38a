//! Embeds the presets, so that whoever is installed with this crate has them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
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
