//! The documents of the crate.

use agent_catalog::{
    Api, Catalog, ChatTools, Document, ForcedCalls, ReasoningEffort, Temperature, Thinking,
    ThinkingType,
};
use std::path::Path;

fn catalog() -> &'static Catalog {
    Catalog::builtin()
}

#[test]
fn each_document_has_no_mistake_and_the_canonical_layout() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the documents") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a document");
        let document = Document::read(&text);
        assert_eq!(document.mistakes(), [], "{}", path.display());
        let formatted = agent_gram::format_source(&text).expect("gram");
        assert!(formatted == text, "run `agent fmt` on {}", path.display());
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn each_vendor_has_models_and_each_provider_a_format() {
    for vendor in ["OpenAI", "Anthropic", "Google"] {
        assert!(catalog().lists_models_of(vendor), "{vendor}");
    }
    assert!(catalog().lists_models_of("OpenAIChat"));
    assert!(!catalog().lists_models_of("Groq"));
    for provider in catalog().providers() {
        let row = catalog().provider(provider).expect("a row");
        assert!(row.made.is_some(), "{provider}");
        assert!(row.format.is_some(), "{provider}");
    }
}

#[test]
fn the_rows_agree_with_themselves() {
    for entry in catalog().models() {
        let (name, row) = (entry.id, entry.row);
        if row
            .retires
            .is_some_and(|date| date < catalog().newest().expect("a date"))
        {
            continue;
        }
        assert!(row.family.is_some(), "{name}");
        let efforts = row.efforts.clone().unwrap_or_default();
        let mut sorted = efforts.clone();
        sorted.sort_unstable();
        assert_eq!(efforts, sorted, "{name}");
        if let Some(default) = row.default_effort {
            assert!(efforts.contains(&default), "{name}");
        }
        for effort in row.chat_efforts.iter().flatten() {
            assert!(efforts.contains(effort), "{name}");
        }
        let can_stop_thinking = efforts.contains(&ReasoningEffort::None);
        if row.temperature == Some(Temperature::EffortNone)
            || row.chat_tools == Some(ChatTools::EffortNone)
        {
            assert!(can_stop_thinking, "{name}");
        }
        if can_stop_thinking {
            assert_eq!(row.thinking, Some(Thinking::Optional), "{name}");
        }
        if row
            .chat_tools
            .is_some_and(|tools| tools != ChatTools::Always)
        {
            assert_eq!(row.api, Some(Api::Responses), "{name}");
        }
        if let Some(price) = &row.price {
            let (input, output) = (
                price.input.expect("a price"),
                price.output.expect("a price"),
            );
            assert!(input <= output, "{name}");
            assert!(
                price.cached_input.is_none_or(|cached| cached < input),
                "{name}"
            );
            if let Some(long) = &price.long_context {
                assert!(long.input.expect("a price") > input, "{name}");
                assert!(long.above < row.context_window, "{name}");
            }
        }
        assert!(row.max_output_tokens <= row.context_window, "{name}");
        if let Some(successor) = &row.successor {
            let found = catalog().model(entry.provider, successor).expect(successor);
            assert!(
                !found.is_assumed && found.row.retires.is_none(),
                "{name}: {successor}"
            );
        }
    }
}

/// Facts that other parts rely on, by the facts of November 2026.
#[test]
fn a_few_rows_are_as_the_vendors_say() {
    let row = |provider, id| {
        let found = catalog().model(provider, id).expect(id);
        assert!(!found.is_assumed, "{id}");
        found.row.into_owned()
    };
    let luna = row("OpenAI", "gpt-6-luna");
    assert_eq!(luna.api, Some(Api::Responses));
    assert_eq!(luna.temperature, Some(Temperature::EffortNone));
    let price = luna.price.expect("a price");
    assert_eq!((price.input, price.output), (Some(0.1), Some(0.5)));
    let astra = row("OpenAI", "gpt-6-astra");
    assert_eq!(astra.chat_tools, Some(ChatTools::Never));
    assert_eq!(
        row("OpenAI", "gpt-4o-mini").successor.as_deref(),
        Some("gpt-6-luna")
    );
    let opus = row("Anthropic", "claude-opus-5-5");
    assert_eq!(opus.forced_calls, Some(ForcedCalls::Never));
    assert_eq!(opus.thinking_types, Some(vec![ThinkingType::Adaptive]));
    assert_eq!(opus.bound_thoughts, Some(true));
    let argon = row("Google", "gemini-4-argon");
    assert_eq!(argon.efforts.map(|efforts| efforts.len()), Some(3));
}

#[test]
fn each_successor_has_a_row() {
    for entry in catalog().models() {
        let Some(successor) = &entry.row.successor else {
            continue;
        };
        let found = catalog().model(entry.provider, successor);
        assert!(
            found.is_some_and(|found| !found.is_assumed),
            "{}: {successor}",
            entry.id
        );
    }
}
