use agent_runtime::agent;

fn main() {
    let _ = agent! {
        mcp: ["mcp/files.gram"],
        [reader:Agent {instruction: "Read.", model: "OpenAI/gpt-6-luna"} |
            [files_find:Tool {description: "Finds files by a pattern"} | (limit::Int {optional: true, minimum: 1})==>(::Array {elementType: "Text"})]
        ]
    };
}
