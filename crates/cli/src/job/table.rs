//! What a job consists of, for people and for programs.

use std::ffi::OsString;
use std::path::Path;

use serde_json::json;

use super::needs::{For, Needs, Service};
use super::notices::log_of;
use crate::quote::quoted_word;

/// A line of the table: name, address, process, log.
pub type Row = [String; 4];

/// The heads of the columns.
pub fn heads() -> Row {
    ["what", "where", "process", "log"].map(str::to_owned)
}

/// Lines of columns, each as wide as its widest cell.
pub fn lines(rows: &[Row]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..3).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Row| {
        let [what, at, process, log] = row;
        let (a, b, c) = (widths[0], widths[1], widths[2]);
        format!("  {what:a$}  {at:b$}  {process:>c$}  {log}").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A job that is only talked about.
pub struct Planned<'a> {
    pub title: &'a str,
    pub run: &'a Path,
    pub logs: &'a Path,
    pub needs: &'a Needs,
    pub services: &'a [Service],
    /// The trainer's program and arguments.
    pub trainer: &'a [OsString],
}

impl Planned<'_> {
    pub fn show(&self, as_json: bool) {
        match as_json {
            true => say!("{}", self.json()),
            false => self.lines().iter().for_each(|line| say!("{line}")),
        }
    }

    fn json(&self) -> serde_json::Value {
        let words = |command: &[OsString]| -> Vec<String> {
            command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
        };
        let service = |service: &Service| {
            json!({
                "name": service.name,
                "address": service.address,
                "command": words(&service.command),
                "log": log_of(self.logs, &service.name),
                "needed_by_training": service.whose == For::Training,
            })
        };
        let others =
            self.needs.others.iter().map(
                |other| json!({ "name": other.name, "address": other.address, "why": other.why }),
            );
        json!({
            "preset": self.title,
            "run_dir": self.run,
            "services": self.services.iter().map(service).collect::<Vec<_>>(),
            "not_started": others.collect::<Vec<_>>(),
            "trainer": words(self.trainer),
        })
    }

    fn lines(&self) -> Vec<String> {
        let mut said = vec![format!("{} would train in {}, with:", self.title, self.run.display())];
        let mut rows = vec![heads()];
        for service in self.services {
            let log = log_of(self.logs, &service.name).display().to_string();
            rows.push([service.name.clone(), service.address.clone(), "-".into(), log]);
        }
        rows.extend(self.needs.others.iter().map(|other| {
            [other.name.to_owned(), other.address.clone(), "-".into(), other.why.to_owned()]
        }));
        said.extend(lines(&rows));
        let quoted = |command: &[OsString]| -> String {
            let words = command.iter().map(|word| quoted_word(&word.to_string_lossy()));
            words.collect::<Vec<_>>().join(" ")
        };
        said.push("by these commands:".to_owned());
        said.extend(self.services.iter().map(|service| format!("  {}", quoted(&service.command))));
        said.push(format!("  {}", quoted(self.trainer)));
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned);
        let rows = [heads(), row(["page", "http://127.0.0.1:5610/", "7", "run/job/page.log"])];
        assert_eq!(
            lines(&rows),
            [
                "  what  where                   process  log",
                "  page  http://127.0.0.1:5610/        7  run/job/page.log"
            ]
        );
    }
}
