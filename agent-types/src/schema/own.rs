//! The parts of a tool's own JSON Schema in the places where a spec allows any value.
//!
//! A spec may declare `Any` where the tool has a schema that no gram type expresses. In this place, the
//! model gets the tool's schema, because the tool refuses values that do not satisfy it.

use super::extract::{Extract, member};
use super::{Members, Schema};
use crate::json_value::Ordered;
use agent_gram::value::Text;
use serde_core::Deserialize as _;
use serde_json::Value;

/// The maximum number of references that are followed from one schema to the next, because the references of an MCP
/// server's schema may form a circle.
const MOST_REFERENCES: usize = 32;

/// Returns the schema of the arguments of a spec. Where the spec allows any value, the schema has the part
/// of `own`, the schema of the tool, with the definitions that the part refers to.
pub fn with_own(schema: Schema, own: &Value) -> Schema {
    let Ok(root) = Ordered::deserialize(own) else {
        return schema;
    };
    let mut members = schema.members.to_vec();
    // A reference of the tool's schema that leads nowhere stays as it is.
    let mut walk = Walk(Extract::new(&root));
    walk.0.definitions.take_from(&mut members);
    walk.fill(&mut members, &root);
    walk.0.finish();
    Schema::from_members(walk.0.definitions.added_to(members))
}

struct Walk<'s>(Extract<'s>);

impl<'s> Walk<'s> {
    /// Fills the places of a schema that declares its type. `own` is the tool's schema of the same values.
    fn fill(&mut self, members: &mut Members, own: &'s Ordered) {
        let own = self.target(own);
        let has = |members: &Members, key: &str| members.iter().any(|(held, _)| held == key);
        let is_list = |(key, value): &(Text, Ordered)| *key == "type" && is_word(value, "array");
        // A list of any values has no schema for them.
        if members.iter().any(is_list) && !has(members, "items") && !has(members, "prefixItems") {
            for key in ["prefixItems", "items"] {
                if let Some(items) = member(own, key) {
                    let items = self.0.copied_member(key, items);
                    members.push((key.into(), items));
                }
            }
            return;
        }
        for (key, value) in members {
            let Some(own) = member(own, key) else {
                continue;
            };
            match (key.as_str(), value, own) {
                ("properties", Ordered::Object(properties), _) => {
                    for (name, schema) in properties {
                        if let Some(own) = member(own, name) {
                            self.place(schema, own);
                        }
                    }
                }
                ("prefixItems", Ordered::Array(schemas), Ordered::Array(own)) => {
                    for (schema, own) in schemas.iter_mut().zip(own) {
                        self.place(schema, own);
                    }
                }
                ("items" | "additionalProperties", schema, _) => self.place(schema, own),
                _ => {}
            }
        }
    }

    /// Puts the tool's schema into a place that allows any value, or into the places of this kind inside it.
    fn place(&mut self, schema: &mut Ordered, own: &'s Ordered) {
        let Ordered::Object(members) = schema else {
            return;
        };
        // Each of these keywords declares the type of the values, also `anyOf`, the schema of a union.
        const TYPED: [&str; 5] = ["type", "anyOf", "oneOf", "allOf", "$ref"];
        let is_any = |members: &Members| {
            members
                .iter()
                .all(|(key, _)| TYPED.iter().all(|typed| key != typed))
        };
        if !is_any(members) {
            self.fill(members, own);
            return;
        }
        let Ordered::Object(taken) = self.0.copied(own) else {
            return;
        };
        // The spec's description of a value, its default and its limits come before the tool's.
        for (key, value) in taken {
            if members.iter().all(|(held, _)| *held != key) {
                members.push((key, value));
            }
        }
    }

    /// Returns the schema that declares the parts of the values: the target of a reference, the only part of
    /// an `allOf`, or the schema beside `null`.
    fn target(&self, own: &'s Ordered) -> &'s Ordered {
        let mut at = own;
        for _ in 0..MOST_REFERENCES {
            let has_parts = ["properties", "items", "prefixItems", "additionalProperties"];
            if has_parts.iter().any(|key| member(at, key).is_some()) {
                return at;
            }
            let next = match (member(at, "$ref"), only_part(at)) {
                (Some(Ordered::Text(reference)), _) => self.0.resolve(reference),
                (_, part) => part,
            };
            match next {
                Some(next) => at = next,
                None => return at,
            }
        }
        at
    }
}

/// Whether the value of `type` is a word, or a list with it.
fn is_word(value: &Ordered, word: &str) -> bool {
    match value {
        Ordered::Array(words) => words.iter().any(|value| is_word(value, word)),
        Ordered::Text(text) => text == word,
        _ => false,
    }
}

/// Returns the one schema in an `allOf`, or the one beside `null` in an `anyOf` or `oneOf`.
fn only_part(schema: &Ordered) -> Option<&Ordered> {
    let is_null =
        |part: &&Ordered| member(part, "type").is_some_and(|ty| *ty == Ordered::text("null"));
    for key in ["allOf", "anyOf", "oneOf"] {
        if let Some(Ordered::Array(parts)) = member(schema, key) {
            let mut parts = parts.iter().filter(|part| key == "allOf" || !is_null(part));
            let only = parts.next();
            return only.filter(|_| parts.next().is_none());
        }
    }
    None
}
