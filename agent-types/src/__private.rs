//! The names that generated code and the crates above need besides the public ones. Do not use them by
//! hand, because they change without notice.

pub use crate::attribute::{
    check_choice, check_field_default, check_keyword, check_may_be_missing, check_not_optional,
    check_own_default, check_variant_record, check_variant_value,
};
pub use crate::compare::difference::{
    Difference, DifferenceKind, Trails, field_difference, type_difference,
};
pub use crate::compare::fingerprint::{fingerprint, has_other_tag};
pub use crate::compare::literal::{may_fit, surely_fits};
pub use crate::compare::rule::Rule;
pub use crate::compare::{find_field, find_field_near};
pub use crate::constraints::empty_range;
pub use crate::doc_comment::{check_described, description_bytes, description_len};
pub use crate::duration::measurement_of;
pub use crate::foreign_words::{Foreign, label_help, property_help};
pub use crate::gram_type::{
    Alternatives, AnyReturn, Opaque, Parts, RecordPart, RequiredOpaque, ReturnType, UnitEnum,
    any_of, check_alternative, check_beside_tag, check_flattened, check_flattened_closed,
    check_flattened_in_variant, check_flattened_names, check_in_content, choice, content_type,
    extended, merged, record, texts, tuple, variants, word_of,
};
pub use crate::host::{Host, IntRange, TextForm};
pub use crate::json_value::ordered::{from_number, plain_members, serialize_members};
pub use crate::json_value::path::{Path, describe};
pub use crate::json_value::reader::json_depth;
pub use crate::json_value::{json_bytes, json_len};
pub use crate::keyword::{FIELD, PARAMS, RESULT};
pub use crate::names::TOOL_NAMES;
pub use crate::schema::arguments_schema;
pub use crate::schema::own::with_own;
pub use crate::schema::work::{MOST_CHECKED, SchemaWork, check_at_once};
pub use crate::text::same_text;
pub use crate::type_expression::{MeantType, TypeExpressionError, meant_type_prefix, parse_type};
pub use crate::validate::allowed_types::AllowedTypes;
pub use crate::validate::fits_value_of;
pub use crate::validate::json_text::{inner_value, is_json_like};
pub use crate::validate::patterns::Patterns;
pub use crate::write::{
    fields_text, narrowed_text, portable_fields_text, portable_types_text, result_label,
    signature_text, type_text, types_text, write_signature, write_signature_line, write_tool,
    write_tool_head,
};
