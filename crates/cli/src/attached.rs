//! Programs that do not outlive the process that started them, however that one ends.
//!
//! Only a process itself can ask the kernel for a signal at its parent's death, and foreign programs do not. So
//! they are started through a hidden command of this one, which asks and then becomes them: the request, the
//! process id and the open files stay. Other systems than Linux have no such signal; there, programs are started
//! as they are, and whoever kills the parent must look for them.

use std::ffi::OsStr;
use std::process::Command;

use anyhow::Context;

use crate::args::AttachedArgs;

/// The hidden command's name.
#[cfg(target_os = "linux")]
const NAME: &str = "attached";

/// What starts a program, with arguments still to be added. It dies with the **thread** that starts it, which must
/// therefore be the one that waits for it.
#[cfg(target_os = "linux")]
pub fn command(program: &OsStr) -> anyhow::Result<Command> {
    use std::os::unix::process::CommandExt;

    let mut command = Command::new(own_path()?);
    // A program that says how it was called, as this one does, says what the user typed.
    command.arg0(std::env::args_os().next().unwrap_or_else(|| "lanista".into()));
    command.arg(NAME).arg(std::process::id().to_string()).arg("--").arg(program);
    Ok(command)
}

#[cfg(not(target_os = "linux"))]
pub fn command(program: &OsStr) -> anyhow::Result<Command> {
    Ok(Command::new(program))
}

/// Where this program is.
pub fn own_path() -> anyhow::Result<std::path::PathBuf> {
    std::env::current_exe().context("the program does not know where it is")
}

/// Becomes the program that it is given, unless the parent has died already.
#[cfg(unix)]
pub fn run(args: &AttachedArgs) -> anyhow::Result<()> {
    use std::os::unix::process::CommandExt;

    let (program, rest) = args.command.split_first().context("nothing to start")?;
    #[cfg(target_os = "linux")]
    {
        use nix::sys::signal::Signal;

        // SIGKILL: a process that finishes something first may wait for another that has died as well.
        nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).context("cannot be tied to the parent")?;
        // It may have died before the request; then nobody would send the signal.
        if nix::unistd::getppid().as_raw().cast_unsigned() != args.parent {
            anyhow::bail!("the process {} that started this one is gone", args.parent);
        }
    }
    let mut command = Command::new(program);
    if own_path().is_ok_and(|own| own.as_os_str() == program) {
        command.arg0(std::env::args_os().next().unwrap_or_else(|| program.clone()));
    }
    let error = command.args(rest).exec();
    Err(error).with_context(|| format!("cannot start {}", program.display()))
}

#[cfg(not(unix))]
pub fn run(args: &AttachedArgs) -> anyhow::Result<()> {
    let (program, rest) = args.command.split_first().context("nothing to start")?;
    let status = Command::new(program).args(rest).status();
    let status = status.with_context(|| format!("cannot start {}", program.display()))?;
    std::process::exit(status.code().unwrap_or(1))
}
