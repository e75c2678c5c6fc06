//! What the findings mean at length, for people who meet one for the first time.
//!
//! The texts are data. The command prints them and makes the page `docs/diagnostics.md` of them, and
//! a test checks their examples: the wrong ones have their finding, the right ones have none.

mod agent;
mod document;
mod notation;
mod signature;
mod style;
mod tool;
mod types;

use super::Code;

/// What a finding means at length, with an example that has the mistake and one that is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// What the rule is, why there is one, and how to keep it. Paragraphs have an empty line between
    /// them; pieces of gram stand in backticks.
    pub text: &'static str,
    /// Gram that has this finding, and no other.
    pub wrong: &'static str,
    /// The same without the mistake.
    pub right: &'static str,
    /// What the examples are.
    pub examples: Examples,
}

/// What the examples of an explanation are, which decides how they are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Examples {
    /// Documents of agents and tools, for [`check`](fn@crate::check::check).
    Documents,
    /// Any gram, for [`check_gram`](crate::check::check_gram).
    Gram,
    /// Any gram, read with a bound of [`SHORT`] bytes in place of the usual one.
    ShortGram,
    /// Bare signatures, for [`check_signature`](crate::check::check_signature).
    Signatures,
    /// Documents to be written in the style `portable`, for [`restyle`](crate::restyle).
    Portable,
    /// Patterns that a program treats as agents, by [`AgentPattern`](crate::AgentPattern).
    Patterns,
}

/// The length up to which texts are read in the examples about length, in bytes.
pub const SHORT: usize = 40;

impl Explanation {
    const fn of(
        examples: Examples,
        text: &'static str,
        wrong: &'static str,
        right: &'static str,
    ) -> Self {
        Self {
            text,
            wrong,
            right,
            examples,
        }
    }
}

impl Code {
    /// What it means at length, with examples.
    #[must_use]
    pub const fn explanation(self) -> Explanation {
        match self {
            Code::GramUnexpected => notation::UNEXPECTED,
            Code::GramUnclosed => notation::UNCLOSED,
            Code::GramUnterminated => notation::UNTERMINATED,
            Code::GramBadEscape => notation::BAD_ESCAPE,
            Code::GramBadNumber => notation::BAD_NUMBER,
            Code::GramBadArrow => notation::BAD_ARROW,
            Code::GramBadCharacter => notation::BAD_CHARACTER,
            Code::GramTooDeep => notation::TOO_DEEP,
            Code::GramTooLong => notation::TOO_LONG,
            Code::GramDuplicateKey => notation::DUPLICATE_KEY,
            Code::NothingDeclared => document::NOTHING_DECLARED,
            Code::MissingLabel => document::MISSING_LABEL,
            Code::MissingName => document::MISSING_NAME,
            Code::BadName => document::BAD_NAME,
            Code::BadParameterName => signature::BAD_PARAMETER_NAME,
            Code::MissingInstruction => agent::MISSING_INSTRUCTION,
            Code::MissingModel => agent::MISSING_MODEL,
            Code::BadModel => agent::BAD_MODEL,
            Code::UnknownProvider => agent::UNKNOWN_PROVIDER,
            Code::MissingDescription => tool::MISSING_DESCRIPTION,
            Code::MissingSignature => tool::MISSING_SIGNATURE,
            Code::UnknownProperty => document::UNKNOWN_PROPERTY,
            Code::DuplicateKey => document::DUPLICATE_KEY,
            Code::BadValue => document::BAD_VALUE,
            Code::NotATool => agent::NOT_A_TOOL,
            Code::UnknownTool => agent::UNKNOWN_TOOL,
            Code::DuplicateTool => agent::DUPLICATE_TOOL,
            Code::BadToolChoice => agent::BAD_TOOL_CHOICE,
            Code::ReservedExtra => agent::RESERVED_EXTRA,
            Code::ConflictingTools => tool::CONFLICTING_TOOLS,
            Code::DuplicateAgent => agent::DUPLICATE_AGENT,
            Code::NotASignature => signature::NOT_A_SIGNATURE,
            Code::BadDirection => signature::BAD_DIRECTION,
            Code::MissingType => types::MISSING_TYPE,
            Code::SeveralTypes => types::SEVERAL_TYPES,
            Code::UnknownType => types::UNKNOWN_TYPE,
            Code::MisplacedType => types::MISPLACED_TYPE,
            Code::DuplicateParameter => signature::DUPLICATE_PARAMETER,
            Code::MisplacedKeyword => types::MISPLACED_KEYWORD,
            Code::BadDefault => types::BAD_DEFAULT,
            Code::KeyInDocument => agent::KEY_IN_DOCUMENT,
            Code::DifferingParameter => tool::DIFFERING_PARAMETER,
            Code::NotPortable => style::NOT_PORTABLE,
            Code::CommentInType => style::COMMENT_IN_TYPE,
        }
    }
}
