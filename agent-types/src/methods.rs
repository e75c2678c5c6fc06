//! Methods of types and signatures that need the readers and writers of JSON Schemas and the validation of values.

use crate::schema::read::{SchemaError, SchemaReader, Source};
use crate::schema::{Schema, arguments_schema, return_schema, type_schema};
use crate::signature::Signature;
use crate::type_expression::type_from_expression;
use crate::types::Type;
use crate::validate::{
    Arguments, Violations, check_arguments, check_value, from_host, has_text_forms, host_text,
    read_arguments, to_host, with_aliases_of,
};
use serde_json::Value;
use std::borrow::Cow;

impl Type {
    /// Reads a type expression, such as `{id: Text, tags: [Text], age: Maybe Int}`.
    ///
    /// # Errors
    /// A message that names the mistake and a correct text.
    ///
    /// ```
    /// let ty = agent_types::Type::from_expression("Maybe Int").expect("it is a type");
    /// assert!(ty.is_optional());
    /// let error = agent_types::Type::from_expression("Txt").expect_err("it is no type");
    /// assert_eq!(error, "`Txt` is not a type; did you mean `Text`?");
    /// ```
    pub fn from_expression(text: &str) -> Result<Self, String> {
        type_from_expression(text)
    }

    /// Returns the JSON Schema of the values. An optional type also allows `null`. The schema leaves out
    /// the integer range of the implementation; for `Any` it includes the schema that the
    /// implementation has of its own.
    #[must_use]
    pub fn schema(&self) -> Schema {
        type_schema(self)
    }

    /// Reads a type from a JSON Schema, as [`SchemaReader::new`] does.
    ///
    /// # Errors
    /// Everything in the schema that gram cannot express.
    ///
    /// ```
    /// use agent_types::Type;
    /// use serde_json::json;
    ///
    /// let ty = Type::from_schema(&json!({"type": "array", "items": {"type": "integer"}}))?;
    /// assert_eq!(ty.schema().to_string(), r#"{"type":"array","items":{"type":"integer"}}"#);
    ///
    /// let error = Type::from_schema(&json!({"type": "array", "uniqueItems": true})).unwrap_err();
    /// assert_eq!(error.first().path(), "$.uniqueItems");
    /// # Ok::<(), agent_types::schema::SchemaError>(())
    /// ```
    pub fn from_schema<S: Source + ?Sized>(schema: &S) -> Result<Self, SchemaError> {
        SchemaReader::new().read_type(schema)
    }

    /// Checks a value against the type.
    ///
    /// # Errors
    /// All violations.
    pub fn validate(&self, value: &Value) -> Result<(), Violations> {
        check_value(self, value)
    }

    /// Converts a value of this type to the form that the implementation reads; returns whether it
    /// changed. A value of another type stays as it is.
    pub fn convert_to_host(&self, value: &mut Value) -> bool {
        to_host(self, value)
    }

    /// Converts a value that the implementation wrote to the form of this type; returns whether it
    /// changed.
    pub fn convert_from_host(&self, value: &mut Value) -> bool {
        from_host(self, value)
    }
}

impl Signature {
    /// Returns the JSON Schema of the object of arguments:
    /// `{"type":"object","properties":{…},"required":[…]}`.
    #[must_use]
    pub fn schema(&self) -> Schema {
        arguments_schema(self, None)
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
    /// use agent_types::Signature;
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
    /// # Ok::<(), agent_types::schema::SchemaError>(())
    /// ```
    pub fn from_schemas<S: Source + ?Sized>(
        parameters: &S,
        returns: Option<&S>,
    ) -> Result<Self, SchemaError> {
        SchemaReader::new().read_signature(parameters, returns)
    }

    /// Checks the arguments of a call, as the JSON text that a model sent, and normalises them:
    /// - Missing optional arguments get their default.
    /// - `5.0` becomes `5` for an `Int`.
    /// - `null` for optional values is removed, and so are undeclared arguments.
    /// - The alias of a field or a variant becomes its name.
    /// - The JSON text of a list or an object, `"[1]"`, becomes the value, where no text is allowed.
    ///
    /// `implementation` is the signature of the tool that will be called, if it has one. It has the
    /// integer ranges and the aliases of the Rust types. A parameter that is optional there may be missing, or
    /// `null`, although this signature requires it.
    ///
    /// An empty or blank text and `null` count as `{}`, because some models send them for a call without
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

    /// Returns the same signature with two properties of its implementation: the further names of fields, and
    /// the fields in which it reads `null` as a value.
    #[must_use]
    pub fn with_known_of(&self, implementation: &Signature) -> Self {
        let params = with_aliases_of(self.params(), implementation.params());
        let params = params.unwrap_or_else(|| self.params().to_vec());
        Self::new(params, self.returns().clone())
    }

    /// Checks and normalises the arguments of a call as [`check_arguments`](Self::check_arguments) does, with their
    /// value, so that [`Arguments::into_value`] does not parse the text again.
    ///
    /// # Errors
    /// All violations; for a text that is not JSON, only that violation.
    pub fn read_arguments<'t>(&self, text: &'t str) -> Result<Arguments<'t>, Violations> {
        read_arguments(self, text)
    }

    /// Whether the implementation reads a part of the arguments in another form than that of the signature.
    #[doc(hidden)]
    #[must_use]
    pub fn has_text_forms(&self) -> bool {
        has_text_forms(self)
    }

    /// Converts checked arguments to the text that the implementation reads.
    #[must_use]
    pub fn host_text<'t>(&self, arguments: Arguments<'t>) -> Cow<'t, str> {
        host_text(self, arguments)
    }
}
