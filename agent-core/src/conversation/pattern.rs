//! Conversations as patterns, and JSON as gram values.

use super::json::{STANDS_FOR, STANDS_FOR_IN_TURN, TAINT, args_text, read_taint, with_read_scope};
use super::{Message, Role, SummaryScope, ToolCall};
use agent_gram::value::{Array, Decimal, Record, Tagged};
use agent_gram::{Pattern, Subject, Value, ValueError};
use agent_tool::__private::{MediaForm, PART_MEMBERS, nests_deeper, part_from_json, part_to_json};
use agent_tool::media::{Part, ReadError};
use serde_json::{Map, Number, Value as Json};

const CONVERSATION: &str = "Conversation";
const MESSAGE: &str = "Message";
const CALL: &str = "ToolCall";
const PART: &str = "Part";

/// Writes messages as the pattern of a conversation.
pub(super) fn write_conversation(messages: &[Message]) -> Result<Pattern, ValueError> {
    let mut elements = Vec::with_capacity(messages.len());
    for message in messages {
        elements.push(write_message(message)?);
    }
    Pattern::new(Subject::default().with_label(CONVERSATION), elements)
}

/// Reads the messages of the pattern of a conversation.
pub(super) fn read_conversation(pattern: &Pattern) -> Result<Vec<Message>, ReadError> {
    check_label(pattern, CONVERSATION)?;
    let count = pattern.elements().len();
    let mut messages = Vec::with_capacity(count);
    for element in pattern.elements() {
        messages.push(read_message(element).map_err(|error| {
            let number = messages.len() + 1;
            ReadError::new(format!("message {number} of {count}: {error}"))
        })?);
    }
    Ok(messages)
}

/// Writes a message as a pattern.
pub(super) fn write_message(message: &Message) -> Result<Pattern, ValueError> {
    let mut subject = Subject::default().with_label(MESSAGE);
    let record = &mut subject.properties;
    put_text(record, "role", message.role().as_str())?;
    let parts = match message.parts() {
        [] | [Part::Text(_)] => {
            put_text(record, "content", message.content())?;
            &[]
        }
        parts => parts,
    };
    if let Some(name) = message.name() {
        put_text(record, "name", name)?;
    }
    if let Some(id) = message.call_id() {
        put_text(record, "callId", id)?;
    }
    if message.is_error() {
        record.insert("isError", Value::Boolean(true))?;
    }
    if !message.taint().is_clean() {
        put_text(record, TAINT, message.taint().as_str())?;
    }
    if let Some(scope) = message.summary_scope() {
        record.insert(STANDS_FOR, Value::Integer(scope.messages as i128))?;
        if scope.messages_of_turn > 0 {
            let messages = Value::Integer(scope.messages_of_turn as i128);
            record.insert(STANDS_FOR_IN_TURN, messages)?;
        }
    }
    let mut elements = Vec::with_capacity(parts.len() + message.tool_calls().len());
    for part in parts {
        elements.push(write_part(part)?);
    }
    for call in message.tool_calls() {
        elements.push(write_call(call)?);
    }
    Pattern::new(subject, elements)
}

/// Reads a message from its pattern.
pub(super) fn read_message(pattern: &Pattern) -> Result<Message, ReadError> {
    check_label(pattern, MESSAGE)?;
    let record = &pattern.subject().properties;
    let (parts, calls): (Vec<_>, Vec<_>) = pattern
        .elements()
        .iter()
        .partition(|element| is_part(element));
    let mut content = Vec::with_capacity(parts.len());
    match opt_record_text(record, "content")? {
        Some(text) => content.push(Part::Text(text.to_owned())),
        None if parts.is_empty() => return Err(ReadError::new("`content` is missing")),
        None => {}
    }
    for element in parts {
        content.push(read_part(element)?);
    }
    let name = opt_record_text(record, "name")?.map(str::to_owned);
    let message = match Role::from_word(record_text(record, "role")?)? {
        Role::User => Message::user_parts(content).with_name(name),
        Role::Assistant => Message::assistant_parts(content).with_name(name),
        Role::Function => {
            let name = name.ok_or_else(|| wrong("name", "the name of a tool"))?;
            Message::function_parts(name, record_text(record, "callId")?, content)
        }
    };
    let mut read = Vec::with_capacity(calls.len());
    for element in calls {
        read.push(read_call(element)?);
    }
    let scope = SummaryScope {
        messages: count(record, STANDS_FOR)?,
        messages_of_turn: count(record, STANDS_FOR_IN_TURN)?,
    };
    let taint = read_taint(opt_record_text(record, TAINT)?)?;
    let message = with_read_scope(message.with_tool_calls(read), scope)?.with_taint(taint);
    match record.get("isError") {
        None | Some(Value::Boolean(false)) => Ok(message),
        Some(Value::Boolean(true)) => Ok(message.into_error()),
        Some(_) => Err(wrong("isError", "`true` or `false`")),
    }
}

fn count(record: &Record, key: &str) -> Result<usize, ReadError> {
    let Some(value) = record.get(key) else {
        return Ok(0);
    };
    let number = match value {
        Value::Integer(number) => usize::try_from(*number).ok(),
        _ => None,
    };
    number.ok_or_else(|| wrong(key, "a number of messages, 0 or more"))
}

/// Whether a pattern is the pattern of a part.
pub(crate) fn is_part(pattern: &Pattern) -> bool {
    pattern.subject().has_label(PART)
}

/// Writes a part with the keys of its JSON. Bytes of media are written as their digests.
pub(crate) fn write_part(part: &Part) -> Result<Pattern, ValueError> {
    let mut subject = Subject::default().with_label(PART);
    if let Json::Object(members) = part_to_json(part, MediaForm::Digest) {
        for key in PART_MEMBERS {
            if let Some(value) = members.get(key) {
                subject.properties.insert(key, value_of(value)?)?;
            }
        }
    }
    Pattern::new(subject, Vec::new())
}

/// Reads a part from its pattern.
pub(crate) fn read_part(pattern: &Pattern) -> Result<Part, ReadError> {
    let mut members = Map::new();
    for (key, value) in pattern.subject().properties.iter() {
        members.insert(key.to_owned(), json(key, value)?);
    }
    part_from_json(&Json::Object(members))
}

fn write_call(call: &ToolCall) -> Result<Pattern, ValueError> {
    let mut subject = Subject::default().with_label(CALL);
    let record = &mut subject.properties;
    put_text(record, "callId", call.id())?;
    let args = call.args();
    record.insert("args", value_of(&args)?)?;
    if args_text(&args) != call.args_text() {
        put_text(record, "argsText", call.args_text())?;
    }
    pattern_of_call(subject, call.tool())
}

/// Returns the pattern of a call, whose element is the tool.
pub(crate) fn pattern_of_call(subject: Subject, tool: &str) -> Result<Pattern, ValueError> {
    let tool = Pattern::new(Subject::new(tool.to_owned()), Vec::new())?;
    Pattern::new(subject, vec![tool])
}

/// Returns the tool of the pattern of a call.
pub(crate) fn tool_of_call(pattern: &Pattern) -> Result<String, ReadError> {
    match pattern.elements() {
        [tool] => Ok(tool.subject().identity.clone().into_string()),
        elements => Err(ReadError::new(format!(
            "a call has exactly one element, its tool; this one has {}",
            elements.len()
        ))),
    }
}

fn read_call(pattern: &Pattern) -> Result<ToolCall, ReadError> {
    check_label(pattern, CALL)?;
    let tool = tool_of_call(pattern)?;
    let record = &pattern.subject().properties;
    let args = match (opt_record_text(record, "argsText")?, record.get("args")) {
        (Some(text), _) => text.to_owned(),
        (None, Some(args)) => args_text(&json("args", args)?).into_owned(),
        (None, None) => "{}".to_owned(),
    };
    Ok(ToolCall::new(record_text(record, "callId")?, tool, args))
}

/// Checks the label of a pattern.
pub(crate) fn check_label(pattern: &Pattern, label: &str) -> Result<(), ReadError> {
    if pattern.subject().has_label(label) {
        return Ok(());
    }
    Err(ReadError::new(format!(
        "the pattern must have the label `{label}`"
    )))
}

/// Puts a text into a record.
pub(crate) fn put_text(
    record: &mut Record,
    key: &'static str,
    text: &str,
) -> Result<(), ValueError> {
    let value = Value::String(text.to_owned().into());
    record.insert(key, value).map(drop)
}

/// Returns the text of a required property.
pub(crate) fn record_text<'r>(record: &'r Record, key: &str) -> Result<&'r str, ReadError> {
    opt_record_text(record, key)?.ok_or_else(|| ReadError::new(format!("`{key}` is missing")))
}

/// Returns the text of a property, if the record has it.
pub(crate) fn opt_record_text<'r>(
    record: &'r Record,
    key: &str,
) -> Result<Option<&'r str>, ReadError> {
    match record.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Tagged(tagged)) => Ok(Some(tagged.content())),
        Some(_) => Err(wrong(key, "a text")),
    }
}

fn json(key: &str, value: &Value) -> Result<Json, ReadError> {
    json_of(value).map_err(|error| ReadError::new(format!("`{key}`: {error}")))
}

/// Creates the error for a property with another value than expected.
pub(crate) fn wrong(key: &str, expected: &str) -> ReadError {
    ReadError::new(format!("`{key}` is {expected}"))
}

/// The tag of JSON text.
const TAG: &str = "json";

/// The maximum nesting that is written in gram. It leaves room for the patterns around the value.
const NATURAL_DEPTH: usize = 64;

/// The maximum nesting of JSON text that `serde_json` reads.
const TEXT_DEPTH: usize = 127;

/// Converts JSON to a gram value without loss. JSON that gram cannot express becomes JSON text with the tag
/// `json`: `null`, numbers beyond 64 bits, and deeply nested values.
///
/// # Errors
/// When the JSON is nested deeper than [`NATURAL_DEPTH`] and [`TEXT_DEPTH`] together.
pub(crate) fn value_of(json: &Json) -> Result<Value, ValueError> {
    natural(json, NATURAL_DEPTH)
}

/// Converts JSON of which `levels` more levels may be written in gram.
fn natural(json: &Json, levels: usize) -> Result<Value, ValueError> {
    Ok(match json {
        Json::Null => text_of(json)?,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(number) => match opt_number(number) {
            Some(value) => value,
            None => text_of(json)?,
        },
        Json::String(text) => Value::String(text.clone().into()),
        Json::Array(_) | Json::Object(_) if levels == 0 => text_of(json)?,
        Json::Array(items) => {
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                values.push(natural(item, levels - 1)?);
            }
            Value::Array(Array::new(values)?)
        }
        Json::Object(members) => {
            let mut record = Record::new();
            for (key, member) in members {
                record.insert(key.clone(), natural(member, levels - 1)?)?;
            }
            Value::Map(record)
        }
    })
}

/// Converts a number, if the value converts back to the same number. With the feature `arbitrary_precision` of
/// `serde_json`, which an application may enable, some numbers do not.
fn opt_number(number: &Number) -> Option<Value> {
    let value = match number.as_i128() {
        Some(value) => Value::Integer(value),
        None => Value::Decimal(Decimal::new(number.as_f64()?).ok()?),
    };
    match json_of(&value) {
        Ok(Json::Number(back)) if back == *number => Some(value),
        _ => None,
    }
}

fn text_of(json: &Json) -> Result<Value, ValueError> {
    if nests_deeper(json, TEXT_DEPTH) {
        return Err(ValueError::TooDeep);
    }
    Tagged::new(TAG, json.to_string()).map(Value::from)
}

/// Converts a gram value to JSON.
///
/// # Errors
/// When JSON cannot express the value, or a value in it.
pub(crate) fn json_of(value: &Value) -> Result<Json, ReadError> {
    let no_form = |what: &str| {
        let text = format!("{what} has no form in JSON; write it as text, or as json`…`");
        Err(ReadError::new(text))
    };
    match value {
        Value::Integer(value) => match Number::from_i128(*value) {
            Some(number) => Ok(Json::Number(number)),
            None => no_form(&format!("the integer {value}, beyond 64 bits,")),
        },
        Value::Decimal(value) => Ok(Json::from(value.value())),
        Value::Boolean(value) => Ok(Json::Bool(*value)),
        Value::String(text) => Ok(Json::String(text.clone().into_string())),
        Value::Tagged(tagged) if tagged.tag() == TAG => serde_json::from_str(tagged.content())
            .map_err(|error| ReadError::new(format!("not JSON: {error}"))),
        Value::Tagged(tagged) => no_form(&format!("text with the tag `{}`", tagged.tag())),
        Value::Array(items) => {
            let mut values = Vec::with_capacity(items.as_slice().len());
            for item in items.as_slice() {
                values.push(json_of(item)?);
            }
            Ok(Json::Array(values))
        }
        Value::Map(record) => {
            let mut members = Map::new();
            for (key, value) in record.iter() {
                members.insert(key.to_owned(), json_of(value)?);
            }
            Ok(Json::Object(members))
        }
        Value::Symbol(symbol) => no_form(&format!("the symbol `{}`", symbol.as_str())),
        Value::Range(_) => no_form("a range"),
        Value::Measurement(_) => no_form("a measurement"),
    }
}
