//! A server that announces a response without end, as fast as it can.

use crate::web::calls::{call_within, granting, only};
use crate::web::server::Server;
use crate::with_timeout::ENDLESS;
use agent_builtin::WebScraper;
use agent_runtime::ToolError;
use serde_json::json;
use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

#[tokio::test]
async fn endless_announcements_time_out() {
    let (closed, is_closed) = mpsc::channel();
    let server = Server::start(move |_, stream| {
        // With a long header, because the client handles all that it has received before it stops.
        let header = "a".repeat(400);
        let announcements = format!("HTTP/1.1 103 E\r\nlink: {header}\r\n\r\n").repeat(100);
        while stream.write_all(announcements.as_bytes()).is_ok() {}
        let _ = closed.send(());
        Ok(())
    });
    let tool = only(WebScraper::default());
    let arguments = json!({"url": server.url("/")});
    let grants = granting(&[server.grant()]);
    let result = call_within(&tool, &arguments, &grants, Duration::from_millis(500)).await;
    assert_eq!(result, Err(ToolError::Timeout));
    is_closed
        .recv_timeout(ENDLESS)
        .expect("the client closes the connection");
}
