use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [m:Agent {instruction: "Do {{mode}}", prompt: "{{text}}", model: "OpenAI/m", variables: ["today"]} |
        (text::Text)==>(mode::Txt)==>(::String)
    ]
};

fn main() {}
