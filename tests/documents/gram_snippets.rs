//! Gram snippets: tools and agents, and the tools and agents that the documents make in Haskell.

use crate::documents::location::Document::{DataModel, Execution, ToolApi, ToolContract, ToolGram};
use crate::documents::location::{Location, at};
use crate::documents::rows::{Row, check_rows, codes, one_pattern};
use agent_spec::check::{Checked, Options, check};
use agent_spec::{Agent, ToolSpec};

pub(crate) struct SnippetRow {
    pub(crate) place: Location,
    text: &'static str,
    /// The codes of the diagnostics: none, or those of a placeholder in the snippet.
    found: &'static [&'static str],
    /// The same with its placeholders filled in, when it has any.
    filled: Option<&'static str>,
    /// The canonical gram of what it declares.
    canonical: &'static str,
}

impl Row for SnippetRow {
    fn place(&self) -> Location {
        self.place
    }
}

impl SnippetRow {
    /// The text that declares something.
    fn complete(&self) -> &'static str {
        self.filled.unwrap_or(self.text)
    }
}

/// The gram snippets of the documents.
pub(crate) const PRINTED: &[SnippetRow] = &[
    SnippetRow {
        place: at(ToolContract, "ToolSpecification Serialization › gram"),
        text: include_str!("000/say_hello_tool.gram"),
        found: &[],
        filled: None,
        canonical: include_str!("000/say_hello_tool.canonical.gram"),
    },
    SnippetRow {
        place: at(DataModel, "Pattern Structure"),
        text: include_str!("001/agent_structure.gram"),
        found: &["gram::unexpected"],
        filled: Some(include_str!("001/agent_structure.filled.gram")),
        canonical: include_str!("001/agent_structure.canonical.gram"),
    },
    SnippetRow {
        place: at(DataModel, "ToolSpecification"),
        text: include_str!("001/tool_structure.gram"),
        found: &["agent::unknown-type", "agent::unknown-type"],
        filled: Some(include_str!("001/tool_structure.filled.gram")),
        canonical: include_str!("001/tool_structure.canonical.gram"),
    },
    SnippetRow {
        place: at(DataModel, "Agent (Updated)"),
        text: include_str!("001/agent_entity.gram"),
        found: &["gram::unexpected", "gram::unexpected"],
        filled: Some(include_str!("001/agent_entity.filled.gram")),
        canonical: include_str!("001/agent_entity.canonical.gram"),
    },
    SnippetRow {
        place: at(DataModel, "sayHello Tool › gram"),
        text: include_str!("001/say_hello_tool.gram"),
        found: &[],
        filled: None,
        canonical: include_str!("001/say_hello_tool.canonical.gram"),
    },
    SnippetRow {
        place: at(ToolGram, "Gram Schema Structure"),
        text: include_str!("004/tool_structure.gram"),
        found: &["gram::unexpected", "gram::unexpected"],
        filled: Some(include_str!("004/tool_structure.filled.gram")),
        canonical: include_str!("004/tool_structure.canonical.gram"),
    },
    SnippetRow {
        place: at(ToolGram, "Example: sayHello Tool"),
        text: include_str!("004/say_hello_tool.gram"),
        found: &[],
        filled: None,
        canonical: include_str!("004/say_hello_tool.canonical.gram"),
    },
];

/// The Haskell examples of the documents, as gram with the same meaning.
pub(crate) const MADE_IN_CODE: &[SnippetRow] = &[
    SnippetRow {
        place: at(ToolContract, "createToolSpecification › Example"),
        text: include_str!("000/say_hello_tool.gram"),
        found: &[],
        filled: None,
        canonical: include_str!("000/say_hello_tool.canonical.gram"),
    },
    SnippetRow {
        place: at(DataModel, "sayHello Tool › Haskell"),
        text: include_str!("001/say_hello_tool.gram"),
        found: &[],
        filled: None,
        canonical: include_str!("001/say_hello_tool.canonical.gram"),
    },
    SnippetRow {
        place: at(DataModel, "Hello World Agent"),
        text: include_str!("001/hello_world_agent.gram"),
        found: &[],
        filled: None,
        canonical: include_str!("001/hello_world_agent.canonical.gram"),
    },
    SnippetRow {
        place: at(ToolApi, "createTool › Example"),
        text: include_str!("002/get_weather.gram"),
        found: &[],
        filled: None,
        canonical: include_str!("002/get_weather.canonical.gram"),
    },
    SnippetRow {
        place: at(Execution, "executeAgentWithLibrary › Example"),
        text: include_str!("003/hello_world_agent.gram"),
        found: &[],
        filled: None,
        canonical: include_str!("003/hello_world_agent.canonical.gram"),
    },
];

/// The declaration in a snippet: the one agent, or else the one tool.
enum Declared {
    Agent(Box<Agent>),
    Tool(Box<ToolSpec>),
}

impl Declared {
    fn read(text: &str) -> Self {
        let Checked {
            agents,
            tools,
            diagnostics,
            ..
        } = check(text, Options::default());
        assert_eq!(codes(&diagnostics), <[&str; 0]>::default(), "{text}");
        match (agents.as_slice(), tools.as_slice()) {
            ([node], _) => Self::Agent(Box::new(node.agent.clone())),
            ([], [node]) => Self::Tool(Box::new(node.spec.clone())),
            (agents, tools) => panic!("{} agents and {} tools", agents.len(), tools.len()),
        }
    }

    fn to_gram(&self) -> String {
        match self {
            Self::Agent(agent) => agent.to_gram(),
            Self::Tool(tool) => tool.to_gram(),
        }
    }
}

fn check_findings(row: &SnippetRow) {
    assert_eq!(
        codes(&check(row.text, Options::default()).diagnostics),
        row.found,
        "{}",
        row.text
    );
}

fn check_canonical(row: &SnippetRow) {
    let declared = Declared::read(row.complete());
    assert_eq!(format!("{}\n", declared.to_gram()), row.canonical);
    assert_eq!(Declared::read(row.canonical).to_gram(), declared.to_gram());
}

/// The pattern says what the text says, and printing it settles at once.
fn check_pattern(row: &SnippetRow) {
    let pattern = one_pattern(row.complete());
    let printed = agent_gram::print_pattern(&pattern);
    assert_eq!(one_pattern(&printed), pattern);
    match Declared::read(row.complete()) {
        Declared::Agent(agent) => {
            assert_eq!(Agent::from_pattern(&pattern).as_ref(), Ok(&*agent));
            assert_eq!(agent.to_pattern().to_agent().as_ref(), Ok(&*agent));
        }
        Declared::Tool(tool) => {
            assert_eq!(ToolSpec::from_pattern(&pattern).as_ref(), Ok(&*tool));
            assert_eq!(tool.to_pattern().to_tool_spec().as_ref(), Ok(&*tool));
        }
    }
}

#[test]
fn findings_of_what_is_printed() {
    check_rows(PRINTED, check_findings);
}

#[test]
fn findings_of_what_is_made_in_code() {
    check_rows(MADE_IN_CODE, check_findings);
}

#[test]
fn canonical_gram() {
    check_rows(PRINTED, check_canonical);
    check_rows(MADE_IN_CODE, check_canonical);
}

#[test]
fn patterns() {
    check_rows(PRINTED, check_pattern);
    check_rows(MADE_IN_CODE, check_pattern);
}

/// A placeholder is the only thing wrong with a snippet that has one.
#[test]
fn only_snippets_with_placeholders_have_findings() {
    for row in PRINTED.iter().chain(MADE_IN_CODE) {
        assert_eq!(row.found.is_empty(), row.filled.is_none(), "{}", row.place);
    }
}

/// A pattern is not a spec: it keeps the label and the form of the name that were written.
#[test]
fn a_pattern_keeps_what_was_written() {
    let pattern = one_pattern(include_str!("000/say_hello_tool.gram"));
    let printed = include_str!("000/say_hello_tool.printed.gram");
    assert_eq!(agent_gram::print(&[pattern]), printed);
}
