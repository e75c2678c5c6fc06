//! A document of a catalogue: each mistake is at a place in the text, and a document without mistakes is added to the
//! built-in catalogue or has mistakes beside it.

#![no_main]

use agent_catalog::{Catalog, Date, Document, Mistake};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(date) = text.parse::<Date>() {
        assert_eq!(date.to_string().parse(), Ok(date));
    }
    let document = Document::read(text);
    assert_eq!(document, Document::read(text));
    check(text, document.mistakes());
    // An incomplete document is added, too, so that an editor knows its models.
    add(text, &document, &Catalog::default());
    // A copy of the built-in catalogue takes long, so that only documents without mistakes are added to it.
    if document.mistakes().is_empty() {
        add(text, &document, Catalog::builtin());
    }
});

fn add(text: &str, document: &Document, catalog: &Catalog) {
    let all = match catalog.with(document) {
        Ok(all) => all,
        Err(mistakes) => {
            assert!(!mistakes.is_empty());
            return check(text, &mistakes);
        }
    };
    for entry in all.models() {
        let found = all.model(entry.provider, entry.id).expect("a row");
        assert_eq!((found.id, found.is_assumed), (entry.id, false));
    }
    for provider in all.providers() {
        assert!(all.provider(provider).is_some());
    }
    for provider in document.addressed() {
        assert!(
            all.provider(provider)
                .is_some_and(|row| row.base_url.is_some())
        );
    }
    // What was added once is added again.
    let again = all
        .with(document)
        .unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    assert!(again.models().eq(all.models()));
    let beneath = all
        .with_beneath(document)
        .unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    assert!(beneath.models().eq(all.models()));
}

fn check(text: &str, mistakes: &[Mistake]) {
    for mistake in mistakes {
        let labelled = mistake.label.as_ref().map(|(span, _)| *span);
        for span in [Some(mistake.span), labelled].into_iter().flatten() {
            assert!(text.get(span.start..span.end).is_some(), "{mistake:?}");
        }
        assert!(!mistake.message.is_empty());
    }
}
