//! A server that promises an answer for ever, as fast as it can.

use crate::web::calls::{call_within, granting, only};
use crate::web::server::Server;
use agent_builtin::WebScraper;
use agent_runtime::ToolError;
use serde_json::json;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// On one thread, where whoever does not give way holds up all that the program does.
#[tokio::test]
async fn endless_promises_hold_up_nothing_else() {
    let hung_up = Arc::new(AtomicBool::new(false));
    let server = Server::start({
        let hung_up = Arc::clone(&hung_up);
        move |_, stream| {
            let promises = b"HTTP/1.1 103 E\r\n\r\n".repeat(2000);
            while stream.write_all(&promises).is_ok() {}
            hung_up.store(true, Ordering::SeqCst);
            Ok(())
        }
    });
    let ticking = tokio::spawn(async {
        let mut longest = Duration::ZERO;
        for _ in 0..50 {
            let start = Instant::now();
            tokio::time::sleep(Duration::from_millis(10)).await;
            longest = longest.max(start.elapsed());
        }
        longest
    });
    let start = Instant::now();
    let result = call_within(
        &*only(WebScraper::default()),
        &json!({"url": server.url("/")}),
        &granting(&[server.grant()]),
        Duration::from_millis(500),
    )
    .await;
    assert_eq!(result, Err(ToolError::Timeout));
    // A machine that does much else is late by itself.
    let late = Duration::from_secs(6);
    assert!(start.elapsed() < late, "{:?}", start.elapsed());
    let longest = ticking.await.expect("no panic");
    assert!(longest < Duration::from_secs(3), "{longest:?}");
    while !hung_up.load(Ordering::SeqCst) {
        assert!(start.elapsed() < Duration::from_secs(60), "still connected");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
