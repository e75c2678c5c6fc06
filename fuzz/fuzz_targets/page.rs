//! A page as a server might send it, and what `webScraper` makes of it.
//!
//! The input is a content type, a line end, a selector, a line end, and the body.

#![no_main]

use agent_runtime::builtin::extract_for_fuzzing;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    let mut parts = source.splitn(3, |byte| *byte == b'\n');
    let mut line = || std::str::from_utf8(parts.next().unwrap_or_default()).unwrap_or_default();
    let (content_type, selector) = (line(), line());
    let body = parts.next().unwrap_or_default();
    let content_type = (!content_type.is_empty()).then_some(content_type);

    // The whole page, and what is selected of it, twice the same.
    let whole = extract_for_fuzzing(body, content_type, "");
    let part = extract_for_fuzzing(body, content_type, selector);
    assert_eq!(part, extract_for_fuzzing(body, content_type, selector));

    let (Some((title, text)), Some((same_title, part))) = (whole, part) else {
        return;
    };
    assert_eq!(title, same_title);
    assert!(!text.contains('\0') && !part.contains('\0'));
    // Nothing is said that is not there, and nothing twice: a character takes a byte at least.
    let length = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    assert!(length(&title) + length(&text) <= body.len());
});
