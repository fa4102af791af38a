//! The dashboard on a terminal: a pseudo-terminal whose screen the test reads as an eye would.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::support::{FEED_FORWARD, Place, checkpoints};

/// Far beyond what anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program at a terminal of its own.
struct Seat {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Seat {
    fn start(place: &Place, line: &str) -> Self {
        let main = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&main).unwrap();
        unlockpt(&main).unwrap();
        let name = ptsname(&main, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let other = File::from(rustix::fs::open(&*name, flags, Mode::empty()).unwrap());
        let keyboard = File::from(main);
        resize(&keyboard, 100, 32);
        let end = || Stdio::from(other.try_clone().unwrap());
        let mut command = place.command(line);
        command.stdin(end()).stdout(end()).stderr(end()).env("TERM", "xterm-256color");
        // A job of its own, as a shell would make it: going to sleep concerns the whole group.
        command.process_group(0);
        let child = command.spawn().unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(32, 100, 0)));
        let (mut reader, parser) = (keyboard.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read) = reader.read(&mut bytes)
                && read > 0
            {
                parser.lock().unwrap().process(&bytes[..read]);
            }
        });
        Self { child, keyboard, screen }
    }

    fn contents(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until something holds of the screen.
    fn wait(&self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) {
        let begin = Instant::now();
        while !holds(self.screen.lock().unwrap().screen()) {
            assert!(begin.elapsed() < PATIENCE, "never came: {what}\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    fn wait_until_gone(&self, text: &str) {
        self.wait(text, |screen| !screen.contents().contains(text));
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Are lines edited by the terminal, as a shell wants it, or does every key arrive at once?
    fn is_raw(&self) -> bool {
        !tcgetattr(&self.keyboard).unwrap().local_modes.contains(LocalModes::ICANON)
    }

    fn exit_code(&mut self) -> Option<i32> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}

fn resize(terminal: &File, columns: u16, rows: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}

const LONG: &str = "train preset.yml --set run.dir=run --set evaluation.every=null \
                    --set checkpoint.every=1G --steps 1G";

fn place() -> Place {
    Place::with(&[("preset", FEED_FORWARD)])
}

#[test]
fn keys_save_pause_and_stop() {
    let place = place();
    let mut seat = Seat::start(&place, &format!("{LONG} --until 100M"));
    seat.wait_for("? lists the keys");
    seat.wait_for("/ 100M of 1G steps");
    assert!(seat.is_raw());
    seat.press("?");
    seat.wait_for("pauses, or goes on");
    seat.press("?");
    seat.wait_until_gone("pauses, or goes on");
    seat.press("r");
    seat.wait_for("start with --render");

    seat.press("p");
    seat.wait_for("paused: p goes on");
    assert!(!place.path("run/checkpoints").exists(), "nothing was saved yet");
    seat.press("s");
    seat.wait_for("saved at ");
    let saved = checkpoints(&place.path("run"));
    assert_eq!(saved.len(), 1);
    assert!(seat.contents().contains(&format!("saved at {} steps", saved[0])));
    // Still paused: the same steps are saved again, in the same place.
    seat.press("s");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(checkpoints(&place.path("run")), saved);
    let header = |screen: &vt100::Screen| screen.rows(0, 100).next();
    let before = header(seat.screen.lock().unwrap().screen());
    seat.press("p");
    seat.wait_until_gone("paused");
    seat.wait("further iterations", |screen| header(screen) != before);

    seat.press("q");
    assert_eq!(seat.exit_code(), Some(0), "{}", seat.contents());
    seat.wait_for("interrupted after");
    let screen = seat.contents();
    assert!(screen.contains("train --resume run"), "{screen}");
    assert!(!seat.is_raw(), "the terminal is as it was");
    assert!(!seat.screen.lock().unwrap().screen().alternate_screen());
    let steps = *checkpoints(&place.path("run")).last().unwrap();
    assert!(steps > saved[0], "it went on after the pause");

    // Whatever was pressed, the bits are those of a run that nobody touched.
    place.ok(&format!("{LONG} --set run.dir=untouched --until {steps} --plain"));
    place.bits("untouched").assert_same(&place.bits("run"), "untouched, and saved and paused");
}

#[test]
fn a_paused_run_can_be_stopped() {
    let place = place();
    let mut seat = Seat::start(&place, LONG);
    seat.wait_for("? lists the keys");
    seat.press("p");
    seat.wait_for("paused");
    seat.press("q");
    assert_eq!(seat.exit_code(), Some(0), "{}", seat.contents());
}

#[test]
fn the_second_control_c_leaves_at_once_and_gives_the_terminal_back() {
    let place = place();
    // An iteration that nobody waits for.
    let line = format!("{LONG} --set ppo.epochs=1000 --set rollout.horizon=4096");
    let mut seat = Seat::start(&place, &line);
    seat.wait_for("waiting for the first iteration");
    seat.press("\u{3}");
    std::thread::sleep(Duration::from_millis(300));
    assert!(seat.child.try_wait().unwrap().is_none(), "the first one waits");
    seat.press("\u{3}");
    assert_eq!(seat.exit_code(), Some(130));
    assert!(!seat.is_raw());
    seat.wait("the normal screen", |screen| !screen.alternate_screen());
}

#[test]
fn the_window_may_change_its_size() {
    let place = place();
    let mut seat = Seat::start(&place, LONG);
    seat.wait_for("Learning");
    for (columns, rows) in [(60, 15), (40, 8), (140, 45)] {
        seat.screen.lock().unwrap().screen_mut().set_size(rows, columns);
        resize(&seat.keyboard, columns, rows);
        seat.signal("WINCH");
        seat.wait("the foot", |screen| {
            // At the end of a line of the new width, and nothing of the old one is left.
            let rows: Vec<String> = screen.rows(0, columns).collect();
            let foot: Vec<&String> =
                rows.iter().filter(|r| r.contains("? lists the keys")).collect();
            foot.len() == 1 && foot[0].trim_end().chars().count() + 2 >= usize::from(columns)
        });
    }
    seat.press("q");
    assert_eq!(seat.exit_code(), Some(0));
}

#[test]
fn a_shell_may_put_it_to_sleep_and_wake_it() {
    let place = place();
    let mut seat = Seat::start(&place, LONG);
    seat.wait_for("? lists the keys");
    seat.press("p");
    seat.wait_for("paused");
    for how in ["TSTP", "STOP"] {
        seat.signal(how);
        if how == "TSTP" {
            seat.wait("the normal screen", |screen| !screen.alternate_screen());
            assert!(!seat.is_raw(), "the shell gets its terminal back");
        }
        seat.signal("CONT");
        seat.wait("the dashboard", |screen| {
            screen.alternate_screen() && screen.contents().contains("paused")
        });
        assert!(seat.is_raw());
    }
    seat.press("q");
    assert_eq!(seat.exit_code(), Some(0));
}

/// The first process of a container has its session's leader outside, where it has no number.
#[cfg(target_os = "linux")]
#[test]
fn a_shell_in_a_container_may_put_it_to_sleep_and_wake_it() {
    let contained = |program: &std::path::Path| {
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--kill-child"]).arg(program);
        command
    };
    if !contained("true".as_ref()).output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: unshare makes no containers here");
        return;
    }
    let test = "dashboard::a_shell_may_put_it_to_sleep_and_wake_it";
    let own = std::env::current_exe().unwrap();
    let output = contained(&own).args(["--exact", test]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn what_others_print_does_not_stay_on_it() {
    let place = place();
    let mut seat = Seat::start(&place, LONG);
    seat.wait_for("? lists the keys");
    // Somebody writes to the same terminal: the next painting heals it.
    seat.screen.lock().unwrap().process(b"\x1b[5;5HSOMEBODY ELSE");
    seat.wait_for("SOMEBODY ELSE");
    seat.wait_until_gone("SOMEBODY ELSE");
    // What comes on standard error is shown as a remark, and once more at the end.
    #[cfg(target_os = "linux")]
    {
        let path = format!("/proc/{}/fd/2", seat.child.id());
        let mut error = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        error.write_all(b"warning: the engine is unhappy\n").unwrap();
        drop(error);
        seat.wait_for("warning: the engine is unhappy");
        assert!(seat.screen.lock().unwrap().screen().alternate_screen());
    }
    seat.press("q");
    assert_eq!(seat.exit_code(), Some(0));
    #[cfg(target_os = "linux")]
    seat.wait("the warning once more", |screen| {
        !screen.alternate_screen() && screen.contents().contains("the engine is unhappy")
    });
}

#[test]
fn plain_lines_leave_the_terminal_alone() {
    let place = place();
    let mut seat = Seat::start(&place, &format!("{LONG} --plain"));
    seat.wait_for("steps ");
    assert!(!seat.is_raw() && !seat.screen.lock().unwrap().screen().alternate_screen());
    seat.signal("INT");
    assert_eq!(seat.exit_code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_job_on_a_terminal_has_the_dashboard_of_its_trainer_and_puts_it_right() {
    let place = place();
    let line = LONG.replace("train preset", "job preset").replace("every=1G", "every=1000");
    let mut seat = Seat::start(&place, &format!("{line} --port 0 --no-tensorboard"));
    seat.wait_for("? lists the keys");
    seat.wait("an iteration", |_| place.path("run/model.zip").exists());
    // What the job says stands in its log; the screen is the trainer's.
    let log = || std::fs::read_to_string(place.path("run/job/job.log")).unwrap();
    let row = log().lines().find(|line| line.trim().starts_with("trainer")).unwrap().to_owned();
    let trainer = row.split_whitespace().nth(2).unwrap().to_owned();
    assert!(Command::new("kill").args(["-s", "KILL", &trainer]).status().unwrap().success());
    seat.wait("it comes back", |_| log().contains("trainer: runs again"));
    seat.wait("the dashboard", |screen| screen.alternate_screen());
    seat.wait_for("? lists the keys");
    assert!(seat.is_raw());
    seat.press("\u{3}");
    assert_eq!(seat.exit_code(), Some(0), "{}", seat.contents());
    seat.wait_for("started again: trainer 1 time");
    assert!(seat.contents().contains("job --resume run"), "{}", seat.contents());
    assert!(!seat.is_raw(), "the terminal is as it was");
    assert!(!seat.screen.lock().unwrap().screen().alternate_screen());
}
