//! Any JSON Schema, validated by the crate `jsonschema`. If the gram type of the schema rejects the same part
//! of the value, the message of the type is used, because it names what was expected and what was found.

use super::dialect::current_form;
use super::schema_error::SchemaError;
use agent_spec::__private::{MOST_CHECKED, SchemaWork, check_at_once, is_json_like};
use agent_spec::schema::SchemaReader;
use agent_spec::{ToolDescriptor, Type, Violation};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::OnceLock;

/// The maximum number of problems of a value. A model can write a list of a million wrong items, whose problems would
/// fill the memory.
pub(super) const MOST_PROBLEMS: usize = 1_000;

/// The maximum number of applied schemas whose problems are collected. Each problem takes half a kilobyte, also a
/// problem of one of many alternatives, so that a model's long value would fill the memory.
const MOST_COLLECTED: u64 = 1_000_000;

/// The maximum number of alternatives that a message names.
const MOST_NAMED: usize = 10;

/// The maximum number of problems of the nearest alternative in a message.
const MOST_NEAR: usize = 3;

/// The number of schemas that may still be applied.
pub(super) struct Work(u64);

impl Default for Work {
    fn default() -> Self {
        Self(MOST_CHECKED)
    }
}

pub(super) struct Compiled {
    validator: jsonschema::Validator,
    schema: Value,
    /// The type of the schema, read for the first value that is refused. `None` when gram cannot express it.
    ty: OnceLock<Option<Type>>,
}

impl Compiled {
    /// References to other documents are never followed: a tool's schema must not make the
    /// runtime read files or addresses.
    pub(super) fn new(schema: &Value, _: Option<&ToolDescriptor>) -> Result<Self, SchemaError> {
        Self::build(schema, true)
    }

    /// Compiles the `schema` of an `Any`, in which `format` is only an annotation, because most of these
    /// schemas are from other parties, which accept more forms than this crate knows.
    pub(super) fn of_part(schema: &Value) -> Result<Self, SchemaError> {
        Self::build(schema, false)
    }

    fn build(schema: &Value, asserts_formats: bool) -> Result<Self, SchemaError> {
        if !schema.is_object() {
            return Err(SchemaError::new("a JSON Schema is an object"));
        }
        let schema = current_form(schema);
        check_at_once(&schema).map_err(SchemaError::new)?;
        let validator = jsonschema::options()
            .offline()
            .should_validate_formats(asserts_formats)
            .should_ignore_unknown_formats(true)
            .build(&schema)
            .map_err(|error| SchemaError::new(masked(&error)))?;
        Ok(Self {
            validator,
            schema,
            ty: OnceLock::new(),
        })
    }

    pub(super) fn problems(&self, value: &Value) -> Vec<String> {
        self.problems_within(value, &mut Work::default())
    }

    /// Returns the problems of one of several values that share one limit.
    pub(super) fn problems_within(&self, value: &Value, work: &mut Work) -> Vec<String> {
        let mut count = SchemaWork::new(&self.schema, work.0);
        let applied = count.count(value);
        work.0 = count.left();
        let Some(applied) = applied else {
            let problem =
                "`$`: the value is too large or too deep to be checked against its schema";
            return vec![problem.to_owned()];
        };
        // Checking that a value is valid is faster than collecting its errors.
        if self.validator.is_valid(value) {
            return Vec::new();
        }
        let violations = self.violations(value);
        if applied > MOST_COLLECTED {
            let found: Vec<String> = violations.iter().map(ToString::to_string).collect();
            if found.is_empty() {
                return vec!["`$`: the value does not satisfy its schema".to_owned()];
            }
            return found;
        }
        let errors = self.validator.iter_errors(value);
        let errors: Vec<_> = errors.take(MOST_PROBLEMS).collect();
        let wrong_types = wrong_types(&errors);
        let mut problems: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        for error in &errors {
            let own = violations.iter().filter(|found| explains(found, error));
            let mut own: Vec<String> = own.map(ToString::to_string).collect();
            if own.is_empty() && !is_repeated(error, &wrong_types) {
                own.push(self.message(error));
            }
            for problem in own {
                if known.insert(problem.clone()) {
                    problems.push(problem);
                }
            }
        }
        problems
    }

    /// The problems that the gram type finds. They may be fewer than those of the schema, or others.
    fn violations(&self, value: &Value) -> Vec<Violation> {
        let ty = self
            .ty
            .get_or_init(|| SchemaReader::lossy().read_type(&self.schema).ok());
        let found = ty.as_ref().map(|ty| ty.validate(value));
        match found {
            Some(Err(violations)) => violations.into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn message(&self, error: &ValidationError<'_>) -> String {
        match error.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.none_fits(error, context)
            }
            Kind::OneOfMultipleValid { context } => {
                let names = self.alternatives(error, context.len());
                let fitting = names.into_iter().zip(context);
                let fitting = fitting.filter(|(_, errors)| errors.is_empty());
                let fitting: Vec<String> = fitting.map(|(name, _)| name).collect();
                match fitting.as_slice() {
                    [] | [_] => masked(error),
                    several => format!(
                        "`{}`: the value fits {}, and may fit only one of them",
                        path_of(error),
                        in_words(several, "and")
                    ),
                }
            }
            Kind::Type { .. } if error.instance().as_str().is_some_and(is_json_like) => {
                let itself = "write the list or object itself, not its JSON text";
                format!("{}; {itself}", masked(error))
            }
            _ => masked(error),
        }
    }

    /// Names the alternatives that a value could be, and the problems of the nearest alternative.
    fn none_fits(
        &self,
        error: &ValidationError<'_>,
        context: &[Vec<ValidationError<'static>>],
    ) -> String {
        let names = self.alternatives(error, context.len());
        let path = path_of(error);
        let found = kind_in_words(error.instance());
        let mut text = format!(
            "`{path}`: expected {}, found {found}",
            in_words(&names, "or")
        );
        let near = context.iter().zip(&names);
        let near = near.filter(|(errors, _)| !errors.iter().any(|error| is_other(error, &path)));
        if let Some((errors, name)) = near.min_by_key(|(errors, _)| distance(errors)) {
            let problems: Vec<String> = errors.iter().take(MOST_NEAR).map(masked).collect();
            text.push_str(&format!("; as {name}: {}", problems.join("; ")));
        }
        text
    }

    /// Returns names for the schemas of `anyOf` or `oneOf`.
    fn alternatives(&self, error: &ValidationError<'_>, count: usize) -> Vec<String> {
        let listed = self.schema.pointer(error.schema_path().as_str());
        let listed = listed.and_then(Value::as_array);
        let name = |at| {
            let schema = listed.and_then(|schemas| schemas.get(at));
            let name = schema.and_then(|schema| self.name_of(schema));
            name.unwrap_or_else(|| format!("alternative {}", at + 1))
        };
        (0..count).map(name).collect()
    }

    /// Names a schema by the constant that identifies it, its title, its definition, its values or its type.
    fn name_of(&self, schema: &Value) -> Option<String> {
        let reference = schema.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|text| self.schema.pointer(text.strip_prefix('#')?));
        let definition = reference.and_then(|text| text.rsplit('/').next());
        let members = target.unwrap_or(schema).as_object()?;
        let text = |key| members.get(key).and_then(Value::as_str);
        let named = text("title").or(definition).map(|name| format!("`{name}`"));
        constant_of(members)
            .or(named)
            .or_else(|| members.get("const").map(Value::to_string))
            .or_else(|| match members.get("enum").and_then(Value::as_array) {
                Some(values) => Some(in_words(
                    &values.iter().map(Value::to_string).collect::<Vec<_>>(),
                    "or",
                )),
                None => text("type").map(str::to_owned),
            })
    }
}

/// Returns the property of an object that has one value only, such as `kind: "circle"`.
fn constant_of(members: &Map<String, Value>) -> Option<String> {
    let properties = members.get("properties")?.as_object()?;
    properties.iter().find_map(|(name, schema)| {
        let only = match (schema.get("const"), schema.get("enum")) {
            (Some(value), _) => value,
            (None, Some(Value::Array(values))) if values.len() == 1 => &values[0],
            _ => return None,
        };
        Some(format!("`{name}: {only}`"))
    })
}

/// Whether a violation of the type is the reason of an error.
fn explains(violation: &Violation, error: &ValidationError<'_>) -> bool {
    let path = path_of(error);
    let Some(rest) = violation.path().strip_prefix(&path) else {
        return false;
    };
    match error.kind() {
        // The type finds the mistake in the nearest alternative.
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            rest.is_empty() || rest.starts_with(['.', '['])
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            step(name, false) == rest
        }
        Kind::Type { .. }
        | Kind::Constant { .. }
        | Kind::Enum { .. }
        | Kind::Format { .. }
        | Kind::Pattern { .. }
        | Kind::MinLength { .. }
        | Kind::MaxLength { .. }
        | Kind::MinItems { .. }
        | Kind::MaxItems { .. }
        | Kind::Minimum { .. }
        | Kind::Maximum { .. }
        | Kind::ExclusiveMinimum { .. }
        | Kind::ExclusiveMaximum { .. }
        | Kind::MultipleOf { .. } => rest.is_empty(),
        // A type refuses nothing for these reasons.
        _ => false,
    }
}

/// The paths of values of a wrong type.
fn wrong_types(errors: &[ValidationError<'_>]) -> HashSet<String> {
    let wrong = errors
        .iter()
        .filter(|error| matches!(error.kind(), Kind::Type { .. }));
    wrong.map(path_of).collect()
}

/// Whether an error follows from a wrong type: a number is also none of the listed texts.
fn is_repeated(error: &ValidationError<'_>, wrong_types: &HashSet<String>) -> bool {
    !matches!(error.kind(), Kind::Type { .. }) && wrong_types.contains(&path_of(error))
}

/// Whether an error of an alternative shows that the value is not meant to be this alternative: its type or
/// its constant differs.
fn is_other(error: &ValidationError<'_>, path: &str) -> bool {
    let is_identity = matches!(
        error.kind(),
        Kind::Type { .. } | Kind::Constant { .. } | Kind::Enum { .. }
    );
    is_identity && path_of(error) == path
}

/// The distance of a value from an alternative with these errors: the number of wrong constants, then the
/// number of all errors.
fn distance(errors: &[ValidationError<'_>]) -> (usize, usize) {
    let constants = errors
        .iter()
        .filter(|error| matches!(error.kind(), Kind::Constant { .. }));
    (constants.count(), errors.len())
}

fn in_words(names: &[String], last: &str) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(&name.as_str()) {
            distinct.push(name);
        }
    }
    if distinct.len() > MOST_NAMED {
        let more = distinct.len() - MOST_NAMED;
        return format!("{} {last} {more} more", distinct[..MOST_NAMED].join(", "));
    }
    match distinct.split_last() {
        Some((end, [])) => (*end).to_owned(),
        Some((end, start)) => format!("{} {last} {end}", start.join(", ")),
        None => String::new(),
    }
}

/// The kind of a value. The value itself is not printed, because it may be long or secret, and the path
/// identifies it.
const fn kind_in_words(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The message of the crate, without the value.
fn masked(error: &ValidationError<'_>) -> String {
    format!("`{}`: {}", path_of(error), error.masked_with("the value"))
}

/// Converts a JSON pointer to the form of violations of signatures: `$.user.tags[2]`.
fn path_of(error: &ValidationError<'_>) -> String {
    let mut path = "$".to_owned();
    for part in error.instance_path().as_str().split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let is_index = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        path.push_str(&step(&part, is_index));
    }
    path
}

fn step(name: &str, is_index: bool) -> String {
    if is_index {
        format!("[{name}]")
    } else {
        format!(".{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn problems(schema: &Value, value: &Value) -> Vec<String> {
        let compiled = Compiled::new(schema, None).expect("a schema");
        compiled.problems(value)
    }

    /// A schema of definitions that each contain the next one in two places.
    fn doubled(times: usize, keyword: &str) -> Value {
        let definition = |at| {
            let next = json!({"$ref": format!("#/%24defs/d{}", at + 1)});
            (format!("d{at}"), json!({keyword: [next, next]}))
        };
        let mut definitions: Map<String, Value> = (0..times).map(definition).collect();
        definitions.insert(format!("d{times}"), json!({"type": "string"}));
        json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
    }

    #[test]
    fn rejects_references_that_multiply() {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let error = Compiled::new(&doubled(40, keyword), None).map(drop);
            let error = error.expect_err("two to the power of 40 schemas");
            assert!(error.to_string().contains("100000 schemas"), "{error}");
        }
        assert_eq!(problems(&doubled(10, "allOf"), &json!({"a": "x"})), [""; 0]);
    }

    #[test]
    fn rejects_a_long_chain_of_references() {
        let chain = |length: usize| {
            let definition = |at| {
                let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
                (format!("d{at}"), json!({"allOf": [next, {}]}))
            };
            let mut definitions: Map<String, Value> = (0..length).map(definition).collect();
            definitions.insert(format!("d{length}"), json!({"type": "string"}));
            json!({"$ref": "#/$defs/d0", "$defs": definitions})
        };
        assert!(Compiled::new(&chain(100_000), None).is_err());
        // The longest chain that is allowed does not exhaust the stack of a thread.
        assert_eq!(problems(&chain(298), &json!("x")), [""; 0]);
        assert_eq!(problems(&chain(298), &json!(1)).len(), 1);
    }

    #[test]
    fn rejects_a_schema_that_applies_itself_to_the_same_value() {
        let schema = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
        assert!(Compiled::new(&schema, None).is_err());
    }

    #[test]
    fn a_deep_value_of_a_schema_that_contains_itself_twice_has_one_problem() {
        let record = json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]});
        let schema = json!({"type": "object", "anyOf": [record, record]});
        let nested = |depth| (0..depth).fold(json!({}), |inner, _| json!({"a": inner}));
        assert!(problems(&schema, &nested(3))[0].contains("alternative 1"));
        assert_eq!(
            problems(&schema, &nested(100)),
            ["`$`: the value does not satisfy its schema"]
        );
    }

    #[test]
    fn a_list_of_many_texts_is_not_checked_against_many_schemas() {
        let mut schema = doubled(13, "allOf");
        schema["properties"] = json!({"a": {"type": "array", "items": {"$ref": "#/$defs/d0"}}});
        let list = |count| json!({"a": vec!["x"; count]});
        assert_eq!(problems(&schema, &list(10)), [""; 0]);
        assert!(problems(&schema, &list(30_000))[0].contains("too large"));
    }

    #[test]
    fn several_values_share_one_limit() {
        let schema = Compiled::new(&doubled(10, "allOf"), None).expect("a schema");
        let value = json!({"a": "x"});
        let mut work = Work(10_000);
        let mut valid = 0;
        while schema.problems_within(&value, &mut work).is_empty() {
            valid += 1;
        }
        assert_eq!(valid, 2);
        assert!(schema.problems_within(&value, &mut work)[0].contains("too large"));
        assert_eq!(schema.problems(&value), [""; 0]);
    }

    #[test]
    fn the_missing_members_of_many_objects_are_not_collected() {
        let names: Vec<String> = (0..1_000).map(|at| format!("m{at}")).collect();
        let schema = json!({"properties": {"a": {"items": {"required": names}}}});
        let applied = |count| {
            let value = json!({"a": vec![json!({}); count]});
            SchemaWork::new(&schema, MOST_CHECKED)
                .count(&value)
                .expect("not too many")
        };
        assert!(applied(100) <= MOST_COLLECTED);
        assert!(applied(2_000) > MOST_COLLECTED);
    }

    #[test]
    fn the_comparisons_with_enumerations_are_limited() {
        let numbers: Vec<u32> = (0..10_000).collect();
        let objects: Vec<Value> = numbers.iter().map(|n| json!({"k": n})).collect();
        for (listed, value) in [
            (json!(numbers), json!(9_999)),
            (json!(objects), json!({"k": 9_999})),
        ] {
            let schema = json!({"items": {"enum": listed}});
            let list = |count| Value::Array(vec![value.clone(); count]);
            assert_eq!(problems(&schema, &list(100)), [""; 0]);
            let found = problems(&schema, &list(400_001));
            assert!(found[0].contains("too large"), "{found:?}");
        }
    }

    #[test]
    fn a_tree_of_any_depth_is_checked_against_a_schema_of_trees() {
        let node = |kind| {
            let children = json!({"type": "array", "items": {"$ref": "#"}});
            json!({"properties": {"kind": {"const": kind}, "children": children}, "required": ["kind"]})
        };
        let schema =
            json!({"type": "object", "oneOf": [node("a"), node("b"), node("c"), node("d")]});
        let tree = (0..50).fold(
            json!({"kind": "a"}),
            |inner, _| json!({"kind": "b", "children": [inner]}),
        );
        assert_eq!(problems(&schema, &tree), [""; 0]);
    }
}
