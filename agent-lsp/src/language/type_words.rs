//! Documentation of type labels and of the words of type expressions, and their positions in a text.

use super::cursor_context::touches;
use agent_gram::Span;
use agent_gram::syntax::{StringForm, Value, ValueKind};
use agent_spec::{Kind, Type};
use std::fmt::Write as _;

/// A word of type expressions with its documentation.
#[derive(Debug)]
pub(crate) struct TypeWord {
    /// The word.
    pub(crate) name: &'static str,
    /// The meaning, in Markdown.
    pub(crate) meaning: &'static str,
    /// Whether this word is written, and not only read as a synonym.
    pub(crate) is_canonical: bool,
}

const fn word(name: &'static str, meaning: &'static str) -> TypeWord {
    TypeWord {
        name,
        meaning,
        is_canonical: true,
    }
}

const fn synonym(name: &'static str, meaning: &'static str) -> TypeWord {
    TypeWord {
        name,
        meaning,
        is_canonical: false,
    }
}

/// The type labels.
pub(crate) const LABELS: [TypeWord; 12] = [
    word("Text", "A text."),
    word("Int", "A whole number of any width."),
    word("Double", "A number."),
    word("Bool", "`true` or `false`."),
    word(
        "Object",
        "A record. `fields` says which fields it has, `valueType` of which type its values are under \
         any keys.",
    ),
    word(
        "Array",
        "A list. `elementType` says of which type its elements are.",
    ),
    word("Any", "Any value."),
    word(
        "Null",
        "Nothing: what a tool without a result returns. Only a result has this type.",
    ),
    synonym(
        "String",
        "A text; the same as `Text`. It is what a result of this type is written with.",
    ),
    synonym("Integer", "A whole number of any width; the same as `Int`."),
    synonym("Number", "A number; the same as `Double`."),
    synonym("Boolean", "`true` or `false`; the same as `Bool`."),
];

/// The words that make another type of a type.
pub(crate) const CONSTRUCTORS: [TypeWord; 2] = [
    word("Maybe", "`Maybe T` is a `T` that may be missing."),
    word(
        "Map",
        "`Map T` is an object with any keys and values of the type `T`.",
    ),
];

impl TypeWord {
    fn find(name: &str) -> Option<&'static Self> {
        LABELS
            .iter()
            .chain(&CONSTRUCTORS)
            .find(|word| word.name == name)
    }
}

/// Returns the meaning of a word and, if it is a label, its JSON Schema, in Markdown.
pub(crate) fn word_markdown(name: &str) -> Option<String> {
    let meaning = TypeWord::find(name)?.meaning;
    let mut markdown = format!("**`{name}`**\n\n{meaning}\n");
    if let Some(kind) = Kind::from_label(name) {
        let schema = Type::new(kind).schema();
        let _ = write!(markdown, "\n```json\n{schema}\n```\n");
    }
    Some(markdown)
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
/// The span is empty where a word can be written and none was begun. The name of a field is not a type.
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
        None | Some('[' | '(' | ':') => true,
        Some(_) => {
            let words = previous.rsplit(is_delimiter);
            let mut last = words.take(1);
            last.any(|word| CONSTRUCTORS.iter().any(|maker| maker.name == word))
        }
    };
    let span = Span::new(expression.start + start, offset + length);
    is_type.then_some(span)
}
