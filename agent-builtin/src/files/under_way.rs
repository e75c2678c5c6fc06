//! Limits the bytes of large files that are under way: read from the disk and not yet received by their run.

use agent_tool::{Cancellation, ToolContext, ToolError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The maximum number of bytes that are under way in a process. Models can read many large files in one answer and in
/// many runs, whose contents would fill the memory. A larger file is read alone.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The maximum size in bytes of a file that is read without waiting, however many bytes are under way. It is
/// small enough that all calls of one answer can read such files.
const SMALL: u64 = 1024 * 1024;

/// The interval at which a waiting call checks whether other calls have ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The maximum time for which the bytes of a call count as under way. The time is limited because a host that
/// calls a tool without a runtime need not cancel the context of the call after the result.
const MAX_TIME: Duration = Duration::from_secs(10);

/// The calls that have bytes under way.
static CALLS: Mutex<Vec<FileCall>> = Mutex::new(Vec::new());

/// A call that reads a file, or whose result waits for its run.
struct FileCall {
    bytes: u64,
    /// Cancelled when the call ends, which is when the run has the result and counts it.
    cancellation: Cancellation,
    since: Instant,
}

/// Waits until the call may read `bytes` bytes, which are under way until the call ends.
///
/// # Errors
/// Timeout when the call is cancelled.
pub(super) fn wait_to_read(bytes: u64, context: &ToolContext) -> Result<(), ToolError> {
    while bytes > SMALL && !begin(bytes, context.cancellation()) {
        sleep(POLL_INTERVAL);
        if context.is_cancelled() {
            return Err(ToolError::Timeout);
        }
    }
    Ok(())
}

/// Registers the call and returns `true` if few enough bytes are under way.
fn begin(bytes: u64, cancellation: &Cancellation) -> bool {
    let mut calls = calls();
    calls.retain(|call| !call.cancellation.is_cancelled() && call.since.elapsed() < MAX_TIME);
    let under_way: u64 = calls.iter().map(|call| call.bytes).sum();
    let may_begin = calls.is_empty() || under_way.saturating_add(bytes) <= MAX_BYTES;
    if may_begin {
        calls.push(FileCall {
            bytes,
            cancellation: cancellation.clone(),
            since: Instant::now(),
        });
    }
    may_begin
}

fn calls() -> MutexGuard<'static, Vec<FileCall>> {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::spawn;

    #[test]
    fn large_files_wait_until_calls_end_and_small_ones_do_not() {
        let context = || ToolContext::detached().with_cancellation(Cancellation::new());
        let (first, second, third) = (context(), context(), context());
        for context in [&first, &second] {
            wait_to_read(MAX_BYTES / 2, context).expect("room");
        }
        let waiting = spawn(move || wait_to_read(10 * MAX_BYTES, &third));
        sleep(4 * POLL_INTERVAL);
        assert!(!waiting.is_finished());
        wait_to_read(SMALL, &context()).expect("room");

        let late = context();
        late.cancellation().cancel();
        let refused = wait_to_read(SMALL + 1, &late);
        assert_eq!(refused, Err(ToolError::Timeout));

        first.cancellation().cancel();
        sleep(4 * POLL_INTERVAL);
        // The third file is larger than `MAX_BYTES`, so that it is read alone.
        assert!(!waiting.is_finished());
        second.cancellation().cancel();
        assert_eq!(waiting.join().expect("no panic"), Ok(()));
    }
}
