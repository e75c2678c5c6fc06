//! The two styles of signatures: `list`, which can express everything, and `portable`, which the
//! official tools of gram can read.
//!
//! In the style `list` the fields of a record are a list of maps, and a type that is more than a
//! label is a map. The grammar `tree-sitter-gram` has no place for maps inside lists or maps. In the
//! style `portable` the fields are one map, and nested types are expressions in text:
//!
//! ```
//! use agent_spec::style::{Style, signature_text};
//! use agent_spec::parse_signature;
//!
//! let signature = parse_signature(
//!     "(user::Object {fields: [{name: \"name\", type: \"Text\"}, \
//!      {name: \"tags\", type: \"Array\", optional: true, elementType: \"Text\"}]})==>(::String)",
//! )?;
//! let portable = signature_text(&signature, Style::Portable);
//! assert_eq!(
//!     portable,
//!     "(user::Object {fields: {name: \"Text\", tags: \"Maybe [Text]\"}})==>(::String)"
//! );
//! // Both are read, and mean the same.
//! assert_eq!(parse_signature(&portable)?, signature);
//! # Ok::<(), agent_spec::Diagnostics>(())
//! ```
//!
//! An expression cannot contain descriptions, defaults or constraints of nested types. Such a value
//! stays in the style `list` with a warning, because the other choice would lose its content.

pub(crate) mod expression;
mod official;
mod restyle;

pub use restyle::{Restyled, restyle};

use crate::diagnostic::Diagnostics;
use crate::lens::{AgentPattern, ToolPattern};
use agent_gram::Pattern;
use agent_types::Signature;
use std::fmt;
use std::str::FromStr;

/// The notation of types in a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Style {
    /// `fields: [{name: "age", type: "Int"}]`, the form of the design documents.
    #[default]
    List,
    /// `fields: {age: "Int"}`, which the official tools of gram can read.
    Portable,
}

impl Style {
    /// All styles.
    pub const ALL: &[Style] = &[Style::List, Style::Portable];

    /// Returns the name, as in options of commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Style::List => "list",
            Style::Portable => "portable",
        }
    }
}

impl fmt::Display for Style {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A text is not the name of a style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStyle {
    found: String,
}

impl fmt::Display for UnknownStyle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{:?} is not a style; there are `list` and `portable`",
            self.found
        )
    }
}

impl std::error::Error for UnknownStyle {}

impl FromStr for Style {
    type Err = UnknownStyle;

    fn from_str(name: &str) -> Result<Self, UnknownStyle> {
        let mut styles = Style::ALL.iter().copied();
        let style = styles.find(|style| style.as_str() == name);
        style.ok_or_else(|| UnknownStyle {
            found: name.to_owned(),
        })
    }
}

/// Returns a signature as gram on one line. In [`Style::List`] it is the canonical text. A part
/// that the style cannot express stays in the style `list`; [`restyle`] reports it.
#[must_use]
pub fn signature_text(signature: &Signature, style: Style) -> String {
    signature_text_in(signature.to_string(), style)
}

/// The text of a signature in a style, as far as the style can express it.
pub(crate) fn signature_text_in(list: String, style: Style) -> String {
    // Only a signature that was made in code and nests too deep for gram is refused.
    restyle::restyle_signature(&list, style).unwrap_or(list)
}

impl AgentPattern {
    /// Returns the pattern with the signatures of its tools in a style. Everything else stays the same.
    ///
    /// # Errors
    /// Returns the diagnostics of the signatures. Their positions are in the pattern's gram text.
    pub fn in_style(&self, style: Style) -> Result<Self, Diagnostics> {
        AgentPattern::try_from(pattern_in_style(self.as_pattern(), style)?)
    }
}

impl ToolPattern {
    /// Returns the pattern with its signature in a style. Everything else stays the same.
    ///
    /// # Errors
    /// Returns the diagnostics of the signature. Their positions are in the pattern's gram text.
    pub fn in_style(&self, style: Style) -> Result<Self, Diagnostics> {
        ToolPattern::try_from(pattern_in_style(self.as_pattern(), style)?)
    }
}

/// Converts a pattern through its text, because the only conversion between styles works on text.
fn pattern_in_style(pattern: &Pattern, style: Style) -> Result<Pattern, Diagnostics> {
    let restyled = restyle(&agent_gram::print::print_pattern(pattern), style)?;
    // The restyled text of one pattern is again one pattern.
    let patterns = agent_gram::parse_patterns(&restyled.text).ok();
    let first = patterns.and_then(|patterns| patterns.into_iter().next());
    Ok(first.unwrap_or_else(|| pattern.clone()))
}
