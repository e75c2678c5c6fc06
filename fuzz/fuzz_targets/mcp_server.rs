//! The messages of a client to the server of MCP, a line each: each line that the server writes is a message, and no request
//! is answered twice.

#![no_main]

use agent_fuzz::{agents, block_on};
use agent_mcp::Server;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Runtime, ToolLibrary};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::LazyLock;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};

static LIBRARY: LazyLock<ToolLibrary> = LazyLock::new(agents::library);

/// The maximum number of bytes that the server writes before it waits for the client.
const ROOM: usize = 1 << 22;

fuzz_target!(|lines: &[u8]| {
    let answers = block_on(exchange(lines));
    let mut answered: HashMap<String, usize> = HashMap::new();
    for line in answers.lines() {
        let message: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        let is_answer = !message["result"].is_null() || !message["error"].is_null();
        if is_answer && !message["id"].is_null() {
            *answered.entry(message["id"].to_string()).or_default() += 1;
        }
        if let Some(error) = message["error"].as_object() {
            assert!(error["code"].is_i64(), "{line}");
            assert!(
                !error["message"].as_str().unwrap_or_default().is_empty(),
                "{line}"
            );
        }
    }
    // A client that uses an id twice may get two answers with it.
    for (id, count) in answered {
        let asked = lines.split(|byte| *byte == b'\n').count();
        assert!(count <= asked, "{id} has {count} answers");
    }
});

/// Sends the lines and returns what the server writes.
async fn exchange(lines: &[u8]) -> String {
    let runtime = Runtime::builder().model(Scripted::new([ModelReply::text("Hello.")]));
    let runtime = runtime.build().expect("a runtime");
    let agent = agents::agent("Scripted/any").with_description("Greets people");
    let server = Server::new(&LIBRARY).max_message_bytes(2_000);
    let server = server.agent(&runtime, &agent, &LIBRARY).expect("an agent");
    let (ours, theirs) = duplex(ROOM);
    let (input, output) = split(theirs);
    let server = tokio::spawn(server.stream(input, output));
    let (mut input, mut output) = split(ours);
    // The server may end before it has read all lines.
    let _ = output.write_all(lines).await;
    let _ = output.write_all(b"\n").await;
    let _ = output.shutdown().await;
    if let Err(error) = server.await.expect("no panic") {
        assert!(!error.to_string().is_empty());
    }
    let mut written = String::new();
    input.read_to_string(&mut written).await.expect("UTF-8");
    written
}
