//! Tools of MCP servers for [agent-runtime](agent_runtime), and its tools and agents as an MCP server.

mod name;

pub use name::tool_names;
