//! Tool specs made in code, with the checks and messages of a document, and their forms.

use super::shared_parts::sharing_parts;
use crate::check::parse_signature;
use crate::diagnostic::{Code, Diagnostics};
use crate::lens::{ToolPattern, read_tool_pattern, tool_pattern};
use crate::style::Style;
use crate::tool::{Contract, ToolDescriptor, ToolSpec};
use crate::tool_set::ToolSet;
use crate::write::{write_descriptor, write_tools};
use agent_gram::Pattern;
use agent_gram::print::writer::to_string;
use agent_gram::value::Text;
use agent_types::__private::{arguments_schema, with_own};
use agent_types::names::is_tool_name;
use agent_types::schema::SchemaReader;
use agent_types::{Schema, SchemaError, Signature};
use std::borrow::Cow;

impl ToolSpec {
    /// Makes a tool spec from a name, a description and a signature in gram, such as
    /// `(personName::Text {default: "world"})==>(::String)`.
    ///
    /// # Errors
    /// The diagnostics of a document with this tool.
    ///
    /// ```
    /// let spec = agent_spec::ToolSpec::new("sayHello", "Greets.", "(name::Text)==>(::String)")?;
    /// assert_eq!(spec.signature().params().len(), 1);
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    pub fn new(
        name: impl Into<Text>,
        description: impl Into<Text>,
        signature: &str,
    ) -> Result<Self, Diagnostics> {
        Self::with_signature(name, description, parse_signature(signature)?)
    }

    /// Makes a tool spec from a name, a description and a signature.
    ///
    /// # Errors
    /// The diagnostics of a document with this tool.
    pub fn with_signature(
        name: impl Into<Text>,
        description: impl Into<Text>,
        signature: Signature,
    ) -> Result<Self, Diagnostics> {
        let (name, description) = (name.into(), description.into());
        if name.is_empty() {
            return Err(Diagnostics::without_text(
                Code::MissingName,
                "Tool must have a non-empty pattern identifier (name)",
            ));
        }
        if !is_tool_name(&name) {
            return Err(Diagnostics::without_text(
                Code::BadName,
                format!("`{name}` is not a name that every provider takes for a tool"),
            ));
        }
        if description.trim().is_empty() {
            return Err(Diagnostics::without_text(
                Code::MissingDescription,
                format!("the description of the tool `{name}` must not be empty"),
            ));
        }
        // A signature made in code may hold what its text could not, such as a name twice.
        let signature = parse_signature(&signature.to_string())?;
        Ok(Self::from_parts(name, description, signature))
    }

    /// Reads a tool from a pattern.
    ///
    /// # Errors
    /// All diagnostics of the pattern. Their spans are in the pattern's gram text.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, Diagnostics> {
        read_tool_pattern(pattern)
    }

    /// Returns the tool as a pattern. Reading the pattern gives an equal spec.
    #[must_use]
    pub fn to_pattern(&self) -> ToolPattern {
        tool_pattern(self)
    }

    /// Returns the tool as a pattern with its signature in a style. Reading the pattern gives an equal
    /// spec.
    #[must_use]
    pub fn to_pattern_in(&self, style: Style) -> ToolPattern {
        let pattern = self.to_pattern();
        pattern.in_style(style).unwrap_or(pattern)
    }

    /// Returns the tool as gram in the canonical layout, without a final line end.
    #[must_use]
    pub fn to_gram(&self) -> String {
        agent_gram::print::print_pattern(self.to_pattern().as_pattern())
    }

    /// Returns the tool as gram in the canonical layout, without a final line end, its signature in a
    /// style. [`restyle`](crate::restyle) lists the parts that the style cannot express.
    #[must_use]
    pub fn to_gram_in(&self, style: Style) -> String {
        agent_gram::print::print_pattern(self.to_pattern_in(style).as_pattern())
    }
}

impl ToolDescriptor {
    /// Returns the JSON Schema of the object of arguments for a model that calls the tool by a spec's
    /// signature. Where the signature has only `Any`, at any depth, the schema includes the tool's own schema
    /// of this part. The definitions that the own schema refers to are at the root. A long part that the
    /// schema would have several times becomes a definition, too.
    ///
    /// The tool's own schema is that of a Rust type, or a part of the JSON Schema of the tool.
    ///
    /// ```
    /// use agent_spec::{Contract, ToolDescriptor, ToolSettings, parse_signature};
    /// use serde_json::json;
    ///
    /// let id = json!({"oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^[A-Z]+$"}]});
    /// let input = json!({"type": "object", "properties": {"id": id}, "required": ["id"]});
    /// let contract = Contract::Schema { input, output: None };
    /// let tool = ToolDescriptor::new("find".into(), "Finds".into(), contract, ToolSettings::DEFAULT);
    ///
    /// let spec = parse_signature("(id::Any)==>(::Any)")?;
    /// assert_eq!(tool.schema_for(&spec).to_value()["properties"]["id"], id);
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    #[must_use]
    pub fn schema_for(&self, spec: &Signature) -> Schema {
        let schema = match self.contract() {
            Contract::Signature(own) => arguments_schema(spec, Some(own)),
            Contract::Schema { input, .. } => with_own(arguments_schema(spec, None), input),
        };
        sharing_parts(schema)
    }

    /// Returns the tool as gram in the canonical layout, without a final line end.
    ///
    /// A tool with JSON Schemas is printed with the signature that they are read as. `None` means that gram cannot express them; `to_signature` returns the reasons.
    #[must_use]
    pub fn to_gram(&self) -> Option<String> {
        if self.signature().is_some() {
            return Some(to_string(|writer| write_descriptor(writer, self)));
        }
        let Contract::Schema { input, output } = self.contract() else {
            return None;
        };
        let read = self
            .keeping_reader()
            .read_tool(input, output.as_ref())
            .ok()?;
        let description = read.described(self.description());
        let spec = ToolSpec::with_signature(self.name().to_owned(), description, read.signature);
        spec.ok().map(|spec| spec.to_gram())
    }

    fn keeping_reader(&self) -> SchemaReader {
        self.schema_reader().keeping_the_rest()
    }

    /// Returns the signature of the tool: its own, or the signature that
    /// [`schema_reader`](Self::schema_reader) reads from its JSON Schemas. The signature
    /// [keeps](SchemaReader::keeping_the_rest) the parts that gram cannot express.
    ///
    /// # Errors
    /// Everything in the schemas that gram cannot express.
    pub fn to_signature(&self) -> Result<Cow<'_, Signature>, SchemaError> {
        match self.contract() {
            Contract::Signature(signature) => Ok(Cow::Borrowed(signature)),
            Contract::Schema { input, output } => {
                let reader = self.keeping_reader();
                let signature = reader.read_signature(input, output.as_ref());
                signature.map(Cow::Owned)
            }
        }
    }

    /// Returns the JSON Schema of the arguments: the tool's own, or that of its signature. The schema of a
    /// signature has the order of its parameters in [`Signature::schema`].
    #[must_use]
    pub fn input_schema(&self) -> serde_json::Value {
        match self.contract() {
            Contract::Signature(signature) => signature.schema().to_value(),
            Contract::Schema { input, .. } => input.clone(),
        }
    }

    /// Returns the JSON Schema of the result: that of the signature, or the tool's own, if it has one.
    #[must_use]
    pub fn output_schema(&self) -> Option<serde_json::Value> {
        match self.contract() {
            Contract::Signature(signature) => Some(signature.return_schema().to_value()),
            Contract::Schema { output, .. } => output.clone(),
        }
    }
}

impl ToolSet {
    /// Returns the tools as a gram document, as a library prints them.
    #[must_use]
    pub fn to_gram(&self) -> String {
        to_string(|writer| write_tools(writer, self))
    }
}
