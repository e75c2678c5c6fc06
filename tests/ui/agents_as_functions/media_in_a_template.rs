use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {instruction: "Help.", model: "OpenAI/m", prompt: "Look at {{photo}}."} |
        (photo::Image)==>(::String)
    ]
};

fn main() {}
