//! Paths: nodes with arrows between them.

use super::Subject;
use super::tape::{Kind, TapePart};
use crate::span::Span;

/// A path: one or more nodes, with an arrow between each two.
#[derive(Clone, Copy, Debug)]
pub struct Path<'t>(pub(super) TapePart<'t>);

impl<'t> Path<'t> {
    /// Returns the span from the first node to the last.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the nodes, from left to right.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'t>> + Clone + use<'t> {
        let nodes = self.0.parts().filter(|part| part.kind() == Kind::Node);
        nodes.map(Node)
    }

    /// Returns each arrow with the node after it.
    #[inline]
    pub(crate) fn steps(&self) -> impl Iterator<Item = (Arrow<'t>, Node<'t>)> + Clone + use<'t> {
        let mut parts = self.0.parts();
        parts.next();
        // The parser gives every arrow a node.
        std::iter::from_fn(move || Some((Arrow(parts.next()?), Node(parts.next()?))))
    }

    /// Returns the arrows, from left to right.
    pub fn arrows(&self) -> impl Iterator<Item = Arrow<'t>> + Clone + use<'t> {
        let arrows = self.0.parts().filter(|part| part.kind() == Kind::Arrow);
        arrows.map(Arrow)
    }
}

/// `(subject)`
#[derive(Clone, Copy, Debug)]
pub struct Node<'t>(pub(super) TapePart<'t>);

impl<'t> Node<'t> {
    /// Returns the span from `(` to `)`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the subject inside the parentheses.
    #[must_use]
    pub fn subject(&self) -> Option<Subject<'t>> {
        Subject::at_start_of(self.0.parts())
    }
}

/// `-->`, `<=[r]=`, …
#[derive(Clone, Copy, Debug)]
pub struct Arrow<'t>(pub(super) TapePart<'t>);

impl<'t> Arrow<'t> {
    /// Returns the span from the first character of the left half to the last of the right half.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// Returns the form of the shaft, which has no meaning.
    #[must_use]
    pub fn family(&self) -> Family {
        match self.0.form() & 0b11 {
            0 => Family::Dash,
            1 => Family::Double,
            _ => Family::Wave,
        }
    }

    /// Returns the direction.
    #[must_use]
    pub fn direction(&self) -> Direction {
        match (self.0.form() >> 2) & 0b11 {
            0 => Direction::Right,
            1 => Direction::Left,
            2 => Direction::Undirected,
            _ => Direction::Both,
        }
    }

    /// Whether the arrow has brackets, even empty ones.
    #[must_use]
    pub fn is_bracketed(&self) -> bool {
        is_bracketed(self.0.form())
    }

    /// Returns the subject in the brackets.
    #[must_use]
    pub fn subject(&self) -> Option<Subject<'t>> {
        Subject::at_start_of(self.0.parts())
    }
}

const BRACKETED: u8 = 0b1_0000;

/// Encodes the form of an arrow in one byte, as a part stores it.
pub(crate) fn arrow_form(family: Family, direction: Direction, bracketed: bool) -> u8 {
    family as u8 | (direction as u8) << 2 | if bracketed { BRACKETED } else { 0 }
}

/// Whether an arrow of this form has brackets.
pub(crate) fn is_bracketed(form: u8) -> bool {
    form & BRACKETED != 0
}

/// The form of the shaft of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// `-->`
    Dash,
    /// `==>`
    Double,
    /// `~~>`
    Wave,
}

/// The direction of an arrow.
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
