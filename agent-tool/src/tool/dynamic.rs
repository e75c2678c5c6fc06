//! Tools made from closures at run time.

use super::contract_guard::{
    check_arguments, parse_arguments, trace_arguments, wrong_arguments, wrong_result,
};
use super::part_schemas::PartSchemas;
use super::validate::CompiledSchema;
use super::{SchemaError, Tool, ToolError, ToolFuture};
use crate::config_checks::no_time;
use crate::context::ToolContext;
use agent_effects::Effect;
use agent_gram::value::Text;
use agent_spec::names::is_tool_name;
use agent_spec::schema::Loss;
use agent_spec::{Contract, Diagnostics, ToolDescriptor, ToolSettings};
use serde_json::Value;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// Makes a tool from a name, a description, a JSON Schema of its arguments and an async closure.
///
/// The closure gets arguments that satisfy the schema, with the defaults of the schema for missing members.
/// [`ToolConfig`] sets more: an output schema, a timeout, a gram signature in place of the schema.
///
/// # Errors
/// When the name is not one that every provider accepts, the description is empty, or the schema cannot be
/// used; for a [`ToolConfig`] also when its timeout is 0.
///
/// ```
/// use agent_runtime::tool::create_tool;
/// use agent_runtime::serde_json::json;
///
/// let tool = create_tool(
///     "sayHello",
///     "Returns a friendly greeting message for the given name",
///     json!({
///         "type": "object",
///         "properties": {"name": {"type": "string"}},
///         "required": ["name"],
///     }),
///     async |args| Ok(format!("Hello, {}!", args["name"].as_str().unwrap_or("you")).into()),
/// )?;
/// # Ok::<(), agent_runtime::tool::ToolConfigError>(())
/// ```
pub fn create_tool<F, R>(
    name: impl Into<Text>,
    description: impl Into<Text>,
    input_schema: Value,
    invoke: F,
) -> Result<DynamicTool, ToolConfigError>
where
    F: Fn(Value) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    ToolConfig::with_schema(name, description, input_schema).build(invoke)
}

/// The name, description, contract and settings of a tool made from a closure.
#[derive(Clone, Debug)]
#[must_use]
pub struct ToolConfig {
    name: Text,
    description: Text,
    contract: Result<Contract, Diagnostics>,
    /// Whether an output schema was set beside a signature.
    has_second_output: bool,
    settings: ToolSettings,
    losses: Vec<Loss>,
}

impl ToolConfig {
    /// Creates the config of a tool whose arguments satisfy a JSON Schema.
    ///
    /// The arguments of every call are validated against the schema before the closure is called, and the
    /// `default`s of members that are not `required` are filled in. Below `anyOf` and `oneOf`, they are
    /// filled in if exactly one branch allows the type of the value. A default of a wrong type is left out.
    /// If the arguments with defaults do not satisfy the schema, no default is filled in.
    pub fn with_schema(
        name: impl Into<Text>,
        description: impl Into<Text>,
        input_schema: Value,
    ) -> Self {
        let contract = Contract::Schema {
            input: input_schema,
            output: None,
        };
        Self::new(name.into(), description.into(), Ok(contract))
    }

    /// Creates the config of a tool with a gram signature, such as `(name::Text)==>(::String)`.
    ///
    /// The arguments of every call are validated against this signature before the closure is called, and
    /// its defaults are filled in: also if the spec of an agent has no default or leaves the parameter out,
    /// and also by [`invoke_tool`](crate::tool::invoke_tool).
    ///
    /// ```
    /// use agent_runtime::tool::{ToolConfig, invoke_tool};
    /// use agent_runtime::{ToolContext, serde_json::json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let signature = r#"(personName::Text {default: "world"})==>(::String)"#;
    /// let greet = ToolConfig::with_signature("greet", "Greets", signature)
    ///     .build(async |args| Ok(format!("Hello, {}!", args["personName"].as_str().unwrap()).into()))?;
    ///
    /// let context = ToolContext::detached();
    /// assert_eq!(invoke_tool(&greet, "{}", &context).await?, json!("Hello, world!"));
    /// let error = invoke_tool(&greet, r#"{"personName": 5}"#, &context).await.unwrap_err();
    /// assert!(error.to_string().contains("expected Text"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_signature(
        name: impl Into<Text>,
        description: impl Into<Text>,
        signature: &str,
    ) -> Self {
        let contract = agent_spec::parse_signature(signature).map(Contract::Signature);
        Self::new(name.into(), description.into(), contract)
    }

    /// Creates the config of a tool that implements a spec.
    #[doc(hidden)]
    pub fn of_spec(spec: &agent_spec::ToolSpec) -> Self {
        let contract = Contract::Signature(spec.signature().clone());
        let (name, description) = (Text::new(spec.name()), Text::new(spec.description()));
        Self::new(name, description, Ok(contract))
    }

    fn new(name: Text, description: Text, contract: Result<Contract, Diagnostics>) -> Self {
        Self {
            name,
            description,
            contract,
            has_second_output: false,
            settings: ToolSettings::DEFAULT,
            losses: Vec::new(),
        }
    }

    /// Sets the JSON Schema of results. A result that does not satisfy it becomes a
    /// [`ToolError::Validation`]. Building a tool with a signature fails if this is set, because the signature
    /// has a return type.
    pub fn output_schema(mut self, schema: Value) -> Self {
        match &mut self.contract {
            Ok(Contract::Schema { output, .. }) => *output = Some(schema),
            _ => self.has_second_output = true,
        }
        self
    }

    /// Allows a loss where the tool's JSON Schemas are read as gram types: to bind the tool to a spec, and to
    /// print it as gram. Use it for a schema that refuses more than a gram type can.
    ///
    /// With the feature `json-schema`, arguments and results are still validated against the whole schemas.
    /// Without it, the types validate, and the loss is not noticed.
    ///
    /// ```
    /// use agent_runtime::serde_json::json;
    /// use agent_runtime::spec::schema::Loss;
    /// use agent_runtime::tool::ToolConfig;
    /// use agent_runtime::Tool;
    ///
    /// let tags = json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true});
    /// let input = json!({"type": "object", "properties": {"tags": tags}, "required": ["tags"]});
    /// let tool = ToolConfig::with_schema("find", "Finds things", input)
    ///     .allowing(Loss::UniqueItems)
    ///     .build(async |_| Ok("nothing".into()))?;
    /// let gram = tool.descriptor().to_gram().unwrap();
    /// assert!(gram.contains(r#"(tags::Array {elementType: "Text"})==>(::Any)"#));
    /// # Ok::<(), agent_runtime::tool::ToolConfigError>(())
    /// ```
    pub fn allowing(mut self, loss: Loss) -> Self {
        self.losses.push(loss);
        self
    }

    /// Sets the timeout of a call, in place of the runtime's 10 s. It must be above 0.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// Sets whether the model may call the tool again after a failure. By default it may.
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.settings.retryable = retryable;
        self
    }

    /// Sets whether a person must approve each call.
    pub fn requires_approval(mut self, requires: bool) -> Self {
        self.settings.requires_approval = requires;
        self
    }

    /// Sets whether no other tool may run at the same time.
    pub fn sequential(mut self, sequential: bool) -> Self {
        self.settings.sequential = sequential;
        self
    }

    /// Sets whether repeating a call has no further effect.
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.settings.idempotent = idempotent;
        self
    }

    /// States an effect of the tool. A tool that states none of `reads`, `untrusted`, `sends` and `writes` counts as one that does
    /// all of them; `book/src/build/effects.md` has the rules.
    ///
    /// ```
    /// use agent_runtime::spec::effects::Effect;
    /// use agent_runtime::tool::ToolConfig;
    ///
    /// let tool = ToolConfig::with_signature("readMail", "Reads a mail", "(id::Text)==>(::String)")
    ///     .effect(Effect::ReadsPrivate, true)
    ///     .effect(Effect::Untrusted, true)
    ///     .build(async |_| Ok("a mail".into()));
    /// # tool.expect("a tool");
    /// ```
    pub fn effect(mut self, effect: Effect, is: bool) -> Self {
        self.settings = self.settings.with_effect(effect, is);
        self
    }

    /// Sets all settings.
    pub fn settings(mut self, settings: ToolSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Creates the tool from an async closure that takes the arguments.
    ///
    /// # Errors
    /// When a part of the config is invalid; see [`create_tool`].
    pub fn build<F, R>(self, invoke: F) -> Result<DynamicTool, ToolConfigError>
    where
        F: Fn(Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        self.build_with_context(move |args, _| invoke(args))
    }

    /// Creates the tool from an async closure that takes the arguments and the context of the call.
    ///
    /// # Errors
    /// When a part of the config is invalid; see [`create_tool`].
    pub fn build_with_context<F, R>(self, invoke: F) -> Result<DynamicTool, ToolConfigError>
    where
        F: Fn(Value, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        if !is_tool_name(&self.name) {
            return Err(ToolConfigError::new(format!(
                "`{}` cannot name a tool; a name is a letter or `_`, then letters, digits, `_` or \
                 `-`, 63 at most",
                self.name
            )));
        }
        let name = self.name.clone();
        if self.description.trim().is_empty() {
            return Err(ToolConfigError::new(format!(
                "the description of the tool `{name}` is empty"
            )));
        }
        if self.settings.timeout.is_some_and(|limit| limit.is_zero()) {
            let what = format!("the timeout of the tool `{name}`");
            return Err(ToolConfigError::new(no_time(&what)));
        }
        let contract = self.contract.map_err(|diagnostics| {
            ToolConfigError::new(format!(
                "the signature of the tool `{name}` is not valid: {diagnostics}"
            ))
        })?;
        if self.has_second_output {
            return Err(ToolConfigError::new(format!(
                "the signature of the tool `{name}` says what it returns; leave the output schema out"
            )));
        }
        let descriptor = ToolDescriptor::new(self.name, self.description, contract, self.settings);
        let descriptor = self
            .losses
            .into_iter()
            .fold(descriptor, ToolDescriptor::allowing);
        let compile = |what: &str, schema: &Value| {
            CompiledSchema::of_tool(schema, &descriptor).map_err(|error: SchemaError| {
                ToolConfigError::new(format!(
                    "the {what} schema of the tool `{name}` is not valid: {error}"
                ))
            })
        };
        if let Contract::Schema { input, .. } = descriptor.contract()
            && !takes_objects(input)
        {
            let found = &input["type"];
            return Err(ToolConfigError::new(format!(
                "the input schema of the tool `{name}` is not valid: arguments are an object, so its \
                 `type` is \"object\", not {found}"
            )));
        }
        let parts = descriptor.signature().map(PartSchemas::of);
        let (input, output) = match descriptor.contract() {
            Contract::Schema { input, output } => (
                Some(compile("input", input)?),
                output
                    .as_ref()
                    .map(|output| compile("output", output))
                    .transpose()?,
            ),
            _ => (None, None),
        };
        Ok(DynamicTool {
            parts,
            input,
            output,
            invoke: Box::new(move |args, context| Box::pin(invoke(args, context))),
            descriptor,
        })
    }
}

/// Whether a schema accepts objects.
fn takes_objects(schema: &Value) -> bool {
    let is_object = |word: &Value| word.as_str() == Some("object");
    match schema.get("type") {
        None => true,
        Some(Value::Array(words)) => words.iter().any(is_object),
        Some(word) => is_object(word),
    }
}

/// The error of [`ToolConfig::build`] and [`create_tool`].
#[derive(Debug)]
pub struct ToolConfigError(String);

impl ToolConfigError {
    fn new(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Display for ToolConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl StdError for ToolConfigError {}

/// A tool made from a closure at run time.
pub struct DynamicTool {
    descriptor: ToolDescriptor,
    /// The JSON Schemas of parts of the signature, if it has one.
    parts: Option<PartSchemas>,
    input: Option<CompiledSchema>,
    output: Option<CompiledSchema>,
    invoke: Invoke,
}

type Invoke = Box<dyn Fn(Value, ToolContext) -> ToolFuture<'static> + Send + Sync>;

impl Tool for DynamicTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    /// Validates the arguments against the tool's own signature or schema, and the result against its own
    /// output schema. The result of a tool with a signature is validated by the caller of the tool.
    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            let args = self.arguments(arguments, context)?;
            let context = context.clone().with_valid_arguments(false);
            let result = (self.invoke)(args, context).await?;
            if let Some(schema) = &self.output {
                schema.check(&result).map_err(wrong_result)?;
            }
            if let Some(parts) = &self.parts {
                parts.check_result(&result)?;
            }
            Ok(result)
        })
    }

    fn validates_arguments(&self) -> bool {
        true
    }

    fn trusts_validation(&self) -> bool {
        true
    }
}

impl DynamicTool {
    /// Returns the arguments that the closure gets: validated, with the defaults of the signature or schema.
    fn arguments(&self, text: &str, context: &ToolContext) -> Result<Value, ToolError> {
        if context.has_valid_arguments() {
            return parse_arguments(text);
        }
        if let Some(signature) = self.descriptor.signature() {
            let checked = signature.read_arguments(text).map_err(wrong_arguments)?;
            trace_arguments(self.descriptor.name(), &checked);
            let arguments = checked.into_value();
            if let Some(parts) = &self.parts {
                parts.check_values(&arguments)?;
            }
            return Ok(arguments);
        }
        let mut args = parse_arguments(text)?;
        if let Some(schema) = &self.input {
            check_arguments(schema, &self.descriptor, &mut args)?;
        }
        Ok(args)
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("DynamicTool")
            .field("name", &self.descriptor.name())
            .finish_non_exhaustive()
    }
}
