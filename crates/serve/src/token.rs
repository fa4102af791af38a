//! The secret that clients show where the server listens beyond this machine.

use std::hint::black_box;

/// A secret.
#[derive(Clone)]
pub struct Token(Vec<u8>);

/// Shorter ones could be guessed.
pub const LEAST: usize = 16;
/// Longer ones have no use.
pub const MOST: usize = 256;

impl Token {
    /// Takes a secret of 16 to 256 visible characters.
    pub fn new(text: &str) -> Result<Self, String> {
        if !(LEAST..=MOST).contains(&text.len()) {
            let found = text.len();
            return Err(format!("a token has {LEAST} to {MOST} characters, this one has {found}"));
        }
        if !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err("a token has letters, digits and signs of ASCII, and no spaces".into());
        }
        Ok(Self(text.as_bytes().to_vec()))
    }

    /// Is it this one? How long the answer takes depends on the length of what was shown and on nothing
    /// else, so that nobody finds the secret letter by letter.
    pub fn is(&self, shown: &[u8]) -> bool {
        let mut different = u8::from(shown.len() != self.0.len());
        for (i, byte) in shown.iter().enumerate() {
            different |= byte ^ black_box(self.0[i % self.0.len()]);
        }
        black_box(different) == 0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_secret_is_the_secret() {
        let token = Token::new("0123456789abcdef").unwrap();
        assert!(token.is(b"0123456789abcdef"));
        for other in ["", "0", "0123456789abcdeF", "0123456789abcde", "0123456789abcdef0"] {
            assert!(!token.is(other.as_bytes()), "{other}");
        }
        assert!(!token.is(b"0123456789abcdef0123456789abcdef"), "twice");
        assert!(Token::new("short").is_err() && Token::new("0123456789 abcdef").is_err());
        assert!(!format!("{token:?}").contains("0123"));
    }
}
