//! The contract of a tool, from its schemas, and what changed of it.

use super::list::ListedTool;
use super::text::{ERROR_TEXT, cut};
use agent_spec::binding::{Message, Policy, mismatches};
use agent_spec::json::Ordered;
use agent_spec::schema::SchemaReader;
use agent_spec::{Kind, Returns, Signature, Type};

/// The maximum number of bytes of one schema.
const MAX_SCHEMA: usize = 256 << 10;

/// Reads the schemas of a tool as a signature. What gram cannot express is `Any` there.
///
/// # Errors
/// The reason for which the tool cannot be used.
pub(crate) fn signature_of(tool: &ListedTool) -> Result<Signature, String> {
    let input = parsed("the arguments", &tool.input)?;
    let output = tool.output.as_deref();
    let output = output
        .map(|output| parsed("the result", output))
        .transpose()?;
    let reader = SchemaReader::new();
    if let Ok(signature) = reader.read_signature(&input, output.as_ref()) {
        return Ok(signature);
    }
    let lenient = reader.taking_the_rest_as_any();
    let signature = lenient.read_signature(&input, None).map_err(|error| {
        let error = cut(&error.to_string(), ERROR_TEXT);
        format!("the schema of its arguments cannot be read: {error}")
    })?;
    // A result that gram cannot express is passed on as it is.
    let returns = match output {
        Some(output) => lenient.read_type(&output).map(Returns::new),
        None => Ok(signature.returns().clone()),
    };
    let returns = returns.unwrap_or_else(|_| Returns::new(Type::new(Kind::Any)));
    Ok(Signature::new(signature.params().to_vec(), returns))
}

fn parsed(what: &str, schema: &str) -> Result<Ordered, String> {
    if schema.len() > MAX_SCHEMA {
        return Err(format!(
            "the schema of {what} has {} bytes; the most is {MAX_SCHEMA}",
            schema.len()
        ));
    }
    serde_json::from_str(schema)
        .map_err(|error| format!("the schema of {what} cannot be read: {error}"))
}

/// Checks that a tool still does what it did when it was bound.
///
/// # Errors
/// The changes.
pub(crate) fn check_unchanged(
    bound: &ListedTool,
    signature: &Signature,
    now: Option<&ListedTool>,
) -> Result<(), String> {
    let Some(now) = now else {
        return Err("the server no longer has it".to_owned());
    };
    if (&bound.input, &bound.output) == (&now.input, &now.output) {
        return Ok(());
    }
    let new = signature_of(now)?;
    // The model saw the description that was bound, so a new one does no harm.
    let (old, new) = (("", signature), ("", &new));
    let changes = mismatches(old, new, Policy::Compatible).into_iter();
    let changes = changes.map(|mismatch| {
        let message = Message {
            name: &bound.name,
            spec: old,
            tool: new,
            mismatch,
        };
        message.text()
    });
    let changes: Vec<String> = changes.collect();
    match changes.is_empty() {
        true => Ok(()),
        false => Err(cut(&changes.join("\n"), ERROR_TEXT)),
    }
}
