//! Reads tools with JSON Schemas, one JSON object a line, as signatures: `{"name", "schema", "values"}`.
//!
//! Prints one JSON object for each: the signature, the losses it has, the problems that the default
//! [`SchemaReader`] reports, and for each of the values, taken as the arguments of a call, the arguments
//! that the tool would read or the violations.
//!
//! ```text
//! echo '{"name": "f", "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}' |
//!     cargo run -p gramwork-spec --features pattern --example read_schemas
//! ```

use agent_spec::Signature;
use agent_spec::json::Ordered;
use agent_spec::schema::{SchemaProblem, SchemaReader};
use serde_json::{Value, json};
use std::io::{self, BufRead as _, Write as _};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", read(&line?)?)?;
    }
    Ok(())
}

fn read(line: &str) -> io::Result<Value> {
    let tool: Value = serde_json::from_str(line)?;
    // The parameters keep the order of the text.
    let Ordered::Object(members) = serde_json::from_str(line)? else {
        return Err(io::Error::other("a tool is an object"));
    };
    let schema = members.iter().find(|(key, _)| key == "schema");
    let (_, schema) = schema.ok_or_else(|| io::Error::other("a tool has a member `schema`"))?;
    let problems = match SchemaReader::new().read_signature(schema, None) {
        Ok(_) => json!([]),
        Err(error) => shown(error.problems()),
    };
    let read = SchemaReader::lossy().read_signature_with_losses(schema, None);
    Ok(match read {
        Err(error) => json!({
            "name": tool["name"],
            "problems": problems,
            "refused": shown(error.problems()),
        }),
        Ok((signature, losses)) => {
            let values = tool["values"].as_array().map_or(&[][..], Vec::as_slice);
            let calls = values.iter().map(|value| call(&signature, value));
            json!({
                "name": tool["name"],
                "problems": problems,
                "losses": shown(&losses),
                "signature": signature.to_string(),
                "schema": signature.schema().to_value(),
                "calls": calls.collect::<Vec<_>>(),
            })
        }
    })
}

/// Returns the arguments that the tool would read, or the violations.
fn call(signature: &Signature, value: &Value) -> Value {
    match signature.check_arguments(&value.to_string(), None) {
        Ok(arguments) => json!({"arguments": arguments.into_value()}),
        Err(violations) => json!({"violations": violations.to_string()}),
    }
}

fn shown(problems: &[SchemaProblem]) -> Value {
    let each = problems.iter().map(|problem| {
        json!({
            "path": problem.path(),
            "loss": problem.loss().map(|loss| format!("{loss:?}")),
            "message": problem.message(),
        })
    });
    each.collect()
}
