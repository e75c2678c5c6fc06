//! The words that the keys of a catalogue of models accept.

use agent_catalog::{
    Api, ChatTools, ForcedCalls, MaxTokens, MediaInput, ReasoningEffort, StructuredOutput,
    Temperature, Thinking, ThinkingType, WireFormat,
};
use agent_spec::vocabulary::RecordKind;

/// Returns the words that a key accepts; empty for a key that accepts other values.
pub(crate) fn catalog_words(kind: RecordKind, key: &str) -> Vec<&'static str> {
    match (kind, key) {
        (RecordKind::Catalog, "format") => words(WireFormat::ALL, WireFormat::as_str),
        (RecordKind::Catalog, "apis") | (RecordKind::Model, "api") => words(Api::ALL, Api::as_str),
        (RecordKind::Model, "efforts" | "chatEfforts" | "defaultEffort") => {
            words(&ReasoningEffort::ALL, ReasoningEffort::as_str)
        }
        (RecordKind::Catalog, "maxTokens") => words(MaxTokens::ALL, MaxTokens::as_str),
        (RecordKind::Model, "chatTools") => words(ChatTools::ALL, ChatTools::as_str),
        (RecordKind::Model, "temperature") => words(Temperature::ALL, Temperature::as_str),
        (RecordKind::Model, "forcedCalls") => words(ForcedCalls::ALL, ForcedCalls::as_str),
        (RecordKind::Model, "thinking") => words(Thinking::ALL, Thinking::as_str),
        (RecordKind::Model, "thinkingTypes") => words(ThinkingType::ALL, ThinkingType::as_str),
        (RecordKind::Model, "media") => words(MediaInput::ALL, MediaInput::as_str),
        (RecordKind::Model, "structuredOutput") => {
            words(StructuredOutput::ALL, StructuredOutput::as_str)
        }
        _ => Vec::new(),
    }
}

fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().copied().map(word).collect()
}

/// Returns whether a key accepts `true` and `false`.
pub(crate) fn is_catalog_flag(kind: RecordKind, key: &str) -> bool {
    matches!(
        (kind, key),
        (RecordKind::Catalog, "reasoningContent")
            | (
                RecordKind::Model,
                "stop" | "boundThoughts" | "hidesText" | "toolSearch"
            )
    )
}
