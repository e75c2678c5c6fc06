use agent_runtime::{Agent, Error, Runtime, agent, agent_fn};

/// Translates a text
#[agent_fn(model = "OpenAI/gpt-6-luna", instruction = "Translate.")]
async fn translate(runtime: &Runtime, text: &str) -> Result<String, Error>;

static AGENT: Agent = agent! {
    tools: [translate],
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} | translate, b]
    [b:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/m"} | translate]
    [translate:Agent {description: "Translates", instruction: "Translate.", model: "OpenAI/m"} |
        (text::Int)==>(::String)
    ]
};

fn main() {}
