//! `lanista job`: everything that belongs to a training, started, kept alive and stopped.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{FEED_FORWARD, LIVE, Place, RECURRENT, Running, checkpoints, metrics, text};

/// Looks again and again, for two minutes at most: machines may be busy.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("waited in vain: {what}");
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", name, &process.to_string()]).status().unwrap();
    assert!(sent.success(), "{name} to {process}");
}

/// Is there such a process? One that has ended and was not waited for yet is none.
fn lives(process: u32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/status")) else { return false };
    !status.lines().any(|line| line.starts_with("State:") && line.contains('Z'))
}

/// The processes that were started in a place, by their working directory.
fn processes(place: &Place) -> Vec<u32> {
    let here = place.path("").canonicalize().unwrap();
    let all = fs::read_dir("/proc").unwrap().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let ours =
        |process: &u32| fs::read_link(format!("/proc/{process}/cwd")).is_ok_and(|cwd| cwd == here);
    numbers.filter(ours).filter(|process| lives(*process)).collect()
}

/// What was killed may be listed for a moment.
fn assert_nothing_runs(place: &Place) {
    wait_until("nothing is left running", || processes(place).is_empty());
}

/// A job with its table read. What it says afterwards is kept.
struct Started {
    running: Running,
    rows: Vec<Vec<String>>,
    said: String,
}

impl Started {
    fn new(place: &Place, line: &str) -> Self {
        Self::by(place.command(&format!("job {line}")))
    }

    fn by(command: Command) -> Self {
        let mut running = Running::start(command);
        // Drained, so that nobody waits for a reader.
        let error = running.child.stderr.take().unwrap();
        std::thread::spawn(move || std::io::copy(&mut { error }, &mut std::io::sink()));
        let (mut rows, mut said) = (Vec::new(), String::new());
        loop {
            let mut line = String::new();
            assert!(running.out.read_line(&mut line).unwrap() > 0, "it ended:\n{said}");
            said += &line;
            let row: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let is_last = row[0] == "trainer";
            rows.push(row);
            if is_last {
                return Self { running, rows, said };
            }
        }
    }

    fn row(&self, name: &str) -> &[String] {
        let found = self.rows.iter().find(|row| row[0] == name);
        found.unwrap_or_else(|| panic!("no {name}:\n{}", self.said))
    }

    fn process(&self, name: &str) -> u32 {
        self.row(name)[2].parse().unwrap_or_else(|_| panic!("{}", self.said))
    }

    fn page(&self) -> SocketAddr {
        let address = self.row("page")[1].strip_prefix("http://").unwrap();
        address.trim_end_matches('/').parse().unwrap()
    }

    /// Waits for a line that begins like this, and returns it.
    fn wait_for(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.running.out.read_line(&mut line).unwrap();
            assert!(read > 0, "it ended before `{beginning}`:\n{}", self.said);
            self.said += &line;
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    /// Waits for its end; returns all that it said.
    fn end(mut self, code: i32) -> String {
        self.running.out.read_to_string(&mut self.said).unwrap();
        assert_eq!(self.running.child.wait().unwrap().code(), Some(code), "{}", self.said);
        std::mem::take(&mut self.said)
    }
}

fn answers(address: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let asked = format!("GET /api/runs HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut bytes = Vec::new();
    std::io::Write::write_all(&mut stream, asked.as_bytes()).is_ok()
        && stream.read_to_end(&mut bytes).is_ok()
        && bytes.starts_with(b"HTTP/1.1 200")
}

/// Iterations that take their time, so that things can be done meanwhile, and a checkpoint at each.
const SLOW: &str =
    "--set ppo.epochs=20 --set checkpoint.every=300 --set evaluation.every=100k --no-tensorboard";

#[test]
fn a_job_trains_to_the_end_and_leaves_nothing_running() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let mut job = Started::new(&place, "preset.yml --no-tensorboard --set run.dir=run --port 0");
    let (page, trainer, address) = (job.process("page"), job.process("trainer"), job.page());
    job.wait_for("training preset.yml");
    let said = job.end(0);
    assert!(said.contains("all steps are done"), "{said}");
    assert!(said.contains("job: stopped page; nothing is left running"), "{said}");
    assert!(said.contains("job --resume run"), "{said}");
    assert!(!said.contains("started again"), "{said}");
    assert!(!lives(page) && !lives(trainer) && !answers(address));
    assert_nothing_runs(&place);
    let log = fs::read_to_string(place.path("run/job/page.log")).unwrap();
    assert!(log.contains(&format!("http://{address}/")) && log.contains("stopped"), "{log}");

    place.ok("train preset.yml --set run.dir=alone");
    place.bits("alone").assert_same(&place.bits("run"), "trained alone, and in a job");
    // It goes on as a job, too.
    let said = place.ok("job --resume run --steps 6k --no-page --no-tensorboard");
    assert!(said.contains("resuming run at "), "{said}");
}

fn a_killed_trainer_is_resumed(preset: &str) {
    let place = Place::with(&[("preset", preset)]);
    let line = format!("preset.yml --steps 12k {SLOW} --set checkpoint.keep=100 --no-page");
    let mut job = Started::new(&place, &format!("{line} --set run.dir=cut"));
    let mut trainer = job.process("trainer");
    let saved = || match place.path("cut/checkpoints").exists() {
        true => checkpoints(&place.path("cut")).len(),
        false => 0,
    };
    for kills in 1..=2 {
        let before = saved();
        wait_until("a new checkpoint", || saved() > before);
        signal("KILL", trainer);
        let said = job.wait_for("trainer: killed by signal 9");
        assert!(said.contains("goes on from its checkpoint at "), "{kills}: {said}");
        let said = job.wait_for("trainer: runs again, process ");
        trainer = said.trim().rsplit(' ').next().unwrap().parse().unwrap();
    }
    let said = job.end(0);
    assert!(said.contains("resuming preset.yml at "), "{said}");
    assert!(said.contains("started again: trainer 2 times"), "{said}");
    let line = line.replace(" --no-tensorboard", "").replace(" --no-page", "");
    place.ok(&format!("train {line} --set run.dir=whole"));
    place.bits("whole").assert_same(&place.bits("cut"), "never killed, and killed twice in a job");
    assert_eq!(checkpoints(&place.path("whole")), checkpoints(&place.path("cut")));
    assert_nothing_runs(&place);
}

#[test]
fn a_killed_trainer_goes_on_to_the_same_bits() {
    a_killed_trainer_is_resumed(FEED_FORWARD);
}

#[test]
fn a_killed_trainer_with_memory_goes_on_to_the_same_bits() {
    a_killed_trainer_is_resumed(RECURRENT);
}

#[test]
fn a_page_that_dies_comes_back_where_it_was_and_control_c_ends_everything() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let line = format!("preset.yml --steps 1G {SLOW} --set run.dir=run --port 0");
    let mut job = Started::new(&place, &line);
    let (first, trainer, address) = (job.process("page"), job.process("trainer"), job.page());
    wait_until("the page answers", || answers(address));
    signal("KILL", first);
    job.wait_for("page: killed by signal 9; it is started again");
    let said = job.wait_for("page: runs again, process ");
    let second: u32 = said.trim().rsplit(' ').next().unwrap().parse().unwrap();
    assert_ne!(first, second);
    wait_until("the page answers again", || answers(address));
    assert!(lives(trainer), "training did not mind");

    job.running.signal("INT");
    let said = job.end(0);
    assert!(said.contains("stopping: the trainer finishes its iteration"), "{said}");
    assert!(said.contains("interrupted after "), "{said}");
    assert!(said.contains("started again: page 1 time"), "{said}");
    assert!(said.contains("job --resume run"), "{said}");
    assert!(!lives(second) && !lives(trainer));
    assert_nothing_runs(&place);
    let stopped = place.bits("run").steps();
    let said = place.ok(&format!("train --resume run --until {}", stopped + 400));
    assert!(said.contains(&format!("resuming run at {stopped} steps")), "{said}");
}

#[test]
fn termination_saves_and_a_second_signal_leaves_at_once() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let line = format!("preset.yml --steps 1G {SLOW} --no-page --set run.dir=run");
    let mut job = Started::new(&place, &line);
    job.wait_for("steps ");
    job.running.signal("TERM");
    let said = job.end(0);
    assert!(said.contains("interrupted after "), "{said}");

    // One iteration of this takes longer than anybody waits.
    let line =
        "preset.yml --steps 1G --set ppo.epochs=1000 --set rollout.horizon=4096 --set run.dir=long";
    let mut job = Started::new(&place, &format!("{line} --no-page --no-tensorboard"));
    job.wait_for("training preset.yml ");
    job.running.signal("INT");
    job.wait_for("stopping: ");
    assert!(lives(job.process("trainer")), "it waits for the iteration");
    job.running.signal("INT");
    let said = job.end(130);
    assert!(said.contains("goes on from its newest checkpoint"), "{said}");
    assert_nothing_runs(&place);
}

#[test]
fn a_job_that_is_killed_leaves_no_orphan() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let path = fake_tensorboard(&place, "echo $$ > board.pid; exec sleep 1000");
    let line = format!("job preset.yml --steps 1G --set run.dir=run --port 0 {SLOW}");
    let mut command = place.command(line.trim_end_matches(" --no-tensorboard"));
    command.env("PATH", path);
    let mut job = Started::by(command);
    job.wait_for("steps ");
    let all = ["page", "tensorboard", "trainer"].map(|name| job.process(name));
    assert!(all.iter().all(|process| lives(*process)), "{}", job.said);
    job.running.signal("KILL");
    job.running.child.wait().unwrap();
    for process in all {
        wait_until("it ends with the job", || !lives(process));
    }
    assert_nothing_runs(&place);
    // What was left behind goes on.
    place.ok("train --resume run --until 1");
}

/// A program `tensorboard` that runs this script; returns a PATH with it first.
fn fake_tensorboard(place: &Place, script: &str) -> String {
    fs::create_dir_all(place.path("bin")).unwrap();
    place.write("bin/tensorboard", &format!("#!/bin/sh\n{script}\n"));
    let program = place.path("bin/tensorboard");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap())
}

#[test]
fn tensorboard_is_started_on_the_run_and_stopped() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    // Its own child must not stay behind either.
    let path = fake_tensorboard(&place, "echo \"$@\" > board.args; sleep 1000 & wait");
    let mut command = place.command("job preset.yml --set run.dir=run --no-page");
    command.env("PATH", path);
    let job = Started::by(command);
    let (board, address) = (job.process("tensorboard"), job.row("tensorboard")[1].clone());
    wait_until("it was started", || {
        fs::read_to_string(place.path("board.args")).is_ok_and(|args| args.ends_with('\n'))
    });
    let said = job.end(0);
    assert!(said.contains("job: stopped tensorboard; nothing is left running"), "{said}");
    assert!(!lives(board));
    assert_nothing_runs(&place);
    let args = fs::read_to_string(place.path("board.args")).unwrap();
    let port = address.trim_end_matches('/').rsplit(':').next().unwrap();
    assert_eq!(args.trim(), format!("--logdir run --host 127.0.0.1 --port {port}"));
}

#[test]
fn a_viewer_that_cannot_start_is_reported_and_training_goes_on() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let path = fake_tensorboard(&place, "echo no module named board >&2; exit 3");
    let mut command = place.command("job preset.yml --set run.dir=run --no-page --steps 60k");
    command.env("PATH", path);
    let said = Started::by(command).end(0);
    assert!(said.contains("all steps are done"), "{said}");
    assert!(said.contains("tensorboard: ended with exit code 3; it is started again"), "{said}");
    let log = fs::read_to_string(place.path("run/job/tensorboard.log")).unwrap();
    assert!(log.contains("no module named board"), "{log}");
}

fn free_udp() -> SocketAddr {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

#[test]
fn a_live_preset_gets_its_server() {
    let place = Place::with(&[("live", LIVE)]);
    let at = free_udp();
    let line = format!("live.yml --set settings.live={at} --no-page --no-tensorboard --threads 2");
    let job = Started::new(&place, &line);
    assert_eq!(job.row("survivors-server")[1], at.to_string());
    let server = job.process("survivors-server");
    let said = job.end(0);
    assert!(said.contains("all steps are done"), "{said}");
    assert!(said.contains("job: stopped survivors-server"), "{said}");
    for line in metrics(&place.path("runs/live")) {
        assert_eq!(line["lost_matches"], 0, "{line}");
    }
    assert!(!lives(server));
    let log = fs::read_to_string(place.path("runs/live/job/survivors-server.log")).unwrap();
    assert!(log.contains(&format!("listening on {at}")) && log.contains("corridor"), "{log}");
    assert!(log.contains(" episodes"), "it says what it did: {log}");
    let log = fs::read_to_string(place.path("runs/live/job/trainer.log")).unwrap();
    assert!(!log.contains("no survivors left"), "every match had a game: {log}");
}

#[test]
fn a_server_that_is_there_is_left_alone() {
    let place = Place::with(&[("live", LIVE)]);
    let mut server = Running::start(place.command("survivors server --port 0 --games 8 --for 240"));
    let mut ready = String::new();
    server.out.read_line(&mut ready).unwrap();
    let at = ready.strip_prefix("listening on ").unwrap().split(": ").next().unwrap();
    let said = place.ok(&format!(
        "job live.yml --set settings.live={at} --no-page --no-tensorboard --set settings.map=apartment"
    ));
    assert!(said.contains("runs already, left alone"), "{said}");
    assert!(said.contains("all steps are done"), "{said}");
    assert!(server.child.try_wait().unwrap().is_none(), "it is not the job's to stop");
}

#[test]
fn a_server_that_can_never_start_ends_the_job_with_its_log() {
    let place = Place::with(&[("live", LIVE)]);
    // A key that the trainer takes and the server, which reads text, does not.
    fs::write(place.path("key"), [0xff; 32]).unwrap();
    let set = format!("--set settings.live={} --set settings.live_key_file=key", free_udp());
    let error = place.fails(&format!("job live.yml {set} --no-page --no-tensorboard"));
    assert!(error.contains("survivors-server died 5 times in a row and is given up"), "{error}");
    assert!(error.contains("runs/live/job/survivors-server.log"), "{error}");
    assert!(error.contains("cannot read key"), "its last words: {error}");
    assert_nothing_runs(&place);
    assert!(!place.path("runs/live/checkpoints").exists(), "nothing was trained");
}

#[test]
fn a_trainer_that_dies_at_once_again_and_again_is_given_up() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    fs::create_dir_all(place.path("run")).unwrap();
    place.write("run/checkpoints", "in the way");
    let error = place.fails("job preset.yml --set run.dir=run --no-page --no-tensorboard");
    assert!(error.contains("the trainer died 5 times in a row"), "{error}");
    assert!(error.contains("its log is run/job/trainer.log"), "{error}");
    let log = fs::read_to_string(place.path("run/job/trainer.log")).unwrap();
    assert_eq!(log.matches("error: ").count(), 5, "{log}");
}

#[test]
fn what_cannot_train_is_refused_before_anything_starts() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    for (line, said) in [
        ("job rokcet/1v1", "did you mean `rocket/1v1`"),
        ("job preset.yml --set ppo.epoch=2", "unknown key `ppo.epoch`"),
        ("job preset.yml --set rollout.horizon=10M --set rollout.matches=1M", "memory"),
        ("job preset.yml --no-page --port 1", "--port"),
    ] {
        let error = place.fails(line);
        assert!(error.contains(said), "{line}: {error}");
    }
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = place.fails(&format!("job preset.yml --port {port}"));
    assert!(error.contains(&format!("--port {port}: another program listens there")), "{error}");
    assert!(!place.path("runs").exists(), "nothing was begun");
}

#[test]
fn a_dry_run_shows_what_would_be_started() {
    let place = Place::with(&[("live", LIVE)]);
    let at = free_udp();
    let path = fake_tensorboard(&place, "touch started");
    let dry = |line: &str| {
        let mut command =
            place.command(&format!("job live.yml --set settings.live={at} --dry-run {line}"));
        let output = command.env("PATH", &path).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let said = dry("");
    for part in [
        "would train in runs/live",
        "survivors-server",
        "page",
        "tensorboard",
        "--logdir",
        "lanista train",
    ] {
        assert!(said.contains(part), "`{part}` is missing:\n{said}");
    }
    let plan: Value = serde_json::from_str(&dry("--json --no-page")).unwrap();
    let names: Vec<_> = plan["services"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["survivors-server", "tensorboard"]);
    assert_eq!(plan["services"][0]["address"], at.to_string());
    assert_eq!(plan["services"][0]["needed_by_training"], true);
    assert_eq!(plan["run_dir"], "runs/live");
    assert!(!place.path("runs").exists() && !Path::new(&place.path("started")).exists());
}

#[test]
fn a_program_reads_one_line_of_json() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let value = place.json("job preset.yml --json --set run.dir=run --port 0 --no-tensorboard");
    assert_eq!((value["ended"].as_str(), value["run_dir"].as_str()), (Some("steps"), Some("run")));
}

/// The hidden command that ties a program to whoever started it.
#[test]
fn nothing_is_started_for_a_parent_that_is_gone() {
    let place = Place::new();
    let own = std::process::id();
    let out = place.ok(&format!("attached {own} -- echo tied --json"));
    assert_eq!(out, "tied --json\n");
    let error = place.fails("attached 1 -- touch started");
    assert!(error.contains("process 1 that started this one is gone"), "{error}");
    assert!(!place.path("started").exists());
    let mut child: Child = place
        .command(&format!("attached {own} -- sh -c"))
        .arg("echo $PPID; read nothing")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut parent = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut parent).unwrap();
    assert_eq!(parent.trim(), own.to_string(), "it became the program");
    child.kill().unwrap();
    child.wait().unwrap();
}
