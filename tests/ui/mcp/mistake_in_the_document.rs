use agent_runtime::agent;

fn main() {
    let _ = agent! {
        mcp: ["mcp/broken.gram"],
        [reader:Agent {instruction: "Read.", model: "OpenAI/gpt-6-luna"} | files_read]
    };
}
