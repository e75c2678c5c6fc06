//! Bounding the pages that are parsed at the same time.

use std::sync::LazyLock;
use std::thread::available_parallelism;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

/// The minimum number of pages that may be parsed at the same time in a process.
const MIN_AT_ONCE: usize = 4;

/// The turns for parsing. A parsed page takes ten times the memory of its text, up to 40 MB, and more threads than cores
/// parse no faster.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(at_once()));

/// Returns the number of pages that may be parsed at the same time in a process.
fn at_once() -> usize {
    let cores = available_parallelism().map_or(MIN_AT_ONCE, usize::from);
    cores.max(MIN_AT_ONCE)
}

/// Runs `parse` on a thread for blocking work as soon as few enough pages are parsed, because parsing a large page takes
/// long enough to block other tasks of the thread.
///
/// Cancel safety: dropping the future before `parse` has begun drops `parse`; otherwise `parse` runs to its
/// end, and keeps its turn until then.
///
/// # Errors
/// When `parse` panics.
pub(in super::super) async fn parse_in_turn<T: Send + 'static>(
    parse: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    // The semaphore is never closed.
    let turn = TURNS.acquire().await.ok();
    let parse = move || {
        let result = parse();
        drop(turn);
        result
    };
    spawn_blocking(parse).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;
    use tokio::task::JoinSet;

    #[tokio::test]
    async fn few_pages_are_parsed_at_the_same_time() {
        static GOING: AtomicUsize = AtomicUsize::new(0);
        let mut calls = JoinSet::new();
        for _ in 0..4 * at_once() {
            calls.spawn(parse_in_turn(|| {
                let going = GOING.fetch_add(1, Ordering::SeqCst) + 1;
                sleep(Duration::from_millis(20));
                GOING.fetch_sub(1, Ordering::SeqCst);
                going
            }));
        }
        let mut most = 0;
        while let Some(going) = calls.join_next().await {
            most = most.max(going.expect("no panic").expect("no panic"));
        }
        assert!(most <= at_once(), "{most} pages");
    }

    #[tokio::test]
    async fn a_page_that_cannot_be_parsed_frees_its_turn() {
        for _ in 0..2 * at_once() {
            let parsed = parse_in_turn(|| panic!("a fault of the parser"));
            parsed.await.expect_err("a panic");
        }
        assert_eq!(parse_in_turn(|| 1).await.expect("a turn"), 1);
    }
}
