use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    tools: [dynamic lookUp],
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} |
        [lookUp:Agent {description: "Looks up", instruction: "Look up.", model: "OpenAI/m"}]
    ]
};

fn main() {}
