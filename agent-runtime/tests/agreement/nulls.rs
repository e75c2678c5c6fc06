//! `null` where a value may be missing: absent to us, and no value to the JSON Schema of a field.

use super::{Schemas, call, tools, types};
use agent_runtime::Tool;
use agent_runtime::serde_json::{Value, json};
use agent_runtime::spec::types::{Shape, fields_of, types_of};
use agent_runtime::spec::{Field, Kind, Type};

/// Makes a schema of the type accept `null` wherever a value may be missing.
pub(super) fn allow(ty: &Type, schema: &mut Value) {
    match ty.kind() {
        Kind::Array(element) => {
            if let Some(items) = schema.get_mut("items") {
                allow(element.get(), items);
            }
        }
        Kind::Object(Shape::Map(of)) => {
            if let Some(values) = schema.get_mut("additionalProperties") {
                allow(of.get(), values);
            }
        }
        Kind::Object(Shape::Fields(fields)) => allow_in_fields(fields_of(fields), schema),
        Kind::Object(Shape::Extended(fields, values)) => {
            allow_in_fields(fields_of(fields), schema);
            if let Some(schema) = schema.get_mut("additionalProperties") {
                allow(values.get(), schema);
            }
        }
        Kind::Tuple(types) => allow_in_each("prefixItems", types_of(types), schema),
        Kind::Union(types) => allow_in_each("anyOf", types_of(types), schema),
        _ => {}
    }
    if ty.is_optional() {
        or_null(schema);
    }
}

fn allow_in_each(keyword: &str, types: &[Type], schema: &mut Value) {
    let schemas = schema.get_mut(keyword).and_then(Value::as_array_mut);
    for (ty, schema) in types.iter().zip(schemas.expect("one schema a type")) {
        allow(ty, schema);
    }
}

/// The same for a schema of a record.
pub(super) fn allow_in_fields(fields: &[Field], schema: &mut Value) {
    for field in fields {
        let schema = &mut schema["properties"][field.name()];
        allow(field.ty(), schema);
        if field.is_optional() && !field.ty().is_optional() {
            or_null(schema);
        }
    }
}

fn or_null(schema: &mut Value) {
    *schema = json!({"anyOf": [schema.take(), {"type": "null"}]});
}

/// Whether there is a `null` anywhere.
pub(super) fn are_in(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(are_in),
        Value::Object(members) => members.values().any(are_in),
        _ => false,
    }
}

/// Sets each member of the record at `at` to `null`: it is read where it may be missing, though the
/// schema refuses it, and refused by both where it is required.
fn check(tool: &dyn Tool, arguments: &Value, at: &str, optional: &[&str]) {
    let schemas = Schemas::of(tool);
    assert!(schemas.strict.is_valid(arguments), "{arguments}");
    assert!(call(tool, arguments).is_ok(), "{arguments}");
    let record = arguments.pointer(at).and_then(Value::as_object);
    for name in record.expect("it is a record").keys() {
        let mut with_null = arguments.clone();
        *with_null
            .pointer_mut(&format!("{at}/{name}"))
            .expect("it is there") = Value::Null;
        assert!(!schemas.strict.is_valid(&with_null), "{with_null}");
        let result = call(tool, &with_null);
        let is_optional = optional.contains(&name.as_str());
        assert_eq!(result.is_ok(), is_optional, "{with_null}: {result:?}");
        assert_eq!(schemas.arguments.is_valid(&with_null), is_optional);
    }
}

#[test]
fn null_is_absent_for_what_is_optional_and_wrong_for_what_is_required() {
    let person = json!({"value": {
        "fullName": "Ada", "years": 36, "tags": ["a"], "height": 1.5, "language": "en",
        "level": 1, "stars": 3, "mode": "dry-run",
    }});
    check(
        &types::person {},
        &person,
        "/value",
        &["years", "tags", "language"],
    );
    let options = json!({"value": {"verbose": true, "levels": [1], "depth": 2}});
    check(
        &types::options {},
        &options,
        "/value",
        &["verbose", "levels", "depth"],
    );
    let narrowed = json!({
        "count": 3, "share": 0.5, "code": "a1", "tag": "ab", "sort": "asc", "mail": "a@b.org",
        "parts": ["a"],
    });
    check(&tools::narrowed {}, &narrowed, "", &["sort", "mail"]);
}
