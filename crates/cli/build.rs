//! Tells the program which commit it is built from.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let commit = commit().map_or(String::new(), |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=LANISTA_COMMIT={commit}");
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
