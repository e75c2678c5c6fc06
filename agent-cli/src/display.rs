//! What models and tools say, as a terminal is shown it.

use agent_runtime::response::ToolInvocation;
use serde_json::Value;

/// How many characters of arguments, and of a result, are shown; the JSON form has them all.
const SHOWN: usize = 500;

/// A call in a line: name, arguments, and the result or what went wrong.
pub(crate) fn call(invocation: &ToolInvocation) -> String {
    let args = shortened(&invocation.args.to_string());
    let came = match &invocation.result {
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
    format!("🛠️ {} {args} → {came}", invocation.tool)
}

/// A text, cut when it is long.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("é"), "é");
        assert_eq!(shortened(&"é".repeat(SHOWN + 1)).chars().count(), SHOWN + 1);
    }
}
