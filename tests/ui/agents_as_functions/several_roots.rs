use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} | b]
    [b:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/m"}]
    [c:Agent {instruction: "Help.", model: "OpenAI/m"} | b]
};

fn main() {}
