//! The location of an example in a document.

use std::fmt;

/// A design document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    /// `000-tool-contract`
    ToolContract,
    /// `001-data-model`
    DataModel,
    /// `002-tool-api-and-built-in-tools`
    ToolApi,
    /// `003-agent-execution`
    Execution,
    /// `004-tool-gram-schema`
    ToolGram,
}

/// A heading of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    pub(crate) document: Document,
    heading: &'static str,
}

/// The place below this heading; for long sections, the paragraph follows after `›`.
pub(crate) const fn at(document: Document, heading: &'static str) -> Location {
    Location { document, heading }
}

impl fmt::Display for Document {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::ToolContract => "000-tool-contract",
            Self::DataModel => "001-data-model",
            Self::ToolApi => "002-tool-api-and-built-in-tools",
            Self::Execution => "003-agent-execution",
            Self::ToolGram => "004-tool-gram-schema",
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {}", self.document, self.heading)
    }
}
