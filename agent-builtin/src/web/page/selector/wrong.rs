//! What is wrong with a selector, in words for whoever wrote it.

use scraper::Selector;
use scraper::error::SelectorErrorKind;

/// What takes an argument in brackets.
const FUNCTIONS: [&str; 8] = [
    "not",
    "is",
    "where",
    "has",
    "nth-child",
    "nth-last-child",
    "nth-of-type",
    "nth-last-of-type",
];

/// What is wrong with a selector that could not be read. The parser's own words name its inner parts.
pub(super) fn what_is_wrong(text: &str, error: &SelectorErrorKind) -> String {
    if text.trim().is_empty() {
        return "it is empty".into();
    }
    if text.trim_start().starts_with('/') {
        return "it begins with `/`, as XPath does".into();
    }
    if bare(text).any(|(_, character)| character == '|') {
        return "it has a namespace, before `|`, and none are known".into();
    }
    if let Some(reason) = pseudo(text) {
        return reason;
    }
    if parts(text, ',').iter().any(|part| part.trim().is_empty()) {
        return "nothing stands before or after one of its commas".into();
    }
    if let Some(mark) = dangling(text) {
        return format!("no element stands before or after one `{mark}`");
    }
    if let Some(mark) = nameless(text) {
        return format!("no name follows one `{mark}`");
    }
    match error {
        SelectorErrorKind::EndOfLine => "it breaks off".into(),
        SelectorErrorKind::UnexpectedToken => "it has a character where none may stand".into(),
        _ => "something in it is not written as in CSS".into(),
    }
}

/// The first thing after a colon that no page without scripts can answer.
fn pseudo(text: &str) -> Option<String> {
    for (at, _) in bare(text).filter(|(_, character)| *character == ':') {
        let after = &text[at + 1..];
        let is_element = after.starts_with(':');
        let after = after.strip_prefix(':').unwrap_or(after);
        let is_name = |character: char| character.is_ascii_alphanumeric() || character == '-';
        let end = after.find(|character| !is_name(character));
        let (name, rest) = after.split_at(end.unwrap_or(after.len()));
        if name.is_empty() {
            // The second of two colons was seen with the first.
            if text[..at].ends_with(':') || is_element {
                continue;
            }
            return Some("no name follows one `:`".into());
        }
        if text[..at].ends_with(':') {
            continue;
        }
        if is_element {
            return Some(format!("`::{name}` is drawn, and is no element of a page"));
        }
        let is_known = if rest.starts_with('(') {
            FUNCTIONS
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
        } else {
            Selector::parse(&format!(":{name}")).is_ok()
        };
        if !is_known {
            return Some(format!(
                "`:{name}` is nothing that a page can be asked without a browser that shows it"
            ));
        }
    }
    None
}

/// A mark between elements that has none on one side.
fn dangling(text: &str) -> Option<char> {
    parts(text, ',').into_iter().find_map(|part| {
        let mut before = None;
        for (_, character) in bare(part).filter(|(_, character)| !character.is_whitespace()) {
            let is_mark = |character: &char| matches!(character, '>' | '+' | '~');
            if is_mark(&character) && before.is_none_or(|before| is_mark(&before)) {
                return Some(character);
            }
            before = Some(character);
        }
        part.trim_end()
            .chars()
            .last()
            .filter(|last| matches!(last, '>' | '+' | '~'))
    })
}

/// `#` or `.` without what it names.
fn nameless(text: &str) -> Option<char> {
    bare(text)
        .filter(|(_, character)| matches!(character, '#' | '.'))
        .find(|(at, _)| {
            let next = text[at + 1..].chars().next();
            !next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '-' | '_' | '\\'))
        })
        .map(|(_, character)| character)
}

/// The parts between marks that stand in no brackets and no quotes.
fn parts(text: &str, mark: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in bare(text).filter(|(_, character)| *character == mark) {
        parts.push(&text[start..at]);
        start = at + mark.len_utf8();
    }
    parts.push(&text[start..]);
    parts
}

/// The characters that stand in no brackets, in no quotes and after no backslash.
fn bare(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    text.char_indices().filter(move |(_, character)| {
        if is_escaped {
            is_escaped = false;
            return false;
        }
        is_escaped = *character == '\\';
        match (quote, character) {
            (Some(open), _) => {
                if open == *character {
                    quote = None;
                }
                return false;
            }
            (None, '"' | '\'') => quote = Some(*character),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        // A bracket counts as part of what it closes: `a[b] > c`.
        depth == 0
    })
}
