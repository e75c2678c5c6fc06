use agent_runtime::{Agent, agent};

static AGENT: Agent = agent! {
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} |
        [b:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/m"} | (text::Txt)==>(::String)]
    ]
};

fn main() {}
