//! The binding rules against the validator: a type binds exactly when its values do.

use agent_spec::binding::{Policy, first_mismatch};
use agent_spec::types::fields_of;
use agent_spec::{Kind, Shape, Type};
use serde_json::{Value, json};

/// Types that all differ from each other, and whose values are among [`values`].
const TYPES: [&str; 59] = [
    "Any",
    "Any {enum: [1, \"a\"]}",
    "Null",
    "Bool",
    "Text",
    "Text {optional: true}",
    "Text {maxLength: 1}",
    "Text {minLength: 1, maxLength: 5}",
    "Text {enum: [\"a\", \"b\"]}",
    "Text {enum: [\"a\"]}",
    "Text {enum: [\"a\"], optional: true}",
    "Text {pattern: \"^a\"}",
    "Text {format: \"date\"}",
    "Int",
    "Int {minimum: 1}",
    "Int {minimum: 1, maximum: 9}",
    "Int {minimum: 0, maximum: 10}",
    "Int {enum: [1, 2]}",
    "Double",
    "Double {minimum: 0.5, maximum: 9.5}",
    "Double {enum: [1.0, 2.0]}",
    "Double {enum: [1.5]}",
    "Array",
    "Array {elementType: \"Int\"}",
    "Array {elementType: \"Double\"}",
    "Array {elementType: {type: \"Int\", optional: true}}",
    "Array {elementType: \"Int\", minItems: 2}",
    "Array {elementType: {type: \"Array\", elementType: \"Text\"}}",
    "Object",
    "Object {valueType: \"Int\"}",
    "Object {valueType: \"Double\"}",
    "Object {valueType: {type: \"Int\", maximum: 3}}",
    "Object {valueType: {type: \"Int\", optional: true}}",
    "Object {fields: []}",
    "Object {fields: [{name: \"a\", type: \"Any\"}]}",
    "Object {fields: [{name: \"a\", type: \"Int\"}]}",
    "Object {fields: [{name: \"a\", type: \"Double\"}]}",
    "Object {fields: [{name: \"a\", type: \"Int\", default: 1}]}",
    "Object {fields: [{name: \"a\", type: \"Int\", default: 2}]}",
    "Object {fields: [{name: \"a\", type: \"Int\", optional: true}]}",
    "Object {fields: [{name: \"a\", type: \"Int\", description: \"d\"}]}",
    "Object {fields: [{name: \"a\", type: \"Text\"}]}",
    "Object {fields: [{name: \"a\", type: \"Int\"}, {name: \"b\", type: \"Text\"}]}",
    "Object {fields: [{name: \"a\", type: \"Int\"}, {name: \"b\", type: \"Text\", optional: true}]}",
    "Object {fields: [{name: \"a\", type: \"Object\", fields: [{name: \"b\", type: \"Text\"}]}]}",
    "Object {fields: [{name: \"A\", type: \"Int\"}]}",
    "Any {anyOf: [\"Text\", \"Int\"]}",
    "Any {anyOf: [\"Int\", \"Text\"]}",
    "Any {optional: true, anyOf: [\"Text\", \"Double\"]}",
    "Any {anyOf: [{type: \"Int\", minimum: 1}, \"Text\"]}",
    "Any {anyOf: [\"Text\", \"Int\"], enum: [\"a\", 1]}",
    "Any {anyOf: [\"{a: Int}\", \"{a: Text}\"]}",
    "Any {anyOf: [\"[Int]\", \"[Text]\"]}",
    "Array {elementType: \"Text | Int\"}",
    "Array {items: [\"Int\"]}",
    "Array {items: [\"Int\", \"Int\"]}",
    "Array {items: [\"Int\", \"Text\"]}",
    "Object {fields: {a: \"Int\"}, valueType: \"Int\"}",
    "Object {fields: {a: \"Int\"}, valueType: \"Text\"}",
];

/// Pairs of results whose values all fit, which the rule refuses: a pattern or a format decides, or values
/// that a range has are listed.
const UNDECIDED: [(&str, &str); 2] = [
    ("Text {enum: [\"a\"]}", "Text {pattern: \"^a\"}"),
    (
        "Text {enum: [\"a\"], optional: true}",
        "Text {pattern: \"^a\"}",
    ),
];

/// Values of every type, near every limit.
fn values() -> Vec<Value> {
    let plain = [
        json!(null),
        json!(true),
        json!(""),
        json!("a"),
        json!("b"),
        json!("ab"),
        json!("c"),
        json!("abcdef"),
        json!("2026-03-01"),
        json!(-1),
        json!(0),
        json!(1),
        json!(2),
        json!(4),
        json!(10),
        json!(11),
        json!(0.25),
        json!(1.5),
        json!(2.5),
    ];
    let mut values = plain.to_vec();
    for value in &plain {
        values.extend([json!([value]), json!([value, value]), json!([[value]])]);
        values.extend([
            json!([value, value, value]),
            json!([value, "a"]),
            json!([1, value]),
        ]);
        values.extend([
            json!({"a": value}),
            json!({"A": value}),
            json!({"z": value}),
            json!({"a": {"b": value}}),
            json!({"a": 1, "b": value}),
            json!({"a": 1, "B": value}),
            json!({"a": value, "b": "x"}),
        ]);
    }
    values.extend([json!([]), json!([[]]), json!({}), json!({"a": {}})]);
    values
}

fn read(ty: &str) -> Type {
    let signature = agent_spec::parse_signature(&format!("()==>(::{ty})"));
    signature
        .unwrap_or_else(|error| panic!("{ty}\n{error}"))
        .returns()
        .ty()
        .clone()
}

/// Whether a value has only the members that its type names, at every depth.
fn names_all(ty: &Type, value: &Value) -> bool {
    match (ty.kind(), value) {
        (Kind::Array(of), Value::Array(items)) => items.iter().all(|item| names_all(of, item)),
        (Kind::Object(Shape::Map(of)), Value::Object(members)) => {
            members.values().all(|member| names_all(of, member))
        }
        (Kind::Tuple(types), Value::Array(items)) => {
            let mut items = types.iter().zip(items);
            items.all(|(ty, item)| names_all(ty, item))
        }
        (Kind::Union(types), value) => types
            .iter()
            .any(|ty| ty.validate(value).is_ok() && names_all(ty, value)),
        (Kind::Object(Shape::Extended(fields, values)), Value::Object(members)) => {
            members.iter().all(|(key, member)| {
                let field = fields_of(fields).iter().find(|field| field.name() == key);
                names_all(field.map_or(values.get(), |field| field.ty()), member)
            })
        }
        (Kind::Object(Shape::Fields(fields)), Value::Object(members)) => {
            members.iter().all(|(key, member)| {
                let field = fields_of(fields).iter().find(|field| field.name() == key);
                field.is_some_and(|field| names_all(field.ty(), member))
            })
        }
        _ => true,
    }
}

fn binds(spec: &str, tool: &str, policy: Policy) -> bool {
    let parse =
        |text: &str| agent_spec::parse_signature(text).unwrap_or_else(|error| panic!("{error}"));
    let (spec, tool) = (parse(spec), parse(tool));
    first_mismatch(("d", &spec), ("d", &tool), policy).is_none()
}

#[test]
fn results_bind_exactly_when_every_value_fits() {
    let values = values();
    for tool in TYPES {
        for spec in TYPES {
            let (ours, theirs) = (read(spec), read(tool));
            let refused = values.iter().find(|value| {
                theirs.validate(value).is_ok()
                    && names_all(&theirs, value)
                    && ours.validate(value).is_err()
            });
            let found = binds(
                &format!("()==>(::{spec})"),
                &format!("()==>(::{tool})"),
                Policy::Compatible,
            );
            // A tool that returns any value leaves the check of an `Any` to the call.
            let is_left_to_the_call =
                tool == "Any" && spec.starts_with("Any") && !read(spec).is_optional();
            let expected = refused.is_none() && !UNDECIDED.contains(&(tool, spec));
            assert_eq!(
                found,
                expected || is_left_to_the_call,
                "`{tool}` for `{spec}`: {refused:?}"
            );
        }
    }
}

#[test]
fn arguments_bind_only_when_every_value_fits() {
    let values = values();
    // `Null` can only be returned.
    for spec in TYPES.into_iter().filter(|ty| *ty != "Null") {
        for tool in TYPES.into_iter().filter(|ty| *ty != "Null") {
            let param = |ty: &str| format!("(p::{ty})==>(::Text)");
            if !binds(&param(spec), &param(tool), Policy::Compatible) {
                continue;
            }
            let (ours, theirs) = (read(spec), read(tool));
            let refused = values.iter().find(|value| {
                ours.validate(value).is_ok()
                    && names_all(&ours, value)
                    && theirs.validate(value).is_err()
            });
            assert_eq!(refused, None, "`{spec}` for `{tool}`");
        }
    }
}

#[test]
fn exact_binds_only_equal_types() {
    for (at, spec) in TYPES.iter().enumerate() {
        for (other, tool) in TYPES.iter().enumerate() {
            let forms = ["()==>(::{})", "(p::{})==>(::Text)"];
            // `Null` can only be returned.
            let has_null = *spec == "Null" || *tool == "Null";
            for form in &forms[..if has_null { 1 } else { 2 }] {
                let found = binds(
                    &form.replace("{}", spec),
                    &form.replace("{}", tool),
                    Policy::Exact,
                );
                assert_eq!(found, at == other, "`{spec}` for `{tool}`");
            }
        }
    }
}

#[test]
fn any_object_and_a_map_of_any_values_are_one_type() {
    let nested = [
        "Array {elementType: \"Object\"}",
        "Array {elementType: {type: \"Object\", valueType: \"Any\"}}",
    ];
    let whole = [
        "Object",
        "Object {valueType: \"Any\"}",
        "Object {valueType: {type: \"Any\", optional: true}}",
    ];
    for forms in [&whole[..], &nested] {
        for spec in forms {
            for tool in forms {
                for policy in [Policy::Compatible, Policy::Exact] {
                    for form in ["()==>(::{})", "(p::{})==>(::Text)"] {
                        let (spec, tool) = (form.replace("{}", spec), form.replace("{}", tool));
                        assert!(binds(&spec, &tool, policy), "{spec} and {tool}");
                    }
                }
                assert_eq!(read(spec), read(tool));
            }
        }
    }
}

#[test]
fn a_schema_binds_to_any_value_and_to_an_equal_schema() {
    const ONE: &str = "Any {schema: '{\"type\":\"object\",\"minProperties\":1}'}";
    const SAME: &str = "Any {schema: '{ \"minProperties\": 1.0, \"type\": \"object\" }'}";
    const TWO: &str = "Any {schema: '{\"type\":\"object\",\"minProperties\":2}'}";
    let list = |ty: &str| {
        let element = ty.strip_prefix("Any").expect("`Any`").trim_start();
        let element = element.strip_prefix('{').map_or("}", |rest| rest);
        format!("Array {{elementType: {{type: \"Any\", {element}}}")
    };
    for (spec, tool, expected, exact) in [
        (ONE, "Any", true, false),
        ("Any", ONE, false, false),
        (ONE, SAME, true, true),
        (ONE, TWO, false, false),
        (ONE, "Any {enum: [1]}", false, false),
        (ONE, "Object", false, false),
    ] {
        let param = |ty: &str| format!("(p::{ty})==>(::Text)");
        let found = binds(&param(spec), &param(tool), Policy::Compatible);
        assert_eq!(found, expected, "{spec} for {tool}");
        let found = binds(&param(spec), &param(tool), Policy::Exact);
        assert_eq!(found, exact, "{spec} for {tool}");
    }
    // A result of any value is left to the call; one in a list is not.
    let result = |ty: &str| format!("()==>(::{ty})");
    assert!(binds(&result(ONE), &result("Any"), Policy::Compatible));
    assert!(binds(&result("Any"), &result(ONE), Policy::Compatible));
    assert!(!binds(&result(ONE), &result(TWO), Policy::Compatible));
    assert!(!binds(
        &result(&list(ONE)),
        &result("Array"),
        Policy::Compatible
    ));
    assert!(binds(
        &result(&list(ONE)),
        &result(&list(SAME)),
        Policy::Compatible
    ));
}

#[test]
fn a_function_that_takes_any_value_takes_a_union() {
    for (spec, tool, expected) in [
        ("Any {anyOf: [\"Int\", \"Text\"]}", "Any", true),
        ("Array {elementType: \"Int | Text\"}", "Array", true),
        // The labels are equal, which a single type and `Any` are not.
        ("Int", "Any", false),
        ("Any", "Any {anyOf: [\"Int\", \"Text\"]}", false),
        (
            "Any {anyOf: [\"Int\", \"Text\"]}",
            "Any {enum: [1, \"a\"]}",
            false,
        ),
    ] {
        let param = |ty: &str| format!("(p::{ty})==>(::Text)");
        let found = binds(&param(spec), &param(tool), Policy::Compatible);
        assert_eq!(found, expected, "{spec} for {tool}");
    }
}

#[test]
fn an_argument_binds_to_one_type_of_a_union() {
    let enums = "Any {anyOf: [{type: \"Text\", enum: [\"a\"]}, {type: \"Text\", enum: [\"b\"]}]}";
    for (spec, tool, expected) in [
        ("Double", "Any {anyOf: [\"Int\", \"Double\"]}", true),
        ("Int", "Any {anyOf: [\"Text\", \"Int\"]}", true),
        ("Text {enum: [\"a\", \"b\"]}", enums, true),
        ("Text {enum: [\"a\"]}", enums, true),
        ("Text {enum: [\"a\", \"c\"]}", enums, false),
        ("Text", enums, false),
        ("Bool", "Any {anyOf: [\"Int\", \"Double\"]}", false),
    ] {
        let param = |ty: &str| format!("(p::{ty})==>(::Text)");
        let found = binds(&param(spec), &param(tool), Policy::Compatible);
        assert_eq!(found, expected, "{spec} for {tool}");
    }
}

#[test]
fn results_of_these_types_bind() {
    for (tool, spec, expected) in [
        // The tool's record has more fields, or its optional field is not in the spec.
        (
            "Object {fields: {a: \"Int\", b: \"Text\"}}",
            "Object {fields: {a: \"Int\"}}",
            true,
        ),
        (
            "Object {fields: {a: \"{b: Int, c: Int}\"}}",
            "Object {fields: {a: \"{b: Int}\"}}",
            true,
        ),
        (
            "Array {elementType: \"{a: Int, b: Text}\"}",
            "Array {elementType: \"{a: Int}\"}",
            true,
        ),
        (
            "Object {fields: {a: \"Int\"}}",
            "Object {fields: {a: \"Int\", b: \"Text\"}}",
            false,
        ),
        // Anything is an `Any`; every record and map is an `Object`.
        ("Text", "Any", true),
        (
            "Array {elementType: \"Text\"}",
            "Array {elementType: \"Any\"}",
            true,
        ),
        ("Object {fields: {a: \"Int\"}}", "Any", true),
        ("Object {fields: {a: \"Int\"}}", "Object", true),
        (
            "Object {fields: {a: \"{b: Int}\"}}",
            "Object {fields: {a: \"Object\"}}",
            true,
        ),
        ("Any", "Text", false),
        ("Object", "Object {fields: {a: \"Int\"}}", false),
        ("Array {elementType: \"Int\"}", "Object", false),
        // A record is a map when all its fields are.
        (
            "Object {fields: {a: \"Int\", b: \"Int\"}}",
            "Object {valueType: \"Int\"}",
            true,
        ),
        (
            "Object {fields: {a: \"Int\", b: \"Text\"}}",
            "Object {valueType: \"Int\"}",
            false,
        ),
        (
            "Object {fields: {a: \"Int\", b: \"Text\"}}",
            "Object {valueType: \"Any\"}",
            true,
        ),
        (
            "Object {valueType: \"Int\"}",
            "Object {fields: {a: \"Int\"}}",
            false,
        ),
        // Numbers: every whole number is a number.
        ("Int", "Double", true),
        ("Int {minimum: 1}", "Double {minimum: 0.5}", true),
        ("Int {minimum: 0}", "Double {minimum: 0.5}", false),
        ("Double", "Int", false),
        (
            "Array {elementType: \"Int\"}",
            "Array {elementType: \"Double\"}",
            true,
        ),
        (
            "Int {maximum: 9007199254740993}",
            "Double {maximum: 9007199254740992.0}",
            false,
        ),
        ("Int {exclusiveMinimum: 0}", "Int {minimum: 1}", true),
        ("Int {minimum: 1}", "Int {exclusiveMinimum: 0}", true),
        ("Int {exclusiveMaximum: 9}", "Double {maximum: 8}", true),
        ("Int {exclusiveMinimum: 0}", "Int {minimum: 2}", false),
        ("Double {exclusiveMinimum: 0}", "Double {minimum: 0}", true),
        ("Double {minimum: 0}", "Double {exclusiveMinimum: 0}", false),
        ("Int {multipleOf: 4}", "Int {multipleOf: 2}", true),
        ("Int {multipleOf: 3}", "Int {multipleOf: 2}", false),
        ("Double {multipleOf: 0.3}", "Double {multipleOf: 0.1}", true),
        // `null` is a value of optional types.
        ("Text", "Text {optional: true}", true),
        ("Text {optional: true}", "Text", false),
        ("Text {optional: true}", "Any", true),
        ("Null", "Text {optional: true}", true),
        ("Null", "Text", false),
        // Listed values are compared one by one.
        ("Int {enum: [1, 2]}", "Int {minimum: 1, maximum: 2}", true),
        ("Int {enum: [1, 3]}", "Int {minimum: 1, maximum: 2}", false),
        ("Any {enum: [\"a\", \"b\"]}", "Text {maxLength: 1}", true),
        ("Any {enum: [\"a\", 1]}", "Text", false),
        // Each type of the tool's union fits one of the spec's.
        ("Text", "Any {anyOf: [\"Text\", \"Int\"]}", true),
        ("Any {anyOf: [\"Text\", \"Int\"]}", "Text", false),
        (
            "Any {anyOf: [\"Int\", \"Text\"]}",
            "Any {anyOf: [\"Text\", \"Bool\", \"Double\"]}",
            true,
        ),
        (
            "Any {anyOf: [\"{a: Int, b: Int}\", \"Text\"]}",
            "Any {anyOf: [\"Text\", \"{a: Int}\"]}",
            true,
        ),
        ("Any {anyOf: [\"Int\", \"Double\"]}", "Double", true),
        ("Any {anyOf: [\"Text\", \"Int\"]}", "Any", true),
        // A tuple is a list of fixed length.
        (
            "Array {items: [\"Int\", \"Int\"]}",
            "Array {elementType: \"Double\", minItems: 1, maxItems: 2}",
            true,
        ),
        (
            "Array {items: [\"Int\", \"Int\"]}",
            "Array {elementType: \"Int\", minItems: 3}",
            false,
        ),
        (
            "Array {elementType: \"Int\", minItems: 2, maxItems: 2}",
            "Array {items: [\"Int\", \"Int\"]}",
            true,
        ),
        (
            "Array {elementType: \"Int\", minItems: 1, maxItems: 2}",
            "Array {items: [\"Int\", \"Int\"]}",
            false,
        ),
        (
            "Object {fields: {a: \"Int\", b: \"Text\"}}",
            "Object {fields: {a: \"Int\"}, valueType: \"Text\"}",
            true,
        ),
    ] {
        let result = |ty: &str| format!("()==>(::{ty})");
        let found = binds(&result(spec), &result(tool), Policy::Compatible);
        assert_eq!(found, expected, "`{tool}` for `{spec}`");
    }
}

#[test]
fn a_record_argument_binds_to_a_record_that_takes_further_keys() {
    let argument = |ty: &str| format!("(x::{ty})==>(::Text)");
    for (spec, tool, expected) in [
        (
            "Object {fields: {a: \"Int\"}}",
            "Object {fields: {a: \"Int\"}, valueType: \"Any\"}",
            true,
        ),
        (
            "Object {fields: {a: \"Text\"}}",
            "Object {fields: {a: \"Int\"}, valueType: \"Any\"}",
            false,
        ),
        (
            "Object {fields: {a: \"Int\"}, valueType: \"Any\"}",
            "Object {fields: {a: \"Int\"}}",
            false,
        ),
    ] {
        let (spec, tool) = (argument(spec), argument(tool));
        let found = binds(&spec, &tool, Policy::Compatible);
        assert_eq!(found, expected, "`{tool}` for `{spec}`");
        assert!(!binds(&spec, &tool, Policy::Exact), "`{tool}` for `{spec}`");
    }
}
