use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} | b, b]
    [b:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/m"}]
};

fn main() {}
