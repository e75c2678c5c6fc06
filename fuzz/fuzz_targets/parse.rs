//! Reading any text: no panic, and what holds for every tree and every error.

#![no_main]

use agent_gram::{Span, lower, parse, parse_patterns};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let parse = parse(source);
    assert!(parse.errors.is_sorted_by_key(|error| error.span().start));
    for error in &parse.errors {
        stands_in(source, error.span());
        assert!(!error.message().is_empty());
        assert!(error.help() != Some(""));
        if let Some((span, label)) = error.related() {
            stands_in(source, span);
            assert!(!label.is_empty());
        }
    }
    // A tree with errors can be lowered, too.
    let patterns = lower(&parse.document);
    match parse_patterns(source) {
        Ok(found) => {
            assert!(parse.errors.is_empty());
            assert_eq!(found, patterns);
        }
        Err(errors) => assert_eq!(errors, parse.errors),
    }
    // The checker reads the same tree, with every rule of agents and tools.
    for diagnostic in agent_spec::check::check(source, Default::default()).diagnostics {
        stands_in(source, diagnostic.span());
    }
});

fn stands_in(source: &str, span: Span) {
    assert!(source.get(span.start..span.end).is_some(), "{span:?}");
}
