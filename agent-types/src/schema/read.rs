//! Types and signatures from JSON Schemas that were not written by us.
//!
//! The reader accepts what [`Type::schema`] and [`Signature::schema`](crate::Signature::schema) write,
//! and what generators such as schemars write for ordinary structs, enums, options and maps. The type
//! must mean the same as the schema: a part that gram cannot express is a [`SchemaError`] that names the
//! place, unless the caller allows that [`Loss`].
//!
//! | in the schema | in gram |
//! | --- | --- |
//! | `"type": ["string", "null"]`, a `null` arm of `anyOf` or `oneOf`, `null` in an `enum` | the type is optional |
//! | a property that is not in `required` | the field is optional |
//! | a property in `required` that has a `default` | the field is required and has no default, since a schema's `default` is only advice |
//! | a property that can only be `null` | nothing |
//! | `"default": null` | no default: the value is then missing |
//! | `enum` or `const` without `type` | the one type of the values, or `Any` when they have several |
//! | `anyOf` or `oneOf` of constants | an `enum`; the arms' `description`s are put after the description of the field |
//! | `$ref` into the same document | the type of its target; keywords beside the `$ref` narrow the type further |
//! | `anyOf`, several types in `type` | a union, `anyOf`; the arms' `description`s are put after the description of the field |
//! | `oneOf` whose arms exclude each other: by their types, or by a required property that has other types or other values in the other arm, required there or not | a union, `anyOf` |
//! | `allOf` | its parts, where at most one part restricts more than the others; the fields of all its records |
//! | `prefixItems`, or a list of `items`, with `minItems` and an end | a tuple, `items` |
//! | `additionalProperties` that is not `false` | `valueType`, beside `fields` where there are `properties`; for arguments the parameter [`*`](crate::names::FURTHER) |
//! | `properties` without a keyword for other keys | `fields`; any other key is dropped |
//! | an object without `properties` | open, as with `additionalProperties: true` |
//! | `additionalProperties` that is `true` or `{}`, without `properties` | nothing: any `Object` |
//! | `true`, `{}` | `Any` |
//! | `"nullable": true` beside `type`, as in OpenAPI 3.0 | the type is optional |
//! | `"minimum": 0, "exclusiveMinimum": true`, as in draft 4 | `exclusiveMinimum: 0` |
//! | `integer` beside `number` in `anyOf` | `Double` |
//! | `patternProperties` with a pattern for every name, `unevaluatedProperties` without other schemas for the object | `valueType` |
//! | keywords without `type` inside `allOf`, `anyOf` or `oneOf` | those of the type that is declared around them |
//! | `format` of a type other than text, such as `int32` | nothing, since it is never asserted; `minimum` and `maximum` are kept |
//! | `title`, `examples`, `deprecated`, `$comment`, `discriminator`, `components`, `x-…` and other annotations | nothing |
//! | `"propertyNames": {"type": "string"}`, `"minProperties": 0`, `"nullable": false` and others that refuse no value | nothing |
//! | keywords of another type than `type` | nothing, since they have no effect |
//!
//! A field or a result has a description: the one beside a `$ref`, else that of its target. In gram an
//! element of a list or a value of a map has no description and no default.
//!
//! A part that gram cannot express is a [`SchemaError`]; or it is read as `Any`, by
//! [`SchemaReader::taking_the_rest_as_any`]; or it is kept whole as the `schema` of an `Any`, by
//! [`SchemaReader::keeping_the_rest`].
//!
//! # Order
//! Parameters and fields keep the order of `properties` as far as the source does:
//! [`Schema`](super::Schema) and [`Ordered`](crate::json_value::Ordered) keep it, `serde_json::Value`
//! sorts the keys. A schema that is text is best read with `serde_json::from_str::<Ordered>`.
//!
//! # Not distinguished
//! A schema and its type may differ as [validation](crate::validate) differs from JSON Schema: for an
//! optional field `null` counts as absent. A record without fields and an object without known
//! properties allow the same values.
//!
//! # Limits
//! The reader loads no other document for a `$ref`. Types nest as deep as gram allows inside a tool of
//! an agent, and one document unfolds into at most 200,000 parts. For a [foreign](SchemaReader::foreign)
//! schema, and for a reader that keeps the rest or reads the rest as `Any`, the parts behind references are
//! at most twice the document's own parts and 500 more. Copies that join the parts of `allOf`, and the values
//! that arms of `oneOf` list, count as parts, too. Patterns are limited as in documents.

mod all_of;
mod anything;
mod argument_names;
mod converter;
mod keep;
mod keyword;
mod limits;
mod loss;
mod reference;
mod schema_to_type;
mod source;
mod union;

pub use loss::Loss;
pub use source::Source;

use crate::media::MediaKind;
use crate::signature::{Returns, Signature};
use crate::types::{Kind, Type};
use converter::{Converter, Place};
use std::fmt;

/// Reads types from JSON Schemas; see the [module](self) for the type of each form of schema.
#[derive(Clone, Debug)]
#[must_use]
pub struct SchemaReader {
    losses: Vec<Loss>,
    rest: Rest,
    is_foreign: bool,
    renames: bool,
    /// Names of properties, with their names in a signature that was read before.
    known_names: Vec<(String, String)>,
}

/// The reading of a part that gram cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// The part is a problem.
    Refused,
    /// The part is `Any`.
    Any,
    /// The part is `Any` with the part as its `schema`.
    Kept,
}

impl SchemaReader {
    /// Allows [`Loss::ClosedObjects`] and [`Loss::RequiredNull`], because gram's own rules for keys and
    /// for `null` replace them: the tool never sees a key that a closed object forbids, and a tool that
    /// accepts `null` also accepts a missing value.
    pub fn new() -> Self {
        Self::exact()
            .allowing(Loss::ClosedObjects)
            .allowing(Loss::RequiredNull)
    }

    /// Allows no loss: a type is read only where it refuses every value that the schema refuses.
    pub const fn exact() -> Self {
        Self {
            losses: Vec::new(),
            rest: Rest::Refused,
            is_foreign: false,
            renames: false,
            known_names: Vec::new(),
        }
    }

    /// Reads a part that gram cannot express as `Any`, if it is a property, an element of a list or a value
    /// of a map. The smallest such part becomes `Any`: an object with a property that gram cannot express
    /// stays an object. A part whose references would unfold into many times the size of the whole schema
    /// becomes `Any`, too. Keywords of the arguments as a whole are losses, as for
    /// [`keeping_the_rest`](Self::keeping_the_rest).
    ///
    /// ```
    /// use agent_types::schema::SchemaReader;
    ///
    /// let schema = serde_json::json!({"type": "array", "items": {"not": {"type": "string"}}});
    /// assert!(SchemaReader::new().read_type(&schema).is_err());
    /// let ty = SchemaReader::new().taking_the_rest_as_any().read_type(&schema)?;
    /// assert_eq!(ty.schema().to_string(), r#"{"type":"array"}"#);
    /// # Ok::<(), agent_types::schema::SchemaError>(())
    /// ```
    pub fn taking_the_rest_as_any(mut self) -> Self {
        self.rest = Rest::Any;
        self
    }

    /// Keeps a part that gram cannot express: it becomes `Any` with the part as its `schema`. The smallest such part
    /// is kept: a property, an element of a list, a value of a map, or a whole result. The definitions that it
    /// refers to are in its own `$defs`. A property whose references would unfold into many times the size of
    /// the whole schema is kept, too.
    ///
    /// Arguments are a list of parameters, which has no place for a schema. So keywords of the arguments as a whole
    /// are losses, and allowed: `not`, `if`, `dependentRequired`, `minProperties` and others; see
    /// [`ReadTool::conditions`]. Arguments that are one of several records become one list of the parameters of all.
    ///
    /// This allows [`Loss::Defaults`] and [`Loss::UnknownKeywords`], which refuse no value.
    ///
    /// ```
    /// use agent_types::schema::SchemaReader;
    ///
    /// let schema = serde_json::json!({
    ///     "type": "object",
    ///     "properties": {
    ///         "limit": {"type": "integer"},
    ///         "filter": {"type": "object", "minProperties": 1, "description": "Which ones"},
    ///     },
    ///     "required": ["filter"],
    /// });
    /// let signature = SchemaReader::new().keeping_the_rest().read_signature(&schema, None)?;
    /// assert_eq!(
    ///     signature.to_string(),
    ///     r#"(filter::Any {description: "Which ones", schema: "{\"minProperties\":1,\"type\":\"object\"}"})==>(limit::Int {optional: true})==>(::Any)"#
    /// );
    /// # Ok::<(), agent_types::schema::SchemaError>(())
    /// ```
    pub fn keeping_the_rest(mut self) -> Self {
        self.rest = Rest::Kept;
        self.allowing(Loss::Defaults)
            .allowing(Loss::UnknownKeywords)
    }

    /// Reads the schema of another author, whose program may accept more than the schema allows and validates
    /// by itself:
    ///
    /// - A `format` is not asserted. It is written into the description of the parameter or field, and so are the
    ///   descriptions of the elements of a list and of the values of a map, a `default` that does not fit, and a `pattern`
    ///   that cannot be used here, such as one with look-around. This allows [`Loss::Patterns`].
    /// - A part whose references would unfold into many times the size of the whole schema cannot be read.
    ///
    /// ```
    /// use agent_types::schema::SchemaReader;
    ///
    /// let schema = serde_json::json!({
    ///     "type": "object",
    ///     "properties": {"id": {"type": "string", "format": "uuid", "description": "The user"}},
    ///     "required": ["id"],
    /// });
    /// let signature = SchemaReader::new().foreign().read_signature(&schema, None)?;
    /// let id = signature.param("id").unwrap();
    /// assert_eq!(id.description(), Some("The user\n- format: uuid"));
    /// # Ok::<(), agent_types::schema::SchemaError>(())
    /// ```
    pub fn foreign(mut self) -> Self {
        self.is_foreign = true;
        self.allowing(Loss::Patterns)
    }

    /// Gives another name to each property whose name a provider would refuse, such as `_top` for `$top`. The original
    /// name is the [`remote`](crate::Field::remote) of the field, and whoever calls the tool must put it back.
    pub fn renaming(mut self) -> Self {
        self.renames = true;
        self
    }

    /// Gives other names as [`renaming`](Self::renaming) does. A property that is the `remote` of a parameter or field of
    /// `known` gets the name that it has there, unless the schema has a property of that name. Otherwise `a$` and `a[`,
    /// which both become `a`, would be numbered by their order.
    pub fn renaming_as(mut self, known: &Signature) -> Self {
        self.known_names = known.remote_names();
        self.renaming()
    }

    /// Allows every loss. [`SchemaReader::read_signature_with_losses`] lists those that a schema has.
    pub fn lossy() -> Self {
        Self {
            losses: Loss::ALL.to_vec(),
            ..Self::exact()
        }
    }

    /// Allows a loss.
    pub fn allowing(mut self, loss: Loss) -> Self {
        if !self.allows(loss) {
            self.losses.push(loss);
        }
        self
    }

    fn allows(&self, loss: Loss) -> bool {
        self.losses.contains(&loss)
    }

    /// Reads a type. A type that allows only `null` is valid as the result of a tool only.
    ///
    /// # Errors
    /// Returns every part of the schema that gram cannot express.
    pub fn read_type<S: Source + ?Sized>(&self, schema: &S) -> Result<Type, SchemaError> {
        self.read_type_with_losses(schema).map(|(ty, _)| ty)
    }

    /// Reads a type as [`SchemaReader::read_type`] does, and lists the losses that the schema has. All
    /// of them are allowed by this reader.
    ///
    /// # Errors
    /// Returns every part of the schema that gram cannot express.
    pub fn read_type_with_losses<S: Source + ?Sized>(
        &self,
        schema: &S,
    ) -> Result<(Type, Vec<SchemaProblem>), SchemaError> {
        let mut walk = Converter::new(self, schema.json(), "$");
        let found = walk.root(Place::Nested);
        let (problems, losses) = walk.into_findings();
        match (found, SchemaError::from_list(problems)) {
            (Some(found), Ok(())) => Ok((*found.ty, losses)),
            (_, Err(error)) => Err(error),
            (None, Ok(())) => Err(SchemaError::unread()),
        }
    }

    /// Reads a signature from the schema of the arguments, an object whose properties are the
    /// parameters, and from that of the result; without one, the result is `Any`.
    ///
    /// # Errors
    /// Returns every part of the schemas that gram cannot express. Paths into the schema of the result
    /// start with `$returns`.
    pub fn read_signature<S: Source + ?Sized>(
        &self,
        parameters: &S,
        returns: Option<&S>,
    ) -> Result<Signature, SchemaError> {
        let read = self.read_signature_with_losses(parameters, returns);
        read.map(|(signature, _)| signature)
    }

    /// Reads a signature as [`SchemaReader::read_signature`] does, and lists the losses that the schemas
    /// have. All of them are allowed by this reader.
    ///
    /// ```
    /// use agent_types::schema::{Loss, SchemaReader};
    ///
    /// let schema = serde_json::json!({
    ///     "type": "object",
    ///     "properties": {"tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}},
    /// });
    /// let (signature, losses) = SchemaReader::lossy().read_signature_with_losses(&schema, None)?;
    /// assert_eq!(
    ///     signature.to_string(),
    ///     r#"(tags::Array {optional: true, elementType: "Text"})==>(::Any)"#
    /// );
    /// assert_eq!(losses[0].loss(), Some(Loss::UniqueItems));
    /// assert_eq!(losses[0].path(), "$.properties.tags.uniqueItems");
    /// # Ok::<(), agent_types::schema::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// Returns every part of the schemas that gram cannot express. Paths into the schema of the result
    /// start with `$returns`.
    pub fn read_signature_with_losses<S: Source + ?Sized>(
        &self,
        parameters: &S,
        returns: Option<&S>,
    ) -> Result<(Signature, Vec<SchemaProblem>), SchemaError> {
        let read = self.read_tool(parameters, returns)?;
        Ok((read.signature, read.losses))
    }

    /// Reads a signature as [`SchemaReader::read_signature`] does, with the description and the conditions
    /// that a caller of the tool needs.
    ///
    /// ```
    /// use agent_types::schema::SchemaReader;
    ///
    /// let schema = serde_json::json!({
    ///     "type": "object",
    ///     "properties": {"$top": {"type": "integer"}, "$skip": {"type": "integer"}},
    ///     "additionalProperties": {"type": "string"},
    ///     "minProperties": 1,
    /// });
    /// let tool = SchemaReader::new().keeping_the_rest().renaming().read_tool(&schema, None)?;
    /// assert_eq!(
    ///     tool.signature.to_string(),
    ///     "(_skip::Int {optional: true, remote: \"$skip\"})==>(_top::Int {optional: true, remote: \"$top\"})\
    ///      ==>(`*`::Text)==>(::Any)"
    /// );
    /// assert_eq!(tool.conditions.as_deref(), Some(r#"{"minProperties":1}"#));
    /// # Ok::<(), agent_types::schema::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// Returns every part of the schemas that gram cannot express. Paths into the schema of the result
    /// start with `$returns`.
    pub fn read_tool<S: Source + ?Sized>(
        &self,
        parameters: &S,
        returns: Option<&S>,
    ) -> Result<ReadTool, SchemaError> {
        let mut walk = Converter::new(self, parameters.json(), "$");
        let params = walk.arguments();
        let conditions = walk.conditions();
        let description = walk.description.take();
        let (mut problems, mut losses) = walk.into_findings();
        let returns = match returns {
            None => Some(Returns::new(Type::new(Kind::Any))),
            Some(schema) => {
                let mut walk = Converter::new(self, schema.json(), "$returns");
                let found = walk.root(Place::Described);
                let (more_problems, more_losses) = walk.into_findings();
                problems.extend(more_problems);
                losses.extend(more_losses);
                found.map(|found| {
                    let description = found.full_description();
                    let returns = Returns::new(with_media(*found.ty));
                    match description {
                        Some(description) => returns.with_description(description),
                        None => returns,
                    }
                })
            }
        };
        SchemaError::from_list(problems)?;
        let parts = params.zip(returns).ok_or_else(SchemaError::unread)?;
        Ok(ReadTool {
            signature: Signature::new(parts.0, parts.1),
            losses,
            description,
            conditions,
        })
    }
}

/// A tool that was read from JSON Schemas.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadTool {
    /// The signature.
    pub signature: Signature,
    /// The losses that the reader allowed. A problem without a [`Loss`] is a part that neither gram nor
    /// `schema` can express. The part may be any value, and its schema is in the description.
    pub losses: Vec<SchemaProblem>,
    /// The description of the arguments as a whole, for a [foreign](SchemaReader::foreign) schema.
    pub description: Option<String>,
    /// The conditions on the arguments as a whole that the signature has no place for, as the text of a JSON Schema with
    /// the original names of the properties.
    pub conditions: Option<String>,
}

impl ReadTool {
    /// Returns the description of the tool for a model, with all that its signature has no place for.
    #[must_use]
    pub fn described(&self, description: &str) -> String {
        let mut all = description.to_owned();
        // Many generators repeat the description of a tool in the schema of its arguments.
        if let Some(text) = &self.description
            && !description.contains(text.trim())
        {
            all.push_str("\n\n");
            all.push_str(text);
        }
        if let Some(conditions) = &self.conditions {
            all.push_str("\n\nThe arguments also satisfy this JSON Schema: ");
            all.push_str(conditions);
        }
        all
    }
}

/// Returns the type of media whose JSON a type describes, or the type itself.
fn with_media(ty: Type) -> Type {
    let required = ty.clone().with_optional(false);
    let media = MediaKind::ALL.into_iter();
    match media.into_iter().find(|media| *media.form() == required) {
        Some(media) => Type::new(Kind::Media(media)).with_optional(ty.is_optional()),
        None => ty,
    }
}

impl Default for SchemaReader {
    fn default() -> Self {
        Self::new()
    }
}

/// A part of a schema that cannot be read, or that is lost: its path, the problem, and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    loss: Option<Loss>,
    path: String,
    referrer: Option<String>,
    message: String,
    help: Option<String>,
}

impl SchemaProblem {
    /// Returns the loss, if the part can be read once the loss is allowed.
    #[must_use]
    pub fn loss(&self) -> Option<Loss> {
        self.loss
    }

    /// Returns the path in the schema, such as `$.properties.user.anyOf[1]`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the path of the `$ref` that leads to the part, if one does.
    #[must_use]
    pub fn referrer(&self) -> Option<&str> {
        self.referrer.as_deref()
    }

    /// Returns the problem: the part, and the reason why it cannot be read.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns advice, when there is some.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}`", self.path)?;
        if let Some(referrer) = &self.referrer {
            write!(out, ", which `{referrer}` refers to")?;
        }
        write!(out, ": {}", self.message)?;
        match &self.help {
            Some(help) => write!(out, "; {help}"),
            None => Ok(()),
        }
    }
}

/// The reasons why a JSON Schema cannot be read as a type: at least one problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    problems: Vec<SchemaProblem>,
}

impl SchemaError {
    /// The maximum number of printed problems; [`SchemaError::problems`] returns all.
    pub const PRINTED: usize = 50;

    /// Returns `Ok` when there are no problems.
    fn from_list(problems: Vec<SchemaProblem>) -> Result<(), Self> {
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Self { problems })
        }
    }

    /// The error when nothing was read and nothing reported, which would be a bug of the reader.
    fn unread() -> Self {
        Self {
            problems: vec![SchemaProblem {
                loss: None,
                path: "$".to_owned(),
                referrer: None,
                message: "the schema cannot be read".to_owned(),
                help: None,
            }],
        }
    }

    /// The problems, in the order in which they were found.
    #[must_use]
    pub fn problems(&self) -> &[SchemaProblem] {
        &self.problems
    }

    /// The first problem; there is always one.
    #[must_use]
    pub fn first(&self) -> &SchemaProblem {
        &self.problems[0]
    }
}

/// Writes one problem a line; see [`SchemaError::PRINTED`].
impl fmt::Display for SchemaError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().take(Self::PRINTED).enumerate() {
            if at > 0 {
                out.write_str("\n")?;
            }
            problem.fmt(out)?;
        }
        match self.problems.len().saturating_sub(Self::PRINTED) {
            0 => Ok(()),
            more => write!(out, "\nand {more} more"),
        }
    }
}

impl std::error::Error for SchemaError {}
