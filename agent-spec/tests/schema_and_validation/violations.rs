//! The messages about values that are not of their type.

use crate::schema_and_validation::making::*;
use agent_spec::{Kind, Type, Violations};
use serde_json::{Value, json};

/// The messages, one a line; empty when nothing is wrong.
fn messages(ty: &Type, value: &Value) -> String {
    match ty.validate(value) {
        Ok(()) => String::new(),
        Err(violations) => violations.to_string(),
    }
}

fn person() -> Type {
    record(vec![
        field("name", text()),
        field("age", maybe(int())),
        field("tags", maybe(list(text()))),
        field("maxResults", maybe(int())),
    ])
}

#[test]
fn accepts_values_of_the_type() {
    for (ty, value) in [
        (anything(), json!(null)),
        (anything(), json!([1, "x", {}])),
        (Type::new(Kind::Null), json!(null)),
        (int(), json!(5)),
        (
            Type::int_in(&(i64::MIN as i128, i64::MAX as i128)),
            json!(5.0),
        ),
        (int(), json!(5.0)),
        (int(), json!(-0.0)),
        (int(), json!(1e300)),
        (Type::int_in(&(0, 255)), json!(255.0)),
        (
            Type::int_in(&(i128::MIN, i128::MAX)),
            json!(1.7014118346046923e38),
        ),
        (double(), json!(5)),
        (open(), json!({"a": null})),
        (list(maybe(int())), json!([1, null])),
        (map(int()), json!({"a": 1, "b c": 2})),
        (maybe(text()), json!(null)),
        (person(), json!({"name": "Ada"})),
        (person(), json!({"name": "Ada", "age": null, "else": 1})),
        (
            narrowed(text(), json!({"minLength": 2, "maxLength": 2})),
            json!("ää"),
        ),
        (narrowed(text(), json!({"pattern": "b"})), json!("abc")),
        (narrowed(anything(), json!({"minimum": 5})), json!("abc")),
        (narrowed(double(), json!({"multipleOf": 0.1})), json!(0.3)),
        (
            narrowed(double(), json!({"exclusiveMinimum": 0})),
            json!(0.1),
        ),
        (narrowed(int(), json!({"enum": [1, 2]})), json!(2.0)),
        (
            narrowed(anything(), json!({"enum": [[1, {"a": "x"}]]})),
            json!([1.0, {"a": "x"}]),
        ),
        (
            narrowed(double(), json!({"minimum": 0.5, "maximum": 1})),
            json!(0.5),
        ),
        (maybe(narrowed(text(), json!({"enum": ["a"]}))), json!(null)),
        (any_of(vec![text(), int()]), json!(1)),
        (maybe(any_of(vec![text(), int()])), json!(null)),
        (shapes(), json!({"kind": "line", "points": [[1, 2]]})),
        (tuple(vec![text(), maybe(int())]), json!(["a", null])),
        (
            extended(vec![field("a", text())], int()),
            json!({"a": "x", "A": 1}),
        ),
    ] {
        assert_eq!(messages(&ty, &value), "", "{ty:?} {value}");
    }
}

/// Records with a tag, as serde's `tag = "kind"` makes them.
fn shapes() -> Type {
    let tagged = |tag: &str, name: &str, ty: Type| {
        let tag = narrowed(text(), json!({"enum": [tag]}));
        record(vec![field("kind", tag), field(name, ty)])
    };
    any_of(vec![
        tagged("circle", "radius", double()),
        tagged("square", "side", double()),
        tagged("line", "points", list(tuple(vec![double(), double()]))),
    ])
}

#[test]
fn an_error_speaks_of_the_nearest_type_of_a_union() {
    let name = || record(vec![field("name", text()), field("age", int())]);
    let id = || record(vec![field("id", int())]);
    for (ty, value, expected) in [
        (
            any_of(vec![text(), int()]),
            json!(true),
            "`$`: expected Text or Int, found true",
        ),
        (
            any_of(vec![text(), int(), name(), id()]),
            json!([]),
            "`$`: expected Text, Int or Object, found the list []",
        ),
        (
            narrowed(double(), json!({"exclusiveMinimum": 0})),
            json!(0),
            "`$`: expected more than 0, found the number 0",
        ),
        (
            narrowed(int(), json!({"exclusiveMaximum": 9.5})),
            json!(10),
            "`$`: expected less than 9.5, found the number 10",
        ),
        (
            narrowed(double(), json!({"multipleOf": 0.1})),
            json!(0.35),
            "`$`: expected a multiple of 0.1, found the number 0.35",
        ),
        (
            any_of(vec![text(), int()]),
            json!(1.5),
            "`$`: expected Int, found the number 1.5",
        ),
        (
            any_of(vec![text(), name()]),
            json!({"name": "Ada", "age": "x"}),
            r#"`$.age`: expected Int, found the text "x""#,
        ),
        // The record that misses fewer fields is the nearest one.
        (
            any_of(vec![name(), id()]),
            json!({"id": "x"}),
            r#"`$.id`: expected Int, found the text "x""#,
        ),
        (
            any_of(vec![id(), name()]),
            json!({"name": "Ada", "age": "x"}),
            r#"`$.age`: expected Int, found the text "x""#,
        ),
        // A mistake inside a field is nearer than a missing field.
        (
            any_of(vec![
                record(vec![field(
                    "circle",
                    record(vec![field("radius", double())]),
                )]),
                record(vec![field("square", record(vec![field("side", double())]))]),
            ]),
            json!({"square": {"side": "x"}}),
            r#"`$.square.side`: expected Double, found the text "x""#,
        ),
        (
            shapes(),
            json!({"kind": "square", "side": "x"}),
            r#"`$.side`: expected Double, found the text "x""#,
        ),
        (
            shapes(),
            json!({"kind": "line", "points": [[1, 2], [1]]}),
            "`$.points[1]`: expected exactly 2 items, found 1 item",
        ),
        (
            shapes(),
            json!({"kind": "circel", "radius": 1}),
            "`$.kind`: expected one of \"circle\", \"square\", \"line\", found the text \"circel\"; \
             did you mean \"circle\"?",
        ),
        (
            list(any_of(vec![text(), int()])),
            json!(["a", 1, null]),
            "`$[2]`: expected Text or Int, found null",
        ),
        (
            narrowed(any_of(vec![text(), int()]), json!({"enum": ["a", 1]})),
            json!("other"),
            r#"`$`: expected one of "a", 1, found the text "other""#,
        ),
        (
            extended(vec![field("a", text())], int()),
            json!({"a": "x", "b": 1, "aa": "y"}),
            r#"`$.aa`: expected Int, found the text "y""#,
        ),
        (
            extended(vec![field("name", text())], int()),
            json!({"nmae": 1}),
            "`$.name`: expected Text, found nothing; `name` is required, and \"nmae\" is not \
             declared; did you mean `name`?",
        ),
    ] {
        assert_eq!(messages(&ty, &value), expected, "{ty:?} {value}");
    }
}

#[test]
fn a_value_of_no_enum_of_a_union_gets_the_values_of_all() {
    let word = |word: &str| narrowed(text(), json!({"enum": [word]}));
    let fit = any_of(vec![
        word("cover"),
        word("contain"),
        narrowed(int(), json!({"maximum": 9})),
    ]);
    assert_eq!(
        messages(&fit, &json!("stretch")),
        "`$`: expected one of \"cover\", \"contain\", found the text \"stretch\""
    );
    assert_eq!(
        messages(&fit, &json!("covr")),
        "`$`: expected one of \"cover\", \"contain\", found the text \"covr\"; did you mean \"cover\"?"
    );
    // A listed value that another keyword refuses gets the message of that keyword.
    let least = narrowed(int(), json!({"enum": [1, 2], "minimum": 2}));
    let both = any_of(vec![least, narrowed(int(), json!({"enum": [3]}))]);
    assert!(!messages(&both, &json!(1)).contains("1, 2"));
}

#[test]
fn a_missing_union_is_named_by_the_labels_of_its_types() {
    let ty = record(vec![field("to", any_of(vec![text(), int()]))]);
    assert_eq!(
        messages(&ty, &json!({})),
        "`$.to`: expected Text or Int, found nothing; `to` is required"
    );
}

#[test]
fn a_hostile_value_of_nested_unions_is_checked_in_time() {
    let nest = |inner: Type, names: [&str; 2]| {
        any_of(vec![
            record(vec![field(names[0], inner.clone())]),
            record(vec![field(names[0], inner), field(names[1], int())]),
        ])
    };
    let ty = (0..10).fold(any_of(vec![text(), int()]), |inner, _| {
        nest(inner, ["a", "b"])
    });
    let deep = (0..10).fold(json!(true), |inner, _| json!({"a": inner}));
    let wide = Value::Array(vec![deep; 200]);
    let violations = list(ty).validate(&wide).expect_err("no type of the union");
    assert_eq!(violations.len(), 200);
}

#[test]
fn words_of_each_kind_of_violation() {
    let celsius = narrowed(text(), json!({"enum": ["celsius", "fahrenheit"]}));
    for (ty, value, expected) in [
        (
            int(),
            json!("x"),
            r#"`$`: expected Int, found the text "x""#,
        ),
        (int(), json!(1.5), "`$`: expected Int, found the number 1.5"),
        (int(), json!(null), "`$`: expected Int, found null"),
        (text(), json!(true), "`$`: expected Text, found true"),
        (
            double(),
            json!("1"),
            r#"`$`: expected Double, found the text "1""#,
        ),
        (
            Type::new(Kind::Bool),
            json!("true"),
            r#"`$`: expected Bool, found the text "true""#,
        ),
        (
            Type::new(Kind::Null),
            json!({}),
            "`$`: expected Null, found the object {}",
        ),
        (
            list(anything()),
            json!({"a": 1}),
            r#"`$`: expected Array, found the object {"a":1}"#,
        ),
        (
            open(),
            json!([1]),
            "`$`: expected Object, found the list [1]",
        ),
        (
            list(int()),
            json!([1, "x"]),
            r#"`$[1]`: expected Int, found the text "x""#,
        ),
        (
            list(maybe(int())),
            json!(["x"]),
            r#"`$[0]`: expected Int, found the text "x""#,
        ),
        (
            map(int()),
            json!({"a b": "x"}),
            r#"`$["a b"]`: expected Int, found the text "x""#,
        ),
        (
            map(list(int())),
            json!({"a.b": [[]]}),
            r#"`$["a.b"][0]`: expected Int, found the list []"#,
        ),
        (
            Type::int_in(&(0, 255)),
            json!(300),
            "`$`: expected Int from 0 to 255, found the number 300",
        ),
        (
            Type::int_in(&(0, 255)),
            json!(-1.0),
            "`$`: expected Int from 0 to 255, found the number -1.0",
        ),
        (
            Type::int_in(&(i64::MIN as i128, i64::MAX as i128)),
            json!(9_223_372_036_854_775_808_u64),
            "`$`: expected Int from -9223372036854775808 to 9223372036854775807, found the number 9223372036854775808",
        ),
        (
            person(),
            json!({}),
            "`$.name`: expected Text, found nothing; `name` is required",
        ),
        (
            person(),
            json!({"nmae": "Ada"}),
            "`$.name`: expected Text, found nothing; `name` is required, and \"nmae\" is not declared; did you mean `name`?",
        ),
        (
            person(),
            json!({"title": "Ada"}),
            "`$.name`: expected Text, found nothing; `name` is required",
        ),
        (
            person(),
            json!({"Name": "Ada"}),
            "`$.Name`: expected a name that is declared, found the name \"Name\"; did you mean `name`?",
        ),
        (
            person(),
            json!({"name": "Ada", "max_results": 1, "maxResults": null}),
            "`$.max_results`: expected a name that is declared, found the name \"max_results\"; did you mean `maxResults`?",
        ),
        (
            celsius,
            json!("Celsius"),
            r#"`$`: expected one of "celsius", "fahrenheit", found the text "Celsius"; did you mean "celsius"?"#,
        ),
        (
            narrowed(int(), json!({"enum": [7]})),
            json!(8),
            "`$`: expected 7, found the number 8",
        ),
        (
            narrowed(int(), json!({"minimum": 1})),
            json!(0),
            "`$`: expected at least 1, found the number 0",
        ),
        (
            narrowed(double(), json!({"maximum": 0.5})),
            json!(1),
            "`$`: expected at most 0.5, found the number 1",
        ),
        (
            narrowed(text(), json!({"minLength": 1})),
            json!(""),
            "`$`: expected at least 1 character, found 0 characters",
        ),
        (
            narrowed(text(), json!({"maxLength": 2})),
            json!("äöü"),
            "`$`: expected at most 2 characters, found 3 characters",
        ),
        (
            narrowed(text(), json!({"pattern": "^a$"})),
            json!("b"),
            r#"`$`: expected text that matches the pattern `^a$`, found the text "b""#,
        ),
        (
            narrowed(list(anything()), json!({"minItems": 2})),
            json!([1]),
            "`$`: expected at least 2 items, found 1 item",
        ),
        (
            narrowed(list(anything()), json!({"maxItems": 1})),
            json!([1, 2]),
            "`$`: expected at most 1 item, found 2 items",
        ),
        (
            narrowed(text(), json!({"format": "date"})),
            json!("soon"),
            r#"`$`: expected a date, such as "2026-11-21", found the text "soon""#,
        ),
    ] {
        assert_eq!(messages(&ty, &value), expected, "{value}");
    }
}

#[test]
fn reports_all_violations_at_once() {
    let ty = record(vec![
        field("user", person()),
        field(
            "unit",
            narrowed(text(), json!({"enum": ["C"], "maxLength": 1})),
        ),
    ]);
    let value = json!({"user": {"age": "x", "tags": ["a", 1, 2]}, "unit": "FF"});
    assert_eq!(
        messages(&ty, &value).lines().collect::<Vec<_>>(),
        [
            "`$.user.name`: expected Text, found nothing; `name` is required",
            "`$.user.age`: expected Int, found the text \"x\"",
            "`$.user.tags[1]`: expected Text, found the number 1",
            "`$.user.tags[2]`: expected Text, found the number 2",
            "`$.unit`: expected \"C\", found the text \"FF\"",
            "`$.unit`: expected at most 1 character, found 2 characters",
        ]
    );
}

#[test]
fn a_violation_has_parts() {
    let violations = person().validate(&json!({"age": "x"})).expect_err("two");
    assert_eq!((violations.len(), violations.iter().count()), (2, 2));
    let first = violations.first();
    assert_eq!(first.path(), "$.name");
    assert_eq!((first.expected(), first.found()), ("Text", "nothing"));
    assert_eq!(first.help(), Some("`name` is required"));
    let source: &dyn std::error::Error = &violations;
    assert!(source.source().is_none());
    assert_eq!(violations.into_iter().count(), 2);
}

#[test]
fn an_invalid_pattern_matches_nothing_and_is_named() {
    let message = messages(&narrowed(text(), json!({"pattern": "("})), &json!("("));
    assert!(message.contains("the pattern itself is wrong"), "{message}");
}

#[test]
fn shortens_found_values_between_characters() {
    let long = "ä".repeat(1000);
    for value in [
        json!(long),
        json!([long]),
        json!({"k": long}),
        json!({long.clone(): 1}),
    ] {
        let violations: Violations = int().validate(&value).expect_err("not an Int");
        let found = violations.first().found();
        assert!(found.ends_with('…') || found.ends_with("…\""), "{found}");
        assert!(found.chars().count() < 80, "{found}");
    }
    let violations = map(int())
        .validate(&json!({long: "x"}))
        .expect_err("not an Int");
    assert!(violations.first().path().chars().count() < 80);
}

#[test]
fn describes_a_deep_value_without_walking_it() {
    let mut deep = json!([]);
    for _ in 0..5_000 {
        deep = Value::Array(vec![deep]);
    }
    assert!(messages(&int(), &deep).ends_with("[[[…"));
}

#[test]
fn prints_a_limited_number_of_violations() {
    let value = Value::Array(vec![json!("x"); 1000]);
    let violations = list(int())
        .validate(&value)
        .expect_err("not a list of Ints");
    assert_eq!(violations.len(), 1000);
    let text = violations.to_string();
    assert_eq!(text.lines().count(), Violations::PRINTED + 1);
    assert!(text.ends_with("\nand 950 more"));
}

/// Long enumerations are looked up in another way than short ones.
#[test]
fn long_and_short_enumerations_allow_the_same() {
    for count in [3, 31, 32, 100] {
        let names = (0..count)
            .map(|at| format!("\"t{at}\""))
            .collect::<Vec<_>>();
        let signature = format!(
            "(x::Array {{elementType: {{type: \"Any\", enum: [{}, md`tagged`, 7, true]}}}})==>(::Null)",
            names.join(", ")
        );
        let signature =
            agent_spec::parse_signature(&signature).unwrap_or_else(|found| panic!("{found}"));
        let ty = signature.params()[0].ty();
        let last = format!("t{}", count - 1);
        assert!(
            ty.validate(&json!(["t0", last, "tagged", 7, 7.0, true]))
                .is_ok()
        );
        let wrong = json!(["t0", format!("t{count}"), "7", 8, false, "md", ["t0"]]);
        let found = ty.validate(&wrong).expect_err("six are wrong");
        let paths: Vec<&str> = found.iter().map(|violation| violation.path()).collect();
        assert_eq!(paths, ["$[1]", "$[2]", "$[3]", "$[4]", "$[5]", "$[6]"]);
        let named = found.first().expected().matches(", ").count() + 1;
        assert_eq!(named, (count + 3).min(20));
        let more = format!(" and {} more", (count + 3).saturating_sub(20));
        assert_eq!(found.first().expected().ends_with(&more), count > 20);
    }
}
