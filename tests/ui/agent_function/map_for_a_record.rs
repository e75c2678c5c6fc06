use agent_runtime::{Error, Runtime, agent_fn};

use std::collections::BTreeMap;

/// Translates a text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (page::Object {fields: {title: "Text"}})==>(::String)
    ]
)]
async fn translate(runtime: &Runtime, page: &BTreeMap<String, String>) -> Result<String, Error>;

fn main() {}
