//! Where the simulator is installed, and how it gets there.
//!
//! Battles are played by one version of Pokémon Showdown, the one whose facts [`crate::dex`] has. It lies in a
//! directory that the settings or the environment name, or in the cache of the user, where [`setup()`] puts it.
//! Nothing is downloaded but by [`setup()`].

mod setup;

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde::Deserialize;

pub use setup::{setup, setup_from};

use crate::dex;

/// The environment variable that names a directory with an install.
pub const VARIABLE: &str = "LANISTA_SHOWDOWN";

/// The oldest node that runs the simulator and the host.
const OLDEST_NODE: u32 = 18;

/// An install of the simulator that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Install {
    /// Where it was found: the directory that holds `node_modules`, or the package itself.
    pub directory: PathBuf,
    /// The package, which node can `require`: an absolute path.
    pub package: PathBuf,
    /// What runs node.
    pub node: PathBuf,
}

/// Why there is none, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no node.
    #[error(
        "node is not installed, or not on the PATH, and battles are played by it: install Node.js \
         {OLDEST_NODE} or newer (https://nodejs.org, or the package `nodejs` of the system)"
    )]
    NoNode,
    /// Node is too old.
    #[error(
        "node is version {0}, and battles need {OLDEST_NODE} or newer: install a newer Node.js \
         (https://nodejs.org)"
    )]
    OldNode(String),
    /// Node is there and does not answer.
    #[error(
        "`node --version` does not work ({0}): install Node.js {OLDEST_NODE} or newer (https://nodejs.org)"
    )]
    BrokenNode(String),
    /// There is no npm.
    #[error(
        "npm is not installed, or not on the PATH: it comes with Node.js (https://nodejs.org); or `lanista \
         vgc setup --from DIR` takes an install that was made elsewhere"
    )]
    NoNpm,
    /// Nothing is installed where it should be.
    #[error("there is no Pokémon Showdown in {}: `lanista vgc setup` installs it", .0.display())]
    Missing(PathBuf),
    /// The place that the settings or the environment name holds none.
    #[error(
        "there is no Pokémon Showdown in {}, which {named_by} names: `npm install pokemon-showdown@{} \
         --omit=optional --ignore-scripts` puts it there, or leave {named_by} out and run `lanista vgc setup`",
        .directory.display(), dex::version()
    )]
    NotThere {
        /// The place.
        directory: PathBuf,
        /// What named it.
        named_by: &'static str,
    },
    /// It is another version.
    #[error(
        "{} is Pokémon Showdown {found}, and battles are played with {}: `lanista vgc setup` installs that \
         one",
        .directory.display(), dex::version()
    )]
    Version {
        /// The install.
        directory: PathBuf,
        /// Its version.
        found: String,
    },
    /// What is there cannot be used.
    #[error("the Pokémon Showdown in {} is damaged ({why}): `lanista vgc setup` installs it anew", .directory.display())]
    Damaged {
        /// The install.
        directory: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Nobody knows where the cache is.
    #[error(
        "neither XDG_CACHE_HOME nor HOME names a directory for the cache: set one of them, or name an \
         install by {VARIABLE}"
    )]
    NoCache,
    /// The cache cannot be written.
    #[error(
        "cannot write {}: {source}; make it writable, set XDG_CACHE_HOME to a directory that is, or name an \
         install by {VARIABLE}",
        .path.display()
    )]
    Unwritable {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another setup runs.
    #[error("another `lanista vgc setup` is at work in {}: wait for it, or end it", .0.display())]
    Busy(PathBuf),
    /// Npm did not do it.
    #[error(
        "npm could not install pokemon-showdown@{}: {why}; is there a network? `lanista vgc setup --from DIR` \
         takes an install that was made elsewhere",
        dex::version()
    )]
    Npm {
        /// What it said.
        why: String,
    },
    /// Somebody stopped npm.
    #[error("the setup was interrupted, and nothing was changed: run `lanista vgc setup` again")]
    Interrupted,
}

/// Finds the install: where the settings say, else where [`VARIABLE`] says, else in the cache of the user. It
/// is checked to be the right version, with a node that can run it.
pub fn locate(setting: Option<&Path>) -> Result<Install, InstallError> {
    node()?;
    let variable = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = setting
        .map(|directory| (directory.to_owned(), "the setting `showdown`"))
        .or_else(|| variable.map(|directory| (directory, VARIABLE)));
    if let Some((directory, named_by)) = named {
        return at(&directory).map_err(|error| match error {
            InstallError::Missing(directory) => InstallError::NotThere { directory, named_by },
            other => other,
        });
    }
    let cache = cache()?;
    let directory = pointed_at(&cache)?.unwrap_or_else(|| installed_in(&cache));
    at(&directory)
}

/// The install in a directory: one that holds `node_modules/pokemon-showdown`, or the package itself.
pub fn at(directory: &Path) -> Result<Install, InstallError> {
    #[derive(Deserialize)]
    struct Package {
        name: String,
        version: String,
    }
    let damaged = |why: String| InstallError::Damaged { directory: directory.to_owned(), why };
    let inside = directory.join("node_modules").join("pokemon-showdown");
    let package = if inside.join("package.json").is_file() { inside } else { directory.to_owned() };
    let file = package.join("package.json");
    let text = match short_text(&file) {
        Ok(text) => text,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Err(InstallError::Missing(directory.to_owned()));
        }
        Err(error) => return Err(damaged(format!("{}: {error}", file.display()))),
    };
    let Package { name, version } = match serde_json::from_str(&text) {
        Ok(package) => package,
        // A directory of some other thing of node, which need not have a name.
        Err(_) if package == directory => return Err(InstallError::Missing(directory.to_owned())),
        Err(error) => return Err(damaged(format!("{}: {error}", file.display()))),
    };
    if name != "pokemon-showdown" {
        return Err(InstallError::Missing(directory.to_owned()));
    }
    if version != dex::version() {
        return Err(InstallError::Version { directory: directory.to_owned(), found: version });
    }
    let main = package.join("dist").join("sim").join("index.js");
    if !main.is_file() {
        return Err(damaged(format!("{} is missing", main.display())));
    }
    let package = package.canonicalize().map_err(|error| damaged(error.to_string()))?;
    Ok(Install { directory: directory.to_owned(), package, node: PathBuf::from("node") })
}

/// The text of a small file.
fn short_text(file: &Path) -> io::Result<String> {
    const MOST: u64 = 1 << 20;
    let mut text = String::new();
    std::fs::File::open(file)?.take(MOST).read_to_string(&mut text)?;
    Ok(text)
}

/// Is there a node that is new enough? It is asked once.
pub fn node() -> Result<(), InstallError> {
    static ANSWER: OnceLock<Result<String, Option<String>>> = OnceLock::new();
    let answer = ANSWER.get_or_init(|| {
        let asked = Command::new("node").arg("--version").stdin(Stdio::null()).output();
        match asked {
            Ok(output) if output.status.success() => {
                Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
            }
            Ok(output) => Err(Some(output.status.to_string())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(None),
            Err(error) => Err(Some(error.to_string())),
        }
    });
    match answer {
        Ok(version) => new_enough(version),
        Err(None) => Err(InstallError::NoNode),
        Err(Some(why)) => Err(InstallError::BrokenNode(why.clone())),
    }
}

/// `v20.20.2` is, `v16.4.0` is not.
fn new_enough(version: &str) -> Result<(), InstallError> {
    let digits = version.trim_start_matches('v').split('.').next().unwrap_or_default();
    match digits.parse::<u32>() {
        Ok(major) if major >= OLDEST_NODE => Ok(()),
        Ok(_) => Err(InstallError::OldNode(version.trim_start_matches('v').to_owned())),
        Err(_) => {
            let shown: String = version.chars().take(60).collect();
            Err(InstallError::BrokenNode(format!("it answered `{shown}`")))
        }
    }
}

/// The directory of the user's cache that is ours.
fn cache() -> Result<PathBuf, InstallError> {
    let of = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    cache_by(of).ok_or(InstallError::NoCache)
}

/// Where caches are: the XDG base directory specification, and Windows' own. A path that is not absolute
/// does not count.
fn cache_by(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let windows = || cfg!(windows).then(|| absolute("LOCALAPPDATA")).flatten();
    absolute("XDG_CACHE_HOME")
        .or_else(windows)
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("lanista").join("showdown"))
}

/// Where an install of ours lies in the cache.
fn installed_in(cache: &Path) -> PathBuf {
    cache.join(dex::version())
}

/// The file in the cache that names an install elsewhere.
fn pointer_in(cache: &Path) -> PathBuf {
    cache.join(format!("{}.from", dex::version()))
}

/// The install elsewhere that was taken, if one was.
fn pointed_at(cache: &Path) -> Result<Option<PathBuf>, InstallError> {
    let pointer = pointer_in(cache);
    match short_text(&pointer) {
        Ok(path) => Ok(Some(PathBuf::from(path.trim_end_matches('\n')))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(InstallError::Damaged { directory: pointer, why: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Something that looks like an install.
    fn pretend(directory: &Path, version: &str) -> PathBuf {
        let package = directory.join("node_modules/pokemon-showdown");
        std::fs::create_dir_all(package.join("dist/sim")).unwrap();
        std::fs::write(package.join("dist/sim/index.js"), "").unwrap();
        let json = format!(r#"{{"name": "pokemon-showdown", "version": "{version}", "x": []}}"#);
        std::fs::write(package.join("package.json"), json).unwrap();
        package
    }

    #[test]
    fn an_install_is_found_or_what_is_wrong_with_it_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let said = |path: &Path| at(path).unwrap_err().to_string();
        assert!(said(dir.path()).contains("lanista vgc setup"));
        assert!(said(&dir.path().join("no/where")).contains("there is no Pokémon Showdown in"));
        let package = pretend(dir.path(), dex::version());
        assert_eq!(at(dir.path()).unwrap().package, package.canonicalize().unwrap());
        assert_eq!(at(&package).unwrap().package, package.canonicalize().unwrap());
        std::fs::remove_file(package.join("dist/sim/index.js")).unwrap();
        assert!(said(dir.path()).contains("damaged"));
        pretend(dir.path(), "0.11.9");
        assert!(
            said(dir.path()).contains("Pokémon Showdown 0.11.9")
                && said(dir.path()).contains("setup")
        );
        for nonsense in ["", "[]", "{\"name\": 3}", "\u{0}"] {
            std::fs::write(package.join("package.json"), nonsense).unwrap();
            assert!(said(dir.path()).contains("damaged"), "{nonsense}");
        }
        std::fs::write(package.join("package.json"), r#"{"name": "left-pad", "version": "1"}"#)
            .unwrap();
        assert!(said(dir.path()).contains("there is no Pokémon Showdown"));
    }

    #[test]
    fn versions_of_node() {
        assert!(new_enough("v18.0.0").is_ok() && new_enough("v20.20.2").is_ok());
        let old = new_enough("v16.20.2").unwrap_err().to_string();
        assert!(old.contains("16.20.2") && old.contains("nodejs.org"), "{old}");
        assert!(new_enough("").is_err() && new_enough("deno 2").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn caches_are_where_the_system_says() {
        let by = |pairs: &[(&str, &str)]| {
            cache_by(|name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.into()))
        };
        let ours = |path: &str| Some(PathBuf::from(path));
        assert_eq!(by(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]), ours("/x/lanista/showdown"));
        assert_eq!(
            by(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")]),
            ours("/h/.cache/lanista/showdown")
        );
        assert_eq!(by(&[("HOME", "")]), None);
    }
}
