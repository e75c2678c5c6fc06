//! JSON Schemas that gram cannot say: each problem with its place and what would be right.

use agent_spec::schema::{SchemaError, SchemaReader};
use agent_spec::{Signature, ToolSpec, Type};
use serde_json::{Value, json};

fn refused(schema: &Value) -> SchemaError {
    match SchemaReader::exact().read_type(schema) {
        Err(error) => error,
        Ok(ty) => panic!("{schema}\nis {ty:?}"),
    }
}

#[test]
fn problems_name_the_path_and_advice() {
    for (schema, expected) in [
        (json!(3), "`$`: expected a schema, found the number 3"),
        (
            json!(false),
            "`$`: the schema `false` allows no value, and every gram type allows one; leave out what has this schema",
        ),
        (
            json!({"type": "strin"}),
            "`$.type`: expected a type, found the text \"strin\"; did you mean \"string\"?",
        ),
        (
            json!({"type": 1}),
            "`$.type`: expected a type, found the number 1; the types are \"null\", \"boolean\", \"integer\", \"number\", \"string\", \"array\" and \"object\"",
        ),
        (
            json!({"type": []}),
            "`$.type`: expected at least one type, found a list",
        ),
        (
            json!({"type": "string", "minLenght": 1}),
            "`$.minLenght`: `minLenght` is no keyword that is known here; did you mean `minLength`? If not, allow `Loss::UnknownKeywords`",
        ),
        (
            json!({"type": "string", "flavour": 1}),
            "`$.flavour`: `flavour` is no keyword that is known here; a key that starts with `x-` is never a keyword, or allow `Loss::UnknownKeywords`",
        ),
        (
            json!({"allOf": [{"type": "string"}], "nullable": true}),
            "`$.nullable`: gram has no word for `nullable`; write `type` beside it, or `{\"type\": \"null\"}` as one more schema of `anyOf`, or allow `Loss::UnknownKeywords`",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
            "`$.uniqueItems`: gram has no word for `uniqueItems`; let the tool refuse duplicates, or allow `Loss::UniqueItems`",
        ),
        (
            json!({"type": "number", "multipleOf": 0}),
            "`$.multipleOf`: expected a number above 0, found the number 0",
        ),
        (
            json!({"type": "object", "patternProperties": {"^s_": {}}}),
            "`$.patternProperties`: gram has no word for `patternProperties`; write `additionalProperties` for a map with any keys, or allow `Loss::FurtherProperties`",
        ),
        (
            json!({"type": "array", "prefixItems": [{}]}),
            "`$.prefixItems`: a tuple in gram has each of its items and no others, here 1; write `\"minItems\": 1` and `\"items\": false`, or allow `Loss::Tuples`",
        ),
        (
            json!({"type": "array", "items": [{}]}),
            "`$.items`: a tuple in gram has each of its items and no others, here 1; write `\"minItems\": 1` and `\"additionalItems\": false`, or allow `Loss::Tuples`",
        ),
        (
            json!({"minLength": 1}),
            "`$.minLength`: `minLength` without `type` allows whatever is not \"string\"; write `type` as well: \"string\", or allow `Loss::ImpliedTypes`",
        ),
        (
            json!({"format": "date"}),
            "`$.format`: `format` without `type` allows whatever is not \"string\"; write `type` as well: \"string\", or allow `Loss::ImpliedTypes`",
        ),
        (
            json!({"properties": {}}),
            "`$.properties`: `properties` without `type` allows whatever is not \"object\"; write `type` as well: \"object\", or allow `Loss::ImpliedTypes`",
        ),
        (
            json!({"type": "string", "minLength": -1}),
            "`$.minLength`: expected a whole number, 0 or more, found the number -1",
        ),
        (
            json!({"type": "integer", "minimum": "0"}),
            "`$.minimum`: expected a number, found the text \"0\"",
        ),
        (
            json!({"type": "integer", "exclusiveMinimum": true}),
            "`$.exclusiveMinimum`: expected a number, found true",
        ),
        (
            json!({"type": "integer", "minimum": 3, "maximum": 2}),
            "`$.minimum`: `minimum` is above `maximum`, so no value is allowed",
        ),
        (
            json!({"type": "string", "minLength": 3, "maxLength": 2}),
            "`$.minLength`: `minLength` is above `maxLength`, so no value is allowed",
        ),
        (
            json!({"type": "string", "format": 1}),
            "`$.format`: expected a text, found the number 1",
        ),
        (
            json!({"enum": []}),
            "`$.enum`: `enum` must allow at least one value; allow `Loss::EnumValues`",
        ),
        (
            json!({"enum": "a"}),
            "`$.enum`: expected a list of the values allowed, found the text \"a\"",
        ),
        (
            json!({"enum": ["a"], "const": "b"}),
            "`$.const`: `const` is no value of `enum`; keep one of them",
        ),
        (
            json!({"type": "string", "enum": [1]}),
            "`$.enum`: the number 1 cannot be an allowed value: expected Text, found the number 1; take it out: no value could be it, or allow `Loss::EnumValues`",
        ),
        (
            json!({"type": "string", "enum": ["a", null]}),
            "`$.enum`: `null` is listed, but `type` is \"string\"; write `null` in `type` as well, take it out, or allow `Loss::EnumValues`",
        ),
        (
            json!({"enum": [[null], 1]}),
            "`$.enum`: a list cannot be an allowed value: gram has no word for it or a part of it; take it out: no value could be it, or allow `Loss::EnumValues`",
        ),
        (
            json!({"type": "object", "required": [1]}),
            "`$.required`: expected a list of names, found a list",
        ),
        (
            json!({"type": "object", "properties": []}),
            "`$.properties`: expected an object of schemas, found a list",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "null"}}),
            "`$.additionalProperties`: only what a tool returns can be `null` and nothing else; write the type of the values beside it, or leave it out",
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
            "`$.additionalProperties`: gram has no objects that refuse further keys; it ignores them; take it out, or allow `Loss::ClosedObjects`",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}),
            "`$.properties.a`: it must be there and may be `null`, and in gram `null` counts as absent; take it out of `required`, or allow `Loss::RequiredNull`",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string", "default": 1}}}),
            "`$.properties.a.default`: the default does not fit the type: expected Text, found the number 1; allow `Loss::Defaults`",
        ),
        (
            json!({"type": "array", "items": {"default": [null]}}),
            "`$.items.default`: gram has no word for a list or a part of it; gram has no `null`: leave out what may be missing, or allow `Loss::Defaults`",
        ),
        (
            json!({"description": 1}),
            "`$.description`: expected a text, found the number 1",
        ),
        (
            json!({"oneOf": []}),
            "`$.oneOf`: expected at least one schema, found none",
        ),
        (
            json!({"anyOf": {}}),
            "`$.anyOf`: expected a list of schemas, found an object",
        ),
        (
            json!({"oneOf": [{"const": 1}, {"const": 1.0}]}),
            "`$.oneOf`: two arms allow 1, so `oneOf` refuses it; keep one of them, or allow `Loss::Overlaps`",
        ),
        (
            json!({"oneOf": [{"type": ["string", "null"]}, {"type": "null"}]}),
            "`$.oneOf`: several arms allow `null`, so `oneOf` refuses it; write `anyOf`, or allow `Loss::Overlaps`",
        ),
        (
            json!({"anyOf": [{"type": "null"}, {"type": "array", "items": {"not": {}}}]}),
            "`$.anyOf[1].items.not`: gram has no word for `not`; say what is allowed, in `enum` or by `minimum` and `maximum`, or allow `Loss::Not`",
        ),
        (
            json!({"type": "string", "allOf": [{"type": "integer"}]}),
            "`$`: several keywords each give a type, `Text` and `Int`, and gram has one; write one schema with the keywords of all parts",
        ),
        (
            json!({"type": "string", "minLength": 1, "allOf": [{"type": "string", "minLength": 2}]}),
            "`$`: several keywords each give a type, `Text` and `Text`, and gram has one; write one schema with the keywords of all parts",
        ),
        (
            json!({"$ref": 1}),
            "`$.$ref`: expected a text such as `#/$defs/Name`, found the number 1",
        ),
        (
            json!({"$ref": "other.json#/a"}),
            "`$.$ref`: the reference \"other.json#/a\" leads out of the document; put what it refers to into `$defs`; no other document is read",
        ),
        (
            json!({"$ref": "#name"}),
            "`$.$ref`: the reference \"#name\" is no path; write it as `#/$defs/Name`",
        ),
        (
            json!({"$ref": "#/$defs/Nam", "$defs": {"Name": {}}}),
            "`$.$ref`: the reference \"#/$defs/Nam\" leads nowhere; did you mean `Name`?",
        ),
        (
            json!({"$ref": "#"}),
            "`$.$ref`: a type contains itself: `#` → `#`; gram types end; take this part as any value (`{}`), or allow `Loss::Recursion`",
        ),
        (
            json!({"type": "object", "properties": {"s": {"$ref": "#/$defs/Set"}}, "$defs": {"Set": {"type": "array", "uniqueItems": true}}}),
            "`$.$defs.Set.uniqueItems`, which `$.properties.s` refers to: gram has no word for `uniqueItems`; let the tool refuse duplicates, or allow `Loss::UniqueItems`",
        ),
        (
            json!({"type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": {
                "A": {"type": "object", "properties": {"b": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "null"}]}}},
                "B": {"type": "array", "items": {"$ref": "#/$defs/A"}},
            }}),
            "`$.$defs.B.items.$ref`, which `$.items` refers to: a type contains itself: `#/$defs/A` → `#/$defs/B` → `#/$defs/A`; gram types end; take this part as any value (`{}`), or allow `Loss::Recursion`",
        ),
    ] {
        let error = refused(&schema);
        assert_eq!(error.to_string(), expected, "{schema}");
        assert_eq!(error.problems().len(), 1, "{schema}");
    }
}

#[test]
fn invalid_patterns_have_a_reason() {
    let error = refused(&json!({"type": "string", "pattern": "(?=a)"}));
    assert_eq!(error.first().path(), "$.pattern");
    assert!(
        error
            .first()
            .message()
            .starts_with("the pattern cannot be used: ")
    );
    assert_eq!(
        error.first().help(),
        Some("write another one, or allow `Loss::Patterns`")
    );
    let text = error.to_string();
    assert_eq!(text.matches("not supported").count(), 1, "{text}");
}

#[test]
fn finds_each_problem_once() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "array", "uniqueItems": true, "items": {"type": "strin"}},
            "b": {"$ref": "#/$defs/Odd"},
            "c": {"$ref": "#/$defs/Odd"},
            "d": {"anyOf": [{"type": "integer", "not": {}}, {"type": "null"}]},
        },
        "required": "a",
        "$defs": {"Odd": {"type": "object", "properties": {"x": {"not": {}}}, "minProperties": 1}},
    });
    let error = refused(&schema);
    let paths: Vec<_> = error
        .problems()
        .iter()
        .map(|problem| problem.path())
        .collect();
    assert_eq!(
        paths,
        [
            "$.required",
            "$.properties.a.uniqueItems",
            "$.properties.a.items.type",
            "$.$defs.Odd.minProperties",
            "$.$defs.Odd.properties.x.not",
            "$.properties.d.anyOf[0].not",
        ]
    );
    assert_eq!(error.problems()[3].referrer(), Some("$.properties.b"));
    assert_eq!(error.to_string().lines().count(), 6);
}

#[test]
fn arguments_are_an_object_of_named_values() {
    let wrong = |parameters: Value, returns: Option<Value>| {
        let error = Signature::from_schemas(&parameters, returns.as_ref());
        error.expect_err("no signature").to_string()
    };
    assert_eq!(
        wrong(json!({"type": "array"}), Some(json!({"type": "x"}))),
        "`$`: the arguments of a call are an object of named values, not `Array`; write `\"type\": \"object\"` and a property for each parameter\n\
         `$returns.type`: expected a type, found the text \"x\"; the types are \"null\", \"boolean\", \"integer\", \"number\", \"string\", \"array\" and \"object\""
    );
    assert_eq!(
        wrong(json!({"type": "object", "properties": {"": {}}}), None),
        "`$.properties`: an empty name is not a name that every provider takes for a parameter; write letters, digits, `_`, `-` or `.`, at most 64 in all, and none outside ASCII"
    );
    assert_eq!(
        wrong(
            json!({"type": "object", "properties": {"a": {}, "a b": {}}}),
            None
        ),
        "`$.properties`: `a b` is not a name that every provider takes for a parameter; write letters, digits, `_`, `-` or `.`, at most 64 in all, and none outside ASCII"
    );
}

#[test]
fn prints_a_limited_number_of_problems() {
    let properties = (0..5_000).map(|at| (format!("p{at}"), json!({"not": {}})));
    let properties: serde_json::Map<_, _> = properties.collect();
    let error = refused(&json!({"type": "object", "properties": properties}));
    assert_eq!(error.problems().len(), 1_000);
    let text = error.to_string();
    assert_eq!(text.lines().count(), SchemaError::PRINTED + 1);
    assert!(text.ends_with("and 950 more"));
}

/// A list of lists, so many inside each other.
fn lists(levels: usize) -> Value {
    (0..levels).fold(
        json!({"type": "string"}),
        |inner, _| json!({"type": "array", "items": inner}),
    )
}

#[test]
fn rejects_schemas_deeper_than_gram() {
    let deepest = (0..130)
        .rev()
        .find(|levels| Type::from_schema(&lists(*levels)).is_ok());
    let deepest = deepest.expect("some depth");
    assert!(deepest > 100, "{deepest}");
    let schema = json!({"type": "object", "properties": {"a": lists(deepest - 2)}});
    let signature = Signature::from_schemas(&schema, None).expect("readable");
    let tool = ToolSpec::with_signature("t", "d", signature).expect("gram can say it");
    let agent = agent_spec::Agent::new("a", "Offline/x", "i").expect("an agent");
    agent.with_tool(tool).expect("an agent can have it");

    let error = Type::from_schema(&lists(500)).expect_err("too deep");
    assert!(error.first().message().contains("deep"), "{error}");
    assert_eq!(error.problems().len(), 1);
}

#[test]
fn bounds_the_growth_by_references() {
    let mut defs = serde_json::Map::new();
    for at in 0..60 {
        let next = json!({"$ref": format!("#/$defs/T{}", at + 1)});
        let ty = json!({"type": "object", "properties": {"a": next, "b": next}});
        defs.insert(format!("T{at}"), ty);
    }
    defs.insert("T60".to_owned(), json!({"type": "string"}));
    let error = refused(&json!({"$ref": "#/$defs/T0", "$defs": defs}));
    assert!(
        error.to_string().contains("unfolds into more than"),
        "{error}"
    );

    // A long way from reference to reference does not exhaust the stack.
    let mut defs = serde_json::Map::new();
    for at in 0..50_000 {
        defs.insert(
            format!("T{at}"),
            json!({"$ref": format!("#/$defs/T{}", at + 1)}),
        );
    }
    defs.insert("T50000".to_owned(), json!({"type": "string"}));
    let error = refused(&json!({"$ref": "#/$defs/T0", "$defs": defs}));
    assert!(error.to_string().contains("deep"), "{error}");

    // Nor do many references to one long list of values make as many copies of it.
    let values: Vec<_> = (0..10_000).map(Value::from).collect();
    let properties = (0..10_000).map(|at| (format!("p{at}"), json!({"$ref": "#/$defs/E"})));
    let properties: serde_json::Map<_, _> = properties.collect();
    let error = refused(
        &json!({"type": "object", "properties": properties, "$defs": {"E": {"enum": values}}}),
    );
    assert!(
        error.to_string().contains("unfolds into more than"),
        "{error}"
    );
}
