//! Signatures, tools and agents made in code, in both styles.

use agent_spec::{Agent, AgentPattern, Style, ToolPattern, ToolSpec};

const LIST: &str = "(u::Object {fields: [{name: \"n\", type: \"Text\"}]})==>(::Any)";
const PORTABLE: &str = "(u::Object {fields: {n: \"Text\"}})==>(::Any)";

fn tool() -> ToolSpec {
    let signature = agent_spec::parse_signature(LIST).expect("a signature");
    ToolSpec::with_signature("t", "d", signature).expect("a tool")
}

#[test]
fn a_signature_has_a_text_in_each_style() {
    let signature = tool().signature().clone();
    assert_eq!(
        agent_spec::style::signature_text(&signature, Style::List),
        LIST
    );
    assert_eq!(
        agent_spec::style::signature_text(&signature, Style::Portable),
        PORTABLE
    );
    assert_eq!(agent_spec::parse_signature(PORTABLE), Ok(signature));
}

#[test]
fn a_tool_and_an_agent_are_written_in_each_style() {
    let agent = Agent::new("a", "Offline/x", "i").expect("an agent");
    let agent = agent.with_tool(tool()).expect("one tool");
    for (style, signature) in [(Style::List, LIST), (Style::Portable, PORTABLE)] {
        let gram = tool().to_gram_in(style);
        let line = gram.lines().nth(1).map(str::trim);
        assert_eq!(line, Some(signature), "{gram}");
        assert_eq!(tool().to_pattern_in(style).to_tool_spec(), Ok(tool()));

        let gram = agent.to_gram_in(style);
        assert!(gram.contains(signature), "{gram}");
        let read = agent.to_pattern_in(style).to_agent();
        assert_eq!(read.as_ref(), Ok(&agent));
    }
    assert_eq!(tool().to_gram_in(Style::List), tool().to_gram());
    assert_eq!(agent.to_gram_in(Style::List), agent.to_gram());
}

#[test]
fn changing_the_style_keeps_the_rest_of_a_pattern() {
    let source = format!(
        "[a:Agent:Extra {{owner: sales, instruction: \"i\", model: \"OpenAI/m\"}} | [t:Tool {{x: 1s, description: \"d\"}} | {LIST}]]"
    );
    let pattern = AgentPattern::parse(&source).expect("an agent");
    let portable = pattern.in_style(Style::Portable).expect("no mistakes");
    let expected = AgentPattern::parse(&source.replace(LIST, PORTABLE)).expect("an agent");
    assert_eq!(portable, expected);
    assert_eq!(portable.in_style(Style::List), Ok(pattern));
}

#[test]
fn reports_a_wrong_signature_when_changing_the_style() {
    let [pattern] =
        agent_gram::parse_patterns("[t:Tool {description: \"d\"} | (a::Txt)==>(::Any)]")
            .expect("gram")
            .try_into()
            .expect("one pattern");
    let tool = ToolPattern::try_from(pattern).expect("it has the label");
    let error = tool.in_style(Style::Portable).expect_err("a wrong type");
    assert!(error.to_string().contains("`Txt` is not a type"), "{error}");
}
