//! Dotted key paths: `ppo.learning_rate`, `opponents.bot:random`, `opponents."run:a.b"`.

use std::fmt::Write;

/// Deeper paths than this are mistakes, and every level costs a stack frame further on.
const DEEPEST: usize = 32;

/// Splits a dotted path into its keys. A key that contains a dot goes into double quotes.
pub(super) fn split(text: &str) -> Result<Vec<String>, String> {
    let mut keys = Vec::new();
    let mut rest = text.trim();
    loop {
        let (key, after) = if let Some(quoted) = rest.strip_prefix('"') {
            let (key, after) = quoted.split_once('"').ok_or("a quote is not closed")?;
            (key, after.trim_start())
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            (rest[..end].trim(), &rest[end..])
        };
        if key.is_empty() {
            return Err("a key is empty".into());
        }
        keys.push(key.to_owned());
        if keys.len() > DEEPEST {
            return Err(format!("the path has more than {DEEPEST} keys"));
        }
        if after.is_empty() {
            return Ok(keys);
        }
        rest = after.strip_prefix('.').ok_or("a dot must follow a quoted key")?.trim_start();
    }
}

/// Splits `path=value` at the first `=` that is not within quotes.
pub(super) fn split_assignment(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let at = text.find(|c| {
        quoted ^= c == '"';
        c == '=' && !quoted
    })?;
    Some((&text[..at], &text[at + 1..]))
}

/// Joins keys so that [`split`] would take them apart again.
pub(super) fn join<S: AsRef<str>>(keys: &[S]) -> String {
    let mut path = String::new();
    for key in keys.iter().map(AsRef::as_ref) {
        if !path.is_empty() {
            path.push('.');
        }
        // Writing into a string cannot fail.
        let _ = if key.contains('.') { write!(path, "\"{key}\"") } else { write!(path, "{key}") };
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_and_joins() {
        for (text, keys) in [
            ("steps", &["steps"][..]),
            ("ppo.learning_rate.linear.to", &["ppo", "learning_rate", "linear", "to"]),
            ("opponents.bot:random", &["opponents", "bot:random"]),
            ("opponents.\"run:a.b\"", &["opponents", "run:a.b"]),
            ("a.\"b.c\".d", &["a", "b.c", "d"]),
        ] {
            assert_eq!(split(text).unwrap(), keys);
            assert_eq!(join(keys), text);
        }
        assert_eq!(split(" a . b ").unwrap(), ["a", "b"], "spaces around keys do not count");
    }

    #[test]
    fn refuses_malformed_paths() {
        for text in ["", ".", "a.", ".a", "a..b", "\"\"", "\"a", "\"a\"b", "a.\"\"", " "] {
            assert!(split(text).is_err(), "{text:?}");
        }
        assert!(split(&"a.".repeat(1_000_000)).is_err());
    }

    #[test]
    fn assignments_split_at_the_first_bare_equals_sign() {
        assert_eq!(split_assignment("a.b=c"), Some(("a.b", "c")));
        assert_eq!(split_assignment("a=b=c"), Some(("a", "b=c")));
        assert_eq!(split_assignment("a.\"x=1\"=2"), Some(("a.\"x=1\"", "2")));
        assert_eq!(split_assignment("a="), Some(("a", "")));
        assert_eq!(split_assignment("a"), None);
        assert_eq!(split_assignment("\"a=b"), None);
    }
}
