//! Arguments of calls.

use crate::schema_and_validation::making::*;
use agent_gram::Value;
use agent_spec::json::MAX_ARGUMENT_VALUES;
use agent_spec::types::{Kind, Shape};
use agent_spec::{Arguments, Nest, Signature, Type};
use serde_json::json;

fn check<'t>(signature: &Signature, text: &'t str) -> Arguments<'t> {
    match signature.check_arguments(text, None) {
        Ok(arguments) => arguments,
        Err(violations) => panic!("{text}: {violations}"),
    }
}

fn messages(signature: &Signature, tool: Option<&Signature>, text: &str) -> Vec<String> {
    match signature.check_arguments(text, tool) {
        Ok(_) => Vec::new(),
        Err(violations) => violations.iter().map(ToString::to_string).collect(),
    }
}

fn search() -> Signature {
    let options = record(vec![
        field("depth", int()).with_default(Value::Integer(3)),
        field("label", maybe(text())),
    ]);
    signature(vec![
        field("query", text()),
        field("limit", int()).with_default(Value::Integer(10)),
        field("options", maybe(options)),
        field("weights", maybe(list(int()))),
        field("any", maybe(anything())),
    ])
}

#[test]
fn normalises_arguments() {
    for (text, expected, dropped) in [
        (r#"{"query":"x"}"#, r#"{"limit":10,"query":"x"}"#, &[][..]),
        (
            r#"{"query":"x","limit":null}"#,
            r#"{"limit":10,"query":"x"}"#,
            &[],
        ),
        (
            r#"{"query":"x","limit":5.0}"#,
            r#"{"limit":5,"query":"x"}"#,
            &[],
        ),
        (
            r#"{"query":"x","limit":-0.0}"#,
            r#"{"limit":0,"query":"x"}"#,
            &[],
        ),
        (
            r#"{"query":"x","limit":1e2}"#,
            r#"{"limit":100,"query":"x"}"#,
            &[],
        ),
        (
            r#"{"query":"x","limit":5,"weights":null}"#,
            r#"{"limit":5,"query":"x"}"#,
            &[],
        ),
        (
            r#"{"query":"x","limit":5,"weights":[1.0,2]}"#,
            r#"{"limit":5,"query":"x","weights":[1,2]}"#,
            &[],
        ),
        (
            r#"{"query":"x","limit":5,"options":{}}"#,
            r#"{"limit":5,"options":{"depth":3},"query":"x"}"#,
            &[],
        ),
        (
            r#"{"query":"x","limit":5,"options":{"depth":4.0,"label":null,"colour":1}}"#,
            r#"{"limit":5,"options":{"depth":4},"query":"x"}"#,
            &["options.colour"],
        ),
        (
            r#"{"query":"x","limit":5,"colour":"red","a b":{}}"#,
            r#"{"limit":5,"query":"x"}"#,
            &["a b", "colour"],
        ),
        // A value of `Any` is not changed, also when it is a whole number with a fraction.
        (
            r#"{"query":"x","any":{"a":5.0,"b":null}}"#,
            r#"{"any":{"a":5.0,"b":null},"limit":10,"query":"x"}"#,
            &[],
        ),
    ] {
        let arguments = check(&search(), text);
        assert_eq!(arguments.text(), expected, "{text}");
        assert_eq!(
            arguments.clone().into_value().to_string(),
            expected,
            "{text}"
        );
        assert_eq!(arguments.dropped(), dropped, "{text}");
    }
}

#[test]
fn passes_unchanged_text_on() {
    for text in [
        "{ \"query\": \"x\",\n \"limit\": 5 }",
        r#"{"query":"\u0041","limit":5}"#,
        r#"{"query":"x","limit":123456789012345678901234567890}"#,
    ] {
        let arguments = check(&search(), text);
        assert_eq!(arguments.text(), text);
        assert_eq!(arguments.into_text(), text);
    }
}

#[test]
fn blank_text_is_an_empty_object() {
    for text in ["", " \n\t", "{}"] {
        let none = signature(vec![]);
        assert_eq!(check(&none, text).text(), "{}");
    }
    let optional = signature(vec![field("a", maybe(int()))]);
    assert_eq!(check(&optional, "").into_value(), json!({}));
    assert_eq!(
        messages(&search(), None, ""),
        ["`$.query`: expected Text, found nothing; `query` is required"]
    );
}

#[test]
fn text_without_an_object_is_one_violation() {
    for (text, expected) in [
        // Models write it for a call without arguments.
        (
            "null",
            "`$.query`: expected Text, found nothing; `query` is required",
        ),
        (
            "[1]",
            "`$`: expected an object of arguments, found the list [1]",
        ),
        (
            "\"x\"",
            "`$`: expected an object of arguments, found the text \"x\"",
        ),
        (
            "{\"query\": }",
            "`$`: expected JSON, found text that is not: expected value at line 1 column 11",
        ),
        (
            "{\"query\": \"x\"",
            "`$`: expected JSON, found text that is not: EOF while parsing an object at line 1 column 13",
        ),
        (
            "{} {}",
            "`$`: expected JSON, found text that is not: trailing characters at line 1 column 4",
        ),
        (
            "{\"query\": 1e999}",
            "`$`: expected JSON, found text that is not: number out of range at line 1 column 15",
        ),
    ] {
        assert_eq!(messages(&search(), None, text), [expected], "{text}");
    }
}

#[test]
fn rejects_keys_that_parsers_replace_by_another_value() {
    let maps = Type::new(Kind::Object(Shape::Map(Nest::new(text()))));
    let signature = signature(vec![
        field("m", maybe(maps)),
        field("any", maybe(anything())),
    ]);
    for key in [
        "$serde_json::private::RawValue",
        "$serde_json::private::Number",
    ] {
        for text in [
            json!({"m": {(key): "[1]"}}),
            json!({"any": [{(key): "1.5"}]}),
            json!({"undeclared": {(key): "boom"}}),
        ] {
            let messages = messages(&signature, None, &text.to_string());
            let [message] = messages.as_slice() else {
                panic!("{text}: {messages:?}");
            };
            assert!(
                message.contains("expected another key, found one that JSON parsers reserve"),
                "{message}"
            );
        }
    }
}

#[test]
fn rejects_duplicate_keys_at_any_depth() {
    let text = r#"{"query":"x","query":"y","any":[{"a":{"b":1,"b":2}}],"limit":"z"}"#;
    assert_eq!(
        messages(&search(), None, text),
        [
            "`$.query`: expected the key once, found it more than once",
            "`$.any[0].a.b`: expected the key once, found it more than once",
            "`$.limit`: expected Int, found the text \"z\"",
        ]
    );
    let thrice = r#"{"query":"x","query":"y","query":"z"}"#;
    assert_eq!(messages(&search(), None, thrice).len(), 1);
}

#[test]
fn rejects_a_misspelled_argument_once() {
    for (text, expected) in [
        (
            r#"{"Query":"x"}"#,
            &[
                "`$.Query`: expected a name that is declared, found the name \"Query\"; did you mean `query`?",
            ][..],
        ),
        (
            r#"{"query":"x","weight":[1]}"#,
            &[
                "`$.weight`: expected a name that is declared, found the name \"weight\"; did you mean `weights`?",
            ],
        ),
        // The parameter has a value, so this is another thing, and is dropped.
        (r#"{"query":"x","Query":"y"}"#, &[]),
        (
            r#"{"query":"x","options":{"Depth":1}}"#,
            &[
                "`$.options.Depth`: expected a name that is declared, found the name \"Depth\"; did you mean `depth`?",
            ],
        ),
    ] {
        assert_eq!(messages(&search(), None, text), expected, "{text}");
    }
}

#[test]
fn leaves_arguments_that_are_optional_in_the_tool_to_it() {
    let spec = signature(vec![field("a", int()), field("b", int())]);
    let tool = signature(vec![
        field("a", maybe(int())),
        field("b", int()).with_default(Value::Integer(7)),
    ]);
    let arguments = spec.check_arguments("{}", Some(&tool)).expect("valid");
    assert_eq!(arguments.text(), "{}");
    let arguments = spec
        .check_arguments(r#"{"b":1}"#, Some(&tool))
        .expect("valid");
    assert_eq!(arguments.text(), r#"{"b":1}"#);
    // `null` is absent there, as it is for every optional parameter.
    for text in [r#"{"a":null,"b":null}"#, r#"{"b":null}"#, r#"{"a":null}"#] {
        let arguments = spec.check_arguments(text, Some(&tool)).expect(text);
        assert_eq!(arguments.text(), "{}");
        assert_eq!(arguments.into_value(), json!({}));
    }
    // The tool's optional parameter does not make a wrong value right.
    assert_eq!(
        messages(&spec, Some(&tool), r#"{"a":"x"}"#),
        ["`$.a`: expected Int, found the text \"x\""]
    );
    // `Any` has `null` among its values.
    let any = signature(vec![field("a", anything())]);
    let optional = signature(vec![field("a", maybe(anything()))]);
    let arguments = any.check_arguments(r#"{"a":null}"#, Some(&optional));
    assert_eq!(arguments.expect("a value").text(), r#"{"a":null}"#);
    let strict = signature(vec![field("a", int()), field("b", maybe(int()))]);
    assert_eq!(
        messages(&spec, Some(&strict), "{}"),
        ["`$.a`: expected Int, found nothing; `a` is required"]
    );
    assert_eq!(
        messages(&spec, Some(&strict), r#"{"a":null}"#),
        ["`$.a`: expected Int, found null"]
    );
}

#[test]
fn an_integer_must_fit_the_tool() {
    let byte = || Type::int_in(&(0, 255));
    let spec = signature(vec![
        field("a", int()),
        field("b", list(record(vec![field("c", int())]))),
        field("d", map(int())),
    ]);
    let tool = signature(vec![
        field("d", map(byte())),
        field("b", list(record(vec![field("c", byte())]))),
        field("a", byte()),
    ]);
    let text = r#"{"a":256,"b":[{"c":1},{"c":-1}],"d":{"k":1e3}}"#;
    assert_eq!(
        messages(&spec, Some(&tool), text),
        [
            "`$.a`: expected Int from 0 to 255, found the number 256",
            "`$.b[1].c`: expected Int from 0 to 255, found the number -1",
            "`$.d.k`: expected Int from 0 to 255, found the number 1000.0",
        ]
    );
    assert_eq!(messages(&spec, None, text), [""; 0]);
    assert_eq!(messages(&tool, None, text).len(), 3);
}

#[test]
fn a_default_is_completed_too() {
    let inner = record(vec![field("n", int()).with_default(Value::Integer(1))]);
    let outer = signature(vec![field("inner", inner).with_default(gram(&json!({})))]);
    assert_eq!(check(&outer, "").text(), r#"{"inner":{"n":1}}"#);
}

#[test]
fn rejects_deep_json_without_overflow() {
    let any = signature(vec![field("a", anything())]);
    // Deeper JSON has more values than arguments may have, since a list counts as 2.
    for (depth, expected) in [
        (200, "recursion limit exceeded"),
        (90_000, "recursion limit exceeded"),
        (100_000, "expected at most 200000 values"),
    ] {
        let text = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        let messages = messages(&any, None, &text);
        assert_eq!(messages.len(), 1);
        assert!(messages[0].contains(expected), "{messages:?}");
    }
    let text = format!("{{\"a\":{}{}}}", "[".repeat(120), "]".repeat(120));
    assert_eq!(check(&any, &text).text(), text);
}

#[test]
fn many_wrong_items_are_a_thousand_violations() {
    let signature = agent_spec::parse_signature("(a::Array {elementType: \"Int\"})==>(::String)")
        .expect("a correct signature");
    let text = format!("{{\"a\": [{}true]}}", "true,".repeat(190_000));
    let violations = signature
        .check_arguments(&text, None)
        .expect_err("none is an Int");
    assert_eq!(violations.len(), 1_000);
}

#[test]
fn validates_many_members_against_many_fields() {
    let members = |count: usize, value: &str| {
        let members: Vec<String> = (0..count).map(|at| format!("\"f{at}\": {value}")).collect();
        members.join(", ")
    };
    let signature = format!(
        "(a::Object {{fields: {{{}, last: \"Maybe Int\"}}}})==>(::String)",
        members(5_000, "\"Int\"")
    );
    let signature = agent_spec::parse_signature(&signature).expect("a correct signature");
    for (more, violations) in [("", 0), (", \"last\": 1", 0), (", \"Last\": 1", 1)] {
        let text = format!("{{\"a\": {{{}{more}}}}}", members(5_000, "1"));
        let found = signature.check_arguments(&text, None);
        assert_eq!(
            found.map_or_else(|found| found.len(), |_| 0),
            violations,
            "{more}"
        );
    }
}

#[test]
fn arguments_without_an_object_are_one_violation() {
    let signature =
        agent_spec::parse_signature("(a::Int)==>(::String)").expect("a correct signature");
    let violations = signature
        .check_arguments("[{\"a\": 1, \"a\": 2}]", None)
        .expect_err("a list is no object");
    assert_eq!(violations.len(), 1);
    assert_eq!(violations.first().path(), "$");
}

#[test]
fn arguments_have_a_limited_number_of_values() {
    let takes_any = signature(vec![field("a", anything())]);
    let arguments = |items: usize| format!("{{\"a\":[{}1]}}", "1,".repeat(items - 1));
    // The object counts as 8, its key as 1, and the list as 2.
    let right = arguments(MAX_ARGUMENT_VALUES - 11);
    assert!(takes_any.check_arguments(&right, None).is_ok());
    let wrong = arguments(MAX_ARGUMENT_VALUES - 10);
    let expected = "`$`: expected at most 200000 values, found more";
    let error = takes_any
        .check_arguments(&wrong, None)
        .expect_err("too many");
    assert_eq!(error.to_string(), expected);
    let error = takes_any.read_arguments(&wrong).expect_err("too many");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_json_text_of_a_part_with_a_schema_is_read_where_no_text_is_allowed() {
    let list = json!({"type": "array", "uniqueItems": true});
    let object = json!({"type": "object", "minProperties": 1});
    let of = |reference: &str| json!({"$ref": format!("#/$defs/{reference}"), "$defs": {"L": list, "N": {"type": ["array", "null"]}}});
    let either = json!({"oneOf": [list, object], "minItems": 1});
    let many = format!("[{}0]", "0,".repeat(MAX_ARGUMENT_VALUES));
    for (schema, given, expected) in [
        (&list, r#"["a"]"#, Some(json!(["a"]))),
        (
            &list,
            " [1, {\"b\": \"[2]\"}]\n",
            Some(json!([1, {"b": "[2]"}])),
        ),
        (&object, r#"{"a": [1]}"#, Some(json!({"a": [1]}))),
        (&of("L"), "[]", Some(json!([]))),
        (&of("N"), "[]", Some(json!([]))),
        (&either, "[1]", Some(json!([1]))),
        (&either, r#"{"a": 1}"#, Some(json!({"a": 1}))),
        (
            &json!({"allOf": [{"type": ["array", "string"]}, list]}),
            "[1]",
            Some(json!([1])),
        ),
        // A value of another type than the schema allows stays a text, for the message about it.
        (&list, r#"{"a": 1}"#, None),
        (&object, "[1]", None),
        (&list, "a, b", None),
        (&list, "[1", None),
        (&list, r#"[{"a": 1, "a": 2}]"#, None),
        (&list, "3", None),
        // A value in a text would be rounded.
        (&list, "[123456789012345678901234567890]", None),
        (&list, &many, None),
        // A text may be meant.
        (
            &json!({"type": ["array", "string"], "uniqueItems": true}),
            "[1]",
            None,
        ),
        (&json!({"uniqueItems": true}), "[1]", None),
        (
            &json!({"anyOf": [list, {"type": "string", "contentEncoding": "base64"}]}),
            "[1]",
            None,
        ),
    ] {
        let text = serde_json::to_string(&schema.to_string()).expect("JSON");
        let kept = format!("{{type: \"Any\", schema: {text}}}");
        for (signature, arguments, path) in [
            (
                format!("(a::Any {{schema: {text}}})==>(::Any)"),
                json!({"a": given}),
                "$.a",
            ),
            (
                format!("(a::Array {{elementType: {kept}}})==>(::Any)"),
                json!({"a": [given]}),
                "$.a[0]",
            ),
            (
                format!("(a::Object {{valueType: {kept}}})==>(::Any)"),
                json!({"a": {"b": given}}),
                "$.a.b",
            ),
        ] {
            let signature = agent_spec::parse_signature(&signature).expect("a signature");
            let text = arguments.to_string();
            let checked = check(&signature, &text);
            let paths: Vec<&str> = checked.json_texts().iter().map(String::as_str).collect();
            let read: Vec<&str> = expected.iter().map(|_| path).collect();
            assert_eq!(paths, read, "{schema} {given}");
            let pointer = path
                .trim_start_matches('$')
                .replace(['.', '['], "/")
                .replace(']', "");
            let arrived = checked.into_value();
            let wanted = expected.clone().unwrap_or_else(|| json!(given));
            assert_eq!(arrived.pointer(&pointer), Some(&wanted), "{schema}");
        }
    }
    // Another type of a union may be a text.
    let list = r#"{type: "Any", schema: "{\"type\":\"array\",\"uniqueItems\":true}"}"#;
    let signature = format!("(a::Any {{anyOf: [{list}, \"Text\"]}})==>(::Any)");
    let signature = agent_spec::parse_signature(&signature).expect("a signature");
    let checked = check(&signature, r#"{"a": "[1]"}"#);
    assert_eq!(checked.into_value(), json!({"a": "[1]"}));
}
