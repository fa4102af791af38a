//! Who gets in, and with what.

use std::path::PathBuf;

use lanista_page::{PageError, Server};
use lanista_serve::Token;

use crate::support::{Served, ask, begin, config};

fn served() -> Served {
    Served::of(|root| {
        begin(root, "a", 5);
        std::fs::write(root.join("secret.txt"), "hidden").unwrap();
    })
}

#[test]
fn a_foreign_host_is_refused() {
    let served = served();
    let port = served.server.address().port();
    for host in ["evil.example".to_owned(), format!("evil.example:{port}"), "127.0.0.1:1".into()] {
        let answer =
            ask(served.server.address(), &format!("GET /api/runs HTTP/1.1\r\nHost: {host}\r\n"));
        assert_eq!(answer.status, 403, "{host}");
        let error = answer.json();
        assert!(error["error"]["remedy"].as_str().unwrap().contains("lanista watch"), "{error}");
    }
    for host in [format!("localhost:{port}"), format!("[::1]:{port}")] {
        let answer =
            ask(served.server.address(), &format!("GET /api/runs HTTP/1.1\r\nHost: {host}\r\n"));
        assert_eq!(answer.status, 200, "{host}");
    }
}

#[test]
fn the_page_of_another_site_is_refused() {
    let served = served();
    let address = served.server.address();
    let head = |more: &str| format!("GET /api/runs HTTP/1.1\r\nHost: {address}\r\n{more}\r\n");
    assert_eq!(ask(address, &head("Sec-Fetch-Site: cross-site")).status, 403);
    assert_eq!(ask(address, &head("Origin: https://evil.example")).status, 403);
    assert_eq!(ask(address, &head("Sec-Fetch-Site: same-origin")).status, 200);
}

#[test]
fn nothing_can_be_changed_and_nothing_long_is_read() {
    let served = served();
    let address = served.server.address();
    let answer = ask(
        address,
        &format!("POST /api/runs HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\n"),
    );
    assert_eq!(answer.status, 405);
    assert!(answer.headers.contains("allow: get"));
    let answer =
        ask(address, &format!("GET / HTTP/1.1\r\nHost: {address}\r\nContent-Length: 3\r\n"));
    assert_eq!(answer.status, 413);
    assert_eq!(served.get(&format!("/api/runs?since={}", "x".repeat(20_000))).status, 414);
    assert_eq!(served.get(&format!("/api/series?{}", "run=a&".repeat(1000))).status, 400);
    let many = format!("/api/series?{}", "metric=a&".repeat(400) + &"run=b&".repeat(190));
    assert_eq!(served.get(&many).status, 400);
}

#[test]
fn no_path_leads_out() {
    let served = served();
    for target in [
        "/static/../secret.txt",
        "/static/..%2fsecret.txt",
        "/static/%2e%2e/secret.txt",
        "/../../etc/passwd",
        "/etc/passwd",
        "/api/runs/..%2f..%2fetc",
        "/api/runs/../a",
        "/api/match/..%2fsecret/frames",
        "/api/league/%2e%2e",
        "//evil.example/",
    ] {
        let answer = served.get(target);
        assert_eq!(answer.status, 404, "{target}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("hidden"));
    }
}

#[test]
fn every_answer_tells_the_browser_to_be_careful() {
    let served = served();
    for target in ["/", "/api/runs", "/nothing"] {
        let headers = served.get(target).headers;
        for part in [
            "content-security-policy: default-src 'self'",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(headers.contains(part), "{target}: {headers}");
        }
    }
    assert!(served.get("/").headers.contains("content-type: text/html"));
}

#[test]
fn beyond_this_machine_a_token_is_demanded() {
    let directory = tempfile::tempdir().unwrap();
    begin(directory.path(), "a", 5);
    let everywhere = "0.0.0.0:0".parse().unwrap();
    let places: Vec<PathBuf> = vec![directory.path().to_owned()];
    let mut open = config(places.clone());
    open.listen = everywhere;
    assert!(matches!(Server::start(open), Err(PageError::NoToken(_))));
    let mut closed = config(places);
    closed.token = Some(Token::new("0123456789abcdef").unwrap());
    let server = Server::start(closed).unwrap();
    let address = server.address();
    let get = |target: &str, more: &str| {
        ask(address, &format!("GET {target} HTTP/1.1\r\nHost: {address}\r\n{more}"))
    };
    assert_eq!(get("/", "").status, 401);
    assert_eq!(get("/api/runs", "").status, 401);
    assert_eq!(get("/api/runs?token=0123456789abcdef", "").status, 401, "only the page takes it");
    assert_eq!(get("/?token=0123456789abcdeX", "").status, 401);
    let admitted = get("/?token=0123456789abcdef", "");
    assert_eq!(admitted.status, 303);
    assert!(
        admitted
            .headers
            .contains("set-cookie: lanista-token=0123456789abcdef; httponly; samesite=strict")
    );
    assert_eq!(get("/api/runs", "Cookie: lanista-token=0123456789abcdef\r\n").status, 200);
    assert_eq!(get("/api/runs", "Authorization: Bearer 0123456789abcdef\r\n").status, 200);
    assert_eq!(get("/api/runs", "Authorization: Bearer 0123456789\r\n").status, 401);
    server.stop();
}

#[test]
fn a_stopped_server_lets_its_port_go() {
    let served = served();
    let address = served.server.address();
    // A browser that keeps its connection.
    let _idle = std::net::TcpStream::connect(address).unwrap();
    served.server.stop();
    let mut again = config(vec![served.directory.path().to_owned()]);
    again.listen = address;
    Server::start(again).unwrap().stop();
}
