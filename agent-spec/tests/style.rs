//! The two styles of signatures: tables of what becomes what, and of what stays.
//!
//! Whether the official grammar accepts the style `portable` is tested beside the grammar, in the
//! package of product tests.

mod documents;
mod generated;
mod warnings;

use agent_spec::{Restyled, Style, restyle};

/// A tool with this signature.
fn tool(signature: &str) -> String {
    format!("[t:Tool {{description: \"d\"}} | {signature}]")
}

#[track_caller]
fn restyled(source: &str, style: Style) -> Restyled {
    restyle(source, style).unwrap_or_else(|error| panic!("{source}\n{error}"))
}

/// Pairs of the properties of a parameter: in the style `list` and in the style `portable`.
const PAIRS: [(&str, &str); 17] = [
    (
        r#"fields: [{name: "a", type: "Text"}]"#,
        r#"fields: {a: "Text"}"#,
    ),
    (
        r#"fields: [{name: "a", type: "Int", optional: true}, {name: "b", type: "Any"}]"#,
        r#"fields: {a: "Maybe Int", b: "Any"}"#,
    ),
    (
        r#"fields: [{name: "a", type: "Array", elementType: "Text"}]"#,
        r#"fields: {a: "[Text]"}"#,
    ),
    (
        r#"fields: [{name: "a", type: "Object", valueType: "Double"}]"#,
        r#"fields: {a: "Map Double"}"#,
    ),
    (
        r#"fields: [{name: "user", type: "Object", fields: [{name: "name", type: "Text"}, {name: "tags", type: "Array", elementType: "Text"}]}]"#,
        r#"fields: {user: "{name: Text, tags: [Text]}"}"#,
    ),
    (
        r#"fields: [{name: "two words", type: "Object"}]"#,
        r#"fields: {`two words`: "Object"}"#,
    ),
    ("fields: []", "fields: {}"),
    (r#"elementType: "Text""#, r#"elementType: "Text""#),
    (
        r#"elementType: {type: "Array", elementType: "Int"}"#,
        r#"elementType: "[Int]""#,
    ),
    (
        r#"elementType: {type: "Object", fields: [{name: "name", type: "Text"}]}"#,
        r#"elementType: "{name: Text}""#,
    ),
    (
        r#"elementType: {type: "Object", valueType: "Int"}"#,
        r#"elementType: "Map Int""#,
    ),
    (
        r#"elementType: {type: "Text", optional: true}"#,
        r#"elementType: "Maybe Text""#,
    ),
    // One map of plain values is official gram.
    (
        r#"elementType: {type: "Text", enum: ["a", "b"], minLength: 1}"#,
        r#"elementType: {type: "Text", enum: ["a", "b"], minLength: 1}"#,
    ),
    (
        r#"elementType: {type: "Array", elementType: {type: "Array", elementType: "Int"}, minItems: 1}"#,
        r#"elementType: {type: "[[Int]]", minItems: 1}"#,
    ),
    (
        r#"elementType: {type: "Array", optional: true, elementType: {type: "Int", optional: true}, minItems: 1}"#,
        r#"elementType: {type: "[Maybe Int]", optional: true, minItems: 1}"#,
    ),
    (
        r#"valueType: {type: "Object", fields: [{name: "x", type: "Int"}]}, description: "d""#,
        r#"valueType: "{x: Int}", description: "d""#,
    ),
    (
        r#"valueType: {type: "Array", elementType: {type: "Array"}}"#,
        r#"valueType: "[Array]""#,
    ),
];

fn param(properties: &str) -> String {
    let label = if properties.starts_with("elementType") {
        "Array"
    } else {
        "Object"
    };
    tool(&format!(
        "(p::{label} {{{properties}}})==>(::{label} {{{properties}}})"
    ))
}

#[test]
fn converts_each_style_to_the_other() {
    for (list, portable) in PAIRS {
        let (list, portable) = (param(list), param(portable));
        let there = restyled(&list, Style::Portable);
        assert_eq!(there.text, portable);
        assert_eq!(there.warnings, []);
        let back = restyled(&portable, Style::List);
        // A map where a label says all is list form, too; it is not made anew.
        let canonical = list.replace(r#"{type: "Array"}"#, r#""Array""#);
        assert_eq!(back.text, canonical);
        assert_eq!(back.warnings, []);
    }
}

#[test]
fn keeps_values_that_are_in_the_style() {
    for (list, portable) in PAIRS {
        for (properties, style) in [(list, Style::List), (portable, Style::Portable)] {
            let source = param(properties);
            assert_eq!(restyled(&source, style).text, source);
        }
    }
    for (properties, style) in [
        ("fields: [ {type: Text, name: 'a'} ]", Style::List),
        (
            "fields: [{name: \"a\", type: \"Object\", default: {b: [{}]}}]",
            Style::List,
        ),
        ("fields: { a: Text, b:'Maybe Int'}", Style::Portable),
        ("elementType: {minLength: 1, type: Text}", Style::Portable),
        ("elementType: {minLength: 1, type: Text}", Style::List),
        ("elementType: '[Int]'", Style::Portable),
    ] {
        let source = param(properties);
        assert_eq!(restyled(&source, style).text, source);
    }
}

#[test]
fn converts_other_notations_of_types_to_the_style() {
    for (properties, style, expected) in [
        (
            "elementType: {type: {type: \"Text\", minLength: 1}, maxLength: 3}",
            Style::List,
            "elementType: {type: \"Text\", minLength: 1, maxLength: 3}",
        ),
        (
            "elementType: {type: {type: \"Text\", minLength: 1}, maxLength: 3}",
            Style::Portable,
            "elementType: {type: \"Text\", minLength: 1, maxLength: 3}",
        ),
        (
            "fields: {a: {type: \"Text\", description: \"d\"}}",
            Style::List,
            "fields: [{name: \"a\", type: \"Text\", description: \"d\"}]",
        ),
        (
            "fields: {a: {type: \"Text\"}, b: \"[Int]\"}",
            Style::Portable,
            "fields: {a: \"Text\", b: \"[Int]\"}",
        ),
        (
            "fields: [{name: \"a\", type: \"{b: Int}\"}]",
            Style::List,
            "fields: [{name: \"a\", type: \"Object\", fields: [{name: \"b\", type: \"Int\"}]}]",
        ),
    ] {
        assert_eq!(restyled(&param(properties), style).text, param(expected));
    }
}

#[test]
fn styles_have_names() {
    for style in Style::ALL {
        assert_eq!(style.to_string().parse(), Ok(*style));
    }
    let error = "List".parse::<Style>().expect_err("case counts");
    assert_eq!(
        error.to_string(),
        "\"List\" is not a style; there are `list` and `portable`"
    );
}
