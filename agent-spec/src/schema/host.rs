//! The schemas that implementations have of their own, where a type says only `Any`.

use crate::json::Ordered;
use crate::types::{Host, Kind, Type};
use agent_gram::value::Text;
use serde_core::Deserialize as _;

type Members = Vec<(Text, Ordered)>;

/// Where definitions stand, and how they are referred to.
const DEFINITIONS: &str = "$defs";
const PREFIX: &str = "#/$defs/";

/// The definitions of all schemas inside one, by name.
#[derive(Default)]
pub(super) struct Definitions(Members);

impl Definitions {
    /// The schema with its definitions, if there are any.
    pub(super) fn added_to(self, mut members: Members) -> Members {
        if !self.0.is_empty() {
            members.push((DEFINITIONS.into(), Ordered::Object(self.0)));
        }
        members
    }

    /// Takes the definitions out of a schema. One of a name that another definition has gets a name
    /// of its own.
    fn take_from(&mut self, members: &mut Members) {
        let Some(at) = members.iter().position(|(key, _)| *key == DEFINITIONS) else {
            return;
        };
        let (_, Ordered::Object(mut taken)) = members.remove(at) else {
            return;
        };
        let renamed: Vec<(String, String)> = taken
            .iter()
            .filter(|(name, schema)| self.is_other(name, schema))
            .map(|(name, _)| (name.to_string(), self.free_name(name)))
            .collect();
        if !renamed.is_empty() {
            rename_in_members(members, &renamed);
            for (name, schema) in &mut taken {
                rename(schema, &renamed);
                if let Some((_, free)) = renamed.iter().find(|(old, _)| name == old) {
                    *name = Text::from(free.clone());
                }
            }
        }
        for (name, schema) in taken {
            if self.0.iter().all(|(known, _)| *known != name) {
                self.0.push((name, schema));
            }
        }
    }

    fn is_other(&self, name: &Text, schema: &Ordered) -> bool {
        let known = self.0.iter().find(|(known, _)| known == name);
        known.is_some_and(|(_, known)| known != schema)
    }

    fn free_name(&self, name: &Text) -> String {
        let mut count = 2;
        loop {
            let free = format!("{}{count}", name.as_str());
            if self.0.iter().all(|(known, _)| *known != free.as_str()) {
                return free;
            }
            count += 1;
        }
    }
}

fn rename_in_members(members: &mut Members, renamed: &[(String, String)]) {
    for (key, value) in members {
        if *key == "$ref"
            && let Ordered::Text(reference) = value
            && let Some(name) = reference.as_str().strip_prefix(PREFIX)
            && let Some((_, free)) = renamed.iter().find(|(old, _)| old == name)
        {
            *value = Ordered::text(format!("{PREFIX}{free}"));
        } else {
            rename(value, renamed);
        }
    }
}

fn rename(value: &mut Ordered, renamed: &[(String, String)]) {
    match value {
        Ordered::Object(members) => rename_in_members(members, renamed),
        Ordered::Array(items) => items.iter_mut().for_each(|item| rename(item, renamed)),
        _ => {}
    }
}

/// What the implementation's own schema says of a type that is `Any`, its definitions apart; nothing
/// when there is none.
pub(super) fn schema_of(
    ty: &Type,
    host: Option<&Type>,
    nullable: bool,
    definitions: &mut Definitions,
) -> Members {
    if !matches!(ty.kind(), Kind::Any) {
        return Vec::new();
    }
    let own = ty.host().or(host.and_then(Type::host));
    let Some(Host::Schema(schema)) = own else {
        return Vec::new();
    };
    // A schema that is `true`, and what is no schema, says nothing.
    let Ok(Ordered::Object(mut members)) = Ordered::deserialize(&schema()) else {
        return Vec::new();
    };
    members.retain(|(key, _)| *key != "$schema");
    definitions.take_from(&mut members);
    if nullable && !members.is_empty() {
        let null = vec![("type".into(), Ordered::text("null"))];
        let either = vec![Ordered::Object(members), Ordered::Object(null)];
        members = vec![("anyOf".into(), Ordered::Array(either))];
    }
    members
}
