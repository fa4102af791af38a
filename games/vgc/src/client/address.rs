//! Where a server is.

/// The port of a Showdown server that says nothing else.
const PORT: u16 = 8000;
/// Where it answers websockets.
const PATH: &str = "/showdown/websocket";

/// A server's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Its name or number.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The path of its websocket.
    pub path: String,
}

/// Why something is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It asks for encryption.
    #[error(
        "`{0}` asks for an encrypted connection, which is not supported: name an unencrypted port of the \
         server (ws://HOST:PORT), or a local port that a tunnel such as stunnel leads there"
    )]
    Encrypted(String),
    /// It cannot be read.
    #[error(
        "`{0}` is no address of a server: HOST:PORT or ws://HOST:PORT/PATH, such as localhost:8000"
    )]
    Unreadable(String),
}

impl std::str::FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let unreadable = || AddressError::Unreadable(text.to_owned());
        let rest = match text.split_once("://") {
            Some(("ws" | "http", rest)) => rest,
            Some(("wss" | "https", _)) => return Err(AddressError::Encrypted(text.to_owned())),
            Some(_) => return Err(unreadable()),
            None => text,
        };
        let (place, path) = match rest.find('/') {
            Some(at) => (&rest[..at], &rest[at..]),
            None => (rest, ""),
        };
        // The number of a host of the newer kind stands in brackets, because it has colons of its own.
        let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':').ok_or_else(unreadable)?)),
            None => match place.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (place, None),
            },
        };
        let port = match port {
            Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or_else(unreadable)?,
            None => PORT,
        };
        let plain = |c: char| c.is_ascii_graphic() && !"@\\#?<>\"".contains(c);
        if host.is_empty() || !rest.chars().all(plain) {
            return Err(unreadable());
        }
        let path = if path.trim_matches('/').is_empty() { PATH } else { path };
        Ok(Self { host: host.to_owned(), port, path: path.to_owned() })
    }
}

impl Address {
    /// Host and port as they stand in an address.
    pub fn place(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The whole address.
    pub fn url(&self) -> String {
        format!("ws://{}{}", self.place(), self.path)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.place())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let url = |text: &str| text.parse::<Address>().map(|address| address.url());
        let whole = |place: &str| Ok(format!("ws://{place}/showdown/websocket"));
        assert_eq!(url("localhost"), whole("localhost:8000"));
        assert_eq!(url("127.0.0.1:9000"), whole("127.0.0.1:9000"));
        assert_eq!(url("ws://sim.example:80/"), whole("sim.example:80"));
        assert_eq!(
            url("http://sim.example/other/socket").unwrap(),
            "ws://sim.example:8000/other/socket"
        );
        assert_eq!(url("[::1]:8001"), whole("[::1]:8001"));
        assert_eq!(url("[::1]"), whole("[::1]:8000"));
        assert!(matches!(url("wss://sim.example"), Err(AddressError::Encrypted(_))));
        for odd in
            ["", ":8000", "a b", "a:port", "a:0", "a:70000", "ftp://a", "[::1]x", "a/\nb", "é"]
        {
            assert!(matches!(url(odd), Err(AddressError::Unreadable(_))), "{odd}");
        }
    }
}
