//! Typed access to the properties of a tool's pattern.

use crate::check::parse_signature;
use crate::diagnostic::{Code, Diagnostics};
use crate::lens::property::{
    boolean, duration, get_text, put, set_elements, set_identity, set_text, value_of,
};
use crate::lens::{ToolPattern, convert};
use crate::vocabulary::TOOL_LABELS;
use agent_gram::value::Text;
use agent_gram::{Pattern, Subject, Value, ValueError};
use agent_types::__private::{arguments_schema, measurement_of};
use agent_types::{Schema, Signature};
use std::time::Duration;

impl ToolPattern {
    /// A pattern for a tool of this name, without properties and signature.
    #[must_use]
    pub fn new(name: impl Into<Text>) -> Self {
        let subject = Subject::new(name).with_label(TOOL_LABELS[0]);
        // One subject is one level deep, which is always within bounds.
        Self(Pattern::new(subject, Vec::new()).unwrap_or_default())
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.subject().identity
    }

    /// Sets the name.
    pub fn set_name(&mut self, name: impl Into<Text>) {
        set_identity(&mut self.0, name.into());
    }

    /// The description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        get_text(&self.0, "description")
    }

    /// Sets the description.
    pub fn set_description(&mut self, description: &str) {
        set_text(&mut self.0, "description", Some(description));
    }

    /// Returns the time limit of a call.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        value_of(&self.0, "timeout").and_then(duration)
    }

    /// Sets or removes `timeout`. A measurement is a float, so a timeout longer than a week may
    /// lose nanoseconds.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        // An equal length of time keeps its spelling.
        if timeout.is_none() || self.timeout() != timeout {
            let value = timeout.map(|timeout| Value::from(measurement_of(timeout)));
            put(&mut self.0, "timeout", value);
        }
    }

    /// Whether every call needs the approval of a person.
    #[must_use]
    pub fn requires_approval(&self) -> bool {
        let value = value_of(&self.0, "requiresApproval");
        value.and_then(boolean).unwrap_or_default()
    }

    /// Sets whether every call needs the approval of a person. `false` removes the property.
    pub fn set_requires_approval(&mut self, requires: bool) {
        let value = value_of(&self.0, "requiresApproval");
        if value.and_then(boolean) != Some(requires) {
            let value = requires.then_some(Value::Boolean(true));
            put(&mut self.0, "requiresApproval", value);
        }
    }

    /// The signature.
    ///
    /// # Errors
    /// Returns the diagnostics of the element, when it is not a valid signature.
    pub fn signature(&self) -> Result<Signature, Diagnostics> {
        match self.0.elements() {
            [element] => parse_signature(&agent_gram::print::print_pattern(element)),
            elements => Err(Diagnostics::without_text(
                Code::MissingSignature,
                format!(
                    "a tool has exactly one element, its signature; this one has {}",
                    elements.len()
                ),
            )),
        }
    }

    /// Sets the signature, which becomes the only element.
    ///
    /// # Errors
    /// When the pattern would nest too deep; the pattern then stays unchanged.
    pub fn set_signature(&mut self, signature: &Signature) -> Result<(), ValueError> {
        if self.signature().as_ref() == Ok(signature) {
            return Ok(());
        }
        let element = convert::signature_pattern(signature)?;
        set_elements(&mut self.0, vec![element])
    }

    /// Returns the JSON Schema of the parameters. It is computed from the signature, so it has no
    /// setter.
    ///
    /// # Errors
    /// Returns the diagnostics of the signature.
    pub fn schema(&self) -> Result<Schema, Diagnostics> {
        Ok(arguments_schema(&self.signature()?, None))
    }
}
