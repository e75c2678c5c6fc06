//! The work that documents, schemas and values of others can cause is limited.

use crate::schema_and_validation::making::*;
use agent_spec::check::{Options, check};
use agent_spec::schema::{SchemaError, SchemaReader};
use agent_spec::{Field, Kind, Type};
use serde_json::{Map, Value, json};

/// A type of texts with a pattern.
fn matching(pattern: &str) -> Type {
    narrowed(text(), json!({"pattern": pattern}))
}

/// Returns the violations of a value.
fn violations(ty: &Type, value: &Value) -> Vec<String> {
    match ty.validate(value) {
        Ok(()) => Vec::new(),
        Err(violations) => violations.iter().map(ToString::to_string).collect(),
    }
}

/// A pattern whose compiled form is small, and counts as large because of its groups.
fn large_pattern(number: usize) -> String {
    "()".repeat(150) + &number.to_string()
}

fn read(schema: &Value) -> Result<Type, SchemaError> {
    SchemaReader::new().read_type(schema)
}

/// The fields of a record.
fn fields(ty: &Type) -> &[Field] {
    match ty.kind() {
        Kind::Object(shape) => shape.fields(),
        _ => &[],
    }
}

fn is_too_much(read: Result<Type, SchemaError>) -> bool {
    read.is_err_and(|error| {
        error
            .to_string()
            .contains("unfolds into more than 200000 parts")
    })
}

#[test]
fn usual_patterns_match_texts_of_megabytes() {
    let name = matching("^[a-z0-9-]+$");
    assert_eq!(violations(&name, &"ab-12".repeat(100_000).into()), [""; 0]);

    // These fail at the first character, which takes no time, and count as if all were matched.
    let long = "!".repeat(2_000_000);
    for pattern in [
        "^[a-z0-9-]+$",
        r"^[^@!]+@[^@\s]+\.[^@\s]+$",
        r"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    ] {
        let found = violations(&matching(pattern), &long.as_str().into());
        assert!(found[0].contains("expected text that matches"), "{found:?}");
    }
}

#[test]
fn rejects_a_text_that_takes_too_long_to_match() {
    let ty = matching("[A-Za-z0-9 .,]{1,1000}!");
    assert_eq!(
        violations(&ty, &"a".repeat(1_000_000).into()),
        [
            "`$`: expected text of at most 65471 bytes, found 1000000 bytes; a longer text would take too \
             long to match with `[A-Za-z0-9 .,]{1,1000}!`"
        ]
    );
    assert_eq!(violations(&ty, &"Hello!".into()), [""; 0]);
}

#[test]
fn the_texts_of_a_value_share_the_work_of_matching() {
    let ty = list(matching("^b[a-z]{1,1000}"));
    let found = violations(&ty, &vec!["a".repeat(50_000); 2].into());
    assert!(
        found[0].contains("`$[0]`: expected text that matches"),
        "{found:?}"
    );
    assert!(
        found[1].contains("`$[1]`: expected text of at most"),
        "{found:?}"
    );
}

#[test]
fn a_long_pattern_is_shortened_in_violations() {
    let found = violations(&matching(&"a".repeat(50_000)), &"b".into());
    assert!(found[0].len() < 1_200, "{}", found[0].len());
}

#[test]
fn the_patterns_of_a_document_are_limited_in_sum() {
    let document = |pattern: fn(usize) -> String| {
        let fields =
            (0..80).map(|at| format!("p{at}: {{type: \"Text\", pattern: \"{}\"}}", pattern(at)));
        let fields: Vec<String> = fields.collect();
        format!(
            "[t:Tool {{description: \"d\"}} | (a::Object {{fields: {{{}}}}})==>(::Null)]",
            fields.join(", ")
        )
    };
    let source = document(large_pattern);
    let checked = check(&source, Options::default());
    let first = &checked.diagnostics[0];
    assert!(
        first
            .message()
            .contains("the patterns before it are too large together"),
        "{}",
        first.message()
    );
    let at = first.span().start as usize;
    assert!(source[..at].contains("p30:"), "{at}");

    // Equal patterns are compiled once.
    let checked = check(&document(|_| large_pattern(0)), Options::default());
    assert_eq!(checked.diagnostics.len(), 0);
}

#[test]
fn the_defaults_of_a_document_share_the_work_of_matching() {
    let default = "b".repeat(50_000);
    let field = |name| {
        format!("{name}: {{type: \"Text\", pattern: \"^b[a-z]?{{1000}}\", default: \"{default}\"}}")
    };
    let source = format!(
        "[t:Tool {{description: \"d\"}} | (a::Object {{fields: {{{}, {}}}}})==>(::Null)]",
        field("b"),
        field("c")
    );
    let checked = check(&source, Options::default());
    let found: Vec<&str> = checked
        .diagnostics
        .iter()
        .map(|found| found.message())
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("expected text of at most"), "{found:?}");
}

#[test]
fn the_patterns_of_a_schema_are_limited_in_sum() {
    let schema = |pattern: fn(usize) -> String| {
        let property = |at| {
            (
                format!("p{at}"),
                json!({"type": "string", "pattern": pattern(at)}),
            )
        };
        let properties: Map<String, Value> = (0..80).map(property).collect();
        json!({"type": "object", "properties": properties})
    };
    let error = read(&schema(large_pattern)).expect_err("too many patterns");
    let first = error.first();
    assert!(
        first
            .message()
            .contains("the patterns before it are too large together"),
        "{error}"
    );
    assert!(read(&schema(|_| large_pattern(0))).is_ok());
}

#[test]
fn the_parts_of_all_of_are_limited() {
    // Each part is added to a copy of those before it.
    let part = |at| json!({"type": "object", "properties": {format!("p{at}"): {"type": "string"}}});
    let all = |count| json!({"allOf": (0..count).map(part).collect::<Vec<_>>()});
    assert!(read(&all(100)).is_ok());
    assert!(is_too_much(read(&all(20_000))));

    // Each record of a union is joined with the same record, at each level.
    let large: Map<String, Value> = (0..1_000)
        .map(|at| (format!("q{at}"), json!(true)))
        .collect();
    let records: Vec<Value> = (0..60).map(part).collect();
    let schema = (0..4).fold(
        json!({"type": "object", "properties": large}),
        |inner, _| {
            let inner = json!({"type": "object", "properties": {"inner": inner}});
            json!({"allOf": [inner, {"anyOf": records}]})
        },
    );
    assert!(is_too_much(read(&schema)));
}

#[test]
fn records_of_all_of_with_many_fields_are_joined_in_linear_time() {
    let part = |part| {
        let property = |at| (format!("p{part}-{at}"), json!(true));
        let properties: Map<String, Value> = (0..60_000).map(property).collect();
        json!({"type": "object", "properties": properties})
    };
    let ty = read(&json!({"allOf": [part("a"), part("b")]})).expect("a record");
    assert_eq!(fields(&ty).len(), 120_000);
}

#[test]
fn a_default_with_many_keys_is_read_in_linear_time() {
    let keys = |value: Value| -> Map<String, Value> {
        (0..60_000)
            .map(|at| (format!("p{at}"), value.clone()))
            .collect()
    };
    let record =
        json!({"type": "object", "properties": keys(json!(true)), "default": keys(json!(1))});
    let ty = read(&json!({"type": "object", "properties": {"a": record}})).expect("a record");
    assert!(fields(&ty)[0].default().is_some());
}

#[test]
fn the_values_that_arms_of_one_of_list_are_limited() {
    // Each value is checked against each other arm.
    let arm =
        |at| json!({"type": "object", "properties": {"kind": {"const": at}}, "required": ["kind"]});
    let schema = |values: usize| {
        let listed: Vec<String> = (0..values).map(|at| format!("v{at}")).collect();
        let arms = (0..50).map(arm).chain([json!({"enum": listed})]);
        json!({"oneOf": arms.collect::<Vec<_>>()})
    };
    assert!(read(&schema(100)).is_ok());
    assert!(is_too_much(read(&schema(20_000))));
}

#[test]
fn few_undeclared_keys_are_compared_with_many_missing_fields() {
    let keys = |count: usize| {
        let key = |at| (format!("unknown-{at:04}"), json!(1));
        let mut members: Map<String, Value> = (0..count).map(key).collect();
        members.insert("zzAmount".to_owned(), json!(1));
        Value::Object(members)
    };
    let optional = |name: &str| field(name, maybe(int()));
    let mut fields: Vec<Field> = (0..2_000)
        .map(|at| optional(&format!("field-{at}")))
        .collect();
    fields.push(optional("zz_amount"));
    let ty = record(fields);
    let found = violations(&ty, &keys(100));
    assert_eq!(
        found,
        [
            "`$.zzAmount`: expected a name that is declared, found the name \"zzAmount\"; did you mean `zz_amount`?"
        ]
    );
    assert_eq!(violations(&ty, &keys(900)), [""; 0]);
}
