//! The pictures of every game, compared with kept ones. No training and no server of ours are needed: a view is a
//! function of frames, so its module and a file of frames are enough.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;

use crate::webdriver::{Browser, chromedriver};

/// How far a colour may be off, of 255: rasterisers smooth edges in their own ways.
const COLOUR: u32 = 48;
/// How many pixels may be off by more, as a share of those that are not background: an empty picture of a sparse
/// view is off in all of them. Pictures of other machines with the same fonts differ in two of a hundred.
const SHARE: f64 = 0.1;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../page")
}

/// Serves the views and what is kept for them, to this test alone and as long as it runs.
fn serve() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || drop(answer(stream)));
        }
    });
    port
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or("/");
    let path = path.split('?').next().unwrap_or("/");
    let folder = [("/static/", "web"), ("/tests/", "tests")];
    let found = folder
        .iter()
        .find_map(|(at, folder)| Some(page().join(folder).join(path.strip_prefix(at)?)));
    let bytes = found.and_then(|path| fs::read(path).ok());
    let kind = match path.rsplit('.').next() {
        Some("html") => "text/html",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("png") => "image/png",
        _ => "application/json",
    };
    let (status, bytes) = bytes.map_or(("404 Not Found", Vec::new()), |bytes| ("200 OK", bytes));
    let length = bytes.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&bytes)
}

/// Width and height of a PNG: they stand in its first chunk.
fn size(picture: &Path) -> (u32, u32) {
    let bytes = fs::read(picture).unwrap();
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// In how many pixels what is shown differs from a kept picture, as a share of those of the kept one that are not
/// its most frequent colour; computed by the browser.
fn difference(browser: &Browser, shot: &str, kept: &str) -> f64 {
    let script = format!(
        "const done = arguments[0];
         const load = (url) => new Promise((yes, no) => {{
           const image = new Image();
           image.onload = () => {{
             const canvas = document.createElement('canvas');
             [canvas.width, canvas.height] = [image.width, image.height];
             const context = canvas.getContext('2d');
             context.drawImage(image, 0, 0);
             yes(context.getImageData(0, 0, image.width, image.height));
           }};
           image.onerror = () => no(new Error(url.slice(0, 60)));
           image.src = url;
         }});
         Promise.all([load('data:image/png;base64,{shot}'), load('{kept}')]).then(([a, b]) => {{
           if (a.width !== b.width || a.height !== b.height) return done(1);
           const far = (x, i, y, k) => Math.max(...[0, 1, 2].map((c) => Math.abs(x[i + c] - y[k + c])));
           const counts = new Map();
           for (let i = 0; i < b.data.length; i += 4) {{
             const colour = b.data[i] * 65536 + b.data[i + 1] * 256 + b.data[i + 2];
             counts.set(colour, (counts.get(colour) ?? 0) + 1);
           }}
           const [most] = [...counts].reduce((x, y) => (y[1] > x[1] ? y : x));
           const ground = [most >> 16, (most >> 8) & 255, most & 255];
           let [off, ink] = [0, 0];
           for (let i = 0; i < a.data.length; i += 4) {{
             if (far(a.data, i, b.data, i) > {COLOUR}) off += 1;
             if (far(b.data, i, ground, 0) > {COLOUR}) ink += 1;
           }}
           done(off / Math.max(1, ink));
         }}, (problem) => done(String(problem)));"
    );
    let found = browser.run_async(&script);
    found.as_f64().unwrap_or_else(|| panic!("{kept}: {found}"))
}

#[test]
fn every_view_draws_what_was_kept() {
    let test = "every_view_draws_what_was_kept";
    let Some(chromedriver) = chromedriver() else {
        println!(
            "{test} is skipped: there is no chromedriver (Debian: apt-get install chromium-driver)"
        );
        return;
    };
    let origin = format!("http://127.0.0.1:{}", serve());
    // Higher than every picture: what is outside of the window is not in a picture of an element.
    let browser = Browser::open(&chromedriver, 900, 1600);
    let mut games = 0;
    for entry in fs::read_dir(page().join("tests/pictures")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(game) = name.strip_prefix("view-").and_then(|rest| rest.strip_suffix(".png"))
        else {
            continue;
        };
        games += 1;
        let (width, height) = size(&page().join("tests/pictures").join(&name));
        let frames = fs::read(page().join(format!("tests/views/{game}.json"))).unwrap();
        let frames: serde_json::Value = serde_json::from_slice(&frames).unwrap();
        let first = frames["first"].as_u64().unwrap_or(0);
        let step = first + frames["frames"].as_array().unwrap().len() as u64 - 2;
        browser.go(&format!(
            "{origin}/static/views/dev.html?shot&game={game}&data=/tests/views/{game}.json&step={step}\
             &width={width}&height={height}&theme=light"
        ));
        let title = browser.until(game, "/^(drawn|failed)/.test(document.title) && document.title");
        assert_eq!(title, "drawn", "{game}");
        let shot = browser.picture("#picture");
        let off = difference(&browser, &shot, &format!("{origin}/tests/pictures/{name}"));
        println!("{game}: {:.1} % of what is drawn differs", 100.0 * off);
        assert!(off <= SHARE, "{game}: {:.1} % of what is drawn differs from {name}", 100.0 * off);
        let complaints = browser.complaints();
        let complaints: Vec<_> =
            complaints.iter().filter(|text| !text.contains("favicon")).collect();
        assert!(complaints.is_empty(), "{game}: {complaints:?}");
    }
    assert!(games >= 11, "only {games} pictures are kept");
}
