//! What a process has used.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use std::time::Duration;

/// CPU time and memory of a process and of those that it waited for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Time on a CPU outside of the kernel.
    pub user: Duration,
    /// The most memory that one of the processes had.
    pub peak_bytes: u64,
}

impl Usage {
    /// What the children of this process have used so far, those that were waited for.
    ///
    /// # Errors
    /// When the system does not tell.
    pub(crate) fn of_children() -> Result<Self, String> {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN)
            .map_err(|error| format!("the system does not say what a process used: {error}"))?;
        let microseconds = usage.user_time().num_microseconds();
        // Linux counts kilobytes, macOS bytes.
        let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
        Ok(Self {
            user: Duration::from_micros(u64::try_from(microseconds).unwrap_or_default()),
            peak_bytes: u64::try_from(usage.max_rss()).unwrap_or_default() * unit,
        })
    }
}
