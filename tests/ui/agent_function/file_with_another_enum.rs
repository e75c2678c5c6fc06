use agent_runtime::{Error, GramType, Runtime, agent_fn};

#[derive(serde::Serialize, GramType)]
#[serde(rename_all = "lowercase")]
enum Language {
    De,
    Fr,
}

#[derive(serde::Deserialize, GramType)]
struct Answer {
    text: String,
    words: u8,
}

/// Translates a text
#[agent_fn(file = "translate.gram")]
async fn translate(runtime: &Runtime, text: &str, language: Language) -> Result<Answer, Error>;

fn main() {}
