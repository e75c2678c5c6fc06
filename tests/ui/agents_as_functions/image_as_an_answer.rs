use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [draw:Agent {instruction: "Draw.", model: "OpenAI/m"} | (text::Text)==>(::Image)]
};

fn main() {}
