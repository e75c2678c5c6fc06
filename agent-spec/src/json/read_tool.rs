//! Tools from JSON, as patterns.

use super::error::JsonError;
use super::measurement::opt_measurement;
use super::read_property::property;
use super::reader::Reader;
use agent_gram::value::Record;
use agent_gram::{Pattern, Subject, Value};

/// Reads the JSON form of a tool as the pattern that declares it, `[name:Tool {…} | signature]`,
/// for the checker to judge.
///
/// `schema` is ignored, since `typeSignature` is the source of truth. Members that mean nothing
/// here become properties; `null` counts as absent.
///
/// # Errors
/// When `name`, `description` or `typeSignature` is missing or no text, `typeSignature` is not one
/// pattern of gram, or a member is something that gram cannot say.
pub fn tool_pattern_from_json(json: &serde_json::Value) -> Result<Pattern, JsonError> {
    read_tool(Reader::root(json))
}

pub(super) fn read_tool(reader: Reader<'_>) -> Result<Pattern, JsonError> {
    reader.object("a tool, `{\"name\", \"description\", \"typeSignature\"}`")?;
    let name = reader.member_text("name", "the tool's name")?;
    reader.member_text("description", "the tool's description")?;
    let text = reader.member_text("typeSignature", "the tool's signature, as gram text")?;
    let signature = read_signature(&reader, text)?;
    let mut subject = Subject::new(name.to_owned()).with_label("Tool");
    let skipped = ["name", "typeSignature", "schema"];
    subject.properties = properties(&reader, &["description"], "timeout", &skipped)?;
    Pattern::new(subject, vec![signature])
        .map_err(|error| reader.wrong_because("a tool that gram can say", error.to_string()))
}

fn read_signature(reader: &Reader<'_>, text: &str) -> Result<Pattern, JsonError> {
    let wrong = |found: String| JsonError {
        path: reader.path.key("typeSignature").to_string(),
        expected: "a signature, such as `(name::Text)==>(::String)`".to_owned(),
        found,
    };
    let mut patterns = agent_gram::parse_patterns(text).map_err(|errors| {
        let messages: Vec<_> = errors.iter().map(ToString::to_string).collect();
        wrong(format!("text that is not gram: {}", messages.join("; ")))
    })?;
    match (patterns.pop(), patterns.len()) {
        (Some(signature), 0) => Ok(signature),
        (None, _) => Err(wrong("no pattern".to_owned())),
        (Some(_), more) => Err(wrong(format!("{} patterns", more + 1))),
    }
}

/// The members of an object as properties: those named `first` in that order, then the others in
/// the order `serde_json` gives. A duration may be given as text, which is what is written.
pub(super) fn properties(
    reader: &Reader<'_>,
    first: &[&str],
    duration: &str,
    skipped: &[&str],
) -> Result<Record, JsonError> {
    let members = reader.object("an object")?;
    let rest = members.keys().map(String::as_str);
    let rest = rest.filter(|key| !first.contains(key) && !skipped.contains(key));
    let mut record = Record::new();
    for key in first.iter().copied().chain(rest) {
        let Some(member) = reader.opt_member(key) else {
            continue;
        };
        let value = match property(member, 1)? {
            Value::String(text) if key == duration => {
                opt_measurement(&text).unwrap_or(Value::String(text))
            }
            value => value,
        };
        record
            .insert(key.to_owned(), value)
            .map_err(|error| member.wrong_because("what gram can say", error.to_string()))?;
    }
    Ok(record)
}
