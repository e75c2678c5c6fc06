use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/m"} | [a:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/m"}]]
};

fn main() {}
