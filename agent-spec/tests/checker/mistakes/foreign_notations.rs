//! Types as other languages write them: one finding each, with the right form in gram.

use super::{one_finding, tool};
use agent_spec::check::{Options, check, check_signature};

/// Checks that a signature has one finding, about this text, and that the form in its help is right.
#[track_caller]
fn one_form(signature: &str, code: &str, at: &str, form: &str) {
    let found = check_signature(signature).expect_err(signature).diagnostics;
    let [found] = found.as_slice() else {
        panic!("{signature}\n{found:#?}");
    };
    assert_eq!(found.code().as_str(), code, "{signature}");
    assert_eq!(found.span().text(signature), at, "{signature}");
    assert_eq!(
        found.help(),
        Some(&*format!("write `{form}`")),
        "{signature}"
    );
    let fixed = format!("{form}==>(::Any)");
    check_signature(&fixed).unwrap_or_else(|error| panic!("{fixed}: {error:?}"));
}

#[test]
fn quoted_expressions_have_the_help_of_bare_ones() {
    const UNION: &str = "(a::Any {anyOf: [\"Text\", \"Int\"]})";
    for (label, form) in [
        ("\"Text | Int\"", UNION),
        ("'Text | Int'", UNION),
        ("`Text | Int`", UNION),
        ("Text | Int", UNION),
        ("`Maybe Text`", "(a::Text {optional: true})"),
        ("`[Text]`", "(a::Array {elementType: \"Text\"})"),
        ("`Maybe Txt`", "(a::Text {optional: true})"),
    ] {
        let signature = format!("(a::{label})==>(::Any)");
        one_form(&signature, "agent::misplaced-type", label, form);
    }
    one_form(
        "(a::`[Text]` {description: \"d\"})==>(::Any)",
        "agent::misplaced-type",
        "`[Text]`",
        "(a::Array {elementType: \"Text\", description: \"d\"})",
    );
}

#[test]
fn foreign_expressions_have_the_right_form() {
    const OPTIONAL: &str = "(a::Text {optional: true})";
    const LIST: &str = "(a::Array {elementType: \"Text\"})";
    for (label, form) in [
        ("Maybe text", OPTIONAL),
        ("Maybe Txt", OPTIONAL),
        ("Optional Text", OPTIONAL),
        ("Option<Text>", OPTIONAL),
        ("Text?", OPTIONAL),
        ("Array Text", LIST),
        ("List Text", LIST),
        ("Array<Text>", LIST),
        ("List<String>", LIST),
        ("Text[]", LIST),
        ("[Str]", LIST),
        ("Map<Text, Int>", "(a::Object {valueType: \"Int\"})"),
        ("Text or Int", "(a::Any {anyOf: [\"Text\", \"Int\"]})"),
        ("Text=3", "(a::Text {default: \"3\"})"),
        ("Text = \"x (y)\"", "(a::Text {default: \"x (y)\"})"),
        ("Int=3", "(a::Int {default: 3})"),
    ] {
        let signature = format!("(a::{label})==>(::Any)");
        one_form(&signature, "agent::misplaced-type", label, form);
    }
}

#[test]
fn an_expression_with_misspelt_words_names_them() {
    for (signature, words) in [
        ("(a::Maybe text)==>(::Any)", "`text` is not a type"),
        (
            "(b::[Imt | {x: Maybe}])==>(::Any)",
            "`Imt` is not a type; `Maybe` needs a type after it",
        ),
    ] {
        let found = check_signature(signature).expect_err(signature).diagnostics;
        let [found] = found.as_slice() else {
            panic!("{signature}\n{found:#?}");
        };
        assert!(found.message().ends_with(words), "{}", found.message());
        assert!(
            found
                .help()
                .is_some_and(|help| help.starts_with("write `("))
        );
    }
}

/// The parser skips the rest of a part after an error, so the second one shows when the first is gone.
#[test]
fn each_expression_inside_an_agent_has_its_form() {
    let source = "[a:Agent {instruction: \"x\", model: \"OpenAI/x\"} |
  [t:Tool {description: \"x\"} | (a::[Text])==>(b::Maybe Int)==>(::{t: Double})]]";
    let found = check(source, Options::default()).diagnostics;
    let forms: Vec<_> = found
        .iter()
        .map(|found| found.help().unwrap_or_default())
        .collect();
    assert_eq!(
        forms,
        [
            "write `(a::Array {elementType: \"Text\"})`",
            "write `(b::Int {optional: true})`",
            "write `(::Object {fields: [{name: \"t\", type: \"Double\"}]})`",
        ],
        "{found:#?}"
    );
}

#[test]
fn foreign_labels_have_the_right_form() {
    for (label, help) in [
        ("Float", "did you mean `Double`?"),
        ("Long", "did you mean `Int`?"),
        ("List", "`Array {elementType: "),
        ("Map", "`Object {valueType: "),
        ("Maybe", "`optional: true`"),
        ("Optional", "`optional: true`"),
        ("Union", "`Any {anyOf: "),
        ("Tuple", "`Array {items: "),
        ("Enum", "`Text {enum: "),
        ("Date", "`Text {format: \"date\"}`"),
        ("Void", "a result that is nothing is `Null`"),
        ("null", "`optional: true`"),
    ] {
        let signature = format!("(a::{label})==>(::Any)");
        let source = tool("description: \"d\"", &signature);
        one_finding(&source, "agent::unknown-type", label, help);
    }
    for (label, help) in [
        ("[List]", "`[Text]`"),
        ("Map Float", "did you mean `Double`?"),
        ("[Optional Text]", "`Maybe Text`"),
        ("null", "elsewhere, write the type of the value"),
    ] {
        let signature = format!("(a::Object {{fields: {{v: \"{label}\"}}}})==>(::Any)");
        let source = tool("description: \"d\"", &signature);
        one_finding(
            &source,
            "agent::unknown-type",
            &format!("\"{label}\""),
            help,
        );
    }
}

#[test]
fn foreign_keywords_have_the_right_one() {
    for (ty, key, help) in [
        ("Any {oneOf: [\"Text\"]}", "oneOf", "write `anyOf`"),
        ("Text {nullable: true}", "nullable", "`optional: true`"),
        ("Object {required: [\"a\"]}", "required", "`optional: true`"),
        (
            "Object {properties: {a: \"Text\"}}",
            "properties",
            "write `fields`",
        ),
        (
            "Object {additionalProperties: \"Text\"}",
            "additionalProperties",
            "write `valueType`",
        ),
        ("Int {min: 1}", "min", "write `minimum`"),
        ("Text {min: 1}", "min", "write `minLength`"),
        ("Array {max: 1}", "max", "write `maxItems`"),
        ("Text {title: \"x\"}", "title", "`description`"),
        (
            "Bool {colour: 1}",
            "colour",
            "known here: paramName, default, optional, description, remote, enum, const",
        ),
        (
            "Array {elementType: {type: \"Text\", max: 1}}",
            "max",
            "write `maxLength`",
        ),
    ] {
        let source = tool("description: \"d\"", &format!("(a::{ty})==>(::Any)"));
        one_finding(&source, "agent::unknown-property", key, help);
    }
    let source = tool("description: \"d\"", "(a::Text {colour: 1})==>(::Any)");
    let found = check(&source, Options::default()).diagnostics;
    let help = found[0].help().unwrap_or_default();
    assert!(
        help.contains("pattern") && !help.contains("fields"),
        "{help}"
    );
}

#[test]
fn a_type_in_the_wrong_place_has_the_right_form() {
    for (ty, code, at, help) in [
        (
            "Maybe {type: \"Text\"}",
            "agent::unknown-type",
            "Maybe",
            "`Text {optional: true}`",
        ),
        (
            "Text {type: \"Int\"}",
            "agent::unknown-property",
            "type",
            "the label is the type",
        ),
        (
            "Any {anyOf: [\"Text\", {name: \"Text\"}]}",
            "agent::missing-type",
            "{name: \"Text\"}",
            "`{type: \"Object\", fields: {name: \"Text\"}}`",
        ),
        (
            "Text {anyOf: [\"Text\", \"Int\"]}",
            "agent::misplaced-keyword",
            "[\"Text\", \"Int\"]",
            "`Any {anyOf: […]}`",
        ),
        (
            "Array {elementType: {anyOf: [\"Text\", \"Int\"]}}",
            "agent::missing-type",
            "{anyOf: [\"Text\", \"Int\"]}",
            "add `type: \"Any\"`",
        ),
        (
            "Any {anyOf: \"Text | {x: Int}\"}",
            "agent::bad-value",
            "\"Text | {x: Int}\"",
            "(::Any {anyOf: [\"Text\", {",
        ),
    ] {
        let source = tool("description: \"d\"", &format!("(a::{ty})==>(::Any)"));
        one_finding(&source, code, at, help);
    }
}

#[test]
fn bounds_without_a_whole_number_between_them_are_reported() {
    for (bounds, is_empty) in [
        ("exclusiveMinimum: 1, exclusiveMaximum: 2", true),
        ("minimum: 1.2, maximum: 1.8", true),
        ("exclusiveMinimum: 1.5, exclusiveMaximum: 2", true),
        ("exclusiveMinimum: 1, maximum: 2", false),
        ("exclusiveMinimum: 1.5, exclusiveMaximum: 2.5", false),
    ] {
        let signature = format!("(a::Int {{{bounds}}})==>(::Any)");
        assert_eq!(check_signature(&signature).is_err(), is_empty, "{bounds}");
        let double = signature.replace("Int", "Double");
        check_signature(&double).unwrap_or_else(|error| panic!("{double}: {error:?}"));
    }
}
