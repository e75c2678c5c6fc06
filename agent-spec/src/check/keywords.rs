//! Which properties go with which type.

use crate::types::{Kind, Shape, Type};
use crate::write::is_plain_any;

/// What a keyword goes with, when that is not this kind.
pub(super) fn misplaced(keyword: &str, kind: &Kind) -> Option<&'static str> {
    let (fits, wanted) = match keyword {
        "elementType" | "minItems" | "maxItems" => (matches!(kind, Kind::Array(_)), "`Array`"),
        "fields" | "valueType" => (matches!(kind, Kind::Object(_)), "`Object`"),
        "format" | "minLength" | "maxLength" | "pattern" => (matches!(kind, Kind::Text), "`Text`"),
        "minimum" | "maximum" => (
            matches!(kind, Kind::Int | Kind::Double),
            "`Int` and `Double`",
        ),
        _ => (true, ""),
    };
    if fits { None } else { Some(wanted) }
}

/// The keywords that would say again what the type says already: of `[Text]` the elements.
pub(super) fn said(ty: &Type) -> &'static [&'static str] {
    match ty.kind() {
        // Of `Array` and `[Any]` nothing is said of the elements.
        Kind::Array(element) if !is_plain_any(element.get()) => &["elementType"],
        Kind::Object(shape) if !matches!(shape, Shape::Open) => &["fields", "valueType"],
        _ => &[],
    }
}

/// Whether a key can stand at what has this type, for editors. What is no keyword of types goes with all
/// of them.
///
/// ```
/// use agent_spec::{Kind, Type, check::goes_with};
///
/// let count = Type::new(Kind::Int);
/// assert!(goes_with("minimum", &count));
/// assert!(!goes_with("minLength", &count));
/// ```
#[must_use]
pub fn goes_with(key: &str, ty: &Type) -> bool {
    // Nothing can be listed for a type with no value that gram can write.
    let has_values = !matches!(ty.kind(), Kind::Null);
    misplaced(key, ty.kind()).is_none() && !said(ty).contains(&key) && (has_values || key != "enum")
}
