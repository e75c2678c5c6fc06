//! Signatures as text and as JSON Schemas, and the arguments of calls.

use crate::check::parse_signature;
use crate::diagnostic::Diagnostics;
use crate::schema::read::{SchemaError, SchemaReader, Source};
use crate::schema::with_own;
use crate::schema::{Schema, arguments_schema, return_schema};
use crate::signature::Signature;
use crate::style::{Style, signature_text_in};
use crate::tool::{Contract, ToolDescriptor};
use crate::validate::{Arguments, Violations, check_arguments, host_text, read_arguments};

impl Signature {
    /// Reads a signature from gram, such as `(name::Text)==>(::String)`.
    ///
    /// # Errors
    /// All diagnostics of the text.
    pub fn parse(source: &str) -> Result<Self, Diagnostics> {
        parse_signature(source)
    }

    /// Returns the signature as gram on one line. In [`Style::List`] it is the canonical text. A part
    /// that the style cannot express stays in the style `list`; [`restyle`](crate::restyle) reports it.
    #[must_use]
    pub fn text_in(&self, style: Style) -> String {
        signature_text_in(self.to_string(), style)
    }

    /// Returns the JSON Schema of the object of arguments:
    /// `{"type":"object","properties":{…},"required":[…]}`.
    #[must_use]
    pub fn schema(&self) -> Schema {
        arguments_schema(self, None)
    }

    /// Returns the JSON Schema of the object of arguments for a model that calls a tool: where this
    /// signature has only `Any`, at any depth, the schema includes the schema that the tool has of its own
    /// there, with the definitions that it refers to at the root.
    ///
    /// The schema of its own is that of a Rust type, or a part of the JSON Schema of the tool.
    ///
    /// ```
    /// use agent_spec::{Contract, Signature, ToolDescriptor, ToolSettings};
    /// use serde_json::json;
    ///
    /// let id = json!({"oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^[A-Z]+$"}]});
    /// let input = json!({"type": "object", "properties": {"id": id}, "required": ["id"]});
    /// let contract = Contract::Schema { input, output: None };
    /// let tool = ToolDescriptor::new("find".into(), "Finds".into(), contract, ToolSettings::DEFAULT);
    ///
    /// let spec = Signature::parse("(id::Any)==>(::Any)")?;
    /// # 
    /// assert_eq!(spec.schema_for_tool(&tool).to_value()["properties"]["id"], id);
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    #[must_use]
    pub fn schema_for_tool(&self, tool: &ToolDescriptor) -> Schema {
        match tool.contract() {
            Contract::Signature(own) => arguments_schema(self, Some(own)),
            Contract::Schema { input, .. } => with_own(arguments_schema(self, None), input),
        }
    }

    /// Returns the JSON Schema of the result.
    #[must_use]
    pub fn return_schema(&self) -> Schema {
        return_schema(self.returns())
    }

    /// Reads a signature from the JSON Schemas of its arguments and of its result, as
    /// [`SchemaReader::new`] does. Without a schema of the result, the result is `Any`.
    ///
    /// # Errors
    /// Everything in the schemas that gram cannot express. Paths into the schema of the result start
    /// with `$returns`.
    ///
    /// ```
    /// use agent_spec::Signature;
    /// use serde_json::json;
    ///
    /// let arguments = json!({
    ///     "type": "object",
    ///     "properties": {"age": {"type": "integer", "minimum": 0}, "name": {"type": "string"}},
    ///     "required": ["name"],
    /// });
    /// let signature = Signature::from_schemas(&arguments, None)?;
    /// assert_eq!(
    ///     signature.to_string(),
    ///     "(age::Int {optional: true, minimum: 0})==>(name::Text)==>(::Any)"
    /// );
    /// # Ok::<(), agent_spec::schema::SchemaError>(())
    /// ```
    pub fn from_schemas<S: Source + ?Sized>(
        parameters: &S,
        returns: Option<&S>,
    ) -> Result<Self, SchemaError> {
        SchemaReader::new().read_signature(parameters, returns)
    }

    /// Checks the arguments of a call, as the JSON text that a model sent, and normalises them: missing
    /// optional arguments get their default, `5.0` becomes `5` for an `Int`, `null` for optional values
    /// is removed, and so are undeclared arguments.
    ///
    /// `implementation` is the signature of the tool that will be called, if it has one. It has the
    /// integer ranges of the Rust types. A parameter that is optional there may be missing, or `null`,
    /// although this signature requires it.
    ///
    /// An empty or blank text counts as `{}`, which is what some models send for a call without
    /// arguments. An integer beyond 64 bits reaches the tool without rounding only when nothing
    /// had to be normalised, since `serde_json` holds it as a double.
    ///
    /// # Errors
    /// All violations; for a text that is not JSON, only that violation.
    pub fn check_arguments<'t>(
        &self,
        text: &'t str,
        implementation: Option<&Signature>,
    ) -> Result<Arguments<'t>, Violations> {
        check_arguments(self, text, implementation)
    }

    /// Checks and normalises the arguments of a call as [`check_arguments`](Self::check_arguments) does, and
    /// returns them as a value: an object.
    ///
    /// # Errors
    /// All violations; for a text that is not JSON, only that violation.
    pub fn read_arguments(&self, text: &str) -> Result<serde_json::Value, Violations> {
        read_arguments(self, text)
    }

    /// Converts checked arguments to the text that the implementation reads.
    #[must_use]
    pub fn host_text(&self, arguments: Arguments<'_>) -> String {
        host_text(self, arguments)
    }
}

impl std::str::FromStr for Signature {
    type Err = Diagnostics;

    fn from_str(source: &str) -> Result<Self, Diagnostics> {
        Self::parse(source)
    }
}
