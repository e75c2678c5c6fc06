//! Tests of `agent_types::compare::literal`.

use agent_types::__private::{may_fit, surely_fits};

#[test]
fn fits_literals_by_kind_and_constraints() {
    let record = "Object {fields: [{name: \"a\", type: \"Int\"}, {name: \"b\", type: \"Text\", optional: true}]}";
    for (ty, literal, expected) in [
        ("Any", "1", true),
        ("Any", "[{a: true}]", true),
        ("Text", "\"a\"", true),
        ("Text", "1", false),
        ("Text", "true", false),
        ("Text {minLength: 2}", "\"ab\"", true),
        ("Text {minLength: 2}", "\"a\"", false),
        ("Text {enum: [\"a\"]}", "\"a\"", true),
        ("Text {enum: [\"a\"]}", "\"b\"", false),
        ("Bool", "true", true),
        ("Bool", "\"true\"", false),
        ("Int", "1", true),
        ("Int", "1.5", false),
        ("Int {minimum: 2}", "1", false),
        ("Int {exclusiveMinimum: 1}", "2", true),
        ("Int {exclusiveMinimum: 1}", "1", false),
        ("Double {exclusiveMaximum: 1.5}", "1.25", true),
        ("Double {exclusiveMaximum: 1.5}", "1.5", false),
        ("Int {multipleOf: 5}", "10", true),
        ("Int {multipleOf: 5}", "11", false),
        ("Double {multipleOf: 0.1}", "0.3", true),
        ("Double {multipleOf: 0.1}", "0.35", false),
        ("Double", "1", true),
        ("Double", "1.5", true),
        ("Double", "\"1.5\"", false),
        ("Array {elementType: \"Int\"}", "[1, 2]", true),
        ("Array {elementType: \"Int\"}", "[1, \"2\"]", false),
        ("Array {elementType: \"Int\"}", "[\"1\", 2]", false),
        ("Array {elementType: \"Int\"}", "{a: 1}", false),
        ("Array {items: [\"Int\", \"Text\"]}", "[1, \"a\"]", true),
        ("Array {items: [\"Int\", \"Text\"]}", "[1, 2]", false),
        ("Array {items: [\"Int\", \"Text\"]}", "[1]", false),
        ("Any {anyOf: [\"Int\", \"[Int]\"]}", "1", true),
        ("Any {anyOf: [\"Int\", \"[Int]\"]}", "[1]", true),
        ("Any {anyOf: [\"Int\", \"[Int]\"]}", "[\"a\"]", false),
        (
            "Object {fields: {a: \"Int\"}, valueType: \"Text\"}",
            "{a: 1, b: \"x\"}",
            true,
        ),
        (
            "Object {fields: {a: \"Int\"}, valueType: \"Text\"}",
            "{a: 1, b: 2}",
            false,
        ),
        (
            "Object {fields: {a: \"Int\"}, valueType: \"Text\"}",
            "{b: \"x\"}",
            false,
        ),
        ("Object", "{a: 1}", true),
        ("Object", "[1]", false),
        ("Object {valueType: \"Int\"}", "{a: 1, b: 2}", true),
        ("Object {valueType: \"Int\"}", "{a: 1, b: \"2\"}", false),
        (record, "{a: 1}", true),
        (record, "{a: 1, b: \"x\"}", true),
        (record, "{a: 1, b: 2}", false),
        (record, "{b: \"x\"}", false),
        (record, "{a: \"1\"}", false),
    ] {
        let parse = |text: String| agent_spec::parse_signature(&text).expect("a signature");
        let ty = parse(format!("(p::{ty})==>(::Any)"));
        let literal = parse(format!("(p::Any {{default: {literal}}})==>(::Any)"));
        let default = literal.params()[0].default().expect("a default");
        let ty = ty.params()[0].ty();
        assert_eq!(
            surely_fits(default, ty, &mut 0),
            expected,
            "{default:?} as {ty:?}"
        );
        assert_eq!(may_fit(default, ty), expected, "{default:?} as {ty:?}");
    }
}
