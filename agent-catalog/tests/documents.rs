//! Reading documents, and their mistakes.

use agent_catalog::{Catalog, Document, MistakeKind};

/// Returns the kind, the marked text and the message of each mistake.
fn mistakes(text: &str) -> Vec<(MistakeKind, String, String)> {
    let document = Document::read(text);
    let found = document.mistakes().iter().map(|mistake| {
        let marked = text[mistake.span.start..mistake.span.end].to_owned();
        let help = mistake.help.clone().unwrap_or_default();
        (mistake.kind, marked, format!("{} {help}", mistake.message))
    });
    found.collect()
}

#[test]
fn each_mistake_is_found_at_its_place() {
    use MistakeKind::*;
    let row = |properties: &str| format!("[A:Catalog | [a:Model {{{properties}}}]]");
    for (text, kind, marked, word) in [
        ("(a".to_owned(), Syntax, "", "expected"),
        ("[a:Model]".to_owned(), NotARow, "a:Model", "Catalog"),
        ("(A:Catalog)".to_owned(), NotARow, "(A:Catalog)", "Catalog"),
        ("{made: \"2026-11-28\"}".to_owned(), NotARow, "", "Catalog"),
        (
            "[A:Catalog | (a:Model)]".to_owned(),
            NotARow,
            "(a:Model)",
            "Model",
        ),
        ("[A:Catalog | a]".to_owned(), NotARow, "a", "Model"),
        (
            "[A:Catalog | [a:Agent]]".to_owned(),
            NotARow,
            "a:Agent",
            "Model",
        ),
        (
            "[A:Catalog | [a:Model | b]]".to_owned(),
            NotARow,
            "b",
            "no elements",
        ),
        ("[:Catalog]".to_owned(), MissingName, ":Catalog", "provider"),
        (
            "[A:Catalog | [:Model]]".to_owned(),
            MissingName,
            ":Model",
            "model",
        ),
        (
            "[Ollama:Catalog | [qwen3:latest:Model]]".to_owned(),
            SeveralLabels,
            ":Model",
            "[`qwen3:latest`:Model {…}]",
        ),
        (
            "[OpenAI:Catalog | [ft:gpt-4o-mini:acme::abc:Model]]".to_owned(),
            SeveralLabels,
            ":acme",
            "[`ft:gpt-4o-mini:acme:abc`:Model {…}]",
        ),
        (
            row("contextWindows: 1"),
            UnknownProperty,
            "contextWindows",
            "contextWindow,",
        ),
        (
            row("stop: true, stop: false"),
            DuplicateKey,
            "stop",
            "twice",
        ),
        (
            "[A:Catalog | [a:Model], [a:Model]]".to_owned(),
            DuplicateModel,
            "a",
            "two rows",
        ),
        (
            "[A:Catalog | [a:Model]] [A:Catalog | [a:Model]]".to_owned(),
            DuplicateModel,
            "a",
            "two rows",
        ),
        (row("contextWindow: 0"), BadValue, "0", "above 0"),
        (row("contextWindow: 1.5"), BadValue, "1.5", "above 0"),
        (
            row("contextWindow: 99999999999999999999"),
            BadValue,
            "99999999999999999999",
            "tokens",
        ),
        (
            row("released: \"2026-02-30\""),
            BadValue,
            "\"2026-02-30\"",
            "date",
        ),
        (row("released: 2026"), BadValue, "2026", "date"),
        (
            row("efforts: [\"low\", \"hardest\"]"),
            BadValue,
            "\"hardest\"",
            "\"xhigh\" or \"max\"",
        ),
        (
            row("temperature: true"),
            BadValue,
            "true",
            "\"effort none\"",
        ),
        (
            row("stop: \"yes\""),
            BadValue,
            "\"yes\"",
            "`true` or `false`",
        ),
        (row("family: \" \""), BadValue, "\" \"", "text"),
        (row("price: 1"), BadValue, "1", "`input`"),
        (row("price: {input: 1}"), BadValue, "{input: 1}", "`output`"),
        (
            row("price: {input: -1, output: 1}"),
            BadValue,
            "-1",
            "0 or more",
        ),
        (
            row("price: {input: 1usd, output: 1}"),
            BadValue,
            "1usd",
            "dollars",
        ),
        (
            row("price: {input: 1, output: 1, sent: 1}"),
            BadValue,
            "sent",
            "`cachedInput`",
        ),
        (
            row("price: {input: 1, input: 2, output: 1}"),
            BadValue,
            "input",
            "once",
        ),
        (
            row("price: {input: 1, output: 1, longContext: {input: 2, output: 2}}"),
            BadValue,
            "{input: 2, output: 2}",
            "`above`",
        ),
        (
            row("released: \"2026-05-01\", retires: \"2026-04-30\""),
            BadValue,
            "\"2026-04-30\"",
            "after `released`, which is 2026-05-01",
        ),
        (
            "[A:Catalog {key: [\"A_KEY\", \"sk-1\"]}]".to_owned(),
            BadValue,
            "[\"A_KEY\", \"sk-1\"]",
            "the name of a variable",
        ),
        (
            "[OpenAIChat:Catalog]".to_owned(),
            NotARow,
            "OpenAIChat",
            "write `OpenAI`",
        ),
        (
            "[A:Catalog | [`A/a`:Model]]".to_owned(),
            NotARow,
            "`A/a`",
            "without `A/`",
        ),
        (row("successor: \"a\""), BadValue, "\"a\"", "another model"),
        (
            row("contextWindow: 5, maxOutputTokens: 6"),
            BadValue,
            "6",
            "at most `contextWindow`",
        ),
        (
            row("efforts: [\"low\"], defaultEffort: \"high\""),
            BadValue,
            "\"high\"",
            "one of `efforts`",
        ),
        (
            row("price: {input: 1, output: 1, longContext: {above: 0, input: 1, output: 1}}"),
            BadValue,
            "0",
            "`above` must be a number of tokens",
        ),
        (
            "[A:Catalog {apis: []}]".to_owned(),
            BadValue,
            "[]",
            "at least one",
        ),
        (
            "[A:Catalog {maxTokens: \"max\"}]".to_owned(),
            BadValue,
            "\"max\"",
            "\"max_completion_tokens\" or \"max_tokens\"",
        ),
        (
            "[A:Catalog {baseUrl: \"https://u:p@a.example\"}]".to_owned(),
            BadValue,
            "\"https://u:p@a.example\"",
            "without a user and a query",
        ),
        (
            "[A:Catalog {baseUrl: \"file:///etc/passwd\"}]".to_owned(),
            BadValue,
            "\"file:///etc/passwd\"",
            "an address",
        ),
        (
            "[A:Catalog {apis: \"soap\"}]".to_owned(),
            BadValue,
            "\"soap\"",
            "\"chat\"",
        ),
    ] {
        let found = mistakes(&text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].0, kind, "{text}");
        if !marked.is_empty() {
            assert_eq!(found[0].1, marked, "{text}");
        }
        assert!(found[0].2.contains(word), "{text}: {}", found[0].2);
    }
}

#[test]
fn a_name_with_a_colon_stands_in_backticks() {
    for name in ["qwen3:latest", "ft:gpt-4o-mini:acme::abc"] {
        assert_eq!(mistakes(&format!("[A:Catalog | [`{name}`:Model]]")), []);
    }
}

#[test]
fn all_mistakes_of_a_document_are_found() {
    let found =
        mistakes("[A:Catalog {x: 1} | [a:Model {y: 1, stop: 2}], [b:Model {price: {}}]] (c)");
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn an_empty_text_has_no_rows() {
    assert_eq!(mistakes(""), []);
    assert_eq!(mistakes("// nothing yet"), []);
}

#[test]
fn like_leads_over_few_rows() {
    let chain = |length: usize| {
        let rows = (0..length).map(|at| format!("[m{at}:Model {{like: \"m{}\"}}]", at + 1));
        let rows: Vec<String> = rows.chain([format!("[m{length}:Model]")]).collect();
        Document::read(&format!("[Acme:Catalog | {}]", rows.join(", ")))
    };
    assert!(Catalog::default().with(&chain(64)).is_ok());
    let mistakes = Catalog::default().with(&chain(65)).expect_err("too long");
    assert!(
        mistakes[0].message.contains("more than 64 rows"),
        "{mistakes:?}"
    );
    // Found at once, however many there are.
    assert_eq!(
        Catalog::default()
            .with(&chain(3000))
            .expect_err("too long")
            .len(),
        2936
    );
}

#[test]
fn a_row_of_a_name_that_nothing_reads_is_a_mistake() {
    for (text, word) in [
        ("[openai:Catalog]", "write `OpenAI`"),
        ("[Groq:Catalog {key: \"MY_KEY\"}]", "the key of `Groq`"),
        (
            "[Offline:Catalog {baseUrl: \"http://127.0.0.1:1\"}]",
            "neither an address",
        ),
        (
            "[OpenAI:Catalog | [a:Model {successor: \"b\"}]]",
            "no such row",
        ),
    ] {
        let mistakes = Catalog::builtin().with(&Document::read(text));
        let mistakes = mistakes.expect_err(text);
        assert_eq!(mistakes.len(), 1, "{mistakes:?}");
        assert!(mistakes[0].message.contains(word), "{mistakes:?}");
    }
}

#[test]
fn models_names_a_provider() {
    let with = |text: &str| Catalog::builtin().with(&Document::read(text));
    assert!(with("[Acme:Catalog {models: \"OpenAI\"}]").is_ok());
    assert!(with("[Acme:Catalog {models: \"Other\"}] [Other:Catalog]").is_ok());
    let mistakes = with("[Acme:Catalog {models: \"OpenIA\"}]").expect_err("no provider");
    assert_eq!(mistakes[0].kind, MistakeKind::BadReference);
    assert!(mistakes[0].message.contains("`OpenIA`"), "{mistakes:?}");
}
