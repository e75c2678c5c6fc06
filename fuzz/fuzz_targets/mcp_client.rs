//! The answers of an MCP server over HTTP: connecting, the list of tools, and a call of each tool end in time, with a result
//! or an error that says what is wrong.
//!
//! The input is answers, with a line `====` between two. The first line of an answer is the method that it answers, such as
//! `tools/list`, then `json`, `sse` or a status, and the value of `WWW-Authenticate`. `$id` is the id of the request. A
//! method without an answer gets a right one.

#![no_main]

use agent_fuzz::block_on;
use agent_fuzz::mcp::{Answers, MCP};
use agent_mcp::{ConnectedServer, McpError, McpLock, McpServer, McpTransport};
use agent_runtime::ToolContext;
use agent_runtime::tool::invoke_tool;
use libfuzzer_sys::fuzz_target;
use std::time::Duration;

fuzz_target!(|input: &[u8]| {
    MCP.answer(Answers::read(input));
    block_on(async {
        let server = McpServer::http("web", MCP.url())
            .connect_timeout(Duration::from_secs(2))
            .timeout(Duration::from_secs(1))
            .restart_delay(Duration::ZERO);
        match server.connect().await {
            Ok(server) => check(&server).await,
            Err(error) => says_why(&error),
        }
    });
});

fn says_why(error: &McpError) {
    let text = error.to_string();
    assert!(text.contains("`web`"), "{text}");
    // The server is here and answers at once, unless it announces more than it sends.
    assert!(!error.is_timeout(), "{text}");
}

async fn check(server: &ConnectedServer) {
    let library = server.library();
    for tool in server.tools() {
        assert!(tool.name.starts_with("web_"), "{}", tool.name);
    }
    for refused in server.refused() {
        assert!(!refused.reason.is_empty());
    }
    // The document of the server is read as it is written.
    let transport = McpTransport::Http {
        url: MCP.url().into(),
        headers: Vec::new(),
    };
    let lock = server.imported(transport).lock;
    let gram = lock.to_gram();
    match McpLock::parse(&gram) {
        Ok(read) => assert_eq!(read, lock, "{gram}"),
        // A document has at least one tool.
        Err(found) => assert!(lock.tools().is_empty(), "{found}: {gram}"),
    }
    for tool in library.iter().take(3) {
        for arguments in ["{}", r#"{"title": "x", "count": 1}"#] {
            let called = invoke_tool(&**tool, arguments, &ToolContext::detached()).await;
            if let Err(error) = called {
                assert!(!error.to_string().is_empty());
            }
        }
    }
    server.close().await;
}
