//! `enum` and `const`.

use super::source::{Json, Members};
use super::value::gram_value;
use super::walk::{Step, Walk};
use crate::types::Type;
use crate::validate::fits_value;
use std::borrow::Cow;

/// The values that `enum` or `const` lists.
pub(super) struct Allowed<'s> {
    pub(super) key: &'static str,
    /// Those that are not `null`.
    pub(super) values: Vec<Json<'s>>,
    pub(super) null: bool,
}

impl<'s> Walk<'s> {
    /// The values listed, if any are; `None` when the list itself is wrong.
    pub(super) fn allowed(&mut self, members: Members<'s>) -> Option<Option<Allowed<'s>>> {
        let (key, all) = match (members.get("enum"), members.get("const")) {
            (None, None) => return Some(None),
            (None, Some(only)) => ("const", vec![only]),
            (Some(Json::List(list)), None) => ("enum", list.iter().collect()),
            (Some(Json::List(_)), Some(_)) => {
                self.report_at("const", "`const` beside `enum`", "keep one of them");
                return None;
            }
            (Some(other), _) => {
                self.wrong("enum", "a list of the values allowed", other);
                return None;
            }
        };
        if all.is_empty() {
            self.report_at("enum", "`enum` must allow at least one value", "");
            return None;
        }
        let (nulls, values): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|value| matches!(value, Json::Null));
        Some(Some(Allowed {
            key,
            values,
            null: !nulls.is_empty(),
        }))
    }

    /// The type, narrowed to the values listed. Each must fit it.
    pub(super) fn enumerated(&mut self, plain: Type, allowed: &Allowed<'s>) -> Option<Type> {
        let mut values: Vec<agent_gram::Value> = Vec::new();
        let mut complete = true;
        if !self.spend(allowed.values.iter().map(|value| value.weight()).sum()) {
            return None;
        }
        self.steps.push(Step::Key(allowed.key.into()));
        for value in &allowed.values {
            let found = value.describe();
            let reason = match gram_value(&plain, *value, 0) {
                None => Err("gram has no word for it or a part of it".to_owned()),
                Some(gram) => fits_value(&plain, &gram).map(|()| gram),
            };
            match reason {
                Ok(gram) => values.push(gram),
                Err(reason) => {
                    complete = false;
                    let message = format!("{found} cannot be an allowed value: {reason}");
                    self.report(message, "take it out: no value could be it");
                }
            }
        }
        self.steps.pop();
        let mut constraints = plain.constraints().clone();
        constraints.enumeration = Cow::Owned(values);
        complete.then(|| plain.with_constraints(constraints))
    }
}
