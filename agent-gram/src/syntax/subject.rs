//! Subjects, labels and names.

use super::tape::{Kind, Part, Parts};
use super::{Record, Separator};
use crate::span::Span;

/// A name, labels and a record, at least one of them.
#[derive(Clone, Debug)]
pub struct Subject<'t> {
    /// The parts that begin with those of the subject.
    parts: Parts<'t>,
}

impl<'t> Subject<'t> {
    /// The subject that these parts begin with, if they do.
    pub(super) fn at_start_of(parts: Parts<'t>) -> Option<Self> {
        let first = parts.clone().next()?;
        is_part_of_subject(first.kind()).then_some(Self { parts })
    }

    fn own_parts(&self) -> impl Iterator<Item = Part<'t>> + Clone + use<'t> {
        self.parts
            .clone()
            .take_while(|part| is_part_of_subject(part.kind()))
    }

    /// Its parts from left to right.
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

    /// All of it.
    #[must_use]
    pub fn span(&self) -> Span {
        let spans = self.own_parts().map(|part| part.span());
        spans.reduce(Span::to).unwrap_or_default()
    }

    /// The name.
    #[must_use]
    pub fn identity(&self) -> Option<Name<'t>> {
        let first = self.parts.clone().next()?;
        (first.kind() == Kind::Name).then_some(Name(first))
    }

    /// The labels, in order, doubles included.
    pub fn labels(&self) -> impl Iterator<Item = Label<'t>> + Clone + use<'t> {
        self.own_parts()
            .filter(|part| part.kind() == Kind::Label)
            .map(Label)
    }

    /// The properties.
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
pub struct Label<'t>(pub(super) Part<'t>);

impl<'t> Label<'t> {
    /// From the colon to the end of the name.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// One colon or two.
    #[must_use]
    pub fn separator(&self) -> Separator {
        Separator::from_form(self.0.form())
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> Name<'t> {
        // The parser gives every label a name.
        Name(self.0.first(Kind::Name).unwrap_or(self.0))
    }
}

/// A name of any kind: identity, label, key, tag or reference.
#[derive(Clone, Copy, Debug)]
pub struct Name<'t>(pub(super) Part<'t>);

impl<'t> Name<'t> {
    /// Where it stands, quotes included.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// What it says, without quotes and escapes.
    #[must_use]
    pub fn text(&self) -> &'t str {
        match self.form() {
            NameForm::Symbol | NameForm::Integer => self.0.content(0),
            NameForm::Backtick | NameForm::DoubleQuoted => self.0.content(1),
        }
    }

    /// How it was written.
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

impl NameForm {
    pub(crate) fn form(self) -> u8 {
        self as u8
    }
}
