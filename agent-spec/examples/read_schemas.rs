//! Reads tools with JSON Schemas, one JSON object a line, as signatures: `{"name", "schema", "values"}`.
//!
//! Prints one JSON object for each: the signature, the losses it has, the problems of the default
//! [`SchemaReader`], and whether each of the values is accepted as arguments.
//!
//! ```text
//! echo '{"name": "f", "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}' |
//!     cargo run -p agent-spec --features read-schema,pattern --example read_schemas
//! ```

use agent_spec::json::Ordered;
use agent_spec::schema::{SchemaProblem, SchemaReader};
use serde_json::{Value, json};
use std::io::{self, BufRead as _, Write as _};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", judge(&line?)?)?;
    }
    Ok(())
}

fn judge(line: &str) -> io::Result<Value> {
    let tool: Value = serde_json::from_str(line)?;
    // The parameters keep the order of the text.
    let ordered: Ordered = serde_json::from_str(line)?;
    let Ordered::Object(members) = ordered else {
        return Err(io::Error::other("a tool is an object"));
    };
    let schema = members.iter().find(|(key, _)| key == "schema");
    let Some((_, schema)) = schema else {
        return Err(io::Error::other("a tool has a member `schema`"));
    };
    let default = SchemaReader::new().read_signature(schema, None);
    let refused = default
        .as_ref()
        .err()
        .map_or(&[][..], |error| error.problems());
    Ok(
        match SchemaReader::lossy().read_signature_with_losses(schema, None) {
            Err(error) => json!({
                "name": tool["name"],
                "refused": shown(refused),
                "problems": shown(error.problems()),
            }),
            Ok((signature, losses)) => {
                let values = tool["values"].as_array().map_or(&[][..], Vec::as_slice);
                let verdicts = values.iter().map(|value| {
                    let text = value.to_string();
                    let checked = signature.check_arguments(&text, None);
                    checked.err().map(|violations| violations.to_string())
                });
                json!({
                    "name": tool["name"],
                    "refused": shown(refused),
                    "losses": shown(&losses),
                    "signature": signature.to_string(),
                    "schema": signature.schema().to_value(),
                    "violations": verdicts.collect::<Vec<_>>(),
                })
            }
        },
    )
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
