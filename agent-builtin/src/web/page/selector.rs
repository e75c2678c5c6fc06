//! CSS selectors of calls.

use super::counted_element::{CountedElement, Steps};
use agent_tool::__private::shortened;
use agent_tool::ToolError;
use scraper::error::SelectorErrorKind;
use scraper::selector::{Parser, Simple};
use scraper::{ElementRef, Selector};
use selectors::SelectorList;
use selectors::context::SelectorCaches;
use selectors::matching::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode,
    matches_selector_list,
};
use selectors::parser::ParseRelative;

/// The maximum length of a selector in bytes. Every element of a page is matched against each part of the selector, so
/// that a model's selector of megabytes would occupy a thread for hours.
const MAX_LENGTH: usize = 500;

/// The maximum number of `(` in a selector. The parser recurses into each pair of brackets, so that a model's selector
/// of thousands of brackets would exhaust the stack.
const MAX_BRACKETS: usize = 16;

/// The pseudo-classes with an argument.
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

/// A CSS selector.
pub(in super::super) struct CssSelector {
    text: String,
    selectors: SelectorList<Simple>,
}

impl CssSelector {
    /// Parses a selector.
    ///
    /// # Errors
    /// Validation, with the mistake and examples of selectors.
    pub(in super::super) fn parse(text: &str) -> Result<Self, ToolError> {
        let wrong = |reason: String| {
            Err(ToolError::Validation(format!(
                "`{}` is not a supported CSS selector: {reason}; one is `main`, `#content`, \
                 `.article p` or `table tr:first-child`",
                shortened(text, MAX_LENGTH)
            )))
        };
        if text.len() > MAX_LENGTH {
            return wrong(format!("it is longer than {MAX_LENGTH} bytes"));
        }
        if text.bytes().filter(|byte| *byte == b'(').count() > MAX_BRACKETS {
            return wrong(format!("it has more than {MAX_BRACKETS} brackets"));
        }
        let mut input = cssparser::Parser::new(text);
        match SelectorList::parse(&Parser, &mut input, ParseRelative::No) {
            Ok(selectors) => Ok(Self {
                text: text.to_owned(),
                selectors,
            }),
            Err(error) => wrong(explain(text, &SelectorErrorKind::from(error))),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether an element matches. Without steps left, the answer means nothing. `caches` are the caches of
    /// earlier matches of the same selector on the page.
    pub(super) fn matches<'a>(
        &self,
        element: ElementRef<'a>,
        steps: &'a Steps<'a>,
        caches: &mut SelectorCaches,
    ) -> bool {
        // Only the numbers of siblings are kept: the other caches would grow with each element.
        *caches = SelectorCaches {
            nth_index: std::mem::take(&mut caches.nth_index),
            ..SelectorCaches::default()
        };
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let element = CountedElement::new(element, steps);
        matches_selector_list(&self.selectors, &element, &mut context)
    }
}

/// Explains why a selector is invalid. The messages of the parser are about its internal tokens.
fn explain(text: &str, error: &SelectorErrorKind) -> String {
    if text.trim().is_empty() {
        return "it is empty".into();
    }
    if text.trim_start().starts_with('/') {
        return "it begins with `/`, as XPath does".into();
    }
    if top_level_chars(text).any(|(_, character)| character == '|') {
        return "it has a namespace, before `|`, which is not supported".into();
    }
    if let Some(reason) = unsupported_pseudo(text) {
        return reason;
    }
    if split_top_level(text, ',')
        .iter()
        .any(|part| part.trim().is_empty())
    {
        return "nothing is before or after one of its commas".into();
    }
    if let Some(combinator) = dangling_combinator(text) {
        return format!("no element is before or after one `{combinator}`");
    }
    if let Some(prefix) = prefix_without_name(text) {
        return format!("no name follows one `{prefix}`");
    }
    match error {
        SelectorErrorKind::EndOfLine => "it is incomplete".into(),
        SelectorErrorKind::UnexpectedToken => "it has an unexpected character".into(),
        _ => "something in it is not written as in CSS".into(),
    }
}

/// Finds the first pseudo-class or pseudo-element that needs a browser.
fn unsupported_pseudo(text: &str) -> Option<String> {
    for (offset, _) in top_level_chars(text).filter(|(_, character)| *character == ':') {
        let after = &text[offset + 1..];
        let is_element = after.starts_with(':');
        let after = after.strip_prefix(':').unwrap_or(after);
        let is_name = |character: char| character.is_ascii_alphanumeric() || character == '-';
        let end = after.find(|character| !is_name(character));
        let (name, rest) = after.split_at(end.unwrap_or(after.len()));
        if name.is_empty() {
            // The second of two colons belongs to the first.
            if text[..offset].ends_with(':') || is_element {
                continue;
            }
            return Some("no name follows one `:`".into());
        }
        if text[..offset].ends_with(':') {
            continue;
        }
        if is_element {
            return Some(format!(
                "`::{name}` is a pseudo-element and not an element of a page"
            ));
        }
        let is_supported = if rest.starts_with('(') {
            FUNCTIONS
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
        } else {
            Selector::parse(&format!(":{name}")).is_ok()
        };
        if !is_supported {
            return Some(format!(
                "`:{name}` is not supported, because it needs a browser or does not exist"
            ));
        }
    }
    None
}

/// Finds a combinator without an element on one side.
fn dangling_combinator(text: &str) -> Option<char> {
    let is_combinator = |character: &char| matches!(character, '>' | '+' | '~');
    split_top_level(text, ',').into_iter().find_map(|part| {
        let mut before = None;
        for (_, character) in
            top_level_chars(part).filter(|(_, character)| !character.is_whitespace())
        {
            if is_combinator(&character) && before.is_none_or(|before| is_combinator(&before)) {
                return Some(character);
            }
            before = Some(character);
        }
        part.trim_end().chars().last().filter(is_combinator)
    })
}

/// Finds `#` or `.` without a name.
fn prefix_without_name(text: &str) -> Option<char> {
    top_level_chars(text)
        .filter(|(_, character)| matches!(character, '#' | '.'))
        .find(|(offset, _)| {
            let next = text[offset + 1..].chars().next();
            !next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '-' | '_' | '\\'))
        })
        .map(|(_, character)| character)
}

/// Splits a selector at a separator outside of brackets and quotes.
fn split_top_level(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (offset, _) in top_level_chars(text).filter(|(_, character)| *character == separator) {
        parts.push(&text[start..offset]);
        start = offset + separator.len_utf8();
    }
    parts.push(&text[start..]);
    parts
}

/// Returns the characters outside of brackets and quotes that are not escaped. A closing bracket is one of
/// them, as the end of an element: `a[b] > c`.
fn top_level_chars(text: &str) -> impl Iterator<Item = (usize, char)> {
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
        depth == 0
    })
}
