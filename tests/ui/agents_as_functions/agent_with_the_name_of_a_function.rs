use agent_runtime::{Agent, agent, tool};

/// Looks a word up
#[tool]
fn look_up(word: &str) -> String {
    word.to_owned()
}

static AGENT: Agent = agent! {
    tools: [look_up],
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} |
        [lookUp:Agent {description: "Looks up", instruction: "Look up.", model: "OpenAI/m"}]
    ]
};

fn main() {}
