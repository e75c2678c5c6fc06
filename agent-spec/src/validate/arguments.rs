//! The arguments of a call.

use super::complete::Completion;
use super::describe::describe;
use super::fields::{field_of, is_missing};
use super::parse::parse;
use super::path::Path;
use super::violation::{Violation, Violations};
use super::walk::Walk;
use crate::signature::Signature;
use crate::types::Field;
use serde_json::Value;

/// Arguments that satisfy a signature, in the form the tool takes them.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    text: String,
    value: Value,
    dropped: Vec<String>,
    left_to_tool: Vec<String>,
}

impl Arguments {
    /// The JSON text to hand to the tool. It is what the model sent, to the letter, when nothing
    /// had to be normalised.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same as a value: an object.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What the signature does not name and the tool does not see: the name of an argument, or,
    /// inside a record, the path from the argument on, such as `user.nickname`.
    #[must_use]
    pub fn dropped(&self) -> &[String] {
        &self.dropped
    }

    /// Parameters that the signature requires and the model left out, and that the tool's own
    /// signature lets be missing.
    #[must_use]
    pub fn left_to_tool(&self) -> &[String] {
        &self.left_to_tool
    }

    /// Text, value, what was dropped, and what was left to the tool.
    #[must_use]
    pub fn into_parts(self) -> (String, Value, Vec<String>, Vec<String>) {
        (self.text, self.value, self.dropped, self.left_to_tool)
    }
}

impl Signature {
    /// Checks the arguments of a call, as the JSON text that a model sent, and normalises them:
    /// missing optional arguments get their default, `5.0` becomes `5` where an `Int` is wanted,
    /// `null` for what may be missing is removed, and so is what the signature does not name.
    ///
    /// `implementation` is the signature of the tool that will be called, if it has one. It knows
    /// which integers the tool can hold, and a parameter that is optional there may be left out
    /// although this signature requires it.
    ///
    /// An empty or blank text counts as `{}`, which is what some models send for a call without
    /// arguments. An integer beyond 64 bits reaches the tool without rounding only when nothing
    /// had to be normalised, since `serde_json` holds it as a double.
    ///
    /// # Errors
    /// Everything that is wrong with the arguments; for a text that is not JSON, only that.
    pub fn check_arguments(
        &self,
        text: &str,
        implementation: Option<&Signature>,
    ) -> Result<Arguments, Violations> {
        let text = if text.trim().is_empty() { "{}" } else { text };
        let (mut value, duplicates) = parse(text)?;
        let host = implementation.map_or(&[][..], Signature::params);
        let tool_fills =
            |param: &Field| field_of(host, param.name()).is_some_and(Field::is_optional);
        let mut walk = Walk {
            violations: duplicates,
            ..Walk::default()
        };
        let Value::Object(members) = &mut value else {
            // Keys given twice inside it no longer matter.
            let found = describe(&value);
            let violation = Violation::new(&Path::Root, "an object of arguments", found);
            return Err(Violations::one(violation));
        };
        let all_there = walk.fields_unless(self.params(), host, members, Path::Root, tool_fills);
        Violations::from_list(walk.violations)?;
        let missing = if all_there { &[] } else { self.params() };
        let left_to_tool = missing
            .iter()
            .filter(|param| is_missing(param, members) && !param.is_optional())
            .map(|param| param.name().to_owned())
            .collect();
        let mut completion = Completion::default();
        completion.fields(self.params(), members, Path::Root);
        let text = if completion.changed {
            value.to_string()
        } else {
            text.to_owned()
        };
        Ok(Arguments {
            text,
            value,
            dropped: completion.dropped,
            left_to_tool,
        })
    }
}
