use agent_runtime::agent;

fn main() {
    let _ = agent! {
        mcp: ["mcp/broken.gram"],
        [reader:Agent {instruction: "Read.", model: "OpenAI/gpt-4o-mini"} | files_read]
    };
}
