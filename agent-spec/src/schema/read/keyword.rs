//! The reader's treatment of each keyword of JSON Schema.

use crate::names::nearest;
use crate::schema::read::Loss;
use crate::schema::read::convert::Converter;
use crate::schema::read::source::{Json, Members};
use crate::vocabulary::{Keyword, TypeFamily};

/// The keywords that restrict values, besides the keywords that gram has as well.
const OWN: [&str; 8] = [
    "type",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

/// The keywords of one family of types.
pub(super) fn structure_of(family: TypeFamily) -> &'static [&'static str] {
    match family {
        TypeFamily::Array => &["items"],
        TypeFamily::Object => &["properties", "required", "additionalProperties"],
        TypeFamily::Number => &["exclusiveMinimum", "exclusiveMaximum"],
        TypeFamily::Any | TypeFamily::Text => &[],
    }
}

/// The keywords that narrow types in gram as well.
fn constraints() -> impl Iterator<Item = &'static str> {
    Keyword::CONSTRAINTS.iter().map(|keyword| keyword.name())
}

/// Keywords that lead to other schemas, or that become parts of a field.
const OTHERS: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "description", "default"];

/// Keywords that refuse no value, and `$defs`, which is read where something refers to it.
const IGNORED: [&str; 17] = [
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "$vocabulary",
];

/// Keywords that gram has no words for, what loses them, and what to write instead.
const REFUSED: [(&str, Option<Loss>, &str); 25] = [
    (
        "uniqueItems",
        Some(Loss::UniqueItems),
        "let the tool refuse duplicates",
    ),
    (
        "multipleOf",
        Some(Loss::MultipleOf),
        "name the values in `enum`, or let the tool check",
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
        Some(Loss::ClosedObjects),
        "write `additionalProperties`",
    ),
    (
        "patternProperties",
        None,
        "write `additionalProperties` for a map with any keys",
    ),
    ("prefixItems", None, TUPLE),
    ("additionalItems", None, TUPLE),
    ("unevaluatedItems", None, TUPLE),
    (
        "nullable",
        None,
        "write `null` beside the type: `\"type\": [\"string\", \"null\"]`",
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
    (
        "$dynamicAnchor",
        None,
        "write `$ref` and the place in this document",
    ),
    (
        "discriminator",
        None,
        "a value has one type; write the parts as optional properties",
    ),
];

const CHECK: &str = "let the tool check it";

/// The advice for a tuple, whose items each have a type of their own.
pub(super) const TUPLE: &str =
    "a list has one type for all its items; write an object with a property for each part";

/// Whether a keyword narrows a type without other keywords.
pub(super) fn is_own(key: &str) -> bool {
    OWN.contains(&key) || constraints().any(|name| name == key)
}

impl Converter<'_> {
    /// Reports keywords that gram cannot express, and unknown keywords.
    pub(super) fn refuse_keywords(&mut self, members: Members<'_>) {
        for (key, value) in members.iter() {
            let known = is_own(key) || OTHERS.contains(&key) || IGNORED.contains(&key);
            // By convention such a key is never a keyword.
            if known || key.starts_with("x-") {
                continue;
            }
            match REFUSED.iter().find(|(refused, ..)| *refused == key) {
                Some((_, loss, help)) => self.refuse(key, value, *loss, help),
                None => self.unknown(key),
            }
        }
    }

    fn refuse(&mut self, key: &str, value: Json<'_>, loss: Option<Loss>, help: &str) {
        let says_nothing = key == "uniqueItems" && matches!(value, Json::Bool(false));
        if says_nothing || loss.is_some_and(|loss| self.allows(loss)) {
            return;
        }
        let help = match loss {
            Some(loss) => format!("{help}, or allow `Loss::{loss:?}`"),
            None => help.to_owned(),
        };
        self.report_at(
            key.to_owned(),
            format!("gram has no word for `{key}`"),
            help,
        );
    }

    fn unknown(&mut self, key: &str) {
        let known = OWN.into_iter().chain(constraints());
        let known = known.chain(OTHERS).chain(IGNORED);
        let known = known.chain(REFUSED.map(|(refused, ..)| refused));
        let help = match nearest(key, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "a key that starts with `x-` is never a keyword".to_owned(),
        };
        self.report_at(
            key.to_owned(),
            format!("`{key}` is no keyword that is known here"),
            help,
        );
    }
}
