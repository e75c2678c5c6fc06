//! Error texts: each is the message of its diagnostic.

use crate::documents::location::Document::{DataModel, ToolApi};
use crate::documents::location::{Location, at};
use crate::documents::rows::{Row, check_rows, one_pattern};
use agent_spec::check::{Options, check};
use agent_spec::{Agent, AgentPattern, Diagnostics, ToolPattern};

pub(crate) struct ErrorRow {
    pub(crate) place: Location,
    text: &'static str,
    code: &'static str,
    /// A pattern with this mistake and no other.
    pattern: &'static str,
    read: Read,
}

/// The method of reading the pattern. A document with a pattern of another label is not wrong, so that
/// only a pattern can have this mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    AsAgent,
    AsTool,
    InDocument,
}

impl Row for ErrorRow {
    fn place(&self) -> Location {
        self.place
    }
}

const TOOL_LABEL: &str = "Tool specification must have ToolSpecification label";

pub(crate) const OF_SPECS: &[ErrorRow] = &[
    ErrorRow {
        place: at(DataModel, "Schema Validation › required label"),
        text: "Pattern must have Agent label",
        code: "agent::missing-label",
        pattern: r#"[greeter:Assistant {instruction: "Greet.", model: "OpenAI/gpt-3.5-turbo"}]"#,
        read: Read::AsAgent,
    },
    ErrorRow {
        place: at(DataModel, "Schema Validation › pattern identifier"),
        text: "Agent must have a non-empty pattern identifier (name)",
        code: "agent::missing-name",
        pattern: r#"[:Agent {instruction: "Greet.", model: "OpenAI/gpt-3.5-turbo"}]"#,
        read: Read::InDocument,
    },
    ErrorRow {
        place: at(DataModel, "Schema Validation › instruction"),
        text: "Agent must have 'instruction' property",
        code: "agent::missing-instruction",
        pattern: r#"[greeter:Agent {model: "OpenAI/gpt-3.5-turbo"}]"#,
        read: Read::InDocument,
    },
    ErrorRow {
        place: at(DataModel, "Schema Validation › model"),
        text: "Agent must have 'model' property",
        code: "agent::missing-model",
        pattern: r#"[greeter:Agent {instruction: "Greet."}]"#,
        read: Read::InDocument,
    },
    ErrorRow {
        place: at(DataModel, "Schema Validation › nested tool specifications"),
        text: TOOL_LABEL,
        code: "agent::not-a-tool",
        pattern: r#"[greeter:Agent {instruction: "Greet.", model: "OpenAI/gpt-3.5-turbo"} |
            [sayHello:Function {description: "Greets."} | (personName::Text)==>(::String)]
        ]"#,
        read: Read::InDocument,
    },
];

/// The same mistakes in other forms: they must get the same text.
const OTHER_FORMS: &[ErrorRow] = &[
    ErrorRow {
        place: at(DataModel, "Schema Validation › required label, none at all"),
        text: "Pattern must have Agent label",
        code: "agent::missing-label",
        pattern: r#"[greeter {instruction: "Greet.", model: "OpenAI/gpt-3.5-turbo"}]"#,
        read: Read::AsAgent,
    },
    ErrorRow {
        place: at(DataModel, "Schema Validation › pattern identifier, empty"),
        text: "Agent must have a non-empty pattern identifier (name)",
        code: "agent::missing-name",
        pattern: r#"[``:Agent {instruction: "Greet.", model: "OpenAI/gpt-3.5-turbo"}]"#,
        read: Read::InDocument,
    },
    ErrorRow {
        place: at(
            DataModel,
            "Schema Validation › nested tool specifications, no label at all",
        ),
        text: TOOL_LABEL,
        code: "agent::not-a-tool",
        pattern: r#"[greeter:Agent {instruction: "Greet.", model: "OpenAI/gpt-3.5-turbo"} |
            [sayHello {description: "Greets."} | (personName::Text)==>(::String)]
        ]"#,
        read: Read::InDocument,
    },
    ErrorRow {
        place: at(DataModel, "Schema Validation › a tool by itself"),
        text: TOOL_LABEL,
        code: "agent::missing-label",
        pattern: r#"[sayHello:Function {description: "Greets."} | (personName::Text)==>(::String)]"#,
        read: Read::AsTool,
    },
];

/// Texts that 001 prints for a mistake for which it prints another one elsewhere. A mistake has
/// one message, so these are never said.
pub(crate) const SUPERSEDED: &[(Location, &str, &str)] = &[
    (
        at(DataModel, "Implementation Approach › validateAgentPattern"),
        "Pattern does not have Agent label",
        "Pattern must have Agent label",
    ),
    (
        at(
            DataModel,
            "Conversion Between Representations › patternToAgent",
        ),
        "Missing name",
        "Agent must have a non-empty pattern identifier (name)",
    ),
    (
        at(
            DataModel,
            "Conversion Between Representations › patternToAgent",
        ),
        "Missing instruction",
        "Agent must have 'instruction' property",
    ),
];

/// Texts that a running tool says; the checker knows nothing of them. Who says them tests them.
pub(crate) const OF_RUNNING_TOOLS: &[(Location, &str, &str)] = &[
    (
        at(ToolApi, "createTool › Example"),
        "Missing city",
        "a tool that a user writes",
    ),
    (
        at(ToolApi, "readFileTool › Errors"),
        "File not found: <path>",
        "the built-in tool",
    ),
    (
        at(ToolApi, "readFileTool › Errors"),
        "Permission denied: <path>",
        "the built-in tool",
    ),
    (
        at(ToolApi, "Example Retry Flow"),
        "File not found",
        "the built-in tool, shortened",
    ),
    (
        at(ToolApi, "Custom Tool Best Practices › Good"),
        "Database connection failed. Check DB_URL environment variable.",
        "a tool that a user writes",
    ),
    (
        at(ToolApi, "Custom Tool Best Practices › Bad"),
        "Error",
        "a tool that a user writes",
    ),
];

/// Code and message of each finding.
fn said(found: &Diagnostics) -> Vec<(&str, &str)> {
    found
        .iter()
        .map(|item| (item.code().as_str(), item.message()))
        .collect()
}

fn check_row(row: &ErrorRow) {
    let expected = [(row.code, row.text)];
    let pattern = one_pattern(row.pattern);
    match row.read {
        Read::AsAgent => {
            let found = Agent::from_pattern(&pattern).expect_err("it is no agent");
            assert_eq!(said(&found), expected);
            let found = AgentPattern::try_from(pattern).expect_err("it is no agent");
            assert_eq!(said(&found), expected);
        }
        Read::AsTool => {
            let found = ToolPattern::try_from(pattern).expect_err("it is no tool");
            assert_eq!(said(&found), expected);
        }
        Read::InDocument => {
            let found = check(row.pattern, Options::default()).diagnostics;
            assert_eq!(said(&Diagnostics::new(row.pattern, found)), expected);
            let found = Agent::from_pattern(&pattern).expect_err("the agent is wrong");
            assert_eq!(said(&found), expected);
        }
    }
}

#[test]
fn each_is_the_message_of_its_diagnostic() {
    check_rows(OF_SPECS, check_row);
}

#[test]
fn other_forms_of_a_mistake_get_the_same_message() {
    check_rows(OTHER_FORMS, check_row);
}

#[test]
fn an_agent_made_in_code_gets_the_same_message() {
    let found = Agent::new("", "OpenAI/gpt-3.5-turbo", "Greet.").expect_err("no name");
    assert_eq!(said(&found), [(OF_SPECS[1].code, OF_SPECS[1].text)]);
}

/// 001 checks one thing after another and stops at the first; we say all at once.
#[test]
fn reports_all_of_several_mistakes() {
    let found = check(
        "[:Agent | [f:Function | ()==>(::String)]]",
        Options::default(),
    )
    .diagnostics;
    let found = Diagnostics::new("", found);
    let mut messages: Vec<&str> = found.iter().map(|item| item.message()).collect();
    messages.sort_unstable();
    let mut expected: Vec<&str> = OF_SPECS[1..].iter().map(|row| row.text).collect();
    expected.sort_unstable();
    assert_eq!(messages, expected);
}

#[test]
fn superseded_texts_have_a_replacement() {
    for (place, text, instead) in SUPERSEDED {
        assert!(
            OF_SPECS.iter().any(|row| row.text == *instead),
            "{place}: {text}"
        );
        assert!(
            OF_SPECS.iter().all(|row| row.text != *text),
            "{place}: {text}"
        );
    }
}
