//! Type labels and the words of type expressions, and their positions in a text.

use super::cursor_context::touches;
use agent_gram::Span;
use agent_gram::syntax::{StringForm, Value, ValueKind};
use agent_spec::{Kind, Type};

/// The words that construct a type from another type.
pub(crate) const CONSTRUCTORS: [&str; 2] = ["Maybe", "Map"];

/// Returns whether a type label is canonical, and not a synonym that is only read.
pub(crate) fn is_canonical(label: &str) -> bool {
    Kind::from_label(label).is_some_and(|kind| Type::new(kind).label() == label)
}

/// Returns whether only a whole result has the type of a label.
pub(crate) fn is_result_only(label: &str) -> bool {
    Kind::from_label(label).is_some_and(|kind| kind.is_result_only())
}

/// Returns the span of a value's text without quotes, if the value is a bare word or a text in quotes.
///
/// A text that is being typed has no closing quote.
pub(crate) fn text_span(source: &str, value: Value<'_>) -> Option<Span> {
    let span = value.span();
    match value.kind() {
        ValueKind::Symbol(_) => Some(span),
        ValueKind::String { form, .. } if form != StringForm::Fence => {
            let text = span.text(source);
            let quote = text.chars().next()?;
            let is_closed = text.len() > 1 && text.ends_with(quote);
            Some(Span::new(span.start + 1, span.end - usize::from(is_closed)))
        }
        _ => None,
    }
}

/// Returns the span of the word at an offset in a type expression, if a type is expected there.
///
/// The span is empty where a word can be written and no word was begun. The name of a field is not a type.
pub(crate) fn word_at(source: &str, expression: Span, offset: usize) -> Option<Span> {
    if !touches(expression, offset) {
        return None;
    }
    let before = source.get(expression.start..offset)?;
    let after = source.get(offset..expression.end)?;
    let is_delimiter = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let start = before.rfind(is_delimiter).map_or(0, |at| {
        at + before[at..].chars().next().map_or(1, char::len_utf8)
    });
    let length = after.find(is_delimiter).unwrap_or(after.len());
    let previous = before[..start].trim_end();
    let is_type = match previous.chars().next_back() {
        None | Some('[' | '(' | ':' | '|') => true,
        Some(',') => is_in_parentheses(previous),
        Some(_) => {
            let words = previous.rsplit(is_delimiter);
            let mut last = words.take(1);
            last.any(|word| CONSTRUCTORS.contains(&word))
        }
    };
    let span = Span::new(expression.start + start, offset + length);
    is_type.then_some(span)
}

/// Returns whether the innermost open bracket of a text is a parenthesis, in which types follow each other.
/// In braces a name follows a comma.
fn is_in_parentheses(text: &str) -> bool {
    let mut closed = 0_usize;
    for bracket in text.bytes().rev() {
        match bracket {
            b')' | b']' | b'}' => closed += 1,
            b'(' | b'[' | b'{' if closed > 0 => closed -= 1,
            b'(' => return true,
            b'[' | b'{' => return false,
            _ => {}
        }
    }
    false
}
