//! Runs mutants in processes of their own, with a limit of memory and of time: a panic, an abort, a
//! hang or a process that takes too much is named with the mutant that did it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::targets::Target;

/// Memory a process may have: 500 MB, and what it maps of its own program.
const LIMIT_KB: u32 = 640_000;
/// Failures of a kind that are told one by one.
const TOLD: usize = 20;

fn from_environment(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Mutants of each kind.
pub fn how_many(usual: usize) -> usize {
    from_environment("MUTANTS", usual)
}

/// The longest that a mutant may take. Generous, because a busy machine is no fault of a file;
/// `MUTANT_SECONDS=5` is what is promised.
fn patience() -> Duration {
    Duration::from_secs(from_environment("MUTANT_SECONDS", 60) as u64)
}

/// A program that may take no more memory than the limit.
fn limited(program: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {LIMIT_KB}; exec \"$0\" \"$@\"")]).arg(program);
    // Pools of the allocator are address space that nobody uses.
    command.env("MALLOC_ARENA_MAX", "1").stdin(Stdio::null());
    command
}

/// Runs all mutants of a kind in this test's own program; the child is [`child`].
pub fn in_process(kind: &str, corpus: &Path, mutants: usize) {
    let (mut failures, mut from) = (Vec::new(), 0);
    while from < mutants {
        from = sitting(kind, corpus, from, mutants, &mut failures);
    }
    assert_sound(kind, mutants, failures);
}

fn assert_sound(kind: &str, mutants: usize, failures: Vec<String>) {
    let told = &failures[..failures.len().min(TOLD)];
    assert!(
        failures.is_empty(),
        "{} of {mutants} mutants of {kind} did harm:\n{}",
        failures.len(),
        told.join("\n")
    );
}

/// Runs mutants until one kills the process; returns the number of the next one.
fn sitting(kind: &str, corpus: &Path, from: usize, to: usize, failures: &mut Vec<String>) -> usize {
    let mut child = limited(&std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture", "--test-threads=1"])
        .envs([("MUTANT_KIND", kind), ("MUTANT_FROM", &from.to_string())])
        .envs([("MUTANT_TO", to.to_string().as_str()), ("RAYON_NUM_THREADS", "1")])
        .env("MUTANT_CORPUS", corpus)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (sender, lines) = channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        // Bytes that are no text are lost; the process still ends.
        out.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
    });
    let err = BufReader::new(child.stderr.take().unwrap());
    let said = std::thread::spawn(move || err.lines().map_while(Result::ok).last());
    let mut at = from;
    let what = loop {
        match lines.recv_timeout(patience()) {
            Ok(line) => {
                let line = line.as_str();
                if let Some(number) = line.strip_prefix("mutant ") {
                    at = number.parse().unwrap();
                } else if let Some(message) = line.strip_prefix("panic ") {
                    failures.push(format!("mutant {at} panicked: {message}"));
                } else if line == "all mutants are done" {
                    at = to;
                }
            }
            Err(RecvTimeoutError::Timeout) => break "hung",
            Err(RecvTimeoutError::Disconnected) if at == to => break "",
            Err(RecvTimeoutError::Disconnected) => break "killed its process",
        }
    };
    stop(&mut child);
    let _ = reader.join();
    let said = said.join().ok().flatten().unwrap_or_default();
    if what.is_empty() {
        return to;
    }
    failures.push(format!("mutant {at} {what}: {said}"));
    at + 1
}

fn stop(child: &mut Child) {
    let _ = child.kill(); // it may have ended already
    let _ = child.wait();
}

/// The other side of [`in_process`]: tries mutants one after the other and says which.
pub fn child() {
    let read = |name: &str| std::env::var(name).unwrap_or_default();
    let kind = read("MUTANT_KIND");
    if kind.is_empty() {
        return; // somebody asked for ignored tests
    }
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    std::panic::set_hook(Box::new(|panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        println!("panic {}", panic.to_string().replace('\n', " "));
    }));
    let place = tempfile::tempdir().unwrap();
    let target = Target::new(&kind, Path::new(&read("MUTANT_CORPUS")), place.path());
    let number = |name: &str| read(name).parse::<usize>().unwrap();
    let verbose = !read("MUTANT_VERBOSE").is_empty();
    for mutant in number("MUTANT_FROM")..number("MUTANT_TO") {
        println!("mutant {mutant}");
        let tried =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| target.try_mutant(mutant)));
        if verbose {
            println!("came to {tried:?}");
        }
    }
    println!("all mutants are done");
}

/// Runs the program itself on one mutant; returns what is wrong with how it ended.
pub fn program(directory: &Path, arguments: &[&str]) -> Option<String> {
    let mut child = limited(Path::new(env!("CARGO_BIN_EXE_lanista")))
        .args(arguments)
        .current_dir(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > patience() {
            stop(&mut child);
            return Some("hung".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&stderr).into_owned();
    let sound = matches!(status.code(), Some(0..=2)) && !said.contains("panicked");
    (!sound).then(|| format!("{status}: {said}"))
}

/// Runs the program on every mutant of a kind.
pub fn each(kind: &str, mutants: usize, mut run: impl FnMut(usize) -> Option<String>) {
    let failed = |number| run(number).map(|what| format!("mutant {number} {what}"));
    let from = from_environment("MUTANT_FROM", 0);
    let failures: Vec<String> = (from..mutants.max(from)).filter_map(failed).collect();
    assert_sound(kind, mutants, failures);
}
