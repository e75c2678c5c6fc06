//! Calls that are not made, and what the model reads instead.

use crate::run_rules::play::Play;
use crate::support::{greeter, hello_tool, library};
use agent_runtime::ToolError;
use agent_runtime::model::ModelReply;
use serde_json::json;

#[test]
fn an_argument_that_the_tool_fills_itself_may_be_missing() {
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", "{}")]);
    assert_eq!(play.pending()[0].arguments, "{}");
}

/// A call that never reaches its tool: tool, arguments, and what the result says.
fn check_refused(tool: &str, arguments: &str, parts: &[&str], error: fn(&ToolError) -> bool) {
    let agent = greeter();
    let undeclared = crate::support::tool("other", |_| async { Ok(1.into()) });
    let mut play = Play::new(&agent, &library([hello_tool(), undeclared]));
    play.calls(&[("a", tool, arguments)]);
    let (id, text, is_error) = play.results().pop().expect("a result");
    assert_eq!(id, "a");
    assert!(is_error);
    for part in parts {
        assert!(text.contains(part), "{text} lacks {part}");
    }
    play.reply(ModelReply::text("Sorry."));
    let used = play.done().tools_used.remove(0);
    assert_eq!(used.tool, tool);
    assert!(used.result.as_ref().is_err_and(error), "{used:?}");
}

#[test]
fn a_key_that_parsers_replace_by_another_value_is_refused_and_kept_as_it_was_sent() {
    // As serde_json reads them, the brackets of each level are added to those of the next.
    let mut text = "[".repeat(120) + &"]".repeat(120);
    for _ in 0..20 {
        let inner = json!({"$serde_json::private::RawValue": text}).to_string();
        text = "[".repeat(100) + &inner + &"]".repeat(100);
        if text.len() > 1 << 20 {
            break;
        }
    }
    let arguments = format!("{{\"undeclared\":{text}}}");
    check_refused(
        "sayHello",
        &arguments,
        &["expected another key, found one that JSON parsers reserve"],
        |error| matches!(error, ToolError::Validation(_)),
    );
}

#[test]
fn an_unknown_tool_gets_the_nearest_name() {
    check_refused(
        "sayhelo",
        "{}",
        &["`sayhelo`", "did you mean `sayHello`"],
        |error| matches!(error, ToolError::Execution(_)),
    );
    check_refused("banana", "{}", &["`banana`", "`sayHello`"], |error| {
        matches!(error, ToolError::Execution(_))
    });
}

#[test]
fn a_tool_of_the_library_that_the_agent_does_not_declare_is_not_allowed() {
    check_refused("other", "{}", &["`other`"], |error| {
        matches!(error, ToolError::Authorization(_))
    });
}

#[test]
fn bad_json_is_a_validation_error_and_the_raw_text_is_kept() {
    let raw = r#"{"personName": "Ad"#;
    check_refused("sayHello", raw, &["JSON"], |error| {
        matches!(error, ToolError::Validation(_))
    });
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", raw)]);
    let said = play.run.conversation();
    assert_eq!(said.messages()[1].tool_calls()[0].args_text(), raw);
    assert_eq!(play.run.invocations()[0].args, json!(raw));
}

#[test]
fn violations_have_their_path() {
    check_refused(
        "sayHello",
        r#"{"personName": 5}"#,
        &["$.personName", "5"],
        |error| matches!(error, ToolError::Validation(_)),
    );
}

#[test]
fn an_argument_the_tool_does_not_have_is_dropped() {
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", r#"{"personName": "Ada", "mood": "good"}"#)]);
    assert_eq!(play.pending()[0].args(), crate::support::ada());
}
