//! The syntax tree: the structure of a text, with the span of every part.
//!
//! The tree keeps the details that a formatter or a checker needs and patterns do not hold: spans,
//! the kinds and families of arrows, `:` or `::`, the form of quotes, doubled keys, comments.
//!
//! A [`Document`] holds the tree. Every other type is a view of a part of it, which is cheap to
//! create and to copy, and borrows from the document.

mod path;
mod record;
mod subject;
pub(crate) mod tape;
mod value;

pub use path::{Arrow, Direction, Family, Node, Path};
pub(crate) use path::{arrow_form, is_bracketed};
pub use record::{Property, Record, Separator};
pub(crate) use subject::SubjectPart;
pub use subject::{Label, Name, NameForm, Subject};
pub use value::{Array, Number, NumberKind, StringForm, Value, ValueKind};
pub(crate) use value::{NumberForm, range_ends, range_form};

use crate::span::Span;
use tape::{Kind, Parts, Tape, TapePart};

/// A parsed document.
#[derive(Clone, Debug, Default)]
pub struct Document<'s> {
    tape: Tape<'s>,
    comments: Vec<Comment>,
}

impl<'s> Document<'s> {
    pub(crate) fn new(tape: Tape<'s>, comments: Vec<Comment>) -> Self {
        Self { tape, comments }
    }

    /// Returns the source text.
    #[must_use]
    pub fn source(&self) -> &'s str {
        self.tape.source
    }

    /// Returns the record at the beginning of the document, if there is one.
    #[must_use]
    pub fn header(&self) -> Option<Record<'_>> {
        header(&self.tape)
    }

    /// Returns the patterns at the top level, in order.
    pub fn items(&self) -> impl Iterator<Item = Item<'_>> + Clone {
        items(&self.tape)
    }

    /// Returns the top-level parts of the tree, in order.
    pub(crate) fn parts(&self) -> Parts<'_> {
        self.tape.top()
    }

    /// Returns all comments, in order. They are not attached to parts of the tree.
    #[must_use]
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }
}

pub(crate) fn header<'t>(tape: &'t Tape<'_>) -> Option<Record<'t>> {
    let first = tape.top().next()?;
    (first.kind() == Kind::Record).then_some(Record(first))
}

pub(crate) fn items<'t>(tape: &'t Tape<'_>) -> impl Iterator<Item = Item<'t>> + Clone {
    let items = tape.top().filter(|part| part.kind() == Kind::Item);
    items.map(Item)
}

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The span of the comment with its marks. The span of a line comment ends before the line end.
    pub span: Span,
    /// The form of the comment.
    pub kind: CommentKind,
}

/// The form of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// `// …`
    Line,
    /// `/** … */`
    Doc,
}

/// A pattern at the top level, with the annotations before it.
#[derive(Clone, Copy, Debug)]
pub struct Item<'t>(TapePart<'t>);

impl<'t> Item<'t> {
    /// Returns the span from the first annotation to the end of the body.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the annotations, `@@id:Label` and `@key(value)`.
    #[must_use]
    pub fn annotations(&self) -> Option<Annotations<'t>> {
        self.0.first(Kind::Annotations).map(Annotations)
    }

    /// Returns the pattern, which is never a reference.
    #[must_use]
    pub fn body(&self) -> Element<'t> {
        let mut parts = self.0.parts().map(element);
        // The parser gives every item a body.
        parts
            .find_map(|part| part)
            .unwrap_or(Element::Path(Path(self.0)))
    }
}

/// The annotations before a pattern; together they are the subject of a pattern around it.
#[derive(Clone, Copy, Debug)]
pub struct Annotations<'t>(TapePart<'t>);

impl<'t> Annotations<'t> {
    /// Returns the span from the first `@` to the end of the last annotation.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the subject after `@@`: a name, labels, or both.
    #[must_use]
    pub fn subject(&self) -> Option<Subject<'t>> {
        Subject::at_start_of(self.0.parts())
    }

    /// Returns the properties, `@key(value)`, in order.
    pub fn properties(&self) -> impl Iterator<Item = Property<'t>> + Clone + use<'t> {
        let properties = self.0.parts().filter(|part| part.kind() == Kind::Property);
        properties.map(Property)
    }
}

/// A pattern inside brackets, or the body of an item.
#[derive(Clone, Copy, Debug)]
pub enum Element<'t> {
    /// `[subject | elements]`
    Bracket(Bracket<'t>),
    /// `(a)`, `(a)-->(b)`, …
    Path(Path<'t>),
    /// A bare name that stands for a pattern defined elsewhere.
    Reference(Name<'t>),
}

impl Element<'_> {
    /// Returns the span of the element.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Element::Bracket(bracket) => bracket.span(),
            Element::Path(path) => path.span(),
            Element::Reference(name) => name.span(),
        }
    }
}

fn element(part: TapePart<'_>) -> Option<Element<'_>> {
    match part.kind() {
        Kind::Bracket => Some(Element::Bracket(Bracket(part))),
        Kind::Path => Some(Element::Path(Path(part))),
        Kind::Reference => Some(Element::Reference(Name(part))),
        _ => None,
    }
}

/// `[subject | elements]`
#[derive(Clone, Copy, Debug)]
pub struct Bracket<'t>(TapePart<'t>);

impl<'t> Bracket<'t> {
    /// Returns the span from `[` to `]`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the subject before the bar.
    #[must_use]
    pub fn subject(&self) -> Option<Subject<'t>> {
        Subject::at_start_of(self.0.parts())
    }

    /// Returns the span of the bar, if there is one.
    #[must_use]
    pub fn bar(&self) -> Option<Span> {
        let mut parts = self.0.parts();
        parts
            .find(|part| part.kind() == Kind::Bar)
            .map(|bar| bar.span())
    }

    /// Returns the elements after the bar.
    pub fn elements(&self) -> impl Iterator<Item = Element<'t>> + Clone + use<'t> {
        self.0.parts().filter_map(element)
    }
}
