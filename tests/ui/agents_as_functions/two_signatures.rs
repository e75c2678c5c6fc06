use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} |
        (text::Text)==>(::String),
        (word::Text)==>(::String)
    ]
};

fn main() {}
