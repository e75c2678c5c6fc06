//! Formatting changes blanks and line ends only, keeps every comment, and is idempotent.

use crate::documents::{document, spaced};
use agent_gram::{format_source, parse, parse_patterns};
use proptest::prelude::*;

/// Returns the text without blanks and comments, and each comment with the length of that text
/// before it.
fn skeleton(source: &str) -> (String, Vec<(usize, String)>) {
    let parse = parse(source);
    let solid = |text: &str| -> String { text.split(is_blank).collect() };
    let mut tokens = String::new();
    let mut comments = Vec::new();
    let mut at = 0;
    for comment in parse.document.comments() {
        tokens.push_str(&solid(&source[at..comment.span.start]));
        let lines = comment.span.text(source).split('\n');
        let lines: Vec<&str> = lines.map(|line| line.trim_matches(is_blank)).collect();
        comments.push((tokens.len(), lines.join("\n")));
        at = comment.span.end;
    }
    tokens.push_str(&solid(&source[at..]));
    (tokens, comments)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{feff}')
}

/// Checks the properties that hold for every text without errors.
fn check(source: &str) -> Result<(), TestCaseError> {
    let patterns = parse_patterns(source);
    prop_assert!(patterns.is_ok(), "{source}\n{patterns:#?}");
    let formatted = format_source(source).expect("gram");
    prop_assert_eq!(
        &parse_patterns(&formatted),
        &patterns,
        "the meaning of\n{}\nbecame\n{}",
        source,
        formatted
    );
    prop_assert_eq!(
        skeleton(&formatted),
        skeleton(source),
        "the tokens of\n{}\nbecame\n{}",
        source,
        formatted
    );
    let again = format_source(&formatted).expect("gram");
    prop_assert_eq!(&again, &formatted, "of\n{}", source);
    prop_assert!(formatted.is_empty() || formatted.ends_with('\n') && !formatted.ends_with("\n\n"));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3_000) })]

    #[test]
    fn formats_documents_with_comments_everywhere((tokens, trivia) in document()) {
        check(&spaced(&tokens, &trivia))?;
    }

    #[test]
    fn a_document_means_the_same_with_the_line_ends_of_windows((tokens, trivia) in document()) {
        let text = spaced(&tokens, &trivia).replace("\r\n", "\n");
        let windows = text.replace('\n', "\r\n");
        prop_assert_eq!(parse_patterns(&windows), parse_patterns(&text));
        prop_assert_eq!(format_source(&windows), format_source(&text));
    }

    #[test]
    fn formats_documents_without_comments((tokens, _) in document()) {
        check(&spaced(&tokens, &[" ".to_owned()]))?;
        check(&spaced(&tokens, &["".to_owned(), "\n".to_owned(), "\r\n\n  \t".to_owned()]))?;
    }
}
