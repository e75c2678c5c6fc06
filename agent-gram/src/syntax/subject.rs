//! Subjects, labels and names.

use super::tape::{Kind, Parts, TapePart};
use super::{Record, Separator};
use crate::span::Span;

/// A subject: a name, labels and a record, at least one of them.
#[derive(Clone, Debug)]
pub struct Subject<'t> {
    /// The parts of the subject, and after them other parts of the same pattern.
    parts: Parts<'t>,
}

impl<'t> Subject<'t> {
    /// Returns the subject that these parts begin with, if there is one.
    pub(super) fn at_start_of(parts: Parts<'t>) -> Option<Self> {
        let first = parts.clone().next()?;
        is_part_of_subject(first.kind()).then_some(Self { parts })
    }

    fn own_parts(&self) -> impl Iterator<Item = TapePart<'t>> + Clone + use<'t> {
        self.parts
            .clone()
            .take_while(|part| is_part_of_subject(part.kind()))
    }

    /// Returns the parts of the subject from left to right.
    #[inline]
    pub(crate) fn into_parts(self) -> impl Iterator<Item = SubjectPart<'t>> {
        self.parts.map_while(|part| {
            Some(match part.kind() {
                Kind::Name => SubjectPart::Identity(Name(part)),
                Kind::Label => SubjectPart::Label(Label(part)),
                Kind::Record => SubjectPart::Record(Record(part)),
                _ => return None,
            })
        })
    }

    /// Returns the span from the first part to the last.
    #[must_use]
    pub fn span(&self) -> Span {
        let spans = self.own_parts().map(|part| part.span());
        spans.reduce(Span::to).unwrap_or_default()
    }

    /// Returns the name.
    #[must_use]
    pub fn identity(&self) -> Option<Name<'t>> {
        let first = self.parts.clone().next()?;
        (first.kind() == Kind::Name).then_some(Name(first))
    }

    /// Returns the labels, in order, with doubles.
    pub fn labels(&self) -> impl Iterator<Item = Label<'t>> + Clone + use<'t> {
        self.own_parts()
            .filter(|part| part.kind() == Kind::Label)
            .map(Label)
    }

    /// Returns the record with the properties.
    #[must_use]
    pub fn record(&self) -> Option<Record<'t>> {
        self.own_parts()
            .find(|part| part.kind() == Kind::Record)
            .map(Record)
    }
}

/// A part of a subject.
pub(crate) enum SubjectPart<'t> {
    Identity(Name<'t>),
    Label(Label<'t>),
    Record(Record<'t>),
}

fn is_part_of_subject(kind: Kind) -> bool {
    matches!(kind, Kind::Name | Kind::Label | Kind::Record)
}

/// `:Name` or `::Name`
#[derive(Clone, Copy, Debug)]
pub struct Label<'t>(pub(super) TapePart<'t>);

impl<'t> Label<'t> {
    /// Returns the span from the colon to the end of the name.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the separator before the name.
    #[must_use]
    pub fn separator(&self) -> Separator {
        Separator::from_form(self.0.form())
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> Name<'t> {
        // The parser gives every label a name.
        Name(self.0.first(Kind::Name).unwrap_or(self.0))
    }
}

/// A name of any kind: identity, label, key, tag or reference.
#[derive(Clone, Copy, Debug)]
pub struct Name<'t>(pub(super) TapePart<'t>);

impl<'t> Name<'t> {
    /// Returns the span of the name with its quotes.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the text of the name, without quotes and escapes.
    #[must_use]
    pub fn text(&self) -> &'t str {
        match self.form() {
            NameForm::Symbol | NameForm::Integer => self.0.content(0),
            NameForm::Backtick | NameForm::DoubleQuoted => self.0.content(1),
        }
    }

    /// Returns the form of the name.
    #[must_use]
    pub fn form(&self) -> NameForm {
        match self.0.form() {
            0 => NameForm::Symbol,
            1 => NameForm::Backtick,
            2 => NameForm::DoubleQuoted,
            _ => NameForm::Integer,
        }
    }
}

/// The form of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameForm {
    /// A bare word.
    Symbol,
    /// A text in backticks.
    Backtick,
    /// A text in double quotes. Only keys can have this form.
    DoubleQuoted,
    /// A whole number. Only identities and references can have this form.
    Integer,
}

impl NameForm {
    pub(crate) fn form(self) -> u8 {
        self as u8
    }
}
