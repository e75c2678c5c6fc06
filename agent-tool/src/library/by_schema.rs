//! Comparing a tool that brings JSON Schemas with a spec.
//!
//! The schemas are read as types, and the binding rule is applied to them. A part that gram cannot express is
//! `Any`: where the spec has `Any`, too, the model gets the tool's own schema for this part, and the tool
//! validates the value.

use agent_spec::__private::Host;
use agent_spec::binding::{Message, Policy, mismatches};
use agent_spec::schema::{SchemaError, SchemaReader};
use agent_spec::types::{Field, Kind, Shape, Type, types_of};
use agent_spec::{Nest, Returns, Signature, ToolDescriptor, ToolSpec};
use serde_json::{Value, json};

/// The advice for a tool that does not match.
const BY_NAME: &str = "\n  `BindPolicy::Name` binds the tool by its name alone; its own schema then validates the \
                       arguments";

/// Returns the reasons for which a tool with these schemas does not implement a spec.
pub(super) fn schema_reasons(
    spec: &ToolSpec,
    tool: &ToolDescriptor,
    (input, output): (&Value, Option<&Value>),
    policy: Policy,
) -> Vec<String> {
    let reader = tool.schema_reader();
    // For `Exact`, every part must be equal, so that no part may be read as `Any`.
    let lenient = match policy {
        Policy::Exact => reader.clone(),
        _ => reader.clone().taking_the_rest_as_any(),
    };
    let mut reasons = Vec::new();
    match read(spec.signature(), &lenient, (input, output), policy) {
        Ok(theirs) => {
            let ours = (spec.description(), spec.signature());
            // With `to_gram`, and for an agent that only names the tool, the description contains the
            // conditions for the arguments.
            let own = tool.schema_reader().taking_the_rest_as_any();
            let own = own.read_tool(input, None);
            let description = match own {
                Ok(own)
                    if own.described(tool.description()).trim() == spec.description().trim() =>
                {
                    spec.description()
                }
                _ => compared_description(spec, tool),
            };
            let theirs = (description, &theirs);
            let found = mismatches(ours, theirs, policy).into_iter();
            reasons.extend(found.map(|mismatch| {
                let message = Message {
                    name: spec.name(),
                    spec: ours,
                    tool: theirs,
                    mismatch,
                };
                message.text()
            }));
            // Explains why a part is `Any`.
            if !reasons.is_empty()
                && let Err(error) = reader.read_signature(input, None)
            {
                let what = "gram cannot express these parts of the tool's schema, so only `Any` fits them:";
                reasons.push(unread(spec.name(), what, &error));
            }
        }
        Err((what, error)) => {
            let what = format!("gram cannot express the tool's schema of {what}:");
            reasons.push(unread(spec.name(), &what, &error));
        }
    }
    if let Some(last) = reasons.last_mut() {
        last.push_str(BY_NAME);
    }
    reasons
}

/// Returns the description of a tool for a comparison with a spec: the spec's own description if any
/// description fits.
pub(super) fn compared_description<'a>(spec: &'a ToolSpec, tool: &'a ToolDescriptor) -> &'a str {
    match tool.description_may_differ() {
        true => spec.description(),
        false => tool.description(),
    }
}

/// Reads the schemas of a tool as a signature, to compare it with the signature of a spec.
fn read(
    spec: &Signature,
    reader: &SchemaReader,
    (input, output): (&Value, Option<&Value>),
    policy: Policy,
) -> Result<Signature, (&'static str, SchemaError)> {
    let theirs = reader
        .read_signature(input, None)
        .map_err(|error| ("the arguments", error))?;
    let returns = match output {
        // The tool may return anything, and each result is validated against the spec.
        None => spec.returns().clone(),
        Some(schema) if policy == Policy::Exact => {
            let ty = reader.read_type(schema);
            Returns::new(ty.map_err(|error| ("the result", error))?)
        }
        Some(schema) => lossy_returns(schema),
    };
    let params = theirs.params().iter().map(|param| {
        let ours = spec.param(param.name());
        ours.map_or_else(|| param.clone(), |ours| opened(ours, param))
    });
    Ok(Signature::new(params.collect(), returns))
}

/// Reads the schema of a result. A type that allows more results than the schema is enough, if the spec allows all
/// of them.
fn lossy_returns(schema: &Value) -> Returns {
    let lossy = SchemaReader::lossy().taking_the_rest_as_any();
    let ty = lossy.read_type(schema);
    Returns::new(ty.unwrap_or_else(|_| Type::new(Kind::Any)))
}

/// Returns the signature and the description for an agent that only names a tool with these schemas. A part
/// that gram cannot express is `Any`; conditions for the arguments as a whole are in the description.
///
/// # Errors
/// When gram cannot express the parameters at all.
pub(super) fn own_contract(
    tool: &ToolDescriptor,
    (input, output): (&Value, Option<&Value>),
) -> Result<(Signature, String), SchemaError> {
    let reader = tool.schema_reader();
    let read = reader
        .clone()
        .taking_the_rest_as_any()
        .read_tool(input, None)?;
    let returns = match output {
        None => read.signature.returns().clone(),
        // A result whose schema is read without losses keeps its description.
        Some(output) => match reader.read_signature(&json!({}), Some(output)) {
            Ok(signature) => signature.returns().clone(),
            Err(_) => lossy_returns(output),
        },
    };
    let description = read.described(tool.description());
    Ok((
        Signature::new(read.signature.params().to_vec(), returns),
        description,
    ))
}

/// Returns a field of the tool with `Any` where the spec has `Any` and the tool has a union, or a schema that
/// gram cannot express whole.
fn opened(ours: &Field, theirs: &Field) -> Field {
    let ty = opened_type(ours.ty(), theirs.ty());
    let mut field = Field::new(theirs.name().to_owned(), ty);
    if let Some(default) = theirs.default() {
        field = field.with_default(default.clone());
    }
    if let Some(description) = theirs.description() {
        field = field.with_description(description.to_owned());
    }
    field
}

fn opened_type(ours: &Type, theirs: &Type) -> Type {
    let kind = match (ours.kind(), theirs.kind()) {
        (Kind::Any, _) if is_partly_unread(theirs) => {
            return Type::new(Kind::Any).with_optional(theirs.is_optional());
        }
        (Kind::Array(ours), Kind::Array(theirs)) => Kind::Array(opened_nest(ours, theirs)),
        (Kind::Tuple(ours), Kind::Tuple(theirs)) if ours.len() == theirs.len() => {
            let types = types_of(ours).iter().zip(types_of(theirs));
            Kind::Tuple(
                types
                    .map(|(ours, theirs)| opened_type(ours, theirs))
                    .collect(),
            )
        }
        (Kind::Object(ours), Kind::Object(theirs)) => Kind::Object(opened_shape(ours, theirs)),
        _ => return theirs.clone(),
    };
    Type::new(kind)
        .with_constraints(theirs.constraints().clone())
        .with_optional(theirs.is_optional())
}

fn opened_nest(ours: &Type, theirs: &Type) -> Nest<Type> {
    Nest::new(opened_type(ours, theirs))
}

fn opened_shape(ours: &Shape, theirs: &Shape) -> Shape {
    let fields = || {
        let fields = theirs.fields().iter().map(|field| {
            let mut ours = ours.fields().iter();
            let known = ours.find(|known| known.name() == field.name());
            known.map_or_else(|| field.clone(), |known| opened(known, field))
        });
        fields.collect()
    };
    match (ours, theirs) {
        (Shape::Map(ours), Shape::Map(theirs)) => Shape::Map(opened_nest(ours, theirs)),
        (Shape::Extended(_, ours), Shape::Extended(_, values)) => {
            Shape::Extended(fields(), opened_nest(ours, values))
        }
        (_, Shape::Fields(_)) => Shape::Fields(fields()),
        _ => theirs.clone(),
    }
}

/// Whether a type or a part of it is a union or replaces a schema that gram cannot express. Before gram had
/// unions, specs had to write `Any` for both.
fn is_partly_unread(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Any => matches!(ty.host(), Some(Host::Schema(_))),
        Kind::Union(_) => true,
        Kind::Array(of) => is_partly_unread(of.get()),
        Kind::Tuple(types) => types_of(types).iter().any(is_partly_unread),
        Kind::Object(shape) => {
            let fields = shape.fields().iter().map(Field::ty);
            fields.chain(shape.values()).any(is_partly_unread)
        }
        _ => false,
    }
}

/// Returns the reason for a schema with parts that gram cannot express.
fn unread(tool: &str, what: &str, error: &SchemaError) -> String {
    let mut text = format!("tool `{tool}`: {what}");
    for line in error.to_string().lines() {
        text.push_str("\n  ");
        text.push_str(line);
    }
    text
}
