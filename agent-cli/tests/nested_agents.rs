//! Agents that call agents, in `agent run`.

use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, Folder, agent};
use serde_json::json;

/// An agent that calls another one, which has a tool.
const SUPPORT: &str = "[support:Agent {instruction: \"Help.\", model: \"OpenAI/m\"} | \
    [greeter:Agent {description: \"Greets\", instruction: \"Greet.\", model: \"OpenAI/m\"} | sayHello]]\n";

const ADA: &str = "{\"personName\":\"Ada\"}";

/// The answers of a run in which `greeter` greets Ada.
fn answers() -> [Answer; 4] {
    [
        Answer::Call("greeter", "{\"message\":\"Greet Ada\"}"),
        Answer::Call("sayHello", ADA),
        Answer::Text(&["I greeted ", "her."]),
        Answer::Text(&["Ada is ", "greeted."]),
    ]
}

fn run(args: &[&str]) -> CommandOutput {
    let folder = Folder::new();
    let file = folder.file("support.gram", SUPPORT);
    let script = Script::start(answers());
    let base_url = script.base_url();
    let fixed = [
        "run",
        &file,
        "Greet Ada",
        "--stream",
        "--base-url",
        &base_url,
    ];
    agent(&[&fixed[..], args].concat())
}

#[test]
fn a_transcript_names_the_calls_of_agents_by_their_path() {
    let ended = run(&[]).expect(0);
    assert_eq!(
        ended.stdout,
        "💬 Greet Ada\n\
         🛠️ support/greeter/sayHello {\"personName\":\"Ada\"} → Hello, Ada! Nice to meet you.\n\
         🛠️ greeter {\"message\":\"Greet Ada\"} → I greeted her.\n\
         🤖 Ada is greeted.\n"
    );
}

#[test]
fn json_has_the_calls_of_agents_with_path_and_call_id() {
    let json = run(&["--format=json"]).expect(0).json();
    let response = &json["responses"][0];
    assert_eq!(response["toolsUsed"].as_array().map(Vec::len), Some(1));
    assert_eq!(response["toolsUsed"][0]["usage"]["requests"], 2);
    assert_eq!(response["usage"]["requests"], 4);
    assert_eq!(
        response["nestedCalls"],
        json!([{
            "path": "support/greeter/sayHello",
            "callId": "c1/c1",
            "tool": "sayHello",
            "args": {"personName": "Ada"},
            "result": "Hello, Ada! Nice to meet you.",
            "attempt": 1,
        }])
    );
}

#[test]
fn the_cost_has_the_requests_of_agents() {
    let ended = run(&["--price=OpenAI/m=10,100"]).expect(0);
    let cost = "cost: $0.0080 (4 requests, 400 tokens sent, 40 written)\n";
    assert!(ended.stderr.ends_with(cost), "{}", ended.stderr);
}
