//! The error of a conversion.

use crate::error::ValueError;
use crate::value::Number;
use std::fmt;

/// A part of a pattern that the other type cannot represent.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertError {
    /// The path to the part, from the innermost segment to the outermost.
    path: Vec<PathSegment>,
    reason: Reason,
}

/// The reason why a part of a pattern cannot be converted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// An integer that does not fit the 64 bits of `relateby-pattern`.
    WideInteger(i128),
    /// The end of a range that would be different after a conversion to a float and back.
    RangeEnd(Number),
    /// A part that gram cannot express.
    NotGram(ValueError),
}

#[derive(Clone, Debug, PartialEq)]
enum PathSegment {
    Element(usize),
    Key(String),
    Item(usize),
}

impl ConvertError {
    /// Returns the reason.
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

/// Shows the path to the part, with elements and items counted from 0, and the reason.
impl fmt::Display for ConvertError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The number of segments shown, which is enough to find a part that is nested deeper.
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
