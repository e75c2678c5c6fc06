//! Documents on top of others.

use agent_catalog::{Catalog, Document, MistakeKind};

fn read(text: &str) -> Document {
    let document = Document::read(text);
    assert_eq!(document.mistakes(), [], "{text}");
    document
}

fn with(texts: &[&str]) -> Catalog {
    texts
        .iter()
        .fold(Catalog::builtin().clone(), |catalog, text| {
            catalog.with(&read(text)).expect("no mistakes")
        })
}

#[test]
fn a_later_document_replaces_single_properties() {
    let catalog = with(&[
        r#"[OpenAI:Catalog | [gpt-6-luna:Model {contextWindow: 1000, maxOutputTokens: 10}]]"#,
        r#"[OpenAI:Catalog | [gpt-6-luna:Model {contextWindow: 2000}]] [Groq:Catalog {baseUrl: "https://acme.example/v1"}]"#,
    ]);
    let luna = catalog.model("OpenAI", "gpt-6-luna").expect("a row").row;
    assert_eq!(
        (luna.context_window, luna.max_output_tokens),
        (Some(2000), Some(10))
    );
    assert_eq!(luna.family.as_deref(), Some("gpt-6"));
    let provider = catalog.provider("Groq").expect("a row");
    assert_eq!(
        provider.base_url.as_deref(),
        Some("https://acme.example/v1")
    );
    assert!(provider.made.is_some());
}

#[test]
fn like_adds_what_a_row_lacks_after_all_documents_are_read() {
    let catalog = with(&[
        r#"[Azure:Catalog |
            [prod:Model {like: "OpenAI/gpt-6-luna", maxOutputTokens: 100}],
            [second:Model {like: "prod"}]
        ]"#,
        r#"[OpenAI:Catalog | [gpt-6-luna:Model {contextWindow: 7}]]"#,
    ]);
    for id in ["prod", "second"] {
        let row = catalog.model("Azure", id).expect(id).row;
        assert_eq!(
            (row.context_window, row.max_output_tokens),
            (Some(7), Some(100)),
            "{id}"
        );
    }
    // A model of one's own has the price and the date that its row has.
    let prod = catalog.model("Azure", "prod").expect("a row");
    assert!(prod.row.price.is_some());
}

#[test]
fn like_that_leads_nowhere_or_in_a_circle_is_a_mistake_at_its_value() {
    for (text, at, word) in [
        (
            r#"[A:Catalog | [a:Model {like: "b"}]]"#,
            r#""b""#,
            "no such row",
        ),
        (
            r#"[A:Catalog | [a:Model {like: "OpenAI/gpt-7"}]]"#,
            r#""OpenAI/gpt-7""#,
            "no such row",
        ),
        (r#"[A:Catalog | [a:Model {like: "a"}]]"#, r#""a""#, "circle"),
        (
            r#"[A:Catalog | [a:Model {like: "b"}], [b:Model {like: "c"}], [c:Model {like: "A/b"}]]"#,
            r#""b""#,
            "circle",
        ),
    ] {
        let mistakes = Catalog::builtin().with(&read(text)).expect_err(text);
        let first = &mistakes[0];
        assert_eq!(first.kind, MistakeKind::BadReference, "{text}");
        assert_eq!(&text[first.span.start..first.span.end], at, "{text}");
        assert!(first.message.contains(word), "{}", first.message);
    }
}

#[test]
fn a_long_chain_of_like_is_followed() {
    let rows = (1..40).map(|at| format!("[m{at}:Model {{like: \"m{}\"}}]", at - 1));
    let rows: Vec<String> = rows.collect();
    let text = format!(
        "[A:Catalog | [m0:Model {{contextWindow: 5}}], {}]",
        rows.join(", ")
    );
    let catalog = with(&[&text]);
    assert_eq!(
        catalog.model("A", "m39").expect("a row").row.context_window,
        Some(5)
    );
}

#[test]
fn a_vendor_keeps_its_server() {
    for properties in [
        "baseUrl: \"https://acme.example/v1\"",
        "key: \"ACME_API_KEY\"",
    ] {
        let document = read(&format!("[OpenAI:Catalog {{{properties}}}]"));
        let mistakes = Catalog::builtin().with(&document).expect_err("a mistake");
        assert_eq!(mistakes[0].kind, MistakeKind::OwnServer);
    }
}
