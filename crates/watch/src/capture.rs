//! Standard error while the dashboard shows: what others print goes into it, not over it.

#[cfg(unix)]
pub(crate) use unix::{begin, end};

#[cfg(unix)]
mod unix {
    use std::io::{self, BufRead, BufReader, IsTerminal};
    use std::os::fd::OwnedFd;
    use std::sync::Mutex;

    /// Where standard error went before. Global, because the panic hook has to know.
    static BEFORE: Mutex<Option<OwnedFd>> = Mutex::new(None);

    /// Leads standard error to `hear`, a line at a time. Does nothing if it is no terminal: a file that
    /// the user chose keeps what is written to it.
    pub(crate) fn begin(hear: impl Fn(String) + Send + 'static) -> io::Result<()> {
        let Ok(mut before) = BEFORE.lock() else { return Ok(()) };
        if before.is_some() || !io::stderr().is_terminal() {
            return Ok(());
        }
        let kept = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3)?;
        let (reader, writer) = io::pipe()?;
        std::thread::Builder::new().name("standard error".into()).spawn(move || {
            // It ends when nobody holds the other end any more.
            for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
                hear(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
        })?;
        rustix::stdio::dup2_stderr(&writer)?;
        *before = Some(kept);
        Ok(())
    }

    /// Gives standard error back.
    pub(crate) fn end() {
        let Ok(mut before) = BEFORE.lock() else { return };
        if let Some(before) = before.take() {
            let _ = rustix::stdio::dup2_stderr(&before); // there is nowhere to complain
        }
    }
}

#[cfg(not(unix))]
pub(crate) fn begin(_hear: impl Fn(String) + Send + 'static) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn end() {}
