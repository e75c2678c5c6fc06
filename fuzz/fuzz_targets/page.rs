//! Extracts the text of a page as `webScraper` does.
//!
//! The input is a content type, a line end, a selector, a line end, and the body.

#![no_main]

use agent_builtin::PageText;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    let mut parts = source.splitn(3, |byte| *byte == b'\n');
    let mut line = || std::str::from_utf8(parts.next().unwrap_or_default()).unwrap_or_default();
    let (content_type, selector) = (line(), line());
    let body = parts.next().unwrap_or_default();
    let content_type = (!content_type.is_empty()).then_some(content_type);

    let whole = PageText::extract(body, content_type, None);
    let part = PageText::extract(body, content_type, Some(selector));
    let again = PageText::extract(body, content_type, Some(selector));
    assert_eq!(part, again, "the same page gives the same text");

    let Ok(whole) = whole else { return };
    assert!(!whole.text.contains('\0'));
    if let Ok(part) = part {
        assert_eq!(whole.title, part.title);
        assert!(!part.text.contains('\0'));
    }
    // No text is invented or repeated: a character takes at least one byte of the body.
    let length = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    assert!(length(&whole.title) + length(&whole.text) <= body.len());
});
