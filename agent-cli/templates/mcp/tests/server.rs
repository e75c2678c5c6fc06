//! The server, as a client sees it.

use agent_mcp::McpServer;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Runtime, agent};

#[tokio::test]
async fn a_client_calls_a_tool_of_the_server() -> Result<(), Box<dyn std::error::Error>> {
    let no_arguments: [&str; 0] = [];
    let server = McpServer::stdio("orders", env!("CARGO_BIN_EXE___NAME__"), no_arguments);
    let server = server.connect().await?;
    let agent = agent! {
        tools: [dynamic orders_findOrder],
        [client:Agent {instruction: "Find the order.", model: "Scripted/any"} | orders_findOrder]
    };
    let model = Scripted::new([
        ModelReply::call("orders_findOrder", r#"{"number": 1042}"#),
        ModelReply::text("Done."),
    ]);
    let response = Runtime::with_model(model)
        .run(&agent, "Where is order 1042?")
        .tools(&server.library())
        .await?;
    let result = response.tools_used[0].result.as_ref();
    assert_eq!(
        result.ok().and_then(|value| value.as_str()),
        Some("Order 1042 was sent on Monday.")
    );
    server.close().await;
    Ok(())
}
