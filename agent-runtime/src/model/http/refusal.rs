//! Reads a fact about a model from the text of a refusal, for example that the model refuses `temperature`.
//!
//! The texts are those that vendors sent in 2026. A request fails with any other text.

use agent_catalog::{Api, Catalog, Document, ReasoningEffort};
use agent_spec::vocabulary::Setting;
use agent_tool::__private::Refusal;
use std::collections::BTreeSet;

/// The properties of a model that accepts no effort, and has no thoughts that a request could ask for.
const NO_THINKING: &str = "efforts: [], thinking: \"never\"";

/// Words of refusals, and the property that each means in the row of the model. The first row whose words are
/// all in the text is used.
const REFUSAL_PHRASES: [(&[&str], &str); 11] = [
    (&["schema is too complex"], "structuredOutput: \"never\""),
    (
        &["compiled grammar is too large"],
        "structuredOutput: \"never\"",
    ),
    (
        &["Function calling with a response mime type"],
        "structuredOutput: \"without tools\"",
    ),
    (&["does not support the effort parameter"], "efforts: []"),
    (&["Thinking level is not supported"], "efforts: []"),
    (&["does not support thinking"], NO_THINKING),
    (
        &["Encrypted content is not supported"],
        "thinking: \"never\"",
    ),
    (
        &["adaptive thinking is not supported"],
        "thinkingTypes: [\"enabled\", \"disabled\"]",
    ),
    (
        &["thinking.type.", "is not supported for this model"],
        "thinkingTypes: [\"adaptive\"]",
    ),
    (
        &["tool_choice", "not supported for this model"],
        "forcedCalls: \"never\"",
    ),
    (
        &["tool_choice", "does not support this"],
        "forcedCalls: \"never\"",
    ),
];

/// Words that refuse a setting whose name is elsewhere in the text.
const REFUSED: [&str; 3] = [
    "not supported with this model",
    "Only the default (1) value is supported",
    "is deprecated for this model",
];

/// The names of settings in refusals, the settings, and the property that each means in the row of the model.
const NAMED: [(&str, Option<Setting>, &str); 5] = [
    (
        "temperature",
        Some(Setting::Temperature),
        "temperature: \"never\"",
    ),
    ("top_p", Some(Setting::TopP), "temperature: \"never\""),
    ("stop", Some(Setting::Stop), "stop: false"),
    ("reasoning_effort", None, NO_THINKING),
    ("reasoning.effort", None, NO_THINKING),
];

/// Reads the text of an error with the status 400 or 404.
pub(super) fn read(text: &str) -> Option<Refusal> {
    let has = |words: &str| text.contains(words);
    if has("v1/chat/completions") && has("v1/responses") {
        return Some(tools_of_chat(text));
    }
    if let Some(property) = supported_efforts(text).or_else(|| most_tokens(text)) {
        return Some(of_model(&property));
    }
    let told = REFUSAL_PHRASES
        .iter()
        .find(|(words, _)| words.iter().all(|words| has(words)));
    if let Some((_, property)) = told {
        return Some(of_model(property));
    }
    if has("'max_tokens'") && has("'max_completion_tokens'") {
        return Some(of_server(match has("Use 'max_tokens'") {
            true => "maxTokens: \"max_tokens\"",
            false => "maxTokens: \"max_completion_tokens\"",
        }));
    }
    if !REFUSED.into_iter().any(has) {
        return None;
    }
    let names = |name: &str| has(&format!("'{name}'")) || has(&format!("`{name}`"));
    let (_, setting, property) = NAMED.into_iter().find(|(name, ..)| names(name))?;
    Some(Refusal {
        setting,
        ..of_model(property)
    })
}

/// Creates the refusal that means a property in the row of the model.
fn of_model(property: &str) -> Refusal {
    let mut model = catalog(&format!("[a:Catalog | [m:Model {{{property}}}]]")).own_model("a", "m");
    // The interfaces of OpenAI have different efforts, so the list counts for the interface that was asked.
    model.chat_efforts.clone_from(&model.efforts);
    Refusal {
        model,
        property: property.to_owned(),
        ..Refusal::default()
    }
}

/// Creates the refusal that means a property in the row of the server.
fn of_server(property: &str) -> Refusal {
    Refusal {
        server: catalog(&format!("[a:Catalog {{{property}}}]")).own_provider("a"),
        property: property.to_owned(),
        is_of_server: true,
        ..Refusal::default()
    }
}

/// Returns the catalogue of a document of this module, which has no mistakes.
fn catalog(document: &str) -> Catalog {
    let read = Catalog::default().with(&Document::read(document));
    read.unwrap_or_default()
}

/// Creates the refusal of a model, or of its tools, by Chat Completions.
fn tools_of_chat(text: &str) -> Refusal {
    let chat_tools = match text.contains("'none'") {
        true => "effort none",
        false => "never",
    };
    let mut refusal = of_model(&format!("api: \"responses\", chatTools: \"{chat_tools}\""));
    // A server that names both interfaces has both.
    refusal.server.apis = Some(vec![Api::Responses, Api::Chat]);
    refusal
}

/// Reads a text such as "'minimal' is not supported …. Supported values are: 'none', 'low', and 'high'.",
/// "'minimal' is not a supported thinking level …. Allowed values are: low, high." or "… effort level 'xhigh'.
/// Supported levels: low, high.".
fn supported_efforts(text: &str) -> Option<String> {
    let listed = text.split_once("values are:");
    let (said, list) = listed.or_else(|| text.split_once("Supported levels:"))?;
    let refused = said.split('\'').nth(1)?;
    let names = ["reasoning_effort", "reasoning.effort"];
    if !names.contains(&refused) && ReasoningEffort::of(refused).is_none() {
        return None;
    }
    let words = list.split(|c: char| !c.is_ascii_alphanumeric());
    let efforts: BTreeSet<ReasoningEffort> = words.filter_map(ReasoningEffort::of).collect();
    let words = efforts.iter().map(|effort| format!("\"{effort}\""));
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("efforts: [{}]", words.join(", ")))
}

/// Reads a text such as "max_tokens: 128000 > 64000, which is the maximum …" or "… the supported range is from 1
/// (inclusive) to 65537 (exclusive)".
fn most_tokens(text: &str) -> Option<String> {
    let number = |text: &str| -> Option<u64> {
        let text = text.trim_start();
        let end = text.find(|c: char| !c.is_ascii_digit());
        text[..end.unwrap_or(text.len())].parse().ok()
    };
    let most = if let Some((_, rest)) = text.split_once("max_tokens: ") {
        let (_, most) = rest.split_once('>')?;
        number(most).filter(|_| most.contains("which is the maximum"))
    } else {
        let (_, rest) = text.split_once("(inclusive) to ")?;
        let most = number(rest).filter(|_| rest.contains("(exclusive)"))?;
        most.checked_sub(1)
    }?;
    (most > 0).then(|| format!("maxOutputTokens: {most}"))
}

#[cfg(test)]
mod tests {
    use super::read;
    use agent_catalog::{ModelRow, ProviderRow};

    /// Each row has a text and the property that is read from it. An empty property is for texts of another meaning.
    #[test]
    fn reads_a_property_from_known_texts() {
        for (text, property) in [
            (
                "Function tools with reasoning_effort are not supported for gpt-9 in /v1/chat/completions. To use \
                 function tools, use /v1/responses or set reasoning_effort to 'none'.",
                "api: \"responses\", chatTools: \"effort none\"",
            ),
            (
                "This model is only supported in v1/responses and not in v1/chat/completions.",
                "api: \"responses\", chatTools: \"never\"",
            ),
            (
                "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values \
                 are: 'none', 'low', 'medium', 'high', 'xhigh'.",
                "efforts: [\"none\", \"low\", \"medium\", \"high\", \"xhigh\"]",
            ),
            (
                "Unsupported value: 'tool_choice' does not support 'none' with this model. Supported values are: \
                 'none', 'auto'.",
                "",
            ),
            (
                "'minimal' is not a supported thinking level for this model. Allowed values are: medium, low, high.",
                "efforts: [\"low\", \"medium\", \"high\"]",
            ),
            (
                "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value \
                 is supported.",
                "temperature: \"never\"",
            ),
            (
                "`temperature` is deprecated for this model.",
                "temperature: \"never\"",
            ),
            (
                "tool_choice: type \"tool\" and \"any\" are not supported for this model.",
                "forcedCalls: \"never\"",
            ),
            (
                "Thinking mode does not support this tool_choice",
                "forcedCalls: \"never\"",
            ),
            (
                "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\".",
                "thinkingTypes: [\"adaptive\"]",
            ),
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                 'max_completion_tokens' instead.",
                "maxTokens: \"max_completion_tokens\"",
            ),
            (
                "Unsupported parameter: 'max_completion_tokens' is not supported with this model. Use 'max_tokens' \
                 instead.",
                "maxTokens: \"max_tokens\"",
            ),
            (
                "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens",
                "maxOutputTokens: 64000",
            ),
            ("max_tokens: 0 > , which is the maximum", ""),
            ("max_tokens: must be greater than 0", ""),
            (
                "The supported range is from 1 (inclusive) to 65537 (exclusive).",
                "maxOutputTokens: 65536",
            ),
            ("from 1 (inclusive) to 0 (exclusive)", ""),
            (
                "\"llama3\" does not support thinking",
                "efforts: [], thinking: \"never\"",
            ),
            ("The temperature of the room is not supported", ""),
            ("", ""),
        ] {
            let told = read(text);
            if let Some(told) = &told {
                let is_empty = |row: &ModelRow| *row == ModelRow::default();
                assert_eq!(is_empty(&told.model), told.is_of_server, "{property}");
                let is_empty = told.server == ProviderRow::default();
                assert!(!is_empty || !told.is_of_server, "{property}");
            }
            let told = told.map(|refusal| refusal.property);
            assert_eq!(told.unwrap_or_default(), property, "{text}");
        }
    }
}
