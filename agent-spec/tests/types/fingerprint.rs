//! Tests of `agent_types::compare::fingerprint`.

use agent_gram::Value;
use agent_gram::print::writer::Trail;
use agent_gram::value::Text;
use agent_types::__private::{Rule, Trails, fingerprint, has_other_tag, type_difference};
use agent_types::{Constraints, Field, Kind, Shape, Type};
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
const START: Trails = (Trail::EMPTY, Trail::EMPTY);
const FITS: bool = type_difference(UNION, REVERSED, Rule::Argument, START).is_none();
const RETURNS: bool = type_difference(REVERSED, UNION, Rule::Result, START).is_none();

#[test]
fn a_const_compares_thirty_records_of_thirty_fields_in_any_order() {
    assert_eq!((FITS, RETURNS), (true, true));
}

fn ty(text: &str) -> Type {
    let signature = agent_spec::parse_signature(&format!("(p::{text})==>(::Null)")).expect(text);
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
