use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::{Error, GramType, Runtime, agent_fn};

/// Translates a text
#[agent_fn(file = "../examples/agents/translate.gram")]
pub async fn translate(runtime: &Runtime, text: &str, language: Language) -> Result<String, Error>;

/// A part of the arguments of `translate`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
pub enum Language {
    De,
    En,
    Fr,
}
