//! Numbers in specs against the Rust types behind the parameters of a tool.

use agent_spec::binding::{Message, Mismatch, Policy, mismatches};
use agent_spec::{Field, GramType, Kind, Param, Returns, Shape, Signature, Type};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The summary of the one mismatch between a parameter of a spec and a parameter of a Rust type, and what
/// is marked in the spec.
fn refusal<T: GramType>(param: &str) -> Option<(String, String)> {
    let text = format!("({param})==>(::Null)");
    let spec = agent_spec::parse_signature(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    let param = Param::new(spec.params()[0].name().to_owned(), T::TYPE.clone());
    let tool = Signature::new(vec![param], Returns::new(Type::new(Kind::Null)));
    let found = mismatches(("d", &spec), ("d", &tool), Policy::Compatible);
    let mismatch = match found.as_slice() {
        [] => return None,
        [mismatch] => *mismatch,
        more => panic!("{text}: {more:?}"),
    };
    assert!(
        matches!(mismatch, Mismatch::Param { .. }),
        "{text}: {mismatch:?}"
    );
    let message = Message {
        name: "t",
        spec: ("d", &spec),
        tool: ("d", &tool),
        mismatch,
    }
    .text();
    let lines: Vec<&str> = message.lines().collect();
    let line: Vec<char> = lines[1].chars().collect();
    let marks = lines[2]
        .chars()
        .enumerate()
        .filter(|(_, mark)| *mark == '^');
    let marked = marks.map(|(column, _)| line[column]).collect();
    Some((lines[0].to_owned(), marked))
}

struct Pixel;

impl GramType for Pixel {
    const TYPE: &'static Type = &Type::new(Kind::Object(Shape::Fields(Cow::Borrowed(
        const {
            &[
                Field::from_static("red", u8::TYPE, None, None),
                Field::from_static("shade", Option::<i8>::TYPE, None, None),
            ]
        },
    ))));
}

struct SmallOrText;

impl GramType for SmallOrText {
    const TYPE: &'static Type = &Type::new(Kind::Union(Cow::Borrowed(
        const { &[Type::borrowed(u8::TYPE), Type::borrowed(String::TYPE)] },
    )));
}

struct Position;

impl GramType for Position {
    const TYPE: &'static Type = &Type::new(Kind::Tuple(Cow::Borrowed(
        const { &[Type::borrowed(u8::TYPE), Type::borrowed(i64::TYPE)] },
    )));
}

#[test]
fn numbers_that_fit_the_rust_type_bind() {
    for found in [
        refusal::<u8>("n::Int"),
        refusal::<u8>("n::Int {minimum: 1}"),
        refusal::<u8>("n::Int {maximum: 255}"),
        refusal::<u8>("n::Int {minimum: 0, maximum: 255}"),
        refusal::<u8>("n::Int {exclusiveMinimum: -1, exclusiveMaximum: 256}"),
        refusal::<u8>("n::Int {enum: [0, 255]}"),
        refusal::<i8>("n::Int {minimum: -128, maximum: 127}"),
        refusal::<u64>("n::Int {maximum: 18446744073709551615}"),
        refusal::<i128>("n::Int {minimum: -170141183460469231731687303715884105728}"),
        refusal::<f64>("n::Double {maximum: 1000000}"),
        refusal::<Vec<u8>>("n::Array {elementType: {type: \"Int\", maximum: 255}}"),
        refusal::<Vec<u8>>("n::Array {elementType: \"Int\", minItems: 0}"),
        refusal::<Pixel>("n::Object {fields: {red: \"Int\"}}"),
        refusal::<BTreeMap<String, u16>>("n::Object {valueType: {type: \"Int\", minimum: 256}}"),
        refusal::<SmallOrText>("n::Any {anyOf: [{type: \"Int\", maximum: 255}, \"Text\"]}"),
        refusal::<SmallOrText>("n::Any {anyOf: [\"Int\", \"Text\"], enum: [255, \"300\"]}"),
    ] {
        assert_eq!(found, None);
    }
    let with_default = "n::Int {default: 255}";
    let found = refusal::<Option<u8>>(with_default);
    assert_eq!(found, None);
}

#[test]
fn numbers_that_do_not_fit_the_rust_type_are_refused() {
    for (found, part, range, marked) in [
        (
            refusal::<u8>("n::Int {minimum: 1, maximum: 300}"),
            "parameter `n` has a number in `maximum`",
            "0 to 255",
            "maximum: 300",
        ),
        (
            refusal::<u8>("n::Int {minimum: -1}"),
            "parameter `n` has a number in `minimum`",
            "0 to 255",
            "minimum: -1",
        ),
        (
            refusal::<u8>("n::Int {minimum: 256}"),
            "parameter `n` has a number in `minimum`",
            "0 to 255",
            "minimum: 256",
        ),
        (
            refusal::<u8>("n::Int {exclusiveMinimum: -2}"),
            "parameter `n` has a number in `exclusiveMinimum`",
            "0 to 255",
            "exclusiveMinimum: -2",
        ),
        (
            refusal::<u8>("n::Int {exclusiveMaximum: 257}"),
            "parameter `n` has a number in `exclusiveMaximum`",
            "0 to 255",
            "exclusiveMaximum: 257",
        ),
        (
            refusal::<i8>("n::Int {maximum: -129}"),
            "parameter `n` has a number in `maximum`",
            "-128 to 127",
            "maximum: -129",
        ),
        (
            refusal::<u8>("n::Int {enum: [1, 300]}"),
            "parameter `n` has a number in `enum`",
            "0 to 255",
            "enum: [1, 300]",
        ),
        (
            refusal::<Option<u8>>("n::Int {default: 256}"),
            "parameter `n` has a number in `default`",
            "0 to 255",
            "256",
        ),
        (
            refusal::<i64>("n::Int {maximum: 9223372036854775808}"),
            "parameter `n` has a number in `maximum`",
            "-9223372036854775808 to 9223372036854775807",
            "maximum: 9223372036854775808",
        ),
        (
            refusal::<Vec<u8>>("n::Array {elementType: {type: \"Int\", maximum: 300}}"),
            "parameter `n[]` has a number in `maximum`",
            "0 to 255",
            "maximum: 300",
        ),
        (
            refusal::<Option<Vec<u8>>>("n::Array {elementType: \"Int\", default: [1, 300]}"),
            "parameter `n` has a number in `default`",
            "0 to 255",
            "[1, 300]",
        ),
        (
            refusal::<BTreeMap<String, u16>>(
                "n::Object {valueType: {type: \"Int\", minimum: 1, maximum: 65536}}",
            ),
            "parameter `n.*` has a number in `maximum`",
            "0 to 65535",
            "maximum: 65536",
        ),
        (
            refusal::<Vec<Pixel>>(
                "n::Array {elementType: {type: \"Object\", fields: [\
                 {name: \"red\", type: \"Int\", minimum: -5}]}}",
            ),
            "parameter `n[].red` has a number in `minimum`",
            "0 to 255",
            "minimum: -5",
        ),
        (
            refusal::<SmallOrText>("n::Any {anyOf: [\"Int\", \"Text\"], enum: [256, \"300\"]}"),
            "parameter `n` has a number in `enum`",
            "0 to 255",
            "enum: [256, \"300\"]",
        ),
        (
            refusal::<Vec<Position>>(
                "n::Array {elementType: {type: \"Array\", items: [\"Int\", \"Int\"], enum: [[300, 300]]}}",
            ),
            "parameter `n[]` has a number in `enum`",
            "0 to 255",
            "enum: [[300, 300]]",
        ),
        (
            refusal::<Pixel>(
                "n::Object {fields: [{name: \"red\", type: \"Int\"}, \
                 {name: \"shade\", type: \"Int\", default: 200}]}",
            ),
            "parameter `n.shade` has a number in `default`",
            "-128 to 127",
            "200",
        ),
    ] {
        let (summary, found) = found.expect("a refusal");
        let expected = format!(
            "tool `t`: {part} beyond the Rust type of the function, which holds {range}; \
             write a number in this range, or give the function a wider type"
        );
        assert_eq!(summary, expected);
        assert_eq!(found, marked, "{summary}");
    }
}
