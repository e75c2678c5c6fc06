//! Checks of what a program sets: time limits above zero, and a tokio runtime that enforces them.

use crate::error::Error;
use std::time::Duration;

/// The message for a time limit of 0, which `what` names. A limit of 0 is rejected because nothing could be
/// done within it, while the program probably means no limit.
pub(crate) fn no_time(what: &str) -> String {
    format!(
        "{what} is 0, which lets nothing be done; it is a length of time above 0, such as \
         `Duration::from_secs(10)`"
    )
}

/// Checks that a tokio runtime has been entered. Without a runtime, the first timer panics. Tokio cannot
/// report whether the timers of a runtime are enabled; if they are not, tokio's own panic names
/// `enable_time`.
///
/// # Errors
/// Configuration, with what to do.
pub fn check_timers() -> Result<(), Error> {
    match tokio::runtime::Handle::try_current() {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::configuration(
            "agents run on tokio, and there is no tokio runtime here: await the run under \
             `#[tokio::main]`, or pass it to `block_on` of a `tokio::runtime::Runtime`",
        )
        .with_source(error)),
    }
}

/// Checks time limits, each with its name.
pub fn check_time_limits<'a>(
    limits: impl IntoIterator<Item = (&'a str, Duration)>,
) -> Result<(), Error> {
    let zero = limits.into_iter().find(|(_, limit)| limit.is_zero());
    match zero {
        None => Ok(()),
        Some((name, _)) => Err(Error::configuration(no_time(&format!("`{name}`")))),
    }
}
