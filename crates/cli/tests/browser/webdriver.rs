//! A browser, driven through chromedriver: as much of WebDriver as the tests need, over plain sockets.
//!
//! Answers are read by their `Content-Length`, because chromedriver keeps connections open.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The longest wait for anything: a limit of the test, never a measure.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How often is looked again.
const TURN: Duration = Duration::from_millis(50);

/// The program that drives the browser, if this machine has it.
pub fn chromedriver() -> Option<String> {
    let names = [std::env::var("CHROMEDRIVER").unwrap_or_default(), "chromedriver".to_owned()];
    let answers = |name: &String| {
        let mut command = Command::new(name);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        !name.is_empty() && command.status().is_ok_and(|status| status.success())
    };
    names.into_iter().find(answers)
}

/// A window of a browser of its own. It ends with this.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// Where it puts what pages let it download.
    downloads: TempDir,
    /// Browsers draw on processors here: one at a time, or pages wait longer than tests do.
    _turn: File,
}

/// Waits for a turn that only one test has at a time, be it a thread or a process; it ends with the file.
pub fn turn(name: &str) -> File {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.lock"));
    let file = File::create(path).unwrap();
    file.lock().unwrap();
    file
}

impl Browser {
    /// A window of this size.
    pub fn open(chromedriver: &str, width: u32, height: u32) -> Self {
        let turn = turn("browser-window");
        let downloads = tempfile::tempdir().unwrap();
        let mut driver = Command::new(chromedriver)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().expect("chromedriver says its port").unwrap();
            let said = line.split("successfully on port ").nth(1);
            if let Some(port) = said.and_then(|rest| rest.trim_end_matches('.').parse().ok()) {
                break port;
            }
        };
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Self { driver, port, session: String::new(), downloads, _turn: turn };
        // A window below 500 pixels is made by emulation: headless windows have a least width.
        let emulated = (width < 500)
            .then(|| json!({"deviceMetrics": {"width": width, "height": height, "pixelRatio": 1}}));
        let mut options = json!({"args": [
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader",
            format!("--window-size={width},{height}"),
        ]});
        if let Some(emulated) = emulated {
            options["mobileEmulation"] = emulated;
        }
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": options,
        }}});
        let made = browser.ask("POST", "/session", &wanted);
        browser.session = format!("/session/{}", made["sessionId"].as_str().unwrap());
        let path = browser.downloads.path().to_str().unwrap();
        let allowed = json!({"behavior": "allow", "downloadPath": path});
        browser.post(
            "/goog/cdp/execute",
            &json!({"cmd": "Browser.setDownloadBehavior", "params": allowed}),
        );
        browser
    }

    /// A request to the driver; an error of WebDriver is the end of the test.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, value) = exchange(self.port, method, path, body);
        assert!(status == 200, "{method} {path}: {}", value["message"].as_str().unwrap_or("?"));
        value
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("{}{path}", self.session), body)
    }

    /// Goes to an address.
    pub fn go(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    /// Opens another tab of the same window and turns to it; how it is named.
    pub fn tab(&self) -> String {
        let made = self.post("/window/new", &json!({"type": "tab"}));
        let handle = made["handle"].as_str().unwrap().to_owned();
        self.turn_to(&handle);
        handle
    }

    /// Turns to a tab.
    pub fn turn_to(&self, handle: &str) {
        self.post("/window", &json!({ "handle": handle }));
    }

    /// Loads the page again.
    pub fn reload(&self) {
        self.post("/refresh", &json!({}));
    }

    /// The address of now.
    pub fn url(&self) -> String {
        let url = self.ask("GET", &format!("{}/url", self.session), &Value::Null);
        url.as_str().unwrap().to_owned()
    }

    /// What a script returns.
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// What a script hands to its last argument, a function.
    pub fn run_async(&self, script: &str) -> Value {
        self.post("/execute/async", &json!({"script": script, "args": []}))
    }

    /// Waits until an expression is true, and returns it.
    pub fn until(&self, what: &str, expression: &str) -> Value {
        let begun = Instant::now();
        loop {
            let value = self.run(&format!("return {expression}"));
            if !matches!(value, Value::Null | Value::Bool(false)) && value != "" && value != 0 {
                return value;
            }
            let text = || self.run("return document.body.innerText.slice(0, 2000)");
            assert!(begun.elapsed() < PATIENCE, "{what} did not come: {expression}\n{}", text());
            sleep(TURN);
        }
    }

    /// Presses keys, one after the other. Names of WebDriver's private characters are not needed: letters do.
    pub fn keys(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|key| {
            [
                json!({"type": "keyDown", "value": key.to_string()}),
                json!({"type": "keyUp", "value": key.to_string()}),
            ]
        });
        let actions = json!({"actions": [{"type": "key", "id": "keys", "actions": strokes.collect::<Vec<_>>()}]});
        self.post("/actions", &actions);
    }

    /// What the page let it download under a name, once it is whole.
    pub fn downloaded(&self, name: &str) -> Vec<u8> {
        let begun = Instant::now();
        loop {
            match fs::read(self.downloads.path().join(name)) {
                Ok(bytes) if !bytes.is_empty() => return bytes,
                _ => assert!(begun.elapsed() < PATIENCE, "{name} was not downloaded"),
            }
            sleep(TURN);
        }
    }

    /// Drags the pointer over an element, from one share of its width to another; a click where they are the same.
    pub fn drag(&self, selector: &str, from: f64, to: f64) {
        let find = format!(
            "const e = document.querySelector({selector:?}); e.scrollIntoView({{block: 'center'}}); \
             const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]"
        );
        let found: Vec<f64> = serde_json::from_value(self.run(&find)).unwrap();
        let [left, top, width, height] = found[..] else { panic!("{selector}: {found:?}") };
        let at = |share: f64| {
            let (x, y) = ((left + share * width) as i64, (top + height / 2.0) as i64);
            json!({"type": "pointerMove", "duration": 50, "x": x, "y": y})
        };
        let path = [
            at(from),
            json!({"type": "pointerDown", "button": 0}),
            at(to),
            json!({"type": "pointerUp", "button": 0}),
        ];
        let actions = json!({"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": path}]});
        self.post("/actions", &actions);
    }

    /// A picture of an element, as PNG in base64.
    pub fn picture(&self, selector: &str) -> String {
        let find = json!({"using": "css selector", "value": selector});
        let found = self.post("/element", &find);
        let id =
            found.as_object().and_then(|map| map.values().next()?.as_str()).unwrap().to_owned();
        let path = format!("{}/element/{id}/screenshot", self.session);
        self.ask("GET", &path, &Value::Null).as_str().unwrap().to_owned()
    }

    /// What the page complained about since the last time.
    pub fn complaints(&self) -> Vec<String> {
        let lines = self.post("/se/log", &json!({"type": "browser"}));
        let lines = lines.as_array().unwrap().iter().filter(|line| line["level"] == "SEVERE");
        lines.map(|line| line["message"].as_str().unwrap_or("?").to_owned()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // First the window, then the driver by its own way: killed, it would leave the browser behind.
        if !self.session.is_empty() {
            let _ = try_exchange(self.port, "DELETE", &self.session, &Value::Null);
        }
        let _ = try_exchange(self.port, "GET", "/shutdown", &Value::Null);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(10) {
            if matches!(self.driver.try_wait(), Ok(Some(_))) {
                return;
            }
            sleep(TURN);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn exchange(port: u16, method: &str, path: &str, body: &Value) -> (u16, Value) {
    try_exchange(port, method, path, body)
        .unwrap_or_else(|error| panic!("{method} {path}: {error}"))
}

fn try_exchange(
    port: u16,
    method: &str,
    path: &str,
    body: &Value,
) -> std::io::Result<(u16, Value)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(2 * PATIENCE))?;
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )?;
    let mut reader = BufReader::new(stream);
    let (mut line, mut status, mut length) = (String::new(), 0, 0);
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let text = line.trim_end().to_ascii_lowercase();
        if text.is_empty() {
            break;
        }
        if let Some(rest) = text.strip_prefix("http/1.1 ") {
            status = rest[..3].parse().unwrap_or(0);
        }
        if let Some(rest) = text.strip_prefix("content-length:") {
            length = rest.trim().parse().unwrap_or(0);
        }
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    let mut answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok((status, answer["value"].take()))
}
