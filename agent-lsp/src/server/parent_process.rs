//! The process that started the server, which the server does not outlive.

#[cfg(unix)]
use crossbeam_channel::bounded;
use crossbeam_channel::{Receiver, never};
use serde_json::Value;
use std::convert::Infallible;

/// How often is looked whether it is there.
#[cfg(unix)]
const PAUSE: std::time::Duration = std::time::Duration::from_secs(3);

/// Returns a channel that is disconnected when the process is gone that a client names in the parameters of
/// `initialize`.
///
/// A process that does not exist at first runs on another host or in another container, and is not watched.
#[cfg(unix)]
pub(super) fn watch(params: &Value) -> Receiver<Infallible> {
    let number = params["processId"].as_i64();
    let number = number.and_then(|number| i32::try_from(number).ok());
    let Some(parent) = number
        .filter(|number| *number > 0)
        .and_then(rustix::process::Pid::from_raw)
    else {
        return never();
    };
    if is_gone(parent) {
        return never();
    }
    let (sender, receiver) = bounded(0);
    let watching = std::thread::Builder::new().name("lsp-parent".to_owned());
    let spawned = watching.spawn(move || {
        while !is_gone(parent) {
            std::thread::sleep(PAUSE);
        }
        drop(sender);
    });
    // Without the thread the server ends when its input does.
    spawned.map_or_else(|_| never(), |_| receiver)
}

/// Elsewhere the server ends when its input does.
#[cfg(not(unix))]
pub(super) fn watch(_params: &Value) -> Receiver<Infallible> {
    never()
}

/// Whether there is no such process. One that we may not ask is there.
#[cfg(unix)]
fn is_gone(process: rustix::process::Pid) -> bool {
    rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)
}
