//! The contract of a tool, read from its schemas, and the changes of the contract.

use super::error::ERROR_TEXT;
use super::tool_list::ListedTool;
use agent_runtime::__private::shortened;
use agent_spec::binding::{Message, Policy, mismatches};
use agent_spec::json::Ordered;
use agent_spec::schema::{ReadTool, SchemaReader};
use agent_spec::{Kind, Returns, Signature, Type};

/// The maximum number of bytes of one schema. A hostile server's schema takes many times its size in memory when it is
/// read, and each request to a model contains the schema.
const MAX_SCHEMA: usize = 256 << 10;

/// The reason why a tool cannot be used that its server no longer lists.
pub(crate) const GONE: &str = "the server no longer has it";

/// Reads the schemas of a tool. A part of the arguments that gram cannot express is `Any` with its schema. Parameters
/// that gram cannot name have the names of `known`, a signature of the tool that was read before.
///
/// # Errors
/// The reason for which the tool cannot be used.
pub(crate) fn read_contract(
    tool: &ListedTool,
    known: Option<&Signature>,
) -> Result<ReadTool, String> {
    let reader = SchemaReader::new().foreign();
    let input = parsed("the arguments", &tool.input)?;
    let arguments = reader.clone().keeping_the_rest();
    let arguments = match known {
        Some(known) => arguments.renaming_as(known),
        None => arguments.renaming(),
    };
    let mut read = arguments.read_tool(&input, None).map_err(|error| {
        let error = shortened(&error.to_string(), ERROR_TEXT);
        format!("the schema of its arguments cannot be read: {error}")
    })?;
    if let Some(output) = &tool.output {
        let returns = read_result(&reader, &parsed("the result", output)?);
        read.signature = Signature::new(read.signature.params().to_vec(), returns);
    }
    Ok(read)
}

/// Reads the schema of a result. A result that gram cannot express is passed on as it is.
fn read_result(reader: &SchemaReader, output: &Ordered) -> Returns {
    let whole = reader.read_signature(&Ordered::Object(Vec::new()), Some(output));
    if let Ok(signature) = whole {
        return signature.returns().clone();
    }
    let lenient = reader.clone().taking_the_rest_as_any();
    let ty = lenient.read_type(output);
    Returns::new(ty.unwrap_or_else(|_| Type::new(Kind::Any)))
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

/// Checks that a tool still accepts the calls of its contract at binding. Returns the new contract if the
/// schemas changed.
///
/// # Errors
/// The changes.
pub(crate) fn check_unchanged(
    bound: &ListedTool,
    signature: &Signature,
    now: Option<&ListedTool>,
) -> Result<Option<ReadTool>, String> {
    let Some(now) = now else {
        return Err(GONE.to_owned());
    };
    if (&bound.input, &bound.output) == (&now.input, &now.output) {
        return Ok(None);
    }
    let read = read_contract(now, Some(signature))?;
    check_accepts(&bound.name, signature, &read.signature)?;
    Ok(Some(read))
}

/// Checks that a tool with the signature `new` accepts each call that `old` allows, and returns results of
/// the type that `old` declares.
///
/// # Errors
/// The changes.
pub(crate) fn check_accepts(name: &str, old: &Signature, new: &Signature) -> Result<(), String> {
    // The server knows only its own names. In gram, `_top` may be the server's own name or replace `$top`.
    let at_server = (&old.with_remote_names(), &new.with_remote_names());
    // The model reads the description of the agent or of the document, so a new one does no harm.
    let sides = (("", at_server.0), ("", at_server.1));
    let changes = mismatches(sides.0, sides.1, Policy::Compatible).into_iter();
    let changes = changes.map(|mismatch| {
        let message = Message {
            name,
            spec: sides.0,
            tool: sides.1,
            mismatch,
        };
        // The messages of binding name an agent and a function, which are a document and a server here.
        let summary = message.summary().replace("the function", "the server");
        summary.replace("the agent", "the document")
    });
    let changes: Vec<String> = changes.collect();
    if changes.is_empty() {
        return Ok(());
    }
    let changes = changes.join("\n");
    let both = format!("{changes}\n  before: {old}\n  now:    {new}");
    Err(shortened(&both, ERROR_TEXT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::serde_json::{Value, json};

    /// A change of a schema.
    type Change = fn(&mut Value);

    fn listed(input: &Value, output: Option<&Value>) -> ListedTool {
        ListedTool {
            name: "find".to_owned(),
            title: None,
            description: None,
            input: input.to_string(),
            output: output.map(Value::to_string),
            annotations: None,
        }
    }

    fn object(properties: &Value, required: &[&str]) -> Value {
        json!({"type": "object", "properties": properties, "required": required})
    }

    fn checked(before: &ListedTool, after: &ListedTool) -> Result<(), String> {
        let read = read_contract(before, None).expect("a schema that can be read");
        check_unchanged(before, &read.signature, Some(after)).map(drop)
    }

    #[test]
    fn a_change_of_the_arguments_breaks_or_passes() {
        let before = object(
            &json!({
                "city": {"type": "string"},
                "count": {"type": "integer", "maximum": 10},
                "order": {"type": "string", "enum": ["up", "down"]},
            }),
            &["city"],
        );
        let before = listed(&before, None);
        let changed = |change: Change| {
            let mut after: Value = serde_json::from_str(&before.input).expect("JSON");
            change(&mut after);
            checked(&before, &listed(&after, None))
        };
        let breaking: [(&str, Change); 8] = [
            ("city", |schema| {
                let properties = schema["properties"].as_object_mut().expect("an object");
                let city = properties.remove("city").expect("a property");
                properties.insert("town".to_owned(), city);
                schema["required"] = json!(["town"]);
            }),
            ("count", |schema| {
                let properties = schema["properties"].as_object_mut().expect("an object");
                properties.remove("count");
            }),
            ("city", |schema| {
                schema["properties"]["city"] = json!({"type": "integer"});
            }),
            ("count", |schema| {
                schema["properties"]["count"]["maximum"] = 5.into()
            }),
            ("order", |schema| {
                schema["properties"]["order"]["enum"] = json!(["up"])
            }),
            ("count", |schema| {
                schema["required"] = json!(["city", "count"])
            }),
            ("zone", |schema| {
                schema["properties"]["zone"] = json!({"type": "string"});
                schema["required"] = json!(["city", "zone"]);
            }),
            ("city", |schema| {
                schema["properties"]["city"] =
                    json!({"type": "array", "items": {"type": "string"}});
            }),
        ];
        for (word, change) in breaking {
            let found = changed(change).expect_err(word);
            assert!(found.contains(word), "{word}: {found}");
        }
        let compatible: [Change; 6] = [
            |schema| schema["description"] = "Finds things".into(),
            |schema| schema["properties"]["zone"] = json!({"type": "string"}),
            |schema| schema["properties"]["count"]["maximum"] = 20.into(),
            |schema| schema["properties"]["order"]["enum"] = json!(["up", "down", "any"]),
            |schema| schema["required"] = json!([]),
            |schema| schema["additionalProperties"] = false.into(),
        ];
        for (at, change) in compatible.into_iter().enumerate() {
            assert_eq!(changed(change), Ok(()), "change {at}");
        }
    }

    #[test]
    fn a_change_of_the_result_breaks_or_passes() {
        let none = object(&json!({}), &[]);
        let output = |properties: &Value, required: &[&str]| {
            listed(&none, Some(&object(properties, required)))
        };
        let (number, text) = (json!({"type": "integer"}), json!({"type": "string"}));
        let before = output(&json!({"sum": number, "unit": text}), &["sum", "unit"]);
        for (word, after) in [
            ("unit", output(&json!({"sum": number}), &["sum"])),
            (
                "unit",
                output(&json!({"sum": number, "unit": text}), &["sum"]),
            ),
            (
                "sum",
                output(&json!({"sum": text, "unit": text}), &["sum", "unit"]),
            ),
            ("return", listed(&none, None)),
        ] {
            let found = checked(&before, &after).expect_err(word);
            assert!(found.contains(word), "{word}: {found}");
        }
        let more = json!({"sum": number, "unit": text, "rest": number});
        let more = output(&more, &["sum", "unit", "rest"]);
        assert_eq!(checked(&before, &more), Ok(()));
        assert_eq!(checked(&before, &before), Ok(()));
    }

    #[test]
    fn a_tool_that_is_gone_is_a_change() {
        let before = listed(&object(&json!({}), &[]), None);
        let read = read_contract(&before, None).expect("a schema that can be read");
        let found = check_unchanged(&before, &read.signature, None).expect_err("it is gone");
        assert!(found.contains("no longer has it"), "{found}");
    }
}
