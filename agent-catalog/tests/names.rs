//! The names of models.

use agent_catalog::Catalog;

/// Returns the row of a model, and whether it is assumed.
fn row_of(model: &str) -> Option<(String, bool)> {
    let (provider, id) = model.split_once('/').expect("a provider");
    let found = Catalog::builtin().model(provider, id)?;
    Some((format!("{}/{}", found.provider, found.id), found.is_assumed))
}

#[test]
fn a_model_is_found_by_each_of_its_names() {
    for (model, row) in [
        ("OpenAI/gpt-6-luna", "OpenAI/gpt-6-luna"),
        ("OpenAIResponses/gpt-6-luna", "OpenAI/gpt-6-luna"),
        ("OpenAIChat/gpt-6-luna", "OpenAI/gpt-6-luna"),
        ("OpenAI/gpt-6-luna-2026-09-22", "OpenAI/gpt-6-luna"),
        ("OpenAI/gpt-5.6", "OpenAI/gpt-5.6"),
        ("OpenAI/gpt-4o-2024-05-13", "OpenAI/gpt-4o-2024-05-13"),
        ("OpenAI/gpt-4o-2024-08-06", "OpenAI/gpt-4o"),
        (
            "OpenAI/ft:gpt-4o-mini-2024-07-18:acme::abc",
            "OpenAI/gpt-4o-mini",
        ),
        (
            "Anthropic/claude-haiku-4-5-20251001",
            "Anthropic/claude-haiku-4-5",
        ),
        ("OpenRouter/openai/gpt-6-luna", "OpenAI/gpt-6-luna"),
        ("OpenRouter/openai/gpt-6-luna:free", "OpenAI/gpt-6-luna"),
        (
            "OpenRouter/anthropic/claude-opus-5.5",
            "Anthropic/claude-opus-5-5",
        ),
        (
            "OpenRouter/google/gemini-3.8-flash",
            "Google/gemini-3.8-flash",
        ),
        ("Azure/gpt-5.6-luna", "OpenAI/gpt-5.6-luna"),
        ("Vertex/gemini-3.8-flash", "Google/gemini-3.8-flash"),
    ] {
        assert_eq!(row_of(model), Some((row.to_owned(), false)), "{model}");
    }
}

#[test]
fn a_model_without_a_row_has_the_rules_of_the_newest_of_its_family() {
    for (model, row) in [
        ("OpenAI/gpt-6.3-luna", "OpenAI/gpt-6.2-sol"),
        ("OpenAI/gpt-5.7", "OpenAI/gpt-5.6-terra"),
        ("Anthropic/claude-opus-6", "Anthropic/claude-opus-5-5"),
        (
            "Anthropic/claude-haiku-6-20270101",
            "Anthropic/claude-haiku-5-5",
        ),
        ("Google/gemini-3.9-flash", "Google/gemini-3.8-flash"),
        (
            "Google/gemini-3.9-flash-lite",
            "Google/gemini-3.5-flash-lite",
        ),
    ] {
        assert_eq!(row_of(model), Some((row.to_owned(), true)), "{model}");
    }
    let assumed = Catalog::builtin()
        .model("OpenAI", "gpt-5.7")
        .expect("a family");
    assert_eq!((&assumed.row.price, assumed.row.retires), (&None, None));
}

#[test]
fn nothing_is_assumed_of_a_model_of_an_unknown_family() {
    for model in [
        "OpenAI/gpt-60-luna",
        "OpenAI/davinci",
        "OpenAI/",
        "Anthropic/gpt-6-luna",
        "Ollama/gpt-6-luna",
        "Groq/openai/gpt-oss-120b",
        "Acme/gpt-6-luna",
        "Ollama/llama3.2:latest",
    ] {
        assert_eq!(row_of(model), None, "{model}");
    }
}

#[test]
fn prices_and_dates_of_a_vendor_do_not_follow_a_model_to_a_gateway() {
    let catalog = Catalog::builtin();
    for (provider, id) in [
        ("OpenRouter", "openai/gpt-4o-mini"),
        ("Azure", "gpt-4o-mini"),
    ] {
        let found = catalog.model(provider, id).expect(id);
        let row = &found.row;
        assert_eq!(
            (&row.price, row.retires, &row.successor),
            (&None, None, &None),
            "{id}"
        );
        assert!(row.context_window.is_some());
    }
    let own = catalog.model("OpenAI", "gpt-4o-mini").expect("a row");
    assert!(own.row.price.is_some() && own.row.retires.is_some());
}

#[test]
fn a_tuned_model_has_no_price_of_the_catalogue() {
    let found = |id| Catalog::builtin().model("OpenAI", id).expect("a row").row;
    assert!(found("gpt-4.1").price.is_some());
    let tuned = found("ft:gpt-4.1:acme::1");
    assert_eq!(
        (&tuned.price, tuned.context_window),
        (&None, found("gpt-4.1").context_window)
    );
}
