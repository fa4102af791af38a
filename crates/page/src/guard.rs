//! Who may ask.
//!
//! Listening on loopback keeps other machines out, but not the pages of other sites in the same browser: one
//! may send requests here, and a name of its own may lead here (DNS rebinding). So the host of a request must
//! be a name of loopback with our port, and what a browser marks as coming from another site is refused. Where
//! the page listens beyond this machine, whoever asks must show a token as well.

use axum::http::{HeaderMap, Method, StatusCode, header};
use lanista_serve::Token;

use crate::query::LONGEST;
use crate::refusal::Refusal;

/// The cookie in which a browser keeps the token.
pub const COOKIE: &str = "lanista-token";

/// Who may ask.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Is it reached from this machine alone?
    pub loopback: bool,
    /// Where it listens.
    pub port: u16,
    /// What must be shown, if anything.
    pub token: Option<Token>,
}

impl Guard {
    /// Refuses what must not be answered. `target` is the path with its question.
    pub fn check(&self, method: &Method, target: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        if method != Method::GET {
            return Err(Refusal::new(
                StatusCode::METHOD_NOT_ALLOWED,
                format!("{method} changes things, and nothing here can be changed"),
                "the request",
                "ask with GET",
            ));
        }
        if target.len() > LONGEST {
            return Err(Refusal::new(
                StatusCode::URI_TOO_LONG,
                format!("the address has more than {LONGEST} bytes"),
                "the address",
                "ask for fewer things at once",
            ));
        }
        let length = headers.get(header::CONTENT_LENGTH);
        if length.is_some_and(|l| l != "0") || headers.contains_key(header::TRANSFER_ENCODING) {
            return Err(Refusal::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "a question has no body",
                "the request",
                "send headers alone",
            ));
        }
        self.check_host(headers)?;
        let site = text(headers, "sec-fetch-site");
        if site.is_some_and(|site| !["same-origin", "none"].contains(&site)) {
            return Err(forbidden("it comes from the page of another site"));
        }
        if let Some(origin) = text(headers, header::ORIGIN.as_str()) {
            let host = text(headers, header::HOST.as_str()).unwrap_or_default();
            if origin.strip_prefix("http://") != Some(host) {
                return Err(forbidden("it comes from the page of another site"));
            }
        }
        Ok(())
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if headers.get_all(header::HOST).iter().count() != 1 {
            return Err(forbidden("it names no host, or several"));
        }
        if !self.loopback {
            return Ok(()); // under which names others reach this machine is not known; the token counts
        }
        let host = text(headers, header::HOST.as_str()).unwrap_or_default();
        let port = self.port;
        let ours = ["127.0.0.1", "localhost", "[::1]"];
        let fits = ours.iter().any(|name| {
            // A browser leaves out the port that is usual.
            host == format!("{name}:{port}") || (port == 80 && host == *name)
        });
        if fits { Ok(()) } else { Err(forbidden("it names another host than this one")) }
    }

    /// Was the token shown: as a bearer, or in the cookie that a browser got for it?
    pub fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let bearer = text(headers, header::AUTHORIZATION.as_str());
        let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
        let cookies = text(headers, header::COOKIE.as_str()).unwrap_or_default();
        let mut cookies = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        let cookie = cookies.find(|(name, _)| *name == COOKIE).map(|(_, value)| value);
        bearer.or(cookie).is_some_and(|shown| token.is(shown.as_bytes()))
    }

    /// Is this the token, as it stands in an address?
    pub fn is_token(&self, shown: &str) -> bool {
        self.token.as_ref().is_some_and(|token| token.is(shown.as_bytes()))
    }
}

fn forbidden(why: &str) -> Refusal {
    Refusal::new(
        StatusCode::FORBIDDEN,
        format!("this request is refused: {why}"),
        "the request",
        "open the address that `lanista watch` printed",
    )
}

/// Who shows no token.
pub fn unauthorized() -> Refusal {
    Refusal::new(
        StatusCode::UNAUTHORIZED,
        "the token is missing or wrong",
        "the request",
        "open the page once with ?token=TOKEN, or send `Authorization: Bearer TOKEN`",
    )
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for &(name, value) in pairs {
            map.append(name, value.parse().unwrap());
        }
        map
    }

    fn guard() -> Guard {
        Guard { loopback: true, port: 5610, token: None }
    }

    fn status(guard: &Guard, pairs: &[(&'static str, &'static str)]) -> u16 {
        let checked = guard.check(&Method::GET, "/", &headers(pairs));
        checked.err().map_or(200, |refusal| refusal.status)
    }

    #[test]
    fn other_hosts_are_refused() {
        for host in ["127.0.0.1:5610", "localhost:5610", "[::1]:5610"] {
            assert_eq!(status(&guard(), &[("host", host)]), 200, "{host}");
        }
        for host in [
            "evil.example:5610",
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost.evil:5610",
            "127.0.0.1.evil:5610",
            "",
        ] {
            assert_eq!(status(&guard(), &[("host", host)]), 403, "{host}");
        }
        assert_eq!(status(&guard(), &[]), 403);
        let two = [("host", "127.0.0.1:5610"), ("host", "evil.example")];
        assert_eq!(status(&guard(), &two), 403);
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let with = |name, value| status(&guard(), &[("host", "127.0.0.1:5610"), (name, value)]);
        assert_eq!(with("sec-fetch-site", "same-origin"), 200);
        assert_eq!(with("sec-fetch-site", "none"), 200);
        assert_eq!(with("sec-fetch-site", "cross-site"), 403);
        assert_eq!(with("sec-fetch-site", "same-site"), 403);
        assert_eq!(with("origin", "http://127.0.0.1:5610"), 200);
        assert_eq!(with("origin", "http://evil.example"), 403);
        assert_eq!(with("origin", "null"), 403);
    }

    #[test]
    fn only_short_questions_are_answered() {
        let host = headers(&[("host", "127.0.0.1:5610")]);
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::HEAD, Method::OPTIONS] {
            assert_eq!(guard().check(&method, "/", &host).unwrap_err().status, 405, "{method}");
        }
        let long = "/".repeat(LONGEST + 1);
        assert_eq!(guard().check(&Method::GET, &long, &host).unwrap_err().status, 414);
        let with = |name, value| status(&guard(), &[("host", "127.0.0.1:5610"), (name, value)]);
        assert_eq!(with("content-length", "5"), 413);
        assert_eq!(with("content-length", "0"), 200);
        assert_eq!(with("transfer-encoding", "chunked"), 413);
    }

    #[test]
    fn beyond_this_machine_a_token_is_shown() {
        let token = Some(Token::new("0123456789abcdef").unwrap());
        let guard = Guard { loopback: false, port: 1, token };
        assert_eq!(status(&guard, &[("host", "some.machine:1")]), 200);
        let admits = |pairs: &[(&'static str, &'static str)]| guard.admits(&headers(pairs));
        assert!(!admits(&[]));
        assert!(admits(&[("authorization", "Bearer 0123456789abcdef")]));
        assert!(!admits(&[("authorization", "Bearer 0123456789abcdeX")]));
        assert!(admits(&[("cookie", "a=b; lanista-token=0123456789abcdef")]));
        assert!(!admits(&[("cookie", "lanista-token=0123456789abcde")]));
        assert!(guard.is_token("0123456789abcdef") && !guard.is_token(""));
    }
}
