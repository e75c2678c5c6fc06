//! Traces of the settings that requests are sent with.

use crate::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES, TOOL, sent};
use crate::recorder::{Span, traced};
use serde_json::json;
use tracing::Level;

/// The texts of a span or event, without its message.
fn texts(span: &Span) -> String {
    let fields = span.fields.iter().filter(|(name, _)| **name != "message");
    let texts: Vec<&str> = fields.map(|(_, text)| text.trim_matches('"')).collect();
    texts.join(" ")
}

#[test]
fn warns_of_settings_that_a_provider_does_not_have() {
    let all = "temperature: 0.5, topP: 0.5, seed: 7, reasoningEffort: \"minimal\", extra: {x_y: 1}";
    for (dialect, choice, expected) in [
        (OPENAI, "sayHello", &[][..]),
        (RESPONSES, "sayHello", &["OpenAIResponses seed"]),
        (
            ANTHROPIC,
            "sayHello",
            &["Anthropic temperature", "Anthropic topP", "Anthropic seed"],
        ),
        (GOOGLE, "sayHello", &[]),
        (OLLAMA, "auto", &[]),
        (OLLAMA, "none", &[]),
        (OLLAMA, "required", &["Ollama toolChoice"]),
        (OLLAMA, "sayHello", &["Ollama toolChoice"]),
    ] {
        let settings = format!("{all}, toolChoice: \"{choice}\"");
        let (body, spans) = traced(sent(&dialect, &settings, TOOL, false));
        body.expect("an answer");
        let warnings = spans.iter().filter(|span| span.level == Some(Level::WARN));
        let warnings: Vec<String> = warnings.map(texts).collect();
        assert_eq!(warnings, expected, "{choice}");
    }
}

#[test]
fn warns_of_thinking_budgets_that_are_not_sent() {
    for (dialect, settings, expected) in [
        (OPENAI, "", &["OpenAI thinkingBudget"][..]),
        (RESPONSES, "", &["OpenAIResponses thinkingBudget"]),
        (OLLAMA, "", &["Ollama thinkingBudget"]),
        (ANTHROPIC, ", reasoningEffort: \"low\"", &[]),
        (
            ANTHROPIC,
            ", toolChoice: \"required\"",
            &["Anthropic thinkingBudget"],
        ),
        (GOOGLE, "", &[]),
        (
            GOOGLE,
            ", reasoningEffort: \"low\"",
            &["Google reasoningEffort"],
        ),
    ] {
        let settings = format!("thinkingBudget: 2048{settings}");
        let (body, spans) = traced(sent(&dialect, &settings, TOOL, false));
        body.expect("an answer");
        let warnings = spans.iter().filter(|span| span.level == Some(Level::WARN));
        let warnings: Vec<String> = warnings.map(texts).collect();
        assert_eq!(warnings, expected, "{settings}");
    }
}

/// Only the target of requests and answers, which a subscriber must ask for, has an extra, and never a key
/// in it.
#[test]
fn traces_do_not_show_extras() {
    const DIALECTS: [Dialect; 5] = [OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA];
    for dialect in DIALECTS {
        let (_, key) = dialect.key;
        let settings = format!("extra: {{x_user: \"person-4711\", x_key: \"{key}\"}}");
        let (body, spans) = traced(sent(&dialect, &settings, TOOL, false));
        assert_eq!(body.expect("an answer")["x_key"], json!(key));
        let mut shown = 0;
        for span in spans {
            let texts = texts(&span);
            assert!(!texts.contains(key), "{texts}");
            if texts.contains("person-4711") {
                assert_eq!(span.level, Some(Level::TRACE));
                assert_eq!(span.target, "agent_runtime::wire");
                shown += 1;
            }
        }
        assert!(shown > 0, "the wire target shows what is sent");
    }
}
