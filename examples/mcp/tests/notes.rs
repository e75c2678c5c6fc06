//! The example as a user runs it, and its document.

use agent_mcp::{McpLock, McpServer};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-notes");

#[test]
fn the_agent_answers_with_a_tool_of_the_server() {
    let output = Command::new(PROGRAM).output().expect("it runs");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{said}");
    assert!(
        said.ends_with("🤖 Water the tomatoes on Friday.\n"),
        "{said}"
    );
}

#[tokio::test]
async fn the_document_has_the_tools_of_the_server() {
    let document = include_str!("../mcp/notes.gram");
    let lock = McpLock::parse(document).expect("a document of a server");
    let server = McpServer::stdio(lock.name(), PROGRAM, ["serve"]);
    let server = server.connect().await.expect("a server");
    let imported = server.imported(lock.transport().clone());
    assert_eq!(imported.lock.to_gram(), document);
    server.close().await;
}
