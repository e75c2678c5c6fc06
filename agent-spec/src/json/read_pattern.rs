//! Patterns from JSON.

use super::error::JsonError;
use super::read_property::entries;
use super::reader::Reader;
use agent_gram::value::Record;
use agent_gram::{MAX_DEPTH, Pattern, Subject};
use serde_json::Value;

/// Reads what [`super::pattern_to_json`] writes. Members that are missing are empty.
///
/// # Errors
/// When the JSON is not of that form, or gram cannot say it: a bad symbol, nesting too deep.
pub fn pattern_from_json(json: &Value) -> Result<Pattern, JsonError> {
    pattern(Reader::root(json), 0)
}

/// The depth is counted on the way down, so that no value can exhaust the stack.
fn pattern(reader: Reader<'_>, depth: usize) -> Result<Pattern, JsonError> {
    reader.object("a pattern, `{\"subject\", \"elements\"}`")?;
    if depth > MAX_DEPTH {
        return Err(reader.wrong(format!("at most {MAX_DEPTH} levels")));
    }
    reader.only_members(&["subject", "elements"])?;
    let subject = match reader.opt_member("subject") {
        Some(subject) => read_subject(subject, depth)?,
        None => Subject::default(),
    };
    let mut elements = Vec::new();
    if let Some(list) = reader.opt_member("elements") {
        for (at, element) in list.array("a list of patterns")?.iter().enumerate() {
            elements.push(pattern(list.item(at, element), depth + 1)?);
        }
    }
    Pattern::new(subject, elements)
        .map_err(|error| reader.wrong_because("a pattern that gram can say", error.to_string()))
}

fn read_subject(reader: Reader<'_>, depth: usize) -> Result<Subject, JsonError> {
    reader.object("a subject, `{\"identity\", \"labels\", \"properties\"}`")?;
    reader.only_members(&["identity", "labels", "properties"])?;
    let identity = match reader.opt_member("identity") {
        Some(identity) => identity.text("a text")?,
        None => "",
    };
    let mut subject = Subject::new(identity.to_owned());
    if let Some(list) = reader.opt_member("labels") {
        for (at, label) in list.array("a list of labels")?.iter().enumerate() {
            let label = list.item(at, label).text("a label")?;
            subject = subject.with_label(label.to_owned());
        }
    }
    subject.properties = match reader.opt_member("properties") {
        Some(properties) => entries(properties, depth)?,
        None => Record::new(),
    };
    Ok(subject)
}
