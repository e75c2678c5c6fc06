//! Helpers that the fuzz targets share.

pub mod agents;
pub mod app;
pub mod mcp;
pub mod model;
pub mod server;

use std::future::Future;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// The time limit of an input. It is far above the time that any input needs, because the machine may be busy
/// and the build has sanitizers.
pub const AT_ONCE: Duration = Duration::from_secs(5);

thread_local! {
    /// The async runtime of the process. libFuzzer runs all inputs on one thread.
    static RUNTIME: Runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("an async runtime");
}

/// Runs a future to its end, and checks that it takes less than [`AT_ONCE`].
///
/// # Panics
/// When the future takes longer.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let started = Instant::now();
    let output = RUNTIME.with(|runtime| runtime.block_on(future));
    assert!(started.elapsed() < AT_ONCE, "{:?}", started.elapsed());
    output
}

/// Splits an input at the first line end. The second part is empty if there is no line end.
#[must_use]
pub fn first_line(input: &[u8]) -> (&str, &[u8]) {
    let end = input.iter().position(|byte| *byte == b'\n');
    let (line, rest) = match end {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &[][..]),
    };
    (std::str::from_utf8(line).unwrap_or_default(), rest)
}

/// Splits an input at the lines that are `====`.
pub fn sections(input: &[u8]) -> Vec<&[u8]> {
    const SEPARATOR: &[u8] = b"\n====\n";
    let mut sections = Vec::new();
    let mut rest = input;
    while let Some(at) = rest
        .windows(SEPARATOR.len())
        .position(|window| window == SEPARATOR)
    {
        sections.push(&rest[..at]);
        rest = &rest[at + SEPARATOR.len()..];
    }
    sections.push(rest);
    sections
}
