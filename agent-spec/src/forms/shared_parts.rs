//! Repeated parts of a schema, written once, because each request to a model contains the schema.

use agent_gram::value::Text;
use agent_types::Schema;
use agent_types::json::Ordered;
use std::collections::HashMap;

/// The minimum number of bytes that a definition must save. A model reads a short part more easily where it is used.
const LEAST_SAVED: usize = 1 << 10;

/// The minimum number of bytes of a part that becomes a definition. The reference to it takes about half of them.
const LEAST_PART: usize = 64;

/// The members of a schema, in order.
type Members = Vec<(Text, Ordered)>;

/// Returns the same schema for a model, with long equal parts as one definition in `$defs`. Such parts come from one Rust
/// type that several parameters have, or from one definition that several properties of a server's schema refer to.
pub(super) fn sharing_parts(schema: Schema) -> Schema {
    if schema.to_string().len() < LEAST_SAVED {
        return schema;
    }
    let mut members = schema.members().to_vec();
    let mut sharing = Sharing::default();
    each_part(&mut members, &mut |part| sharing.count(part));
    let is_worth = |(text, count): &(String, usize)| (count - 1) * text.len() >= LEAST_SAVED;
    let parts = std::mem::take(&mut sharing.counts).into_iter();
    let parts = parts.filter(is_worth);
    sharing.names = parts.map(|(text, _)| (text, None)).collect();
    if sharing.names.is_empty() {
        return schema;
    }
    if let Some(at) = members.iter().position(|(key, _)| *key == "$defs")
        && let (_, Ordered::Object(definitions)) = members.remove(at)
    {
        sharing.definitions = definitions;
    }
    each_part(&mut members, &mut |part| sharing.replace(part));
    members.push(("$defs".into(), Ordered::Object(sharing.definitions)));
    Schema::from_members(members)
}

#[derive(Default)]
struct Sharing {
    definitions: Members,
    /// The number of times that a part is in the schema, by its text.
    counts: HashMap<String, usize>,
    /// The names of the definitions of the parts that are shared, by their texts. A definition is named when its first part
    /// is replaced.
    names: HashMap<String, Option<String>>,
}

impl Sharing {
    /// Counts a part, and the first time the parts inside it.
    fn count(&mut self, part: &mut Ordered) {
        let Ordered::Object(members) = part else {
            return;
        };
        let (whole, bare) = texts_of(members);
        if whole != bare && whole.len() >= LEAST_PART {
            *self.counts.entry(whole).or_default() += 1;
        }
        if bare.len() >= LEAST_PART {
            let count = self.counts.entry(bare).or_default();
            *count += 1;
            if *count == 1 {
                each_part(members, &mut |part| self.count(part));
            }
        }
    }

    /// Replaces a part that is shared by a reference, or the parts inside it.
    fn replace(&mut self, part: &mut Ordered) {
        let Ordered::Object(members) = part else {
            return;
        };
        let (whole, bare) = texts_of(members);
        let beside = if self.names.contains_key(&whole) {
            Members::new()
        } else if self.names.contains_key(&bare) {
            members.extract_if(.., |(key, _)| is_beside(key)).collect()
        } else {
            each_part(members, &mut |part| self.replace(part));
            return;
        };
        let text = if beside.is_empty() { whole } else { bare };
        let mut shared = std::mem::replace(members, beside);
        let name = self.names[&text].clone().unwrap_or_else(|| {
            each_part(&mut shared, &mut |part| self.replace(part));
            let name = self.free_name();
            let definition = (Text::from(name.clone()), Ordered::Object(shared));
            self.definitions.push(definition);
            self.names.insert(text, Some(name.clone()));
            name
        });
        members.push(("$ref".into(), Ordered::text(format!("#/$defs/{name}"))));
    }

    /// Returns a name that no definition has.
    fn free_name(&self) -> String {
        let is_used = |name: &String| self.definitions.iter().any(|(used, _)| used == name);
        let mut names = (self.definitions.len() + 1..).map(|number| format!("shared{number}"));
        names.find(|name| !is_used(name)).unwrap_or_default()
    }
}

/// Whether a member may stay beside the reference to a part.
fn is_beside(key: &Text) -> bool {
    matches!(key.as_str(), "description" | "default")
}

/// Returns the text of a part, with and without the members that may stay beside a reference.
fn texts_of(members: &Members) -> (String, String) {
    let (mut whole, mut bare) = (String::new(), String::new());
    for (key, value) in members {
        let member = format!("{:?}:{value},", key.as_str());
        whole.push_str(&member);
        if !is_beside(key) {
            bare.push_str(&member);
        }
    }
    (whole, bare)
}

/// Visits the schemas directly inside a schema, in the keywords that types write.
fn each_part(members: &mut Members, visit: &mut impl FnMut(&mut Ordered)) {
    for (key, value) in members {
        match (key.as_str(), value) {
            ("properties", Ordered::Object(schemas)) => {
                schemas.iter_mut().for_each(|(_, schema)| visit(schema));
            }
            ("prefixItems" | "anyOf", Ordered::Array(schemas)) => {
                schemas.iter_mut().for_each(&mut *visit)
            }
            ("items" | "additionalProperties", schema) => visit(schema),
            _ => {}
        }
    }
}
