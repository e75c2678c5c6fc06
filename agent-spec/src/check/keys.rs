//! Keys of providers, which no document should hold.

use crate::check::reader::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::secret::{is_key_name, known_keys};
use agent_gram::Span;
use agent_gram::syntax::{Property, Value, ValueKind};

const HELP: &str = "take it out, have the provider give you another key, and put that into the \
                    provider's variable, such as `OPENAI_API_KEY`";

/// Warns of an extra property of an agent that has a usual name of a key.
pub(super) fn warn_of_own_key(reader: &mut Reader<'_>, property: Property<'_>) {
    let name = property.key().text();
    if is_key_name(name) {
        let why = "none is read from a document";
        warn_of_name(reader, property, name, why);
    }
}

/// Warns of a text in `extra` that has a usual name of a key.
pub(super) fn warn_of_extra_key(reader: &mut Reader<'_>, property: Property<'_>) {
    let name = property.key().text();
    if is_key_name(name) && says_something(property.value()) {
        let why = "`extra` is sent as it is";
        warn_of_name(reader, property, name, why);
    }
}

/// Warns of texts with the form of a key anywhere in the document: in an instruction, a description, a
/// comment.
pub(super) fn warn_of_known_keys(reader: &mut Reader<'_>, source: &str) {
    let mut told = std::mem::take(&mut reader.keys);
    told.sort_by_key(|span| span.start);
    for place in known_keys(source) {
        let span = Span::new(place.start, place.end);
        let after = told.partition_point(|told| told.start <= span.start);
        let is_told = after > 0 && span.end <= told[after - 1].end;
        // Already reported: the property name says that it is a key, or the surrounding text failed to
        // parse.
        if is_told || reader.is_broken(span) {
            continue;
        }
        let message =
            "this looks like the key of a provider, and everybody who gets the document has it";
        let found = Diagnostic::new(Code::KeyInDocument, span, message);
        reader.report(found.with_help(HELP));
    }
}

fn warn_of_name(reader: &mut Reader<'_>, property: Property<'_>, name: &str, why: &str) {
    let message = format!("`{name}` looks like the key of a provider, and {why}");
    let found = Diagnostic::new(Code::KeyInDocument, property.key().span(), message);
    reader.report(found.with_help(HELP));
    reader.keys.push(property.value().span());
}

fn says_something(value: Value<'_>) -> bool {
    match value.kind() {
        ValueKind::String { text, .. } | ValueKind::Tagged { text, .. } => !text.trim().is_empty(),
        ValueKind::Array(items) => items.items().any(says_something),
        _ => false,
    }
}
