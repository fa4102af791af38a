//! Files and directories of teams.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::export::paragraphs;
use super::{Team, TeamError};

/// Most bytes of a file of teams.
const BYTES: u64 = 4 << 20;
/// Most files of a directory.
const FILES: usize = 10_000;
/// Most teams of a file or of a directory.
const TEAMS: usize = 100_000;

/// A team with where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// File and line, or the heading that it stands under.
    pub place: String,
    /// It.
    pub team: Team,
}

/// Reads the teams of a file, or of all files of a directory by their names. A file has packed teams, one a
/// line, or texts: one, or several under headings (`=== NAME ===`). The same team twice counts once.
pub fn read(path: &Path) -> Result<Vec<Found>, TeamError> {
    let unreadable = |source| TeamError::Unreadable { path: path.to_owned(), source };
    let files = match fs::metadata(path).map_err(unreadable)?.is_dir() {
        true => files(path)?,
        false => vec![path.to_owned()],
    };
    let mut found: Vec<Found> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for file in files {
        for one in read_text(&text_of(&file)?, &file.display().to_string())? {
            if seen.insert(one.team.packed()) {
                found.push(one);
            }
            if found.len() > TEAMS {
                return Err(TeamError::TooMany {
                    path: path.to_owned(),
                    what: "teams",
                    most: TEAMS,
                });
            }
        }
    }
    if found.is_empty() {
        return Err(TeamError::Empty(path.to_owned()));
    }
    Ok(found)
}

/// The files of a directory that may hold teams, by name; what begins with a dot does not.
fn files(directory: &Path) -> Result<Vec<PathBuf>, TeamError> {
    let unreadable = |source| TeamError::Unreadable { path: directory.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !hidden && entry.path().is_file() {
            files.push(entry.path());
        }
        if files.len() > FILES {
            let path = directory.to_owned();
            return Err(TeamError::TooMany { path, what: "files", most: FILES });
        }
    }
    files.sort();
    Ok(files)
}

fn text_of(file: &Path) -> Result<String, TeamError> {
    let unreadable = |source| TeamError::Unreadable { path: file.to_owned(), source };
    let known = fs::metadata(file).map_err(unreadable)?;
    if !known.is_file() {
        // A pipe or a device may never end.
        return Err(unreadable(io::Error::other("it is no file")));
    }
    if known.len() > BYTES {
        return Err(TeamError::TooLarge { path: file.to_owned(), bytes: known.len(), most: BYTES });
    }
    let mut text = String::new();
    // Files of some systems have no length and go on.
    fs::File::open(file)
        .and_then(|open| open.take(BYTES).read_to_string(&mut text))
        .map_err(unreadable)?;
    Ok(text)
}

/// The teams of a text, which an error calls `name`.
pub fn read_text(text: &str, name: &str) -> Result<Vec<Found>, TeamError> {
    let text = text.trim_start_matches('\u{feff}');
    let wrong =
        |line: usize, why: String| TeamError::Unreadably { place: format!("{name}:{line}"), why };
    let is_packed = |line: &str| line.matches('|').count() >= 11;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    if first.is_some_and(is_packed) {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        return lines
            .map(|(index, line)| {
                let team = Team::from_packed(line).map_err(|why| wrong(index + 1, why))?;
                Ok(Found { place: format!("{name}:{}", index + 1), team })
            })
            .collect();
    }
    let mut found = Vec::new();
    for (line, heading, part) in under_headings(text) {
        let members = paragraphs(&part, line);
        if members.is_empty() {
            continue;
        }
        let place = match heading {
            Some(heading) => format!("{name}, {heading}"),
            None => name.to_owned(),
        };
        let team = Team::from_paragraphs(&members).map_err(|(line, why)| wrong(line, why))?;
        found.push(Found { place, team });
    }
    Ok(found)
}

/// Parts of a text by its headings, each with the number of its first line.
fn under_headings(text: &str) -> Vec<(usize, Option<String>, String)> {
    let mut parts = vec![(1, None, String::new())];
    for (index, line) in text.lines().enumerate() {
        let heading = line.trim().strip_prefix("===").and_then(|line| line.strip_suffix("==="));
        match heading {
            Some(heading) => {
                let shown: String =
                    heading.trim().chars().filter(|c| !c.is_control()).take(80).collect();
                parts.push((index + 2, Some(shown), String::new()));
            }
            None => {
                let (_, _, part) = parts.last_mut().expect("there is one from the beginning");
                part.push_str(line);
                part.push('\n');
            }
        }
    }
    parts
}
