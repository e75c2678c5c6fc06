//! Refusals that tell a fact about a model, such as that it takes no temperature.
//!
//! The texts are those that vendors were seen to answer with in 2026. Another text teaches nothing: the request fails
//! with it.

use crate::model::facts::Facts;
use agent_catalog::{
    Api, ChatTools, ForcedCalls, ModelRow, ProviderRow, ReasoningEffort, StructuredOutput,
    Temperature, Thinking, ThinkingType,
};

/// A fact that a refusal told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) told: Facts,
    /// The property of a row that says the same, in gram.
    pub(crate) property: String,
    /// Whether the property is one of the server and not of the model.
    pub(crate) is_of_server: bool,
}

impl Refusal {
    /// Reads the text of an error with the status 400 or 404.
    pub(super) fn read(text: &str) -> Option<Self> {
        let has = |words: &str| text.contains(words);
        if has("/v1/chat/completions") && (has("/v1/responses") || has("v1/responses")) {
            return Some(tools_of_chat(text));
        }
        if has("schema is too complex") || has("compiled grammar is too large") {
            let told = |row: &mut ModelRow| row.structured_output = Some(StructuredOutput::Never);
            return Some(of_model("structuredOutput: \"never\"", told));
        }
        if has("does not support the effort parameter") {
            return Some(efforts(Vec::new()));
        }
        if has("does not support thinking") {
            return Some(efforts(Vec::new()));
        }
        if let Some(listed) = supported_efforts(text) {
            return Some(listed);
        }
        if has("Encrypted content is not supported") {
            let told = |row: &mut ModelRow| row.thinking = Some(Thinking::Never);
            return Some(of_model("thinking: \"never\"", told));
        }
        if has("\"thinking.type.") || has("`thinking.type.") {
            let told = |row: &mut ModelRow| row.thinking_types = Some(vec![ThinkingType::Adaptive]);
            return Some(of_model("thinkingTypes: [\"adaptive\"]", told));
        }
        let refuses_choice = has("tool_choice")
            && (has("not supported for this model") || has("does not support this"));
        if refuses_choice {
            let told = |row: &mut ModelRow| row.forced_calls = Some(ForcedCalls::Never);
            return Some(of_model("forcedCalls: \"never\"", told));
        }
        if has("'max_tokens'") && has("'max_completion_tokens'") {
            let server = ProviderRow::default();
            let mut told = Facts {
                server,
                ..Facts::default()
            };
            told.server.max_tokens = Some("max_completion_tokens".to_owned());
            return Some(Refusal {
                told,
                property: "maxTokens: \"max_completion_tokens\"".to_owned(),
                is_of_server: true,
            });
        }
        let is_refused = has("not supported with this model")
            || has("not supported for this model")
            || has("Only the default (1) value is supported")
            || has("is deprecated for this model");
        if !is_refused {
            return None;
        }
        let names = |name: &str| has(&format!("'{name}'")) || has(&format!("`{name}`"));
        if names("temperature") || names("top_p") {
            let told = |row: &mut ModelRow| row.temperature = Some(Temperature::Never);
            return Some(of_model("temperature: \"never\"", told));
        }
        if names("stop") {
            return Some(of_model("stop: false", |row| row.stop = Some(false)));
        }
        if names("reasoning_effort") || names("reasoning.effort") {
            return Some(efforts(Vec::new()));
        }
        None
    }
}

fn of_model(property: impl Into<String>, tell: impl FnOnce(&mut ModelRow)) -> Refusal {
    let mut told = Facts::default();
    tell(&mut told.model);
    Refusal {
        told,
        property: property.into(),
        is_of_server: false,
    }
}

/// Chat completions refuse the model, or its tools.
fn tools_of_chat(text: &str) -> Refusal {
    let chat_tools = match text.contains("'none'") {
        true => ChatTools::EffortNone,
        false => ChatTools::Never,
    };
    of_model(
        format!("api: \"responses\", chatTools: \"{chat_tools}\""),
        |row| {
            row.api = Some(Api::Responses);
            row.chat_tools = Some(chat_tools);
        },
    )
}

/// Reads a text such as "'minimal' is not supported …. Supported values are: 'none', 'low', and 'high'." or
/// "'minimal' is not a supported thinking level …. Allowed values are: low, high."
fn supported_efforts(text: &str) -> Option<Refusal> {
    let (said, list) = text.split_once("values are:")?;
    let refused = said.split('\'').nth(1)?;
    let names = ["reasoning_effort", "reasoning.effort"];
    if !names.contains(&refused) && ReasoningEffort::of(refused).is_none() {
        return None;
    }
    let words = list.split(|c: char| !c.is_ascii_alphanumeric());
    let listed: Vec<ReasoningEffort> = words.filter_map(ReasoningEffort::of).collect();
    (!listed.is_empty()).then(|| efforts(listed))
}

fn efforts(mut efforts: Vec<ReasoningEffort>) -> Refusal {
    efforts.sort_unstable();
    efforts.dedup();
    let words: Vec<String> = efforts
        .iter()
        .map(|effort| format!("\"{effort}\""))
        .collect();
    of_model(format!("efforts: [{}]", words.join(", ")), |row| {
        // The interfaces of OpenAI have different ones; each is told by its own refusal.
        row.chat_efforts = Some(efforts.clone());
        row.efforts = Some(efforts);
    })
}
