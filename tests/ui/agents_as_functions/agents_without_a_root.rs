use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/m"} | b]
    [b:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/m"} | a]
};

fn main() {}
