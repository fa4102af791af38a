//! A process that this one has started: whether it lives, how it is told to stop, and how it is stopped.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often an end is looked for.
const TURN: Duration = Duration::from_millis(20);

/// Whom a signal reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The process alone: it looks after what it has started.
    Process,
    /// Everything that it has started, too.
    Group,
}

/// What can be asked of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    Interrupt,
    Terminate,
    Sleep,
    WakeUp,
}

/// A process that runs, or has ended. It ends when this is dropped.
pub struct Process {
    child: Child,
    /// Is it the first of a group of its own? Keys of a terminal then do not reach it.
    leads: bool,
    /// Was its end taken note of? Its number may be another's after that.
    over: bool,
}

impl Process {
    /// Starts it in a group of its own.
    pub fn apart(mut command: Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(Self { child: command.spawn()?, leads: true, over: false })
    }

    /// Starts it in the group of this process, so that it may use the terminal.
    pub fn beside(mut command: Command) -> io::Result<Self> {
        Ok(Self { child: command.spawn()?, leads: false, over: false })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it says on standard error, if that was to be heard.
    pub fn take_stderr(&mut self) -> Option<std::process::ChildStderr> {
        self.child.stderr.take()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        self.over = status.is_some();
        Ok(status)
    }

    /// Asks something of it, if it is still there.
    pub fn ask(&mut self, ask: Ask, reach: Reach) {
        if matches!(self.ended(), Ok(None)) {
            self.send(ask, reach);
        }
    }

    #[cfg(unix)]
    fn send(&mut self, ask: Ask, reach: Reach) {
        use nix::sys::signal::{Signal, kill, killpg};
        use nix::unistd::Pid;

        let signal = match ask {
            Ask::Interrupt => Signal::SIGINT,
            Ask::Terminate => Signal::SIGTERM,
            Ask::Sleep => Signal::SIGSTOP,
            Ask::WakeUp => Signal::SIGCONT,
        };
        let pid = Pid::from_raw(self.child.id().cast_signed());
        // It may be gone by now, which is what most of these want.
        let _ = match reach {
            Reach::Group if self.leads => killpg(pid, signal),
            _ => kill(pid, signal),
        };
    }

    /// There are no signals here. What is to stop is ended; keys of a terminal reach it by themselves.
    #[cfg(not(unix))]
    fn send(&mut self, ask: Ask, _: Reach) {
        if ask == Ask::Terminate {
            let _ = self.child.kill();
        }
    }

    /// Waits for its end, but not for longer than this; then ends it and whatever is left of its group.
    pub fn finish(&mut self, patience: Duration) {
        let begun = Instant::now();
        while !self.over && !self.is_at_its_end() && begun.elapsed() < patience {
            std::thread::sleep(TURN);
        }
        self.kill();
    }

    /// Has it ended? Its number stays its own: what is left of its group can still be named by it.
    #[cfg(target_os = "linux")]
    fn is_at_its_end(&mut self) -> bool {
        use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};

        let pid = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
        waitid(Id::Pid(pid), flags) != Ok(WaitStatus::StillAlive)
    }

    #[cfg(not(target_os = "linux"))]
    fn is_at_its_end(&mut self) -> bool {
        !matches!(self.ended(), Ok(None))
    }

    /// Ends it and, if it leads a group, all of that.
    pub fn kill(&mut self) {
        if self.over {
            return;
        }
        #[cfg(unix)]
        if self.leads {
            use nix::sys::signal::{Signal, killpg};
            let group = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
            let _ = killpg(group, Signal::SIGKILL); // it is killed below in any case
        }
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
        self.over = true;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// How a process ended, in words.
pub fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => "ended".to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    const PATIENCE: Duration = Duration::from_secs(60);

    /// How it ends, if it does within a while.
    fn ends(process: &mut Process, patience: Duration) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            let ended = process.ended().unwrap();
            if ended.is_some() || begun.elapsed() >= patience {
                return ended;
            }
            std::thread::sleep(TURN);
        }
    }

    #[test]
    fn endings_are_told_apart() {
        let ended = |script| {
            let mut process = Process::apart(shell(script)).unwrap();
            ending(ends(&mut process, PATIENCE).unwrap())
        };
        assert_eq!(ended("exit 3"), "ended with exit code 3");
        assert_eq!(ended("kill -9 $$"), "killed by signal 9");
    }

    #[test]
    fn a_group_ends_as_one() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut command = shell("sleep 1000 & sleep 1000 & wait");
        command.stdout(writer);
        let mut process = Process::apart(command).unwrap();
        assert!(process.ended().unwrap().is_none());
        process.ask(Ask::Terminate, Reach::Group);
        assert!(ends(&mut process, PATIENCE).is_some());
        // The pipe closes when the last of them is gone. The command above is dropped with its own end.
        io::Read::read_to_end(&mut reader, &mut Vec::new()).unwrap();
    }

    #[test]
    fn what_ignores_every_wish_is_killed() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut command = shell("trap '' TERM INT; echo ready; sleep 1000");
        command.stdout(writer);
        let mut process = Process::apart(command).unwrap();
        let mut ready = [0; 6];
        io::Read::read_exact(&mut reader, &mut ready).unwrap();
        process.ask(Ask::Terminate, Reach::Process);
        assert!(ends(&mut process, Duration::from_millis(50)).is_none());
        process.finish(Duration::from_millis(50));
        io::Read::read_to_end(&mut reader, &mut Vec::new()).unwrap();
    }

    #[test]
    fn what_a_process_leaves_behind_ends_with_it() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut command = shell("(trap '' TERM; exec sleep 1000) & exit 0");
        command.stdout(writer);
        let mut process = Process::apart(command).unwrap();
        process.finish(PATIENCE);
        io::Read::read_to_end(&mut reader, &mut Vec::new()).unwrap();
    }
}
