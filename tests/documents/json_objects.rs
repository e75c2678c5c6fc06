//! JSON objects that are no schemas: the JSON form of a tool.

use crate::documents::location::Document::ToolContract;
use crate::documents::location::{Location, at};
use crate::documents::rows::{Row, check_rows, compact_json};
use agent_spec::ToolSpec;
use agent_spec::json::tool_pattern_from_json;
use serde_json::{Value, json};

pub(crate) struct ToolJsonRow {
    pub(crate) place: Location,
    text: &'static str,
    /// The same tool as gram.
    gram: &'static str,
    /// The expected JSON: the signature's text becomes canonical.
    written: &'static str,
}

impl Row for ToolJsonRow {
    fn place(&self) -> Location {
        self.place
    }
}

pub(crate) const TOOLS: &[ToolJsonRow] = &[ToolJsonRow {
    place: at(ToolContract, "ToolSpecification Serialization › JSON"),
    text: include_str!("000/say_hello_tool.json"),
    gram: include_str!("000/say_hello_tool.canonical.gram"),
    written: include_str!("000/say_hello_tool.written.json"),
}];

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("the text is JSON")
}

fn read(json: &Value) -> ToolSpec {
    let pattern = tool_pattern_from_json(json).expect("the object is a tool");
    ToolSpec::from_pattern(&pattern).expect("the tool is right")
}

#[test]
fn reads_each_as_its_gram() {
    check_rows(TOOLS, |row| {
        assert_eq!(format!("{}\n", read(&parse(row.text)).to_gram()), row.gram);
    });
}

#[test]
fn each_is_written_with_a_canonical_signature() {
    check_rows(TOOLS, |row| {
        let spec = read(&parse(row.text));
        let written = serde_json::to_string(&spec).expect("a tool is JSON");
        assert_eq!(written, compact_json(row.written));
        assert_eq!(spec.to_json(), parse(row.written));
        assert_eq!(read(&parse(&written)), spec);
    });
}

/// 000: `schema` is there for convenience, `typeSignature` is the source of truth.
#[test]
fn ignores_a_different_schema() {
    check_rows(TOOLS, |row| {
        let mut json = parse(row.text);
        json["schema"] = json!({"type": "object", "properties": {"other": {"type": "number"}}});
        assert_eq!(read(&json), read(&parse(row.text)));
        assert_eq!(read(&json).to_json(), parse(row.written));
    });
}
