//! A client that closed its end, which is seen before all is read that it had written.

use super::Outbox;

/// Lets whoever writes wait no longer than a moment from when nobody can write to standard input any more.
/// The thread that reads would see that too late: it may be waiting for room for what it has read, which
/// there is only when somebody reads the answers.
#[cfg(unix)]
pub(super) fn watch(outbox: Outbox) -> std::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let watching = std::thread::Builder::new().name("lsp-hangup".to_owned());
    watching.spawn(move || {
        let input = std::io::stdin();
        // That it hung up is said without being asked for.
        let mut fds = [PollFd::new(&input, PollFlags::empty())];
        loop {
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) if fds[0].revents().contains(PollFlags::HUP) => return outbox.hurry(),
                // It cannot be watched.
                Ok(_) | Err(_) => return,
            }
        }
    })?;
    Ok(())
}

/// Elsewhere the end of what was read has to do.
#[cfg(not(unix))]
pub(super) fn watch(_outbox: Outbox) -> std::io::Result<()> {
    Ok(())
}
