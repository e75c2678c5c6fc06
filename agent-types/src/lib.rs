//! The types of tools: the types of parameters and results, and the validation of values against them.
//!
//! - [`Type`] and [`Signature`] are types in gram. A `const` can hold them, so that `#[tool]` builds them without parsing at run
//!   time.
//! - [`GramType`] defines the gram type of a Rust type.
//! - [`compare`] checks whether one type accepts all values of another, in a `const` as well as at run time.
//! - [`Signature::schema`] is the JSON Schema of a tool's parameters, always derived;
//!   [`Signature::from_schemas`] reads one from schemas that others wrote.
//! - [`Signature::check_arguments`] validates a call.
//!
//! The crate `agent-spec` parses a signature from text, because it has the span of every part.
//!
//! # Limits
//! Patterns (`pattern: "…"`) need the feature `pattern`. They are parsed by the crate `regex-lite`: no
//! look-around, and classes such as `\\d` are ASCII. Whether one pattern or format is narrower than
//! another is decided by their texts. The work of compiling and matching the patterns of a document, a schema
//! or a value is limited; beyond the limit the pattern or the text is refused.
//!
//! JSON Schemas (`schema: "…"` of `Any`) are compared, written and sent to models; the values are validated by agent-runtime
//! with its feature `json-schema`.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod __private;
mod attribute;
pub mod case;
pub mod compare;
mod constraints;
pub mod doc_comment;
pub mod duration;
mod foreign_words;
mod gram_type;
mod host;
mod json_value;
pub mod keyword;
mod media;
mod media_form;
mod methods;
mod multiple;
pub mod names;
mod remote;
pub mod schema;
mod signature;
pub mod terminal;
mod text;
mod type_expression;
pub mod types;
pub mod validate;
mod write;

/// Values of gram as JSON.
pub mod json {
    pub use crate::json_value::{
        MAX_ARGUMENT_VALUES, MAX_VALUES, Ordered, has_more_values_than, json_text, json_to_value,
        parse_json, too_many_values, value_count, value_to_json, values_in,
        without_lone_surrogates,
    };
    #[doc(hidden)]
    pub use crate::json_value::{ends_with_half, join_halves};
    pub use crate::validate::with_whole_numbers;
}

pub use agent_gram::value::Nest;
pub use gram_type::GramType;
pub use keyword::Keyword;
pub use media::MediaKind;
pub use schema::{Schema, SchemaError};
pub use signature::{Returns, Signature};
pub use types::{Constraints, Field, Kind, Param, Shape, Type};
pub use validate::{Arguments, Violation, Violations};
