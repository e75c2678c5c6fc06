//! An MCP server with two tools, on standard input and output.

mod tools;

use agent_mcp::Server;
use agent_runtime::tools;
use tools::{find_order, list_orders};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new(&tools![find_order, list_orders]).name("orders");
    server.stdio().await?;
    Ok(())
}
