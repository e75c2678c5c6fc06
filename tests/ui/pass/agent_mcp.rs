//! Agents with the tools of MCP servers.

use agent_runtime::{Agent, agent, tool};

/// Greets
#[tool(inline)]
fn greet(name: &str) -> String {
    name.to_owned()
}

/// All its tools are named, or written out as the document has them.
static READER: Agent = agent! {
    tools: [greet],
    mcp: ["gram/mcp/files.gram"],
    [reader:Agent {instruction: "Read.", model: "OpenAI/gpt-6-luna"} |
        greet,
        files_find,
        [files_read:Tool {description: "Reads a file"} | (path::Text {minLength: 1})==>(::Any)]
    ]
};

pub(crate) fn main() {
    // A tool that is named alone has the spec of the document.
    let find = READER.tool("files_find").expect("a tool");
    assert_eq!(find.description(), "Finds files by a pattern");
    assert_eq!(
        find.signature().to_string(),
        r#"(pattern::Text)==>(limit::Int {optional: true, minimum: 1})==>(::Array {elementType: "Text"})"#
    );
    let read = READER.tool("files_read").expect("a tool");
    assert_eq!(read.description(), "Reads a file");
}
