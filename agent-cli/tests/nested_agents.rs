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
    run_document(SUPPORT, args)
}

fn run_document(document: &str, args: &[&str]) -> CommandOutput {
    let folder = Folder::new();
    let file = folder.file("support.gram", document);
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

/// The same agents; the model of the one that is called is this one.
fn with_called_model(model: &str) -> String {
    let (caller, called) = SUPPORT.split_once('|').expect("two agents");
    format!("{caller}|{}", called.replace("OpenAI/m", model))
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

#[test]
fn model_replaces_the_model_of_called_agents() {
    let document = with_called_model("Anthropic/large");
    let ended = run_document(
        &document,
        &["--model=OpenAI/small", "--price=OpenAI/small=10,100"],
    );
    let ended = ended.expect(0);
    assert!(
        ended.stdout.ends_with("🤖 Ada is greeted.\n"),
        "{}",
        ended.stdout
    );
    let cost = "cost: $0.0080 (4 requests, 400 tokens sent, 40 written)\n";
    assert!(ended.stderr.ends_with(cost), "{}", ended.stderr);
}

#[test]
fn prices_and_the_limit_of_the_cost_are_for_the_models_of_called_agents_too() {
    let document = with_called_model("OpenAI/other");
    let prices = ["--price=OpenAI/m=10,100", "--price=OpenAI/other=1,10"];
    let ended = run_document(&document, &[&prices[..], &["--max-cost=1"]].concat()).expect(0);
    let cost = "cost: $0.0044 (4 requests, 400 tokens sent, 40 written)\n";
    assert_eq!(ended.stderr, cost);
    let ended = run_document(&document, &[prices[0], "--max-cost=1"]).expect(2);
    for text in [
        "there is no price for `OpenAI/other` here (",
        "add `--price OpenAI/other=SENT,WRITTEN`",
    ] {
        assert!(ended.stderr.contains(text), "{}", ended.stderr);
    }
}

#[test]
fn a_provider_without_an_address_is_reported_for_called_agents() {
    let document = with_called_model("Acme/m");
    let ended = run_document(&document, &["--provider=Acme"]).expect(2);
    let text = "the model `Acme/m` cannot be called: `--provider Acme` has no address";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
}

/// Otherwise the refusal would come after requests, to the model as a failed call.
#[test]
fn an_address_of_a_called_agent_needs_consent_before_the_first_request() {
    let folder = Folder::new();
    let script = Script::start([]);
    let url = script.base_url();
    let evil = "https://models.stranger.example/v1";
    let own = format!("instruction: \"x\", model: \"OpenAI/m\", baseUrl: \"{url}\"");
    let called = format!(
        "[greeter:Agent {{description: \"d\", instruction: \"x\", model: \"OpenAI/m\", baseUrl: \"{evil}\"}}]"
    );
    let direct = folder.file("direct.gram", format!("[first:Agent {{{own}}} | {called}]"));
    let deep = folder.file(
        "deep.gram",
        format!(
            "[first:Agent {{{own}}} | [second:Agent {{description: \"d\", {own}}} | {called}]]"
        ),
    );
    let lines = folder.file("lines.jsonl", "\"Hi\"\n");
    let output = format!("{}/results.jsonl", folder.path());
    for file in [&direct, &deep] {
        for args in [
            &["run", file, "Hi"][..],
            &["run", file, "Hi", "--stream"],
            &["run", file, "--batch", &lines, "--output", &output],
            &["chat", file],
        ] {
            let ended = agent(args).expect(2);
            for words in [
                format!(
                    "agent `greeter`: the base URL that the agent gives as `baseUrl` is `{evil}`"
                ),
                "use `--allow-base-url models.stranger.example`".to_owned(),
            ] {
                assert!(ended.stderr.contains(&words), "{args:?}: {}", ended.stderr);
            }
        }
    }
    assert!(script.messages().is_empty());
}
