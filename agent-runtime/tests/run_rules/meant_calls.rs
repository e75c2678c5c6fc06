//! Calls in another form than that of the provider, which mean calls of the agent's tools.

use crate::run_rules::play::Play;
use crate::support::{agent, hello_spec, hello_tool, library, spec, tool};
use serde_json::json;

/// The agent has `sayHello` and `find`; the library has `other`, too.
fn play() -> Play {
    let agent = agent([hello_spec(), spec("find")]);
    let plain = |name| tool(name, |_| async { Ok(1.into()) });
    Play::new(
        &agent,
        &library([hello_tool(), plain("find"), plain("other")]),
    )
}

/// The tools and the ids of the calls that the conversation has.
fn calls(play: &Play) -> Vec<(String, String)> {
    let said = play.run.conversation();
    let calls = said.messages()[1].tool_calls().iter();
    calls
        .map(|call| (call.id().to_owned(), call.tool().to_owned()))
        .collect()
}

#[test]
fn a_namespace_before_the_name_of_a_tool_is_left_out() {
    for name in [
        "functions.sayHello",
        "default_api.sayHello",
        "default_api:sayHello",
    ] {
        let mut play = play();
        play.calls(&[("a", name, r#"{"personName":  "Ada"}"#)]);
        assert_eq!(calls(&play), [("a".into(), "sayHello".into())]);
        let pending = play.pending().remove(0);
        assert_eq!(
            (pending.tool.as_str(), pending.arguments.as_str()),
            ("sayHello", r#"{"personName":  "Ada"}"#)
        );
    }
}

#[test]
fn a_name_in_a_namespace_that_is_no_tool_gets_an_error() {
    for (name, part) in [
        (
            "functions.sayhelo",
            "there is no tool `functions.sayhelo`; did you mean `sayHello`?",
        ),
        ("mail.sayHello", "there is no tool `mail.sayHello`"),
        ("functions.other", "is not one of this agent's tools"),
        ("functions.", "there is no tool `functions.`"),
    ] {
        let mut play = play();
        play.calls(&[("a", name, "{}")]);
        assert_eq!(calls(&play), [("a".into(), name.into())]);
        let (_, text, is_error) = play.results().remove(0);
        assert!(is_error && text.contains(part), "{text}");
    }
}

#[test]
fn several_calls_as_one_have_ids_and_results_of_their_own() {
    let one = |tool: &str, arguments: serde_json::Value| json!({"recipient_name": tool, "parameters": arguments});
    let uses = json!({"tool_uses": [
        one("functions.sayHello", json!({"personName": "Ada"})),
        one("functions.find", json!({})),
        one("functions.gone", json!({})),
    ]});
    for (id, expected) in [
        ("call_7", ["call_7_1", "call_7_2", "call_7_3"]),
        ("", ["call_1", "call_2", "call_3"]),
    ] {
        let mut play = play();
        play.calls(&[(id, "multi_tool_use.parallel", &uses.to_string())]);
        let tools = ["sayHello", "find", "functions.gone"];
        let made: Vec<_> = expected
            .iter()
            .zip(tools)
            .map(|(id, tool)| ((*id).to_owned(), tool.to_owned()))
            .collect();
        assert_eq!(calls(&play), made);
        assert_eq!(play.pending_ids(), expected[..2]);
        play.finish(expected[1], Ok("found"))
            .finish(expected[0], Ok("Hello!"));
        let results = play.results();
        let ids: Vec<_> = results.iter().map(|(id, ..)| id.as_str()).collect();
        assert_eq!(ids, expected);
        assert!(
            results[2].1.contains("there is no tool `functions.gone`"),
            "{results:?}"
        );
    }
}

#[test]
fn several_calls_that_cannot_be_read_get_one_error() {
    for arguments in [
        "{",
        "{}",
        r#"{"tool_uses": []}"#,
        r#"{"tool_uses": [{"parameters": {}}]}"#,
    ] {
        let mut play = play();
        play.calls(&[("a", "multi_tool_use.parallel", arguments)]);
        let (_, text, is_error) = play.results().remove(0);
        assert!(is_error, "{text}");
        assert!(text.contains("the tools are `sayHello`, `find`"), "{text}");
    }
}

#[test]
fn half_a_character_in_arguments_is_replaced() {
    let mut play = play();
    play.calls(&[("a", "sayHello", r#"{"personName": "A\ud83d"}"#)]);
    assert_eq!(play.pending()[0].args(), json!({"personName": "A\u{fffd}"}));
}
