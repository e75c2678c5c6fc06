//! What `#[derive(GramType)]` makes types of, in a `const`: records, enumerations, and the records
//! whose fields only `const` evaluation knows.

mod described;
mod lost;
mod merged;
mod union;

pub use lost::{check_beside_tag, check_in_content};
pub use merged::{content_type, merged};

use crate::types::{Constraints, Field, Kind, Shape, Type, fields_of};
use agent_gram::Value;
use agent_gram::value::Text;
use std::borrow::Cow;

/// A record of these fields.
#[must_use]
pub const fn record(fields: &'static [Field]) -> Type {
    Type::new(Kind::Object(Shape::Fields(Cow::Borrowed(fields))))
}

/// A text that is one of these values, which the implementation reads and no others.
#[must_use]
pub const fn choice(values: &'static Constraints) -> Type {
    Type::kept(Kind::Text, values)
}

/// Texts as the values of an enumeration.
#[must_use]
pub const fn texts<const N: usize>(texts: [&'static str; N]) -> [Value; N] {
    let mut values = [const { Value::Boolean(false) }; N];
    let mut at = 0;
    while at < N {
        let value = Value::String(Text::from_static(texts[at]));
        // Assigning would run a destructor, which a `const` cannot.
        std::mem::forget(std::mem::replace(&mut values[at], value));
        at += 1;
    }
    values
}

/// A part of a record, or of an enum that is one record for all its variants.
#[derive(Debug)]
pub enum Part {
    /// A field.
    Field(Field),
    /// The fields of a record, in place of the record.
    Flattened(&'static Type),
    /// What the variant of this name has.
    Variant(&'static str, &'static [Part]),
    /// A variant that has nothing at all, not even a record without fields.
    Unit,
}

/// The parts of a type's record, where the number of its fields is not known before rustc
/// evaluates a `const`.
pub trait Parts {
    /// The parts.
    const PARTS: &'static [Part];
}

impl Part {
    /// The fields that this part brings, and whether what it stands for may be missing as a whole.
    const fn fields(&'static self) -> (&'static [Field], bool) {
        match self {
            Part::Field(field) => (std::slice::from_ref(field), false),
            Part::Flattened(ty) => (fields_in(ty), ty.is_optional()),
            Part::Variant(..) | Part::Unit => (&[], false),
        }
    }

    /// Whether the implementation would take values that the type of this part forbids, or would read
    /// them in another form.
    const fn is_checked(&self) -> bool {
        match self {
            Part::Field(field) => field.ty().is_checked(),
            Part::Flattened(ty) => ty.is_checked(),
            Part::Variant(..) | Part::Unit => false,
        }
    }
}

/// The field of this name among those that parts bring.
const fn field_among(parts: &'static [Part], name: &str) -> Option<&'static Field> {
    let mut at = 0;
    while at < parts.len() {
        let (fields, _) = parts[at].fields();
        if let Some(found) = crate::binding::find_field(fields, name) {
            return Some(&fields[found]);
        }
        at += 1;
    }
    None
}

const fn fields_in(ty: &Type) -> &[Field] {
    match ty.kind() {
        Kind::Object(Shape::Fields(fields)) => fields_of(fields),
        _ => &[],
    }
}
