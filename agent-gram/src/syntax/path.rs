//! Paths: nodes with arrows between them.

use super::Subject;
use super::tape::{Kind, Part};
use crate::span::Span;

/// Nodes with arrows between them: one node more than arrows, at least one node.
#[derive(Clone, Copy, Debug)]
pub struct Path<'t>(pub(super) Part<'t>);

impl<'t> Path<'t> {
    /// From the first node to the last.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// The nodes, from left to right.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'t>> + Clone + use<'t> {
        let nodes = self.0.parts().filter(|part| part.kind() == Kind::Node);
        nodes.map(Node)
    }

    /// The arrows, each with the node after it.
    #[inline]
    pub(crate) fn steps(&self) -> impl Iterator<Item = (Arrow<'t>, Node<'t>)> + Clone + use<'t> {
        let mut parts = self.0.parts();
        parts.next();
        // The parser gives every arrow a node.
        std::iter::from_fn(move || Some((Arrow(parts.next()?), Node(parts.next()?))))
    }

    /// The arrows, from left to right.
    pub fn arrows(&self) -> impl Iterator<Item = Arrow<'t>> + Clone + use<'t> {
        let arrows = self.0.parts().filter(|part| part.kind() == Kind::Arrow);
        arrows.map(Arrow)
    }
}

/// `(subject)`
#[derive(Clone, Copy, Debug)]
pub struct Node<'t>(pub(super) Part<'t>);

impl<'t> Node<'t> {
    /// From `(` to `)`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// What stands inside.
    #[must_use]
    pub fn subject(&self) -> Option<Subject<'t>> {
        Subject::at_start_of(self.0.parts())
    }
}

/// `-->`, `<=[r]=`, …
#[derive(Clone, Copy, Debug)]
pub struct Arrow<'t>(pub(super) Part<'t>);

impl<'t> Arrow<'t> {
    /// From the first character of the left half to the last of the right half.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span()
    }

    /// How the shaft is drawn. It has no meaning.
    #[must_use]
    pub fn family(&self) -> Family {
        match self.0.form() & 0b11 {
            0 => Family::Dash,
            1 => Family::Double,
            _ => Family::Wave,
        }
    }

    /// Where it points.
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

    /// What stands in the brackets.
    #[must_use]
    pub fn subject(&self) -> Option<Subject<'t>> {
        Subject::at_start_of(self.0.parts())
    }
}

const BRACKETED: u8 = 0b1_0000;

/// How an arrow is drawn, in the one byte that a part has for that.
pub(crate) fn arrow_form(family: Family, direction: Direction, bracketed: bool) -> u8 {
    family as u8 | (direction as u8) << 2 | if bracketed { BRACKETED } else { 0 }
}

/// Whether an arrow of this form has brackets.
pub(crate) fn is_bracketed(form: u8) -> bool {
    form & BRACKETED != 0
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
