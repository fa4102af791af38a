//! The shared key and what is made of it.

use crate::wire::WireError;
use crate::wire::hmac::Key;

/// 16 random bytes of one side.
pub type Nonce = [u8; 16];

/// What both sides know before they meet.
#[derive(Clone, Debug)]
pub struct SharedKey {
    root: Key,
    handshake: Key,
}

impl SharedKey {
    /// Of 16 to 64 bytes.
    pub fn new(secret: &[u8]) -> Result<Self, WireError> {
        if !(16..=64).contains(&secret.len()) {
            return Err(WireError::Key(secret.len()));
        }
        let root = Key::new(secret);
        let handshake = Key::new(&root.mac(&[b"mnemosyne v2 handshake"]));
        Ok(Self { root, handshake })
    }

    /// For the tags of HELLO, CHALLENGE, AUTH and REFUSED.
    pub fn handshake(&self) -> &Key {
        &self.handshake
    }

    /// For the tags of one session; no other session has them.
    pub fn session(&self, client_nonce: &Nonce, server_nonce: &Nonce) -> SessionKeys {
        let made = |label: &[u8]| Key::new(&self.root.mac(&[label, client_nonce, server_nonce]));
        SessionKeys { client: made(b"mnemosyne v2 client"), server: made(b"mnemosyne v2 server") }
    }
}

/// A key for each direction, so that nothing can be sent back to who wrote it.
#[derive(Clone, Debug)]
pub struct SessionKeys {
    /// For the tags of what the client sends.
    pub client: Key,
    /// For the tags of what the server sends.
    pub server: Key,
}

/// Nonces from a seed: unique as long as the seed is, and not to be guessed by who does not have it.
#[derive(Clone, Debug)]
pub struct NonceSource {
    key: Key,
    drawn: u64,
}

impl NonceSource {
    /// The seed comes from the system's randomness in a program, from a number in a test.
    pub fn new(seed: [u8; 32]) -> Self {
        Self { key: Key::new(&seed), drawn: 0 }
    }

    /// 16 bytes never drawn before.
    pub fn draw(&mut self) -> Nonce {
        self.drawn += 1;
        self.key.tag(&self.drawn.to_le_bytes())
    }

    /// A number that is not 0.
    pub fn draw_u32(&mut self) -> u32 {
        let [a, b, c, d, ..] = self.draw();
        u32::from_le_bytes([a, b, c, d]).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_and_direction_has_its_own_key() {
        let shared = SharedKey::new(b"sixteen bytes or more").unwrap();
        let tag = |key: &Key| key.tag(b"the same bytes");
        let one = shared.session(&[1; 16], &[2; 16]);
        let two = shared.session(&[1; 16], &[3; 16]);
        let tags = [
            tag(shared.handshake()),
            tag(&one.client),
            tag(&one.server),
            tag(&two.client),
            tag(&two.server),
        ];
        for (i, a) in tags.iter().enumerate() {
            assert!(tags[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn short_and_long_keys_are_refused() {
        assert_eq!(SharedKey::new(&[0; 15]).err(), Some(WireError::Key(15)));
        assert!(SharedKey::new(&[0; 16]).is_ok() && SharedKey::new(&[0; 64]).is_ok());
        assert!(SharedKey::new(&[0; 65]).is_err());
    }

    #[test]
    fn nonces_do_not_come_twice() {
        let mut source = NonceSource::new([1; 32]);
        let drawn: Vec<Nonce> = (0..100).map(|_| source.draw()).collect();
        let distinct: std::collections::BTreeSet<_> = drawn.iter().collect();
        assert_eq!(distinct.len(), 100);
        assert_eq!(NonceSource::new([1; 32]).draw(), drawn[0]);
    }
}
