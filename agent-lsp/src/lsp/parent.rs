//! The process that started the server, which the server does not outlive.

use serde_json::Value;

/// How often is looked whether it is there.
#[cfg(unix)]
const PAUSE: std::time::Duration = std::time::Duration::from_secs(3);

/// Calls this when the process is gone that a client names in the parameters of `initialize`. One that is
/// not there to begin with is of another machine, or of another container, and says nothing.
#[cfg(unix)]
pub(super) fn watch(params: &Value, gone: impl FnOnce() + Send + 'static) {
    let number = params["processId"].as_i64();
    let number = number.and_then(|number| i32::try_from(number).ok());
    let Some(parent) = number
        .filter(|number| *number > 0)
        .and_then(rustix::process::Pid::from_raw)
    else {
        return;
    };
    if is_gone(parent) {
        return;
    }
    let watching = std::thread::Builder::new().name("lsp-parent".to_owned());
    // Without it the server ends when its input does, as it nearly always will.
    let _ = watching.spawn(move || {
        while !is_gone(parent) {
            std::thread::sleep(PAUSE);
        }
        gone();
    });
}

/// Elsewhere the end of the input has to do.
#[cfg(not(unix))]
pub(super) fn watch(_params: &Value, _gone: impl FnOnce() + Send + 'static) {}

/// Whether there is no such process. One that we may not ask is there.
#[cfg(unix)]
fn is_gone(process: rustix::process::Pid) -> bool {
    rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)
}
