//! `lanista play vgc`: on a server of our own where there is one, and what it says where there is none.

use std::net::TcpListener;
#[cfg(unix)]
use std::{
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::support::Place;

/// A Showdown server on the loopback address, in one process that ends with the test.
#[cfg(unix)]
struct Server {
    process: Child,
    port: u16,
}

#[cfg(unix)]
impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A directory that looks like the install through links and can be written to: a server writes configuration
/// and logs beside itself, and an install stays as it is.
#[cfg(unix)]
fn links(package: &Path, directory: &Path) -> PathBuf {
    let written = ["config", "databases", "logs"];
    let ours = directory.join("node_modules/pokemon-showdown");
    let dist = ours.join("dist");
    for name in ["config/chat-plugins", "logs/repl", "logs/modlog", "databases", "dist"] {
        std::fs::create_dir_all(ours.join(name)).unwrap();
    }
    let modules = package.parent().unwrap();
    let within =
        [(modules, ours.parent().unwrap()), (package, &ours), (&package.join("dist"), &dist)];
    for (from, to) in within {
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap().path();
            let name = entry.file_name().unwrap();
            let apart = entry == package || written.iter().any(|w| entry == package.join(w));
            if !apart && entry != package.join("dist") {
                std::os::unix::fs::symlink(&entry, to.join(name)).unwrap();
            }
        }
    }
    for entry in std::fs::read_dir(package.join("config")).unwrap() {
        let entry = entry.unwrap().path();
        if entry.is_file() {
            std::fs::copy(&entry, ours.join("config").join(entry.file_name().unwrap())).unwrap();
        }
    }
    ours
}

#[cfg(unix)]
fn serve(package: &Path, place: &Place) -> Server {
    let ours = links(package, &place.path("server"));
    let port = {
        let probe = TcpListener::bind("127.0.0.1:0").unwrap();
        probe.local_addr().unwrap().port()
    };
    let config = format!(
        "exports.port = {port}; exports.bindaddress = '127.0.0.1'; exports.backdoor = false;\n\
         exports.repl = false; exports.watchconfig = false; exports.subprocesses = 0;\n\
         exports.loginserver = 'http://127.0.0.1:9/';\n"
    );
    std::fs::write(ours.join("config/config.js"), config).unwrap();
    let process = Command::new("node")
        .args(["pokemon-showdown", "start", "--skip-build", "--no-security"])
        .env("NODE_OPTIONS", "--preserve-symlinks --preserve-symlinks-main")
        .current_dir(&ours)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(place.path("server.log")).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut server = Server { process, port };
    let patience = Instant::now() + Duration::from_secs(120);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let ended = server.process.try_wait().unwrap();
        let log = || std::fs::read_to_string(place.path("server.log")).unwrap();
        assert!(ended.is_none() && Instant::now() < patience, "no server: {ended:?}\n{}", log());
        std::thread::sleep(Duration::from_millis(100));
    }
    server
}

#[cfg(unix)] // links
#[test]
fn two_players_meet_on_a_local_server() {
    let package = match lanista_vgc::install::locate(None) {
        Ok(install) => install.package,
        Err(error) => {
            println!("skipped: two_players_meet_on_a_local_server: {error}");
            return;
        }
    };
    let place = Place::new();
    let server = serve(&package, &place);
    let line = |who: &str, rest: &str| {
        let to = format!("--server 127.0.0.1:{} --format gen9vgc2024regg", server.port);
        format!("play vgc {who} {to} --battles 2 --at-once 2 --json {rest}")
    };
    let mut accepting = place.command(&line("bot:random", "--name beta --accept --keep beta"));
    let accepting = accepting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let ours = place.json(&line("bot:max_power", "--name alpha --challenge beta --keep alpha"));
    let theirs = accepting.wait_with_output().unwrap();
    assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
    let theirs: serde_json::Value = serde_json::from_slice(&theirs.stdout).unwrap();
    for (summary, name) in [(&ours, "alpha"), (&theirs, "beta")] {
        assert_eq!(summary["battles"], 2, "{summary}");
        assert_eq!(summary["timed_out"], 0, "{summary}");
        assert_eq!(summary["rejected"], 0, "{summary}");
        assert!(summary["decisions"].as_u64().unwrap() > 8, "{summary}");
        let mut logs = 0;
        for entry in std::fs::read_dir(place.path(name)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "log") {
                let log = std::fs::read_to_string(&path).unwrap();
                assert!(log.contains("|turn|1") && log.contains("|win|"), "{log}");
                logs += 1;
            }
        }
        assert_eq!(logs, 2, "{name}");
    }
    assert_eq!(ours["won"], theirs["lost"], "{ours} {theirs}");
    assert_eq!(ours["lost"], theirs["won"], "{ours} {theirs}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let place = Place::new();
    let port = {
        let probe = TcpListener::bind("127.0.0.1:0").unwrap();
        probe.local_addr().unwrap().port()
    };
    let said = place.fails(&format!(
        "play vgc bot:random --server 127.0.0.1:{port} --name alpha --format gen9vgc2024regg --accept"
    ));
    assert!(
        said.contains(&format!("127.0.0.1:{port}")) && said.contains("is it running"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_played_is_named() {
    let place = Place::new();
    place.write("empty.txt", "\n");
    let whole = "play vgc bot:random --name alpha --format gen9vgc2024regg --accept";
    for (line, expected) in [
        ("play vgc bot:best --name alpha --format gen9vgc2024regg --accept", "bot:heuristic"),
        ("play vgc bot:random --name alpha --format gen9ou --accept", "gen9vgc2025regi"),
        ("play vgc bot:random --name alpha --accept", "--format"),
        ("play vgc bot:random --name 17 --format gen9vgc2024regg --accept", "--name 17"),
        ("play vgc bot:random --name a,b --format gen9vgc2024regg --accept", "--name a,b"),
        ("play vgc bot:random --name alpha --format gen9vgc2024regg", "--challenge"),
        (&format!("{whole} --ladder"), "cannot be used with"),
        (&format!("{whole} --server wss://sim.example"), "encrypted"),
        (&format!("{whole} --server a:b:c"), "no address"),
        (&format!("{whole} --team missing.txt"), "missing.txt"),
        (&format!("{whole} --team empty.txt"), "empty.txt"),
        ("play vgc missing.zip --name alpha --accept", "missing.zip"),
        (&format!("{whole} --battles 0"), "at least one"),
    ] {
        let said = place.fails(line);
        assert!(said.contains(expected), "{line}\n{said}");
    }
}
