//! Texts between the examples that look like gram or JSON and are not, or not all of it.
//!
//! They are listed with the reason, and each must be refused in the place it is printed for.

use crate::documents::location::Document::{DataModel, Execution, ToolContract, ToolGram};
use crate::documents::location::{Location, at};
use crate::documents::rows::{Row, check_rows, codes};
use agent_spec::check::{Options, check};

pub(crate) struct PlaceholderRow {
    pub(crate) place: Location,
    text: &'static str,
    /// The reason why it is not an example.
    reason: &'static str,
    refused: Refused,
}

/// The form in which the text is checked, and the diagnostics that result.
enum Refused {
    /// A document of its own.
    Document(&'static [&'static str]),
    /// A signature of its own.
    Signature(&'static [&'static str]),
    /// A type, in text, in the field of a record: its parts are unknown types.
    Type,
    /// JSON.
    Json,
}

impl Row for PlaceholderRow {
    fn place(&self) -> Location {
        self.place
    }
}

const UNEXPECTED: &[&str] = &["gram::unexpected"];
const CONTENT_LEFT_OUT: &str = "`{...}` stands for a record and a signature that are left out";
const HEAD_ONLY: &str = "the head of a pattern, without the brackets around it";

pub(crate) const PLACEHOLDERS: &[PlaceholderRow] = &[
    PlaceholderRow {
        place: at(ToolContract, "Type Mapping"),
        text: "Maybe T",
        reason: "`T` stands for any type",
        refused: Refused::Type,
    },
    PlaceholderRow {
        place: at(ToolContract, "Type Mapping"),
        text: "{field1: T1, field2: T2}",
        reason: "`T1` and `T2` stand for any types",
        refused: Refused::Type,
    },
    PlaceholderRow {
        place: at(ToolContract, "Type Mapping"),
        text: "[T]",
        reason: "`T` stands for any type",
        refused: Refused::Type,
    },
    PlaceholderRow {
        place: at(ToolContract, "ToolSpecification Serialization › Note"),
        text: "sayHello:ToolSpecification",
        reason: HEAD_ONLY,
        refused: Refused::Document(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(DataModel, "Pattern Structure"),
        text: "[anotherTool:ToolSpecification {...}]",
        reason: CONTENT_LEFT_OUT,
        refused: Refused::Document(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(DataModel, "ToolSpecification › Pattern Structure"),
        text: "(paramName::Type {default:value})==>(::ReturnType)",
        reason: "`Type`, `value` and `ReturnType` stand for any types and a value",
        refused: Refused::Signature(&["agent::unknown-type", "agent::unknown-type"]),
    },
    PlaceholderRow {
        place: at(DataModel, "Agent (Updated) › Pattern Structure"),
        text: "[toolSpec1:ToolSpecification {...}]",
        reason: CONTENT_LEFT_OUT,
        refused: Refused::Document(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(DataModel, "Agent (Updated) › Pattern Structure"),
        text: "[toolSpec2:ToolSpecification {...}]",
        reason: CONTENT_LEFT_OUT,
        refused: Refused::Document(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(DataModel, "ConversationContext › Enhancement"),
        text: r#"role: "function""#,
        reason: "a member of a message in prose, without the object around it",
        refused: Refused::Json,
    },
    PlaceholderRow {
        place: at(DataModel, "ConversationContext › Enhancement"),
        text: "name: <tool_name>",
        reason: "a member of a message in prose; `<tool_name>` stands for a name",
        refused: Refused::Json,
    },
    PlaceholderRow {
        place: at(DataModel, "A/B Testing Support › Example"),
        text: "Agent { ..., agentToolSpecs = [sayHelloSpec] }",
        reason: "Haskell, with fields left out",
        // A name without brackets, and `=` in a record.
        refused: Refused::Document(&["gram::unexpected", "gram::unexpected"]),
    },
    PlaceholderRow {
        place: at(Execution, "A/B Testing Support › Example"),
        text: "Agent { ..., agentToolSpecs = [sayHelloSpec] }",
        reason: "Haskell, with fields left out",
        // A name without brackets, and `=` in a record.
        refused: Refused::Document(&["gram::unexpected", "gram::unexpected"]),
    },
    PlaceholderRow {
        place: at(ToolGram, "Gram Schema Structure"),
        text: "<toolName>",
        reason: "stands for the name of a tool",
        refused: Refused::Document(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(ToolGram, "Gram Schema Structure"),
        text: "<curried function signature with parameter names as identifiers>",
        reason: "stands for a signature",
        refused: Refused::Signature(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(ToolGram, "Gram Schema Structure › Key Points"),
        text: ":Tool",
        reason: "a label without its pattern",
        refused: Refused::Document(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(ToolGram, "Tool Name (Pattern Identifier)"),
        text: "sayHello:Tool",
        reason: HEAD_ONLY,
        refused: Refused::Document(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(ToolGram, "Type Signature › Format"),
        text: "==>",
        reason: "an arrow without nodes",
        refused: Refused::Signature(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(ToolGram, "Type Signature › Format"),
        text: "personName::Text",
        reason: "what stands inside a node, without its parentheses",
        refused: Refused::Signature(UNEXPECTED),
    },
    PlaceholderRow {
        place: at(ToolGram, "Schema Generation"),
        text: "default:value",
        reason: "a property without its record; `value` stands for a value",
        refused: Refused::Document(UNEXPECTED),
    },
];

fn signature_codes(text: &str) -> Vec<&'static str> {
    match agent_runtime::spec::parse_signature(text) {
        Ok(_) => Vec::new(),
        Err(found) => codes(found.iter()),
    }
}

#[test]
fn rejects_each() {
    check_rows(PLACEHOLDERS, |row| {
        let (found, expected) = match row.refused {
            Refused::Document(expected) => (
                codes(&check(row.text, Options::default()).diagnostics),
                expected,
            ),
            Refused::Signature(expected) => (signature_codes(row.text), expected),
            Refused::Type => {
                let record = format!(
                    "(x::Object {{fields: {{f: \"{}\"}}}})==>(::String)",
                    row.text
                );
                let found = signature_codes(&record);
                assert!(!found.is_empty(), "{record}");
                assert!(
                    found.iter().all(|code| *code == "agent::unknown-type"),
                    "{found:?}"
                );
                return;
            }
            Refused::Json => {
                let read: Result<serde_json::Value, _> = serde_json::from_str(row.text);
                assert!(read.is_err(), "{}", row.text);
                return;
            }
        };
        assert_eq!(found, expected, "{}", row.text);
    });
}

#[test]
fn each_has_a_reason() {
    check_rows(PLACEHOLDERS, |row| assert!(!row.reason.is_empty()));
}
