//! What does not go over.

use crate::error::ValueError;
use crate::value::Number;
use std::fmt;

/// A part of a pattern that the other side has no form for.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertError {
    /// From the innermost segment to the outermost, in the order in which they are known.
    path: Vec<PathSegment>,
    reason: Reason,
}

/// Why a part of a pattern cannot be converted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// An integer beyond the 64 bits of theirs.
    WideInteger(i128),
    /// The end of a range that would not come back from a float as it was.
    RangeEnd(Number),
    /// Something of theirs that gram cannot say.
    NotGram(ValueError),
}

#[derive(Clone, Debug, PartialEq)]
enum PathSegment {
    Element(usize),
    Key(String),
    Item(usize),
}

impl ConvertError {
    /// Why it cannot be converted.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    pub(super) fn in_element(self, at: usize) -> Self {
        self.inside(PathSegment::Element(at))
    }

    pub(super) fn in_key(self, key: &str) -> Self {
        self.inside(PathSegment::Key(key.to_owned()))
    }

    pub(super) fn in_item(self, at: usize) -> Self {
        self.inside(PathSegment::Item(at))
    }

    fn inside(mut self, segment: PathSegment) -> Self {
        self.path.push(segment);
        self
    }
}

impl From<Reason> for ConvertError {
    fn from(reason: Reason) -> Self {
        Self {
            path: Vec::new(),
            reason,
        }
    }
}

impl From<ValueError> for ConvertError {
    fn from(error: ValueError) -> Self {
        Reason::NotGram(error).into()
    }
}

/// The way to the part, elements and items counted from 0, and what is wrong with it.
impl fmt::Display for ConvertError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Who looks for a part that is nested deeper needs no more than the way to here.
        const SHOWN_SEGMENTS: usize = 16;
        for segment in self.path.iter().rev().take(SHOWN_SEGMENTS) {
            match segment {
                PathSegment::Element(at) => write!(out, "element {at}, ")?,
                PathSegment::Key(key) => write!(out, "`{key}`, ")?,
                PathSegment::Item(at) => write!(out, "item {at}, ")?,
            }
        }
        if self.path.len() > SHOWN_SEGMENTS {
            out.write_str("…, ")?;
        }
        match &self.reason {
            Reason::WideInteger(value) => {
                write!(out, "the integer {value}: relateby-pattern has 64 bits")
            }
            Reason::RangeEnd(end) => {
                out.write_str("the range's end ")?;
                match end {
                    Number::Integer(value) => write!(out, "{value}")?,
                    Number::Decimal(value) => out.write_str(value.text())?,
                    Number::Measurement(value) => {
                        write!(out, "{}{}", value.number_text(), value.unit())?;
                    }
                }
                out.write_str(": relateby-pattern has a float there, from which it cannot be read")
            }
            Reason::NotGram(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for ConvertError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            Reason::NotGram(error) => Some(error),
            Reason::WideInteger(_) | Reason::RangeEnd(_) => None,
        }
    }
}
