//! From the arguments that a model sees to those that the server reads.

use agent_runtime::serde_json::{Map, Value};
use agent_spec::schema::{Loss, ReadTool};
use agent_spec::types::{Kind, Shape, Type, types_of};
use agent_spec::{Param, Signature};
use std::cell::Cell;
use std::collections::HashMap;

/// The changes of the arguments of a tool before its server gets them.
#[derive(Debug, Default)]
pub(super) struct ArgumentMap {
    renaming: Option<Renaming>,
    /// The schema of the arguments, if it requires a member that may be `null`: in gram such a member is optional.
    nulls: Option<Value>,
}

/// The properties that have another name for the model.
#[derive(Debug)]
struct Renaming {
    /// The server's names by those of the signature.
    originals: HashMap<String, String>,
    signature: Signature,
}

impl ArgumentMap {
    /// `input` is the schema that was read.
    pub(super) fn of(read: &ReadTool, input: &str) -> Self {
        let renamed = read.renamed.iter();
        let originals = renamed.map(|name| (name.shown.clone(), name.original.clone()));
        let mut losses = read.losses.iter();
        let requires_null = losses.any(|problem| problem.loss() == Some(Loss::RequiredNull));
        Self {
            renaming: (!read.renamed.is_empty()).then(|| Renaming {
                originals: originals.collect(),
                signature: read.signature.clone(),
            }),
            nulls: requires_null.then(|| serde_json::from_str(input).unwrap_or_default()),
        }
    }

    /// Changes arguments that satisfy the signature.
    pub(super) fn apply(&self, mut arguments: Map<String, Value>) -> Map<String, Value> {
        if let Some(renaming) = &self.renaming {
            let (named, further) = renaming.signature.named_and_further();
            arguments = renaming.members(arguments, &[(named, further)]);
        }
        if let Some(schema) = &self.nulls {
            let nulls = RequiredNulls {
                root: schema,
                left: Cell::new(MOST_LOOKED_AT),
            };
            nulls.add_to_members(&nulls.parts(schema), &mut arguments);
        }
        arguments
    }
}

/// Adds `null` for each missing member that a schema requires and allows to be `null`. Below a union of several types,
/// nothing is added, because the value may be of any of them.
struct RequiredNulls<'s> {
    root: &'s Value,
    /// The number of schemas that may still be looked at.
    left: Cell<usize>,
}

/// The maximum number of schemas that are looked at for one call: a hostile server could write a schema whose parts
/// multiply at each level of a value.
const MOST_LOOKED_AT: usize = 100_000;

/// The maximum number of schemas that one schema consists of, because references may form a circle.
const MOST_PARTS: usize = 32;

impl<'s> RequiredNulls<'s> {
    fn add(&self, schema: &'s Value, value: &mut Value) {
        if self.left.get() == 0 {
            return;
        }
        let parts = self.parts(schema);
        match value {
            Value::Object(members) => self.add_to_members(&parts, members),
            Value::Array(items) => {
                for of in parts.iter().filter_map(|part| part.get("items")) {
                    items.iter_mut().for_each(|item| self.add(of, item));
                }
            }
            _ => {}
        }
    }

    fn add_to_members(&self, parts: &[&'s Map<String, Value>], members: &mut Map<String, Value>) {
        for part in parts {
            let properties = part.get("properties").and_then(Value::as_object);
            let property = |name: &str| properties.and_then(|properties| properties.get(name));
            let required = part.get("required").and_then(Value::as_array);
            for name in required.into_iter().flatten().filter_map(Value::as_str) {
                let is_missing = !members.contains_key(name);
                if is_missing && property(name).is_some_and(|schema| self.allows_null(schema)) {
                    members.insert(name.to_owned(), Value::Null);
                }
            }
            for (name, member) in members.iter_mut() {
                if let Some(schema) = property(name).or_else(|| part.get("additionalProperties")) {
                    self.add(schema, member);
                }
            }
        }
    }

    fn allows_null(&self, schema: &'s Value) -> bool {
        let mut parts = self.parts(schema).into_iter();
        parts.any(|part| {
            let mut arms = lists(part, &["anyOf", "oneOf"]).flatten();
            arms.any(is_null)
                || match part.get("type") {
                    Some(Value::Array(words)) => words.iter().any(|word| word == "null"),
                    Some(word) => {
                        word == "null" || part.get("nullable") == Some(&Value::Bool(true))
                    }
                    None => false,
                }
        })
    }

    /// Returns the objects of which a schema consists: itself, the targets of its references, the schemas of `allOf`, and
    /// the only schema beside `null`.
    fn parts(&self, schema: &'s Value) -> Vec<&'s Map<String, Value>> {
        let mut parts: Vec<&Map<String, Value>> = schema.as_object().into_iter().collect();
        let mut next = 0;
        while let Some(part) = parts.get(next).copied()
            && parts.len() < MOST_PARTS
            && self.left.get() > 0
        {
            self.left.set(self.left.get() - 1);
            next += 1;
            let reference = part.get("$ref").and_then(Value::as_str);
            let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
            let target = pointer.and_then(|pointer| self.root.pointer(pointer));
            let unions = lists(part, &["anyOf", "oneOf"]).filter_map(|arms| {
                let mut values = arms.iter().filter(|arm| !is_null(arm));
                values.next().filter(|_| values.next().is_none())
            });
            let all = lists(part, &["allOf"]).flatten();
            let inner = target.into_iter().chain(unions).chain(all);
            parts.extend(inner.filter_map(Value::as_object));
        }
        parts
    }
}

/// The lists of schemas of these keywords.
fn lists<'s>(part: &'s Map<String, Value>, keys: &[&str]) -> impl Iterator<Item = &'s Vec<Value>> {
    let lists: Vec<_> = keys.iter().filter_map(|key| part.get(*key)).collect();
    lists.into_iter().filter_map(Value::as_array)
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|word| word == "null")
}

/// A record that an object may be of: its fields, and the type of its further keys.
type Record<'t> = (&'t [Param], Option<&'t Type>);

impl Renaming {
    fn members(&self, members: Map<String, Value>, records: &[Record<'_>]) -> Map<String, Value> {
        let mut renamed = Map::new();
        let mut rest = Vec::new();
        for (name, mut member) in members {
            let declared = records.iter().filter_map(|(fields, _)| {
                let mut fields = fields.iter();
                fields.find(|field| field.name() == name)
            });
            let mut types: Vec<&Type> = declared.map(Param::ty).collect();
            // A key of a map is the model's own, even if it is equal to a name that was given here.
            let is_declared = !types.is_empty();
            if !is_declared {
                types = records.iter().filter_map(|(_, further)| *further).collect();
            }
            self.value(&mut member, &types);
            match self.originals.get(&name).filter(|_| is_declared) {
                Some(original) => rest.push((original.clone(), member)),
                None => {
                    renamed.insert(name, member);
                }
            }
        }
        renamed.extend(rest);
        renamed
    }

    /// Renames the members in a value of one of several types.
    fn value(&self, value: &mut Value, types: &[&Type]) {
        let types = alternatives(types);
        match value {
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    let of = types.iter().filter_map(|ty| match ty.kind() {
                        Kind::Array(of) => Some(of.get()),
                        Kind::Tuple(types) => types_of(types).get(at),
                        _ => None,
                    });
                    self.value(item, &of.collect::<Vec<_>>());
                }
            }
            Value::Object(members) => {
                let records = types.iter().filter_map(|ty| match ty.kind() {
                    Kind::Object(Shape::Open) => None,
                    Kind::Object(shape) => Some((shape.fields(), shape.values())),
                    _ => None,
                });
                let records: Vec<Record<'_>> = records.collect();
                if !records.is_empty() {
                    *members = self.members(std::mem::take(members), &records);
                }
            }
            _ => {}
        }
    }
}

/// Returns the types of unions in place of the unions.
fn alternatives<'t>(types: &[&'t Type]) -> Vec<&'t Type> {
    let mut all = types.to_vec();
    let mut at = 0;
    while at < all.len() {
        if let Kind::Union(inner) = all[at].kind() {
            all.extend(types_of(inner));
        }
        at += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::contract::read_contract;
    use crate::client::tool_list::ListedTool;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::json;

    fn listed(input: &Value) -> ListedTool {
        ListedTool {
            name: "find".to_owned(),
            title: None,
            description: None,
            input: input.to_string(),
            output: None,
            annotations: None,
        }
    }

    /// Returns what the server gets of the arguments that a model sends.
    fn arriving(input: &Value, arguments: &Value) -> Result<Value, String> {
        let read = read_contract(&listed(input))?;
        let text = arguments.to_string();
        let checked = read.signature.check_arguments(&text, None);
        let checked = checked.map_err(|error| format!("{}\n{error}", read.signature))?;
        let Value::Object(arguments) = checked.into_value() else {
            return Err("arguments are no object".to_owned());
        };
        let map = ArgumentMap::of(&read, &input.to_string());
        Ok(Value::Object(map.apply(arguments)))
    }

    /// Returns arguments with the names that the model sees, as a model would write them.
    fn as_shown(input: &Value, arguments: &Value) -> Value {
        let read = read_contract(&listed(input)).expect("a schema that can be read");
        let renamed = read.renamed.iter();
        let originals = renamed.map(|name| (name.original.clone(), name.shown.clone()));
        let renaming = Renaming {
            originals: originals.collect(),
            signature: with_original_names(&read),
        };
        let (named, further) = renaming.signature.named_and_further();
        let members = arguments.as_object().expect("an object").clone();
        Value::Object(renaming.members(members, &[(named, further)]))
    }

    fn with_original_names(read: &ReadTool) -> Signature {
        fn original(names: &HashMap<&str, &str>, fields: &[Param]) -> Vec<Param> {
            let fields = fields.iter().map(|field| {
                let name = *names.get(field.name()).unwrap_or(&field.name());
                Param::new(name.to_owned(), renamed(names, field.ty()))
            });
            fields.collect()
        }
        fn renamed(names: &HashMap<&str, &str>, ty: &Type) -> Type {
            let all = |types: &[Type]| types.iter().map(|ty| renamed(names, ty)).collect();
            let nest = |ty: &Type| agent_spec::Nest::new(renamed(names, ty));
            Type::new(match ty.kind() {
                Kind::Array(of) => Kind::Array(nest(of)),
                Kind::Tuple(types) => Kind::Tuple(all(types)),
                Kind::Union(types) => Kind::Union(all(types)),
                Kind::Object(Shape::Fields(fields)) => {
                    Kind::Object(Shape::Fields(original(names, fields).into()))
                }
                Kind::Object(Shape::Extended(fields, of)) => {
                    Kind::Object(Shape::Extended(original(names, fields).into(), nest(of)))
                }
                Kind::Object(Shape::Map(of)) => Kind::Object(Shape::Map(nest(of))),
                kind => kind.clone(),
            })
        }
        let names = read.renamed.iter();
        let names = names.map(|name| (&*name.shown, &*name.original)).collect();
        let params = original(&names, read.signature.params());
        Signature::new(params, read.signature.returns().clone())
    }

    /// A schema, and a value that it allows. An object that is closed has none but its properties.
    type Case = (Value, Value);

    fn texts() -> impl Strategy<Value = Value> {
        select(&["", "green", "6ba7b8109dad11d180b400c04fd430c8"][..]).prop_map(Value::from)
    }

    fn leaf() -> BoxedStrategy<Case> {
        let formats = select(&["uuid", "date-time", "uri", "email"][..]);
        let open = json!({"$top": 1, "filter[x]": {"p": [2, "q"]}, "_top": true});
        let deep = json!({"l": {"l": {"r": {}}}, "r": {}});
        prop_oneof![
            texts().prop_map(|text| (json!({"type": "string"}), text)),
            (formats, texts())
                .prop_map(|(format, text)| { (json!({"type": "string", "format": format}), text) }),
            (-3_i64..9).prop_map(|whole| (json!({"type": "integer"}), whole.into())),
            Just((json!({"type": "number"}), json!(2.5))),
            select(vec![json!("red"), json!(3), json!(true)])
                .prop_map(|value| (json!({"enum": ["red", 3, true]}), value)),
            texts().prop_map(|text| {
                (
                    json!({"anyOf": [{"enum": ["green"]}, {"type": "string"}]}),
                    text,
                )
            }),
            Just((json!({"type": "object"}), open.clone())),
            Just((json!({"type": "array"}), json!([1, open.clone()]))),
            Just((json!({}), open.clone())),
            Just((json!(true), open)),
            Just((json!({"$ref": "#/$defs/D0"}), deep)),
            Just((
                json!({"$ref": "#/$defs/Node"}),
                json!({"$of": {"$of": {}}, "n": 1})
            )),
        ]
        .boxed()
    }

    const NAMES: [&str; 7] = ["a", "b", "$top", "_top", "filter[x]", "größe", "x y"];

    /// What an object says about further keys, with some.
    fn further(of: BoxedStrategy<Case>) -> BoxedStrategy<(Value, Value)> {
        prop_oneof![
            Just((json!({}), json!({}))),
            Just((json!({"additionalProperties": false}), json!({}))),
            Just((
                json!({"additionalProperties": true}),
                json!({"more": 1, "_top_3": 2})
            )),
            Just((json!({"unevaluatedProperties": {}}), json!({"more": [1]}))),
            of.clone().prop_map(|(schema, value)| (
                json!({"additionalProperties": schema}),
                json!({"more": value})
            )),
            of.clone().prop_map(|(schema, value)| {
                let patterns = json!({"patternProperties": {"^x-": schema}});
                (patterns, json!({"x-1": value, "more": 1}))
            }),
            of.prop_map(|(schema, value)| {
                let patterns = json!({"^x-": schema, "^y-": {"type": "integer"}});
                let patterns =
                    json!({"patternProperties": patterns, "additionalProperties": false});
                (patterns, json!({"x-1": value, "y-1": 1}))
            }),
            Just((json!({"dependentRequired": {"p": ["q"]}}), json!({}))),
            Just((
                json!({"if": {"required": ["a"]}, "else": {"properties": {"else": {}}}}),
                json!({"else": [1]})
            )),
        ]
        .boxed()
    }

    fn merged(mut into: Value, from: Value) -> Value {
        if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
            into.extend(from);
        }
        into
    }

    fn record(of: BoxedStrategy<Case>) -> BoxedStrategy<Case> {
        let property = (select(&NAMES[..]), of.clone(), any::<bool>(), any::<bool>());
        (vec(property, 0..4), further(of), any::<bool>())
            .prop_map(|(properties, (words, more), is_described)| {
                let (mut schemas, mut value, mut required) = (json!({}), json!({}), Vec::new());
                for (name, (schema, own), is_required, is_there) in properties {
                    if schemas.get(name).is_none() {
                        schemas[name] = schema;
                        required.extend(is_required.then_some(name));
                        if is_required || is_there {
                            value[name] = own;
                        }
                    }
                }
                let mut schema = json!({"type": "object", "required": required});
                if is_described || words != json!({}) {
                    schema["properties"] = schemas;
                }
                (merged(schema, words), merged(value, more))
            })
            .boxed()
    }

    fn case() -> BoxedStrategy<Case> {
        leaf()
            .prop_recursive(3, 24, 4, |inner| {
                prop_oneof![
                    3 => record(inner.clone()),
                    1 => inner.clone().prop_map(|(schema, value)| {
                        (json!({"type": "array", "items": schema}), json!([value, value]))
                    }),
                    1 => (inner.clone(), inner.clone()).prop_map(|(one, other)| {
                        let schema = json!({"type": "array", "prefixItems": [one.0, other.0], "items": false, "minItems": 2});
                        (schema, json!([one.1, other.1]))
                    }),
                    1 => inner.clone().prop_map(|(schema, value)| {
                        (json!({"anyOf": [schema, {"type": "null"}]}), value)
                    }),
                    1 => (inner.clone(), inner).prop_map(|(one, other)| {
                        let arm = |tag: &str, of: Value| json!({
                            "type": "object",
                            "properties": {"kind": {"const": tag}, "@of": of},
                            "required": ["kind", "@of"],
                        });
                        let schema = json!({"oneOf": [arm("one", one.0), arm("other", other.0)]});
                        (schema, json!({"kind": "other", "@of": other.1}))
                    }),
                ]
            })
            .boxed()
    }

    /// The schema of the arguments of a tool.
    fn root() -> BoxedStrategy<Case> {
        let arm = |(schema, value): Case, tag: &str| {
            let tag = json!({"type": "object", "properties": {"tag": {"const": tag}}});
            (json!({"allOf": [schema, tag]}), value)
        };
        prop_oneof![
            4 => record(case()),
            1 => (record(case()), record(case())).prop_map(move |(one, other)| {
                let (one, other) = (arm(one, "one"), arm(other, "other"));
                (json!({"oneOf": [one.0, other.0]}), merged(one.1, json!({"tag": "one"})))
            }),
            1 => record(case()).prop_map(|(schema, value)| {
                (json!({"$ref": "#/$defs/Root", "Root": schema}), value)
            }),
        ]
        .prop_map(|(mut schema, value)| {
            let mut definitions = json!({
                "D8": {"type": "object", "properties": {"n": {"type": "integer"}}},
                "Node": {"type": "object", "properties": {"$of": {"$ref": "#/$defs/Node"}, "n": {"type": "integer"}}},
            });
            for at in 0..8 {
                let next = json!({"$ref": format!("#/$defs/D{}", at + 1)});
                definitions[format!("D{at}")] =
                    json!({"type": "object", "properties": {"l": next, "r": next}});
            }
            if let Some(root) = schema.as_object_mut().and_then(|root| root.remove("Root")) {
                definitions["Root"] = root;
            }
            schema["$defs"] = definitions;
            (schema, value)
        })
        .boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(512)
        })]

        #[test]
        fn what_a_schema_allows_arrives_at_the_server((schema, value) in root()) {
            let shown = as_shown(&schema, &value);
            let arrived = arriving(&schema, &shown);
            prop_assert_eq!(arrived.as_ref(), Ok(&value), "{}\n{}", schema, shown);
        }
    }
}
