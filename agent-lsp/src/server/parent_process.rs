//! The client's process, which the server must not outlive.

#[cfg(unix)]
use crossbeam_channel::bounded;
use crossbeam_channel::{Receiver, never};
use serde_json::Value;
use std::convert::Infallible;

/// The time between two checks whether the process exists.
#[cfg(unix)]
const INTERVAL: std::time::Duration = std::time::Duration::from_secs(3);

/// Returns a channel that is disconnected when the client's process is gone. The parameters of `initialize`
/// contain the id of the process.
///
/// If the process does not exist at first, it runs on another host or in another container and is not
/// watched.
#[cfg(unix)]
pub(super) fn watch(params: &Value) -> Receiver<Infallible> {
    let id = params["processId"].as_i64();
    let id = id.and_then(|id| i32::try_from(id).ok());
    let Some(parent) = id
        .filter(|id| *id > 0)
        .and_then(rustix::process::Pid::from_raw)
    else {
        return never();
    };
    if is_gone(parent) {
        return never();
    }
    let (sender, receiver) = bounded(0);
    let thread = std::thread::Builder::new().name("lsp-parent".to_owned());
    let spawned = thread.spawn(move || {
        while !is_gone(parent) {
            std::thread::sleep(INTERVAL);
        }
        drop(sender);
    });
    // Without the thread, the server ends when its input ends.
    spawned.map_or_else(|_| never(), |_| receiver)
}

/// Returns a channel that is never disconnected: on other systems the server ends when its input ends.
#[cfg(not(unix))]
pub(super) fn watch(_params: &Value) -> Receiver<Infallible> {
    never()
}

/// Returns whether the process does not exist. A process of another user exists.
#[cfg(unix)]
fn is_gone(process: rustix::process::Pid) -> bool {
    rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)
}
