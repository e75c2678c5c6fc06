//! A server that announces a response without end, as fast as it can.

use crate::web::calls::{call_within, granting, only};
use crate::web::server::Server;
use crate::with_timeout::ENDLESS;
use agent_builtin::WebScraper;
use agent_runtime::ToolError;
use serde_json::json;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// On one thread, where a task that does not yield blocks all other tasks.
#[tokio::test]
async fn endless_announcements_do_not_block_other_tasks() {
    let (hung_up, is_hung_up) = mpsc::channel();
    let server = Server::start(move |_, stream| {
        let announcements = b"HTTP/1.1 103 E\r\n\r\n".repeat(2000);
        while stream.write_all(&announcements).is_ok() {}
        let _ = hung_up.send(());
        Ok(())
    });
    let is_called = Arc::new(AtomicBool::new(true));
    let ticks = tokio::spawn({
        let is_called = Arc::clone(&is_called);
        async move {
            let mut ticks = 0;
            while is_called.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(10)).await;
                ticks += 1;
            }
            ticks
        }
    });
    let tool = only(WebScraper::default());
    let arguments = json!({"url": server.url("/")});
    let grants = granting(&[server.grant()]);
    let call = call_within(&tool, &arguments, &grants, Duration::from_millis(500));
    // The timeout of the call is a timer of this thread as well, and would not fire on a blocked thread.
    assert_eq!(call.await, Err(ToolError::Timeout));
    is_called.store(false, Ordering::SeqCst);
    let ticks = ticks.await.expect("no panic");
    assert!(ticks > 1, "{ticks} ticks during the call");
    is_hung_up
        .recv_timeout(ENDLESS)
        .expect("the client hangs up");
}
