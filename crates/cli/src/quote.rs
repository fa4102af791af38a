//! Paths and words as a shell takes them: what is printed to be copied must survive the copying.

use std::path::Path;

/// A path for a command line that somebody may copy.
pub fn quoted(path: &Path) -> String {
    quoted_word(&path.display().to_string())
}

/// A word for a command line, in quotes if the shell would read more into it.
pub fn quoted_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=@%+,".contains(c);
    if cfg!(windows) {
        // Both shells of Windows take double quotes, and a path cannot hold one.
        let plain = |c: char| plain(c) || c == '\\';
        return match word.chars().all(plain) && !word.is_empty() {
            true => word.to_owned(),
            false => format!("\"{word}\""),
        };
    }
    match word.chars().all(plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay_as_they_are() {
        for word in ["runs/classic-cartpole", "./a_b.yml", "target:x=1"] {
            assert_eq!(quoted_word(word), word);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for word in ["my runs/it's", "a$HOME", "*", "", "a\\b", "(x)", "~/a", "a;b", "\"q\"", "é"]
        {
            let command = format!("printf %s {}", quoted_word(word));
            let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word, "{command}");
        }
    }
}
