//! A served directory of runs, and a browser of few words.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lanista_page::{Config, Server};
use serde_json::Value;
use tempfile::TempDir;

/// A server over a directory of its own.
pub struct Served {
    pub directory: TempDir,
    pub server: Server,
}

/// What came back.
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }
}

pub fn config(places: Vec<PathBuf>) -> Config {
    Config {
        places,
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        token: None,
        web: None,
        games: lanista_classic::games().to_vec(),
        presets: &[],
    }
}

impl Served {
    /// What `fill` puts into a directory, served.
    pub fn of(fill: impl FnOnce(&Path)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fill(directory.path());
        let server = Server::start(config(vec![directory.path().to_owned()])).unwrap();
        Self { directory, server }
    }

    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    /// Asks as a browser does.
    pub fn get(&self, target: &str) -> Answer {
        let host = format!("Host: {}\r\n", self.server.address());
        ask(self.server.address(), &format!("GET {target} HTTP/1.1\r\n{host}"))
    }

    pub fn json(&self, target: &str) -> Value {
        let answer = self.get(target);
        assert_eq!(answer.status, 200, "{target}: {}", String::from_utf8_lossy(&answer.body));
        answer.json()
    }

    /// Looks until there is something to see.
    pub fn until(&self, target: &str, seen: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        for _ in 0..2000 {
            last = self.json(target);
            if seen(&last) {
                return last;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{target} never came to show it: {last}");
    }

    /// The id of the first run, once it is read.
    pub fn first_run(&self) -> String {
        let all = self.until("/api/runs", |v| v["runs"][0]["steps"].as_u64().unwrap_or(0) > 0);
        all["runs"][0]["id"].as_str().unwrap().to_owned()
    }
}

/// Sends a request, of which the lines of the head are given, and reads the answer.
pub fn ask(address: SocketAddr, head: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").expect("a head") + 4;
    let headers = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status = headers.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
    let mut body = bytes.split_off(end);
    if headers.contains("transfer-encoding: chunked") {
        body = joined(&body);
    }
    Answer { status, headers, body }
}

fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = chunks.windows(2).position(|w| w == b"\r\n") {
        let size = std::str::from_utf8(&chunks[..end]).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        body.extend(&chunks[end + 2..end + 2 + size]);
        chunks = &chunks[end + 2 + size + 2..];
        if size == 0 {
            break;
        }
    }
    body
}

/// A run of so many lines.
pub fn begin(root: &Path, name: &str, lines: usize) {
    let run = root.join(name);
    fs::create_dir_all(&run).unwrap();
    let config = "game: duel\nrewards: { won: 2 }\nrun: { seed: 7 }\nstop: { steps: 1000 }\n";
    fs::write(run.join("config.yml"), config).unwrap();
    go_on(root, name, 0..lines);
}

pub fn go_on(root: &Path, name: &str, lines: std::ops::Range<usize>) {
    let path = root.join(name).join("metrics.jsonl");
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    let mut text = String::new();
    for i in lines {
        let (steps, seconds) = (10 * (i + 1), i + 1);
        writeln!(
            text,
            "{{\"dropped_updates\":0,\"entropy\":1.5,\"episodes\":{i},\"return_mean\":{i}.5,\"stage\":null,\
             \"steps\":{steps},\"terms\":{{\"won\":0.5}},\"time\":{{\"seconds\":{seconds}}},\"transition\":null}}"
        )
        .unwrap();
        if i % 10 == 9 {
            writeln!(
                text,
                "{{\"evaluation\":{{\"return_mean\":{i}}},\"iteration\":{i},\"steps\":{steps}}}"
            )
            .unwrap();
        }
    }
    file.write_all(text.as_bytes()).unwrap();
}
