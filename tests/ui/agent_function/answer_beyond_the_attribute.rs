use agent_runtime::{Error, GramType, Runtime, agent_fn};

#[derive(serde::Deserialize, GramType)]
struct Rating {
    #[gram(maximum = 5)]
    rating: u8,
}

/// Translates a text
#[agent_fn(
    gram = [translate:Agent {
        description: "Translates a text",
        instruction: "Translate.",
        model: "OpenAI/gpt-6-luna"
    } |
        (text::Text)==>(::Object {fields: {rating: {type: "Int", maximum: 10}}})
    ]
)]
async fn translate(runtime: &Runtime, text: &str) -> Result<Rating, Error>;

fn main() {}
