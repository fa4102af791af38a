//! What is kept of a battle: its log as Showdown's viewers read it, and what was chosen.
//!
//! Three files a battle: `ROOM.log` is the text of the log, `ROOM.html` the same in a page that Showdown's own
//! viewer plays, `ROOM.choices.jsonl` a line of JSON for the beginning, for each request, each choice and the end. Log
//! and choices are written as they come, so that a battle that is cut off leaves what it had.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::request::Request;

/// Runs of a server number their battles from 1, so a name may be taken already; so often another is tried.
const MOST_OF_A_NAME: u32 = 100_000;

/// A directory that keeps battles.
#[derive(Clone, Debug)]
pub struct Keep {
    directory: PathBuf,
}

/// The files of one battle.
#[derive(Debug)]
pub struct KeptBattle {
    stem: PathBuf,
    log: File,
    choices: File,
    text: String,
    /// Lines of the log so far.
    lines: usize,
}

impl Keep {
    /// Makes the directory if it is not there.
    pub fn new(directory: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        Ok(Self { directory: directory.to_owned() })
    }

    /// Opens the files of a battle. Those of an earlier one of the same name stay.
    pub fn battle(&self, room: &str) -> io::Result<KeptBattle> {
        let mut number = 1;
        loop {
            let name = if number == 1 { room.to_owned() } else { format!("{room}.{number}") };
            let stem = self.directory.join(name);
            let fresh = OpenOptions::new().write(true).create_new(true).open(file(&stem, "log"));
            match fresh {
                Ok(log) => {
                    let choices = File::create(file(&stem, "choices.jsonl"))?;
                    return Ok(KeptBattle { stem, log, choices, text: String::new(), lines: 0 });
                }
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && number < MOST_OF_A_NAME =>
                {
                    number += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// A name may have dots of its own, so the ending is added, not exchanged.
fn file(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

impl KeptBattle {
    /// The log follows anew from its beginning.
    pub fn restart(&mut self) -> io::Result<()> {
        self.text.clear();
        self.lines = 0;
        self.note(&json!({ "restarted": true }))?;
        self.log.seek(SeekFrom::Start(0))?;
        self.log.set_len(0)
    }

    /// A line of the log.
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        let from = self.text.len();
        self.lines += 1;
        self.text.push_str(line);
        self.text.push('\n');
        self.log.write_all(&self.text.as_bytes()[from..])
    }

    /// What was asked, and after which line of the log: with it, what a side saw can be told again.
    pub fn asked(&mut self, request: &Request) -> io::Result<()> {
        let note = json!({ "asked": request, "lines": self.lines });
        self.note(&note)
    }

    /// What was chosen, or what is to be remembered beside it.
    pub fn note(&mut self, note: &Value) -> io::Result<()> {
        self.choices.write_all(format!("{note}\n").as_bytes())
    }

    /// The battle is over.
    pub fn end(&mut self, title: &str) -> io::Result<()> {
        std::fs::write(file(&self.stem, "html"), page(title, &self.text))
    }
}

/// A page in which Showdown's own viewer plays a log. The viewer itself is fetched from its makers when the
/// page is opened; it looks for the log in a script of this class, with slashes escaped.
pub fn page(title: &str, log: &str) -> String {
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let log = log.replace('/', "\\/");
    format!(
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <div class=\"wrapper replay-wrapper\">\n\
         <div class=\"battle\"></div><div class=\"battle-log\"></div>\
         <div class=\"replay-controls\"></div><div class=\"replay-controls-2\"></div>\n\
         <script type=\"text/plain\" class=\"battle-log-data\">{log}</script>\n</div>\n\
         <script src=\"https://play.pokemonshowdown.com/js/replay-embed.js\"></script>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_battle_is_kept_and_none_is_lost_to_another_of_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let keep = Keep::new(&directory.path().join("new/deep")).unwrap();
        for winner in ["a", "b"] {
            let mut battle = keep.battle("battle-x-1").unwrap();
            battle.line("|turn|9").unwrap();
            battle.restart().unwrap();
            battle.line("|turn|1").unwrap();
            battle.line(&format!("|win|{winner}</script>")).unwrap();
            battle.note(&serde_json::json!({ "choice": "pass, pass" })).unwrap();
            battle.end("a & b").unwrap();
        }
        let read = |name: &str| {
            std::fs::read_to_string(directory.path().join("new/deep").join(name)).unwrap()
        };
        assert_eq!(read("battle-x-1.log"), "|turn|1\n|win|a</script>\n");
        assert_eq!(read("battle-x-1.2.log"), "|turn|1\n|win|b</script>\n");
        let notes = read("battle-x-1.choices.jsonl");
        assert_eq!(notes, "{\"restarted\":true}\n{\"choice\":\"pass, pass\"}\n");
        let page = read("battle-x-1.html");
        assert!(
            page.contains("|turn|1\n|win|a<\\/script>") && page.contains("a &amp; b"),
            "{page}"
        );
    }
}
