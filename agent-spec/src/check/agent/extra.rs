//! `extra`: what a provider is sent as it stands.

use crate::agent::RESERVED_EXTRAS;
use crate::check::keys::warn_of_extra_key;
use crate::check::reader::Reader;
use crate::diagnostic::{Code, Diagnostic};
use agent_gram::lower;
use agent_gram::syntax::{NumberKind, Record, Value, ValueKind};
use agent_gram::value;

const WHAT: &str = "what `extra` says";

/// Reads the members. A part that JSON cannot say is refused at its place.
pub(super) fn read_extra(reader: &mut Reader<'_>, value: Value<'_>) -> value::Record {
    let ValueKind::Map(record) = value.kind() else {
        let expected =
            "a record of what the provider is sent, such as `{parallel_tool_calls: false}`";
        return reader.wrong(value, "`extra`", expected).unwrap_or_default();
    };
    for property in record.properties() {
        refuse_reserved(reader, property.key());
    }
    check_record(reader, record);
    match lower::lower_value(value) {
        agent_gram::Value::Map(record) => record,
        _ => value::Record::new(),
    }
}

fn refuse_reserved(reader: &mut Reader<'_>, key: agent_gram::syntax::Name<'_>) {
    if !RESERVED_EXTRAS.contains(&key.text()) {
        return;
    }
    let help = match key.text() {
        "model" => "the model stands in the agent's own `model`",
        "messages" => "the instruction and the conversation are sent as messages",
        "tools" => "the tools are the agent's elements, after the `|`",
        _ => "whoever runs the agent decides whether the answer is streamed",
    };
    let message = format!(
        "`{}` in `extra` would replace what the run sends",
        key.text()
    );
    let found = Diagnostic::new(Code::ReservedExtra, key.span(), message);
    reader.report(found.with_help(help));
}

fn check_record(reader: &mut Reader<'_>, record: Record<'_>) {
    reader.refuse_duplicate_keys(record.properties());
    for property in record.properties() {
        warn_of_extra_key(reader, property);
        check_value(reader, property.value());
    }
}

fn check_value(reader: &mut Reader<'_>, value: Value<'_>) {
    const PLAIN: &str =
        "a text in quotes, a number, `true`, `false`, a list or a record, to be sent as JSON";
    match value.kind() {
        ValueKind::Map(record) => check_record(reader, record),
        ValueKind::Array(array) => {
            for item in array.items() {
                check_value(reader, item);
            }
        }
        // Reads as text to say that it should be quoted.
        ValueKind::Symbol(_) => {
            reader.text(value, WHAT);
        }
        ValueKind::Range { .. } => refuse(reader, value, PLAIN),
        ValueKind::Number(number) if matches!(number.kind(), NumberKind::Measurement { .. }) => {
            refuse(reader, value, PLAIN);
        }
        _ => {}
    }
}

fn refuse(reader: &mut Reader<'_>, value: Value<'_>, expected: &str) {
    let _: Option<()> = reader.wrong(value, WHAT, expected);
}
