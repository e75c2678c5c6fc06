//! What type labels and the words of type expressions mean.

use agent_gram::Span;
use agent_gram::syntax::{StringForm, Value, ValueKind};
use agent_spec::{Kind, Type};

/// A word of types.
#[derive(Debug)]
pub(crate) struct Word {
    /// The word.
    pub(crate) name: &'static str,
    /// What it means, in Markdown.
    pub(crate) meaning: &'static str,
    /// Whether it is the word that is written, or another one that is read as well.
    pub(crate) written: bool,
}

const fn word(name: &'static str, meaning: &'static str) -> Word {
    Word {
        name,
        meaning,
        written: true,
    }
}

const fn other_word(name: &'static str, meaning: &'static str) -> Word {
    Word {
        name,
        meaning,
        written: false,
    }
}

/// The labels.
pub(crate) const LABELS: [Word; 12] = [
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
    other_word(
        "String",
        "A text; the same as `Text`. It is what a result of this type is written with.",
    ),
    other_word("Integer", "A whole number of any width; the same as `Int`."),
    other_word("Number", "A number; the same as `Double`."),
    other_word("Boolean", "`true` or `false`; the same as `Bool`."),
];

/// What makes another type of a type.
pub(crate) const MAKERS: [Word; 2] = [
    word("Maybe", "`Maybe T` is a `T` that may be missing."),
    word(
        "Map",
        "`Map T` is an object with any keys and values of the type `T`.",
    ),
];

/// What a label or a word of type expressions means.
pub(crate) fn meaning(name: &str) -> Option<&'static Word> {
    LABELS.iter().chain(&MAKERS).find(|word| word.name == name)
}

/// The JSON Schema of a label, as compact text.
pub(crate) fn schema_of_label(label: &str) -> Option<String> {
    Kind::from_label(label).map(|kind| Type::new(kind).schema().to_string())
}

/// Where the text of a value stands, without its quotes: of a bare word, or of a text in quotes, which
/// has no closing one while it is typed.
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

/// The word of a type expression at an offset, when a type and no name of a field stands there. An
/// empty word stands where one can be written.
pub(crate) fn word_at(source: &str, expression: Span, offset: usize) -> Option<Span> {
    if !super::cursor_context::touches(expression, offset) {
        return None;
    }
    let before = source.get(expression.start..offset)?;
    let after = source.get(offset..expression.end)?;
    let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let start = before.rfind(is_other).map_or(0, |at| {
        at + before[at..].chars().next().map_or(1, char::len_utf8)
    });
    let length = after.find(is_other).unwrap_or(after.len());
    let previous = before[..start].trim_end();
    let is_type = match previous.chars().next_back() {
        None | Some('[' | '(' | ':') => true,
        Some(_) => {
            let words = previous.rsplit(is_other);
            let mut last = words.take(1);
            last.any(|word| MAKERS.iter().any(|maker| maker.name == word))
        }
    };
    let span = Span::new(expression.start + start, offset + length);
    is_type.then_some(span)
}
