//! `$ref`: references to schemas elsewhere in the document.

use crate::names::nearest;
use crate::schema::percents::unescaped_percents;
use crate::schema::read::Loss;
use crate::schema::read::converter::{Converter, Following, PathStep, ReadSchema};
use crate::schema::read::source::Json;
use crate::types::{Kind, Type};
use std::borrow::Cow;

impl<'s> Converter<'s> {
    /// Reads the schema that a reference leads to.
    pub(super) fn reference(&mut self, reference: Json<'s>) -> Option<ReadSchema> {
        let Json::Text(text) = reference else {
            self.wrong("$ref", "a text such as `#/$defs/Name`", reference);
            return None;
        };
        let Some(pointer) = text.strip_prefix('#') else {
            self.report_at(
                "$ref",
                format!("the reference {text:?} leads out of the document"),
                "put what it refers to into `$defs`; no other document is read",
            );
            return None;
        };
        let steps = self.resolve(text, pointer)?;
        let target = self.follow(&steps);
        let Json::Object(members) = target else {
            return self.read_at(steps, target);
        };
        let address = members.address();
        if self.failed.contains(&address) {
            return None;
        }
        if self.unfolding.known.contains(&address) {
            self.unfolds_too_far();
            return None;
        }
        let open = |held: &Following<'_>| held.target.address() == address;
        if let Some(first) = self.following.iter().position(open) {
            if !self.allows(Loss::Recursion) {
                self.note_circle(first);
            }
            let circle = self.following[first..].iter().map(|held| held.text);
            let circle: Vec<_> = circle
                .chain([text])
                .map(|text| format!("`{text}`"))
                .collect();
            let allowed = self.lose_at(
                Loss::Recursion,
                "$ref",
                format!("a type contains itself: {}", circle.join(" → ")),
                "gram types end; take this part as any value (`{}`)",
            );
            return allowed.then(|| ReadSchema::of(Type::new(Kind::Any)));
        }
        self.following.push(Following {
            target: members,
            text,
            from: self.steps.clone(),
        });
        let before = self.problems();
        let found = self.read_at(steps, target);
        self.following.pop();
        if self.problems() > before {
            self.failed.insert(address);
        }
        found
    }

    fn read_at(&mut self, steps: Vec<PathStep<'s>>, target: Json<'s>) -> Option<ReadSchema> {
        let here = std::mem::replace(&mut self.steps, steps);
        let found = self.schema(target);
        self.steps = here;
        found
    }

    /// Returns the steps of a JSON pointer to an existing value. (RFC 6901, in the form of a URI
    /// fragment.)
    fn resolve(&mut self, text: &str, pointer: &str) -> Option<Vec<PathStep<'s>>> {
        let pointer = unescaped_percents(pointer);
        let mut parts = pointer.split('/');
        if parts.next() != Some("") {
            self.report_at(
                "$ref",
                format!("the reference {text:?} is no path"),
                "write it as `#/$defs/Name`",
            );
            return None;
        }
        let mut steps = Vec::new();
        let mut at = self.root;
        for part in parts {
            let part = part.replace("~1", "/").replace("~0", "~");
            let searched = match at {
                Json::Object(members) => members.len(),
                _ => 0,
            };
            // Members in order are searched from the first to the last.
            if !self.spend(searched / 1024) {
                return None;
            }
            let next = match at {
                Json::Object(members) => members
                    .entry(&part)
                    .map(|(key, value)| (PathStep::Key(Cow::Borrowed(key)), value)),
                Json::List(items) => part.parse().ok().and_then(|index: usize| {
                    let item = items.iter().nth(index)?;
                    Some((PathStep::Index(index), item))
                }),
                _ => None,
            };
            let Some((step, value)) = next else {
                let known: Vec<&str> = match at {
                    Json::Object(members) => members.iter().map(|(key, _)| key).collect(),
                    _ => Vec::new(),
                };
                let help = match nearest(&part, known) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => String::new(),
                };
                self.report_at(
                    "$ref",
                    format!("the reference {text:?} leads nowhere"),
                    help,
                );
                return None;
            };
            steps.push(step);
            at = value;
        }
        Some(steps)
    }

    /// Returns the value at the end of a path.
    fn follow(&self, steps: &[PathStep<'s>]) -> Json<'s> {
        steps.iter().fold(self.root, |at, step| match (at, step) {
            (Json::Object(members), PathStep::Key(key)) => members.get(key).unwrap_or(Json::Null),
            (Json::List(items), PathStep::Index(index)) => {
                items.iter().nth(*index).unwrap_or(Json::Null)
            }
            _ => Json::Null,
        })
    }
}
