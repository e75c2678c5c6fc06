//! The style `portable` held against the official grammar, and both styles against each other.

use crate::official_grammar::parsers::official_accepts;
use crate::official_grammar::spacing::{gaps, space};
use crate::official_grammar::specs::{agent, note, signature};
use crate::official_grammar::tokens::{Kind, tokens};
use agent_gram::format_source;
use agent_spec::check::{Options, check};
use agent_spec::{Agent, AgentPattern, Restyled, Style, restyle};
use proptest::prelude::*;

fn restyled(source: &str, style: Style) -> Restyled {
    restyle(source, style).unwrap_or_else(|error| panic!("{source}\n{error}"))
}

fn agents(source: &str) -> Vec<Agent> {
    let checked = check(source, Options::default());
    assert!(
        !checked.has_errors(),
        "{source}\n{:#?}",
        checked.diagnostics
    );
    checked.agents.into_iter().map(|node| node.agent).collect()
}

fn comments(source: &str) -> Vec<String> {
    let comments = tokens(source).into_iter();
    comments
        .filter(|token| token.kind == Kind::Comment)
        .map(|token| token.text)
        .collect()
}

/// The parts of a text that stay in one piece: tokens, with the halves of arrows and the signs of
/// numbers put together.
fn pieces(source: &str) -> Vec<String> {
    let is_shaft = |text: &str| text.bytes().all(|byte| b"<>=-~".contains(&byte));
    let mut pieces: Vec<String> = Vec::new();
    for token in tokens(source)
        .into_iter()
        .filter(|token| !token.is_trivia())
    {
        let continues = is_shaft(&token.text) || token.kind == Kind::Number;
        match pieces.last_mut() {
            Some(last) if continues && is_shaft(last) => last.push_str(&token.text),
            _ => pieces.push(token.text),
        }
    }
    pieces
}

/// The official parser takes the text of the `enum` for a comment and accepts the document, so the
/// warning must be about the comment mark, and not about a type that the style has no words for.
#[test]
fn comment_mark_in_the_enum_of_an_element_type_is_warned_of_as_such() {
    let source = r#"[t:Tool {description: "d"} | ()==>(::Array {elementType: {type: "Any", enum: ["/** doc */"]}})]"#;
    let portable = restyled(source, Style::Portable);
    assert!(official_accepts(&portable.text), "{}", portable.text);
    let [warning] = portable.warnings.as_slice() else {
        panic!("{:#?}", portable.warnings);
    };
    assert!(warning.message().contains("comment mark"), "{warning:#?}");
    // The help of the warning removes the comment mark and the warning.
    let escaped = source.replace("/** doc", "\\/** doc");
    let portable = restyled(&escaped, Style::Portable);
    assert_eq!(portable.warnings, []);
    assert!(official_accepts(&portable.text), "{}", portable.text);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    /// Both ways: nothing that is refused goes without a warning, and no warning is given for
    /// nothing. A text that the official parser takes for a comment is lost to it, which is worth
    /// a warning, though it may find the rest to be right.
    #[test]
    fn official_grammar_accepts_exactly_what_has_no_warning(
        agent in agent(),
        note in note(),
    ) {
        let source = format!("{note}\n{}\n", agent.to_gram());
        let portable = restyled(&source, Style::Portable);
        let refused = portable
            .warnings
            .iter()
            .any(|found| !found.message().contains("comment mark"));
        let accepts = official_accepts(&portable.text);
        prop_assert!(
            if accepts { !refused } else { !portable.warnings.is_empty() },
            "{}\n{:#?}", portable.text, portable.warnings
        );
        // The layout, which `agent fmt` gives it, changes nothing about that, nor about what the
        // document says.
        let formatted = format_source(&portable.text).expect("gram");
        prop_assert_eq!(official_accepts(&formatted), accepts, "{}", formatted);
        prop_assert_eq!(agents(&formatted), agents(&source), "{}", formatted);
        let again = restyled(&formatted, Style::Portable);
        prop_assert_eq!(format_source(&again.text).expect("gram"), formatted);
    }

    #[test]
    fn an_agent_is_the_same_in_both_styles(agent in agent()) {
        let list = agent.to_gram_in(Style::List);
        let portable = agent.to_gram_in(Style::Portable);
        prop_assert_eq!(agents(&list), std::slice::from_ref(&agent));
        prop_assert_eq!(agents(&portable), std::slice::from_ref(&agent), "{}", portable);
        let pattern = AgentPattern::parse(&portable).expect("an agent");
        let back = pattern.in_style(Style::List).expect("no mistakes");
        prop_assert_eq!(back.as_pattern().to_string(), list);
    }

    #[test]
    fn a_signature_is_the_same_in_both_styles(signature in signature()) {
        for style in Style::ALL {
            let text = agent_spec::style::signature_text(&signature, *style);
            let read = agent_spec::parse_signature(&text);
            prop_assert_eq!(read.as_ref(), Ok(&signature), "{}", text);
        }
        let wrapped = |text: &str| format!("[t:Tool | {text}]");
        let list = wrapped(&agent_spec::style::signature_text(&signature, Style::List));
        let portable = restyled(&list, Style::Portable);
        prop_assert_eq!(&portable.text, &wrapped(&agent_spec::style::signature_text(&signature, Style::Portable)));
        prop_assert_eq!(restyled(&portable.text, Style::List).text, list);
    }

    /// Documents as people write them: comments anywhere, tools in either style.
    #[test]
    fn a_document_keeps_its_comments_and_its_meaning(
        agents_of in (agent(), agent()),
        gaps in gaps(),
    ) {
        let (first, second) = agents_of;
        let second = second.to_gram_in(Style::Portable).replacen("[a:", "[b:", 1);
        // Equal names may stand for different tools in the two agents.
        let second = second.replace("[t0:", "[u0:").replace("[t1:", "[u1:");
        let plain = format!("{}\n{second}", first.to_gram());
        let source = space(&pieces(&plain), &gaps).concat();
        let meant = agents(&source);
        prop_assert_eq!(&meant, &agents(&plain), "{}", source);
        for style in Style::ALL {
            let once = restyled(&source, *style);
            prop_assert_eq!(agents(&once.text), meant.clone(), "{}", once.text);
            prop_assert_eq!(comments(&once.text), comments(&source), "{}", once.text);
            let twice = restyled(&once.text, *style);
            prop_assert_eq!(&twice.text, &once.text);
            prop_assert_eq!(twice.warnings.len(), once.warnings.len());
            if *style == Style::Portable && once.warnings.is_empty() {
                prop_assert!(official_accepts(&once.text), "{}", once.text);
            }
        }
    }
}
