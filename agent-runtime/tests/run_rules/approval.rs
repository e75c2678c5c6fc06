//! Calls that a person decides on.

use crate::run_rules::play::{Play, approving, awaiting};
use crate::support::{agent, greeter, library};
use agent_runtime::model::ModelReply;
use agent_runtime::run::Decision;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{ToolError, ToolSpec};
use serde_json::json;

#[test]
fn asks_for_approval_before_any_call() {
    let mut play = approving();
    play.calls(&[
        ("a", "risky", "{}"),
        ("b", "sayHello", "{}"),
        ("c", "risky", "{}"),
        ("d", "risky", "[]"),
    ]);
    assert_eq!(awaiting(&play), ["a", "c"]);
    assert!(play.run.tool_finished("a", Ok(1.into())).is_err());
    play.run.approve("a", Decision::Approve).expect("it waits");
    play.check();
    let deny = Decision::Deny {
        reason: Some("too late".into()),
    };
    assert_eq!(awaiting(&play), ["c"]);
    play.run.approve("c", deny).expect("it waits");
    assert_eq!(play.pending_ids(), ["a", "b"]);
    play.finish("a", Ok("x")).finish("b", Ok("x"));
    assert!(play.results()[2].1.contains("too late"));
    assert!(matches!(
        play.run.invocations()[2].result,
        Err(ToolError::Authorization(_))
    ));
    assert!(play.run.approve("c", Decision::Approve).is_err());
}

#[test]
fn edited_arguments_are_validated_and_given_to_the_tool() {
    let mut settings = agent_runtime::tool::ToolSettings::DEFAULT;
    settings.requires_approval = true;
    let tool = agent_runtime::tool::ToolConfig::with_signature(
        "sayHello",
        crate::support::GREETING,
        "(personName::Text)==>(::String)",
    )
    .settings(settings)
    .build(|_| async { Ok("".into()) })
    .expect("a tool");
    let mut play = Play::new(&greeter(), &library([tool]));
    play.calls(&[
        ("a", "sayHello", r#"{"personName": "Ada"}"#),
        ("b", "sayHello", r#"{"personName": "Ada"}"#),
    ]);
    let edit = |args| Decision::Edit { args };
    let bob = json!({"personName": "Bob"});
    play.run.approve("a", edit(bob.clone())).expect("it waits");
    play.run.approve("b", Decision::Approve).expect("it waits");
    assert_eq!(play.pending()[0].args(), bob);
    play.finish("a", Ok("Hello, Bob!"))
        .finish("b", Ok("Hello, Ada!"));
    assert_eq!(play.run.invocations()[0].args, bob);
}

#[test]
fn bad_arguments_of_a_person_leave_the_call_waiting() {
    let mut play = approving();
    play.calls(&[("a", "risky", "{}")]);
    let before = play.run.to_json();
    for args in [json!([]), json!("{}"), json!(null), json!(7)] {
        let error = play.run.approve("a", Decision::Edit { args });
        let error = error.expect_err("arguments are an object");
        assert!(error.is_validation(), "{error}");
        let text = error.to_string();
        assert!(text.contains("call `a` of `risky` waits still"), "{text}");
        assert_eq!(play.run.to_json(), before);
    }
    let right = Decision::Edit { args: json!({}) };
    play.run.approve("a", right).expect("it waits");
    play.finish("a", Ok("x"));
    assert_eq!(play.run.invocations()[0].attempt, 1);
}

/// A person means what they write: an argument that would be left out was meant to do something.
#[test]
fn rejects_an_edit_with_an_unknown_argument() {
    let risky = |signature: &str| {
        let tool = ToolConfig::with_signature("risky", "Does it.", signature);
        let tool = tool.requires_approval(true);
        let tool = tool.build(|_| async { Ok(1.into()) }).expect("a tool");
        let spec = ToolSpec::new("risky", "Does it.", signature).expect("a spec");
        Play::new(&agent([spec]), &library([tool]))
    };
    for (signature, args, words) in [
        (
            "()==>(::Int)",
            json!({"amount": 5}),
            "there is no argument `amount`; the tool takes none",
        ),
        (
            "(a::Int {default: 1})==>(::Int)",
            json!({"amount": 5}),
            "there is no argument `amount`; the only one is `a`",
        ),
        (
            "(a::Int {default: 1})==>(b::Int {default: 2})==>(::Int)",
            json!({"a": 1, "amount": 5, "sum": 6}),
            "there are no arguments `amount`, `sum`; the arguments are `a`, `b`",
        ),
        (
            "(to::Object {fields: {name: \"Text\"}})==>(::Int)",
            json!({"to": {"name": "Ada", "street": "x"}}),
            "there is no argument `to.street`; the signature is `(to::Object",
        ),
    ] {
        let mut play = risky(signature);
        play.calls(&[("a", "risky", r#"{"to": {"name": "Bob"}}"#)]);
        let edited = play.run.approve("a", Decision::Edit { args });
        let text = edited.expect_err(signature).to_string();
        assert!(text.contains(words), "{text}");
        assert_eq!(awaiting(&play), ["a"]);
    }
}

#[test]
fn rejects_a_second_a_late_and_an_unknown_decision() {
    let mut play = approving();
    play.calls(&[("a", "risky", "{}"), ("b", "sayHello", "{}")]);
    let refused = |play: &mut Play, id: &str| {
        let before = play.run.to_json();
        for decision in [Decision::Approve, Decision::Deny { reason: None }] {
            let error = play.run.approve(id, decision).expect_err("nothing waits");
            assert!(
                error.is_validation() && error.to_string().contains(id),
                "{error}"
            );
        }
        assert_eq!(play.run.to_json(), before);
    };
    refused(&mut play, "b");
    refused(&mut play, "never-made");
    play.run.approve("a", Decision::Approve).expect("it waits");
    refused(&mut play, "a");
    play.finish("a", Ok("x")).finish("b", Ok("x"));
    refused(&mut play, "a");
    play.reply(ModelReply::text("Done."));
    refused(&mut play, "a");
}
