//! Any JSON Schema, validated by the crate `jsonschema`.

use super::SchemaError;
use serde_json::Value;

pub(super) struct Compiled(jsonschema::Validator);

impl Compiled {
    /// References to other documents are never followed: a tool's schema must not make the
    /// runtime read files or addresses.
    pub(super) fn new(schema: &Value) -> Result<Self, SchemaError> {
        if !schema.is_object() {
            return Err(SchemaError::new("a JSON Schema is an object"));
        }
        jsonschema::options()
            .offline()
            .should_validate_formats(true)
            .should_ignore_unknown_formats(true)
            .build(schema)
            .map(Self)
            .map_err(|error| SchemaError::new(problem(&error)))
    }

    pub(super) fn problems(&self, value: &Value) -> Vec<String> {
        // Saying that a value is right takes less than looking for all that may be wrong with it.
        if self.0.is_valid(value) {
            return Vec::new();
        }
        self.0
            .iter_errors(value)
            .map(|error| problem(&error))
            .collect()
    }
}

fn problem(error: &jsonschema::ValidationError<'_>) -> String {
    // The value is masked, since it may be long; the path says which it is.
    let path = path(error.instance_path().as_str());
    format!("`{path}`: {}", error.masked_with("the value"))
}

/// A JSON pointer in the form in which violations of signatures are told: `$.user.tags[2]`.
fn path(pointer: &str) -> String {
    let mut path = "$".to_owned();
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{step}]"));
        } else {
            path.push('.');
            path.push_str(&step);
        }
    }
    path
}
