//! The types whose fields and keys serde reads beside those of the record that holds them.

use crate::attribute::{check_buffered, stop_at_default_of_one, stop_at_lost_field};
use crate::compare::find_field;
use crate::gram_type::alike::is_alike;
use crate::text::same_text;
use crate::types::{Field, Kind, Shape, Type, types_of};
use agent_gram::print::writer::panic_with;

/// Returns the field at a position among those of a flattened type: a record, or a union of records, which
/// has the fields of all. Also returns whether every value of the type has the field. If a union has several
/// fields of one name, only the first is counted.
pub(super) const fn flattened_field(ty: &Type, at: usize) -> Option<(&Field, bool)> {
    match ty.kind() {
        Kind::Object(shape) => {
            let fields = shape.fields();
            if at < fields.len() {
                Some((&fields[at], !fields[at].is_optional()))
            } else {
                None
            }
        }
        Kind::Union(types) => {
            let types = types_of(types);
            let (mut before, mut alternative) = (0, 0);
            while alternative < types.len() {
                let fields = fields_in(&types[alternative]);
                if at < before + fields.len() {
                    let field = &fields[at - before];
                    let required = alternative == 0 && is_required_in_all(types, field.name());
                    return Some((field, required));
                }
                before += fields.len();
                alternative += 1;
            }
            None
        }
        _ => None,
    }
}

const fn fields_in(ty: &Type) -> &[Field] {
    match ty.kind() {
        Kind::Object(shape) => shape.fields(),
        _ => &[],
    }
}

const fn is_required_in_all(types: &[Type], name: &str) -> bool {
    let mut at = 0;
    while at < types.len() {
        let fields = fields_in(&types[at]);
        match find_field(fields, name) {
            Some(found) if !fields[found].is_optional() => at += 1,
            _ => return false,
        }
    }
    true
}

/// Returns the type of the values of further keys that a flattened type has.
pub(super) const fn values_in(ty: &Type) -> Option<&Type> {
    match ty.kind() {
        Kind::Any if ty.is_refused() => None,
        Kind::Any | Kind::Object(Shape::Open) => Some(Type::ANY),
        Kind::Object(shape) => shape.values(),
        _ => None,
    }
}

/// Panics with a message when the type of a flattened field is neither a record nor a map, or has an integer that serde
/// cannot read there.
#[track_caller]
pub const fn check_flattened(ty: &'static Type) {
    check_buffered(ty);
    check_flattened_kind(ty);
}

#[track_caller]
const fn check_flattened_kind(ty: &'static Type) {
    match ty.kind() {
        Kind::Object(_) | Kind::Any => {}
        Kind::Union(types) => {
            let types = types_of(types);
            let mut at = 0;
            while at < types.len() {
                if !matches!(types[at].kind(), Kind::Object(Shape::Fields(_))) {
                    panic!(
                        "only an enum whose variants are all records can be flattened, and this one has \
                         another variant: a text, a list, a map or any value; make it a field of its \
                         own, or give it a tag, `#[serde(tag = \"type\")]`"
                    )
                }
                at += 1;
            }
            check_flattened_union(ty);
        }
        _ => panic!(
            "only a record or a map can be flattened: a struct with named fields that derives \
             `GramType`, or a map with text keys; make this a field of its own, or write \
             `#[gram(opaque)]` on the type that holds it"
        ),
    }
}

/// Panics with a message when the record of a flattened union cannot express a constraint or a default of
/// one of its records.
#[track_caller]
const fn check_flattened_union(ty: &'static Type) {
    let mut at = 0;
    while let Some((field, _)) = flattened_field(ty, at) {
        if field.default().is_some() {
            stop_at_default_of_one(field.name());
        }
        let mut other = 0;
        while let Some((rival, _)) = flattened_field(ty, other) {
            if field.ty().is_checked()
                && same_text(field.name(), rival.name())
                && !is_alike(field.ty(), rival.ty())
            {
                stop_at_lost_field(field.name());
            }
            other += 1;
        }
        at += 1;
    }
}

/// Panics with a message when a field that is flattened into a variant is not a record.
#[track_caller]
pub const fn check_flattened_in_variant(ty: &'static Type) {
    if values_in(ty).is_some() {
        panic!(
            "the keys of a map could be the fields of another variant, since the variants are one record \
             in gram; make the map a field of its own"
        );
    }
    // The integers of a variant are checked where the variant is.
    check_flattened_kind(ty);
}

/// Panics with a message when a struct with `deny_unknown_fields` flattens a map, and then calls
/// [`check_flattened`].
#[track_caller]
pub const fn check_flattened_closed(ty: &'static Type) {
    if values_in(ty).is_some() {
        panic!(
            "the struct has `deny_unknown_fields`, with which serde refuses the keys of a flattened map; \
             remove one of the two"
        );
    }
    check_flattened(ty);
}

/// Panics with a message when a flattened record has a field with the name of another field: in `names`,
/// or in a record flattened `before`; or when a flattened map of one type of values is beside another
/// flattened field.
#[track_caller]
pub const fn check_flattened_names(
    ty: &'static Type,
    names: &[&'static str],
    before: &[&'static Type],
) {
    if !before.is_empty() && (has_typed_values(ty) || is_any_typed(before)) {
        panic!(
            "serde puts the fields of another flattened field into a flattened map, too, which all must \
             have the type of its values then; flatten only the map, or let it hold \
             `serde_json::Value`"
        );
    }
    let mut at = 0;
    while let Some((field, _)) = flattened_field(ty, at) {
        let name = field.name();
        let mut other = 0;
        let mut twice = false;
        while other < names.len() {
            twice |= same_text(names[other], name);
            other += 1;
        }
        other = 0;
        while other < before.len() {
            twice |= has_field(before[other], name);
            other += 1;
        }
        if twice {
            panic_with(&[
                "the field `",
                name,
                "` of this record is there already beside it, and an object has it once; rename one \
                 of the two, or make this a field of its own",
            ]);
        }
        at += 1;
    }
}

/// Whether a flattened type has further keys whose values have a type other than plain `Any`.
const fn has_typed_values(ty: &Type) -> bool {
    match values_in(ty) {
        Some(values) => !values.is_plain_any(),
        None => false,
    }
}

const fn is_any_typed(types: &[&Type]) -> bool {
    let mut at = 0;
    while at < types.len() {
        if has_typed_values(types[at]) {
            return true;
        }
        at += 1;
    }
    false
}

const fn has_field(ty: &Type, name: &str) -> bool {
    let mut at = 0;
    while let Some((field, _)) = flattened_field(ty, at) {
        if same_text(field.name(), name) {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{check_flattened, check_flattened_names};
    use crate::gram_type::GramType;
    use crate::types::{Field, Kind, Shape, Type};
    use std::borrow::Cow;

    const fn record(fields: &'static [Field]) -> Type {
        Type::new(Kind::Object(Shape::Fields(Cow::Borrowed(fields))))
    }

    const fn field(name: &'static str) -> Field {
        Field::from_static(name, Type::ANY, None, None)
    }

    static FIRST: Type = record(const { &[field("a"), field("b")] });
    static SECOND: Type = record(const { &[field("c"), field("b")] });

    #[test]
    #[should_panic(expected = "`b`")]
    fn refuses_a_field_that_two_flattened_records_have() {
        check_flattened_names(&SECOND, &["a"], &[&FIRST]);
    }

    static WIDE: Type = record(const { &[Field::from_static("a", <Vec<i128>>::TYPE, None, None)] });
    static NARROW: Type =
        record(const { &[Field::from_static("a", <Vec<u64>>::TYPE, None, None)] });

    #[test]
    #[should_panic(expected = "128 bits")]
    fn refuses_a_flattened_integer_that_serde_cannot_read() {
        check_flattened(&WIDE);
    }

    #[test]
    fn accepts_flattened_integers_of_64_bits() {
        check_flattened(&NARROW);
    }

    #[test]
    fn accepts_flattened_records_of_other_fields() {
        check_flattened_names(&SECOND, &["a"], &[]);
    }
}
