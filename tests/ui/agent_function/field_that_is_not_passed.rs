use agent_runtime::{Error, GramType, Runtime, agent_fn};

#[derive(serde::Serialize, GramType)]
struct Page {
    title: String,
    number: Option<u32>,
}

/// Translates a text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (page::Object {fields: {title: "Text", number: {type: "Int", optional: true}, author: "Text"}})==>(::String)
    ]
)]
async fn translate(runtime: &Runtime, page: &Page) -> Result<String, Error>;

fn main() {}
