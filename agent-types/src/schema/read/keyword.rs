//! The reader's treatment of each keyword of JSON Schema.

use crate::keyword::{Keyword, TypeFamily};
use crate::names::nearest;
use crate::schema::read::Loss;
use crate::schema::read::converter::{Converter, PathStep, ReadSchema};
use crate::schema::read::source::{Json, Members};

/// The keywords that restrict values, besides the keywords that gram has as well.
const OWN: [&str; 8] = [
    "type",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "additionalItems",
];

/// The keywords of one family of types.
pub(super) fn structure_of(family: TypeFamily) -> &'static [&'static str] {
    match family {
        TypeFamily::Array => &["items", "prefixItems"],
        TypeFamily::Object => &["properties", "required", "additionalProperties"],
        TypeFamily::Any | TypeFamily::Text | TypeFamily::Number | TypeFamily::Union => &[],
    }
}

/// The keywords that narrow types in gram as well.
fn constraints() -> impl Iterator<Item = &'static str> {
    Keyword::in_attributes().map(Keyword::name)
}

/// Keywords that lead to other schemas, or that become parts of a field.
const OTHERS: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "description", "default"];

/// Keywords that refuse no value, and containers of definitions, which are read where something refers to
/// them. The last keywords are those of OpenAPI.
const IGNORED: [&str; 23] = [
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "$vocabulary",
    "example",
    "discriminator",
    "externalDocs",
    "xml",
    "components",
];

/// Keywords that gram cannot express, each with its loss and with advice on what to write instead.
const REFUSED: [(&str, Option<Loss>, &str); 20] = [
    (
        "uniqueItems",
        Some(Loss::UniqueItems),
        "let the tool refuse duplicates",
    ),
    (
        "not",
        Some(Loss::Not),
        "say what is allowed, in `enum` or by `minimum` and `maximum`",
    ),
    ("contains", Some(Loss::Contains), CHECK),
    ("minContains", Some(Loss::Contains), CHECK),
    ("maxContains", Some(Loss::Contains), CHECK),
    ("minProperties", Some(Loss::PropertyCount), CHECK),
    ("maxProperties", Some(Loss::PropertyCount), CHECK),
    ("propertyNames", Some(Loss::PropertyNames), CHECK),
    ("if", Some(Loss::Conditions), CHECK),
    ("then", Some(Loss::Conditions), CHECK),
    ("else", Some(Loss::Conditions), CHECK),
    ("dependentRequired", Some(Loss::Conditions), CHECK),
    ("dependentSchemas", Some(Loss::Conditions), CHECK),
    ("dependencies", Some(Loss::Conditions), CHECK),
    (
        "unevaluatedProperties",
        Some(Loss::FurtherProperties),
        "write `additionalProperties`",
    ),
    (
        "patternProperties",
        Some(Loss::FurtherProperties),
        "write `additionalProperties` for a map with any keys",
    ),
    (
        "unevaluatedItems",
        Some(Loss::Tuples),
        "write `items`, or `prefixItems`, `minItems` and `maxItems`",
    ),
    (
        "nullable",
        Some(Loss::UnknownKeywords),
        "write `type` beside it, or `{\"type\": \"null\"}` as one more schema of `anyOf`",
    ),
    (
        "$dynamicRef",
        None,
        "write `$ref` and the place in this document",
    ),
    (
        "$recursiveRef",
        None,
        "write `$ref` and the place in this document",
    ),
];

const CHECK: &str = "let the tool check it";

/// Keywords that apply other schemas to the same value.
const APPLICATORS: [&str; 10] = [
    "$ref",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
];

/// Keywords whose schemas may name properties that a value has only under a condition.
const CONDITIONS: [&str; 5] = ["if", "then", "else", "dependentSchemas", "dependencies"];

/// Patterns that match every name, as generators write them for maps.
const EVERY_NAME: [&str; 6] = ["", ".*", "^.*", ".*$", "^.*$", "^(.*)$"];

/// Whether a keyword narrows a type without other keywords.
pub(super) fn is_own(key: &str) -> bool {
    OWN.contains(&key) || constraints().any(|name| name == key)
}

impl<'s> Converter<'s> {
    /// Reports keywords that gram cannot express, and unknown keywords.
    pub(super) fn refuse_keywords(&mut self, members: Members<'s>) {
        for (key, value) in members.iter() {
            let known = is_own(key) || OTHERS.contains(&key) || IGNORED.contains(&key);
            // By convention, a key that begins with `x-` is never a keyword.
            if known || key.starts_with("x-") || has_no_effect(members, key, value) {
                continue;
            }
            if self.further(members).is_some_and(|(read, _)| read == key) {
                continue;
            }
            match REFUSED.iter().find(|(refused, ..)| *refused == key) {
                Some((_, loss, help)) => self.refuse(key, value, *loss, help),
                None => self.unknown(key),
            }
        }
    }

    /// Returns the keyword with the schema of the properties that have no schema of their own.
    pub(super) fn further(&self, members: Members<'s>) -> Option<(&'static str, Json<'s>)> {
        let is_object = members.get("type").is_some();
        // A map whose keys have a form.
        if let Some((pattern, values)) = pattern_of(members).filter(|_| is_object) {
            let refuses_others =
                matches!(members.get("additionalProperties"), Some(Json::Bool(false)));
            if refuses_others || EVERY_NAME.contains(&pattern) {
                return Some(("patternProperties", values));
            }
        }
        // Further keys are allowed explicitly, whatever other schemas of the object require.
        if let Some(values) = members.get("unevaluatedProperties")
            && allows_everything(values)
            && members.get("additionalProperties").is_none()
        {
            return Some(("unevaluatedProperties", values));
        }
        if let Some(values) = members.get("additionalProperties") {
            return Some(("additionalProperties", values));
        }
        // Without other schemas for the same object, both keywords mean the same.
        let alone = is_object && !APPLICATORS.iter().any(|key| members.get(key).is_some());
        let values = members.get("unevaluatedProperties").filter(|_| alone)?;
        Some(("unevaluatedProperties", values))
    }

    /// Whether an object has further keys whose type is not known: those of several patterns, or those that a condition
    /// gives. Their keywords are losses.
    pub(super) fn allows_others(&self, members: Members<'s>) -> bool {
        let read = self.further(members);
        let is_read = |key: &str| read.is_some_and(|(read, _)| read == key);
        let unread = |key: &'static str| members.get(key).filter(|_| !is_read(key));
        let patterns = unread("patternProperties");
        let rest = unread("unevaluatedProperties");
        let rest = rest.filter(|_| members.get("additionalProperties").is_none());
        let mut conditions = CONDITIONS.iter().filter_map(|key| members.get(key));
        patterns.is_some_and(|patterns| !allows_nothing(patterns))
            || rest.is_some_and(|rest| !matches!(rest, Json::Bool(false)))
            || (read.is_none() && conditions.any(|schema| has_properties(schema, 0)))
    }

    /// Reads the values of a map whose keys match a pattern, and reports the pattern.
    pub(super) fn values_by_pattern(&mut self, members: Members<'s>) -> Option<ReadSchema> {
        let (pattern, values) = pattern_of(members)?;
        if !EVERY_NAME.contains(&pattern) {
            let message =
                format!("the keys of a map may be any texts, and these match {pattern:?}");
            self.lose_at(Loss::PropertyNames, "patternProperties", message, CHECK);
        }
        self.steps.push(PathStep::Key("patternProperties".into()));
        let found = self.nested(pattern, values, 1);
        self.steps.pop();
        found
    }

    fn refuse(&mut self, key: &'s str, value: Json<'s>, loss: Option<Loss>, help: &str) {
        let loss = match (key, value) {
            ("unevaluatedProperties", Json::Bool(false)) => Some(Loss::ClosedObjects),
            _ => loss,
        };
        let message = format!("gram has no word for `{key}`");
        match loss {
            Some(loss) => {
                self.lose_at(loss, key, message, help);
            }
            None => self.report_at(key, message, help),
        }
    }

    fn unknown(&mut self, key: &'s str) {
        let known = OWN.into_iter().chain(constraints());
        let known = known.chain(OTHERS).chain(IGNORED);
        let known = known.chain(REFUSED.map(|(refused, ..)| refused));
        let help = match nearest(key, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "a key that starts with `x-` is never a keyword".to_owned(),
        };
        let message = format!("`{key}` is no keyword that is known here");
        self.lose_at(Loss::UnknownKeywords, key, message, &help);
    }
}

/// The only pattern of an object without known properties, and the schema of its values.
fn pattern_of<'s>(members: Members<'s>) -> Option<(&'s str, Json<'s>)> {
    match members.get("patternProperties") {
        Some(Json::Object(patterns))
            if patterns.len() == 1 && members.get("properties").is_none() =>
        {
            patterns.iter().next()
        }
        _ => None,
    }
}

/// Whether a keyword with this value refuses nothing.
fn has_no_effect(members: Members<'_>, key: &str, value: Json<'_>) -> bool {
    let has = |other| members.get(other).is_some();
    match key {
        "uniqueItems" => matches!(value, Json::Bool(false)),
        // Read with `type`.
        "nullable" => matches!(value, Json::Bool(allowed) if !allowed || has("type")),
        "minProperties" => value.as_count() == Some(0),
        "minContains" | "maxContains" => !has("contains"),
        // Every name is a text.
        "propertyNames" => allows_everything(value) || is_type(value, "string"),
        "if" => !has("then") && !has("else"),
        "then" | "else" => !has("if"),
        "dependentRequired" | "dependentSchemas" | "dependencies" | "patternProperties" => {
            matches!(value, Json::Object(members) if members.len() == 0)
        }
        "unevaluatedProperties" => {
            let alone = !APPLICATORS.iter().any(|key| has(key));
            allows_everything(value) || (alone && has("additionalProperties"))
        }
        // The keyword is read with the length of a tuple, or no item is left that could be unevaluated.
        "unevaluatedItems" => {
            let last = matches!(value, Json::Bool(false)) && !has("$ref") && !has("allOf");
            allows_everything(value) || has("items") || (last && has("prefixItems"))
        }
        _ => false,
    }
}

/// Whether a keyword with schemas by name has no schemas.
fn allows_nothing(schemas: Json<'_>) -> bool {
    matches!(schemas, Json::Object(members) if members.len() == 0)
}

/// Whether a schema, or one inside of it, names properties.
fn has_properties(schema: Json<'_>, depth: usize) -> bool {
    let within = |part| has_properties(part, depth + 1);
    // A schema that nests too deep to be searched may name properties.
    if depth > agent_gram::MAX_DEPTH {
        return true;
    }
    match schema {
        Json::Object(members) => members
            .iter()
            .any(|(key, part)| matches!(key, "properties" | "$ref") || within(part)),
        Json::List(parts) => parts.iter().any(within),
        _ => false,
    }
}

/// Whether a schema allows every value.
fn allows_everything(schema: Json<'_>) -> bool {
    match schema {
        Json::Bool(allowed) => allowed,
        Json::Object(members) => members.len() == 0,
        _ => false,
    }
}

/// Whether a schema is a type, with or without annotations.
pub(super) fn is_type(schema: Json<'_>, word: &str) -> bool {
    let Json::Object(members) = schema else {
        return false;
    };
    let says_type = matches!(members.get("type"), Some(Json::Text(text)) if text == word);
    let annotation = |key| key == "description" || IGNORED.contains(&key);
    says_type
        && members
            .iter()
            .all(|(key, _)| key == "type" || annotation(key))
}
