use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {instruction: "Translate into {{lang}}.", model: "OpenAI/m"} |
        (text::Text)==>(language::Text)==>(::String)
    ]
};

fn main() {}
