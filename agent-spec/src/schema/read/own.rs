//! The keywords that narrow by themselves: `type`, and what goes with it.

use super::Loss;
use super::enumeration::Allowed;
use super::keyword::TUPLE;
use super::node::Found;
use super::source::{Json, Members};
use super::walk::Walk;
use crate::Nest;
use crate::names::nearest;
use crate::types::{Kind, Type};

/// The words of `type`.
const WORDS: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// What `type` says.
#[derive(Clone, Copy)]
struct Said {
    /// The one word beside `null`; `None` when there is no `type`.
    word: Option<&'static str>,
    /// Whether `null` is allowed.
    null: bool,
    /// Whether it gives several types, which may be lost.
    several: bool,
}

impl<'s> Walk<'s> {
    /// The type of which the keywords of this object tell.
    pub(super) fn own(&mut self, members: Members<'s>) -> Option<Found> {
        let said = self.type_word(members);
        let allowed = self.allowed(members);
        let (said, allowed) = (said?, allowed?);
        if said.several && allowed.is_none() {
            return Some(Found::of(Type::new(Kind::Any)));
        }
        let word = match (&allowed, said.word) {
            (Some(allowed), _) if allowed.values.is_empty() => Some("null"),
            (Some(allowed), None) => allowed.word(),
            (_, word) => word,
        };
        self.refuse_misplaced(members, word, said.word.is_some());
        let kind = self.kind(members, word)?;
        self.narrowed(members, kind, said, allowed)
    }

    /// A type of this kind, narrowed by the other keywords.
    fn narrowed(
        &mut self,
        members: Members<'s>,
        kind: Kind,
        said: Said,
        allowed: Option<Allowed<'s>>,
    ) -> Option<Found> {
        let constraints = self.constraints(members, &kind);
        let plain = Type::new(kind).with_constraints(constraints);
        let plain_null = matches!(plain.kind(), Kind::Null);
        let Some(allowed) = allowed else {
            // Without a `type`, anything is allowed, `null` as well.
            let optional = said.null && said.word.is_some() && !plain_null;
            return Some(Found::of(plain.with_optional(optional)));
        };
        if allowed.null && !said.null {
            let message = format!(
                "`null` is listed, but `type` is {:?}",
                said.word.unwrap_or_default()
            );
            self.report_at(
                allowed.key,
                message,
                "write `null` in `type` as well, or take it out",
            );
        }
        if plain_null {
            return Some(Found::of(plain));
        }
        let narrowed = self.enumerated(plain, &allowed)?;
        Some(Found::of(narrowed.with_optional(said.null && allowed.null)))
    }

    fn kind(&mut self, members: Members<'s>, word: Option<&str>) -> Option<Kind> {
        Some(match word {
            None => Kind::Any,
            Some("null") => Kind::Null,
            Some("boolean") => Kind::Bool,
            Some("integer") => Kind::Int,
            Some("number") => Kind::Double,
            Some("string") => Kind::Text,
            Some("array") => Kind::Array(self.element(members)?),
            Some(_) => Kind::Object(self.shape(members)?),
        })
    }

    fn element(&mut self, members: Members<'s>) -> Option<Nest<Type>> {
        match members.get("items") {
            None => Some(Nest::from_static(Type::ANY)),
            Some(Json::List(_)) => {
                let message = "expected one schema for all items, found a list";
                self.report_at("items", message, TUPLE);
                None
            }
            Some(items) => self.nested("items", items, 1).map(Found::into_nest),
        }
    }

    /// Reads `type`.
    fn type_word(&mut self, members: Members<'s>) -> Option<Said> {
        let anything = Said {
            word: None,
            null: true,
            several: false,
        };
        let Some(value) = members.get("type") else {
            return Some(anything);
        };
        let listed: Vec<Json<'s>> = match value {
            Json::List(list) => list.iter().collect(),
            one => vec![one],
        };
        let mut words = Vec::new();
        for item in &listed {
            let known = match item {
                Json::Text(text) => WORDS.into_iter().find(|word| word == text),
                _ => None,
            };
            let Some(known) = known else {
                self.not_a_word(*item);
                return None;
            };
            if !words.contains(&known) {
                words.push(known);
            }
        }
        // Whole numbers are numbers.
        if words.contains(&"number") {
            words.retain(|word| *word != "integer");
        }
        let null = words.contains(&"null");
        match words.as_slice() {
            [] => {
                self.wrong("type", "at least one type", value);
                None
            }
            ["null"] => Some(Said {
                word: Some("null"),
                ..anything
            }),
            [word] | [word, "null"] | ["null", word] => Some(Said {
                word: Some(word),
                null,
                ..anything
            }),
            _ if self.allows(Loss::Unions) => Some(Said {
                several: true,
                ..anything
            }),
            several => {
                let several: Vec<_> = several.iter().map(|word| format!("{word:?}")).collect();
                self.report_at(
                    "type",
                    format!(
                        "a value has one type in gram, and these are {}",
                        several.join(", ")
                    ),
                    "choose one, or allow `Loss::Unions`, which takes any value",
                );
                None
            }
        }
    }

    fn not_a_word(&mut self, found: Json<'_>) {
        let meant = match found {
            Json::Text(text) => nearest(text, WORDS),
            _ => None,
        };
        let help = match meant {
            Some(meant) => format!("did you mean {meant:?}?"),
            None => "the types are \"null\", \"boolean\", \"integer\", \"number\", \"string\", \
                     \"array\" and \"object\""
                .to_owned(),
        };
        let found = found.describe();
        self.report_at("type", format!("expected a type, found {found}"), help);
    }

    /// Reports keywords that say nothing of the type. Without a `type` they allow whatever they do
    /// not speak of, which gram cannot say.
    fn refuse_misplaced(&mut self, members: Members<'s>, word: Option<&str>, typed: bool) {
        for (keys, words) in [
            (&["minLength", "maxLength", "pattern"][..], &["string"][..]),
            (&["minItems", "maxItems", "items"], &["array"]),
            (
                &["properties", "required", "additionalProperties"],
                &["object"],
            ),
            (
                &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
                &["integer", "number"],
            ),
        ] {
            if word.is_some_and(|word| words.contains(&word)) {
                continue;
            }
            let meant = words.iter().map(|word| format!("{word:?}"));
            let meant = meant.collect::<Vec<_>>().join(" or ");
            for key in keys.iter().filter(|key| members.get(key).is_some()) {
                match word {
                    Some(word) if typed => self.report_at(
                        *key,
                        format!("`{key}` goes with {meant}, and `type` is {word:?}"),
                        "take it out: it says nothing here",
                    ),
                    _ => self.report_at(
                        *key,
                        format!("`{key}` without `type` allows whatever is not {meant}"),
                        format!("write `type` as well: {meant}"),
                    ),
                }
            }
        }
        // A format of other values is never asserted; of any value, that of a text would be.
        if word.is_none() && members.get("format").is_some() {
            self.report_at(
                "format",
                "`format` without `type` allows whatever is not \"string\"",
                "write `type` as well: \"string\"",
            );
        }
    }
}

impl Allowed<'_> {
    /// The one type of the values, or none when they have several.
    fn word(&self) -> Option<&'static str> {
        let of = |value: &Json<'_>| match value {
            Json::Bool(_) => Some("boolean"),
            Json::Integer(_) => Some("integer"),
            Json::Number(_) => Some("number"),
            Json::Text(_) => Some("string"),
            // Which parts a list or an object may have, the values themselves say.
            Json::Null | Json::List(_) | Json::Object(_) => None,
        };
        let mut words = self.values.iter().map(of);
        let first = words.next()??;
        words.try_fold(first, |all, word| match (all, word?) {
            (all, word) if all == word => Some(all),
            ("integer" | "number", "integer" | "number") => Some("number"),
            _ => None,
        })
    }
}
