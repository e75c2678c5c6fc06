use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {instruction: "Help.", model: "OpenAI/m", prompt: "Say {{text"} |
        (text::Text)==>(::String)
    ]
};

fn main() {}
