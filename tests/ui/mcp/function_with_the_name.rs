use agent_runtime::{agent, tool};

/// Reads
#[tool(name = "files_read")]
fn read(path: String) -> String {
    path
}

fn main() {
    let _ = agent! {
        tools: [read],
        mcp: ["mcp/files.gram"],
        [reader:Agent {instruction: "Read.", model: "OpenAI/gpt-6-luna"} | files_read]
    };
}
