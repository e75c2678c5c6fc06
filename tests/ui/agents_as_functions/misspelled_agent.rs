use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} | biling]
    [billing:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/m"}]
};

fn main() {}
