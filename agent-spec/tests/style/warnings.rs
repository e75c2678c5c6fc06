//! Types that a style cannot express: one warning for each, at its position, and nothing is lost.

use crate::style::{restyled, tool};
use agent_spec::Style;

#[track_caller]
fn one_warning(source: &str, style: Style, code: &str, at: &str, message: &str) {
    let restyled = restyled(source, style);
    let [found] = restyled.warnings.as_slice() else {
        panic!("{source}\n{:#?}", restyled.warnings);
    };
    assert_eq!(found.code().as_str(), code, "{source}");
    assert_eq!(
        found.span().text(source),
        at,
        "{source}\n{}",
        found.message()
    );
    assert!(
        found.message().contains(message),
        "{source}\n{}",
        found.message()
    );
    assert!(found.help().is_some(), "{source}");
    assert_eq!(restyled.text, source);
}

#[test]
fn warns_of_types_that_expressions_cannot_contain() {
    for (signature, at, message) in [
        (
            r#"(p::Object {fields: [{name: "a", type: "Text", description: "d"}, {name: "b", type: "Int"}]})==>(::Any)"#,
            r#"{name: "a", type: "Text", description: "d"}"#,
            "`fields` of the parameter `p` stays as it is: the field `a` has a description",
        ),
        (
            r#"(p::Object {fields: [{name: "a", type: "Text"}, {name: "b", type: "Int", default: 1}]})==>(::Any)"#,
            r#"{name: "b", type: "Int", default: 1}"#,
            "the field `b` has a default",
        ),
        (
            r#"(p::Object {fields: [{name: "a", type: "Text", maxLength: 3}]})==>(::Any)"#,
            r#"{name: "a", type: "Text", maxLength: 3}"#,
            "the field `a` is narrowed by `maxLength`",
        ),
        (
            r#"(p::Object {fields: [{name: "a", type: "Object", fields: [{name: "b c", type: "Int"}]}]})==>(::Any)"#,
            r#"{name: "a", type: "Object", fields: [{name: "b c", type: "Int"}]}"#,
            "the field `a.b c` has a name",
        ),
        (
            r#"(p::Object {fields: {a: {type: "Int", default: 1}}})==>(::Any)"#,
            r#"{type: "Int", default: 1}"#,
            "the field `a` has a default",
        ),
        (
            r#"(p::Int)==>(::Array {elementType: {type: "Object", fields: [{name: "a", type: "Int", minimum: 1}]}})"#,
            r#"{type: "Object", fields: [{name: "a", type: "Int", minimum: 1}]}"#,
            "`elementType` of the result stays as it is: `a` of the type is narrowed by `minimum`",
        ),
        (
            r#"(p::Array {elementType: {type: "Array", enum: [["a"], ["b"]]}})==>(::Any)"#,
            r#"{type: "Array", enum: [["a"], ["b"]]}"#,
            "the type is narrowed by `enum`",
        ),
    ] {
        one_warning(
            &tool(signature),
            Style::Portable,
            "agent::not-portable",
            at,
            message,
        );
    }
}

#[test]
fn warns_of_values_that_official_gram_rejects() {
    let nested = "lists or maps inside a list";
    for (source, at, message) in [
        (
            tool("(p::Array {default: []})==>(::Any)"),
            "[]",
            "`default` of `p` has an empty list",
        ),
        (
            tool("(p::Array {default: [1, [2]]})==>(::Any)"),
            "[2]",
            nested,
        ),
        (
            tool("(p::Object {default: {a: {b: 1}}})==>(::Any)"),
            "{b: 1}",
            nested,
        ),
        (
            tool("(p::Object {default: {a: [{b: 1}]}})==>(::Any)"),
            "{b: 1}",
            nested,
        ),
        (
            tool("(p::Object {default: {`//`: 1}})==>(::Any)"),
            "`//`",
            "comment mark",
        ),
        (
            tool("(p::Text {default: \" //cdn\"})==>(::Any)"),
            "\" //cdn\"",
            "comment mark",
        ),
        (
            tool("(p::Array {elementType: {type: \"Any\", enum: [\"/** doc */\"]}})==>(::Any)"),
            "\"/** doc */\"",
            "`elementType` of `p` has a text that begins with a comment mark",
        ),
        (
            tool("(p::Object {valueType: {type: \"Text\", pattern: \"//\"}})==>(::Any)"),
            "\"//\"",
            "`valueType` of `p` has a text that begins with a comment mark",
        ),
        (
            tool("(p::Text {default: true`x`})==>(::Any)"),
            "true`x`",
            "tag",
        ),
        (tool("(p::Array {enum: [[1]]})==>(::Any)"), "[1]", nested),
        (
            "[x {k: 1.5s}]".to_owned(),
            "1.5s",
            "`k` of `x` has a measurement",
        ),
        ("[x {k: 1s..2.5s}]".to_owned(), "1s..2.5s", "a measurement"),
        ("[`//` | a]".to_owned(), "`//`", "a name has"),
        ("{meta: [{a: 1}]} (x)".to_owned(), "{a: 1}", "`meta` has"),
        ("[x {k: []} | y]".to_owned(), "[]", "`k` of `x`"),
        ("@k([[1]]) (b)".to_owned(), "[1]", "`k`"),
        ("(a)-[r {k: []}]->(b)".to_owned(), "[]", "`k` of `r`"),
        ("(a) // \0".to_owned(), "\0", "U+0000"),
    ] {
        one_warning(&source, Style::Portable, "agent::not-portable", at, message);
        assert_eq!(restyled(&source, Style::List).warnings, [], "{source}");
    }
}

#[test]
fn keeps_values_with_a_comment_inside() {
    for (properties, style, at) in [
        (
            "fields: [\n// why\n{name: \"a\", type: \"Text\"}]",
            Style::Portable,
            "[\n// why\n{name: \"a\", type: \"Text\"}]",
        ),
        (
            "fields: {a: \"Text\" /** why */}",
            Style::List,
            "{a: \"Text\" /** why */}",
        ),
    ] {
        let source = tool(&format!("(p::Object {{{properties}}})==>(::Any)"));
        one_warning(
            &source,
            style,
            "agent::comment-in-type",
            at,
            "`fields` of the parameter `p`",
        );
    }
}

/// In the style that it has, and in plain values, nothing has to be written anew.
#[test]
fn ignores_comments_elsewhere() {
    let source = tool(
        "(p::Object {fields: {a: \"Text\" // why\n}, default: {a: /** b */ \"x\"}})==>(::Any)",
    );
    let restyled = restyled(&source, Style::Portable);
    assert_eq!(restyled.warnings, []);
    assert_eq!(restyled.text, source);
}

#[test]
fn warns_of_each_field_in_source_order() {
    let source = tool(
        "(p::Object {fields: [{name: \"a\", type: \"Int\", default: 1}, {name: \"b\", type: \"Int\"}, \
         {name: \"c\", type: \"Int\", minimum: 1}]})==>(q::Array {default: []})==>(::Any)",
    );
    let restyled = restyled(&source, Style::Portable);
    let messages: Vec<&str> = restyled
        .warnings
        .iter()
        .map(|found| found.message())
        .collect();
    assert_eq!(messages.len(), 3);
    assert!(messages[0].contains("`a` has a default"), "{}", messages[0]);
    assert!(messages[1].contains("`c` is narrowed"), "{}", messages[1]);
    assert!(messages[2].contains("`default` of `q`"), "{}", messages[2]);
}

/// An escape hides the mark from the official tools, and says the same.
#[test]
fn ignores_escaped_comment_marks() {
    let source = tool("(p::Text {default: \"\\//cdn\"})==>(::Any)");
    assert_eq!(restyled(&source, Style::Portable).warnings, []);
}
