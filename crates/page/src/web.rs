//! The files of the page: embedded in the program, or read from a directory while one works on them.

use std::path::{Path, PathBuf};

/// The embedded files: name below `web/`, and bytes.
static EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web.rs"));

/// What is shown when the page itself is missing.
const NOTHING: &[u8] = b"<!doctype html><html lang=\"en\"><title>lanista</title>\
<p>This program was built without its page. The data are under <a href=\"/api/runs\">/api/runs</a>.</p></html>";

/// The most files of a directory that are served.
const MOST_FILES: usize = 2000;

/// The files of the page.
#[derive(Clone, Debug, Default)]
pub struct Web {
    /// Read them from here instead.
    pub directory: Option<PathBuf>,
}

/// A file for a browser.
pub struct Served {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What it is.
    pub kind: &'static str,
}

impl Web {
    /// A file by its name. The name is compared with those of a list and never opened itself.
    pub fn file(&self, name: &str) -> Option<Served> {
        let kind = kind(name)?;
        let bytes = match &self.directory {
            Some(root) => {
                let mut found = Vec::new();
                list(root, root, &mut found);
                let (_, path) = found.into_iter().find(|(known, _)| known == name)?;
                std::fs::read(path).ok()?
            }
            None => match EMBEDDED.iter().find(|(known, _)| *known == name) {
                Some((_, bytes)) => bytes.to_vec(),
                None if name == "index.html" => NOTHING.to_vec(),
                None => return None,
            },
        };
        Some(Served { bytes, kind })
    }
}

fn list(root: &Path, directory: &Path, found: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if found.len() >= MOST_FILES {
            return;
        }
        // Links lead out of the directory.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => list(root, &path, found),
            Ok(kind) if kind.is_file() => {
                if let Ok(name) = path.strip_prefix(root) {
                    found.push((name.to_string_lossy().replace('\\', "/"), path));
                }
            }
            _ => {}
        }
    }
}

fn kind(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" => "application/json",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_list_are_served() {
        assert!(Web::default().file("index.html").is_some());
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("web");
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::write(root.join("a/b.js"), "1").unwrap();
        std::fs::write(directory.path().join("secret.html"), "2").unwrap();
        let web = Web { directory: Some(root.clone()) };
        assert_eq!(web.file("a/b.js").unwrap().bytes, b"1");
        for name in ["../secret.html", "a/../../secret.html", "/a/b.js", "a//b.js", "b.js", "a"] {
            assert!(web.file(name).is_none(), "{name}");
            assert!(Web::default().file(name).is_none(), "{name}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(directory.path().join("secret.html"), root.join("l.html"))
                .unwrap();
            assert!(web.file("l.html").is_none(), "a link leads out");
        }
    }
}
