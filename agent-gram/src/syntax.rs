//! The syntax tree: what the text said, with the place of every part.
//!
//! The tree keeps what a formatter or a checker needs and the data model drops: spans, arrow kinds
//! and families, `:` or `::`, how strings were quoted, doubled keys, comments. Text without
//! escapes is borrowed from the source.

use crate::span::Span;
use std::borrow::Cow;

/// A parsed document.
#[derive(Clone, Debug, Default)]
pub struct Document<'a> {
    /// The text it was read from.
    pub source: &'a str,
    /// The record that the document begins with, if it does.
    pub header: Option<Record<'a>>,
    /// The patterns, in order.
    pub items: Vec<Item<'a>>,
    /// All comments, in order; they are not attached to anything.
    pub comments: Vec<Comment>,
}

/// A comment, its marks included in the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it stands. A line comment's span ends before the line end.
    pub span: Span,
    /// Which form it has.
    pub kind: CommentKind,
}

/// The two forms of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// `// …`
    Line,
    /// `/** … */`
    Doc,
}

/// A pattern at the top level, with the annotations before it.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// From the first annotation to the end of the body.
    pub span: Span,
    /// `@@id:Label` and `@key(value)`.
    pub annotations: Option<Annotations<'a>>,
    /// The pattern itself: never a reference.
    pub body: Element<'a>,
}

/// The annotations before a pattern; together they are the subject of a pattern around it.
#[derive(Clone, Debug)]
pub struct Annotations<'a> {
    /// From the first `@` to the end of the last annotation.
    pub span: Span,
    /// What `@@` introduces: a name, labels, or both.
    pub subject: Option<Subject<'a>>,
    /// `@key(value)`, in order.
    pub properties: Vec<Property<'a>>,
}

/// A pattern inside brackets, or the body of an item.
#[derive(Clone, Debug)]
pub enum Element<'a> {
    /// `[subject | elements]`
    Bracket(Bracket<'a>),
    /// `(a)`, `(a)-->(b)`, …
    Path(Path<'a>),
    /// A bare name that stands for a pattern defined elsewhere.
    Reference(Name<'a>),
}

impl Element<'_> {
    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Element::Bracket(bracket) => bracket.span,
            Element::Path(path) => path.span,
            Element::Reference(name) => name.span,
        }
    }
}

/// `[subject | elements]`
#[derive(Clone, Debug)]
pub struct Bracket<'a> {
    /// From `[` to `]`.
    pub span: Span,
    /// What stands before the bar.
    pub subject: Option<Subject<'a>>,
    /// The bar, when there is one.
    pub bar: Option<Span>,
    /// What stands after the bar.
    pub elements: Vec<Element<'a>>,
}

/// Nodes with arrows between them: one node more than arrows, at least one node.
#[derive(Clone, Debug)]
pub struct Path<'a> {
    /// From the first node to the last.
    pub span: Span,
    /// The nodes, from left to right.
    pub nodes: Vec<Node<'a>>,
    /// The arrows, from left to right.
    pub arrows: Vec<Arrow<'a>>,
}

/// `(subject)`
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// From `(` to `)`.
    pub span: Span,
    /// What stands inside.
    pub subject: Option<Subject<'a>>,
}

/// `-->`, `<=[r]=`, …
#[derive(Clone, Debug)]
pub struct Arrow<'a> {
    /// From the first character of the left half to the last of the right half.
    pub span: Span,
    /// How the shaft is drawn. It has no meaning.
    pub family: Family,
    /// Where it points.
    pub direction: Direction,
    /// Whether the arrow has brackets, even empty ones.
    pub bracketed: bool,
    /// What stands in the brackets.
    pub subject: Option<Subject<'a>>,
}

/// How the shaft of an arrow is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// `-->`
    Dash,
    /// `==>`
    Double,
    /// `~~>`
    Wave,
}

/// Where an arrow points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `-->`
    Right,
    /// `<--`
    Left,
    /// `--`
    Undirected,
    /// `<-->`
    Both,
}

/// A name, labels and a record, at least one of them.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// All of it.
    pub span: Span,
    /// The name.
    pub identity: Option<Name<'a>>,
    /// The labels, in order, doubles included.
    pub labels: Vec<Label<'a>>,
    /// The properties.
    pub record: Option<Record<'a>>,
}

/// `:Name` or `::Name`
#[derive(Clone, Debug)]
pub struct Label<'a> {
    /// From the colon to the end of the name.
    pub span: Span,
    /// One colon or two.
    pub separator: Separator,
    /// The name.
    pub name: Name<'a>,
}

/// One colon or two; they mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Separator {
    /// `:`
    Single,
    /// `::`
    Double,
}

/// A name of any kind: identity, label, key, tag or reference.
#[derive(Clone, Debug)]
pub struct Name<'a> {
    /// Where it stands, quotes included.
    pub span: Span,
    /// What it says, without quotes and escapes.
    pub text: Cow<'a, str>,
    /// How it was written.
    pub form: NameForm,
}

/// How a name was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameForm {
    /// Bare.
    Symbol,
    /// In backticks.
    Backtick,
    /// In double quotes: keys only.
    DoubleQuoted,
    /// A whole number: identities and references only.
    Integer,
}

/// `{key: value, …}`: the record of a subject, the header of a document, or a map.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// From `{` to `}`.
    pub span: Span,
    /// The properties, in order, doubled keys included.
    pub properties: Vec<Property<'a>>,
}

/// `key: value`
#[derive(Clone, Debug)]
pub struct Property<'a> {
    /// From the key to the end of the value (of an annotation: from `@` to `)`).
    pub span: Span,
    /// The key.
    pub key: Name<'a>,
    /// One colon or two; `Single` for an annotation.
    pub separator: Separator,
    /// The value.
    pub value: Value<'a>,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    /// Where it stands, quotes included.
    pub span: Span,
    /// What it is.
    pub kind: ValueKind<'a>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum ValueKind<'a> {
    /// A number of any form except a range.
    Number(Number<'a>),
    /// `true` or `false`.
    Boolean(bool),
    /// A bare word.
    Symbol(&'a str),
    /// Text.
    String {
        /// What it says, without quotes and escapes.
        text: Cow<'a, str>,
        /// How it was quoted.
        form: StringForm,
    },
    /// Text with a tag.
    Tagged {
        /// The tag.
        tag: Name<'a>,
        /// What it says.
        text: Cow<'a, str>,
        /// [`StringForm::Backtick`] or [`StringForm::Fence`].
        form: StringForm,
    },
    /// `lower..upper`, `lower...`, `...upper`; at least one end.
    Range {
        /// Where it starts.
        lower: Option<Number<'a>>,
        /// Where it ends.
        upper: Option<Number<'a>>,
    },
    /// `[…]`
    Array(Vec<Value<'a>>),
    /// `{…}`
    Map(Record<'a>),
    /// Something that could not be read; an error stands at its place.
    Invalid,
}

/// A number and how it was written.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a> {
    /// Where it stands.
    pub span: Span,
    /// How it was written, unit included.
    pub text: &'a str,
    /// What it is.
    pub kind: NumberKind,
}

impl<'a> Number<'a> {
    /// The unit; empty when there is none.
    #[must_use]
    pub fn unit(&self) -> &'a str {
        match self.kind {
            NumberKind::Measurement { unit, .. } => {
                let start = unit.start.saturating_sub(self.span.start);
                self.text.get(start..).unwrap_or("")
            }
            _ => "",
        }
    }
}

/// What a number is.
#[derive(Clone, Copy, Debug)]
pub enum NumberKind {
    /// A whole number in decimal, hexadecimal or octal digits.
    Integer(i128),
    /// A number with a fraction.
    Decimal(f64),
    /// A number with a unit.
    Measurement {
        /// The number.
        value: f64,
        /// Where the unit stands in the source.
        unit: Span,
    },
}

/// How a string was quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StringForm {
    /// `"…"`
    Double,
    /// `'…'`
    Single,
    /// `` `…` ``
    Backtick,
    /// Three backticks, on lines of their own.
    Fence,
}
