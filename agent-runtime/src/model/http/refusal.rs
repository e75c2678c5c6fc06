//! Refusals that tell a fact about a model, such as that it takes no temperature.
//!
//! The texts are those that vendors were seen to answer with in 2026. Another text teaches nothing: the request fails
//! with it.

use agent_catalog::{
    Api, ChatTools, ForcedCalls, MaxTokens, ModelRow, ReasoningEffort, StructuredOutput,
    Temperature, Thinking, ThinkingType,
};
use agent_spec::vocabulary::Setting;
use agent_tool::__private::Refusal;

/// Reads the text of an error with the status 400 or 404.
pub(super) fn read(text: &str) -> Option<Refusal> {
    let has = |words: &str| text.contains(words);
    if has("v1/chat/completions") && has("v1/responses") {
        return Some(tools_of_chat(text));
    }
    if has("schema is too complex") || has("compiled grammar is too large") {
        return Some(of_model("structuredOutput: \"never\"", |row| {
            row.structured_output = Some(StructuredOutput::Never);
        }));
    }
    if has("Function calling with a response mime type") {
        return Some(of_model("structuredOutput: \"without tools\"", |row| {
            row.structured_output = Some(StructuredOutput::WithoutTools);
        }));
    }
    if has("does not support the effort parameter") || has("Thinking level is not supported") {
        return Some(efforts(Vec::new()));
    }
    if has("does not support thinking") {
        return Some(no_thinking());
    }
    if let Some(listed) = supported_efforts(text).or_else(|| most_tokens(text)) {
        return Some(listed);
    }
    if has("Encrypted content is not supported") {
        return Some(of_model("thinking: \"never\"", |row| {
            row.thinking = Some(Thinking::Never);
        }));
    }
    if has("adaptive thinking is not supported") {
        let types = vec![ThinkingType::Enabled, ThinkingType::Disabled];
        return Some(of_model(
            "thinkingTypes: [\"enabled\", \"disabled\"]",
            |row| {
                row.hides_text = Some(false);
                row.thinking_types = Some(types);
            },
        ));
    }
    if has("thinking.type.") && has("is not supported for this model") {
        return Some(of_model("thinkingTypes: [\"adaptive\"]", |row| {
            row.thinking_types = Some(vec![ThinkingType::Adaptive]);
        }));
    }
    let of_choice = has("not supported for this model") || has("does not support this");
    if has("tool_choice") && of_choice {
        return Some(of_model("forcedCalls: \"never\"", |row| {
            row.forced_calls = Some(ForcedCalls::Never);
        }));
    }
    if has("'max_tokens'") && has("'max_completion_tokens'") {
        let name = match has("Use 'max_tokens'") {
            true => MaxTokens::Plain,
            false => MaxTokens::Completion,
        };
        let mut refusal = Refusal {
            property: format!("maxTokens: \"{name}\""),
            is_of_server: true,
            ..Refusal::default()
        };
        refusal.server.max_tokens = Some(name);
        return Some(refusal);
    }
    let is_refused = has("not supported with this model")
        || has("Only the default (1) value is supported")
        || has("is deprecated for this model");
    if !is_refused {
        return None;
    }
    let names = |name: &str| has(&format!("'{name}'")) || has(&format!("`{name}`"));
    for (name, setting) in [
        ("temperature", Setting::Temperature),
        ("top_p", Setting::TopP),
    ] {
        if names(name) {
            let refusal = of_model("temperature: \"never\"", |row| {
                row.temperature = Some(Temperature::Never);
            });
            return Some(of_setting(setting, refusal));
        }
    }
    if names("stop") {
        let refusal = of_model("stop: false", |row| row.stop = Some(false));
        return Some(of_setting(Setting::Stop, refusal));
    }
    if names("reasoning_effort") || names("reasoning.effort") {
        return Some(no_thinking());
    }
    None
}

fn of_setting(setting: Setting, refusal: Refusal) -> Refusal {
    Refusal {
        setting: Some(setting),
        ..refusal
    }
}

fn of_model(property: impl Into<String>, tell: impl FnOnce(&mut ModelRow)) -> Refusal {
    let mut refusal = Refusal {
        property: property.into(),
        ..Refusal::default()
    };
    tell(&mut refusal.model);
    refusal
}

/// Chat completions refuse the model, or its tools.
fn tools_of_chat(text: &str) -> Refusal {
    let chat_tools = match text.contains("'none'") {
        true => ChatTools::EffortNone,
        false => ChatTools::Never,
    };
    let property = format!("api: \"responses\", chatTools: \"{chat_tools}\"");
    let mut refusal = of_model(property, |row| {
        row.api = Some(Api::Responses);
        row.chat_tools = Some(chat_tools);
    });
    // The server has what it points to.
    refusal.server.apis = Some(vec![Api::Responses, Api::Chat]);
    refusal
}

/// The model takes no effort, and has no thoughts that could be asked for.
fn no_thinking() -> Refusal {
    let mut refusal = efforts(Vec::new());
    refusal.model.thinking = Some(Thinking::Never);
    refusal.property.push_str(", thinking: \"never\"");
    refusal
}

/// Reads a text such as "'minimal' is not supported …. Supported values are: 'none', 'low', and 'high'.",
/// "'minimal' is not a supported thinking level …. Allowed values are: low, high." or "… effort level 'xhigh'.
/// Supported levels: low, high.".
fn supported_efforts(text: &str) -> Option<Refusal> {
    let listed = text.split_once("values are:");
    let (said, list) = listed.or_else(|| text.split_once("Supported levels:"))?;
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
    let words = efforts.iter().map(|effort| format!("\"{effort}\""));
    let words: Vec<String> = words.collect();
    of_model(format!("efforts: [{}]", words.join(", ")), |row| {
        // The interfaces of OpenAI have different ones; each is told by its own refusal.
        row.chat_efforts = Some(efforts.clone());
        row.efforts = Some(efforts);
    })
}

/// Reads a text such as "max_tokens: 128000 > 64000, which is the maximum …" or "… the supported range is from 1
/// (inclusive) to 65537 (exclusive)".
fn most_tokens(text: &str) -> Option<Refusal> {
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
    let property = format!("maxOutputTokens: {most}");
    (most > 0).then(|| of_model(property, |row| row.max_output_tokens = Some(most)))
}

#[cfg(test)]
mod tests {
    use super::read;

    /// Each row has a text, and the property that it tells; an empty one tells nothing.
    #[test]
    fn known_texts_tell_a_property() {
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
            let told = read(text).map(|refusal| refusal.property);
            assert_eq!(told.unwrap_or_default(), property, "{text}");
        }
    }
}
