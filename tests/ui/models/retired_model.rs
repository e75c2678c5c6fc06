use agent_runtime::agent;

fn main() {
    let _ = agent! {
        deny: ["retired-model"],
        [writer:Agent {instruction: "Write.", model: "Anthropic/claude-mythos-preview"}]
    };
    // Without `deny`, it is no error.
    let _ = agent! {
        [writer:Agent {instruction: "Write.", model: "Anthropic/claude-mythos-preview"}]
    };
}
