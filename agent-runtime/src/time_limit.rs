//! What a limit of time may be.

use crate::error::Error;
use std::time::Duration;

/// Why a limit of no time at all is none; `what` names it.
///
/// Everything would have run out of time before it began, and whoever means "no limit" would get
/// the opposite.
pub(crate) fn no_time(what: &str) -> String {
    format!(
        "{what} is 0, which lets nothing be done; it is a length of time above 0, such as \
         `Duration::from_secs(10)`"
    )
}

/// Checks limits of time that a program sets, each with its name.
pub(crate) fn check_time_limits<'a>(
    limits: impl IntoIterator<Item = (&'a str, Duration)>,
) -> Result<(), Error> {
    let zero = limits.into_iter().find(|(_, limit)| limit.is_zero());
    match zero {
        None => Ok(()),
        Some((name, _)) => Err(Error::configuration(no_time(&format!("`{name}`")))),
    }
}
