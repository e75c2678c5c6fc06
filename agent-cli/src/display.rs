//! Calls of tools and long texts, formatted for a terminal.

use crate::output::warning_to_stderr;
use agent_runtime::AgentResponse;
use agent_runtime::model::FinishReason;
use agent_runtime::response::ToolInvocation;
use agent_spec::vocabulary::Setting;
use serde_json::Value;

/// The maximum number of characters of arguments and of results. The JSON form has all of them.
const MAX_CHARS: usize = 500;

/// Formats a call of a tool on one line: name, arguments, and the result or the error.
pub(crate) fn call_line(invocation: &ToolInvocation) -> String {
    let args = shortened(&invocation.args.to_string());
    let outcome = match &invocation.result {
        Ok(Value::String(text)) => shortened(text),
        Ok(value) => shortened(&value.to_string()),
        Err(error) => {
            let text = invocation
                .error_text
                .clone()
                .unwrap_or_else(|| error.to_string());
            format!("error: {}", shortened(&text))
        }
    };
    format!("🛠️ {} {args} → {outcome}", invocation.tool)
}

/// Cuts a text that is too long.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Warns if an answer was cut off because it reached the maximum length.
pub(crate) fn warn_about_length(response: &AgentResponse) {
    if response.finish_reason == FinishReason::Length {
        let key = Setting::MaxTokens.key();
        warning_to_stderr(&format!(
            "the answer is cut off: it reached the maximum length (see `{key}`)"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_long_texts_between_characters() {
        assert_eq!(shortened("é"), "é");
        assert_eq!(
            shortened(&"é".repeat(MAX_CHARS + 1)).chars().count(),
            MAX_CHARS + 1
        );
    }
}
