//! Numbers and tags that tell the types of a union apart. Comparing all parts of each type with each other
//! type takes quadratic time, and a `const` may run a limited number of steps.

use super::find_field_near;
use super::value::same_value;
use crate::types::{Field, Kind, MOST_ALTERNATIVES, Shape, Type, fields_of, types_of};
use agent_gram::Value;

/// The fingerprint of each type of a union, by its place.
pub(super) const fn fingerprints(types: &[Type]) -> [u64; MOST_ALTERNATIVES] {
    let mut found = [0; MOST_ALTERNATIVES];
    let mut at = 0;
    while at < types.len() && at < MOST_ALTERNATIVES {
        found[at] = fingerprint(&types[at]);
        at += 1;
    }
    found
}

/// Returns a number that is the same for equal types. It depends on the kinds of values and the names of
/// fields at every depth, and on texts that are the only allowed value.
pub(crate) const fn fingerprint(ty: &Type) -> u64 {
    let hash = match ty.kind() {
        Kind::Any => 1,
        Kind::Null => 2,
        Kind::Text => 3,
        Kind::Int => 4,
        Kind::Double => 5,
        Kind::Bool => 6,
        Kind::Array(element) => mixed(7, fingerprint(element.get())),
        Kind::Tuple(types) => mixed(8, sum_of_types(types_of(types))),
        Kind::Union(types) => mixed(9, sum_of_types(types_of(types))),
        Kind::Object(Shape::Open) => 10,
        Kind::Media(media) => mixed(13, *media as u64),
        Kind::Object(Shape::Fields(fields)) => mixed(11, sum_of_fields(fields_of(fields))),
        Kind::Object(Shape::Map(values)) => mixed(12, fingerprint(values.get())),
        Kind::Object(Shape::Extended(fields, values)) => {
            mixed(sum_of_fields(fields_of(fields)), fingerprint(values.get()))
        }
    };
    match ty.constraints().enumeration() {
        [Value::String(text)] => mixed(hash, hash_of(text.as_str())),
        // A tag names only the notation of a text.
        [Value::Tagged(tagged)] => mixed(hash, hash_of(tagged.get().content())),
        _ => hash,
    }
}

/// The order of types does not count.
const fn sum_of_types(types: &[Type]) -> u64 {
    let mut sum: u64 = 0;
    let mut at = 0;
    while at < types.len() {
        sum = sum.wrapping_add(mixed(0, fingerprint(&types[at])));
        at += 1;
    }
    sum
}

/// The order of fields does not count.
const fn sum_of_fields(fields: &[Field]) -> u64 {
    let mut sum: u64 = 0;
    let mut at = 0;
    while at < fields.len() {
        let (name, ty) = (hash_of(fields[at].name()), fingerprint(fields[at].ty()));
        sum = sum.wrapping_add(mixed(name, ty));
        at += 1;
    }
    sum
}

/// A hash of a text. The loops have no calls, of which each takes many steps of a `const`.
const fn hash_of(text: &str) -> u64 {
    let mut bytes = text.as_bytes();
    let mut hash = bytes.len() as u64;
    while let [a, b, c, d, rest @ ..] = bytes {
        let four = *a as u64 | (*b as u64) << 8 | (*c as u64) << 16 | (*d as u64) << 24;
        hash = (((hash ^ four) as u128 * FACTOR) >> 16) as u64;
        bytes = rest;
    }
    while let [byte, rest @ ..] = bytes {
        hash = (((hash ^ *byte as u64) as u128 * FACTOR) >> 16) as u64;
        bytes = rest;
    }
    hash
}

const fn mixed(first: u64, second: u64) -> u64 {
    let first = (((first ^ 1) as u128 * FACTOR) >> 16) as u64;
    (((first ^ second) as u128 * FACTOR) >> 16) as u64
}

/// A large odd number of 64 bits, so that each bit of a product depends on many bits.
const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;

/// Whether the tag of a record has a value that the other record's tag does not allow. A tag is a field
/// with one allowed value, as in `{kind: "circle", radius: 1.5}`.
pub(super) const fn has_other_tag(inner: &Type, outer: &Type) -> bool {
    let (Kind::Object(inner), Kind::Object(outer)) = (inner.kind(), outer.kind()) else {
        return false;
    };
    let (inner, outer) = (inner.fields(), outer.fields());
    let mut at = 0;
    while at < inner.len() {
        if let Kind::Text = inner[at].ty().kind()
            && let [value] = inner[at].ty().constraints().enumeration()
            && let Some(other) = find_field_near(outer, inner[at].name(), at)
        {
            let allowed = outer[other].ty().constraints().enumeration();
            if !allowed.is_empty() && !is_among(value, allowed) {
                return true;
            }
        }
        at += 1;
    }
    false
}

const fn is_among(value: &Value, values: &[Value]) -> bool {
    let mut at = 0;
    while at < values.len() {
        if same_value(value, &values[at]) {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::difference::{Rule, difference};
    use super::{fingerprint, has_other_tag};
    use crate::constraints::Constraints;
    use crate::signature::Signature;
    use crate::types::{Field, Kind, Shape, Type};
    use agent_gram::Value;
    use agent_gram::value::Text;
    use std::borrow::Cow;

    const COUNT: usize = 30;
    const NAMES: [&str; COUNT] = [
        "field1", "field2", "field3", "field4", "field5", "field6", "field7", "field8", "field9",
        "field10", "field11", "field12", "field13", "field14", "field15", "field16", "field17",
        "field18", "field19", "field20", "field21", "field22", "field23", "field24", "field25",
        "field26", "field27", "field28", "field29", "field30",
    ];

    /// A record of 30 fields, the last of which is a tag.
    struct Record<const TAG: usize>;

    impl<const TAG: usize> Record<TAG> {
        const VALUES: &'static [Value] = &[Value::String(Text::from_static(NAMES[TAG]))];
        const TAG_TYPE: &'static Type =
            &Type::kept(Kind::Text, const { &Constraints::one_of(Self::VALUES) });
        const FIELDS: &'static [Field; COUNT] = &{
            let mut fields = [const { Field::from_static("", Type::ANY, None, None) }; COUNT];
            let mut at = 0;
            while at < COUNT {
                let ty = if at + 1 == COUNT {
                    Self::TAG_TYPE
                } else {
                    Type::ANY
                };
                let field = Field::from_static(NAMES[at], ty, None, None);
                std::mem::forget(std::mem::replace(&mut fields[at], field));
                at += 1;
            }
            fields
        };
        const TYPE: Type = Type::new(Kind::Object(Shape::Fields(Cow::Borrowed(Self::FIELDS))));
    }

    const UNION: &Type = &Type::new(Kind::Union(Cow::Borrowed(
        const {
            &[
                Record::<0>::TYPE,
                Record::<1>::TYPE,
                Record::<2>::TYPE,
                Record::<3>::TYPE,
                Record::<4>::TYPE,
                Record::<5>::TYPE,
                Record::<6>::TYPE,
                Record::<7>::TYPE,
                Record::<8>::TYPE,
                Record::<9>::TYPE,
                Record::<10>::TYPE,
                Record::<11>::TYPE,
                Record::<12>::TYPE,
                Record::<13>::TYPE,
                Record::<14>::TYPE,
                Record::<15>::TYPE,
                Record::<16>::TYPE,
                Record::<17>::TYPE,
                Record::<18>::TYPE,
                Record::<19>::TYPE,
                Record::<20>::TYPE,
                Record::<21>::TYPE,
                Record::<22>::TYPE,
                Record::<23>::TYPE,
                Record::<24>::TYPE,
                Record::<25>::TYPE,
                Record::<26>::TYPE,
                Record::<27>::TYPE,
                Record::<28>::TYPE,
                Record::<29>::TYPE,
            ]
        },
    )));
    const REVERSED: &Type = &Type::new(Kind::Union(Cow::Borrowed(
        const {
            &[
                Record::<29>::TYPE,
                Record::<28>::TYPE,
                Record::<27>::TYPE,
                Record::<26>::TYPE,
                Record::<25>::TYPE,
                Record::<24>::TYPE,
                Record::<23>::TYPE,
                Record::<22>::TYPE,
                Record::<21>::TYPE,
                Record::<20>::TYPE,
                Record::<19>::TYPE,
                Record::<18>::TYPE,
                Record::<17>::TYPE,
                Record::<16>::TYPE,
                Record::<15>::TYPE,
                Record::<14>::TYPE,
                Record::<13>::TYPE,
                Record::<12>::TYPE,
                Record::<11>::TYPE,
                Record::<10>::TYPE,
                Record::<9>::TYPE,
                Record::<8>::TYPE,
                Record::<7>::TYPE,
                Record::<6>::TYPE,
                Record::<5>::TYPE,
                Record::<4>::TYPE,
                Record::<3>::TYPE,
                Record::<2>::TYPE,
                Record::<1>::TYPE,
                Record::<0>::TYPE,
            ]
        },
    )));

    /// Rustc refuses a `const` that takes too many steps, so it is enough that these compile.
    const FITS: bool = difference(UNION, REVERSED, Rule::Argument).is_none();
    const RETURNS: bool = difference(REVERSED, UNION, Rule::Result).is_none();

    #[test]
    fn a_const_compares_thirty_records_of_thirty_fields_in_any_order() {
        assert_eq!((FITS, RETURNS), (true, true));
    }

    fn ty(text: &str) -> Type {
        let signature = Signature::parse(&format!("(p::{text})==>(::Null)")).expect(text);
        signature.params()[0].ty().clone()
    }

    #[test]
    fn equal_types_have_equal_fingerprints() {
        for (left, right) in [
            (
                "Object {fields: {a: \"Int\", b: \"Text\"}}",
                "Object {fields: {b: \"Text\", a: \"Int\"}}",
            ),
            ("Text {enum: [\"a\"]}", "Text {const: \"a\"}"),
            (
                "Array {elementType: \"Map Int\"}",
                "Array {elementType: {type: \"Object\", valueType: \"Int\"}}",
            ),
        ] {
            assert_eq!(ty(left), ty(right), "{left}");
            assert_eq!(fingerprint(&ty(left)), fingerprint(&ty(right)), "{left}");
        }
    }

    #[test]
    fn different_types_have_different_fingerprints() {
        let types = [
            "Text",
            "Text {enum: [\"a\"]}",
            "Text {enum: [\"b\"]}",
            "Array {elementType: \"Text\"}",
            "Object",
            "Object {valueType: \"Text\"}",
            "Object {fields: {a: \"Text\"}}",
            "Object {fields: {b: \"Text\"}}",
            "Object {fields: {a: \"Text\"}, valueType: \"Text\"}",
            "Array {items: [\"Text\", \"Int\"]}",
            "Any {anyOf: [\"Text\", \"Int\"]}",
        ];
        let prints: std::collections::HashSet<u64> =
            types.iter().map(|text| fingerprint(&ty(text))).collect();
        assert_eq!(prints.len(), types.len());
    }

    #[test]
    fn tags_tell_records_apart() {
        let tagged = |tag: &str| ty(&format!("Object {{fields: {{kind: {tag}, a: \"Int\"}}}}"));
        let circle = tagged("{type: \"Text\", const: \"circle\"}");
        for (outer, expected) in [
            ("{type: \"Text\", const: \"circle\"}", false),
            ("{type: \"Text\", const: \"square\"}", true),
            ("{type: \"Text\", enum: [\"square\", \"circle\"]}", false),
            ("\"Text\"", false),
        ] {
            assert_eq!(has_other_tag(&circle, &tagged(outer)), expected, "{outer}");
        }
    }
}
