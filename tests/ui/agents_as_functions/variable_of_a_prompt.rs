use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {instruction: "Help.", model: "OpenAI/m", prompt: "{{text}}, {{today}}"} |
        (text::Text)==>(::String)
    ]
};

fn main() {}
