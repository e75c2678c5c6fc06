//! Text outside of the types of signatures is kept, to the byte.

use crate::style::{restyled, tool};
use agent_spec::Style;
use agent_spec::check::{Options, check};

const LIST: &str = r#"// Header comment
{version: [1, 2]} // after the header
/** about the agent */
[a:Agent {instruction: "i",   model: "OpenAI/m"} |
    [greet:Tool {description: "d"} |
        // before the parameter
        (p::Object {description: 'x', fields: [{name: "n", type: "Text"}]}) // between
            =[:FunctionType]=>  (::Array { elementType : {type: "Array", elementType: "Int"} , minItems: 1})
    ],
    other
]
@@other:ToolSpecification @description("e") (::Object {valueType: {type: "Text", optional: true}})<--(q::Int)
[x | (fields {fields: [{name: 1, type: "Text"}]})-->(y {elementType: {type: "Array"}})]
"#;

const PORTABLE: &str = r#"// Header comment
{version: [1, 2]} // after the header
/** about the agent */
[a:Agent {instruction: "i",   model: "OpenAI/m"} |
    [greet:Tool {description: "d"} |
        // before the parameter
        (p::Object {description: 'x', fields: {n: "Text"}}) // between
            =[:FunctionType]=>  (::Array { elementType : "[Int]" , minItems: 1})
    ],
    other
]
@@other:ToolSpecification @description("e") (::Object {valueType: "Maybe Text"})<--(q::Int)
[x | (fields {fields: [{name: 1, type: "Text"}]})-->(y {elementType: {type: "Array"}})]
"#;

#[test]
fn replaces_only_types_of_signatures() {
    assert_eq!(restyled(LIST, Style::Portable).text, PORTABLE);
    assert_eq!(restyled(PORTABLE, Style::List).text, LIST);
    let read = |source| {
        let checked = check(source, Options::default());
        assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
        let agents: Vec<_> = checked.agents.into_iter().map(|node| node.agent).collect();
        let tools: Vec<_> = checked.tools.iter().map(|node| node.spec.clone()).collect();
        (agents, tools)
    };
    assert_eq!(read(LIST), read(PORTABLE));
}

#[test]
fn replaces_a_parameter_that_a_walk_has_twice() {
    let source = tool(
        "[ | (a::Text)==>(b::Object {fields: []}), (b::Object {fields: []})==>(::Array {elementType: {type: \"Array\"}})]",
    );
    assert_eq!(
        restyled(&source, Style::Portable).text,
        tool(
            "[ | (a::Text)==>(b::Object {fields: {}}), (b::Object {fields: {}})==>(::Array {elementType: \"Array\"})]"
        )
    );
}

#[test]
fn keeps_a_document_without_tools() {
    for source in [
        "",
        "// nothing",
        "(a)-->(b {fields: [{name: 1}]})",
        "[t:Tool]",
    ] {
        for style in Style::ALL {
            assert_eq!(restyled(source, *style).text, source);
        }
    }
}

#[test]
fn ignores_mistakes_outside_of_signatures() {
    let source =
        "[a:Agent {model: \"Acme/m\"} | [t:Tool | (p::Object {fields: []})==>(::Any)], nobody]";
    let portable = source.replace("[]", "{}");
    assert_eq!(restyled(source, Style::Portable).text, portable);
}

#[test]
fn rejects_a_wrong_signature() {
    for (source, code) in [
        (
            tool("(a::Object {fields: []})==>(::Txt)"),
            "agent::unknown-type",
        ),
        (
            tool("(a::Object {fields: [{name: \"b\"}]})==>(::Any)"),
            "agent::missing-type",
        ),
        (
            "[t:Tool {description \"d\"} | (a::Text)==>(::Any)]".to_owned(),
            "gram::unexpected",
        ),
    ] {
        for style in Style::ALL {
            let error = agent_spec::restyle(&source, *style).expect_err(&source);
            let codes: Vec<&str> = error.iter().map(|found| found.code().as_str()).collect();
            assert_eq!(codes, [code], "{source}");
            assert_eq!(error.source_text(), source);
        }
    }
}

/// In the style `list` types nest deeper; where there is no room for that, nothing is broken.
#[test]
fn a_deep_tool_stays_readable() {
    let expression = format!("{}Text{}", "[".repeat(60), "]".repeat(60));
    let inner = tool(&format!(
        "(a::Array {{elementType: \"{expression}\"}})==>(b::Object {{fields: {{c: \"Int\"}}}})==>(::Any)"
    ));
    let source = format!("{}{inner}{}", "[x | ".repeat(100), "]".repeat(100));
    let restyled = restyled(&source, Style::List);
    assert_eq!(agent_gram::parse(&restyled.text).errors, []);
    let codes: Vec<&str> = restyled
        .warnings
        .iter()
        .map(|found| found.code().as_str())
        .collect();
    assert_eq!(codes, ["agent::not-portable"; 2]);
    assert_eq!(restyled.text, source);
}
