use agent_runtime::{agent, tool};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".into()
}

fn main() {
    let _ = agent! {
        [writer:Agent {instruction: "Write.", model: "Anthropic/claude-sonnet-5", temperature: 0.5}]
    };
    let _ = agent! {
        tools: [get_time],
        [clock:Agent {
            instruction: "Tell the time.",
            model: "Anthropic/claude-opus-5-5",
            toolChoice: "required",
            thinkingBudget: 2000
        } | getTime]
    };
    let _ = agent! {
        [writer:Agent {instruction: "Write.", model: "Google/gemini-3.7-flash", reasoningEffort: "minimal"}]
    };
}
