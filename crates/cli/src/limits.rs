//! What flags may say, and what is refused before anything starts because it would have no effect.

use std::path::Path;
use std::time::Duration;

use anyhow::{bail, ensure};
use lanista_game::{Buffers, Control, Entry, await_answer};
use lanista_train::layers::{self, Override};
use lanista_train::ranges::{EVALUATED, THREADS};
use serde_json::Value;

/// Frames a second: `--fps`.
pub fn fps(text: &str) -> Result<f64, String> {
    number(text, 1000.0, "frames a second")
}

/// How long something is measured: `--seconds`.
pub fn seconds(text: &str) -> Result<f64, String> {
    number(text, 86_400.0, "seconds")
}

fn number(text: &str, most: f64, of: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        // Written so that NaN fails.
        Ok(number) if number > 0.0 && number <= most => Ok(number),
        _ => Err(format!("it is a number of {of} above 0 and at most {most}")),
    }
}

/// Matches to play: `--matches`. Each leaves a result that is kept to the end.
pub fn matches(text: &str) -> Result<usize, String> {
    count(text, EVALUATED, "--matches 0: play at least one match")
}

/// Battles to play on a server: `--battles`.
pub fn battles(text: &str) -> Result<usize, String> {
    count(text, EVALUATED, "--battles 0: play at least one battle")
}

/// Decisions to keep: `--count`. All of them are in memory at once.
pub fn decisions(text: &str) -> Result<usize, String> {
    count(text, 100_000, "--count 0: keep at least one decision")
}

/// Decisions to show: `-n`.
pub fn shown(text: &str) -> Result<usize, String> {
    count(text, 100_000, "-n 0: show at least one decision")
}

/// Battles at once: `--at-once`. People's servers allow a handful.
pub fn battles_at_once(text: &str) -> Result<usize, String> {
    count(text, 32, "it is at least 1")
}

/// Worker threads: `--threads`.
pub fn threads(text: &str) -> Result<usize, String> {
    count(text, THREADS, "it is at least 1")
}

fn count(text: &str, most: usize, none: &str) -> Result<usize, String> {
    match layers::count(text)? {
        0 => Err(none.to_owned()),
        n => match usize::try_from(n) {
            Ok(n) if n <= most => Ok(n),
            _ => Err(format!("that is too many; at most {most}")),
        },
    }
}

/// Refuses overrides of keys that have no effect on a bare game.
pub fn only(overrides: &[Override], keys: &[&str]) -> anyhow::Result<()> {
    for one in overrides {
        if !keys.iter().any(|key| one.sets(key)) {
            let all: Vec<String> = keys.iter().map(|key| format!("{key}.…")).collect();
            bail!(
                "{one}: a game by itself has no such key; set {} here, and other keys with a preset",
                all.join(" or ")
            );
        }
    }
    Ok(())
}

/// How long an engine may take to show its first picture.
const PATIENCE: Duration = Duration::from_secs(60);

/// Refuses to show or to keep pictures of a game that has none.
pub fn picture(entry: &Entry, settings: &Value, flag: &str) -> anyhow::Result<()> {
    let mut batch = entry.build(settings, 1)?;
    let mut buffers = Buffers::new(batch.spec(), 1);
    let seats = vec![Control::Outside; batch.spec().seats.len()];
    batch.start(0, 0, &seats, &mut buffers)?;
    await_answer(batch.as_mut(), PATIENCE, &mut buffers)?;
    let mut frame = String::new();
    batch.frame(0, &mut frame);
    ensure!(!frame.is_empty(), "{flag}: {} has no picture to show; leave {flag} out", entry.name);
    Ok(())
}

/// Refuses a directory in which replays lie already: files of two evaluations would mix.
pub fn unused(directory: &Path) -> anyhow::Result<()> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        // It is created later, and what is in its way is named then.
        Err(_) => return Ok(()),
    };
    for name in entries.flatten().map(|entry| entry.file_name()) {
        let name = name.to_string_lossy();
        let kept = [".jsonl", ".rec"].iter().any(|ending| name.ends_with(ending));
        if name.starts_with("match-") && kept {
            let shown = directory.display();
            bail!(
                "--record {shown}: it holds replays already, such as {name}; name another directory, \
                 or remove them"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lanista_game::{
        Game, Head, Kind, NoSettings, Outcome, Role, Seat, SettingsError, Spec, View,
    };

    use super::*;

    /// A game of a user that shows nothing.
    struct Blind(Arc<Spec>);

    impl Game for Blind {
        fn spec(&self) -> &Spec {
            &self.0
        }
        fn reset(&mut self, _: u64, _: &[Control]) {}
        fn observe(&self, _: &mut View) {}
        fn step(&mut self, _: &[u32], _: &mut Outcome) {}
    }

    impl Kind for Blind {
        type Settings = NoSettings;
        const NAME: &'static str = "blind";
        const ABOUT: &'static str = "shows nothing";
        fn describe(_: &NoSettings) -> Spec {
            let player = Role { heads: vec![Head::new("do", ["it"])], ..Role::default() };
            Spec { roles: vec![player], seats: vec![Seat::of(0)], ..Spec::default() }
        }
        fn matches(_: NoSettings, spec: Arc<Spec>, n: usize) -> Result<Vec<Self>, SettingsError> {
            Ok((0..n).map(|_| Self(spec.clone())).collect())
        }
    }

    #[test]
    fn a_game_without_a_picture_is_not_shown() {
        let refused = picture(&Entry::of::<Blind>(), &Value::Null, "--render").unwrap_err();
        assert!(refused.to_string().contains("--render: blind has no picture"), "{refused}");
        for entry in lanista_classic::games() {
            picture(&entry, &Value::Null, "--render").unwrap();
        }
    }

    #[test]
    fn numbers_of_flags_have_two_ends() {
        for text in ["0", "-5", "nan", "inf", "1e308", "", "fast", "1000.1"] {
            assert!(fps(text).unwrap_err().contains("at most 1000"), "{text}");
        }
        assert_eq!((fps("15"), fps("1000")), (Ok(15.0), Ok(1000.0)));
        for text in ["0", "-1", "nan", "inf", "1e9"] {
            assert!(seconds(text).is_err(), "{text}");
        }
        assert_eq!(seconds("0.05"), Ok(0.05));
        for text in ["0", "-1", "99999999999", "1000001", "18446744073709551616", "ten", ""] {
            assert!(matches(text).is_err(), "{text}");
        }
        assert_eq!((matches("1"), matches("1000000")), (Ok(1), Ok(1_000_000)));
        assert!(threads("10000").unwrap_err().contains("at most 1024"));
        assert_eq!(threads("1024"), Ok(1024));
    }
}
