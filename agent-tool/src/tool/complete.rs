//! Completes arguments by the JSON Schema of a tool, as a signature completes them: defaults, whole numbers without a
//! fraction, `null` where a member must not be missing, and lists and objects that are given as their JSON text.

use agent_spec::__private::{AllowedTypes, Path, inner_value, is_json_like};
use serde_json::{Map, Number, Value};
use std::collections::HashSet;

/// The maximum number of schemas that one schema refers to, because the references of an MCP server's schema may form a
/// circle.
const MOST_PARTS: usize = 32;

/// The maximum number of defaults that are filled in, because a default of an MCP server's schema may have a default
/// inside of itself.
const MOST_DEFAULTS: usize = 100;

/// Fills in defaults, and removes the fraction of whole numbers. Returns whether anything changed.
pub(super) fn complete(schema: &Value, arguments: &mut Value) -> bool {
    let mut walk = Walk::new(schema, Changes::Complete);
    walk.value(schema, arguments, Path::Root);
    walk.changed
}

/// Adds `null` for each missing member that the schema requires and allows to be `null`. In gram such a
/// member is optional and `null` counts as missing, so that an agent's call may leave it out. `with_texts`
/// also replaces JSON texts by their values. Returns the paths of the replaced texts.
pub(super) fn repair(schema: &Value, arguments: &mut Value, with_texts: bool) -> Vec<String> {
    let mut walk = Walk::new(schema, Changes::Repair { with_texts });
    walk.value(schema, arguments, Path::Root);
    walk.texts
}

/// Adds `null` to arguments as `repair` does, for a server that validates them by itself.
pub fn add_required_nulls(schema: &Value, arguments: &mut Map<String, Value>) {
    let mut value = Value::Object(std::mem::take(arguments));
    repair(schema, &mut value, false);
    if let Value::Object(members) = value {
        *arguments = members;
    }
}

/// Whether a whole number is written with a fraction.
pub(super) fn has_whole_doubles(value: &Value) -> bool {
    match value {
        Value::Number(number) => without_fraction(number).is_some(),
        Value::Array(items) => items.iter().any(has_whole_doubles),
        Value::Object(members) => members.values().any(has_whole_doubles),
        _ => false,
    }
}

/// Returns the integer for a whole number with a fraction, if doubles represent each integer of its size
/// exactly.
fn without_fraction(number: &Number) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() < EXACT).then(|| Number::from(value as i64))
}

/// Whether a part of a schema has a default.
pub(super) fn has_defaults(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(has_defaults),
        Value::Object(members) => {
            members.contains_key("default") || members.values().any(has_defaults)
        }
        _ => false,
    }
}

/// The changes of one walk.
#[derive(Clone, Copy)]
enum Changes {
    Complete,
    Repair { with_texts: bool },
}

/// A walk through arguments along their schema.
struct Walk<'s> {
    types: AllowedTypes<'s>,
    changes: Changes,
    changed: bool,
    /// The number of defaults that were filled in.
    defaults: usize,
    /// The paths of the values that were given as their JSON text.
    texts: Vec<String>,
    /// The number of values in the JSON texts.
    inner_values: usize,
}

/// The schemas in `anyOf` and `oneOf` that are parts of a schema.
#[derive(Clone, Copy)]
enum Branches<'v> {
    None,
    All,
    /// The branch that allows the type of the value, if exactly one branch does.
    Only(&'v Value),
    /// The first branch that the value can satisfy; else the first that it can satisfy once each missing
    /// member is `null`.
    First(&'v Value),
}

impl<'s> Walk<'s> {
    fn new(root: &'s Value, changes: Changes) -> Self {
        Self {
            types: AllowedTypes::new(root),
            changes,
            changed: false,
            defaults: 0,
            texts: Vec::new(),
            inner_values: 0,
        }
    }

    fn value(&mut self, schema: &'s Value, value: &mut Value, path: Path<'_>) {
        match (self.changes, &mut *value) {
            (Changes::Complete, Value::Number(number)) => {
                if let Some(whole) = without_fraction(number)
                    && !self.types.allows(schema, "number")
                {
                    *number = whole;
                    self.changed = true;
                }
            }
            (Changes::Repair { with_texts: true }, Value::String(text)) => {
                if is_json_like(text)
                    && self.types.reads_json_text(schema)
                    && let Some(inner) = inner_value(text, &mut self.inner_values)
                {
                    self.texts.push(path.to_string());
                    *value = inner;
                }
            }
            _ => {}
        }
        if !value.is_array() && !value.is_object() {
            return;
        }
        let branches = match self.changes {
            Changes::Complete => Branches::Only(value),
            Changes::Repair { .. } => Branches::First(value),
        };
        for part in self.parts(schema, branches) {
            match value {
                Value::Object(members) => self.members(part, members, path),
                Value::Array(items) => {
                    let rest = part.get("items");
                    let first = part.get("prefixItems").or(rest).and_then(Value::as_array);
                    for (at, item) in items.iter_mut().enumerate() {
                        if let Some(schema) = first.and_then(|first| first.get(at)).or(rest) {
                            self.value(schema, item, path.index(at));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn members(
        &mut self,
        part: &'s Map<String, Value>,
        members: &mut Map<String, Value>,
        path: Path<'_>,
    ) {
        let properties = part.get("properties").and_then(Value::as_object);
        let required = part.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let required: HashSet<&str> = required.collect();
        let is_repair = matches!(self.changes, Changes::Repair { .. });
        if is_repair && !self.types.may_read(properties.map_or(0, Map::len)) {
            return;
        }
        for (name, schema) in properties.into_iter().flatten() {
            if members.contains_key(name) {
                continue;
            }
            let filled = match (self.changes, required.contains(name.as_str())) {
                (Changes::Complete, false) => self.default_of(schema),
                (Changes::Repair { .. }, true) => self.names_null(schema).then_some(Value::Null),
                // The default of a member that is required is never used.
                _ => None,
            };
            if let Some(value) = filled {
                members.insert(name.clone(), value);
                self.changed = true;
            }
        }
        for (name, member) in members.iter_mut() {
            let own = properties.and_then(|properties| properties.get(name));
            if let Some(schema) = own.or_else(|| part.get("additionalProperties")) {
                self.value(schema, member, path.key(name));
            }
        }
    }

    /// Returns the default of a member. In gram, a default of `null` means that the member is missing.
    fn default_of(&mut self, schema: &'s Value) -> Option<Value> {
        let parts = self.parts(schema, Branches::None);
        let default = parts.iter().find_map(|part| part.get("default"))?;
        let word = match default {
            Value::Null => return None,
            Value::Bool(_) => "boolean",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        self.defaults += 1;
        let is_right = self.defaults <= MOST_DEFAULTS && self.types.allows(schema, word);
        is_right.then(|| default.clone())
    }

    /// Whether a schema names `null` among its types or its values.
    fn names_null(&self, schema: &'s Value) -> bool {
        let is_null_word = |word: &Value| word.as_str() == Some("null");
        let parts = self.parts(schema, Branches::All);
        parts.iter().any(|part| {
            let values = part.get("enum").and_then(Value::as_array);
            let is_value = part.get("const").is_some_and(Value::is_null)
                || values.is_some_and(|values| values.contains(&Value::Null));
            match part.get("type") {
                Some(Value::Array(words)) => words.iter().any(is_null_word),
                // As in OpenAPI 3.0, and as the validator reads it.
                Some(word) => {
                    is_null_word(word) || part.get("nullable") == Some(&Value::Bool(true))
                }
                None => is_value,
            }
        })
    }

    /// Whether a list or an object can satisfy a schema. Only the words for types, the required members and
    /// the constants are checked. With `adds_null`, a required member may be missing if the schema allows it
    /// to be `null`.
    fn can_be(&self, schema: &'s Value, value: &Value, adds_null: bool) -> bool {
        if !self.types.allows(schema, word_of(value)) {
            return false;
        }
        let Value::Object(members) = value else {
            return true;
        };
        let parts = self.parts(schema, Branches::None);
        parts.into_iter().all(|part| {
            let properties = part.get("properties").and_then(Value::as_object);
            let property = |name: &str| properties.and_then(|properties| properties.get(name));
            let required = part.get("required").and_then(Value::as_array);
            let mut required = required.into_iter().flatten().filter_map(Value::as_str);
            let is_closed = part.get("additionalProperties") == Some(&Value::Bool(false));
            required.all(|name| {
                let may_be_null = || property(name).is_some_and(|schema| self.names_null(schema));
                self.types.may_read(1) && (members.contains_key(name) || adds_null && may_be_null())
            }) && members.iter().all(|(name, member)| match property(name) {
                Some(schema) => self.may_be_value(schema, member),
                None => self.types.may_read(1) && !is_closed,
            })
        })
    }

    /// Whether a value is among the values that a schema lists, if the schema lists values.
    fn may_be_value(&self, schema: &Value, value: &Value) -> bool {
        let listed = schema.get("enum").and_then(Value::as_array);
        self.types.may_read(1 + listed.map_or(0, Vec::len))
            && schema.get("const").is_none_or(|only| only == value)
            && listed.is_none_or(|values| values.contains(value))
    }

    /// Returns the objects of which a schema consists: itself, the targets of its references, the schemas in `allOf`, and
    /// those of the branches.
    fn parts(&self, schema: &'s Value, branches: Branches<'_>) -> Vec<&'s Map<String, Value>> {
        let mut parts: Vec<&Map<String, Value>> = schema.as_object().into_iter().collect();
        let mut next = 0;
        while let Some(part) = parts.get(next).copied()
            && parts.len() < MOST_PARTS
            && self.types.may_read(1)
        {
            next += 1;
            let list = |key| {
                part.get(key)
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
            };
            let target = self.types.target(part);
            let mut more: Vec<&Value> = target.into_iter().chain(list("allOf")).collect();
            for key in ["anyOf", "oneOf"] {
                match branches {
                    Branches::None => {}
                    Branches::All => more.extend(list(key)),
                    Branches::Only(value) => {
                        let word = word_of(value);
                        let mut fitting =
                            list(key).filter(|schema| self.types.allows(schema, word));
                        if let (Some(only), None) = (fitting.next(), fitting.next()) {
                            more.push(only);
                        }
                    }
                    Branches::First(value) => {
                        let first = |adds_null| {
                            let mut arms = list(key);
                            arms.find(|schema| self.can_be(schema, value, adds_null))
                        };
                        more.extend(first(false).or_else(|| first(true)));
                    }
                }
            }
            parts.extend(more.into_iter().filter_map(Value::as_object));
        }
        parts
    }
}

/// Returns the word for the type of a list or an object.
fn word_of(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        _ => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn repaired(schema: &Value, arguments: Value) -> (Value, Vec<String>) {
        let mut arguments = arguments;
        let texts = repair(schema, &mut arguments, true);
        (arguments, texts)
    }

    #[test]
    fn adds_null_only_where_the_schema_requires_and_allows_it() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}]},
                "any": {},
                "b": {"type": ["string", "null"]},
                "c": {"type": ["string", "null"]},
                "d": {"type": "string"},
                "list": {"type": "array", "items": {"$ref": "#/$defs/Unit"}},
            },
            "required": ["a", "any", "b", "d", "e"],
            "additionalProperties": {"$ref": "#/$defs/Unit"},
            "$defs": {"Unit": {
                "type": "object",
                "properties": {"of": {"$ref": "#/$defs/Maybe"}},
                "required": ["of"],
            }, "Maybe": {"allOf": [{"$ref": "#/$defs/Maybe"}, {"type": ["null", "integer"]}]}},
        });
        let arguments = json!({"b": "x", "list": [{}, {"of": 1}, 3], "more": {}});
        let expected = json!({
            "a": null, "b": "x", "list": [{"of": null}, {"of": 1}, 3], "more": {"of": null},
        });
        assert_eq!(repaired(&schema, arguments), (expected.clone(), Vec::new()));
        assert_eq!(repaired(&schema, expected.clone()), (expected, Vec::new()));
        assert_eq!(repaired(&json!(true), json!({})), (json!({}), Vec::new()));
    }

    #[test]
    fn adds_null_in_lists_and_in_the_record_of_a_union_that_the_object_is() {
        let nullable = json!({"enum": ["x", null]});
        let arm = |tag: &str, required: &[&str]| {
            json!({
                "type": "object",
                "properties": {"kind": {"const": tag}, "a": nullable, "b": {"const": null}},
                "required": required,
                "additionalProperties": false,
            })
        };
        let tagged = json!({"oneOf": [arm("one", &["kind", "a"]), arm("two", &["kind", "b"])]});
        let untagged = json!({"anyOf": [
            {"properties": {"a": nullable, "n": {"type": "integer"}}, "required": ["a", "n"]},
            {"properties": {"b": nullable}, "required": ["b"]},
            {"properties": {"text": {"type": "string"}}, "required": ["text"]},
            {"type": ["string", "null"]},
        ]});
        let pair = json!({"prefixItems": [tagged, untagged], "items": tagged});
        for (schema, given, expected) in [
            (
                &tagged,
                json!({"kind": "one"}),
                json!({"kind": "one", "a": null}),
            ),
            (
                &tagged,
                json!({"kind": "two"}),
                json!({"kind": "two", "b": null}),
            ),
            (&tagged, json!({"kind": "six"}), json!({"kind": "six"})),
            (
                &tagged,
                json!({"kind": "one", "a": "x"}),
                json!({"kind": "one", "a": "x"}),
            ),
            (&untagged, json!({"n": 1}), json!({"n": 1, "a": null})),
            // The third record has all that it requires.
            (&untagged, json!({"text": "t"}), json!({"text": "t"})),
            (&untagged, json!({}), json!({"b": null})),
            (
                &pair,
                json!([{"kind": "two"}, {}, {"kind": "one"}]),
                json!([{"kind": "two", "b": null}, {"b": null}, {"kind": "one", "a": null}]),
            ),
        ] {
            let schema = json!({"properties": {"v": schema}});
            let (repaired, _) = repaired(&schema, json!({"v": given}));
            assert_eq!(repaired["v"], expected, "{given}");
        }
    }

    #[test]
    fn ends_for_many_alternatives_of_many_objects() {
        let arm = |at: usize| json!({"properties": {"kind": {"const": at}}, "required": ["a"]});
        let arms: Vec<Value> = (0..2_000).map(arm).collect();
        let schema = json!({"properties": {"v": {"items": {"oneOf": arms}}}});
        let item = json!({"kind": -1});
        let mut arguments = json!({"v": vec![item; 20_000]});
        repair(&schema, &mut arguments, true);
        assert_eq!(arguments["v"][19_999], json!({"kind": -1}));
    }

    #[test]
    fn fills_in_defaults_and_whole_numbers_where_one_schema_alone_says_them() {
        let schema = json!({
            "properties": {
                "a": {"type": "integer", "default": 1},
                "b": {"$ref": "#/$defs/b"},
                "c": {"type": "string", "default": null},
                "d": {"type": "string", "default": 5},
                "e": {"default": "required"},
                "f": {"anyOf": [{"$ref": "#/$defs/f"}, {"type": "null"}]},
                "g": {"oneOf": [{"properties": {"x": {"default": 1}}}, {"properties": {"y": {"default": 2}}}]},
                "h": {"type": "array", "items": {"type": ["integer", "null"]}},
                "i": {"type": ["integer", "number"]},
            },
            "required": ["e"],
            "$defs": {"b": {"enum": ["x"], "default": "x"}, "f": {
                "type": "object",
                "properties": {"child": {"$ref": "#/$defs/f", "default": {}}, "n": {"type": "integer"}},
            }},
        });
        for (given, expected) in [
            (json!({}), json!({"a": 1, "b": "x"})),
            (
                json!({"a": 2.0, "b": "y", "g": {}, "h": [1.0, 1.5, null], "i": 1.0}),
                json!({"a": 2, "b": "y", "g": {}, "h": [1, 1.5, null], "i": 1.0}),
            ),
            (
                json!({"a": 1e300, "b": "y", "f": null}),
                json!({"a": 1e300, "b": "y", "f": null}),
            ),
        ] {
            let mut arguments = given.clone();
            assert_eq!(
                complete(&schema, &mut arguments),
                given != expected,
                "{given}"
            );
            assert_eq!(arguments, expected);
        }
        // The expansion of a default that contains itself ends.
        let mut arguments = json!({"f": {"n": 3.0}});
        assert!(complete(&schema, &mut arguments));
        assert_eq!(arguments["f"]["n"], json!(3));
        assert!(arguments["f"]["child"]["child"].is_object());
    }

    #[test]
    fn reads_json_texts_only_where_no_text_is_allowed() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": "array", "items": {"type": "object"}},
                "b": {"anyOf": [{"type": "array"}, {"type": "null"}]},
                "c": {"anyOf": [{"type": "array"}, {"type": "string"}]},
                "d": {},
                "e": {"type": ["object", "string"]},
            },
        });
        let given = json!({"a": "[\"{}\"]", "b": " [1]", "c": "[1]", "d": "[1]", "e": "{}"});
        let expected = json!({"a": [{}], "b": [1], "c": "[1]", "d": "[1]", "e": "{}"});
        let texts = ["$.a", "$.a[0]", "$.b"].map(str::to_owned).to_vec();
        assert_eq!(repaired(&schema, given), (expected, texts));
        let broken = json!({"a": "[1", "b": "one"});
        assert_eq!(repaired(&schema, broken.clone()), (broken, Vec::new()));
    }

    #[test]
    fn ends_for_references_that_multiply() {
        let level = |at: usize| {
            let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
            (format!("d{at}"), json!({"anyOf": [next, next]}))
        };
        let levels: Map<String, Value> = (0..40).map(level).collect();
        let item = json!({"$ref": "#/$defs/d0"});
        let schema = json!({"properties": {"a": {"items": item}}, "$defs": levels});
        let mut arguments = json!({"a": vec![1.0; 1_000]});
        complete(&schema, &mut arguments);
        repair(&schema, &mut arguments, true);
    }
}
