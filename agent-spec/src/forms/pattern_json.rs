//! Patterns as JSON.

use crate::forms::json_reader::{JsonError, Reader};
use agent_gram::value::{Array, Measurement, Number, Range, Record, Symbol, Tagged, Text};
use agent_gram::{MAX_DEPTH, Pattern, Subject, Value, ValueError};
use agent_types::__private::from_number;
use agent_types::json::Ordered;
use serde_core::ser::{Serialize, SerializeMap, Serializer};

/// The members of an object while they are put together.
#[derive(Default)]
pub(super) struct Members(Vec<(Text, Ordered)>);

impl Members {
    /// Adds a member.
    pub(super) fn add(&mut self, key: impl Into<Text>, value: Ordered) {
        self.0.push((key.into(), value));
    }

    /// Adds a text.
    pub(super) fn add_text(&mut self, key: &'static str, text: &str) {
        self.add(key, Ordered::Text(Text::new(text)));
    }

    /// Adds members.
    pub(super) fn extend(&mut self, members: Vec<(Text, Ordered)>) {
        self.0.extend(members);
    }

    /// Whether there is a member of this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(held, _)| held == key)
    }

    /// The members, in the order they were added.
    pub(super) fn into_vec(self) -> Vec<(Text, Ordered)> {
        self.0
    }
}

/// A pattern as JSON: `{"subject":{"identity","labels","properties"},"elements":[…]}`.
///
/// Values are native where JSON has them. Other values, and maps that look like one of them, are objects
/// with a `type`:
///
/// | gram | JSON |
/// | --- | --- |
/// | symbol | `{"type":"symbol","value":"Person"}` |
/// | tagged text | `{"type":"tagged","tag":"date","content":"2026-11-21"}` |
/// | range | `{"type":"range","lower":1,"upper":10}`, an open end being `null` |
/// | measurement | `{"type":"measurement","value":10,"unit":"s"}` |
/// | integer beyond 64 bits | `{"type":"integer","value":"18446744073709551616"}` |
/// | map whose `type` is one of these words or `map` | `{"type":"map","entries":{…}}` |
#[must_use]
pub fn pattern_to_json(pattern: &Pattern) -> serde_json::Value {
    pattern_to_ordered(pattern).to_value()
}

/// Returns the same JSON with properties in the order of the source.
#[must_use]
pub fn pattern_to_ordered(pattern: &Pattern) -> Ordered {
    let elements = pattern.elements().iter().map(pattern_to_ordered).collect();
    let mut members = Members::default();
    members.add("subject", subject(pattern.subject()));
    members.add("elements", Ordered::Array(elements));
    Ordered::Object(members.into_vec())
}

/// The same JSON as [`pattern_to_ordered`], created part by part while it is written. As a tree, the JSON of many
/// short patterns takes hundreds of times the memory of their text.
///
/// ```
/// use agent_spec::json::PatternJson;
///
/// let patterns = agent_gram::parse_patterns("(a)").expect("gram");
/// let json = serde_json::to_string(&PatternJson(&patterns[0]))?;
/// assert_eq!(json, r#"{"subject":{"identity":"a","labels":[],"properties":{}},"elements":[]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PatternJson<'p>(pub &'p Pattern);

impl Serialize for PatternJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(2))?;
        members.serialize_entry("subject", &subject(self.0.subject()))?;
        members.serialize_entry("elements", &Elements(self.0.elements()))?;
        members.end()
    }
}

/// The JSON of the elements of a pattern.
struct Elements<'p>(&'p [Pattern]);

impl Serialize for Elements<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(PatternJson))
    }
}

fn subject(subject: &Subject) -> Ordered {
    let labels = subject.labels.iter().cloned().map(Ordered::Text).collect();
    let mut members = Members::default();
    members.add("identity", Ordered::Text(subject.identity.clone()));
    members.add("labels", Ordered::Array(labels));
    members.add("properties", write_record(&subject.properties, write_value));
    Ordered::Object(members.into_vec())
}

/// The values of `type` in an object that represents a value that JSON does not have.
pub(super) const TYPE_WORDS: [&str; 6] =
    ["symbol", "tagged", "range", "measurement", "integer", "map"];

/// A value without loss; see [`pattern_to_json`] for the forms.
pub(super) fn write_value(value: &Value) -> Ordered {
    match value {
        Value::Integer(value) => write_integer(*value),
        Value::Decimal(value) => Ordered::Number(value.value()),
        Value::Boolean(value) => Ordered::Bool(*value),
        Value::String(text) => Ordered::Text(text.clone()),
        Value::Symbol(symbol) => {
            let mut members = write_tagged_object("symbol");
            members.add_text("value", symbol.as_str());
            Ordered::Object(members.into_vec())
        }
        Value::Tagged(tagged) => {
            let mut members = write_tagged_object("tagged");
            members.add_text("tag", tagged.tag());
            members.add_text("content", tagged.content());
            Ordered::Object(members.into_vec())
        }
        Value::Array(array) => Ordered::Array(array.as_slice().iter().map(write_value).collect()),
        Value::Map(entries) => write_map(entries),
        Value::Range(value) => write_range(value),
        Value::Measurement(value) => write_measurement(value),
    }
}

/// The entries of a record as an object.
pub(super) fn write_record(entries: &Record, form: fn(&Value) -> Ordered) -> Ordered {
    let members = entries.entries().iter();
    Ordered::Object(
        members
            .map(|(key, value)| (key.clone(), form(value)))
            .collect(),
    )
}

fn write_map(entries: &Record) -> Ordered {
    let plain = write_record(entries, write_value);
    let ambiguous = matches!(
        entries.get("type"),
        Some(Value::String(word)) if TYPE_WORDS.contains(&word.as_ref())
    );
    if !ambiguous {
        return plain;
    }
    let mut members = write_tagged_object("map");
    members.add("entries", plain);
    Ordered::Object(members.into_vec())
}

/// An integer that `serde_json` cannot hold is written as text, so that it is not rounded.
fn write_integer(value: i128) -> Ordered {
    if i64::try_from(value).is_ok() || u64::try_from(value).is_ok() {
        return Ordered::Integer(value);
    }
    let mut members = write_tagged_object("integer");
    members.add_text("value", &value.to_string());
    Ordered::Object(members.into_vec())
}

fn write_range(range: &Range) -> Ordered {
    let end = |end: Option<&Number>| end.map_or(Ordered::Null, write_number);
    let mut members = write_tagged_object("range");
    members.add("lower", end(range.lower()));
    members.add("upper", end(range.upper()));
    Ordered::Object(members.into_vec())
}

fn write_number(number: &Number) -> Ordered {
    match number {
        Number::Integer(value) => write_integer(*value),
        Number::Decimal(value) => Ordered::Number(value.value()),
        Number::Measurement(value) => write_measurement(value),
    }
}

/// A measurement's number has no fraction when it is printed without one.
fn write_measurement(measurement: &Measurement) -> Ordered {
    /// Doubles hold every whole number up to here.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = measurement.value();
    let whole = value.fract() == 0.0 && value.abs() <= EXACT && !is_negative_zero(value);
    let mut members = write_tagged_object("measurement");
    members.add(
        "value",
        if whole {
            Ordered::Integer(value as i128)
        } else {
            Ordered::Number(value)
        },
    );
    members.add_text("unit", measurement.unit());
    Ordered::Object(members.into_vec())
}

fn is_negative_zero(value: f64) -> bool {
    value == 0.0 && value.is_sign_negative()
}

fn write_tagged_object(word: &'static str) -> Members {
    let mut members = Members::default();
    members.add_text("type", word);
    members
}

/// Reads the JSON that [`pattern_to_json`] writes. A missing member counts as empty.
///
/// # Errors
/// Returns an error when the JSON does not have that form, or gram cannot express it: a bad symbol,
/// nesting too deep.
pub fn pattern_from_json(json: &serde_json::Value) -> Result<Pattern, JsonError> {
    read_pattern(Reader::root(json), 0)
}

/// The depth is counted on the way down, so that no value can exhaust the stack.
fn read_pattern(reader: Reader<'_>, depth: usize) -> Result<Pattern, JsonError> {
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
            elements.push(read_pattern(list.item(at, element), depth + 1)?);
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

/// Reads a value; see [`pattern_to_json`] for the forms.
///
/// Each function that calls itself through this function keeps its frame small, so that the deepest value
/// fits a thread's stack in builds without optimisation too.
pub(super) fn read_value(reader: Reader<'_>, depth: usize) -> Result<Value, JsonError> {
    if depth > MAX_DEPTH {
        return Err(too_deep(&reader));
    }
    match reader.value {
        serde_json::Value::Array(items) => read_array(reader, items, depth),
        serde_json::Value::Object(_) => match type_word(reader.value) {
            None => read_map(reader, depth),
            Some("map") => match map_entries(&reader)? {
                Some(held) => read_map(held, depth),
                None => Ok(Value::Map(Record::new())),
            },
            Some(word) => read_tagged_object(reader, word),
        },
        _ => read_scalar(reader),
    }
}

/// Reads the entries of a record.
pub(super) fn entries(reader: Reader<'_>, depth: usize) -> Result<Record, JsonError> {
    let mut entries = Vec::new();
    for (key, value) in reader.object("an object")? {
        let path = reader.path.key(key);
        let value = read_value(Reader { value, path }, depth + 1)?;
        entries.push((Text::new(key), value));
    }
    sayable(&reader, Record::from_entries(entries))
}

fn read_map(reader: Reader<'_>, depth: usize) -> Result<Value, JsonError> {
    entries(reader, depth).map(Value::Map)
}

fn read_array(
    reader: Reader<'_>,
    items: &[serde_json::Value],
    depth: usize,
) -> Result<Value, JsonError> {
    let mut values = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        values.push(read_value(reader.item(at, item), depth + 1)?);
    }
    sayable(&reader, Array::new(values)).map(Value::Array)
}

/// The content of an object that represents a map.
fn map_entries<'a>(reader: &'a Reader<'a>) -> Result<Option<Reader<'a>>, JsonError> {
    reader.only_members(&["type", "entries"])?;
    Ok(reader.opt_member("entries"))
}

fn too_deep(reader: &Reader<'_>) -> JsonError {
    reader.wrong(format!("at most {MAX_DEPTH} levels"))
}

/// The `type` of an object that represents a value that JSON does not have.
fn type_word(value: &serde_json::Value) -> Option<&str> {
    let word = value.get("type")?.as_str()?;
    TYPE_WORDS.contains(&word).then_some(word)
}

fn read_scalar(reader: Reader<'_>) -> Result<Value, JsonError> {
    match reader.value {
        serde_json::Value::Bool(value) => Ok(Value::Boolean(*value)),
        serde_json::Value::Number(number) => {
            from_number(number).ok_or_else(|| reader.wrong("a finite number"))
        }
        serde_json::Value::String(text) => Ok(Value::String(Text::from(text.clone()))),
        _ => Err(reader.wrong("a value (gram has no null)")),
    }
}

/// Reads an object that represents a value that JSON does not have, except a map.
fn read_tagged_object(reader: Reader<'_>, word: &str) -> Result<Value, JsonError> {
    match word {
        "symbol" => {
            reader.only_members(&["type", "value"])?;
            let text = reader.member_text("value", "the symbol's text")?;
            sayable(&reader, Symbol::new(text.to_owned())).map(Value::Symbol)
        }
        "tagged" => {
            reader.only_members(&["type", "tag", "content"])?;
            let tag = reader.member_text("tag", "the tag")?;
            let content = reader.member_text("content", "the tagged text")?;
            sayable(&reader, Tagged::new(tag.to_owned(), content.to_owned())).map(Value::from)
        }
        "range" => {
            reader.only_members(&["type", "lower", "upper"])?;
            let lower = reader.opt_member("lower").map(read_range_end).transpose()?;
            let upper = reader.opt_member("upper").map(read_range_end).transpose()?;
            sayable(&reader, Range::new(lower, upper)).map(Value::from)
        }
        "measurement" => read_measurement(reader).map(Value::from),
        _ => {
            reader.only_members(&["type", "value"])?;
            let digits = reader.member_text("value", "the integer's digits, in quotes")?;
            let value = digits.parse().map_err(|_| {
                reader.wrong_because("an integer of 128 bits", format!("the digits {digits:.60}"))
            });
            value.map(Value::Integer)
        }
    }
}

fn read_range_end(reader: Reader<'_>) -> Result<Number, JsonError> {
    let held = match type_word(reader.value) {
        Some(word @ ("measurement" | "integer")) => read_tagged_object(reader, word)?,
        Some(_) => return Err(reader.wrong("a number, a measurement or null")),
        None => read_scalar(reader).map_err(|_| reader.wrong("a number, a measurement or null"))?,
    };
    match held {
        Value::Integer(value) => Ok(Number::Integer(value)),
        Value::Decimal(value) => Ok(Number::Decimal(value)),
        Value::Measurement(value) => Ok(Number::Measurement(value.into_inner())),
        _ => Err(reader.wrong("a number, a measurement or null")),
    }
}

fn read_measurement(reader: Reader<'_>) -> Result<Measurement, JsonError> {
    reader.only_members(&["type", "value", "unit"])?;
    let unit = reader.member_text("unit", "the unit")?;
    let value = reader.opt_member("value");
    let value = value.and_then(|value| value.value.as_f64());
    let value = value.ok_or_else(|| reader.wrong("a measurement with a number as its `value`"))?;
    sayable(&reader, Measurement::new(value, unit.to_owned()))
}

/// Converts the error of a constructor to an error at this path.
fn sayable<T>(reader: &Reader<'_>, made: Result<T, ValueError>) -> Result<T, JsonError> {
    made.map_err(|error| reader.wrong_because("what gram can say", error.to_string()))
}
